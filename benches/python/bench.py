#!/usr/bin/env python3
"""Measures the Python package beside what people use now: medians of turns that alternate, in one run.

    benches/python/bench.py [--folder DIR] [--scale N] [--command PATH] [--turns N] [--json FILE] [NAME ...]

Files are made in a temporary folder (TMPDIR says where) and read once first, so that all are in memory. With --scale 1 they
have the sizes of the goals (some 8 GB); the default is a tenth. A comparison whose other side is not installed is left out.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import hashmill
import hashmill.compat.checksumdir
import hashmill.compat.dirhash

Work = Callable[[], object]


class Comparison:
    """Ours and theirs, what ratio is wanted, and how the ratio is formed."""

    def __init__(self, name: str, ours: Work, theirs: Work, goal: float, at_most: bool = False) -> None:
        self.name, self.ours, self.theirs, self.goal, self.at_most = name, ours, theirs, goal, at_most

    def run(self, turns: int) -> dict[str, object]:
        spent: tuple[list[float], list[float]] = ([], [])
        computed: tuple[list[float], list[float]] = ([], [])
        for turn in range(turns + 1):
            for times, processor, work in zip(spent, computed, (self.ours, self.theirs)):
                start, before = time.perf_counter(), time.process_time()
                work()
                if turn:
                    times.append(time.perf_counter() - start)
                    processor.append(time.process_time() - before)
        ours, theirs = map(statistics.median, spent)
        ratio = self.ratio(ours, theirs)
        reached = ratio <= self.goal if self.at_most else ratio >= self.goal
        found = {"name": self.name, "ours": ours, "theirs": theirs, "ratio": ratio, "goal": self.goal, "reached": reached}
        if self.name.startswith(("call:", "object:", "rows:")):
            # Where others use the machine, too, this says more; of other processes it says nothing.
            found["processor_ratio"] = self.ratio(*map(statistics.median, computed))
        return found

    def ratio(self, ours: float, theirs: float) -> float:
        return ours / theirs if self.at_most else theirs / ours


def files(folder: Path, count: int, size: Callable[[random.Random], int], seed: int) -> Path:
    """Files of random bytes, forty in a folder."""
    draw = random.Random(seed)
    pool = draw.randbytes(1 << 20)
    for number in range(count):
        path = folder / f"d{number // 40}" / f"f{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            left = size(draw)
            file.write(number.to_bytes(8, "big")[: max(left, 0)])
            left -= 8
            while left > 0:
                file.write(pool[: min(left, len(pool))])
                left -= len(pool)
    return folder


def consume(paths: object, algorithm: str) -> Work:
    def work() -> None:
        for record in hashmill.hash(paths, algorithm):  # type: ignore[arg-type]
            assert record.ok

    return work


def comparisons(place: Path, scale: float, command: str | None, own: Path | None, wanted: list[str]) -> Iterator[Comparison]:
    def is_wanted(name: str) -> bool:
        return not wanted or any(part in name for part in wanted)

    tree = own
    if tree is None and any(map(is_wanted, ("tree", "dirhash", "checksumdir", "model_signing"))):
        tree = files(place / "tree", 4457, lambda draw: int(draw.lognormvariate(10.5, 2.2) * min(1, scale * 4)), 1)
    if command and is_wanted("tree") and tree:
        yield Comparison("tree: hash against the command", consume(tree, "sha256"), run(command, tree), 1.05, True)
    if command and is_wanted("small"):
        small = files(place / "small", 10_000, lambda _: 2048, 2)
        yield Comparison("small: 10,000 files of 2 KiB against the command", consume(small, "sha256"), run(command, small), 1.15, True)
    if is_wanted("rows"):
        rows = [os.urandom(64) for _ in range(int(1_000_000 * max(scale, 0.2)))]
        for name, goal in (("sha256", 5.0), ("md5", 10.0)):
            constructor = getattr(hashlib, name)
            yield Comparison(
                f"rows: digest_many of {len(rows):,} rows of 64 bytes, {name}, against a loop of hashlib",
                lambda name=name: hashmill.digest_many(rows, name),
                lambda constructor=constructor: [constructor(row).digest() for row in rows],
                goal,
            )
        yield Comparison(
            "rows: digest_many by blake3 against a loop of hashlib's sha256",
            lambda: hashmill.digest_many(rows, "blake3"),
            lambda: [hashlib.sha256(row).digest() for row in rows],
            10.0,
        )
    if is_wanted("file"):
        large = files(place / "large", 1, lambda _: int((1 << 30) * scale), 3) / "d0" / "f0"
        names = ["md5", "sha1", "sha256"]

        def passes() -> None:
            for name in names:
                with open(large, "rb") as file:
                    hashlib.file_digest(file, name)

        yield Comparison("file: three digests of a file against three passes of hashlib", lambda: hashmill.file_digest(large, names), passes, 2.5)
    if is_wanted("cache"):
        cache = files(place / "cache", 20, lambda draw: int(draw.uniform(1, 500e6) * scale), 4)
        blobs = sorted(path for path in cache.rglob("f*") if path.is_file())

        def serial() -> None:
            for path in blobs:
                digest = hashlib.sha256()
                with open(path, "rb") as file:
                    while part := file.read(1024 * 1024):
                        digest.update(part)

        yield Comparison("cache: the blobs of a model's cache against one after the other", consume(blobs, "sha256"), serial, 5.0)
    for name, ours in (("dirhash", hashmill.compat.dirhash), ("checksumdir", hashmill.compat.checksumdir)):
        if tree and is_wanted(name) and importlib.util.find_spec(name):
            theirs = importlib.import_module(name)
            yield Comparison(
                f"{name}: compat.{name} against {name}",
                lambda ours=ours: ours.dirhash(str(tree), "sha256"),
                lambda theirs=theirs: theirs.dirhash(str(tree), "sha256"),
                10.0,
            )
    try:
        from model_signing import hashing

        if is_wanted("model_signing") and tree:
            yield Comparison(
                "model_signing: tree(…, 'model') against its hashing",
                lambda: hashmill.tree(tree, "model"),
                lambda: hashing.hash(str(tree)),
                5.0,
            )
    except ImportError:
        pass
    if is_wanted("object"):
        part = bytes(64)

        def objects(make: Callable[[], object]) -> Work:
            def work() -> None:
                for _ in range(300_000):
                    made = make()
                    made.update(part)  # type: ignore[attr-defined]

            return work

        for name in ("sha256", "md5"):
            yield Comparison(
                f"object: construct and update 64 bytes, {name}, against hashlib",
                objects(getattr(hashmill, name)),
                objects(getattr(hashlib, name)),
                1.2,
                True,
            )


    if is_wanted("call"):
        yield from calls(place)


def calls(place: Path) -> Iterator[Comparison]:
    """What a call costs that has little to hash."""
    part = bytes(64)

    def often(work: Work, times: int) -> Work:
        def repeat() -> None:
            for _ in range(times):
                work()

        return repeat

    file = place / "small file"
    file.write_bytes(os.urandom(3000))

    def theirs() -> None:
        with open(file, "rb") as opened:
            hashlib.file_digest(opened, "sha256").hexdigest()

    yield Comparison(
        "call: file_digest of 3,000 bytes, sha256, against hashlib",
        often(lambda: hashmill.file_digest(file, "sha256"), 10_000),
        often(theirs, 10_000),
        1.0,
    )
    if importlib.util.find_spec("xxhash"):
        import xxhash

        yield Comparison(
            "call: xxh3 of 64 bytes against xxhash",
            often(lambda: hashmill.xxh3(part).digest(), 200_000),
            often(lambda: xxhash.xxh3_64(part).digest(), 200_000),
            0.8,
        )
        rows = [os.urandom(64) for _ in range(200_000)]
        yield Comparison(
            f"call: digest_many of {len(rows):,} rows of 64 bytes, xxh3, against a loop of xxhash",
            lambda: hashmill.digest_many(rows, "xxh3"),
            lambda: [xxhash.xxh3_64_digest(row) for row in rows],
            3.0,
        )


def run(command: str, folder: Path) -> Work:
    def work() -> None:
        subprocess.run([command, "hash", "-c", "sha256", str(folder)], stdout=subprocess.DEVNULL, check=True)

    return work


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only comparisons with this in their names")
    parser.add_argument("--folder", type=Path, help="a tree of files to hash, instead of one that is made")
    parser.add_argument("--scale", type=float, default=0.1, help="sizes, as a part of the goals' [0.1]")
    parser.add_argument("--command", default=shutil.which("hashmill"), help="the command to compare with")
    parser.add_argument("--turns", type=int, default=5, help="measured turns [5]")
    parser.add_argument("--json", type=Path, help="write the results here, too")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as place:
        for comparison in comparisons(Path(place), options.scale, options.command, options.folder, options.names):
            result = comparison.run(options.turns)
            results.append(result)
            mark = "reached" if result["reached"] else "MISSED"
            sign = "<=" if comparison.at_most else ">="
            print(
                f"{comparison.name}: {result['ours']:.4f} s, {result['theirs']:.4f} s, "
                f"ratio {result['ratio']:.2f} (goal {sign} {comparison.goal}: {mark})"
                + (f", by processor time {result['processor_ratio']:.2f}" if "processor_ratio" in result else ""),
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({"cores": os.cpu_count(), "python": sys.version, "rows": results}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
