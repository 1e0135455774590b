"""Objects of stores, as the core reads them: metadata of unlisted objects, whole objects together, ranges.

Every request has the entity tag or the version of the row as its condition, so an object that was replaced since is a row with
the status ``changed-while-reading``. Credentials come from each worker's own environment, like those of the provider's tools;
never from a row or a plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import engine
from .schemes import Place, resolve

if TYPE_CHECKING:
    from .core import Reading

Row = dict[str, Any]


@dataclass(frozen=True)
class Access:
    """How stores are reached, where the defaults (their own address, the environment's region and credentials) don't apply.

    ``endpoint``: the address of the service, ``http://127.0.0.1:9000``. ``region``: of the bucket. ``anonymous``: send requests
    without credentials. ``requests``: the most concurrent requests of one task (by default 64). In a process all stores are
    reached in the same way, except for accounts of Azure that locations name. ``of_s3``: endpoint, region and anonymous access by
    the settings of Spark (:mod:`hashmill.spark.s3a`), for S3 alone and where nothing else is named.
    """

    endpoint: str | None = None
    region: str | None = None
    anonymous: bool = False
    requests: int | None = None
    of_s3: tuple[str | None, str | None, bool] | None = None

    def use(self, place: Place | None = None, memory: str = "64M") -> None:
        """Reaches stores in this way from now on; half of ``memory`` is for answers that wait to be hashed.

        The account that ``place`` names is the process's account until another place is used. A key that the environment has
        for another account is refused by Azure.

        Raises:
            ValueError: the endpoint or the region is not valid.
        """
        _name_account(place and place.account)
        endpoint, region, anonymous = self.of_s3 if self.of_s3 and place and _is_s3(place) else (None, None, False)
        engine.reach(
            endpoint=self.endpoint or (place and place.endpoint) or endpoint,
            region=self.region or region,
            anonymous=self.anonymous or anonymous,
            requests=self.requests,
            memory=memory,
        )


def _is_s3(place: Place) -> bool:
    return place.location.startswith(b"s3://")


_VARIABLE = "AZURE_STORAGE_ACCOUNT"

_OWN: str | None = None
"""The account that the environment names by itself."""

_NAMED: str | None = None
"""The account of a location, while it stands in the environment."""


def _name_account(account: str | None) -> None:
    """Puts the account of a location into the environment, where the engine looks, or restores the environment's own.

    A name in the environment that isn't from here is the environment's own.
    """
    global _OWN, _NAMED
    there = os.environ.get(_VARIABLE)
    if _NAMED is None or there != _NAMED:
        _OWN = there
    _NAMED = account
    name = account or _OWN
    if name is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = name


def is_known(row: Row) -> bool:
    """Returns whether a row identifies its bytes: by a size, and a condition for requests."""
    return row["size"] is not None and (row["etag"] is not None or row["modified"] is not None)


def look_up(rows: Sequence[Row], access: Access) -> None:
    """Looks up the missing metadata of rows, many requests at a time. Objects that don't exist get their status."""
    for place, same in _by_account(rows):
        access.use(place)
        _look_up(same)


def _look_up(rows: Sequence[Row]) -> None:
    unknown = [row for row in rows if not is_known(row)]
    for row, found in zip(unknown, engine.look_up([_asked(row) for row in unknown]), strict=True):
        status, reason, error, size, modified, etag, version = found
        if status is not None:
            row.update(status=status, reason=reason, error=error)
        elif row["size"] not in (None, size) or (row["etag"] or etag or "").strip('"') != (etag or ""):
            row.update(status="changed-while-reading", reason="changed")
        else:
            row.update(size=size, modified=modified, etag=etag, version=version)


def hash_rows(rows: Sequence[Row], reading: Reading) -> None:
    """Fills in status, reason and digests (or parts) of rows."""
    for place, same in _by_account(rows):
        reading.access.use(place, reading.memory)
        _look_up(same)
        _hash([row for row in same if row["status"] is None], reading)


def _hash(rows: Sequence[Row], reading: Reading) -> None:
    whole = [row for row in rows if row["offset"] is None]
    asked = list(map(_asked, whole))
    read = engine.read_objects(asked, reading.algorithms, reading.contents.inspection(), threads=reading.threads, memory=reading.memory)
    for row, found in zip(whole, read, strict=True):
        row.update(status=found["status"], reason=found["reason"], error=found["error"])
        if found["status"] == "hashed":
            row.update(digests=found["digests"], facts=found["facts"])
    for row in rows:
        if row["offset"] is not None:
            status, reason, error, parts = engine.object_part(_asked(row), list(reading.algorithms), row["offset"], row["length"])
            row.update(status=status, reason=reason, error=error, parts=parts if status == "hashed" else None)


def _by_account(rows: Sequence[Row]) -> Iterator[tuple[Place, list[Row]]]:
    """Rows that are reached in the same way, and the place of one of them."""
    groups: dict[tuple[str | None, str | None, bool], tuple[Place, list[Row]]] = {}
    for row in rows:
        place = resolve(row["location"])
        groups.setdefault((place.account, place.endpoint, _is_s3(place)), (place, []))[1].append(row)
    yield from groups.values()


def _asked(row: Row) -> engine.Asked:
    return (resolve(row["location"]).location, row["version"], row["etag"], row["size"], row["modified"])
