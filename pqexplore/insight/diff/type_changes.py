"""What a change of a column's type does to its values.

The rules are those of the specification's logical types: which values a type can hold, and what they mean.
Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.format.logical import TEXT, describe, full_type, meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.diff.difference import Effect

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Annotation, Leaf

_UNITS = {"ms": 3, "us": 6, "ns": 9}
_SIGNIFICANDS: dict[int, int] = {Type.FLOAT: 24, Type.DOUBLE: 53}
_FLOAT16 = 11
_PLAIN = ((32, True), (64, True))
"""The integers, as bits and signedness, with which engines were seen."""
_DIGITS = {(32, True): 10, (64, True): 20}
"""Digits that a decimal needs before the point, so that engines read such integers with its type."""


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """The types of a column in both files, and what the change does to values.

    `kind` is a key of `engines.ANSWERS`, "" if it is none of them.
    """

    first: str
    second: str
    effect: Effect
    why: str
    kind: str = ""


def change(a: Leaf, b: Leaf) -> Change | None:
    """How the type of a column differs; None if it does not."""
    first, second = full_type(a), full_type(b)
    if first == second:
        return None
    one, two = _Type.of(a), _Type.of(b)
    for rule in _RULES:
        found = rule(one, two)
        if found is not None:
            return Change(first, second, *found)
    return Change(first, second, *_other_kind(one, two))


_Integer = tuple[int, bool]
"""The bits and the signedness of a plain integer."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Type:
    """A column's type as the rules look at it: `integer` and `significand` (its bits) are None for other columns."""

    leaf: Leaf
    logical: Annotation
    integer: _Integer | None
    significand: int | None

    @classmethod
    def of(cls, leaf: Leaf) -> _Type:
        """The type of a column."""
        logical = meaning(leaf)
        return cls(leaf, logical, _integer(leaf, logical), _significand(leaf, logical))

    @property
    def name(self) -> str:
        """The name of the logical type, "" without one."""
        return self.logical.name

    @property
    def physical(self) -> int:
        """The physical type."""
        return self.leaf.physical_type

    @property
    def text(self) -> bool:
        """Whether it is text."""
        return self.name in TEXT

    @property
    def plain_bytes(self) -> bool:
        """Whether it is bytes that are not said to be anything."""
        return self.name == "" and self.physical == Type.BYTE_ARRAY


_Outcome = tuple[Effect, str, str]


def _of_numbers(one: _Type, two: _Type) -> _Outcome | None:
    whole, whole_two, fine, fine_two = one.integer, two.integer, one.significand, two.significand
    if whole is not None and whole_two is not None:
        return _integers(whole, whole_two)
    if fine is not None and fine_two is not None:
        return _floats(fine, fine_two)
    if whole is not None and fine_two is not None:
        return _rounded(whole, fine_two)
    return None if fine is None or whole_two is None else _whole(fine, whole_two)


def _of_decimals(one: _Type, two: _Type) -> _Outcome | None:
    if one.integer is not None and two.name == "DECIMAL":
        return Effect.WIDENED, "integers become decimals", "integer-to-decimal" if one.integer in _PLAIN else ""
    if one.name == "DECIMAL" and two.integer is not None:
        return _from_decimal(one.logical.precision - one.logical.scale, two.integer)
    return None


def _of_one_name(one: _Type, two: _Type) -> _Outcome | None:
    if not one.name or one.name != two.name:
        return None
    same = _SAME.get(one.name)
    if same is not None:
        return same(one.logical, two.logical)
    return Effect.LOOKS, f"the same {one.name}, stored in another physical type", ""


def _of_int96(one: _Type, two: _Type) -> _Outcome | None:
    if {one.physical, two.physical} != {Type.INT96, Type.INT64} or "TIMESTAMP" not in (one.name, two.name):
        return None
    return _int96(one.logical if one.name else two.logical, one.physical == Type.INT96)


def _of_texts(one: _Type, two: _Type) -> _Outcome | None:
    if one.text and two.text:
        return Effect.LOOKS, f"text, annotated as {two.name} in place of {one.name}", ""
    if one.text and two.plain_bytes:
        return Effect.LOOKS, "the same bytes, no longer said to be text", "text-to-binary"
    if one.plain_bytes and two.text:
        return Effect.LOOKS, "the same bytes, now said to be text", "binary-to-text"
    return None


def _of_days(one: _Type, two: _Type) -> _Outcome | None:
    stamp = two.logical if one.name == "DATE" else one.logical
    local = not stamp.utc and stamp.unit != "ns"
    if (one.name, two.name) == ("DATE", "TIMESTAMP"):
        return Effect.WIDENED, "a day becomes its midnight", "date-to-timestamp" if local else ""
    if (one.name, two.name) == ("TIMESTAMP", "DATE"):
        return Effect.NARROWED, "a date has no time of the day", "timestamp-to-date" if local else ""
    return None


_RULES = (_of_numbers, _of_decimals, _of_one_name, _of_int96, _of_texts, _of_days)
"""The first that knows both types decides."""


def _other_kind(one: _Type, two: _Type) -> _Outcome:
    numbers = [each.integer in _PLAIN or bool(each.significand) for each in (one, two)]
    kind = ""
    if one.text and numbers[1]:
        kind = "text-to-number"
    elif two.text and numbers[0]:
        kind = "number-to-text"
    elif one.physical == Type.BOOLEAN and two.integer in _PLAIN:
        kind = "boolean-to-integer"
    elif two.physical == Type.BOOLEAN and one.integer in _PLAIN:
        kind = "integer-to-boolean"
    return Effect.MEANING, f"{describe(two.leaf)} is another kind of value than {describe(one.leaf)}", kind


def _integer(leaf: Leaf, logical: Annotation) -> _Integer | None:
    """Bits and signedness of a plain integer; None for other columns."""
    if logical.name == "INTEGER":
        return logical.bit_width, logical.signed
    if logical.name == "" and leaf.physical_type in (Type.INT32, Type.INT64):
        return (32 if leaf.physical_type == Type.INT32 else 64), True
    return None


def _integers(one: tuple[int, bool], two: tuple[int, bool]) -> _Outcome:
    (bits, signed), (bits_two, signed_two) = one, two
    if one == two:
        return Effect.LOOKS, "the same integers, annotated in another way", ""
    if signed == signed_two:
        plain = one in _PLAIN and two in _PLAIN
        if bits < bits_two:
            return Effect.WIDENED, f"{bits} bits become {bits_two}", "integer-wider" * plain
        return Effect.NARROWED, f"{bits} bits become {bits_two}", "integer-narrower" * plain
    if not signed and bits < bits_two:
        return Effect.WIDENED, f"{bits_two} signed bits hold {bits} unsigned ones", ""
    if bits == bits_two:
        return Effect.MEANING, "the highest bit is a sign in one of them", ""
    return Effect.NARROWED, "signed and unsigned integers have other ranges", ""


def _significand(leaf: Leaf, logical: Annotation) -> int | None:
    """Bits of the significand of a float; None for other columns."""
    if logical.name == "FLOAT16":
        return _FLOAT16
    return None if logical.name else _SIGNIFICANDS.get(leaf.physical_type)


def _floats(bits: int, bits_two: int) -> _Outcome:
    why = f"{bits} bits of significand become {bits_two}"
    plain = _FLOAT16 not in (bits, bits_two)
    if bits < bits_two:
        return Effect.WIDENED, why, "float-wider" if plain else ""
    return Effect.NARROWED, why, "float-narrower" if plain else ""


def _rounded(integer: tuple[int, bool], significand: int) -> _Outcome:
    bits, _ = integer
    kind = "integer-to-float" if integer in _PLAIN and significand != _FLOAT16 else ""
    if bits <= significand:
        why = f"{significand} bits of significand hold integers of {bits} bits"
        return Effect.WIDENED, why, kind
    return Effect.NARROWED, f"integers beyond 2^{significand} are rounded", kind


def _whole(significand: int, integer: tuple[int, bool]) -> _Outcome:
    kind = "float-to-integer" if integer[0] <= significand else "float-to-longer-integer"
    seen = integer in _PLAIN and significand != _FLOAT16
    return Effect.NARROWED, "an integer has no fraction", kind if seen else ""


def _from_decimal(digits: int, integer: tuple[int, bool]) -> _Outcome:
    """From a decimal of so many digits before the point to an integer."""
    needed = _DIGITS.get(integer)
    kind = ""
    if needed is not None and digits != needed - 1:  # at one less, engines differ
        kind = "decimal-to-integer" if digits >= needed else "decimal-to-longer-integer"
    return Effect.NARROWED, "an integer has no digits after the point", kind


def _times(one: Annotation, two: Annotation) -> _Outcome:
    if one.utc != two.utc:
        kinds = {True: "instants in UTC", False: "local times"}
        zone = "zone" if one.name == "TIMESTAMP" and one.unit == two.unit else ""
        return Effect.MEANING, f"{kinds[one.utc]} become {kinds[two.utc]}", zone
    fine, fine_two = _UNITS.get(one.unit, 0), _UNITS.get(two.unit, 0)
    why = f"{one.unit} become {two.unit}"
    stamps = one.name == "TIMESTAMP"
    if fine == fine_two:
        return Effect.LOOKS, "the same unit, stored in another way", ""
    if fine > fine_two:
        kind = "unit-from-ns" if one.unit == "ns" else "unit-coarser"
        return Effect.NARROWED, why, kind if stamps else ""
    if stamps:
        kind = "unit-to-ns" if two.unit == "ns" else "unit-finer"
        return Effect.WIDENED, f"{why}, of a smaller range of years", kind
    return Effect.WIDENED, why, ""


def _decimals(one: Annotation, two: Annotation) -> _Outcome:
    if (one.precision, one.scale) == (two.precision, two.scale):
        return Effect.LOOKS, "the same decimals, stored in another physical type", ""
    whole, whole_two = one.precision - one.scale, two.precision - two.scale
    if two.scale < one.scale:
        why = f"{one.scale} digits after the point become {two.scale}"
        return Effect.NARROWED, why, "decimal-scale-narrower" if whole >= whole_two else ""
    same_scale = one.scale == two.scale
    if whole_two >= whole:
        why = f"{one.precision} digits become {two.precision}"
        if not same_scale:
            why += f", and {one.scale} after the point {two.scale}"
        return Effect.WIDENED, why, "decimal-wider" if same_scale else "decimal-scale-wider"
    why = f"{whole} digits before the point become {whole_two}"
    return Effect.NARROWED, why, "decimal-narrower" if same_scale else ""


def _geometries(one: Annotation, two: Annotation) -> _Outcome:
    if one.crs != two.crs:
        return Effect.MEANING, "another coordinate reference system", ""
    return Effect.MEANING, "another interpolation of edges", ""


_SAME = {"TIME": _times, "TIMESTAMP": _times, "DECIMAL": _decimals, "GEOMETRY": _geometries, "GEOGRAPHY": _geometries}
"""What changes within one logical type that has parameters."""


def _int96(stamp: Annotation, from_int96: bool) -> _Outcome:
    if not from_int96:
        return Effect.LOOKS, "the same moments as INT96, which says no zone", ""
    if stamp.unit == "ns":
        return Effect.LOOKS, "the same moments, of a smaller range of years", ""
    return Effect.NARROWED, f"INT96 has nanoseconds, and {stamp.unit} are coarser", ""
