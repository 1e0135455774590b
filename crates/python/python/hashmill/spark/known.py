"""Labels by known digests: from a DataFrame, or from an index of ``hashmill known build``."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

import hashmill
from hashmill import _hashmill

from . import ranks
from .audits import digests_of
from .batches import map_batches
from .digests import is_hexadecimal
from .tables import records_of

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

# Indexes that were sent to workers: their paths by name.
_SENT: dict[str, str] = {}

BROADCAST = 5_000_000
"""The most rows of a set that is sent to every worker as a whole: some 500 MB with text of 64 digits."""


def match_known(
    records: DataFrame | str | os.PathLike[str],
    known: DataFrame | str | os.PathLike[str],
    algorithm: str | None = None,
    *,
    shared: bool = False,
    giant: int = ranks.GIANT,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Returns the records with ``category`` and ``set``, like ``hashmill known match``.

    Args:
        records: records with a column of digests, or the path of a manifest or a lake.
        known: ``digest`` (text) and ``category``, perhaps ``set``. If it has a digest several times, ``bad`` takes precedence, then
            other names in their order, then ``good``, then ``known``. Or the file of an index that ``hashmill known build`` made:
            each worker gets it once, and maps it, so that little of it is in memory.
        algorithm: the digest to look up; by default the first column of digests.
        shared: workers see the index at its path, as on NFS: it is not sent to them.
        giant: the number of records with one content from which on it is spread over tasks.

    Returns:
        Every record once. ``category`` is ``unknown`` if no set has the digest, and null if the record has none.

    Raises:
        ValueError: a column is missing, or the index has no digests of this algorithm.
        OSError: the index can't be opened.
        hashmill.Error: it is not an index, or it is damaged.
    """
    records = records_of(records, spark)
    there = digests_of(records)
    name = algorithm or (there[0] if there else None)
    if name is None or name not in records.columns:
        raise ValueError(f"no column {name or 'of digests'!r} (there are: {', '.join(records.columns)})")
    if isinstance(known, str | os.PathLike):
        return _by_index(records, os.fspath(known), name, shared)
    sets = _one_each(known)
    bits = hashmill.algorithm(name).digest_size * 8
    digits = sets.where(F.col("_digest").rlike("^[0-9a-f]+$"))
    if is_hexadecimal(name) and not digits.isEmpty() and digits.where(F.length("_digest") == bits // 4).isEmpty():
        raise ValueError(f"the set has no digest with {bits // 4} digits, as those by {name} have: each record would be unknown")
    keyed = records.drop("category", "set").withColumn("_digest", F.lower(F.col(f"`{name}`")))
    if known.limit(BROADCAST + 1).count() <= BROADCAST:
        met = keyed.join(F.broadcast(sets), "_digest", "left")
    else:
        met = _join_large(keyed, sets, giant)
    category = F.when(F.col("_digest").isNotNull(), F.coalesce("category", F.lit("unknown")))
    return met.withColumn("category", category).drop("_digest")


def unusable(known: DataFrame) -> int:
    """Returns how many rows of a set have no category, or no digest in hexadecimal digits.

    Raises:
        ValueError: a column is missing.
    """
    _check_set(known)
    is_digest = F.coalesce(F.col("digest").rlike("^([0-9a-fA-F]{2})+$"), F.lit(False))
    return known.where(~is_digest | F.col("category").isNull()).count()


def _check_set(known: DataFrame) -> None:
    absent = [name for name in ("digest", "category") if name not in known.columns]
    if absent:
        raise ValueError(f"the set has no column {', '.join(map(repr, absent))} (there are: {', '.join(known.columns)})")


def _one_each(known: DataFrame) -> DataFrame:
    _check_set(known)
    place = (
        F.when(F.col("category") == "bad", 0).when(F.col("category") == "good", 2).when(F.col("category") == "known", 3).otherwise(1)
    )
    name = F.col("set") if "set" in known.columns else F.lit(None).cast("string")
    claim = F.struct(place.alias("place"), F.col("category"), name.alias("set"))
    best = known.groupBy(F.lower("digest").alias("_digest")).agg(F.min(claim).alias("claim"))
    return best.select("_digest", F.col("claim.category").alias("category"), F.col("claim.set").alias("set"))


def _join_large(keyed: DataFrame, sets: DataFrame, giant: int) -> DataFrame:
    """Joins records with claims; contents that very many records have are joined by a broadcast of their few claims."""
    giants = ranks.giants_of(keyed, "_digest", giant)
    is_giant = F.coalesce(F.col("_digest").isin(giants), F.lit(False))
    few = F.broadcast(sets.where(F.col("_digest").isin(giants)))
    met = keyed.where(is_giant).join(few, "_digest", "left")
    return met.unionByName(keyed.where(~is_giant).join(sets, "_digest", "left"))


def _by_index(records: DataFrame, index: str, name: str, shared: bool) -> DataFrame:
    """Looks up the records in an index, batch by batch."""
    (about,) = map(json.loads, _hashmill.Sets([index]).about())
    held = sorted({algorithm for table in about["about"]["tables"] for algorithm in table["algorithms"]})
    if hashmill.algorithm(name).name not in held:
        raise ValueError(f"{index}: it has no digests by {name} (it has: {', '.join(held)})")
    identity = about["identity"]
    sent = index if shared else _send(records.sparkSession.sparkContext, index, identity)
    plain = records.drop("category", "set")
    shape = StructType([*plain.schema.fields, StructField("category", StringType()), StructField("set", StringType())])

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sets = _the_same(sent if shared else SparkFiles.get(sent), identity)
        for batch in batches:
            digests = batch.column(name).to_pylist()
            answers = iter(sets.ask([digest for digest in digests if _is_digest(digest)]))
            found = [digest and _claim(next(answers) if _is_digest(digest) else None) for digest in digests]
            columns = [*batch.columns, *(pa.array([one and one[at] for one in found], pa.string()) for at in (0, 1))]
            yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, "category", "set"])

    return map_batches(plain, run, shape)


def _send(context: SparkContext, index: str, identity: str) -> str:
    """Sends an index to the workers, and returns its name there.

    Spark sends one file of a name in a session, and fails every task after a second one with other content. So the name
    identifies the content; the file of that name lasts as long as this process, as workers may start late.
    """
    name = f"{identity}.hmk"
    if name not in _SENT:
        folder = tempfile.mkdtemp(prefix="hashmill-index-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _SENT[name] = os.path.join(folder, name)
        try:
            os.link(index, _SENT[name])
        except OSError:
            shutil.copyfile(index, _SENT[name])
    context.addFile(_SENT[name])
    return name


def _is_digest(text: str | None) -> bool:
    """Returns whether an index can look it up. Other digests are in no index."""
    return text is not None and re.fullmatch(r"([0-9a-fA-F]{2}){1,128}", text) is not None


def _claim(answer: str | None) -> tuple[str, str | None]:
    if answer is None:
        return ("unknown", None)
    said = json.loads(answer)
    return (said["category"], said["set"])


def _the_same(place: str, identity: str) -> _hashmill.Sets:
    """Opens the index that the driver saw. Spark sends a file of one name once in a session."""
    sets = _hashmill.Sets([place])
    (about,) = map(json.loads, sets.about())
    if about["identity"] != identity:
        raise hashmill.Error(f"{place}: another index of this name came to this worker: give it another name, or begin a new session")
    return sets
