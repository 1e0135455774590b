"""Results of comparisons."""

from __future__ import annotations

from hashmill import _hashmill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from hashmill._hashmill import Entry

#: The rows of a table that a notebook shows.
_SHOWN = 100


class _Compared:
    """Entries, their number by category, and messages."""

    #: The results of the files, in order.
    entries: list[Entry]
    #: The number of entries of each category.
    counts: dict[str, int]
    #: Messages about files or lines that could not be read or parsed, for people.
    problems: list[str]
    #: Whether everything was read, and nothing differs.
    ok: bool
    #: Whether everything was read, understood and written, whatever differs: the command's exit code is then neither 2 nor 64.
    complete: bool
    #: The number of bytes that were hashed.
    bytes: int
    #: The duration.
    seconds: float

    _good = "matched"
    _verdicts = ("passed", "FAILED")

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
        strengths: dict[str, int] | None = None,
        run: str = "{}",
        account: str = "{}",
        complete: bool = True,
    ) -> None:
        self.entries = entries
        self.problems = problems
        self.counts = counts
        self.ok = ok
        self.complete = complete
        self.bytes = bytes
        self.seconds = seconds
        #: The number of lines of manifests and lists that could not be parsed.
        self.malformed = malformed
        #: The number of lines of lists without a digest and a name, such as titles. They fail no check.
        self.notes = notes
        #: The number of entries that could not be read.
        self.failed = failed
        #: The number of matches by the evidence of a store, by the strength of the evidence, strongest first.
        self.strengths = strengths or {}
        # Importing the package loads little.
        import json

        #: The run of an audit, as ``run`` in the command's JSON: manifest, operands, times, host, version.
        self.run: dict[str, Any] = json.loads(run)
        #: What was met by its outcomes, as ``account`` in the command's JSON: ``{"records": {"done": 3}}``.
        self.account: dict[str, dict[str, int]] = json.loads(account)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def differences(self) -> list[Entry]:
        """The entries that are not matches."""
        return [entry for entry in self.entries if entry.category != self._good]

    @property
    def _verdict(self) -> str:
        return self._verdicts[0] if self.ok else self._verdicts[1]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns the entries as an Arrow stream, by the Arrow PyCapsule interface: a row each, with the keys of the command's JSON as
        columns, and the content on both sides as ``expected_size``, ``actual_size``, ``expected_sha256`` and the like."""
        return _hashmill.entries_stream(self.entries)

    def __arrow_c_schema__(self) -> object:
        """Returns the schema of that stream."""
        return _hashmill.entries_schema(self.entries)

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {word}" for word, number in self.counts.items() if number)
        return f"<{type(self).__name__} {self._verdict}: {counts or 'nothing'}>"

    def _repr_html_(self) -> str:
        from html import escape

        differences = self.differences()
        rows = "".join(
            f"<tr><td>{escape(entry.category)}</td><td>{escape(_shown(entry.path))}</td></tr>"
            for entry in differences[:_SHOWN]
        )
        more = f"<p>and {len(differences) - _SHOWN} more</p>" if len(differences) > _SHOWN else ""
        counts = ", ".join(f"{number} {escape(word)}" for word, number in self.counts.items())
        verdict = self._verdict.lower()
        table = f"<table><tr><th>category</th><th>path</th></tr>{rows}</table>" if rows else ""
        return f"<div><p><b>{verdict}</b>: {counts}</p>{table}{more}</div>"


class Audit(_Compared):
    """Files against manifests. Categories: ``matched``, ``changed``, ``moved``, ``copied``, ``new``, ``missing``,
    ``unreadable``; for files that could not be compared ``unproven``, ``unsupported``, ``not_compared``."""


class Check(_Compared):
    """Files against lists of digests. Categories: ``matched``, ``changed``, ``missing``, ``unreadable``;
    for files that could not be compared ``unsupported``, ``unnamed``, ``partly-verified``."""


class Diff(_Compared):
    """One side against another. Categories are those of an :class:`Audit`."""

    _verdicts = ("same", "DIFFERENT")


class Group:
    """Files with the same content."""

    __slots__ = ("algorithm", "digest", "links", "paths", "size")

    def __init__(
        self, size: int | None, algorithm: str, digest: str | None, files: Iterable[tuple[str, Iterable[str]]]
    ) -> None:
        files = list(files)
        #: The size of each in bytes, if known.
        self.size = size
        #: The algorithm by which they are the same, and the digest.
        self.algorithm = algorithm
        self.digest = digest
        #: The path of each file: at least two.
        self.paths = [path for path, _ in files]
        #: Other names (hard links) of the files that have some, by their paths.
        self.links = {path: list(links) for path, links in files if links}

    @property
    def wasted(self) -> int | None:
        """The bytes that all but one of the files take, if known."""
        return None if self.size is None else self.size * (len(self.paths) - 1)

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __repr__(self) -> str:
        return f"Group({self.paths!r}, size={self.size}, {self.algorithm}={self.digest!r})"


class Duplicates:
    """Groups of files with the same content, those that waste most first; also an Arrow stream with a row for each file."""

    def __init__(self, groups: list[Group], problems: list[str], ok: bool) -> None:
        self.groups = groups
        #: Messages about files that could not be read or compared, for people.
        self.problems = problems
        #: Whether everything was read and compared.
        self.ok = ok

    @property
    def wasted(self) -> int:
        """The bytes that all but one file of each group take, as far as they are known."""
        return sum(group.wasted or 0 for group in self.groups)

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, place: int) -> Group:
        return self.groups[place]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns the files as an Arrow stream, by the Arrow PyCapsule interface: a row each, with the number of its group, ``path``,
        ``size``, ``algorithm`` and ``digest``. A hard link has a row, too, with the path of its file in ``link_of``."""
        rows: list[tuple[int, int | None, str, str | None, str, str | None]] = []
        for number, group in enumerate(self.groups):
            for path in group.paths:
                of = (number, group.size, group.algorithm, group.digest)
                rows += [(*of, path, None), *((*of, link, path) for link in group.links.get(path, []))]
        return _hashmill.groups_stream(rows)

    def __arrow_c_schema__(self) -> object:
        """Returns the schema of that stream."""
        return _hashmill.groups_schema()

    def __repr__(self) -> str:
        return f"<{len(self.groups)} groups of equal files: {self.wasted} bytes wasted>"


class Converted:
    """The result of a conversion: true if nothing was lost."""

    def __init__(self, malformed: int, refused: int, problems: list[str]) -> None:
        #: The number of parts of the manifest that could not be parsed.
        self.malformed = malformed
        #: The number of records that the format can't carry.
        self.refused = refused
        #: Messages about these, for people.
        self.problems = problems

    @property
    def ok(self) -> bool:
        """Whether every record was understood and written."""
        return self.malformed + self.refused == 0

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return f"<Converted: {self.malformed} malformed, {self.refused} refused>"


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
