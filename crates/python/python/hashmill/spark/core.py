"""The core: turns Arrow batches of objects into Arrow batches of outcomes, and these into records.

It does not depend on a data engine: Spark's ``mapInArrow``, Ray Data's ``map_batches`` and Dask's partitions call the same
functions. hashmill's own engine reads and hashes, so a row that can't be read is a row with a status, and never an exception.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import hashmill
from hashmill import similar

from . import engine, shapes, stored
from .contents import Contents, value
from .schemes import Kind, resolve
from .stored import Access

Row = dict[str, Any]

FAILED = ("unreadable", "changed-while-reading")
"""Statuses of rows that should have been hashed and were not."""

_OUTCOME = ("status", "reason", "error")
"""Columns of outcomes and of records that tell whether an object was hashed, or why not."""


@dataclass(frozen=True)
class Reading:
    """How a task reads. ``threads`` hash; ``memory`` bounds buffered file data, both for one task; ``access`` is how stores are
    reached; ``hadoop`` are settings of Hadoop's file systems; ``contents`` is what is looked for beside digests."""

    algorithms: tuple[str, ...]
    threads: int = 1
    memory: str = "64M"
    access: Access = Access()
    hadoop: tuple[tuple[str, str], ...] = ()
    contents: Contents = Contents()

    def __post_init__(self) -> None:
        if not self.algorithms:
            raise ValueError("name at least one algorithm")
        meant = {name.lower() if name in similar.algorithms else hashmill.algorithm(name).name for name in self.algorithms}
        if len(meant) < len(self.algorithms):
            raise ValueError(f"an algorithm is named twice: {', '.join(self.algorithms)}")

    @property
    def results(self) -> shapes.Results:
        """The columns of results."""
        return shapes.Results(self.algorithms, tuple(self.contents.columns()))


def names_of(algorithms: Sequence[str] | str) -> tuple[str, ...]:
    """Returns the names of algorithms, from a list or a text with commas."""
    given = [algorithms] if isinstance(algorithms, str) else algorithms
    return tuple(name.strip() for names in given for name in names.split(",") if name.strip())


def hash_batches(batches: Iterable[pa.RecordBatch], reading: Reading) -> Iterator[pa.RecordBatch]:
    """Hashes objects and ranges.

    Args:
        batches: rows of :data:`shapes.OBJECT`. Columns but ``location`` may be absent; others than its columns are ignored.
        reading: how to read.

    Yields:
        Outcomes (:data:`shapes.OUTCOME`), a batch for each batch, the rows in their order.

    Raises:
        ValueError: there is no column ``location``, or a column has another type.
    """
    for batch in batches:
        rows = conform(batch).to_pylist()
        _hash_rows(rows, reading)
        yield pa.RecordBatch.from_pylist(rows, schema=shapes.OUTCOME)


def record_batches(
    batches: Iterable[pa.RecordBatch], results: shapes.Results, *, each_row: bool = False
) -> Iterator[pa.RecordBatch]:
    """Makes records of outcomes: one for each object, with its ranges folded; with ``each_row``, one for each row that named it.

    Args:
        batches: rows of :data:`shapes.OUTCOME`, those of one object (:data:`shapes.IDENTITY`) one after another.

    Yields:
        Records (:func:`shapes.record`), with the column :data:`shapes.CARRIED` of the row that named the object, if rows have one.
    """
    schema = shapes.record(results)
    records: list[Row] = []

    def noted() -> Iterator[pa.RecordBatch]:
        nonlocal schema
        for batch in batches:
            if shapes.CARRIED in batch.schema.names and shapes.CARRIED not in schema.names:
                schema = schema.append(batch.schema.field(shapes.CARRIED))
            yield batch

    for rows in _objects(noted()):
        record = to_record(rows, results)
        records += [{**record, shapes.CARRIED: row.get(shapes.CARRIED)} for row in (_named(rows) if each_row else rows[:1])]
        if len(records) >= 8192:
            yield pa.RecordBatch.from_pylist(records, schema=schema)
            records = []
    if records:
        yield pa.RecordBatch.from_pylist(records, schema=schema)


def whole_records(batches: Iterable[pa.RecordBatch], reading: Reading) -> Iterator[pa.RecordBatch]:
    """Hashes objects, and returns a record for each row, in their order: for engines that don't group ranges."""
    results = reading.results
    schema = shapes.record(results)
    for batch in hash_batches(batches, reading):
        records = [to_record([row], results) for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(records, schema=schema)


def conform(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns a batch with exactly the columns of objects: text as bytes, numbers as 64 bits, absent ones null."""
    if "location" not in batch.schema.names:
        raise ValueError(f"no column 'location' (there are: {', '.join(batch.schema.names) or 'none'})")
    columns = [_column(batch, field) for field in shapes.OBJECT]
    return pa.RecordBatch.from_arrays(columns, schema=shapes.OBJECT)


def _column(batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    if field.name not in batch.schema.names:
        return _column(batch, shapes.OBJECT.field("location")) if field.name == "path" else pa.nulls(len(batch), field.type)
    column = batch.column(field.name)
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"column {field.name!r} is of type {column.type}, not {field.type}: {error}") from error


def _hash_rows(rows: list[Row], reading: Reading) -> None:
    """Fills in status, reason and digests (or parts) of rows."""
    whole: dict[bytes, list[Row]] = {}
    in_stores: list[Row] = []
    in_hadoop: list[Row] = []
    for row in rows:
        if row["location"] is None:
            row.update(status="unreadable", reason="no-location")
        if row["path"] is None:
            row["path"] = row["location"] or b""
        if row["status"] is not None:
            continue
        place = resolve(row["location"])
        if place.kind is Kind.UNUSABLE:
            row.update(status="unreadable", reason="error", error=place.why)
        elif reading.contents and (why := _has_no_facts(row, place.kind)):
            row.update(status="unreadable", reason="error", error=why)
        elif place.kind is Kind.STORE:
            in_stores.append(row)
        elif place.kind is Kind.HADOOP:
            in_hadoop.append(row)
        elif row["offset"] is not None:
            _hash_range(row, place.location, reading)
        else:
            whole.setdefault(place.location, []).append(row)
    _hash_whole(whole, reading)
    stored.hash_rows(in_stores, reading)
    if in_hadoop:
        from . import hadoop

        hadoop.hash_rows(in_hadoop, reading.algorithms, reading.hadoop)


def _has_no_facts(row: Row, kind: Kind) -> str | None:
    """Returns why nothing can be looked for in the content of a row."""
    if row["offset"] is not None:
        return "nothing is looked for in a range: that takes the whole content"
    return "nothing is looked for in files that Hadoop reads" if kind is Kind.HADOOP else None


def _hash_whole(rows: dict[bytes, list[Row]], reading: Reading) -> None:
    """Hashes whole files, all of them in one run of the engine, so that its lanes stay full across rows."""
    if not rows:
        return
    inspection = reading.contents.inspection()
    found = engine.read_many(list(rows), reading.algorithms, inspection, threads=reading.threads, memory=reading.memory)
    for same, outcome in zip(rows.values(), found, strict=True):
        for row in same:
            row.update(_as_expected(row, outcome))


def _as_expected(row: Row, outcome: Row) -> Row:
    """Returns the outcome of an object; of one that differs from its listing, that it changed."""
    if outcome["status"] != "hashed":
        return {name: outcome[name] for name in ("status", "reason", "error")}
    for name in ("size", "modified"):
        if row[name] is not None and outcome[name] is not None and row[name] != outcome[name]:
            return {"status": "changed-while-reading", "reason": "changed"}
    return {"status": "hashed", "size": outcome["size"], "digests": outcome["digests"], "facts": outcome["facts"]}


def _hash_range(row: Row, path: bytes, reading: Reading) -> None:
    try:
        part = engine.part(
            path,
            list(reading.algorithms),
            row["offset"],
            row["length"],
            size=row["size"],
            modified=row["modified"],
        )
    except engine.Changed:
        row.update(status="changed-while-reading", reason="changed")
    except OSError as error:
        row.update(unreadable(error))
    else:
        row.update(status="hashed", parts=[part[name] for name in reading.algorithms])


def unreadable(error: OSError) -> Row:
    """Returns the outcome of what can't be read: the word that records use for a system error, and its text."""
    reason = "error" if error.errno is None else errno.errorcode.get(error.errno, f"errno-{error.errno}")
    return {"status": "unreadable", "reason": reason, "error": error.strerror or str(error)}


def describe(
    batches: Iterable[pa.RecordBatch], access: Access = Access(), settings: Sequence[tuple[str, str]] = ()
) -> Iterator[pa.RecordBatch]:
    """Fills in size and time of files whose size is not known, and entity tags of objects, without reading them.

    Rows that can't be described, or are not regular files, get their status here.
    """
    for batch in batches:
        rows = conform(batch).to_pylist()
        _describe([row for row in rows if row["status"] is None], access, settings)
        yield pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)


def _describe(rows: Sequence[Row], access: Access, settings: Sequence[tuple[str, str]]) -> None:
    in_stores: list[Row] = []
    in_hadoop: list[Row] = []
    for row in rows:
        kind = Kind.LOCAL if row["location"] is None else resolve(row["location"]).kind
        if kind is Kind.STORE:
            in_stores.append(row)
        elif row["size"] is not None:
            continue
        elif kind is Kind.HADOOP:
            in_hadoop.append(row)
        else:
            row.update(look(row["location"]))
    stored.look_up(in_stores, access)
    if in_hadoop:
        from . import hadoop

        hadoop.look_up(in_hadoop, settings)


def look(location: bytes | None) -> Row:
    """Returns size and time of a file, or why there are none."""
    if location is None:
        return {"status": "unreadable", "reason": "no-location"}
    place = resolve(location)
    if place.kind is Kind.UNUSABLE:
        return {"status": "unreadable", "reason": "error", "error": place.why}
    try:
        return facts(os.stat(place.location))
    except OSError as error:
        return unreadable(error)
    except ValueError as error:
        return {"status": "unreadable", "reason": "EINVAL", "error": str(error)}


def facts(found: os.stat_result) -> Row:
    """Returns the kind of a file, or its size and time, as the system reports them."""
    if stat.S_ISREG(found.st_mode):
        return {"size": found.st_size, "modified": found.st_mtime_ns}
    if stat.S_ISDIR(found.st_mode):
        return {"status": "unreadable", "reason": "EISDIR"}
    return {"status": "skipped", "reason": kind(found.st_mode)}


def kind(mode: int) -> str:
    """Returns the word that records use for an entry that is not a file."""
    if stat.S_ISLNK(mode):
        return "symlink"
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _named(rows: Sequence[Row]) -> list[Row]:
    """Returns a row for each that named an object: each was cut into the same ranges."""
    ((most, _),) = Counter((row["offset"], row["length"]) for row in rows).most_common(1)
    return [row for row in rows if (row["offset"], row["length"]) == most]


def _objects(batches: Iterable[pa.RecordBatch]) -> Iterator[list[Row]]:
    """Returns the rows of each object."""
    rows: list[Row] = []
    same: tuple[Any, ...] | None = None
    for batch in batches:
        for row in batch.to_pylist():
            # Two names of one object are two.
            key = (row["location"], row["version"], row["path"], row.get("_row"))
            if rows and key != same:
                yield rows
                rows = []
            same = key
            rows.append(row)
    if rows:
        yield rows


def to_record(rows: Sequence[Row], results: shapes.Results) -> Row:
    """Returns the record of an object, from its outcomes in any order."""
    first = min(rows, key=_order)
    text, encoded = shapes.as_text(first["path"])
    record = {"path": text, "path_b64": encoded, "version": first["version"], "size": first["size"]}
    return {**record, **_verdict(rows, results)}


def _order(row: Row) -> tuple[int, bool]:
    return (row["offset"] or 0, row["status"] != "hashed")


def _verdict(rows: Sequence[Row], results: shapes.Results) -> Row:
    """Returns status, reason, digests and facts, from the outcomes of the object or its ranges.

    A failed attempt is ignored if another one succeeded. Successful attempts must agree.
    """
    ranges: dict[Any, list[Row]] = {}
    for row in rows:
        ranges.setdefault((row["offset"] is not None, row["offset"], row["length"]), []).append(row)
    whole = ranges.pop((False, None, None), None)
    if whole:
        found = _attempts(whole)
        digests = zip(results.algorithms, found["digests"] or [], strict=False)
        facts = {field.name: value(field, text) for field, text in zip(results.facts, found.get("facts") or [], strict=False)}
        return {**{name: found.get(name) for name in _OUTCOME}, **dict(digests), **facts}
    settled = [_attempts(found) for _, found in sorted(ranges.items())]
    for status in ("changed-while-reading", "unreadable", "skipped"):
        for one in settled:
            if one["status"] == status:
                return {name: one.get(name) for name in _OUTCOME}
    return _folded(settled, rows[0]["size"], results.algorithms)


def _attempts(rows: Sequence[Row]) -> Row:
    """Returns the combined outcome of the attempts at one range."""
    good = [row for row in rows if row["status"] == "hashed"]
    if not good:
        last = max(rows, key=lambda row: (row.get("attempt") or 0, row["status"], row["reason"] or ""))
        return {**{name: last.get(name) for name in _OUTCOME}, "digests": None}
    # Attempts at the same bytes may find different facts, as where one took a rule longer than it may.
    first = min(good, key=lambda row: row.get("attempt") or 0)
    if any(row[name] != first[name] for row in good for name in ("digests", "parts")):
        return {"status": "unreadable", "reason": "attempts-differ", "error": "two attempts read different bytes", "digests": None}
    return {"status": "hashed", "reason": None, "error": None, "digests": first["digests"], "parts": first["parts"], "facts": first.get("facts")}


def _folded(parts: Sequence[Row], size: int, algorithms: Sequence[str]) -> Row:
    try:
        digests = {
            name: engine.fold(name, [part["parts"][place] for part in parts], size)
            for place, name in enumerate(algorithms)
        }
    except ValueError:  # a range is missing, or doesn't fit its neighbours
        return {"status": "unreadable", "reason": "ranges-missing", "error": "not all ranges were hashed"}
    return {"status": "hashed", "reason": None, "error": None, **digests}


def count_opened(batch: pa.RecordBatch) -> int:
    """Counts the files of this machine that were opened for the rows of a batch of outcomes."""
    return sum(1 for location in batch.column("location").to_pylist() if location and resolve(location).kind is Kind.LOCAL)


def count_bytes(batch: pa.RecordBatch) -> int:
    """Counts the bytes that were hashed for the rows of a batch of outcomes."""
    hashed = batch.filter(pc.equal(batch.column("status"), "hashed"))
    lengths = pc.coalesce(hashed.column("length"), hashed.column("size"))
    return pc.sum(lengths).as_py() or 0
