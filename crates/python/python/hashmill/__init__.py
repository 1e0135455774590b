"""Hashes trees of files as fast as the machine allows, and verifies their contents.

Objects as in :mod:`hashlib`, for every algorithm: ``hashmill.sha256()``, ``hashmill.blake3()``, ``hashmill.new("xxh128")``.

Calls that use all lanes and cores, release the GIL, and stop on Ctrl-C:

* :func:`file_digest`: several digests of a file in one read;
* :func:`digest_many`: digests of many buffers, of an array's rows, of an Arrow column;
* :func:`hash`: a record for each file below some paths, also as an Arrow stream;
* :func:`audit`, :func:`check`, :func:`diff`: files against a manifest or a list, one side against another;
* :func:`dupes`: files with the same content; :func:`convert`: a manifest in another format;
* :func:`tree`: one digest of a directory as Go, git, Software Heritage or model signing define it;
* :func:`sign`, :func:`verify`, :func:`seal`, :func:`verify_seal`, :func:`prove`, :func:`verify_proof`: signatures, seals and proofs.

Modules: :mod:`hashmill.bag`, :mod:`hashmill.known`, :mod:`hashmill.similar`, :mod:`hashmill.image`, :mod:`hashmill.aio`, :mod:`hashmill.compat`.

Exceptions are :class:`OSError` for files, :class:`ValueError` for wrong arguments, and :class:`Error` for manifests,
indexes and the like. A file that can't be read in a tree is a record of its own, not an exception.
"""

from __future__ import annotations

from collections.abc import Mapping as _Mapping

from hashmill import _hashmill
from hashmill._calls import audit, check, convert, diff, digest_many, dupes, file_digest, hash
from hashmill._hashmill import (
    Algorithm,
    Changed,
    Digests,
    Entry,
    Error,
    ExtendableAlgorithm,
    ExtendableHash,
    Hash,
    Record,
    Records,
    __version__,
    algorithm,
    algorithms,
    fold,
    new,
    part,
    part_unit,
)
from hashmill._copies import Copied, copy
from hashmill._proofs import Verified, prove, seal, sign, tree, verify, verify_proof, verify_seal
from hashmill._results import Audit, Check, Converted, Diff, Duplicates, Group

# So that pandas and others make tables of lists of records.
_Mapping.register(Record)  # pyright: ignore[reportAttributeAccessIssue]

#: Names that :func:`new` takes: each is also a constructor of this module, with ``_`` for ``-``.
algorithms_available: frozenset[str] = frozenset(row.name for row in algorithms())
#: As in :mod:`hashlib`: every algorithm is available on every platform.
algorithms_guaranteed: frozenset[str] = algorithms_available


class _Doc:
    """The text of an algorithm, where its class has its own."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def __get__(self, row: Algorithm | None, kind: type[Algorithm]) -> str | None:
        return self._text if row is None else row._text()


for _kind in (Algorithm, ExtendableAlgorithm):
    _kind.__doc__ = _Doc(_kind.__doc__)  # type: ignore[assignment]
del _kind

_LAZY = ("aio", "bag", "compat", "image", "known", "similar", "spark")


def _constructors() -> dict[str, Algorithm]:
    made = {}
    for row in algorithms():
        for name in (row.name, *row.aliases):
            spelled = name.replace("-", "_")
            if spelled.isidentifier():
                made.setdefault(spelled, row)
    return made


_made = _constructors()
_made.update((row.name.replace("-", "_"), row) for row in algorithms())
globals().update({name: row for name, row in _made.items() if name not in globals() and name not in _LAZY})
del _made


def __getattr__(name: str) -> object:
    if name in _LAZY:
        import importlib

        return importlib.import_module(f"hashmill.{name}")
    raise AttributeError(f"module 'hashmill' has no attribute {name!r}")


__all__ = [
    "Algorithm",
    "Audit",
    "Changed",
    "Check",
    "Converted",
    "Copied",
    "Diff",
    "Digests",
    "Duplicates",
    "Entry",
    "Error",
    "ExtendableAlgorithm",
    "ExtendableHash",
    "Group",
    "Hash",
    "Record",
    "Records",
    "Verified",
    "__version__",
    "algorithm",
    "algorithms",
    "algorithms_available",
    "algorithms_guaranteed",
    "audit",
    "check",
    "convert",
    "copy",
    "diff",
    "digest_many",
    "dupes",
    "file_digest",
    "fold",
    "hash",
    "new",
    "part",
    "part_unit",
    "prove",
    "seal",
    "sign",
    "tree",
    "verify",
    "verify_proof",
    "verify_seal",
    *sorted(name.replace("-", "_") for name in algorithms_available if name.replace("-", "_").isidentifier()),
]
