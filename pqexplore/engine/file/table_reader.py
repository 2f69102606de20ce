"""Reads rows as an Arrow table: pages to leaf columns, leaf columns to records.

All or nothing: the first page that cannot be read raises, with the page's address. Other pages and chunks can still be
read one by one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, UsageError, located
from pqexplore.engine.file import counts, table_reader, value_findings
from pqexplore.engine.file.chunk_reader import Decoded, Spend, decode_chunk, decode_first, unlimited
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Field, Leaf, walk
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.nesting.assembly import LeafColumn, assemble
from pqexplore.engine.format.thrift.structs import FieldRepetitionType
from pqexplore.engine.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page


REQUIRED = FieldRepetitionType.REQUIRED

Names: TypeAlias = Sequence[str | tuple[str, ...]]
"""Columns: leaves, groups or top-level columns, dotted or as tuples."""


class ReadTally:
    """Counts the bytes that a read comes to, and bounds them."""

    def __init__(self, file: ParquetFile, what: str = "read()") -> None:
        self._limits = file.limits
        self._what = what
        self._spent = 0

    def spend(self, amount: int, page: Page) -> None:
        """Adds the bytes of a page; LimitExceededError if they are too many."""
        self._spent += amount
        if self._spent > self._limits.read_bytes:
            self._limits.check("read_bytes", self._spent, self._what, offset=page.frame.start, address=page.address)


def read(file: ParquetFile, columns: Names | None, row_groups: Sequence[int] | None) -> pa.Table:
    """The rows as a table; see `ParquetFile.read`."""
    wanted = selected(file, columns)
    groups = chosen(file, row_groups)
    if row_groups is None:
        _check_row_count(file)
    return _table(file, wanted, groups, ReadTally(file))


def head(file: ParquetFile, rows: int, columns: Names | None) -> pa.Table:
    """The first `rows` rows as a table; see `ParquetFile.head`."""
    groups, last = [], 0
    for group in file.row_groups:
        if not rows:
            break
        groups.append(group.index)
        last = min(rows, group.num_rows)
        rows -= last
    return _table(file, selected(file, columns), groups, ReadTally(file, "head()"), last)


def chosen(file: ParquetFile, row_groups: Sequence[int] | None) -> list[int]:
    """The indexes of row groups, none negative; UsageError for one that does not exist."""
    count = len(file.row_groups)
    groups = range(count) if row_groups is None else list(row_groups)
    for group in groups:
        if not -count <= group < count:
            raise UsageError(f"row group {group} is asked for, the file has {count}")
    return [group % max(1, count) for group in groups]


def _table(
    file: ParquetFile, wanted: set[int], groups: list[int], tally: ReadTally, last: int | None = None
) -> pa.Table:
    """The rows of row groups; of the last one only the first `last`."""
    schema = file.schema
    _require_meanings(file, [schema.leaves[index] for index in sorted(wanted)])
    rows = sum(file.row_groups[group].num_rows for group in groups)
    if last is not None and groups:
        rows += last - file.row_groups[groups[-1]].num_rows
    arrays, fields = [], []
    for field, leaves in by_field([schema.leaves[index] for index in sorted(wanted)]):
        pieces = _read_field(file, field, leaves, groups, tally, last)
        column = pa.chunked_array(pieces) if pieces else pa.chunked_array([], _type(field, leaves))
        nullable = field.repetition != REQUIRED or pa.types.is_null(column.type)
        fields.append(pa.field(field.name, column.type, nullable=nullable))
        arrays.append(column)
    if not arrays:
        return _without_columns(rows)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def chunk_values(chunk: ColumnChunk) -> pa.Array:
    """The values of a chunk that are not null; see `ColumnChunk.values`."""
    part = decode_chunk(chunk, ReadTally(chunk.file, "values").spend)
    stored = part.physical.drop_null() if part.nullable else part.physical
    target = types.type_of(chunk.leaf, [stored])
    with located(chunk.address, chunk.start):
        value_findings.note_chunk(chunk, stored, widened=target != types.arrow_type(chunk.leaf))
        return types.to_arrow(stored, chunk.leaf, target)


def _require_meanings(file: ParquetFile, leaves: list[Leaf]) -> None:
    """Raises for a column whose annotation does not fit: a table cannot say that its values are left as stored."""
    for leaf in leaves:
        problem = annotation(leaf).problem
        if problem is not None:
            problem.address = Address.of("schema", leaf.index)
            file.locate_in_schema(problem)
            raise problem


def by_field(leaves: list[Leaf]) -> Iterator[tuple[Field, list[Leaf]]]:
    """Groups leaves by their top-level field, in the order of the schema."""

    def top(leaf: Leaf) -> Field:
        field: Field = leaf
        while field.depth > 1 and field.parent is not None:
            field = field.parent
        return field

    for _, group in itertools.groupby(leaves, lambda leaf: top(leaf).index):
        members = list(group)
        yield top(members[0]), members


def _without_columns(rows: int) -> pa.Table:
    """A table of `rows` rows without columns."""
    return pa.table({"": pa.nulls(rows)}).select([])


def _check_row_count(file: ParquetFile) -> None:
    rows = sum(group.num_rows for group in file.row_groups)
    if rows != file.num_rows:
        file.note(
            Finding(
                "row-count-disagrees",
                "footer/num_rows",
                f"the footer's num_rows is {file.num_rows:,}, its row groups have {rows:,} rows; the row groups are read",
                {"num_rows": file.num_rows, "row_groups": rows},
            )
        )


def selected(file: ParquetFile, columns: Names | None) -> set[int]:
    """Indexes of the leaves below the names. UsageError if the schema lacks a name."""
    leaves = file.schema.leaves
    if columns is None:
        return {leaf.leaf_index for leaf in leaves}
    if isinstance(columns, (str, bytes)):
        raise UsageError(f"columns is a list of names; did you mean [{columns!r}]?")
    wanted: set[int] = set()
    for name in columns:
        if isinstance(name, tuple):
            below = {leaf.leaf_index for leaf in leaves if leaf.path[: len(name)] == name}
        else:
            below = {
                index for index, path in enumerate(file.schema.dotted) if path == name or path.startswith(f"{name}.")
            }
        if not below:
            known = ", ".join(child.name for child in file.schema.root.children[:20])
            there_are = f"the top-level columns are {known}" if known else "the file has no columns"
            raise UsageError(f"no column {name!r}; {there_are}")
        wanted |= below
    for field in file.schema.fields:
        if field.kind == "variant":  # it is read whole or not at all
            parts = {leaf.leaf_index for leaf in field.leaves()}
            if parts & wanted:
                wanted |= parts
    return wanted


def _type(field: Field, leaves: list[Leaf]) -> pa.DataType:
    """The Arrow type of a column without rows."""
    empty = []
    for leaf in leaves:
        levels = np.zeros(0, np.uint8)
        with located(Address.of("schema", leaf.index), None):
            values = types.to_arrow(pa.array([], types.physical_arrow_type(leaf)), leaf)
        empty.append(
            LeafColumn(
                leaf,
                levels if leaf.max_definition_level else None,
                levels if leaf.max_repetition_level else None,
                values,
            )
        )
    return _whole(assemble(field, empty), field, DEFAULT).type


def _whole(array: pa.Array, field: Field, limits: Limits) -> pa.Array:
    """A column with its shredded Variants reassembled."""
    if not any(node.kind == "variant" for node in walk(field)):
        return array
    from pqexplore.engine.format.variant.variants_in_columns import unshred  # much to import, for few files

    return unshred(array, field, limits=limits)


def _read_field(
    file: ParquetFile, field: Field, leaves: list[Leaf], groups: list[int], tally: ReadTally, last: int | None = None
) -> list[pa.Array]:
    """A top-level column: one array per row group."""
    pieces = []
    for array, chunk in assembled(file, field, leaves, groups, tally.spend, last):
        with located(chunk.address, chunk.start):
            pieces.append(_whole(array, field, file.limits))
    return one_type(pieces)


PADDED = 7
"""Levels that fill the last group of eight of a bit-packed run. A page whose header counts some of them, as old writers
left it, has so many entries more than its records, of level 0; other readers stop at the row group's num_rows."""


def one_type(pieces: list[pa.Array]) -> list[pa.Array]:
    """Casts the arrays to the widest type among them, such as large_binary."""
    if len({piece.type for piece in pieces}) < 2:
        return pieces
    widest = max((piece.type for piece in pieces), key=lambda kind: str(kind).count("large"))
    return [piece.cast(widest) for piece in pieces]


def assembled(
    file: ParquetFile,
    field: Field,
    leaves: list[Leaf],
    groups: Sequence[int],
    spend: Spend = unlimited,
    last: int | None = None,
    again: bool = False,
) -> Iterator[tuple[pa.Array, ColumnChunk]]:
    """Yields, for each row group, the records of a top-level field made of `leaves`, and the first leaf's chunk.

    Of the last row group come the first `last` rows, None for all. Variants come as the groups in which they are stored.
    `again`: the chunks have just been decoded page by page.
    Raises ParquetError for the first thing that cannot be read.
    """
    rows: list[int | None] = [None] * len(groups)
    if groups:
        rows[-1] = last
    decoded = {
        leaf.leaf_index: [
            decode_chunk(chunk, spend, again=again) if first is None else decode_first(chunk, first, spend)
            for group, first in zip(groups, rows, strict=True)
            for chunk in (file.row_groups[group].columns[leaf.leaf_index],)
        ]
        for leaf in leaves
    }
    targets = {
        leaf.leaf_index: types.type_of(leaf, [part.physical for part in decoded[leaf.leaf_index]]) for leaf in leaves
    }
    for position, group in enumerate(groups):
        columns = []
        for leaf in leaves:
            part = decoded[leaf.leaf_index][position]
            chunk = file.row_groups[group].columns[leaf.leaf_index]
            target = targets[leaf.leaf_index]
            widened = target != types.arrow_type(leaf)
            with located(chunk.address, chunk.start):
                value_findings.note_chunk(chunk, part.physical, widened=widened)
                values = _logical(part, leaf, target)
            columns.append(LeafColumn(leaf, part.definition_levels, part.repetition_levels, values))
        address = file.row_groups[group].address
        first = file.row_groups[group].columns[leaves[0].leaf_index]
        with located(Address.of(address, "columns", first.index), first.start):
            if field is leaves[0] and (part.nullable or not leaves[0].max_definition_level):
                array = columns[0].values  # one slot per record: nothing to assemble
            else:
                array = assemble(field, columns, limits=file.limits)
            expected = file.row_groups[group].num_rows
            wanted = rows[position]
            expected = expected if wanted is None else min(wanted, expected)
            surplus = len(array) - expected
            if 0 < surplus <= PADDED and first.leaf.max_repetition_level and holds_nothing(array.slice(expected)):
                file.note(counts.rows_disagree(first.address, len(array), expected))
                array = array.slice(0, expected)
            elif surplus:
                raise CorruptFileError(
                    f"column {field.name!r} has {len(array):,} rows, the row group's num_rows is {expected:,}", offset=0
                )
        yield array, first


def holds_nothing(array: pa.Array) -> bool:
    """Whether there is no value in any element: nulls, empty lists, and structs of these."""
    if array.null_count == len(array):
        return True
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type) or pa.types.is_map(array.type):
        return not len(array.flatten())
    return pa.types.is_struct(array.type) and all(map(holds_nothing, array.flatten()))


def _logical(part: Decoded, leaf: Leaf, target: pa.DataType) -> pa.Array:
    """The values in their logical type. The slots of nulls are converted too, and stay hidden."""
    if not part.nullable or not part.physical.null_count:
        return types.to_arrow(part.physical, leaf, target)
    nulls, *stored = part.physical.buffers()
    bare = pa.Array.from_buffers(part.physical.type, len(part.physical), [None, *stored])
    values = types.to_arrow(bare, leaf, target)
    return pa.Array.from_buffers(values.type, len(values), [nulls, *values.buffers()[1:]])


STREAM_ROWS = 65_536
"""Rows of a batch of a stream."""


def batches(
    file: ParquetFile, size: int, columns: Names | None, row_groups: Sequence[int] | None
) -> Iterator[pa.RecordBatch]:
    """The rows in batches of at most `size`; see `ParquetFile.iter_batches`. UsageError comes before the first batch."""
    table_reader.selected(file, columns)
    groups = table_reader.chosen(file, row_groups)

    def make() -> Iterator[pa.RecordBatch]:
        for group in groups:
            table = file.read(columns, [group])
            if table.num_columns:
                yield from table.to_batches(max_chunksize=size)
            else:  # Arrow makes no batches of a table that has only a number of rows
                for start in range(0, table.num_rows, size):
                    rows = pa.nulls(min(size, table.num_rows - start))
                    yield pa.record_batch([rows], [""]).select([])

    return make()


def stream(file: ParquetFile) -> pa.RecordBatchReader:
    """All rows as a stream of batches of one schema.

    A row group whose values need a wider type than the first one's raises UnsupportedFeatureError in the stream.
    """
    rows = batches(file, STREAM_ROWS, None, None)
    first = next(rows, None)
    schema = file.read(row_groups=[]).schema if first is None else first.schema

    def make() -> Iterator[pa.RecordBatch]:
        if first is not None:
            yield first
        for batch in rows:
            yield batch if batch.schema.equals(schema) else _cast(batch, schema)

    return pa.RecordBatchReader.from_batches(schema, make())


def _cast(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    try:
        return pa.Table.from_batches([batch]).cast(schema).combine_chunks().to_batches()[0]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UnsupportedFeatureError(
            f"a row group needs wider types than the first one: {error}; read() gives all rows one type",
            address="row_groups",
        ) from None
