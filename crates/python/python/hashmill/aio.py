"""The calls of :mod:`hashmill` for asyncio: they run on threads, and the loop goes on.

``await hashmill.aio.hash(paths)`` returns all records as a list; ``async for record in hashmill.aio.hash(paths)`` gives them
as they come. A task that is cancelled ends its run.
"""

from __future__ import annotations

import asyncio

import hashmill
from hashmill import _hashmill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
    from typing import Any, TypeVar, Unpack

    from hashmill import Audit, Check, Converted, Diff, Digests, Duplicates, Record
    from hashmill._calls import Readable
    from hashmill._options import Algorithms, Path, Progress, ReadOptions

    T = TypeVar("T")

#: The number of records that are taken at a time, as each hand-over costs some microseconds.
_TURN = 256


class Hashing:
    """Future records: await them, or iterate over them."""

    def __init__(self, records: hashmill.Records) -> None:
        self._records = records

    def __await__(self) -> Generator[Any, None, list[Record]]:
        return self._all().__await__()

    async def _all(self) -> list[Record]:
        return [record async for record in self]

    async def __aiter__(self) -> AsyncIterator[Record]:
        size = 1
        records = iter(self._records)
        try:
            while turn := await asyncio.to_thread(_take, records, size):
                for record in turn:
                    yield record
                size = min(2 * size, _TURN)
        finally:
            self._records.close()

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary of the run, at its end."""
        return self._records.summary


def _take(records: Iterator[Record], most: int) -> list[Record]:
    turn: list[Record] = []
    while len(turn) < most and (record := next(records, None)) is not None:
        turn.append(record)
    return turn


def hash(
    paths: Path | Iterable[Path] = (), algorithms: Algorithms = "blake3", **options: Any
) -> Hashing:
    """As :func:`hashmill.hash`."""
    return Hashing(hashmill.hash(paths, algorithms, **options))


async def file_digest(
    file: Path | Readable,
    algorithms: Algorithms = "blake3",
    *,
    progress: Progress | None = None,
    **options: Unpack[ReadOptions],
) -> dict[str, str]:
    """As :func:`hashmill.file_digest`."""
    return await _threaded(hashmill.file_digest, file, algorithms, progress=progress, **options)


async def digest_many(
    buffers: Any, algorithm: str | hashmill.Algorithm = "blake3", *, threads: int | None = None
) -> Digests:
    """As :func:`hashmill.digest_many`."""
    return await _threaded(hashmill.digest_many, buffers, algorithm, threads=threads)


async def audit(
    manifest: Path | Iterable[Path] | None = None, paths: Path | Iterable[Path] | None = None, **options: Any
) -> Audit:
    """As :func:`hashmill.audit`."""
    return await _threaded(hashmill.audit, manifest, paths, **options)


async def check(list: Path | Iterable[Path], **options: Any) -> Check:
    """As :func:`hashmill.check`."""
    return await _threaded(hashmill.check, list, **options)


async def diff(old: Path, new: Path, **options: Any) -> Diff:
    """As :func:`hashmill.diff`."""
    return await _threaded(hashmill.diff, old, new, **options)


async def dupes(paths: Path | Iterable[Path] = (), **options: Any) -> Duplicates:
    """As :func:`hashmill.dupes`."""
    return await _threaded(hashmill.dupes, paths, **options)


async def convert(manifest: Path, output: Path, **options: Any) -> Converted:
    """As :func:`hashmill.convert`."""
    return await _threaded(hashmill.convert, manifest, output, **options)


async def _threaded(call: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Runs a call on a thread. It ends soon after its task is cancelled, since nobody waits for it then."""
    stop = _hashmill.Stop()
    try:
        return await asyncio.to_thread(call, *arguments, _stop=stop, **options)
    finally:
        stop.set()
