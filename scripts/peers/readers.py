"""Other programs that read archives, and what they find."""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from .hashmill import Reading, plain

# The most bytes that a program may write of one archive.
MOST = 1 << 30
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8"}
# Programs that decompress standard input, by the ends of names.
DECOMPRESSORS = {
    ".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".lzma": "xz", ".lz": "lzip", ".zst": "zstd", ".lz4": "lz4", ".Z": "gzip",
}  # fmt: skip


def digest(content: IO[bytes] | None) -> str:
    return hashlib.file_digest(content, "sha256").hexdigest() if content else hashlib.sha256().hexdigest()


def of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def call(words: list[str], out: IO[bytes] | int, stdin: IO[bytes] | int = subprocess.DEVNULL) -> str:
    """Runs a program that may not write more than a bound; returns why it failed, if it did."""
    bound = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))  # noqa: E731
    # Damage makes some of them complain without end.
    with tempfile.TemporaryFile() as errors:
        try:
            ran = subprocess.run(words, stdin=stdin, stdout=out, stderr=errors, timeout=60, env=ENVIRONMENT, preexec_fn=bound)
        except subprocess.TimeoutExpired:
            return "takes too long"
        errors.seek(0)
        first = errors.read(4096).decode(errors="replace").strip().split("\n")[0]
    return "" if ran.returncode == 0 else first or f"ends with {ran.returncode}"


def read_tar(archive: tarfile.TarFile) -> Reading:
    reading = Reading()
    for member in archive:
        path = plain(os.fsencode(member.name))
        if member.issym():
            reading.links[path] = os.fsencode(member.linkname)
        elif member.size > MOST:
            return Reading(failure="too large")
        elif member.isfile() or member.islnk():
            reading.files[path, digest(archive.extractfile(member))] += 1
    return reading


def by_bsdtar(file: Path) -> Reading:
    """What libarchive reads, as a tar that Python reads."""
    with tempfile.TemporaryFile() as tar:
        failure = call(["bsdtar", "-cf", "-", "--format=pax", f"@{file}"], tar)
        tar.seek(0)
        try:
            reading = read_tar(tarfile.open(fileobj=tar, mode="r:", encoding="utf-8", errors="surrogateescape"))
        except (OSError, tarfile.TarError, EOFError, KeyError, ValueError) as error:
            reading = Reading(failure=str(error))
        reading.failure = failure or reading.failure
        return reading


def by_python_tar(file: Path) -> Reading:
    with tarfile.open(file, encoding="utf-8", errors="surrogateescape") as archive:
        return read_tar(archive)


def by_python_zip(file: Path) -> Reading:
    reading = Reading()
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            path = plain(entry.filename.encode(errors="surrogateescape"))
            if entry.is_dir():
                continue
            with archive.open(entry) as content:
                reading.files[path, digest(content)] += 1
    return reading


def by_7zip(file: Path) -> Reading:
    reading = Reading()
    with tempfile.TemporaryDirectory() as folder:
        reading.failure = call(["7zz", "x", "-y", "-bd", "-pwrong", f"-o{folder}", str(file)], subprocess.DEVNULL)
        top = os.fsencode(folder)
        for at, _, names in os.walk(top):
            for name in names:
                full = os.path.join(at, name)
                path = os.path.relpath(full, top)
                if os.path.islink(full):
                    reading.links[path] = os.readlink(full)
                elif os.path.isfile(full):
                    os.chmod(full, 0o600)
                    with open(full, "rb") as content:
                        reading.files[path, digest(content)] += 1
    return reading


def by_decompressor(file: Path) -> Reading:
    """The content of a compressed file, which has no name."""
    with tempfile.TemporaryFile() as out, file.open("rb") as content:
        failure = call([DECOMPRESSORS[file.suffix], "-dc"], out, content)
        reading = Reading(failure=failure)
        if out.tell() or not failure:
            out.seek(0)
            reading.files[b"", digest(out)] += 1
        return reading


ZIPS = (".zip", ".jar", ".whl", ".zipx", ".xlsx", ".docx", ".phar")
BY_7ZIP = (*ZIPS, ".7z", ".tar", ".cpio", ".ar", ".deb", ".rpm", ".a", ".exe")


def readers_of(file: Path) -> Iterator[Callable[[Path], Reading]]:
    yield by_bsdtar
    if ".tar" in file.name or file.suffix in (".tgz", ".tbz", ".txz"):
        yield by_python_tar
    if file.suffix in ZIPS:
        yield by_python_zip
    if file.suffix in BY_7ZIP:
        yield by_7zip


def readings(file: Path) -> list[tuple[str, Reading]]:
    """Returns what each program reads."""
    found = []
    for reader in readers_of(file):
        try:
            found.append((reader.__name__, reader(file)))
        except Exception as error:  # Python's modules raise a dozen kinds.
            found.append((reader.__name__, Reading(failure=f"{type(error).__name__}: {error}")))
    # Some programs take a compressed image for an archive.
    if file.suffix in DECOMPRESSORS and (".tar" not in file.name or all(reading.failure for _, reading in found)):
        found.append(("by_decompressor", by_decompressor(file)))
    return found
