"""Locations as Spark writes them are read as those that they mean."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from faulty import Bucket, Store
from hashmill.spark import Access, core, hash_objects, list_objects, patterns, source
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


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("ftp://host/x", "ftp:// is not read"),
        ("oss://bucket/x", "oss:// is not read"),
        ("S3://bucket/x", "write s3://"),
        ("HDFS://name/x", "write hdfs://"),
        ("abfss://c/x", "names no account of Azure"),
    ],
)
def test_locations_that_are_not_read_are_refused_by_name(written: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        source.list_all(written.encode(), Access())
    batch = pa.RecordBatch.from_pylist([{"location": written.encode()}])
    (row,) = next(core.whole_records([batch], core.Reading(("md5",)))).to_pylist()
    assert (row["status"], row["reason"]) == ("unreadable", "error") and said in row["error"]


@pytest.mark.parametrize(
    ("pattern", "meant", "above"),
    [
        ("a*/x", ["a/x", "ab/x/y/z"], ["a", "ab"]),
        ("a?[0-9]", ["ab1", "ax7/y"], []),
        ("[!a]b", ["xb", "bb/c"], []),
        ("{one,two/three}/x", ["one/x", "two/three/x/y"], ["one"]),
        ("\\*a.b", ["*a.b"], []),
    ],
)
def test_wildcards_match_as_hadoop_reads_them(pattern: str, meant: list[str], above: list[str]) -> None:
    full, start = (re.compile(expression) for expression in patterns.expressions(pattern))
    assert all(full.match(path) and start.match(path) for path in meant)
    assert all(start.match(path) and not full.match(path) for path in above)
    assert not any(full.match(path) for path in ("b/x", "a/y", "abc", "ab", "xaxb", "ba.b"))


def test_several_locations_and_wildcards(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("2026-01/a", "2026-02/a", "2026-02/d/b", "2025/a", "[x]/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())

    def paths(*locations: str) -> list[str]:
        given = [str(tmp_path / one) for one in locations]
        found = list_objects(given if len(given) > 1 else given[0], spark=spark).collect()
        return sorted(bytes(row.path).decode().removeprefix(f"{tmp_path}/") for row in found)

    assert paths("2026-*") == ["2026-01/a", "2026-02/a", "2026-02/d/b"]
    assert paths("[x]") == ["c"]
    assert paths("2026-*", "2025/", "[x]/c") == ["2025/a", *(f"2026-*/2026-0{rest}" for rest in ("1/a", "2/a", "2/d/b")), "[x]/c"]
    with pytest.raises(FileNotFoundError, match="nothing matches"):
        paths("2027-*")
    bucket = Bucket({"p/a1/x": b"1", "p/a2/x": b"2", "p/b/x": b"3"})
    with Store(bucket) as store:
        found = list_objects("s3a://bucket/p/a*/x", access=Access(store.endpoint), spark=spark).collect()
        assert sorted(bytes(row.path) for row in found) == [b"a1/x", b"a2/x"]


def test_settings_of_spark_are_used_or_named(spark: SparkSession) -> None:
    bucket = Bucket({"p/a": b"a"})
    with Store(bucket) as store:
        given = {"endpoint": store.endpoint.removeprefix("http://"), "connection.ssl.enabled": "false", "access.key": "AKIA"}
        for name, value in given.items():
            spark.conf.set(f"fs.s3a.{name}", value)
        try:
            with pytest.warns(UserWarning, match=r"fs.s3a.access.key is not used: set AWS_ACCESS_KEY_ID"):
                assert [row.path for row in hash_objects("s3a://bucket/p/", "md5", spark=spark).collect()] == ["a"]
        finally:
            for name in given:
                spark.conf.unset(f"fs.s3a.{name}")


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
    with pytest.raises(ValueError, match="names no account of Azure"):
        list_objects("abfss://c@evil.org/x", spark=spark)


def test_the_account_of_a_location_is_that_of_its_requests_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "own")
    for written, account in (("abfss://c@other.dfs.core.windows.net/k", "other"), ("az://c/k", "own")):
        Access().use(resolve(written.encode()))
        assert os.environ["AZURE_STORAGE_ACCOUNT"] == account
