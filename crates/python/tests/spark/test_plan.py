"""The plan: every row in one task, tasks of about one length, longest first, neighbours apart."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from hashmill.spark import core, plan, ranges, shapes
from hashmill.spark.batches import as_ddl

COST = plan.Cost(rate=1e6, request=0.001, task=10)


@pytest.fixture(autouse=True, params=["few", "held", "many"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test by the driver alone, with sums of the driver's, and by Spark."""
    if request.param != "few":
        monkeypatch.setattr(plan, "FEW", 0)
    if request.param == "many":
        monkeypatch.setattr(plan, "HELD", 0)


def objects(spark: SparkSession, sizes: list[int]) -> object:
    rows = [{"location": f"s3://bucket/key-{place:06}".encode(), "size": size} for place, size in enumerate(sizes)]
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=shapes.OBJECT)).coalesce(2)


@pytest.mark.parametrize("partitions", [1, 2, 3, 64, 1000, 4097])
def test_slots_reach_every_partition_once(partitions: int) -> None:
    slots = plan.slots(partitions)
    assert sorted(plan._murmur3(slots.astype(np.int64)) % partitions) == list(range(partitions))
    assert (plan._murmur3(slots.astype(np.int64)) % partitions == np.arange(partitions)).all()


def test_slots_are_where_spark_sends_them(spark: SparkSession) -> None:
    slots = plan.slots(37)
    rows = spark.createDataFrame(pa.table({"slot": slots, "wanted": np.arange(37)}))
    found = rows.repartition(37, "slot").select("wanted", F.spark_partition_id().alias("found")).collect()
    assert all(row.wanted == row.found for row in found)


def test_tasks_are_alike_and_hold_every_row_once(spark: SparkSession) -> None:
    rng = np.random.default_rng(22)
    sizes = [int(size) for size in rng.lognormal(11, 2, 4000)]
    packed = plan.pack(objects(spark, sizes), COST)
    rows = packed.rows.select("location", "slot", "wave", "size").toPandas()
    assert len(rows) == packed.count == len(set(map(bytes, rows.location))) == 4000
    assert packed.bytes == sum(sizes)
    seconds = (rows["size"] / COST.rate + COST.request).groupby(rows.slot).sum()
    assert len(seconds) == packed.tasks == packed.width
    target = packed.seconds / packed.tasks
    giants = [size / COST.rate + COST.request for size in sizes if size / COST.rate > target]
    assert seconds.max() <= max([1.15 * target, *giants])


def test_one_giant_is_a_task_of_its_own_and_the_first(spark: SparkSession) -> None:
    packed = plan.pack(objects(spark, [10_000] * 3000 + [60_000_000]), COST)
    rows = packed.rows.toPandas()
    giant = rows[rows["size"] == 60_000_000].slot.item()
    assert (rows.slot == giant).sum() == 1
    assert giant == plan.slots(packed.width)[0]


def test_neighbours_are_in_different_tasks(spark: SparkSession) -> None:
    packed = plan.pack(objects(spark, [100_000] * 1000), COST)
    rows = packed.rows.orderBy("location").toPandas()
    meet = (rows.slot.to_numpy()[1:] == rows.slot.to_numpy()[:-1]).mean()
    assert meet < 3 / packed.tasks


def test_the_plan_is_the_same_however_rows_come(spark: SparkSession) -> None:
    rows = objects(spark, list(range(0, 900_000, 1000)))
    one = plan.pack(rows, COST, wave=4).rows.select("location", "wave", "slot")
    two = plan.pack(rows.repartition(5), COST, wave=4).rows.select("location", "wave", "slot")
    assert sorted(map(tuple, one.collect())) == sorted(map(tuple, two.collect()))


def test_the_driver_and_spark_make_the_same_plan(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = objects(spark, [*range(0, 300_000, 1000), 30_000_000])
    monkeypatch.setattr(plan, "FEW", 0)
    plans = []
    for held in (0, 1000):
        monkeypatch.setattr(plan, "HELD", held)
        plans.append(sorted(map(tuple, plan.pack(rows, COST, wave=4).rows.select("location", "wave", "slot").collect())))
    assert plans[0] == plans[1]


def test_waves_hold_so_many_tasks(spark: SparkSession) -> None:
    packed = plan.pack(objects(spark, [500_000] * 300), COST, wave=4)
    rows = packed.rows.select("wave", "slot").distinct().toPandas()
    assert packed.width == 4 and packed.waves == math.ceil(packed.tasks / 4)
    assert rows.groupby("wave").slot.nunique().max() <= 4


def test_large_objects_are_cut_where_all_digests_fold(spark: SparkSession) -> None:
    unit = ranges.length(["blake3"], 1)
    assert unit is not None
    rows = plan.cut(objects(spark, [10 * unit + 5, unit, 0]), ["blake3"], 4 * unit)
    found = [(row.location[-1:], row.offset, row.length) for row in rows.orderBy("location", "offset").collect()]
    assert found == [
        (b"0", 0, 4 * unit),
        (b"0", 4 * unit, 4 * unit),
        (b"0", 8 * unit, 2 * unit + 5),
        (b"1", None, None),
        (b"2", None, None),
    ]
    assert plan.cut(objects(spark, [10 * unit]), ["blake3", "md5"], unit).count() == 1


def test_of_nothing_there_is_a_plan_without_tasks(spark: SparkSession) -> None:
    packed = plan.pack(objects(spark, []), COST)
    assert packed.rows.count() == packed.count == packed.bytes == 0


def test_short_work_makes_few_tasks(spark: SparkSession) -> None:
    cores = spark.sparkContext.defaultParallelism
    for seconds, for_each_core in ((0.1, 1), (2.5, 2), (30, 3)):
        packed = plan.pack(objects(spark, [int(seconds * cores * 1e6 / 100)] * 100), plan.Cost(rate=1e6, request=1e-6))
        assert packed.tasks == for_each_core * cores


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan])
def test_costs_are_above_zero(value: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        plan.Cost(rate=value)


def test_rows_that_are_no_objects_say_which_column() -> None:
    with pytest.raises(ValueError, match="no column 'location'"):
        core.conform(pa.RecordBatch.from_pydict({"name": ["x"]}))
    with pytest.raises(ValueError, match="'size'"):
        core.conform(pa.RecordBatch.from_pydict({"location": ["x"], "size": ["many"]}))
    with pytest.raises(ValueError, match="'location'"):
        as_ddl(core.conform(pa.RecordBatch.from_pydict({"location": [[1]]})).schema)
