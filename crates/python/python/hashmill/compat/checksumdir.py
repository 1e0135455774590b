"""The digest of a directory as the package checksumdir computes it: the digest of the sorted digests of its files, without
their names."""

from __future__ import annotations

import os
from collections.abc import Sequence

import hashmill
from hashmill.compat import _digests


def dirhash(
    dirname: str,
    hashfunc: str = "md5",
    excluded_files: Sequence[str] | None = None,
    ignore_hidden: bool = False,
    followlinks: bool = False,
    excluded_extensions: Sequence[str] | None = None,
    include_paths: bool = False,
) -> str:
    """Returns the digest of a directory in hexadecimal digits.

    ``hashfunc`` may be any algorithm; checksumdir has md5, sha1, sha256 and sha512. With ``include_paths`` the names are
    hashed, too, as they are from the working directory.

    Raises ``TypeError`` if it is not a directory, ``OSError`` if a file can't be read.
    """
    if not os.path.isdir(dirname):
        raise TypeError(f"{dirname} is not a directory.")
    without, endings = set(excluded_files or ()), set(excluded_extensions or ())
    paths = []
    for root, _, files in os.walk(dirname, followlinks=followlinks):
        if ignore_hidden and f"{os.sep}." in root:
            continue
        for name in files:
            hidden = ignore_hidden and name.startswith(".")
            if not hidden and name.split(".")[-1] not in endings and name not in without:
                paths.append(os.path.join(root, name))
    empty = hashmill.new(hashfunc).hexdigest()
    there = [path for path in paths if os.path.exists(path)]
    found = _digests.of(there, hashfunc) if there else {}
    digests = [found.get(path, empty) for path in paths]
    if include_paths:
        for path in paths:
            name = "".join(os.path.relpath(path).split(os.sep))
            digests.append(hashmill.new(hashfunc, name.encode()).hexdigest())
    return hashmill.new(hashfunc, "".join(sorted(digests)).encode()).hexdigest()
