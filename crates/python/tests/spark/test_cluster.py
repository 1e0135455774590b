"""Clusters on this machine: workers that are killed, drivers that are killed, and the same table every time."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from missing import not_compared

pytestmark = pytest.mark.long
HOME = Path(pyspark.__file__).parent
DRIVER = Path(__file__).with_name("driver.py")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small files, and one object of 1 GiB of zeros, which takes no place on the disk."""
    top = tmp_path_factory.mktemp("many")
    rng = random.Random(5)
    for place in range(400):
        (top / f"{place:05}").write_bytes(rng.randbytes(rng.randrange(3000)))
    with open(top / "giant", "wb") as giant:
        giant.truncate(1 << 30)
    return top


class Driver:
    """A driver in a process of its own."""

    def __init__(self, master: str, directory: Path, lake: Path, *more: str) -> None:
        lake.parent.mkdir(parents=True, exist_ok=True)
        self.log = lake.parent / f"driver-{time.monotonic_ns()}.log"
        environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(DRIVER), master, str(directory), str(lake), *more],
                stdout=subprocess.PIPE, stderr=log, env=environment, start_new_session=True,
            )  # fmt: skip

    def wait_for(self, text: str, seconds: float = 600) -> None:
        """Waits until it has printed this."""
        end = time.monotonic() + seconds
        while text not in self.log.read_text(errors="replace"):
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)

    def result(self) -> dict[str, Any]:
        """Returns its output, at its end."""
        out, _ = self.process.communicate(timeout=580)
        assert self.process.returncode == 0, self.log.read_text(errors="replace")[-3000:]
        return json.loads(out)  # type: ignore[no-any-return]

    def executors(self) -> list[int]:
        """The processes of its workers' executors."""
        return [pid for pid, _ in self._processes(b"CoarseGrainedExecutorBackend")]

    def tasks(self) -> list[int]:
        """The processes of Python in which tasks run: children of those that start them."""
        daemons = dict(self._processes(b"pyspark.daemon"))
        return [pid for pid, parent in daemons.items() if parent in daemons]

    def _processes(self, word: bytes) -> list[tuple[int, int]]:
        """The processes of its session that have this word in their command lines, and their parents."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                words = (place / "cmdline").read_bytes()
                parent, _, session = (place / "stat").read_text().rsplit(") ", 1)[1].split()[1:4]
            except OSError:
                continue
            if int(session) == self.process.pid and word in words:
                found.append((int(place.name), int(parent)))
        return found

    def kill(self) -> None:
        """Kills the driver and all it has started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def expected(top: Path) -> dict[str, tuple[int, str]]:
    """Returns the records of plain hashing."""
    found = {}
    for file in sorted(top.iterdir()):
        with open(file, "rb") as data:
            found[file.name] = (file.stat().st_size, hashlib.file_digest(data, "md5").hexdigest())
    return found


def check(result: dict[str, Any], top: Path) -> None:
    """Every file once, with the digest that it has."""
    records = {path: (size, md5) for path, _, _, size, status, _, md5, _ in result["records"] if status == "hashed"}
    assert len(result["records"]) == len(records)
    assert records == expected(top)


def test_killed_executors_change_nothing(many: Path, tmp_path: Path) -> None:
    driver = Driver("local-cluster[2,1,1024]", many, tmp_path / "lake")
    try:
        for _ in range(2):
            driver.wait_for(" waves")
            end = time.monotonic() + 60
            while not (running := driver.executors()) and time.monotonic() < end:
                time.sleep(0.2)
            os.kill(running[0], signal.SIGKILL)
            time.sleep(2)
        check(driver.result(), many)
    finally:
        if driver.process.poll() is None:
            driver.kill()


def test_tasks_that_die_of_memory_change_nothing(many: Path, tmp_path: Path) -> None:
    # The system kills a process that takes too much memory just like this.
    driver = Driver("local-cluster[2,1,1024]", many, tmp_path / "lake")
    try:
        driver.wait_for(" waves")
        killed: set[int] = set()
        while len(killed) < 3 and driver.process.poll() is None:
            for task in set(driver.tasks()) - killed:
                os.kill(task, signal.SIGKILL)
                killed.add(task)
            time.sleep(0.5)
        assert len(killed) >= 3
        check(driver.result(), many)
    finally:
        if driver.process.poll() is None:
            driver.kill()


def test_a_killed_driver_goes_on(many: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    first = Driver("local-cluster[2,1,1024]", many, lake)
    first.wait_for("is in the log")
    first.kill()
    result = Driver("local[2]", many, lake).result()
    check(result, many)
    assert 0 < result["summary"]["done_before"] < len(result["records"])


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[str]:
    """A master and two workers on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(tmp_path / "work")}
    master = f"spark://127.0.0.1:{port}"
    place = ["--host", "127.0.0.1"]
    commands = [["Master", *place, "--port", str(port), "--webui-port", "0"]]
    commands += [["Worker", *place, "--webui-port", "0", "-c", "1", "-m", "1g", master]] * 2
    running = []
    try:
        for name, *rest in commands:
            log = (tmp_path / f"{name}-{len(running)}.log").open("wb")
            words = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{name.lower()}.{name}", *rest]
            running.append(subprocess.Popen(words, env=environment, stdout=log, stderr=log, start_new_session=True))
        yield master
    finally:
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_a_standalone_cluster_gives_the_same(many: Path, tmp_path: Path, standalone: str) -> None:
    check(Driver(standalone, many, tmp_path / "one" / "lake").result(), many)


JARS = Path(os.environ.get("HASHMILL_JARS", "/nowhere"))


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_lakes_of_tables_go_on_and_merge(form: str, tree: Path, tmp_path: Path) -> None:
    jars = [*JARS.glob(f"{form}-*.jar"), *JARS.glob("antlr4-*.jar")]
    if not any("spark" in jar.name for jar in jars):
        not_compared(f"the jars of {form}")
    more = (form, ",".join(map(str, jars)))
    (tree / "link").unlink()
    (tree / "fifo").unlink()
    first = Driver("local[2]", tree, tmp_path / "lake", *more).result()
    assert first["summary"]["statuses"] == {"hashed": 42}
    (tree / "d1" / "f01").write_bytes(b"other")
    (tree / "d2" / "f02").unlink()
    (tree / "new").write_bytes(b"new")
    second = Driver("local[2]", tree, tmp_path / "lake", *more).result()
    assert (second["summary"]["requests"], second["summary"]["done_before"]) == (2, 40)
    assert second["summary"]["statuses"] == {"hashed": 42}
    was, now = ({row[0]: row for row in result["records"]} for result in (first, second))
    changed = {path for path in was | now if was.get(path) != now.get(path)}
    assert changed == {str(tree / "d1" / "f01"), str(tree / "d2" / "f02"), str(tree / "new")}
