"""Record assembly: levels and values of leaves to one nested Arrow array (Dremel), vectorised.

Think of a leaf's entries (a repetition level, a definition level, perhaps a value) as rows of a table, and of the
schema as a path from the root down to the leaf. On the way down, each list groups the entries: an entry whose repetition
level is lower than the list's begins a new list, and an entry whose definition level does not reach the element stands
for a list without elements, and is removed. At the leaf one entry is left for each slot.

Every leaf below a list must group alike, and every leaf below a struct must have the same nulls of the struct. This is
checked, because the leaves are stored separately, and a damaged one would silently shift the records.

Specification: https://parquet.apache.org/docs/file-format/nestedencoding/
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Array, Int64s, Levels, Mask
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.nesting.shape import LeafColumn, Shape, data_type, named, shape
from pqexplore.engine.limits import DEFAULT, Limits

# Spreads values without nulls over the slots of an Arrow array.
#
# A page stores only values that are not null; an Arrow array has a slot for each entry, null or not.


def validity(valid: Mask) -> pa.Buffer:
    """An Arrow validity bitmap: one bit for each slot."""
    return pa.py_buffer(np.packbits(valid, bitorder="little"))


def spread(values: pa.Array, valid: Mask, *, nullable: bool) -> pa.Array:
    """An array of `len(valid)` slots: the values in order where `valid`, the rest null.

    `valid` has as many true slots as there are values. If the type is not `nullable`, empty slots are below a null
    parent: they hold zero or an empty value, and the array has no validity bitmap, as in pyarrow.
    """
    slots = len(valid)
    if len(values) == slots:
        return values
    kind = values.type
    if pa.types.is_null(kind):
        return pa.nulls(slots)
    nulls = slots - len(values) if nullable else 0
    bitmap = validity(valid) if nullable else None
    if pa.types.is_boolean(kind):
        bits = np.unpackbits(
            np.frombuffer(values.buffers()[1] or b"", np.uint8), count=values.offset + len(values), bitorder="little"
        )
        full = np.zeros(slots, np.uint8)
        full[valid] = bits[values.offset :]
        data = pa.py_buffer(np.packbits(full, bitorder="little"))
        return pa.Array.from_buffers(kind, slots, [bitmap, data], nulls)
    width = _width(kind)
    if width is not None:
        return pa.Array.from_buffers(kind, slots, [bitmap, _spread_fixed(values, valid, width)], nulls)
    if _is_variable(kind):
        offsets = _spread_offsets(values, valid, slots)
        return pa.Array.from_buffers(kind, slots, [bitmap, pa.py_buffer(offsets), values.buffers()[2]], nulls)
    positions = np.cumsum(valid, dtype=np.int64) - 1
    return values.take(pa.array(positions, mask=~valid))


def _width(kind: pa.DataType) -> int | None:
    """Bytes of a value, for types of whole bytes in one buffer; None for other types."""
    if pa.types.is_dictionary(kind) or isinstance(kind, pa.BaseExtensionType):
        return None
    if pa.types.is_fixed_size_binary(kind):
        return int(kind.byte_width)
    try:
        return int(kind.bit_width) // 8
    except ValueError:  # no fixed width
        return None


def _spread_fixed(values: pa.Array, valid: Mask, width: int) -> pa.Buffer:
    if width == 0:
        return pa.py_buffer(b"")
    kind = np.dtype(f"u{width}" if width in (1, 2, 4, 8) else f"V{width}")
    dense = np.frombuffer(values.buffers()[1] or b"", kind, count=len(values), offset=values.offset * width)
    full = np.zeros(len(valid), kind)
    full[valid] = dense
    return pa.py_buffer(full.view(np.uint8))


def _is_variable(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (pa.types.is_binary, pa.types.is_string, pa.types.is_large_binary, pa.types.is_large_string)
    )


def _spread_offsets(values: pa.Array, valid: Mask, slots: int) -> Array:
    """Offsets (int32 or int64) in which an empty slot has length 0; the data is not moved."""
    large = pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type)
    kind = np.int64 if large else np.int32
    buffer = values.buffers()[1]
    if not len(values) or buffer is None or buffer.size == 0:
        return np.zeros(slots + 1, kind)
    start = values.offset * np.dtype(kind).itemsize
    offsets = np.frombuffer(buffer, kind, count=len(values) + 1, offset=start)
    before = np.zeros(slots + 1, np.intp)
    np.cumsum(valid, out=before[1:])
    spread_offsets: Array = offsets[before]
    return spread_offsets


__all__ = ["LeafColumn", "assemble", "check_levels"]

OFFSET_MAXIMUM = (1 << 31) - 1
"""The maximum of elements of an Arrow list array with 32-bit offsets."""


def assemble(field: Field, columns: Sequence[LeafColumn], *, limits: Limits = DEFAULT) -> pa.Array:
    """The records of `field` as one Arrow array, of the type that pyarrow's reader gives.

    `columns` has the leaves to read, in any order: leaves below `field`, or `field` itself. Structs have only these
    leaves. All columns cover the same records, and begin with a record's first entry.

    Raises CorruptFileError, with the address of the leaf's schema element, for levels out of range, for a number of
    values that contradicts the levels, for leaves that differ in records, list lengths or nulls, and for a null key of
    a map; LimitExceededError for more elements than an Arrow list array can hold, and for fixed-length values that take
    more than `limits.read_bytes` with slots for nulls; UsageError for columns that are not below `field`.
    """
    by_leaf = {column.leaf.leaf_index: column for column in columns}
    nodes = shape(field, by_leaf)
    ordered = [by_leaf[node.field.leaf_index] for node in nodes if node.kind == "leaf" and isinstance(node.field, Leaf)]
    if not ordered or len(ordered) != len(columns):
        raise UsageError(f"the columns are not leaves of {field.name!r}, or there are none")
    cursors = [_start(column) for column in ordered]
    _check_records(field, cursors)
    bitmaps: list[pa.Buffer | None] = []
    offsets: list[Array | None] = []
    lengths: list[int] = []
    for node in nodes:
        below = cursors[node.first : node.stop]
        lengths.append(len(below[0].slots))
        valid = _nulls(node, below)
        bitmaps.append(None if valid is None else validity(valid))
        offsets.append(_lists(node, below) if node.kind in ("list", "map") else None)
    arrays: list[pa.Array] = [None] * len(nodes)
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if node.kind == "leaf":
            arrays[position] = _leaf_array(node, cursors[node.first], limits)
            continue
        children = [arrays[child] for child in node.children]
        for child in node.children:
            arrays[child] = None  # only the parent refers to it now
        kind = data_type(
            node, [named(nodes[child], array.type) for child, array in zip(node.children, children, strict=True)]
        )
        if node.kind == "map":
            children = [_entries(node, kind, children[0])]
        buffers = [bitmaps[position]]
        if offsets[position] is not None:
            buffers.append(pa.py_buffer(offsets[position]))
        arrays[position] = pa.Array.from_buffers(kind, lengths[position], buffers, children=children)
    return arrays[0]


def check_levels(column: LeafColumn) -> None:
    """Raise CorruptFileError if levels are out of range, or contradict each other or the number of values."""
    leaf = column.leaf
    entries = None
    for name, levels, maximum in (
        ("definition", column.definition_levels, leaf.max_definition_level),
        ("repetition", column.repetition_levels, leaf.max_repetition_level),
    ):
        if levels is None:
            if maximum:
                raise _corrupt(leaf, f"it has no {name} levels, the schema allows up to {maximum}")
            continue
        if entries is not None and len(levels) != entries:
            raise _corrupt(leaf, f"it has {entries:,} definition levels and {len(levels):,} repetition levels")
        entries = len(levels)
        if entries and int(levels.max()) > maximum:
            first = int(np.argmax(levels > maximum))
            raise _corrupt(leaf, f"{name} level {first:,} is {int(levels[first])}, the schema allows at most {maximum}")
    repetition = column.repetition_levels
    if repetition is not None and entries and repetition[0]:
        raise _corrupt(leaf, f"the first repetition level is {int(repetition[0])}; a record begins with 0")
    definition = column.definition_levels
    if definition is not None:
        expected = int(np.count_nonzero(definition == leaf.max_definition_level))
        if len(column.values) != expected:
            raise _corrupt(
                leaf, f"it has {len(column.values):,} values, {expected:,} definition levels say that there is one"
            )
    elif entries is not None and len(column.values) != entries:
        raise _corrupt(leaf, f"it has {len(column.values):,} values and {entries:,} levels")


class _Cursor:
    """A leaf's entries on the way down.

    `definition` and `repetition` have the levels of the entries in the innermost list so far (`repetition` is None if no
    further list follows); `starts` the positions of entries that begin a slot here (None: all do); `slots` the
    definition level of each slot.
    """

    __slots__ = ("column", "definition", "repetition", "slots", "starts")

    def __init__(self, column: LeafColumn, definition: Levels, repetition: Levels | None, level: int) -> None:
        self.column = column
        self.definition = definition
        self.repetition = repetition
        self.starts: Int64s | None = None
        self.slots = definition
        if repetition is not None:
            self.starts = np.flatnonzero(repetition <= level)
            self.slots = definition[self.starts]


def _start(column: LeafColumn) -> _Cursor:
    check_levels(column)
    definition = column.definition_levels
    if definition is None:
        definition = np.zeros(len(column.values), np.uint8)
    repeats = column.leaf.max_repetition_level > 0
    return _Cursor(column, definition, column.repetition_levels if repeats else None, 0)


def _nulls(node: Shape, below: list[_Cursor]) -> Mask | None:
    """Which slots of a struct, list or map are not null; None if no slot is null, or the type has no nulls."""
    if node.kind == "leaf" or not node.nullable:
        return None
    valid: Mask = below[0].slots >= node.definition_level
    for cursor in below[1:]:
        other = cursor.slots >= node.definition_level
        if not np.array_equal(valid, other):
            slot = int(np.argmax(valid != other))
            raise _corrupt(
                cursor.column.leaf,
                f"{node.name!r} is {'there' if other[slot] else 'null'} at slot {slot:,}, column "
                f"{_name(below[0].column.leaf)} says the opposite",
            )
    return None if valid.all() else valid


def _lists(node: Shape, below: list[_Cursor]) -> Array:
    """Group the entries of every leaf below into the lists of `node`. Returns the offsets of the lists (int32)."""
    offsets = _cut(node, below[0])
    for cursor in below[1:]:
        other = _cut(node, cursor)
        if not np.array_equal(offsets, other):
            # As many lists in both, since they agreed about the slots above.
            slot = int(np.argmax(offsets[1:] != other[1:]))
            raise _corrupt(
                cursor.column.leaf,
                f"list {slot:,} of {node.name!r} has {int(other[slot + 1] - other[slot]):,} elements, column "
                f"{_name(below[0].column.leaf)} has {int(offsets[slot + 1] - offsets[slot]):,}",
            )
    return offsets


def _cut(node: Shape, cursor: _Cursor) -> Array:
    """Move a cursor to the elements of the lists of `node`. Returns the offsets of the lists (int32)."""
    leaf = cursor.column.leaf
    without = cursor.slots < node.element_level
    empty = int(np.count_nonzero(without))
    kept = cursor.definition >= node.element_level
    if int(np.count_nonzero(kept)) + empty != len(cursor.definition):
        _drop_repeated_nulls(node, cursor)
        kept = cursor.definition >= node.element_level
    definition, repetition, starts = cursor.definition, cursor.repetition, cursor.starts
    if repetition is None or starts is None:
        raise AssertionError("a leaf below a list has repetition levels")
    firsts = starts
    innermost = leaf.max_repetition_level == node.repetition_level
    if empty:
        lengths = np.diff(starts, append=len(definition))
        wrong = without & (lengths != 1)
        if wrong.any():
            slot = int(np.argmax(wrong))
            raise _corrupt(
                leaf,
                f"list {slot:,} of {node.name!r} is null or empty and goes on with repetition level "
                f"{int(repetition[starts[slot] + 1])}",
            )
        # A list without elements is one entry: positions move left by the number of those before them.
        firsts = starts - (np.cumsum(without) - without)
        definition = definition[kept]
        repetition = repetition if innermost else repetition[kept]
    if innermost:
        moved = _Cursor(cursor.column, definition, None, 0)
        elements = firsts
    else:
        moved = _Cursor(cursor.column, definition, repetition, node.repetition_level)
        ranks = np.zeros(len(definition) + 1, np.int64)
        np.cumsum(repetition <= node.repetition_level, out=ranks[1:])
        elements = ranks[firsts]
    if len(moved.slots) > OFFSET_MAXIMUM:
        raise LimitExceededError(
            f"{node.name!r} has {len(moved.slots):,} elements, an Arrow list array holds {OFFSET_MAXIMUM:,}; "
            "read fewer row groups at once",
            address=Address.of("schema", leaf.index),
        )
    cursor.definition, cursor.repetition = moved.definition, moved.repetition
    cursor.starts, cursor.slots = moved.starts, moved.slots
    offsets = np.empty(len(elements) + 1, np.int32)
    offsets[:-1] = elements
    offsets[-1] = len(moved.slots)
    return offsets


def _drop_repeated_nulls(node: Shape, cursor: _Cursor) -> None:
    """Drop the entries that repeat in a null list and have its definition level.

    DuckDB writes one for each element of its arrays of fixed length. They have no other meaning; any other entry that
    repeats without being an element is damage.
    """
    definition, repetition = cursor.definition, cursor.repetition
    assert repetition is not None
    repeats = repetition >= node.repetition_level
    extra = repeats & (definition < node.element_level)
    lists = np.cumsum(~repeats) - 1
    as_its_list = definition == cursor.slots[lists]
    if not (extra <= (as_its_list & (definition < node.definition_level))).all():
        raise _corrupt(
            cursor.column.leaf,
            f"an entry repeats in {node.name!r} and its definition level says that there is no element",
        )
    cursor.definition, cursor.repetition = definition[~extra], repetition[~extra]
    cursor.starts = np.flatnonzero(cursor.repetition < node.repetition_level)


def _leaf_array(node: Shape, cursor: _Cursor, limits: Limits) -> pa.Array:
    column = cursor.column
    valid: Mask = cursor.slots == column.leaf.max_definition_level
    if pa.types.is_fixed_size_binary(column.values.type):
        size = len(valid) * column.values.type.byte_width
        what = f"column {_name(column.leaf)} with its nulls"
        limits.check("read_bytes", size, what, address=Address.of("schema", column.leaf.index))
    return spread(column.values, valid, nullable=node.nullable)


def _entries(node: Shape, kind: pa.DataType, entries: pa.Array) -> pa.Array:
    """The entries of a map. Raises CorruptFileError for null keys: Arrow has none, and pyarrow crashes on them."""
    keys = entries.field(0)
    if keys.null_count:
        raise CorruptFileError(
            f"map {node.name!r} has {keys.null_count:,} null keys; each entry of a map has a key "
            "(specification, Maps). Its pages can still be read one by one",
            address=Address.of("schema", node.field.index),
        )
    return pa.Array.from_buffers(
        pa.struct([kind.key_field, kind.item_field]), len(entries), [None], children=[keys, entries.field(1)]
    )


def _check_records(field: Field, cursors: list[_Cursor]) -> None:
    """Raise CorruptFileError unless every leaf of a field has the same number of records."""
    expected = len(cursors[0].slots)
    for cursor in cursors:
        if len(cursor.slots) != expected:
            raise _corrupt(
                cursor.column.leaf,
                f"it has {len(cursor.slots):,} records, column {_name(cursors[0].column.leaf)} of the same field "
                f"{field.name!r} has {expected:,}",
            )


def _name(leaf: Leaf) -> str:
    path = leaf.path
    return repr(".".join(path if len(path) <= 8 else (*path[:4], "…", *path[-3:])))


def _corrupt(leaf: Leaf, message: str) -> CorruptFileError:
    return CorruptFileError(f"column {_name(leaf)}: {message}", address=Address.of("schema", leaf.index))
