"""A driver that tests start and kill: hashes a directory into a lake, and prints the summary.

    python driver.py MASTER DIRECTORY LAKE [FORMAT [JAR,JAR]]
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict

from pyspark.sql import SparkSession

from hashmill.spark import Lake, plan, runs


def main() -> None:
    """Prints progress on standard error, and the summary as JSON."""
    master, directory, where, form, jars = [*sys.argv[1:], "parquet", ""][:5]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "3",
        # Plans of a few rows cost most in compiling them.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.task.maxFailures": "8",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.local.dir": os.path.dirname(where),
    }
    if form == "delta":
        settings["spark.sql.extensions"] = "io.delta.sql.DeltaSparkSessionExtension"
        settings["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    if form == "iceberg":
        settings["spark.sql.extensions"] = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        settings["spark.sql.catalog.lake"] = "org.apache.iceberg.spark.SparkCatalog"
        settings["spark.sql.catalog.lake.type"] = "hadoop"
        settings["spark.sql.catalog.lake.warehouse"] = where
    if jars:
        settings["spark.jars"] = jars
    builder = SparkSession.builder.master(master).appName("hashmill test driver")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    lake = Lake("lake.records" if form == "iceberg" else where, form)

    def say(line: str) -> None:
        print(f"said: {line}", file=sys.stderr, flush=True)

    # Some twenty waves of two tasks: more than are under way at once.
    cost = plan.Cost(rate=500e6, request=0.5, task=5)
    done = runs.run_into(lake, directory, ["md5", "blake3"], cost=cost, wave=2, name="test", say=say, spark=spark)
    rows = lake.read("records", spark).orderBy("path").toPandas()
    json.dump({"summary": asdict(done), "records": rows.astype(object).where(rows.notna(), None).values.tolist()}, sys.stdout)
    spark.stop()


main()
