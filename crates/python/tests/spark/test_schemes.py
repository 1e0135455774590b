"""Locations as Spark writes them are read as those that they mean."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from faulty import Bucket, Store
from hashmill.spark import Access, hash_objects, list_objects
from hashmill.spark.schemes import Kind, Place, resolve, start_of


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("s3a://bucket/a/b", Place(Kind.STORE, b"s3://bucket/a/b")),
        ("s3n://bucket", Place(Kind.STORE, b"s3://bucket")),
        ("gs://bucket/k", Place(Kind.STORE, b"gs://bucket/k")),
        ("abfss://c@account.dfs.core.windows.net/a/b", Place(Kind.STORE, b"az://c/a/b", "account")),
        ("wasbs://c@account.blob.core.windows.net", Place(Kind.STORE, b"az://c/", "account")),
        (
            "abfss://c@account.dfs.core.chinacloudapi.cn/x",
            Place(Kind.STORE, b"az://c/x", "account", "https://account.blob.core.chinacloudapi.cn"),
        ),
        ("abfss://c@account.dfs.core.windows.net.evil.org/x", None),
        ("abfss://c@evil.org/x", None),
        ("abfss://c/x", None),
        ("file:/tmp/a b", Place(Kind.LOCAL, b"/tmp/a b")),
        ("file:///tmp/x", Place(Kind.LOCAL, b"/tmp/x")),
        ("/tmp/s3a:/x", Place(Kind.LOCAL, b"/tmp/s3a:/x")),
        ("file:x", Place(Kind.LOCAL, b"file:x")),
        ("hdfs://name/x", Place(Kind.HADOOP, b"hdfs://name/x")),
        ("dbfs:/x", Place(Kind.HADOOP, b"dbfs:/x")),
    ],
)
def test_locations_are_told_apart(written: str, meant: Place | None) -> None:
    location = written.encode()
    assert resolve(location) == (meant or Place(Kind.UNUSABLE, location))


def test_keys_are_found_again_in_both_forms() -> None:
    for written in ("s3a://b/p/", "s3a://b", "abfss://c@account.dfs.core.windows.net/p/q/", "wasbs://c@account.blob.core.windows.net"):
        here, there = start_of(written.encode())
        assert here.endswith(b"/") and there.endswith(b"/") and there.count(b"/") == 3
        assert resolve(here + b"key").location == there + b"key"


def test_records_of_s3a_keep_the_scheme(spark: SparkSession) -> None:
    bucket = Bucket({"p/a": b"a", "p/empty": b"", "p/d/b": b"b", "q": b"q"})
    with Store(bucket) as store:
        access = Access(store.endpoint)
        listed = list_objects("s3a://bucket/p/", access=access, spark=spark).collect()
        assert sorted((bytes(row.location), bytes(row.path)) for row in listed) == [
            (b"s3a://bucket/p/a", b"a"), (b"s3a://bucket/p/d/b", b"d/b"), (b"s3a://bucket/p/empty", b"empty")]  # fmt: skip
        records = hash_objects("s3a://bucket/p/", "md5", access=access, spark=spark).collect()
        assert {row.path: row.md5 for row in records} == {
            name: hashlib.md5(bucket.objects["p/" + name]).hexdigest() for name in ("a", "empty", "d/b")
        }
        places = spark.createDataFrame([("s3n://bucket/q",), ("s3a://bucket/gone",), ("abfss://c@evil.org/x",)], "location string")
        found = {row.path: (row.status, row.reason) for row in hash_objects(places, "md5", access=access).collect()}
    assert found == {
        "s3n://bucket/q": ("hashed", None),
        "s3a://bucket/gone": ("unreadable", "ENOENT"),
        "abfss://c@evil.org/x": ("unreadable", "error"),
    }


def test_a_file_as_spark_writes_it(spark: SparkSession, tree: Path) -> None:
    plain = sorted(map(tuple, hash_objects(str(tree), "md5", spark=spark).collect()), key=str)
    for written in (f"file:{tree}", f"file://{tree}/"):
        assert sorted(map(tuple, hash_objects(written, "md5", spark=spark).collect()), key=str) == plain
    one = spark.read.format("binaryFile").load(str(tree / "d1" / "f01")).selectExpr("path as location")
    assert [row.status for row in hash_objects(one, "md5").collect()] == ["hashed"]
    with pytest.raises(ValueError, match="is none"):
        list_objects("abfss://c@evil.org/x", spark=spark)


def test_the_account_of_a_location_is_that_of_its_requests_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "own")
    for written, account in (("abfss://c@other.dfs.core.windows.net/k", "other"), ("az://c/k", "own")):
        Access().use(resolve(written.encode()))
        assert os.environ["AZURE_STORAGE_ACCOUNT"] == account
