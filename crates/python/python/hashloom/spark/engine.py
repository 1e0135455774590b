"""hashloom's engine, as the core calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hashloom._hashloom import Changed, Error, Resources, fold, likeness_pairs, part, part_unit
from hashloom._hashloom import read_many as _read_many

__all__ = ["Changed", "Error", "fold", "likeness_pairs", "part", "part_unit", "read_many"]


def read_many(paths: Sequence[bytes], algorithms: Sequence[str], *, threads: int, memory: str) -> list[dict[str, Any]]:
    """Hashes files in one run of the engine, so that its lanes stay full across them.

    Returns:
        For each path ``status``, ``reason``, ``size``, ``modified`` (nanoseconds since 1970) and ``digests``, in the order of
        ``algorithms``. What can't be read has a status, and raises nothing.
    """
    resources = Resources(threads=threads, memory=memory)
    keys = ("status", "reason", "size", "modified", "digests")
    return [dict(zip(keys, found, strict=True)) for found in _read_many(list(paths), ",".join(algorithms), resources)]
