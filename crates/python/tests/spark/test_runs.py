"""Runs go on where they stopped, and end with the table of an undisturbed run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hashmill
import hashmill.known
from hashmill.spark import Lake, alarms_of, core, hash_objects, job, runs
from hashmill.spark.tables import read_records


def rows(frame: object) -> list[tuple[object, ...]]:
    return sorted(map(tuple, frame.collect()), key=str)  # type: ignore[attr-defined]


def test_a_run_that_was_cut_off_goes_on(spark: SparkSession, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = Lake(str(tmp_path / "lake"))
    whole = rows(hash_objects(str(tree), ["md5"], spark=spark))
    append = Lake.append

    def cut(self: Lake, *arguments: object) -> None:
        if arguments[3]:
            raise RuntimeError("the driver died")
        append(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Lake, "append", cut)
    with pytest.raises(RuntimeError):
        runs.run_into(lake, str(tree), ["md5"], wave=1, spark=spark)
    done = lake.read("log", spark).count()
    assert 0 < done < len(whole)
    monkeypatch.setattr(Lake, "append", append)
    summary = runs.run_into(lake, str(tree), ["md5"], wave=1, spark=spark)
    assert summary.done_before == done
    assert summary.requests == len(whole) - done
    assert rows(lake.read("records", spark)) == whole
    again = runs.run_into(lake, str(tree), ["md5"], spark=spark)
    assert (again.requests, again.tasks, again.done_before) == (0, 0, len(whole))
    assert rows(lake.read("records", spark)) == whole


@pytest.mark.long
def test_what_failed_or_changed_is_read_again(spark: SparkSession, tmp_path: Path) -> None:
    lake, top = Lake(str(tmp_path / "lake")), tmp_path / "top"
    top.mkdir()
    (top / "a").write_bytes(b"a")
    (top / "b").write_bytes(b"b")
    frame = spark.createDataFrame([(str(top / name), name) for name in ("a", "b", "late")], "location string, path string")
    first = runs.run_into(lake, frame, ["md5"])
    assert first.statuses == {"hashed": 2, "unreadable": 1}
    (top / "late").write_bytes(b"late")
    (top / "b").write_bytes(b"other")
    second = runs.run_into(lake, frame, ["md5"])
    assert (second.requests, second.done_before, second.statuses) == (2, 1, {"hashed": 3})
    assert rows(lake.read("records", spark)) == rows(hash_objects(frame, ["md5"]))


@pytest.mark.long
def test_records_have_the_paths_of_the_list_and_not_of_the_log(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    (tmp_path / "a").write_bytes(b"a")
    for path in ("before", "after"):
        frame = spark.createDataFrame([(str(tmp_path / "a"), path), (None, path)], "location string, path string")
        done = runs.run_into(lake, frame, ["md5"])
    assert done.requests == 0
    assert {(row.path, row.status) for row in lake.read("records", spark).collect()} == {("after", "hashed"), ("after", "unreadable")}


def test_each_row_of_one_location_has_a_record(spark: SparkSession, tmp_path: Path) -> None:
    lake, place = Lake(str(tmp_path / "lake")), str(tmp_path / "a")
    Path(place).write_bytes(b"a")
    named = [(place, "one"), (place, "two"), (place, "two"), (None, "none"), (None, "none")]
    frame = spark.createDataFrame(named, "location string, path string")
    wanted = [("none", "unreadable"), ("none", "unreadable"), ("one", "hashed"), ("two", "hashed"), ("two", "hashed")]
    for _ in range(2):
        done = runs.run_into(lake, frame, ["md5"])
        assert sorted((row.path, row.status) for row in lake.read("records", spark).collect()) == wanted
    assert done.alarms == 0


@pytest.mark.long
def test_two_digests_of_the_same_bytes_are_an_alarm(spark: SparkSession, tree: Path, tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    assert runs.run_into(lake, str(tree), ["md5", "sha256"], spark=spark).alarms == 0
    run = runs.settings(core.Reading(("md5", "sha256")), 256 << 20)
    log = lake.read("log", spark).where(F.hex("path").endswith(b"f07".hex().upper())).drop("run", "attempt", "wave")
    lake.append(log.withColumn("digests", F.expr("transform(digests, d -> reverse(d))")), run, 2, 0)
    assert alarms_of(lake, spark).count() == 2
    records = runs.records_of(lake, run, ["md5", "sha256"], spark)
    bad = records.where(F.col("reason") == "attempts-differ").collect()
    assert [row.path[-3:] for row in bad] == ["f07"]
    # It is read a third time, and stays an alarm: it is unknown which of the two was right.
    again = runs.run_into(lake, str(tree), ["md5", "sha256"], spark=spark)
    assert (again.requests, again.alarms, again.statuses["unreadable"]) == (1, 2, 1)


@pytest.mark.long
def test_another_run_finds_what_rotted(spark: SparkSession, tmp_path: Path) -> None:
    import os

    lake, top = Lake(str(tmp_path / "lake")), tmp_path / "top"
    top.mkdir()
    (top / "a").write_bytes(b"content")
    runs.run_into(lake, str(top), ["md5"], name="may", spark=spark)
    seen = (top / "a").stat()
    (top / "a").write_bytes(b"kontent")
    os.utime(top / "a", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert runs.run_into(lake, str(top), ["md5"], name="june", spark=spark).alarms == 1
    (alarm,) = alarms_of(lake, spark).collect()
    assert {attempt.run for attempt in alarm.attempts} == {"may", "june"}


def test_a_lake_that_is_none_is_told(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no format"):
        Lake("x", "orc")
    with pytest.raises(hashmill.Error, match="no such table"):
        Lake(str(tmp_path)).read("records", spark)
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "x.parquet").write_bytes(b"not parquet at all")
    with pytest.raises(hashmill.Error, match="not a table"):
        Lake(str(tmp_path)).read("records", spark)


def test_the_job_hashes_audits_and_finds_copies(
    spark: SparkSession, tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = lambda name: str(tmp_path / name)  # noqa: E731
    (tree / "copy").write_bytes((tree / "d1" / "f01").read_bytes())
    told = ["--summary", place("summary.json")]
    assert job.main(["hash", "--input", str(tree), "--output", place("one"), "-c", "md5,sha256", *told]) == 0
    assert json.loads(Path(place("summary.json")).read_text())["statuses"] == {"hashed": 43, "skipped": 2}
    (tree / "d1" / "f01").write_bytes(b"changed")
    (tree / "d2" / "f02").rename(tree / "moved")
    assert job.main(["hash", "--input", str(tree), "--output", place("two"), "-c", "md5"]) == 0
    judged = ["audit", "--manifest", place("one"), "--input", place("two"), "--output", place("audit"), "--format", "json"]
    assert job.main(judged) == 1
    found = {row.category for row in spark.read.json(place("audit")).where("category != 'matched'").collect()}
    assert found == {"changed", "moved"}
    assert "changed: 1" in capsys.readouterr().out
    assert job.main(["dupes", "--input", place("one"), "--output", place("dupes")]) == 0
    assert {row.path.split("/")[-1] for row in spark.read.parquet(place("dupes")).collect()} == {"copy", "f01"}
    bad = spark.read.parquet(place("two") + "/records").limit(1).selectExpr("md5 as digest", "'bad' as category")
    bad.write.json(place("bad.jsonl"))
    assert job.main(["match", "--known-set", place("bad.jsonl"), "--input", place("two"), "--output", place("match")]) == 1
    digest = bad.collect()[0].digest
    Path(place("bad.md5")).write_text(f"{digest}  evil\n")
    hashmill.known.build(place("set.hmk"), {"bad": place("bad.md5")})
    words = ["match", "--known-set", place("set.hmk"), "--input", place("two"), "--output", place("again"), "--report", place("page")]
    assert job.main(words) == 1
    page = Path(place("page")).read_text()
    assert "<html" in page and "Not as it should be:" in page and " bad." in page


def test_rows_that_could_not_be_compared_are_told(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = lambda name: str(tmp_path / name)  # noqa: E731
    digest = hashmill.md5(b"a").hexdigest()
    good = [{"path": name, "size": 1, "status": "hashed", "md5": digest} for name in ("a", "b")]
    (tmp_path / "bad.jsonl").write_text(json.dumps({"digest": "0" * 32, "category": "bad"}) + "\n")
    bad_row = json.dumps({"digest": digest[:9], "category": "bad"})
    (tmp_path / "torn.jsonl").write_text((tmp_path / "bad.jsonl").read_text() + bad_row + "\n")
    (tmp_path / "sha256.jsonl").write_text(json.dumps({"digest": "0" * 64, "category": "bad"}) + "\n")

    def codes(*more: dict[str, object] | str, known: str = "bad.jsonl") -> list[int]:
        lines = [line if isinstance(line, str) else json.dumps(line) for line in (*good, *more)]
        (tmp_path / "m.jsonl").write_text("".join(f"{line}\n" for line in lines))
        spark.catalog.clearCache()  # the plans are those of the last files of these names
        words = ["--input", place("m.jsonl"), "--output", place("out")]
        return [job.main(["dupes", *words]), job.main(["match", "--known-set", place(known), *words])]

    assert codes() == [0, 0]
    assert codes({"path": "link", "status": "skipped"}) == [0, 0]
    assert codes({"path": "c", "status": "unreadable"}) == [2, 2]
    assert codes({"path": "c", "size": 1, "status": "hashed"}) == [2, 2]
    assert codes('{"path": "c", "si') == [2, 2]
    assert codes({"path": "c", "size": 1, "md5": digest}) == [0, 0]
    assert codes(known="torn.jsonl") == [0, 2]
    assert "rows of the set that can't be looked up: 1" in capsys.readouterr().out
    assert codes(known="sha256.jsonl") == [0, 64]
    (tmp_path / "none.jsonl").write_text('{"path": null, "md5": null, "status": "skipped"}\n')
    audit = ["audit", "--manifest", place("none.jsonl"), "--input", place("none.jsonl"), "--output", place("out")]
    assert job.main(audit) == 2


@pytest.mark.parametrize(("form", "log"), [("delta", "_delta_log/0.json"), ("iceberg", "metadata/v1.metadata.json")])
def test_a_table_with_a_log_is_not_read_by_its_files_alone(spark: SparkSession, tmp_path: Path, form: str, log: str) -> None:
    spark.createDataFrame([("a", "00")], "path string, md5 string").write.parquet(str(tmp_path / "lake" / "records"))
    lake = str(tmp_path / "lake")
    assert read_records(spark, lake).count() == read_records(spark, f"{lake}/records").count() == 1
    (tmp_path / "lake" / "records" / log).parent.mkdir()
    (tmp_path / "lake" / "records" / log).write_text("{}")
    for where in (lake, f"{lake}/records"):
        with pytest.raises(hashmill.Error, match=f"a table of {form}, whose files also have rows that were removed"):
            read_records(spark, where)


def test_the_job_says_what_is_wrong(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert job.main(["hash", "--input", str(tmp_path), "--output", str(tmp_path / "l"), "-c", "md6"]) == 64
    assert "md6" in capsys.readouterr().err
    assert job.main(["dupes", "--input", str(tmp_path / "gone"), "--output", "x"]) == 64
    assert "gone" in capsys.readouterr().err
    for wrong in (["hash"], ["hash", "--input", "a", "--output", "b", "--range", "wide"], ["what"]):
        with pytest.raises(SystemExit) as ended:
            job.main(wrong)
        assert ended.value.code == 64


def test_without_pyspark_it_says_what_to_install() -> None:
    """The package can be imported, and its use names the missing package."""
    text = (
        "import sys; sys.modules['pyspark'] = None\n"
        "import hashmill.spark as s\n"
        "try: s.audit\nexcept ImportError as e: print(e)\n"
    )
    said = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert "pip install 'hashmill[spark]'" in said
