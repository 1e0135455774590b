"""Likeness: digests by which files are compared that are not the same: ssdeep, TLSH, sdhash, mrsh-v2."""

from __future__ import annotations

import os
from dataclasses import dataclass

from hashloom import _hashloom, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

    from hashloom._options import Path, Progress, ReadOptions, WalkOptions

#: The names of the algorithms.
algorithms: tuple[str, ...] = tuple(_hashloom.similar_names())


@dataclass(frozen=True, slots=True)
class Pair:
    """Two that are alike: their names, and the score (0 to 100; TLSH: the distance)."""

    a: str
    b: str
    score: int


def digest(data: Any, algorithm: str = "ssdeep") -> str | None:
    """The likeness digest of a bytes-like object as the reference program writes it; ``None`` where it has none, as it is
    too short or varies too little."""
    text, _ = _hashloom.similar_digest(data, algorithm)
    return text


def compare(a: str, b: str, algorithm: str = "ssdeep") -> int:
    """The score of two digests; by TLSH their distance. Raises ``ValueError`` for what is no digest."""
    return _hashloom.compare_digests(a, b, algorithm)


def compare_files(a: Path, b: Path, algorithm: str = "ssdeep", **options: Unpack[ReadOptions]) -> int | None:
    """The score of two files; ``None`` if one has no digest."""
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest, a, b)
    _options.nothing(rest, "compare_files")
    return _hashloom.compare_files(_options.text(a), _options.text(b), algorithm, resources)


def pairs(
    paths: Path | Iterable[Path] = (),
    algorithm: str = "ssdeep",
    *,
    limit: int | None = None,
    lists: Path | Iterable[Path] = (),
    no_sparse: bool = False,
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> list[Pair]:
    """All pairs of similar files below some paths, or of digests in ``lists``, each once.

    ``limit`` is the lowest score (TLSH: the greatest distance); ``no_sparse`` leaves out digests that hold too little to
    mean much.
    """
    rest: dict[str, Any] = dict(options)
    places, digests = _options.many(paths), _options.texts(lists)
    resources = _options.resources(rest, places, digests)
    found, _ = _hashloom.similar_pairs(
        _options.selection(places, rest),
        digests,
        algorithm,
        limit,
        no_sparse,
        resources,
        _options.told(progress),
    )
    return [Pair(os.fsdecode(a), os.fsdecode(b), score) for a, b, score in found]
