"""hashmill's engine, in the form that the core calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from hashmill._hashmill import (
    Changed,
    Error,
    Inspection,
    Listed,
    Resources,
    counts,
    fold,
    is_folder,
    likeness_pairs,
    list_level,
    list_one,
    look_up,
    object_part,
    page,
    part,
    part_unit,
    reach,
)
from hashmill._hashmill import read_many as _read_many
from hashmill._hashmill import read_objects as _read_objects

__all__ = [
    "Asked",
    "Changed",
    "Error",
    "Inspection",
    "Listed",
    "counts",
    "fold",
    "is_folder",
    "likeness_pairs",
    "list_level",
    "list_one",
    "look_up",
    "object_part",
    "page",
    "part",
    "part_unit",
    "reach",
    "read_many",
    "read_objects",
]

Asked: TypeAlias = tuple[bytes, str | None, str | None, int | None, int | None]
"""An object of a store: location, version, entity tag, size, time (nanoseconds since 1970)."""

_KEYS = ("status", "reason", "error", "size", "modified", "digests", "facts")


def read_many(
    paths: Sequence[bytes], algorithms: Sequence[str], inspection: Inspection, *, threads: int, memory: str
) -> list[dict[str, Any]]:
    """Hashes files in one run of the engine, so that its lanes stay full across them.

    Returns:
        For each path ``status``, ``reason`` (a word), ``error`` (the cause as text), ``size``, ``modified`` (nanoseconds since
        1970), ``digests``, in the order of ``algorithms``, and ``facts``, in that of the inspection's columns. A file that can't be
        read has a status, and raises nothing.
    """
    resources = Resources(threads=threads, memory=memory)
    return [dict(zip(_KEYS, found, strict=True)) for found in _read_many(list(paths), ",".join(algorithms), inspection, resources)]


def read_objects(
    rows: Sequence[Asked], algorithms: Sequence[str], inspection: Inspection, *, threads: int, memory: str
) -> list[dict[str, Any]]:
    """Hashes objects of stores like :func:`read_many`; their sizes are known. They are requested ahead, many at a time."""
    if not rows:
        return []
    resources = Resources(threads=threads, memory=memory)
    return [dict(zip(_KEYS, found, strict=True)) for found in _read_objects(list(rows), ",".join(algorithms), inspection, resources)]
