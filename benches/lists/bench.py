#!/usr/bin/env python3
"""Measures operations on long lists beside DuckDB and sqlite3: medians of turns that alternate, in one run, warm.

    benches/lists/bench.py [--command PATH] [--records N] [--changed N] [--turns N] [--folder PATH] [--json FILE] [NAME ...]

diff-parquet, diff-jsonl, diff-shuffled   two lists are compared, the second with other digests for some files
to-parquet, to-jsonl, to-sqlite           a list is converted
merge                                     two lists become one, in the order of paths
dupes                                     groups of equal digests

DuckDB does the same join, and writes the same result, with as many threads as there are cores. Of each turn the wall time, the
processor time and the peak memory are told, and beside them what `cat` takes for the same files: the limit.
DuckDB comes with `pip install duckdb`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def write_lists(folder: Path, records: int, changed: int) -> None:
    """Writes two lists in the order of paths, and both once more in another order."""
    chosen = random.Random(37)
    other = set(chosen.sample(range(records), min(changed, records)))
    with (folder / "a.jsonl").open("wb") as old, (folder / "b.jsonl").open("wb") as new:
        for start in range(0, records, 100_000):
            ours, theirs = [], []
            for number in range(start, min(start + 100_000, records)):
                head = f'{{"path":"archive/{number // 1000:07}/file-{number % 1000:03}.dat","size":{number % 9973},"status":"hashed","sha256":"'
                ours.append(f'{head}{chosen.randbytes(32).hex()}"}}\n')
                theirs.append(f'{head}{chosen.randbytes(32).hex()}"}}\n' if number in other else ours[-1])
            old.write("".join(ours).encode())
            new.write("".join(theirs).encode())
    for name in "ab":
        lines = (folder / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
        chosen.shuffle(lines)
        (folder / f"{name}-shuffled.jsonl").write_bytes(b"".join(lines))


def duckdb(sql: str) -> list[str]:
    threads = os.cpu_count() or 1
    text = f"import duckdb; d=duckdb.connect(); d.execute('set threads={threads}'); d.execute({sql!r})"
    return [os.environ.get("DUCKDB_PYTHON", sys.executable), "-c", text]


def table(file: str) -> str:
    if file.endswith(".parquet"):
        return f"read_parquet('{file}')"
    columns = "{path:'VARCHAR',size:'BIGINT',status:'VARCHAR',sha256:'VARCHAR'}"
    return f"read_json('{file}', format='newline_delimited', columns={columns})"


def join(old: str, new: str) -> str:
    kind = "case when a.path is null then 'new' when b.path is null then 'missing' else 'changed' end"
    return (
        f"copy (select coalesce(a.path, b.path) as path, {kind} as kind from {table(old)} a full join {table(new)} b on a.path = b.path "
        "where a.sha256 is distinct from b.sha256 or a.size is distinct from b.size order by 1) to 'out.csv'"
    )


def works(command: str) -> dict[str, tuple[list[str], list[str], list[str]]]:
    """Each work: the words of hashmill and of the other program, and the files that are read."""

    def diff(old: str, new: str) -> tuple[list[str], list[str], list[str]]:
        return [command, "diff", "--progress", "never", old, new], duckdb(join(old, new)), [old, new]

    def copied(what: str, to: str) -> list[str]:
        form = "format parquet, compression zstd" if to.endswith("parquet") else "format json"
        return duckdb(f"copy ({what}) to '{to}' ({form})")

    def convert(source: str, to: str, other: list[str]) -> tuple[list[str], list[str], list[str]]:
        return [command, "convert", "--force", source, to], other, [source]

    sqlite = ["sh", "-c", "rm -f o.sqlite; sqlite3 o.sqlite 'create table t(j text)' '.mode tabs' '.import a.jsonl t'"]
    union = f"""select path, any_value(size) as size, any_value(status) as status, any_value(sha256) as sha256
        from (select * from {table("a.jsonl")} union all select * from {table("b.jsonl")}) group by path, sha256 order by path"""
    groups = f"""select list(path), count(*) from {table("a.jsonl")} group by sha256, size having count(*) > 1"""
    return {
        "diff-parquet": diff("a.parquet", "b.parquet"),
        "diff-jsonl": diff("a.jsonl", "b.jsonl"),
        "diff-shuffled": diff("a-shuffled.jsonl", "b-shuffled.jsonl"),
        "to-parquet": convert("a.jsonl", "h.parquet", copied(f"select * from {table('a.jsonl')}", "o.parquet")),
        "to-jsonl": convert("a.parquet", "h.jsonl", copied(f"select * from {table('a.parquet')}", "o.jsonl")),
        "to-sqlite": convert("a.jsonl", "h.sqlite", sqlite),
        "merge": ([command, "merge", "--force", "a.jsonl", "b.jsonl", "-o", "m.jsonl"], copied(union, "o.jsonl"), ["a.jsonl", "b.jsonl"]),
        "dupes": ([command, "dupes", "--progress", "never", "a.jsonl"], copied(groups, "o.jsonl"), ["a.jsonl"]),
    }


def run(words: list[str], folder: Path) -> dict[str, float]:
    """Runs a program; returns its wall time and processor time in seconds, and its peak memory in bytes."""
    start = time.perf_counter()
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(words, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
    code = child.returncode = os.waitstatus_to_exitcode(status)
    # hashmill says by 1 that lists differ.
    if code not in ((0, 1) if "hashmill" in words[0] else (0,)):
        sys.exit(f"{words[:3]} ended with {code}: {(folder / 'log').read_text()[-2000:]}")
    return {"wall": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024}


def median(turns: list[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.median(turn[key] for turn in turns) for key in turns[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--command", default=str(ROOT / "target/dist/hashmill"))
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--changed", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keeps the lists here, and takes those that are there")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "a.parquet").exists():
            # In another process: the peak memory of a program is at least that of its parent.
            writer = multiprocessing.Process(target=write_lists, args=(folder, asked.records, asked.changed))
            writer.start()
            writer.join()
            for name in "ab":
                run([asked.command, "convert", "--force", f"{name}.jsonl", f"{name}.parquet"], folder)
        all_works = works(asked.command)
        results = {}
        print(f"{'work':<14} {'hashmill':>9} {'other':>9} {'ratio':>6} {'cat':>7} {'cpu':>8} {'other':>8} {'MB':>6} {'other':>6}")
        for name in asked.names or all_works:
            ours, theirs, files = all_works[name]
            turns: dict[str, list[dict[str, float]]] = {"hashmill": [], "other": [], "cat": []}
            for _ in range(asked.turns):
                turns["hashmill"].append(run(ours, folder))
                turns["other"].append(run(theirs, folder))
                turns["cat"].append(run(["sh", "-c", "cat " + " ".join(files) + " >/dev/null"], folder))
            one = {key: median(value) for key, value in turns.items()}
            results[name] = one
            h, o = one["hashmill"], one["other"]
            print(
                f"{name:<14} {h['wall']:>8.2f}s {o['wall']:>8.2f}s {h['wall'] / o['wall']:>6.2f} {one['cat']['wall']:>6.2f}s"
                f" {h['cpu']:>7.2f}s {o['cpu']:>7.2f}s {h['memory'] / 1e6:>6.0f} {o['memory'] / 1e6:>6.0f}",
                flush=True,
            )
        if asked.json:
            asked.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
