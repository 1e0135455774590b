"""Records of trees: iterated, and as Arrow streams."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

import duckdb
import hashmill
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def expected(tree: Path, name: str) -> list[tuple[str, str]]:
    files = sorted((os.fsencode(path), path) for path in tree.rglob("*") if path.is_file())
    return [(os.fsdecode(key), hashlib.new(name, path.read_bytes()).hexdigest()) for key, path in files]


def test_records_come_in_path_order(tree: Path) -> None:
    records = list(hashmill.hash(tree, "sha256,md5"))
    assert [(each.path, each["sha256"]) for each in records] == expected(tree, "sha256")
    assert [each.digests["md5"] for each in records] == [digest for _, digest in expected(tree, "md5")]
    assert all(each.ok and each.status == "hashed" and each.error is None for each in records)
    assert [each.size for each in records] == [os.stat(each).st_size for each in records]
    assert [each.mtime_ns for each in records] == [os.stat(each).st_mtime_ns for each in records]


@pytest.mark.parametrize("threads", [1, 4])
def test_any_number_of_threads_gives_the_same(tree: Path, threads: int) -> None:
    assert list(hashmill.hash(tree, threads=threads, memory="64M")) == list(hashmill.hash(tree))


def test_digests_of_unchanged_files_are_reused(tree: Path, tmp_path: Path) -> None:
    time.sleep(2.1)
    old = tmp_path / "old.jsonl"
    first = list(hashmill.hash(tree, "md5", metadata=True, output=old))
    for each in first:
        seen = os.stat(each)
        assert (each.ctime_ns, each.inode, each.device) == (seen.st_ctime_ns, seen.st_ino, seen.st_dev)
        assert each.read_ns and each.read_ns > seen.st_ctime_ns and not each.reused
    run = hashmill.hash(tree, "md5", reuse=old)
    again = list(run)
    assert all(each.reused for each in again)
    assert run.summary and run.summary["reused"] == len(first)
    assert [(each.path, each["md5"], each.read_ns) for each in again] == [
        (each.path, each["md5"], each.read_ns) for each in first
    ]
    table = pa.table(hashmill.hash(tree, "md5", reuse=old))
    assert table["reused"].to_pylist() == [True] * len(first)
    assert table["inode"].to_pylist() == [each.inode for each in first]
    assert "inode" not in pa.table(hashmill.hash(tree, "md5")).column_names
    with pytest.raises(ValueError, match="similarity digests are not reused"):
        hashmill.hash(tree, "ssdeep", reuse=old)
    list(hashmill.hash(tree, "md5", output=tmp_path / "plain.jsonl"))
    with pytest.raises(hashmill.Error, match="nothing in it shows whether files changed"):
        list(hashmill.hash(tree, "md5", reuse=tmp_path / "plain.jsonl"))


def test_paths_of_any_kind(tree: Path) -> None:
    kinds = [str(tree), os.fsencode(tree), tree, [tree], iter([str(tree)])]
    runs = [[each["blake3"] for each in hashmill.hash(kind)] for kind in kinds]  # type: ignore[arg-type]
    assert all(run == runs[0] for run in runs)


def test_names_that_are_no_text_come_back(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/a\xff\xfeb"
    with open(name, "wb") as file:
        file.write(b"abc")
    (record,) = hashmill.hash(tmp_path, "md5")
    assert record.path_bytes == name
    assert os.fsencode(record.path) == name
    assert open(record, "rb").read() == b"abc"
    assert record.as_dict()["path_b64"]
    assert list(hashmill.hash(record.path, "md5"))[0] == record
    table = pa.table(hashmill.hash(tmp_path, "md5"))
    assert table["path_b64"][0].as_py() == record.as_dict()["path_b64"]


def test_what_can_not_be_read_is_a_record(tree: Path) -> None:
    os.mkfifo(tree / "fifo")
    missing = tree / "missing"
    records = {each.path: each for each in hashmill.hash([tree, missing], "md5")}
    fifo, absent = records[str(tree / "fifo")], records[str(missing)]
    assert (fifo.status, fifo.reason, fifo.digests) == ("skipped", "fifo", {})
    assert (absent.status, absent.reason, absent.ok) == ("unreadable", "ENOENT", False)
    assert "cannot look it up" in str(absent.error)
    with pytest.raises(FileNotFoundError) as raised:
        list(hashmill.hash([tree, missing], raise_on_error=True))
    assert raised.value.filename == str(missing)


def test_records_are_values(tree: Path) -> None:
    records = list(hashmill.hash([tree, "/nowhere"], "sha256,crc32", piecewise=4096))
    for record in records:
        again = pickle.loads(pickle.dumps(record))
        assert (again, again.error, hash(again)) == (record, record.error, hash(record))
        assert record.as_dict()["status"] == record.status == record["status"]
    with pytest.raises(KeyError):
        records[0]["nothing"]


def test_records_are_mappings(tree: Path) -> None:
    records = list(hashmill.hash(tree, "sha256"))
    record = records[0]
    assert isinstance(record, Mapping) and dict(record) == {**record} == record.as_dict()
    assert list(record) == list(record.keys()) and len(record) == len(list(record.items())) == len(list(record.values()))
    assert "sha256" in record and "SHA-256" in record and "nothing" not in record
    assert record.get("size") == record.size and record.get("nothing", 7) == 7 and record.get("nothing") is None
    for frame in (pd.DataFrame(records), pd.DataFrame(hashmill.hash(tree, "sha256"))):
        assert list(frame["sha256"]) == [each["sha256"] for each in records]
        assert list(frame["path"]) == [each["path"] for each in records]


def test_the_summary_comes_at_the_end(tree: Path) -> None:
    records = hashmill.hash(tree)
    next(records)
    assert records.summary is None
    count = 1 + sum(1 for _ in records)
    summary = records.summary
    assert summary is not None and summary["seen"] == summary["hashed"] == count == 40
    assert summary["complete"]
    with pytest.raises(ValueError, match="were taken"):
        list(records)


def test_options_are_the_commands(tree: Path, tmp_path: Path) -> None:
    def names(**options: object) -> list[str]:
        return [os.path.basename(each.path) for each in hashmill.hash(tree, **options)]  # type: ignore[arg-type]

    assert names(include="f1*") == [name for name in names() if name.startswith("f1")]
    assert "f1" not in names(exclude=["d1/"])
    assert set(names(min_size="64K")) == {f"f{number}" for number in range(40) if number % 7 == 6}
    assert names(max_depth=1) == []
    (tree / ".gitignore").write_text("f2\n")
    assert "f2" not in [name for name, each in zip(names(gitignore=True), hashmill.hash(tree, gitignore=True)) if each.ok]
    listed = tmp_path / "list"
    listed.write_bytes(os.fsencode(tree / "d0" / "f0") + b"\0")
    assert len(list(hashmill.hash(files_from=listed, null=True))) == 1
    assert names(newer="2999-01-01") == names(older="1990-01-01") == []
    assert names(older="2999-01-01") == names(newer="1990-01-01", older=4e9) == names()
    past, future = datetime.datetime(1990, 1, 1), datetime.datetime(2999, 1, 1, tzinfo=datetime.timezone.utc)
    assert names(newer=past, older=future) == names() and names(older=past) == names(newer=future) == []
    assert names(include="F1*") == [] and names(include="F1*", ignore_case=True) == names(include="f1*")
    (tmp_path / "patterns").write_text("F1*\n")
    left = [os.path.basename(each.path) for each in hashmill.hash(tree, exclude_from=tmp_path / "patterns", ignore_case=True) if each.ok]
    assert left == [name for name in names() if not name.startswith("f1")]


def test_wrong_options_are_told_at_once(tree: Path) -> None:
    for message, options in {
        "did you mean 'sha256'": {"algorithms": "sha265"},
        "order is": {"order": "size"},
        "too few": {"memory": "1K"},
        "no size|size": {"min_size": "many"},
        "io is": {"io": "fast"},
        "threads": {"threads": 0},
        "output": {"resume": True},
        "no format": {"output": tree / "out", "format": "nothing"},
        "newer": {"newer": "yesterday"},
    }.items():
        with pytest.raises(ValueError, match=message):
            hashmill.hash(tree, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword"):
        hashmill.hash(tree, minsize=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="null byte"):
        hashmill.hash("a\0b")
    (tree / "words").write_text("no manifest\n")
    list(hashmill.hash(tree / "d0", "sha256", output=tree / "SHA256SUMS"))
    for name in ("words", "SHA256SUMS"):
        with pytest.raises(hashmill.Error, match=name):
            hashmill.hash(tree, "sha256", reuse=tree / name)
    with pytest.raises(FileNotFoundError):
        list(hashmill.hash(files_from=tree / "no-list"))


def test_a_manifest_is_written_beside(tree: Path, tmp_path: Path) -> None:
    # More records than may wait for whoever takes them: with the first one alone the end can't be reached.
    for number in range(6000):
        (tree / f"d0/more{number}").touch()
    manifest = tmp_path / "m.jsonl"
    records = hashmill.hash(tree, "sha256", output=manifest)
    first = next(records)
    assert not manifest.exists()
    count = 1 + len(list(records))
    lines = manifest.read_text().splitlines()
    assert len(lines) == count and first["sha256"] in lines[0]
    assert hashmill.audit(manifest, tree).ok


def test_arrow_streams_go_to_every_library(tree: Path) -> None:
    reference = expected(tree, "sha256")
    columns = pa.table(hashmill.hash(tree, "sha256"))
    assert list(zip(columns["path"].to_pylist(), columns["sha256"].to_pylist())) == reference
    assert columns.schema.field("mtime").type == pa.timestamp("ns", "UTC")
    frame = pl.from_arrow(pa.table(hashmill.hash(tree, "sha256")))
    assert isinstance(frame, pl.DataFrame)
    assert frame["sha256"].to_list() == columns["sha256"].to_pylist()
    direct = pl.DataFrame(hashmill.hash(tree, "sha256"))
    assert direct["path"].to_list() == columns["path"].to_pylist()
    pandas = pa.table(hashmill.hash(tree, "sha256")).to_pandas()
    assert isinstance(pandas, pd.DataFrame) and list(pandas["size"]) == columns["size"].to_pylist()
    records = hashmill.hash(tree, "sha256")
    found = duckdb.sql("select path, sha256 from records")
    assert found is not None
    rows = found.fetchall()
    assert rows == reference


def test_a_stream_may_be_taken_up_midway(tree: Path) -> None:
    records = hashmill.hash(tree)
    first = [next(records) for _ in range(7)]
    rest = pa.table(records)
    assert [each.path for each in first] + rest["path"].to_pylist() == [path for path, _ in expected(tree, "md5")]


def test_taken_records_refuse_a_second_use(tree: Path) -> None:
    records = hashmill.hash(tree)
    # A stream that nobody read takes nothing.
    pa.RecordBatchReader.from_stream(records)
    count = pa.table(records).num_rows
    assert count == len(expected(tree, "md5"))
    for again in (lambda: pa.table(records), lambda: next(records), lambda: list(records)):
        with pytest.raises(ValueError, match="taken"):
            again()
    assert records.summary is not None
    listed = hashmill.hash(tree)
    assert len(list(listed)) == count
    for use in (pa.table, list, pd.DataFrame, iter, pl.DataFrame):
        with pytest.raises(ValueError, match="taken"):
            use(listed)
    # One that failed, or was left, gives no empty table.
    failed = hashmill.hash(tree / "missing", raise_on_error=True)
    with pytest.raises(FileNotFoundError):
        list(failed)
    with pytest.raises(ValueError, match="taken"):
        list(failed)
    # Where there is nothing, there is nothing each time.
    (tree / "empty").mkdir()
    none = hashmill.hash(tree / "empty")
    assert list(none) == [] and list(none) == []
    # A loop may go on.
    parts = hashmill.hash(tree)
    assert next(iter(parts)) and len(list(parts)) == count - 1
    # Of two streams, the first that is read takes the records.
    twice = hashmill.hash(tree)
    one, two = (pa.RecordBatchReader.from_stream(twice) for _ in range(2))
    assert two.read_all().num_rows == count
    with pytest.raises(pa.ArrowInvalid, match="taken"):
        one.read_all()


def test_a_second_query_is_refused(tree: Path) -> None:
    records = hashmill.hash(tree)
    assert duckdb.execute("select count(*) from records").fetchall() == [(len(expected(tree, "md5")),)]
    with pytest.raises(Exception, match="taken"):
        duckdb.execute("select count(*) from records").fetchall()


def test_an_output_that_is_not_written_is_told(tree: Path, tmp_path: Path) -> None:
    output = tmp_path / "o.jsonl"
    records = hashmill.hash(tree, output=output)
    assert "o.jsonl is written when all were taken" in repr(records)
    with pytest.warns(RuntimeWarning, match="o.jsonl was not written"):
        del records
    with pytest.warns(RuntimeWarning, match="o.jsonl was not written"):
        next(hashmill.hash(tree, output=output))
    assert not output.exists()
    output = tmp_path / "other.jsonl"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hashmill.hash(tree, output=output).close()
        hashmill.hash(tree)
        list(hashmill.hash(tree, output=output))
        pa.table(hashmill.hash(tree, output=output, force=True))
    assert output.exists()


def test_columns_have_fitting_types(tree: Path, tmp_path: Path) -> None:
    wanted = {"size": "int64", "mtime": "timestamp[ns, tz=UTC]", "inode": "uint64", "device": "uint64", "reused": "bool"}
    output = tmp_path / "o.parquet"
    table = pa.table(hashmill.hash(tree, "md5", metadata=True, output=output))
    for made in (table, pq.read_table(output)):
        assert {name: str(made.schema.field(name).type) for name in wanted} == wanted
        assert made["inode"].to_pylist() == [os.stat(path).st_ino for path in made["path"].to_pylist()]
    assert all(each.reused for each in hashmill.hash(tree, "md5", reuse=output)) or time.time() - os.stat(tree).st_mtime < 4


def test_parquet_of_other_programs_is_a_manifest(tree: Path, tmp_path: Path) -> None:
    rows = pl.DataFrame(hashmill.hash(tree, "sha256"))
    assert rows.height
    rows.write_parquet(tmp_path / "polars.parquet")
    rows.with_columns(pl.col("sha256").str.decode("hex")).write_parquet(tmp_path / "bytes.parquet")
    duckdb.sql(f"copy (from rows) to '{tmp_path}/duckdb' (format parquet, compression zstd, per_thread_output true)")
    for name in ("polars.parquet", "bytes.parquet", "duckdb"):
        assert hashmill.audit(tmp_path / name, tree).ok, name
        assert hashmill.convert(tmp_path / name, tmp_path / f"{name}.jsonl").ok
        assert hashmill.audit(tmp_path / f"{name}.jsonl", tree).ok
    rows.write_parquet(tmp_path / "gzip.parquet", compression="gzip")
    with pytest.raises(hashmill.Error, match="compressed by GZIP.* write it again"):
        hashmill.audit(tmp_path / "gzip.parquet", tree)


def test_the_name_of_an_output_chooses_its_format(tree: Path, tmp_path: Path) -> None:
    starts = {"o.parquet": b"PAR1", "o.sqlite": b"SQLite format 3", "o.csv": b"path", "o.manifest": b"{", "o.sha256": b""}
    for name, start in starts.items():
        list(hashmill.hash(tree, "sha256", output=tmp_path / name))
        assert (tmp_path / name).read_bytes().startswith(start), name
        assert hashmill.audit(tmp_path / name, tree).ok, name
    list(hashmill.hash(tree, "sha256", output=tmp_path / "j.parquet", format="jsonl"))
    assert (tmp_path / "j.parquet").read_bytes().startswith(b"{")
    with pytest.raises(ValueError, match="the name implies sha256"):
        hashmill.hash(tree, "md5", output=tmp_path / "SHA256SUMS")


def test_failures_end_a_stream_with_an_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot look it up"):
        pa.table(hashmill.hash(tmp_path / "missing", raise_on_error=True))


def test_progress_is_told(tree: Path) -> None:
    told: list[tuple[int, int, int, int, bool]] = []
    records = list(hashmill.hash(tree, progress=lambda *numbers: told.append(numbers)))
    assert told[-1][0] == len(records) == 40
    assert told[-1][2] == sum(each.size or 0 for each in records)
    assert told[-1][4]

    def broken(*_: object) -> None:
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        list(hashmill.hash(tree, progress=broken))


def test_a_bar_of_tqdm_is_fed(tree: Path) -> None:
    from tqdm import tqdm

    with tqdm(disable=False, unit="B", file=open(os.devnull, "w")) as bar:
        size = sum(each.size or 0 for each in hashmill.hash(tree, progress=bar))
        assert bar.n == bar.total == size


def test_ctrl_c_stops_it_soon(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as file:
        file.truncate(64 << 30)
    struck: list[float] = []

    def strike() -> None:
        struck.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    for take in (list, pa.table, lambda records: hashmill.file_digest(tmp_path / "large", "whirlpool", threads=2)):
        threading.Timer(0.3, strike).start()
        with pytest.raises(KeyboardInterrupt):
            try:
                take(hashmill.hash(tmp_path, "whirlpool", threads=2))
            finally:
                # A consumer of Arrow raises an error of its own; the interruption comes right behind it.
                time.sleep(1)
        # A tenth of a second is promised. Two threads that went on until now would have used two seconds of processors, or what a
        # busy machine gave them; the hour of the whole file would be over much later.
        assert time.process_time() - struck[-1] < 0.5


def test_an_iterator_that_is_left_ends_its_threads(tree: Path) -> None:
    before = len(os.listdir("/proc/self/task"))
    for _ in range(20):
        records = hashmill.hash(["/usr/lib", "/usr/share"], threads=2)
        next(records)
        del records
    with hashmill.hash("/usr/lib", threads=2) as left:
        next(left)
    with pytest.raises(ValueError, match="taken"):
        list(left)
    for _ in range(200):
        if len(os.listdir("/proc/self/task")) <= before:
            break
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/task")) <= before


def test_threads_may_share_an_iterator(tree: Path) -> None:
    records = hashmill.hash([tree] * 50, "md5")
    paths: list[str] = []

    def work() -> None:
        while (each := next(records, None)) is not None:
            paths.append(each.path)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(paths) == 40 * 50


def test_facts_are_attributes_keys_and_columns(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"%PDF-1.7\n")
    (tmp_path / "b").write_bytes(b"\0\1" * 8)
    first, second = hashmill.hash(tmp_path, "md5", facts="type,entropy")
    assert first.type == {
        "mime": "application/pdf",
        "name": "Portable Document Format",
        "extensions": ["pdf", "ai", "pdfa"],
    }
    assert first["type"] == first.type
    assert (first.mismatch, first.entropy, first.chi2, first.class_) == (True, 3.169925, 247.0, None)
    assert (second.type, second.mismatch, second.entropy) == (None, None, 1.0)
    assert pickle.loads(pickle.dumps(first)) == first
    table = pa.table(hashmill.hash(tmp_path, "md5", facts=["entropy", "type"]))
    assert table["type"].to_pylist() == ["application/pdf", None]
    assert table["type_extensions"].to_pylist() == ["pdf,ai,pdfa", None]
    assert table["mismatch"].to_pylist() == [True, None]
    assert table["entropy"].to_pylist() == [3.169925, 1.0]
    written = tmp_path / "list.parquet"
    list(hashmill.hash(tmp_path / "a.jpg", "md5", output=written, facts="type,entropy"))
    assert pq.read_table(written)["chi2"].to_pylist() == [247.0]
    plain = next(iter(hashmill.hash(tmp_path / "a.jpg", "md5")))
    assert (plain.type, plain.mismatch, plain.entropy, plain.chi2) == (None, None, None, None)
    with pytest.raises(ValueError, match="there are: type, entropy"):
        hashmill.hash(tmp_path, facts="colour")


def test_formats_of_pronom_are_attributes_keys_and_columns(tmp_path: Path) -> None:
    signatures, files = tmp_path / "droid.xml", tmp_path / "files"
    signatures.write_text(
        "<FFSignatureFile Version='7'><InternalSignatureCollection/><FileFormatCollection>"
        "<FileFormat ID='1' PUID='x-fmt/111' Name='Text'><Extension>txt</Extension></FileFormat>"
        "</FileFormatCollection></FFSignatureFile>"
    )
    files.mkdir()
    (files / "a.txt").write_bytes(b"abc")
    (files / "b").write_bytes(b"abc")
    first, second = hashmill.hash(files, "md5", pronom=signatures)
    formats = [{"puid": "x-fmt/111", "name": "Text", "basis": "extension"}]
    assert (first.puid, first.puid_formats, first["puid"]) == (["x-fmt/111"], formats, ["x-fmt/111"])
    assert (second.puid, second.puid_formats) == ([], None)
    assert first.puid_signatures is not None
    assert first.puid_signatures.startswith("V7 (")
    table = pa.table(hashmill.hash(files, "md5", pronom=[signatures]))
    assert table["puid"].to_pylist() == ["x-fmt/111", None]
    assert json.loads(table["puid_formats"].to_pylist()[0]) == formats
    assert table["puid_signatures"].to_pylist() == [first.puid_signatures] * 2
    plain = next(iter(hashmill.hash(files, "md5")))
    assert (plain.puid, plain.puid_formats, plain.puid_signatures) == (None, None, None)
    signatures.write_text("<a/>")
    with pytest.raises(ValueError, match=r"droid.xml: .*no signature file of DROID"):
        hashmill.hash(files, pronom=signatures)


def test_rules_are_attributes_keys_and_columns(tmp_path: Path) -> None:
    rules, files = tmp_path / "rules.yar", tmp_path / "files"
    rules.write_text('rule r : t { meta: n = 1 strings: $a = "abc" condition: $a }')
    files.mkdir()
    (files / "a").write_bytes(b"-abc")
    (files / "b").write_bytes(b"-" * 100)
    records = hashmill.hash(files, "md5", yara=rules, yara_strings=True, yara_max="10")
    first, second = records
    match = {"rule": "r", "namespace": str(rules), "tags": ["t"], "meta": {"n": 1}}
    strings = [{"name": "$a", "count": 1, "places": [[1, 3]]}]
    assert first.yara_matches == [{**match, "strings": strings}]
    assert (first.yara, first.yara_status, first["yara"]) == (["r"], "scanned", ["r"])
    assert (second.yara, second.yara_status, second.yara_matches) == ([], "too-long", None)
    assert pickle.loads(pickle.dumps(first)) == first
    table = pa.table(hashmill.hash(files, "md5", yara=[rules]))
    assert table["yara"].to_pylist() == ["r", None]
    assert table["yara_status"].to_pylist() == ["scanned", "scanned"]
    assert json.loads(table["yara_matches"].to_pylist()[0]) == [match]
    plain = next(iter(hashmill.hash(files, "md5")))
    assert (plain.yara, plain.yara_status, plain.yara_matches) == (None, None, None)
    rules.write_text("rule r {")
    with pytest.raises(ValueError, match=r"rules.yar:1:"):
        hashmill.hash(files, yara=rules)
    with pytest.raises(ValueError, match="need yara"):
        hashmill.hash(files, yara_strings=True)
