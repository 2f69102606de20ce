"""Reads the files of a scanned lake again, with Spark or by processes of this machine, where the scan read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.scanning import processes as local
from pqexplore.lake.scanning.progress import Watch
from pqexplore.lake.store import part_files
from pqexplore.lake.store.store import by_table

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

QUOTED = ("crashed", "timeout", "outside")
"""Errors of the scan that are quoted: these files are not opened again."""

_COLUMNS = [
    *("path", "size", "modified", "etag", "hidden", "status", "error_code", "error", "num_rows"),
    *("num_row_groups", "num_columns", "footer_bytes", "writer", "writer_version", "schema_id", "table_path"),
    *("partition_values", "footer_hash"),
]


def files(lake: Lake) -> list[dict[str, Any]]:
    """The rows of `files` that are looked at, by path: all but vanished ones and those that are not live."""
    rows = lake._store.read(lake.manifest, "files")
    rows = rows.filter(pc.is_in(rows["status"], pa.array(["ok", "error"])))
    found: list[dict[str, Any]] = rows.select(_COLUMNS).sort_by([("path", "ascending")]).to_pylist()
    return found


def entry(row: dict[str, Any]) -> Entry:
    """The file of a row of `files`, to be read again. Without its ETag, because it may be another file by now."""
    modified = row["modified"]
    return Entry(
        row["path"],
        row["size"],
        None if modified is None else int(modified.timestamp() * 1e6),
        None,
        bool(row["hidden"]),
        partition=row["partition_values"],
    )


def options(lake: Lake, run_id: str, seconds: float, *, doctor: str = "", trial: float = 0.0) -> Options:
    """How files are read again: as the scan did, at most `seconds` a file unless the scan had a limit of its own."""
    own = lake.manifest.options
    return Options(
        run_id,
        limits=tuple((name, value) for name, value in own["limits"]),
        storage_options=tuple(lake.storage_options.items()),
        seconds_per_file=own.get("seconds_per_file") or seconds,
        doctor=doctor,
        trial=trial,
    )


def read(
    lake: Lake, entries: Sequence[Entry], how: Options, processes: int | None, tasks: int | None, watch: Watch
) -> list[str]:
    """Read the files, by as many processes as the scan if `processes` is None. Returns the parts with their rows."""
    watch.begin(len(entries))
    if not entries:
        return []
    if lake.spark is None:
        done = local.run(entries, how, lake.path, watch, lake._processes if processes is None else processes)
    else:
        from pqexplore.lake.spark import job

        done = job.run(lake.spark, entries, how, lake.path, watch, tasks)
    return [part for some in by_table(p for one in done for p in one.parts).values() for part in some]


def died(lake: Lake, parts: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of files that ended their reader: `path`, `error_code` and `error`."""
    own = [part for part in parts if "/files/" in part]
    found: list[dict[str, Any]] = part_files.read(lake.path, own, "files").to_pylist()
    return found
