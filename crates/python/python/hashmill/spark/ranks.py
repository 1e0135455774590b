"""Ranks within groups of any size.

A window puts each group into one task. If a third of all rows are in one group (the empty files), one task has a third of
the work. Here giants are split at some of their own values, ranked piece by piece, and each piece continues the count of the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GIANT = 500_000
"""The number of rows from which on a group is split."""

PIECES = 64
"""The most pieces of a giant."""

SAMPLE = 4096
"""The number of rows of a giant from which the split values are chosen."""


def ranked(rows: DataFrame, group: str, order: str, *, giant: int | None = GIANT) -> DataFrame:
    """Adds the column ``rank`` to ``rows``: 1, 2, … within each value of ``group``, by ``order`` (a binary column). Without
    ``giant`` no group is split."""
    giants = [] if giant is None else giants_of(rows, group, giant)
    pieces = _splits(rows, group, order, giants)
    if pieces is None:
        return rows.withColumn("rank", F.row_number().over(Window.partitionBy(group).orderBy(order)))
    split = rows.join(F.broadcast(pieces), group, "left")
    before = F.filter("_splits", lambda at: at <= F.col(order))
    split = split.withColumn("_piece", F.coalesce(F.size(before), F.lit(0))).drop("_splits")
    sums = split.where(F.col(group).isin(giants)).groupBy(group, "_piece").agg(F.count("*").alias("_n"))
    earlier = Window.partitionBy(group).orderBy("_piece").rowsBetween(Window.unboundedPreceding, -1)
    starts = sums.select(group, "_piece", F.coalesce(F.sum("_n").over(earlier), F.lit(0)).alias("_start"))
    within = F.row_number().over(Window.partitionBy(group, "_piece").orderBy(order))
    joined = split.withColumn("_within", within).join(F.broadcast(starts), [group, "_piece"], "left")
    rank = F.col("_within") + F.coalesce(F.col("_start"), F.lit(0))
    return joined.withColumn("rank", rank.cast("long")).drop("_piece", "_within", "_start")


def giants_of(rows: DataFrame, group: str, giant: int = GIANT) -> list[object]:
    """Returns the values of ``group`` that more than ``giant`` rows have."""
    large = rows.where(F.col(group).isNotNull()).groupBy(group).count().where(F.col("count") > giant)
    return sorted(row[0] for row in large.select(group).collect())


def _splits(rows: DataFrame, group: str, order: str, giants: list[object]) -> DataFrame | None:
    """Returns for each giant the values that it is split at, in order. The choice of values changes no rank."""
    if not giants:
        return None
    of_giants = rows.where(F.col(group).isin(giants)).select(group, order)
    # A hash of the value picks the sample, so that it's the same rows in every run.
    some = of_giants.orderBy(F.xxhash64(order)).limit(SAMPLE * len(giants))
    listed: dict[object, list[bytes]] = {}
    for key, value in some.collect():
        listed.setdefault(key, []).append(bytes(value))
    table = [(key, _even(sorted(values))) for key, values in listed.items()]
    kind = rows.schema[group].dataType.simpleString()
    return rows.sparkSession.createDataFrame(table, f"`{group}` {kind}, _splits array<binary>")


def _even(values: list[bytes]) -> list[bytes]:
    step = max(1, len(values) // PIECES)
    return values[step::step][: PIECES - 1]
