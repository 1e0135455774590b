"""The digest of a directory as the package dirhash computes it.

A directory's digest is that of its sorted entries, each of them the digest of its content and its name (Dirhash Standard
0.1.0). Files are hashed by the engine, all at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

import hashmill
from hashmill.compat import _digests, _patterns

_PROPERTIES = {"name", "data"}


class _Folder:
    """A directory: its directories, and its files with their real paths."""

    def __init__(self) -> None:
        self.folders: list[tuple[str, _Folder]] = []
        self.files: list[tuple[str, str]] = []


class _Which(NamedTuple):
    """The parts of a directory that are hashed."""

    linked_dirs: bool
    linked_files: bool
    empty_dirs: bool
    selected: Callable[[str], bool]


def dirhash(
    directory: str | os.PathLike[str],
    algorithm: str,
    match: Iterable[str] = ("*",),
    ignore: Iterable[str] | None = None,
    linked_dirs: bool = True,
    linked_files: bool = True,
    empty_dirs: bool = False,
    entry_properties: Iterable[str] = ("name", "data"),
    *,
    jobs: int | None = None,
) -> str:
    """Returns the digest of a directory in hexadecimal digits.

    ``match`` and ``ignore`` are patterns of ``.gitignore``, for the paths of files from the directory down: a file is hashed
    if the last pattern that it matches is one of ``match`` (without a ``!`` in front); those of ``ignore`` come last. ``jobs`` is
    the number of threads; by default all cores hash.

    Links to directories and files are followed, unless ``linked_dirs`` and ``linked_files`` leave them out. Directories
    without files are included with ``empty_dirs`` only. ``entry_properties`` are ``name``, ``data``, or both. The package's third
    one, ``is_link``, has another value in every process there (version 0.5.0), so it is refused.

    Raises ``OSError`` if something can't be read or links lead in a circle, ``ValueError`` if there is nothing to hash, or
    for wrong arguments.
    """
    properties = set(entry_properties)
    if not properties <= _PROPERTIES:
        raise ValueError(f"entry properties {sorted(properties - _PROPERTIES)} not supported")
    if not properties & {"name", "data"}:
        raise ValueError("at least one of the entry properties name and data must be used")
    hashmill.new(algorithm)
    root = os.fspath(directory)
    selected = _patterns.matcher([*match, *("!" + pattern for pattern in ignore or ())])
    folder = _scan(root, _Which(linked_dirs, linked_files, empty_dirs, selected), [os.path.realpath(root)], "")
    if not empty_dirs and not (folder.folders or folder.files):
        raise ValueError(f"{root}: Nothing to hash")
    paths = set(_files(folder)) if "data" in properties else set()
    return _digest(folder, algorithm, properties, _digests.of(sorted(paths), algorithm, jobs) if paths else {})


def _scan(path: str, which: _Which, above: list[str], below: str) -> _Folder:
    folder = _Folder()
    with os.scandir(path) as entries:
        for entry in entries:
            link = entry.is_symlink()
            name = below + entry.name
            if entry.is_dir():
                if link and not which.linked_dirs:
                    continue
                real = _real(entry, link, above)
                if real in above:
                    raise OSError(f"{entry.path}: a link that leads to a directory that it lies in")
                inner = _scan(entry.path, which, [*above, real], name + "/")
                if which.empty_dirs or inner.folders or inner.files:
                    folder.folders.append((entry.name, inner))
            elif entry.is_file():
                if (which.linked_files or not link) and which.selected(name):
                    folder.files.append((entry.name, _real(entry, link, above)))
    return folder


def _real(entry: os.DirEntry[str], link: bool, above: list[str]) -> str:
    """Returns the real path of an entry: if it is not a link, it is in the directory, the last of those above."""
    return os.path.realpath(entry.path) if link else os.path.join(above[-1], entry.name)


def _files(folder: _Folder) -> Iterable[str]:
    for _, path in folder.files:
        yield path
    for _, inner in folder.folders:
        yield from _files(inner)


def _digest(folder: _Folder, algorithm: str, properties: set[str], digests: dict[str, str]) -> str:
    entries = []
    for name, inner in folder.folders:
        digest = _digest(inner, algorithm, properties, digests)
        entries.append(_entry([f"dirhash:{digest}"], name, properties))
    for name, path in folder.files:
        data = [f"data:{digests[path]}"] if "data" in properties else []
        entries.append(_entry(data, name, properties))
    return hashmill.new(algorithm, "\0\0".join(sorted(entries)).encode()).hexdigest()


def _entry(said: list[str], name: str, properties: set[str]) -> str:
    if "name" in properties:
        said.append(f"name:{name}")
    return "\0".join(sorted(said))
