"""Finds the tables of a source, each with its live files."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.lake.credentials import located
from pqexplore.lake.doctor.together import table_of
from pqexplore.lake.listing import Listing, listing
from pqexplore.lake.listing.catalog import resolved
from pqexplore.lake.listing.logged_tables import Table
from pqexplore.lake.listing.names import PATTERNS
from pqexplore.lake.logs.table_log import LIVE, LogError, version_of
from pqexplore.lake.places.opening import How
from pqexplore.lake.rows.constants import pairs
from pqexplore.lake.rows.lake_table import LakeTable
from pqexplore.lake.rows.table_files import Part

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits
    from pqexplore.lake.listed_files import LakeSource
    from pqexplore.lake.logs.table_log import Version


def open_table(
    source: LakeSource,
    *,
    version: int | str | None = None,
    snapshot: int | str | None = None,
    timestamp: datetime.datetime | datetime.date | str | None = None,
    patterns: Sequence[str] = PATTERNS,
    follow_outside: bool = False,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    storage_options: StorageOptions | None = None,
) -> LakeTable:
    """The rows of a Delta or Iceberg table, or of the Parquet files of a folder, as one table; see `LakeTable`.

    `source`, the version of three kinds, `patterns`, `follow_outside` and `storage_options` are those of `scan`; `decryption`
    and `limits` those of `pqexplore.open`. UsageError if the source has no table, or several: it names them.
    """
    how = How(decryption, limits, storage_options, follow_outside)
    found = tables_of(source, how, version_of(version, snapshot, timestamp), patterns)
    if len(found) != 1:
        some = ", ".join(one.path for one in found[:5])
        raise UsageError(f"there are {len(found):,} tables, and one is read: {some}{', …' if len(found) > 5 else ''}")
    return found[0]


def tables_of(
    source: LakeSource, how: How, version: Version | None = None, patterns: Sequence[str] = PATTERNS
) -> list[LakeTable]:
    """The tables of a source, by their paths; all files that are in no table with a log are one. UsageError as `listing`."""
    options = how.storage_options or {}
    source = located(source, options)
    source, options, own = resolved(source, options)
    found = listing(
        source,
        patterns=patterns,
        storage_options=options,
        follow_outside=how.follow_outside,
        version=own if version is None else version,
    )
    how = How(how.decryption, how.limits, options, how.follow_outside)
    tables = [_logged(one, found, how) for one in found.tables]
    refused = [one for one in found.others if one.error is not None]
    plain = sorted((one for one in (*found.entries, *refused) if one.table_path is None), key=lambda one: one.path)
    if plain:
        parts = [Part(one, one.path, None, pairs(one.partition_values)) for one in plain]
        path = os.fspath(source) if isinstance(source, str | os.PathLike) else table_of(plain[0].path, None)
        tables.append(LakeTable(path, "", None, parts, how, None))
    return sorted(tables, key=lambda one: one.path)


def _logged(table: Table, found: Listing, how: How) -> LakeTable:
    """A table with a log."""
    if isinstance(table.log, LogError):
        return LakeTable(table.path, table.format, None, (), how, table.log.refusal(table.path))
    problem: Exception | None = None
    for one in found.others:
        if one.table_path == table.path and one.state == LIVE:
            words = one.error or one.state_reason or "it is not read"
            problem = problem or CorruptFileError(f"{one.path} is a live file, and {words}", address="")
    parts = [
        Part(one, found.names.get(one.path, one.path), found.facts.get(one.path), pairs(one.partition or ""))
        for one in found.entries
        if one.table_path == table.path
    ]
    return LakeTable(table.path, table.format, table.log, parts, how, problem)
