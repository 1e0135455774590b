"""What was read is not read again, nothing stays behind, and an audit is planned for the rows that there are."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from faulty import Bucket, Store
from hashmill.spark import Access, audit, audits, duplicates, hash_objects, partitions


def persisted(spark: SparkSession, before: Collection[int] = ()) -> set[int]:
    """The tables that are kept, but for these, once Java has collected its garbage."""
    for _ in range(10):
        gc.collect()
        time.sleep(1.5)  # a thread tells Java once in a second what Python holds no more, as the map of the last turn
        spark._jvm.System.gc()  # type: ignore[union-attr]
        found = set(spark.sparkContext._jsc.getPersistentRDDs()) - set(before)
        if not found:
            break
    return found


def jobs(spark: SparkSession, run: Callable[[], object]) -> int:
    """How many jobs a call runs."""
    name = f"counted {time.monotonic()}"
    spark.sparkContext.setJobGroup(name, name)
    run()
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(name))


def test_actions_on_records_read_each_object_once(spark: SparkSession) -> None:
    before = persisted(spark)
    bucket = Bucket({f"p/{number}": bytes(number // 2) for number in range(20)})
    with Store(bucket) as store:
        records = hash_objects("s3a://bucket/p/", "md5", access=Access(store.endpoint), spark=spark)
        assert bucket.count("GET") == 0
        assert records.count() == 20 and len(records.where("size > 3").collect()) == 12
        assert duplicates(records, "md5").count() == 18
        assert audits.counts(audit(records, records))["matched"] == 20
        assert bucket.count("GET") == 20
        del records
    assert persisted(spark, before) == set()


def test_an_audit_runs_nothing_before_it_is_used(spark: SparkSession, tmp_path: Path) -> None:
    before = persisted(spark)
    rows = spark.range(3000).select(F.concat(F.lit("d/"), "id").alias("path"), F.sha2(F.col("id").cast("string"), 256).alias("sha256"))
    rows.write.parquet(str(tmp_path / "known"))
    rows.limit(2000).write.parquet(str(tmp_path / "now"))
    found = []
    known, now = (spark.read.parquet(str(tmp_path / name)) for name in ("known", "now"))
    assert jobs(spark, lambda: found.append(audit(known, now))) == 0
    verdicts = found[0]
    verdicts.write.parquet(str(tmp_path / "verdicts"))
    assert len(list((tmp_path / "verdicts").glob("*.parquet"))) == partitions.wanted(known, now) == 1
    assert {row[0]: row[1] for row in verdicts.groupBy("category").count().collect()} == {"matched": 2000, "missing": 1000}
    del verdicts, found
    assert persisted(spark, before) == set()


def test_partitions_follow_from_the_rows(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = spark.range(100_000).select(F.col("id").cast("string").alias("path"))
    known = spark.createDataFrame(rows.toArrow())
    assert partitions.wanted(known) in (1, 2)
    monkeypatch.setattr(partitions, "BYTES", 1 << 18)
    assert 5 <= partitions.wanted(known, known) < 60
