"""The common parts of calls: paths, names of algorithms, options of reading."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps

from hashmill import _hashmill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypedDict, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

    #: A file or folder. Names may be any bytes: ``os.fsdecode`` turns them into text that converts back unchanged.
    Path: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"
    #: Bytes, or text such as ``"64K"``, ``"10MB"``.
    Size: TypeAlias = "int | str"
    #: One or several algorithms: a name, names with commas between them, or a sequence.
    Algorithms: TypeAlias = "str | _hashmill.Algorithm | Iterable[str | _hashmill.Algorithm]"

    class Bar(Protocol):
        """A progress bar with the interface of tqdm."""

        total: Any

        def update(self, n: float = ..., /) -> Any: ...
        def refresh(self) -> Any: ...

    #: The strength of a store's evidence: a digest of all bytes, one of the digests of parts, a CRC, a digest that nobody checked, the size.
    Strength: TypeAlias = Literal["content", "composite", "crc", "declared", "size"]

    #: Called with files done and met, bytes done and met, and whether the walk has ended; or a bar, whose unit is bytes.
    Progress: TypeAlias = "Callable[[int, int, int, int, bool], object] | Bar"

    class StoreOptions(TypedDict, total=False):
        """How stores are reached, if not as the environment says."""

        endpoint: str
        region: str
        anonymous: bool
        credentials: Mapping[str, str]
        requests: int
        _stop: _hashmill.Stop  # for asyncio: ends the call when its task was cancelled

    class ReadOptions(StoreOptions, total=False):
        """The resources of a call."""

        threads: int
        memory: Size
        io: Literal["auto", "buffered", "direct"]
        prefetch: int | Literal["auto"]
        timeout: float
        bwlimit: Size
        nice: bool

    class WalkOptions(ReadOptions, total=False):
        """The filters of files below the paths, and the resources."""

        files_from: Path
        null: bool
        include: Iterable[str]
        exclude: Iterable[str]
        exclude_from: Path | Iterable[Path]
        ignore_case: bool
        hashignore: bool
        gitignore: bool
        max_depth: int
        min_size: Size
        max_size: Size
        newer: float | datetime | str | os.PathLike[str]
        older: float | datetime | str | os.PathLike[str]
        follow: bool
        one_file_system: bool
        images: bool
        inside: Iterable[str]
        backing: Path | Iterable[Path]
        only_inside: bool
        deleted: bool
        unallocated: bool
        max_ratio: int
        max_nesting: int
        max_members: int
        max_expanded: Size


_STORES = frozenset({"endpoint", "region", "anonymous", "credentials", "requests"})
_READ = frozenset({"threads", "memory", "io", "prefetch", "timeout", "bwlimit", "nice", "_stop"}) | _STORES
_LISTS = frozenset({"include", "exclude", "exclude_from", "inside", "backing"})
_PATHS = frozenset({"exclude_from", "backing"})


#: Advice for an open file in place of a path.
_OF_FILES = ", an open file: give its name, or hash it with hashmill.file_digest(file)"

_KINDS = re.compile(r"'(.+)' object is not an instance of '(.+)'")
_NUMBER = re.compile(r"'(.+)' object cannot be interpreted as an integer")


class WrongKind(TypeError):
    """An argument, or an item of one, is of a kind that a call doesn't take."""

    def __init__(self, given: object, wanted: str, advice: str = "") -> None:
        kind = "None" if given is None else type(given).__name__
        super().__init__(f"{wanted}, not {kind}{advice}")
        self.given = given

    def argument(self, call: Callable[..., object], arguments: Iterable[object], options: Mapping[str, object]) -> str | None:
        """Returns the name of the argument that is wrong, or has what is wrong as an item."""
        names = call.__code__.co_varnames
        items = [*zip(names, arguments), *options.items()]
        alone = (name for name, value in items if value is self.given)
        parts = ((name, value.values() if isinstance(value, Mapping) else value) for name, value in items)
        several = ((name, value) for name, value in parts if isinstance(value, Collection))
        among = (name for name, value in several if any(each is self.given for each in value))
        return next(alone, next(among, None))


def worded(call: Callable[P, T]) -> Callable[P, T]:
    """Makes the ``TypeError`` of a call name its argument and the call."""
    shown = call.__qualname__.removesuffix(".__init__")

    @wraps(call)
    def inner(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return call(*arguments, **options)
        except WrongKind as error:
            argument = error.argument(call, arguments, options)
            raise TypeError(f"{shown}(): {argument}: {error}" if argument else f"{shown}(): {error}") from None
        except TypeError as error:
            said, notes = str(error), getattr(error, "__notes__", [])
            found = re.match("while processing '_?(.+)'", notes[0]) if notes else None
            if not found and "Selection.__new__()" not in said:
                raise
            said = said.replace("Selection.__new__()", f"{shown}()")
            said = _KINDS.sub(r"must be \2, not \1", said)
            said = _NUMBER.sub(r"must be a whole number, not \1", said)
        raise TypeError(f"{shown}(): {found[1]}: {said}" if found else said)

    return inner


def names(algorithms: Algorithms) -> str:
    """Returns the names of algorithms, separated by commas.

    Raises ``ValueError`` if one is unknown.
    """
    if isinstance(algorithms, (str, _hashmill.Algorithm)):
        joined = name(algorithms)
    elif isinstance(algorithms, Iterable):
        joined = ",".join(name(each) for each in algorithms)
    else:
        joined = name(algorithms)
    _hashmill.check_names(joined)
    return joined


def name(algorithm: str | _hashmill.Algorithm) -> str:
    """Returns the name of one algorithm."""
    if isinstance(algorithm, _hashmill.Algorithm):
        return algorithm.name
    if isinstance(algorithm, str):
        return algorithm
    raise WrongKind(algorithm, "an algorithm is one of hashmill's or its name")


def one(path: Path) -> bytes:
    """Returns a path as bytes, with ``/`` between its names."""
    if not isinstance(path, (str, bytes)) and not hasattr(path, "__fspath__"):
        is_file = hasattr(path, "read") or hasattr(path, "readinto")
        raise WrongKind(path, "a path is needed", _OF_FILES if is_file else ": give text, bytes or a Path")
    encoded = os.fsencode(path)
    # In the name of an object in a store, ``\`` is a byte like others.
    if os.sep == "\\" and not _hashmill.is_stored(encoded):
        encoded = encoded.replace(b"\\", b"/")
    if b"\0" in encoded:
        raise ValueError("embedded null byte in a path")
    return encoded


def many(paths: Path | Iterable[Path]) -> list[bytes]:
    """Returns one path or several as bytes. The lines of an open file, and the numbers in bytes, are no paths."""
    is_data = isinstance(paths, (str, bytearray, bytes, memoryview, os.PathLike)) or hasattr(paths, "read")
    given: Any = paths if isinstance(paths, Iterable) and not is_data else [paths]
    return [one(path) for path in given]


def listed(given: Any) -> list[Any]:
    """Returns one text or path, or several."""
    return [given] if isinstance(given, (str, bytes)) or hasattr(given, "__fspath__") else items(given, "text or paths")


def items(given: Iterable[T], of: str) -> list[T]:
    """Returns the items of an iterable. The letters of a text, and the lines of a file, are none."""
    if isinstance(given, (str, bytes, bytearray)) or hasattr(given, "read") or not isinstance(given, Iterable):
        raise WrongKind(given, f"a list of {of} is needed")
    return list(given)


def fields(given: Mapping[str, T], example: str) -> list[tuple[str, T]]:
    """Returns the items of a mapping."""
    if not isinstance(given, Mapping):
        raise WrongKind(given, f"a mapping such as {example} is needed")
    return list(given.items())


def texts(paths: Path | Iterable[Path]) -> list[str]:
    """Returns one path or several as text, which converts back to the same bytes."""
    return [os.fsdecode(path) for path in many(paths)]


def text(path: Path) -> str:
    """Returns a path as text, which converts back to the same bytes."""
    return os.fsdecode(one(path))


def is_stored(path: Path) -> bool:
    """Returns whether a path is a location in a store, or on a web server."""
    return _hashmill.is_stored(one(path))


def resources(options: dict[str, Any], *places: Path | Iterable[Path] | None) -> _hashmill.Resources:
    """Removes the options of reading from ``options``, for a call that reads at ``places``, and converts them."""
    taken = {name.lstrip("_"): options.pop(name) for name in list(options) if name in _READ}
    if "credentials" in taken:
        taken["credentials"] = dict(taken["credentials"])
    if "backing" in options:
        # An iterator could be read only once, and the selection reads it, too.
        options["backing"] = many(options["backing"])
    read = [place for place in (*places, options.get("backing")) if place is not None]
    stores = any(_hashmill.is_stored(path) for place in read for path in many(place))
    return _hashmill.Resources(stores=stores, **taken)


def is_of_stores(name: str) -> bool:
    """Returns whether an option sets how stores are reached, or ends the call."""
    return name in _STORES or name == "_stop"


def nothing(options: dict[str, Any], call: str) -> None:
    """Refuses options that nothing used."""
    if options:
        raise TypeError(f"{call}() got an unexpected keyword argument {next(iter(options))!r}")


def selection(paths: Iterable[bytes], options: dict[str, Any]) -> _hashmill.Selection:
    """Makes a selection of paths with all remaining ``options``."""
    for name in _LISTS & options.keys():
        options[name] = listed(options[name])
    if "files_from" in options:
        options["files_from"] = text(options["files_from"])
    for name in _PATHS & options.keys():
        options[name] = [text(path) for path in options[name]]
    return _hashmill.Selection(list(paths), **options)


def told(progress: Progress | None) -> Callable[[int, int, int, int, bool], object] | None:
    """Returns a callable that receives progress."""
    if progress is None or callable(progress):
        return progress
    if not hasattr(progress, "update"):
        raise TypeError(f"progress is a function or a bar of tqdm, not {type(progress).__name__}")
    bar = progress
    done = 0

    def update(files: int, met: int, bytes_done: int, bytes_met: int, walked: bool) -> None:
        nonlocal done
        bar.total = max(bytes_met, bytes_done)
        bar.update(bytes_done - done)
        done = bytes_done

    return update
