"""Copies: what arrives, and what the result says."""

import os
from pathlib import Path

import hashmill
import hashmill.bag
import pytest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "d").mkdir(parents=True)
    (folder / "a").write_bytes(b"abc")
    (folder / "d" / "b").write_bytes(b"x" * 3_000_000)
    os.symlink("a", folder / "link")
    return folder


def test_files_arrive_at_each_destination(tree: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    copied = hashmill.copy(f"{tree}/", one, two, algorithms="md5,sha256")
    assert copied and copied.ok and copied.problems == []
    for place, found in zip((one, two), copied.destinations, strict=True):
        assert (place / "d" / "b").read_bytes() == b"x" * 3_000_000
        assert os.readlink(place / "link") == "a"
        assert (found.copied, found.bytes, found.links) == (2, 3_000_003, 1)
        assert found.verified + found.only_from_cache == 2


def test_what_is_there_is_kept_or_replaced(tree: Path, tmp_path: Path) -> None:
    to = tmp_path / "to"
    hashmill.copy([tree], to, verify="no")
    (to / "tree" / "a").write_bytes(b"abd")
    kept = hashmill.copy([tree], to, verify="no")
    assert not kept and kept.destinations[0].kept == 1 and kept.destinations[0].same == 2
    assert "not copied" in kept.problems[0]
    assert hashmill.copy([tree], to, verify="no", force=True)
    assert (to / "tree" / "a").read_bytes() == b"abc"


def test_destinations_get_manifests(tree: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert hashmill.copy(f"{tree}/", one, two, manifest="sums", algorithms="sha256")
    for place in (one, two):
        assert sorted(line.split()[1] for line in (place / "SHA256SUMS").read_text().splitlines()) == ["a", "d/b"]
    assert hashmill.check(one / "SHA256SUMS")
    # A format says which digests it needs; a history goes on.
    for _ in range(2):
        assert hashmill.copy(f"{tree}/", one, manifest="ascmhl")
    assert len(list((one / "ascmhl").glob("*.mhl"))) == 2
    with pytest.raises(ValueError, match="no format"):
        hashmill.copy(tree, one, manifest="nonsense")
    with pytest.raises(ValueError, match="bag"):
        hashmill.copy(tree, one, info={"A": "b"})


def test_destinations_become_bags(tree: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with pytest.raises((ValueError, hashmill.Error), match="bag"):
        hashmill.copy(f"{tree}/", one, two, manifest="bag")
    assert not one.exists()
    (tree / "link").unlink()
    for expected in ("made", "valid"):
        copied = hashmill.copy(f"{tree}/", one, two, manifest="bag", info={"Contact-Name": "A"})
        assert copied and [place.bag for place in copied.destinations] == [expected, expected]
    for place in (one, two):
        verified = hashmill.bag.verify(place)
        assert verified and verified.algorithms == ["sha256", "sha512"]
        assert "Contact-Name: A\n" in (place / "bag-info.txt").read_text()
    assert hashmill.copy(f"{tree}/", tmp_path / "three").destinations[0].bag is None


def test_nonsense_is_refused(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        hashmill.copy(tree)
    with pytest.raises(ValueError):
        hashmill.copy(tree, tmp_path / "to", verify="never")  # type: ignore[arg-type]
    with pytest.raises((ValueError, OSError, hashmill.Error)):
        hashmill.copy(tree, tree / "d")
    assert not (tmp_path / "to").exists()
