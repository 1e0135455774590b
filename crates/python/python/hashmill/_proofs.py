"""Digests of directories, signatures, seals and proofs."""

from __future__ import annotations

import os

from hashmill import _hashmill, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack, overload

    from hashmill._hashmill import Record
    from hashmill._options import Path, ReadOptions
else:

    def overload(call):
        return call


class Verified:
    """The result of a verification: true if it is good. ``lines`` give the reasons."""

    def __init__(self, ok: bool, lines: list[str], records: list[Record] | None = None) -> None:
        #: Whether it is good.
        self.ok = ok
        #: Lines for people.
        self.lines = lines
        #: The records that a proof proves.
        self.records = records or []

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return f"<Verified {'good' if self.ok else 'NOT GOOD'}: {'; '.join(self.lines)}>"


def _paths(paths: Path | Iterable[Path]) -> list[str]:
    return [os.fsdecode(path) for path in _options.many(paths)]


def _path(path: Path | None) -> str | None:
    return None if path is None else _options.text(path)


@overload
def tree(  # type: ignore[overload-overlap]
    folder: Path,
    system: str = "dirhash",
    *,
    prefix: str = "",
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    follow: bool = False,
    **options: Unpack[ReadOptions],
) -> str: ...


@overload
def tree(
    folder: Path,
    system: Iterable[str],
    *,
    prefix: str = "",
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    follow: bool = False,
    **options: Unpack[ReadOptions],
) -> dict[str, str]: ...


@_options.worded
def tree(
    folder: Path,
    system: str | Iterable[str] = "dirhash",
    *,
    prefix: str = "",
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    follow: bool = False,
    **options: Unpack[ReadOptions],
) -> str | dict[str, str]:
    """Returns one digest of a whole directory as another system defines it: ``dirhash`` (Go's h1:), ``git``, ``git-sha256``,
    ``swhid``, ``model`` (OpenSSF model signing). Of several systems it returns the digests by their names, of files that are read once.

    Raises ``OSError`` if anything in it can't be read, ``ValueError`` for an unknown system, ``hashmill.Error``
    if the directory has entries that the system does not support.
    """
    rest: dict[str, Any] = dict(options)
    resources = _options.resources(rest, folder)
    _options.nothing(rest, "tree")
    globs = (_options.listed(include), _options.listed(exclude))
    systems = [system] if isinstance(system, str) else _options.items(system, "systems")
    digests = _hashmill.tree(_options.one(folder), systems, prefix, globs, follow, resources)
    return digests[0][1] if isinstance(system, str) else dict(digests)


@_options.worded
def sign(
    file: Path, keys: Path | Iterable[Path], *, passphrase: str | None = None, namespace: str | None = None
) -> list[str]:
    """Signs a file with keys of OpenSSH (Ed25519, from a file or the agent) or minisign.

    Returns the paths of the signatures, which are beside the file. Raises ``hashmill.Error`` if a key can't sign.
    """
    return _hashmill.sign(_options.text(file), _paths(keys), passphrase, namespace)


@_options.worded
def verify(
    file: Path,
    *,
    signatures: Path | Iterable[Path] = (),
    allowed_signers: Path | Iterable[Path] = (),
    public_keys: Path | Iterable[Path] = (),
    identity: str | None = None,
    namespace: str | None = None,
    needed: int = 1,
) -> Verified:
    """Verifies the signatures beside a file, or those that are named. ``require`` of them must be valid, by different signers
    whom ``allowed_signers`` (in the format of ssh-keygen) or ``public_keys`` vouch for, and none may be broken."""
    ok, _, lines = _hashmill.verify(
        _options.text(file),
        _paths(signatures),
        (_paths(allowed_signers), _paths(public_keys)),
        identity,
        namespace,
        needed,
    )
    return Verified(ok, lines)


@_options.worded
def seal(
    manifest: Path,
    *,
    output: Path | None = None,
    force: bool = False,
    old: Path | None = None,
    secret: Path | None = None,
    origin: str | None = None,
) -> tuple[str, str, int]:
    """Seals a manifest: a Merkle tree of its records, whose root identifies all of them.

    Returns the path of the seal (beside the manifest), its root, and the number of records. ``old`` is the seal of an
    older manifest that this one begins with; ``secret`` a file from which leaves are salted. An existing file ``output`` that
    is not a seal is replaced only with ``force``.
    """
    place = None if output is None else (_options.text(output), force)
    return _hashmill.seal(_options.text(manifest), place, _path(old), _path(secret), origin)


@_options.worded
def verify_seal(
    manifest: Path, *, seal: Path | None = None, root: str | None = None, secret: Path | None = None
) -> Verified:
    """Verifies that a manifest is the one that was sealed, and that its seal has this root."""
    said = _hashmill.verify_seal(_options.text(manifest), _path(seal), root, _path(secret))
    return Verified(said is None, [] if said is None else [said])


@_options.worded
def prove(
    manifest: Path, paths: Path | Iterable[Path], *, seal: Path | None = None, secret: Path | None = None
) -> bytes:
    """Returns a proof that a sealed manifest has the records of these paths: text that :func:`verify_proof` reads from a file."""
    return _hashmill.prove(_options.text(manifest), _options.many(paths), _path(seal), _path(secret))


@_options.worded
def verify_proof(proof: Path, *, seal: Path | None = None, root: str | None = None) -> Verified:
    """Verifies a proof against a trusted seal or root; ``records`` are those that it proves."""
    if seal is None and root is None:
        raise ValueError("a proof holds for a seal or a root: give one that you trust")
    records, said = _hashmill.verify_proof(_options.text(proof), _path(seal), root)
    return Verified(said is None, [] if said is None else [said], records)
