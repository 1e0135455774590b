"""Joins give what a plain reading of docs/audit.md gives, whatever groups are giants."""

from __future__ import annotations

import base64
import hashlib
import random
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hashmill
from hashmill.spark import audits, duplicates, hash_objects, match_known, ranks, roots

Record = dict[str, Any]
RECORD = "path string, path_b64 string, size long, status string, md5 string, sha1 string"


def frame(spark: SparkSession, records: list[Record]) -> DataFrame:
    names = [part.split()[0] for part in RECORD.split(", ")]
    return spark.createDataFrame([tuple(record.get(name) for name in names) for record in records], RECORD)


def record(path: str, content: str, status: str = "hashed") -> Record:
    hashed = status == "hashed"
    return {"path": path, "status": status, "size": len(content) if hashed else None,
            "md5": "m" + content if hashed else None, "sha1": "s" + content if hashed else None}  # fmt: skip


def plainly(manifest: list[Record], now: list[Record]) -> list[tuple[str, str, str | None]]:
    """The rules one after another, for manifests without two records of a path."""
    known = {one["path"]: one for one in manifest if one["status"] != "skipped"}
    seen = {one["path"] for one in now if one["status"] != "skipped"}
    free, all_of = defaultdict(list), defaultdict(list)
    for path in sorted(known):
        if known[path]["status"] == "hashed":
            all_of[known[path]["md5"]].append(path)
            if path not in seen:
                free[known[path]["md5"]].append(path)
    verdicts, taken = [], set()
    for one in sorted(now, key=lambda one: one["path"]):
        path, content = one["path"], one["md5"]
        if one["status"] == "skipped":
            continue
        if one["status"] != "hashed":
            verdicts.append(("unreadable", path, path if path in known else None))
        elif path in known:
            theirs = known[path]["md5"]
            category = "unsupported" if theirs is None else "matched" if theirs == content else "changed"
            verdicts.append((category, path, path))
        elif free[content]:
            taken.add(free[content][0])
            verdicts.append(("moved", path, free[content].pop(0)))
        elif all_of[content]:
            verdicts.append(("copied", path, all_of[content][0]))
        else:
            verdicts.append(("new", path, None))
    verdicts += [("missing", path, path) for path in known if path not in seen and path not in taken]
    return sorted(verdicts, key=str)


def many(seed: int) -> tuple[list[Record], list[Record]]:
    """A tree and its later state. A third of the files have the same content."""
    rng = random.Random(seed)
    content = lambda: "" if rng.random() < 0.33 else f"c{rng.randrange(60)}"  # noqa: E731
    status = lambda: rng.choices(["hashed", "unreadable", "skipped"], [20, 1, 1])[0]  # noqa: E731
    manifest = [record(f"k{place:03}", content(), status()) for place in range(150)]
    now = []
    for one in manifest:
        kind = rng.randrange(6)
        if kind < 3:
            now.append(record(one["path"], one["md5"][1:] if one["md5"] else "x", status()))
        elif kind == 3:
            now.append(record(one["path"], content()))
    now += [record(f"n{place:03}", content(), status()) for place in range(100)]
    rng.shuffle(now)
    return manifest, now


@pytest.mark.parametrize("giant", [pytest.param(5, marks=pytest.mark.long), 1000])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_category_is_as_the_rules_say(spark: SparkSession, seed: int, giant: int) -> None:
    manifest, now = many(seed)
    verdicts = audits.audit(frame(spark, manifest), frame(spark, now), giant=giant)
    found = sorted(((row.category, row.path, row.known_path) for row in verdicts.collect()), key=str)
    assert found == plainly(manifest, now)
    counted = audits.counts(verdicts)
    assert sum(counted.values()) == len(found)
    assert set(counted) == set(audits.CATEGORIES)
    assert all(counted[name] for name in ("matched", "changed", "moved", "copied", "new", "missing", "unreadable"))


def test_records_that_contradict_each_other_match_nothing(spark: SparkSession) -> None:
    manifest = [record("a", "one"), record("a", "two"), record("b", "one")]
    now = [record("a", "one"), record("c", "two")]
    found = {row.path: row.category for row in audits.audit(frame(spark, manifest), frame(spark, now)).collect()}
    assert found == {"a": "changed", "c": "new", "b": "missing"}


def test_digests_in_capitals_and_one_digest_of_two_are_enough(spark: SparkSession) -> None:
    manifest = [{**record("a", "x"), "md5": "MX", "sha1": None}, {**record("b", "x"), "sha1": "sy"}]
    now = [record("a", "x"), record("b", "x")]
    found = {row.path: row.category for row in audits.audit(frame(spark, manifest), frame(spark, now)).collect()}
    assert found == {"a": "matched", "b": "changed"}


def test_names_that_are_not_text_are_told_apart(spark: SparkSession) -> None:
    encoded = [base64.b64encode(name).decode() for name in (b"a\xff", b"a\xfe")]
    manifest = [{**record("a\ufffd", "x"), "path_b64": encoded[0]}]
    now = [{**record("a\ufffd", "x"), "path_b64": one} for one in encoded]
    found = audits.audit(frame(spark, manifest), frame(spark, now)).collect()
    assert sorted((row.category, row.path, row.path_b64, row.known_path_b64) for row in found) == [
        ("copied", "a\ufffd", encoded[1], encoded[0]),
        ("matched", "a\ufffd", encoded[0], encoded[0]),
    ]


@pytest.mark.parametrize(
    "start", ["", "tree/", *(pytest.param(start, marks=pytest.mark.long) for start in ("./", "/mnt/old/tree/", "C:/old/"))]
)
def test_a_manifest_of_another_place_has_nothing_that_moved(spark: SparkSession, start: str) -> None:
    names = [f"d{number % 3}/f{number}" for number in range(20)]
    manifest = [record(start + name, name) for name in [*names, "gone"]]
    now = [record(name, name) for name in [*names[1:], "new"]] + [record(names[0], "changed")]
    found = audits.audit(frame(spark, manifest), frame(spark, now)).collect()
    assert {row.category for row in found if row.path in names[1:]} == {"matched"}
    others = {(row.category, row.path, row.known_path) for row in found if row.category != "matched"}
    assert others == {("changed", names[0], start + names[0]), ("new", "new", None), ("missing", start + "gone", start + "gone")}


def test_a_manifest_of_the_command_audits_without_moves(spark: SparkSession, tree: Path, command: Path, tmp_path: Path) -> None:
    def manifest(*words: str, inside: Path) -> DataFrame:
        place = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        subprocess.run([command, "hash", "-f", "jsonl", "-c", "md5", "-o", place, *words], cwd=inside, check=True)
        return spark.read.json(str(place))

    now = hash_objects(str(tree), "md5", spark=spark)
    for known in (manifest(tree.name, inside=tree.parent), manifest(".", inside=tree), manifest(str(tree), inside=tmp_path)):
        counted = audits.counts(audits.audit(known, now))
        assert (counted["matched"], sum(counted.values())) == (42, 42)


@pytest.mark.parametrize("same", [0, 1, 2, 3])
def test_most_votes_decide_and_paths_as_they_are_come_first(same: int) -> None:
    known = [b"t/a", b"t/b", b"u/a", b"x/c/d"]
    sample = [b"t/a", b"t/b", b"u/a"][:same] + [b"y/c/d"] + ([b"z/e"] if same < 2 else [])
    assert roots.vote(sample, known) == ((b"x/", b"y/") if same == 0 else (b"", b""))
    assert roots.vote([], known) == roots.vote(sample, []) == (b"", b"")


def test_without_a_digest_in_common_it_says_so(spark: SparkSession) -> None:
    manifest = frame(spark, [record("a", "x")])
    with pytest.raises(ValueError, match="md5 here, sha1 there"):
        audits.audit(manifest.drop("sha1"), manifest.drop("md5"))
    with pytest.raises(ValueError, match="no column 'path'"):
        audits.audit(manifest.drop("path"), manifest)
    with pytest.raises(ValueError, match="no digest blake3"):
        audits.audit(manifest, manifest, algorithms=["blake3"])


@pytest.mark.parametrize("giant", [3, 50, 10_000])
def test_ranks_count_through_giants(spark: SparkSession, giant: int) -> None:
    rng = random.Random(giant)
    rows = [(rng.choice(["", "", "a", "b"]), f"{rng.random():.12f}".encode()) for _ in range(3000)] + [(None, b"x")]
    found = ranks.ranked(spark.createDataFrame(rows, "content string, path binary"), "content", "path", giant=giant)
    groups: dict[str, list[tuple[bytes, int]]] = defaultdict(list)
    for row in found.where("content is not null").collect():
        groups[row.content].append((bytes(row.path), row["rank"]))
    for group, ranked in groups.items():
        paths = sorted(path for content, path in rows if content == group)
        assert sorted(ranked) == [(path, place) for place, path in enumerate(paths, 1)]


@pytest.mark.parametrize("giant", [2, 1000])
def test_duplicates_are_all_of_a_content_and_size(spark: SparkSession, giant: int) -> None:
    files = [("a", "x"), ("b", "x"), ("c", "x"), ("d", "yy"), ("e", "yy"), ("f", "z"), ("g", ""), ("h", "")]
    records = [record(*file) for file in files] + [record("i", "x", "unreadable")]
    found = duplicates(frame(spark, records), "md5", giant=giant).orderBy(F.desc("wasted"), "md5", "path")
    assert [(row.path, row.copies, row.wasted) for row in found.collect()] == [
        ("a", 3, 2), ("b", 3, 2), ("c", 3, 2), ("d", 2, 2), ("e", 2, 2)]  # fmt: skip
    assert duplicates(frame(spark, records), min_size=0).count() == 7
    with pytest.raises(ValueError, match="blake3"):
        duplicates(frame(spark, records), "blake3")


@pytest.mark.parametrize("large", [False, True])
def test_known_sets_classify_every_record_once(spark: SparkSession, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr("hashmill.spark.known.BROADCAST", 1)
    sets = [("MX", "good", "os"), ("mx", "bad", "list"), ("my", "known", "nsrl"), ("my", "ours", None), ("m", "good", "empty")]
    known = spark.createDataFrame(sets, "digest string, category string, `set` string")
    files = [record("a", "x"), record("b", "y"), record("c", "z"), record("d", "", "unreadable")]
    files += [record(f"e{place}", "") for place in range(20)]
    found = match_known(frame(spark, files), known, giant=5).collect()
    assert len(found) == len(files)
    said = {row.path: (row.category, row.set) for row in found}
    assert [said[path] for path in "abcd"] == [("bad", "list"), ("ours", None), ("unknown", None), (None, None)]
    assert said["e7"] == ("good", "empty")
    with pytest.raises(ValueError, match="'category'"):
        match_known(frame(spark, files), known.drop("category"))


@pytest.mark.parametrize("shared", [False, True])
def test_an_index_classifies_as_its_own_calls_do(spark: SparkSession, tmp_path: Path, shared: bool) -> None:
    import hashmill.known

    contents = [b"evil", b"fine", b"other"]
    lists = {}
    for category, data in zip(("bad", "good"), contents, strict=False):
        lists[category] = tmp_path / f"{category}.md5"
        lists[category].write_text(f"{hashlib.md5(data).hexdigest()}  {category}\n")
    index = tmp_path / "set.hmk"
    hashmill.known.build(index, lists)
    digests = [*(hashlib.md5(data).hexdigest().upper() for data in contents), None, "no digest"]
    rows = [{**record(f"f{place}", "x"), "md5": digest} for place, digest in enumerate(digests)]
    found = match_known(frame(spark, rows), index, "md5", shared=shared).orderBy("path").collect()
    asked = hashmill.known.Sets(index).query([digest for digest in digests[:3] if digest])
    assert [(row.category, row.set) for row in found[:2]] == [(one["category"], one["set"]) for one in asked[:2] if one]
    assert [row.category for row in found] == ["bad", "good", "unknown", None, "unknown"]
    # Another index of the same name in the same session.
    (tmp_path / "later").mkdir()
    hashmill.known.build(tmp_path / "later" / "set.hmk", {"bad": lists["good"]})
    later = match_known(frame(spark, rows), tmp_path / "later" / "set.hmk", "md5", shared=shared).orderBy("path").collect()
    assert [row.category for row in later] == ["unknown", "bad", "unknown", None, "unknown"]
    with pytest.raises(ValueError, match="no digests by sha1"):
        match_known(frame(spark, rows), str(index), "sha1", shared=shared)
    with pytest.raises(FileNotFoundError):
        match_known(frame(spark, rows), str(tmp_path / "gone.hmk"))
    with pytest.raises(hashmill.Error):
        match_known(frame(spark, rows), str(lists["bad"]))


def test_only_columns_named_like_algorithms_are_digests(spark: SparkSession) -> None:
    shape = "path string, size long, status string, md5 string, owner string, day string"
    known = spark.createDataFrame([("a", 1, "hashed", "x", "me", "1"), ("b", 1, "hashed", None, "me", "1")], shape)
    now = spark.createDataFrame([("a", 1, "hashed", "x", "me", "2"), ("b", 1, "hashed", None, "me", "1")], shape)
    found = {row.path: row.category for row in audits.audit(known, now).collect()}
    assert found == {"a": "matched", "b": "unsupported"}
    assert duplicates(now).collect() == []


def test_records_without_a_path_are_told(spark: SparkSession) -> None:
    nowhere = {**record("", "x"), "path": None}
    found = audits.audit(frame(spark, [record("a", "x"), nowhere]), frame(spark, [record("a", "x"), nowhere, nowhere]))
    rows = [(row.category, row.path) for row in found.collect()]
    assert sorted(rows, key=str) == [("matched", "a"), *[("unsupported", None)] * 3]


def test_wrong_types_are_refused_before_anything_runs(spark: SparkSession) -> None:
    good = frame(spark, [record("a", "x")])
    for name, kind in (("size", "string"), ("md5", "binary"), ("path", "binary"), ("status", "int")):
        bad = good.withColumn(name, F.lit(None).cast(kind))
        with pytest.raises(ValueError, match=f"column '{name}' is of type {kind}"):
            audits.audit(good, bad)
    with pytest.raises(ValueError, match="column 'md5' is of type binary"):
        duplicates(good.withColumn("md5", F.lit(b"x")))
    objects = spark.createDataFrame([("x", 1)], "location string, size long").withColumn("modified", F.current_timestamp())
    with pytest.raises(ValueError, match="column 'modified' is of type timestamp"):
        hash_objects(objects)


def test_each_row_has_a_record(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 3_000_000)
    rows = [(str(tmp_path / "a"), name) for name in ("one", "two", "one")]
    objects = spark.createDataFrame(rows, "location string, path string")
    for options in ({}, {"range_size": 1 << 20}):
        found = hash_objects(objects, "blake3", **options).collect()
        assert sorted(row.path for row in found) == ["one", "one", "two"]
        assert {row.blake3 for row in found} == {hashmill.blake3(b"x" * 3_000_000).hexdigest()}
