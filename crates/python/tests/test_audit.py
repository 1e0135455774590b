"""Audits against manifests, and checks of lists."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import hashmill
import pytest


@pytest.fixture
def manifest(tree: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.jsonl"
    list(hashmill.hash(tree, "sha256", output=path))
    return path


def test_what_is_as_it_was_passes(tree: Path, manifest: Path) -> None:
    audit = hashmill.audit(manifest, tree)
    assert audit.ok and not audit.problems and not audit.differences()
    assert audit.counts["matched"] == len(audit) == 40
    assert "passed" in repr(audit) and "passed" in audit._repr_html_()
    assert hashmill.audit(str(manifest)).ok


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such name")
def test_what_differs_is_told(tree: Path, manifest: Path) -> None:
    (tree / "d1" / "f1").write_bytes(b"changed")
    (tree / "d2" / "f2").rename(tree / "d2" / "moved <&>")
    (tree / "d3" / "new").write_bytes(b"this was not there")
    (tree / "d3" / "f3").unlink()
    audit = hashmill.audit(manifest, tree)
    found = {entry.category: entry for entry in audit.differences()}
    assert not audit.ok
    assert found["changed"].path == str(tree / "d1" / "f1")
    assert found["moved"].path == str(tree / "d2" / "moved <&>")
    assert found["moved"].known_path == str(tree / "d2" / "f2")
    assert found["missing"].path == str(tree / "d3" / "f3")
    assert found["new"].path == str(tree / "d3" / "new")
    assert "moved &lt;&amp;&gt;" in audit._repr_html_()
    after = manifest.with_name("next.jsonl")
    hashmill.audit(manifest, tree, update=after)
    assert hashmill.audit(after, tree).ok


def test_results_have_the_account(tree: Path, manifest: Path, tmp_path: Path) -> None:
    (tree / "d1" / "f1").write_bytes(b"changed")
    (tree / "d3" / "f3").unlink()
    wanted = {"records": {"done": 38, "differs": 2}}
    audit, check, diff = hashmill.audit(manifest, tree), hashmill.check(manifest), hashmill.diff(manifest, tree)
    for found in (audit, check, diff):
        assert found.account == wanted and not found.ok, found
    broken = tmp_path / "broken.sha256"
    broken.write_text(f"{hashlib.sha256(b'x').hexdigest()}  {tree / 'd2' / 'f2'}\n1234  x\n")
    check = hashmill.check(broken)
    assert check.account["records"]["failed"] == 1 and not check.ok


def test_manifests_that_are_none_are_told(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        hashmill.audit(tmp_path / "missing", tree)
    other = tmp_path / "other"
    other.write_bytes(b"\x00\x01 this is no manifest\n")
    with pytest.raises(hashmill.Error, match="other"):
        hashmill.audit(other, tree)
    with pytest.raises(TypeError, match="give paths"):
        hashmill.audit(other, include="*")


def test_a_check_counts_what_the_command_counts(tree: Path, tmp_path: Path) -> None:
    file = next(path for path in sorted(tree.rglob("*")) if path.is_file())
    line = f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file}\n"
    sums = tmp_path / "SHA256SUMS"
    sums.write_text(line + "this is a title\n")
    check = hashmill.check(sums)
    assert (check.ok, check.malformed, check.notes) == (True, 0, 1) and len(check.problems) == 1
    strict = hashmill.check(sums, strict=True)
    assert (strict.ok, strict.malformed, strict.notes) == (False, 1, 0)
    sums.write_text(line + f"1234  {file}\n")
    check = hashmill.check(sums)
    assert (check.ok, check.malformed, check.notes) == (False, 1, 0) and len(check.problems) == 1


def test_what_could_not_be_compared_is_an_entry(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_bytes(b"abc")
    sums = tmp_path / "sums"
    sums.write_text(f"MD2 ({tmp_path}/d/a) = {'0' * 32}\nMD5 ({tmp_path}/d/b) = {'0' * 32}\n")
    (tmp_path / "d" / "b").write_bytes(b"abd")
    audit = hashmill.audit(sums, tmp_path / "d")
    assert not audit.ok
    manifest = audit.run["manifest"]
    assert (manifest["path"], manifest["sha256"]) == (sums.as_posix(), hashlib.sha256(sums.read_bytes()).hexdigest())
    assert audit.run["operands"] == [(tmp_path / "d").as_posix()] and audit.run["started"] <= audit.run["ended"]
    assert [(entry.category, entry.path) for entry in audit] == [
        ("unsupported", f"{tmp_path.as_posix()}/d/a"),
        ("changed", f"{tmp_path.as_posix()}/d/b"),
    ]
    for word, number in audit.counts.items():
        assert number == sum(entry.category == word for entry in audit), word


def test_secrets_of_locations_are_in_no_exception(tmp_path: Path) -> None:
    for address in ("http://127.0.0.1:1/f?sig=hunter2", "s3://me:hunter2@bucket/key", "https://me:hunter2@h/f"):
        records = []
        with contextlib.suppress(Exception):
            records = list(hashmill.hash(address))
        assert "hunter2" not in repr(records) + repr([record.error for record in records])
        for call in (hashmill.audit, hashmill.check, lambda place: hashmill.hash(place, raise_on_error=True).__next__()):
            with pytest.raises(Exception) as caught:
                call(address)
            assert "hunter2" not in str(caught.value) + repr(caught.value)


def test_stores_of_digests_are_checked(tmp_path: Path) -> None:
    folder = tmp_path / "files" / "md5"
    for data in (b"one", b"two"):
        name = hashlib.md5(data).hexdigest()
        (folder / name[:2]).mkdir(parents=True, exist_ok=True)
        (folder / name[:2] / name[2:]).write_bytes(data)
    stores: list[dict[str, str]] = [{"store": "dvc"}, {"name_is": "md5"}]
    for options in stores:
        place = tmp_path if "store" in options else folder
        check = hashmill.check(place, **options)  # type: ignore[arg-type]
        assert check.ok and check.counts["matched"] == 2 and check.account == {"records": {"done": 2}}, check.problems
    name = hashlib.md5(b"two").hexdigest()
    (folder / name[:2] / name[2:]).write_bytes(b"other")
    damaged = hashmill.check(tmp_path, store="dvc")
    assert not damaged.ok and [entry.category for entry in damaged.differences()] == ["changed"]
    with pytest.raises(ValueError, match="no kind of store 'dvd'; there are .*dvc"):
        hashmill.check(tmp_path, store="dvd")
    refused: list[dict[str, object]] = [{"name_is": "md5"}, {"base": "x"}, {"strict": True}, {"algorithm": "md5"}]
    for other in refused:
        with pytest.raises(ValueError, match="one folder"):
            hashmill.check(tmp_path, store="dvc", **other)  # type: ignore[arg-type]


def test_lists_are_checked(tree: Path, tmp_path: Path) -> None:
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}\n" for path in files]
    sums = tmp_path / "SHA256SUMS"
    sums.write_text("".join(lines))
    check = hashmill.check(sums)
    assert check.ok and check.counts["matched"] == len(files)
    files[3].write_bytes(b"changed")
    files[5].unlink()
    check = hashmill.check([sums], threads=2)
    assert not check.ok
    assert [(entry.category, entry.path) for entry in check.differences()] == [
        ("changed", files[3].as_posix()),
        ("missing", files[5].as_posix()),
    ]
    changed, missing = check.differences()
    assert changed.expected == {"digests": {"sha256": lines[3].split()[0]}}
    assert changed.actual is not None and changed.actual["size"] == 7
    assert changed.actual["digests"] == {"sha256": hashlib.sha256(b"changed").hexdigest()}
    assert missing.expected == {"digests": {"sha256": lines[5].split()[0]}} and missing.actual is None
    assert all(entry.expected is None for entry in check if entry.category == "matched")
    with pytest.raises(FileNotFoundError):
        hashmill.check(tmp_path / "missing")
