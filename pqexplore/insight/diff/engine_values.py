"""What engines make of the values of a second file, where that depends on them: a narrower type may hold them all.

`engines.ANSWERS` has what an engine does with a value that does not fit. Whether there is one is asked of the bounds in the
footers: they prove it, rule it out, or leave it open, and then nothing is predicted.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation

import numpy as np

from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.diff.engines import ANSWERS, FAILS, LOSES, WIDENS, Outcome

_BY_VALUE = ("pyarrow", "DuckDB")
"""Engines that convert values one by one; the others go by types alone."""
_BY_TYPE = {("decimal-to-longer-integer", "pyarrow")}
_FIT = "reads both: all values fit the first file's type"

_NO_NUMBER = re.compile(r"\s*[A-DF-HJ-MO-Za-df-hj-mo-z/:;<=>?@\[\\\]^`{|}~!\"#$%&'()*,\x00]")
"""A text that begins so is no number for any engine, whatever follows: not a digit, a sign, a point, `inf` or `nan`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """The bounds of a column in a chunk, as text, and whether they are values; None if they are unknown."""

    low: str | None
    high: str | None
    low_exact: bool | None = None
    high_exact: bool | None = None


def judged(kind: str, first: Leaf, ranges: Iterable[Range]) -> tuple[Mapping[str, Outcome], Mapping[str, str]]:
    """The outcomes and the words of `engines.outcomes` and `on_both`, by the values of the second file's column.

    `ranges` has one for each chunk with values. An engine whose outcome the bounds leave open has words, and no outcome.
    """
    answers = ANSWERS.get(kind, {})
    fit = _fit(kind, first, list(ranges))
    seen, words = {}, {}
    for engine, (outcome, text) in sorted(answers.items(), key=lambda pair: pair[0] == "Iceberg"):
        seen[engine], words[engine] = outcome, text
        if engine not in _BY_VALUE or outcome not in (FAILS, LOSES) or (kind, engine) in _BY_TYPE or kind not in _FITS:
            continue
        if fit:
            seen[engine], words[engine] = WIDENS, _FIT
        elif fit is None and outcome is FAILS:
            del seen[engine]
            words[engine] = f"not known by the footers: it {text}"
    return seen, words


def depends(kind: str) -> bool:
    """Whether what engines make of a kind of difference depends on the values."""
    return kind in _FITS


def _fit(kind: str, first: Leaf, ranges: list[Range]) -> bool | None:
    """Whether the first file's type holds all values of the second; None if the bounds leave it open."""
    test = _FITS.get(kind)
    if test is None:
        return None
    found: list[bool | None] = []
    for one in ranges:
        if one.low is None or one.high is None:
            found.append(None)
            continue
        try:
            found.append(test(first, one))
        except (InvalidOperation, ValueError, OverflowError):
            found.append(None)
    return False if False in found else None if None in found else True


def _whole(first: Leaf, one: Range) -> bool | None:
    """Into INT32 from INT64: all values between the bounds fit if both do."""
    limit = 1 << 31
    return -limit <= int(one.low or 0) and int(one.high or 0) < limit


def _both(one: Range) -> tuple[Decimal, Decimal]:
    return Decimal(one.low or "0"), Decimal(one.high or "0")


def _unfractioned(first: Leaf, one: Range) -> bool | None:
    """Into integers from numbers with a fraction: between two whole bounds there may be fractions."""
    low, high = _both(one)
    if low != low.to_integral_value() or high != high.to_integral_value():
        return False
    return True if low == high else None


def _digits(first: Leaf, one: Range) -> bool | None:
    """Into a decimal with fewer digits before the point."""
    of = meaning(first)
    limit = Decimal(10) ** (of.precision - of.scale)
    return all(abs(bound) < limit for bound in _both(one))


def _scale(first: Leaf, one: Range) -> bool | None:
    """Into a decimal with fewer digits after the point."""
    of = meaning(first)
    if any(bound.scaleb(of.scale) != bound.scaleb(of.scale).to_integral_value() for bound in _both(one)):
        return False
    if not _digits(first, one):
        return False
    low, high = _both(one)
    return True if low == high else None


def _significant(first: Leaf, one: Range) -> bool | None:
    """Into a float from longer integers: up to 2^24 or 2^53 all fit."""
    bits = 24 if first.physical_type == Type.FLOAT else 53
    make = np.float32 if bits == 24 else np.float64
    low, high = int(one.low or 0), int(one.high or 0)
    if -(1 << bits) <= low and high <= 1 << bits:
        return True
    if int(make(low)) != low or int(make(high)) != high:
        return False
    return True if low == high else None


def _rounded(first: Leaf, one: Range) -> bool | None:
    """Into FLOAT from DOUBLE."""
    low, high = float(one.low or 0), float(one.high or 0)
    if float(np.float32(low)) != low or float(np.float32(high)) != high:
        return False
    return True if low == high else None


def _fraction(first: Leaf, one: Range) -> bool | None:
    """Into a coarser unit of time, of texts such as 2024-01-01 10:00:00.001001."""
    digits = {"ms": 3, "us": 6}.get(meaning(first).unit)
    if digits is None:
        return None
    for text in (one.low or "", one.high or ""):
        fraction = re.sub(r"\D.*", "", text.partition(".")[2])
        if fraction[digits:].strip("0"):
            return False
    return True if one.low == one.high else None


def _number(first: Leaf, one: Range) -> bool | None:
    """Into numbers from text: the bounds of text may be cut, and between two numbers there may be other texts."""
    low, high = one.low or "", one.high or ""
    before = chr(max(0, ord(high[0]) - 1)) if high else ""  # a cut upper bound has its last character incremented
    if _NO_NUMBER.match(low) or (_NO_NUMBER.match(high) and (one.high_exact or _NO_NUMBER.match(before))):
        return False
    if (one.low_exact and not _is_number(low)) or (one.high_exact and not _is_number(high)):
        return False
    if low != high or not (one.low_exact and one.high_exact):
        return None
    whole = first.physical_type in (Type.INT32, Type.INT64)
    return True if re.fullmatch(r"-?\d{1,9}" if whole else r"-?\d{1,9}(\.\d+)?", low) else None


def _is_number(text: str) -> bool:
    """Whether a text may be a number for some engine."""
    try:
        float(text.strip().replace("_", ""))
    except ValueError:
        return text.strip().lower().startswith(("0x", "0b", "0o"))
    return True


_FITS: dict[str, Callable[[Leaf, Range], bool | None]] = {
    "integer-wider": _whole,
    "float-wider": _rounded,
    "integer-to-float": _unfractioned,
    "integer-to-decimal": _unfractioned,
    "float-to-longer-integer": _significant,
    "decimal-wider": _digits,
    "decimal-scale-wider": _scale,
    "decimal-to-longer-integer": _digits,
    "unit-finer": _fraction,
    "unit-to-ns": _fraction,
    "number-to-text": _number,
}
