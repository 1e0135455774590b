"""What tests share."""

from __future__ import annotations

import random
from pathlib import Path

import pytest


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
