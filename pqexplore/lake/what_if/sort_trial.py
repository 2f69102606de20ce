"""Which columns to sort or partition a table by: tried on a sample of its rows.

The rows of the sample are sorted by each column and cut into as many parts as the table has files. How many parts may have
a value is what a query for it would read; how many of the files that the rows are from, what it reads today. Files whose
footers have no bounds are read in any case.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.text import plural, printable
from pqexplore.insight.doctor.subject import ordered
from pqexplore.insight.wording import listing, measured, name, size
from pqexplore.lake import query
from pqexplore.lake.doctor.diagnose import formats
from pqexplore.lake.doctor.together import table_of
from pqexplore.lake.scanning import rescan
from pqexplore.lake.target_sizes import TARGET
from pqexplore.lake.views import VIEWS
from pqexplore.lake.what_if.trial import evenly

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Int64s
    from pqexplore.lake.lake import Lake

FILES, ROWS, COLUMNS = 48, 16_384, 16
"""Files that rows are taken of, rows in all, and columns that are tried."""
CHUNK = 1 << 20
"""Rows of a row group up to which it is read for a sample."""
PART = 4
"""Rows of the sample that a part has at least; of more files, a part stands for several."""
ASKED = 200
"""Parts of the sample that given queries are asked of, as row groups of a file."""
FEW = 2.0
"""Files that a query for one value reads up to which a table counts as sorted by the column."""
FOLDERS = 1_000
"""Values up to which a column is one to partition by, if each has `TARGET` bytes."""


@dataclasses.dataclass(frozen=True, slots=True)
class SortColumn:
    """A column to sort by.

    - `now`, `then`: files that a query for one value of it reads today and in a table that is sorted by it, on average.
      `distinct`: its values in the sample.
    - `asked`: files that all given queries read in a table that is sorted by it; None without queries.
    - `loses`: the columns for whose values a query would read more files: name, files today, files then.
    """

    name: str
    now: float
    then: float
    distinct: int
    asked: int | None = None
    loses: tuple[tuple[str, float, float], ...] = ()


@dataclasses.dataclass(frozen=True)
class SortTrial:
    """What sorting a table by each column would save.

    - `table`, its live `files` and `bytes`; `rows`: of the sample, 0 if there is none, and `why`.
    - `columns`: those that save most first. `queries`: the conditions, which read `asked` files in all today.
    - `partition`: columns that are fit to partition by, with their number of values.
    """

    table: str
    format: str
    files: int
    bytes: int
    rows: int
    columns: tuple[SortColumn, ...]
    queries: tuple[str, ...] = ()
    asked: int | None = None
    partition: tuple[tuple[str, int], ...] = ()
    why: str = ""

    @functools.cached_property
    def sentence(self) -> str:
        """What to sort and partition by, with the files that are read before and after."""
        return printable(f"{self._sort()} {self._partition()}")

    def _sort(self) -> str:
        if self.files < 2:
            return "Nothing to sort among files: there is one." if self.files else "There are no files."
        by = f"by a trial on {plural(self.rows, 'row')}"
        if self.queries and self.asked is not None and self.columns and self.columns[0].asked is not None:
            best = self.columns[0]
            asked = f"{plural(len(self.queries), 'query reads', 'queries read')} {plural(self.asked, 'file')} today"
            if best.asked is None or best.asked >= self.asked:
                return f"Leave the order: the {asked}, and no other order that was tried saves one, {by}."
            return f"Sort by {name(best.name)}: the {asked}, {best.asked:,} then, {by}.{_lost(best)}"
        parts = []
        own = min(self.columns, key=lambda one: one.now, default=None)
        if own is not None and own.now <= min(FEW, self.files / 2):
            parts.append(
                f"Sorted by {name(own.name)} today: a query for one value reads {measured(own.now)} of {self.files:,} files."
            )
        gains = [one for one in self.columns if one.now > 2 * one.then]
        if gains:
            some = [f"{name(one.name)} {measured(one.now)} → {measured(one.then)}" for one in gains[:3]]
            lead = (
                "Sorting by another column would help its queries"
                if parts
                else "Sort by the column that queries name most"
            )
            parts.append(f"{lead}: files for one value {listing(some)}, {by}.{_lost(gains[0]) if parts else ''}")
        if not parts and not self.rows:
            return f"No order was tried: {self.why}."
        return " ".join(parts) or f"No order that was tried lets a query for one value read fewer files, {by}."

    def _partition(self) -> str:
        if not self.files:
            return ""
        if not self.partition:
            return (
                f"Partition by nothing more: no column has values with {TARGET >> 20} MiB each in {size(self.bytes)}."
            )
        some = [
            f"{name(column)} ({plural(count, 'value')}, {size(self.bytes // count)} each)"
            for column, count in self.partition[:3]
        ]
        return f"Fit to partition by: {listing(some)}."


def _lost(one: SortColumn) -> str:
    if not one.loses:
        return ""
    some = [f"{name(column)} {measured(now)} → {measured(then)}" for column, now, then in one.loses[:3]]
    return f" Queries for other columns would read more: {listing(some)}."


def try_sorting(lake: Lake, queries: Sequence[str] = ()) -> SortTrial:
    """See `Lake.sort_by`."""
    rows = [row for row in rescan.files(lake) if row["status"] == "ok"]
    sizes: dict[str, int] = {}
    for row in rows:
        table = table_of(row["path"], row["table_path"])
        sizes[table] = sizes.get(table, 0) + (row["size"] or 0)
    table = max(sizes, key=lambda one: (sizes[one], one), default="")
    own = [row for row in rows if table_of(row["path"], row["table_path"]) == table]
    made = functools.partial(SortTrial, table, formats(lake).get(table, ""), len(own), sizes.get(table, 0))
    if len(own) < 2:
        return made(0, ())
    try:
        unknown = _unknown(lake, {row["path"] for row in own} if len(sizes) > 1 else None)
    except UsageError as error:  # DuckDB is not installed
        return made(0, (), why=str(error))
    asked = sum(len({*lake.ask(one).kept} & {row["path"] for row in own}) for one in queries) if queries else None
    if any("://" in row["path"] for row in own[:1]):
        return made(0, (), tuple(queries), asked, why="the files are remote, and no rows were read")
    parts = _sample(lake, own, list(unknown))
    if not parts:
        return made(0, (), tuple(queries), asked, why="no row group is small enough to read a sample of")
    sample = pa.concat_tables(parts).combine_chunks()
    tried = _tried(sample, [part.num_rows for part in parts], unknown, len(own), queries)
    return made(sample.num_rows, tried, tuple(queries), asked, _partitions(tried, sample.num_rows, sizes[table]))


def _unknown(lake: Lake, only: set[str] | None) -> dict[str, int]:
    """The columns with bounds in some file, and how many files have none of them."""
    where = ""
    if only is not None:
        where = "path IN (" + ", ".join("'" + path.replace("'", "''") + "'" for path in sorted(only)) + ")"
    rows = query.rows(lake, VIEWS["overlap"].sql(), where)
    return {row["column_name"]: row["unknown_files"] for row in rows if row["ranged_files"]}


def _sample(lake: Lake, files: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[pa.Table]:
    """Rows of some files, evenly chosen, of the flat columns with an order; a table for each file, of those with the most frequent types."""
    some = evenly(files, min(FILES, len(files)), lambda row: ("", row["size"] or 0, row["path"]), None)
    lake.reach.require_all(row["path"] for row in some)
    most, tables = -(-ROWS // len(some)), []
    for row in sorted(some, key=lambda row: str(row["path"])):
        with contextlib.suppress(ParquetError, OSError, pa.ArrowException), open_file(row["path"]) as file:
            own = [
                leaf.path[0]
                for leaf in file.schema.leaves
                if len(leaf.path) == 1 and ordered(leaf) and leaf.path[0] in columns
            ]
            groups = len(file.row_groups)
            if not own or not groups or file.row_groups[groups // 2].num_rows > CHUNK:
                continue
            table = file.read(own[:COLUMNS], [groups // 2])
            step = max(1, table.num_rows // most)
            tables.append(table.take(pa.array(range(0, table.num_rows, step)[:most])))
    kinds = Counter(tuple(table.schema) for table in tables if table.num_rows)
    usual = kinds.most_common(1)[0][0] if kinds else ()
    return [table for table in tables if table.num_rows and tuple(table.schema) == usual]


def _tried(
    sample: pa.Table, rows: Sequence[int], unknown: Mapping[str, int], files: int, queries: Sequence[str]
) -> tuple[SortColumn, ...]:
    """Each column of the sample as the one to sort by, the one that saves most first."""
    ranks = {column: _ranks(sample[column]) for column in sample.column_names}
    parts = max(2, min(files, sample.num_rows // PART))
    scale = (files - 1) / (parts - 1)
    begins = np.cumsum([0, *rows[:-1]])
    each = (files - 1) / max(1, len(rows) - 1)
    now = {
        column: min(files, unknown.get(column, 0) + 1 + (_point_parts(rank, begins) - 1) * each)
        for column, rank in ranks.items()
    }
    made = []
    for column, own in ranks.items():
        order = np.argsort(own, kind="stable")
        starts = np.linspace(0, sample.num_rows, parts + 1).astype(np.int64)[:-1]
        then = {one: 1 + (_point_parts(rank[order], starts) - 1) * scale for one, rank in ranks.items()}
        asked = _asked(sample.take(pa.array(order)), min(parts, ASKED), files, queries) if queries else None
        loses = [
            (one, now[one], files_then) for one, files_then in then.items() if one in now and files_then > 2 * now[one]
        ]
        loses.sort(key=lambda each: each[1] - each[2])
        made.append(SortColumn(column, now[column], then[column], int(own.max(initial=0)), asked, tuple(loses)))
    if queries:
        made.sort(key=lambda one: (one.asked is None, one.asked or 0, one.name))
    else:
        made.sort(key=lambda one: (one.then - one.now, one.name))
    return tuple(made)


def _ranks(values: pa.ChunkedArray) -> Int64s:
    """The place of each value among the distinct ones, from 1 on; 0 for NULL."""
    if pa.types.is_float16(values.type):  # Arrow has no order for them
        values = pa.chunked_array([[one if one is None else float(one) for one in values.to_pylist()]], pa.float32())
    encoded = values.combine_chunks().dictionary_encode()
    order = np.argsort(pc.array_sort_indices(encoded.dictionary).to_numpy(), kind="stable") + 1
    places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return np.where(places < 0, 0, np.append(order, 0)[places]).astype(np.int64)


def _point_parts(ranks: Int64s, starts: Int64s) -> float:
    """In how many parts a value may be, on average over the rows with a value."""
    known = ranks[ranks > 0]
    if not len(known):
        return float(len(starts))
    highs = np.maximum.reduceat(ranks, starts)
    held = highs > 0
    lows = np.sort(np.minimum.reduceat(np.where(ranks > 0, ranks, np.iinfo(np.int64).max), starts)[held])
    return float((np.searchsorted(lows, known, "right") - np.searchsorted(np.sort(highs[held]), known, "left")).mean())


def _asked(rows: pa.Table, parts: int, files: int, queries: Sequence[str]) -> int | None:
    """How many of so many files some queries read in all, by how many parts of the rows; None if a query names a column that the sample lacks."""
    made = io.BytesIO()
    pq.write_table(rows, made, row_group_size=-(-rows.num_rows // parts), use_dictionary=False, compression="none")
    try:
        with open_file(made.getvalue()) as file:
            groups = max(2, len(file.row_groups))
            kept = [len(file.ask(one).kept) for one in queries]
            return round(sum(1 + (count - 1) * (files - 1) / (groups - 1) for count in kept if count))
    except (ParquetError, UsageError):
        return None


def _partitions(columns: Sequence[SortColumn], rows: int, total: int) -> tuple[tuple[str, int], ...]:
    """The columns of a sample of so many rows that have few values, if each value has enough bytes for a file."""
    fit = [(one.name, one.distinct) for one in columns if 2 <= one.distinct <= min(FOLDERS, rows // 20)]
    return tuple(sorted((pair for pair in fit if total // pair[1] >= TARGET), key=lambda pair: (-pair[1], pair[0])))
