"""Changes the type of a column where nothing is lost: each value, converted and converted back, is what it was.

A change knows how Arrow values of the old type become those of the new one, and how they come back. Whether something is
lost is not argued but tried, on every value: the bytes that come back must be those of the file (for decimals, the
numbers, which can be stored with more bytes than they need).
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Mask, numpy_numbers
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format import embedded, types
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.fixed_width import byte_rows, offsets_and_bytes
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.engine.format.nesting.levels import entry_of_value
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.format.thrift.structs import SchemaElement, Type
from pqexplore.engine.format.value_text import format_value
from pqexplore.engine.text import clip
from pqexplore.engine.writer.annotations import describe_leaf
from pqexplore.engine.writer.options import ColumnOptions
from pqexplore.engine.writer.physical import to_physical

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.schema import Schema


Pairs = Mapping[str, str | None]

_SPARK = {
    "date32": "date",
    **dict.fromkeys(("timestamp[ms]", "timestamp[us]"), "timestamp_ntz"),
    **dict.fromkeys(("timestamp[ms, tz=UTC]", "timestamp[us, tz=UTC]"), "timestamp"),
    "int32": "integer",
    "int64": "long",
    "float32": "float",
    "uuid": "binary",
}
"""Spark's types by the name of the new one; it has none for nanoseconds."""

_PANDAS = {"date32": ("date", "object"), "uuid": ("bytes", "object")}


def retyped(pairs: Pairs, changes: Iterable[Change]) -> dict[str, str | None]:
    """The pairs of a file in which these columns have new types."""
    changed = [one for one in changes if meaning(one.old).name != "DECIMAL"]  # still the same type
    kept = dict(pairs)
    for key in embedded.KEYS if changed else ():
        if key in kept and key != embedded.GEO:
            value = _updated(key, kept.pop(key), changed)
            if value is not None:
                kept[key] = value
    return kept


def _updated(key: str, value: str | None, changes: list[Change]) -> str | None:
    """A description with the new types; None if it cannot be changed."""
    known = embedded.decode(key, value)
    if known is None or known.content is None or any(len(one.old.path) > 1 for one in changes):
        return None
    targets = {one.old.path[0]: one.target for one in changes}
    content = known.content
    if isinstance(content, pa.Schema):
        for name, target in targets.items():
            for at in content.get_all_field_indices(name):
                content = content.set(at, content.field(at).with_type(TARGETS[target]))
        inner: dict[bytes, bytes] = dict(content.metadata or {})
        copies = {one: inner.pop(one.encode()) for one in embedded.KEYS if one.encode() in inner}
        texts = {one: raw.decode(errors="replace") for one, raw in copies.items()}
        for one, text in retyped(texts, changes).items():
            inner[one.encode()] = (text or "").encode()
        content = content.with_metadata(inner or None)
        return base64.b64encode(content.serialize().to_pybytes()).decode()
    update = {embedded.SPARK: _spark, embedded.PANDAS: _pandas}.get(key)
    return json.dumps(content) if update is not None and update(content, targets) else None


def _spark(content: dict[str, Any], targets: dict[str, str]) -> bool:
    fields = content.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, dict) and field.get("name") in targets:
            kind = _SPARK.get(targets[field["name"]])
            if kind is None:
                return False
            field["type"] = kind
    return isinstance(fields, list)


def _pandas(content: dict[str, Any], targets: dict[str, str]) -> bool:
    columns = content.get("columns")
    for one in columns if isinstance(columns, list) else ():
        if isinstance(one, dict) and (one.get("field_name") or one.get("name")) in targets:
            target = targets[one.get("field_name") or one["name"]]
            kind = TARGETS[target]
            if pa.types.is_timestamp(kind):
                names = "datetimetz" if kind.tz else "datetime", f"datetime64[{kind.unit}]"
            else:
                names = _PANDAS.get(target, (target, target))
            one["pandas_type"], one["numpy_type"] = names
            one["metadata"] = {"timezone": kind.tz} if getattr(kind, "tz", None) else None
    return isinstance(columns, list)


Types = Mapping[str, str]
"""The new type of each column that is changed, by dotted path."""

NO_TYPES: Types = MappingProxyType({})

STAMPS = {
    f"timestamp[{unit}{zone}]": pa.timestamp(unit, "UTC" if zone else None)
    for zone in ("", ", tz=UTC")
    for unit in ("ms", "us", "ns")
}
TARGETS: dict[str, pa.DataType] = {
    "date32": pa.date32(),
    **STAMPS,
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
    "uuid": pa.binary(16),
}
"""The new types by name, as Arrow spells them; for a DECIMAL, int32 and int64 are how it is stored."""

DIGITS = {"int32": 9, "int64": 18}
"""Digits of a DECIMAL that an integer stores (specification, "DECIMAL")."""

Step = Callable[[pa.Array], pa.Array]

_STAMP = re.compile(rb"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.(\d{3}|\d{6}|\d{9}))?(Z|\+00:00)?")
_FORM_UNITS = {0: "s", 3: "ms", 6: "us", 9: "ns"}


class Change:
    """The change of one column's type, from the leaf `old` to the leaf `new` of the new schema."""

    def __init__(self, old: Leaf, new: Leaf, target: str) -> None:
        self.old, self.new, self.target = old, new, target
        self._to, self._from = _steps(old, target)
        self._decimal = meaning(old).name == "DECIMAL"

    def column(self, column: LeafColumn, chunk: ColumnChunk) -> LeafColumn:
        """A chunk's column with its values in the new type. UsageError with the row and the value that would be lost."""
        values, lost = self.converted(column.values)
        if lost is None:
            return dataclasses.replace(column, values=values)
        row = _row(column, lost) + _first_row(chunk)
        held = "has a value that"
        if not chunk.encrypted:
            value = clip(format_value(self.old, column.values[lost].as_py()), 60)
            held = f"holds {repr(value) if _is_text(self.old) else value}, which"
        path = ".".join(self.old.path)
        raise UsageError(f"types[{path!r}]: row {row:,} {held} would be lost or changed as {self.target}")

    def converted(self, values: pa.Array) -> tuple[pa.Array, int | None]:
        """Physical values in the new type, and the index of the first that would be lost; None if nothing is."""
        try:
            new, lost = self._tried(values)
        except _REFUSED:
            return values, self._first_refused(values)
        return new, int(np.argmax(lost)) if lost.any() else None

    def back(self, values: pa.Array) -> pa.Array:
        """Physical values of the new type in the old type, as `comparable` gives those of the old file."""
        if not len(values):
            return self.comparable(to_physical(pa.nulls(0), self.old))
        logical = self._from(types.to_arrow(values, self.new))
        return logical if self._decimal else to_physical(logical, self.old)

    def comparable(self, values: pa.Array) -> pa.Array:
        """Physical values of the old type, in a form that is the same exactly if the values are the same."""
        if not self._decimal:
            return values
        return types.to_arrow(values, self.old, types.arrow_type(self.old))

    def _forward(self, values: pa.Array) -> pa.Array:
        if not len(values):
            return to_physical(pa.nulls(0), self.new)
        return to_physical(self._to(types.to_arrow(values, self.old)), self.new)

    def _tried(self, values: pa.Array) -> tuple[pa.Array, Mask]:
        """The values in the new type, and which of them do not come back; raises `_REFUSED` if one has no new value."""
        new = self._forward(values)
        return new, _differing(self.comparable(values), self.back(new))

    def _first_refused(self, values: pa.Array) -> int:
        """The index of the first value that is lost, if one of them has no new value."""
        low, high = 0, len(values)
        while high - low > 1:
            middle = (low + high) // 2
            try:
                kept = not self._tried(values.slice(low, middle - low))[1].any()
            except _REFUSED:
                kept = False
            low, high = (middle, high) if kept else (low, middle)
        return low


def change(leaf: Leaf, target: str) -> Change:
    """The change of one leaf. UsageError if it is not offered."""
    _steps(leaf, target)
    parent = leaf.parent
    assert parent is not None  # only the root has none
    new = Leaf(_element(leaf, target), leaf.index, parent, leaf.leaf_index, lambda: None)
    return Change(leaf, new, target)


def elements(schema: Schema, given: Types) -> list[SchemaElement]:
    """The schema elements with the new types. UsageError for an unknown column or type, or a change that is not offered."""
    found = [field.element for field in schema.fields]
    for path, target in given.items():
        try:
            leaf = schema.leaf(path)
        except KeyError as error:
            raise UsageError(f"types[{path!r}]: {error.args[0]}") from None
        _steps(leaf, target)
        found[leaf.index] = _element(leaf, target)
    return found


def changes(old: Schema, new: Schema, given: Types) -> dict[int, Change]:
    """The change of each column that is changed, by the index of its leaf."""
    pairs = ((old.leaf(path), target) for path, target in given.items())
    return {leaf.leaf_index: Change(leaf, new.leaves[leaf.leaf_index], target) for leaf, target in pairs}


_REFUSED = (pa.ArrowInvalid, ParquetError, UsageError)


def _element(leaf: Leaf, target: str) -> SchemaElement:
    if meaning(leaf).name == "DECIMAL":
        stored = copy.copy(leaf.element)
        stored.type, stored.type_length = int(Type[target.upper()]), None
        return stored
    old = leaf.element
    made = SchemaElement(name=old.name, repetition_type=old.repetition_type, field_id=old.field_id)
    options = ColumnOptions(logical_type="UUID" if target == "uuid" else None)
    describe_leaf(made, TARGETS[target], options, ".".join(leaf.path))
    return made


def _steps(leaf: Leaf, target: str) -> tuple[Step, Step]:
    """How Arrow values of the leaf become those of the target, and how they come back. UsageError if it is not offered."""
    steps = offered(leaf).get(target)
    if steps is None:
        known = ", ".join(offered(leaf)) or "no change"
        raise UsageError(
            f"types[{'.'.join(leaf.path)!r}]: {describe(leaf)} is not changed to {target!r}; offered: {known}"
        )
    return steps


def offered(leaf: Leaf) -> dict[str, tuple[Step, Step]]:
    """The names of the types that a leaf can be changed to, if its values allow; each with the way there and back."""
    logical, physical = meaning(leaf), leaf.physical_type
    if _is_text(leaf):
        numbers = {name: _casts(name, pa.string()) for name in ("int32", "int64")}
        return {
            "date32": _casts("date32", pa.string()),
            **{name: _stamps(name) for name in STAMPS},
            **numbers,
            "uuid": (_uuids, _uuid_texts),
        }
    if physical == Type.INT96:
        return {name: _casts(name, None) for name in STAMPS}
    if logical.name == "DECIMAL":
        return {
            name: (_same, _same)
            for name, digits in DIGITS.items()
            if logical.precision <= digits and physical not in (Type.INT32, Type[name.upper()])
        }
    if physical == Type.INT64 and (not logical.name or (logical.bit_width, logical.signed) == (64, True)):  # fmt: skip
        return {"int32": _casts("int32", pa.int64())}
    if physical in (Type.FLOAT, Type.DOUBLE) and not logical.name:
        wide = physical == Type.DOUBLE
        names = ("float32", "int32", "int64") if wide else ("int32", "int64")
        return {name: _casts(name, pa.float64() if wide else pa.float32()) for name in names}
    return {}


def _is_text(leaf: Leaf) -> bool:
    return meaning(leaf).name == "STRING"


def _same(values: pa.Array) -> pa.Array:
    return values


def _casts(name: str, old: pa.DataType | None) -> tuple[Step, Step]:
    """Casts to a new type, and back to `old`; None leaves the way back to `to_physical`."""
    new = TARGETS[name]

    def to(values: pa.Array) -> pa.Array:
        if pa.types.is_timestamp(new) and pa.types.is_timestamp(values.type):
            return values.cast(pa.timestamp(new.unit)).cast(new)
        return values.cast(new, safe=name != "float32")

    return to, _same if old is None else lambda values: values.cast(old)


def _stamps(name: str) -> tuple[Step, Step]:
    """Text to timestamps and back, in the form that the first value has: its separator, digits and zone."""
    new = TARGETS[name]
    form: list[tuple[str, str, str]] = []

    def to(values: pa.Array) -> pa.Array:
        if not form:
            found = _STAMP.fullmatch(values[0].as_py().encode())
            if found is None or bool(found[3]) != (new.tz is not None):
                raise pa.ArrowInvalid("not a timestamp, or one with another zone")
            unit = _FORM_UNITS[len(found[2] or b"")]
            form.append((found[1].decode(), unit, (found[3] or b"").decode()))
        return values.cast(new)

    def back(values: pa.Array) -> pa.Array:
        separator, unit, zone = form[0]
        local = values.cast(pa.timestamp(new.unit)) if new.tz else values
        texts = local.cast(pa.timestamp(unit)).cast(pa.string())
        texts = pc.binary_replace_slice(texts, 10, 11, separator)
        return pc.binary_join_element_wise(texts, zone, "") if zone else texts

    return to, back


_DASHES = (8, 13, 18, 23)
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
_NIBBLES = np.full(256, 255, np.uint8)
_NIBBLES[_HEX] = np.arange(16)
_KEPT = np.delete(np.arange(36), _DASHES)


def _uuids(values: pa.Array) -> pa.Array:
    """Texts of UUIDs as 16 bytes; ArrowInvalid for a text of another length or other letters."""
    offsets, data = offsets_and_bytes(values.cast(pa.binary()))
    if (np.diff(offsets) != 36).any():
        raise pa.ArrowInvalid("a UUID has 36 characters")
    nibbles = _NIBBLES[data[offsets[0] : offsets[-1]].reshape(-1, 36)[:, _KEPT]]
    if (nibbles > 15).any():
        raise pa.ArrowInvalid("a UUID has hexadecimal digits")
    made = nibbles[:, ::2] << 4 | nibbles[:, 1::2]
    return pa.Array.from_buffers(pa.binary(16), len(values), [None, pa.py_buffer(made.tobytes())])


def _uuid_texts(values: pa.Array) -> pa.Array:
    raw = byte_rows(values, 16)
    made = np.full((len(raw), 36), ord("-"), np.uint8)
    made[:, _KEPT[::2]], made[:, _KEPT[1::2]] = _HEX[raw >> 4], _HEX[raw & 15]
    fixed = pa.Array.from_buffers(pa.binary(36), len(raw), [None, pa.py_buffer(made.tobytes())])
    return fixed.cast(pa.binary()).cast(pa.string())


def _differing(one: pa.Array, two: pa.Array) -> Mask:
    """Which of the values of two arrays of one physical type have other bits."""
    if pa.types.is_binary(one.type) or pa.types.is_large_binary(one.type):
        return numpy_numbers(pc.not_equal(one, two.cast(one.type)))
    width = one.type.bit_width // 8
    differs: Mask = (byte_rows(one, width) != byte_rows(two, width)).any(axis=1)
    return differs


def _row(column: LeafColumn, index: int) -> int:
    """The record, from 0, that has the value at an index."""
    if column.definition_levels is not None:
        entry = entry_of_value(column.definition_levels, column.leaf.max_definition_level, index)
        index = index if entry is None else entry
    if column.repetition_levels is None:
        return index
    return int(np.count_nonzero(column.repetition_levels[: index + 1] == 0)) - 1


def _first_row(chunk: ColumnChunk) -> int:
    groups = chunk.file.row_groups
    return sum(groups[at].num_rows for at in range(chunk.row_group.index))
