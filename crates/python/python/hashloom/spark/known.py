"""How digests are known: by a set in a DataFrame, or by an index of ``hashloom known build``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from . import ranks
from .audits import digests_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BROADCAST = 5_000_000
"""Rows of a set up to which every worker gets all of it: some 500 MB with text of 64 digits."""


def match_known(records: DataFrame, known: DataFrame, algorithm: str | None = None, *, giant: int = ranks.GIANT) -> DataFrame:
    """The records with ``category`` and ``set``, as ``hashloom known match`` has them.

    Args:
        records: records with a column of digests.
        known: ``digest`` (text) and ``category``, perhaps ``set``. If a digest is in it several times, ``bad`` wins, then names
            of yours in their order, then ``good``, then ``known``.
        algorithm: which digest; else the first column of digests.
        giant: records of one content from which on it is spread over tasks.

    Returns:
        Every record once. ``category`` is ``unknown`` where no set has the digest, and null where the record has none.

    Raises:
        ValueError: a column is missing.
    """
    there = digests_of(records)
    name = algorithm or (there[0] if there else None)
    if name not in records.columns:
        raise ValueError(f"no column {name or 'of digests'!r} (there are: {', '.join(records.columns)})")
    sets = _one_each(known)
    keyed = records.drop("category", "set").withColumn("_digest", F.lower(F.col(f"`{name}`")))
    if known.limit(BROADCAST + 1).count() <= BROADCAST:
        met = keyed.join(F.broadcast(sets), "_digest", "left")
    else:
        met = _join_large(keyed, sets, giant)
    category = F.when(F.col("_digest").isNotNull(), F.coalesce("category", F.lit("unknown")))
    return met.withColumn("category", category).drop("_digest")


def _one_each(known: DataFrame) -> DataFrame:
    absent = [name for name in ("digest", "category") if name not in known.columns]
    if absent:
        raise ValueError(f"the set has no column {', '.join(map(repr, absent))} (there are: {', '.join(known.columns)})")
    place = (
        F.when(F.col("category") == "bad", 0).when(F.col("category") == "good", 2).when(F.col("category") == "known", 3).otherwise(1)
    )
    name = F.col("set") if "set" in known.columns else F.lit(None).cast("string")
    claim = F.struct(place.alias("place"), F.col("category"), name.alias("set"))
    best = known.groupBy(F.lower("digest").alias("_digest")).agg(F.min(claim).alias("claim"))
    return best.select("_digest", F.col("claim.category").alias("category"), F.col("claim.set").alias("set"))


def _join_large(keyed: DataFrame, sets: DataFrame, giant: int) -> DataFrame:
    """A join; the contents that very many records have are met by a broadcast of their few claims."""
    giants = ranks.giants_of(keyed, "_digest", giant)
    is_giant = F.coalesce(F.col("_digest").isin(giants), F.lit(False))
    few = F.broadcast(sets.where(F.col("_digest").isin(giants)))
    met = keyed.where(is_giant).join(few, "_digest", "left")
    return met.unionByName(keyed.where(~is_giant).join(sets, "_digest", "left"))
