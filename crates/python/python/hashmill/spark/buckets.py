"""Listing of a prefix of a store, in parallel.

The driver lists level by level until there are folders for all tasks; each task lists everything below one. A level with very
many keys of its own can't be divided by folders: one task lists it, at some ten thousand keys a second. For such buckets there
are inventories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from . import core, engine, shapes
from .batches import map_batches
from .schemes import resolve, start_of
from .stored import Access

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .requests import Counter

LEVELS = 8
"""The most levels that the driver lists."""

MOST = 20_000
"""The most keys and folders of a level that the driver lists: twenty requests."""

HELD = 100_000
"""The most rows that the driver holds."""

_NAMES = ("location", "path", "status", "reason", "error", "size", "modified", "etag", "version")


def list_stored(top: bytes, access: Access, spark: SparkSession, counter: Counter | None = None) -> DataFrame:
    """Returns the objects below a prefix, or a single one: rows of :data:`shapes.OBJECT`, whose paths are the keys after the prefix."""
    access.use(resolve(top))
    cores = spark.sparkContext.defaultParallelism
    rows, places = first_levels(top, 8 * cores)
    if not rows and not places and not _is_bucket(top):
        raise FileNotFoundError(f"{top.decode(errors='replace')}: there is nothing below it")
    found = spark.createDataFrame(pa.Table.from_pylist(rows, schema=shapes.OBJECT))
    if not places:
        return found
    below = spark.createDataFrame(pa.table({"location": pa.array(places, pa.binary())}))

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        access.use(resolve(top))
        listed = walk(batches, top)
        return listed if counter is None else counter.counted(listed)

    spread = below.repartition(min(len(places), 8 * cores))
    return found.unionByName(map_batches(spread, run, found.schema))


def list_here(top: bytes, access: Access) -> Iterator[pa.RecordBatch]:
    """Lists the same objects in this process alone, a batch at a time.

    Raises:
        OSError: it can't be listed, or there is nothing.
    """
    place = resolve(top)
    access.use(place)
    if not engine.is_folder(place.location):
        rows, _ = first_levels(top, 1)
        yield pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)
        return
    is_empty = True
    for entries in engine.Listed(place.location, place.location):
        is_empty = False
        yield pa.RecordBatch.from_pylist([_row(entry, top) for entry in entries], schema=shapes.OBJECT)
    if is_empty and not _is_bucket(top):
        raise FileNotFoundError(f"{top.decode(errors='replace')}: there is nothing below it")


def first_levels(top: bytes, wanted: int) -> tuple[list[core.Row], list[bytes]]:
    """Returns what the driver finds: objects, and the folders below which tasks go on, as locations of the engine.

    Raises:
        OSError: it can't be listed, or there is no such object.
        ValueError: it is not a location.
    """
    place = resolve(top).location
    if not engine.is_folder(place):
        return [_row(engine.list_one(place), top)], []
    rows: list[core.Row] = []
    level = [place]
    wide: list[bytes] = []
    for _ in range(LEVELS):
        if not level or len(level) + len(wide) >= wanted:
            break
        below: list[bytes] = []
        for location in level:
            found = engine.list_level(location, place, MOST) if len(rows) < HELD else None
            if found is None:
                wide.append(location)
                continue
            rows.extend(_row(entry, top) for entry in found[0])
            below.extend(found[1])
        level = below
    return rows, wide + level


def walk(batches: Iterable[pa.RecordBatch], top: bytes) -> Iterator[pa.RecordBatch]:
    """Lists everything below the locations of a column ``location``. A location that can't be listed is a row."""
    place = resolve(top).location
    for batch in batches:
        for location in batch.column("location").to_pylist():
            try:
                for rows in engine.Listed(location, place):
                    yield pa.RecordBatch.from_pylist([_row(entry, top) for entry in rows], schema=shapes.OBJECT)
            except OSError as error:
                row = {"location": _as_written(location, top), "path": location, **core.unreadable(error)}
                yield pa.RecordBatch.from_pylist([row], schema=shapes.OBJECT)
    yield pa.RecordBatch.from_pylist([], schema=shapes.OBJECT)


def _row(entry: tuple[Any, ...], top: bytes) -> core.Row:
    row = dict(zip(_NAMES, entry, strict=True))
    return {**row, "location": _as_written(row["location"], top)}


def _as_written(location: bytes, top: bytes) -> bytes:
    """Returns a location of the engine with the scheme, and the account, that ``top`` was written with."""
    written, meant = start_of(top)
    return written + location.removeprefix(meant)


def _is_bucket(top: bytes) -> bool:
    """Returns whether a whole bucket is meant, which may be empty."""
    location = resolve(top).location
    return not location.split(b"://", 1)[1].partition(b"/")[2]
