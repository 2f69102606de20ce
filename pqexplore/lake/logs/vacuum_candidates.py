"""What maintenance of the tables would delete: `VACUUM` of Delta, `expire_snapshots` and `remove_orphan_files` of Iceberg.

The answer is from the stored tables: the state of each file and how long its table's settings keep it, as the logs said
when the lake was last read. Nothing is deleted here.

The tests hold it against deltalake's dry run and pyiceberg's expired snapshots. What Spark's VACUUM and Iceberg's procedures
do beyond these is from their documentation and source: no test runs them.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.text import clip, plural, printable
from pqexplore.insight.wording import listing, size
from pqexplore.lake.listing.names import HIDDEN, MARKER, NO_DATA, OTHER, SUMMARY
from pqexplore.lake.listing.retention import LAST
from pqexplore.lake.logs.table_log import CHANGES, DELETES, ORPHAN, REMOVED, UNREFERENCED

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

VACUUM, EXPIRE, ORPHANS = "VACUUM", "expire_snapshots", "remove_orphan_files"

NOT_LISTED = "not listed"

_WORDS = {
    REMOVED: "that only earlier versions need, which can then not be read any more",
    UNREFERENCED: "that the log does not name",
    ORPHAN: "that no version names",
    CHANGES: "of the change data feed",
}
_STATES = {
    **{state: words.partition(",")[0] for state, words in _WORDS.items()},
    DELETES: "that delete rows of live files",
}
_NAMED = (
    (OTHER, "file with another name", "files with other names"),
    (NOT_LISTED, "more file", "more files"),
    (HIDDEN, "hidden file", "hidden files"),
    (MARKER, "marker", "markers"),
    (SUMMARY, "summary file", "summary files"),
)
_TIME = pa.timestamp("us", "UTC")
_FILES = ("table_path", "path", "state", "state_reason", "size", "modified", "kept_until")


@dataclasses.dataclass(frozen=True)
class Removable:
    """The files that maintenance of the tables may delete at a time, by the settings of each table.

    - `at`: the time. `as_of`: when the logs were read; a later version may need a file again, so refresh the lake first.
    - `files`: a row for each file: table_path, `by` (`VACUUM`, `expire_snapshots`, `remove_orphan_files`), path, state,
      state_reason, size in bytes, modified, kept_until. Files of manifests and logs are not among them.
    - `table`: a row for each table, `by` and state: num_files, total_bytes, and `retention`, the settings in words.
    - `later`: the files that the settings still keep, and will not keep for ever; columns as `files`. `tables`: how many
      tables the lake has.
    """

    at: datetime.datetime
    as_of: datetime.datetime
    files: pa.Table
    table: pa.Table
    later: pa.Table
    tables: int
    _known: bool
    _remarks: tuple[str, ...] = ()

    @functools.cached_property
    def sentence(self) -> str:
        """What would be deleted, by which command, and what is not known."""
        said = []
        for by in (VACUUM, EXPIRE, ORPHANS):
            rows = self.table.filter(pc.equal(self.table["by"], by))
            if not rows.num_rows:
                continue
            kinds = [
                f"{plural(_sum(some, 'num_files'), 'file')} {_WORDS[state]}"
                for state in _WORDS
                if (some := rows.filter(pc.equal(rows["state"], state))).num_rows
            ]
            said.append(f"{by} would delete {listing(kinds)} ({size(_sum(rows, 'total_bytes'))}).")
        if not self.tables:
            return "The lake has no Delta or Iceberg table, so nothing says which files are needed."
        if not said and not self._known:
            return "The lake was scanned before the settings of tables were read: refresh it."
        if not said:
            said.append("No file may be deleted by the tables' settings.")
            if self.later.num_rows:
                first = pc.min(self.later["kept_until"]).as_py()
                kept = plural(self.later.num_rows, "file")
                said.append(f"They keep {kept}, the first until {first:%Y-%m-%d %H:%M} UTC.")
        said.append(f"This is by the logs of {self.as_of:%Y-%m-%d %H:%M} UTC; nothing was deleted.")
        return " ".join([*said, *self._remarks])

    def __repr__(self) -> str:
        return f"<{self.sentence}>"


def removable(lake: Lake, at: datetime.datetime | None = None) -> Removable:
    """See `Lake.removable`."""
    at = at or datetime.datetime.now(datetime.UTC)
    if at.tzinfo is None:
        at = at.replace(tzinfo=datetime.UTC)
    manifest = lake.manifest
    tables = {row["path"]: row for row in lake._store.read(manifest, "tables").to_pylist()}
    files = lake._store.read(manifest, "files")
    limits = pa.scalar(0, _TIME), pa.scalar(LAST, _TIME)  # a store may hold anything
    known = files.filter(
        (pc.field("status") == "not-read")
        & pc.field("kept_until").is_valid()
        & (pc.field("kept_until") >= limits[0])
        & (pc.field("kept_until") <= limits[1])
        & pc.field("table_path").isin(pa.array(tables, pa.string()))
    )
    known = known.select(_FILES).sort_by([("table_path", "ascending"), ("path", "ascending")])
    by = [
        _by(tables[row["table_path"]]["format"], row["state"])
        for row in known.select(["table_path", "state"]).to_pylist()
    ]
    known = known.add_column(1, "by", pa.array(by, pa.string()))
    gone = pc.less_equal(known["kept_until"], pa.scalar(at, _TIME))
    found = known.filter(gone)
    sums = _sums(found, ["table_path", "by", "state"])
    words = [tables[path]["retention"] for path in sums["table_path"].to_pylist()]
    return Removable(
        at,
        datetime.datetime.fromisoformat(manifest.run["started"]),
        found,
        sums.append_column("retention", pa.array(words, pa.string())),
        known.filter(pc.invert(gone)),
        len(tables),
        all(row["retention"] is not None for row in tables.values() if row["status"] == "ok"),
        tuple(_remarks(manifest.run, tables, files)),
    )


def _sums(files: pa.Table, by: list[str]) -> pa.Table:
    """The number of files and their bytes, by some columns.

    Arrow is not asked to group no rows: its version 15 takes memory of any size for that.
    """
    if not files.num_rows:
        nothing = pa.array([], pa.int64())
        return files.select(by).append_column("num_files", nothing).append_column("total_bytes", nothing)
    sums = files.group_by(by).aggregate([("path", "count"), ("size", "sum")])
    return sums.select([*by, "path_count", "size_sum"]).rename_columns([*by, "num_files", "total_bytes"])


def _by(format: str, state: str) -> str:
    if format == "delta":
        return VACUUM
    return EXPIRE if state == REMOVED else ORPHANS


def _remarks(run: dict[str, Any], tables: dict[str, dict[str, Any]], files: pa.Table) -> list[str]:
    """What the answer does not say."""
    found = []
    broken = sum(row["status"] != "ok" for row in tables.values())
    if broken:
        found.append(f"The log of {plural(broken, 'table')} cannot be read: no file there counts.")
    parts = sum(not row["whole"] for row in tables.values())
    if parts:
        found.append(f"Of {plural(parts, 'table')} only a part was scanned.")
    inner = list(_nested(tables))
    if inner:
        (path, above), more = inner[0], len(inner) - 1
        others = f", and so for {plural(more, 'other table')}" * bool(more)
        found.append(
            f"Beware: {clip(printable(path), 200)} lies inside of {clip(printable(above), 200)}, whose full VACUUM deletes its files, live ones, too{others}."
        )
    if rest := not_looked_at(run, files).get(NOT_LISTED):
        found.append(f"{plural(rest, 'file')} with other names than Parquet files are not counted.")
    return found


def _nested(tables: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Each table that lies in the folder of a Delta table, and that one: VACUUM lists the folder, and asks one log."""
    for path in tables:
        above = path
        while (cut := max(above.rfind("/"), above.rfind("\\"))) > 0:
            above = above[:cut]
            if above in tables and tables[above]["format"] == "delta":
                yield path, above
                break


def states(lake: Lake) -> list[dict[str, Any]]:
    """The number and bytes of files by table and state, and of those that maintenance may delete now.

    `table` is None outside of tables, `state` None for files that no log and no name says more of. `bytes` are those of the
    files whose size is known. Vanished files are left out.
    """
    files = lake._store.read(lake.manifest, "files")
    files = files.filter(pc.not_equal(files["status"], "vanished"))
    sums = _sums(files, ["table_path", "state"])
    order = [("table_path", "ascending"), ("state", "ascending")]
    free = {
        (row["table_path"], row["state"]): (row["num_files"], row["total_bytes"] or 0)
        for row in removable(lake).table.to_pylist()
    }
    made = []
    for row in sums.sort_by(order).to_pylist():
        may = free.get((row["table_path"], row["state"]), (0, 0))
        made.append(
            {
                "table": row["table_path"],
                "state": row["state"],
                "files": row["num_files"],
                "bytes": row["total_bytes"] or 0,
                "removable_files": may[0],
                "removable_bytes": may[1],
            }
        )
    return made


def state_lines(lake: Lake) -> Iterator[str]:
    """A sentence on the files of tables that are not live, and one on those that were not looked at, if there are any."""
    manifest = lake.manifest
    files = lake._store.read(manifest, "files")
    sums: dict[str, Counter[str]] = {}
    for row in states(lake):
        if row["state"] in _STATES:
            numbers = {name: number for name, number in row.items() if type(number) is int}
            sums.setdefault(row["state"], Counter()).update(numbers)
    if sums:
        said = [
            f"{plural(one['files'], 'file')} {_STATES[state]} ({size(one['bytes'])})"
            for state, one in sorted(sums.items(), key=lambda pair: -pair[1]["bytes"])
        ]
        total = sum(sums.values(), Counter[str]())
        may = "none may be deleted"
        if total["removable_files"]:
            may = f"{total['removable_files']:,} ({size(total['removable_bytes'])}) may be deleted"
        yield f"Not live: {listing(said)}; {may} by the tables' settings, see lake.removable()."
    counts = not_looked_at(manifest.run, files)
    if any(counts.get(state) for state in (OTHER, NOT_LISTED, HIDDEN)):
        words = [plural(counts[state], one, many) for state, one, many in _NAMED if counts.get(state)]
        yield f"Not looked at, by their names: {listing(words)}."


def not_looked_at(run: dict[str, Any], files: pa.Table) -> dict[str, int]:
    """Files that were not taken for data by their names, by state; `NOT_LISTED` are those beyond the limit of a listing."""
    some = files.filter(pc.is_in(files["state"], pa.array(NO_DATA)))
    counts = {one["values"]: one["counts"] for one in pc.value_counts(some["state"]).to_pylist()}
    rest = (run.get("other_files") or 0) - len(some)
    return {**counts, **({NOT_LISTED: rest} if rest > 0 else {})}


def _sum(rows: pa.Table, name: str) -> int:
    return int(pc.sum(rows[name]).as_py() or 0)
