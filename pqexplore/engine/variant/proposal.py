"""A shredding schema that suits a column of Variants.

A field earns a column of its own when enough of the objects have it, and a type when one type is what it mostly holds:
the other values stay in `value`, which costs a column that is rarely read.
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

from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.variant import types
from pqexplore.engine.variant.decode import decode_array


@dataclass(slots=True)
class _Place:
    """The values seen at one place, and the places below."""

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
    types.TIMESTAMP: pa.timestamp("us", "UTC"),
    types.TIMESTAMP_NTZ: pa.timestamp("us"),
    types.TIMESTAMP_NANOS: pa.timestamp("ns", "UTC"),
    types.TIMESTAMP_NTZ_NANOS: pa.timestamp("ns"),
}


def propose_schema(
    array: pa.StructArray,
    *,
    rows: int = 4_096,
    share: float = 0.1,
    agreement: float = 0.5,
    most_fields: int = 300,
    most_depth: int = 16,
    limits: Limits = DEFAULT,
) -> pa.DataType:
    """An Arrow type for `shred.shred`, from the first `rows` of a column `struct<metadata, value>`.

    A field is shredded where at least `share` of the objects around it have it, as the type of at least `agreement`
    of its values that are not null; the most frequent `most_fields` fields of an object are taken, to `most_depth`
    levels. The null type says that nothing is gained. Raises as `decode.decode` does.
    """
    sample = decode_array(array.slice(0, rows), limits=limits)
    places = [_Place(sample, 0)]
    at = 0
    while at < len(places):
        _look(places, places[at], share, agreement, most_fields, most_depth)
        at += 1
    made: list[pa.DataType] = [pa.null()] * len(places)
    for at in range(len(places) - 1, -1, -1):
        place = places[at]
        if place.kind is dict:
            if place.fields:
                made[at] = pa.struct([pa.field(n, made[i]) for n, i in place.fields.items()])
        elif place.kind is list:
            made[at] = pa.list_(made[place.element])
        elif isinstance(place.kind, tuple):
            made[at] = _decimal(place.values, place.kind[1])
        else:
            made[at] = _TYPES.get(place.kind, pa.null())
    return made[0]


def _look(
    places: list[_Place],
    place: _Place,
    share: float,
    agreement: float,
    most_fields: int,
    most_depth: int,
) -> None:
    """Choose the type of a place and add the places below it."""
    present = [value for value in place.values if value is not None]
    if not present:
        return
    kind, count = Counter(map(_class, present)).most_common(1)[0]
    if count < agreement * len(present):
        return
    if kind in (dict, list) and place.depth >= most_depth:
        return
    place.kind = kind
    if kind is dict:
        objects = [value for value in present if isinstance(value, dict)]
        often = Counter(name for value in objects for name in value).most_common(most_fields)
        for name in sorted(name for name, n in often if n >= share * len(objects)):
            place.fields[name] = len(places)
            below = [value[name] for value in objects if name in value]
            places.append(_Place(below, place.depth + 1))
    elif kind is list:
        place.element = len(places)
        below = [item for value in present if isinstance(value, list) for item in value]
        places.append(_Place(below, place.depth + 1))


def _class(value: Any) -> Any:
    """What values must have in common to share a column."""
    if isinstance(value, decimal.Decimal):
        return (decimal.Decimal, -int(value.as_tuple().exponent))
    if isinstance(value, datetime.datetime):
        return types.TIMESTAMP if value.tzinfo else types.TIMESTAMP_NTZ
    return value.type_id if isinstance(value, types.Temporal) else type(value)


def _decimal(values: list[Any], scale: int) -> pa.DataType:
    digits = max(
        (
            len(value.as_tuple().digits)
            for value in values
            if isinstance(value, decimal.Decimal) and -int(value.as_tuple().exponent) == scale
        ),
        default=1,
    )
    precision = next(most for most in (9, 18, 38) if max(digits, scale) <= most)
    return pa.decimal128(precision, scale)
