"""Giants among many: one object that is most of the bytes, one content that most files have."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hashmill
from hashmill.spark import audits, duplicates, hash_objects, list_objects, plan

pytestmark = pytest.mark.long

SMALL = 50_000
GIANT = 4 << 30


@pytest.fixture(scope="module")
def skewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """50,000 small files, and one of 4 GiB of zeros, which takes no place on the disk."""
    top = tmp_path_factory.mktemp("skewed")
    for folder in range(100):
        (top / f"d{folder:02}").mkdir()
        for place in range(SMALL // 100):
            (top / f"d{folder:02}" / f"{place:03}").write_bytes(f"{folder} {place}".encode())
    with open(top / "giant", "wb") as giant:
        giant.truncate(GIANT)
    return top


def test_one_giant_beside_many_small_ones(spark: SparkSession, skewed: Path) -> None:
    rows = list_objects(str(skewed), spark=spark).persist()
    packed = plan.pack(rows, plan.Cost(rate=500e6, request=0.0001, task=2))
    tasks = packed.rows.groupBy("wave", "slot").agg(F.count("*").alias("rows"), F.max("size").alias("most")).collect()
    assert sum(task.rows for task in tasks) == SMALL + 1
    (giant,) = [task for task in tasks if task.most == GIANT]
    assert giant.rows == 1 and giant.slot == plan.slots(packed.width)[0]
    small = [task.rows for task in tasks if task.most != GIANT]
    assert max(small) < 2 * min(small)
    records = {row.path: row.md5 for row in hash_objects(rows, ["md5"]).where("status = 'hashed'").collect()}
    assert len(records) == SMALL + 1
    assert records["d42/007"] == hashlib.md5(b"42 7").hexdigest()
    one = hash_objects(rows.where(F.col("size") == GIANT), ["blake3", "crc32"], range_size=256 << 20).collect()
    by_one = next(iter(hashmill.hash(skewed / "giant", ["blake3", "crc32"])))
    assert [(row.blake3, row.crc32) for row in one] == [(by_one["blake3"], by_one["crc32"])]
    rows.unpersist()


def test_a_third_of_all_files_is_empty(spark: SparkSession) -> None:
    number = 300_000
    empty = hashlib.md5(b"").hexdigest()
    is_empty = F.col("id") % 10 < 3
    records = spark.range(number).select(
        F.concat(F.lit("f"), F.lpad(F.col("id").cast("string"), 6, "0")).alias("path"),
        F.lit(None).cast("string").alias("path_b64"),
        F.when(is_empty, 0).otherwise(7).cast("long").alias("size"),
        F.lit("hashed").alias("status"),
        F.when(is_empty, empty).otherwise(F.md5(F.col("id").cast("string"))).alias("md5"),
    )
    # Each hundredth file has another name: of the empty ones, too.
    moved = records.withColumn("path", F.when(F.substring("path", -2, 2) == "00", F.concat("path", F.lit("-moved"))).otherwise(F.col("path")))
    counts = audits.counts(audits.audit(records, moved, giant=10_000))
    assert counts["matched"] == number - number // 100 and counts["moved"] == number // 100
    assert sum(counts.values()) == number
    found = duplicates(records, "md5", min_size=0, giant=10_000).agg(F.count("*"), F.max("copies")).first()
    assert found is not None and tuple(found) == (number * 3 // 10, number * 3 // 10)
