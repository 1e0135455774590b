"""Buffers of every type are hashed as hashlib hashes them; objects that are not contiguous, or not buffers, are refused."""

from __future__ import annotations

import array
import ctypes
import hashlib
from typing import Any

import hashmill
import numpy as np
import pytest

CONTIGUOUS: dict[str, Any] = {
    "array I": array.array("I", [1, 2, 3]),
    "array d": array.array("d", [0.5, -1]),
    "array h": array.array("h", [-1, 2]),
    "two dimensions": np.arange(6, dtype=np.float32).reshape(2, 3),
    "no dimension": np.array(5),
    "a scalar": np.float64(3),
    "no elements": np.zeros((0, 3)),
    "times": np.array(["2026-01-01", "2026-01-02"], "datetime64[s]"),
    "durations": np.array([1, 2], "timedelta64[us]"),
    "structures": np.zeros(3, dtype=[("a", "i4"), ("b", "f8")]),
    "structures with times": np.zeros(3, dtype=[("a", "i4"), ("b", "datetime64[s]")]),
    "text": np.array(["a", "bc"]),
    "bytes": np.array([b"a", b"bc"]),
    "half": np.arange(3, dtype="f2"),
    "complex": np.arange(3, dtype="c16"),
    "long double": np.arange(3, dtype="g"),
    "truth": np.array([True, False]),
    "big-endian": np.arange(3, dtype=">i4"),
    "a row": np.arange(12).reshape(3, 4)[1],
    "a view of two dimensions": memoryview(bytes(range(6))).cast("B", (2, 3)),
    "ctypes": (ctypes.c_int * 3)(1, 2, 3),
    "large": np.arange(100_000, dtype=np.int64),
}

APART: dict[str, Any] = {
    "every second": np.arange(6)[::2],
    "backwards": np.arange(6)[::-1],
    "columns": np.arange(6).reshape(2, 3).T,
    "a column": np.arange(6).reshape(2, 3)[:, 0],
    "every second of a view": memoryview(b"abcdef")[::2],
}


@pytest.mark.parametrize("name", CONTIGUOUS)
def test_the_bytes_of_every_type_are_hashed(name: str) -> None:
    buffer = CONTIGUOUS[name]
    wanted = hashlib.sha256(buffer).digest()
    assert hashmill.sha256(buffer).digest() == wanted
    made = hashmill.sha256()
    made.update(buffer)
    assert made.digest() == wanted
    assert hashmill.digest_many([buffer, None, buffer], "sha256")[2] == wanted


@pytest.mark.parametrize("name", APART)
def test_what_is_not_contiguous_is_refused(name: str) -> None:
    for call in (hashmill.sha256, hashmill.sha256().update, lambda buffer: hashmill.digest_many([buffer], "sha256")):
        with pytest.raises(BufferError, match="contiguous"):
            call(APART[name])
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        hashlib.sha256(APART[name])


@pytest.mark.parametrize("wrong", [None, 5, 1.5, [1], (b"a",), {}, object(), "text"], ids=str)
def test_what_is_no_buffer_is_a_type_error(wrong: Any) -> None:
    for call in (hashmill.sha256, hashmill.sha256().update, lambda data: hashmill.digest_many([b"", data][1:], "md5")):
        if wrong is None and call not in (hashmill.sha256,):
            continue
        with pytest.raises(TypeError):
            call(wrong)  # pyright: ignore[reportArgumentType]


def test_addresses_of_objects_are_not_hashed() -> None:
    with pytest.raises(TypeError, match="Python objects"):
        hashmill.sha256(np.array([b"a", None], object))


@pytest.mark.parametrize("buffer", [np.arange(3), np.array(5), array.array("I", [1]), memoryview(b"abc"), (ctypes.c_int * 3)()], ids=str)
def test_an_array_without_rows_is_refused(buffer: Any) -> None:
    with pytest.raises(TypeError, match="2-dimensional array or an Arrow column, not"):
        hashmill.digest_many(buffer, "md5")


def test_arrays_of_messages_are_taken() -> None:
    rows = [b"a", b"bc", b""]
    wanted = [hashlib.md5(row).digest() for row in rows]
    assert list(hashmill.digest_many(np.array(rows, object), "md5")) == wanted
    assert list(hashmill.digest_many(np.array(rows), "md5")) == wanted
    times = np.array([["2026-01-01", "2026-01-02"], ["2026-01-03", "2026-01-04"]], "datetime64[s]")
    assert list(hashmill.digest_many(times, "md5")) == [hashlib.md5(row.tobytes()).digest() for row in times]
