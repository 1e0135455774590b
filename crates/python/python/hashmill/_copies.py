"""Copies that are hashed as they are read, and read back from their media."""

from __future__ import annotations

from hashmill import _hashmill, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal, Unpack

    from hashmill._options import Algorithms, Path, WalkOptions


class Destination:
    """What became of the files at a destination."""

    #: Files that were copied, and their bytes.
    copied: int
    bytes: int
    #: Those of them that were read back from the medium, and those of which only the page cache could be read.
    verified: int
    only_from_cache: int
    #: Links that were made, and files and links that were there already.
    links: int
    same: int
    #: Files that were not copied: as something else is there, as the copy differed, for errors.
    kept: int
    differing: int
    failed: int
    #: The number of copies that lack a property of their source, by the property.
    lost: dict[str, int]
    #: The bag, with ``manifest="bag"``: ``made``, ``valid`` (one that was there), ``differs``, ``unread`` or ``not made``; else none.
    bag: str | None = None

    def __init__(self, found: dict[str, Any]) -> None:
        self.__dict__.update(found)

    def __repr__(self) -> str:
        counts = ", ".join(f"{word}={number!r}" for word, number in self.__dict__.items() if number)
        return f"<Destination {counts or 'nothing'}>"


class Copied:
    """The result of a copy: true if all is copied, or was there, and nothing failed."""

    def __init__(self, found: dict[str, Any], problems: list[str]) -> None:
        #: Whether all is as it should be.
        self.ok: bool = found["ok"]
        #: What became of the files at each destination, in their order.
        self.destinations = [Destination(place) for place in found["destinations"]]
        #: Files with other content at the second read (``verify_source``).
        self.unstable: int = found["unstable"]
        #: Files that could not be read a second time (``verify_source``).
        self.unread: int = found["unread"]
        #: What is not as it should be, for people.
        self.problems = problems

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return f"<Copied {'good' if self.ok else 'NOT GOOD'}: {self.destinations}>"


@_options.worded
def copy(
    src: Path | Iterable[Path],
    *dst: Path,
    algorithms: Algorithms | None = None,
    verify: Literal["end", "later", "no"] = "end",
    verify_source: bool = False,
    force: bool = False,
    manifest: str | None = None,
    info: Mapping[str, str] | None = None,
    **options: Unpack[WalkOptions],
) -> Copied:
    """Copies files and folders to one or more folders, in one read, and reads each copy back before it gets its name.

    A source becomes a file or folder of its name; one with ``/`` at its end stands for its content. What is there and is the
    same is left; what is there and differs is kept unless ``force`` replaces it. After an interruption the same call goes on.

    ``manifest`` is the format of a manifest that is written into each destination; with ``"bag"`` each becomes a bag, whose
    ``bag-info.txt`` has the fields of ``info``. ``algorithms`` are BLAKE3 by default, or those of the format: of bags SHA-256 and SHA-512.

    Raises ``ValueError`` where places don't fit together. What could not be copied is told in the result.
    """
    if not dst:
        raise TypeError("copy() needs a destination")
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest, src)
    selection = _options.selection(_options.many(src), rest)
    _options.nothing(rest, "copy")
    # Importing the package loads little.
    import json

    text, problems = _hashmill.copy(
        selection,
        [_options.text(to) for to in dst],
        None if algorithms is None else _options.names(algorithms),
        (verify, verify_source),
        force,
        resources,
        manifest,
        [] if info is None else _options.fields(info, "{'Contact-Name': 'A. Author'}"),
    )
    return Copied(json.loads(text), problems)
