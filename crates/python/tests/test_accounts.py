"""Whatever makes the command end with an exit code other than 0 is told by the result of the same call."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hashmill
import hashmill.bag
import hashmill.known
import hashmill.similar
import pytest
from test_command import run

#: Whether all is as it should be, and whether everything was read.
Verdict = tuple[bool, bool]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files, lists of them, and archives that can't be looked into or read to their end."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        Path("files", name).parent.mkdir(exist_ok=True)
        Path("files", name).write_bytes(name.encode() * 5000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner", b"inner" * 100)
    Path("held").mkdir()
    with zipfile.ZipFile("held/holder.zip", "w", zipfile.ZIP_DEFLATED) as holder:
        # It has an archive at its end, which nothing shows before it was read.
        holder.writestr("unnamed", b"#" * 5000 + packed.getvalue())
    Path("holder.zip").write_bytes(Path("held/holder.zip").read_bytes())
    Path("cut.gz").write_bytes(gzip.compress(os.urandom(5000))[:-2000])
    sums = "".join(f"{hashlib.sha256(Path('files', name).read_bytes()).hexdigest()}  files/{name}\n" for name in "abc")
    Path("good.sha256").write_text(sums)
    Path("odd.sha256").write_text(sums + "zz  no digest\n")
    Path("changed.sha256").write_text(sums.replace(sums[:8], "00000000"))
    Path("long.paths").write_bytes(b"files/a\nfiles/" + b"x" * 100_000 + b"\n")
    list(hashmill.hash("files", "sha256", output="good.jsonl"))
    list(hashmill.hash("holder.zip", "sha256", inside="archives", output="holder.jsonl"))
    Path("odd.jsonl").write_bytes(Path("good.jsonl").read_bytes() + b'{"path": 5}\n')
    hashmill.bag.make("files", "bag")
    hashmill.bag.make("files", "changed-bag")
    Path("changed-bag/data/a").write_bytes(b"changed")
    hashmill.known.build("known", {"bad": "good.sha256"})
    return tmp_path


def of_hash(*arguments: Any, **options: Any) -> Verdict:
    return of_records(hashmill.hash(*arguments, **options))


def of_records(records: hashmill.Records) -> Verdict:
    list(records)
    summary = records.summary
    assert summary is not None
    # It is said by a record, or else by the summary.
    assert summary["complete"] or summary["problem"] or summary["failed"] or summary["damaged"], summary
    return summary["ok"], summary["complete"]


def of_value(value: object) -> Verdict:
    return value is not None, value is not None


def of_result(result: Any) -> Verdict:
    return result.ok, getattr(result, "complete", result.ok)


CASES: list[tuple[str, Callable[[], Verdict]]] = [
    ("hash files", lambda: of_hash("files")),
    ("hash files missing", lambda: of_hash(["files", "missing"])),
    ("hash --files-from long.paths", lambda: of_hash(files_from="long.paths")),
    ("hash --inside archives holder.zip", lambda: of_hash("holder.zip", inside="archives")),
    ("hash --inside archives cut.gz", lambda: of_hash("cut.gz", inside="archives")),
    ("hash --older 1990-01-01 files", lambda: of_hash("files", older="1990-01-01")),
    ("known match --known-set known -c sha256 files", lambda: of_records(hashmill.known.match("known", "files", "sha256"))),
    (
        "known match --known-set known -c sha256 --older 1990-01-01 files",
        lambda: of_records(hashmill.known.match("known", "files", "sha256", older="1990-01-01")),
    ),
    (
        "known match --known-set known -c sha256 --inside archives holder.zip",
        lambda: of_records(hashmill.known.match("known", "holder.zip", "sha256", inside="archives")),
    ),
    ("audit -k good.jsonl files", lambda: of_result(hashmill.audit("good.jsonl", "files"))),
    ("audit -k odd.jsonl files", lambda: of_result(hashmill.audit("odd.jsonl", "files"))),
    ("audit -k changed.sha256 files", lambda: of_result(hashmill.audit("changed.sha256", "files"))),
    ("audit -k good.jsonl files missing", lambda: of_result(hashmill.audit("good.jsonl", ["files", "missing"]))),
    ("audit -k good.jsonl --older 1990-01-01 files", lambda: of_result(hashmill.audit("good.jsonl", "files", older="1990-01-01"))),
    (
        "audit -k holder.jsonl --inside archives holder.zip",
        lambda: of_result(hashmill.audit("holder.jsonl", "holder.zip", inside="archives")),
    ),
    ("check good.sha256", lambda: of_result(hashmill.check("good.sha256"))),
    ("check odd.sha256", lambda: of_result(hashmill.check("odd.sha256"))),
    ("check changed.sha256", lambda: of_result(hashmill.check("changed.sha256"))),
    ("diff files files", lambda: of_result(hashmill.diff("files", "files"))),
    ("diff files bag", lambda: of_result(hashmill.diff("files", "bag"))),
    ("diff good.jsonl odd.jsonl", lambda: of_result(hashmill.diff("good.jsonl", "odd.jsonl"))),
    (
        "diff --inside archives held held",
        lambda: of_result(hashmill.diff("held", "held", inside="archives")),
    ),
    ("dupes files", lambda: of_result(hashmill.dupes("files"))),
    ("dupes files missing", lambda: of_result(hashmill.dupes(["files", "missing"]))),
    ("dupes --inside archives holder.zip files", lambda: of_result(hashmill.dupes(["holder.zip", "files"], inside="archives"))),
    ("dupes --manifest odd.jsonl", lambda: of_result(hashmill.dupes(manifests="odd.jsonl"))),
    ("similar pairs -c ssdeep files", lambda: of_result(hashmill.similar.pairs("files"))),
    ("similar pairs -c ssdeep files missing", lambda: of_result(hashmill.similar.pairs(["files", "missing"]))),
    ("similar compare -c ssdeep files/a missing", lambda: of_value(hashmill.similar.compare_files("files/a", "missing"))),
    (
        "similar pairs -c ssdeep --inside archives holder.zip",
        lambda: of_result(hashmill.similar.pairs("holder.zip", inside="archives")),
    ),
    ("tree -c dirhash files", lambda: of_value(hashmill.tree("files"))),
    ("tree -c dirhash missing", lambda: of_value(hashmill.tree("missing"))),
    ("bag verify bag", lambda: of_result(hashmill.bag.verify("bag"))),
    ("bag verify changed-bag", lambda: of_result(hashmill.bag.verify("changed-bag"))),
    ("bag verify missing", lambda: of_result(hashmill.bag.verify("missing"))),
    ("convert good.jsonl out.csv", lambda: of_result(hashmill.convert("good.jsonl", "out2.csv"))),
    ("convert odd.jsonl out.csv", lambda: of_result(hashmill.convert("odd.jsonl", "out2.csv"))),
    ("known build --bad odd.sha256 -o new", lambda: of_result(hashmill.known.build("new2", {"bad": "odd.sha256"}))),
    ("known build --bad good.sha256 -o new", lambda: of_result(hashmill.known.build("new2", {"bad": "good.sha256"}))),
]


@pytest.mark.parametrize(("words", "call"), CASES, ids=[words for words, _ in CASES])
def test_results_say_what_exit_codes_say(words: str, call: Callable[[], Verdict], place: Path) -> None:
    done = run(*words.split(), cwd=place)
    try:
        ok, complete = call()
    except (OSError, hashmill.Error) as error:
        assert done.returncode in (2, 64), (error, done)
        return
    assert ok == (done.returncode == 0), done
    if done.returncode in (2, 64) or " verify " not in f" {words} ":
        assert complete == (done.returncode not in (2, 64)), done


def test_an_archive_that_was_not_looked_into_is_told(place: Path) -> None:
    records = hashmill.hash("holder.zip", inside="archives")
    assert all(record.ok for record in records)
    summary = records.summary
    assert summary is not None and not summary["complete"] and not summary["ok"]
    assert "holder.zip" in summary["problem"] and "was not looked into" in summary["problem"]
    assert summary["account"]["containers"] == {"failed": 1}
    for result in (
        hashmill.audit("holder.jsonl", "holder.zip", inside="archives"),
        hashmill.diff("held", "held", inside="archives"),
        hashmill.dupes("holder.zip", inside="archives"),
        hashmill.similar.pairs("holder.zip", inside="archives"),
    ):
        assert not result.ok and any("was not looked into" in line for line in result.problems), result
