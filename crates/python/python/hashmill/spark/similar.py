"""Pairs of likeness digests, all against all.

Digests that can be similar are grouped in classes, by the first comparison of the algorithms themselves: ssdeep's block size
(equal, or twice as large), TLSH's logarithm of the length (twelve points of distance for each step). A class is cut into tiles,
and each pair of tiles is one piece of work for the kernels, so no class is too large for a task, and no pair is left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F

from .batches import as_ddl, map_batches
from .engine import likeness_pairs
from .objects import with_path_bytes
from .tables import records_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

TILE = 8192
"""The number of digests of a tile: a pair of tiles is up to 67 million comparisons, some seconds of one core."""

USUAL = {"ssdeep": 1, "tlsh": 100}
"""The default limit: that of ``hashmill similar pairs``."""

PAIR = pa.schema(
    [pa.field("a", pa.binary()), pa.field("b", pa.binary()), pa.field("score", pa.int32())],
)


def similar_pairs(
    records: DataFrame | str | os.PathLike[str],
    algorithm: str = "tlsh",
    *,
    limit: int | None = None,
    tile: int = TILE,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Returns the pairs of records that are at least as similar as ``limit``.

    Args:
        records: records with the column ``algorithm``, as ``hash`` writes it, or the path of a manifest or a lake; those without a
            digest are in no pair.
        algorithm: ``ssdeep`` (scores, 100 is most) or ``tlsh`` (distances, 0 is nearest).
        limit: the lowest score, or the greatest distance; by default the algorithm's usual one.
        tile: the number of digests that a task compares at a time.

    Returns:
        ``a``, ``b`` (paths; ``a_b64``, ``b_b64`` where they are not UTF-8), ``algorithm``, ``score``: each unordered pair once,
        ``a`` before ``b``.

    Raises:
        ValueError: the algorithm is another, or its column is missing.
    """
    if algorithm not in USUAL:
        raise ValueError(f"pairs are found by {' and '.join(USUAL)}, not by {algorithm!r}")
    records = records_of(records, spark)
    if algorithm not in records.columns:
        raise ValueError(f"no column {algorithm!r} (there are: {', '.join(records.columns)})")
    limit = USUAL[algorithm] if limit is None else limit
    if algorithm == "ssdeep" and limit < 1:
        raise ValueError("a score of 0 has every pair of files: name a limit of 1 at least")
    digest = F.col(f"`{algorithm}`")
    rows = with_path_bytes(records).where(digest.isNotNull()).select("_path", digest.alias("digest"))
    rows = rows.withColumn("class", _class(algorithm)).where(F.col("class").isNotNull())
    counts = {int(row[0]): int(row[1]) for row in rows.groupBy("class").count().collect()}
    work = _work(algorithm, counts, limit, tile)
    if not work:
        return _named(rows.sparkSession.createDataFrame([], as_ddl(PAIR)), algorithm)
    tiles = {kind: -(-count // tile) for kind, count in counts.items()}
    many = F.create_map(*[F.lit(value) for item in tiles.items() for value in item])
    rows = rows.withColumn("tile", F.pmod(F.xxhash64("_path"), many[F.col("class")]).cast("int"))
    places = rows.sparkSession.createDataFrame(work, "class int, tile int, unit int, side int")
    placed = rows.join(F.broadcast(places), ["class", "tile"]).select("unit", "side", "_path", "digest")

    def score(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _score(batches, algorithm, limit)

    units = 1 + max(unit for _, _, unit, _ in work)
    together = placed.repartition(min(units, 10_000), "unit").sortWithinPartitions("unit", "side", "_path")
    return _named(map_batches(together, score, PAIR), algorithm)


def _class(algorithm: str) -> Column:
    """Returns ssdeep's block size, or TLSH's logarithm of the length: a byte whose two digits are written in reverse order."""
    if algorithm == "ssdeep":
        return F.substring_index("digest", ":", 1).try_cast("int")
    plain = F.regexp_replace("digest", "^T1", "")
    return F.conv(F.concat(F.substring(plain, 4, 1), F.substring(plain, 3, 1)), 16, 10).try_cast("int")


def _work(algorithm: str, counts: dict[int, int], limit: int, tile: int) -> list[tuple[int, int, int, int]]:
    """Returns the tile of each class for each side of each piece of work: a piece of one side is all pairs of a tile."""
    work: list[tuple[int, int, int, int]] = []
    unit = 0
    for one, other in _meeting(algorithm, sorted(counts), limit):
        for i in range(-(-counts[one] // tile)):
            for j in range(-(-counts[other] // tile)):
                if one == other and j < i:
                    continue
                work.append((one, i, unit, 0))
                if (one, i) != (other, j):
                    work.append((other, j, unit, 1))
                unit += 1
    return work


def _meeting(algorithm: str, classes: list[int], limit: int) -> Iterator[tuple[int, int]]:
    """Returns the pairs of classes whose digests can be similar."""
    for place, one in enumerate(classes):
        for other in classes[place:]:
            if algorithm == "ssdeep":
                near = one == other or other == 2 * one
            else:
                apart = min(other - one, 256 - (other - one))
                near = apart <= 1 or apart * 12 <= limit
            if near:
                yield one, other


def _score(batches: Iterable[pa.RecordBatch], algorithm: str, limit: int) -> Iterator[pa.RecordBatch]:
    for sides in _units(batches):
        a, b = sides
        texts = [[row["digest"] for row in side] for side in (a, b)]
        found = likeness_pairs(algorithm, texts[0], texts[1] if b else None, limit)
        pairs: list[dict[str, Any]] = []
        for i, j, score in found:
            first, second = sorted((a[i]["_path"], (b or a)[j]["_path"]))
            pairs.append({"a": first, "b": second, "score": score})
        yield pa.RecordBatch.from_pylist(pairs, schema=PAIR)


def _units(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Returns the two sides of each piece of work."""
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    at = None
    for batch in batches:
        for row in batch.to_pylist():
            if row["unit"] != at:
                if at is not None:
                    yield sides
                sides, at = ([], []), row["unit"]
            sides[row["side"]].append(row)
    if at is not None:
        yield sides


def _named(pairs: DataFrame, algorithm: str) -> DataFrame:
    from .audits import as_b64, as_path

    return pairs.select(
        as_path(F.col("a")).alias("a"),
        as_path(F.col("b")).alias("b"),
        as_b64(F.col("a")).alias("a_b64"),
        as_b64(F.col("b")).alias("b_b64"),
        F.lit(algorithm).alias("algorithm"),
        "score",
    )
