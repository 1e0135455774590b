#!/usr/bin/env python3
"""Compares `hashmill copy` and `hashmill image acquire` with what people run in their place: medians of turns that alternate.

    benches/copy/bench.py [--hashmill PROGRAM] [--turns N] [--size MIB] [--files N] [--at FOLDER] [NAME ...]

NAME is one of one, two, small, e01; all without one. FOLDER (default: the current one) is on the disk to measure. Sources are in
the page cache; each copy ends on the disk, and is read back past the cache where the work says so.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

Work = Callable[[], None]


def run(*words: object) -> None:
    made = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit code {made.returncode}\n{made.stderr}")


def remove(*places: Path) -> None:
    for place in places:
        if place.is_dir():
            shutil.rmtree(place)
        elif place.exists():
            place.unlink()


def read_back(place: Path) -> None:
    """Reads files from their disk, past the cache, as dd does."""
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    for file in files:
        # What has no whole sector at its end can't be read past the cache by dd.
        run("dd", f"if={file}", "of=/dev/null", "bs=4M", "iflag=direct", "status=none")


def put_aside(*places: Path) -> None:
    """Moves what a work made into a folder beside it. ext4 searches among the files that were removed lately at each new one, so that
    a removal would slow the next work down."""
    for place in places:
        if place.exists():
            old = place.parent / "old"
            old.mkdir(exist_ok=True)
            place.rename(old / f"{len(list(old.iterdir()))}-{place.name}")


def compare(name: str, turns: int, works: dict[str, Work], places: list[Path]) -> None:
    """Prints the median of each work, and its ratio to the last."""
    spent: dict[str, list[float]] = {label: [] for label in works}
    for _ in range(turns):
        for label, work in works.items():
            put_aside(*places)
            os.sync()
            start = time.perf_counter()
            work()
            spent[label].append(time.perf_counter() - start)
    put_aside(*places)
    medians = {label: statistics.median(times) for label, times in spent.items()}
    ours = list(medians.values())[-1]
    for label, median in medians.items():
        times = ", ".join(f"{value:.2f}" for value in spent[label])
        print(f"{name}: {label}: {median:.2f} s, {median / ours:.2f} times hashmill ({times})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hashmill", default="target/dist/hashmill")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--size", type=int, default=1024, help="MiB of the long file")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--at", type=Path, default=Path())
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    program = Path(options.hashmill).resolve()
    place = options.at.resolve() / "copy-bench"
    place.mkdir()
    long, small, one, two = (place / name for name in ("long", "small", "one", "two"))
    rest = random.Random(1)

    def copied(*words: object) -> Work:
        return lambda: run(program, "copy", "--no-resume", *words)

    def peer(*steps: Work) -> Work:
        return lambda: [step() for step in steps] and None

    def cp(source: Path, to: Path) -> Work:
        return lambda: run("cp", "-a", source, to)

    def synced(to: Path) -> Work:
        return lambda: run("sync", "-f", to)

    def wanted(name: str) -> bool:
        return not options.names or name in options.names

    try:
        with long.open("wb") as file:
            for _ in range(options.size):
                file.write(rest.randbytes(1 << 20))
        if wanted("one"):
            limit = peer(cp(long, one), synced(one), lambda: read_back(one))
            both = peer(limit, lambda: run("b3sum", long), lambda: run("b3sum", one))
            compare(
                "one destination",
                options.turns,
                {"cp, sync, dd": limit, "cp, sync, dd, b3sum twice": both, "hashmill": copied(long, one)},
                [one],
            )
        if wanted("two"):
            limit = peer(
                cp(long, one), cp(long, two), synced(one), synced(two), lambda: read_back(one), lambda: read_back(two)
            )
            compare(
                "two destinations on one disk",
                options.turns,
                {"cp, sync, dd": limit, "hashmill": copied(long, one, "--to", two)},
                [one, two],
            )
        if wanted("small"):
            small.mkdir()
            for number in range(options.files):
                folder = small / str(number // 500)
                folder.mkdir(exist_ok=True)
                (folder / str(number)).write_bytes(rest.randbytes(4096))
            works: dict[str, Work] = {"cp, sync": peer(cp(small, one), synced(one))}
            if shutil.which("rsync"):
                rsync = lambda: run("rsync", "-a", f"{small}/", one)  # noqa: E731
                again = lambda: run("rsync", "-a", "--checksum", f"{small}/", one)  # noqa: E731
                works["rsync -a, sync, rsync -a --checksum"] = peer(rsync, synced(one), again)
            works["hashmill --verify no"] = copied(f"{small}/", one, "--verify", "no")
            works["hashmill"] = copied(f"{small}/", one)
            compare(f"{options.files} files of 4 KiB", options.turns, works, [one])
        if wanted("e01") and shutil.which("ewfacquire"):
            image = place / "image"
            mixed = place / "mixed"
            with mixed.open("wb") as file:
                # As on disks: a third is text, a third compressed already, a third empty.
                for number in range(options.size // 2):
                    kind = number % 3
                    words = b" ".join(rest.choices([b"alpha", b"beta", b"gamma", b"delta", b"1024", b"null"], k=1 << 18))
                    part = (words, rest.randbytes(1 << 20), b"")[kind]
                    file.write(part[: 1 << 20].ljust(1 << 20, b"\0"))
            words = "-u -q -c fast -f encase6 -S 8GiB -d sha1 -C c -D d -e e -E 1 -N n -m fixed -M physical".split()
            peer_words = ["ewfacquire", *words, "-t", image, mixed]
            compare(
                "E01 with fast compression",
                options.turns,
                {
                    "ewfacquire, ewfverify": peer(
                        lambda: run(*peer_words), lambda: run("ewfverify", "-q", f"{image}.E01")
                    ),
                    "hashmill": lambda: run(
                        program, "image", "acquire", mixed, "-o", f"{image}.E01", "--compression", "fast"
                    ),
                },
                [Path(f"{image}.E01")],
            )
    finally:
        remove(place)


if __name__ == "__main__":
    main()
