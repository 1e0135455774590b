"""What lies below a prefix, listed in parallel."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa

from . import buckets, core, engine, shapes
from .batches import map_batches
from .session import active
from .stored import Access

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .requests import Counter

SPREAD = 8
"""Directories for each core that the driver finds before tasks go on: with fewer, one task may get most of the tree."""

ALONE = 10_000
"""Entries that the driver lists by itself, which takes less time than to start a task."""

MOST = 20_000
"""Entries of a directory up to which the driver lists it: a larger one is left to a task."""

HELD = 100_000
"""Rows that the driver holds at most, and those of one directory."""

FETCH = 8192
"""Rows of a batch."""


def list_objects(
    location: str | bytes | os.PathLike[str],
    *,
    access: Access | None = None,
    counter: Counter | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """The objects below a directory or a prefix of a store (or a file or an object alone), one row each, in no order.

    Symbolic links, FIFOs, sockets and devices are rows with the status ``skipped``; a directory that can't be listed is one with
    the status ``unreadable``. So nothing is left out silently. Workers must see the same paths as the driver.

    Args:
        location: a path, or ``s3://BUCKET/PREFIX/``, ``gs://…``, ``az://…``, ``https://…`` (a file of it alone).
        access: the way to stores.
        counter: is told what tasks asked of stores.

    Returns:
        Rows of :data:`shapes.OBJECT`; ``path`` is the location as it is reached from ``location``, of objects the key from the
        prefix on.

    Raises:
        FileNotFoundError: there is nothing.
        OSError: it can't be looked at, or listed.
        ValueError: it begins as a location and is none.
    """
    spark = active(spark)
    typed = os.fsencode(location)
    top = engine.local_path(typed)
    if top is None:
        return buckets.list_stored(typed, access or Access(), spark, counter)
    os.lstat(top)
    rows, directories = _first(top, SPREAD * spark.sparkContext.defaultParallelism)
    found = spark.createDataFrame(pa.Table.from_pylist(rows, schema=shapes.OBJECT))
    if not directories:
        return found
    places = pa.table({"location": pa.array(directories, pa.binary())})
    many = min(len(directories), SPREAD * spark.sparkContext.defaultParallelism)
    spread = spark.createDataFrame(places).repartition(many)
    return found.unionByName(map_batches(spread, walk, found.schema))


def _first(top: bytes, wanted: int) -> tuple[list[core.Row], list[bytes]]:
    """The first entries, and the directories that are left, from the top down: none of a small tree, so many of a large one (or
    fewer, if it has hardly any)."""
    if not os.path.isdir(top) or os.path.islink(top):
        return [_entry(top, os.lstat(top))], []
    rows: list[core.Row] = []
    wide: list[bytes] = []
    left = deque([top])
    listed = 0
    while left and len(rows) < HELD and (len(rows) + len(left) < ALONE or (len(left) < wanted and listed < 8 * wanted)):
        directory = left.popleft()
        below: list[bytes] = []
        found = list(islice(_scan(directory, below), MOST + 1))
        if len(found) > MOST:
            wide.append(directory)
        else:
            rows.extend(found)
            left.extend(below)
        listed += 1
    return rows, [*wide, *left]


def walk(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Lists all below the directories of the column ``location``."""
    rows: list[core.Row] = []
    for batch in batches:
        left = batch.column("location").to_pylist()
        while left:
            rows.extend(_scan(left.pop(), left))
            if len(rows) >= FETCH:
                yield pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)
                rows = []
    yield pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)


def _scan(directory: bytes, below: list[bytes]) -> Iterator[core.Row]:
    """The entries of a directory; directories in it are added to ``below``."""
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
                else:
                    yield _described(entry)
    except OSError as error:
        yield {"location": directory, "path": directory, "status": "unreadable", "reason": core.reason_of(error)}


def _described(entry: os.DirEntry[bytes]) -> core.Row:
    try:
        return _entry(entry.path, entry.stat(follow_symlinks=False))
    except OSError as error:
        return {"location": entry.path, "path": entry.path, "status": "unreadable", "reason": core.reason_of(error)}


def _entry(path: bytes, found: os.stat_result) -> core.Row:
    return {"location": path, "path": path, **core.facts(found)}
