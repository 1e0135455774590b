"""Objects are hashed once each, large ones by ranges, and a bad row is a record."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hashmill
from hashmill import similar
from hashmill.spark import audit, core, digest_column, duplicates, engine, hash_objects, list_objects, listing, plan, ranges, shapes, similar_pairs

FOLDS = "dropbox"
"""A digest that folds, whose leaves are longest: 4 MiB."""


def by_path(records: object) -> dict[bytes, object]:
    rows = records.collect()  # type: ignore[attr-defined]
    found = {base64.b64decode(row.path_b64) if row.path_b64 else row.path.encode(): row for row in rows}
    assert len(found) == len(rows)
    return found


def test_a_tree_has_the_records_that_its_files_make(spark: SparkSession, tree: Path) -> None:
    found = by_path(hash_objects(str(tree), ["md5", "sha256"], spark=spark))
    top = os.fsencode(tree)
    files = [os.path.join(place, name) for place, _, names in os.walk(top) for name in names]
    assert sorted(found) == sorted(os.path.relpath(file, top) for file in files)
    assert b"empty" in found
    for path, row in found.items():
        if path in (b"link", b"fifo"):
            assert (row.status, row.reason) == ("skipped", path.decode().replace("link", "symlink"))
            assert row.md5 is row.sha256 is None
            continue
        data = Path(os.fsdecode(os.path.join(top, path))).read_bytes()
        assert (row.status, row.reason, row.size) == ("hashed", None, len(data))
        assert (row.md5, row.sha256) == (hashlib.md5(data).hexdigest(), hashlib.sha256(data).hexdigest())


def test_the_rows_are_the_same_for_any_number_of_tasks(spark: SparkSession, tree: Path) -> None:
    tables = [
        sorted(map(tuple, hash_objects(str(tree), ["sha256"], tasks=tasks, spark=spark).collect()), key=str)
        for tasks in (1, 5)
    ]
    assert tables[0] == tables[1]


def test_a_tree_is_the_same_by_the_driver_and_by_tasks(
    spark: SparkSession, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> tuple[list[tuple[object, ...]], ...]:
        listed = list_objects(str(tree), spark=spark)
        return tuple(sorted(map(tuple, rows.collect()), key=str) for rows in (listed, hash_objects(listed, ["md5"])))

    by_driver = found()
    monkeypatch.setattr(listing, "first_levels", lambda top, wanted, scan: ([], [top]))
    assert found() == by_driver
    monkeypatch.setattr(plan, "FEW", 0)
    assert found() == by_driver


def test_a_directory_that_is_too_wide_is_left_to_a_task(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = os.fsencode(tree)
    rows, left = listing.first_levels(top, 4, listing._scan)
    assert left == [] and len(rows) == 44
    monkeypatch.setattr(listing, "MOST", 5)
    rows, left = listing.first_levels(top, 4, listing._scan)
    assert len(rows) == 14 and sorted(left) == [top + b"/d%d" % number for number in range(5)]
    places = pa.RecordBatch.from_pylist([{"location": place} for place in left])
    rest = [row for batch in listing.walk([places], top, listing._scan) for row in batch.to_pylist()]
    assert len(rows) + len(rest) == 44
    assert all(top + b"/" + row["path"] == row["location"] for row in rest)
    monkeypatch.setattr(listing, "HELD", 0)
    assert listing.first_levels(top, 4, listing._scan) == ([], [top])


def test_each_row_has_a_record_if_a_location_is_there_twice(
    spark: SparkSession, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tree / "d1" / "f01")
    frame = spark.createDataFrame([(file,), (file,), (None,), (None,)], "location string")
    for few in (plan.FEW, 0):
        monkeypatch.setattr(plan, "FEW", few)
        found = sorted(row.status for row in hash_objects(frame, "md5").collect())
        assert found == ["hashed", "hashed", "unreadable", "unreadable"]


def test_large_objects_are_folded_to_the_digest_of_all(spark: SparkSession, tmp_path: Path) -> None:
    unit = ranges.length([FOLDS], 1)
    assert unit is not None
    data = np.random.default_rng(1).bytes(5 * unit + 12345)
    (tmp_path / "large").write_bytes(data)
    (tmp_path / "small").write_bytes(data[:unit])
    rows = by_path(hash_objects(str(tmp_path), [FOLDS], range_size=unit, spark=spark))
    leaves = b"".join(hashlib.sha256(data[at : at + unit]).digest() for at in range(0, len(data), unit))
    assert rows[b"large"].dropbox == hashlib.sha256(leaves).hexdigest()
    assert rows[b"small"].dropbox == hashlib.sha256(leaves[:32]).hexdigest()


def test_bad_rows_are_records(spark: SparkSession, tree: Path) -> None:
    good = str(tree / "d1" / "f01")
    places = [good, str(tree / "gone"), str(tree / "d1"), None, good + "\0", str(tree / "fifo"), "", None]
    frame = spark.createDataFrame([(place, f"name {number}") for number, place in enumerate(places)], "location string, path string")
    found = {row.path: (row.status, row.reason) for row in hash_objects(frame, "md5").collect()}
    assert found == {
        "name 0": ("hashed", None),
        "name 1": ("unreadable", "ENOENT"),
        "name 2": ("unreadable", "EISDIR"),
        "name 3": ("unreadable", "no-location"),
        "name 4": ("unreadable", "EINVAL"),
        "name 5": ("skipped", "fifo"),
        "name 6": ("unreadable", "ENOENT"),
        "name 7": ("unreadable", "no-location"),
    }


def test_an_object_that_is_not_what_was_listed_is_changed(spark: SparkSession, tree: Path) -> None:
    file = tree / "d5" / "f05"
    listed = list_objects(str(tree), spark=spark).persist()
    assert listed.count() > 40
    os.utime(file, ns=(1, 1))
    (tree / "d6" / "f06").write_bytes(b"longer or shorter")
    found = by_path(hash_objects(listed, ["md5"]))
    changed = {path for path, row in found.items() if row.status == "changed-while-reading"}
    assert changed == {b"d5/f05", b"d6/f06"}
    assert all(found[path].md5 is None and found[path].reason == "changed" for path in changed)


def test_an_object_that_changes_between_two_ranges_is_changed(tmp_path: Path) -> None:
    unit = ranges.length([FOLDS], 1)
    assert unit is not None
    file = tmp_path / "file"
    file.write_bytes(bytes(2 * unit))
    seen = file.stat()
    row = {"location": os.fsencode(file), "size": seen.st_size, "modified": seen.st_mtime_ns, "length": unit}
    reading = core.Reading((FOLDS,))
    outcomes = []
    for offset in (0, unit):
        batch = pa.RecordBatch.from_pylist([{**row, "offset": offset}], schema=shapes.OBJECT)
        outcomes += list(core.hash_batches([batch], reading))
        file.write_bytes(b"x" * 2 * unit)
        os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1))
    assert [batch.to_pylist()[0]["status"] for batch in outcomes] == ["hashed", "changed-while-reading"]
    (records,) = core.record_batches(outcomes, shapes.Results((FOLDS,)))
    assert [(one["status"], one["reason"], one[FOLDS]) for one in records.to_pylist()] == [
        ("changed-while-reading", "changed", None)
    ]


def outcome(**values: object) -> pa.RecordBatch:
    row = {"location": b"a", "path": b"a", "size": 10, "status": "hashed", **values}
    return pa.RecordBatch.from_pylist([row], schema=shapes.OUTCOME)


def test_attempts_that_differ_are_an_alarm_and_no_digest() -> None:
    twice = [outcome(digests=["aa"]), outcome(digests=["ab"])]
    (records,) = core.record_batches(twice, shapes.Results(("md5",)))
    assert records.to_pylist()[0] | {"path": 0} == {
        "path": 0, "path_b64": None, "version": None, "size": 10, "status": "unreadable", "reason": "attempts-differ",
        "error": "two attempts read different bytes", "md5": None}  # fmt: skip
    (records,) = core.record_batches([twice[0], twice[0]], shapes.Results(("md5",)))
    assert records.to_pylist()[0]["md5"] == "aa"


def test_an_attempt_that_failed_does_not_count_beside_one_that_did_not() -> None:
    (records,) = core.record_batches([outcome(status="unreadable", reason="EIO"), outcome(digests=["aa"])], shapes.Results(("md5",)))
    assert records.to_pylist()[0]["status"] == "hashed"


def test_a_range_that_is_missing_is_no_digest(tmp_path: Path) -> None:
    unit = ranges.length([FOLDS], 1)
    assert unit is not None
    file = tmp_path / "file"
    file.write_bytes(bytes(3 * unit))
    parts = [engine.part(os.fsencode(file), [FOLDS], offset, unit)[FOLDS] for offset in (0, 2 * unit)]
    rows = [outcome(offset=at, length=unit, size=3 * unit, parts=[part]) for at, part in zip((0, 2 * unit), parts, strict=True)]
    (records,) = core.record_batches(rows, shapes.Results((FOLDS,)))
    assert records.to_pylist()[0]["reason"] == "ranges-missing"


def test_wrong_arguments_say_what_is_wrong(spark: SparkSession, tree: Path) -> None:
    frame = spark.createDataFrame([("a",)], "name string")
    with pytest.raises(ValueError, match="no column 'location'"):
        hash_objects(frame)
    with pytest.raises(ValueError, match="not text or bytes"):
        hash_objects(frame.selectExpr("1 as location"))
    with pytest.raises(ValueError, match="md6"):
        hash_objects(str(tree), ["md6"])
    with pytest.raises(ValueError, match="twice"):
        hash_objects(str(tree), ["md5", "md5"])
    with pytest.raises(FileNotFoundError):
        list_objects(str(tree / "gone"), spark=spark)


def test_likeness_is_found_across_tiles(spark: SparkSession, tmp_path: Path) -> None:
    """Every pair that the algorithm finds in one list is found, however small tiles are."""
    from hashmill.spark import similar_pairs

    rng = np.random.default_rng(3)
    bases = [rng.bytes(20_000) for _ in range(6)]
    files = {f"{place:02}": base[: 20_000 - 400 * turn] + rng.bytes(200 * turn) for turn in range(3) for place, base in enumerate(bases)}
    for turn, (name, data) in enumerate(list(files.items())[:6]):
        files[f"{name}b"] = data[:10_000] + bytes([turn]) * 30 + data[10_000:]
    rows = []
    for name, data in sorted(files.items()):
        (tmp_path / name).write_bytes(data)
        digest = hashmill.file_digest(tmp_path / name, ["ssdeep", "tlsh"])
        rows.append((name, digest["ssdeep"], digest["tlsh"]))
    paths = [row[0] for row in rows]
    frame = spark.createDataFrame(rows, "path string, ssdeep string, tlsh string")
    for column, (algorithm, limit) in enumerate((("ssdeep", 1), ("tlsh", 150)), 1):
        plain = engine.likeness_pairs(algorithm, [row[column] for row in rows], None, limit)
        wanted = sorted((paths[a], paths[b], score) for a, b, score in plain)
        assert wanted
        for tile in (4, 1000):
            found = similar_pairs(frame, algorithm, limit=limit, tile=tile).collect()
            assert sorted((row.a, row.b, row.score) for row in found) == wanted
    with pytest.raises(ValueError, match="limit of 1"):
        similar_pairs(frame, "ssdeep", limit=0)
    with pytest.raises(ValueError, match="sdhash"):
        similar_pairs(frame, "sdhash")


def test_binary_digests_stand_beside_text(spark: SparkSession, tree: Path) -> None:
    found = hash_objects(str(tree), ["md5", "quickxor"], binary=True, spark=spark).where("status = 'hashed'").collect()
    assert len(found) == 42 and any(row.size == 0 for row in found)
    for row in found:
        assert bytes(row.md5_bytes).hex() == row.md5 and base64.b64encode(row.quickxor_bytes).decode() == row.quickxor
    with pytest.raises(ValueError, match="s3-etag is more than a digest"):
        hash_objects(str(tree), ["s3-etag"], binary=True, spark=spark)


def test_other_columns_are_carried_along(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(9 << 20))
    (tmp_path / "b").write_bytes(b"b")
    rows = [(str(tmp_path / name), name, place, {"k": [place]}) for place, name in enumerate(["a", "b", "a", "gone"])]
    source = spark.createDataFrame(rows, "location string, bucket string, slot int, deep map<string, array<int>>")
    for options in ({}, {"range_size": 4 << 20}):
        found = hash_objects(source, FOLDS, **options).orderBy("slot").collect()
        assert [(row.bucket, row.slot, row.deep, row.status) for row in found] == [
            (name, place, deep, "unreadable" if name == "gone" else "hashed") for _, name, place, deep in rows
        ]
    with pytest.raises(ValueError, match="column 'md5' is in the source and in the result"):
        hash_objects(source.withColumnRenamed("bucket", "md5"), "md5")


def test_likeness_digests_feed_the_pairs(spark: SparkSession, tmp_path: Path) -> None:
    data = np.random.default_rng(7).integers(0, 256, 40_000, dtype=np.uint8).tobytes()
    for name, content in (("a", data), ("b", data[:30_000] + bytes(3) + data[30_000:]), ("c", data[::-1]), ("d", b"short")):
        (tmp_path / name).write_bytes(content)
    records = hash_objects(str(tmp_path), "md5, tlsh,ssdeep", spark=spark)
    rows = {row.path: row for row in records.collect()}
    for name, row in rows.items():
        content = (tmp_path / name).read_bytes()
        assert row.md5 == hashlib.md5(content).hexdigest()
        assert (row.tlsh, row.ssdeep) == (similar.digest(content, "tlsh"), similar.digest(content, "ssdeep"))
    assert rows["d"].tlsh is None
    assert {(row.a, row.b) for row in similar_pairs(records, "ssdeep", limit=50).collect()} == {("a", "b")}
    column = spark.createDataFrame([(data,), (b"short",), (None,)], "data binary").select(digest_column("data", "tlsh"))
    assert [row[0] for row in column.collect()] == [rows["a"].tlsh, None, None]
    with pytest.raises(ValueError, match="named twice"):
        hash_objects(str(tmp_path), "sha256,sha-256", spark=spark)


def test_a_stream_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    stream = spark.readStream.schema("location string, md5 string, path string, size long").json(str(tmp_path))
    for use in (hash_objects, duplicates, lambda rows: audit(rows, rows)):
        with pytest.raises(ValueError, match="are a stream"):
            use(stream)
