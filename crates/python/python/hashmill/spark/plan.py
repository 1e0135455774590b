"""The plan: it assigns rows to tasks.

Large objects are cut into ranges. Rows are packed into tasks by estimated seconds. The task of a row depends on a hash of its
location, so that neighbours in a bucket, which lie on one partition of the store, are read by different tasks. Rows that
alone take longer than a task should are tasks of their own. Tasks are numbered from the longest, and Spark starts them so.

The driver only holds those rows: at most one a task, and the sums of up to 16 buckets a task; for up to four million rows also
two numbers each. It makes a plan of few rows by itself, as processing them with Spark takes longer than hashing a gigabyte.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from . import ranges, schemes, shapes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame, SparkSession

BUCKETS = 16
"""The number of buckets of rows for each task: with more, tasks are more equal, and the driver has more work."""

MOST_TASKS = 300_000
"""The most tasks. A scheduler starts some thousands of tasks a second; more of them than this cost more than they gain (docs/scale.md)."""

AT_A_TIME = 3
"""The least number of tasks for each core, so that a slow one does not delay the job."""

SHORT = 1_000_000
"""The least microseconds of a task, for which there may be fewer tasks: Spark and Python take some tenths of a second for each (docs/spark.md)."""

HELD = 4_000_000
"""The most rows of which the driver holds a hash and a cost, 64 MB: summing them up takes less time than starting tasks for it."""

FEW = 50_000
"""The most rows that the driver plans by itself: some 10 MB, and a tenth of a second."""


@dataclass(frozen=True)
class Cost:
    """The cost of reading for a task, in seconds.

    ``rate``: the bytes that a task reads and hashes in a second. ``request``: the additional seconds of each open or request.
    ``task``: the seconds that a task should take.
    """

    rate: float = 100e6
    request: float = 0.03
    task: float = 60.0

    def __post_init__(self) -> None:
        for name in ("rate", "request", "task"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} of a cost is a number above 0, not {value!r}")

    def microseconds(self, length: Column) -> Column:
        """Returns the microseconds of a row with this many bytes: whole numbers, whose sum is the same in any order."""
        seconds = F.lit(self.request) + F.coalesce(length, F.lit(0)) / F.lit(self.rate)
        return F.ceil(seconds * 1e6).cast("long")


LOCAL = Cost(rate=500e6, request=0.0001)
"""The cost of files on local disks: measured on one core with warm files, in orders of magnitude."""

STORE = Cost(rate=100e6, request=0.002)
"""The cost of objects of stores: an answer comes after some 30 ms, and a task has many requests under way at once."""


def _microseconds(cost: Cost | None) -> Column:
    """Returns the cost of a row: without a ``cost`` it depends on where the bytes are."""
    length = F.coalesce("length", "size")
    if cost is not None:
        return cost.microseconds(length)
    return F.when(is_elsewhere(), STORE.microseconds(length)).otherwise(LOCAL.microseconds(length))


def is_elsewhere() -> Column:
    """Returns whether a row's location may be something else than a file of this machine; null without a location."""
    location = F.col("location").cast("string")
    return F.contains(location, F.lit("://")) | F.startswith(location, F.lit("dbfs:/"))


@dataclass(frozen=True)
class Packed:
    """Rows with the columns of objects and ``wave`` and ``slot``.

    A wave has ``width`` tasks. Repartitioned into ``width`` partitions by ``slot``, each partition of a wave is one task.
    ``alone``: each row is known to be an object of its own, so its outcome is a record, and nothing must be folded. ``has_rows``:
    ``rows`` are the driver's, and don't depend on those that were packed.
    """

    rows: DataFrame
    tasks: int
    waves: int
    width: int
    seconds: float
    bytes: int
    count: int
    alone: bool = False
    has_rows: bool = False


def cut(objects: DataFrame, algorithms: Sequence[str], size: int) -> DataFrame:
    """Cuts large objects into ranges of ``size`` bytes, if every algorithm can be folded; all others stay whole."""
    length = ranges.length(algorithms, size)
    if length is None:
        return objects
    # Hadoop reads a file in one stream.
    in_hadoop = F.coalesce(F.col("location").cast("string").rlike(schemes.HADOOP_PATTERN), F.lit(False))
    large = (F.col("size") > length) & F.col("status").isNull() & F.col("offset").isNull() & ~in_hadoop
    offsets = F.when(large, F.sequence(F.lit(0), F.col("size") - 1, F.lit(length)))
    cut = objects.withColumn("_offset", F.explode_outer(offsets))
    return cut.withColumns(
        {
            "offset": F.coalesce(F.col("offset"), F.col("_offset")),
            "length": F.when(F.col("_offset").isNull(), F.col("length")).otherwise(
                F.least(F.lit(length), F.col("size") - F.col("_offset"))
            ),
        }
    ).drop("_offset")


def pack(rows: DataFrame, cost: Cost | None, *, tasks: int | None = None, wave: int | None = None, few: int | None = None) -> Packed:
    """Packs rows into tasks, and tasks into waves of ``wave`` tasks (all in one without it).

    Args:
        rows: as :func:`cut` returns them. They are read up to four times, and must be the same each time: persist them,
            or keep them in a table.
        cost: the cost of reading; by default :data:`LOCAL` and :data:`STORE`.
        tasks: the number of tasks; by default it follows from ``cost``, with one to three for each core at least.
        few: the most rows that the driver plans by itself, by default :data:`FEW`.
    """
    rows = rows.withColumn("_cost", _microseconds(cost))
    total = rows.agg(F.count("*"), F.sum("_cost"), F.sum(F.coalesce(F.col("length"), F.col("size")))).first()
    assert total is not None
    count, work, size = (int(number or 0) for number in total)
    if count == 0:
        nothing = {"wave": F.lit(0), "slot": F.lit(0)}
        return Packed(rows.drop("_cost").withColumns(nothing), 0, 0, 1, 0.0, 0, 0)
    spark = rows.sparkSession
    wanted = _wanted(count, work, cost, tasks, spark.sparkContext.defaultParallelism)
    if count <= (FEW if few is None else few):
        return _pack_few(rows.toArrow(), spark, wanted, wave)
    return _pack_many(rows, (count, work, size), wanted, wave)


def _wanted(count: int, work: int, cost: Cost | None, tasks: int | None, cores: int) -> int:
    """Returns how many tasks there should be for this many rows and microseconds."""
    if tasks is None:
        for_each_core = min(AT_A_TIME, max(1, work // (SHORT * cores)))
        tasks = max(math.ceil(work / 1e6 / (cost or STORE).task), for_each_core * cores)
    return max(1, min(tasks, MOST_TASKS, count))


def _pack_few(few: pa.Table, spark: SparkSession, wanted: int, wave: int | None) -> Packed:
    """Packs the rows of a table: each is placed separately, the longest first."""
    few = few.sort_by([("_cost", "descending"), *((name, "ascending") for name in _ROW)])
    costs = few.column("_cost").to_numpy()
    places = assign(np.empty(0, dtype=np.int64), costs, wanted)
    many = int(places.max()) + 1
    width = min(many, wave or many)
    rows = _placed(few.drop_columns("_cost"), places // width, slots(width)[places % width])
    lengths = pc.coalesce(few.column("length"), few.column("size"))
    objects = few.group_by(["location", "version"]).aggregate([]).num_rows
    return Packed(
        rows=spark.createDataFrame(rows),
        tasks=many,
        waves=math.ceil(many / width),
        width=width,
        seconds=int(costs.sum()) / 1e6,
        bytes=pc.sum(lengths).as_py() or 0,
        count=len(few),
        has_rows=True,
        alone=objects == len(few) and few.column("offset").null_count == len(few),
    )


def _pack_many(rows: DataFrame, total: tuple[int, int, int], wanted: int, wave: int | None) -> Packed:
    """Packs any number of rows: those that are tasks of their own one by one, the others by buckets."""
    count, work, size = total
    task = -(-work // wanted)
    held = _Held.collect(rows) if count <= HELD else None
    giants = _giants(rows if held is None or held.has_longer(task) else rows.limit(0), task)
    left = max(1, wanted - len(giants))
    many = left * BUCKETS
    buckets = _buckets(rows, task, many) if held is None else held.buckets(task, many)
    places = assign(giants.column("cost").to_numpy(), buckets.column("cost").to_numpy(), left)
    used = int(places.max(initial=0)) + 1
    width = min(used, wave or used)
    keys = slots(width)
    waves, slot = places // width, keys[places % width]
    giants = _placed(giants.drop_columns("cost"), waves[: len(giants)], slot[: len(giants)])
    buckets = _placed(buckets.drop_columns("cost"), waves[len(giants) :], slot[len(giants) :])
    packed = _join(rows, task, many, int(keys[0]), giants, buckets).drop("_cost")
    return Packed(packed, used, math.ceil(used / width), width, work / 1e6, size, count)


@dataclass(frozen=True)
class _Held:
    """Returns a hash and the microseconds of each row, from which the driver sums up buckets by itself."""

    keys: NDArray[np.int64]
    costs: NDArray[np.int64]

    @staticmethod
    def collect(rows: DataFrame) -> _Held:
        table = rows.select(_key().alias("key"), "_cost").toArrow()
        return _Held(table.column("key").to_numpy(), table.column("_cost").to_numpy())

    def has_longer(self, task: int) -> bool:
        return bool((self.costs > task).any())

    def buckets(self, task: int, many: int) -> pa.Table:
        """Computes the same as :func:`_buckets`."""
        small = self.costs <= task
        places = self.keys[small] % many
        sums = np.zeros(many, dtype=np.int64)
        np.add.at(sums, places, self.costs[small])
        used = np.flatnonzero(np.bincount(places, minlength=many))
        return pa.table({"bucket": used.astype(np.int32), "cost": sums[used]})


def assign(giants: NDArray[np.int64], buckets: NDArray[np.int64], tasks: int) -> NDArray[np.int64]:
    """Returns the task of each giant (one each) and of each bucket (the longest first, always to the task with the least),
    numbered from the longest task. Giants come first in the result."""
    loads = [(0, task) for task in range(min(tasks, max(1, len(buckets))))] if len(buckets) else []
    place = np.empty(len(giants) + len(buckets), dtype=np.int64)
    place[: len(giants)] = np.arange(len(giants))
    sums = np.zeros(len(giants) + len(loads), dtype=np.int64)
    sums[: len(giants)] = giants
    for bucket in np.argsort(-buckets, kind="stable"):
        load, task = loads[0]
        heapq.heapreplace(loads, (load + int(buckets[bucket]), task))
        sums[len(giants) + task] += buckets[bucket]
        place[len(giants) + bucket] = len(giants) + task
    rank = np.empty(len(sums), dtype=np.int64)
    rank[np.argsort(-sums, kind="stable")] = np.arange(len(sums))
    return rank[place]


def slots(partitions: int) -> NDArray[np.int32]:
    """Returns for each partition the first whole number from 0 that Spark's hash partitioning sends there.

    ``repartition(n, column)`` hashes the column: the numbers 0 to n - 1 would share some partitions and leave others empty.
    """
    found = np.full(partitions, -1, dtype=np.int64)
    start = 0
    while (found < 0).any():
        tried = np.arange(start, start + 4 * partitions + 64, dtype=np.int64)
        place, first = np.unique(_murmur3(tried) % partitions, return_index=True)
        fresh = found[place] < 0
        found[place[fresh]] = tried[first[fresh]]
        start += len(tried)
    return found.astype(np.int32)


def _murmur3(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Computes Spark's hash of 32-bit whole numbers: MurmurHash3_x86_32 of four bytes, seed 42, as a signed number."""
    rotl = lambda x, n: (x << np.uint32(n)) | (x >> np.uint32(32 - n))  # noqa: E731
    with np.errstate(over="ignore"):
        k = rotl(numbers.astype(np.uint32) * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        h = rotl(np.uint32(42) ^ k, 13) * np.uint32(5) + np.uint32(0xE6546B64)
        h ^= np.uint32(4)
        h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
        h ^= h >> np.uint32(16)
    return h.astype(np.int32).astype(np.int64)


_ROW = ["location", "version", "offset"]


def _giants(rows: DataFrame, task: int) -> pa.Table:
    """Returns the rows that take longer than a task should: there are fewer of them than tasks."""
    longer = rows.where(F.col("_cost") > task)
    found = longer.select(*_ROW, F.col("_cost").alias("cost")).toArrow()
    return found.sort_by([("cost", "descending"), ("location", "ascending"), ("offset", "ascending")])


def _buckets(rows: DataFrame, task: int, many: int) -> pa.Table:
    small = rows.where(F.col("_cost") <= task)
    sums = small.groupBy(_bucket(many).alias("bucket")).agg(F.sum("_cost").alias("cost"))
    return sums.toArrow().sort_by("bucket")


def _bucket(many: int) -> Column:
    return F.pmod(_key(), F.lit(many)).cast("int")


def _key() -> Column:
    return F.xxhash64(*_ROW)


def _placed(table: pa.Table, waves: NDArray[np.int64], slot: NDArray[np.int32]) -> pa.Table:
    table = table.append_column("wave", pa.array(waves.astype(np.int32)))
    return table.append_column("slot", pa.array(slot))


def _join(rows: DataFrame, task: int, many: int, slot: int, giants: pa.Table, buckets: pa.Table) -> DataFrame:
    spark = rows.sparkSession
    placed = F.broadcast(spark.createDataFrame(buckets))
    small = rows.where(F.col("_cost") <= task).withColumn("bucket", _bucket(many))
    # A row without a place goes to the first task: it was listed only now, because a worker with the list died.
    first = {"wave": F.coalesce("wave", F.lit(0)), "slot": F.coalesce("slot", F.lit(slot))}
    packed = small.join(placed, "bucket", "left").drop("bucket").withColumns(first)
    if len(giants) == 0:
        return packed
    large = F.broadcast(spark.createDataFrame(giants)).alias("g")
    longer = rows.where(F.col("_cost") > task).alias("r")
    same = [F.col(f"r.{name}").eqNullSafe(F.col(f"g.{name}")) for name in _ROW]
    joined = longer.join(large, same, "left").select("r.*", "g.wave", "g.slot").withColumns(first)
    return packed.unionByName(joined)


OBJECT_COLUMNS = list(shapes.OBJECT.names)
"""The columns of a planned row that a task takes."""


def columns_of(rows: DataFrame) -> list[str]:
    """Returns the columns of planned rows that a task takes, with what they carry."""
    return [*OBJECT_COLUMNS, *(name for name in rows.columns if name == shapes.CARRIED)]
