"""Locations in the spelling of Spark.

``s3a`` and ``s3n`` are S3, ``abfss`` and ``wasbs`` are Azure with the account in the host, ``file:/PATH`` is a file. Locations
that only Hadoop reads (HDFS, DBFS, …) are recognised. In rows a location stays as it was written.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field

from hashmill._hashmill import is_stored, local_path


class Kind(enum.Enum):
    """The reader of a location."""

    LOCAL = "local"
    STORE = "store"
    HADOOP = "hadoop"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class Place:
    """A location in the spelling of the engine: a path, a location of a store, or one that Hadoop reads.

    ``account`` and ``endpoint``: the account of Azure that the location names, and its address if it is not in the usual cloud.
    ``why``: why it is unusable.
    """

    kind: Kind
    location: bytes
    account: str | None = None
    endpoint: str | None = None
    why: str | None = field(default=None, compare=False)


HADOOP = ("hdfs", "viewfs", "webhdfs", "swebhdfs", "dbfs", "ofs", "o3fs")
"""Schemes that are left to Hadoop's own file systems."""

HADOOP_PATTERN = f"^({'|'.join(HADOOP)}):/"
"""The beginnings of their locations."""

_SAME = {b"s3a": b"s3", b"s3n": b"s3"}

_USUAL = "core.windows.net"
_CLOUDS = (_USUAL, "core.usgovcloudapi.net", "core.chinacloudapi.cn")

_SCHEME = re.compile(rb"([a-z][a-z0-9]*):/")

_ANY_SCHEME = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]+)://")
"""The beginning of a location of any scheme: a name of a file is never like it, as a path with it would have an empty part."""

_READ = ("s3", "s3a", "s3n", "gs", "az", "abfs", "abfss", "wasb", "wasbs", "https", "http", "file", *HADOOP)
"""All schemes that are read."""

_HOSTS = "|".join(map(re.escape, _CLOUDS)).encode()
_AZURE = re.compile(rb"(?:abfss?|wasbs?)://([a-z0-9$-]+)@([a-z0-9]{3,24})\.(?:dfs|blob)\.(%s)(?:/(.*))?" % _HOSTS, re.DOTALL)


def resolve(location: bytes) -> Place:
    """Returns the reader of a location, and the engine's spelling of it.

    A host that is not Azure's is not an account: credentials are never sent there.
    """
    any_scheme = _ANY_SCHEME.match(location)
    if any_scheme and any_scheme[1].decode() not in _READ:
        return _unusable(location, _unread(any_scheme[1].decode()))
    found = _SCHEME.match(location)
    if found is None:
        return Place(Kind.LOCAL, location)
    scheme, rest = found[1], location[found.end(1) :]
    if scheme == b"file" and not rest.startswith(b"://"):
        return Place(Kind.LOCAL, rest[1:])
    if scheme in _SAME and rest.startswith(b"://"):
        return Place(Kind.STORE, _SAME[scheme] + rest)
    if scheme in (b"abfs", b"abfss", b"wasb", b"wasbs"):
        return _of_azure(location)
    if scheme.decode() in HADOOP:
        return Place(Kind.HADOOP, location)
    if is_stored(location):
        # Names of remotes are those of this machine: workers have other settings.
        return Place(Kind.STORE, location) if b"://" in location else _unusable(location, "is the name of a remote, which workers don't have")
    path = local_path(location)
    return _unusable(location, "is of another machine") if path is None else Place(Kind.LOCAL, path)


def _unusable(location: bytes, why: str) -> Place:
    return Place(Kind.UNUSABLE, location, why=why)


def _unread(scheme: str) -> str:
    """Returns why locations of a scheme are not read."""
    if scheme.lower() in _READ:
        return f"schemes are in lower case: write {scheme.lower()}://"
    return f"{scheme}:// is not read (there are: {', '.join(_READ)})"


def _of_azure(location: bytes) -> Place:
    found = _AZURE.fullmatch(location)
    if found is None:
        return _unusable(location, "names no account of Azure: write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY")
    container, account, cloud = found[1], found[2].decode(), found[3].decode()
    endpoint = None if cloud == _USUAL else f"https://{account}.blob.{cloud}"
    return Place(Kind.STORE, b"az://" + container + b"/" + (found[4] or b""), account, endpoint)


def start_of(location: bytes) -> tuple[bytes, bytes]:
    """Returns the beginning of a store's location as it was written, and as the engine writes it: both up to the key."""
    place = resolve(location).location
    bucket_end = place.find(b"/", place.index(b"://") + 3) + 1
    key = place[bucket_end:] if bucket_end else b""
    if not key:
        return location.rstrip(b"/") + b"/", place.rstrip(b"/") + b"/"
    return location[: -len(key)], place[:bucket_end]
