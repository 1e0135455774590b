"""Digests of many buffers."""

from __future__ import annotations

import hashlib
import signal
import threading
from typing import Any

import hashmill
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st


@given(rows=st.lists(st.one_of(st.none(), st.binary(max_size=3000)), max_size=50))
def test_lists_are_hashed_row_by_row(rows: list[bytes | None]) -> None:
    got = hashmill.digest_many(rows, "sha256")
    assert list(got) == [None if row is None else hashlib.sha256(row).digest() for row in rows]
    assert len(got) == len(rows)


@given(rows=st.lists(st.one_of(st.none(), st.binary(max_size=300)), max_size=50), cut=st.integers(0, 50))
def test_arrow_columns_of_every_type_are_hashed(rows: list[bytes | None], cut: int) -> None:
    expected = [None if row is None else hashlib.md5(row).digest() for row in rows][cut:]
    kinds = (pa.binary(), pa.large_binary(), pa.binary_view())
    for kind in (*kinds, *(pa.dictionary(pa.int16(), kind) for kind in kinds[:2])):
        column = pa.array(rows, pa.binary()).cast(kind) if pa.types.is_dictionary(kind) else pa.array(rows, kind)
        assert list(hashmill.digest_many(column[cut:], "md5")) == expected, kind


def test_other_columns() -> None:
    fixed = pa.array([b"abcd", None, b"efgh"], pa.binary(4))
    assert list(hashmill.digest_many(fixed, "md5")) == [
        hashlib.md5(b"abcd").digest(),
        None,
        hashlib.md5(b"efgh").digest(),
    ]
    texts = ["a", None, "ü"]
    expected = [hashlib.md5(b"a").digest(), None, hashlib.md5("ü".encode()).digest()]
    for column in (pa.array(texts), pa.chunked_array([texts[:1], texts[1:]]), pl.Series(texts)):
        assert list(hashmill.digest_many(column, "md5")) == expected
    assert list(hashmill.digest_many(pa.table({"only": texts}), "md5")) == expected
    frame = pd.Series([b"a", b"b"])
    assert list(hashmill.digest_many(frame, "md5")) == [hashlib.md5(b"a").digest(), hashlib.md5(b"b").digest()]


def test_columns_of_dictionaries_and_views() -> None:
    texts = ["a", None, "a text of more than twelve bytes", "a"]
    words: list[Any] = [texts[0], texts[2]]
    expected = [None if text is None else hashlib.md5(text.encode()).digest() for text in texts]
    plain = pa.array(texts)
    views = plain.cast(pa.string_view())
    columns: list[Any] = [views, pa.chunked_array([views[:1], views[1:]]), plain.dictionary_encode()]
    columns += [pl.Series(texts), pl.Series(texts, dtype=pl.Categorical), pl.Series(texts, dtype=pl.Enum(words))]
    columns += [pa.Array.from_pandas(pd.Series(texts, dtype="category")), pa.table({"only": plain.dictionary_encode()})]
    columns += [pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1], pa.uint8()), pa.array([texts[2], "a"]))]
    for column in columns:
        assert list(hashmill.digest_many(column, "md5")) == expected, column
    nulls = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], pa.string()))
    assert list(hashmill.digest_many(nulls, "md5")) == [None, None]
    among = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array([None, "a"]))
    assert list(hashmill.digest_many(among, "md5")) == [None, expected[0]]
    with pytest.raises(ValueError, match="bytes or text"):
        hashmill.digest_many(pa.array([1, 2, 1]).dictionary_encode(), "md5")


@given(rows=st.lists(st.one_of(st.none(), st.binary(max_size=9)), max_size=12), data=st.data())
def test_slices_of_digests_are_those_of_lists(rows: list[bytes | None], data: st.DataObject) -> None:
    got = hashmill.digest_many(rows, "md5")
    part = data.draw(st.slices(len(rows)))
    sliced = got[part]
    assert isinstance(sliced, hashmill.Digests) and list(sliced) == list(got)[part]
    assert (sliced.name, sliced.digest_size, len(sliced)) == ("md5", 16, len(list(got)[part]))
    assert pa.array(sliced).to_pylist() == list(sliced)
    buffer: Any = sliced
    assert bytes(buffer) == b"".join(digest or bytes(16) for digest in sliced)
    for place in range(-len(rows), len(rows)):
        assert got[place] == list(got)[place]
    for place in (len(rows), -len(rows) - 1, 2**70, -(2**70)):
        with pytest.raises(IndexError):
            got[place]
    wrong: Any = "1"
    with pytest.raises(TypeError):
        got[wrong]
    with pytest.raises(ValueError, match="zero"):
        got[::0]


def test_wrong_columns_are_told() -> None:
    with pytest.raises(ValueError, match="select one"):
        hashmill.digest_many(pa.table({"a": [b"1"], "b": [b"2"]}), "md5")
    with pytest.raises(ValueError, match="bytes or text"):
        hashmill.digest_many(pa.array([1, 2]), "md5")
    for wrong in (b"abc", bytearray(3), "abc", memoryview(b"abc"), 5):
        with pytest.raises(TypeError, match="digest_many takes"):
            hashmill.digest_many(wrong, "md5")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be encoded"):
        hashmill.digest_many(["abc"], "md5")
    with pytest.raises(ValueError, match="did you mean"):
        hashmill.digest_many([b""], "sha265")


def test_arrays_are_hashed_by_row() -> None:
    table = np.arange(300, dtype=np.uint16).reshape(20, 15)
    assert list(hashmill.digest_many(table, "sha1")) == [hashlib.sha1(row.tobytes()).digest() for row in table]
    with pytest.raises(BufferError):
        hashmill.digest_many(table.T, "sha1")
    with pytest.raises(BufferError):
        hashmill.digest_many(table[:, ::2], "sha1")


def test_digests_are_arrow_and_a_buffer() -> None:
    got = hashmill.digest_many([b"abc", None, b"def"], "sha256")
    column = pa.array(got)
    assert column.type == pa.binary(32)
    assert column.to_pylist() == list(got)
    buffer: Any = got
    assert np.frombuffer(buffer, np.uint8).reshape(3, 32)[2].tobytes() == got[2]
    assert got[-1] == got[2]
    assert got.hex()[0] == hashlib.sha256(b"abc").hexdigest()
    with pytest.raises(IndexError):
        got[3]
    assert len(pa.array(hashmill.digest_many([], "md5"))) == 0


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_many_rows_are_the_same_on_any_number_of_threads(threads: int) -> None:
    rows = [bytes([number % 251]) * (number % 300) for number in range(20_000)]
    got = hashmill.digest_many(iter(rows), "blake3", threads=threads)
    assert list(got) == [hashmill.blake3(row).digest() for row in rows]


def test_long_rows_are_hashed_in_rounds() -> None:
    rows = [bytes(9 << 20), b"", bytes(4 << 20), bytes((4 << 20) + 1)]
    assert list(hashmill.digest_many(rows, "sha1")) == [hashlib.sha1(row).digest() for row in rows]


def test_ctrl_c_stops_it_soon() -> None:
    rows = [bytes(64 << 20)] * 400
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        hashmill.digest_many(rows, "whirlpool")
    timer.join()


def test_a_list_that_changes_meanwhile_is_hashed_as_it_was() -> None:
    rows = [number.to_bytes(64, "little") for number in range(30_000)]
    wanted = [hashlib.md5(row).digest() for row in rows]
    changing = list(rows)
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            changing.clear()
            changing.extend(rows)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(10):
            found = list(hashmill.digest_many(changing, "md5"))
            assert found == wanted[: len(found)]
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("algorithm", ["md5", "sha256", "blake3", "blake2b-512", "sha3-256", "crc32", "xxh3", "xxh128", "xxh64", "xxh32", "tth", "git-blob", "blake3:5"])
def test_rows_of_all_lengths_are_hashed_as_one_by_one(algorithm: str) -> None:
    lengths = (0, 1, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 135, 136, 1000, 1024, 1025, 8192, 8193, 100_000)
    rows = [bytes([length % 251]) * length for length in lengths]

    def one(row: bytes) -> bytes:
        found = hashmill.new(algorithm)
        found.update(row)
        return found.digest()

    found = hashmill.digest_many([None, *rows, None], algorithm)
    assert list(found) == [None, *map(one, rows), None]


@pytest.mark.parametrize("algorithm", ["md5", "xxh3"])
def test_long_lists_are_taken_part_by_part(algorithm: str) -> None:
    rows: list[Any] = [number.to_bytes(8, "little") for number in range(70_000)]
    rows[40_000], rows[66_000], rows[69_999] = None, bytearray(b"abc"), memoryview(b"abcd")
    wanted = [None if row is None else hashmill.new(algorithm, row).digest() for row in rows]
    for given_rows in (rows, tuple(rows), iter(rows)):
        assert list(hashmill.digest_many(given_rows, algorithm)) == wanted
    rows[50_000] = "text"
    with pytest.raises(TypeError, match="Strings must be encoded"):
        hashmill.digest_many(rows, algorithm)


def test_an_iterable_that_fails_passes_its_exception_on() -> None:
    def rows() -> Any:
        yield from [b"a"] * 2000
        raise KeyError("here")

    for algorithm in ("xxh3", "md5"):
        with pytest.raises(KeyError, match="here"):
            hashmill.digest_many(rows(), algorithm)
        with pytest.raises(TypeError, match="must be encoded"):
            hashmill.digest_many([b"a"] * 2000 + ["text"], algorithm)
