"""Listing of directories and prefixes, in parallel."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from . import buckets, core, patterns, shapes
from .batches import map_batches
from .kept import kept
from .s3a import with_settings
from .schemes import Kind, resolve
from .session import active
from .stored import Access

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .requests import Counter

SPREAD = 8
"""The number of directories for each core that the driver finds before tasks continue: with fewer, one task may get most of the tree."""

ALONE = 10_000
"""The number of entries that the driver lists by itself, which takes less time than starting a task."""

MOST = 20_000
"""The most entries of a directory that the driver lists: a larger one is left to a task."""

HELD = 100_000
"""The most rows that the driver holds, besides those of one directory."""

FETCH = 8192
"""The number of rows of a batch."""

Where = str | bytes | os.PathLike[str]
"""A location, as it is written."""

Scan = Callable[[bytes, list[bytes]], Iterator[core.Row]]
"""Returns the entries of a directory, without their paths, and adds the directories in it to a list."""


def list_objects(
    location: Where | Sequence[Where],
    *,
    access: Access | None = None,
    counter: Counter | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Returns the objects below a directory or a prefix of a store (or a single file or object), one row each, in no order.

    Symbolic links, FIFOs, sockets and devices are rows with the status ``skipped``; a directory that can't be listed is a row
    with the status ``unreadable``. So nothing is left out silently. Workers must see the same paths as the driver.

    Args:
        location: one or several. A path, ``s3://BUCKET/PREFIX/``, ``gs://…``, ``az://…``, ``https://…`` (a single file), or as Spark writes it:
            ``s3a://…``, ``abfss://…``, ``wasbs://…``, ``file:/…``, ``hdfs://…``, ``dbfs:/…``. If nothing has this very name,
            ``*``, ``?``, ``[a-z]`` and ``{one,two}`` in it are wildcards; what is above them is listed.
        access: how stores are reached.
        counter: receives the numbers of requests that tasks sent to stores.

    Returns:
        Rows of :data:`shapes.OBJECT`; ``path`` begins below ``location`` (with wildcards, below what is above them): ``a/b`` of
        ``/top/a/b`` or ``s3://bucket/top/a/b``. Of several locations each path begins with its location, as it was written.

    Raises:
        FileNotFoundError: there is nothing.
        OSError: it can't be looked at, or listed.
        ValueError: it begins like a location and is not a valid one.
    """
    spark = active(spark)
    way = with_settings(access, spark)
    if isinstance(location, str | bytes | os.PathLike):
        return _list_named(os.fsencode(location), way, counter, spark)
    typed = [os.fsencode(one) for one in location]
    if not typed:
        raise ValueError("no location: name one at least")
    return reduce(DataFrame.unionByName, [_below(one, _list_named(one, way, counter, spark)) for one in typed])


def _below(typed: bytes, rows: DataFrame) -> DataFrame:
    """Returns rows with paths that begin with the location that they were found by; that of a file is its path."""
    start, itself = (F.lit(bytearray(one)) for one in (typed.rstrip(b"/") + b"/", typed))
    name = F.lit(bytearray(typed.rstrip(b"/").rpartition(b"/")[2]))
    is_itself = (F.col("path") == name) & F.endswith(F.col("location"), F.concat(F.lit(bytearray(b"/")), name))
    is_below = F.endswith(F.col("location"), F.concat(F.lit(bytearray(b"/")), name, F.lit(bytearray(b"/")), name))
    return rows.withColumn("path", F.when(is_itself & ~is_below, itself).otherwise(F.concat(start, F.col("path"))))


def _list_named(typed: bytes, access: Access, counter: Counter | None, spark: SparkSession) -> DataFrame:
    """Lists what has this name; if there is nothing, what matches it."""
    try:
        return _list_one(typed, access, counter, spark)
    except FileNotFoundError:
        wild = patterns.split(typed)
        if wild is None:
            raise
    above, pattern = wild
    full, start = patterns.expressions(pattern)
    path = F.col("path").cast("string")
    is_meant = path.rlike(full) | ((F.col("status") == "unreadable") & path.rlike(start))
    found = kept(_list_one(above, access, counter, spark).where(is_meant))
    if found.isEmpty():
        raise FileNotFoundError(f"{typed.decode(errors='replace')}: nothing matches")
    return found


def _list_one(typed: bytes, access: Access, counter: Counter | None, spark: SparkSession) -> DataFrame:
    place = resolve(typed)
    if place.kind is Kind.UNUSABLE:
        raise ValueError(f"{typed.decode(errors='replace')}: {place.why}")
    if place.kind is Kind.STORE:
        return buckets.list_stored(typed, access, spark, counter)
    if place.kind is Kind.HADOOP:
        from . import hadoop

        systems, settings = hadoop.of_driver(spark), hadoop.settings_of(spark)
        top = systems.top(typed)
        return _list(top, systems.look(top), systems.scan, lambda: hadoop.of_worker(settings).scan, spark)
    # Tasks may work in another directory.
    top = os.path.join(os.getcwdb(), place.location)
    return _list(top, _look(top), _scan, lambda: _scan, spark)


def _list(top: bytes, found: core.Row | None, scan: Scan, scan_in_task: Callable[[], Scan], spark: SparkSession) -> DataFrame:
    """Returns the entries below ``top``, or itself as ``found`` if it is not a directory."""
    wanted = SPREAD * spark.sparkContext.defaultParallelism
    rows, directories = ([found], []) if found else first_levels(top, wanted, scan)
    listed = spark.createDataFrame(pa.Table.from_pylist(named(rows, top), schema=shapes.OBJECT))
    if not directories:
        return listed

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return walk(batches, top, scan_in_task())

    places = spark.createDataFrame(pa.table({"location": pa.array(directories, pa.binary())}))
    spread = places.repartition(min(len(directories), wanted))
    return listed.unionByName(map_batches(spread, run, listed.schema))


def list_here(location: bytes) -> Iterator[pa.RecordBatch]:
    """Returns the entries below a path, or itself, listed by this process alone."""
    top = os.path.join(os.getcwdb(), location)
    if found := _look(top):
        return iter([pa.RecordBatch.from_pylist(named([found], top), schema=shapes.OBJECT)])
    return walk([pa.RecordBatch.from_pylist([{"location": top}])], top, _scan)


def first_levels(top: bytes, wanted: int, scan: Scan) -> tuple[list[core.Row], list[bytes]]:
    """Returns the first entries, and the directories that are left, from the top down: none for a small tree, this many for a
    large one (or fewer, if it has few)."""
    rows: list[core.Row] = []
    wide: list[bytes] = []
    left = deque([top])
    listed = 0
    while left and len(rows) < HELD and (len(rows) + len(left) < ALONE or (len(left) < wanted and listed < 8 * wanted)):
        directory = left.popleft()
        below: list[bytes] = []
        found = list(islice(scan(directory, below), MOST + 1))
        if len(found) > MOST:
            wide.append(directory)
        else:
            rows.extend(found)
            left.extend(below)
        listed += 1
    return rows, [*wide, *left]


def walk(batches: Iterable[pa.RecordBatch], top: bytes, scan: Scan) -> Iterator[pa.RecordBatch]:
    """Lists everything below the directories of the column ``location``."""
    rows: list[core.Row] = []
    for batch in batches:
        left = batch.column("location").to_pylist()
        while left:
            rows.extend(scan(left.pop(), left))
            if len(rows) >= FETCH:
                yield pa.RecordBatch.from_pylist(named(rows, top), schema=shapes.OBJECT)
                rows = []
    yield pa.RecordBatch.from_pylist(named(rows, top), schema=shapes.OBJECT)


def named(rows: list[core.Row], top: bytes) -> list[core.Row]:
    """Returns rows with their paths: locations relative to ``top``, and its own name for ``top`` itself."""
    above = top.rstrip(b"/")
    itself = above.rpartition(b"/")[2] or b"."
    return [{**row, "path": row["location"].removeprefix(above).lstrip(b"/") or itself} for row in rows]


def _look(top: bytes) -> core.Row | None:
    """Returns the row of an entry that is not a directory."""
    found = os.lstat(top)
    if os.path.isdir(top) and not os.path.islink(top):
        return None
    return _entry(top, found)


def _scan(directory: bytes, below: list[bytes]) -> Iterator[core.Row]:
    """Returns the entries of a directory; directories in it are added to ``below``."""
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
                else:
                    yield _described(entry)
    except OSError as error:
        yield {"location": directory, **core.unreadable(error)}


def _described(entry: os.DirEntry[bytes]) -> core.Row:
    try:
        return _entry(entry.path, entry.stat(follow_symlinks=False))
    except OSError as error:
        return {"location": entry.path, **core.unreadable(error)}


def _entry(path: bytes, found: os.stat_result) -> core.Row:
    return {"location": path, **core.facts(found)}
