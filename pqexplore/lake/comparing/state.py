"""The files of one side of a comparison, and what is known of them without opening one."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.limits import DEFAULT
from pqexplore.lake.listed_files import partition_values
from pqexplore.lake.listing import listing
from pqexplore.lake.listing.catalog import is_iceberg_table
from pqexplore.lake.listing.choice import choice_of
from pqexplore.lake.listing.names import PATTERNS
from pqexplore.lake.logs import reading
from pqexplore.lake.logs.log_paths import require_inside
from pqexplore.lake.logs.table_log import LIVE, LogError, TableLog, Version, format_of
from pqexplore.lake.places.allowed_paths import named_outside
from pqexplore.lake.places.choice import place_of
from pqexplore.lake.places.opening import How
from pqexplore.lake.places.place import Place

if TYPE_CHECKING:
    from pyiceberg.table import Table as IcebergTable

    TableSource: TypeAlias = str | os.PathLike[str] | IcebergTable


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """A file of a side: `rows` that it stores, `deleted` ones, bytes; None if unknown.

    `partition` has the `key=value` folders of its path. `vector` names its deletion vector. `opened` opens it; None for a
    file outside of the folder, as `refusal` says, or of another format.
    """

    rows: int | None
    deleted: int | None
    size: int | None
    partition: str
    vector: str | None = None
    opened: Callable[[], ParquetFile] | None = None
    refusal: str | None = None

    @property
    def live(self) -> int | None:
        """The rows that a reader gets."""
        return None if self.rows is None or self.deleted is None else self.rows - self.deleted


@dataclasses.dataclass(frozen=True)
class State:
    """A side of a comparison: where it lies, its files by their names below there, and its log if it is a table."""

    root: str
    members: Mapping[str, Member]
    log: TableLog | None = None

    @property
    def version(self) -> int | None:
        """The Delta version, or the id of the Iceberg snapshot; None for a folder."""
        log = self.log
        return None if log is None else log.snapshot_id if log.version is None else log.version

    @property
    def label(self) -> str:
        """The version in words; "" for a folder, or a table without any."""
        if self.log is None or self.version is None:
            return ""
        return f"{'version' if self.log.format == 'delta' else 'snapshot'} {self.version}"


def state_of(source: TableSource, version: Version | None, how: How) -> State:
    """The files of a folder or pattern, or of a table at a version.

    Raises UsageError for a source without files, a version that the log does not have, and a folder with a version;
    CorruptFileError and UnsupportedFeatureError for a log that cannot be read.
    """
    options = how.storage_options or {}
    if is_iceberg_table(source):
        place, root = place_of(source.metadata.location, options)
        return _of_table(place, root.rstrip("/"), "iceberg", source, version, how)
    if not isinstance(source, str | os.PathLike):
        raise UsageError(f"a folder or table is expected, not {type(source).__name__}")
    text = os.fspath(source)
    choice = choice_of(text, PATTERNS, options)
    root = text.rstrip("/\\")
    if choice is not None and choice.covers(choice.start):
        format = format_of(choice.place, choice.start)
        if format is not None:
            return _of_table(choice.place, choice.start, format, None, version, how)
        root = choice.given or choice.place.address(choice.start)
    if version is not None:
        raise UsageError(f"{text} is no Delta or Iceberg table, so it has no version {version}")
    found = listing(text, storage_options=options, follow_outside=how.follow_outside)
    refused = [one for one in found.others if one.error is not None]
    members = {
        one.path.removeprefix(root).lstrip("/\\"): Member(
            one.listed_rows,
            one.deleted_rows if one.table_path else 0,
            one.size,
            one.partition_values,
            opened=None
            if one.error is not None
            else functools.partial(
                open_file, one.path, decryption=how.decryption, limits=how.limits, storage_options=how.storage_options
            ),
            refusal=one.error,
        )
        for one in (*found.entries, *refused)
    }
    return State(text, members)


def _of_table(
    place: Place, root: str, format: str, table: IcebergTable | None, version: Version | None, how: How
) -> State:
    options = how.storage_options or {}
    follow = (lambda address: place_of(address, options)) if how.follow_outside else None
    try:
        log = reading.read(place, root, format, table, follow, version)
    except LogError as error:
        raise error.refusal(place.address(root)) from None

    def opened(name: str) -> ParquetFile:
        if name in log.outside:
            return open_file(name, decryption=how.decryption, limits=how.limits, storage_options=how.storage_options)
        path = place.join(root, *name.split("/"))
        require_inside(place, path, root, how.follow_outside)
        return ParquetFile(place.source(path), decryption=how.decryption, limits=how.limits or DEFAULT)

    members = {
        name: Member(
            fact.rows,
            fact.deleted,
            fact.size,
            partition_values(name) if fact.partition is None else fact.partition,
            fact.vector,
            functools.partial(opened, name) if fact.parquet and (name in log.named or how.follow_outside) else None,
            None if name in log.named or how.follow_outside else named_outside(name, place.address(root)),
        )
        for name, fact in (*log.named.items(), *log.outside.items())
        if fact.state == LIVE
    }
    return State(place.address(root), members, log)
