"""Fixtures that tests share."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """A background job of a shell has Ctrl-C ignored, and so would the tests of it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with 40 files of many sizes, in folders, some of them empty."""
    draw = random.Random(7)
    folder = tmp_path / "tree"
    for number in range(40):
        place = folder / f"d{number % 5}" / f"f{number}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(draw.randbytes([0, 1, 63, 64, 65, 5000, 100_000][number % 7]))
    return folder
