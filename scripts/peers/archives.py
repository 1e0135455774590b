"""Archives that come with the tests of programs: their members are those that other programs find."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from .hashmill import Members, Reading, read_inside
from .readers import of, readings
from .verdict import Verdict


def decode_uu(text: bytes) -> bytes:
    """Returns the file in a text of uuencode; Python has no module for these any more."""
    out, lines = b"", iter(text.splitlines())
    for line in lines:
        if line.startswith(b"begin "):
            break
    for line in lines:
        if line.startswith(b"end"):
            break
        try:
            out += binascii.a2b_uu(line)
        except binascii.Error:
            # Some encoders write more than the length at the start says.
            out += binascii.a2b_uu(line[: (((line[0] - 32) & 63) * 4 + 5) // 3])
    return out


DECODERS: dict[str, Callable[[bytes], bytes]] = {".uu": decode_uu, ".base64": base64.b64decode}


def prepared(folder: Path, patterns: tuple[str, ...], out: Path) -> Iterator[tuple[str, Path]]:
    """Yields the names of cases, and their files, decoded where they are stored as text."""
    for pattern in patterns:
        for file in sorted(folder.glob(pattern)):
            if not file.is_file():
                continue
            name, content = str(file.relative_to(folder)), file.read_bytes()
            decode = DECODERS.get(file.suffix)
            if decode:
                name, content = name.removesuffix(file.suffix), decode(content)
            here = out / name
            here.parent.mkdir(parents=True, exist_ok=True)
            here.write_bytes(content)
            yield name, here


def same(found: Reading, peer: Reading) -> bool:
    """Returns whether two programs read the same; the targets of links may be content."""
    links = {(path, of(target)) for path, target in peer.links.items()}
    files = Counter({member: number for member, number in found.files.items() if member not in links})
    if list(peer.files) and all(path == b"" for path, _ in peer.files):
        return Counter(digest for _, digest in found.files) == Counter(digest for _, digest in peer.files)
    return files == peer.files or (set(files) == set(peer.files) and not found.failure)


def stray(found: Reading, peers: list[tuple[str, Reading]]) -> Members:
    """Returns the members that no other program finds."""
    digests = {digest for _, peer in peers for _, digest in peer.files} | {of(link) for _, peer in peers for link in peer.links.values()}
    return Counter({member: number for member, number in found.files.items() if member[1] not in digests})


def judge(hashmill: str, file: Path) -> Verdict:
    ran, found = read_inside(hashmill, "archives", file)
    if ran.crash:
        return Verdict("crash", ran.crash)
    peers = readings(file)
    whole = [(name, peer) for name, peer in peers if not peer.failure and peer.files]
    agreed = [name for name, peer in peers if not peer.failure and same(found, peer)]
    if found.failure:
        strange = stray(found, peers)
        if whole and strange:
            return Verdict("WRONG", f"{found.failure}; other content than any program finds: {next(iter(strange))[0]!r}")
        differing = any(not same(peer, whole[0][1]) for _, peer in whole)
        if not whole or differing:
            return Verdict("ok", f"as other programs, or they differ: {found.failure}")
        return Verdict("refused", f"{found.failure}; read by {', '.join(name for name, _ in whole)}")
    if agreed or (not whole and not found.files and not any(peer.files for _, peer in peers)):
        return Verdict("ok", "")
    if whole:
        names = Counter(d for _, d in found.files.elements()) == Counter(d for _, d in whole[0][1].files.elements())
        extra = list((found.files - whole[0][1].files).elements())[:2]
        missing = list((whole[0][1].files - found.files).elements())[:2]
        return Verdict("WRONG", f"{'names' if names else 'content'} other than {whole[0][0]}: -{missing} +{extra}")
    failures = "; ".join(f"{name}: {peer.failure}" for name, peer in peers)
    return Verdict("WRONG", f"read in full ({found.files.total()} members), which no other program does: {failures}")
