"""The core under Ray Data: a dataset with the column ``location`` becomes one of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from . import core, shapes
from .contents import Contents
from .stored import Access

if TYPE_CHECKING:
    from ray.data import Dataset


def hash_objects(
    dataset: Dataset, algorithms: Sequence[str], *, threads: int = 1, memory: str = "64M", access: Access | None = None,
    contents: Contents | None = None,
) -> Dataset:
    """Hashes the objects of a dataset of Ray, each whole, batch by batch.

    Returns:
        Records, in the order of the rows.
    """
    reading = core.Reading(tuple(algorithms), threads, memory, access or Access(), contents=contents or Contents())
    shape = shapes.record(reading.results)

    def records(batch: pa.Table) -> pa.Table:
        found = core.whole_records(batch.to_batches(), reading)
        return pa.Table.from_batches(found, shape)

    return dataset.map_batches(records, batch_format="pyarrow", num_cpus=threads)
