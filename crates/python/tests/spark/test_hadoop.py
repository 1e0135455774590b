"""Files that only Hadoop reads. ViewFs stands for all of its file systems: here it leads to a folder."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from missing import not_compared
from pyspark.sql import SparkSession

from hashmill.spark import core, hadoop, hash_objects, list_objects, listing, shapes

SETTING = "fs.viewfs.mounttable.default.link./data"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """Small files, one without bytes, one of several chunks, and names that Spark's own listing leaves out."""
    large = np.random.default_rng(7).bytes(2 * hadoop.CHUNK + 1234)
    content = {"a": b"a", "d/empty": b"", "d/e/odd ä %25 [x]": b"odd", "_SUCCESS": b"", ".hidden": b"h", "large": large}
    for name, data in content.items():
        file = tmp_path / "files" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return content


@pytest.fixture
def top(spark: SparkSession, tmp_path: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    configuration.set(SETTING, (tmp_path / "files").as_uri())
    settings = ((SETTING, (tmp_path / "files").as_uri()),)
    for module in ("hadoop", "objects", "runs"):
        monkeypatch.setattr(f"hashmill.spark.{module}.settings_of", lambda spark: settings)
    yield "viewfs:///data"
    configuration.unset(SETTING)


def wanted(files: dict[str, bytes]) -> dict[str, tuple[str, int, str]]:
    return {name: ("hashed", len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()}


def test_records_are_those_of_the_content(
    spark: SparkSession, top: str, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> dict[str, tuple[str, int, str]]:
        records = hash_objects(top, ["sha256", "blake3"], range_size=1 << 20, spark=spark).collect()
        return {row.path: (row.status, row.size, row.sha256) for row in records}

    assert found() == wanted(files)
    monkeypatch.setattr(listing, "first_levels", lambda top, wanted, scan: ([], [top]))
    assert found() == wanted(files)


def test_rows_that_cannot_be_read_are_records(spark: SparkSession, top: str, tmp_path: Path) -> None:
    places = [f"{top}/a", f"{top}/gone", f"{top}/d", "hdfs:///x"]
    rows = [(one.encode(),) for one in places] + [(top.encode() + b"/\xff",)]
    frame = spark.createDataFrame(rows, "location binary")
    found = {row.path: (row.status, row.reason) for row in hash_objects(frame, "md5").collect()}
    assert found == {
        f"{top}/\ufffd": ("unreadable", "EINVAL"),
        places[0]: ("hashed", None),
        places[1]: ("unreadable", "ENOENT"),
        places[2]: ("unreadable", "EISDIR"),
        places[3]: ("unreadable", "error"),
    }
    with pytest.raises(FileNotFoundError):
        list_objects(f"{top}/gone", spark=spark)


def test_a_file_that_changed_since_it_was_listed_is_told(top: str, tmp_path: Path) -> None:
    row = {"location": f"{top}/a".encode(), "size": 2}
    settings = ((SETTING, (tmp_path / "files").as_uri()),)
    reading = core.Reading(("md5",), hadoop=settings)
    (batch,) = core.hash_batches([pa.RecordBatch.from_pylist([row], schema=shapes.OBJECT)], reading)
    assert batch.to_pylist()[0]["status"] == "changed-while-reading"


def test_a_machine_of_java_that_is_lost_is_a_row_and_another_one_starts(top: str, tmp_path: Path) -> None:
    settings = ((SETTING, (tmp_path / "files").as_uri()),)
    hashed = []
    for turn in range(3):
        row = {"location": f"{top}/a".encode(), "size": None, "modified": None}
        hadoop.hash_rows([row], ["md5"], settings)
        hashed.append(row["status"])
        if turn == 0:
            hadoop.of_worker(settings)._jvm._gateway_client.shutdown_gateway()
    assert hashed == ["hashed", "unreadable", "hashed"]


def test_secrets_stay_where_they_are(spark: SparkSession) -> None:
    class Context:
        def getConf(self) -> Context:
            return self

        def getAll(self) -> list[tuple[str, str]]:
            return [("spark.hadoop.fs.s3a.secret.key", "x"), ("spark.hadoop.dfs.nameservices", "n"), ("spark.app.name", "y")]

    class Session:
        sparkContext = Context()

    assert hadoop.settings_of(Session()) == (("dfs.nameservices", "n"),)  # type: ignore[arg-type]


@pytest.mark.long
def test_hdfs_itself(spark: SparkSession, tmp_path: Path, files: dict[str, bytes]) -> None:
    """A cluster of Hadoop's own, of one node, in a machine of Java of its own."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
    from pyspark.find_spark_home import _find_spark_home

    theirs = Path(os.environ.get("HASHMILL_JARS", "none")) / "hdfs"
    if not list(theirs.glob("hadoop-client-minicluster-*.jar")):
        not_compared("the jar of Hadoop's small cluster")
    jars = os.path.join(_find_spark_home(), "jars")
    port, token = launch_gateway(
        jarpath=glob.glob(os.path.join(jars, "py4j-*.jar"))[0],
        classpath=os.pathsep.join([str(theirs / "*"), os.path.join(jars, "*")]),
        javaopts=["-Xmx512m"],
        die_on_exit=True,
        enable_auth=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token))
    hadoop_of = gateway.jvm.org.apache.hadoop
    configuration = hadoop_of.conf.Configuration()
    configuration.set("hdfs.minidfs.basedir", str(tmp_path / "hdfs"))
    cluster = hadoop_of.hdfs.MiniDFSCluster.Builder(configuration).numDataNodes(1).build()
    try:
        path = hadoop_of.fs.Path
        cluster.getFileSystem().copyFromLocalFile(path(str(tmp_path / "files")), path("/top"))
        records = hash_objects(f"{cluster.getURI().toString()}/top", "sha256", spark=spark).collect()
        assert {row.path: (row.status, row.size, row.sha256) for row in records} == wanted(files)
    finally:
        cluster.shutdown()
        gateway.shutdown()
