"""The value at a path in every Variant of a column (`variant_get`), and the columns that it needs.

A path is followed down the shredded groups. If the next step is shredded only that field is read: readers "do not need to
read the value column if typed_value fields satisfy the required fields". If it is not, the other steps are followed in
the bytes of the group's value.

Specification: "Objects" and "Data Skipping" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.variant import variant_types, vectors
from pqexplore.engine.format.variant.decode import decode
from pqexplore.engine.format.variant.json_text import json_text
from pqexplore.engine.format.variant.metadata import Metadata
from pqexplore.engine.format.variant.reconstruct import array_elements, object_fields, reconstruct
from pqexplore.engine.format.variant.shredding import UNSHREDDED, dictionaries
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.text import clip

_STEP = re.compile(r"""\.([^.\[\]'"]+)|\[(\d{1,10})\]|\['([^']*)'\]|\["([^"]*)"\]""")


def parse_path(path: str) -> tuple[str | int, ...]:
    """The steps of a path: `$.a.b[0]` is `("a", "b", 0)`; a name with special characters is written in `['…']`.

    Raises UsageError for other text.
    """
    if not path.startswith("$"):
        raise UsageError(f"a path into a Variant starts with $, as in $.a.b[0]; {path!r} does not")
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise UsageError(f"the path {path!r} cannot be read from {path[at:]!r} on")
        name, index, single, double = found.groups()
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(next(n for n in (name, single, double) if n is not None))
        at = found.end()
    return tuple(steps)


def columns_for_path(field: Field, path: str) -> list[Leaf]:
    """The leaf columns that `variant_get` needs for a path: `metadata`, and the leaves below the path's end.

    `field` is the Variant's group. If the path ends below the shredded groups, the `value` of the last shredded group is
    needed; if that group has none, only the metadata is returned, and every result is null.
    """
    node = field
    needed = _leaves(field, "metadata")
    for step in parse_path(path):
        typed = next(iter(node.named("typed_value")), None)
        if isinstance(step, str) and typed is not None and typed.kind == "group" and typed.named(step):
            node = typed.named(step)[0]
        elif isinstance(step, int) and typed is not None and typed.list_element is not None:
            node = typed.list_element
        else:
            return needed + _leaves(node, "value")
    below = node.leaves()
    return needed + [leaf for leaf in below if leaf not in needed]


def _leaves(node: Field, name: str) -> list[Leaf]:
    return [leaf for child in node.named(name)[:1] for leaf in child.leaves()]


def variant_get(
    array: pa.StructArray, path: str, type: pa.DataType | None = None, *, strict: bool = False, limits: Limits = DEFAULT
) -> pa.Array:
    """The value at a path in each Variant of a column, null if it is absent.

    `array` is the group as assembled, shredded or not; it needs only the columns of `columns_for_path`. Without `type`
    the result is `struct<metadata, value>`; with it, an array of that type. Conversions that lose nothing are made:
    among integers, decimals and doubles, anything to a string (other values as JSON), objects to structs, arrays to
    lists. Other values become null, or with `strict` raise UsageError.
    """
    if type is not None:
        found = shredded(array, path, type)
        if found is not None:
            return found
    here, rest = _reach(array, parse_path(path))
    if rest:
        here = _follow(array, here, rest)
    assembled = _assembled(array, here, limits)
    return assembled if type is None else _converted(assembled, type, strict, limits)


def shredded(array: pa.StructArray, path: str, type: pa.DataType) -> pa.Array | None:
    """The `typed_value` at the path, if it has this type and no row has a `value` too; else None.

    The group's `metadata` is not needed.
    """
    here, rest = _reach(array, parse_path(path))
    if rest or here.type.get_field_index("typed_value") < 0:
        return None
    typed, value = _field(here, "typed_value"), _field(here, "value")
    assert typed is not None
    satisfied = typed.type == type and (value is None or value.null_count == len(value))
    return typed if satisfied else None


def _reach(array: pa.StructArray, steps: tuple[str | int, ...]) -> tuple[pa.StructArray, tuple[str | int, ...]]:
    """The last shredded group on a path, and the steps after it."""
    here = array
    for at, step in enumerate(steps):
        names = [f.name for f in here.type]
        index = names.index("typed_value") if "typed_value" in names else -1
        kind = here.type.field(index).type if index >= 0 else None
        if isinstance(step, str) and kind is not None and pa.types.is_struct(kind):
            if kind.get_field_index(step) >= 0:
                here = here.flatten()[index].flatten()[kind.get_field_index(step)]
                continue
        elif isinstance(step, int) and kind is not None and pa.types.is_list(kind):
            here = _element(here.flatten()[index], step)
            continue
        return here, steps[at:]
    return here, ()


def _field(struct: pa.StructArray, name: str) -> pa.Array | None:
    """A field with the struct's nulls applied, None if it is absent."""
    index = struct.type.get_field_index(name)
    return struct.flatten()[index] if index >= 0 else None


def _element(lists: pa.ListArray, index: int) -> pa.Array:
    """Element `index` of each list, null if the list is shorter."""
    counts = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    positions = np.cumsum(counts) - counts + index
    return lists.flatten().take(pa.array(positions, mask=counts <= index))


def _follow(array: pa.StructArray, here: pa.StructArray, steps: tuple[str | int, ...]) -> pa.StructArray:
    """The rest of a path in the `value` of a group, as a group that has only a value."""
    value = _field(here, "value")
    values: list[bytes | None] = [None] * len(array)
    if value is not None and value.null_count < len(value):
        known = dictionaries(array)
        for row, cell in enumerate(value.to_pylist()):
            if cell is not None:
                values[row] = extract(known.of(row), cell, steps)
    return pa.StructArray.from_arrays([pa.array(values, vectors.BINARY)], ["value"])


def extract(known: Metadata, value: bytes, steps: tuple[str | int, ...]) -> bytes | None:
    """The encoded value at `steps` below an encoded value, None if there is none. Raises as `object_fields` does."""
    here: bytes | None = value
    for step in steps:
        if here is None:
            break
        if isinstance(step, str):
            fields = object_fields(here, known) or {}
            here = next((v for i, v in fields.items() if known.names[i] == step), None)
        else:
            elements = array_elements(here) or []
            here = elements[step] if step < len(elements) else None
    return here


def _assembled(array: pa.StructArray, here: pa.StructArray, limits: Limits) -> pa.StructArray:
    """A group below a Variant as unshredded Variants, with the Variant's metadata."""
    names = [name for name in ("value", "typed_value") if here.type.get_field_index(name) >= 0]
    parts = [_field(here, name) for name in names]
    there = np.zeros(len(array), bool)
    for part in parts:
        there |= vectors.validity(part)
    whole = pa.StructArray.from_arrays([array.field("metadata"), *parts], ["metadata", *names], mask=pa.array(~there))
    return reconstruct(whole, limits=limits)


class _Lossy(Exception):
    """A value does not fit the type that was asked for."""


def _converted(found: pa.StructArray, type_: pa.DataType, strict: bool, limits: Limits) -> pa.Array:
    assert found.type.field(0).name == UNSHREDDED.field(0).name
    metadata, value = found.field("metadata"), found.field("value")
    result: list[Any] = []
    for row, (m, v) in enumerate(zip(metadata.to_pylist(), value.to_pylist(), strict=True)):
        if v is None or v == variant_types.VARIANT_NULL:
            result.append(None)
            continue
        try:
            result.append(_convert(decode(m, v, limits=limits), type_))
        except _Lossy:
            if strict:
                shown = clip(json_text(decode(m, v, limits=limits)), 80)
                raise UsageError(f"row {row}: {shown} cannot be given as {type_}") from None
            result.append(None)
    if pa.types.is_timestamp(type_) or pa.types.is_time(type_):
        return pa.array(result, pa.int64()).cast(type_)
    return pa.array(result, type_)


def _convert(value: Any, type_: pa.DataType) -> Any:
    """The value in the form that `pyarrow.array` needs for a type. Raises `_Lossy` if it would change."""
    if value is None:
        return None
    if isinstance(value, bool) and not (pa.types.is_boolean(type_) or _is_text(type_)):
        raise _Lossy
    for applies, kinds, convert in _CONVERSIONS:
        if applies(type_) and isinstance(value, kinds):
            return convert(value, type_)
    raise _Lossy


def _is_text(type_: pa.DataType) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


def _integer(value: Any, type_: pa.DataType) -> int:
    whole = int(value) if np.isfinite(float(value)) else None
    if whole is None or whole != value or not -1 <= whole >> type_.bit_width - 1 <= 0:
        raise _Lossy
    return whole


def _decimal(value: Any, type_: pa.DataType) -> decimal.Decimal:
    exact = decimal.Decimal(value)
    with decimal.localcontext(decimal.Context(prec=type_.precision)) as context:
        try:
            fitted = exact.quantize(decimal.Decimal(1).scaleb(-type_.scale), context=context)
        except decimal.InvalidOperation:
            raise _Lossy from None
    if fitted != exact:
        raise _Lossy
    return fitted


def _date(value: Any, type_: pa.DataType) -> datetime.date:
    if type(value) is not datetime.date:  # a datetime is a date, too
        raise _Lossy
    return value


def _time(value: Any, type_: pa.DataType) -> int:
    if type_.unit != "us":
        raise _Lossy
    return _microseconds(datetime.datetime.combine(datetime.date(1970, 1, 1), value))


def _microseconds(value: datetime.datetime) -> int:
    epoch = datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo)
    return (value - epoch) // datetime.timedelta(microseconds=1)


def _ticks(value: Any, type_: pa.DataType) -> int:
    """A timestamp as the integer of an Arrow timestamp type; both must have a time zone, or neither."""
    if isinstance(value, datetime.datetime):
        aware, ticks, unit = value.tzinfo is not None, _microseconds(value), "us"
    elif isinstance(value, variant_types.Temporal) and "timestamp" in value.name:
        aware = value.type_id in (variant_types.TIMESTAMP, variant_types.TIMESTAMP_NANOS)
        unit = "ns" if value.name.endswith("(9)") else "us"
        ticks = value.ticks
    else:
        raise _Lossy
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    scaled, rest = divmod(ticks * per[type_.unit], per[unit])
    if aware != (type_.tz is not None) or rest or not -(1 << 63) <= scaled < 1 << 63:
        raise _Lossy
    return scaled


_NUMBERS = (int, float, decimal.Decimal, np.float32)
_CONVERSIONS: tuple[tuple[Callable[[pa.DataType], bool], Any, Callable[[Any, pa.DataType], Any]], ...] = (
    (_is_text, object, lambda value, type_: value if isinstance(value, str) else json_text(value).strip('"')),
    (pa.types.is_boolean, bool, lambda value, type_: value),
    (pa.types.is_signed_integer, _NUMBERS, _integer),
    (pa.types.is_floating, _NUMBERS, lambda value, type_: float(value)),
    (pa.types.is_decimal, (int, decimal.Decimal), _decimal),
    (pa.types.is_date, datetime.date, _date),
    (pa.types.is_timestamp, object, _ticks),
    (pa.types.is_time64, datetime.time, _time),
    (pa.types.is_fixed_size_binary, uuid.UUID, lambda value, type_: value.bytes),
    (pa.types.is_binary, bytes, lambda value, type_: value),
    (pa.types.is_large_binary, bytes, lambda value, type_: value),
    (pa.types.is_struct, dict, lambda value, type_: {f.name: _convert(value.get(f.name), f.type) for f in type_}),
    (pa.types.is_list, list, lambda value, type_: [_convert(item, type_.value_type) for item in value]),
)
"""By the type that is asked for and the kinds of values that it takes: what makes one of them."""
