"""Digests of a column of a DataFrame, and the same as a function of SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

import hashmill
from hashmill import similar

from . import digests
from .session import use_interpreter

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "hashmill_digest"
"""The name of the SQL function."""

_OF_SPARK: dict[str, Callable[[Column], Column]] = {
    "md5": F.md5,
    "sha1": F.sha1,
    **{f"sha{bits}": lambda column, bits=bits: F.sha2(column, bits) for bits in (224, 256, 384, 512)},
}
"""Digests that Spark computes itself, as hexadecimal text. Rows that need not leave Java are never sent to Python, which takes
longer than to hash them (docs/spark.md)."""


def digest_column(column: Column | str, algorithm: str = "blake3", *, text: bool = False) -> Column:
    """Returns the digest of each value of a binary or text column (text as UTF-8); null for null.

    MD5, SHA-1 and SHA-2 are Spark's own functions. All other algorithms hash the rows of a batch on all lanes together. Likeness
    digests (``ssdeep``, ``tlsh``) are text in any case, as ``similar_pairs`` takes them; null for values that have none.

    Args:
        column: the column, or its name.
        algorithm: a name, as the command takes it.
        text: digests in the algorithm's usual text, as in records; else as binary.

    Raises:
        ValueError: the algorithm is unknown.
    """
    data = (F.col(column) if isinstance(column, str) else column).cast("binary")
    if algorithm in similar.algorithms:
        use_interpreter()
        likeness: Column = as_udf(lambda values: digests.as_likeness(values, algorithm), "string")(data)
        return likeness
    name = hashmill.algorithm(algorithm).name
    if name in _OF_SPARK:
        digits = _OF_SPARK[name](data)
        return digits if text else F.unhex(digits)
    use_interpreter()
    make = digests.as_text if text else digests.as_bytes
    result: Column = as_udf(lambda values: make(values, name), "string" if text else "binary")(data)
    return result


def register_function(spark: SparkSession) -> None:
    """Makes ``hashmill_digest(data, algorithm)`` a SQL function of this session: it returns text, like Spark's own ``sha2``."""
    use_interpreter(spark)
    spark.udf.register(NAME, as_udf(digests.by_name, "string"))


def as_udf(step: Callable[..., pa.Array], kind: str) -> Any:
    """Makes a function over columns of a function over Arrow arrays."""
    if hasattr(F, "arrow_udf"):
        return F.arrow_udf(step, kind)  # type: ignore[call-overload]

    def by_series(*columns: pd.Series) -> pd.Series:
        arrays = [pa.array(column, from_pandas=True) for column in columns]
        return pd.Series(step(*arrays).to_pylist(), dtype=object)

    return F.pandas_udf(by_series, kind)  # type: ignore[call-overload]
