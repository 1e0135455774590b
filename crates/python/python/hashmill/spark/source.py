"""``spark.read.format("hashmill")``: records as a Python data source, for SQL and for pipelines that only read.

    spark.read.format("hashmill").option("algorithms", "sha256,blake3").load("s3a://bucket/photos/")

The process that Spark asks for partitions does the listing, so the driver's memory holds no list; each object is read whole by
one task. ``hash_objects`` also lists in parallel, and cuts large objects into ranges.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from . import buckets, core, listing, plan, shapes
from .batches import as_ddl
from .contents import Contents
from .schemes import Kind, resolve
from .stored import Access

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

OPTIONS = ("path", "algorithms", "facts", "yara", "pronom", "tasks", "threads", "memory", "endpoint", "region", "anonymous", "requests")
"""Options that the source takes."""

ROWS = 4096
"""The number of objects that are hashed at a time."""


_NO_STREAM = (
    "hashmill can't be read as a stream: list files by readStream of another format (binaryFile), and hash its batches by foreachBatch"
)


class HashmillSource(DataSource):
    """Records of everything below a location."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._given = Given.parse(options)

    @classmethod
    def name(cls) -> str:
        return "hashmill"

    def schema(self) -> StructType:
        return as_ddl(shapes.record(self._given.reading.results))

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(self._given)

    def streamReader(self, schema: StructType) -> NoReturn:
        raise ValueError(_NO_STREAM)

    def simpleStreamReader(self, schema: StructType) -> NoReturn:
        raise ValueError(_NO_STREAM)


@dataclass(frozen=True)
class Given:
    """The values of the options."""

    location: bytes
    reading: core.Reading
    tasks: int | None

    @staticmethod
    def parse(options: dict[str, str]) -> Given:
        """Reads options.

        Raises:
            ValueError: one is unknown or has a wrong value, or the location is missing.
        """
        given = {name.lower(): value for name, value in options.items()}
        unknown = sorted(given.keys() - set(OPTIONS))
        if unknown:
            raise ValueError(f"no option {', '.join(unknown)} (there are: {', '.join(OPTIONS)})")
        if not given.get("path"):
            raise ValueError("no location: name one, .load('/archive')")
        names = core.names_of(given.get("algorithms", "blake3"))
        access = Access(given.get("endpoint"), given.get("region"), _flag(given), _number(given, "requests"))
        reading = core.Reading(names, _number(given, "threads") or 1, given.get("memory", "64M"), access, contents=_contents(given))
        return Given(os.fsencode(given["path"]), reading, _number(given, "tasks"))


def _contents(given: dict[str, str]) -> Contents:
    yara, pronom = ([given[name]] if given.get(name) else [] for name in ("yara", "pronom"))
    return Contents(given.get("facts", ""), yara=yara, pronom=pronom)


def _number(given: dict[str, str], name: str) -> int | None:
    text = given.get(name)
    if text is None:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{name} is a whole number above 0, not {text!r}")
    return int(text)


def _flag(given: dict[str, str]) -> bool:
    text = given.get("anonymous", "false").lower()
    if text not in ("true", "false"):
        raise ValueError(f"anonymous is true or false, not {text!r}")
    return text == "true"


@dataclass
class _Objects(InputPartition):
    """The objects of one task, as an Arrow batch in the stream format."""

    rows: bytes


class _Reader(DataSourceReader):
    def __init__(self, given: Given) -> None:
        self._given = given

    def partitions(self) -> Sequence[_Objects]:
        table = pa.Table.from_batches(list_all(self._given.location, self._given.reading.access), shapes.OBJECT)
        return [_Objects(_as_stream(table.take(rows))) for rows in divide(table, self._given.tasks)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Objects)
        table = pa.ipc.open_stream(partition.rows).read_all()
        yield from core.whole_records(table.to_batches(max_chunksize=ROWS), self._given.reading)


def _as_stream(table: pa.Table) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue().to_pybytes()


def list_all(location: bytes, access: Access) -> Iterator[pa.RecordBatch]:
    """Lists everything below a location, in this process.

    Raises:
        OSError: there is nothing, or it can't be listed.
        ValueError: it is not a location, or only Hadoop reads it.
    """
    place = resolve(location)
    shown = location.decode(errors="replace")
    if place.kind is Kind.UNUSABLE:
        raise ValueError(f"{shown}: {place.why}")
    if place.kind is Kind.HADOOP:
        raise ValueError(f"{shown}: the data source does not reach Hadoop's file systems; use hash_objects")
    if place.kind is Kind.STORE:
        return buckets.list_here(location, access)
    return listing.list_here(place.location)


def divide(table: pa.Table, tasks: int | None) -> list[pa.Array]:
    """Returns the rows of each task, so that tasks take about as long."""
    if table.num_rows == 0:
        return []
    sizes = table.column("size").fill_null(0).to_numpy()
    usual = plan.LOCAL if resolve(table.column("location")[0].as_py()).kind is Kind.LOCAL else plan.STORE
    costs = ((usual.request + sizes / usual.rate) * 1e6).astype(np.int64)
    wanted = tasks or max(int(costs.sum() / 1e6 / usual.task), plan.AT_A_TIME * (os.cpu_count() or 1))
    places = plan.assign(np.empty(0, dtype=np.int64), costs, max(1, min(wanted, table.num_rows)))
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places))
    return [pa.array(rows) for rows in np.split(order, ends[:-1])]


def register(spark: SparkSession | None = None) -> None:
    """Registers ``spark.read.format("hashmill")`` and the SQL function ``hashmill_digest(data, algorithm)`` with a session."""
    from .columns import register_function
    from .session import active

    spark = active(spark)
    register_function(spark)
    spark.dataSource.register(HashmillSource)
