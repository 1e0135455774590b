"""Objects of stores: read with conditions, counted, and an error of an object is its record."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from faulty import Asked, Bucket, Store, etag
from gateway import Gateway
from hashmill.spark import Access, Lake, Prices, buckets, core, engine, hash_objects, job, list_objects, ranges, runs, shapes
from proxy import Proxy

FOLDS = "dropbox"
"""A digest that folds, whose leaves are 4 MiB."""


def small(count: int) -> dict[str, bytes]:
    draw = random.Random(count)
    return {f"p/d{number % 7}/f{number:04}": draw.randbytes(draw.randrange(3000)) for number in range(count)}


def outcomes(rows: list[dict[str, object]], reading: core.Reading) -> list[dict[str, object]]:
    batch = pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT)
    return [row for found in core.hash_batches([batch], reading) for row in found.to_pylist()]


def reading(store: Store, *algorithms: str) -> core.Reading:
    return core.Reading(algorithms or ("md5",), access=Access(store.endpoint))


def listed(bucket: Bucket, key: str) -> dict[str, object]:
    """A row as a listing has it."""
    data = bucket.objects[key]
    return {"location": f"s3://bucket/{key}".encode(), "size": len(data), "etag": etag(data).strip('"')}


def test_listed_objects_cost_one_request_each() -> None:
    bucket = Bucket(small(300))
    with Store(bucket) as store:
        found = outcomes([listed(bucket, key) for key in bucket.objects], reading(store, "md5", "sha256"))
    assert [row["digests"] for row in found] == [
        [hashlib.md5(data).hexdigest(), hashlib.sha256(data).hexdigest()] for data in bucket.objects.values()
    ]
    assert (bucket.count("GET"), bucket.count("HEAD")) == (300, 0)
    assert all(asked.headers["if-match"] for asked in bucket.asked)


def test_what_nobody_listed_is_looked_up_first() -> None:
    bucket = Bucket(small(50))
    rows: list[dict[str, object]] = [{"location": f"s3://bucket/{key}".encode()} for key in bucket.objects]
    wrong = {**rows[0], "size": 1}
    with Store(bucket) as store:
        before = engine.counts()
        found = outcomes([*rows, wrong], reading(store))
        asked = {kind: engine.counts()[kind] - before[kind] for kind in ("head", "get")}
    assert [row["digests"] for row in found[:-1]] == [[hashlib.md5(data).hexdigest()] for data in bucket.objects.values()]
    assert (found[-1]["status"], found[-1]["reason"]) == ("changed-while-reading", "changed")
    assert asked == {"head": 51, "get": 50}
    assert all(asked.headers["if-match"] for asked in bucket.asked if asked.method == "GET")


def test_bad_rows_are_outcomes() -> None:
    bucket = Bucket(small(3))
    # Dots are a part of a key like other bytes.
    places = ["s3://bucket/gone", "s3://bucket", "s3://", "s3://elsewhere/k", "s3://bucket/p/d0/f0000", "s3://bucket/a/../b"]
    with Store(bucket) as store:
        found = outcomes([{"location": place.encode()} for place in places], reading(store))
    assert [(row["status"], row["reason"]) for row in found] == [
        ("unreadable", "ENOENT"),
        ("unreadable", "EISDIR"),
        ("unreadable", "error"),
        ("unreadable", "ENOENT"),
        ("hashed", None),
        ("unreadable", "ENOENT"),
    ]


def test_a_version_that_is_named_is_read_and_no_other() -> None:
    bucket = Bucket({"k": b"new"}, {("k", "v1"): b"old"})
    with Store(bucket) as store:
        found = outcomes([{"location": b"s3://bucket/k", "version": one} for one in ("v1", None, "v0")], reading(store))
    assert [row["digests"] for row in found] == [[hashlib.md5(b"old").hexdigest()], [hashlib.md5(b"new").hexdigest()], None]
    assert found[2]["reason"] == "ENOENT"


def test_ranges_are_read_once_under_a_condition_and_folded() -> None:
    unit = ranges.length([FOLDS], 1)
    assert unit is not None
    bucket = Bucket({"large": random.Random(1).randbytes(3 * unit + 12345)})
    row = listed(bucket, "large")
    with Store(bucket) as store:
        before = engine.counts()["received"]
        rows = [{**row, "offset": at, "length": min(unit, 3 * unit + 12345 - at)} for at in range(0, 4 * unit, unit)]
        found = outcomes(rows, reading(store, FOLDS))
        assert engine.counts()["received"] - before == len(bucket.objects["large"])
    batch = pa.RecordBatch.from_pylist(found, schema=shapes.OUTCOME)
    (record,) = next(core.record_batches([batch], shapes.Results((FOLDS,)))).to_pylist()
    data = bucket.objects["large"]
    leaves = b"".join(hashlib.sha256(data[at : at + unit]).digest() for at in range(0, len(data), unit))
    assert record[FOLDS] == hashlib.sha256(leaves).hexdigest()
    assert all(asked.headers["if-match"] == etag(data) for asked in bucket.asked)


def test_a_large_object_with_a_serial_digest_is_read_by_many_requests_at_once() -> None:
    bucket = Bucket({"large": random.Random(2).randbytes(20 << 20)})
    with Store(bucket) as store:
        (found,) = outcomes([listed(bucket, "large")], reading(store, "md5", "sha256"))
    data = bucket.objects["large"]
    assert found["digests"] == [hashlib.md5(data).hexdigest(), hashlib.sha256(data).hexdigest()]
    assert 5 <= bucket.count("GET") <= 10
    assert all("range" in asked.headers and asked.headers["if-match"] == etag(data) for asked in bucket.asked)


def test_an_object_that_changes_between_two_ranges_is_changed() -> None:
    unit = ranges.length([FOLDS], 1)
    assert unit is not None
    bucket = Bucket({"large": bytes(2 * unit)})
    row = listed(bucket, "large")

    def before(asked: Asked, number: int) -> None:
        if asked.headers.get("range", "").startswith(f"bytes={unit}-"):
            bucket.objects["large"] = b"x" * 2 * unit

    bucket.before = before
    with Store(bucket) as store:
        found = outcomes([{**row, "offset": at, "length": unit} for at in (0, unit)], reading(store, FOLDS))
    assert [one["status"] for one in found] == ["hashed", "changed-while-reading"]
    batch = pa.RecordBatch.from_pylist(found, schema=shapes.OUTCOME)
    (record,) = next(core.record_batches([batch], shapes.Results((FOLDS,)))).to_pylist()
    assert (record["status"], record["reason"], record[FOLDS]) == ("changed-while-reading", "changed", None)


def test_an_object_that_was_replaced_since_it_was_listed_is_changed() -> None:
    bucket = Bucket(small(20))
    rows = [listed(bucket, key) for key in bucket.objects]
    bucket.objects["p/d3/f0003"] = b"replaced"
    del bucket.objects["p/d4/f0004"]
    with Store(bucket) as store:
        found = outcomes(rows, reading(store))
    states = {str(row["location"]).rsplit("/", 1)[1][:5]: (row["status"], row["reason"]) for row in found}
    assert states.pop("f0003") == ("changed-while-reading", "changed")
    assert states.pop("f0004") == ("unreadable", "ENOENT")
    assert set(states.values()) == {("hashed", None)}


def test_one_refusal_in_four_costs_repetitions_and_no_object() -> None:
    bucket = Bucket(small(200), before=lambda asked, number: (503, "SlowDown") if number % 4 == 3 else None)
    with Store(bucket) as store:
        before = engine.counts()["repeated"]
        found = outcomes([listed(bucket, key) for key in bucket.objects], reading(store))
        repeated = engine.counts()["repeated"] - before
    assert {row["status"] for row in found} == {"hashed"}
    assert repeated == len(bucket.asked) - 200 > 40


def test_a_store_that_refuses_all_is_told_in_each_outcome() -> None:
    bucket = Bucket(small(20), before=lambda asked, number: (403, "AccessDenied"))
    with Store(bucket) as store:
        found = outcomes([listed(bucket, key) for key in bucket.objects], reading(store))
    assert {(row["status"], row["reason"]) for row in found} == {("unreadable", "EACCES")}


def test_a_wrong_credential_on_one_worker_is_told_and_made_good_by_another() -> None:
    bucket = Bucket(small(10))
    rows = [listed(bucket, key) for key in bucket.objects]
    text = (
        "import sys, pyarrow as pa\nfrom hashmill.spark import core, shapes\nfrom hashmill.spark.stored import Access\n"
        "batch = pa.ipc.open_stream(sys.stdin.buffer).read_next_batch()\n"
        "(found,) = core.hash_batches([batch], core.Reading(('md5',), access=Access(sys.argv[1])))\n"
        "with pa.ipc.new_stream(sys.stdout.buffer, shapes.OUTCOME) as out: out.write_batch(found)\n"
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, shapes.OBJECT) as out:
        out.write_batch(pa.RecordBatch.from_pylist(rows, schema=shapes.OBJECT))
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "another"}
    with Store(bucket) as store:
        worker = subprocess.run(
            [sys.executable, "-c", text, store.endpoint], input=sink.getvalue().to_pybytes(), env=environment, capture_output=True, check=True
        )  # fmt: skip
        bad = pa.ipc.open_stream(worker.stdout).read_all().to_pylist()
        assert {(row["status"], row["reason"]) for row in bad} == {("unreadable", "EACCES")}
        good = outcomes(rows, reading(store))
    both = sorted([*bad, *good], key=lambda row: str(row["location"]))
    (records,) = core.record_batches([pa.RecordBatch.from_pylist(both, schema=shapes.OUTCOME)], shapes.Results(("md5",)))
    assert records.column("md5").to_pylist() == [hashlib.md5(data).hexdigest() for _, data in sorted(bucket.objects.items())]


def test_a_forked_process_reaches_stores_by_threads_of_its_own() -> None:
    bucket = Bucket(small(10))
    rows = [listed(bucket, key) for key in bucket.objects]
    with Store(bucket) as store:
        wanted = outcomes(rows, reading(store))
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # it would wait for ever
            os._exit(0 if outcomes(rows, reading(store)) == wanted else 1)
        assert os.waitpid(child, 0) == (child, 0)
        assert outcomes(rows, reading(store)) == wanted


def test_a_listing_is_divided_by_folders_and_loses_nothing() -> None:
    bucket = Bucket(small(200), page=7)
    bucket.objects.update({"p/": b"", "p/top": b"1", "p/d1/": b"", "p//odd": b"2", "q/other": b"3"})
    top = b"s3://bucket/p/"
    with Store(bucket) as store:
        Access(store.endpoint).use()
        for wanted in (1, 4, 1000):
            rows, places = buckets.first_levels(top, wanted)
            below = pa.RecordBatch.from_arrays([pa.array(places, pa.binary())], ["location"])
            for batch in buckets.walk([below], top):
                rows += batch.to_pylist()
            found = {row["path"].decode(): row for row in rows}
            assert len(found) == len(rows) and sorted(found) == sorted(key[2:] or "./" for key in bucket.objects if key[0] == "p")
            marks = {path for path, row in found.items() if row["status"] == "skipped"}
            assert marks == {"./", "d1/"} and found["d1/"]["reason"] == "empty-folder"
            assert found["top"]["etag"] == hashlib.md5(b"1").hexdigest() and found["top"]["location"] == b"s3://bucket/p/top"
        with pytest.raises(OSError, match="no such bucket"):
            buckets.first_levels(b"s3://elsewhere/", 4)
        with pytest.raises(FileNotFoundError, match="what is below it has s3://bucket/p/"):
            buckets.first_levels(b"s3://bucket/p", 4)
        with pytest.raises(ValueError, match="names no bucket"):
            list_objects("s3://", access=Access(of_s3=(None, None, False)), spark=_Cores())  # type: ignore[arg-type]


class _Cores:
    """As much of a session as is needed for the error message."""

    class sparkContext:
        defaultParallelism = 2


def test_a_level_that_is_too_wide_is_left_to_one_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "MOST", 20)
    bucket = Bucket({**small(100), **{f"p/wide/{number}": b"" for number in range(30)}})
    with Store(bucket) as store:
        Access(store.endpoint).use()
        rows, places = buckets.first_levels(b"s3://bucket/", 100)
        assert rows != [] and places == [b"s3://bucket/p/wide/"]


def test_a_listing_that_breaks_off_is_a_row() -> None:
    def before(asked: Asked, number: int) -> tuple[int, str] | None:
        return (403, "AccessDenied") if "continuation-token" in asked.query else None

    bucket = Bucket(small(30), before=before, page=10)
    with Store(bucket) as store:
        Access(store.endpoint).use()
        below = pa.RecordBatch.from_pylist([{"location": b"s3://bucket/p/"}])
        rows = [row for batch in buckets.walk([below], b"s3://bucket/") for row in batch.to_pylist()]
    assert len(rows) == 11
    assert (rows[-1]["path"], rows[-1]["status"], rows[-1]["reason"]) == (b"p/", "unreadable", "EACCES")


def test_a_refusal_has_the_word_of_the_store(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bucket = Bucket(small(20))
    bucket.before = lambda asked, number: (403, "SignatureDoesNotMatch") if asked.key else None
    where, page = str(tmp_path / "lake"), tmp_path / "page"
    with Store(bucket) as store:
        words = ["hash", "--input", "s3://bucket/p/", "--output", where, "-c", "md5", "--endpoint", store.endpoint, "--report", str(page)]
        assert job.main(words) == 2
        unlisted = [{"location": f"s3://bucket/{key}".encode()} for key in bucket.objects]
        looked = outcomes(unlisted, reading(store))
    rows = Lake(where).read("records", spark).collect()
    for error in [*(row.error for row in rows), *(row["error"] for row in looked)]:
        assert "SignatureDoesNotMatch" in error and "check key, secret and account" in error
    assert {(row.status, row.reason) for row in rows} == {("unreadable", "EACCES")}
    assert "20 not hashed: " in capsys.readouterr().out and "SignatureDoesNotMatch" in page.read_text()


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with Gateway(tmp_path_factory.mktemp("gateway")) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def filled(gateway: Gateway, tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    folder = tmp_path_factory.mktemp("filled")
    for key, data in {**small(60), "p/large": random.Random(3).randbytes(9 << 20), "p/d1/ä b+c%": b"odd"}.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(data)
    gateway.fill(folder, "")
    return gateway


def test_records_are_those_of_the_command(spark: SparkSession, filled: Gateway) -> None:
    made = filled.command("hash", "-f", "jsonl", "-c", f"md5,{FOLDS}", "s3://bucket/p/")
    assert made.returncode == 0, made.stderr
    wanted = {row["path"]: row for row in map(json.loads, made.stdout.splitlines())}
    for size in (4 << 20, 256 << 20):
        frame = hash_objects("s3://bucket/p/", [FOLDS], range_size=size, access=Access(filled.endpoint), spark=spark)
        whole = hash_objects("s3://bucket/p/", ["md5"], access=Access(filled.endpoint), spark=spark)
        for row in [*frame.collect(), *whole.collect()]:
            record = {name: value for name, value in row.asDict().items() if value is not None}
            assert record == {name: wanted[row.path][name] for name in record}
        assert frame.count() == whole.count() == len(wanted) == 62


def test_a_run_over_a_store_counts_requests_and_goes_on(spark: SparkSession, filled: Gateway, tmp_path: Path) -> None:
    def place(name: str) -> str:
        return str(tmp_path / name)

    (tmp_path / "prices").write_text('{"currency": "EUR", "get": 1.0, "list": 10.0}')
    told = ["--endpoint", filled.endpoint, "--price-list", place("prices"), "--summary", place("summary"), "--report", place("page")]
    words = ["hash", "--input", "s3://bucket/p/", "--output", place("lake"), "-c", "md5", *told]
    assert job.main(words) == 0
    first = json.loads(Path(place("summary")).read_text())
    assert first["statuses"] == {"hashed": 62}
    # The large object is asked for in parts.
    assert 62 <= first["kinds"]["get"] <= 70 and first["kinds"]["list"] >= 2 and "head" not in first["kinds"]
    assert first["requests"] == sum(first["kinds"].values())
    assert first["price"] == pytest.approx((first["kinds"]["get"] + 10 * first["kinds"]["list"]) / 1000)
    assert first["received"] >= first["bytes"] > 9 << 20
    page = Path(place("page")).read_text()
    assert "All 62 objects were hashed" in page and "EUR" in page
    (tmp_path / "new").write_bytes(b"new")
    filled.put(tmp_path / "new", "p/d2/f0002")
    assert job.main(words) == 0
    second = json.loads(Path(place("summary")).read_text())
    assert (second["kinds"]["get"], second["done_before"]) == (1, 61)
    rows = {row.path: row.md5 for row in Lake(place("lake")).read("records", spark).collect()}
    assert rows["d2/f0002"] == hashlib.md5(b"new").hexdigest() and len(rows) == 62


def test_locations_in_a_frame_are_looked_up_and_absent_ones_are_records(spark: SparkSession, filled: Gateway) -> None:
    places = [("s3://bucket/p/large",), ("s3://bucket/gone",), ("s3://nobucket/x",), (None,)]
    frame = spark.createDataFrame(places, "location string")
    found = {row.path: row for row in hash_objects(frame, ["md5"], access=Access(filled.endpoint)).collect()}
    assert found["s3://bucket/p/large"].md5 == hashlib.md5(random.Random(3).randbytes(9 << 20)).hexdigest()
    assert [found[place].reason for place in ("s3://bucket/gone", "s3://nobucket/x", "")] == ["ENOENT", "ENOENT", "no-location"]


def test_what_is_wrong_is_told_at_once(spark: SparkSession, filled: Gateway, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="endpoint"):
        hash_objects("s3://bucket/", ["md5"], access=Access("ftp://h"), spark=spark)
    with pytest.raises(FileNotFoundError, match="nothing below"):
        hash_objects("s3://bucket/nothing/", ["md5"], access=Access(filled.endpoint), spark=spark)
    words = ["hash", "--input", "s3://nobucket/", "--output", str(tmp_path / "l"), "--endpoint", filled.endpoint]
    assert job.main(words) == 64
    assert "no such bucket" in capsys.readouterr().err
    (tmp_path / "prices").write_text('{"gets": 1}')
    with pytest.raises(ValueError, match="no list of prices"):
        Prices.read(str(tmp_path / "prices"))


@pytest.mark.long
def test_a_run_through_refusals_ends_with_the_same_table(spark: SparkSession, tmp_path: Path) -> None:
    bucket = Bucket(small(100))
    with Store(bucket) as store:
        quiet = hash_objects("s3://bucket/p/", ["md5"], access=Access(store.endpoint), spark=spark).orderBy("path").collect()
        bucket.before = lambda asked, number: (503, "SlowDown") if number % 4 == 0 else None
        done = runs.run_into(Lake(str(tmp_path / "lake")), "s3://bucket/p/", ["md5"], access=Access(store.endpoint), spark=spark)
    assert done.repeated > 20 and done.statuses == {"hashed": 100}
    assert Lake(str(tmp_path / "lake")).read("records", spark).orderBy("path").collect() == quiet


@pytest.mark.parametrize(
    "toxics",
    [
        {"latency": {"latency": 30, "jitter": 20}, "bandwidth": {"rate": 20_000}},
        # Each connection ends in the middle of some answer: of listings, of small objects and of the large one.
        {"limit_data": {"bytes": 700_000}},
    ],
    ids=["slow", "cut"],
)
def test_a_bad_way_to_the_store_changes_nothing(
    spark: SparkSession, filled: Gateway, toxics: dict[str, dict[str, int]], tmp_path: Path
) -> None:
    def found(endpoint: str, algorithm: str) -> list[object]:
        frame = hash_objects("s3://bucket/p/", [algorithm], range_size=4 << 20, access=Access(endpoint), spark=spark)
        return frame.orderBy("path").collect()

    with Proxy(filled.endpoint, tmp_path) as proxy:
        for kind, attributes in toxics.items():
            proxy.toxic(kind, **attributes)
        for algorithm in ("md5", FOLDS):
            assert found(proxy.endpoint, algorithm) == found(filled.endpoint, algorithm)
