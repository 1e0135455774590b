#!/usr/bin/env python3
"""Measures the parameters of docs/scale.md that one machine can show: medians of several turns, in one run.

    PYTHONPATH=crates/python/python benches/spark/measure.py [--turns N] [--gateway PROGRAM] [NAME ...]

NAME is one of tasks, fold, requests, plan, audit; all without one. For requests a store (versitygw) is filled with small objects.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hashmill.spark import audits, buckets, core, plan, shapes, stored

KEY, SECRET = "testkey", "wJalrXUtnFEMIsecret"
LARGE = 256 << 20


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
    settings = {
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.local.dir": tempfile.mkdtemp(),
        "spark.sql.shuffle.partitions": "8",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def use_up(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def tasks(options: argparse.Namespace) -> None:
    """What a task costs that does nothing: in the scheduler alone, and with a worker of Python and Arrow."""
    spark = session("1g")

    def alone(many: int) -> DataFrame:
        return spark.range(0, many, 1, many)

    def python(many: int) -> DataFrame:
        return alone(many).mapInArrow(lambda batches: batches, "id long")

    for name, rows in (("the scheduler alone", alone), ("with Python and Arrow", python)):
        few, many = (median(options.turns, lambda many=many: use_up(rows(many))) for many in (100, 500))
        tell(f"a task, {name}", (many - few) / 400 * 1000, "ms", "two slots; 500 tasks less 100")


def fold(options: argparse.Namespace) -> None:
    """What is left to do for each range when all were hashed."""
    algorithms, unit, size = ("blake3", "crc32"), 16 << 20, 1 << 30
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(size)
        row = {"location": os.fsencode(file.name), "size": size, "length": unit}
        rows = [{**row, "offset": offset} for offset in range(0, size, unit)]
        batch = pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)
        (ranges,) = core.hash_batches([batch], core.Reading(algorithms))
    row = {"size": 1, "status": "hashed", "digests": ["00" * 32]}
    rows = [{**row, "location": b"%d" % number, "path": b"%d" % number} for number in range(20_000)]
    whole = pa.RecordBatch.from_pylist(rows, schema=shapes.OUTCOME)
    for name, outcomes, names in (("a range, two digests", ranges, algorithms), ("a whole object", whole, ["blake3"])):
        spent = median(options.turns, lambda: list(core.record_batches([outcomes], shapes.Results(tuple(names)))))
        tell(f"the record of {name}", spent / len(outcomes) * 1e6, "us", f"{len(outcomes):,} of them")


@contextmanager
def store(program: str, objects: int) -> Iterator[str]:
    """A store with small objects and a large one; its address."""
    place = Path(tempfile.mkdtemp())
    folder = place / "store" / "bucket" / "small"
    folder.mkdir(parents=True)
    for number in range(objects):
        (folder / f"{number:06}").write_bytes(b"%06d" % number * 300)
    with open(folder.parent / "large", "wb") as large:
        large.truncate(LARGE)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [program, "--access", KEY, "--secret", SECRET, "--quiet", "--port", f"127.0.0.1:{port}", "posix", str(place / "store")]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(place)


def requests(options: argparse.Namespace) -> None:
    """One request after another, and as many as a task has under way; small objects, and a large one."""
    os.environ.update(AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1")
    with store(options.gateway, options.objects) as endpoint:
        stored.Access(endpoint).use()
        top = pa.RecordBatch.from_arrays([pa.array([b"s3://bucket/small/"])], ["location"])
        rows = [row for batch in buckets.walk([top], b"s3://bucket/small/") for row in batch.to_pylist()]
        spent = median(options.turns, lambda: list(buckets.walk([top], b"s3://bucket/small/")))
        tell("a key of a listing", spent / len(rows) * 1e6, "us", f"{len(rows):,} keys, one listing")
        for at_a_time, some in ((1, rows[:1000]), (64, rows)):
            batch = pa.RecordBatch.from_pylist(some, schema=shapes.OBJECT)
            reading = core.Reading(("md5",), memory="256M", access=stored.Access(endpoint, requests=at_a_time))
            spent = median(options.turns, lambda: list(core.hash_batches([batch], reading)))
            tell(f"a small object, {at_a_time} at a time", spent / len(some) * 1e3, "ms", f"{len(some):,} of 1,800 bytes")
        large: core.Row = dict.fromkeys(shapes.OBJECT.names)
        large["location"] = b"s3://bucket/large"
        stored.look_up([large], stored.Access(endpoint))
        batch = pa.RecordBatch.from_pylist([large], schema=shapes.OBJECT)
        for name in ("blake3", "md5"):
            reading = core.Reading((name,), memory="256M", access=stored.Access(endpoint))
            spent = median(options.turns, lambda: list(core.hash_batches([batch], reading)))
            tell(f"one large object, {name}", LARGE / spent / 1e6, "MB/s", "one thread hashes; the store runs beside it")


def plan_(options: argparse.Namespace) -> None:
    """Rows packed into tasks."""
    spark = session("2g")
    location = F.concat(F.lit("s3://bucket/"), F.hex(F.xxhash64("id"))).cast("binary")
    size = F.floor(F.exp(F.randn(22) * 2 + 11)).cast("long")
    rows = spark.range(0, options.rows, 1, 16).select(location.alias("location"), size.alias("size"))
    for field in shapes.OBJECT:
        if field.name not in rows.columns:
            rows = rows.withColumn(field.name, F.lit(None).cast("long" if pa.types.is_integer(field.type) else "string"))
    rows = rows.select(*shapes.OBJECT.names).persist()
    start = time.perf_counter()
    rows.count()
    made = time.perf_counter()
    packed = plan.pack(rows, plan.STORE, wave=1000)
    summed = time.perf_counter()
    use_up(packed.rows)
    how = f"{packed.tasks:,} tasks; sums {summed - made:.1f} s of it; making the rows took {made - start:.1f} s"
    tell(f"the plan of {packed.count:,} rows", time.perf_counter() - made, "s", how)


def audit(options: argparse.Namespace) -> None:
    """A join of two manifests beside DuckDB's."""
    import duckdb

    base = duckdb.connect()
    record = (
        "select 'd' || i % 1000 || '/f' || i as path, null::varchar as path_b64, i % 100000 as size, 'hashed' as status, "
        f"md5(({{}})::varchar) as md5 from range({options.manifest}) t(i)"
    )
    with tempfile.TemporaryDirectory() as place:
        base.sql(f"copy ({record.format('i')}) to '{place}/was.parquet'")
        # One in fifty has other bytes.
        base.sql(f"copy ({record.format('case when i % 50 = 0 then -i else i end')}) to '{place}/now.parquet'")
        join = (
            "select case when was.md5 = now.md5 then 'matched' else 'changed' end, count(*) "
            f"from '{place}/was.parquet' was join '{place}/now.parquet' now using (path) group by 1"
        )
        theirs = median(options.turns, lambda: base.sql(join).fetchall())
        spark = session("2g")
        was, now = (spark.read.parquet(f"{place}/{name}.parquet") for name in ("was", "now"))
        found: list[dict[str, int]] = []
        ours = median(options.turns, lambda: found.append(audits.counts(audits.audit(was, now))))
        assert dict(base.sql(join).fetchall()) == {name: found[-1][name] for name in ("matched", "changed")}
    tell(f"an audit of {options.manifest:,} records", ours, "s", f"DuckDB's plain join by path takes {theirs:.2f} s")


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
