"""The calls of the engine."""

from __future__ import annotations

import io
import os

from hashmill import _hashmill, _options
from hashmill._results import Audit, Check, Converted, Diff, Duplicates, Group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import IO, Any, Literal, Protocol, TypeAlias, TypeVar, Unpack

    from hashmill._hashmill import Digests, Entry, Records
    from hashmill._options import Algorithms, Path, Progress, ReadOptions, Size, StoreOptions, Strength, WalkOptions

    class _Readable(Protocol):
        """A binary file."""

        def readinto(self, buffer: bytearray, /) -> int | None: ...

    #: A binary file, open for reading.
    Readable: TypeAlias = IO[bytes] | _Readable

    class ArrowArray(Protocol):
        """An object that exports an Arrow array."""

        def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

    class ArrowStream(Protocol):
        """An object that exports a stream of Arrow arrays."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    _T = TypeVar("_T", Audit, Check, Diff)


_PART = 1 << 20


@_options.worded
def file_digest(
    file: Path | Readable,
    algorithms: Algorithms = "blake3",
    *,
    progress: Progress | None = None,
    **options: Unpack[ReadOptions],
) -> dict[str, str]:
    """Returns the digests of a file by one or several algorithms, all in one read.

    ``file`` is a path, a location (``s3://bucket/key``, ``https://…``), or a binary file object, which is read from its
    position to its end.

    Returns each algorithm's name and its digest in the algorithm's usual text (hexadecimal for nearly all), in the order
    of the algorithms.

    ``progress`` is called while it is read, as in :func:`hash`.

    Raises ``OSError`` if the file can't be read or changes meanwhile, ``ValueError`` for an unknown algorithm or
    a file object that is not binary.

    >>> file_digest(io.BytesIO(b"abc"), ["md5", "crc32"])
    {'md5': '900150983cd24fb0d6963f7d28e17f72', 'crc32': '352441c2'}
    """
    joined = _options.names(algorithms)
    rest: dict[str, Any] = dict(options)
    stop = options.get("_stop")
    if isinstance(file, (str, bytes)) or hasattr(file, "__fspath__"):
        path = _options.one(file)  # type: ignore[arg-type]
        resources = _options.resources(rest, path)
        _options.nothing(rest, "file_digest")
        return _hashmill.file_digest(path, joined, resources, _options.told(progress))
    if not hasattr(file, "read") and not hasattr(file, "readinto"):
        raise _options.WrongKind(file, "a path or a binary file is needed")
    _options.resources(rest)
    _options.nothing(rest, "file_digest")
    hashers = {each.name: each for each in map(_hashmill.new, joined.split(","))}
    _feed(file, list(hashers.values()), stop, _options.told(progress))
    return {name: each.text() for name, each in hashers.items()}


def _feed(
    file: Any,
    hashers: list[_hashmill.Hash],
    stop: _hashmill.Stop | None,
    told: Callable[[int, int, int, int, bool], object] | None,
) -> None:
    def tell(files: int, done: int) -> None:
        if told:
            told(files, 1, done, done, True)

    if hasattr(file, "getbuffer"):
        with file.getbuffer() as whole:
            rest = whole[file.tell() :]
            for hasher in hashers:
                hasher.update(rest)
            done = len(rest)
            rest.release()
        file.seek(0, io.SEEK_END)
        return tell(1, done)
    readable = getattr(file, "readable", lambda: True)
    if not hasattr(file, "readinto") or not readable():
        raise ValueError(f"{file!r} is not a file in binary reading mode")
    buffer = bytearray(_PART)
    view = memoryview(buffer)
    count: int | None = 0
    done = 0
    while (stop is None or not stop.is_set()) and (count := file.readinto(buffer)):
        for hasher in hashers:
            hasher.update(view[:count])
        done += count
        tell(0, done)
    if count is None:
        raise BlockingIOError("a file that does not wait for its bytes can't be hashed")
    tell(1, done)


@_options.worded
def digest_many(
    buffers: Iterable[object] | ArrowArray | ArrowStream,
    algorithm: str | _hashmill.Algorithm = "blake3",
    *,
    threads: int | None = None,
    _stop: _hashmill.Stop | None = None,
) -> Digests:
    """Returns the digests of many buffers, using all lanes of the processor and all cores.

    ``buffers`` is one of

    * an iterable of bytes-like objects, with ``None`` for rows without a value;
    * an array of two dimensions or more (NumPy, memoryview), contiguous: each row is a message;
    * a column of Arrow (pyarrow, Polars, or anything with the Arrow PyCapsule interface) of bytes of any kind or of text,
      whose UTF-8 is hashed; or of a dictionary of them. Nothing is copied. Null rows have no digest.

    Returns the digests in the same order: a sequence of ``bytes`` and ``None`` that is also an Arrow array.

    Raises ``TypeError`` for objects that are not bytes and for arrays of one dimension, ``ValueError`` for a column of
    another type or an unknown algorithm.

    >>> digest_many([b"abc", None], "md5").hex()
    ['900150983cd24fb0d6963f7d28e17f72', None]
    """
    return _hashmill.digest_many(buffers, _options.name(algorithm), threads, _stop)


@_options.worded
def hash(
    paths: Path | Iterable[Path] = (),
    algorithms: Algorithms = "blake3",
    *,
    facts: str | Iterable[str] = (),
    yara: Path | Iterable[Path] = (),
    yara_strings: bool = False,
    yara_max: Size | None = None,
    yara_timeout: float | None = None,
    pronom: Path | Iterable[Path] = (),
    piecewise: Size | None = None,
    leaves: bool = False,
    order: Literal["path", "any"] = "path",
    bad_blocks: Literal["fail", "zero"] = "fail",
    known: Path | Iterable[Path] = (),
    metadata: bool = False,
    reuse: Path | None = None,
    output: Path | None = None,
    force: bool = False,
    format: str | None = None,
    times: bool = False,
    resume: bool = False,
    raise_on_error: bool = False,
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> Records:
    """Hashes all files below some paths, on all cores, and returns a record for each.

    Options are those of ``hashmill hash`` (``hashmill hash --help`` explains each): ``facts`` for ``"type,entropy"`` of the
    content (:attr:`Record.type`, :attr:`Record.mismatch`, :attr:`Record.entropy`), ``yara`` for files and folders with rules of YARA
    (:attr:`Record.yara`, :attr:`Record.yara_status`, :attr:`Record.yara_matches`), ``pronom`` for files with signatures of formats
    (:attr:`Record.puid`), ``piecewise`` for a digest of each piece, ``known`` for indexes of known digests that label each file; ``include``, ``exclude``, ``gitignore``, ``min_size``,
    ``newer``, ``older``, ``ignore_case`` and the like select files; ``threads``, ``memory`` and ``io`` set resources; ``endpoint``, ``region``,
    ``anonymous``, ``credentials`` (variables such as ``AWS_ACCESS_KEY_ID``) and ``requests`` set how stores are reached. ``reuse`` names a manifest that ``metadata`` or ``reuse`` wrote:
    digests of unchanged files are taken from it without reading them, and their records have ``reused``. With ``output`` a manifest is written as well, in ``format``
    (default: the one that its name implies, else jsonl); it gets its name when all records were taken, and without that a
    ``RuntimeWarning`` says that it was not written. An existing file is replaced only if it is a manifest, all
    paths exist, and the new manifest has at least half as many files; ``force`` replaces it anyway.

    Records come in the order of their paths, the same in every run. Files that can't be read or that changed meanwhile, and
    entries that are not files, are records with another ``status``; with ``raise_on_error`` the first file that can't be read
    is an ``OSError`` instead. ``records.summary``, once all were taken, has the numbers, and says in ``ok`` and ``complete`` whether
    anything went wrong, also what has no record, such as an archive that was not looked into (``problems``). ``progress`` is called about ten times a second; or it is a bar of tqdm.

    The result is an iterator and an Arrow stream: ``pyarrow.table(records)``, ``polars.DataFrame(records)``,
    ``pandas.DataFrame.from_arrow(records)`` (pandas 3; before ``pyarrow.table(records).to_pandas()``) make a table, and DuckDB takes
    it as one (``duckdb.sql("from records")``). Reading begins when the first record is requested. Each record comes once: another
    use of the result is a ``ValueError``.

    Raises ``ValueError`` for wrong options or combinations of options, ``TypeError`` for an open file (see :func:`file_digest`). ``OSError`` or :class:`Error` are raised while
    records are taken, for errors that stop the whole run.
    """
    rest: dict[str, Any] = dict(options)
    is_judging = rest.pop("_judging", False)
    places, sets = _options.many(paths), _options.texts(known)
    resources = _options.resources(rest, places, sets, output, options.get("files_from"))
    return _hashmill.hash(
        _options.selection(places, rest),
        resources,
        _options.names(algorithms),
        _hashmill.Inspection(
            facts if isinstance(facts, str) else ",".join(facts),
            yara=_options.texts(yara),
            yara_strings=yara_strings,
            yara_max=yara_max,
            yara_timeout=yara_timeout,
            pronom=_options.texts(pronom),
        ),
        piecewise=piecewise,
        leaves=leaves,
        order=order,
        bad_blocks=bad_blocks,
        known=sets,
        metadata=metadata,
        reuse=None if reuse is None else _options.text(reuse),
        output=None if output is None else (_options.text(output), force),
        format=format,
        times=times,
        resume=resume,
        raise_on_error=raise_on_error,
        is_judging=is_judging,
        progress=_options.told(progress),
    )


@_options.worded
def audit(
    manifest: Path | Iterable[Path] | None = None,
    paths: Path | Iterable[Path] | None = None,
    *,
    against: Path | None = None,
    min_strength: Strength | None = None,
    download: bool = False,
    known: Path | Iterable[Path] = (),
    update: Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> Audit:
    """Compares files with one manifest or several, in any format that hashmill reads.

    With ``paths`` everything below them is compared, so that new files are found; without, the files that the manifests
    name. ``known`` are indexes of known digests that label changed and new files; ``update`` writes the next manifest, which
    replaces an existing file under the same conditions as in :func:`hash`, or with ``force``.

    Objects in a store are compared by the store's evidence, without reading them, if ``min_strength`` sets the weakest
    evidence to accept (by default ``crc``), or if they are compared ``against`` a folder, a manifest or a location in place of
    ``manifest``. ``paths`` is one path or location then. Objects whose evidence is insufficient are ``unproven``; with
    ``download`` they are read.

    Raises ``OSError`` if a manifest can't be read, :class:`Error` if it is not one, ``ValueError`` for wrong options.
    """
    if (manifest is None) == (against is None):
        raise TypeError("audit() takes a manifest, or against in its place")
    rest: dict[str, Any] = dict(options)
    manifests = [] if manifest is None else _options.texts(manifest)
    observed = None if paths is None else _options.many(paths)
    sets = _options.texts(known)
    resources = _options.resources(rest, manifests, observed, against, sets, update)
    if against is not None or min_strength is not None:
        if sets or update is not None:
            raise ValueError("known and update need the bytes of files; they do not go with against and min_strength")
        if observed is None or len(observed) != 1:
            raise ValueError("against and min_strength compare one path: give it as paths")
        given = _hashmill.compare_stores(
            None if against is None else _options.text(against),
            os.fsdecode(observed[0]),
            _in_stores(resources, rest, "audit", observed[0], against),
            manifests=manifests,
            min_strength=min_strength,
            download=download,
            is_audit=True,
            progress=_options.told(progress),
        )
        return _compared(Audit, given)
    if download:
        raise ValueError("download is about what stores say: give against or min_strength, too")
    where = None
    if observed is not None:
        where = _options.selection(observed, rest)
    elif rest:
        raise TypeError(f"audit(): {next(iter(rest))} is about paths: give paths, too")
    given = _hashmill.audit(
        manifests,
        where,
        resources,
        known=sets,
        update=None if update is None else (_options.text(update), force),
        progress=_options.told(progress),
    )
    return _compared(Audit, given)


def _compared(kind: type[_T], given: tuple[list[Entry], list[str], dict[str, Any]]) -> _T:
    entries, problems, numbers = given
    return kind(entries, problems, **numbers)


def _in_stores(
    resources: _hashmill.Resources, rest: dict[str, Any], call: str, *sides: Path | None
) -> _hashmill.Resources:
    """Refuses options that a comparison by evidence of stores does not support."""
    if not any(side is not None and _options.is_stored(side) for side in sides):
        raise ValueError(f"{call}(): neither side is in a store; hashmill.diff compares folders and manifests")
    if rest:
        raise ValueError(f"{call}(): {next(iter(rest))} does not go with stores: all of both sides is compared")
    return resources


@_options.worded
def check(
    list: Path | Iterable[Path],
    *,
    algorithm: str | _hashmill.Algorithm | None = None,
    base: Path | None = None,
    strict: bool = False,
    store: str | None = None,
    name_is: str | _hashmill.Algorithm | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadOptions],
) -> Check:
    """Checks the files that lists of digests name, as ``sha256sum -c`` does, for lists of every kind.

    Names are relative to the working directory, or to the folder ``base``. ``algorithm`` is that of lists which don't name
    theirs; by default it is found from the first file that matches. With ``strict`` lines without a digest and a name fail
    the check.

    With ``store`` the folder ``list`` is checked instead, whose names are digests: ``"git"``, ``"dvc"``, ``"huggingface"`` and the other
    kinds of ``hashmill check --store``; with ``name_is`` a tree whose file names are digests by that algorithm.

    Raises ``OSError`` if a list can't be read, :class:`Error` if it is not one.
    """
    rest: dict[str, Any] = dict(options)
    lists = _options.texts(list)
    resources = _options.resources(rest, lists, base)
    _options.nothing(rest, "check")
    if store is not None or name_is is not None:
        if len(lists) != 1 or algorithm is not None or base is not None or strict or None not in (store, name_is):
            raise ValueError("check(): store and name_is check one folder, and go with no other option of lists")
        named = None if name_is is None else _options.name(name_is)
        told = _options.told(progress)
        return _compared(Check, _hashmill.check_store(os.fsencode(lists[0]), store, named, resources, progress=told))
    given = _hashmill.check(
        lists,
        resources,
        algorithm=None if algorithm is None else _options.name(algorithm),
        strict=strict,
        base=None if base is None else _options.text(base),
        progress=_options.told(progress),
    )
    return _compared(Check, given)


@_options.worded
def diff(
    old: Path,
    new: Path,
    *,
    algorithms: Algorithms | None = None,
    min_strength: Strength | None = None,
    download: bool = False,
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> Diff:
    """Compares two folders, two manifests, or one of each, in the categories of an audit.

    Two folders are compared by ``algorithms`` (by default BLAKE3), and filters select their files; a manifest determines
    the digests itself. If a side is a location in a store, both are compared by the store's evidence, as :func:`audit` does
    with ``against``.

    Raises ``OSError`` or :class:`Error` if a side can't be read, ``ValueError`` for wrong combinations of options.
    """
    rest: dict[str, Any] = dict(options)
    if "files_from" in rest or "null" in rest:
        raise TypeError("diff() compares two sides: files_from names neither")
    resources = _options.resources(rest, old, new)
    names = None if algorithms is None else _options.names(algorithms)
    if _options.is_stored(old) or _options.is_stored(new):
        if names is not None:
            raise ValueError("diff(): what the store has decides by which digests is compared, not algorithms")
        given = _hashmill.compare_stores(
            _options.text(old),
            _options.text(new),
            _in_stores(resources, rest, "diff", old, new),
            min_strength=min_strength,
            download=download,
            progress=_options.told(progress),
        )
        return _compared(Diff, given)
    if min_strength is not None or download:
        raise ValueError("diff(): min_strength and download are about stores, and neither side is in one")
    given = _hashmill.diff(
        _options.text(old),
        _options.text(new),
        _options.selection([], rest),
        resources,
        algorithms=names,
        is_filtered=bool(rest),
        progress=_options.told(progress),
    )
    return _compared(Diff, given)


@_options.worded
def dupes(
    paths: Path | Iterable[Path] = (),
    algorithm: str | _hashmill.Algorithm | None = None,
    *,
    manifests: Path | Iterable[Path] = (),
    progress: Progress | None = None,
    **options: Unpack[WalkOptions],
) -> Duplicates:
    """Finds files with the same content below some paths; or in ``manifests``, without reading any file.

    ``algorithm`` is the cryptographic one that decides (by default BLAKE3); for manifests any that they have (by default the
    strongest one that the most records have). Empty files are left out unless ``min_size`` is 0. Files are never changed.

    Returns groups of files, those that waste most first. Raises ``ValueError`` for wrong combinations of options,
    ``OSError`` or :class:`Error` for manifests that can't be used. A file that can't be read is in ``problems``.
    """
    rest: dict[str, Any] = dict(options)
    places, lists = _options.many(paths), _options.texts(manifests)
    name = None if algorithm is None else _options.name(algorithm)
    resources = _options.resources(rest, places, lists)
    min_size = rest.pop("min_size", None)
    if lists:
        if places or rest:
            raise ValueError("dupes(): manifests go with min_size and algorithm alone")
        found = _hashmill.listed_dupes(lists, algorithm=name, min_size=min_size)
    else:
        where = _options.selection(places, rest)
        found = _hashmill.dupes(where, resources, name or "blake3", min_size=min_size, progress=_options.told(progress))
    groups, problems, ok = found
    return Duplicates([Group(*group) for group in groups], problems, ok)


@_options.worded
def convert(
    manifest: Path,
    output: Path,
    *,
    format: str | None = None,
    algorithm: str | _hashmill.Algorithm | None = None,
    lossy: bool = False,
    force: bool = False,
    memory: Size | None = None,
    **options: Unpack[StoreOptions],
) -> Converted:
    """Writes the records of a manifest in another format: ``format``, or the one that the name ``output`` implies.

    ``algorithm`` is that of digests for which the manifest names none. Records that the format can't carry are an error,
    unless ``lossy`` leaves them out. ``output`` gets its name when it is complete, and replaces an existing file under the
    same conditions as in :func:`hash`, or with ``force``.

    Raises ``OSError`` or :class:`Error` if the manifest can't be read or something would be lost, ``ValueError`` for a
    format that is unknown.
    """
    rest: dict[str, Any] = dict(options)
    _options.nothing({name: None for name in rest if not _options.is_of_stores(name)}, "convert")
    resources = _options.resources(rest, manifest, output)
    malformed, refused, problems = _hashmill.convert(
        _options.text(manifest),
        (_options.text(output), force),
        resources,
        format=format,
        algorithm=None if algorithm is None else _options.name(algorithm),
        lossy=lossy,
        memory=memory,
    )
    return Converted(malformed, refused, problems)
