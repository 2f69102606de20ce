"""Asks the runs of a lake, each as it was, and compares neighbours."""

from __future__ import annotations

import dataclasses
import datetime
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.text import printable
from pqexplore.lake import query
from pqexplore.lake.history.run_history import LakeHistory
from pqexplore.lake.store.manifest import Manifest
from pqexplore.lake.views import VIEWS

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

SORTED = 2
"""Files that a query for one value reads on average, up to which a column counts as sorted: where neighbours share a
bound, a value is in two files."""

FILES = (
    "path", "status", "size", "modified", "etag", "num_rows", "schema_id", "created_by",
    "error_code", "address", "error",
)  # fmt: skip

GROWTH = pa.schema(
    [("run_id", pa.string()), ("finished", pa.timestamp("us", "UTC"))]
    + [
        (name, pa.int64())
        for name in (
            "num_files", "errors", "num_rows", "total_bytes", "new_files", "changed_files", "gone_files",
        )
    ]
)  # fmt: skip
DRIFT = pa.schema(
    [(name, pa.string()) for name in ("run_id", "change", "column_name", "definition", "created_by", "day")]
    + [("num_files", pa.int64()), ("example", pa.string())]
)  # fmt: skip
OVERLAP = pa.schema(
    [
        *((name, pa.string()) for name in ("run_id", "column_name", "logical_type")),
        ("num_files", pa.int64()),
        ("point_files", pa.float64()),
        ("point_share", pa.float64()),
    ]
)
PROBLEMS = pa.schema([(name, pa.string()) for name in ("run_id", "path", "rule", "severity", "address", "message")])

DECLARED = """
SELECT DISTINCT c.column_name
FROM row_groups g
JOIN column_chunks c ON c.path = g.path AND c.row_group = g.row_group AND c.leaf = g.sorted_by
"""


@dataclasses.dataclass(frozen=True)
class _Run:
    """A run that can be read: its manifest, its files that are in the lake, and its schemas."""

    manifest: Manifest
    files: pa.Table
    definitions: Mapping[str, frozenset[tuple[str, str]]]

    @property
    def run_id(self) -> str:
        return self.manifest.run_id

    @property
    def good(self) -> pa.Table:
        return self.files.filter(pc.equal(self.files["status"], "ok"))


def history_of(lake: Lake, runs: int) -> LakeHistory:
    """See `Lake.history`."""
    if runs < 1:
        raise UsageError(f"runs is a number from 1 on, not {runs!r}")
    remarks: list[str] = []
    found = list(_readable(lake, runs, remarks))
    pairs = list(itertools.pairwise(found))
    return LakeHistory(
        lake.path,
        growth=_made([_growth(one, before) for before, one in zip([None, *found], found, strict=False)], GROWTH),
        drift=_made([row for before, one in pairs for row in _drift(before, one)], DRIFT),
        overlap=_made(_overlap(lake, found) if len(found) > 1 else [], OVERLAP),
        problems=_made(_problems(lake, *pairs[-1], remarks) if pairs else [], PROBLEMS),
        remarks=tuple(map(printable, remarks)),
    )  # fmt: skip


def growth(lake: Lake, runs: int) -> list[dict[str, Any]]:
    """The rows of `LakeHistory.growth` of the last runs that can be read."""
    found = list(_readable(lake, runs, []))
    return [_growth(one, before) for before, one in zip([None, *found], found, strict=False)]


def _made(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=schema)


def _readable(lake: Lake, runs: int, remarks: list[str]) -> Iterator[_Run]:
    """The last runs of the same source, oldest first, up to the current one; adds what is left out to the remarks."""
    current = lake.manifest
    known = [one for one in lake._store.runs() if one.run_id <= current.run_id]
    same = [one for one in known if one.run["source"] == current.run["source"]]
    if len(same) < len(known):
        remarks.append(_left_out(len(known) - len(same), "run of another source"))
    if len(same) > runs:
        remarks.append(_left_out(len(same) - runs, "earlier run"))
    for manifest in same[-runs:]:
        try:
            yield _read(lake, manifest)
        except ParquetError as error:
            if manifest.run_id == current.run_id:
                raise
            remarks.append(f"Run {manifest.run_id} cannot be read: {error.message}")


def _left_out(count: int, what: str) -> str:
    some = what.replace("run", "runs", 1)
    return f"1 {what} is not compared." if count == 1 else f"{count:,} {some} are not compared."


def _read(lake: Lake, manifest: Manifest) -> _Run:
    store = lake._store
    with store.blaming(manifest, ["files", "schemas"]):
        files = store.dataset(manifest, "files").to_table(columns=list(FILES))
        leaves = store.dataset(manifest, "schemas").to_table(columns=["schema_id", "column_name", "definition"])
    definitions: dict[str, set[tuple[str, str]]] = {}
    for row in leaves.to_pylist():
        definitions.setdefault(row["schema_id"], set()).add((row["column_name"], row["definition"]))
    files = files.filter(pc.is_in(files["status"], pa.array(["ok", "error"])))
    return _Run(manifest, files, {one: frozenset(some) for one, some in definitions.items()})


def _growth(one: _Run, before: _Run | None) -> dict[str, Any]:
    good = one.good
    row = {
        "run_id": one.run_id,
        "finished": datetime.datetime.fromisoformat(one.manifest.run["finished"]),
        "num_files": len(one.files),
        "errors": len(one.files) - len(good),
        "num_rows": pc.sum(good["num_rows"]).as_py() or 0,
        "total_bytes": pc.sum(good["size"]).as_py() or 0,
    }
    if before is None:
        return row
    then, now = _states(before), _states(one)
    return row | {
        "new_files": len(now.keys() - then.keys()),
        "changed_files": sum(now[path] != then[path] for path in now.keys() & then.keys()),
        "gone_files": len(then.keys() - now.keys()),
    }


def _states(one: _Run) -> dict[str, tuple[Any, ...]]:
    """Size, time and ETag of each file."""
    columns = [one.files[name].to_pylist() for name in ("path", "size", "modified", "etag")]
    return {path: tuple(state) for path, *state in zip(*columns, strict=True)}


def _used(one: _Run) -> frozenset[tuple[str, str]]:
    """(column, definition) of all readable files."""
    used = pc.unique(one.good["schema_id"]).to_pylist()
    return frozenset().union(*(one.definitions.get(schema, frozenset()) for schema in used))


def _drift(before: _Run, one: _Run) -> Iterator[dict[str, Any]]:
    then, now = _used(before), _used(one)
    columns = {column for column, _ in then}
    new = now - then
    groups: Counter[tuple[str, str, str | None, str]] = Counter()
    examples: dict[tuple[str, str, str | None, str], str] = {}
    mixed = {schema: some & new for schema, some in one.definitions.items() if some & new}
    for row in one.good.filter(pc.is_in(one.good["schema_id"], pa.array(list(mixed), pa.string()))).to_pylist():  # fmt: skip
        day = "" if row["modified"] is None else f"{row['modified']:%Y-%m-%d}"
        for column, definition in mixed[row["schema_id"]]:
            key = column, definition, row["created_by"], day
            groups[key] += 1
            examples[key] = min(examples.get(key, row["path"]), row["path"])
    for key in sorted(groups, key=lambda key: tuple(str(part) for part in key)):
        column, definition, writer, day = key
        yield {
            "run_id": one.run_id,
            "change": "new definition" if column in columns else "new column",
            "column_name": column,
            "definition": definition,
            "created_by": writer,
            "day": day or None,
            "num_files": groups[key],
            "example": examples[key],
        }
    for column, definition in sorted(then - now):
        gone = {"run_id": one.run_id, "change": "gone", "num_files": 0}
        yield gone | {"column_name": column, "definition": definition}


def _overlap(lake: Lake, runs: list[_Run]) -> list[dict[str, Any]]:
    found, kept = [], set()
    for one in runs:
        kept |= {row["column_name"] for row in query.rows(lake, DECLARED, manifest=one.manifest)}
        for row in query.rows(lake, VIEWS["overlap"].sql(), manifest=one.manifest):
            if row["ranged_files"] > SORTED and row["point_files"] <= SORTED:
                kept.add(row["column_name"])
            found.append({name: row.get(name, one.run_id) for name in OVERLAP.names})
    return [row for row in found if row["column_name"] in kept]


def _problems(lake: Lake, before: _Run, last: _Run, remarks: list[str]) -> list[dict[str, Any]]:
    """Files that could be read before or are new, and cannot be read; and findings that are new."""
    then = _errors(before)
    found = [row for key, row in _errors(last).items() if key not in then]
    settings = [(one.manifest.options["level"], one.manifest.options["check"], one.manifest.run["engine"]) for one in (before, last)]  # fmt: skip
    if settings[0] != settings[1]:
        remarks.append(
            "Findings of the last two runs are not compared: their level, checks or version of pqexplore differ."
        )
        return found
    known = _findings(lake, before)
    return found + [row for key, row in _findings(lake, last).items() if key not in known]


def _errors(one: _Run) -> dict[tuple[Any, ...], dict[str, Any]]:
    bad = one.files.filter(pc.equal(one.files["status"], "error"))
    return {
        (row["path"], row["error_code"]): {
            "run_id": one.run_id,
            "path": row["path"],
            "rule": row["error_code"],
            "severity": "error",
            "address": row["address"],
            "message": row["error"],
        }
        for row in bad.to_pylist()
    }


def _findings(lake: Lake, one: _Run) -> dict[tuple[Any, ...], dict[str, Any]]:
    text = "SELECT path, rule, severity, address, message FROM findings ORDER BY path, rule, address"
    return {
        (row["path"], row["rule"], row["severity"], row["address"]): {"run_id": one.run_id, **row}
        for row in query.rows(lake, text, manifest=one.manifest)
    }
