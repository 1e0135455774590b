"""Objects of equal content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from . import ranks
from .audits import TYPES, digests_of
from .shapes import check_types
from .tables import records_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def duplicates(
    records: DataFrame | str | os.PathLike[str],
    algorithm: str | None = None,
    *,
    min_size: int = 1,
    giant: int = ranks.GIANT,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Finds the objects whose content another one has, too.

    Args:
        records: records with sizes, or the path of a manifest or a lake.
        algorithm: the digest to compare; by default the first column of digests. It should be cryptographic: equal digests by
            others don't prove equal content.
        min_size: smaller objects are left out, by default empty ones.
        giant: the number of objects with one content from which on it is spread over tasks.

    Returns:
        A row for each of these objects: all columns of its record, ``copies`` (how many have its content) and ``wasted`` (bytes
        of all but one of them). Order by ``wasted`` downwards, the digest and ``path`` for the groups that waste most.

    Raises:
        ValueError: there is no such column, or it is of a wrong type.
    """
    records = records_of(records, spark)
    name = _digest(records, algorithm)
    rows = records.where((F.col("size") >= min_size) & F.col(f"`{name}`").isNotNull())
    if "status" in rows.columns:
        rows = rows.where(F.coalesce("status", F.lit("hashed")) == "hashed")
    if "offset" in rows.columns:
        rows = rows.where(F.col("offset").isNull())
    keyed = rows.withColumn("_key", F.concat_ws(",", F.col("size").cast("string"), F.lower(F.col(f"`{name}`"))))
    groups = keyed.groupBy("_key").agg(F.count("*").alias("copies")).where(F.col("copies") > 1)
    large = F.col("copies") > giant
    # Groups that are giants are joined by a broadcast: no task gets all of them.
    few, many = F.broadcast(groups.where(large)), groups.where(~large)
    met = keyed.join(few, "_key").unionByName(keyed.join(many, "_key"))
    return met.withColumn("wasted", F.col("size") * (F.col("copies") - 1)).drop("_key")


def not_compared(records: DataFrame, algorithm: str | None = None) -> int:
    """Returns how many records of whole objects have no size or no digest to compare, or are not of what was hashed.

    Raises:
        ValueError: as :func:`duplicates`.
    """
    lacks = F.col("size").isNull() | F.col(f"`{_digest(records, algorithm)}`").isNull()
    if "status" in records.columns:
        status = F.coalesce("status", F.lit("hashed"))
        lacks = (status != "skipped") & (lacks | (status != "hashed"))
    if "offset" in records.columns:
        lacks &= F.col("offset").isNull()
    return records.where(lacks).count()


def _digest(records: DataFrame, algorithm: str | None) -> str:
    """Returns the column of digests to compare.

    Raises:
        ValueError: there is none, or a column is of a wrong type.
    """
    check_types(records, TYPES)
    there = digests_of(records)
    name = algorithm or (there[0] if there else None)
    if name is None or name not in records.columns or "size" not in records.columns:
        raise ValueError(f"no column {name or 'of digests'!r} beside 'size' (there are: {', '.join(records.columns)})")
    return name
