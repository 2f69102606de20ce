"""Proposes a shredding schema for a column of Variants.

A field gets a column of its own if enough of the objects have it, and a type if most of its values have this type: the
other values stay in `value`, a column that is then rarely read.

Specification: https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.limits import DEFAULT, Limits


@dataclass(slots=True)
class _PathValues:
    """The values at one path, and the indexes of the paths below."""

    values: list[Any]
    depth: int
    kind: Any = None
    fields: dict[str, int] = field(default_factory=dict)
    element: int = -1


_TYPES: dict[Any, pa.DataType] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    np.float32: pa.float32(),
    str: pa.string(),
    bytes: pa.binary(),
    uuid.UUID: pa.binary(16),
    datetime.date: pa.date32(),
    datetime.time: pa.time64("us"),
    variant_types.TIMESTAMP: pa.timestamp("us", "UTC"),
    variant_types.TIMESTAMP_NTZ: pa.timestamp("us"),
    variant_types.TIMESTAMP_NANOS: pa.timestamp("ns", "UTC"),
    variant_types.TIMESTAMP_NTZ_NANOS: pa.timestamp("ns"),
}


def propose_schema(
    array: pa.StructArray,
    *,
    rows: int = 4_096,
    share: float = 0.1,
    agreement: float = 0.5,
    max_fields: int = 300,
    max_depth: int = 16,
    limits: Limits = DEFAULT,
) -> pa.DataType:
    """An Arrow type for `shred.shred`, from the first `rows` of a column `struct<metadata, value>`.

    A field is shredded if at least `share` of its parent objects have it, as the type of at least `agreement` of its
    values that are not null. Of an object the `max_fields` most frequent fields are used, down to `max_depth` levels.
    The null type means that shredding has no use. Raises as `decode.decode` does.
    """
    sample = decode_array(array.slice(0, rows), limits=limits)
    paths = [_PathValues(sample, 0)]
    at = 0
    while at < len(paths):
        _choose(paths, paths[at], share, agreement, max_fields, max_depth)
        at += 1
    chosen: list[pa.DataType] = [pa.null()] * len(paths)
    for at in range(len(paths) - 1, -1, -1):
        path = paths[at]
        if path.kind is dict:
            if path.fields:
                chosen[at] = pa.struct([pa.field(n, chosen[i]) for n, i in path.fields.items()])
        elif path.kind is list:
            chosen[at] = pa.list_(chosen[path.element])
        elif isinstance(path.kind, tuple):
            chosen[at] = _decimal(path.values, path.kind[1])
        else:
            chosen[at] = _TYPES.get(path.kind, pa.null())
    return chosen[0]


def _names(objects: list[dict[str, Any]], share: float, max_fields: int) -> list[str]:
    """The fields that a share of objects has, the most frequent ones, by name."""
    often = Counter(name for value in objects for name in value).most_common(max_fields)
    return sorted(name for name, n in often if n >= share * len(objects))


def _choose(
    paths: list[_PathValues], path: _PathValues, share: float, agreement: float, max_fields: int, max_depth: int
) -> None:
    """Choose the type for a path and add the paths below it."""
    present = [value for value in path.values if value is not None]
    if not present:
        return
    kind, count = Counter(map(_class, present)).most_common(1)[0]
    if count < agreement * len(present):
        return
    if kind in (dict, list) and path.depth >= max_depth:
        return
    path.kind = kind
    if kind is dict:
        objects = [value for value in present if isinstance(value, dict)]
        for name in _names(objects, share, max_fields):
            path.fields[name] = len(paths)
            below = [value[name] for value in objects if name in value]
            paths.append(_PathValues(below, path.depth + 1))
    elif kind is list:
        path.element = len(paths)
        below = [item for value in present if isinstance(value, list) for item in value]
        paths.append(_PathValues(below, path.depth + 1))


def _class(value: Any) -> Any:
    """The key that values of one column share: their type, with the scale of a decimal."""
    if isinstance(value, decimal.Decimal):
        return (decimal.Decimal, -int(value.as_tuple().exponent))
    if isinstance(value, datetime.datetime):
        return variant_types.TIMESTAMP if value.tzinfo else variant_types.TIMESTAMP_NTZ
    return value.type_id if isinstance(value, variant_types.Temporal) else type(value)


def _decimal(values: list[Any], scale: int) -> pa.DataType:
    digits = max(
        (
            len(value.as_tuple().digits)
            for value in values
            if isinstance(value, decimal.Decimal) and -int(value.as_tuple().exponent) == scale
        ),
        default=1,
    )
    # A decimal16 can hold 39 digits, which no decimal column can: such values stay in `value`.
    precision = next((widest for widest in (9, 18, 38) if max(digits, scale) <= widest), 38)
    return pa.decimal128(precision, scale)
