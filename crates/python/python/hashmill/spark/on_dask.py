"""The core under Dask: a DataFrame with the column ``location`` becomes one of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from . import core, shapes
from .contents import Contents
from .stored import Access

if TYPE_CHECKING:
    import dask.dataframe as dd


def hash_objects(
    frame: dd.DataFrame, algorithms: Sequence[str], *, threads: int = 1, memory: str = "64M", access: Access | None = None,
    contents: Contents | None = None,
) -> dd.DataFrame:
    """Hashes the objects of a Dask DataFrame, each whole, partition by partition: repartition it to spread the work.

    Returns:
        Records, in the order of the rows.
    """
    reading = core.Reading(tuple(algorithms), threads, memory, access or Access(), contents=contents or Contents())
    empty = pa.Table.from_batches([], shapes.record(reading.results)).to_pandas(types_mapper=pd.ArrowDtype)
    return frame.map_partitions(_records, reading, meta=empty)


def _records(part: pd.DataFrame, reading: core.Reading) -> pd.DataFrame:
    batches = pa.Table.from_pandas(part, preserve_index=False).to_batches()
    table = pa.Table.from_batches(core.whole_records(batches, reading), shapes.record(reading.results))
    return table.to_pandas(types_mapper=pd.ArrowDtype)
