"""Rules of a Variant value that readers can ignore: unused bits, digits of decimals, times of the day, unknown types.

`decode` reads such values. `broken` walks the same bytes for these rules alone, so it is for values that `decode` reads.

Specification: https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.engine.format.variant import primitives, types
from pqexplore.engine.format.variant.metadata import unsigned

VALUE_RULES = {
    "reserved-bits": "object_header: (is_large << 4 | field_id_size_minus_one << 2 | field_offset_size_minus_one); array_header: (is_large << 2 | field_offset_size_minus_one); header: 1 byte (<version> | <sorted_strings> << 4 | (<offset_size_minus_one> << 6))",
    "primitive-type": "There are a fixed number of allowed primitive types, provided in the table below.",
    "decimal-digits": "Decimal table: 1 <= precision <= 9: decimal4, 10 <= precision <= 18: decimal8, 19 <= precision <= 38: decimal16, > 38: not supported.",
    "time-of-day": "TimeNTZ: TIME(isAdjustedToUTC=false, MICROS).",
}
"""The rules by name, in the specification's words."""

_CONTAINER_BITS = {types.OBJECT: 0x7F, types.ARRAY: 0x1F}
"""The bits of a container's first byte that have a meaning."""


def broken(raw: bytes) -> Iterator[tuple[str, str]]:
    """The broken rules of one value that `decode` reads: a key of `VALUE_RULES`, and what is wrong."""
    todo = [0]
    while todo:
        at = todo.pop()
        byte = raw[at]
        basic = byte & 3
        if basic == types.PRIMITIVE:
            yield from _primitive(raw, at, byte >> 2)
        elif basic != types.SHORT_STRING:
            if byte & ~_CONTAINER_BITS[basic]:
                yield (
                    "reserved-bits",
                    f"the header 0x{byte:02x} of an {types.BASIC_TYPES[basic]} at byte {at:,} has a bit set that has no meaning",
                )
            layout = primitives.container(raw, at, len(raw))
            starts = unsigned(raw, layout.offsets, layout.count, layout.offset_size)
            todo += [layout.values + start for start in reversed(starts.tolist())]


def _primitive(raw: bytes, at: int, kind: int) -> Iterator[tuple[str, str]]:
    if kind >= len(types.PRIMITIVES):
        last = types.PRIMITIVES[-1]
        message = f"primitive type {kind} at byte {at:,} does not exist; the last one is {last.id} ({last.name})"
        yield "primitive-type", message
    elif kind in types.DECIMAL_BYTES:
        size = types.DECIMAL_BYTES[kind]
        value = int.from_bytes(raw[at + 2 : at + 2 + size], "little", signed=True)
        most = types.DECIMAL_DIGITS[kind]
        if abs(value) >= 10**most:
            name = types.PRIMITIVES[kind].name
            digits = len(str(abs(value)))
            yield ("decimal-digits", f"the {name} at byte {at:,} has {digits} digits; it can have {most}")
    elif kind == types.TIME:
        ticks = int.from_bytes(raw[at + 1 : at + 9], "little", signed=True)
        if not 0 <= ticks < primitives.DAY:
            message = f"the time at byte {at:,} is {ticks:,} microseconds, which is not within a day"
            yield "time-of-day", message
