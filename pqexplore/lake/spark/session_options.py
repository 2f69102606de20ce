"""Storage options from the settings of a Spark session, so that a bucket which Spark reads is read without another word.

Hadoop's drivers have settings of their own; those below have the same meaning for fsspec's. A session keeps them in its
configuration, in Hadoop's, or with the prefix `spark.hadoop.`. Their values go where storage options go, and are not stored,
logged or part of an error.

Sources: https://hadoop.apache.org/docs/stable/hadoop-aws/tools/hadoop-aws/authentication.html,
https://hadoop.apache.org/docs/stable/hadoop-azure/abfs.html and
https://github.com/GoogleCloudDataproc/hadoop-connectors/blob/master/gcs/CONFIGURATION.md.
"""

from __future__ import annotations

import os
import re
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard

from pqexplore.lake.spark import data_frames

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Setting = Callable[[str], str]
"""The text of a setting; empty if it is not set."""

_PATH = re.compile(r"[/\\*?\[]")

ANONYMOUS = "AnonymousAWSCredentialsProvider"


def options_of(spark: SparkSession, urls: Sequence[str]) -> dict[str, object]:
    """The storage options for URLs; empty if they need different ones, or the session sets none."""
    read = _settings(spark)
    found = [_options(url, read) for url in urls]
    return found[0] if found and all(one == found[0] for one in found) else {}


def urls_in(source: object, spark: SparkSession | None = None) -> Iterator[str]:
    """The URLs of a source: a text, a DataFrame, or a list of these. `spark` knows names of tables and views."""
    for one in source if isinstance(source, list | tuple) else [source]:
        if isinstance(one, str) and "://" in one:
            yield one
        elif spark is not None and (hasattr(one, "inputFiles") or _may_be_table(one)):
            yield from (root for root in data_frames.roots(spark, one) if "://" in root)


def _may_be_table(source: object) -> TypeGuard[str]:
    """Whether a source may be the name of a table: it is neither a path nor a pattern."""
    return isinstance(source, str) and not _PATH.search(source) and not os.path.lexists(source)


def _options(url: str, read: Setting) -> dict[str, object]:
    parts = urllib.parse.urlsplit(url)
    scheme = parts.scheme.lower()
    if scheme in ("s3", "s3a", "s3n"):
        return _s3(parts.netloc, read)
    if scheme in ("abfs", "abfss"):
        return _azure(parts.netloc.rpartition("@")[2], read)
    if scheme in ("gs", "gcs"):
        return _google(read)
    return {}


def _s3(bucket: str, read: Setting) -> dict[str, object]:
    """Settings of one bucket go before those of all."""

    def own(name: str) -> str:
        return read(f"fs.s3a.bucket.{bucket}.{name}") or read(f"fs.s3a.{name}")

    made: dict[str, object] = {}
    key, secret, token = own("access.key"), own("secret.key"), own("session.token")
    if own("aws.credentials.provider").strip().rpartition(".")[2] == ANONYMOUS:
        made["anon"] = True
    elif key and secret:
        made |= {"key": key, "secret": secret} | ({"token": token} if token else {})
    endpoint = own("endpoint")
    if endpoint and endpoint != "s3.amazonaws.com":  # s3fs's own
        plain = own("connection.ssl.enabled").lower() == "false"
        made["endpoint_url"] = endpoint if "://" in endpoint else f"http{'' if plain else 's'}://{endpoint}"
    if own("endpoint.region"):
        made["client_kwargs"] = {"region_name": own("endpoint.region")}
    if own("path.style.access").lower() == "true":
        made["config_kwargs"] = {"s3": {"addressing_style": "path"}}
    return made


def _azure(host: str, read: Setting) -> dict[str, object]:
    account = host.partition(".")[0]
    key, token = read(f"fs.azure.account.key.{host}"), read(f"fs.azure.sas.fixed.token.{host}")
    if key:
        return {"account_name": account, "account_key": key}
    return {"account_name": account, "sas_token": token} if token else {}


def _google(read: Setting) -> dict[str, object]:
    if read("fs.gs.auth.type").upper() == "UNAUTHENTICATED":
        return {"token": "anon"}
    name = "auth.service.account.json.keyfile"
    file = read(f"fs.gs.{name}") or read(f"google.cloud.{name}")
    return {"token": file} if file else {}


def _settings(spark: SparkSession) -> Setting:
    """Reads a setting of the session, of Hadoop (which a session of Spark Connect does not show), or with its prefix."""

    def own(name: str) -> str | None:
        value: str | None = spark.conf.get(name, None)
        return value

    def hadoop(name: str) -> str | None:
        found = getattr(getattr(spark, "_jsc", None), "hadoopConfiguration", None)
        return None if found is None else found().get(name)

    def prefixed(name: str) -> str | None:
        return own(f"spark.hadoop.{name}")

    def read(name: str) -> str:
        for one in (own, hadoop, prefixed):
            try:
                value = one(name)
            except Exception:  # a session may not show a setting, and each raises its own
                continue
            if value:
                return value
        return ""

    return read
