"""Arrow arrays of two files in one arrangement, and one of their values as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from pqexplore.engine.text import clip

_SHOWN = 20
"""Elements of a list and fields of a struct that a text shows."""

_DEPTH = 4
"""Levels of nesting that a text shows."""


def arranged(array: pa.Array, numbers: Sequence[int]) -> pa.Array:
    """The array with the fields of each struct in the order of their leaves' numbers; maps become lists of structs.

    `numbers` has one number for each leaf of the array's type. Raises ArrowInvalid if the type has not as many leaves.
    """
    left = iter(numbers)
    made, _ = _arranged(array, left)
    if next(left, None) is not None:
        raise pa.ArrowInvalid("its type has fewer leaves than the schema")
    return made


def _arranged(array: pa.Array, numbers: Iterator[int]) -> tuple[pa.Array, int]:
    kind = array.type
    if pa.types.is_struct(kind):
        fields = [array.field(i) for i in range(kind.num_fields)]
        return _struct(fields, [field.name for field in kind], numbers, array.is_null())
    if pa.types.is_map(kind):
        values, first = _struct([array.keys, array.items], ["key", "value"], numbers, None)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        values, first = _arranged(array.values, numbers)
    else:
        found = next(numbers, None)
        if found is None:
            raise pa.ArrowInvalid("its type has more leaves than the schema")
        return array, found
    maker = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
    mask = array.is_null() if array.null_count else None
    return maker.from_arrays(array.offsets, values, mask=mask), first


def _struct(
    fields: Sequence[pa.Array], names: Sequence[str], numbers: Iterator[int], mask: pa.Array | None
) -> tuple[pa.Array, int]:
    found = [(*_arranged(field, numbers), name) for field, name in zip(fields, names, strict=True)]
    found.sort(key=lambda one: one[1])
    made = pa.StructArray.from_arrays([one[0] for one in found], names=[one[2] for one in found], mask=mask)
    return made, found[0][1] if found else -1


def renamed(kind: pa.DataType, like: pa.DataType) -> pa.DataType:
    """An arranged type with the names of another one. Raises ArrowInvalid if they nest in different ways."""
    if pa.types.is_nested(kind) or pa.types.is_nested(like):
        if kind.id != like.id or kind.num_fields != like.num_fields:
            raise pa.ArrowInvalid("its fields are nested in another way")
        fields = [kind.field(i) for i in range(kind.num_fields)]
        others = [like.field(i) for i in range(kind.num_fields)]
        made = [pa.field(b.name, renamed(a.type, b.type)) for a, b in zip(fields, others, strict=True)]
        if pa.types.is_struct(kind):
            return pa.struct(made)
        return pa.large_list(made[0]) if pa.types.is_large_list(kind) else pa.list_(made[0])
    return kind


def with_names(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """An arranged array with the names of its `renamed` type."""
    if array.type == kind:
        return array
    if pa.types.is_struct(kind):
        fields = [with_names(array.field(i), kind.field(i).type) for i in range(kind.num_fields)]
        names = [field.name for field in kind]
        return pa.StructArray.from_arrays(fields, names=names, mask=array.is_null())
    maker = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
    mask = array.is_null() if array.null_count else None
    return maker.from_arrays(array.offsets, with_names(array.values, kind.value_type), type=kind, mask=mask)


def text(value: pa.Scalar, limit: int = 80) -> str:
    """A value as text of at most `limit` characters, whatever its bytes are."""
    return clip(_text(value, _DEPTH), limit)


def _text(value: pa.Scalar, depth: int) -> str:
    kind = value.type
    if not value.is_valid:
        return "None"
    if pa.types.is_nested(kind):
        return _nested(value, depth - 1) if depth else "…"
    if pa.types.is_timestamp(kind):
        # Without its zone, which is UTC: Arrow needs a database for zones.
        plain = str(pa.scalar(value.value, pa.timestamp(kind.unit)).cast(pa.string()))
        return plain if kind.tz is None else f"{plain}Z"
    if pa.types.is_duration(kind):
        return f"{value.value:,} {kind.unit}"
    if pa.types.is_temporal(kind):
        return str(value.cast(pa.string()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        raw = value.as_buffer().to_pybytes()
        try:
            return repr(raw.decode())
        except UnicodeDecodeError:
            return repr(raw)
    return str(value.as_py()) if pa.types.is_decimal(kind) else repr(value.as_py())


def _nested(value: pa.Scalar, depth: int) -> str:
    kind = value.type
    if pa.types.is_struct(kind):
        count = min(kind.num_fields, _SHOWN)
        shown = [f"{kind.field(i).name!r}: {_text(value[i], depth)}" for i in range(count)]
        more = kind.num_fields > count
        return f"{{{', '.join(shown)}{', …' if more else ''}}}"
    values = value.values
    shown = [_text(one, depth) for one in values[:_SHOWN]]
    return f"[{', '.join(shown)}{', …' if len(values) > _SHOWN else ''}]"
