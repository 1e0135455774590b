"""Object stores: how they are reached, whole objects, and comparisons by their evidence."""

from __future__ import annotations

import asyncio
import hashlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hashmill
import hashmill.aio
import pyarrow as pa
import pytest
from faulty import KEY, SECRET, Asked, Bucket, Store

OBJECTS = {"a": b"alpha", "d/b": b"beta" * 1000, "d/c": b"", "d/large": bytes(range(256)) * 40_000}


@pytest.fixture
def bucket() -> Bucket:
    return Bucket({f"photos/{name}": data for name, data in OBJECTS.items()})


@pytest.fixture
def endpoint(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A store that only its endpoint leads to, as the environment names none."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "HASHMILL_"))]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with Store(bucket) as store:
        yield store.endpoint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same files in a folder."""
    place = tmp_path / "photos"
    for name, data in OBJECTS.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    return place


def test_objects_are_hashed(endpoint: str, bucket: Bucket) -> None:
    way: Any = {"endpoint": endpoint, "region": "eu-south-9"}
    records = hashmill.hash("s3://bucket/photos/", "sha256", **way)
    assert {record.path: record["sha256"] for record in records} == {
        name: hashlib.sha256(data).hexdigest() for name, data in OBJECTS.items()
    }
    for name, data in OBJECTS.items():
        wanted = {"md5": hashlib.md5(data).hexdigest(), "sha256": hashlib.sha256(data).hexdigest()}
        assert hashmill.file_digest(f"s3://bucket/photos/{name}", "md5,sha256", **way) == wanted
    assert all("/eu-south-9/s3/" in asked.headers["authorization"] for asked in bucket.asked)
    assert asyncio.run(hashmill.aio.file_digest("s3://bucket/photos/a", "md5", **way)) == {"md5": hashlib.md5(b"alpha").hexdigest()}
    assert len(list(hashmill.hash("s3://bucket/photos/", memory="4M", requests=1, **way))) == len(OBJECTS)


def test_what_is_no_object_is_an_error_of_files(endpoint: str, bucket: Bucket) -> None:
    way: Any = {"endpoint": endpoint}
    with pytest.raises(FileNotFoundError) as caught:
        hashmill.file_digest("s3://bucket/photos/missing", **way)
    assert "missing" in str(caught.value)
    for place in ("s3://bucket/photos/", "s3://bucket"):
        with pytest.raises(IsADirectoryError):
            hashmill.file_digest(place, **way)
    with pytest.raises(ValueError, match="s3:///"):
        hashmill.file_digest("s3:///", **way)
    bucket.before = lambda asked, number: (403, "AccessDenied")
    with pytest.raises(PermissionError):
        hashmill.file_digest("s3://bucket/photos/a", **way)
    for wrong in ("here", "http://me:secret@127.0.0.1"):
        with pytest.raises(ValueError) as refused:
            hashmill.file_digest("s3://bucket/photos/a", endpoint=wrong)
        assert "secret" not in str(refused.value)
    with pytest.raises(ValueError, match="requests"):
        hashmill.file_digest("s3://bucket/photos/a", endpoint=endpoint, requests=0)
    with pytest.raises(ValueError, match="region"):
        hashmill.file_digest("s3://bucket/photos/a", endpoint=endpoint, region="eu/1")


def test_files_of_this_machine_may_be_locations(folder: Path) -> None:
    assert hashmill.file_digest(f"file://{folder}/a", "md5") == {"md5": hashlib.md5(b"alpha").hexdigest()}


def test_credentials_may_be_arguments(endpoint: str, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    # Those of the environment that say who asks don't count beside them.
    for name, value in {"AWS_ACCESS_KEY_ID": "other", "AWS_SECRET_ACCESS_KEY": "other", "AWS_SESSION_TOKEN": "old"}.items():
        monkeypatch.setenv(name, value)
    given = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    wanted = {"md5": hashlib.md5(b"alpha").hexdigest()}
    assert hashmill.file_digest("s3://bucket/photos/a", "md5", endpoint=endpoint, credentials=given) == wanted
    assert len(list(hashmill.hash("s3://bucket/photos/", endpoint=endpoint, credentials=given))) == len(OBJECTS)
    assert all("x-amz-security-token" not in asked.headers for asked in bucket.asked)
    with pytest.raises(ValueError, match="anonymous"):
        hashmill.hash("s3://bucket/photos/", endpoint=endpoint, credentials=given, anonymous=True)
    with pytest.raises(ValueError, match="write s3://BUCKET/KEY"):
        hashmill.hash("s3a://bucket/photos/", endpoint=endpoint)


def test_the_way_ends_with_the_call(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hashmill.file_digest("s3://bucket/photos/a", "md5", endpoint=endpoint)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(OSError):
        hashmill.file_digest("s3://bucket/photos/a", "md5")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    assert hashmill.file_digest("s3://bucket/photos/a", "md5")


def test_stores_are_asked_without_credentials(endpoint: str, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    bucket.key = ""
    way: Any = {"endpoint": endpoint, "anonymous": True}
    assert hashmill.file_digest("s3://bucket/photos/a", "md5", **way) == {"md5": hashlib.md5(b"alpha").hexdigest()}
    assert bucket.asked and all("authorization" not in asked.headers for asked in bucket.asked)


REMOTE = '''
import hashmill, sys
place = sys.argv[1]
records = list(hashmill.hash(f"{place}photos/", "md5"))
assert [record.path for record in records] == ["a", "d/b", "d/c", "d/large"], records
assert hashmill.file_digest(f"{place}photos/a", "md5") == {"md5": "2c1743a391305fbf367df8e4f069f9f9"}
assert hashmill.diff(f"{place}photos/", f"{place}photos/", download=True).ok
try:
    hashmill.file_digest(f"{place}photos/none", "md5")
except FileNotFoundError as error:
    assert "no object" in str(error), error
else:
    raise SystemExit("nothing was raised")
[mistyped] = hashmill.hash("lub:bucket/a", "md5")
assert mistyped.status == "unreadable", mistyped
'''


def test_a_remote_of_the_settings_is_a_location(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "config.toml"
    keys = f'access-key-id = "{KEY}"\nsecret-access-key = "{SECRET}"\n'
    settings.write_text(f'[remotes.lab]\ntype = "s3"\nendpoint = "{endpoint}"\n{keys}')
    settings.chmod(0o600)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HASHMILL_CONFIG", str(settings))
    monkeypatch.setenv("RCLONE_CONFIG", "")
    # Settings are read once in a process.
    line = [sys.executable, "-c", REMOTE, "lab:bucket/"]
    ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    # What others can read is not used.
    settings.chmod(0o644)
    ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "others can read the file" in ran.stderr
    assert SECRET not in ran.stderr


def test_two_ways_at_a_time_have_stores_of_their_own(endpoint: str, bucket: Bucket) -> None:
    """The same location is another object by another endpoint, while the first call still reads."""
    begun, release = threading.Event(), threading.Event()

    def wait(asked: Asked, number: int) -> None:
        if asked.method == "GET" and asked.key == "photos/d/large":
            begun.set()
            release.wait(60)

    bucket.before = wait
    found: list[hashmill.Record] = []
    records = hashmill.hash("s3://bucket/photos/", "md5", endpoint=endpoint)
    reader = threading.Thread(target=lambda: found.extend(records))
    reader.start()
    with Store(Bucket({"photos/a": b"another alpha"})) as other:
        try:
            assert begun.wait(60)
            assert hashmill.file_digest("s3://bucket/photos/a", "md5", endpoint=other.endpoint) == {
                "md5": hashlib.md5(b"another alpha").hexdigest()
            }
            others = list(hashmill.hash("s3://bucket/photos/", "md5", endpoint=other.endpoint))
            assert [record["md5"] for record in others] == [hashlib.md5(b"another alpha").hexdigest()]
        finally:
            release.set()
            reader.join()
    assert {record.path: record["md5"] for record in found} == {
        name: hashlib.md5(data).hexdigest() for name, data in OBJECTS.items()
    }
    # A call that was only prepared keeps its own way, too.
    prepared = hashmill.hash("s3://bucket/photos/", "md5", endpoint=endpoint)
    with pytest.raises(OSError):
        hashmill.file_digest("s3://bucket/photos/a", endpoint="http://127.0.0.1:9")
    assert len(list(prepared)) == len(OBJECTS)


def test_a_store_is_compared_by_what_it_says(endpoint: str, bucket: Bucket, folder: Path, tmp_path: Path) -> None:
    way: Any = {"endpoint": endpoint}
    manifest = tmp_path / "m.jsonl"
    list(hashmill.hash(folder, "md5", output=manifest))
    for audit in (
        hashmill.audit(paths="s3://bucket/photos/", against=folder, **way),
        hashmill.audit(None, "s3://bucket/photos/", against=str(manifest), **way),
        hashmill.audit(manifest, "s3://bucket/photos/", min_strength="content", **way),
        hashmill.audit(paths=folder, against="s3://bucket/photos/", **way),
    ):
        assert audit.ok and audit.counts["matched"] == len(OBJECTS), audit.problems
        assert {entry.strength for entry in audit} == {"content"} and audit.strengths == {"content": len(OBJECTS)}
    assert bucket.count("GET") == 0
    audit = hashmill.audit(paths="s3://bucket/photos/", against=folder, **way)
    assert audit.run["operands"] == ["s3://bucket/photos/"] and audit.run["against"] == str(folder)
    bucket.objects["photos/a"] = b"other"
    audit = hashmill.audit(paths="s3://bucket/photos/", against=folder, **way)
    diff = hashmill.diff(folder, "s3://bucket/photos/", **way)
    for compared in (audit, diff):
        assert not compared.ok
        assert [(entry.category, entry.path) for entry in compared.differences()] == [("unproven", "a")]
    rows = pa.table(pickle.loads(pickle.dumps(audit))).to_pylist()
    assert [row["strength"] for row in rows if row["category"] == "matched"] == ["content"] * (len(OBJECTS) - 1)
    assert bucket.count("GET") == 0


def test_objects_of_which_too_little_is_known_are_read_where_that_is_asked_for(
    endpoint: str, bucket: Bucket, folder: Path, tmp_path: Path
) -> None:
    way: Any = {"endpoint": endpoint}
    manifest = tmp_path / "m.jsonl"
    list(hashmill.hash(folder, "blake3", output=manifest))
    audit = hashmill.audit(manifest, "s3://bucket/photos/", min_strength="crc", **way)
    assert not audit.ok and audit.counts["unproven"] == len(OBJECTS) and bucket.count("GET") == 0
    assert {entry.strength for entry in audit} <= {"size", "none"} and len(audit.problems) < len(OBJECTS)
    assert "--download reads these objects" in audit.problems[-1], audit.problems
    audit = hashmill.audit(manifest, "s3://bucket/photos/", min_strength="crc", download=True, **way)
    assert audit.ok and audit.counts["matched"] == len(OBJECTS) and bucket.count("GET") > 0
    assert hashmill.audit(manifest, "s3://bucket/photos/", min_strength="size", **way).ok
    read = hashmill.audit(manifest, "s3://bucket/photos/", **way)
    assert read.counts["matched"] == len(OBJECTS) or read.counts["moved"] == len(OBJECTS)


def test_comparisons_with_stores_that_can_not_be(endpoint: str, folder: Path, tmp_path: Path) -> None:
    call: Any = hashmill.audit
    place = "s3://bucket/photos/"
    cases: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ((), {}, TypeError, "manifest"),
        (("m",), {"against": "f"}, TypeError, "manifest"),
        ((), {"against": folder}, ValueError, "one path"),
        ((None, [place, place]), {"against": folder}, ValueError, "one path"),
        ((None, folder), {"against": folder}, ValueError, "neither side"),
        ((None, place), {"against": folder, "include": "*"}, ValueError, "include"),
        ((None, place), {"against": folder, "known": "set"}, ValueError, "known"),
        ((None, place), {"against": folder, "update": "next"}, ValueError, "update"),
        (("m", place), {"download": True}, ValueError, "download"),
        ((None, place), {"against": folder, "min_strength": "none"}, ValueError, "min_strength"),
        ((None, place), {"against": folder, "min_strength": "great"}, ValueError, "min_strength"),
        ((None, place), {"against": folder, "min_strength": 5}, TypeError, "min_strength"),
        ((None, place), {"against": tmp_path / "missing"}, FileNotFoundError, "missing"),
    ]
    for arguments, options, kind, match in cases:
        with pytest.raises(kind, match=match):
            call(*arguments, endpoint=endpoint, **options)
    diff: Any = hashmill.diff
    with pytest.raises(ValueError, match="algorithms"):
        diff(folder, place, endpoint=endpoint, algorithms="md5")
    with pytest.raises(ValueError, match="include"):
        diff(folder, place, endpoint=endpoint, include="*")
    with pytest.raises(OSError):
        diff(folder, "s3://another/", endpoint=endpoint)


def test_other_calls_reach_stores(endpoint: str, bucket: Bucket, folder: Path, tmp_path: Path) -> None:
    lines = [f"{hashlib.md5(data).hexdigest()}  {name}\n" for name, data in OBJECTS.items()]
    bucket.objects["MD5SUMS"] = "".join(lines).encode()
    assert hashmill.check("s3://bucket/MD5SUMS", base=folder, endpoint=endpoint).ok
    assert hashmill.convert("s3://bucket/MD5SUMS", tmp_path / "m.jsonl", endpoint=endpoint).ok
    assert (tmp_path / "m.jsonl").read_text().count("\n") == len(OBJECTS)
    bucket.objects["photos/copy"] = OBJECTS["d/b"]
    found = hashmill.dupes("s3://bucket/photos/", endpoint=endpoint)
    assert [sorted(group.paths) for group in found] == [["copy", "d/b"]], found.problems
