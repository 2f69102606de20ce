"""Tables of a pyiceberg catalog, and the storage options for their files.

pyiceberg and fsspec name the same settings differently. They are translated only here. Logs of tables that are given by
path are read through fsspec, with the caller's storage options unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from pyiceberg.table import Table as IcebergTable

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


def is_iceberg_table(source: object) -> TypeGuard[IcebergTable]:
    """Whether a source is a pyiceberg Table; a DataFrame of Spark Connect has any attribute, as a column."""
    if hasattr(source, "inputFiles"):
        return False
    return hasattr(source, "metadata_location") and hasattr(source, "metadata")


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
