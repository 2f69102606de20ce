"""Variant values as JSON text, and back.

JSON has fewer types than a Variant. Text is written as Spark's `to_json` writes it: decimals without trailing zeros,
large and small doubles as `1.0E16`, dates and times as strings (`2025-04-16 12:34:56.78+00:00`), binary in base64, NaN
and infinities as strings. In addition, characters that cannot be seen are escaped. Text is read as Spark's `parse_json`
reads it: integers in the narrowest type, numbers with a fraction as decimals, or as doubles if they have an exponent or
too many digits.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.variant import encode as variant_encode
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.decode import decode
from pqexplore.engine.format.variant.metadata import Metadata
from pqexplore.engine.format.variant.variant_types import Temporal, Unsupported
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.text import json_string


def to_json(metadata: bytes | memoryview | Metadata, value: bytes | memoryview, *, limits: Limits = DEFAULT) -> str:
    """One Variant as JSON text; raises as `decode.decode` does."""
    return json_text(decode(metadata, value, limits=limits))


def json_text(value: Any, scalar: Callable[[Any], str] | None = None) -> str:
    """JSON text of a value that `decode.decode` returned; `scalar` writes what is no object and no array."""
    scalar = scalar or json_scalar
    out: list[str] = []
    stack: list[tuple[Iterator[Any], bool, str]] = []
    item = value
    while True:
        if isinstance(item, dict | list):
            is_object = isinstance(item, dict)
            out.append("{" if is_object else "[")
            pairs = iter(item.items()) if isinstance(item, dict) else iter(item)
            stack.append((pairs, is_object, ""))
        else:
            out.append(scalar(item))
        while stack:
            pairs, is_object, comma = stack[-1]
            following = next(pairs, _END)
            if following is not _END:
                break
            out.append("}" if is_object else "]")
            stack.pop()
        else:
            return "".join(out)
        out.append(comma)
        stack[-1] = (pairs, is_object, ",")
        if is_object:
            key, item = following
            out.append(json_string(key) + ":")
        else:
            item = following


_END: Any = object()


def json_scalar(value: Any) -> str:
    """JSON text of a value that is no object and no array."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json_string(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | np.floating):
        if math.isfinite(value):
            return _real(value)
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f'"{name}"'
    if isinstance(value, decimal.Decimal):
        text = f"{value:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, bytes):
        return f'"{base64.b64encode(value).decode()}"'
    if isinstance(value, datetime.datetime):
        whole = Temporal(
            variant_types.TIMESTAMP if value.tzinfo else variant_types.TIMESTAMP_NTZ,
            variant_encode.ticks(variant_types.TIMESTAMP, value),
        )
        return f'"{whole}"'
    if isinstance(value, datetime.time):
        return f'"{Temporal(variant_types.TIME, variant_encode.ticks(variant_types.TIME, value))}"'
    if isinstance(value, datetime.date | uuid.UUID | Temporal):
        return f'"{value}"'
    if isinstance(value, Unsupported):
        return json_string(f"<unknown Variant type {value.type_id}: {value.data.hex()}>")
    raise UsageError(f"a {type(value).__name__} is no Variant value")


def _real(value: float | np.floating) -> str:
    """A finite number with the fewest digits that identify it among those of its width, as Java writes it."""
    text = np.format_float_scientific(value, unique=True, trim="0")
    mantissa, exponent = text.split("e")
    power = int(exponent)
    if value == 0 or -3 <= power < 7:
        return str(np.format_float_positional(value, unique=True, trim="0"))
    return f"{mantissa}E{power}"


def from_json(
    text: str | bytes, metadata: bytes | Metadata | None = None, *, limits: Limits = DEFAULT
) -> tuple[bytes, bytes]:
    """Metadata and value of the Variant for a JSON text.

    Raises UsageError for text that is not JSON and for objects that repeat a name.
    """
    return variant_encode.encode(parse_json(text), metadata, limits=limits)


def parse_json(text: str | bytes) -> Any:
    """A JSON text as Python values that `encode.encode` takes; numbers become int, Decimal or float."""
    try:
        return json.loads(
            text, parse_float=_number, parse_int=_whole, parse_constant=_constant, object_pairs_hook=_pairs
        )
    except RecursionError:
        raise UsageError("the JSON text is nested too deeply") from None
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from None


def _number(text: str) -> decimal.Decimal | float:
    """A decimal if the text has no exponent and fits a Variant decimal, else a double."""
    if "e" not in text and "E" not in text:
        value = decimal.Decimal(text)
        _, digits, exponent = value.as_tuple()
        if isinstance(exponent, int) and max(len(digits), -exponent) <= variant_types.MAX_SCALE:
            return value
    return float(text)


def _whole(text: str) -> int | float:
    return int(text) if len(text.lstrip("-")) <= variant_types.MAX_SCALE else float(text)


def _constant(text: str) -> Any:
    raise UsageError(f"not JSON: {text} is no number of JSON")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        again = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        raise UsageError(f"a JSON object has the name {again!r} twice")
    return fields
