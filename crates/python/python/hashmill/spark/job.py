"""The ready job: ``python -m hashmill.spark hash|audit|match|dupes``, also by ``spark-submit``.

Exit codes are those of the command: 0; 1 if an audit finds a difference, a match a bad file, or a rule matches; 2 if
something could not be read; 64 if the command line or an input is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .session import require_pyspark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from . import plan
    from .contents import Contents
    from .requests import Prices

FINE, DIFFERS, UNREADABLE, WRONG = 0, 1, 2, 64

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "": 1}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the job, and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        require_pyspark()
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName(f"hashmill {options.command}")
        spark = builder.getOrCreate()
        run: Callable[[Any, SparkSession], int] = options.run
        return run(options, spark)
    except (ImportError, ValueError, OSError) as error:
        return _fail(error)
    except Exception as error:
        import hashmill

        if isinstance(error, hashmill.Error):
            return _fail(error)
        raise


def _fail(error: Exception) -> int:
    print(f"hashmill.spark: {error}", file=sys.stderr)
    return WRONG


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        self.print_usage(sys.stderr)
        self.exit(WRONG, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m hashmill.spark", description="hashes, audits and compares on a Spark cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("hash", help="hash objects into a lake; started again, it goes on where it stopped")
    one.add_argument(
        "--input",
        required=True,
        nargs="+",
        help="directories, prefixes (s3://BUCKET/…/, s3a://…, hdfs://…), a table of locations (.parquet, .csv) or an inventory",
    )
    one.add_argument("--inventory", choices=["s3", "gcs", "azure"], help="the input is a store's inventory")
    one.add_argument("-c", "--algorithms", default="blake3", help="digests, separated by commas (default: blake3)")
    one.add_argument("--facts", default="", help="what is found out about contents: type, entropy or both, separated by commas")
    text = "rules of YARA that are looked for, where the driver and the workers see them"
    one.add_argument("--yara", action="append", default=[], metavar="RULES", help=text)
    one.add_argument("--yara-strings", action="store_true", help="note where the strings of a rule match")
    one.add_argument("--yara-max", metavar="SIZE", help="the longest content that rules are matched with")
    one.add_argument("--yara-timeout", type=float, metavar="SECONDS", help="how long rules may take for one content")
    one.add_argument("--pronom", action="append", default=[], metavar="FILE", help="signatures of formats (DROID), seen like rules")
    one.add_argument("--range", type=size, default=256 << 20, metavar="SIZE", help="cut larger objects (default: 256M)")
    one.add_argument("--rate", type=size, metavar="SIZE", help="bytes that a task hashes in a second")
    one.add_argument("--request", type=float, metavar="SECONDS", help="what a request costs besides")
    one.add_argument("--task", type=float, metavar="SECONDS", help="how long a task should take (default: 60)")
    one.add_argument("--wave", type=int, metavar="N", help="tasks that are committed together (default: 1000, or the number of cores)")
    one.add_argument("--run-name", metavar="NAME", help="a new name reads all again (default: by algorithms and range)")
    one.add_argument("--endpoint", metavar="URL", help="the address of the store, where it is not the provider's own")
    one.add_argument("--region", help="the region of the bucket")
    one.add_argument("--anonymous", action="store_true", help="ask stores without credentials")
    one.add_argument("--requests", type=int, metavar="N", help="the most requests to stores at a time of one task (default: 64)")
    one.add_argument("--price", type=float, metavar="P", help="of 1,000 requests to stores, for the estimate")
    one.add_argument("--price-list", metavar="FILE", help="prices by kind of request, as the command's --price-list takes them")
    one.add_argument("--summary", metavar="FILE", help="write the summary as JSON")
    _output(one, ["parquet", "delta", "iceberg"])
    one.set_defaults(run=_hash)
    _report(one)
    for name, text, run in (
        ("audit", "compare records with a manifest", _audit),
        ("match", "look digests up in a set of known ones", _match),
        ("dupes", "find objects of equal content", _dupes),
    ):
        one = commands.add_parser(name, help=text)
        one.add_argument("--input", required=True, help="records: a lake, or .jsonl, .csv, .parquet")
        one.add_argument("--input-format", choices=["parquet", "delta", "iceberg"], help="of a lake")
        if name == "audit":
            one.add_argument("--manifest", required=True, help="records of how it should be")
        if name == "match":
            text = "an index (.hmk), or a table with digest, category, set (.parquet, .csv, .jsonl)"
            one.add_argument("--known-set", required=True, dest="known", metavar="SET", help=text)
            one.add_argument("--shared", action="store_true", help="workers see the index at its path: it is not sent to them")
        if name != "audit":
            one.add_argument("-c", "--algorithm", help="the digest (default: the first)")
        _output(one, ["parquet", "delta", "iceberg", "json", "csv"])
        _report(one)
        one.set_defaults(run=run)
    return parser


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--report", metavar="FILE", help="write what it came to as a page (HTML)")


def _output(parser: argparse.ArgumentParser, formats: list[str]) -> None:
    parser.add_argument("--output", required=True, help="a directory; for Iceberg a name")
    parser.add_argument("--format", choices=formats, default="parquet", help="of the output (default: parquet)")


def size(text: str) -> int:
    """Parses a size with a unit: ``256M``, ``1GB``."""
    digits = text.rstrip("KMGTBkmgtb")
    unit = text[len(digits) :].upper()
    if unit not in UNITS or not digits.isdigit():
        raise argparse.ArgumentTypeError(f"not a size: {text!r} (use K, M, G, T, or KB, MB, GB, TB)")
    return int(digits) * UNITS[unit]


def _say(line: str) -> None:
    print(f"hashmill.spark: {line}", file=sys.stderr, flush=True)


def _hash(options: Any, spark: SparkSession) -> int:
    from . import pages, runs
    from .lake import Lake
    from .stored import Access

    done = runs.run_into(
        Lake(options.output, options.format),
        _source(options, spark),
        options.algorithms,
        cost=_cost(options),
        range_size=options.range,
        wave=options.wave,
        name=options.run_name,
        prices=_prices(options),
        access=Access(options.endpoint, options.region, options.anonymous, options.requests),
        contents=_contents(options),
        say=_say,
        spark=spark,
    )
    for line in done.lines():
        print(line)
    if options.report:
        pages.write(options.report, pages.of_run(done))
    if options.summary:
        with open(options.summary, "w", encoding="utf-8") as out:
            json.dump(asdict(done), out, indent=1)
            out.write("\n")
    failed = sum(done.statuses.get(status, 0) for status in ("unreadable", "changed-while-reading"))
    if failed or done.alarms or done.unscanned:
        return UNREADABLE
    return DIFFERS if done.matching else FINE


def _contents(options: Any) -> Contents:
    from .contents import Contents

    return Contents(
        options.facts, options.yara, options.yara_strings, options.yara_max, options.yara_timeout, options.pronom
    )


def _cost(options: Any) -> plan.Cost | None:
    """Returns the cost of reading, if any option sets it; values that are not set are those of a place like the input."""
    from . import plan
    from .schemes import Kind, resolve

    if options.rate is options.request is options.task is None:
        return None
    usual = plan.STORE if options.inventory or resolve(os.fsencode(options.input[0])).kind is not Kind.LOCAL else plan.LOCAL
    return plan.Cost(options.rate or usual.rate, options.request or usual.request, options.task or usual.task)


def _prices(options: Any) -> Prices | None:
    from .requests import Prices

    if options.price_list:
        return Prices.read(options.price_list)
    return None if options.price is None else Prices.of_all(options.price)


def _source(options: Any, spark: SparkSession) -> DataFrame | str | list[str]:
    from .inventory import read_inventory
    from .tables import load

    if len(options.input) > 1:
        if options.inventory:
            raise ValueError("one --inventory at a time: name its files by a pattern")
        return list(options.input)
    (where,) = options.input
    if options.inventory:
        return read_inventory(where, options.inventory, spark=spark)
    if where.endswith(".parquet"):
        return load(spark, where, "parquet")
    if where.endswith((".csv", ".csv.gz")):
        return load(spark, where, "csv")
    return where


def _audit(options: Any, spark: SparkSession) -> int:
    from . import audits
    from .tables import read_records, write

    known = read_records(spark, options.manifest)
    with _persisted(audits.audit(known, read_records(spark, options.input, options.input_format))) as verdicts:
        write(verdicts, options.output, options.format)
        found = audits.counts(verdicts)
    _counts(options, found)
    if found["unreadable"] or found["unsupported"] or not any(found.values()):
        return UNREADABLE
    return FINE if sum(found.values()) == found["matched"] else DIFFERS


def _match(options: Any, spark: SparkSession) -> int:
    from pyspark.sql import functions as F

    from .known import match_known, unusable
    from .tables import read_records, write

    known = _known(options.known, spark)
    lost = 0 if isinstance(known, str) else unusable(known)
    records = read_records(spark, options.input, options.input_format)
    with _persisted(match_known(records, known, options.algorithm, shared=options.shared)) as met:
        write(met, options.output, options.format)
        # Records without the digest have no category; of folders and the like there is none.
        lacks = met.where(F.col("category").isNull())
        if "status" in met.columns:
            lacks = lacks.where(F.coalesce("status", F.lit("hashed")) != "skipped")
        lacking = lacks.count()
        found = {str(row[0] or "without a digest"): int(row[1]) for row in met.groupBy("category").count().collect()}
    _counts(options, found | ({"rows of the set that can't be looked up": lost} if lost else {}))
    if lacking or lost or not found:
        return UNREADABLE
    return DIFFERS if found.get("bad") else FINE


def _known(where: str, spark: SparkSession) -> DataFrame | str:
    from .tables import READERS, load

    if where.endswith(".hmk"):
        return where
    return load(spark, where, next((kind for end, kind in READERS.items() if where.endswith((end, end + ".gz"))), "parquet"))


def _dupes(options: Any, spark: SparkSession) -> int:
    from pyspark.sql import functions as F

    from .duplicate import duplicates, not_compared
    from .tables import read_records, write

    records = read_records(spark, options.input, options.input_format)
    lacking = not_compared(records, options.algorithm)
    with _persisted(duplicates(records, options.algorithm)) as found:
        write(found, options.output, options.format)
        total = found.agg(F.count("*"), F.sum(F.col("wasted") / F.col("copies"))).first()
    assert total is not None
    counts = {"objects with copies": int(total[0]), "bytes that copies waste": round(total[1] or 0)}
    _counts(options, counts | ({"not compared": lacking} if lacking else {}))
    return UNREADABLE if lacking else FINE


@contextmanager
def _persisted(rows: DataFrame) -> Iterator[DataFrame]:
    """Keeps rows while they are used."""
    rows = rows.persist()
    try:
        yield rows
    finally:
        rows.unpersist()


def _counts(options: Any, found: dict[str, int]) -> None:
    from . import pages

    for name, count in found.items():
        print(f"{name}: {count:,}")
    if options.report:
        pages.write(options.report, pages.of_counts(options.command, found))
