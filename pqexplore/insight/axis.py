"""One axis for all bounds of a column, so that ranges can be drawn side by side.

Numbers, dates and timestamps lie at their value. Text and bytes have an order but no distances: they lie at their rank
among the distinct bounds, and the axis says so. A bound without a place in the column's order (a NaN, a bound of the
wrong length) has no place on the axis.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import math
import re
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import types
from pqexplore.engine.format.int96 import NANOSECONDS_PER_DAY
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, declared_order, order_key, type_order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import format_value, int96_parts, physical_value, plain_length, python_value

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

TICKS = 5
"""Max ticks of an axis; round numbers may add one."""

TICK_TEXT = 18
"""Max characters of a tick."""

NANOSECONDS = re.compile(r"\.\d{6}\d*[1-9]")
"""In the text of a time: more digits than microseconds have."""

EDGE = 0.04
"""Room at either end for infinities."""

Places = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]

_DTYPES: dict[int, str] = {
    Type.BOOLEAN: "u1",
    Type.INT32: "<i4",
    Type.INT64: "<i8",
    Type.FLOAT: "<f4",
    Type.DOUBLE: "<f8",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: its place from 0 to 1, and its text."""

    at: float
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """An axis as a picture needs it; `measured` says whether distances have a meaning."""

    label: str
    measured: bool
    ticks: list[Tick]


@dataclasses.dataclass(frozen=True, slots=True)
class Axis:
    """The place of each bound on one axis.

    `place` is float64, from 0 to 1, NaN for a bound without a place. `rank` is int64, the bound's rank among the
    distinct bounds, -1 without one. `measured` says whether distances have a meaning.
    """

    label: str
    measured: bool
    place: Places
    rank: Ranks
    ticks: list[Tick]

    def scale(self) -> Scale:
        """The axis without its bounds, for a picture."""
        ticks = [Tick(round(tick.at, 6), tick.text) for tick in self.ticks]
        return Scale(self.label, self.measured, ticks)


def order_of(leaf: Leaf) -> Order:
    """The order that the file declares for a column, or else its type's."""
    return declared_order(leaf) or type_order(leaf)


def axis_of(leaf: Leaf, raws: Sequence[bytes | None], order: Order | None = None) -> Axis:
    """The axis for these bounds: PLAIN bytes, None for an absent one."""
    order = order_of(leaf) if order is None else order
    numbers = None if order in (Order.BYTES, Order.NONE) else _numbers(leaf, raws, order)
    if numbers is None:
        return _ranked(leaf, raws, order)
    values, exact = numbers
    there = ~np.isnan(values)
    rank = np.full(len(raws), -1, np.int64)
    if there.any():
        rank[there] = np.unique(exact[there], return_inverse=True)[1].reshape(-1)
    finite = values[np.isfinite(values)]
    if not len(finite):
        place = np.where(values == -np.inf, 0.0, np.where(values == np.inf, 1.0, np.nan))
        ends = [Tick(0.0, "−∞"), Tick(1.0, "+∞")] if there.any() else []
        return Axis(_label(leaf, order, True), True, place, rank, ends)
    low, high = float(finite.min()), float(finite.max())
    left = EDGE if bool((values == -np.inf).any()) else 0.0
    right = 1 - EDGE if bool((values == np.inf).any()) else 1.0

    def at(value: Any) -> Any:
        if low == high:
            return np.where(np.isfinite(value), 0.5, np.nan)
        half = high / 2 - low / 2  # a difference of doubles may overflow
        return left + (np.asarray(value) / 2 - low / 2) / half * (right - left)

    place = at(np.where(np.isfinite(values), values, low))
    place = np.where(np.isfinite(values), place, np.where(values < 0, 0.0, 1.0))
    place[np.isnan(values)] = np.nan
    ticks = [Tick(float(at(v)), _tick(leaf, order, v, high - low)) for v in _steps(leaf, low, high)]
    if left:
        ticks.insert(0, Tick(0.0, "−∞"))
    if right < 1:
        ticks.append(Tick(1.0, "+∞"))
    return Axis(_label(leaf, order, True), True, place, rank, ticks)


def text_of(leaf: Leaf, raw: bytes | None, limit: int = 60) -> str:
    """A bound as text in the column's logical type, clipped; a shortened one of fixed length as hex."""
    if raw is None:
        return "none"
    try:
        if plain_length(leaf) not in (None, len(raw)):
            shown = "0x" + raw.hex()
        else:
            shown = format_value(leaf, physical_value(leaf, raw))
    except ParquetError:
        shown = "0x" + raw.hex()
    return shown if len(shown) <= limit else f"{shown[:limit]}… ({len(shown):,} characters)"


def value_of(leaf: Leaf, raw: bytes | None) -> Any:
    """A bound as a Python object of the logical type; as text if Python has none, None if absent."""
    if raw is None:
        return None
    with contextlib.suppress(ParquetError):
        if plain_length(leaf) in (None, len(raw)):
            physical = physical_value(leaf, raw)
            value = python_value(leaf, physical)
            if isinstance(value, datetime.datetime | datetime.time):
                text = format_value(leaf, physical)
                if NANOSECONDS.search(text):
                    return text  # Python would cut them off
            if value is not None:
                return value
    return text_of(leaf, raw)


def _label(leaf: Leaf, order: Order, measured: bool) -> str:
    kind = types.describe(leaf)
    if not measured:
        return f"{kind}: rank of the distinct bounds, {order.value}; distances mean nothing"
    found = meaning(leaf)
    if found.name == "TIMESTAMP":
        return f"{kind}: {'instants, in UTC' if found.utc else 'times on a wall clock, no instants'}"
    return f"{kind}: {order.value}"


def _numbers(leaf: Leaf, raws: Sequence[bytes | None], order: Order) -> tuple[Places, npt.NDArray[Any]] | None:
    """(the bounds as float64, the same in an exact and comparable form); None if there are only ranks."""
    dtype = _DTYPES.get(leaf.physical_type)
    if meaning(leaf).name == "FLOAT16" and order in (Order.FLOAT, Order.TOTAL):
        dtype = "<f2"
    if dtype is not None:
        if order is Order.UNSIGNED:
            dtype = dtype.replace("i", "u")
        width = np.dtype(dtype).itemsize
        good = np.array([raw is not None and len(raw) == width for raw in raws], bool)
        zero = bytes(width)
        joined = b"".join(raw if ok and raw is not None else zero for raw, ok in zip(raws, good, strict=True))
        exact = np.frombuffer(joined, dtype)
        values = exact.astype(np.float64)
        values[~good] = np.nan
        return values, exact
    return _odd_numbers(leaf, raws, order)


def _odd_numbers(leaf: Leaf, raws: Sequence[bytes | None], order: Order) -> tuple[Places, npt.NDArray[Any]] | None:
    """Decimals in bytes, and INT96: numbers of any length, compared by their order keys."""
    values = np.full(len(raws), np.nan)
    keys = np.full(len(raws), b"", object)
    for i, raw in enumerate(raws):
        try:
            key = None if raw is None else order_key(leaf, raw, order)
            if key is None or raw is None:
                continue
            if order is Order.INT96:
                day, nanos = int96_parts(raw)
                number = day * NANOSECONDS_PER_DAY + nanos
            else:
                number = int.from_bytes(raw, "big", signed=True)
            values[i], keys[i] = float(number), key
        except OverflowError:
            return None
        except ParquetError:
            continue
    return values, keys


def _ranked(leaf: Leaf, raws: Sequence[bytes | None], order: Order) -> Axis:
    keys: list[bytes | None] = []
    for raw in raws:
        try:
            keys.append(None if raw is None else order_key(leaf, raw, order))
        except ParquetError:
            keys.append(None)
    example = {key: raw for key, raw in zip(keys, raws, strict=True) if key is not None}
    distinct = sorted(example)
    ranks = {key: i for i, key in enumerate(distinct)}
    rank = np.array([-1 if key is None else ranks[key] for key in keys], np.int64)
    last = max(1, len(distinct) - 1)
    place = np.where(rank < 0, np.nan, rank / last if len(distinct) > 1 else 0.5)
    shown = sorted({round(i * (len(distinct) - 1) / (TICKS - 1)) for i in range(TICKS)})
    ticks = [
        Tick(i / last if len(distinct) > 1 else 0.5, _short(text_of(leaf, example[distinct[i]])) or "(empty)")
        for i in shown
        if distinct
    ]
    return Axis(_label(leaf, order, False), False, place, rank, ticks)


def _steps(leaf: Leaf, low: float, high: float) -> list[float]:
    """The values of the ticks: round numbers, or evenly spaced ones if numbers stand for something else (dates)."""
    if low == high:
        return [low]
    if meaning(leaf).name not in ("", "INTEGER", "FLOAT16", "DECIMAL") or leaf.physical_type in (
        Type.INT96,
        Type.BOOLEAN,
    ):
        return [low + (high - low) * i / (TICKS - 1) for i in range(TICKS)]
    rough = (high / TICKS) - (low / TICKS)
    if not 1e-300 < rough < 1e300:
        return [low, high]
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(magnitude * m for m in (1, 2, 5, 10) if magnitude * m >= rough)
    if leaf.physical_type not in (Type.FLOAT, Type.DOUBLE) and meaning(leaf).name != "FLOAT16":
        step = max(step, 1.0)
    first = math.ceil(low / step)
    made = [k * step for k in range(first, first + TICKS + 2) if k * step <= high]
    return made or [low, high]


def _tick(leaf: Leaf, order: Order, value: float, extent: float) -> str:
    """A number of the axis as a value of the column."""
    if order in (Order.FLOAT, Order.TOTAL):
        return f"{value:.6g}"
    name = meaning(leaf).name
    try:
        if order is Order.INT96:
            day, nanos = divmod(int(value), NANOSECONDS_PER_DAY)
            raw = struct.pack("<qi", nanos, day)
            return format_value(leaf, raw)[:10]
        if leaf.physical_type in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
            number = int(value)
            size = leaf.type_length or number.bit_length() // 8 + 1
            return _decimal(format_value(leaf, number.to_bytes(size, "big", signed=True)))
        if leaf.physical_type == Type.BOOLEAN:
            return {0.0: "false", 1.0: "true"}.get(value, "")
        if name in ("", "INTEGER"):
            return f"{int(value):,}"
        text = format_value(leaf, int(value))
    except (ParquetError, ValueError, OverflowError, struct.error):
        return f"{value:.6g}"
    per_day = {"ms": 86_400_000, "us": 86_400_000_000, "ns": NANOSECONDS_PER_DAY}
    if name == "TIMESTAMP":
        days = extent / per_day[meaning(leaf).unit]
        return text[:10] if days >= TICKS else text[:19]
    return _decimal(text) if name == "DECIMAL" else _short(text)


def _decimal(text: str) -> str:
    """A decimal number: its digits, or rounded with an exponent where they are too many."""
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    return plain if len(plain) <= TICK_TEXT else f"{float(plain):.4g}"


def _short(text: str) -> str:
    return text if len(text) <= TICK_TEXT else text[: TICK_TEXT - 1] + "…"
