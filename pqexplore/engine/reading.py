"""Rows as an Arrow table: pages to leaf columns, leaf columns to records.

All or nothing: the first page that cannot be read ends it, with the page's address. What is intact elsewhere stays
readable through pages and chunks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import types
from pqexplore.engine.chunk_values import Decoded, decode_chunk
from pqexplore.engine.errors import CorruptFileError, UsageError, located
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.nesting.assembly import LeafColumn, assemble
from pqexplore.engine.schema import Field, Leaf, walk
from pqexplore.engine.thrift.structs import FieldRepetitionType, Type
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.page import Page

REQUIRED = FieldRepetitionType.REQUIRED


class Budget:
    """What a read may come to, counted as it grows."""

    def __init__(self, file: ParquetFile, what: str = "read()") -> None:
        self._limits = file.limits
        self._what = what
        self._spent = 0

    def spend(self, amount: int, page: Page) -> None:
        """Count the bytes of a page; LimitExceededError when they are too many."""
        self._spent += amount
        if self._spent > self._limits.read_bytes:
            self._limits.check(
                "read_bytes", self._spent, self._what, offset=page.frame.start, address=page.address
            )


def read(
    file: ParquetFile,
    columns: Sequence[str | tuple[str, ...]] | None,
    row_groups: Sequence[int] | None,
) -> pa.Table:
    """The rows as a table; see `ParquetFile.read`."""
    schema = file.schema
    wanted = _select(file, columns)
    there = len(file.row_groups)
    groups = range(there) if row_groups is None else list(row_groups)
    for group in groups:
        if not -there <= group < there:
            raise UsageError(f"row group {group} is asked for, the file has {there}")
    groups = [group % max(1, there) for group in groups]
    if row_groups is None:
        _check_row_count(file)
    rows = sum(file.row_groups[group].num_rows for group in groups)
    budget = Budget(file)
    arrays, fields = [], []
    for field, leaves in _by_field([schema.leaves[index] for index in sorted(wanted)]):
        pieces = _read_field(file, field, leaves, groups, budget)
        column = pa.chunked_array(pieces) if pieces else pa.chunked_array([], _type(field, leaves))
        nullable = field.repetition != REQUIRED or pa.types.is_null(column.type)
        fields.append(pa.field(field.name, column.type, nullable=nullable))
        arrays.append(column)
    if not arrays:
        return _without_columns(rows)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _by_field(leaves: list[Leaf]) -> Iterator[tuple[Field, list[Leaf]]]:
    """Leaves, in the order of the schema, by the top-level field that they belong to."""

    def top(leaf: Leaf) -> Field:
        field: Field = leaf
        while field.depth > 1 and field.parent is not None:
            field = field.parent
        return field

    for _, some in itertools.groupby(leaves, lambda leaf: top(leaf).index):
        together = list(some)
        yield top(together[0]), together


def _without_columns(rows: int) -> pa.Table:
    """A table of rows and nothing in them."""
    return pa.table({"": pa.nulls(rows)}).select([])


def _check_row_count(file: ParquetFile) -> None:
    rows = sum(group.num_rows for group in file.row_groups)
    if rows != file.num_rows:
        file.note(
            Finding(
                "row-count-disagrees",
                "error",
                "footer/num_rows",
                f"the footer's num_rows is {file.num_rows:,}, its row groups have {rows:,} rows; the row groups are read",
                {"num_rows": file.num_rows, "row_groups": rows},
                "FileMetaData.num_rows: number of rows in this file",
            )
        )


def _select(file: ParquetFile, columns: Sequence[str | tuple[str, ...]] | None) -> set[int]:
    """Indexes of the leaves below the names; UsageError for a name that the schema does not have."""
    leaves = file.schema.leaves
    if columns is None:
        return {leaf.leaf_index for leaf in leaves}
    if isinstance(columns, (str, bytes)):
        raise UsageError(f"columns is a list of names; did you mean [{columns!r}]?")
    wanted: set[int] = set()
    for name in columns:
        if isinstance(name, tuple):
            found = {leaf.leaf_index for leaf in leaves if leaf.path[: len(name)] == name}
        else:
            below = name + "."
            found = {
                index
                for index, path in enumerate(file.schema.dotted)
                if path == name or path.startswith(below)
            }
        if not found:
            raise UsageError(
                f"no column {name!r}; the top-level columns are "
                f"{', '.join(child.name for child in file.schema.root.children[:20])}"
            )
        wanted |= found
    for field in file.schema.fields:
        if field.kind == "variant":  # it is read whole or not at all
            parts = {leaf.leaf_index for leaf in field.leaves()}
            if parts & wanted:
                wanted |= parts
    return wanted


def _type(field: Field, leaves: list[Leaf]) -> pa.DataType:
    """The Arrow type of a column of which there are no rows."""
    empty = []
    for leaf in leaves:
        levels = np.zeros(0, np.uint8)
        with located(join("schema", leaf.index), None):
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
    """A column with the Variants in it put together from what they are shredded into."""
    if not any(node.kind == "variant" for node in walk(field)):
        return array
    from pqexplore.engine.variant.columns import unshred  # much to import, for few files

    return unshred(array, field, limits=limits)


def _read_field(
    file: ParquetFile, field: Field, leaves: list[Leaf], groups: list[int], budget: Budget
) -> list[pa.Array]:
    """A top-level column, an array for each row group."""
    pieces = []
    for array, chunk in assembled(file, field, leaves, groups, budget.spend):
        with located(chunk.address, chunk.start):
            pieces.append(_whole(array, field, file.limits))
    return one_type(pieces)


def one_type(pieces: list[pa.Array]) -> list[pa.Array]:
    """The arrays in the widest type that one of them has: large_binary where one needs it."""
    if len({piece.type for piece in pieces}) < 2:
        return pieces
    widest = max((piece.type for piece in pieces), key=lambda kind: str(kind).count("large"))
    return [piece.cast(widest) for piece in pieces]


def assembled(
    file: ParquetFile,
    field: Field,
    leaves: list[Leaf],
    groups: Sequence[int],
    spend: Any = lambda amount, page: None,
) -> Iterator[tuple[pa.Array, ColumnChunk]]:
    """The records of a top-level field in each row group, of these of its leaves, and the first leaf's chunk.

    Variants come as the groups that they are stored in.
    """
    decoded = {
        leaf.leaf_index: [
            decode_chunk(file.row_groups[group].columns[leaf.leaf_index], spend) for group in groups
        ]
        for leaf in leaves
    }
    units = {
        leaf.leaf_index: types.int96_unit([part.physical for part in decoded[leaf.leaf_index]])
        for leaf in leaves
        if leaf.physical_type == Type.INT96
    }
    for position, group in enumerate(groups):
        columns = []
        for leaf in leaves:
            part = decoded[leaf.leaf_index][position]
            chunk = file.row_groups[group].columns[leaf.leaf_index]
            with located(chunk.address, chunk.start):
                values = _logical(part, leaf, units.get(leaf.leaf_index))
            columns.append(LeafColumn(leaf, part.definition_levels, part.repetition_levels, values))
        address = file.row_groups[group].address
        first = file.row_groups[group].columns[leaves[0].leaf_index]
        with located(f"{address}/columns/{first.index}", first.start):
            if field is leaves[0] and (part.nullable or not leaves[0].max_definition_level):
                array = columns[0].values  # a slot a record, and nothing to assemble
            else:
                array = assemble(field, columns, limits=file.limits)
            expected = file.row_groups[group].num_rows
            if len(array) != expected:
                raise CorruptFileError(
                    f"column {field.name!r} has {len(array):,} rows, the row group's num_rows is {expected:,}",
                    offset=0,
                )
        yield array, first


def _logical(part: Decoded, leaf: Leaf, unit: str | None) -> pa.Array:
    """The values in their logical type; what lies in the slots of nulls is converted with them, and stays hidden."""
    if not part.nullable or not part.physical.null_count:
        return types.to_arrow(part.physical, leaf, unit=unit)
    nulls, *stored = part.physical.buffers()
    bare = pa.Array.from_buffers(part.physical.type, len(part.physical), [None, *stored])
    values = types.to_arrow(bare, leaf, unit=unit)
    return pa.Array.from_buffers(values.type, len(values), [nulls, *values.buffers()[1:]])
