"""The shapes of rows: the input, the outcome of a task, and the resulting records.

Three shapes, each as Arrow fields:

* *objects*: the objects to hash. One row per object, or per range of an object.
* *outcomes*: rows of objects or ranges with their results. A lake's log consists of them.
* *records*: one row per object, with the names of the contract.

Locations and paths are bytes inside (binary columns), since names of files are bytes; only records have text, with base64
for names that are not UTF-8.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OBJECT = pa.schema(
    [
        pa.field("location", pa.binary()),  # where the bytes are: a local path or a URL
        pa.field("path", pa.binary()),  # the name in the record
        pa.field("version", pa.string()),  # the store's version
        pa.field("etag", pa.string()),  # the store's entity tag
        pa.field("size", pa.int64()),  # bytes of the whole object
        pa.field("modified", pa.int64()),  # nanoseconds since 1970, of a file
        pa.field("status", pa.string()),  # if it is known already that nothing must be read
        pa.field("reason", pa.string()),
        pa.field("error", pa.string()),  # the cause as text
        pa.field("offset", pa.int64()),  # where the range begins; null: the whole object
        pa.field("length", pa.int64()),  # bytes of the range
    ]
)
"""Objects. Only ``location`` is required, and must not be null."""

IDENTITY = ["location", "version", "etag", "size", "modified"]
"""Columns that identify the bytes: if one differs, it's another state of the object."""

RANGE = [*IDENTITY, "offset", "length"]
"""Columns that identify the bytes and the range."""


OUTCOME = pa.schema(
    [
        *OBJECT,
        pa.field("digests", pa.list_(pa.string())),
        pa.field("parts", pa.list_(pa.binary())),
        pa.field("facts", pa.list_(pa.string())),
    ]
)
"""Outcomes. ``digests`` of a whole object and ``parts`` of a range are in the order of the run's algorithms, and ``facts`` in that
of the columns of what was looked for, so the shape is the same for any of them."""


@dataclass(frozen=True)
class Results:
    """The columns of results: a text for each algorithm, and what was found in contents."""

    algorithms: tuple[str, ...]
    facts: tuple[pa.Field, ...] = ()


def record(results: Results) -> pa.Schema:
    """Returns the shape of records."""
    before, after = (
        [pa.field(name, pa.string()) for name in names]
        for names in (("path", "path_b64", "version"), ("status", "reason", "error", *results.algorithms))
    )
    return pa.schema([*before, pa.field("size", pa.int64()), *after, *results.facts])


CARRIED = "_carried"
"""The column with all other columns of the rows that name objects, as one structure."""


def as_text(path: bytes) -> tuple[str, str | None]:
    """Returns a path as readable text, and in base64 if the text is not exact."""
    try:
        return path.decode(), None
    except UnicodeDecodeError:
        return path.decode(errors="replace"), base64.b64encode(path).decode()


def refuse_stream(rows: DataFrame) -> None:
    """Raises ``ValueError`` for a stream: a plan needs all rows."""
    if rows.isStreaming:
        raise ValueError(
            "the rows are a stream: take its batches, stream.writeStream.foreachBatch(lambda batch, number: …), or digest_column, "
            "which needs one row at a time"
        )


def check_types(records: DataFrame, wanted: Mapping[str, Collection[str]]) -> None:
    """Raises ``ValueError`` for a column of another type than those that are wanted."""
    for name, kind in records.dtypes:
        if name in wanted and kind not in wanted[name] and kind != "void":
            raise ValueError(f"column {name!r} is of type {kind}, not {' or '.join(sorted(wanted[name]))}")
