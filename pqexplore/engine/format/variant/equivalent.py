"""Variants as texts that are equal if the values are: whichever way they are encoded.

Physical types of one equivalence class have the same values: an int8 1, an int32 1 and a decimal16 1.00 are the same
number, a short string is a string, and microseconds are nanoseconds. A double is no exact number, and a float no double.
The names of an object have no order.

Specification: "Encoding types" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.format.variant import encode as variant_encode
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.json_text import json_scalar, json_text
from pqexplore.engine.format.variant.variant_types import Temporal


def equivalents(array: pa.StructArray) -> pa.Array:
    """The texts of a column of unshredded Variants as `large_string`, None for null rows. Raises as `decode_array` does."""
    values = decode_array(array)
    valid = array.is_valid().to_pylist()
    texts = [json_text(v, _scalar) if ok else None for v, ok in zip(values, valid, strict=True)]
    return pa.array(texts, pa.large_string())


def _scalar(value: Any) -> str:
    """A primitive as JSON if it has a type of JSON, else with the name of its class."""
    if value is None or isinstance(value, bool | str | int | decimal.Decimal):
        return json_scalar(value)
    if isinstance(value, np.floating):
        return f"float {float(value) or 0.0!r}"
    if isinstance(value, float):
        return f"double {value or 0.0!r}"
    if isinstance(value, datetime.datetime):
        kind = variant_types.TIMESTAMP if value.tzinfo else variant_types.TIMESTAMP_NTZ
        value = Temporal(kind, variant_encode.ticks(kind, value))
    if isinstance(value, Temporal):
        return f"{variant_types.PRIMITIVES[value.type_id].equivalence} {value}"
    return f"{type(value).__name__} {json_scalar(value)}"
