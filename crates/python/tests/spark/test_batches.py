"""Steps of Spark's leave its workers as they should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

from hashmill.spark.batches import map_batches

SHAPE = pa.schema([("archives", pa.int64()), ("found", pa.string())])


def test_archives_of_pyspark_are_not_read_for_each_task_and_are_still_found(spark: SparkSession) -> None:
    def look(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import importlib
        import sys
        import zipimport

        list(batches)
        archives = [finder for finder in sys.path_importer_cache.values() if isinstance(finder, zipimport.zipimporter)]
        left = sum(finder.archive.endswith("pyspark.zip") for finder in archives)
        module = importlib.import_module("pyspark.cloudpickle.cloudpickle_fast")
        yield pa.RecordBatch.from_pylist([{"archives": left, "found": module.__name__}], schema=SHAPE)

    rows = spark.range(0, 6, 1, 3)
    for _ in range(2):
        found = map_batches(rows, look, SHAPE).collect()
        assert [tuple(row) for row in found] == [(0, "pyspark.cloudpickle.cloudpickle_fast")] * 3
