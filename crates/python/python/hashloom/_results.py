"""What comparisons come to."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hashloom._hashloom import Entry

#: Rows of a table that a notebook shows.
_SHOWN = 100


class _Compared:
    """Entries, how many there are of each category, and what else was said."""

    #: What is said of each file, in order.
    entries: list[Entry]
    #: How many entries of each category there are.
    counts: dict[str, int]
    #: Lines about what could not be read or understood, for people.
    problems: list[str]
    #: Whether all was read, and is as it should be.
    ok: bool
    #: Bytes that were hashed.
    bytes: int
    #: How long it took.
    seconds: float

    _good = ""

    def __init__(
        self,
        entries: list[Entry],
        problems: list[str],
        counts: dict[str, int],
        ok: bool,
        bytes: int,
        seconds: float,
        malformed: int = 0,
        failed: int = 0,
        notes: int = 0,
        run: str = "{}",
    ) -> None:
        self.entries = entries
        self.problems = problems
        self.counts = counts
        self.ok = ok
        self.bytes = bytes
        self.seconds = seconds
        #: Lines of manifests and lists that were not understood.
        self.malformed = malformed
        #: Lines of lists that are no line of theirs and say nothing of a file, such as titles. They fail no check.
        self.notes = notes
        #: Entries that could not be read.
        self.failed = failed
        # Importing the package brings little.
        import json

        #: Of which run an audit is, as ``run`` in the command's JSON: manifest, operands, times, host, version.
        self.run: dict[str, Any] = json.loads(run)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def differences(self) -> list[Entry]:
        """The entries that are not as they should be."""
        return [entry for entry in self.entries if entry.category != self._good]

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {word}" for word, number in self.counts.items() if number)
        return f"<{type(self).__name__} {'passed' if self.ok else 'FAILED'}: {counts or 'nothing'}>"

    def _repr_html_(self) -> str:
        from html import escape

        differences = self.differences()
        rows = "".join(
            f"<tr><td>{escape(entry.category)}</td><td>{escape(_shown(entry.path))}</td></tr>"
            for entry in differences[:_SHOWN]
        )
        more = f"<p>and {len(differences) - _SHOWN} more</p>" if len(differences) > _SHOWN else ""
        counts = ", ".join(f"{number} {escape(word)}" for word, number in self.counts.items())
        verdict = "passed" if self.ok else "failed"
        table = f"<table><tr><th>category</th><th>path</th></tr>{rows}</table>" if rows else ""
        return f"<div><p><b>{verdict}</b>: {counts}</p>{table}{more}</div>"


class Audit(_Compared):
    """What is there against manifests. Categories: ``matched``, ``changed``, ``moved``, ``copied``, ``new``, ``missing``,
    ``unreadable``; of what could not be compared ``unproven``, ``unsupported``, ``not_compared``."""

    _good = "matched"


class Check(_Compared):
    """Files against lists of digests. Categories: ``matched``, ``changed``, ``missing``, ``unreadable``;
    of what could not be compared ``unsupported``, ``unnamed``, ``partly-verified``."""

    _good = "matched"


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
