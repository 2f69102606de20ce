"""Reads the actions of Delta's checkpoints.

A checkpoint is one Parquet file, several parts, or (V2) a file of any kind that names sidecars in `_sidecars`. Files are
read by the engine, with its limits, and only the columns that decide which files are live.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pqexplore.engine.errors import NotParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.lake.logs.names import check_no_way_out, inside
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
_COUNTED = "add.stats_parsed.numRecords"
"""Number of rows of a file, in checkpoints that store statistics as columns."""


def actions(place: Place, log: str, parts: Sequence[Item]) -> Iterator[dict[str, object]]:
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
        check_no_way_out(place, path, log)
        yield from _rows(place, path)


def _sidecar(action: object) -> str:
    path = action.get("path") if isinstance(action, dict) else None
    name = inside(path) if isinstance(path, str) else None
    if name is None or ":" in name or path != name:
        raise LogError(
            "outside", f"the checkpoint names a sidecar that is not in {SIDECARS}: {path!r}"
        )
    return name


def _rows(place: Place, path: str) -> Iterator[dict[str, object]]:
    if path.endswith(".json"):
        for line in place.read(path).splitlines():
            if line.strip():
                action = json.loads(line)
                if isinstance(action, dict):
                    yield action
        return
    source = place.source(path)
    try:
        file = ParquetFile(source)
        if (file.num_rows or 0) > ROWS:
            raise LogError("limit", f"{path} has {file.num_rows:,} rows; {ROWS:,} are read")
        names = [".".join(leaf.path) for leaf in file.schema.leaves]
        wanted = [one for one in _WANTED if any(n == one or n.startswith(f"{one}.") for n in names)]
        if "add.stats" not in wanted and _COUNTED in names:
            wanted.append(_COUNTED)
        for group in range(len(file.row_groups)):
            for row in file.read(columns=wanted, row_groups=[group]).to_pylist():
                yield {kind: _body(body) for kind, body in row.items() if body is not None}
    except NotParquetError as error:
        raise LogError("corrupt", f"the checkpoint {path} cannot be read: {error}") from None
    finally:
        source.close()


def _body(body: object) -> object:
    """An action in the form of JSON; a separate column of row counts becomes `num_records`."""
    if isinstance(body, dict) and isinstance(parsed := body.pop("stats_parsed", None), dict):
        body["num_records"] = parsed.get("numRecords")
    return body
