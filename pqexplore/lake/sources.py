"""Tables of other libraries as sources of a scan."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.lake.listing import catalog
from pqexplore.lake.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.lake.entries import LakeSource


def resolved(source: LakeSource, settings: Settings, spark: SparkSession | None) -> tuple[LakeSource, Settings]:
    """The source as `listing` takes it, and the settings with the storage options and the version of a library's table."""
    names = spark is None  # else they are names of the session's tables
    found, options, version = catalog.resolved(source, settings.storage_options, names)
    settings = dataclasses.replace(settings, storage_options=options)
    return found, (dataclasses.replace(settings, version=version) if settings.as_of is None else settings)
