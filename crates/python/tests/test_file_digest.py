"""Digests of one file."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Any

import hashmill
import pytest

NAMES = ["md5", "sha1", "sha256"]


@pytest.mark.parametrize("size", [0, 1, 5000, (4 << 20) + 7])
def test_paths_and_file_objects_give_the_same(tmp_path: Path, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    data = data[:size]
    path = tmp_path / "file"
    path.write_bytes(data)
    expected = {name: hashlib.new(name, data).hexdigest() for name in NAMES}
    for given in (path, str(path), os.fsencode(path)):
        assert hashmill.file_digest(given, NAMES) == expected
    assert hashmill.file_digest(path, "md5,sha1,sha256") == expected
    assert list(hashmill.file_digest(path, ["sha1", hashmill.md5])) == ["sha1", "md5"]
    for buffering in (0, -1):
        with open(path, "rb", buffering) as file:
            assert hashmill.file_digest(file, NAMES) == expected
    assert hashmill.file_digest(io.BytesIO(data), NAMES) == expected


@pytest.mark.parametrize("size", [0, 1, 3000, 65_536, 65_537])
def test_a_small_file_has_the_digests_that_the_engine_gives(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(size))
    names = sorted(hashmill.algorithms_available)
    (record,) = hashmill.hash(path, names)
    assert hashmill.file_digest(path, names) == record.digests


@pytest.mark.skipif(os.name == "nt", reason="of Linux")
def test_a_file_without_a_true_size_is_read_to_its_end() -> None:
    path = Path("/proc/version")
    assert hashmill.file_digest(path, "md5") == {"md5": hashlib.md5(path.read_bytes()).hexdigest()}



def test_progress_is_told(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(bytes(3 << 20))
    told: list[tuple[int, int, int, int, bool]] = []
    wanted = {"md5": hashlib.md5(bytes(3 << 20)).hexdigest()}
    assert hashmill.file_digest(large, "md5", progress=lambda *numbers: told.append(numbers)) == wanted
    assert told[-1] == (1, 1, 3 << 20, 3 << 20, True)
    for file in (open(large, "rb"), io.BytesIO(bytes(3 << 20))):
        told.clear()
        with file:
            assert hashmill.file_digest(file, "md5", progress=lambda *numbers: told.append(numbers)) == wanted
        assert told[-1] == (1, 1, 3 << 20, 3 << 20, True)


def test_a_small_file_takes_the_options_of_a_large_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    expected = {"md5": hashlib.md5(b"abc").hexdigest()}
    all_options: list[dict[str, Any]] = [
        {"io": "direct"},
        # Wine has no such priority.
        {"nice": os.name == "posix"},
        {"timeout": 5.0},
        {"bwlimit": "1M"},
        {"threads": 2},
    ]
    for options in all_options:
        assert hashmill.file_digest(path, "md5", **options) == expected
    with pytest.raises(ValueError, match="too few"):
        hashmill.file_digest(path, "md5", memory=1)


def test_file_objects_are_read_from_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    expected = {"md5": hashlib.md5(b"56789").hexdigest()}
    held = io.BytesIO(b"0123456789")
    held.seek(5)
    assert hashmill.file_digest(held, "md5") == expected
    assert held.read() == b""
    with open(path, "rb") as file:
        file.seek(5)
        assert hashmill.file_digest(file, "md5") == expected


def test_likeness_is_an_algorithm_too(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(100_000))
    digests = hashmill.file_digest(path, "sha256,ssdeep,tlsh")
    assert digests["ssdeep"].startswith("1536:") or ":" in digests["ssdeep"]
    assert digests["tlsh"].startswith("T1")


def test_wrong_input_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        hashmill.file_digest(tmp_path / "missing", "md5")
    assert raised.value.filename == (tmp_path / "missing").as_posix()
    with pytest.raises(IsADirectoryError):
        hashmill.file_digest(tmp_path, "md5")
    with pytest.raises(ValueError, match="null byte"):
        hashmill.file_digest("a\0b", "md5")
    with pytest.raises(ValueError, match="did you mean"):
        hashmill.file_digest(tmp_path, "sha265")
    with pytest.raises(ValueError, match="binary"):
        hashmill.file_digest(io.StringIO("text"), "md5")  # type: ignore[arg-type]
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        hashmill.file_digest(closed, "md5")
    with open(tmp_path / "out", "wb") as writing, pytest.raises(ValueError, match="binary reading"):
        hashmill.file_digest(writing, "md5")
    with pytest.raises(TypeError, match="unexpected"):
        hashmill.file_digest(tmp_path / "out", "md5", speed=1)  # type: ignore[call-arg]


def test_a_file_called_minus_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_bytes(b"abc")
    assert hashmill.file_digest("-", "md5") == {"md5": hashlib.md5(b"abc").hexdigest()}
