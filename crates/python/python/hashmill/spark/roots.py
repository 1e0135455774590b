"""Finds the directory of a manifest that corresponds to a directory of the records.

A manifest of ``hashmill hash archive`` has ``archive/a``, one made in the folder has ``./a``, and records made here have ``a``. As in
``hashmill audit``, some paths vote, each for the starts in front of the parts at their ends that are the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SAMPLE = 256
"""The number of paths that vote."""

MOST = 64
"""The number of known paths with the same name that each is compared with."""

Root = tuple[bytes, bytes]
"""The beginning of paths in the manifest, and the corresponding beginning in the records."""


def common_root(known: DataFrame, now: DataFrame) -> Root:
    """Returns the root that most paths vote for; two empty ones if more of them are known as they are.

    Args:
        known: paths of the manifest as bytes, in the column ``_known``.
        now: paths of the records as bytes, in the column ``_path``.
    """
    # A hash selects them, so that they are the same in every run.
    some = now.select("_path").where(_is_text("_path")).orderBy(F.xxhash64("_path"), "_path").limit(SAMPLE)
    sample = [bytes(row[0]) for row in some.collect()]
    names = sorted({_name(path).decode() for path in sample})
    ranked = known.select("_known", F.substring_index(F.col("_known").cast("string"), "/", -1).alias("_name"))
    rank = F.row_number().over(Window.partitionBy("_name").orderBy("_known"))
    namesakes = ranked.where(F.col("_name").isin(names)).withColumn("_rank", rank).where(F.col("_rank") <= MOST)
    return vote(sample, [bytes(row[0]) for row in namesakes.select("_known").collect()])


def vote(sample: Sequence[bytes], known: Iterable[bytes]) -> Root:
    """Counts the votes of a sample of paths."""
    by_name: dict[bytes, set[bytes]] = defaultdict(set)
    for path in known:
        by_name[_name(path)].add(path)
    votes: Counter[Root] = Counter()
    for path in sample:
        votes.update({_above_common(other, path) for other in by_name[_name(path)]})
    if not votes:
        return b"", b""
    # Of two that are equally good the shorter leaves more of the paths to agree.
    best, count = min(votes.items(), key=lambda item: (-item[1], len(item[0][0]) + len(item[0][1]), item[0]))
    own = sum(path in by_name[_name(path)] for path in sample)
    return best if count > own else (b"", b"")


def in_manifest(path: Column, root: Root) -> Column:
    """Returns the name that a path of the records has in the manifest."""
    known, here = (F.unhex(F.lit(start.hex())) for start in root)
    rest = F.substring(path, len(root[1]) + 1, 1 << 30)
    return F.when(F.startswith(path, here), F.concat(known, rest)).otherwise(path)


def _is_text(path: str) -> Column:
    return F.is_valid_utf8(F.col(path).cast("string"))


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def _above_common(a: bytes, b: bytes) -> Root:
    """Returns the beginnings of two paths, before the parts at their ends that are the same."""
    first, second = a.split(b"/"), b.split(b"/")
    same = 0
    while same < min(len(first), len(second)) and first[-1 - same] == second[-1 - same]:
        same += 1
    return _start(first, same), _start(second, same)


def _start(parts: Sequence[bytes], same: int) -> bytes:
    above = parts[: len(parts) - same]
    return b"/".join(above) + b"/" if above else b""
