"""Numbers of partitions that follow from the rows, and not from a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BYTES = 16 << 20
"""The bytes of a partition, as Spark estimates them: compressed, where they come from files."""

LEAST = 1 << 20
"""The bytes from which on a core gets a partition of its own: below, starting its task takes longer than its rows."""

_UNKNOWN = 1 << 50
"""Spark's estimates of rows of which it knows nothing, or which a join makes, are larger than this."""


def wanted(*frames: DataFrame) -> int:
    """Returns how many partitions the rows of these frames should have together. Nothing runs for it."""
    spark = frames[0].sparkSession
    cores = spark.sparkContext.defaultParallelism
    sizes = [int(str(_optimized(frame).stats().sizeInBytes())) for frame in frames]
    if max(sizes) >= _UNKNOWN:
        # Rows that were made by tasks: as many as these, but not one for each of many thousands of short ones.
        usual = int(spark.conf.get("spark.sql.shuffle.partitions") or 200)
        return max(1, min(usual, sum(_partitions(frame, usual) for frame in frames)))
    size = sum(sizes)
    many = max(1, -(-size // BYTES), min(cores, size // LEAST))
    # Three on two cores take as long as four.
    return many if many < cores else -(-many // cores) * cores


def _optimized(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().optimizedPlan()


def _partitions(frame: DataFrame, usual: int) -> int:
    """Returns the partitions of rows that no step brings together; of others, the usual number."""
    execution = frame._jdf.queryExecution()
    if "Exchange" in execution.executedPlan().toString():
        return usual
    return int(execution.toRdd().getNumPartitions())
