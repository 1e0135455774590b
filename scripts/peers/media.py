"""File systems, discs and virtual disks that come with the tests of programs."""

from __future__ import annotations

import bz2
import gzip
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from .hashmill import Reading, read_inside, run
from .readers import by_bsdtar, call, digest
from .verdict import Verdict

DECOMPRESSORS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".bz2": bz2.decompress}


def unpacked(folder: Path, patterns: tuple[str, ...], out: Path) -> Iterator[tuple[str, Path]]:
    """Yields the names of cases, and images as they were before they were compressed."""
    for pattern in patterns:
        for file in sorted(folder.glob(pattern)):
            decompress = DECOMPRESSORS.get(file.suffix, bytes)
            name = str(file.relative_to(folder))
            here = out / name.removesuffix(file.suffix if file.suffix in DECOMPRESSORS else "")
            here.parent.mkdir(parents=True, exist_ok=True)
            here.write_bytes(decompress(file.read_bytes()))
            yield name, here


def by_debugfs(image: Path) -> Reading:
    """Returns the files below the root of an ext file system, as far as debugfs can write them."""
    reading = Reading()
    with tempfile.TemporaryDirectory() as folder:
        reading.failure = call(["debugfs", "-R", f"rdump / {folder}", str(image)], subprocess.DEVNULL)
        top = os.fsencode(folder)
        for at, _, names in os.walk(top):
            for name in names:
                full = os.path.join(at, name)
                if os.path.isfile(full) and not os.path.islink(full):
                    with open(full, "rb") as content:
                        reading.files[os.path.relpath(full, top), digest(content)] += 1
    return reading


def difference(found: Reading, peer: Reading) -> str:
    """Returns the files that one of them lacks. Two that are alike are one, as programs write one over the other."""
    missing, extra = sorted(set(peer.files) - set(found.files)), sorted(set(found.files) - set(peer.files))
    return f"-{missing[:2]} +{extra[:2]}" if missing or extra else ""


def judge_ext(hashmill: str, image: Path) -> Verdict:
    """An intact image has the files that debugfs finds; damage that e2fsck finds need not concern files."""
    ran, found = read_inside(hashmill, "images", image)
    if ran.crash:
        return Verdict("crash", ran.crash)
    peer, fault = by_debugfs(image), call(["e2fsck", "-fn", str(image)], subprocess.DEVNULL)
    differs = difference(found, peer)
    if found.failure:
        return Verdict("ok" if fault else "refused", f"{found.failure}; e2fsck finds nothing")
    return Verdict("WRONG", f"other files than debugfs finds: {differs}") if differs else Verdict("ok", "")


def judge_disc(hashmill: str, image: Path) -> Verdict:
    """A disc has the files that libarchive finds."""
    ran, found = read_inside(hashmill, "images", image)
    if ran.crash:
        return Verdict("crash", ran.crash)
    peer = by_bsdtar(image)
    differs = difference(found, peer)
    if found.failure:
        return Verdict("ok" if peer.failure or not peer.files else "refused", found.failure)
    if not differs or (peer.failure and not found.files):
        return Verdict("ok", "")
    return Verdict("WRONG", f"other files than bsdtar finds: {differs} {peer.failure}")


def judge_disk(hashmill: str, image: Path) -> Verdict:
    """A virtual disk has the media that qemu-img finds."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        ran = run(hashmill, "image", "export", image.name, "-o", str(raw), folder=image.parent)
        if ran.crash:
            return Verdict("crash", ran.crash)
        if ran.code:
            fault = call(["qemu-img", "info", str(image)], subprocess.DEVNULL)
            return Verdict("ok" if fault else "refused", ran.err.strip().split("\n")[0])
        differs = call(["qemu-img", "compare", "-F", "raw", str(image), str(raw)], subprocess.DEVNULL)
    return Verdict("WRONG", f"other media than qemu-img finds: {differs}") if differs else Verdict("ok", "")
