"""Values as short texts.

The values come from a file, so nothing here trusts them: long texts are truncated, bytes are shown in hexadecimal, and a
value that Python cannot hold says why. Control characters stay: the view makes them visible.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.value_text import explain_value
from pqexplore.engine.text import middle

LIMIT = 2_000
"""Characters of one shown value."""

BYTES = 32
"""Bytes of a binary value that are shown."""

ITEMS = 40
"""Items of a shown list or struct."""

VALUE = 200
"""Characters of one value of a column that are shown."""

WHOLE = 4_096
"""Bytes of a value that are formatted. Of a longer value, the first."""

Shown = dict[str, Any]


def shorten(text: str, limit: int = LIMIT) -> str:
    """`text`; if it is longer than `limit` characters, its beginning and its length."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text):,} characters)"


def shorten_name(name: str, limit: int) -> str:
    """A dotted name of at most so many characters: its beginning and its leaf, which is whole unless it alone is too long."""
    if len(name) <= limit:
        return name
    leaf = name[name.rfind(".", 0, -1) + 1 :]
    room = limit - len(leaf) - 2
    return middle(name, limit) if room < 1 else f"{name[:room]}….{leaf}"


def hexadecimal(data: bytes | bytearray | memoryview, limit: int = BYTES) -> str:
    """Bytes as pairs of hex digits; if there are more than `limit`, the first and their number."""
    head = bytes(data[:limit]).hex(" ")
    return head if len(data) <= limit else f"{head} … ({len(data):,} bytes)"


def characters(data: bytes, limit: int = BYTES) -> str:
    """The first bytes as ASCII characters, a dot for each of the others."""
    return "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in data[:limit])


def value_texts(leaf: Leaf, physical: Any, limit: int = VALUE) -> dict[str, str]:
    """A value as texts: `logical`, `python`, `physical`, `hex`, `text` (of bytes), `note`, and its `type`.

    `physical` is the stored value, None for null. Long texts are truncated and end with their length. `note` says what
    is odd, and whether a timestamp is an instant.
    """
    whole = len(physical) if isinstance(physical, bytes) else 0
    cut = physical[:WHOLE] if whole > WHOLE else physical
    value = explain_value(leaf, cut)
    raw = bytes.fromhex(value["hex"])
    logical, note = shorten(value["logical"], limit), value["note"]
    if whole > WHOLE:
        logical = f"{value['logical'][:limit]}… ({whole:,} bytes)"
        note = f"the first {WHOLE:,} of {whole:,} bytes"
    hexed = hexadecimal(raw)
    if whole > BYTES:
        hexed = f"{raw[:BYTES].hex(' ')} … ({whole:,} bytes)"
    stored = hexed if isinstance(physical, bytes) else str(physical)
    python = value["python"]
    spelt = repr(python[:limit] if isinstance(python, (bytes, str)) else python)
    if isinstance(python, (bytes, str)) and len(python) > limit:
        spelt += f"… ({whole or len(python):,} {'bytes' if isinstance(python, bytes) else 'characters'})"
    return {
        "type": value["type"],
        "logical": "null" if physical is None else logical,
        "python": shorten(spelt, limit + 40),
        "physical": shorten(stored, limit),
        "hex": hexed,
        "text": characters(raw) if isinstance(physical, bytes) else "",
        "note": note,
    }


def inline(value: Any, limit: int = LIMIT) -> str:
    """One value as one line of text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return shorten(value, limit)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return hexadecimal(value)
    if isinstance(value, int):
        return shorten(str(value), limit) if value.bit_length() < 4_000 else "a very long number"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    if isinstance(value, pa.Scalar):
        return _scalar(value, limit)
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return inline(value.item(), limit)
    if isinstance(value, Mapping):
        parts = [f"{inline(k, 80)}: {inline(v, 200)}" for k, v in list(value.items())[:ITEMS]]
        return shorten("{" + ", ".join(parts) + _rest(len(value)) + "}", limit)
    if isinstance(value, Sequence) or hasattr(value, "tolist"):
        parts = [inline(item, 200) for item in value[:ITEMS]]
        return shorten("[" + ", ".join(parts) + _rest(len(value)) + "]", limit)
    return shorten(str(value), limit)


def show(value: Any, limit: int = LIMIT) -> Shown:
    """A value for the view: its `text`, and its `type` for the layout.

    Types: none, boolean, number, text, bytes, list. Integers have separators between thousands.
    """
    if isinstance(value, pa.Scalar):
        return {"text": inline(value, limit), "type": _scalar_type(value)}
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if value is None:
        return {"text": "absent", "type": "none"}
    if isinstance(value, bool):
        return {"text": inline(value), "type": "boolean"}
    if isinstance(value, int):
        name = getattr(value, "name", None)  # an IntEnum reads better by its name
        if isinstance(name, str):
            return {"text": name, "type": "text"}
        return {"text": f"{value:,}" if value.bit_length() < 200 else inline(value), "type": "number"}
    if isinstance(value, (float, decimal.Decimal)):
        return {"text": inline(value, limit), "type": "number"}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"text": inline(value, limit), "type": "bytes"}
    if isinstance(value, str):
        return {"text": shorten(value, limit) if value else "empty text", "type": "text" if value else "none"}
    kind = "list" if isinstance(value, (Mapping, Sequence)) else "text"
    return {"text": inline(value, limit), "type": kind}


def texts(array: pa.Array, limit: int = 200) -> list[str | None]:
    """The values of an Arrow array as texts, None for null. A value that Python cannot hold shows its stored number."""
    kind = array.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return [None if v is None else inline(v, limit) for v in array.to_pylist()]
    if pa.types.is_timestamp(kind):  # all at once takes a twentieth of the time, if all have a text
        with contextlib.suppress(pa.ArrowException):
            whole: list[str | None] = array.cast(pa.string()).to_pylist()
            return whole
    if pa.types.is_string(kind):
        with contextlib.suppress(UnicodeDecodeError):
            return [None if v is None else shorten(v, limit) for v in array.to_pylist()]
    return [inline(v, limit) if v.is_valid else None for v in array]


def _scalar(value: pa.Scalar, limit: int) -> str:
    if not value.is_valid:
        return "null"
    kind = value.type
    try:
        if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind):
            return str(value.cast(pa.string()).as_py())
        if pa.types.is_floating(kind):
            return _float(value.as_py(), kind)
        return inline(value.as_py(), limit)
    except (ValueError, OverflowError, pa.ArrowException):
        stored = getattr(value, "value", None)
        return f"{stored} (outside the years that can be written as a date)"


def _scalar_type(value: pa.Scalar) -> str:
    kind = value.type
    if not value.is_valid:
        return "none"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return "bytes"
    return "list" if pa.types.is_nested(kind) else "text"


def _float(value: float, kind: Any = None) -> str:
    if math.isnan(value):
        return "NaN"
    if kind is not None and pa.types.is_float32(kind):
        return str(np.float32(value))
    if kind is not None and pa.types.is_float16(kind):
        return str(np.float16(value))
    return repr(value)


def _rest(length: int) -> str:
    return f", … {length:,} in all" if length > ITEMS else ""
