"""Records in files, for the job: read and written by the suffix of their name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

import hashmill

from .lake import Lake, check_plain
from .session import active
from .shapes import refuse_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

READERS = {".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".parquet": "parquet"}
"""Kinds of tables by the ends of their names."""


def records_of(source: DataFrame | str | os.PathLike[str], spark: SparkSession | None = None) -> DataFrame:
    """Returns records, from a DataFrame of them or from their path.

    Raises:
        hashmill.Error: there are no records.
        ValueError: the DataFrame is a stream.
    """
    from pyspark.sql import DataFrame

    if not isinstance(source, DataFrame):
        return read_records(active(spark), os.fspath(source))
    refuse_stream(source)
    return source


def read_records(spark: SparkSession, where: str, form: str | None = None) -> DataFrame:
    """Reads records of a manifest (``.jsonl``, ``.csv``, ``.parquet``), of a directory of such files, or of a lake.

    Raises:
        hashmill.Error: there are no records, or none in a format that Spark reads.
    """
    ending = next((kind for end, kind in READERS.items() if where.endswith((end, end + ".gz"))), None)
    if form in ("delta", "iceberg") or ending is None:
        lake = Lake(where, form or "parquet")
        if lake.has("records", spark):
            return lake.read("records", spark)
        if form in ("delta", "iceberg"):
            raise hashmill.Error(f"{where}: no lake of {form} with a table 'records'")
        ending = "parquet"
    try:
        records = load(spark, where, ending)
    except AnalysisException as error:
        raise hashmill.Error(f"{where}: no records: {str(error).splitlines()[0]}") from error
    if "path" not in records.columns:
        raise hashmill.Error(
            f"{where}: no column 'path' (there are: {', '.join(records.columns) or 'none'}); "
            "make records of a manifest of another form by: hashmill convert -f parquet"
        )
    return records


def load(spark: SparkSession, where: str, kind: str) -> DataFrame:
    """Reads a table of CSV (with a header), JSON (lines) or Parquet."""
    if kind == "csv":
        return spark.read.csv(where, header=True, escape='"', multiLine=True)
    if kind == "parquet":
        check_plain(spark, where)
    return spark.read.format(kind).load(where)


def write(rows: DataFrame, where: str, form: str) -> None:
    """Writes rows as one table: Parquet and Delta into a directory, Iceberg by its name; an existing table is replaced."""
    if form == "iceberg":
        rows.writeTo(where).using("iceberg").createOrReplace()
    elif form in ("json", "csv"):
        rows.write.mode("overwrite").option("header", "true").format(form).save(where)
    else:
        rows.write.mode("overwrite").format(form).save(where)
