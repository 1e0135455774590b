"""Compares two sets of records in the categories of ``hashmill audit``, as joins.

docs/audit.md defines the category of a record; the order of a manifest is here the order of paths. Paths belong together
if their bytes are equal, as they are or below another root (:mod:`hashmill.spark.roots`). Pieces (records with an offset) are
left out.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

import hashmill

from . import partitions, ranks, roots
from .kept import kept
from .later import Later
from .objects import with_path_bytes
from .shapes import check_types
from .tables import records_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

CATEGORIES = ["matched", "changed", "moved", "copied", "new", "missing", "unreadable", "unsupported"]
"""All categories, in the order of the counts."""

def audit(
    manifest: DataFrame | str | os.PathLike[str],
    now: DataFrame | str | os.PathLike[str],
    *,
    algorithms: Sequence[str] | None = None,
    giant: int = ranks.GIANT,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Compares the records of ``now`` with those of ``manifest``.

    Args:
        manifest: records: ``path`` (with ``path_b64`` if it exists), ``size`` and ``status`` if they exist, digests as text. Or the
            path of a manifest (``.jsonl``, ``.csv``, ``.parquet``) or of a lake.
        now: the current records, or their path.
        algorithms: the digests to compare; by default all that both sides have.
        giant: the number of records with one content from which on it is spread over tasks.

    Returns:
        ``category``, ``path``, ``path_b64``, ``known_path``, ``known_path_b64``, ``status``: a row for each record of ``now``
        that is not ``skipped``, and one for each missing path. ``unsupported``: there is no digest to compare, or the record, of
        either side, has no path.

    Raises:
        ValueError: no digest is on both sides, or a column is missing or of a wrong type.

    Nothing runs before the result is used. Then a sample of paths is compared first, and paths are joined once: what follows from
    contents alone uses the rows of this join, which are kept as long as the result exists.
    """
    listed, current = (records_of(side, spark) for side in (manifest, now))
    for side in (listed, current):
        check_types(side, TYPES)
    names = common(listed, current, algorithms)
    return Later(listed.sparkSession, VERDICT, lambda: _planned(listed, current, names, giant))


VERDICT = StructType(
    [StructField(name, StringType()) for name in ("category", "path", "path_b64", "known_path", "known_path_b64", "status")]
)
"""The shape of verdicts."""


def _planned(manifest: DataFrame, now: DataFrame, names: Sequence[str], giant: int) -> DataFrame:
    width = partitions.wanted(manifest, now)
    listed = _prepared(manifest, names)
    known = _known(listed.where(F.col("_path").isNotNull()).repartition(width, "_path"), names)
    met = _prepared(now, names).where(F.col("status") != "skipped").withColumn("_shown", F.col("_path"))
    nowhere = listed.where(F.col("status") != "skipped").select("_path", "status").unionByName(met.select("_path", "status"))
    nowhere = nowhere.where(F.col("_path").isNull())
    nameless = nowhere.select(_entry(F.lit("unsupported"), "_path", "_path", "status"))
    seen = met.where(F.col("_path").isNotNull())
    seen = seen.withColumn("_path", roots.in_manifest(F.col("_path"), roots.common_root(known, seen)))
    judged = kept(_by_path(known, seen.repartition(width, "_path"), names))
    there = judged.where(F.col("_there"))
    free = judged.where(~F.col("_there") & F.col("_known").isNotNull())
    stray = there.where(F.col("_category").isNull())
    settled = there.where(F.col("_category").isNotNull()).select(_entry("_category", "_shown", "_known", "_status"))
    found, taken = _by_content(known, free, stray, _giant_of(judged, giant))
    missing = free.join(taken, free["_known"] == taken["_taken"], "left_anti")
    gone = missing.select(_entry(F.lit("missing"), "_known", "_known", F.lit(None).cast("string")))
    every = settled.unionByName(found).unionByName(gone).unionByName(nameless)
    return every.select("entry.*").coalesce(width)


def _giant_of(judged: DataFrame, giant: int) -> int | None:
    """Returns the number of records from which on a content is a giant; none if there are fewer records without a verdict."""
    open_ = judged.where(F.col("_category").isNull()).groupBy("_there").count().collect()
    return giant if any(row["count"] > giant for row in open_) else None


_WHOLE = ("tinyint", "smallint", "int", "bigint")

TYPES = {
    **dict.fromkeys(("path", "path_b64", "status"), ("string",)),
    **dict.fromkeys(("size", "offset", "length"), _WHOLE),
}
"""Types of columns that are compared, beside the digests."""


def counts(verdicts: DataFrame) -> dict[str, int]:
    """Returns how many rows of an audit each category has; all categories are included."""
    found = {row[0]: row[1] for row in verdicts.groupBy("category").count().collect()}
    return {category: found.get(category, 0) for category in CATEGORIES}


def common(a: DataFrame, b: DataFrame, algorithms: Sequence[str] | None = None) -> list[str]:
    """Returns the digests that both have, or those that were named."""
    for name, side in (("manifest", a), ("records", b)):
        if "path" not in side.columns:
            raise ValueError(f"the {name} have no column 'path' (there are: {', '.join(side.columns)})")
    both = [name for name in digests_of(a) if name in digests_of(b)]
    absent = [name for name in algorithms or () if name not in both]
    if absent:
        raise ValueError(f"no digest {', '.join(absent)} on both sides (both have: {', '.join(both) or 'none'})")
    if not both:
        raise ValueError(
            f"no digest is on both sides: {', '.join(digests_of(a)) or 'none'} here, {', '.join(digests_of(b)) or 'none'} there"
        )
    return list(algorithms or both)


def digests_of(records: DataFrame) -> list[str]:
    """Returns the columns of a DataFrame of records that are digests: those with the name of an algorithm.

    Raises:
        ValueError: one of them is not text.
    """
    kinds = dict(records.dtypes)
    found = [name for name in records.columns if _is_algorithm(name)]
    for name in found:
        if kinds[name] not in ("string", "void"):
            raise ValueError(f"column {name!r} is of type {kinds[name]}, not text")
    return found


def _is_algorithm(name: str) -> bool:
    try:
        return bool(hashmill.algorithm(name).name)
    except ValueError:
        return False


def _prepared(records: DataFrame, names: Sequence[str]) -> DataFrame:
    """Returns the bytes of the path, size, status and digests (in lower case) of whole files."""
    if "offset" in records.columns:
        records = records.where(F.col("offset").isNull())
    size = F.col("size").cast("long") if "size" in records.columns else F.lit(None).cast("long")
    status = F.coalesce(F.col("status"), F.lit("hashed")) if "status" in records.columns else F.lit("hashed")
    digests = [F.lower(F.col(f"`{name}`")).alias(f"d{place}") for place, name in enumerate(names)]
    rows = with_path_bytes(records)
    return rows.select("_path", size.alias("size"), status.alias("status"), *digests)


def _known(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    """Returns one row for each known path; ``_torn`` if its records contradict each other."""
    fields = ["size", *_digests(names)]
    sound = [F.when(F.col("status") == "hashed", F.col(name)).alias(name) for name in fields]
    rows = rows.where(F.col("status") != "skipped").select("_path", *sound)
    least = [F.min(name).alias(name) for name in fields]
    torn = [F.coalesce(F.min(name) != F.max(name), F.lit(False)) for name in fields]
    grouped = rows.groupBy(F.col("_path").alias("_known")).agg(*least, _any(torn).alias("_torn"))
    return grouped.withColumn("_content", _content(names))


def _by_path(known: DataFrame, seen: DataFrame, names: Sequence[str]) -> DataFrame:
    """Returns the categories that follow from paths alone. ``_category`` is null if the content decides."""
    k, s = known.alias("k"), seen.withColumn("_content", _content(names)).alias("s")
    joined = s.join(k, F.col("s._path") == F.col("k._known"), "full_outer")
    pairs = [(F.col(f"s.{name}"), F.col(f"k.{name}")) for name in ["size", *_digests(names)]]
    differs = F.col("k._torn") | _any([F.coalesce(a != b, F.lit(False)) for a, b in pairs])
    equal = _any([F.coalesce(a == b, F.lit(False)) for a, b in pairs[1:]])
    category = (
        F.when(F.col("s.status") != "hashed", "unreadable")
        .when(F.col("k._known").isNull(), None)
        .when(differs, "changed")
        .when(equal, "matched")
        .otherwise("unsupported")
    )
    return joined.select(
        F.col("s._path").isNotNull().alias("_there"),
        category.alias("_category"),
        F.col("s._path").alias("_path"),
        F.col("s._shown").alias("_shown"),
        F.col("k._known").alias("_known"),
        F.col("s.status").alias("_status"),
        F.coalesce("s._content", "k._content").alias("_content"),
        F.coalesce("k._torn", F.lit(False)).alias("_torn"),
    )


def _by_content(known: DataFrame, free: DataFrame, stray: DataFrame, giant: int | None) -> tuple[DataFrame, DataFrame]:
    """Returns the verdicts of strays (moved, copied, new), and the known paths that moved files took.

    The first stray of a content in the order of paths takes its first free path, the second its second; when none is left, a
    stray is a copy of the content's first known path.
    """
    sources = known.where(~F.col("_torn") & F.col("_content").isNotNull())
    first = sources.groupBy("_content").agg(F.min("_known").alias("_first"))
    ours = ranks.ranked(stray.select("_path", "_shown", "_status", "_content"), "_content", "_path", giant=giant)
    open_ = free.where(~F.col("_torn") & F.col("_content").isNotNull()).select("_known", "_content")
    theirs = ranks.ranked(open_, "_content", "_known", giant=giant)
    met = ours.join(theirs, ["_content", "rank"], "left")
    met = _with_first(met, first, [] if giant is None else ranks.giants_of(stray, "_content", giant))
    category = F.when(F.col("_known").isNotNull(), "moved").when(F.col("_first").isNotNull(), "copied").otherwise("new")
    verdicts = met.select(_entry(category, "_shown", F.coalesce("_known", "_first"), "_status"))
    taken = met.where(F.col("_known").isNotNull()).select(F.col("_known").alias("_taken"))
    return verdicts, taken


def _with_first(met: DataFrame, first: DataFrame, giants: Sequence[object]) -> DataFrame:
    """Joins strays with the first path of their content: that of a giant by a broadcast, that of all others by a plain join."""
    if not giants:
        return met.join(first, "_content", "left")
    is_giant = F.coalesce(F.col("_content").isin(giants), F.lit(False))
    few = F.broadcast(first.where(F.col("_content").isin(giants)))
    plain = met.where(~is_giant).join(first, "_content", "left")
    return met.where(is_giant).join(few, "_content", "left").unionByName(plain)


def _entry(category: Column | str, path: Column | str, known: Column | str, status: Column | str) -> Column:
    path, known = (F.col(name) if isinstance(name, str) else name for name in (path, known))
    found = F.col(category) if isinstance(category, str) else category
    said = F.col(status) if isinstance(status, str) else status
    columns = [
        found.alias("category"),
        as_path(path).alias("path"),
        as_b64(path).alias("path_b64"),
        as_path(known).alias("known_path"),
        as_b64(known).alias("known_path_b64"),
        said.alias("status"),
    ]
    return F.struct(*columns).alias("entry")


def as_path(path: Column) -> Column:
    """Returns a path's bytes as readable text."""
    return F.make_valid_utf8(path.cast("string"))


def as_b64(path: Column) -> Column:
    """Returns a path's bytes in base64, if they are not text."""
    return F.when(~F.is_valid_utf8(path.cast("string")), F.base64(path))


def _content(names: Sequence[str]) -> Column:
    """Returns all digests in one text; null if one of them is absent."""
    return F.concat(*[part for name in _digests(names) for part in (F.col(name), F.lit(","))])


def _digests(names: Sequence[str]) -> list[str]:
    return [f"d{place}" for place in range(len(names))]


def _any(conditions: Sequence[Column]) -> Column:
    return reduce(lambda a, b: a | b, conditions)
