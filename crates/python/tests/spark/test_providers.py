"""Google Cloud Storage and Azure inside Spark, by the environment of the workers, as their emulators are."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hashmill.spark import hash_objects
from servers import Server, azure, google

FOLDS = "dropbox"
"""A digest that folds, whose leaves are 4 MiB."""

CONTENT = {f"d{number % 3}/f{number:02}": bytes([number]) * (number * 401) for number in range(40)}
CONTENT["large"] = random.Random(5).randbytes(9 << 20)
CONTENT["odd ä+%/x"] = b"odd"

Start = Callable[[Path, Path], tuple[Server, dict[str, str]]]


ACCOUNT = "abfss://things@devstoreaccount1.dfs.core.windows.net"
"""The container as Spark writes it: the account is the emulator's."""


@pytest.fixture(
    params=[("gs://things", google), pytest.param(("az://things", azure), marks=pytest.mark.long), (ACCOUNT, azure)],
    ids=["google", "azure", "account"],
)
def prefix(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """A place in a store of a provider that has CONTENT; the driver and the workers can reach it."""
    container, start = request.param
    for name, data in CONTENT.items():
        file = tmp_path / "data" / "things" / "p" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    server, way = start(tmp_path, tmp_path / "data")
    workers = spark.sparkContext.environment
    with server:
        os.environ.update(way)
        workers.update(way)
        yield f"{container}/p/"
        for name in way:
            del os.environ[name], workers[name]


def test_records_are_those_of_the_content(prefix: str, spark: SparkSession) -> None:
    rows = hash_objects(prefix, ["md5", "sha256"], spark=spark).collect()
    assert {row.path: (row.status, row.md5) for row in rows} == {
        name: ("hashed", hashlib.md5(data).hexdigest()) for name, data in CONTENT.items()
    }


def test_ranges_are_folded(prefix: str, spark: SparkSession) -> None:
    found = {row.path: row[FOLDS] for row in hash_objects(prefix, [FOLDS], range_size=4 << 20, spark=spark).collect()}

    def folded(data: bytes) -> str:
        leaves = (hashlib.sha256(data[at : at + (4 << 20)]).digest() for at in range(0, len(data), 4 << 20))
        return hashlib.sha256(b"".join(leaves)).hexdigest()

    assert found == {name: folded(data) for name, data in CONTENT.items()}


def test_what_is_not_there_is_a_record(prefix: str, spark: SparkSession) -> None:
    frame = spark.createDataFrame([(prefix + "large",), (prefix + "gone",)], "location string")
    found = {row.path: (row.status, row.reason) for row in hash_objects(frame, ["md5"]).collect()}
    assert found == {prefix + "large": ("hashed", None), prefix + "gone": ("unreadable", "ENOENT")}
