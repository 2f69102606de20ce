"""The groups of a shredded Variant, and their columns.

A shredded Variant is a tree of groups with the same two fields. `value` holds values that are not shredded, as
Variant bytes; `typed_value` holds shredded ones: a primitive, a list of such groups, or a struct whose fields are such
groups. Only the topmost group has `metadata`. `describe` flattens the tree into a list of `Group`, parents before
children; reconstruction, checks and `variant_get` are loops over this list.

Specification: "Value Shredding" and "Shredded Value Types" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Array, Int64s, Mask
from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.decode import raise_in_row
from pqexplore.engine.format.variant.metadata import Metadata
from pqexplore.engine.format.variant.vectors import BINARY, is_bytes, raw_bytes, validity
from pqexplore.engine.limits import DEFAULT, Limits

UNSHREDDED = pa.struct([pa.field("metadata", pa.binary()), pa.field("value", pa.binary())])
"""The type of an unshredded Variant column, and of every reconstructed one."""


@dataclass(slots=True)
class Group:
    """One pair of `value` and `typed_value`.

    `kind` is the kind of `typed_value`: none (it is absent), primitive, object or array. `path` is the path in the
    Variant (`$.a[*].b`), `depth` its number of steps. `parent` and `children` are indexes in the list
    of groups; the children of an object are in the order of their names. `type_id` is the Variant type of a
    primitive. `required` is false if the group itself can be null, None for the topmost. `defect` is the error if
    the specification does not allow this `typed_value`.
    """

    name: str
    path: str
    depth: int
    parent: int
    kind: str
    has_value: bool
    type_id: int = -1
    required: bool | None = None
    children: list[int] = field(default_factory=list)
    defect: ParquetError | None = None


def describe(type_: pa.DataType, hint: Field | None = None, *, limits: Limits = DEFAULT) -> list[Group]:
    """The groups of a shredded (or unshredded) Variant of an Arrow struct type, parents first.

    `hint` is the schema's field of the same group: it distinguishes a UUID from other fixed-length bytes, and has the
    width that a decimal is stored in. Without it, 16 fixed-length bytes are a UUID. Raises UsageError if `type_` does
    not have the fields of a Variant, LimitExceededError for nesting that is too deep.
    """
    if not pa.types.is_struct(type_) or type_.get_field_index("metadata") < 0:
        raise UsageError(f"a Variant column is a struct with metadata and value, not {type_}")
    groups: list[Group] = []
    todo: list[_Shredded] = [(type_, hint, Group("", "$", 0, -1, "none", False))]
    while todo:
        kind, node, group = todo.pop()
        at = len(groups)
        groups.append(group)
        limits.check("variant_depth", group.depth, f"the shredded Variant {group.path}")
        if group.parent >= 0:
            groups[group.parent].children.append(at)
        if not pa.types.is_struct(kind):
            group.defect = CorruptFileError(
                f"{group.path} is shredded as {kind}; a field or element is a group of value and typed_value"
            )
            continue
        group.has_value = kind.get_field_index("value") >= 0
        typed = kind.get_field_index("typed_value")
        if typed < 0:
            if not group.has_value:
                group.defect = CorruptFileError(
                    f"{group.path} has neither value nor typed_value; one of them must be there"
                )
            continue
        typed_type = kind.field(typed).type
        typed_node = _named(node, "typed_value")
        if pa.types.is_struct(typed_type):
            todo += _fields(group, at, typed_type, typed_node)
        elif pa.types.is_list(typed_type) or pa.types.is_large_list(typed_type):
            group.kind = "array"
            below = typed_node.list_element if typed_node is not None else None
            todo.append(_below(group, at, "", f"{group.path}[*]", typed_type.value_field, below))
        else:
            group.kind = "primitive"
            type_id = primitive_type(typed_type, typed_node if isinstance(typed_node, Leaf) else None)
            if type_id is None:
                group.defect = CorruptFileError(
                    f"{group.path} is shredded as {typed_type}, which is none of the shredded value types"
                )
            else:
                group.type_id = type_id
    return groups


_Shredded = tuple[pa.DataType, Field | None, Group]
"""The type of a group, its field in the schema, and the group."""


def _fields(group: Group, at: int, typed: pa.StructType, node: Field | None) -> Iterator[_Shredded]:
    """The fields that a group's typed_value shreds, the last name first: they are taken from the end."""
    group.kind = "object"
    fields = sorted((f.name, i) for i, f in enumerate(typed))
    for (one, _), (other, _) in itertools.pairwise(fields):
        if one == other:
            group.defect = CorruptFileError(f"{group.path} shreds the field {one!r} twice")
    for name, i in reversed(fields):
        yield _below(group, at, name, f"{group.path}.{name}", typed.field(i), _named(node, name))


def _below(group: Group, at: int, name: str, path: str, stored: pa.Field, node: Field | None) -> _Shredded:
    """The group of a field or element of a group, which is at `at`."""
    required = not stored.nullable if node is None else node.repetition == 0
    return stored.type, node, Group(name, path, group.depth + 1, at, "none", False, required=required)


def _named(node: Field | None, name: str) -> Field | None:
    found = node.named(name) if node is not None else []
    return found[0] if found else None


_BY_ARROW = {
    pa.bool_(): variant_types.TRUE,
    pa.int8(): variant_types.INT8,
    pa.int16(): variant_types.INT16,
    pa.int32(): variant_types.INT32,
    pa.int64(): variant_types.INT64,
    pa.float32(): variant_types.FLOAT,
    pa.float64(): variant_types.DOUBLE,
    pa.date32(): variant_types.DATE,
    pa.time64("us"): variant_types.TIME,
    pa.binary(): variant_types.BINARY,
    pa.large_binary(): variant_types.BINARY,
    pa.string(): variant_types.STRING,
    pa.large_string(): variant_types.STRING,
    pa.timestamp("us"): variant_types.TIMESTAMP_NTZ,
    pa.timestamp("ns"): variant_types.TIMESTAMP_NTZ_NANOS,
    pa.binary(16): variant_types.UUID,
}


def primitive_type(type_: pa.DataType, leaf: Leaf | None = None) -> int | None:
    """The Variant type of a primitive typed_value (the table "Shredded Value Types"), None if there is none."""
    if pa.types.is_decimal128(type_):
        if not 0 <= type_.scale <= variant_types.MAX_SCALE:
            return None
        digits = type_.precision
        if leaf is not None and leaf.physical_type in (1, 2):
            digits = 9 if leaf.physical_type == 1 else 18
        return next(k for k, most in variant_types.DECIMAL_DIGITS.items() if digits <= most)
    if pa.types.is_timestamp(type_) and type_.tz is not None:
        return {"us": variant_types.TIMESTAMP, "ns": variant_types.TIMESTAMP_NANOS}.get(type_.unit)
    if type_ == pa.binary(16) and leaf is not None:
        logical = structs.union_field(leaf.logical_type)
        if logical is None or logical[0] != "UUID":
            return None
    return _BY_ARROW.get(type_)


@dataclass(slots=True)
class Columns:
    """The arrays of one group: `value` (large_binary) and `typed`, None if the field is absent.

    `rows` has the topmost row of each entry, None if they are the same; `counts` has the elements of each entry if
    `typed` is a list (0 if null).
    """

    length: int
    value: pa.Array | None
    typed: pa.Array | None
    rows: Int64s | None
    counts: Int64s | None = None

    def row(self, entry: int) -> int:
        """The topmost row that an entry belongs to."""
        return entry if self.rows is None else int(self.rows[entry])

    def present(self, name: str) -> Mask:
        """A mask of the entries whose `value` or `typed` (`name`) is not null."""
        array = getattr(self, name)
        return np.zeros(self.length, bool) if array is None else validity(array)

    def headers(self) -> Int64s:
        """The first byte of each entry's `value` as int64; -1 if it is null or has no bytes."""
        found = np.full(self.length, -1, np.int64)
        if self.value is not None:
            data, offsets = raw_bytes(self.value)
            some = self.present("value") & (offsets[1:] > offsets[:-1])
            found[some] = data[offsets[:-1][some]]
        return found


def open_columns(array: pa.StructArray, groups: list[Group]) -> list[Columns]:
    """The arrays of each group, with the nulls of their parents applied. Raises CorruptFileError if `value` is not binary."""
    result: list[Columns] = []
    # Per group: the struct array to open and the rows of its entries.
    inner: dict[int, tuple[pa.StructArray, Int64s | None]] = {0: (array, None)}
    for at, group in enumerate(groups):
        struct, rows = inner.pop(at)
        names = [f.name for f in struct.type]
        flat = struct.flatten()
        value = flat[names.index("value")] if group.has_value else None
        typed = flat[names.index("typed_value")] if group.kind != "none" else None
        columns = Columns(len(struct), value if value is None else _binary(value, group), typed, rows)
        result.append(columns)
        if group.kind == "object":
            assert typed is not None
            fields = [f.name for f in typed.type]
            children = typed.flatten()
            for child in group.children:
                inner[child] = (children[fields.index(groups[child].name)], rows)
        elif group.kind == "array":
            assert typed is not None
            counts = typed.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
            columns.counts = counts.astype(np.int64)
            entries = np.arange(len(struct)) if rows is None else rows
            inner[group.children[0]] = (typed.flatten(), np.repeat(entries, columns.counts))
    return result


def _binary(array: pa.Array, group: Group) -> pa.Array:
    if not is_bytes(array.type):
        raise CorruptFileError(f"the value of {group.path} is {array.type}; it must be binary")
    return array.cast(BINARY)


@dataclass(slots=True)
class Dictionaries:
    """The distinct metadata of a column, and the index of each row's metadata in them (int64, -1 if the row is null)."""

    known: list[Metadata]
    codes: Int64s

    def of(self, row: int) -> Metadata:
        """The metadata of a row that is not null."""
        return self.known[int(self.codes[row])]

    def ids(self, names: list[str]) -> Array:
        """Field ids (int64) of shape (metadata, names), with a last row for null rows; -1 if the metadata lacks the name."""
        table = np.full((len(self.known) + 1, len(names)), -1, np.int64)
        for i, one in enumerate(self.known):
            table[i] = [one.ids.get(name, -1) for name in names]
        return table


def dictionaries(array: pa.StructArray, first_row: int = 0) -> Dictionaries:
    """Parse the distinct metadata of a Variant column.

    Raises CorruptFileError if a row has none or damaged metadata; the message names the row, counted from `first_row`.
    """
    column = array.field("metadata")
    if not is_bytes(column.type):
        raise CorruptFileError(f"the metadata of a Variant is {column.type}; it must be binary")
    valid = validity(array)
    missing = np.flatnonzero(valid & ~validity(column))
    if len(missing):
        raise CorruptFileError(f"row {first_row + int(missing[0])}: the metadata of a Variant is null; it is required")
    encoded = column.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    codes = np.where(valid, codes, -1)
    known: list[Metadata] = []
    used = np.zeros(len(encoded.dictionary), bool)
    used[codes[codes >= 0]] = True
    for i, cell in enumerate(encoded.dictionary.to_pylist()):
        # Metadata that only null rows have is not parsed: it can be anything.
        try:
            known.append(variant_metadata.read(cell if used[i] else variant_types.EMPTY_METADATA))
        except ParquetError as error:
            raise_in_row(error, first_row + int(np.flatnonzero(codes == i)[0]), "metadata")
    return Dictionaries(known, codes)
