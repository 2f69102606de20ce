"""Reads some rows of a file: only the pages with them are decoded, a batch at a time.

Variants come as their JSON text (`json_values.VARIANT`). The first page that cannot be read raises, as in
`ParquetFile.read`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Int64s, Mask, floats_of_halves
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError, located
from pqexplore.engine.file.chunk_reader import decode_chunk
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.file.table_reader import Names, ReadTally, by_field, selected
from pqexplore.engine.file.value_findings import num_rows
from pqexplore.engine.format import logical, types
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.nesting.assembly import LeafColumn, assemble
from pqexplore.engine.format.nesting.levels import slice_records
from pqexplore.engine.format.ordering import Order, type_order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import format_value
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.variants_in_columns import exchange
from pqexplore.engine.limits import Limits
from pqexplore.insight.json_values import VARIANT
from pqexplore.insight.row_pages import by_group, first_rows, page_locations, pages_from

BATCH = 1_000
"""Max rows of a batch."""

SELECTED = 640 << 20
"""Bytes of rows that expressions are evaluated over."""

NUMBERS = ("row", "row_group", "page")
"""The columns of `numbered_batches` before those of the file."""

AS_TEXT = frozenset({"UUID", "ENUM", "INTERVAL", "GEOMETRY", "GEOGRAPHY"})
"""Types whose values come as texts, geometries as WKT; Arrow reads them as bytes."""


def batches(
    file: ParquetFile,
    start: int,
    stop: int,
    columns: Sequence[str] | None = None,
    where: str = "",
    remarks: list[str] | None = None,
) -> Iterator[pa.Table]:
    """The rows `[start, stop)` of the file, counted from 0; with `where`, those for which the condition is TRUE.

    `columns` are names of leaves, groups or top-level columns. Row groups that hold no match are not read. What
    `expressions` evaluates of the condition is added to `remarks`. Raises UsageError for a column or a condition that does
    not fit the file, ParquetError for what cannot be read.
    """
    matching = _Matching(file, where, remarks) if where else None
    return (found.table for found in _batches(file, start, stop, columns, matching))


def numbered_batches(
    file: ParquetFile,
    start: int,
    stop: int,
    columns: Sequence[str] | None = None,
    where: str = "",
    remarks: list[str] | None = None,
) -> Iterator[pa.Table]:
    """The same with columns before: `row` (of the file), `row_group`, and `page`, its number among the data pages.

    The page is that of the columns of the condition, or else of those that are read. If they begin their pages at
    different rows, it is a struct with a number for each. A name that the file has gets underscores before it.
    """
    matching = _Matching(file, where, remarks) if where else None
    indexes = sorted(selected(file, columns)) if matching is None else [leaf.leaf_index for leaf in matching.leaves]
    starts = row_starts(file)
    groups = [group for group, _, _ in by_group(starts, start, stop) if matching is None or matching.kept(group)]
    pages = _Pages(file, indexes, groups)
    for group, rows, table in _batches(file, start, stop, columns, matching):
        made = table
        numbers = (pa.array(rows + starts[group]), pa.array(np.full(len(rows), group)), pages.of(group, rows))
        for at, (name, values) in enumerate(zip(NUMBERS, numbers, strict=True)):
            while name in table.column_names:
                name = f"_{name}"
            made = made.add_column(at, name, values)
        yield made


def selected_rows(
    file: ParquetFile,
    start: int,
    stop: int,
    select: str,
    by: Sequence[str],
    where: str,
    remarks: list[str],
    broken: str | None = None,
) -> pa.Table:
    """`SELECT by, select … GROUP BY by` of some rows, whose numbers are columns too (`numbered_batches`).

    With `broken`, a column, the rows are those of `out_of_order`, and `where` does not count. Raises as `batches` does;
    UsageError also for `page` without a column; LimitExceededError if the rows take more than `SELECTED` bytes.
    """
    from pqexplore.insight.ask import expressions

    if broken is not None:
        none = _numbered(file.read(columns=[broken], row_groups=[]))
        none = none.append_column("before", none.column(none.num_columns - 1))
        return evaluated(out_of_order(file, start, stop, broken), none, select, by, remarks)
    numbers = set(NUMBERS).difference(file.schema.dotted, (field.name for field in file.schema.root.children))
    asked = dict.fromkeys([*by, *expressions.names_in(select)])
    names = [name for name in asked if name not in numbers]
    if "page" in numbers.intersection(asked) and not names and not where:
        raise UsageError("each column has its own pages: name a column beside page, or in --where")
    spare = numbers.difference(asked)
    if not names and spare == numbers:
        spare.discard("row_group")  # a table of no columns has no rows
    rows = numbered_batches(file, start, stop, names, where, remarks)
    empty = _numbered(file.read(columns=names, row_groups=[]))
    return evaluated((part.drop_columns(sorted(spare)) for part in rows), empty, select, by, remarks)


def evaluated(rows: Iterable[pa.Table], none: pa.Table, select: str, by: Sequence[str], remarks: list[str]) -> pa.Table:
    """`SELECT by, select … GROUP BY by` of these rows, or of `none` if there are none. Raises as `selected_rows`."""
    from pqexplore.insight.ask import expressions

    parts: list[pa.Table] = []
    taken = 0
    for part in rows:
        parts.append(part)
        taken += part.nbytes
        if taken > SELECTED:
            raise LimitExceededError(f"the rows take more than {SELECTED:,} bytes: choose fewer with --rows or --where")
    table = joined(parts or [none])
    remarks.append(f"{expressions.engine()} evaluated the expressions on the values that were decoded here")
    return expressions.selected(table, select, by)


def joined(parts: Sequence[pa.Table]) -> pa.Table:
    """The batches as one table. Timestamps of INT96, whose type depends on the values of a batch, become text if need be."""
    if all(part.schema == parts[0].schema for part in parts):  # names may repeat
        return pa.concat_tables(parts)
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        columns = range(parts[0].num_columns)
        texts = [at for at in columns if any(pa.types.is_string(part.column(at).type) for part in parts)]
        return pa.concat_tables([_as_text(part, texts) for part in parts])


def _as_text(part: pa.Table, columns: Sequence[int]) -> pa.Table:
    for at in columns:
        part = part.set_column(at, part.column_names[at], part.column(at).cast(pa.string()))
    return part


def _numbered(empty: pa.Table) -> pa.Table:
    for at, name in enumerate(NUMBERS):
        if name not in empty.column_names:
            empty = empty.add_column(at, name, pa.array([], pa.int64()))
    return empty


def out_of_order(file: ParquetFile, start: int, stop: int, column: str) -> Iterator[pa.Table]:
    """The rows whose value of a column is smaller than the one before, with their numbers, and `before`, that value.

    Nulls and NaNs are passed over. UsageError for a column without an order; else it raises as `batches` does.
    """
    before: pa.Array | None = None
    for part in numbered_batches(file, start, stop, [column]):
        values = part[column] if part.column_names.count(column) == 1 else None
        if values is None or pa.types.is_nested(values.type):
            raise UsageError(f"{column!r} is not a top-level column of single values: its rows have no order here")
        leaf = file.schema.leaves[file.schema.dotted.index(column)]
        if leaf.physical_type == Type.INT96:  # in the order of time; far times are text
            unordered = pa.types.is_string(values.type)
        else:
            unordered = type_order(leaf) is Order.NONE
        if unordered:
            raise UsageError(f"the values of {column!r} have no order here")
        if pa.types.is_float16(values.type):  # Arrow does not compare them
            values = floats_of_halves(values)
        kept = np.flatnonzero(_ordered(values))
        part, values = part.take(pa.array(kept)), values.combine_chunks().take(pa.array(kept))
        if not len(values):
            continue
        try:  # INT96 has the type of its values
            first = values[:1] if before is None else before.cast(values.type)
        except pa.ArrowInvalid:
            raise UsageError(f"the values of {column!r} are too far apart to be compared here") from None
        ahead = pa.concat_arrays([first, values[:-1]])
        before = values[-1:]
        broken = pc.less(values, ahead)
        yield part.append_column("before", ahead).filter(broken)


def _ordered(values: pa.ChunkedArray) -> Mask:
    """Which values are neither null nor NaN."""
    there: Mask = np.asarray(values.is_valid()).astype(bool)
    if pa.types.is_floating(values.type):
        there &= ~np.isnan(np.asarray(values.fill_null(0).cast(pa.float64())))
    return there


class _Batch(NamedTuple):
    """Some rows of a row group, by their numbers in it."""

    group: int
    rows: Int64s
    table: pa.Table


def _batches(
    file: ParquetFile, start: int, stop: int, columns: Sequence[str] | None, matching: _Matching | None
) -> Iterator[_Batch]:
    selected(file, columns)
    for group, low, high in by_group(row_starts(file), start, stop):
        mask = None if matching is None else matching.rows(group)
        for first in range(low, high, BATCH):
            last = min(first + BATCH, high)
            rows = np.arange(first, last)
            if mask is None:
                yield _Batch(group, rows, read_rows(file, group, first, last, columns))
            elif mask[first:last].any():
                found = read_rows(file, group, first, last, columns).filter(pa.array(mask[first:last]))
                yield _Batch(group, rows[mask[first:last]], found)


class _Pages:
    """Which page has a row, for some leaves."""

    def __init__(self, file: ParquetFile, leaves: Sequence[int], groups: Sequence[int]) -> None:
        dotted = file.schema.dotted
        self.firsts = {
            group: {dotted[leaf]: first_rows(file.row_groups[group].columns[leaf]) for leaf in leaves}
            for group in groups
        }
        self.same = all(len({tuple(one) for one in found.values()}) == 1 for found in self.firsts.values())

    def of(self, group: int, rows: Int64s) -> pa.Array:
        """The number of the page of each row, or a struct of one for each leaf."""
        numbers = {
            name: pa.array(np.maximum(np.searchsorted(np.asarray(firsts, np.int64), rows, "right") - 1, 0))
            for name, firsts in self.firsts[group].items()
        }
        if self.same and numbers:
            return next(iter(numbers.values()))
        if not numbers:
            return pa.nulls(len(rows), pa.int64())
        return pa.StructArray.from_arrays(list(numbers.values()), list(numbers))


class _Matching:
    """A condition, and which rows meet it."""

    def __init__(self, file: ParquetFile, where: str, remarks: list[str] | None = None) -> None:
        from pqexplore.insight.ask import matching, planning
        from pqexplore.insight.ask.bound import columns
        from pqexplore.insight.steps import finish

        self.file = file
        self.plan = finish(planning.steps(file, where))
        self.leaves = columns(self.plan.bound)
        if remarks is not None:
            remarks += matching.evaluated_elsewhere(self.plan.bound)

    def kept(self, group: int) -> bool:
        """Whether a row group may hold a match."""
        return self.plan.groups[group].kept

    def rows(self, group: int) -> Mask:
        """Whether the condition is TRUE, for each row of a row group."""
        from pqexplore.insight.ask import matching

        if not self.kept(group):
            return np.zeros(self.file.row_groups[group].num_rows, bool)
        return matching.rows(self.file, group, self.plan.bound, None, evaluate=True)


def read_rows(file: ParquetFile, group: int, low: int, high: int, columns: Names | None = None) -> pa.Table:
    """Rows `[low, high)` of a row group. Raises as `batches` does."""
    leaves = [file.schema.leaves[index] for index in sorted(selected(file, columns))]
    names, arrays = [], []
    for field, below in by_field(leaves):
        chunks = [file.row_groups[group].columns[leaf.leaf_index] for leaf in below]
        parts = [_part(chunk, low, high) for chunk in chunks]
        with located(chunks[0].address, chunks[0].start):
            array = assemble(field, parts, limits=file.limits)
            arrays.append(exchange(array, field, lambda one, of: _json(one, of, file.limits)))
        names.append(field.name)
    if not arrays:
        return pa.table({"": pa.nulls(high - low)}).select([])
    return pa.Table.from_arrays(arrays, names=names)


def _part(chunk: ColumnChunk, low: int, high: int) -> LeafColumn:
    """The levels and values of rows `[low, high)` of a chunk."""
    chunk.require_readable()
    try:
        column = _of_pages(chunk, low, high)
    except CorruptFileError:  # read() may go by more than these pages say
        return _of_whole_chunk(chunk, low, high)
    return column if _rows(column) == high - low else _of_whole_chunk(chunk, low, high)


def _of_pages(chunk: ColumnChunk, low: int, high: int) -> LeafColumn:
    """The same from the pages with these rows. CorruptFileError, or fewer rows, if an index disagrees with its pages."""
    leaf = chunk.leaf
    begin, pages = _pages(chunk, low, high)
    definition, repetition, physical = [], [], []
    for page, a, b in pages:
        levels = page.definition_levels
        if levels is not None:
            definition.append(levels[a:b])
            has = levels[:b] == leaf.max_definition_level
            a, b = int(np.count_nonzero(has[:a])), int(np.count_nonzero(has))
        if page.repetition_levels is not None:
            repetition.append(page.repetition_levels)
        physical.append(page.physical_part(a, b))
    if not physical:
        physical.append(pa.array([], types.physical_arrow_type(leaf)))
    with located(chunk.address, chunk.start):
        values = _values(leaf, physical)
    column = LeafColumn(
        leaf,
        np.concatenate(definition) if definition else None,
        np.concatenate(repetition) if repetition else None,
        values,
    )
    return slice_records(column, low - begin, high - begin) if repetition else column


def _rows(column: LeafColumn) -> int:
    """How many rows a column covers."""
    if column.repetition_levels is not None:
        return int(np.count_nonzero(column.repetition_levels == 0))
    levels = column.definition_levels
    return len(column.values) if levels is None else len(levels)


def _of_whole_chunk(chunk: ColumnChunk, low: int, high: int) -> LeafColumn:
    """The same from all pages, for a chunk whose index disagrees with its pages. CorruptFileError if rows are missing."""
    leaf = chunk.leaf
    decoded = decode_chunk(chunk, ReadTally(chunk.file).spend)
    levels, physical = decoded.definition_levels, decoded.physical
    if decoded.nullable:
        levels = physical.is_valid().to_numpy(zero_copy_only=False).astype(np.uint8)
        physical = physical.drop_null()
    with located(chunk.address, chunk.start):
        values = _values(leaf, [physical])
        whole = LeafColumn(leaf, levels, decoded.repetition_levels, values)
        column = slice_records(whole, low, high)
        if _rows(column) != high - low:
            raise CorruptFileError(f"the pages have {_rows(whole):,} rows; rows {low:,} to {high:,} are asked for")
    return column


def _values(leaf: Leaf, physical: list[pa.Array]) -> pa.Array:
    """The values in their logical type; as texts if Arrow has no such type, or none for these values of INT96."""
    target = types.type_of(leaf, physical)
    far = leaf.physical_type == Type.INT96 and not pa.types.is_timestamp(target)
    if far or logical.meaning(leaf).name in AS_TEXT:
        whole = pa.concat_arrays(physical).to_pylist()
        return pa.array([format_value(leaf, one) for one in whole], pa.string())
    return pa.concat_arrays([types.to_arrow(one, leaf, target) for one in physical])


def _pages(chunk: ColumnChunk, low: int, high: int) -> tuple[int, list[tuple[Page, int, int]]]:
    """The pages with rows `[low, high)`, each with the range of its entries that is needed; and the first row there.

    Of a leaf in lists these are all entries: without an offset index, a row may go on in the next page.
    """
    begin, pages = low, list[tuple[Page, int, int]]()
    if not chunk.leaf.max_repetition_level:
        for page, first, count in pages_from(chunk, low):
            _require_rows(page, count)
            pages.append((page, max(low - first, 0), min(high - first, count)))
            if first + count >= high:
                break
        return low, pages
    indexed = bool(page_locations(chunk))
    for page, first, count in pages_from(chunk, low):
        _require_rows(page, count)
        begin = begin if pages else first
        pages.append((page, 0, page.num_values))
        if first + count > high or (indexed and first + count >= high):
            break
    return begin, pages


def _require_rows(page: Page, count: int) -> None:
    """Raise CorruptFileError if a page has not as many rows as the index, or its header, says: others would be read."""
    held = num_rows(page)
    if held != count:
        raise CorruptFileError(f"the page has {held:,} rows, {count:,} are said to be in it")


def _json(array: pa.StructArray, field: Field, limits: Limits) -> pa.Array:
    """Variants as structs of their JSON text."""
    whole = reconstruct(array, field, limits=limits)
    pairs = zip(whole.field("metadata").to_pylist(), whole.field("value").to_pylist(), strict=True)
    there = whole.is_valid().to_pylist()
    texts = [
        to_json(metadata, value, limits=limits) if one else None
        for (metadata, value), one in zip(pairs, there, strict=True)
    ]
    nulls = pa.array([not one for one in there])
    return pa.StructArray.from_arrays([pa.array(texts, pa.large_string())], [VARIANT], mask=nulls)
