"""Trees, sets of known digests, likeness, images, signatures, seals, asyncio, other packages' results."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import hashmill
import hashmill.aio
import hashmill.compat.checksumdir
import hashmill.compat.dirhash
import hashmill.image
import hashmill.known
import hashmill.similar
import pyarrow as pa
import pytest
from missing import installed


def test_trees_are_gits(tree: Path) -> None:
    def git(*arguments: str) -> str:
        environment = {"GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tree), "PATH": os.environ["PATH"]}
        made = subprocess.run(["git", *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=True)
        return made.stdout.strip()

    digest = hashmill.tree(tree, "git")
    git("init", "-q")
    git("add", "-A")
    assert digest == git("write-tree")
    shutil.rmtree(tree / ".git")
    assert hashmill.tree(tree, "swhid") == f"swh:1:dir:{digest}"
    assert hashmill.tree(tree, ["git", "swhid"]) == {"git": digest, "swhid": f"swh:1:dir:{digest}"}
    assert hashmill.tree(tree).startswith("h1:")
    with pytest.raises(ValueError, match="dirhash"):
        hashmill.tree(tree, "nothing")
    with pytest.raises(FileNotFoundError):
        hashmill.tree(tree / "missing")
    with pytest.raises(NotADirectoryError):
        hashmill.tree(tree / "d1" / "f1")


def test_known_sets_are_built_and_asked(tree: Path, tmp_path: Path) -> None:
    bad, good = b"evil", b"fine"
    lists = {}
    for category, data in (("bad", bad), ("good", good)):
        lists[category] = tmp_path / f"{category}.sha256"
        lists[category].write_text(f"{hashlib.sha256(data).hexdigest()}  {category}\n")
    index = tmp_path / "known"
    hashmill.known.build(index, lists)
    sets = hashmill.known.Sets(index)
    answers = sets.query([hashlib.sha256(bad).hexdigest(), hashlib.sha256(good).digest(), "00" * 32])
    assert [answer and answer["category"] for answer in answers] == ["bad", "good", None]
    assert hashmill.known.verify(index) == sets.about()[0]["identity"]
    (tree / "found").write_bytes(bad)
    categories = {each.path: each.category for each in hashmill.known.match(index, tree, "sha256")}
    assert categories[str(tree / "found")] == "bad"
    assert categories[str(tree / "d1" / "f1")] == "unknown"
    with pytest.raises(ValueError):
        sets.query(["no digest"])
    with pytest.raises(FileNotFoundError):
        hashmill.known.Sets(tmp_path / "missing")
    with pytest.raises(hashmill.Error):
        hashmill.known.Sets(lists["bad"])


def test_likeness(tmp_path: Path) -> None:
    draw = random.Random(1)
    lines = [f"{draw.random()} of line {number}\n" for number in range(3000)]
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("".join(lines))
    b.write_text("".join([*lines[:1500], "another line\n", *lines[1500:]]))
    (tmp_path / "c").write_bytes(draw.randbytes(50_000))
    (pair,) = hashmill.similar.pairs(tmp_path)
    assert (pair.a, pair.b) == (str(a), str(b)) and pair.score > 80
    digests = [hashmill.similar.digest(path.read_bytes()) for path in (a, b)]
    assert digests[0] is not None and digests[1] is not None
    assert hashmill.similar.compare(digests[0], digests[1]) == pair.score
    assert hashmill.similar.compare_files(a, b) == pair.score
    assert hashmill.similar.digest(b"short", "tlsh") is None
    assert set(hashmill.similar.algorithms) >= {"ssdeep", "tlsh", "sdhash", "mrsh-v2"}
    with pytest.raises(ValueError, match="unknown algorithm"):
        hashmill.similar.digest(b"", "ssdep")
    with pytest.raises(ValueError):
        hashmill.similar.compare("no", "digest")
    with pytest.raises(FileNotFoundError):
        hashmill.similar.compare_files(a, tmp_path / "missing")


def test_images(tmp_path: Path) -> None:
    raw = tmp_path / "disk.dd"
    raw.write_bytes(bytes(100 * 512))
    installed("ewfacquirestream")
    facts = "-q -C 1 -D desc -e examiner -E ev1 -N notes -m fixed -M physical".split()
    command = ["ewfacquirestream", *facts, "-t", str(tmp_path / "disk")]
    subprocess.run(command, input=raw.read_bytes(), check=True, capture_output=True)
    info = hashmill.image.info(tmp_path / "disk.E01")
    assert info["media_size"] == 100 * 512
    (good,) = hashmill.image.verify(tmp_path / "disk.E01", threads=2)
    assert good["verdict"] in hashmill.image.GOOD
    (refused,) = hashmill.image.verify(tmp_path / "missing.E01")
    assert refused["verdict"] == "unreadable" and refused["error"]
    with pytest.raises(FileNotFoundError):
        hashmill.image.info(tmp_path / "missing.E01")


def test_a_layer_over_a_file_that_is_named(tmp_path: Path) -> None:
    installed("qemu-img")
    base, layer = tmp_path / "base.img", tmp_path / "layers" / "top.qcow2"
    base.write_bytes(bytes(range(256)) * 4096)
    layer.parent.mkdir()
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", base, layer], check=True)
    assert hashmill.image.info(layer, backing=base)["media_size"] == 1 << 20
    with pytest.raises(hashmill.Error, match="was not given"):
        hashmill.image.info(layer)
    (checked,) = hashmill.image.verify(layer, algorithms=["md5"], backing=[base])
    assert checked["verdict"] == "no-digest"
    (record,) = hashmill.hash(layer.parent, "sha256", images=True, backing=iter([base]))
    assert record["sha256"] == hashlib.sha256(base.read_bytes()).hexdigest()


def test_entries_inside_of_images_have_their_facts(tmp_path: Path) -> None:
    installed("mkfs.vfat", "mattrib")
    image, kept, gone = tmp_path / "disk.img", tmp_path / "kept", tmp_path / "gone"
    kept.write_bytes(b"kept")
    gone.write_bytes(b"gone")
    commands: list[list[str | Path]] = [
        ["mkfs.vfat", "-C", image, "2048"],
        ["mcopy", "-i", image, kept, gone, "::"],
        ["mattrib", "+h", "-a", "-i", image, "::kept"],
        ["mdel", "-i", image, "::gone"],
    ]
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    options: dict[str, Any] = {"inside": ["images"], "deleted": True}
    entries = {record.path.rpartition("/")[2]: record for record in hashmill.hash(image, "md5", **options)}
    without = [record.path for record in hashmill.hash(image, "md5", only_inside=True, **options)]
    assert sorted(path.rpartition("/")[2] for path in without) == sorted(entries.keys() - {image.name}), without
    there, deleted = entries["kept"], entries["_one"]
    assert (there.container, there.allocation, there.attributes) == ("fat12", None, "hidden")
    assert (deleted.container, deleted.allocation, deleted.attributes) == ("fat12", "intact", "archive")
    assert there.crtime_ns and there.atime_ns and there["md5"] == hashlib.md5(b"kept").hexdigest()
    table = pa.table(hashmill.hash(image, "md5", **options)).to_pylist()
    rows = {row["path"].rpartition("/")[2]: row for row in table}
    facts = ("container", "allocation", "attributes")
    assert [rows["_one"][key] for key in facts] == ["fat12", "intact", "archive"]
    assert rows["kept"]["attributes"] == "hidden" and rows["kept"]["crtime"] and rows["disk.img"]["container"] is None


@pytest.fixture
def manifest(tree: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.jsonl"
    list(hashmill.hash(tree, "sha256", output=path))
    return path


def test_signatures(manifest: Path, tmp_path: Path) -> None:
    installed("ssh-keygen")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret words", "-f", str(key)], check=True)
    with pytest.raises(hashmill.Error):
        hashmill.sign(manifest, key)
    (signature,) = hashmill.sign(manifest, key, passphrase="secret words")
    assert signature == f"{manifest}.sig"
    assert hashmill.verify(manifest, public_keys=f"{key}.pub")
    assert not hashmill.verify(manifest)
    manifest.write_bytes(manifest.read_bytes() + b"\n")
    broken = hashmill.verify(manifest, public_keys=f"{key}.pub")
    assert not broken and "BROKEN" in repr(broken)
    with pytest.raises(FileNotFoundError):
        hashmill.verify(tmp_path / "missing")


def test_seals_and_proofs(manifest: Path, tree: Path, tmp_path: Path) -> None:
    place, root, records = hashmill.seal(manifest)
    assert place == f"{manifest}.seal" and records == 40
    assert hashmill.verify_seal(manifest, root=root)
    proof = tmp_path / "proof"
    wanted = tree / "d1" / "f1"
    proof.write_bytes(hashmill.prove(manifest, wanted))
    proven = hashmill.verify_proof(proof, root=root)
    assert proven and [each.path for each in proven.records] == [str(wanted)]
    assert not hashmill.verify_proof(proof, root="00" * 32)
    with pytest.raises(ValueError, match="trust"):
        hashmill.verify_proof(proof)
    with pytest.raises(hashmill.Error, match="no record"):
        hashmill.prove(manifest, tree / "missing")
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(lines[:-1]))
    assert not hashmill.verify_seal(manifest)


def test_asyncio(tree: Path, manifest: Path) -> None:
    async def work() -> None:
        whole = await hashmill.aio.hash(tree, "sha256")
        assert whole == list(hashmill.hash(tree, "sha256"))
        assert [each async for each in hashmill.aio.hash(tree, "sha256")] == whole
        digests = await asyncio.gather(*(hashmill.aio.file_digest(each.path, "sha256") for each in whole))
        assert [each["sha256"] for each in whole] == [each["sha256"] for each in digests]
        assert (await hashmill.aio.audit(manifest, tree)).ok
        assert len(await hashmill.aio.digest_many([b"a", b"b"], "md5")) == 2
        assert (await hashmill.aio.file_digest(io.BytesIO(b"abc"), "md5"))["md5"] == hashlib.md5(b"abc").hexdigest()

    asyncio.run(work())


def test_a_cancelled_task_ends_its_run(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as file:
        file.truncate(64 << 30)

    large, manifest, sums = tmp_path / "large", tmp_path / "manifest", tmp_path / "sums"
    manifest.write_text(f'{{"path":"{large}","size":{64 << 30},"status":"hashed","whirlpool":"{"00" * 64}"}}\n')
    sums.write_text(f"{'00' * 64}  {large}\n")
    # A file object that gives zeros without end.
    endless = open("/dev/zero", "rb")
    rows = [memoryview(bytes(1 << 20))] * 60_000

    async def work() -> None:
        for task in (
            hashmill.aio.hash(tmp_path, "whirlpool")._all(),
            hashmill.aio.file_digest(large, "whirlpool"),
            hashmill.aio.file_digest(endless, "whirlpool"),
            hashmill.aio.digest_many(rows, "whirlpool"),
            hashmill.aio.audit(manifest),
            hashmill.aio.check(sums),
        ):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(task, 0.3)

    # asyncio.run waits for its threads, so this ends only if each run does: to its end, one would take hours.
    asyncio.run(work())
    endless.close()


def test_checksumdirs_results(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import checksumdir

    (tree / ".hidden").mkdir()
    (tree / ".hidden" / "file.txt").write_bytes(b"x")
    (tree / "link").symlink_to(tree / "d1")
    (tree / "dangling").symlink_to("nowhere")
    monkeypatch.chdir(tree.parent)
    options: dict[str, Any]
    for options in (
        {},
        {"hashfunc": "sha256"},
        {"ignore_hidden": True},
        {"followlinks": True},
        {"excluded_files": ["f1", "f2"]},
        {"excluded_extensions": ["txt"]},
        {"include_paths": True},
    ):
        theirs = checksumdir.dirhash(str(tree), **options)
        assert hashmill.compat.checksumdir.dirhash(str(tree), **options) == theirs, options
    with pytest.raises(TypeError):
        hashmill.compat.checksumdir.dirhash("nowhere")


PATTERNS = [
    ["*"], ["f1"], ["f1*"], ["d1/"], ["/d1"], ["d1/f1"], ["/f1"], ["**/f1"], ["d1/**"], ["**"], ["*", "!f?"], ["*", "!d[12]"],
    ["*", "!d[!12]/"], ["d*/f[0-4]"], ["*", "!*", "f2*"], ["d1/*", "!d1/f6"], ["d1/**/f6"], ["**/d1/**"], ["*/f3"], ["[f]*"],
    ["#f1", "f2"], ["", "f3"], ["/", "f4"], [r"f\1"], ["f[1"], ["*", "!link"], ["linked/"], ["*", "!/d1/"], ["d?/f1?"], ["!f1"],
]  # fmt: skip
"""Patterns of every kind, which select as dirhash's own library has it."""


def test_patterns_are_those_of_dirhash() -> None:
    import pathspec
    from hashmill.compat import _patterns
    from pathspec.patterns.gitwildmatch import GitWildMatchPattern

    names = ["a", "b", "ab", "a.b", ".a", "[", "a]", "d"]
    paths = [*names, *(f"{one}/{two}" for one in names for two in names), "a/b/a", "d/a/b/c", "a/a/a/a"]
    parts = ["a", "*", "**", "?", "[ab]", "[!a]", "*.b", ".*", "a*", "d"]
    made = [f"{start}{one}{end}" for start in ("", "/", "!") for one in parts for end in ("", "/")]
    made += [f"{start}{one}/{two}{end}" for start in ("", "/") for one in parts for two in parts for end in ("", "/")]
    made += [f"{one}/**/{two}" for one in parts for two in parts]
    for pattern in made:
        theirs = pathspec.PathSpec.from_lines(GitWildMatchPattern, ["*", "!" + pattern] if pattern[0] != "!" else [pattern])
        ours = _patterns.matcher(["*", "!" + pattern] if pattern[0] != "!" else [pattern])
        for path in paths:
            assert ours(path) == theirs.match_file(path), (pattern, path)


def test_dirhashs_results(tree: Path, tmp_path: Path) -> None:
    import dirhash

    (tree / "empty" / "inner").mkdir(parents=True)
    (tree / "link").symlink_to(tree / "d1" / "f1")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_bytes(b"outside")
    (tree / "linked").symlink_to(tmp_path / "outside")
    options: dict[str, Any]
    for algorithm in ("md5", "sha256"):
        for options in (
            {},
            {"linked_dirs": False},
            {"linked_files": False},
            {"empty_dirs": True},
            {"entry_properties": ["name"]},
            {"entry_properties": ["data"]},
        ):
            theirs = dirhash.dirhash(str(tree), algorithm, **options)
            assert hashmill.compat.dirhash.dirhash(tree, algorithm, **options) == theirs, options
    with pytest.raises(ValueError, match="is_link"):
        hashmill.compat.dirhash.dirhash(tree, "md5", entry_properties=["name", "is_link"])
    for patterns in PATTERNS:
        try:
            theirs = dirhash.dirhash(str(tree), "md5", match=patterns, empty_dirs=True)
        except ValueError:
            continue
        assert hashmill.compat.dirhash.dirhash(tree, "md5", patterns, empty_dirs=True) == theirs, patterns
    theirs = dirhash.dirhash(str(tree), "md5", ignore=["d2/", "f1*"], jobs=2)
    assert hashmill.compat.dirhash.dirhash(tree, "md5", ignore=["d2/", "f1*"], jobs=2) == theirs
    with pytest.raises(ValueError, match="Nothing to hash"):
        hashmill.compat.dirhash.dirhash(tree, "md5", match=["nothing"])
    (tree / "circle").symlink_to(tree)
    with pytest.raises(OSError, match="lies in"):
        hashmill.compat.dirhash.dirhash(tree, "md5")
    with pytest.raises(ValueError, match="Nothing to hash"):
        hashmill.compat.dirhash.dirhash(tree / "empty", "md5")
