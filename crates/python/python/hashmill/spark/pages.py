"""Results of a job as an HTML page."""

from __future__ import annotations

from . import engine
from .runs import Summary

_TONES = {
    "matched": "good", "moved": "doubtful", "copied": "doubtful", "new": "doubtful", "changed": "bad", "missing": "bad",
    "unreadable": "bad", "unsupported": "bad", "changed-while-reading": "bad", "bad": "bad",
}  # fmt: skip


def write(file: str, page: str) -> None:
    """Writes a page.

    Raises:
        OSError: it can't be written.
    """
    with open(file, "w", encoding="utf-8") as out:
        out.write(page)


def of_run(done: Summary) -> str:
    """Returns the page of a run: the outcomes of objects, and the effort."""
    failed = sum(done.statuses.get(status, 0) for status in ("unreadable", "changed-while-reading"))
    total = sum(done.statuses.values())
    if done.alarms:
        verdict = ("bad", f"{done.alarms:,} ranges have two digests: memory or storage of a worker is bad.")
    elif failed:
        verdict = ("bad", f"{failed:,} of {total:,} objects were not hashed.")
    elif done.unscanned:
        verdict = ("bad", f"{done.unscanned:,} of {total:,} objects were not wholly looked at by rules.")
    elif done.matching:
        verdict = ("bad", f"{done.matching:,} of {total:,} objects are matched by rules.")
    else:
        verdict = ("good", f"All {total:,} objects were hashed or are none to be hashed.")
    statuses = [(status, f"{count:,}", _tone(status, count)) for status, count in sorted(done.statuses.items())]
    scans = (("matched by rules", done.matching), ("not wholly looked at by rules", done.unscanned))
    statuses += [(what, f"{count:,}", "bad") for what, count in scans if count]
    causes = [(error, f"{count:,}", "bad") for error, count in done.errors.items()]
    about = [("run", done.run), ("algorithms", ", ".join(done.algorithms)), ("rows done before", f"{done.done_before:,}")]
    took = [("bytes hashed", f"{done.bytes:,}", ""), ("requests", f"{done.requests:,}", "")]
    if done.price is not None:
        took.append((f"price of requests {done.currency}".strip(), f"about {done.price:,.4f}", ""))
    tasks = [
        ("tasks", f"{done.tasks:,} in {done.waves:,} waves"),
        ("tasks started again", f"{done.retries:,}"),
        ("stragglers", f"{done.stragglers:,}: tasks that took more than twice the median"),
        ("seconds of a task", f"{done.median:.1f} in the median, {done.slowest:.1f} at most"),
        ("requests repeated", f"{done.repeated:,}"),
        ("bytes of answers", f"{done.received:,}"),
    ]
    kinds: list[list[float | str]] = [[kind, float(count)] for kind, count in done.kinds.items()]
    return engine.page(
        f"Hashed: {done.run}",
        verdict,
        [
            ("Objects", statuses, about, [], []),
            *([("Why objects were not hashed", causes, [], [], [])] if causes else []),
            ("What it took", took, tasks, ["request", "number"], kinds),
        ],
    )


def of_counts(command: str, found: dict[str, int]) -> str:
    """Returns the page of an audit, a match or a search for copies: its numbers."""
    bad = [f"{count:,} {name}" for name, count in found.items() if count and _TONES.get(name) == "bad"]
    numbers = [(name, f"{count:,}", _tone(name, count)) for name, count in found.items()]
    verdict = ("bad", f"Not as it should be: {', '.join(bad)}.") if bad else ("good", "Nothing is wrong.")
    return engine.page(f"hashmill.spark {command}", verdict, [("Summary", numbers, [], [], [])])


def _tone(name: str, count: int) -> str:
    return _TONES.get(name, "") if count else ""
