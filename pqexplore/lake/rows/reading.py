"""Reads rows of a table: which columns, which rows, which condition."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Int64s, Mask
from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.limits import DEFAULT
from pqexplore.insight.ask import bound, matching, sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.row_pages import by_group
from pqexplore.insight.some_rows import BATCH, evaluated, read_rows
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.logs.roaring import Positions
from pqexplore.lake.logs.table_log import LogError
from pqexplore.lake.logs.table_schema import MAP, TableColumn, TableSchema
from pqexplore.lake.logs.vectors import delta_vector, require_count
from pqexplore.lake.places.choice import place_of
from pqexplore.lake.rows.arrow_types import arrow_type
from pqexplore.lake.rows.projection import Projection, unite
from pqexplore.lake.rows.table_files import OnError, Part, TableFiles

if TYPE_CHECKING:
    from pqexplore.lake.logs.table_schema import TableColumn, TableSchema


class Reading:
    """Columns, a condition, and the files that are read; see `LakeTable.reading` for the arguments.

    `remarks` says of a folder without a log which columns not all files have, or in which types.
    """

    def __init__(
        self,
        table: TableFiles,
        columns: Sequence[str] | None,
        where: str,
        *,
        texts: bool,
        most: int | None,
        on_error: OnError | None,
    ) -> None:
        table.require_readable()
        self.table, self._texts = table, texts
        self._on_error = on_error if table.log is None else None
        self.remarks: list[str] = []
        stored = self._schemas(None if where else most)
        self._columns = _chosen(self._schema.root, columns)
        self.schema = self._arrow(self._columns, texts)
        self._condition: Condition | None = None
        if where:
            every = stored.root.children
            uuids = [one.name for one in every if one.type == "uuid"]
            self._condition = Condition(where, self._arrow(every, False), uuids)
            self._asked = [one for one in every if one.name in self._condition.columns]
            self.remarks += self._condition.remarks

    def _schemas(self, most: int | None) -> TableSchema:
        """Find the files and the schema; returns the schema in the types of `ParquetFile.read`."""
        log = self.table.log
        if log is None:
            found = self.table.first(most, self._on_error)
            self.parts = [part for part, _ in found]
            named = [(part.name, schema) for part, schema in found]
            values = [part.values for part in self.parts]
            self._schema, self.remarks = unite(named, values, self._texts)
            if len(found) < len(self.table.parts) and most is not None:
                first = "file" if len(found) == 1 else f"{len(found):,} files"
                self.remarks.append(f"the columns are those of the first {first}")
            self._stored = unite(named, values, False)[0] if self._texts else self._schema
            return self._stored
        self.parts = self.table.parts
        if log.schema is None:
            raise LogError("corrupt", "the log has no schema that can be read").refusal(self.table.path)
        self._schema = self._stored = log.schema
        return log.schema

    def _arrow(self, columns: Sequence[TableColumn], texts: bool) -> pa.Schema:
        return pa.schema([pa.field(one.name, arrow_type(one, self.table.format, texts)) for one in columns])

    def count(self) -> int:
        """The rows of all files, without deleted ones; the condition does not count."""
        total = 0
        for part in self.parts:
            with self.table.opened(part) as file:
                alive = self._alive(part, file)
                total += len(file) if alive is None else int(np.count_nonzero(alive))
        return total

    def table_at(self, start: int, stop: int | None) -> pa.Table:
        """The rows `[start, stop)` as one Arrow table."""
        found = list(self.rows(start, stop))
        return pa.concat_tables(found) if found else self.schema.empty_table()

    def numbered(self, start: int = 0, stop: int | None = None) -> Iterator[pa.Table]:
        """The same as `rows` with the columns of `with_numbers` before. Deleted rows have numbers, too."""
        return (with_numbers(table, part.name, places) for part, places, table in self._found(start, stop))

    def selected(self, start: int, stop: int | None, select: str, by: Sequence[str], remarks: list[str]) -> pa.Table:
        """`SELECT by, select … GROUP BY by` of these rows, whose file and number are columns too (`with_numbers`).

        The columns are those of `LakeTable.named`. Raises as `insight.some_rows.evaluated` does.
        """
        from pqexplore.insight.ask import expressions

        spare = set(NUMBERS).difference(by, expressions.names_in(select), self.schema.names)
        if len(spare) == len(NUMBERS) and not self.schema.names:
            spare.discard("row")  # a table of no columns has no rows
        rows = (found.drop_columns(sorted(spare)) for found in self.numbered(start, stop))
        none = with_numbers(self.schema.empty_table(), "", np.zeros(0, np.int64))
        return evaluated(rows, none, select, by, remarks)

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[pa.Table]:
        """The rows `[start, stop)`, counted from 0 over all files; of these, those that meet the condition."""
        return (table for _, _, table in self._found(start, stop))

    def _found(self, start: int, stop: int | None) -> Iterator[tuple[Part, Int64s, pa.Table]]:
        """Some rows of a file at a time, with their numbers in it."""
        for part in self.parts:
            if stop is not None and stop <= 0:
                return
            try:
                with self.table.opened(part) as file:
                    alive = self._alive(part, file)
                    count = len(file) if alive is None else int(np.count_nonzero(alive))
                    begin, end = min(start, count), count if stop is None else min(stop, count)
                    start, stop = start - begin, None if stop is None else stop - count
                    if begin < end:
                        for places, found in self._of_file(part, file, alive, begin, end):
                            yield part, places, found
            except (ParquetError, OSError) as error:
                if self._on_error is None:
                    raise
                self._on_error(part.entry.path, error)

    def _of_file(
        self, part: Part, file: ParquetFile, alive: Mask | None, begin: int, end: int
    ) -> Iterator[tuple[Int64s, pa.Table]]:
        """The live rows `[begin, end)` of a file that meet the condition, and their numbers."""
        low, high = begin, end
        if alive is not None:
            places = np.flatnonzero(alive)
            low, high = int(places[begin]), int(places[end - 1]) + 1
        starts = row_starts(file)
        projection = self._projection(part, file, self._columns, self._texts)
        for group, first, last in by_group(starts, low, high):
            at = starts[group]
            wanted = None if alive is None else alive[at + first : at + last]
            if self._condition is not None:
                asked = self._projection(part, file, self._asked, False)
                meets = self._condition.mask(_stored(file, asked, group, first, last))
                wanted = meets if wanted is None else wanted & meets
            step = BATCH if self._texts else max(1, last - first)
            for one in range(first, last, step):
                until = min(one + step, last)
                some = None if wanted is None else wanted[one - first : until - first]
                if some is None or some.any():
                    if not self._columns:
                        yield (
                            np.flatnonzero(np.ones(until - one, bool) if some is None else some) + at + one,
                            pa.table({}),
                        )
                        continue
                    read, places = self._read(file, projection, group, one, until), np.arange(at + one, at + until)
                    if some is not None and not some.all():
                        read, places = read.filter(pa.array(some)), places[some]
                    yield places, read

    def _read(self, file: ParquetFile, projection: Projection, group: int, low: int, high: int) -> pa.Table:
        if not self._texts or projection.is_constant:
            return _stored(file, projection, group, low, high)
        return projection.table(read_rows(file, group, low, high, projection.needed), high - low)

    @property
    def values_first(self) -> bool:
        """Whether the values of partitions count for files that have the column, too; in Iceberg the file's do."""
        return self.table.format != "iceberg"

    def values(self, part: Part) -> Mapping[str, str | None]:
        """The values of a file's partition that are those of columns."""
        log = self.table.log
        if log is None:
            return part.values
        return {name: value for name, value in part.values.items() if name in log.constants}

    def _projection(self, part: Part, file: ParquetFile, columns: Sequence[TableColumn], texts: bool) -> Projection:
        """How columns of a file become those of the table."""
        return Projection(
            self._schema if texts else self._stored,
            columns,
            file.schema,
            self.values(part),
            format=self.table.format,
            texts=texts,
            values_first=self.values_first,
        )

    def _alive(self, part: Part, file: ParquetFile) -> Mask | None:
        """Which rows of a file are live; None for all."""
        log, rows, how = self.table.log, len(file), self.table.how
        if log is None:
            return None
        if part.fact is not None and part.fact.vector is not None:
            options = how.storage_options or {}
            place, root = place_of(self.table.path, options)
            follow = (lambda address: place_of(address, options)) if how.follow_outside else None
            gone = delta_vector(place, root, part.fact.vector, follow)
            require_count(gone, part.fact.deleted or 0)
            return without(rows, gone)
        if log.deletes is None:
            return None
        found = without(rows, log.deletes.rows(part.name))
        for place, path, ids in log.deletes.by_equality(part.name):
            keys = keys_of(self._stored, ids)
            source = place.source(path)
            try:
                deletes = ParquetFile(source, limits=how.limits or DEFAULT)
                deleted = self._whole(Part(Entry(path), path, None, {}), deletes, keys)
            except ParquetError as error:
                error.message = f"its delete file {path}: {error.message}"
                raise
            finally:
                source.close()
            some = not_equal(self._whole(part, file, keys), deleted)
            found = some if found is None else found & some
        return found

    def _whole(self, part: Part, file: ParquetFile, columns: Sequence[TableColumn]) -> pa.Table:
        """Columns of all stored rows of a file."""
        projection = self._projection(part, file, columns, False)
        return projection.table(file.read(projection.needed), len(file))


NUMBERS = ("file", "row")
"""The columns of `with_numbers` before those of the table."""


def with_numbers(table: pa.Table, file: str, rows: Int64s) -> pa.Table:
    """Rows with two columns before: `file`, whose name it is, and `row`, their numbers in it.

    A name that the table has gets underscores before it.
    """
    numbers = pa.repeat(pa.scalar(file, pa.string()), len(rows)), pa.array(rows, pa.int64())
    names = [_free(name, table.column_names) for name in NUMBERS]
    columns = [*zip(names, numbers, strict=True), *zip(table.column_names, table.columns, strict=True)]
    return pa.Table.from_arrays([values for _, values in columns], [name for name, _ in columns])


def _free(name: str, names: Collection[str]) -> str:
    while name in names:
        name = f"_{name}"
    return name


def _stored(file: ParquetFile, projection: Projection, group: int, low: int, high: int) -> pa.Table:
    """Rows `[low, high)` of a row group, in the types of `ParquetFile.read`; of the first rows only their pages are read."""
    if projection.is_constant:
        return projection.table(pa.table({}), high - low)
    if group == 0 and low == 0 and high < file.row_groups[0].num_rows:
        read = file.head(high, projection.needed)
    else:
        read = file.read(projection.needed, [group]).slice(low, high - low)
    return projection.table(read, high - low)


def _chosen(root: TableColumn, names: Sequence[str] | None) -> list[TableColumn]:
    """The columns of these names, None for all, in the table's order; of a struct only the named fields.

    UsageError for a name that the table does not have.
    """
    if names is None:
        return list(root.children)
    if isinstance(names, str | bytes):
        raise UsageError(f"columns is a list of names; did you mean [{names!r}]?")
    used: set[str] = set()
    found = [cut for one in root.children if (cut := _cut(one, one.name, names, used)) is not None]
    for name in names:
        if name not in used:
            known = ", ".join(one.name for one in root.children[:20])
            raise UsageError(f"no column {name!r}; the columns of the table are {known}")
    return found


def _cut(column: TableColumn, path: str, names: Sequence[str], used: set[str]) -> TableColumn | None:
    """A column with only the named fields; None if none is named. Of a map, both key and value are needed."""
    if path in names:
        used.update(one for one in names if one == path or one.startswith(f"{path}."))
        return column
    children = [cut for one in column.children if (cut := _cut(one, f"{path}.{one.name}", names, used)) is not None]
    if not children:
        return None
    return column if column.type == MAP else dataclasses.replace(column, children=tuple(children))


# Which rows of a table meet a condition.
#
# The condition is about the table's present columns, also those of partitions, which no file has. So the rows are brought
# into the table's columns first; then they are judged as those of a file with these columns, by `insight.ask`.


class Condition:
    """A condition in Spark's SQL, and the columns it is about. UsageError if it does not fit the columns of `schema`.

    `uuids` are columns whose 16 bytes are UUIDs. `remarks` say what `expressions` evaluates of it.
    """

    def __init__(self, text: str, schema: pa.Schema, uuids: Collection[str] = ()) -> None:
        self._clause, self._uuids = sql.parse(text), uuids
        with self._as_file(schema.empty_table()) as empty:
            condition = bind(self._clause, empty.schema)
        wanted = {leaf.path[0] for leaf in bound.columns(condition)}
        self.remarks = matching.evaluated_elsewhere(condition)
        self.columns = [name for name in schema.names if name in wanted] or schema.names[:1]

    def mask(self, rows: pa.Table) -> Mask:
        """Whether each row meets it, for rows with `columns`. UsageError for a clause that cannot be evaluated."""
        if not rows.num_rows:
            return np.zeros(0, bool)
        with self._as_file(rows) as file:
            condition = bind(self._clause, file.schema)
            return np.concatenate(
                [matching.rows(file, group.index, condition, None, evaluate=True) for group in file.row_groups]
            )

    def _as_file(self, rows: pa.Table) -> ParquetFile:
        """Rows as a file in memory."""
        import pyarrow.parquet as pq

        for name in self._uuids:
            if name in rows.column_names and hasattr(pa, "uuid"):  # from pyarrow 18 on
                typed = pa.ExtensionArray.from_storage(pa.uuid(), rows[name].combine_chunks())
                rows = rows.set_column(rows.column_names.index(name), name, typed)
        sink = io.BytesIO()
        pq.write_table(rows, sink, compression="none", use_dictionary=False, write_statistics=False, store_schema=False)
        return open_file(sink.getvalue())


# Which rows of a file are live: those that no deletion vector and no delete file of its table deletes.


def without(rows: int, gone: Positions) -> Mask | None:
    """Which of a file's rows are not among the deleted ones, ascending; None for all. CorruptFileError for a row too far."""
    if not len(gone):
        return None
    if gone[-1] >= rows or gone[0] < 0:
        raise CorruptFileError(f"row {int(gone[-1]):,} is deleted, and the file has {rows:,} rows", address="")
    alive = np.ones(rows, bool)
    alive[gone] = False
    return alive


def keys_of(schema: TableSchema, ids: Sequence[int]) -> list[TableColumn]:
    """The columns by which an equality delete file names rows. UnsupportedFeatureError if the table no longer has one."""
    found = [schema.root.by_id.get(number) for number in ids]
    columns = [one for one in found if one is not None and not one.is_nested]
    if not columns or len(columns) < len(found):
        raise UnsupportedFeatureError(
            f"an equality delete file names fields {list(ids)}, and not all are columns of the table now", address=""
        )
    return columns


def not_equal(rows: pa.Table, deleted: pa.Table) -> Mask:
    """Which rows differ from all of the deleted ones; both have the same columns, and null is equal to null."""
    code, known = np.zeros(len(rows), np.int64), np.zeros(len(deleted), np.int64)
    for name in rows.column_names:
        mine, others = rows[name].combine_chunks(), deleted[name].combine_chunks()
        values = others.unique()
        each, every = _codes(mine, values), _codes(others, values)
        # A row that has none of the values has code -1 from now on, and is equal to none.
        count = len(values) + 1
        pairs, known = np.unique(known * count + every, return_inverse=True)
        code = _where(code, each, pairs, count)
    found: Mask = code < 0
    return found


def _codes(array: pa.Array, values: pa.Array) -> Positions:
    """The position of each value among others, which have null if it counts; -1 for none."""
    found: Positions = (
        pc.index_in(array, value_set=values).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    )
    return found


def _where(code: Positions, each: Positions, pairs: Positions, count: int) -> Positions:
    """The code of each row by all columns so far; -1 for a row whose pair of codes no deleted row has."""
    wanted = code * count + each
    at = np.searchsorted(pairs, wanted)
    at = np.minimum(at, max(0, len(pairs) - 1))
    hit = (code >= 0) & (each >= 0) & (len(pairs) > 0)
    if len(pairs):
        hit &= pairs[at] == wanted
    return np.where(hit, at, -1)
