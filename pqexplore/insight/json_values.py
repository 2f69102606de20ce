"""Values as JSON has them: those of the engine (`plain`), and Arrow's: records of a table for JSON Lines, CSV and a terminal.

Numbers and truth values stay. Dates, times and decimals become text, as Arrow writes them; bytes become `{"hex": …}`,
NaN and infinities text; structs and maps become objects (a map whose keys are not text becomes a list of pairs).
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import math
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.span import Span

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

HEX_BYTES = 4096
"""Bytes of one value that are written. A longer value has its first bytes and its length."""

VARIANT = "\0variant"
"""The only field of a struct that has the JSON text of a Variant."""


def json_values(array: pa.Array) -> list[Json]:
    """The values of an array, of any type that `ParquetFile.read` gives. UsageError if they are nested too deeply."""
    try:
        return _values(array)
    except RecursionError:
        raise UsageError("the values are nested too deeply for JSON") from None


def _values(array: pa.Array) -> list[Json]:
    if array.null_count == len(array):
        return [None] * len(array)
    found = _of_type(array)
    if array.null_count:
        valid = array.is_valid().to_pylist()
        return [one if there else None for one, there in zip(found, valid, strict=True)]
    return found


def _of_type(array: pa.Array) -> list[Json]:
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return _values(array.storage)
    if pa.types.is_struct(kind):
        return _structs(array)
    if pa.types.is_map(kind):
        keys, items = _entries(array, array.keys), _entries(array, array.items)
        return [_map(*pair) for pair in zip(keys, items, strict=True)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return list(_entries(array, array.values))
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return _list(array.cast(pa.string()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return [
            None if one is None else one.decode("utf-8", "backslashreplace")
            for one in array.cast(pa.large_binary() if pa.types.is_large_string(kind) else pa.binary()).to_pylist()
        ]
    if pa.types.is_floating(kind):
        # older versions of pyarrow do not cast float16
        return [one if one is None else plain(float(one)) for one in array.to_pylist()]
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return _list(array)
    return [plain(one) for one in array.to_pylist()]


def _list(array: pa.Array) -> list[Json]:
    found: list[Json] = array.to_pylist()
    return found


def _structs(array: pa.Array) -> list[Json]:
    names = [field.name for field in array.type]
    columns = [_values(array.field(i)) for i in range(len(names))]
    if names == [VARIANT]:
        return [_variant(text) for text in columns[0]]
    if not names:
        return [{} for _ in range(len(array))]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _variant(text: Json) -> Json:
    """The value of a JSON text; the text itself if it is none: a file may have such a field, too."""
    try:
        found: Json = json.loads(str(text))
    except ValueError:
        return text
    return found


def _entries(array: pa.Array, values: pa.Array) -> list[list[Json]]:
    """The entries of each list or map."""
    offsets: list[int] = array.offsets.to_pylist()
    start, stop = offsets[0], offsets[-1]
    found = _values(values[start:stop])
    return [found[low - start : high - start] for low, high in itertools.pairwise(offsets)]


def _map(keys: list[Json], items: list[Json]) -> Json:
    if all(isinstance(key, str) for key in keys) and len({*map(str, keys)}) == len(keys):
        return {str(key): item for key, item in zip(keys, items, strict=True)}
    return [[key, item] for key, item in zip(keys, items, strict=True)]


def compact(value: Any) -> str:
    """The JSON text of a value, without spaces and on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def plain(value: Any) -> Any:
    """A value of the engine in JSON's types."""
    if isinstance(value, enum.IntEnum):
        return value.name
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(bytes(value))
    if isinstance(value, Span):
        return {"start": value.start, "end": value.end, "space": value.space}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, structs.Struct):
        return {
            field.name: _of_field(field, getattr(value, field.name))
            for field in value.FIELDS
            if getattr(value, field.name) is not None
        }
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [plain(one) for one in value]
    return _of_python(value)


def _of_python(value: Any) -> Any:
    """A value whose type JSON has no match for, mostly as text."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, uuid.UUID, datetime.timedelta)):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return plain(str(value))


def _of_field(field: structs.Field, value: Any) -> Any:
    """The value of a field of a struct; a number of an enum by its name."""
    if field.enum is None:
        return plain(value)
    if isinstance(value, int):
        return structs.enum_name(field.enum, value)
    return [structs.enum_name(field.enum, one) for one in value]


def _bytes(data: bytes) -> dict[str, Any]:
    if len(data) <= HEX_BYTES:
        return {"hex": data.hex()}
    return {"hex": data[:HEX_BYTES].hex(), "length": len(data)}
