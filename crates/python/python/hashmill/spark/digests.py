"""Digests of Arrow columns of bytes or text, as Arrow columns, without making Python objects of rows."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

import hashmill
from hashmill import similar


def as_bytes(values: pa.Array, algorithm: str) -> pa.Array:
    """Returns the digest of each value as binary; null for null."""
    return _fixed(values, algorithm)[0].cast(pa.binary())


def as_text(values: pa.Array, algorithm: str) -> pa.Array:
    """Returns the digest of each value in the algorithm's usual text; null for null."""
    fixed, found = _fixed(values, algorithm)
    if not is_hexadecimal(algorithm):
        return pa.array(found.text(), pa.string())
    digits = pa.py_buffer(memoryview(found).hex().encode())
    texts = pa.Array.from_buffers(pa.binary(2 * found.digest_size), len(fixed), [fixed.buffers()[0], digits])
    return texts.cast(pa.binary()).cast(pa.string())


def as_likeness(values: pa.Array, algorithm: str) -> pa.Array:
    """Returns the likeness digest of each value; null for null, and for values that have none."""
    texts = [None if value is None else similar.digest(memoryview(value), algorithm) for value in _buffers(values)]
    return pa.array(texts, pa.string())


def _buffers(values: pa.Array) -> Iterator[pa.Buffer | None]:
    return (value.as_buffer() if value.is_valid else None for value in values)


def by_name(values: pa.Array, names: pa.Array) -> pa.Array:
    """Returns the text of each value's digest by the algorithm in the same row; null where either is null."""
    texts = pa.nulls(len(values), pa.string())
    for name in pc.unique(names).to_pylist():
        if name is None:
            continue
        rows = pc.fill_null(pc.equal(names, name), False)
        make = as_likeness if name in similar.algorithms else as_text
        if pc.all(rows).as_py():
            return make(values, name)
        texts = pc.replace_with_mask(texts, rows, make(values.filter(rows), name))
    return texts


@functools.cache
def is_hexadecimal(algorithm: str) -> bool:
    """Returns whether the usual text of an algorithm's digests is their hexadecimal digits."""
    empty = hashmill.digest_many([b""], algorithm)
    return empty.text() == empty.hex()


def _fixed(values: pa.Array, algorithm: str) -> tuple[pa.Array, hashmill.Digests]:
    # One thread: other tasks use the other cores.
    found = hashmill.digest_many(values, algorithm, threads=1)
    return pa.array(found), found
