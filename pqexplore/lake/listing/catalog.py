"""Tables of deltalake, pyiceberg and pyiceberg's catalogs, and the storage options for their files.

These libraries and fsspec name the same settings differently. They are translated only here. Logs of tables that are given
by path are read through fsspec, with the caller's storage options unchanged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import clip

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from pyiceberg.table import Table as IcebergTable

    from pqexplore.engine.file.caller_types import StorageOptions
    from pqexplore.lake.listed_files import LakeSource

_NAMES = {
    "s3.endpoint": "endpoint_url",
    "s3.access-key-id": "key",
    "s3.secret-access-key": "secret",
    "s3.session-token": "token",
    "gcs.project-id": "project",
    "gcs.oauth2.token": "token",
    "adls.account-name": "account_name",
    "adls.account-key": "account_key",
    "adls.connection-string": "connection_string",
    "adls.sas-token": "sas_token",
}
_REGION = "s3.region"

_OF_DELTALAKE = {
    "aws_access_key_id": "key",
    "aws_secret_access_key": "secret",
    "aws_session_token": "token",
    "aws_endpoint_url": "endpoint_url",
    "aws_endpoint": "endpoint_url",
    "azure_storage_account_name": "account_name",
    "azure_storage_account_key": "account_key",
    "azure_storage_sas_token": "sas_token",
    "azure_storage_client_id": "client_id",
    "azure_storage_client_secret": "client_secret",
    "azure_storage_tenant_id": "tenant_id",
    "google_service_account": "token",
}
"""fsspec's names. Source: https://docs.rs/object_store, the documentation of its `AmazonS3ConfigKey` and the like."""

_PREFIX = re.compile("aws_|azure_storage_|azure_|google_")
_IDENTIFIER = re.compile(r"\w[\w-]*(\.\w[\w-]*){2,}")


def is_delta_table(source: object) -> TypeGuard[DeltaTable]:
    """Whether a source is a deltalake DeltaTable; a DataFrame of Spark Connect has any attribute, as a column."""
    if hasattr(source, "inputFiles"):
        return False
    return hasattr(source, "table_uri") and hasattr(source, "file_uris")


def resolved(
    source: LakeSource, options: StorageOptions, names: bool = True
) -> tuple[LakeSource, StorageOptions, int | None]:
    """A source that `listing` takes, the storage options for its files, and the version of a DeltaTable.

    A DeltaTable becomes its address; in a list it stays, because it has a version of its own. With `names`, the identifier
    of a table in a catalog becomes a pyiceberg Table. The caller's `options` go before those of the tables. UsageError if a
    catalog does not give the table, or tables of a list need different options.
    """
    if is_delta_table(source):
        return source.table_uri, options or _of_delta(source), source.version()
    found = _loaded(source) if names and isinstance(source, str) else source
    if is_iceberg_table(found):
        return found, options or storage_options(found), None
    if isinstance(found, str | os.PathLike) or hasattr(found, "inputFiles"):
        return found, options, None
    if not isinstance(found, Iterable):
        return found, options, None
    members: list[LakeSource] = []
    needed: list[StorageOptions] = []
    for one in found:
        member, own, _ = resolved(one, options, names)
        members.append(one if is_delta_table(one) else member)
        if own and own not in needed:
            needed.append(own)
    if len(needed) > 1:
        raise UsageError(
            "the tables of the list come with different storage options: scan them apart, or pass storage_options for all"
        )
    return members, needed[0] if needed else options, None


def _of_delta(table: DeltaTable) -> StorageOptions:
    options: dict[str, object] = {}
    for name, value in (getattr(table, "_storage_options", None) or {}).items():
        bare = _PREFIX.sub("", name.lower(), count=1)
        for known, ours in _OF_DELTALAKE.items():
            if bare == _PREFIX.sub("", known, count=1):
                options[ours] = value
        if bare in ("region", "default_region"):
            options["client_kwargs"] = {"region_name": value}
    return options


def _loaded(text: str) -> str | IcebergTable:
    """The table of `catalog.namespace.table`; the text itself if it is a path, or no such catalog is configured."""
    catalog, _, identifier = text.partition(".")
    if _IDENTIFIER.fullmatch(text) is None or os.path.lexists(text) or catalog not in _catalogs():
        return text
    from pyiceberg.catalog import load_catalog
    from pyiceberg.utils.config import Config

    try:
        return load_catalog(catalog, **(Config().get_catalog_config(catalog) or {})).load_table(identifier)
    except Exception as error:  # each catalog has the errors of its driver
        words = clip(f"{type(error).__name__}: {error}".splitlines()[0], 200)
        raise UsageError(f"the catalog {catalog} does not give the table {identifier}: {words}") from None


def _catalogs() -> list[str]:
    """The names of the catalogs that pyiceberg's configuration has: `.pyiceberg.yaml` and the environment."""
    try:
        from pyiceberg.utils.config import Config
    except ImportError:
        return []
    found = Config().config.get("catalog")
    return sorted(found) if isinstance(found, dict) else []


def no_table(text: str) -> str:
    """Why a text that is no path names no table; empty if it cannot be the name of one."""
    if _IDENTIFIER.fullmatch(text) is None:
        return ""
    known = ", ".join(_catalogs()) or "no catalog"
    return f"; {text.partition('.')[0]} would be a catalog of pyiceberg's configuration, which has {known}"


def is_iceberg_table(source: object) -> TypeGuard[IcebergTable]:
    """Whether a source is a pyiceberg Table; a DataFrame of Spark Connect has any attribute, as a column."""
    if hasattr(source, "inputFiles"):
        return False
    return hasattr(source, "metadata_location") and hasattr(source, "metadata")


def is_table(source: object) -> bool:
    """Whether a source is a table of deltalake or pyiceberg."""
    return is_delta_table(source) or is_iceberg_table(source)


def storage_options(table: IcebergTable) -> dict[str, object]:
    """The fsspec storage options for a table's files, from the properties that its catalog gave to pyiceberg."""
    scheme = table.metadata.location.partition("://")[0]
    prefix = {"gs": "gcs.", "gcs": "gcs.", "abfs": "adls.", "abfss": "adls."}.get(scheme, "s3.")
    given = table.io.properties
    if prefix == "s3." and not scheme.startswith("s3"):
        return {}
    options: dict[str, object] = {
        name: given[key] for key, name in _NAMES.items() if key.startswith(prefix) and key in given
    }
    if prefix == "s3." and _REGION in given:
        options["client_kwargs"] = {"region_name": given[_REGION]}
    return options
