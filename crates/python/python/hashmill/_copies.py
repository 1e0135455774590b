"""Copies that are hashed as they are read, and read back from their media."""

from __future__ import annotations

import json
from dataclasses import dataclass

from hashmill import _hashmill, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, Unpack

    from hashmill._options import Algorithms, Path, WalkOptions


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Copied:
    """The result of a copy: true if all is copied, or was there, and nothing failed."""

    #: Whether all is as it should be.
    ok: bool
    #: What became of the files at each destination, in their order.
    destinations: list[Destination]
    #: Files with other content at the second read, and files that could not be read a second time (``verify_source``).
    unstable: int
    unread: int
    #: What is not as it should be, for people.
    problems: list[str]

    def __bool__(self) -> bool:
        return self.ok


@_options.worded
def copy(
    src: Path | Iterable[Path],
    *dst: Path,
    algorithms: Algorithms = "blake3",
    verify: Literal["end", "later", "no"] = "end",
    verify_source: bool = False,
    force: bool = False,
    **options: Unpack[WalkOptions],
) -> Copied:
    """Copies files and folders to one or more folders, in one read, and reads each copy back before it gets its name.

    A source becomes a file or folder of its name; one with ``/`` at its end stands for its content. What is there and is the
    same is left; what is there and differs is kept unless ``force`` replaces it. After an interruption the same call goes on.

    Raises ``ValueError`` where places don't fit together. What could not be copied is told in the result.
    """
    if not dst:
        raise TypeError("copy() needs a destination")
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest, src)
    selection = _options.selection(_options.many(src), rest)
    _options.nothing(rest, "copy")
    text, problems = _hashmill.copy(
        selection,
        [_options.text(to) for to in dst],
        _options.names(algorithms),
        (verify, verify_source),
        force,
        resources,
    )
    found: dict[str, Any] = json.loads(text)
    places = [Destination(**place) for place in found["destinations"]]
    return Copied(found["ok"], places, found["unstable"], found["unread"], problems)
