"""How the bytes of one PLAIN value are read: its groups of bits, and the arithmetic of numbers."""

from __future__ import annotations

from pqexplore.engine.format.explain import Group
from pqexplore.engine.format.thrift.structs import Type

_FLOATS: dict[int, tuple[int, int]] = {Type.FLOAT: (23, 8), Type.DOUBLE: (52, 11)}
"""Bits of the fraction and of the exponent."""


def value_groups(physical_type: int, size: int) -> tuple[Group, ...]:
    """What the bits of a PLAIN value of fixed width are."""
    if physical_type in _FLOATS:
        fraction, exponent = _FLOATS[physical_type]
        return (
            Group(0, fraction, "fraction", "fraction"),
            Group(fraction, fraction + exponent, "exponent", "exponent"),
            Group(8 * size - 1, 8 * size, "sign", "sign"),
        )
    if physical_type == Type.INT96:
        return (Group(0, 64, "nanoseconds of the day", "fraction"), Group(64, 96, "Julian day", "exponent"))
    return ()


def value_says(physical_type: int, raw: bytes) -> tuple[str, ...]:
    """How the bytes of a PLAIN value of fixed width are read."""
    if physical_type in (Type.INT32, Type.INT64):
        number = int.from_bytes(raw, "little", signed=True)
        return (f"{len(raw)} bytes, the lowest first, two's complement = {number:,}",)
    if physical_type in _FLOATS:
        fraction, exponent = _FLOATS[physical_type]
        bits = int.from_bytes(raw, "little")
        power = bits >> fraction & (1 << exponent) - 1
        rest = bits & (1 << fraction) - 1
        sign = "−" if bits >> (fraction + exponent) else "+"
        bias = (1 << (exponent - 1)) - 1
        if power == (1 << exponent) - 1:
            return ("the exponent is all ones: " + ("not a number" if rest else f"{sign}infinity"),)
        if not power:
            return (f"exponent 0: {sign}{rest:,} / 2^{fraction} × 2^{1 - bias}",)
        return (
            f"sign {sign}, exponent {power:,} − {bias:,} = {power - bias:,}, "
            f"fraction {rest:,} / 2^{fraction}: {sign}(1 + fraction) × 2^{power - bias:,}",
        )
    if physical_type == Type.INT96:
        day = int.from_bytes(raw[8:], "little", signed=True)
        nanos = int.from_bytes(raw[:8], "little", signed=True)
        return (f"Julian day {day:,} and {nanos:,} nanoseconds",)
    return (f"{len(raw):,} bytes as they are; the schema says how many",)
