"""The digest of a directory as the package dirhash has it.

A directory's digest is that of its sorted entries, each of them the digest of its content and its name (Dirhash Standard
0.1.0). Files are hashed by the engine, all at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import hashloom
from hashloom.compat import _digests

_PROPERTIES = {"name", "data"}


class _Folder:
    """A directory: its directories, and its files with where they really lie."""

    def __init__(self) -> None:
        self.folders: list[tuple[str, _Folder]] = []
        self.files: list[tuple[str, str]] = []


def dirhash(
    directory: str | os.PathLike[str],
    algorithm: str,
    linked_dirs: bool = True,
    linked_files: bool = True,
    empty_dirs: bool = False,
    entry_properties: Iterable[str] = ("name", "data"),
) -> str:
    """The digest of a directory in hexadecimal digits.

    Links to directories and files are followed, unless ``linked_dirs`` and ``linked_files`` leave them out. Directories
    without files count with ``empty_dirs`` only. ``entry_properties`` are ``name``, ``data``, or both. The package's third one,
    ``is_link``, has another value in every process there (version 0.5.0), so it is refused.

    Raises ``OSError`` if something can't be read or links lead in a circle, ``ValueError`` if there is nothing to hash, or
    for wrong arguments.
    """
    properties = set(entry_properties)
    if not properties <= _PROPERTIES:
        raise ValueError(f"entry properties {sorted(properties - _PROPERTIES)} not supported")
    if not properties & {"name", "data"}:
        raise ValueError("at least one of the entry properties name and data must be used")
    hashloom.new(algorithm)
    root = os.fspath(directory)
    folder = _scan(root, linked_dirs, linked_files, empty_dirs, [os.path.realpath(root)])
    if not empty_dirs and not (folder.folders or folder.files):
        raise ValueError(f"{root}: Nothing to hash")
    paths = set(_files(folder)) if "data" in properties else set()
    return _digest(folder, algorithm, properties, _digests.of(sorted(paths), algorithm) if paths else {})


def _scan(path: str, linked_dirs: bool, linked_files: bool, empty_dirs: bool, above: list[str]) -> _Folder:
    folder = _Folder()
    with os.scandir(path) as entries:
        for entry in entries:
            link = entry.is_symlink()
            if entry.is_dir():
                if link and not linked_dirs:
                    continue
                real = os.path.realpath(entry.path)
                if real in above:
                    raise OSError(f"{entry.path}: a link that leads to a directory that it lies in")
                inner = _scan(entry.path, linked_dirs, linked_files, empty_dirs, [*above, real])
                if empty_dirs or inner.folders or inner.files:
                    folder.folders.append((entry.name, inner))
            elif entry.is_file():
                if linked_files or not link:
                    folder.files.append((entry.name, os.path.realpath(entry.path)))
    return folder


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
    return hashloom.new(algorithm, "\0\0".join(sorted(entries)).encode()).hexdigest()


def _entry(said: list[str], name: str, properties: set[str]) -> str:
    if "name" in properties:
        said.append(f"name:{name}")
    return "\0".join(sorted(said))
