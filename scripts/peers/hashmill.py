"""Runs hashmill on a case, and reads its records."""

from __future__ import annotations

import base64
import json
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# A case takes a second at most; what takes longer hangs.
SECONDS = 120
# Members by path and SHA-256; a path may be there twice.
Members = Counter[tuple[bytes, str]]


@dataclass
class Run:
    """An exit code, and what was printed."""

    code: int
    out: str
    err: str

    @property
    def crash(self) -> str:
        """The reason why this is no answer, if it is none."""
        if self.code in (0, 1, 2, 64):
            return ""
        last = self.err.strip().splitlines()[-1:] or [""]
        return "hangs" if self.code == 124 else f"ends with {self.code}: {last[0]}"


@dataclass
class Reading:
    """The members that a program finds in an archive, the targets of links among them, and why it didn't read all of it."""

    files: Members = field(default_factory=Counter)
    links: dict[bytes, bytes] = field(default_factory=dict)
    failure: str = ""


def run(hashmill: str, *words: str, folder: Path, stdin: bytes = b"") -> Run:
    try:
        ran = subprocess.run([hashmill, *words], cwd=folder, input=stdin, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return Run(124, "", "")
    return Run(ran.returncode, ran.stdout.decode(errors="surrogateescape"), ran.stderr.decode(errors="surrogateescape"))


def plain(path: bytes) -> bytes:
    """Returns a path without the parts that name no folder."""
    return b"/".join(part for part in path.split(b"/") if part not in (b"", b"."))


def path_of(record: dict[str, str]) -> bytes:
    return base64.b64decode(record["path_b64"]) if "path_b64" in record else record["path"].encode()


def read_inside(hashmill: str, kind: str, file: Path, *options: str) -> tuple[Run, Reading]:
    """Returns the members of an archive or image itself, not of those in it."""
    words = ["hash", "--inside", kind, "--max-nesting", "1", "--max-expanded", "1G", "-c", "sha256", "-f", "jsonl", *options, file.name]
    ran = run(hashmill, *words, folder=file.parent)
    reading, deeper = Reading(), False
    for record in map(json.loads, ran.out.splitlines()):
        outer, inside, path = path_of(record).partition(b"!/")
        if record.get("reason") == "too-deep" and inside:
            deeper = True
        elif record["status"] == "hashed":
            if inside:
                reading.files[plain(path), record["sha256"]] += 1
        elif record["status"] != "skipped":
            reading.failure = reading.failure or f"{path.decode(errors='replace')}: {record.get('reason')}"
    if ran.code and not (reading.failure or deeper):
        reading.failure = ran.err.strip().split("\n")[0]
    return ran, reading
