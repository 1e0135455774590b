"""Digests of many files by the engine."""

from __future__ import annotations

import os
from collections.abc import Iterable

import hashmill


def of(paths: Iterable[str], algorithm: str, threads: int | None = None) -> dict[str, str]:
    """Returns the digest of each file, by this many threads; by default on all cores. Raises ``OSError`` for the first that can't be read."""
    # An operand of `-` would mean standard input.
    named = {os.path.join(".", path) if path == "-" else path: path for path in paths}
    options = {} if threads is None else {"threads": threads}
    records = hashmill.hash(list(named), algorithm, raise_on_error=True, **options)  # type: ignore[arg-type]
    name = hashmill.algorithm(algorithm).name
    found = {}
    for record in records:
        if not record.ok:
            raise OSError(f"{record.path}: {record.status}: {record.reason}")
        found[named[record.path]] = record[name]
    return found
