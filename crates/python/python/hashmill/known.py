"""Sets of known digests (good, bad), compiled into indexes for millions of look-ups."""

from __future__ import annotations

import os

import hashmill
from hashmill import _hashmill, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hashmill._options import Path, Size


class Sets:
    """Indexes that are consulted together. Raises ``OSError`` or ``hashmill.Error`` if one can't be used."""

    @_options.worded
    def __init__(self, indexes: Path | Iterable[Path]) -> None:
        self._sets = _hashmill.Sets([os.fsdecode(path) for path in _options.many(indexes)])

    @_options.worded
    def query(self, digests: Iterable[str | bytes]) -> list[dict[str, Any] | None]:
        """Looks up each digest (hexadecimal text, or bytes): ``None`` if no set has it, else a dict with
        ``category``, ``set``, ``claims`` and more. Raises ``ValueError`` for anything that is not a digest."""
        import json

        return [None if answer is None else json.loads(answer) for answer in self._sets.ask(_options.items(digests, "digests"))]

    def about(self) -> list[dict[str, Any]]:
        """Returns the description of each index: its path, bytes, identity and sources."""
        import json

        return [json.loads(each) for each in self._sets.about()]


class Built(list[str]):
    """Messages about a build."""

    #: Whether everything in the lists was understood and taken.
    ok: bool = True


@_options.worded
def build(
    output: Path,
    lists: Mapping[str, Path | Iterable[Path]],
    *,
    name: str | None = None,
    force: bool = False,
    strict: bool = False,
    memory: Size | None = None,
) -> Built:
    """Builds an index of lists in any format, including NSRL's. ``lists`` has the files of each category: ``good``,
    ``bad``, ``known``, or a name of your own.

    Returns a list of messages about skipped lines, which is ``ok`` if everything in the lists was taken. An existing file ``output`` that is not an index is replaced only with ``force``. Raises
    ``OSError`` or ``hashmill.Error`` if a list can't be used.
    """
    given = _options.fields(lists, "{'bad': 'list.txt'}")
    inputs = [(os.fsdecode(path), category, name) for category, files in given for path in _options.many(files)]
    messages, ok = _hashmill.build_known((_options.text(output), force), inputs, strict, memory)
    built = Built(messages)
    built.ok = ok
    return built


@_options.worded
def verify(index: Path) -> str:
    """Reads a whole index, checks every byte, and returns its identity. Raises ``hashmill.Error`` if it is damaged."""
    return _hashmill.verify_known(_options.text(index))


@_options.worded
def match(
    indexes: Path | Iterable[Path], paths: Path | Iterable[Path], algorithms: _options.Algorithms, **options: Any
) -> hashmill.Records:
    """Returns records of files, each with its ``category`` and ``set``: :func:`hashmill.hash` with ``known``. Their ``summary`` is not
    ``ok`` if a file is known to be bad, and not ``complete`` if filters left out all files."""
    options["_judging"] = True
    return hashmill.hash(paths, algorithms, known=_options.texts(indexes), **options)
