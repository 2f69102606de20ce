"""Opens what a folder stores: the tables of a lake, or a Metadatastore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.lake import metadatastore
from pqexplore.lake.scanning import scan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.lake.lake import Lake
    from pqexplore.lake.metadatastore.store import Store


def stored(
    folder: str, spark: SparkSession | None = None, decryption: Decryption | None = None, follow_outside: bool = False
) -> Lake | Store | None:
    """The lake or the Metadatastore in a folder; None if it stores neither."""
    try:
        return scan.open(folder, spark, follow_outside=follow_outside)
    except UsageError:
        pass
    if metadatastore.is_store(folder, decryption=decryption):
        return metadatastore.open(folder, decryption=decryption, follow_outside=follow_outside)
    return None
