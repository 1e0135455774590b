"""Known answers in Python's tests of hashlib."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from .hashmill import run
from .verdict import Verdict

# The algorithms that have one length and no key, by their names there.
NAMES = {name: name.replace("_", "-") for name in (
    "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512",
)} | {"blake2b": "blake2b-512", "blake2s": "blake2s-256"}  # fmt: skip


def cases(sources: Path) -> Iterator[tuple[str, tuple[str, bytes, str]]]:
    """Yields each call of ``check`` with an algorithm, bytes and a digest that are written out."""
    tree = ast.parse((sources / "Lib/test/test_hashlib.py").read_text())
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "check" and not call.keywords:
            try:
                # Bytes may be repeated, which no literal has.
                words = [eval(compile(ast.Expression(word), "", "eval"), {"__builtins__": {}}) for word in call.args]
            except (NameError, TypeError, AttributeError):
                continue
            if len(words) == 3 and words[0] in NAMES:
                yield f"{words[0]}:{call.lineno}", (NAMES[words[0]], words[1], words[2])


def judge(hashmill: str, case: tuple[str, bytes, str]) -> Verdict:
    algorithm, content, digest = case
    ran = run(hashmill, "hash", "-c", algorithm, "-f", "sums", "-", folder=Path("."), stdin=content)
    if ran.crash:
        return Verdict("crash", ran.crash)
    return Verdict("ok", "") if ran.code == 0 and ran.out.split()[0] == digest.lower() else Verdict("WRONG", f"{ran.out}, not {digest}")
