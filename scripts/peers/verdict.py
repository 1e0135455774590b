"""Verdicts on cases, and the list of those that are known."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

KNOWN = Path(__file__).with_name("known")


@dataclass
class Verdict:
    """``ok``, ``refused``, ``WRONG`` or ``crash``, and why."""

    outcome: str
    reason: str


@dataclass
class Line:
    """A line of the list: which outcome cases have, and a pattern for their names, behind the name of the suite."""

    outcome: str
    suite: str
    pattern: str
    uses: int = 0


def read_known() -> list[Line]:
    """Returns the lines of the list: ``refused SUITE | CASE | REASON``, or ``known`` for any other difference."""
    lines = []
    for line in KNOWN.read_text().splitlines():
        if line and not line.startswith("#"):
            first, case, reason = line.split(" | ")
            outcome, suite = first.split(" ", 1)
            assert outcome in ("refused", "known") and reason, line
            lines.append(Line(outcome, suite, case))
    return lines


def named(verdict: Verdict, suite: str, case: str, lines: list[Line]) -> str:
    """Returns the outcome that is counted: that of the verdict, unless the list has it. No line can excuse a crash."""
    wanted = {"refused": "refused", "WRONG": "known"}.get(verdict.outcome)
    for line in lines:
        if line.suite == suite and line.outcome == wanted and fnmatchcase(case, line.pattern):
            line.uses += 1
            return line.outcome
    return "ok" if verdict.outcome == "ok" else "WRONG"
