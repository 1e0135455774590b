"""Wrong arguments raise Python's usual exceptions: TypeError for another type, ValueError for a value that is not valid."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import hashmill
import hashmill.similar
import pytest


@pytest.mark.parametrize(
    ("options", "kind", "match"),
    [
        ({"memory": -1}, ValueError, "not -1"),
        ({"memory": 2**64}, ValueError, "not 18446744073709551616"),
        ({"memory": 1.5}, TypeError, "not float"),
        ({"memory": [1]}, TypeError, "not list"),
        ({"memory": "much"}, ValueError, "much"),
        ({"min_size": -5}, ValueError, "not -5"),
        ({"bwlimit": -1}, ValueError, "not -1"),
        ({"bwlimit": 0}, ValueError, "bwlimit"),
        ({"piecewise": -1}, ValueError, "not -1"),
        ({"piecewise": 0}, ValueError, "piecewise"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": -1}, ValueError, "-1"),
        ({"threads": 2**70}, ValueError, "is needed"),
        ({"threads": 1.5}, TypeError, "threads: must be a whole number, not float"),
        ({"threads": "two"}, TypeError, "threads"),
        ({"prefetch": -1}, ValueError, "-1"),
        ({"prefetch": "many"}, TypeError, "prefetch"),
        ({"max_depth": -1}, ValueError, "-1"),
        ({"requests": -1}, ValueError, "-1"),
        ({"timeout": -1}, ValueError, "timeout"),
        ({"timeout": float("nan")}, ValueError, "timeout"),
        ({"io": "fast"}, ValueError, "io is"),
        ({"order": "none"}, ValueError, "order is"),
        ({"algorithms": b"md5"}, TypeError, "an algorithm is"),
        ({"algorithms": 5}, TypeError, "not int"),
        ({"algorithms": [5]}, TypeError, "not int"),
        ({"algorithms": [["md5"]]}, TypeError, "not list"),
        ({"algorithms": None}, TypeError, "not NoneType"),
        ({"output": ["m"]}, TypeError, "PathLike"),
        ({"nothing": 1}, TypeError, r"hash\(\) got an unexpected keyword argument 'nothing'"),
        ({"follow": "x"}, TypeError, r"hash\(\): follow: must be bool, not str"),
        ({"include": [5]}, TypeError, r"hash\(\): include: must be str, not int"),
        ({"newer": []}, TypeError, "newer: a time is seconds since 1970, text or a file, not list"),
        ({"progress": 5}, TypeError, "progress is"),
    ],
    ids=str,
)
def test_options_of_hash(options: dict[str, Any], kind: type[Exception], match: str, tmp_path: Path) -> None:
    call: Any = hashmill.hash
    with pytest.raises(kind, match=match):
        call(tmp_path, **options)


def test_open_files_are_no_lists_of_paths(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc\n")
    call: Any
    for file in (io.BytesIO(b"abc\n"), open(tmp_path / "a"), open(tmp_path / "a", "rb")):
        for call in (
            hashmill.hash,
            hashmill.dupes,
            hashmill.audit,
            hashmill.check,
            lambda paths: hashmill.audit("m", paths),
            lambda path: hashmill.diff("m", path),
            lambda path: hashmill.hash([path]),
        ):
            with pytest.raises(TypeError, match="file_digest"):
                call(file)


def test_messages_have_no_numbers_of_errors(tmp_path: Path) -> None:
    missing, said = tmp_path / "missing", []
    (tmp_path / "a").write_bytes(b"abc")
    call: Any
    for call in (
        hashmill.file_digest,
        hashmill.check,
        hashmill.audit,
        hashmill.tree,
        lambda path: list(hashmill.hash(path, raise_on_error=True)),
        lambda path: list(hashmill.hash(tmp_path, known=path)),
        lambda path: list(hashmill.hash(tmp_path, reuse=path)),
        lambda path: hashmill.hash(tmp_path, exclude_from=path),
        lambda path: list(hashmill.hash(tmp_path, output=path / "o.jsonl")),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            call(missing)
        said.append(str(caught.value))
    said += [record.error or "" for record in hashmill.hash(missing)] + hashmill.dupes(missing).problems
    assert len(said) > 10 and all(text and "os error" not in text for text in said), said


def test_a_list_where_one_belongs(tmp_path: Path) -> None:
    names: Any = ["md5", "sha1"]
    paths: Any = [tmp_path / "a", tmp_path / "b"]
    (tmp_path / "a").write_bytes(b"abc")
    for call in (
        lambda: hashmill.new(names),
        lambda: hashmill.algorithm(names),
        lambda: hashmill.digest_many([b""], names),
        lambda: hashmill.check(tmp_path / "a", algorithm=names),
        lambda: hashmill.dupes(tmp_path, names),
        lambda: hashmill.similar.digest(b"", names),
        lambda: hashmill.file_digest(paths),
        lambda: hashmill.audit(tmp_path / "a", update=paths),
        lambda: hashmill.check(tmp_path / "a", base=paths),
        lambda: hashmill.convert(paths, tmp_path / "c"),
        lambda: hashmill.diff(paths, tmp_path),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="md5,sha1"):
        hashmill.digest_many([b""], "md5,sha1")
    with pytest.raises(TypeError, match="not int"):
        hashmill.hash(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a path or a binary file, not list"):
        hashmill.file_digest(paths)
    with pytest.raises(ValueError, match="binary"):
        hashmill.file_digest(io.StringIO("text"))  # type: ignore[arg-type]


def test_numbers_of_other_calls() -> None:
    for threads in (0, -1, 2**70):
        with pytest.raises(ValueError):
            hashmill.digest_many([b""], "md5", threads=threads)
    with pytest.raises(ValueError):
        hashmill.verify("/dev/null", needed=-1)


def test_options_that_a_call_has_not(tmp_path: Path) -> None:
    calls: list[Any] = [
        lambda **options: hashmill.file_digest(io.BytesIO(b""), **options),
        lambda **options: hashmill.file_digest("/dev/null", **options),
        lambda **options: hashmill.check("/dev/null", **options),
        lambda **options: hashmill.tree(tmp_path, **options),
        lambda **options: hashmill.similar.compare_files("/dev/null", "/dev/null", **options),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="nothing"):
            call(nothing=1)
