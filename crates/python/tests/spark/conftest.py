"""One Spark session for all tests of a process: its start takes seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from faulty import KEY, SECRET

# Before any session starts, so that workers have it.
os.environ.update(AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1")
for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE"):
    os.environ.pop(name, None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: starts clusters, needs jars, or repeats another in many ways; left out by `scripts/test-spark quick`")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    place = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[2]")
        .appName("hashmill tests")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        # Plans of a few rows cost most in compiling them.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.warehouse.dir", str(place / "warehouse"))
        .config("spark.local.dir", str(place / "local"))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files of many sizes, a name that is not UTF-8, a link, a FIFO."""
    top = tmp_path / "tree"
    for place in range(40):
        file = top / f"d{place % 7}" / f"f{place:02}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes([place]) * (place * 977))
    (top / "empty").write_bytes(b"")
    Path(os.fsdecode(os.fsencode(top) + b"/name-\xff")).write_bytes(b"bytes")
    (top / "link").symlink_to("empty")
    os.mkfifo(top / "fifo")
    return top


@pytest.fixture(scope="session")
def command() -> Path:
    """The command, as the tests of the workspace build it."""
    built = Path(__file__).resolve().parents[4] / "target" / "debug" / "hashmill"
    if not built.exists():
        pytest.skip(f"{built} is not built: cargo build --workspace")
    return built
