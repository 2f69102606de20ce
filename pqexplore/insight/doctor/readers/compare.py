"""Compares two Arrow columns by their values, whatever form a reader gives them.

The same value has many forms: a map as pairs or as a dictionary, a UUID as 16 bytes or as text, an instant in any unit, a
decimal as a float, a Variant as JSON. `first_difference` finds the first row where the values, not the forms, differ.
"""

from __future__ import annotations

import decimal
import json
import math
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.field import Field, Leaf, walk
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.variant.decode import decode_array

CLOSE = 1e-14
"""Relative difference up to which a float stands for a decimal, or for a number in JSON."""

_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_DAY = 86_400 * 10**9

Value = Any
"""A value in the one form that is compared: None, bool, int (also instants, in ns), float, bytes, Decimal, list, tuple."""


class NotComparedError(Exception):
    """Two columns cannot be compared; the message says why."""


def first_difference(
    ours: pa.ChunkedArray, theirs: pa.ChunkedArray, field: Field, lenient: bool
) -> tuple[int, str, str] | None:
    """(row, our value, their value) of the first row that differs; None if there is none.

    `field` is the schema's field of the column. `lenient`: NaN stands for null, as in a pandas data frame. Raises
    NotComparedError.
    """
    if ours.type == theirs.type and ours.equals(theirs):
        return None
    variants = any(one.kind == "variant" for one in walk(field))
    if variants and not _is_raw(theirs.type):
        return _variant_difference(ours, theirs, field)
    left, right = _all_values(ours), _all_values(theirs)
    if field.kind == "variant" and _is_variant(theirs.type):
        left, right = (_decoded(one) for one in (ours, theirs))
    if isinstance(field, Leaf) and annotation(field).name == "JSON":
        left, right = map(_parsed, left), map(_parsed, right)
    text = _shown_instant if pa.types.is_timestamp(ours.type) else shown
    for row, (a, b) in enumerate(zip(left, right, strict=True)):
        if not same(a, b, lenient):
            if variants and field.kind != "variant":
                raise NotComparedError("a Variant inside a group has more than one form in bytes")
            return row, text(a), text(b)
    return None


def _is_variant(kind: pa.DataType) -> bool:
    """Whether a reader gives a Variant as its two parts, in any order."""
    return bool(pa.types.is_struct(kind)) and {one.name for one in kind} == {"metadata", "value"}


def _decoded(column: pa.ChunkedArray) -> Iterator[Value]:
    """The values of Variants, whose bytes can differ where the values do not."""
    for chunk in column.chunks:
        try:
            yield from map(_for_json, decode_array(chunk))
        except ParquetError as error:
            raise NotComparedError(error.message) from None


def _parsed(value: Value) -> Value:
    """A JSON text as what it says, for readers that parse it; other text as it is."""
    try:
        return value if value is None else json.loads(value)
    except (ValueError, RecursionError):
        return value


def _is_raw(kind: pa.DataType) -> bool:
    return not (pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _variant_difference(ours: pa.ChunkedArray, theirs: pa.ChunkedArray, field: Field) -> tuple[int, str, str] | None:
    """As `first_difference`, of Variants that the reader gives as JSON."""
    if field.kind != "variant":
        raise NotComparedError("a Variant inside a group comes in a form that is not compared")
    row = 0
    skipped = False
    texts = [one for chunk in theirs.chunks for one in chunk.to_pylist()]
    for chunk in ours.chunks:
        try:
            decoded = decode_array(chunk)
        except ParquetError as error:
            raise NotComparedError(error.message) from None
        for value in decoded:
            text = texts[row]
            try:
                given = None if text is None else json.loads(text)
            except (ValueError, RecursionError):
                given = text
            if not _plain(value):
                skipped = True
            elif not same(_for_json(value), given, False):
                return row, shown(value), shown(given)
            row += 1
    if skipped:
        raise NotComparedError("some Variants have types for which JSON has no one form")
    return None


def _plain(value: Any) -> bool:
    """Whether JSON has one form for a Variant's value: null, booleans, numbers, text, and what contains only these."""
    if isinstance(value, dict):
        return all(map(_plain, value.values()))
    if isinstance(value, list):
        return all(map(_plain, value))
    if isinstance(value, float | np.floating):
        return math.isfinite(value)
    return value is None or isinstance(value, bool | int | str | decimal.Decimal)


def _for_json(value: Any) -> Any:
    """A plain Variant's value with the types that `json.loads` gives, but decimals as they are."""
    if isinstance(value, dict):
        return {key: _for_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_for_json(one) for one in value]
    return float(value) if isinstance(value, np.floating) else value


def same(a: Value, b: Value, lenient: bool) -> bool:
    """Whether two values are the same."""
    if a is None or b is None:
        return a is b or (lenient and _nothing(a) and _nothing(b))
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same(x, y, lenient) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], lenient) for key in a)
    if isinstance(a, bytes):
        return bool(a == b) or _stand_for(a, b)
    if isinstance(a, float) or isinstance(b, float):
        return _same_float(a, b)
    return bool(a == b)


def _nothing(value: Value) -> bool:
    """Whether a value of a data frame can stand for null: NaN, and a struct whose fields are all nothing."""
    if isinstance(value, tuple):
        return all(map(_nothing, value))
    return value is None or (isinstance(value, float) and math.isnan(value))


def _stand_for(stored: bytes, value: Value) -> bool:
    """Whether the bytes of a UUID or an INTERVAL stand for a UUID's text, or for (months, days, nanoseconds)."""
    if isinstance(value, bytes):
        return len(stored) == 16 and len(value) == 36 and _uuid(value) == stored
    return isinstance(value, tuple) and len(stored) == 12 and _interval(stored) == value


def _same_float(a: Value, b: Value) -> bool:
    if isinstance(a, bool | int | float) and isinstance(b, bool | int | float):
        both = isinstance(a, float) and isinstance(b, float)
        return a == b or (both and math.isnan(a) and math.isnan(b))
    if isinstance(a, decimal.Decimal | float) and isinstance(b, decimal.Decimal | float):
        if not (math.isfinite(a) and math.isfinite(b)):
            return False
        return math.isclose(float(a), float(b), rel_tol=CLOSE)
    return False


def _uuid(text: bytes) -> bytes:
    try:
        return uuid.UUID(text.decode("ascii")).bytes
    except ValueError:
        return b""


def _interval(raw: bytes) -> tuple[int, ...]:
    """(months, days, nanoseconds) of an INTERVAL."""
    months, days, millis = (int(one) for one in np.frombuffer(raw, "<u4"))
    return months, days, millis * 10**6


def shown(value: Value) -> str:
    """A value as short text."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _shown_instant(value: Value) -> str:
    """Nanoseconds since 1970 as a date and a time, where they are a number."""
    if not isinstance(value, int):
        return shown(value)
    fits = -(2**63) < value < 2**63
    return str(np.datetime64(value, "ns") if fits else np.datetime64(value // 1000, "us"))


def _all_values(column: pa.ChunkedArray) -> Iterator[Value]:
    for chunk in column.chunks:
        for start in range(0, len(chunk), 1 << 16):
            yield from values(chunk.slice(start, 1 << 16))


def values(array: pa.Array) -> Sequence[Value]:
    """The values of an array in the form that is compared."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return values(array.storage)
    if pa.types.is_dictionary(kind):
        return values(array.dictionary_decode())
    if pa.types.is_struct(kind):
        return _tuples(array)
    if pa.types.is_map(kind) or _is_list(kind):
        return _lists(array)
    if pa.types.is_temporal(kind):
        return _instants(array)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return list(array.cast(pa.large_binary()).to_pylist())
    if str(kind) in ("string_view", "binary_view"):
        return values(array.cast(pa.string() if str(kind) == "string_view" else pa.binary()))
    if pa.types.is_decimal(kind) or pa.types.is_primitive(kind) or pa.types.is_null(kind):
        return [_number(one) for one in array.to_pylist()]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return list(array.to_pylist())
    raise NotComparedError(f"a column comes as {kind}, which is not compared")


def _number(value: Any) -> Value:
    return float(value) if isinstance(value, np.floating) else value


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _tuples(array: pa.StructArray) -> list[Value]:
    """The rows of structs: tuples of their fields' values, in the order of the fields."""
    parts = [values(part) for part in array.flatten()]
    valid = array.is_valid().to_pylist()
    if not parts:
        return [() if one else None for one in valid]
    return [row if one else None for row, one in zip(zip(*parts, strict=True), valid, strict=True)]


def _lists(array: pa.Array) -> list[Value]:
    """The rows of lists, and of maps as lists of (key, value)."""
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.large_list(array.type.value_type))
    valid = array.is_valid().to_pylist()
    offsets = array.offsets.to_pylist()
    low, high = (offsets[0], offsets[-1]) if len(offsets) else (0, 0)
    if pa.types.is_map(array.type):
        keys, items = (values(one.slice(low, high - low)) for one in (array.keys, array.items))
        inner: Sequence[Value] = list(zip(keys, items, strict=True))
    else:
        inner = values(array.values.slice(low, high - low))
    return [list(inner[offsets[i] - low : offsets[i + 1] - low]) if one else None for i, one in enumerate(valid)]


def _instants(array: pa.Array) -> list[Value]:
    """Dates, times, instants and durations as nanoseconds; intervals as (months, days, nanoseconds)."""
    kind = array.type
    if str(kind) == "month_day_nano_interval":
        return [None if one is None else tuple(one) for one in array.to_pylist()]
    if str(kind) == "day_time_interval":
        raw = np.frombuffer(array.buffers()[1], "<i4").reshape(-1, 2)[array.offset :]
        return [
            (0, int(days), int(millis) * 10**6) if one else None
            for (days, millis), one in zip(raw, array.is_valid().to_pylist(), strict=False)
        ]
    narrow = pa.types.is_date32(kind) or pa.types.is_time32(kind)
    if pa.types.is_date32(kind):
        factor = _DAY
    elif pa.types.is_date64(kind):
        factor = 10**6
    else:
        factor = _NANOSECONDS[kind.unit]
    counts = array.view(pa.int32() if narrow else pa.int64()).to_pylist()
    return [None if one is None else one * factor for one in counts]
