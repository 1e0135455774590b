"""Requests to stores, counted across tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from . import engine

KINDS = ("list", "head", "get", "put", "other")
"""Kinds of requests, as stores charge for them."""

NAMES = (*KINDS, "repeated", "received")
"""The counters: requests by kind, those of them that were retries, and bytes of answers."""

Counts = dict[str, int]
T = TypeVar("T")


def since(before: Counts) -> Counts:
    """Returns the requests of this process since then."""
    now = engine.counts()
    return {name: now[name] - before[name] for name in NAMES}


@dataclass(frozen=True)
class Counter:
    """Reports the requests of a task: in Spark ``tell`` adds to an accumulator."""

    tell: Callable[[Counts], None]

    def counted(self, rows: Iterable[T]) -> Iterator[T]:
        """Returns the same rows; the requests meanwhile are reported at their end."""
        before = engine.counts()
        yield from rows
        self.tell(since(before))


@dataclass(frozen=True)
class Prices:
    """The prices of stores: ``each`` of 1,000 requests by kind, ``received`` of 10^9 bytes, in ``currency``."""

    each: dict[str, float]
    received: float = 0.0
    currency: str = ""

    @staticmethod
    def of_all(price: float) -> Prices:
        """Returns one price for 1,000 requests of any kind."""
        return Prices(dict.fromkeys(KINDS, price))

    @staticmethod
    def read(file: str) -> Prices:
        """Reads the list of prices that the command's ``--price-list`` takes.

        Raises:
            OSError: it can't be read.
            ValueError: it is not a list of prices.
        """
        with open(file, encoding="utf-8") as text:
            try:
                listed = json.load(text)
                known = {"currency", "sent", "received", *KINDS}
                if not isinstance(listed, dict) or not listed.keys() <= known:
                    raise ValueError(f"its keys are among {', '.join(sorted(known))}")
                each = {kind: float(listed.get(kind, 0)) for kind in KINDS}
                return Prices(each, float(listed.get("received", 0)), str(listed.get("currency", "")))
            except (TypeError, ValueError) as error:
                raise ValueError(f"{file}: no list of prices: {error}") from error

    def estimate(self, counts: Counts) -> float:
        """Returns the price of this many requests and bytes."""
        asked = sum(counts.get(kind, 0) * price for kind, price in self.each.items())
        return asked / 1000 + counts.get("received", 0) * self.received / 1e9
