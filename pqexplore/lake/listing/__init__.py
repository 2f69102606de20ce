"""Which files a lake has, and which of them are live.

Folders are listed here and not by Spark, whose listing hides empty files, and names that begin with `_` or a dot. For a
table with a log, the log decides which files are live: the folder also holds files that are no longer in the table. This
holds on every store, and for a part of a table: the folders above are searched for a log, too.

`choice` resolves a source to files, `members` finds their tables, `names` knows which names are those of Parquet files.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import StoreError, UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.source import local_path
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.listing.catalog import is_delta_table, is_iceberg_table, is_table, no_table
from pqexplore.lake.listing.choice import Choice, choice_of
from pqexplore.lake.listing.logged_tables import Table
from pqexplore.lake.listing.members import Members
from pqexplore.lake.listing.names import PATTERNS
from pqexplore.lake.places.disk import Disk
from pqexplore.lake.spark import data_frames

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.lake.listed_files import LakeSource
    from pqexplore.lake.logs.table_log import Fact, Version


@dataclasses.dataclass
class Listing:
    """`entries` are files to read. `others` are not: they are not live in their table, outside of it, or not Parquet by name.

    `tables` are the tables whose logs were read, or could not be read; `facts` what they say of live files, by path, and
    `names` how they name these.
    `not_listed` counts other files that are in neither list, because there are too many.
    """

    entries: list[Entry]
    others: list[Entry] = dataclasses.field(default_factory=list)
    tables: list[Table] = dataclasses.field(default_factory=list)
    not_listed: int = 0
    facts: Mapping[str, Fact] = dataclasses.field(default_factory=dict)
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)


def listing(
    source: LakeSource,
    *,
    spark: SparkSession | None = None,
    patterns: Sequence[str] = PATTERNS,
    storage_options: StorageOptions | None = None,
    follow_outside: bool = False,
    version: Version | None = None,
) -> Listing:
    """The files that a source names, each once, sorted by path.

    A source is a file, a folder, a pattern (`**` goes down), a URL, a list of these, the name of a Spark table or view,
    a Spark DataFrame (see `spark_frames`), a pyiceberg Table, or the folder of a Delta or Iceberg table, or a part of it. A
    deltalake DeltaTable is read at its version, and a pyiceberg Table as its catalog has it, also where another source of
    the list has the same table.
    Links may lead outside of the folder, and a log may name files outside of the table's folder; these are read only with
    `follow_outside` (see `allowed_paths`). `version` is that of
    the only table, or a time for all tables. Raises UsageError if the source names no files, or if a table does not have
    the version.
    """
    members = Members(patterns, storage_options or {}, follow_outside, version)
    _add(members, source, spark)
    found = Listing(*members.sorted(), members.not_listed, members.facts, members.names)
    if version is not None and not found.tables:
        raise UsageError("version, snapshot and timestamp are for Delta and Iceberg tables; the source has none")
    if isinstance(version, int | str) and len(found.tables) > 1:
        raise UsageError(
            f"the source has {len(found.tables):,} tables, and version {version} is that of one; a timestamp is for all"
        )
    return found


def _add(members: Members, source: LakeSource, spark: SparkSession | None) -> None:
    if hasattr(source, "inputFiles"):
        for path in data_frames.files(source):
            members.add(_entry(path))
    elif is_iceberg_table(source):
        members.add_table(source)
    elif is_delta_table(source):
        members.pin(source.table_uri, source.version())
        _add_path(members, source.table_uri, None)
    elif isinstance(source, (str, os.PathLike)):
        _add_path(members, os.fspath(source), spark)
    elif isinstance(source, Iterable):
        for one in sorted(source, key=lambda one: not is_table(one)):
            _add(members, one, spark)
    else:
        raise UsageError(f"a path, pattern, list, table name or DataFrame is expected, not {type(source).__name__}")


def _add_path(members: Members, source: str, spark: SparkSession | None) -> None:
    chosen = choice_of(source, members.patterns, members.options)
    if chosen is None:
        frame = None if spark is None else data_frames.table(spark, source)
        if spark is None or frame is None:
            raise UsageError(f"{source} is not a file, folder, pattern or known table{no_table(source)}")
        table = data_frames.logged(spark, source)
        if table is not None:
            if table.format == "iceberg" or members.version is not None:
                return _add_logged(members, source, table)  # only the log has the files
            with contextlib.suppress(UsageError, StoreError):  # where Spark reaches it, and we do not
                return _add_logged(members, source, table)
        _add(members, frame, spark)
    else:
        _add_choice(members, chosen)


def _add_logged(members: Members, source: str, table: data_frames.Logged) -> None:
    chosen = choice_of(table.folder, members.patterns, members.options)
    if chosen is None:
        raise UsageError(
            f"the log of {source} is in {table.folder}, which this process does not see: its files and versions are unknown"
        )
    if table.snapshot is not None:
        members.pin(table.folder, table.snapshot)
    _add_choice(members, chosen)


def _add_choice(members: Members, chosen: Choice) -> None:
    if not members.add_choice(chosen):
        raise UsageError(_nothing(chosen, members.patterns))


def _nothing(chosen: Choice, patterns: Sequence[str]) -> str:
    if chosen.segments and chosen.given is not None:
        return f"no file matches {chosen.source}"
    where = chosen.source if chosen.given is None else chosen.given
    return f"{where} has no file named {', '.join(patterns)}; pass patterns=[…] for other names"


def _entry(path: str) -> Entry:
    """The entry of a file that Spark names, with size and time from the file system."""
    where = local_path(path)
    if where is None:
        return Entry(path)
    item = Disk().item(where)
    return Entry(where, item.size, item.modified, None, os.path.basename(where)[:1] in ("_", "."))
