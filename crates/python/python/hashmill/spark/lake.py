"""A lake: the tables of a run, in Parquet, Delta Lake or Apache Iceberg.

* ``objects``: the list of objects when the run last began, with large objects cut into ranges.
* ``plan``: the rows that were left to do, and their tasks.
* ``log``: outcomes, appended wave by wave, never changed. A wave is in it completely or not at all (in Parquet: file by file).
* ``records``: the result, replaced or merged at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql.types import IntegerType, StringType, StructType

import hashmill

from . import shapes
from .batches import as_ddl
from .session import active

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMATS = ("parquet", "delta", "iceberg")


@dataclass(frozen=True)
class Lake:
    """The tables of successive runs over the same objects.

    ``where``: for Parquet and Delta a directory (of any file system that Spark knows), for Iceberg a namespace
    (``catalog.database``). ``format``: ``parquet``, ``delta`` or ``iceberg``; the last two need their jars in the session.
    """

    where: str
    format: str = "parquet"

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"no format {self.format!r} (there are: {', '.join(FORMATS)})")

    def name(self, table: str) -> str:
        """Returns the name of the table in SQL."""
        if self.format == "iceberg":
            return f"{self.where}.{table}"
        place = f"{self.where.rstrip('/')}/{table}"
        return f"{self.format}.`{place}`"

    def has(self, table: str, spark: SparkSession | None = None) -> bool:
        """Returns whether the table exists, with rows or without."""
        spark = active(spark)
        if self.format == "iceberg":
            return spark.catalog.tableExists(self.name(table))
        try:
            if not _exists(spark, self._place(table)):
                return False  # checked first: Spark logs a Java trace for a place that does not exist
            self._open(spark, table)
        except AnalysisException as error:
            if (error.getCondition() or "") in _ABSENT:
                return False
            raise self._none(table, error) from error
        except Py4JJavaError as error:  # a file that is not a Parquet file, and the like
            raise self._none(table, error.java_exception.getMessage()) from error
        return True

    def _none(self, table: str, why: object) -> hashmill.Error:
        return hashmill.Error(f"{self.name(table)}: not a table of {self.format}: {str(why).strip().splitlines()[0]}")

    def read(self, table: str, spark: SparkSession | None = None) -> DataFrame:
        """Reads a table.

        Raises:
            hashmill.Error: it does not exist, or has another format.
        """
        spark = active(spark)
        if not self.has(table, spark):
            raise hashmill.Error(f"{self.name(table)}: no such table; run `hash` with this output first")
        return self._open(spark, table)

    def _open(self, spark: SparkSession, table: str) -> DataFrame:
        if self.format == "iceberg":
            return spark.table(self.name(table))
        reader = spark.read.format(self.format)
        if self.format == "parquet":
            check_plain(spark, self._place(table))
        if self.format == "parquet" and table == "log":
            return reader.schema(LOG).option("recursiveFileLookup", "false").load(self._place(table))
        return reader.load(self._place(table))

    def _place(self, table: str) -> str:
        return f"{self.where.rstrip('/')}/{table}"

    def replace(self, table: str, rows: DataFrame, by: Sequence[str] = ()) -> None:
        """Replaces a table; ``by``: columns that partition it."""
        if self.format == "iceberg":
            rows.writeTo(self.name(table)).using("iceberg").createOrReplace()
            return
        writer = rows.write.format(self.format).mode("overwrite").option("overwriteSchema", "true")
        writer.partitionBy(*by).save(self._place(table))

    def append(self, rows: DataFrame, run: str, attempt: int, wave: int) -> None:
        """Appends the outcomes of one wave to the log."""
        from pyspark.sql import functions as F

        if self.format == "parquet":
            # A directory each: two jobs that write into one would remove each other's temporary files.
            place = f"{self._place('log')}/run={run}/attempt={attempt}/wave={wave}"
            rows.write.mode("overwrite").parquet(place)
            return
        marks = {"run": F.lit(run), "attempt": F.lit(attempt), "wave": F.lit(wave)}
        marked = rows.withColumns(marks).select(*LOG.names)
        if self.format == "delta":
            marked.write.format("delta").mode("append").save(self._place("log"))
        else:
            marked.writeTo(self.name("log")).append()

    def begin(self, spark: SparkSession | None = None) -> None:
        """Makes the log if it does not exist."""
        spark = active(spark)
        if self.has("log", spark):
            # The log of a lake from before these were noted.
            there = [] if self.format == "parquet" else self._open(spark, "log").columns
            for name, kind in (("error", "string"), ("facts", "array<string>")):
                if there and name not in there:
                    spark.sql(f"ALTER TABLE {self.name('log')} ADD COLUMNS ({name} {kind})")
            return
        empty = spark.createDataFrame([], LOG)
        if self.format == "iceberg":
            namespace = self.where
            spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {namespace}")
            empty.writeTo(self.name("log")).using("iceberg").create()
        elif self.format == "delta":
            empty.write.format("delta").save(self._place("log"))

    def merge(self, records: DataFrame, *, has_twins: bool = False) -> None:
        """Makes ``records`` equal to these: equal rows stay, others are updated, added or removed. Where two rows are of one path
        and version, nothing tells which is which, so all are written anew."""
        spark = records.sparkSession
        if self.format == "parquet" or has_twins or not self.has("records", spark):
            self.replace("records", records)
            return
        if self._open(spark, "records").columns != records.columns:
            self.replace("records", records)  # another run, by other algorithms
            return
        records.createOrReplaceTempView("hashmill_records")
        names = [f"`{name}`" for name in records.columns]
        same = " AND ".join(f"old.{name} <=> new.{name}" for name in names[:3])
        equal = " AND ".join(f"old.{name} <=> new.{name}" for name in names[3:])
        spark.sql(
            f"MERGE INTO {self.name('records')} AS old USING hashmill_records AS new ON {same} "
            f"WHEN MATCHED AND NOT ({equal}) THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE THEN DELETE"
        )
        spark.catalog.dropTempView("hashmill_records")


def check_plain(spark: SparkSession, place: str) -> None:
    """Checks that a directory of Parquet files is no table of Delta or Iceberg: these keep rows that were removed, and only their
    logs say which rows there are.

    Raises:
        hashmill.Error: it is one.
    """
    for form, log in (("delta", "_delta_log"), ("iceberg", "metadata/*.metadata.json")):
        if _exists(spark, f"{place.rstrip('/')}/{log}"):
            raise hashmill.Error(
                f"{place}: a table of {form}, whose files also have rows that were removed; read a lake with --input-format {form}, "
                "and write the rows of another table into Parquet first"
            )


def _exists(spark: SparkSession, pattern: str) -> bool:
    """Returns whether Hadoop finds something of this name or pattern."""
    jvm, context = spark._jvm, spark.sparkContext
    assert jvm is not None
    path = jvm.org.apache.hadoop.fs.Path(pattern)
    return bool(path.getFileSystem(context._jsc.hadoopConfiguration()).globStatus(path))


def _log() -> StructType:
    log = as_ddl(shapes.OUTCOME)
    log.add("algorithms", as_ddl(shapes.OUTCOME)["digests"].dataType)
    return log.add("run", StringType()).add("attempt", IntegerType()).add("wave", IntegerType())


LOG = _log()
"""Outcomes, the names of their algorithms, and their run, attempt and wave of tasks."""

_ABSENT = {"PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE", "UNABLE_TO_INFER_SCHEMA",
           "DELTA_PATH_DOES_NOT_EXIST", "TABLE_OR_VIEW_NOT_FOUND"}  # fmt: skip
