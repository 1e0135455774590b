"""Notes on comparisons that can't be made: a test without them would be green for nothing."""

from __future__ import annotations

import importlib
import os
import shutil
from types import ModuleType

import pytest


def not_compared(what: str) -> None:
    """Skips the test, as a program, a package or samples to compare with are missing. In CI that is a failure."""
    assert "CI" not in os.environ, f"{what} is missing, so nothing was compared with it: scripts/setup installs it"
    note(what)
    pytest.skip(f"{what} is missing")


def installed(*programs: str) -> None:
    """Skips the test if one of these programs is missing."""
    for program in programs:
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            not_compared(program)


def module(name: str) -> ModuleType:
    """Imports a module to compare with; skips the test if it is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        not_compared(f"Python's module {error.name}")
        raise


def note(what: str) -> None:
    """Appends a line to the file that the runner of the tests reads at the end: what was missing, and the test's name."""
    if file := os.environ.get("TESTS_NOT_COMPARED"):
        test = os.environ.get("PYTEST_CURRENT_TEST", "a test").rpartition(" ")[0]
        with open(file, "a") as out:
            out.write(f"{what}\t{test}\n")
