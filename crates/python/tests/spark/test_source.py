"""``spark.read.format("hashmill")`` gives the records of ``hash_objects``."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from faulty import Bucket, Store
from hashmill.spark import hash_objects, register, source


def rows(frame: object) -> list[tuple[object, ...]]:
    return sorted(map(tuple, frame.collect()), key=str)  # type: ignore[attr-defined]


def test_a_tree_has_the_same_records(spark: SparkSession, tree: Path) -> None:
    register(spark)
    found = spark.read.format("hashmill").option("algorithms", "sha256, md5").option("tasks", "3").load(str(tree))
    assert found.columns == ["path", "path_b64", "version", "size", "status", "reason", "error", "sha256", "md5"]
    assert rows(found) == rows(hash_objects(str(tree), ["sha256", "md5"], spark=spark))
    one = spark.read.format("hashmill").load(f"file:{tree}/d1/f01").collect()
    assert [(row.path, row.status) for row in one] == [("f01", "hashed")]


def test_a_bucket_has_the_same_records(spark: SparkSession) -> None:
    bucket = Bucket({f"p/{number}": bytes(number) for number in range(20)})
    register(spark)
    with Store(bucket) as store:
        found = spark.read.format("hashmill").option("endpoint", store.endpoint).load("s3a://bucket/p/")
        assert [row.status for row in found.collect()] == ["hashed"] * 20


def test_spark_finds_it_by_its_package() -> None:
    import pyspark_hashmill

    assert pyspark_hashmill.DefaultSource is source.HashmillSource
    assert source.HashmillSource.name() == "hashmill"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "no location"),
        ({"path": "/", "algoritms": "md5"}, "no option algoritms"),
        ({"path": "/", "algorithms": "md6"}, "md6"),
        ({"path": "/", "tasks": "0"}, "tasks is a whole number"),
        ({"path": "/", "anonymous": "perhaps"}, "true or false"),
    ],
)
def test_options_that_are_wrong_are_told(options: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        source.HashmillSource(options)


def test_a_stream_is_refused() -> None:
    given = source.HashmillSource({"path": "/"})
    for reader in (given.streamReader, given.simpleStreamReader):
        with pytest.raises(ValueError, match="foreachBatch"):
            reader(given.schema())


def test_locations_that_cannot_be_listed_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="hash_objects"):
        source.list_all(b"hdfs://name/x", source.Access())
    with pytest.raises(FileNotFoundError):
        source.list_all(bytes(tmp_path / "gone"), source.Access())
