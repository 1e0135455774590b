"""Spark's settings of S3 (``fs.s3a.…``): those that hashmill uses, and those that it does not, which are named."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .stored import Access

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INSTEAD = {
    "access.key": "AWS_ACCESS_KEY_ID in the environment of workers (spark.executorEnv.AWS_ACCESS_KEY_ID)",
    "secret.key": "AWS_SECRET_ACCESS_KEY in the environment of workers",
    "session.token": "AWS_SESSION_TOKEN in the environment of workers",
    "aws.credentials.provider": "credentials as the AWS tools have them: environment, profiles, web identity, instance metadata",
    "assumed.role.arn": "role_arn in a profile of ~/.aws/config",
    "proxy.host": "HTTPS_PROXY in the environment of workers",
    "requester.pays.enabled": "nothing: hashmill can't read buckets where the requester pays",
    "encryption.key": "nothing: hashmill can't read objects that customer keys (SSE-C) encrypt",
}
"""Settings that are not used, and what is."""

_OF_AMAZON = re.compile(r"(?:https?://)?s3(?:[.-](?P<region>[a-z]+-[a-z-]+-\d))?\.amazonaws\.com(?:\.cn)?/?")


def with_settings(access: Access | None, spark: SparkSession) -> Access:
    """Returns how stores are reached, with the session's endpoint, region and anonymous access of S3 where ``access`` has none. A
    warning names settings that are not used."""
    if access and access.of_s3:
        return access
    given = _given(spark._jsparkSession.sessionState().newHadoopConf())
    anonymous = "Anonymous" in given.get("aws.credentials.provider", "")
    if anonymous:
        del given["aws.credentials.provider"]
    _name_unused(given)
    endpoint, region = given.get("endpoint") or None, given.get("endpoint.region") or None
    own = endpoint and _OF_AMAZON.fullmatch(endpoint)
    if own:
        endpoint, region = None, region or own["region"]
    if endpoint and "://" not in endpoint:
        endpoint = f"{'http' if given.get('connection.ssl.enabled') == 'false' else 'https'}://{endpoint}"
    return replace(access or Access(), of_s3=(endpoint, region, anonymous))


def _given(configuration: Any) -> dict[str, str]:
    """Returns the settings that something else than Hadoop's own defaults sets."""
    found = {}
    for name in ("endpoint", "endpoint.region", "connection.ssl.enabled", *_INSTEAD):
        sources = configuration.getPropertySources(f"fs.s3a.{name}")
        if sources and list(sources)[-1] != "core-default.xml":
            found[name] = configuration.get(f"fs.s3a.{name}") or ""
    buckets = configuration.getPropsWithPrefix("fs.s3a.bucket.")
    return {**found, **dict.fromkeys((f"bucket.{name}" for name in buckets), "")}


def _of_environment() -> list[str]:
    """Returns the credentials of the driver's environment, which Spark itself makes settings of."""
    return [value for name, value in os.environ.items() if name.startswith("AWS_")]


def _name_unused(given: dict[str, str]) -> None:
    for name, value in given.items():
        if name.startswith("bucket."):
            warnings.warn(f"fs.s3a.{name} is not used: Access(endpoint=…, region=…) is", stacklevel=4)
        elif name in _INSTEAD and value not in ("", "false", *_of_environment()):
            warnings.warn(f"fs.s3a.{name} is not used: set {_INSTEAD[name]}", stacklevel=4)
