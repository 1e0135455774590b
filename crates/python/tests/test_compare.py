"""Two sides compared, equal files, other formats, bags; results as Arrow and in pickles."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import hashmill
import hashmill.aio
import hashmill.bag
import polars as pl
import pyarrow as pa
import pytest


@pytest.fixture
def manifest(tree: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.jsonl"
    list(hashmill.hash(tree, "sha256", output=path))
    return path


def spoil(tree: Path) -> None:
    (tree / "d1" / "f1").write_bytes(b"changed")
    (tree / "d2" / "f2").rename(tree / "d2" / "moved")
    (tree / "d3" / "new").write_bytes(b"this was not there")
    (tree / "d3" / "f3").unlink()


def categories(entries: Any) -> dict[str, str]:
    return {entry.category: os.path.basename(entry.path) for entry in entries.differences()}


SPOILT = {"changed": "f1", "moved": "moved", "new": "new", "missing": "f3"}


def test_folders_and_manifests_are_compared(tree: Path, manifest: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(tree, other)
    same = hashmill.diff(tree, other)
    assert same.ok and not same.differences() and "same: 40 matched" in repr(same)
    spoil(other)
    later = tmp_path / "later.jsonl"
    list(hashmill.hash(other, "sha256", output=later))
    for old, new in ((tree, other), (manifest, other), (manifest, later), (tree, later)):
        diff = hashmill.diff(old, new)
        assert not diff.ok and categories(diff) == SPOILT, (old, new)
        assert "DIFFERENT" in repr(diff) and "<td>moved</td>" in diff._repr_html_()
    changed = next(entry for entry in hashmill.diff(tree, other, algorithms="md5") if entry.category == "changed")
    assert changed.actual is not None
    assert changed.actual["digests"] == {"md5": hashlib.md5(b"changed").hexdigest()}
    assert hashmill.diff(tree, other, include="**/f1").counts["changed"] == 1
    assert asyncio.run(hashmill.aio.diff(tree, other)).counts == hashmill.diff(tree, other).counts


def test_comparisons_that_can_not_be(tree: Path, manifest: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="manifest"):
        hashmill.diff(manifest, tree, include="*")
    with pytest.raises(ValueError, match="manifest"):
        hashmill.diff(manifest, tree, algorithms="md5")
    with pytest.raises(ValueError, match="neither side"):
        hashmill.diff(tree, tree, min_strength="crc")
    with pytest.raises(ValueError, match="neither side"):
        hashmill.diff(tree, tree, download=True)
    with pytest.raises(FileNotFoundError):
        hashmill.diff(tree, tmp_path / "missing")
    with pytest.raises(hashmill.Error):
        (tmp_path / "none").write_bytes(b"\0\1")
        hashmill.diff(tree, tmp_path / "none")
    with pytest.raises(TypeError, match="files_from"):
        hashmill.diff(tree, tree, files_from="list")
    wrong: Any = hashmill.diff
    with pytest.raises(TypeError):
        wrong(tree, tree, nothing=1)
    with pytest.raises(TypeError):
        wrong([tree], tree)


def test_equal_files_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    for name, data in {"a": b"same" * 1000, "b": b"same" * 1000, "c": b"other", "d": b"other", "e": b"alone", "f": b"", "g": b""}.items():
        (folder / name).write_bytes(data)
    (folder / "h").hardlink_to(folder / "a")
    found = hashmill.dupes(folder)
    assert found.ok and not found.problems and len(found) == 2 and found.wasted == 4005
    first, second = found
    assert first.paths == [str(folder / "a"), str(folder / "b")] and first.links == {str(folder / "a"): [str(folder / "h")]}
    assert (first.size, first.algorithm, first.wasted) == (4000, "blake3", 4000)
    assert first.digest == hashmill.blake3(b"same" * 1000).hexdigest()
    assert list(second) == [str(folder / "c"), str(folder / "d")] and found[1] is second
    assert len(hashmill.dupes(folder, min_size=0)) == 3 and len(hashmill.dupes(folder, min_size=6)) == 1
    assert hashmill.dupes(folder, hashmill.sha256)[0].digest == hashlib.sha256(b"same" * 1000).hexdigest()
    assert len(asyncio.run(hashmill.aio.dupes(folder, exclude="b"))) == 1
    rows = pa.table(found).to_pylist()
    assert [(row["group"], Path(row["path"]).name, row["size"]) for row in rows] == [
        (0, "a", 4000), (0, "h", 4000), (0, "b", 4000), (1, "c", 5), (1, "d", 5),
    ]  # fmt: skip
    assert rows[1]["link_of"] == str(folder / "a") and rows[0]["link_of"] is None and rows[0]["digest"] == first.digest
    again: hashmill.Duplicates = pickle.loads(pickle.dumps(found))
    assert [group.paths for group in again] == [group.paths for group in found]
    lost = hashmill.dupes([folder, tmp_path / "missing"])
    assert not lost.ok and "missing" in lost.problems[0] and len(lost) == 2


def test_equal_files_of_manifests_are_found(tmp_path: Path) -> None:
    sums = tmp_path / "MD5SUMS"
    sums.write_text("".join(f"{'0' * 31}{number}  f{place}\n" for place, number in enumerate([1, 2, 1, 1])))
    found = hashmill.dupes(manifests=sums)
    assert [group.paths for group in found] == [["f0", "f2", "f3"]] and found[0].size is None
    assert found.ok and found[0].algorithm == "md5" and "md5" in found.problems[0] and found.wasted == 0
    with pytest.raises(ValueError, match="alone"):
        hashmill.dupes("folder", manifests=sums)
    with pytest.raises(ValueError, match="alone"):
        hashmill.dupes(manifests=sums, include="*")
    with pytest.raises(ValueError):
        hashmill.dupes(tmp_path, "crc32")
    with pytest.raises(FileNotFoundError):
        hashmill.dupes(manifests=tmp_path / "missing")


def test_manifests_are_converted(manifest: Path, tmp_path: Path) -> None:
    made = hashmill.convert(manifest, tmp_path / "m.csv")
    assert made and made.ok and (made.malformed, made.refused, made.problems) == (0, 0, [])
    assert (tmp_path / "m.csv").read_text().startswith("path,")
    hashmill.convert(tmp_path / "m.csv", tmp_path / "again.parquet", format="parquet", memory="1M")
    assert hashmill.audit(tmp_path / "again.parquet").ok
    with pytest.raises(hashmill.Error, match="sums"):
        (tmp_path / "sized.jsonl").write_text('{"path":"a","size":3,"status":"unreadable"}\n')
        hashmill.convert(tmp_path / "sized.jsonl", tmp_path / "sums", format="sums")
    assert not (tmp_path / "sums").exists()
    assert hashmill.convert(tmp_path / "sized.jsonl", tmp_path / "sums", format="sums", lossy=True).problems
    with pytest.raises(ValueError, match="no format"):
        hashmill.convert(manifest, tmp_path / "x", format="nothing")
    with pytest.raises(ValueError):
        hashmill.convert(manifest, tmp_path / "no-ending")
    with pytest.raises(FileNotFoundError):
        hashmill.convert(tmp_path / "missing", tmp_path / "x.csv")
    (tmp_path / "photo.csv").write_bytes(b"\xff\xd8\xff\xe0 a photo")
    with pytest.raises((hashmill.Error, OSError)):
        hashmill.convert(manifest, tmp_path / "photo.csv")
    assert hashmill.convert(manifest, tmp_path / "photo.csv", force=True)
    wrong: Any = hashmill.convert
    with pytest.raises(TypeError, match="threads"):
        wrong(manifest, tmp_path / "x.csv", threads=2)
    assert asyncio.run(hashmill.aio.convert(manifest, tmp_path / "y.csv")).ok


def test_bags_are_made_and_verified(tree: Path, tmp_path: Path) -> None:
    bag = tmp_path / "bag"
    made = hashmill.bag.make(tree, bag, algorithms="md5,sha256", info={"Contact-Name": "A. Author"})
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file())
    assert (made.files, made.bytes) == (40, size)
    assert "Contact-Name: A. Author" in (bag / "bag-info.txt").read_text()
    lines = (bag / "manifest-sha256.txt").read_text().splitlines()
    for line in lines:
        digest, name = line.split("  ", 1)
        assert hashlib.sha256((bag / name).read_bytes()).hexdigest() == digest
    found = hashmill.bag.verify(bag)
    assert found and found.verdict == "valid" and found.algorithms == ["md5", "sha256"] and found.files == 40
    (bag / "data" / "d1" / "f1").write_bytes(b"x")
    spoilt = hashmill.bag.verify(bag, threads=1)
    assert not spoilt and {finding.severity for finding in spoilt.findings} >= {"bad"}
    assert any(finding.path == "data/d1/f1" for finding in spoilt.findings)
    assert hashmill.bag.verify(bag, "complete").ok and hashmill.bag.verify(bag, "oxum").ok
    assert (hashmill.bag.make(tree).files, hashmill.bag.verify(tree).ok) == (40, True)
    # Anybody can forge a file with a checksum.
    weak = tmp_path / "weak"
    (weak / "data").mkdir(parents=True)
    (weak / "data" / "a").write_bytes(b"abc")
    (weak / "bagit.txt").write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    (weak / "manifest-crc32.txt").write_text("352441c2  data/a\n")
    assert not hashmill.bag.verify(weak) and hashmill.bag.verify(weak, allow_weak=True)


def test_bags_that_can_not_be(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="checksum"):
        hashmill.bag.make(tree, algorithms="crc32")
    with pytest.raises(ValueError, match="Oxum"):
        hashmill.bag.make(tree, info={"Payload-Oxum": "1.1"})
    with pytest.raises(FileExistsError):
        hashmill.bag.make(tree, tmp_path)
    with pytest.raises(FileNotFoundError):
        hashmill.bag.make(tmp_path / "missing")
    with pytest.raises(FileNotFoundError):
        hashmill.bag.verify(tmp_path / "missing")
    with pytest.raises(NotADirectoryError):
        hashmill.bag.verify(tree / "d1" / "f1")
    with pytest.raises(hashmill.Error, match="bagit.txt"):
        hashmill.bag.verify(tree)
    wrong: Any = "everything"
    with pytest.raises(ValueError, match="level"):
        hashmill.bag.verify(tree, wrong)
    (tree / "line\nbreak").write_bytes(b"")
    (tree / "fifo").unlink(missing_ok=True)
    os.mkfifo(tree / "fifo")
    with pytest.raises(hashmill.Error, match="fifo"):
        hashmill.bag.make(tree)
    assert not (tree / "data").exists()
    (tree / "fifo").unlink()
    hashmill.bag.make(tree)
    with pytest.raises(hashmill.Error, match="already"):
        hashmill.bag.make(tree)


def test_audits_are_arrow(tree: Path, manifest: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tree) + b"/odd-\xff"))
    odd.write_bytes(b"odd")
    spoil(tree)
    audit = hashmill.audit(manifest, tree)
    table = pa.table(audit)
    assert table.num_rows == len(audit)
    assert table["category"].to_pylist() == [entry.category for entry in audit]
    rows = {row["category"]: row for row in table.to_pylist() if row["category"] != "matched" and row["path_b64"] is None}
    assert rows["changed"]["actual_sha256"] == hashlib.sha256(b"changed").hexdigest()
    assert rows["changed"]["expected_size"] == 1 and rows["changed"]["actual_size"] == 7
    assert rows["moved"]["known_path"] == str(tree / "d2" / "f2")
    assert rows["missing"]["actual_sha256"] is None and len(rows["missing"]["expected_sha256"]) == 64
    assert sum(path is not None for path in table["path_b64"].to_pylist()) == 1
    assert pl.DataFrame(audit)["category"].to_list() == table["category"].to_pylist()
    assert pa.schema(audit) == table.schema
    assert pa.table(audit) == table
    clean = pa.table(hashmill.audit(manifest, tree / "d4"))
    assert set(clean["category"].to_pylist()) == {"matched"}
    sums = manifest.with_name("SUMS")
    sums.write_text(f"{hashlib.sha256(b'odd').hexdigest()}  nothing\n")
    assert pa.table(hashmill.check(sums))["category"].to_pylist() == ["missing"]
    assert pa.table(hashmill.diff(manifest, tree)).column_names[:2] == ["category", "path"]
    nothing = pa.table(hashmill.Audit([], [], {}, True, 0, 0.0))
    assert nothing.num_rows == 0 and nothing.column_names[0] == "category"


def test_results_are_pickled(tree: Path, manifest: Path) -> None:
    spoil(tree)
    (tree / "d4" / "f4").chmod(0o000)
    for compared in (hashmill.audit(manifest, tree), hashmill.check(manifest), hashmill.diff(manifest, tree)):
        again = pickle.loads(pickle.dumps(compared))
        assert type(again) is type(compared) and repr(again) == repr(compared) and again.ok is compared.ok
        assert again.entries == compared.entries and again.counts == compared.counts
        assert [(entry.expected, entry.actual, entry.reason) for entry in again] == [
            (entry.expected, entry.actual, entry.reason) for entry in compared
        ]
        assert pa.table(again) == pa.table(compared)


def test_a_pickle_of_nonsense_is_refused(tree: Path, manifest: Path) -> None:
    entry: Any = hashmill.audit(manifest, tree).entries[0]
    make, parts = entry.__reduce__()
    for side in ((1, None, [("nothing", b"1", False)]), (1, None, [("md5", bytes(65), False)])):
        with pytest.raises(ValueError):
            make(*parts[:-1], (side, None, None))
    assert make(*parts) == entry


def test_a_check_has_a_base(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sums = tmp_path / "lists" / "SHA256SUMS"
    sums.parent.mkdir()
    names = sorted(str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file())
    sums.write_text("".join(f"{hashlib.sha256((tree / name).read_bytes()).hexdigest()}  {name}\n" for name in names))
    assert hashmill.check(sums).counts["missing"] == len(names)
    for base in (tree, str(tree), os.fsencode(tree)):
        check = hashmill.check(sums, base=base)
        assert check.ok and check.counts["matched"] == len(names)
    monkeypatch.chdir(tmp_path)
    assert hashmill.check(sums, base="tree").ok
    assert hashmill.check(sums, base=tmp_path / "missing").counts["missing"] == len(names)
    assert json.loads(json.dumps(hashmill.check(sums, base=tree).counts))["matched"] == len(names)
