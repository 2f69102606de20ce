"""Reconstructs shredded Variants, a column at a time.

From the innermost groups outwards each group becomes one column of Variant bytes, null if the value is missing; the
column of the topmost group is the result. Each row keeps its metadata: it has the names of shredded fields too, so their
field ids can be looked up.

Data that breaks the rules of shredding is read as the specification says, and is an error if it says "engines should
fail": two values for one path. `check` lists both.

Specification: "Reconstructing a Shredded Variant" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.format.field import Field
from pqexplore.engine.format.variant import primitives, variant_types, vectors
from pqexplore.engine.format.variant.decode import raise_in_row
from pqexplore.engine.format.variant.encode import encode_object
from pqexplore.engine.format.variant.metadata import Metadata, unsigned
from pqexplore.engine.format.variant.shredding import (
    UNSHREDDED,
    Columns,
    Dictionaries,
    Group,
    describe,
    dictionaries,
    open_columns,
)
from pqexplore.engine.limits import DEFAULT, Limits

_CELLS = 1 << 21
"""Rows times groups that are reconstructed at once, which bounds the additional memory."""

_BINARY_MAXIMUM = (1 << 31) - 1


def reconstruct(array: pa.StructArray, field: Field | None = None, *, limits: Limits = DEFAULT) -> pa.StructArray:
    """The unshredded form of a Variant column: `struct<metadata: binary, value: binary>`.

    `array` is the group as assembled: `metadata`, `value`, `typed_value` by name, in any order; the last two can be
    absent. `field` is the schema's field of the group, which distinguishes types that are one type in Arrow. A null row
    stays null. A row without value and typed_value becomes Variant null: "If a Variant is missing in a context where a
    value is required, readers must return a Variant null". A shredded field takes precedence over a field of `value`
    with the same name, and a value that is not an object is ignored beside a shredded object: "Readers must return an
    object when typed_value is non-null containing the shredded fields".

    Raises CorruptFileError if both value and typed_value are present and the latter is not an object ("engines should
    fail"), if the metadata is damaged or lacks a shredded name, and if a value that must be merged is damaged. Values
    that are only copied are not checked. Messages name the row. Results of more than 2 GiB are large_binary.
    """
    groups = describe(array.type, field, limits=limits)
    for group in groups:
        if group.defect is not None:
            raise group.defect
    step = max(1, _CELLS // len(groups))
    pieces = [_piece(array.slice(start, step), groups, start) for start in range(0, max(1, len(array)), step)]
    metadata, value = _join([m for m, _ in pieces]), _join([v for _, v in pieces])
    fields = [pa.field("metadata", metadata.type), pa.field("value", value.type)]
    mask = array.is_null() if array.null_count else None
    result = pa.StructArray.from_arrays([metadata, value], fields=fields, mask=mask)
    return result if len(array) else result.cast(UNSHREDDED)


def _join(pieces: list[pa.Array]) -> pa.Array:
    """One array of all pieces: binary if its offsets suffice, else large_binary."""
    large = sum(piece.nbytes for piece in pieces) > _BINARY_MAXIMUM
    kind = pa.large_binary() if large else pa.binary()
    return pa.concat_arrays([piece.cast(kind) for piece in pieces])


def _piece(array: pa.StructArray, groups: list[Group], first: int) -> tuple[pa.Array, pa.Array]:
    """Metadata and value columns of some rows; `first` is the number of the first one."""
    known = dictionaries(array, first)
    columns = open_columns(array, groups)
    values = encode_groups(groups, columns, known, first)
    filled = pc.fill_null(values, variant_types.VARIANT_NULL) if values.null_count else values
    valid = vectors.validity(array)
    return array.field("metadata"), vectors.keep(valid, filled)


def encode_groups(
    groups: list[Group], columns: list[Columns], known: Dictionaries, first: int = 0, target: int = 0
) -> pa.Array:
    """The Variant bytes of the group `target`, null if missing, from its own columns and those below it."""
    encoded: dict[int, pa.Array] = {}
    for at in range(len(groups) - 1, target - 1, -1):
        group, own = groups[at], columns[at]
        below = [encoded.pop(child) for child in group.children]
        if own.typed is None or own.typed.null_count == own.length:
            typed = None
        elif group.kind == "object":
            typed = _objects(group, groups, own, below, known, first)
        else:
            both = np.flatnonzero(own.present("value") & own.present("typed"))
            if len(both):
                raise CorruptFileError(
                    f"row {first + own.row(int(both[0]))}: {group.path} has both a value and a typed_value, which "
                    "only an object may have"
                )
            if group.kind == "primitive":
                typed = vectors.primitive(own.typed, group.type_id)
            else:
                elements = pc.fill_null(below[0], variant_types.VARIANT_NULL) if below[0].null_count else below[0]
                assert own.counts is not None
                lists = vectors.lists(own.counts, elements)
                typed = vectors.keep(own.present("typed"), lists)
        if typed is None:
            encoded[at] = pa.nulls(own.length, vectors.BINARY) if own.value is None else own.value
        elif own.value is None or own.value.null_count == own.length:
            encoded[at] = typed
        else:
            encoded[at] = pc.coalesce(typed, own.value)
    return encoded[target]


def _objects(
    group: Group, groups: list[Group], own: Columns, below: list[pa.Array], known: Dictionaries, first: int
) -> pa.Array:
    """A shredded object column, from its fields' columns and, if it is partially shredded, the other fields in `value`."""
    valid = own.present("typed")
    names = [groups[child].name for child in group.children]
    present = np.zeros((own.length, len(below)), bool)
    sizes = np.zeros((own.length, len(below)), np.int64)
    for i, column in enumerate(below):
        present[:, i] = vectors.validity(column)
        sizes[:, i] = vectors.lengths(column)
    codes = known.codes if own.rows is None else known.codes[own.rows]
    table = known.ids(names)
    rows, fields = np.nonzero(present)
    ids = table[codes[rows], fields]
    lacking = np.flatnonzero(ids < 0)
    if len(lacking):
        entry, name = int(rows[lacking[0]]), names[int(fields[lacking[0]])]
        raise CorruptFileError(
            f"row {first + own.row(entry)}: the shredded field {group.path}.{name} is not in the row's metadata, which "
            "must have all field names"
        )
    heads = vectors.container_heads(present.sum(1), sizes[present], ids)
    objects = vectors.keep(valid, vectors.join([heads, *below]))
    partial = np.flatnonzero(valid & own.present("value"))
    if len(partial) == 0:
        return objects
    return _merge(group, own, objects, partial, set(names), known, first)


def _merge(
    group: Group, own: Columns, objects: pa.Array, partial: Int64s, shredded: set[str], known: Dictionaries, first: int
) -> pa.Array:
    """Merge fields of `value` into the shredded objects of the rows in `partial`."""
    assert own.value is not None
    some = pa.array(partial)
    merged: list[bytes] = []
    cells = zip(partial.tolist(), objects.take(some).to_pylist(), own.value.take(some).to_pylist(), strict=True)
    for entry, cell, value in cells:
        row = own.row(entry)
        metadata = known.of(row)
        try:
            rest = object_fields(value, metadata)
            if rest is None:
                merged.append(cell)
                continue
            fields = {i: v for i, v in rest.items() if metadata.names[i] not in shredded}
            fields.update(object_fields(cell, metadata) or {})
            merged.append(encode_object(fields, metadata))
        except ParquetError as error:
            raise_in_row(error, first + row, f"value of {group.path}")
    mask = np.zeros(own.length, bool)
    mask[partial] = True
    return pc.replace_with_mask(objects, pa.array(mask), pa.array(merged, vectors.BINARY))


def object_fields(raw: bytes, known: Metadata) -> dict[int, bytes] | None:
    """The encoded values of an object by field id, None if the value is not an object.

    Raises CorruptFileError if an id is not in the metadata, or the values overlap or leave gaps.
    """
    if raw[:1] and raw[0] & 3 != variant_types.OBJECT:
        return None
    layout, values = _contained(raw)
    if layout.id_size == 1:
        ids: Sequence[int] = raw[layout.ids : layout.offsets]
    else:
        ids = unsigned(raw, layout.ids, layout.count, layout.id_size).tolist()
    if layout.count and max(ids) >= len(known.names):
        raise CorruptFileError(
            f"a Variant object has field id {max(ids)}, the metadata has {len(known.names):,} names", offset=layout.ids
        )
    return dict(zip(ids, values, strict=True))


def array_elements(raw: bytes) -> list[bytes] | None:
    """The encoded elements of an array, None if the value is not an array. Raises as `object_fields` does."""
    if raw[:1] and raw[0] & 3 != variant_types.ARRAY:
        return None
    return _contained(raw)[1]


def _contained(raw: bytes) -> tuple[primitives.Container, list[bytes]]:
    """The layout of a container that takes all the bytes, and its encoded values in the order of the offsets."""
    if not raw:
        raise CorruptFileError("a Variant value is empty; it needs a header byte", offset=0)
    layout = primitives.container(raw, 0, len(raw))
    count, base = layout.count, layout.values
    if layout.offset_size == 1:
        offsets: Sequence[int] = raw[layout.offsets : base]
    else:
        offsets = unsigned(raw, layout.offsets, count + 1, layout.offset_size).tolist()
    if base + offsets[count] != len(raw):
        raise CorruptFileError(
            f"a Variant container ends at byte {base + offsets[count]:,}, its bytes at {len(raw):,}",
            offset=layout.offsets,
        )
    edges = sorted(offsets)
    if edges[0] != 0 or edges[-1] != offsets[count] or len(set(edges)) != len(edges):
        raise CorruptFileError("the values of a Variant container share bytes or leave some out", offset=layout.offsets)
    ends = dict(itertools.pairwise(edges))
    return layout, [raw[base + start : base + ends[start]] for start in offsets[:count]]
