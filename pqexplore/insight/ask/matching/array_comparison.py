"""Compares whole arrays with a clause, by numpy and Arrow: no loop over values, no rounding of literals."""

from __future__ import annotations

import math
import re
import weakref
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Array, Mask
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import int96
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.vectors import validity
from pqexplore.engine.text import clip
from pqexplore.insight.ask.binding.domains import Domain
from pqexplore.insight.ask.binding.regions import Range, Region, Tested, region
from pqexplore.insight.ask.predicate import Compare, Like, OneOf, Wildcard


def holds(clause: Tested, of: Domain, values: pa.Array, nan_largest: bool | None, every: bool) -> Mask:
    """Whether the clause is TRUE for each value of an array of a leaf, nulls included.

    `every` takes every reading of the literals, not only Spark's. `nan_largest` is as in `accepted`. Raises as `region`
    does.
    """
    if isinstance(clause, Like) and not (clause.whole or clause.only_prefix):
        matching = _like(clause, values)
        return (matching ^ clause.negated) & validity(values)
    found = _region(clause, of, every)
    if of.kind == "float":
        mask = _floats(found, values, nan_largest)
    elif of.kind == "bytes":
        mask = _bytes(clause, found, values)
    elif pa.types.is_decimal(values.type):
        mask = _decimals(found, values)
    elif of.leaf.physical_type == Type.INT96:
        mask = _moments(found, values)
    elif pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        mask = _long_decimals(found, values)
    else:
        mask = _integers(found, values)
    if nan_largest is False and isinstance(clause, Compare) and _is_nan(clause.literal.value):
        mask = np.full(len(values), clause.operator in ("!=", "not <=>"))
    there = validity(values)
    return np.where(there, mask, found.null)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


_regions: weakref.WeakKeyDictionary[Tested, dict[tuple[Domain, bool], Region]] = weakref.WeakKeyDictionary()
"""The region of each clause that is still in use: a list of IN is compared with the dictionary of every row group."""


def _region(clause: Tested, of: Domain, every: bool) -> Region:
    known = _regions.setdefault(clause, {})
    found = known.get((of, every))
    if found is None:
        found = known[of, every] = region(clause, of, every)
    return found


def _inside(values: Array, lows: Array, highs: Array) -> Mask:
    """Whether each value is in one of the sorted closed ranges."""
    if not len(lows):
        return np.zeros(len(values), bool)
    if len(lows) == 1:
        only: Mask = (values >= lows[0]) & (values <= highs[0])
        return only
    at = np.searchsorted(lows, values, "right") - 1
    found: Mask = (at >= 0) & (values <= highs[at])
    return found


def _floats(found: Region, values: pa.Array, nan_largest: bool | None) -> Mask:
    numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)  # nulls are NaN here
    lows = np.array([-np.inf if one.low is None else one.low for one in found.ranges], np.float64)
    highs = np.array([np.inf if one.high is None else one.high for one in found.ranges], np.float64)
    with np.errstate(invalid="ignore"):
        mask = _inside(numbers, lows, highs)
    nan = found.nan if nan_largest else found.nan_unordered
    if nan_largest is None:
        nan = found.nan or found.nan_unordered
    return np.where(np.isnan(numbers), nan, mask)


def _moments(found: Region, values: pa.Array) -> Mask:
    """INT96 timestamps, whose ranges are in nanoseconds; those that are read as stored are compared in microseconds."""
    if pa.types.is_fixed_size_binary(values.type):
        numbers, unit = int96.clamped(values), "us"
    else:
        numbers = values.view(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        unit = values.type.unit
    return _inside(numbers, *_ends(found.ranges, numbers.dtype, 1_000 if unit == "us" else 1))


def _integers(found: Region, values: pa.Array) -> Mask:
    kind = values.type
    if pa.types.is_temporal(kind):
        values = values.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.uint8())
    numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
    return _inside(numbers, *_ends(found.ranges, numbers.dtype))


def _ends(ranges: Sequence[Range], dtype: np.dtype[Any], finer: int = 1) -> tuple[Array, Array]:
    """The ends of ranges of whole numbers, cut to what a dtype holds."""
    limits = np.iinfo(dtype)
    lows, highs = [], []
    for one in ranges:
        low = limits.min if one.low is None else max(limits.min, int(one.low) // finer)
        high = limits.max if one.high is None else min(limits.max, int(one.high) // finer)
        if low <= high:
            lows.append(low)
            highs.append(high)
    return np.array(lows, dtype), np.array(highs, dtype)


_MANY = 32
"""From this number of ranges on, decimals beyond 64 bits are compared one by one."""


def _decimals(found: Region, values: pa.Array) -> Mask:
    """Decimals are two's complement of 128 or 256 bits: words of 64 bits; the last has the sign."""
    size = values.type.bit_width // 64
    start = 8 * size * values.offset
    stored = np.frombuffer(values.buffers()[1] or b"", np.uint64, size * len(values), start)
    words = stored.reshape(len(values), size)
    words = np.where(validity(values)[:, None], words, np.uint64(0))
    low = np.ascontiguousarray(words[:, 0]).view(np.int64)
    sign = (low >> 63).view(np.uint64)
    if (words[:, 1:] == sign[:, None]).all():
        return _inside(low, *_ends(found.ranges, low.dtype))
    if len(found.ranges) > _MANY:
        return _one_by_one(found, [_joined(row) for row in words.tolist()])
    mask = np.zeros(len(values), bool)
    for one in found.ranges:
        taken = np.ones(len(values), bool)
        if one.low is not None:
            taken &= ~_smaller(words, int(one.low))
        if one.high is not None:
            taken &= _smaller(words, int(one.high) + 1)
        mask |= taken
    return mask


def _joined(words: Sequence[int]) -> int:
    bits = 64 * len(words)
    number = sum(word << 64 * at for at, word in enumerate(words))
    return number - (1 << bits) if number >> (bits - 1) else number


def _smaller(words: Array, number: int) -> Mask:
    """Whether each number, as rows of words, is smaller than another one."""
    count = words.shape[1]
    bits = 64 * count
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        return np.full(len(words), number > 0)
    other = [number >> 64 * at & (1 << 64) - 1 for at in range(count)]
    top, rest = np.ascontiguousarray(words[:, -1]).view(np.int64), other[-1]
    signed = np.int64(rest - (1 << 64) if rest >> 63 else rest)
    smaller, equal = top < signed, top == signed
    for at in range(count - 2, -1, -1):
        word = np.uint64(other[at])
        smaller |= equal & (words[:, at] < word)
        equal &= words[:, at] == word
    return smaller


def _long_decimals(found: Region, values: pa.Array) -> Mask:
    """Decimals of more than 76 digits, which Arrow has only as bytes."""
    raw = values.fill_null(b"\0").to_pylist()
    return _one_by_one(found, [int.from_bytes(one, "big", signed=True) for one in raw])


def _one_by_one(found: Region, numbers: Sequence[int]) -> Mask:
    lows = [-math.inf if one.low is None else int(one.low) for one in found.ranges]
    highs = [math.inf if one.high is None else int(one.high) for one in found.ranges]
    made = np.zeros(len(numbers), bool)
    for index, number in enumerate(numbers):
        at = bisect_right(lows, number) - 1
        made[index] = at >= 0 and number <= highs[at]
    return made


def _bytes(clause: Tested, found: Region, values: pa.Array) -> Mask:
    raw = values.cast(_raw_type(values.type))
    if isinstance(clause, OneOf):
        return _listed(clause, found, raw)
    mask = np.zeros(len(raw), bool)
    for one in found.ranges:
        taken = np.ones(len(raw), bool)
        if one.low is not None:
            compare = pc.greater if one.low_open else pc.greater_equal
            taken &= _mask(compare(raw, pa.scalar(one.low, raw.type)))
        if one.high is not None:
            compare = pc.less if one.high_open else pc.less_equal
            taken &= _mask(compare(raw, pa.scalar(one.high, raw.type)))
        mask |= taken
    return mask


def _raw_type(kind: pa.DataType) -> pa.DataType:
    large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    return pa.large_binary() if large else pa.binary()


def _listed(clause: OneOf, found: Region, raw: pa.Array) -> Mask:
    """IN a list of bytes: the ranges are its points, or for NOT IN what lies between them."""
    points = [one.high if clause.negated else one.low for one in found.ranges]
    known = pa.array([one for one in points if one is not None], raw.type)
    listed = _mask(pc.is_in(raw, value_set=known))
    return ~listed if clause.negated else listed


def _mask(found: pa.Array) -> Mask:
    made: Mask = found.fill_null(False).to_numpy(zero_copy_only=False)
    return made


def _like(clause: Like, values: pa.Array) -> Mask:
    """Whether each text matches a pattern that is more than a prefix."""
    pattern = clause.pattern
    texts = [part for part in pattern if isinstance(part, str)]
    raw = values.cast(_raw_type(values.type))
    if len(texts) == 1 and Wildcard.CHARACTER not in pattern:
        before, after = pattern[0] is Wildcard.TEXT, pattern[-1] is Wildcard.TEXT
        compare = pc.match_substring if before and after else pc.ends_with
        return _mask(compare(raw, texts[0].encode()))
    parts = {Wildcard.TEXT: b".*", Wildcard.CHARACTER: b"."}
    expression = b"".join(re.escape(part.encode()) if isinstance(part, str) else parts[part] for part in pattern)
    text = raw.cast(pa.large_string() if raw.type == pa.large_binary() else pa.string(), safe=False)
    try:
        return _mask(pc.match_substring_regex(text, (b"(?s)\\A" + expression + b"\\z").decode()))
    except pa.ArrowInvalid as error:
        raise UsageError(f"the pattern of {clip(clause.sql, 100)} is too long: {error}") from None
