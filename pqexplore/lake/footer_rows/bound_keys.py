"""Converts bounds of many chunks at once to keys that compare, and to readable text.

`ordering.order_key` defines the key of one value. Here the same keys are computed for a list of bounds, grouped by kind:
numbers of four and eight bytes become keys and text in numpy and Arrow, a column at a time; the engine converts other
types one by one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.ordering import Order, is_nan, order_key
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.types import arrow_type
from pqexplore.engine.format.value_text import format_value, physical_value, plain_length
from pqexplore.engine.text import clip

KEY_BYTES = 256
"""Max bytes of a key. A longer lower bound is truncated; a truncated upper bound has its last byte incremented."""
TEXT = 64
"""Max characters of a bound's text."""

OK, NAN, DAMAGED = 0, 1, 2
"""States of a bound: it has a key; it is a NaN, which has no order; its bytes are not a value."""

_NUMBERS: dict[int, str] = {Type.INT32: "<u4", Type.INT64: "<u8", Type.FLOAT: "<u4", Type.DOUBLE: "<u8"}
_STRINGS = frozenset(("STRING", "ENUM", "JSON"))


@dataclasses.dataclass(frozen=True, eq=False)
class KeyKind:
    """Type and order of bounds. All columns of the same type and order share one object, across files.

    `leaf` is one of these columns.
    """

    physical: int
    length: int | None
    order: Order
    meaning: tuple[Any, ...]
    leaf: Leaf

    @classmethod
    def of(cls, leaf: Leaf, order: Order) -> KeyKind:
        """The kind of a leaf's bounds under an order."""
        found = annotation(leaf)
        unit = (found.unit, found.utc, found.bit_width, found.signed)
        meaning = (found.name, *unit, found.scale, found.precision, found.problem is None)
        key = (leaf.physical_type, plain_length(leaf), order, meaning)
        if len(_kinds) > MOST_KINDS:
            _kinds.clear()
        return _kinds.setdefault(key, cls(*key, leaf))


MOST_KINDS = 10_000
"""Max kinds in the cache."""
_kinds: dict[tuple[Any, ...], KeyKind] = {}


def convert(
    kinds: Sequence[KeyKind | None], raws: Sequence[bytes | None], *, upper: bool
) -> tuple[Any, Any, npt.NDArray[np.uint8]]:
    """Keys (binary), texts (string) and states of bounds in PLAIN bytes; null for an absent bound.

    `upper` is whether they are upper bounds, which matters for truncated keys.
    """
    count = len(raws)
    groups: dict[KeyKind, list[int]] = {}
    for place, (kind, raw) in enumerate(zip(kinds, raws, strict=True)):
        if raw is not None and kind is not None:
            groups.setdefault(kind, []).append(place)
    states: npt.NDArray[np.uint8] = np.zeros(count, np.uint8)
    positions: npt.NDArray[np.int64] = np.full(count, -1, np.int64)
    keys, texts, done = [pa.array([], pa.binary())], [pa.array([], pa.string())], 0
    for kind, where in groups.items():
        key, text, state = _of_kind(kind, [raws[place] for place in where], upper)  # type: ignore[misc]
        keys.append(key)
        texts.append(text)
        states[where] = state
        positions[where] = np.arange(done, done + len(where))
        done += len(where)
    take = pa.array(positions, mask=positions < 0)
    return pa.concat_arrays(keys).take(take), pa.concat_arrays(texts).take(take), states


def _of_kind(kind: KeyKind, raws: list[bytes], upper: bool) -> tuple[Any, Any, Any]:
    number = _NUMBERS.get(kind.physical)
    if number is not None and all(len(raw) == kind.length for raw in raws):
        bits = np.frombuffer(b"".join(raws), number)
        made = _number_keys(kind, bits)
        if made is not None:
            text = _number_texts(kind, bits)
            if text is None:
                text = pa.array([_text(kind, raw) for raw in raws], pa.string())
            return made[0], text, made[1]
    found = [_one(kind, raw, upper) for raw in raws]
    return (
        pa.array([key for key, _ in found], pa.binary()),
        pa.array([_text(kind, raw) for raw in raws], pa.string()),
        np.array([state for _, state in found], np.uint8),
    )


def _number_keys(kind: KeyKind, bits: npt.NDArray[Any]) -> tuple[Any, Any] | None:
    """Keys of whole numbers and of floating point numbers, as `ordering` defines them; None for other orders."""
    width = bits.dtype.itemsize
    top = bits.dtype.type(1 << (8 * width - 1))
    nan: npt.NDArray[np.bool_] = np.zeros(len(bits), np.bool_)
    if kind.order is Order.SIGNED:
        keys = bits ^ top
    elif kind.order is Order.UNSIGNED:
        keys = bits
    elif kind.order in (Order.FLOAT, Order.TOTAL):
        magnitude = bits & ~top
        negative = (bits & top) != 0
        if kind.order is Order.FLOAT:
            infinity = 0x7F800000 if width == 4 else 0x7FF0000000000000
            nan = magnitude > infinity
            negative &= magnitude != 0
        keys = np.where(negative, top - bits.dtype.type(1) - magnitude, magnitude | top)
    else:
        return None
    stored = pa.py_buffer(keys.astype(f">u{width}").tobytes())
    fixed = pa.Array.from_buffers(pa.binary(width), len(bits), [None, stored])
    found = fixed.cast(pa.binary())
    if nan.any():
        found = pc.if_else(pa.array(nan), pa.scalar(None, pa.binary()), found)
    return found, nan.astype(np.uint8) * NAN


def _number_texts(kind: KeyKind, bits: npt.NDArray[Any]) -> Any:
    """Arrow's text of these numbers; None if their type has no such text."""
    try:
        type = arrow_type(kind.leaf)
        if pa.types.is_decimal(type) or pa.types.is_null(type) or type.bit_width != bits.itemsize * 8:
            return None
        made = pa.Array.from_buffers(type, len(bits), [None, pa.py_buffer(bits.tobytes())])
        return made.cast(pa.string())
    except (ParquetError, pa.ArrowException, ValueError):
        return None


def _text(kind: KeyKind, raw: bytes) -> str | None:
    if kind.meaning[0] in _STRINGS:
        text = raw[: 4 * TEXT + 4].decode(errors="replace")
    else:
        try:
            text = format_value(kind.leaf, physical_value(kind.leaf, raw[: 4 * TEXT] if kind.length is None else raw))
        except ParquetError:
            text = "0x" + raw[:TEXT].hex()
    return clip(text, TEXT)


def _one(kind: KeyKind, raw: bytes, upper: bool) -> tuple[bytes | None, int]:
    """Key and state of one bound."""
    short = kind.order in (Order.BYTES, Order.NONE) and kind.physical == Type.FIXED_LEN_BYTE_ARRAY
    if kind.length not in (None, len(raw)) and not (short and len(raw) < (kind.length or 0)):
        return None, DAMAGED
    if kind.order is Order.NONE:
        return None, OK
    try:
        key = order_key(kind.leaf, raw, kind.order)
    except ParquetError:
        return None, DAMAGED
    if key is None:
        return None, NAN if is_nan(kind.leaf, raw) else OK
    return clipped(key, upper=upper), OK


def clipped(key: bytes, *, upper: bool) -> bytes | None:
    """A key of at most `KEY_BYTES` that is still a bound; None if there is no such upper bound."""
    if len(key) <= KEY_BYTES:
        return key
    if not upper:
        return key[:KEY_BYTES]
    head = key[:KEY_BYTES].rstrip(b"\xff")
    return head[:-1] + bytes([head[-1] + 1]) if head else None
