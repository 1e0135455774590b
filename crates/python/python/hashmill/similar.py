"""Likeness: digests for comparing files that are not identical: ssdeep, TLSH, sdhash, mrsh-v2."""

from __future__ import annotations

import os
from dataclasses import dataclass

from hashmill import _hashmill, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

    from hashmill._options import Path, Progress, ReadOptions, WalkOptions

#: The names of the algorithms.
algorithms: tuple[str, ...] = tuple(_hashmill.similar_names())


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of similar files: their names, and the score (0 to 100; TLSH: the distance)."""

    a: str
    b: str
    score: int


class Pairs(list[Pair]):
    """Pairs of similar files."""

    #: Whether everything was read and compared.
    ok: bool = True
    #: Messages about files and lists that could not be read or parsed, for people.
    problems: list[str]


@_options.worded
def digest(data: Any, algorithm: str = "ssdeep") -> str | None:
    """Returns the likeness digest of a bytes-like object as the reference program writes it; ``None`` if it has none, because
    it is too short or varies too little."""
    text, _ = _hashmill.similar_digest(data, algorithm)
    return text


@_options.worded
def compare(a: str, b: str, algorithm: str = "ssdeep") -> int:
    """Returns the score of two digests; for TLSH their distance. Raises ``ValueError`` for anything that is not a digest."""
    return _hashmill.compare_digests(a, b, algorithm)


@_options.worded
def compare_files(a: Path, b: Path, algorithm: str = "ssdeep", **options: Unpack[ReadOptions]) -> int | None:
    """Returns the score of two files; ``None`` if one has no digest. Raises ``OSError`` if one can't be read."""
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest, a, b)
    _options.nothing(rest, "compare_files")
    return _hashmill.compare_files(_options.text(a), _options.text(b), algorithm, resources)


@_options.worded
def pairs(
    paths: Path | Iterable[Path] = (),
    algorithm: str = "ssdeep",
    *,
    limit: int | None = None,
    lists: Path | Iterable[Path] = (),
    no_sparse: bool = False,
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> Pairs:
    """Finds all pairs of similar files below some paths, or of digests in ``lists``, each once.

    ``limit`` is the lowest score (TLSH: the greatest distance); ``no_sparse`` leaves out digests of too little data to
    mean much. The result is a list that is ``ok`` if everything was read and compared; ``problems`` says what was not.
    """
    rest: dict[str, Any] = dict(options)
    places, digests = _options.many(paths), _options.texts(lists)
    resources = _options.resources(rest, places, digests)
    found, problems, ok = _hashmill.similar_pairs(
        _options.selection(places, rest),
        digests,
        algorithm,
        limit,
        no_sparse,
        resources,
        _options.told(progress),
    )
    similar = Pairs(Pair(os.fsdecode(a), os.fsdecode(b), score) for a, b, score in found)
    similar.ok, similar.problems = ok, problems
    return similar
