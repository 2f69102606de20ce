"""The result of reading a table's log: which files are in a Delta or Iceberg table, which are not, and why.

`delta` reads logs directly, `iceberg` with pyiceberg, on every store that fsspec supports. The result is a `TableLog`:
names relative to the table's root, each with a `Fact`. Nothing is guessed from names or times of files.

A log is not trusted: files that it names outside of the table's root are kept apart (`log_paths`), each of its files has a
limit of bytes, and a log that cannot be read is an error of this table only.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, UsageError
from pqexplore.lake.logs.log_statistics import LogStatistics
from pqexplore.lake.logs.retention import UNKNOWN_RETENTION, Retention
from pqexplore.lake.logs.roaring import Positions
from pqexplore.lake.logs.table_schema import TableSchema
from pqexplore.lake.places.place import Place

LIVE = "live"
REMOVED = "removed"
DELETES = "deletes"
CHANGES = "changes"
UNREFERENCED = "unreferenced"
ORPHAN = "orphan"
UNKNOWN = "not-known"
OTHER = "other-version"
"""Only if an older version is read: this version does not have the file, and the newest or a later one does."""

DELTA_LOG = "_delta_log"
ICEBERG_METADATA = "metadata"
METADATA_FILE = ".metadata.json"
METADATA_ENDINGS = (METADATA_FILE, f"{METADATA_FILE}.gz")
VERSION_HINT = "version-hint.text"


Version: TypeAlias = int | str | datetime.datetime
"""A state of a table: a Delta version; an Iceberg snapshot's id, or the name of its branch or tag; or a time, for the state
that was current then."""

Follow = Callable[[str], tuple[Place, str]]
"""Gives the place and path of an address outside of the table, if the caller allowed it."""


class LogError(Exception):
    """A table's log cannot be read. `code` is the value of `tables.error_code`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def refusal(self, table: str) -> UsageError | CorruptFileError | UnsupportedFeatureError:
        """The error of a caller who needs to know which files of the table at this address are live."""
        text = f"{table}: {self.message}"
        if self.code in ("unsupported", "missing-library"):
            return UnsupportedFeatureError(text, address="")
        return CorruptFileError(text, address="")


class NoSuchVersion(LogError):
    """The log does not have the version that the caller asked for. The message says which ones it has."""

    def __init__(self, message: str) -> None:
        super().__init__("missing", message)

    def refusal(self, table: str) -> UsageError:
        """A UsageError: the version is what the caller asked for."""
        return UsageError(f"{table}: {self.message}")


def version_of(
    version: int | str | None, snapshot: int | str | None, timestamp: datetime.datetime | datetime.date | str | None
) -> Version | None:
    """The one of the three that is not None. UsageError if there are several, or the time is not in ISO 8601.

    A time without a zone is in UTC.
    """
    if sum(one is not None for one in (version, snapshot, timestamp)) > 1:
        raise UsageError("version, snapshot and timestamp do not go together: give one")
    if timestamp is None:
        return snapshot if version is None else version
    try:
        time = datetime.datetime.fromisoformat(timestamp if isinstance(timestamp, str) else timestamp.isoformat())
    except ValueError:
        raise UsageError(
            f"timestamp is a time as ISO 8601 writes it, such as 2026-11-23T06:00:00Z, not {timestamp!r}"
        ) from None
    return time.replace(tzinfo=datetime.UTC) if time.tzinfo is None else time


@dataclasses.dataclass(frozen=True, slots=True)
class Fact:
    """The state of one file in a log.

    `rows` counts rows stored in the file, `deleted` those that deletion vectors or delete files delete; None if unknown.
    `reason` is a sentence. `parquet` is False for data files of other formats. `size` is that of a live file in bytes,
    `vector` names its deletion vector. Of a removed file, `removed_at` is when Delta removed it, and `kept_until` until
    when Iceberg's snapshots keep it, in microseconds since 1970; None if unknown, or without end. `partition` are the
    partition values of a live file, `key=value` joined by slashes, percent-encoded; None if the log does not say.
    `statistics` are those in the log.
    """

    state: str
    reason: str | None = None
    rows: int | None = None
    deleted: int | None = None
    parquet: bool = True
    size: int | None = None
    vector: str | None = None
    removed_at: int | None = None
    kept_until: int | None = None
    partition: str | None = None
    statistics: LogStatistics | None = None


class RowDeletes(Protocol):
    """The rows that Iceberg's delete files delete. `name` is a data file's below the root, or its address outside of it.

    The methods raise LogError, ParquetError or OSError if a delete file cannot be read.
    """

    def rows(self, name: str) -> Positions:
        """The rows of a data file that positions and deletion vectors delete, ascending; those of equality deletes are not here."""

    def by_equality(self, name: str) -> Sequence[tuple[Place, str, Sequence[int]]]:
        """Place and path of each file that names values of deleted rows of a data file, and the ids of their columns."""


@dataclasses.dataclass
class TableLog:
    """The content of a table's log.

    `named` maps names relative to the root to facts; `outside` maps addresses of live files that are not
    below the root. `unnamed` is the fact of a file that the log does not name. `source` is the evidence that `metadata`
    is the current state, `remarks` are for the user.

    `schema` has the columns; None if the log's cannot be read. `partitions` are the columns that Delta keeps in the log and
    not in the files; `constants` those that files need not have, because partitions have their values. `deletes` are
    those of Iceberg's delete files. `changed` says of the versions or snapshots that led here, oldest first and as far as they are kept,
    whether each changed rows: a compaction does not. `retention` is how long files that are not live are kept. `indexed` is how many columns Delta collects statistics
    of, at most; None if the log does not limit it.
    """

    format: str
    root: str
    named: dict[str, Fact]
    outside: dict[str, Fact]
    unnamed: Fact
    metadata: str
    source: str
    version: int | None = None
    snapshot_id: int | None = None
    copied_from: str | None = None
    remarks: list[str] = dataclasses.field(default_factory=list)
    schema: TableSchema | None = None
    partitions: tuple[str, ...] = ()
    changed: dict[int, bool] = dataclasses.field(default_factory=dict)
    retention: Retention = UNKNOWN_RETENTION
    indexed: int | None = None
    constants: frozenset[str] = frozenset()
    deletes: RowDeletes | None = None


def moment(stamp: int) -> str:
    """A time in milliseconds since 1970 as text."""
    if not 0 <= stamp < 1 << 45:
        return f"{stamp} ms after 1970"
    return f"{datetime.datetime.fromtimestamp(stamp / 1000, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


def partition_text(values: Iterable[tuple[str, str | None]]) -> str:
    """Partition values as `key=value` joined by slashes; slashes in names and values are percent-encoded."""
    return "/".join(
        f"{_encoded(key).replace('=', '%3D')}={HIVE_NULL if value is None else _encoded(value)}"
        for key, value in values
    )


def _encoded(text: str) -> str:
    return text.replace("%", "%25").replace("/", "%2F")


def format_of(place: Place, folder: str) -> str | None:
    """`delta` or `iceberg` if a folder is the root of such a table, by the names in it.

    OSError if the store does not say: a table must not be taken for a plain folder.
    """
    if place.is_folder(place.join(folder, DELTA_LOG)):
        return "delta"
    metadata = place.join(folder, ICEBERG_METADATA)
    if place.is_folder(metadata):
        try:
            if any(is_metadata(item.path) for item in place.files(metadata)):
                return "iceberg"
        except PermissionError:  # no permission to list it
            return None
    return None


def is_metadata(path: str) -> bool:
    """Whether a file in the folder `metadata` makes its parent an Iceberg table."""
    return path.endswith(METADATA_ENDINGS) or path.replace("\\", "/").endswith(f"/{VERSION_HINT}")
