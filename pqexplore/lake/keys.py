"""Bounds of many chunks at once: as keys that compare, and as text for people.

`ordering.order_key` says what the key of one value is. Here are the same keys for a list of bounds, which are put
together by kind first: the four and eight bytes of numbers become keys, and text, in numpy and Arrow, a column at a
time; what is rare goes through the engine, one by one.
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
from pqexplore.engine.logical import annotation
from pqexplore.engine.ordering import Order, is_nan, order_key
from pqexplore.engine.schema import Leaf
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.types import arrow_type
from pqexplore.engine.values import format_value, physical_value, plain_length

KEY_BYTES = 256
"""Longest key that is kept. A lower bound may be cut off; of an upper bound the last byte is then counted up."""
TEXT = 64
"""Characters of a bound that people are shown."""

OK, NAN, DAMAGED = 0, 1, 2
"""What may be said of a bound: that it has a key, that it is a NaN without a place, that its bytes are no value."""

_NUMBERS: dict[int, str] = {
    Type.INT32: "<u4",
    Type.INT64: "<u8",
    Type.FLOAT: "<u4",
    Type.DOUBLE: "<u8",
}
_STRINGS = frozenset(("STRING", "ENUM", "JSON"))


@dataclasses.dataclass(frozen=True, eq=False)
class Kind:
    """What decides how bounds are read. There is one object for all columns of a type and order, in whatever file.

    `leaf` is one of these columns.
    """

    physical: int
    length: int | None
    order: Order
    meaning: tuple[Any, ...]
    leaf: Leaf

    @classmethod
    def of(cls, leaf: Leaf, order: Order) -> Kind:
        """The kind of a leaf's bounds under an order."""
        found = annotation(leaf)
        unit = (found.unit, found.utc, found.bit_width, found.signed)
        meaning = (found.name, *unit, found.scale, found.precision, found.problem is None)
        key = (leaf.physical_type, plain_length(leaf), order, meaning)
        if len(_kinds) > MOST_KINDS:
            _kinds.clear()
        return _kinds.setdefault(key, cls(*key, leaf))


MOST_KINDS = 10_000
"""Kinds that are remembered."""
_kinds: dict[tuple[Any, ...], Kind] = {}


def convert(
    kinds: Sequence[Kind | None], raws: Sequence[bytes | None], *, upper: bool
) -> tuple[Any, Any, npt.NDArray[np.uint8]]:
    """Keys (binary), texts (string) and states of bounds given as PLAIN bytes; null where there is no bound.

    `upper` is whether they are upper bounds, which matters for keys that are cut off.
    """
    count = len(raws)
    groups: dict[Kind, list[int]] = {}
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


def _of_kind(kind: Kind, raws: list[bytes], upper: bool) -> tuple[Any, Any, Any]:
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


def _number_keys(kind: Kind, bits: npt.NDArray[Any]) -> tuple[Any, Any] | None:
    """Keys of whole numbers and of floating point numbers, as `ordering` defines them; None for other orders."""
    width = bits.dtype.itemsize
    top = bits.dtype.type(1 << (8 * width - 1))
    nan: npt.NDArray[np.bool_] = np.zeros(len(bits), np.bool_)
    if kind.order in (Order.SIGNED, Order.DECIMAL):
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


def _number_texts(kind: Kind, bits: npt.NDArray[Any]) -> Any:
    """What Arrow writes for these numbers; None where their type has no such text."""
    try:
        type = arrow_type(kind.leaf)
        if (
            pa.types.is_decimal(type)
            or pa.types.is_null(type)
            or type.bit_width != bits.itemsize * 8
        ):
            return None
        made = pa.Array.from_buffers(type, len(bits), [None, pa.py_buffer(bits.tobytes())])
        return made.cast(pa.string())
    except (ParquetError, pa.ArrowException, ValueError):
        return None


def _text(kind: Kind, raw: bytes) -> str | None:
    if kind.meaning[0] in _STRINGS:
        text = raw[: 4 * TEXT + 4].decode(errors="replace")
    else:
        try:
            text = format_value(
                kind.leaf,
                physical_value(kind.leaf, raw[: 4 * TEXT] if kind.length is None else raw),
            )
        except ParquetError:
            text = "0x" + raw[:TEXT].hex()
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def _one(kind: Kind, raw: bytes, upper: bool) -> tuple[bytes | None, int]:
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
    """A key of at most `KEY_BYTES`, which still bounds what the whole one did; None where no such upper bound is."""
    if len(key) <= KEY_BYTES:
        return key
    if not upper:
        return key[:KEY_BYTES]
    head = key[:KEY_BYTES].rstrip(b"\xff")
    return head[:-1] + bytes([head[-1] + 1]) if head else None
