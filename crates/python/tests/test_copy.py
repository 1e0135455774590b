"""Copies: what arrives, and what the result says."""

import os
from pathlib import Path

import hashmill
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


def test_nonsense_is_refused(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        hashmill.copy(tree)
    with pytest.raises(ValueError):
        hashmill.copy(tree, tmp_path / "to", verify="never")  # type: ignore[arg-type]
    with pytest.raises((ValueError, OSError, hashmill.Error)):
        hashmill.copy(tree, tree / "d")
    assert not (tmp_path / "to").exists()
