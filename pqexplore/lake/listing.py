"""Which files a lake has.

A folder is walked by ourselves, because Spark's own listing hides empty files, and names that begin with `_` or a dot.
A table with a log is asked for its files and never listed alone: its folder holds files that are in it no more. Those
are told as orphans.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.source import local_path
from pqexplore.lake.entries import Entry
from pqexplore.lake.store import is_store

PATTERNS = ("*.parquet", "*.parq", "*.pqt")
"""Names that are taken for Parquet files in a folder."""

_TABLE_NAME = re.compile(r"\w[\w-]*(\.\w[\w-]*){1,2}")
_WILD = re.compile(r"[*?\[]")


@dataclasses.dataclass
class Listing:
    """Files to read, and `orphans`: files of the folder that the table's log does not have."""

    entries: list[Entry]
    orphans: list[Entry] = dataclasses.field(default_factory=list)


def listing(
    source: Any,
    *,
    spark: Any = None,
    patterns: Sequence[str] = PATTERNS,
    storage_options: dict[str, Any] | None = None,
) -> Listing:
    """The files that a source names, each once, sorted by path.

    A source is a file, a folder, a pattern (`**` goes down), a URL, a list of these, the name of a Spark table, a Spark
    DataFrame, or the folder of a Delta or Iceberg table. Raises UsageError where it names nothing.
    """
    options = storage_options or {}
    if hasattr(source, "inputFiles"):
        found = Listing([_entry(path) for path in source.inputFiles()])
    elif isinstance(source, (str, os.PathLike)):
        found = _one(os.fspath(source), spark, patterns, options)
    elif isinstance(source, Iterable):
        found = Listing([])
        for one in source:
            some = listing(one, spark=spark, patterns=patterns, storage_options=options)
            found.entries += some.entries
            found.orphans += some.orphans
    else:
        raise UsageError(
            f"a path, pattern, list, table name or DataFrame is expected, not {type(source).__name__}"
        )
    by_path = {entry.path: entry for entry in found.entries}
    orphans = {entry.path: entry for entry in found.orphans if entry.path not in by_path}
    return Listing(
        [by_path[path] for path in sorted(by_path)], [orphans[path] for path in sorted(orphans)]
    )


def _one(source: str, spark: Any, patterns: Sequence[str], options: dict[str, Any]) -> Listing:
    path = local_path(source)
    if path is None:
        return Listing(_remote(source, patterns, options))
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        return _folder(path, patterns, options)
    if os.path.lexists(path):
        return Listing([_entry(path)])
    if _WILD.search(path):
        found = Listing([])
        fixed = _fixed(path)
        in_store = functools.cache(functools.partial(_in_store, fixed))
        for one in glob.glob(path, recursive=True):
            if not os.path.isdir(one):
                if not in_store(os.path.dirname(one)):
                    found.entries.append(_entry(one, below=fixed))
            elif "**" not in path:  # which names what is in folders anyway
                below = _folder(one, patterns, options, empty=True)
                found.entries += below.entries
                found.orphans += below.orphans
        if not found.entries:
            raise UsageError(f"no file matches {source}")
        return found
    if spark is not None and _TABLE_NAME.fullmatch(source):
        return Listing([_entry(one) for one in spark.table(source).inputFiles()])
    raise UsageError(f"{source} is no file, no folder, no pattern and no table that is known")


def _in_store(root: str, folder: str) -> bool:
    """Whether a folder below `root` is a lake's store, or in one."""
    while len(folder) > len(root):
        if is_store(folder):
            return True
        folder = os.path.dirname(folder)
    return False


def _fixed(pattern: str) -> str:
    """The part of a pattern before its first wildcard, up to a folder."""
    return os.path.dirname(
        pattern[: match.start()] if (match := _WILD.search(pattern)) else pattern
    )


def _folder(
    path: str, patterns: Sequence[str], options: dict[str, Any], empty: bool = False
) -> Listing:
    if os.path.isdir(os.path.join(path, "_delta_log")):
        return _delta(path, patterns, options)
    metadata = os.path.join(path, "metadata")
    if os.path.isdir(metadata) and glob.glob(os.path.join(metadata, "*.metadata.json")):
        return _iceberg(path, patterns)
    tables: list[str] = []
    found = Listing(list(_walk(path, patterns, tables)))
    for table in tables:
        below = _delta(table, patterns, options)
        found.entries += below.entries
        found.orphans += below.orphans
    if not found.entries and not found.orphans and not empty:
        raise UsageError(
            f"{path} has no file named {', '.join(patterns)}; other names are taken with patterns=[…]"
        )
    return found


def _walk(folder: str, patterns: Sequence[str], tables: list[str] | None = None) -> Iterator[Entry]:
    """The files below a folder whose names fit; links to folders are not followed.

    Folders of Delta tables go to `tables`, where it is given, and are left out. So are stores of lakes: their files
    say what is in files.
    """
    fits = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns)).match
    todo: list[tuple[str, bool]] = [(folder, False)]
    while todo:
        at, hidden = todo.pop()
        if at != folder and is_store(at):
            continue
        if tables is not None and at != folder and os.path.isdir(os.path.join(at, "_delta_log")):
            tables.append(at)
            continue
        try:
            with os.scandir(at) as found:
                for item in found:
                    name = item.name
                    unseen = hidden or name[0] in "_."
                    if item.is_dir(follow_symlinks=False):
                        todo.append((item.path, unseen))
                    elif fits(name):
                        try:
                            status = item.stat()
                            yield Entry(
                                item.path, status.st_size, status.st_mtime_ns // 1000, None, unseen
                            )
                        except OSError:
                            yield Entry(item.path, hidden=unseen)
        except OSError as error:
            if at == folder:
                raise UsageError(f"{folder} cannot be listed: {error.strerror}") from None


def _entry(path: str, below: str | None = None, listed_rows: int | None = None) -> Entry:
    """A file by its path or URL, with what the file system says of it."""
    where = local_path(path)
    if where is None:
        return Entry(path, listed_rows=listed_rows)
    relative = os.path.relpath(where, below) if below is not None else os.path.basename(where)
    hidden = any(part[0] in "_." for part in Path(relative).parts if part not in (".", ".."))
    try:
        status = os.stat(where)
    except OSError:
        return Entry(where, hidden=hidden, listed_rows=listed_rows)
    return Entry(where, status.st_size, status.st_mtime_ns // 1000, None, hidden, listed_rows)


def _remote(url: str, patterns: Sequence[str], options: dict[str, Any]) -> list[Entry]:
    """Files below a URL, through fsspec: a file, a folder or a pattern."""
    try:
        import fsspec
    except ImportError:
        raise UsageError(
            f"{url}: fsspec lists remote files; `pip install pqexplore[remote]` and the driver of the scheme"
        ) from None
    try:
        filesystem, path = fsspec.core.url_to_fs(url, **options)
    except (ImportError, ValueError) as error:
        raise UsageError(f"{url} cannot be listed: {error}") from None
    if _WILD.search(path):
        found = filesystem.glob(path, detail=True)
    else:
        found = filesystem.find(path, detail=True)
    root = _fixed(path) if _WILD.search(path) else path
    entries = []
    for name, facts in found.items():
        base = name.rpartition("/")[2]
        if name != path and not any(fnmatch.fnmatch(base, pattern) for pattern in patterns):
            continue
        relative = name.removeprefix(root)
        hidden = any(part[0] in "_." for part in relative.split("/") if part)
        etag = next(
            (str(facts[k]).strip('"') for k in ("ETag", "etag", "md5", "checksum") if facts.get(k)),
            None,
        )
        entries.append(
            Entry(
                filesystem.unstrip_protocol(name), facts.get("size"), _modified(facts), etag, hidden
            )
        )
    if not entries:
        raise UsageError(f"{url} has no file named {', '.join(patterns)}")
    return entries


def _modified(facts: dict[str, Any]) -> int | None:
    for name in ("mtime", "LastModified", "last_modified", "updated"):
        value: Any = facts.get(name)
        if isinstance(value, (int, float)):
            return int(value * 1_000_000)
        if hasattr(value, "timestamp"):
            return int(value.timestamp() * 1_000_000)
    return None


# Tables with a log.


def _delta(path: str, patterns: Sequence[str], options: dict[str, Any]) -> Listing:
    try:
        from deltalake import DeltaTable
    except ImportError:
        raise UsageError(
            f"{path} is a Delta table, whose log says which files are in it: `pip install deltalake`, or give "
            "spark.table(…) where Spark knows it"
        ) from None
    table = DeltaTable(path, storage_options={k: str(v) for k, v in options.items()} or None)
    actions: Any = table.get_add_actions(flatten=True)
    actions = (
        pa.Table.from_batches([actions])
        if isinstance(actions, pa.RecordBatch)
        else pa.table(actions)
    )
    names = actions["path"].to_pylist()
    known = "num_records" in actions.column_names  # without statistics in the log, no one knows
    rows = actions["num_records"].to_pylist() if known else [None] * len(names)
    live = [
        _entry(_in_table(path, name), below=path, listed_rows=count)
        for name, count in zip(names, rows, strict=True)
    ]
    return _with_orphans(path, live, patterns)


def _in_table(folder: str, name: str) -> str:
    """The file that a name in a Delta log means: below the table's folder, as it stands or URL-encoded, or a URL."""
    if "://" in name or os.path.isabs(name):
        return name
    places = (os.path.join(folder, name), os.path.join(folder, unquote(name)))
    return next((place for place in places if os.path.lexists(place)), places[1])


def _iceberg(path: str, patterns: Sequence[str]) -> Listing:
    try:
        from pyiceberg.table import StaticTable
    except ImportError:
        raise UsageError(
            f"{path} is an Iceberg table, whose metadata says which files are in it: `pip install pyiceberg`, or give "
            "spark.table(…) where Spark knows it"
        ) from None
    newest = max(glob.glob(os.path.join(path, "metadata", "*.metadata.json")), key=os.path.getmtime)
    files = StaticTable.from_metadata(newest).inspect.files().to_pylist()
    live = [
        _entry(file["file_path"], below=path, listed_rows=file["record_count"])
        for file in files
        if str(file.get("file_format", "PARQUET")).upper() == "PARQUET"
    ]
    return _with_orphans(path, live, patterns)


def _with_orphans(path: str, live: list[Entry], patterns: Sequence[str]) -> Listing:
    known = {os.path.realpath(entry.path) for entry in live}
    below = [entry for entry in _walk(path, patterns) if os.path.realpath(entry.path) not in known]
    return Listing(
        live, [entry for entry in below if f"{os.sep}_delta_log{os.sep}" not in entry.path]
    )
