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
        ({"algorithms": None}, TypeError, r"hash\(\): algorithms: an algorithm is .*, not None"),
        ({"output": ["m"]}, TypeError, r"hash\(\): output: a path is needed, not list"),
        ({"known": 5}, TypeError, r"hash\(\): known: a path is needed, not int"),
        ({"files_from": io.BytesIO()}, TypeError, r"hash\(\): files_from: a path is needed, not BytesIO, an open file: give"),
        ({"reuse": b"a".__len__}, TypeError, r"hash\(\): reuse: a path is needed"),
        ({"exclude": 5}, TypeError, r"hash\(\): exclude: a list of text or paths is needed, not int"),
        ({"nothing": 1}, TypeError, r"hash\(\) got an unexpected keyword argument 'nothing'"),
        ({"follow": "x"}, TypeError, r"hash\(\): follow: must be bool, not str"),
        ({"include": [5]}, TypeError, r"hash\(\): include: must be str, not int"),
        ({"ignore_case": "x"}, TypeError, r"hash\(\): ignore_case: must be bool, not str"),
        ({"older": "yesterday"}, ValueError, "older: 'yesterday' is neither"),
        ({"older": "2020-01-01", "newer": "2021-01-01"}, ValueError, "newer, older: no time is after"),
        ({"newer": []}, TypeError, "newer: a time is seconds since 1970, a datetime, text or a file, not list"),
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


def test_what_is_no_path_is_named(tmp_path: Path) -> None:
    from hashmill import bag, image, known, similar

    calls: list[tuple[Any, str]] = [
        (lambda bad: similar.pairs(bad), "pairs(): paths"),
        (lambda bad: similar.pairs(lists=bad), "pairs(): lists"),
        (lambda bad: similar.compare_files(bad, "b"), "compare_files(): a"),
        (lambda bad: similar.compare_files("a", b=bad), "compare_files(): b"),
        (lambda bad: known.build(bad, {}), "build(): output"),
        (lambda bad: known.build("o", {"bad": bad}), "build(): lists"),
        (lambda bad: known.build("o", {"bad": [bad]}), "build(): "),
        (lambda bad: known.verify(bad), "verify(): index"),
        (lambda bad: known.Sets(bad), "Sets(): indexes"),
        (lambda bad: known.match(bad, tmp_path, "md5"), "match(): indexes"),
        (lambda bad: known.match(tmp_path, bad, "md5"), ""),
        (lambda bad: image.info(bad), "info(): path"),
        (lambda bad: image.info("a", backing=[bad]), "info(): backing"),
        (lambda bad: image.verify(bad), "verify(): images"),
        (lambda bad: image.verify([bad]), "verify(): images"),
        (lambda bad: bag.make(bad), "make(): folder"),
        (lambda bad: bag.verify(bad), "verify(): bag"),
        (lambda bad: hashmill.tree(bad), "tree(): folder"),
        (lambda bad: hashmill.sign(bad, []), "sign(): file"),
        (lambda bad: hashmill.sign("a", bad), "sign(): keys"),
        (lambda bad: hashmill.verify(bad), "verify(): file"),
        (lambda bad: hashmill.seal(bad), "seal(): manifest"),
        (lambda bad: hashmill.verify_seal(bad), "verify_seal(): manifest"),
        (lambda bad: hashmill.prove("a", bad), "prove(): paths"),
        (lambda bad: hashmill.verify_proof(bad, root="00"), "verify_proof(): proof"),
        (lambda bad: hashmill.convert(bad, "b"), "convert(): manifest"),
        (lambda bad: hashmill.check(bad), "check(): list"),
        (lambda bad: hashmill.hash(["a", bad]), "hash(): paths"),
    ]
    (tmp_path / "a").write_bytes(b"abc\n")
    with open(tmp_path / "a", "rb") as file, open(tmp_path / "a") as text:
        bad: Any
        for bad in (file, text, io.BytesIO(b"abc"), io.StringIO("abc"), 5, 1.5, None, bytearray(b"abc"), object()):
            kind = "None" if bad is None else type(bad).__name__
            for call, named in calls:
                with pytest.raises(TypeError) as caught:
                    call(bad)
                said = str(caught.value)
                assert said.startswith(named) and f"a path is needed, not {kind}" in said, said
                assert ("file_digest" in said) == hasattr(bad, "read"), said


def test_what_is_no_list_is_named(tmp_path: Path) -> None:
    from hashmill import bag, image, known

    (tmp_path / "list").write_text("00" * 16)
    assert known.build(tmp_path / "o", {"bad": tmp_path / "list"}).ok
    call: Any
    five: Any = 5
    names: Any = ["list"]
    for call, match in (
        (lambda: known.build("o", names), r"build\(\): lists: a mapping such as .* is needed, not list"),
        (lambda: bag.make("f", info=names), r"make\(\): info: a mapping such as .* is needed, not list"),
        (lambda: known.Sets(tmp_path / "o").query("00" * 16), r"Sets.query\(\): digests: a list of digests is needed, not str"),
        (lambda: hashmill.tree("/", five), r"tree\(\): system: a list of systems is needed, not int"),
        (lambda: hashmill.tree("/", exclude=five), r"tree\(\): exclude: a list of text or paths is needed, not int"),
        (lambda: image.verify("f", algorithms=five), r"verify\(\): algorithms: an algorithm is .*, not int"),
    ):
        with pytest.raises(TypeError, match=match):
            call()


def test_exceptions_name_their_file(tmp_path: Path) -> None:
    from hashmill import bag, image, known, similar

    odd, missing = tmp_path / "odd", tmp_path / "missing"
    odd.write_bytes(b"\0no list\0" * 100)
    (tmp_path / "good.md5").write_text(f"{'00' * 16}  a\n")
    call: Any
    for call in (
        hashmill.file_digest,
        hashmill.check,
        hashmill.audit,
        hashmill.tree,
        hashmill.seal,
        known.Sets,
        known.verify,
        image.info,
        bag.verify,
        bag.make,
        lambda path: hashmill.diff(path, tmp_path),
        lambda path: hashmill.diff(tmp_path, path),
        lambda path: hashmill.dupes(manifests=path),
        lambda path: hashmill.convert(path, tmp_path / "c.csv"),
        lambda path: similar.compare_files(path, tmp_path / "good.md5"),
        lambda path: similar.pairs(lists=path),
        lambda path: known.build(tmp_path / "k", {"bad": path}),
        lambda path: hashmill.hash(tmp_path, newer=path) if path == missing else hashmill.check(path),
        lambda path: list(hashmill.hash(tmp_path, files_from=path)) if path == missing else hashmill.check(path),
    ):
        with pytest.raises(OSError) as lost:
            call(missing)
        assert lost.value.filename == str(missing) and "os error" not in str(lost.value), call
        assert str(lost.value).count(str(missing)) == 1, lost.value
        try:
            call(odd)
        except hashmill.Error as error:
            assert error.filename == str(odd) and "os error" not in str(error), (call, error)
        except OSError as error:
            assert error.filename == str(odd), (call, error)
        except ValueError:
            pass
    with pytest.raises(OSError) as unwritten:
        hashmill.convert(tmp_path / "good.md5", tmp_path / "none" / "c.csv")
    assert str(tmp_path / "none") in unwritten.value.filename and "os error" not in str(unwritten.value)
    assert hashmill.Error("words").filename is None


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
    with pytest.raises(TypeError, match=r"file_digest\(\): file: a path or a binary file is needed, not list"):
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
