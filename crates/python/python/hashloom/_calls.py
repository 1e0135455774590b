"""The calls of the engine."""

from __future__ import annotations

import io
import os

from hashloom import _hashloom, _options
from hashloom._results import Audit, Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO, Any, Literal, Protocol, TypeAlias, Unpack

    from hashloom._hashloom import Digests, Records
    from hashloom._options import Algorithms, Path, Progress, ReadOptions, Size, WalkOptions

    class _Readable(Protocol):
        """A binary file."""

        def readinto(self, buffer: bytearray, /) -> int | None: ...

    #: A binary file, open for reading.
    Readable: TypeAlias = IO[bytes] | _Readable

    class ArrowArray(Protocol):
        """What gives an Arrow array."""

        def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

    class ArrowStream(Protocol):
        """What gives a stream of Arrow arrays."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


_PART = 1 << 20


def file_digest(
    file: Path | Readable, algorithms: Algorithms = "blake3", **options: Unpack[ReadOptions]
) -> dict[str, str]:
    """The digests of a file by one or several algorithms, all in one read.

    ``file`` is a path, or a binary file object, which is read from where it stands to its end.

    Returns each algorithm's name and its digest in the algorithm's usual text (hexadecimal for nearly all), in the order
    that was asked for.

    Raises ``OSError`` if the file can't be read or changes meanwhile, ``ValueError`` for an algorithm that is not known or
    a file object that is not binary.

    >>> file_digest(io.BytesIO(b"abc"), ["md5", "crc32"])
    {'md5': '900150983cd24fb0d6963f7d28e17f72', 'crc32': '352441c2'}
    """
    joined = _options.names(algorithms)
    rest: dict[str, Any] = dict(options)
    stop = options.get("_stop")
    resources = _options.resources(rest)
    if rest:
        raise TypeError(f"file_digest() got an unexpected keyword argument {next(iter(rest))!r}")
    if isinstance(file, (str, bytes)) or hasattr(file, "__fspath__"):
        return _hashloom.file_digest(_options.one(file), joined, resources)  # type: ignore[arg-type]
    hashers = {each.name: each for each in map(_hashloom.new, joined.split(","))}
    _feed(file, list(hashers.values()), stop)
    return {name: each.text() for name, each in hashers.items()}


def _feed(file: Any, hashers: list[_hashloom.Hash], stop: _hashloom.Stop | None) -> None:
    if hasattr(file, "getbuffer"):
        with file.getbuffer() as whole:
            rest = whole[file.tell() :]
            for hasher in hashers:
                hasher.update(rest)
            rest.release()
        file.seek(0, io.SEEK_END)
        return
    readable = getattr(file, "readable", lambda: True)
    if not hasattr(file, "readinto") or not readable():
        raise ValueError(f"{file!r} is not a file in binary reading mode")
    buffer = bytearray(_PART)
    view = memoryview(buffer)
    count: int | None = 0
    while (stop is None or not stop.is_set()) and (count := file.readinto(buffer)):
        for hasher in hashers:
            hasher.update(view[:count])
    if count is None:
        raise BlockingIOError("a file that does not wait for its bytes can't be hashed")


def digest_many(
    buffers: Iterable[object] | ArrowArray | ArrowStream,
    algorithm: str | _hashloom.Algorithm = "blake3",
    *,
    threads: int | None = None,
    _stop: _hashloom.Stop | None = None,
) -> Digests:
    """The digests of many buffers, on all lanes of the processor and on all cores.

    ``buffers`` is one of

    * an iterable of bytes-like objects, ``None`` among them for rows that have no value;
    * an array of two dimensions or more (NumPy, memoryview), contiguous: each row is a message;
    * a column of Arrow (pyarrow, Polars, or anything with the Arrow PyCapsule interface) of bytes of any kind or of text,
      whose UTF-8 is hashed. Nothing is copied. Null rows have no digest.

    Returns the digests in the same order: a sequence of ``bytes`` and ``None`` that is an Arrow array, too.

    Raises ``TypeError`` for what is not bytes, ``ValueError`` for a column of another type or an algorithm that is not
    known.

    >>> digest_many([b"abc", None], "md5").hex()
    ['900150983cd24fb0d6963f7d28e17f72', None]
    """
    name = algorithm if isinstance(algorithm, str) else algorithm.name
    return _hashloom.digest_many(buffers, name, threads, _stop)


def hash(
    paths: Path | Iterable[Path] = (),
    algorithms: Algorithms = "blake3",
    *,
    piecewise: Size | None = None,
    leaves: bool = False,
    order: Literal["path", "any"] = "path",
    bad_blocks: Literal["fail", "zero"] = "fail",
    known: Path | Iterable[Path] = (),
    output: Path | None = None,
    force: bool = False,
    format: str | None = None,
    times: bool = False,
    resume: bool = False,
    raise_on_error: bool = False,
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> Records:
    """Hashes all files below some paths, on all cores, and gives a record for each.

    Options are those of ``hashloom hash`` (``hashloom hash --help`` has more about each): ``piecewise`` for a digest of
    every so many bytes, ``known`` for indexes of known digests that label each file, ``include``, ``exclude``,
    ``gitignore``, ``min_size``, ``newer`` and the like for which files, ``threads``, ``memory``, ``io`` for with what. With
    ``output`` a manifest is written, too, in ``format`` (default jsonl); it gets its name when all records were taken. A file
    that is there is replaced only if it is a manifest, every path was met, and the new one has at least half as many files;
    ``force`` replaces it anyway.

    Records come in the order of their paths, the same in every run. Files that can't be read, that changed meanwhile and
    entries that are no files are records with another ``status``; with ``raise_on_error`` the first file that can't be read
    is an ``OSError`` instead. ``progress`` is called about ten times a second; or it is a bar of tqdm.

    What is returned is an iterator, and an Arrow stream: hand it to ``pyarrow.table``, ``polars.from_arrow``,
    ``duckdb.from_arrow``. Reading begins with the first record that is asked for.

    Raises ``ValueError`` for options that are wrong or don't go together, and ``OSError`` or :class:`Error`, when records
    are taken, for what all depends on.
    """
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest)
    return _hashloom.hash(
        _options.selection(_options.many(paths), rest),
        resources,
        _options.names(algorithms),
        piecewise=piecewise,
        leaves=leaves,
        order=order,
        bad_blocks=bad_blocks,
        known=[os.fsdecode(path) for path in _options.many(known)],
        output=None if output is None else (_options.text(output), force),
        format=format,
        times=times,
        resume=resume,
        raise_on_error=raise_on_error,
        progress=_options.told(progress),
    )


def audit(
    manifest: Path | Iterable[Path],
    paths: Path | Iterable[Path] | None = None,
    *,
    known: Path | Iterable[Path] = (),
    update: Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> Audit:
    """Compares what is there with one manifest or several, in any format that hashloom reads.

    With ``paths`` everything below them is compared, so that new files show; without, the files that the manifests name.
    ``known`` are indexes of known digests that label what changed or is new; ``update`` writes the next manifest,
    which replaces another one as that of :func:`hash` does, or with ``force``.

    Raises ``OSError`` if a manifest can't be read, :class:`Error` if it is not one, ``ValueError`` for wrong options.
    """
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest)
    where = None
    if paths is not None:
        where = _options.selection(_options.many(paths), rest)
    elif rest:
        raise TypeError(f"audit(): {next(iter(rest))} is about paths: give paths, too")
    entries, problems, numbers = _hashloom.audit(
        [os.fsdecode(path) for path in _options.many(manifest)],
        where,
        resources,
        known=[os.fsdecode(path) for path in _options.many(known)],
        update=None if update is None else (_options.text(update), force),
        progress=_options.told(progress),
    )
    return Audit(entries, problems, **numbers)


def check(
    list: Path | Iterable[Path],
    *,
    algorithm: str | _hashloom.Algorithm | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    **options: Unpack[ReadOptions],
) -> Check:
    """Checks the files that lists of digests name, as ``sha256sum -c`` does, for lists of every kind.

    Names are taken from the working directory. ``algorithm`` is that of lists which don't say theirs; without it, it is
    learnt from the first file that matches. With ``strict`` lines that are no digest and name fail the check.

    Raises ``OSError`` if a list can't be read, :class:`Error` if it is not one.
    """
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest)
    if rest:
        raise TypeError(f"check() got an unexpected keyword argument {next(iter(rest))!r}")
    name = algorithm.name if isinstance(algorithm, _hashloom.Algorithm) else algorithm
    entries, problems, numbers = _hashloom.check(
        [os.fsdecode(path) for path in _options.many(list)],
        resources,
        algorithm=name,
        strict=strict,
        progress=_options.told(progress),
    )
    return Check(entries, problems, **numbers)
