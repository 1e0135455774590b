"""Rows that are made once, although several actions use them.

``DataFrame.persist`` keeps rows until somebody frees them. Here they are kept as long as a DataFrame that is made of them exists,
and Spark's cleaner frees them when it is collected as garbage. Rows of an executor that died are made again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ADAPTIVE = "spark.sql.adaptive.enabled"


class Kept:
    """Rows of a DataFrame, kept on the workers from the first action on. ``frame`` has the same columns."""

    def __init__(self, rows: DataFrame) -> None:
        from pyspark.sql import DataFrame

        spark = rows.sparkSession
        self._rdd = _rdd_of(rows)
        level = spark.sparkContext._jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK_SER()  # type: ignore[union-attr]
        self._rdd.persist(level)
        made = spark._jsparkSession.createDataFrame(self._rdd, rows._jdf.schema())
        self.frame = DataFrame(made, spark)

    def free(self) -> None:
        """Frees the rows at once. They are made again if they are used."""
        self._rdd.unpersist(False)


def kept(rows: DataFrame) -> DataFrame:
    """Returns the same rows, kept from the first action on as long as a DataFrame uses them. Nothing runs now."""
    return Kept(rows).frame


def _rdd_of(rows: DataFrame) -> Any:
    """Returns the rows as an RDD. An adaptive plan would run all but its last stage for it."""
    spark = rows.sparkSession
    before = spark.conf.get(_ADAPTIVE)
    spark.conf.set(_ADAPTIVE, "false")
    try:
        return rows.select("*")._jdf.rdd()
    finally:
        spark.conf.set(_ADAPTIVE, before)
