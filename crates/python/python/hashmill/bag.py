"""Bags (BagIt, RFC 8493): a folder with manifests of all its files, made and verified."""

from __future__ import annotations

from dataclasses import dataclass

from hashmill import _hashmill, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, Unpack

    from hashmill._options import Algorithms, Path, ReadOptions


@dataclass(frozen=True, slots=True)
class Made:
    """A bag that was made."""

    #: Bytes and files of its payload; ``None`` if this call only finished the bag of an interrupted run.
    bytes: int | None
    files: int | None
    #: Messages for people, such as what was undone of an interrupted run.
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding about a bag. ``severity`` is ``note`` (the bag is good), ``bad`` or ``unread``."""

    kind: str
    severity: str
    path: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a verification: true if the bag is good."""

    #: Whether the bag is valid, as far as it was checked.
    ok: bool
    #: The result in words.
    verdict: str
    #: The level of the check: ``valid``, ``complete`` or ``oxum``.
    level: str
    #: The version of BagIt that it declares.
    version: str
    #: The algorithms of its manifests.
    algorithms: list[str]
    #: Bytes and files of its payload.
    bytes: int
    files: int
    findings: list[Finding]
    #: Messages about files that could not be read, for people.
    problems: list[str]

    def __bool__(self) -> bool:
        return self.ok


@_options.worded
def make(
    folder: Path,
    output: Path | None = None,
    *,
    algorithms: Algorithms = "sha256,sha512",
    info: Mapping[str, str] | None = None,
    **options: Unpack[ReadOptions],
) -> Made:
    """Makes a folder a bag, in place, or as a copy in the new folder ``output``.

    ``info`` has fields of ``bag-info.txt``; Bagging-Date, Bag-Software-Agent and Payload-Oxum are added. All files are read
    before the first is moved. After an interruption the same call undoes or finishes the earlier run.

    Raises ``OSError`` if something can't be read or written, ``ValueError`` for fields and algorithms that a bag can't have,
    :class:`hashmill.Error` if the folder can't be a bag, or is one.
    """
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest, folder, output)
    _options.nothing(rest, "make")
    payload, problems = _hashmill.make_bag(
        _options.text(folder),
        None if output is None else _options.text(output),
        _options.names(algorithms),
        [] if info is None else _options.fields(info, "{'Contact-Name': 'A. Author'}"),
        resources,
    )
    size, files = payload or (None, None)
    return Made(size, files, problems)


@_options.worded
def verify(
    bag: Path,
    level: Literal["valid", "complete", "oxum"] = "valid",
    *,
    allow_weak: bool = False,
    **options: Unpack[ReadOptions],
) -> Verified:
    """Verifies a bag: every digest of every manifest in one read. With the level ``complete`` no file is read, but all must
    exist and be listed; with ``oxum`` only the numbers of bytes and files are compared. A bag whose manifests have only digests
    that anybody can forge (checksums) isn't good, unless ``allow_weak`` is given.

    Raises ``OSError`` if there is no folder, :class:`hashmill.Error` if it is not a bag.
    """
    import json

    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest, bag)
    _options.nothing(rest, "verify")
    text, problems = _hashmill.verify_bag(_options.text(bag), level, allow_weak, resources)
    found = json.loads(text)
    payload = found["payload"]
    return Verified(
        ok=found["good"],
        verdict=found["verdict"],
        level=found["level"],
        version=found["version"],
        algorithms=found["algorithms"],
        bytes=payload["octets"],
        files=payload["streams"],
        findings=[Finding(**each) for each in found["findings"]],
        problems=problems,
    )
