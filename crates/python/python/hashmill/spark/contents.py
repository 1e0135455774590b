"""What is looked for in contents beside digests: facts, rules of YARA, formats by the signatures of PRONOM."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import pyarrow as pa

from . import engine

_TYPES = {"mismatch": pa.bool_(), "entropy": pa.float64(), "chi2": pa.float64()}
"""The types of columns that are not text."""


@dataclass(frozen=True)
class Contents:
    """What is looked for in contents beside digests, in the read that hashes them; the options are those of :func:`hashmill.hash`.

    ``facts``: ``"type,entropy"`` or one of the two. ``yara``: files and folders with rules. ``pronom``: files with signatures of
    formats. Files are read where they are used: the driver and each worker need them at these paths.

    An object is then read whole by one task, as a range has no type and a rule may match across two. Files that only Hadoop reads
    are ``unreadable``, with an ``error`` that says so.
    """

    facts: str | Iterable[str] = ""
    yara: str | Iterable[str] = ()
    yara_strings: bool = False
    yara_max: int | str | None = None
    yara_timeout: float | None = None
    pronom: str | Iterable[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", self.facts if isinstance(self.facts, str) else ",".join(self.facts))
        for name in ("yara", "pronom"):
            given = getattr(self, name)
            paths = [given] if isinstance(given, str | os.PathLike) else given
            # Workers have other folders of work.
            object.__setattr__(self, name, tuple(map(os.path.abspath, paths)))

    def inspection(self) -> engine.Inspection:
        """Returns what the engine looks for. Rules are compiled once in each process, while they are the same.

        Raises:
            OSError: a file can't be read.
            ValueError: a file or an option is wrong.
        """
        return _compiled(self, tuple(map(_state, (*self.yara, *self.pronom))))

    def columns(self) -> list[pa.Field]:
        """Returns the columns that records have for what is found."""
        return [pa.field(name, _TYPES.get(name, pa.string())) for name in self.inspection().columns] if self else []

    def identity(self) -> list[Any]:
        """Returns what identifies the answers: the options, and the digests of all files of rules and signatures."""
        files = sorted(file for path in (*self.yara, *self.pronom) for file in _files(path))
        return [self.facts, self.yara_strings, self.yara_max, self.yara_timeout, [_digest(file) for file in files]]

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


def value(field: pa.Field, text: str | None) -> Any:
    """Returns the value of a column, from the engine's text."""
    if text is None or pa.types.is_string(field.type):
        return text
    return text == "true" if pa.types.is_boolean(field.type) else float(text)


@functools.lru_cache(maxsize=2)
def _compiled(contents: Contents, states: tuple[Any, ...]) -> engine.Inspection:
    return engine.Inspection(
        str(contents.facts),
        yara=list(contents.yara),
        yara_strings=contents.yara_strings,
        yara_max=contents.yara_max,
        yara_timeout=contents.yara_timeout,
        pronom=list(contents.pronom),
    )


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]


def _state(path: str) -> tuple[Any, ...]:
    return tuple((file, found.st_size, found.st_mtime_ns) for file in sorted(_files(path)) for found in [os.stat(file)])


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
