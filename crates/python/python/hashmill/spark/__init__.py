"""The engine on Apache Spark: digests of a DataFrame of locations or of buffers.

``hash_objects``, ``audit``, ``match_known``, ``duplicates``, ``similar_pairs`` and ``digest_column`` take and return DataFrames.
``python -m hashmill.spark`` is a ready job. The work inside a task (:mod:`hashmill.spark.core`) maps Arrow batches to
Arrow batches and does not depend on Spark; :mod:`hashmill.spark.on_ray` and :mod:`hashmill.spark.on_dask` run it on two others.

Importing this package needs no PySpark; using one of its functions does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audits import audit, counts
    from .columns import digest_column
    from .contents import Contents
    from .duplicate import duplicates
    from .inventory import read_inventory
    from .known import match_known
    from .lake import Lake
    from .listing import list_objects
    from .objects import hash_objects
    from .plan import Cost
    from .requests import Prices
    from .runs import alarms_of, run_into
    from .similar import similar_pairs
    from .source import register
    from .stored import Access

__all__ = [
    "Access",
    "Contents",
    "Cost",
    "Lake",
    "Prices",
    "alarms_of",
    "audit",
    "counts",
    "digest_column",
    "duplicates",
    "hash_objects",
    "list_objects",
    "match_known",
    "read_inventory",
    "register",
    "run_into",
    "similar_pairs",
]

_WHERE = {
    "Access": "stored",
    "Contents": "contents",
    "Cost": "plan",
    "Lake": "lake",
    "Prices": "requests",
    "alarms_of": "runs",
    "audit": "audits",
    "counts": "audits",
    "digest_column": "columns",
    "duplicates": "duplicate",
    "hash_objects": "objects",
    "list_objects": "listing",
    "match_known": "known",
    "read_inventory": "inventory",
    "register": "source",
    "run_into": "runs",
    "similar_pairs": "similar",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .session import require_pyspark

    require_pyspark()
    return getattr(importlib.import_module("." + _WHERE[name], __name__), name)
