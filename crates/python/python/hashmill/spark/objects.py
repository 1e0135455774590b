"""Hashes the objects of a DataFrame or below a location."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType

import hashmill
from hashmill import similar

from . import core, plan, ranges, shapes
from .batches import as_ddl, map_batches
from .contents import Contents
from .hadoop import settings_of
from .kept import Kept, kept
from .listing import Where, list_objects
from .s3a import with_settings
from .session import active
from .shapes import check_types, refuse_stream
from .stored import Access

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField

    from .requests import Counter

_NUMBERS = {"tinyint", "smallint", "int", "bigint"}
"""Types of whole numbers."""


def hash_objects(
    source: DataFrame | Where | Sequence[Where],
    algorithms: Sequence[str] | str = ("blake3",),
    *,
    cost: plan.Cost | None = None,
    range_size: int = ranges.USUAL,
    tasks: int | None = None,
    threads: int = 1,
    memory: str = "64M",
    access: Access | None = None,
    contents: Contents | None = None,
    binary: bool = False,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Hashes objects on the cluster.

    Args:
        source: a location or several, as :func:`list_objects` takes them (a directory, or a prefix of a store, is listed in parallel),
            or a DataFrame with a column ``location`` (text or bytes); its columns ``path``, ``size`` (bytes), ``modified``
            (nanoseconds since 1970), ``version`` and ``etag`` are used if they exist, and all others are carried along. Objects of
            stores without a size or an entity tag are looked up. If a version is named, exactly that version is read.
        algorithms: names, as the command takes them, also those of likeness; a list, or a text with commas.
        cost: the cost of reading, for the plan; by default that of local files, and of stores.
        range_size: the bytes of a range; larger objects are cut if all algorithms can be folded.
        tasks: the number of tasks; by default it follows from ``cost``.
        threads: the threads of each task; set ``spark.task.cpus`` to the same number.
        memory: the limit on buffered file data of each task.
        access: how stores are reached; credentials come from the environment of each worker.
        contents: what is looked for beside digests: types, entropy, rules, formats (:class:`Contents`).
        binary: each digest also as bytes: ``sha256_bytes`` in addition to ``sha256``.

    Returns:
        Records: ``path``, ``path_b64``, ``version``, ``size``, ``status``, ``reason`` (a word), ``error`` (the cause as text) and a
        column for each algorithm, and for what was looked for. The rows are the same for any number of workers; their order is not defined: sort by ``path``.

    The plan is made at once: this lists the objects and reads the list, which workers keep if it is long. Hashing happens when
    the DataFrame is used first; its rows are kept on the workers, so that the next action reads nothing again, until no DataFrame
    uses them any more.

    Raises:
        ValueError: an algorithm is unknown, or a column is missing or of a wrong type.
    """
    names = core.names_of(algorithms)
    reading = core.Reading(names, threads, memory, access or Access(), contents=contents or Contents())
    as_bytes = {f"{name}_bytes": _as_bytes(name) for name in names if binary}
    carried = _carried(source, [*shapes.record(reading.results).names, *as_bytes])
    session = session_of(source, spark)
    reading = replace(reading, access=with_settings(access, session), hadoop=settings_of(session))
    objects = objects_of(source, session, reading.access, carried=carried)
    # Read several times, and it must be the same each time.
    rows = Kept(cut(objects, reading, range_size))
    # The driver should not get columns that may have anything in them.
    packed = plan.pack(rows.frame, cost, tasks=tasks, few=0 if carried else None)
    if packed.has_rows:
        rows.free()
    if packed.alone:
        records = records_planned(packed.rows, packed.width, reading)
    else:
        records = to_records(hash_planned(packed.rows, packed.width, reading), reading.results, each_row=True, width=packed.width)
    columns = [name for name in records.columns if name != shapes.CARRIED]
    return kept(records.withColumns(as_bytes).select(*columns, *as_bytes, *([f"{shapes.CARRIED}.*"] if carried else [])))


def _carried(source: object, made: Sequence[str]) -> list[str]:
    """Returns the columns of a source that are handed on.

    Raises:
        ValueError: one of them has the name of a column of the result.
    """
    from pyspark.sql import DataFrame

    if not isinstance(source, DataFrame):
        return []
    others = [name for name in source.columns if name not in (*shapes.OBJECT.names, "path_b64")]
    both = [name for name in others if name in made]
    if both:
        raise ValueError(f"column {', '.join(map(repr, both))} is in the source and in the result: rename it, or leave it out")
    return others


def session_of(source: object, spark: SparkSession | None) -> SparkSession:
    """Returns the session of a DataFrame, or the one that was given, or the active one."""
    from pyspark.sql import DataFrame

    return source.sparkSession if isinstance(source, DataFrame) else active(spark)


def _as_bytes(name: str) -> Column:
    """Returns the bytes of the digests in a column of their text."""
    if name in similar.algorithms:
        raise ValueError(f"{name} is text: it has no bytes")
    empty = hashmill.new(name)
    decoders = {empty.hexdigest(): F.unhex, base64.b64encode(empty.digest()).decode(): F.unbase64}
    if empty.text() not in decoders:
        raise ValueError(f"the text of {name} is more than a digest: it has no bytes alone")
    return decoders[empty.text()](F.col(f"`{name}`"))


def objects_of(
    source: DataFrame | Where | Sequence[Where],
    spark: SparkSession | None = None,
    access: Access | None = None,
    counter: Counter | None = None,
    carried: Sequence[str] = (),
) -> DataFrame:
    """Returns objects with their sizes, from locations or a DataFrame of them. Rows that are complete stay in Java. The columns
    ``carried`` are together in one more, :data:`shapes.CARRIED`."""
    from pyspark.sql import DataFrame

    way = access or Access()
    if not isinstance(source, DataFrame):
        return list_objects(source, access=way, counter=counter, spark=spark)
    _check(source)
    settings = settings_of(source.sparkSession)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        described = core.describe(batches, way, settings)
        return described if counter is None else counter.counted(described)

    more = [F.struct(*[F.col(f"`{name}`") for name in carried]).alias(shapes.CARRIED)] if carried else []
    if {"path", "path_b64"} <= set(source.columns):
        source = with_path_bytes(source, "path")
    given = source.select(*[name for name in shapes.OBJECT.names if name in source.columns], *more)
    if "status" in given.columns:
        # Records of an earlier run: their objects are read again.
        given = given.withColumn("status", F.nullif(F.col("status"), F.lit("hashed")))
    if not _fits(given):
        return map_batches(given, run, shapes.OBJECT)
    shaped = given.select(*[_shaped(given, field) for field in as_ddl(shapes.OBJECT)], *([shapes.CARRIED] if carried else []))
    is_known = _is_known()
    return shaped.where(is_known).unionByName(map_batches(shaped.where(~is_known), run, shapes.OBJECT))


def _fits(given: DataFrame) -> bool:
    """Returns whether sizes exist, and all columns have types that need no look at their values."""
    kinds = dict(given.dtypes)
    wanted = {name: {"string", "binary"} for name in ("location", "path")}
    wanted |= {name: _NUMBERS for name in ("size", "modified", "offset", "length")}
    kinds.pop(shapes.CARRIED, None)
    return "size" in kinds and all(kind in wanted.get(name, {"string"}) for name, kind in kinds.items())


def _shaped(given: DataFrame, field: StructField) -> Column:
    """Returns a column of objects: the given one, or nulls."""
    if field.name in given.columns:
        return F.col(field.name).cast(field.dataType).alias(field.name)
    absent = F.col("location") if field.name == "path" else F.lit(None)
    return absent.cast(field.dataType).alias(field.name)


def _is_known() -> Column:
    """Returns whether a row needs no look-up: that of a store's object must also say which bytes are meant."""
    meant = ~plan.is_elsewhere() | F.col("etag").isNotNull() | F.col("modified").isNotNull()
    return F.col("status").isNotNull() | F.coalesce(F.col("size").isNotNull() & meant, F.lit(False))


def hash_planned(rows: DataFrame, width: int, reading: core.Reading) -> DataFrame:
    """Returns the outcomes of the rows of one wave (:class:`plan.Packed`): each task is a partition."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return core.hash_batches(batches, reading)

    placed = rows.repartition(width, "slot").select(*plan.columns_of(rows))
    return map_batches(placed, run, shapes.OUTCOME)


def cut(objects: DataFrame, reading: core.Reading, size: int) -> DataFrame:
    """Cuts large objects into ranges, if nothing else than digests is asked of them (:func:`plan.cut`)."""
    return objects if reading.contents else plan.cut(objects, reading.algorithms, size)


def records_planned(rows: DataFrame, width: int, reading: core.Reading) -> DataFrame:
    """Returns the records of the rows of one wave, where each row is an object of its own."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return core.whole_records(batches, reading)

    placed = rows.repartition(width, "slot").select(*plan.columns_of(rows))
    return map_batches(placed, run, shapes.record(reading.results))


def to_records(outcomes: DataFrame, results: shapes.Results, *, each_row: bool = False, width: int | None = None) -> DataFrame:
    """Makes records of outcomes: those of one object are brought together, and its ranges folded. With ``each_row``, an object
    that several rows named has a record for each of them; else these are attempts at it, and a column ``_row`` tells the rows
    apart that have a record each."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return core.record_batches(batches, results, each_row=each_row)

    # Location and version identify an object; sorted, the rows of each are neighbours.
    row = ["_row"] if "_row" in outcomes.columns else []
    by = ["location", "version"]
    together = (outcomes.repartition(width, *by) if width else outcomes.repartition(*by)).sortWithinPartitions("location", "version", "path", *row, "offset")
    return map_batches(together, run, shapes.record(results), is_each=False)


def _check(source: DataFrame) -> None:
    refuse_stream(source)
    if "location" not in source.columns:
        raise ValueError(f"no column 'location' (there are: {', '.join(source.columns) or 'none'})")
    kind = source.schema["location"].dataType
    if not isinstance(kind, StringType | BinaryType):
        raise ValueError(f"column 'location' is of type {kind.simpleString()}, not text or bytes")
    wanted = {name: _NUMBERS for name in ("size", "modified", "offset", "length")}
    wanted |= {"path": {"string", "binary"}, **dict.fromkeys(("version", "etag", "status", "reason", "error"), {"string"})}
    check_types(source, wanted)


def with_path_bytes(records: DataFrame, name: str = "_path") -> DataFrame:
    """Returns records with their path's bytes in a column of this name."""
    plain = F.encode(F.col("path"), "UTF-8")
    if "path_b64" not in records.columns:
        return records.withColumn(name, plain)
    return records.withColumn(name, F.coalesce(F.unbase64("path_b64"), plain))
