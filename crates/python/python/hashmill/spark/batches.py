"""Functions over batches as steps of Spark."""

from __future__ import annotations

import sys
import zipimport
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import StructType

from . import shapes
from .session import use_interpreter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Step = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def as_ddl(schema: pa.Schema) -> StructType:
    """Returns an Arrow schema as a schema of Spark, with every column nullable."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def map_batches(frame: DataFrame, step: Step, shape: pa.Schema | StructType, *, is_each: bool = True) -> DataFrame:
    """Returns the rows that ``step`` makes of the batches of each partition, in this shape. The column :data:`shapes.CARRIED` is
    handed on; ``is_each``: a step makes a batch of as many rows of each batch, and needs not care for it."""

    if shapes.CARRIED in frame.columns and is_each:
        step = beside(step, shapes.CARRIED)
    made = shape if isinstance(shape, StructType) else as_ddl(shape)
    if shapes.CARRIED in frame.columns and shapes.CARRIED not in made.names:
        made = StructType([*made.fields, frame.schema[shapes.CARRIED]])

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        leave_archives()
        return step(batches)

    use_interpreter(frame.sparkSession)
    return frame.mapInArrow(task, made)


def beside(step: Step, name: str) -> Step:
    """Returns a step that also hands on a column, of one that makes a batch of as many rows of each batch."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        taken: deque[pa.RecordBatch] = deque()

        def noted() -> Iterator[pa.RecordBatch]:
            for batch in batches:
                taken.append(batch)
                yield batch

        for made in step(noted()):
            column = taken.popleft().column(name)
            yield pa.RecordBatch.from_arrays([*made.columns, column], [*made.schema.names, name])

    return run


def leave_archives() -> None:
    """Keeps the next task of this worker from reading the directories of PySpark's archives again.

    A worker makes Python look for modules anew before each task. Up to Python 3.12 this reads the whole directory of an
    archive for each package that was found in it: a quarter of a second for PySpark's own, which do not change. An importer is
    made again if a module of its archive is imported.
    """
    for place, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter) and _is_of_pyspark(finder.archive):
            sys.path_importer_cache.pop(place, None)


def _is_of_pyspark(archive: str) -> bool:
    name = archive.rpartition("/")[2]
    return name == "pyspark.zip" or (name.startswith("py4j-") and name.endswith("-src.zip")) or name.startswith("spark-core_")
