"""Facts about contents are those of ``hashmill.hash``, whatever reads the objects, and rules are part of what a run is."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hashmill
from faulty import Bucket, Store
from hashmill.spark import Access, Contents, Lake, alarms_of, core, hash_objects, job, register, runs, shapes
from missing import module

COLUMNS = ["type", "type_name", "type_extensions", "mismatch", "entropy", "chi2", "class", "yara", "yara_status", "yara_matches",
           "puid", "puid_formats", "puid_signatures"]  # fmt: skip

SIGNATURES = b"""<?xml version="1.0"?>
<FFSignatureFile xmlns="http://www.nationalarchives.gov.uk/pronom/SignatureFile" Version="7" DateCreated="2026-01-01T00:00:00">
<InternalSignatureCollection><InternalSignature ID="1" Specificity="Specific"><ByteSequence Reference="BOFoffset">
<SubSequence Position="1" SubSeqMinOffset="0" SubSeqMaxOffset="0"><Sequence>6e6565646c65</Sequence></SubSequence>
</ByteSequence></InternalSignature></InternalSignatureCollection>
<FileFormatCollection><FileFormat ID="1" Name="Needle" PUID="x-fmt/1"><InternalSignatureID>1</InternalSignatureID></FileFormat>
</FileFormatCollection></FFSignatureFile>
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    top = tmp_path / "files"
    top.mkdir()
    (top / "a.txt").write_bytes(b"needle in text\n" * 40)
    (top / "b.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100))
    (top / "c").write_bytes(bytes(range(256)) * 16)
    (top / "empty").write_bytes(b"")
    return top


@pytest.fixture
def contents(tmp_path: Path) -> Contents:
    rules = tmp_path / "rules.yar"
    rules.write_text('rule needle { meta: by = "a" strings: $a = "needle" condition: $a }')
    signatures = tmp_path / "signatures.xml"
    signatures.write_bytes(SIGNATURES)
    return Contents("type,entropy", yara=str(rules), pronom=[str(signatures)])


def expected(top: Path, contents: Contents) -> list[dict[str, object]]:
    """Returns the records of the engine on this machine, with the columns of facts alone."""
    found = hashmill.hash(top, "md5", facts=contents.facts, yara=contents.yara, pronom=contents.pronom)
    rows = pa.table(found).to_pylist()
    assert len(rows) == 4 and any(row["yara"] for row in rows) and any(row["puid"] for row in rows)
    return sorted(({name: row[name] for name in ("md5", *COLUMNS)} for row in rows), key=str)


def chosen(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return sorted(({name: row[name] for name in ("md5", *COLUMNS)} for row in rows), key=str)


def test_records_have_the_facts_of_the_engine(spark: SparkSession, files: Path, contents: Contents) -> None:
    records = hash_objects(str(files), "md5", contents=contents, spark=spark)
    assert records.columns == ["path", "path_b64", "version", "size", "status", "reason", "error", "md5", *COLUMNS]
    assert chosen(records.toArrow().to_pylist()) == expected(files, contents)
    alone = hash_objects(str(files), "md5", contents=Contents("entropy"), spark=spark)
    assert alone.columns[7:] == ["md5", "entropy", "chi2"]


def test_objects_of_stores_have_them(spark: SparkSession, files: Path, contents: Contents) -> None:
    bucket = Bucket({f"p/{file.name}": file.read_bytes() for file in files.iterdir()})
    with Store(bucket) as store:
        records = hash_objects("s3://bucket/p/", "md5", contents=contents, access=Access(store.endpoint), spark=spark)
        assert chosen(records.toArrow().to_pylist()) == expected(files, contents)


def test_a_large_object_stays_whole_where_facts_are_wanted(spark: SparkSession, tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(40 << 20)
    given = {"range_size": 4 << 20, "spark": spark}
    (record,) = hash_objects(str(large), "dropbox", contents=Contents("entropy"), **given).collect()
    assert (record.status, record.entropy) == ("hashed", 0.0)
    assert record.dropbox == hash_objects(str(large), "dropbox", **given).collect()[0].dropbox


def test_a_range_and_a_file_of_hadoop_say_why_they_have_none(contents: Contents) -> None:
    rows = [{"location": b"/f", "size": 9, "offset": 0, "length": 9}, {"location": b"hdfs://h/f", "size": 9}]
    batch = pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)
    (found,) = core.hash_batches([batch], core.Reading(("md5",), contents=contents))
    assert [row["status"] for row in found.to_pylist()] == ["unreadable"] * 2
    assert [row["error"].partition(":")[0] for row in found.to_pylist()] == [
        "nothing is looked for in a range",
        "nothing is looked for in files that Hadoop reads",
    ]


def test_other_rules_are_another_run_and_no_alarm(spark: SparkSession, files: Path, contents: Contents, tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    first = runs.run_into(lake, str(files), "md5", contents=contents, spark=spark)
    assert chosen(lake.read("records", spark).toArrow().to_pylist()) == expected(files, contents)
    again = runs.run_into(lake, str(files), "md5", contents=contents, spark=spark)
    assert (again.run, again.requests) == (first.run, 0)
    Path(contents.yara[0]).write_text("rule all { condition: true }")
    other = runs.run_into(lake, str(files), "md5", contents=contents, spark=spark)
    assert other.run != first.run and other.requests == 4
    assert {row.yara for row in lake.read("records", spark).collect()} == {"all"}
    assert alarms_of(lake, spark).count() == 0


def test_a_lake_from_before_facts_takes_them(spark: SparkSession, files: Path, contents: Contents, tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    runs.run_into(lake, str(files), "md5", spark=spark)
    log = lake.read("log", spark).drop("facts").toArrow()
    written = [file for file in (tmp_path / "lake" / "log").rglob("*.parquet")]
    assert written and log.num_rows == 4
    import pyarrow.parquet as parquet

    for file in written:
        parquet.write_table(parquet.read_table(file, partitioning=None).drop_columns(["facts"]), file)
        (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    runs.run_into(lake, str(files), "md5", contents=contents, spark=spark)
    assert chosen(lake.read("records", spark).toArrow().to_pylist()) == expected(files, contents)
    assert alarms_of(lake, spark).count() == 0


def test_the_source_and_the_job_take_them(spark: SparkSession, files: Path, contents: Contents, tmp_path: Path) -> None:
    register(spark)
    options = {"algorithms": "md5", "facts": contents.facts, "yara": contents.yara[0], "pronom": contents.pronom[0]}
    found = spark.read.format("hashmill").options(**options).load(str(files))
    assert chosen(found.toArrow().to_pylist()) == expected(files, contents)
    lake = tmp_path / "lake"
    given = ["--facts", contents.facts, "--yara", contents.yara[0], "--pronom", contents.pronom[0]]
    page, summary = tmp_path / "page.html", tmp_path / "summary.json"
    said = ["--report", str(page), "--summary", str(summary)]
    assert job.main(["hash", "--input", str(files), "--output", str(lake), "-c", "md5", *given, *said]) == 1
    assert json.loads(summary.read_text())["matching"] == 1 and "1 of 4 objects are matched by rules." in page.read_text()
    assert chosen(Lake(str(lake)).read("records", spark).toArrow().to_pylist()) == expected(files, contents)
    short = [*given, "--yara-max", "10"]
    assert job.main(["hash", "--input", str(files), "--output", str(lake), "-c", "md5", *short, *said]) == 2
    assert json.loads(summary.read_text())["unscanned"] == 3


def test_dask_has_them(files: Path, contents: Contents) -> None:
    dd = module("dask.dataframe")
    import pandas as pd

    from hashmill.spark import on_dask

    frame = pd.DataFrame({"location": [str(file) for file in sorted(files.iterdir())]})
    found = on_dask.hash_objects(dd.from_pandas(frame, npartitions=2), ["md5"], contents=contents).compute(scheduler="synchronous")
    rows = found.astype(object).where(found.notna(), None).to_dict("records")
    assert chosen(rows) == expected(files, contents)


def test_what_is_wrong_is_told_before_anything_is_read(spark: SparkSession, files: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yar"
    broken.write_text("rule {")
    for wrong, said in (
        (Contents("colour"), "colour"),
        (Contents(yara=str(broken)), "broken.yar"),
        (Contents(yara_strings=True), "need yara"),
        (Contents(pronom=str(broken)), "broken.yar"),
    ):
        with pytest.raises(ValueError, match=said):
            hash_objects(str(files), "md5", contents=wrong, spark=spark)
    with pytest.raises((OSError, ValueError), match="gone"):
        hash_objects(str(files), "md5", contents=Contents(yara=str(tmp_path / "gone")), spark=spark)


def test_rules_are_compiled_once_while_they_are_the_same(contents: Contents) -> None:
    same = pickle.loads(pickle.dumps(contents))
    assert contents.inspection() is same.inspection()
    before = contents.inspection()
    rules = Path(contents.yara[0])
    rules.write_text("rule other { condition: false }")
    os.utime(rules, ns=(1, 1))
    assert contents.inspection() is not before
