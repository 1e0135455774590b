"""A run: hashes objects into a lake, wave by wave, and continues where an earlier one stopped."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext, inheritable_thread_target
from pyspark.accumulators import AccumulatorParam
from pyspark.sql import functions as F

from . import core, engine, plan, ranges, shapes
from .batches import map_batches
from .contents import Contents
from .hadoop import settings_of
from .lake import Lake
from .listing import Where
from .objects import cut, objects_of, session_of, to_records
from .requests import KINDS, NAMES, Counter, Prices, since
from .s3a import with_settings
from .stored import Access

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import Column, DataFrame, SparkSession

AT_ONCE = 8
"""The number of concurrent waves: while the slow tasks of one run, the cores that are free take tasks of the next. With two, a cluster
stands still for almost half of the time (docs/scale.md)."""

WAVE = 1000
"""The least number of tasks of a wave; at least as many as there are cores. An interrupted wave is done again, so it's not long; each is a
commit of the lake, so it's not too short."""


CAUSES = 10
"""The most causes of failures that a summary names."""


@dataclass
class Summary:
    """The summary of a run. ``requests`` are opens of files and requests to stores, of which ``kinds`` has the number by kind,
    including retries; ``repeated`` are the retries, ``received`` bytes of answers; ``retries`` tasks that Spark started again;
    ``stragglers`` tasks that took more than twice the median and more than a second; ``errors`` the most frequent causes for which
    objects were not hashed, and how many have each; ``matching`` objects that rules match, ``unscanned`` those not wholly looked at by
    rules."""

    run: str
    algorithms: list[str]
    statuses: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    bytes: int = 0
    requests: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    repeated: int = 0
    received: int = 0
    tasks: int = 0
    waves: int = 0
    retries: int = 0
    stragglers: int = 0
    slowest: float = 0.0
    median: float = 0.0
    done_before: int = 0
    alarms: int = 0
    matching: int = 0
    unscanned: int = 0
    price: float | None = None
    currency: str = ""

    def lines(self) -> list[str]:
        """Returns the summary for people, one fact per line."""
        found = [f"{status}: {count:,}" for status, count in sorted(self.statuses.items())]
        found += [f"{count:,} not hashed: {error}" for error, count in self.errors.items()]
        scans = {"matched by rules": self.matching, "not wholly looked at by rules": self.unscanned}
        found += [f"{what}: {count:,}" for what, count in scans.items() if count]
        if self.done_before:
            found.append(f"done before: {self.done_before:,} rows")
        found += [
            f"bytes: {self.bytes:,}",
            f"requests: {self.requests:,}{self._kinds()}{self._price()}",
            f"tasks: {self.tasks:,} in {self.waves:,} waves, {self.retries:,} started again",
            f"stragglers: {self.stragglers:,} (median {self.median:.1f} s, slowest {self.slowest:.1f} s)",
        ]
        if self.alarms:
            found.append(f"ALARM: {self.alarms:,} ranges have two digests: memory or storage of a worker is bad")
        return found

    def _kinds(self) -> str:
        if not self.kinds:
            return ""
        said = [f"{count:,} {kind}" for kind, count in self.kinds.items()]
        return f" ({', '.join(said)}; {self.repeated:,} of them repeated)"

    def _price(self) -> str:
        return "" if self.price is None else f", about {self.price:,.4f} {self.currency or 'in the currency of --price'}"


Say = Callable[[str], None]


def run_into(
    lake: Lake,
    source: DataFrame | Where | Sequence[Where],
    algorithms: Sequence[str] | str,
    *,
    cost: plan.Cost | None = None,
    range_size: int = ranges.USUAL,
    threads: int = 1,
    memory: str = "64M",
    wave: int | None = None,
    name: str | None = None,
    prices: Prices | None = None,
    access: Access | None = None,
    contents: Contents | None = None,
    say: Say | None = None,
    spark: SparkSession | None = None,
) -> Summary:
    """Hashes into a lake. A run with the same name, by default of the same algorithms and ranges, continues where it stopped.

    Args:
        lake: the lake; see :class:`Lake`.
        source: as for ``hash_objects``; the lake has no other columns of its rows: join them by ``path``.
        wave: the number of tasks that are committed together; by default 1,000, or as many as there are cores.
        name: of the run. A new name reads everything again: so a second run over the same bytes finds bit rot.
        prices: of requests to stores, for the estimate.
        access: how stores are reached.
        contents: what is looked for beside digests (:class:`Contents`). Other rules and signatures make another run.
        say: receives lines of progress.

    Returns:
        The summary. The result is the table ``records`` of the lake; ranges with two digests are in ``alarms_of``.
    """
    say = say or (lambda line: None)
    spark = session_of(source, spark)
    algorithms = core.names_of(algorithms)
    way, of_hadoop = with_settings(access, spark), settings_of(spark)
    reading = core.Reading(algorithms, threads, memory, way, of_hadoop, contents or Contents())
    run = name or settings(reading, range_size)
    before = engine.counts()
    tally = spark.sparkContext.accumulator(Tally(), _Adding())
    objects = objects_of(source, spark, reading.access, Counter(lambda counts: tally.add(Tally(counts))))
    lake.begin(spark)
    lake.replace("objects", cut(objects, reading, range_size))
    objects = lake.read("objects", spark)
    attempt, done = _before(lake, run, spark)
    left = objects if done is None else objects.join(done, same(objects, done), "left_anti")
    usual = max(WAVE, spark.sparkContext.defaultParallelism)
    packed = plan.pack(left, cost, wave=wave or usual)
    lake.replace("plan", packed.rows, by=["wave"])
    say(f"{packed.count:,} rows, {packed.bytes:,} bytes in {packed.tasks:,} tasks, {packed.waves:,} waves")
    _run_waves(lake, packed, reading, run, attempt, tally, say, spark)
    records = records_of(lake, run, reading.results, spark)
    lake.merge(records, has_twins=_has_twins(lake, spark))
    asked = Tally(since(before))  # by the driver
    asked = _Adding().addInPlace(asked, tally.value)
    return _summary(lake, run, list(algorithms), packed, asked, prices, spark)


def settings(reading: core.Reading, range_size: int) -> str:
    """Returns the name of a run by its parameters: the same for the same, on any machine and any day."""
    of_digests = [list(reading.algorithms), ranges.length(reading.algorithms, range_size)]
    text = json.dumps([*of_digests, reading.contents.identity()] if reading.contents else of_digests)
    return "r" + hashlib.sha256(text.encode()).hexdigest()[:15]


def same(a: DataFrame, b: DataFrame) -> list[Column]:
    """Returns the condition that rows of two tables are of one range of one state of one object."""
    return [a[name].eqNullSafe(b[name]) for name in shapes.RANGE]


def _before(lake: Lake, run: str, spark: SparkSession) -> tuple[int, DataFrame | None]:
    """Returns the number of this attempt, and the outcomes of earlier ones. Failures are not done."""
    if not lake.has("log", spark):
        return 1, None
    log = lake.read("log", spark).where(F.col("run") == run)
    last = log.agg(F.max("attempt")).first()
    if last is None or last[0] is None:
        return 1, None
    good = log.where(F.col("status").isin("hashed", "skipped"))
    # A range with two digests is read a third time: it is an alarm, not a result.
    agreed = good.groupBy(*shapes.RANGE).agg(_distinct().alias("_different")).where(F.col("_different") == 1)
    return int(last[0]) + 1, agreed.drop("_different")


def _distinct() -> Column:
    return F.count_distinct(F.xxhash64(F.to_json(F.struct("digests", F.transform("parts", F.hex).alias("parts")))))


def records_of(lake: Lake, run: str, results: shapes.Results, spark: SparkSession) -> DataFrame:
    """Returns the records of the objects that are listed now, by the outcomes in the log."""
    objects = lake.read("objects", spark)
    log = lake.read("log", spark).where(F.col("run") == run)
    # Each row of the list has a record, with the path of the list: the log may have one from before it was renamed there. All
    # outcomes of its bytes are attempts at it; rows without a location are identified by their paths alone.
    listed = objects.groupBy(*shapes.RANGE, "path").agg(F.count("*").alias("_rows"))
    listed = listed.select(*shapes.RANGE, F.col("path").alias("_path"), F.explode(F.sequence(F.lit(1), F.col("_rows"))).alias("_row"))
    is_of_path = log["location"].isNotNull() | log["path"].eqNullSafe(listed["_path"])
    current = log.join(listed, [*same(log, listed), is_of_path], "inner").select(
        *[(listed["_path"] if name == "path" else log[name]).alias(name) for name in log.columns], listed["_row"]
    )
    return to_records(current, results)


def _has_twins(lake: Lake, spark: SparkSession) -> bool:
    """Returns whether two objects that are listed now have one path and version."""
    first = lake.read("objects", spark).where(F.coalesce("offset", F.lit(0)) == 0)
    return not first.groupBy("path", "version").count().where(F.col("count") > 1).isEmpty()


def alarms_of(lake: Lake, spark: SparkSession | None = None) -> DataFrame:
    """Returns ranges of which the log has two digests by one algorithm, in any run.

    The bytes were the same by everything that the store says (version, entity tag, size, time): so the memory of a worker, the
    connection or the storage is faulty.
    """
    log = lake.read("log", spark).where(F.col("status") == "hashed")
    texts = F.coalesce("digests", F.transform("parts", F.hex))
    each = log.select(*shapes.RANGE, "run", "attempt", F.explode(F.arrays_zip("algorithms", texts.alias("texts"))).alias("one"))
    flat = each.select(*shapes.RANGE, "run", "attempt", F.col("one.algorithms").alias("algorithm"), F.col("one.texts").alias("text"))
    digests = F.sort_array(F.collect_set(F.struct("text", "run", "attempt"))).alias("attempts")
    grouped = flat.groupBy(*shapes.RANGE, "algorithm").agg(F.count_distinct("text").alias("different"), digests)
    return grouped.where(F.col("different") > 1).drop("different")


class Tally(dict[str, Any]):
    """The reports of tasks: sums, and the seconds of each."""

    def __init__(self, counts: dict[str, int] | None = None) -> None:
        super().__init__(dict.fromkeys(NAMES, 0), opened=0, bytes=0, retries=0, seconds=[])
        self.update(counts or {})


class _Adding(AccumulatorParam[Tally]):
    def zero(self, value: Tally) -> Tally:
        return Tally()

    def addInPlace(self, value1: Tally, value2: Tally) -> Tally:
        for name, amount in value2.items():
            value1[name] += amount
        return value1


def _run_waves(
    lake: Lake,
    packed: plan.Packed,
    reading: core.Reading,
    run: str,
    attempt: int,
    tally: Accumulator[Tally],
    say: Say,
    spark: SparkSession,
) -> None:
    if packed.count == 0:
        return
    planned = lake.read("plan", spark)
    names = F.array(*[F.lit(name) for name in reading.algorithms])

    def one(wave: int) -> int:
        spark.sparkContext.setJobDescription(f"hashmill: wave {wave + 1} of {packed.waves}")
        rows = planned.where(F.col("wave") == wave)
        outcomes = _hash_counted(rows, packed.width, reading, tally)
        lake.append(outcomes.withColumn("algorithms", names), run, attempt, wave)
        return wave

    with ThreadPoolExecutor(AT_ONCE) as threads:
        started = [threads.submit(inheritable_thread_target(spark)(one), wave) for wave in range(packed.waves)]
        for number, finished in enumerate(started, 1):
            finished.result()
            say(f"wave {number:,} of {packed.waves:,} is in the log ({min(number * packed.width, packed.tasks):,} tasks)")


def _hash_counted(rows: DataFrame, width: int, reading: core.Reading, tally: Accumulator[Tally]) -> DataFrame:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        began, before = time.monotonic(), engine.counts()
        found = Tally()
        for batch in core.hash_batches(batches, reading):
            found["opened"] += core.count_opened(batch)
            found["bytes"] += core.count_bytes(batch)
            yield batch
        found.update(since(before))
        context = TaskContext.get()
        found["retries"] = int(context is not None and context.attemptNumber() > 0)
        found["seconds"] = [time.monotonic() - began]
        tally.add(found)

    placed = rows.repartition(width, "slot").select(*plan.OBJECT_COLUMNS)
    return map_batches(placed, run, shapes.OUTCOME)


def _scanned(records: DataFrame) -> tuple[int, int]:
    """Counts the records that rules match, and those whose content was not wholly looked at by rules."""
    if "yara_status" not in records.columns:
        return 0, 0
    found = records.agg(F.count("yara"), F.count_if(F.col("yara_status") != "scanned")).first()
    assert found is not None
    return int(found[0]), int(found[1])


def _summary(
    lake: Lake, run: str, algorithms: list[str], packed: plan.Packed, tally: Tally, prices: Prices | None, spark: SparkSession
) -> Summary:
    records = lake.read("records", spark)
    statuses = records.groupBy("status").count().collect()
    errors = records.where(F.col("error").isNotNull()).groupBy("error").count()
    kinds = {kind: tally[kind] for kind in KINDS if tally[kind]}
    seconds = sorted(tally["seconds"]) or [0.0]
    median = seconds[len(seconds) // 2]
    matching, unscanned = _scanned(records)
    return Summary(
        run=run,
        algorithms=algorithms,
        statuses={row[0]: row[1] for row in statuses},
        errors={row[0]: row[1] for row in errors.orderBy(F.desc("count"), "error").limit(CAUSES).collect()},
        bytes=tally["bytes"],
        requests=tally["opened"] + sum(kinds.values()),
        kinds=kinds,
        repeated=tally["repeated"],
        received=tally["received"],
        tasks=packed.tasks,
        waves=packed.waves,
        retries=tally["retries"],
        stragglers=sum(1 for one in seconds if one > max(1.0, 2 * median)),
        slowest=seconds[-1],
        median=median,
        done_before=lake.read("objects", spark).count() - packed.count,
        alarms=alarms_of(lake, spark).count(),
        matching=matching,
        unscanned=unscanned,
        price=None if prices is None else prices.estimate(tally),
        currency="" if prices is None else prices.currency,
    )
