"""Functions over batches as steps of Spark."""

from __future__ import annotations

import sys
import zipimport
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import StructType

from .session import use_interpreter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Step = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def as_ddl(schema: pa.Schema) -> StructType:
    """Returns an Arrow schema as a schema of Spark, with every column nullable."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def map_batches(frame: DataFrame, step: Step, shape: pa.Schema | StructType) -> DataFrame:
    """Returns the rows that ``step`` makes of the batches of each partition, in this shape."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        leave_archives()
        return step(batches)

    use_interpreter(frame.sparkSession)
    return frame.mapInArrow(task, shape if isinstance(shape, StructType) else as_ddl(shape))


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
