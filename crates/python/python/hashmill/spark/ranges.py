"""Ranges of objects that can be hashed separately and folded."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import engine

MOST = 4 << 30
"""The longest range in bytes: if the units of several algorithms meet at no shorter one, objects stay whole."""

USUAL = 256 << 20
"""The usual length of a range in bytes."""


def length(algorithms: Sequence[str], size: int = USUAL) -> int | None:
    """Returns the length of ranges at which a part of each of the algorithms may begin: ``size`` or the next one that fits. None
    if one of the algorithms is serial, or if there is no such length up to 4 GiB.

    Raises:
        ValueError: an algorithm is unknown, or ``size`` is not above 0.
    """
    if size <= 0:
        raise ValueError(f"a range has at least one byte, not {size}")
    units = [engine.part_unit(name) for name in algorithms]
    whole = [unit for unit in units if unit is not None]
    if not units or len(whole) < len(units):
        return None
    unit = math.lcm(*whole)
    found = -(-size // unit) * unit
    return found if found <= MOST else None
