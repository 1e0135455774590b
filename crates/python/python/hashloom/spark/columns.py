"""Digests of a binary column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pandas as pd
from pyspark.sql import functions as F

import hashloom

if TYPE_CHECKING:
    from pyspark.sql import Column


def digest_column(column: Column | str, algorithm: str = "blake3") -> Column:
    """The digest of each value of a binary or text column (text as UTF-8), as binary; null of null.

    The rows of a batch go through the lanes together.

    Raises:
        ValueError: the algorithm is unknown.
    """
    hashloom.new(algorithm)

    @F.pandas_udf("binary")  # type: ignore[call-overload, untyped-decorator]
    def digests(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for batch in batches:
            yield pd.Series(_digests(batch, algorithm))

    found = F.col(column) if isinstance(column, str) else column
    result: Column = digests(found.cast("binary"))
    return result


def _digests(values: Iterable[bytes | None], algorithm: str) -> list[bytes | None]:
    listed = list(values)
    buffers = [value for value in listed if value is not None]
    found = iter(hashloom.digest_many(buffers, algorithm))
    return [None if value is None else bytes(next(found)) for value in listed]
