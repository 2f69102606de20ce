"""Listed files, options of reading, error codes, and names of writers and partitions."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from pqexplore._version import __version__
from pqexplore.engine.format.created_by import parse
from pqexplore.lake.places.urls import names_of
from pqexplore.lake.tables import SCHEMA_VERSION

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from pyiceberg.table import Table as IcebergTable
    from pyspark.sql import DataFrame

StoredSource: TypeAlias = "str | list[StoredSource]"
"""A source as a store keeps it."""

LakeSource: TypeAlias = "str | os.PathLike[str] | Iterable[LakeSource] | DataFrame | DeltaTable | IcebergTable"
"""What a scan takes: a path, folder, pattern, URL or name of a Spark table, many of these, or a table of another library."""

ENGINE = f"{__version__}/{SCHEMA_VERSION}"
"""Version of the reader. A refresh reads files of another version again."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A listed file: size in bytes, time of modification in microseconds since 1970.

    The fields from `listed_rows` to `deleted_rows` come from a table's log; see the table `files`. `error` says why the
    file must not be opened. `kept_until` is in microseconds since 1970. `partition` are the partition values by the log;
    None if it does not say.
    """

    path: str
    size: int | None = None
    modified: int | None = None
    etag: str | None = None
    hidden: bool = False
    listed_rows: int | None = None
    table_path: str | None = None
    state: str | None = None
    state_reason: str | None = None
    deleted_rows: int | None = None
    error: str | None = None
    kept_until: int | None = None
    partition: str | None = None

    @property
    def partition_values(self) -> str:
        """The partition values by the table's log, else the `key=value` folders of the path."""
        return partition_values(self.path) if self.partition is None else self.partition

    def by_log(self) -> dict[str, str | int | None]:
        """Columns of the table `files` that come from a table's log."""
        return {name: getattr(self, name) for name in BY_LOG}


BY_LOG = (*("listed_rows", "table_path", "state", "state_reason", "deleted_rows"), "partition_values")


AT_ONCE, SAMPLE = 500, 100
"""Files up to which a diagnosis reads all footers, and those that it looks at of more: 500 take about 1 s."""


@dataclasses.dataclass(frozen=True)
class Options:
    """How files are read; sent to the workers.

    `level` is chunks or pages; `check` runs all checks, which reads every byte of a file. `batch_rows` is the max rows
    of a batch. `limits` are those of `pqexplore.Limits` that differ from their defaults. `seconds_per_file` is the time
    limit of one file; 0 for no limit. With `doctor`, a level of `pqexplore.diagnose`, the files are diagnosed instead:
    they have rows of `diagnoses`, and no others. With `trial`, the seconds that `pqexplore.what_if` may take for one file,
    they have rows of `trials`. With `sample`, one of so many files, and the first of each kind, is diagnosed by its footer.
    """

    run_id: str = ""
    level: str = "chunks"
    check: bool = False
    batch_rows: int = 8192
    limits: tuple[tuple[str, int], ...] = ()
    storage_options: tuple[tuple[str, Any], ...] = dataclasses.field(default=(), repr=False)
    seconds_per_file: float = 0.0
    doctor: str = ""
    trial: float = 0.0
    sample: int = 0

    @classmethod
    def from_json(cls, text: str) -> Options:
        """Parses the text of `to_json`."""
        read = json.loads(text)
        for name in ("limits", "storage_options"):
            read[name] = tuple((key, value) for key, value in read[name])
        return cls(**read)

    def to_json(self) -> str:
        """The options as text, for a worker."""
        return json.dumps(dataclasses.asdict(self))


def writer(created_by: str | None) -> tuple[str | None, str | None]:
    """Name and version of the writer; the whole text and None if it has no version."""
    if not created_by:
        return None, None
    known = parse(created_by)
    if known.version is None:
        return created_by, None
    return known.application, known.version_text.split()[0].lstrip("vV")


@functools.lru_cache(4096)
def _partition(folder: str) -> str:
    return "/".join(part for part in names_of(folder).split("/") if _is_partition(part))


def _is_partition(folder: str) -> bool:
    return 0 < folder.find("=") < len(folder)


def partition_values(path: str) -> str:
    """The `key=value` folders of a path; those of a URL of a web server as they are called there."""
    return _partition(path.rpartition("/")[0])


def without_partitions(path: str) -> str:
    """The folder of a path, without its first `key=value` folder and those below."""
    parts = path.split("/")[:-1]
    first = next((place for place, part in enumerate(parts) if _is_partition(part)), len(parts))
    return "/".join(parts[:first])


def partition_keys(values: str) -> tuple[str, ...]:
    """The names in a text of partition values."""
    return tuple(unquote(part.partition("=")[0]) for part in values.split("/") if part)
