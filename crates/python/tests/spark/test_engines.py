"""The core without Spark: alone, under Dask, under Ray."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd
import pyarrow as pa

from hashmill.spark import core
from missing import module


def table(tree: Path) -> pd.DataFrame:
    places = [tree / "d1" / "f01", tree / "gone", tree / "d3" / "f03", tree / "d1" / "f01"]
    return pd.DataFrame({"location": [str(place) for place in places], "number": range(4)})


def check(records: list[dict[str, object]], tree: Path) -> None:
    def digest(name: str) -> str:
        return hashlib.md5((tree / name).read_bytes()).hexdigest()

    assert [record["status"] for record in records] == ["hashed", "unreadable", "hashed", "hashed"]
    assert [record["md5"] for record in records] == [digest("d1/f01"), None, digest("d3/f03"), digest("d1/f01")]


def test_the_core_needs_no_engine(tree: Path) -> None:
    batches = pa.Table.from_pandas(table(tree)).to_batches(max_chunksize=3)
    found = core.whole_records(batches, core.Reading(("md5",)))
    check([record for batch in found for record in batch.to_pylist()], tree)


def test_dask(tree: Path) -> None:
    dd = module("dask.dataframe")
    from hashmill.spark import on_dask

    found = on_dask.hash_objects(dd.from_pandas(table(tree), npartitions=2), ["md5"]).compute(scheduler="synchronous")
    check(found.astype(object).where(found.notna(), None).to_dict("records"), tree)


def test_ray(tree: Path) -> None:
    data = module("ray.data")
    import ray

    from hashmill.spark import on_ray

    ray.init(num_cpus=1, include_dashboard=False, object_store_memory=100_000_000)
    try:
        check(on_ray.hash_objects(data.from_pandas(table(tree)), ["md5"]).take_all(), tree)
    finally:
        ray.shutdown()
