#!/usr/bin/env python3
"""Measures the parameters of docs/scale.md that one machine can show: medians of several turns, in one run.

    PYTHONPATH=crates/python/python benches/spark/measure.py [--turns N] [--gateway PROGRAM] [NAME ...]

NAME is one of tasks, fold, requests, plan, audit; all without one. A store (versitygw, --gateway) is filled with --objects small ones.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from hashloom.spark import audits, core, engine, plan, shapes
from hashloom.spark.stored import Access

KEY, SECRET = "testkey", "wJalrXUtnFEMIsecret"


def median(turns: int, work: Callable[[], object]) -> float:
    """The seconds of some work: the median of turns, after one that does not count."""
    spent = []
    for turn in range(turns + 1):
        start = time.perf_counter()
        work()
        if turn:
            spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def tell(name: str, value: float, unit: str, how: str) -> None:
    print(f"{name}: {value:,.3f} {unit} ({how})", flush=True)


def session(memory: str) -> SparkSession:
    place = tempfile.mkdtemp()
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", memory).config("spark.ui.enabled", "false")
    builder = builder.config("spark.local.dir", place).config("spark.sql.shuffle.partitions", "8")
    spark = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def tasks(options: argparse.Namespace) -> None:
    """What a task costs that does nothing: in the scheduler alone, and with a worker of Python and Arrow."""
    spark = session("1g")

    def empty(many: int) -> Callable[[], object]:
        # Without Python: the scheduler alone.
        return lambda: spark.range(0, many, 1, many).write.format("noop").mode("overwrite").save()

    def python(many: int) -> Callable[[], object]:
        rows = spark.range(0, many, 1, many).mapInArrow(lambda batches: batches, "id long")
        return lambda: rows.write.format("noop").mode("overwrite").save()

    for name, work in (("scheduler", empty), ("with Python", python)):
        few, many = median(options.turns, work(200)), median(options.turns, work(1000))
        tell(f"task, {name}", (many - few) / 800 * 1000, "ms", "two slots; 1,000 tasks less 200")


def fold(options: argparse.Namespace) -> None:
    """What is left to do for each range when all were hashed."""
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(1 << 30)
        unit = 16 << 20
        row = {"location": os.fsencode(file.name), "path": b"x", "size": 1 << 30, "length": unit}
        rows = [{**row, "offset": at} for at in range(0, 1 << 30, unit)]
        import pyarrow as pa

        batch = pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)
        (found,) = core.hash_batches([batch], core.Reading(("blake3", "crc32")))
    spent = median(options.turns, lambda: list(core.record_batches([found], ["blake3", "crc32"])))
    tell("fold of a range, two digests", spent / len(rows) * 1e6, "us", f"{len(rows)} ranges of one object")
    whole = pa.RecordBatch.from_pylist(
        [{"location": b"%d" % at, "path": b"%d" % at, "size": 1, "status": "hashed", "digests": ["00" * 32]} for at in range(20_000)],
        schema=shapes.OUTCOME,
    )
    spent = median(options.turns, lambda: list(core.record_batches([whole], ["blake3"])))
    tell("record of a whole object", spent / len(whole) * 1e6, "us", f"{len(whole):,} objects")


def requests(options: argparse.Namespace) -> None:
    """One request after another, and as many as a task has under way; small objects and one large."""
    place = Path(tempfile.mkdtemp())
    folder = place / "store" / "bucket"
    (folder / "s").mkdir(parents=True)
    for number in range(options.objects):
        (folder / "s" / f"{number:06}").write_bytes(b"%06d" % number * 300)
    with open(folder / "large", "wb") as large:
        large.truncate(512 << 20)
    words = [options.gateway, "--access", KEY, "--secret", SECRET, "--quiet", "--port", "127.0.0.1:7480", "posix", str(place / "store")]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    try:
        os.environ.update(AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET)
        import pyarrow as pa

        def rows(one: int) -> list[core.Row]:
            access = Access("http://127.0.0.1:7480", requests=one)
            access.use("256M")
            found = [dict(zip(("location", "path", "status", "reason", "size", "modified", "etag", "version"), row)) for batch in engine.Listed(b"s3://bucket/s/", b"s3://bucket/s/") for row in batch]
            return found

        for one in (1, 64):
            listed = pa.RecordBatch.from_pylist(rows(one)[: options.objects if one > 1 else 1000], schema=shapes.OBJECT)
            reading = core.Reading(("md5",), memory="256M", access=Access("http://127.0.0.1:7480", requests=one))
            spent = median(options.turns, lambda: list(core.hash_batches([listed], reading)))
            tell(f"small object, {one} request(s) at a time", spent / len(listed) * 1e3, "ms", f"{len(listed):,} objects of 1,800 bytes")
        size = 512 << 20
        looked = engine.look_up([(b"s3://bucket/large", None, None, None, None)])[0]
        row = {"location": b"s3://bucket/large", "size": size, "modified": looked[3], "etag": looked[4]}
        for name in ("blake3", "md5"):
            batch = pa.RecordBatch.from_pylist([row], schema=shapes.OBJECT)
            reading = core.Reading((name,), memory="256M", access=Access("http://127.0.0.1:7480"))
            spent = median(options.turns, lambda: list(core.hash_batches([batch], reading)))
            tell(f"one large object, {name}", size / spent / 1e6, "MB/s", "one thread hashes; the store runs beside it")
    finally:
        server.kill()
        shutil.rmtree(place)


def plan_(options: argparse.Namespace) -> None:
    """Rows packed into tasks."""
    spark = session("2g")
    size = F.floor(F.exp(F.randn(22) * 2 + 11)).cast("long")
    rows = spark.range(0, options.rows, 1, 16).select(F.concat(F.lit("s3://bucket/"), F.hex(F.xxhash64("id"))).cast("binary").alias("location"), size.alias("size"))
    for name in shapes.OBJECT.names:
        if name not in rows.columns:
            rows = rows.withColumn(name, F.lit(None).cast("long" if name in ("modified", "offset", "length") else "string"))
    rows = rows.select(*shapes.OBJECT.names).persist()
    start = time.perf_counter()
    rows.count()
    listed = time.perf_counter() - start
    start = time.perf_counter()
    packed = plan.pack(rows, plan.STORE, wave=1000)
    driver = time.perf_counter() - start
    packed.rows.write.format("noop").mode("overwrite").save()
    tell(f"plan of {packed.count:,} rows in {packed.tasks:,} tasks", time.perf_counter() - start, "s", f"of it the driver's sums {driver:.1f} s; making the rows took {listed:.1f} s")


def audit(options: argparse.Namespace) -> None:
    """A join of two manifests beside DuckDB's."""
    import duckdb

    number = options.manifest
    with tempfile.TemporaryDirectory() as place:
        sql = f"select 'd' || i % 1000 || '/f' || i as path, null::varchar as path_b64, i % 100000 as size, 'hashed' as status, md5({{}}) as md5 from range({number}) t(i)"
        base = duckdb.connect()
        base.sql(f"copy ({sql.format('i::varchar')}) to '{place}/a.parquet'")
        # One in fifty has other bytes.
        base.sql(f"copy ({sql.format('(case when i % 50 = 0 then -i else i end)::varchar')}) to '{place}/b.parquet'")
        spark = session("2g")
        a, b = spark.read.parquet(f"{place}/a.parquet"), spark.read.parquet(f"{place}/b.parquet")
        ours = median(options.turns, lambda: audits.counts(audits.audit(a, b)))
        counted = audits.counts(audits.audit(a, b))
        join = f"select case when a.md5 = b.md5 then 'matched' else 'changed' end, count(*) from '{place}/a.parquet' a join '{place}/b.parquet' b using (path) group by 1"
        theirs = median(options.turns, lambda: base.sql(join).fetchall())
        assert dict(base.sql(join).fetchall()) == {name: counted[name] for name in ("matched", "changed")}
        tell(f"audit of {number:,} by {number:,} records", ours, "s", f"DuckDB's plain join by path {theirs:.2f} s")


ALL = {"tasks": tasks, "fold": fold, "requests": requests, "plan": plan_, "audit": audit}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--objects", type=int, default=5000, help="small objects in the store [5000]")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows to plan [10,000,000]")
    parser.add_argument("--manifest", type=int, default=1_000_000, help="records of each manifest [1,000,000]")
    parser.add_argument("--gateway", default="target/stores/bin/versitygw", help="the program of the store")
    options = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    for name in options.names or ALL:
        ALL[name](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
