"""The package's stub has exactly the names of the module."""

from __future__ import annotations

import ast
import inspect
import os
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import hashmill
import pytest

STUB = Path(hashmill.__file__).with_name("__init__.pyi")
MARK = "# Constructors, one for each algorithm and each of its other names.\n"


def constructors() -> str:
    rows = {name: type(value).__name__ for name, value in vars(hashmill).items() if isinstance(value, hashmill.Algorithm)}
    return "".join(f"{name}: {kind}\n" for name, kind in sorted(rows.items()) if not name.startswith("_"))


def test_constructors_are_in_the_stub() -> None:
    text = STUB.read_text()
    wanted = text[: text.index(MARK) + len(MARK)] + constructors()
    if os.environ.get("HASHMILL_REGENERATE") and text != wanted:
        STUB.write_text(wanted)
    assert text == wanted, "HASHMILL_REGENERATE=1 pytest writes it anew"


def test_all_is_in_the_stub() -> None:
    tree = ast.parse(STUB.read_text())
    named = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            named |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            named.add(node.target.id)
    assert set(hashmill.__all__) <= named


def test_help_of_an_algorithm_is_its_own() -> None:
    for name, parts in {
        "sha256": ["sha256(data=b'', *, usedforsecurity=True)", "256 bits (32 bytes)", "FIPS 180-4", "cryptographic"],
        "blake3": ["derive_key_context=None)", "256 bits (32 bytes)"],
        "blake2b": ["digest_size=64, key=b'', salt=b''", "RFC 7693"],
        "xxh64": ["seed=0)", "checksum"],
        "md5": ["broken"],
    }.items():
        algorithm = getattr(hashmill, name)
        shown = pydoc.plain(pydoc.render_doc(algorithm))
        assert shown.startswith(f"Python Library Documentation: {type(algorithm).__name__} in module hashmill\n")
        assert all(part in shown for part in parts), shown
        assert "Methods defined here" not in shown
        assert str(inspect.signature(algorithm)) in shown
    assert "Methods defined here" in pydoc.render_doc(hashmill.Algorithm) and (hashmill.Algorithm.__doc__ or "").startswith("An")


#: What the stub of the core says otherwise on purpose: options are typed where users give them, and ``__buffer__`` is for type
#: checkers; the rest is for the interpreter.
OTHERWISE = r"""
hashmill\._hashmill\.((Selection|Resources)\.__new__|hash)
hashmill\._hashmill\.(__all__|Algorithm|Hash|Algorithm\.__signature__|Digests\.__buffer__)
"""


def test_the_stub_of_the_core_agrees_with_it(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    settings, allowed = tmp_path / "mypy.ini", tmp_path / "allowed"
    settings.write_text("[mypy]\nignore_missing_imports = true\nignore_errors = true\n")
    allowed.write_text(OTHERWISE)
    packages = str(STUB.parent.parent)
    said = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "hashmill._hashmill", "--concise", "--allowlist", allowed, "--mypy-config-file", settings],
        env={**os.environ, "PYTHONPATH": packages, "MYPYPATH": packages},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr


def test_every_public_call_says_what_it_does() -> None:
    for name in hashmill.__all__:
        value = getattr(hashmill, name)
        if callable(value):
            # Of algorithms each object says what it is.
            assert re.search(r"\w", str(value.__doc__ or "")), name
