"""Forked and spawned processes, sub-interpreters, leaks."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import resource
import subprocess
import sys
from pathlib import Path

import hashmill
import pytest


def work(path: str) -> tuple[dict[str, str], int]:
    many = hashmill.digest_many([bytes([n % 256]) * 100 for n in range(10_000)], "sha256")
    return hashmill.file_digest(path, "md5"), len(many) + len(list(hashmill.hash(path)))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_every_kind_work(tree: Path, method: str) -> None:
    path = tree / "d1" / "f6"
    work(str(path))
    next(hashmill.hash(tree))
    with multiprocessing.get_context(method).Pool(3) as pool:
        for digests, count in pool.map(work, [str(path)] * 12, chunksize=1):
            assert digests == {"md5": hashlib.md5(path.read_bytes()).hexdigest()}
            assert count == 10_001


def test_an_iterator_of_the_parent_is_refused(tree: Path) -> None:
    records = hashmill.hash([tree] * 2000)
    next(records)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            for _ in records:
                pass
        except hashmill.Error as error:
            said = str(error)
        del records
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert b"before the process forked" in pipe.read()
    os.waitpid(child, 0)
    assert sum(1 for _ in records) > 70_000


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


def test_sub_interpreters_are_refused_clearly() -> None:
    made = run(
        "try:\n import _xxsubinterpreters as inter\nexcept ImportError:\n import _interpreters as inter\n"
        "import hashmill\nident = inter.create()\n"
        "inter.run_string(ident, 'try:\\n import hashmill._hashmill\\nexcept ImportError as error:\\n print(error)')\n"
    )
    assert "support" in made.stdout and "subinterpreters" in made.stdout, made.stdout + made.stderr


def test_rows_may_come_from_code_that_forks() -> None:
    made = run(
        "import hashlib, os, hashmill\n"
        "def rows():\n"
        "    for number in range(70_000):\n"
        "        if number == 40_000: rows.child = os.fork()\n"
        "        yield number.to_bytes(64, 'little')\n"
        "found = list(hashmill.digest_many(rows(), 'md5'))\n"
        "assert found == [hashlib.md5(number.to_bytes(64, 'little')).digest() for number in range(70_000)]\n"
        "if rows.child == 0: os._exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(rows.child, 0)[1]) == 7"
    )
    assert made.returncode == 0, made.stdout + made.stderr


def test_importing_is_fast_and_brings_little() -> None:
    made = run(
        "import sys; before = set(sys.modules); import hashmill; print(sorted(set(sys.modules) - before))\n"
        "assert not {'typing', 'asyncio', 'numpy', 'pyarrow', 'json'} & (set(sys.modules) - before)"
    )
    assert made.returncode == 0, made.stdout + made.stderr


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def test_nothing_leaks(tree: Path) -> None:
    path = str(tree / "d1" / "f1")

    def objects(count: int) -> None:
        for _ in range(count):
            made = hashmill.sha256(b"abc")
            made.copy().digest()

    def calls(count: int) -> None:
        for turn in range(count):
            hashmill.file_digest(path, "md5,sha256")
            if turn % 10 == 0:
                assert len(list(hashmill.hash(path, threads=1))) == 1
            hashmill.digest_many([b"a", None, b"b"], "md5").hex()

    # A million objects (and as many copies), ten thousand calls.
    for step, count in ((objects, 100_000), (calls, 1000)):
        step(count)
        before = resident()
        step(10 * count)
        assert resident() - before < 8 << 20, step.__name__
