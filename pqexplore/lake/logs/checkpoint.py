"""Reads the actions of Delta's checkpoints.

A checkpoint is one Parquet file, several parts, or (V2) a file of any kind that names sidecars in `_sidecars`. Files are
read by the engine, with its limits, and only the columns that decide which files are live.
"""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Iterator, Sequence

from pqexplore.engine.errors import NotParquetError, ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.lake.logs.log_paths import inside, require_inside
from pqexplore.lake.logs.table_log import LogError
from pqexplore.lake.places.place import Item, Place

SIDECARS = "_sidecars"
ROWS = 50_000_000
"""Max actions of a checkpoint."""

_WANTED = (
    *("add.path", "add.size", "add.stats", "add.deletionVector", "add.partitionValues"),
    "remove.path",
    "remove.deletionTimestamp",
    *("remove.deletionVector", "protocol.minReaderVersion", "protocol.readerFeatures"),
    *("metaData.id", "metaData.schemaString", "metaData.partitionColumns"),
    *("metaData.configuration", "sidecar.path"),
)
_TEXTS, _PARSED = "add.stats", "add.stats_parsed"
"""Statistics of files as JSON, and as columns (`delta.checkpoint.writeStatsAsStruct`)."""
AT_ONCE = 10_000
"""Rows whose statistics are Python values at the same time."""


def actions(place: Place, log: str, parts: Sequence[Item], follow: bool = False) -> Iterator[dict[str, object]]:
    """The actions of a checkpoint, each a dict with one kind. LogError if a part cannot be read."""
    sidecars: list[str] = []
    for part in parts:
        for action in _rows(place, part.path):
            sidecar = action.get("sidecar")
            if sidecar is not None:
                sidecars.append(_sidecar(sidecar))
            else:
                yield action
    for name in sidecars:
        path = place.join(log, SIDECARS, name)
        require_inside(place, path, log, follow)
        yield from _rows(place, path)


def _sidecar(action: object) -> str:
    path = action.get("path") if isinstance(action, dict) else None
    name = inside(path) if isinstance(path, str) else None
    if name is None or ":" in name or path != name:
        raise LogError("outside", f"the checkpoint names a sidecar that is not in {SIDECARS}: {path!r}")
    return name


def _rows(place: Place, path: str) -> Iterator[dict[str, object]]:
    if path.endswith(".json"):
        actions = (json.loads(line) for line in place.read(path).splitlines() if line.strip())
        yield from (action for action in actions if isinstance(action, dict))
    else:
        yield from _of_parquet(place, path)


def _of_parquet(place: Place, path: str) -> Iterator[dict[str, object]]:
    source = place.source(path)
    try:
        file = ParquetFile(source)
        if (file.num_rows or 0) > ROWS:
            raise LogError("limit", f"{path} has {file.num_rows:,} rows; {ROWS:,} are read")
        names = [".".join(leaf.path) for leaf in file.schema.leaves]
        wanted = [one for one in _WANTED if any(n == one or n.startswith(f"{one}.") for n in names)]
        parsed = any(one.startswith(f"{_PARSED}.") for one in names) and _without_texts(file, names)
        for group in range(len(file.row_groups)):
            rows = file.read(columns=wanted, row_groups=[group])
            texts = _parsed(file, group) if parsed else itertools.repeat(None)
            for row, text in zip(rows.to_pylist(), texts, strict=False):
                action = {kind: body for kind, body in row.items() if body is not None}
                if text is not None and isinstance(add := action.get("add"), dict):
                    add["stats"] = text
                yield action
    except NotParquetError as error:
        raise LogError("corrupt", f"the checkpoint {path} cannot be read: {error}") from None
    finally:
        source.close()


def _without_texts(file: ParquetFile, names: Sequence[str]) -> bool:
    """Whether no action has statistics as JSON: the column is missing, or its chunks have only nulls."""
    if _TEXTS not in names:
        return True
    chunks = [group.columns[_TEXTS] for group in file.row_groups]
    nulls = [None if one.statistics is None else one.statistics.null_count for one in chunks]
    return nulls == [one.metadata.num_values for one in chunks]


def _parsed(file: ParquetFile, group: int) -> Iterator[str | None]:
    """Statistics that are stored as columns, as JSON in the form of `stats`. None for all if they cannot be read.

    JSON has no dates, times and decimals: they become texts.
    """
    try:
        columns = file.read(columns=[_PARSED], row_groups=[group])
        for batch in columns.to_batches(max_chunksize=AT_ONCE):
            for row in batch.to_pylist():
                parsed = None if row["add"] is None else row["add"]["stats_parsed"]
                yield None if parsed is None else json.dumps(parsed, default=_text)
    except (ParquetError, ValueError, RecursionError):  # the live files are known without them
        yield from itertools.repeat(None)


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime.date) else str(value)
