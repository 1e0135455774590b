"""Inventories: a store's own list of a bucket, read instead of listing the bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from .session import active

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

S3_COLUMNS = ["bucket", "key", "version_id", "is_latest", "is_delete_marker", "size", "last_modified_date", "e_tag"]
"""The columns of an inventory in CSV, which has no header, in the order that its ``manifest.json`` names as ``fileSchema``; pass
another order if yours has one (Amazon S3 User Guide, "Amazon S3 Inventory list")."""


def read_inventory(
    where: str,
    kind: str,
    *,
    bucket: str | None = None,
    columns: list[str] | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Returns the objects of an inventory, as ``hash_objects`` takes them.

    Args:
        where: the inventory's data files (``….parquet``, or CSV, perhaps ``.gz``; a directory or a pattern).
        kind: ``s3`` (Amazon S3 Inventory), ``gcs`` (Google Cloud Storage's inventory reports) or ``azure`` (blob inventory).
        bucket: the bucket or container, if the files don't name it (``gcs`` does, ``s3`` too).
        columns: the columns of a CSV of S3, in their order.

    Returns:
        ``location``, ``path`` (the key), ``version``, ``etag``, ``size``. Versions that are not the latest, markers of deletion
        and folders are left out.

    Raises:
        ValueError: the kind is unknown, or a column is missing.
    """
    makers = {"s3": _s3, "gcs": _gcs, "azure": _azure}
    if kind not in makers:
        raise ValueError(f"no inventory of kind {kind!r} (there are: {', '.join(makers)})")
    spark = active(spark)
    is_parquet = ".parquet" in where
    if is_parquet:
        rows = spark.read.parquet(where)
    else:
        rows = spark.read.csv(where, header=kind != "s3", escape='"')
        if kind == "s3":
            rows = rows.toDF(*(columns or S3_COLUMNS)[: len(rows.columns)])
    plain = rows.toDF(*[_plain(name) for name in rows.columns])
    return makers[kind](plain, bucket, is_parquet).where(~F.col("path").endswith("/"))


def _plain(name: str) -> str:
    """Reduces column names to letters: ``Last-Modified``, ``last_modified`` and ``lastModified`` are the same."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _need(rows: DataFrame, *names: str) -> None:
    absent = [name for name in names if name not in rows.columns]
    if absent:
        raise ValueError(f"the inventory has no column {', '.join(absent)} (there are: {', '.join(rows.columns)})")


def _or_null(rows: DataFrame, name: str) -> Column:
    return F.col(name).cast("string") if name in rows.columns else F.lit(None).cast("string")


def _shape(rows: DataFrame, scheme: str, bucket: Column, key: Column, version: Column, etag: Column, size: str) -> DataFrame:
    location = F.concat(F.lit(f"{scheme}://"), bucket, F.lit("/"), key)
    return rows.select(
        location.alias("location"),
        key.alias("path"),
        F.nullif(version, F.lit("")).alias("version"),
        F.nullif(F.regexp_replace(etag, '^"|"$', ""), F.lit("")).alias("etag"),
        F.col(size).cast("long").alias("size"),
    )


def _s3(rows: DataFrame, bucket: str | None, is_parquet: bool) -> DataFrame:
    _need(rows, "key", "size")
    for flag, wanted in (("islatest", "true"), ("isdeletemarker", "false")):
        if flag in rows.columns:
            rows = rows.where(F.coalesce(F.lower(F.col(flag).cast("string")) == wanted, F.lit(True)))
    # Keys are URL-encoded in CSV only.
    key = F.col("key") if is_parquet else F.url_decode("key")
    return _shape(rows, "s3", _bucket(rows, bucket), key, _or_null(rows, "versionid"), _or_null(rows, "etag"), "size")


def _gcs(rows: DataFrame, bucket: str | None, _: bool) -> DataFrame:
    _need(rows, "name", "size")
    return _shape(
        rows, "gs", _bucket(rows, bucket), F.col("name"), _or_null(rows, "generation"), _or_null(rows, "etag"), "size"
    )


def _azure(rows: DataFrame, bucket: str | None, _: bool) -> DataFrame:
    """Returns the key: Azure writes the container before the name."""
    _need(rows, "name", "contentlength")
    for flag, wanted in (("iscurrentversion", "true"), ("deleted", "false"), ("hdiisfolder", "false")):
        if flag in rows.columns:
            rows = rows.where(F.coalesce(F.lower(F.col(flag).cast("string")) == wanted, F.lit(True)))
    container = F.lit(bucket) if bucket else F.substring_index("name", "/", 1)
    key = F.expr("substring(name, instr(name, '/') + 1)") if bucket is None else F.col("name")
    return _shape(rows, "az", container, key, _or_null(rows, "versionid"), _or_null(rows, "etag"), "contentlength")


def _bucket(rows: DataFrame, bucket: str | None) -> Column:
    if bucket:
        return F.lit(bucket)
    _need(rows, "bucket")
    return F.col("bucket")
