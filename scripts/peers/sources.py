"""Fetches the sources of other programs, which have their tests, and unpacks them, once."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path

DEBIAN = "https://deb.debian.org/debian/pool/main/"
CRATES = "https://static.crates.io/crates/"
PYPI = "https://files.pythonhosted.org/packages/"


@dataclass(frozen=True)
class Source:
    """A program's sources at a version: an address, and the SHA-256 of what is there."""

    name: str
    version: str
    address: str
    sha256: str

    def unpacked(self, cache: Path) -> Path:
        """Returns the folder of the sources, fetched first where they aren't in the cache."""
        folder = cache / f"{self.name}-{self.version}"
        if not folder.exists():
            content = self.fetched()
            partial = cache / f"{self.name}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            subprocess.run(["bsdtar", "-xf", "-", "--strip-components=1"], cwd=partial, input=content, check=True)
            partial.rename(folder)
        return folder

    def fetched(self) -> bytes:
        with urllib.request.urlopen(self.address, timeout=120) as answer:
            content: bytes = answer.read()
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise ValueError(f"{self.address}: the SHA-256 is {found}, and should be {self.sha256}")
        return content


def debian(name: str, version: str, path: str, sha256: str) -> Source:
    return Source(name, version, f"{DEBIAN}{path}", sha256)
