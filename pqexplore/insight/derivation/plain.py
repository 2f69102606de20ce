"""PLAIN, and BYTE_STREAM_SPLIT, whose values are PLAIN values with their bytes in different streams."""

from __future__ import annotations

import numpy as np

from pqexplore.engine.encodings import byte_array_scan, plain
from pqexplore.engine.encodings.byte_array_scan import LENGTH_BYTES
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.thrift.structs import Type
from pqexplore.insight.derivation.parts import (
    SHOWN,
    Group,
    Part,
    bytes_part,
    little_endian,
)
from pqexplore.insight.derivation.steps import LISTED, Derivation, Kind, Row, Steps

VALUE = Kind("value", "One value as it is.", "values")
BITS = Kind("bits", "Eight booleans in a byte, the first in its lowest bit.", "values")
STREAM = Kind("stream", "One byte of every value: all first bytes, all second bytes, …")

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
        return (
            Group(0, 64, "nanoseconds of the day", "fraction"),
            Group(64, 96, "Julian day", "exponent"),
        )
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


class Plain(Derivation):
    """PLAIN. `type_length` is that of FIXED_LEN_BYTE_ARRAY."""

    def __init__(self, raw: bytes, count: int, physical_type: int, type_length: int | None) -> None:
        self.physical_type = physical_type
        steps = Steps((VALUE, BITS))
        problem: ParquetError | None = None
        listed = min(count, LISTED)
        total = count
        if physical_type == Type.BYTE_ARRAY:
            listed, problem = self._add_byte_arrays(steps, raw, count)
        elif physical_type == Type.BOOLEAN:
            there = min(count, 8 * len(raw))
            firsts = np.arange(0, min(there, 8 * LISTED), 8)
            total = -(-there // 8)
            steps.add(
                BITS.name, firsts >> 3, (firsts >> 3) + 1, firsts, np.minimum(8, there - firsts)
            )
        else:
            width = plain.value_bytes(physical_type, type_length)
            listed = min(listed, len(raw) // width if width else listed)
            numbers = np.arange(listed)
            steps.add(VALUE.name, numbers * width, (numbers + 1) * width, numbers, 1)
        super().__init__(raw, steps, total=total)
        self.problem = problem

    def _add_byte_arrays(
        self, steps: Steps, raw: bytes, count: int
    ) -> tuple[int, ParquetError | None]:
        problem: ParquetError | None = None
        try:
            positions, end = byte_array_scan.find_values(raw, count)
        except ParquetError as error:
            problem = error
            found, position = [0], 0
            try:
                while len(found) <= min(count, LISTED):
                    position = byte_array_scan.value_end(raw, position, len(found) - 1, count)
                    found.append(position)
            except ParquetError:
                pass
            positions, end = np.array(found[:-1], np.int64), found[-1]
        ends = np.append(positions[1:], end)[: positions.size]
        listed = min(positions.size, LISTED)
        steps.add(VALUE.name, positions[:listed], ends[:listed], np.arange(listed), 1)
        return listed, problem

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        start, end = int(self.steps.start[step]), int(self.steps.end[step])
        if self.steps.kind_of(step) is BITS:
            return f"{int(self.steps.count[step])} booleans"
        if self.physical_type == Type.BYTE_ARRAY:
            size = end - start - LENGTH_BYTES
            return f"{LENGTH_BYTES} bytes of length, {size:,} of value"
        return f"{end - start:,} bytes"

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The parts of a step, and up to `number` of the values it yields, from number `focus` on."""
        start, end = int(self.steps.start[step]), int(self.steps.end[step])
        first = int(self.steps.first[step])
        if self.steps.kind_of(step) is BITS:
            return self._bits(start, first, int(self.steps.count[step]))
        if self.physical_type == Type.BYTE_ARRAY:
            begin = start + LENGTH_BYTES
            size = end - begin
            return [
                little_endian("length", self.raw, start, LENGTH_BYTES),
                bytes_part("bytes", self.raw, begin, end, (), "text"),
            ], [Row(first, "", f"the {size:,} bytes behind the length")]
        raw = self.raw[start:end]
        says = value_says(self.physical_type, raw)
        form = "bits" if value_groups(self.physical_type, len(raw)) else "bytes"
        if self.physical_type in (Type.INT32, Type.INT64):
            form = "bits"
        groups = value_groups(self.physical_type, len(raw)) or (
            (Group(0, 8 * len(raw), "value", "value", first),) if form == "bits" else ()
        )
        part = Part("value", start, end, start, raw[:SHOWN], groups, says, form)
        return [part], [Row(first, "", says[0])]

    def _bits(self, start: int, first: int, count: int) -> tuple[list[Part], list[Row]]:
        byte = self.raw[start]
        rows, groups = [], []
        for bit in range(count):
            value = byte >> bit & 1
            groups.append(Group(bit, bit + 1, f"{bool(value)}".lower(), "value", first + bit))
            rows.append(Row(first + bit, str(value), f"bit {bit} of the byte = {value}"))
        if count < 8:
            groups.append(Group(count, 8, "padding", "padding"))
        says = "a bit a value; the first value is the lowest bit"
        return [
            Part(
                "bits", start, start + 1, start, self.raw[start : start + 1], tuple(groups), (says,)
            )
        ], rows


class Split(Derivation):
    """BYTE_STREAM_SPLIT: `width` streams, then the values, whose bytes lie one in each."""

    def __init__(self, raw: bytes, count: int, physical_type: int, width: int) -> None:
        self.physical_type = physical_type
        self.width = width
        self.count = count
        steps = Steps((STREAM, VALUE))
        streams = np.arange(width, dtype=np.int64) * count
        if count:
            steps.add(STREAM.name, streams, streams + count)
        listed = min(count, LISTED)
        numbers = np.arange(listed)
        reach = (width - 1) * count + 1 if width else 0
        steps.add(VALUE.name, numbers, numbers + reach, numbers, 1)
        super().__init__(raw, steps, total=width + count)

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        if self.steps.kind_of(step) is STREAM:
            return f"byte {int(self.steps.start[step]) // self.count} of {self.count:,} values"
        return f"one byte of each of {self.width} streams"

    def size(self, step: int) -> int:
        """The bytes that are the step's own: a value has one in each stream."""
        return self.count if self.steps.kind_of(step) is STREAM else self.width

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The parts of a step, and up to `number` of the values it yields, from number `focus` on."""
        start, end = int(self.steps.start[step]), int(self.steps.end[step])
        if self.steps.kind_of(step) is STREAM:
            own = np.frombuffer(self.raw, np.uint8)[start:end]
            variety = (
                f"{len(np.unique(own)):,} different bytes among {end - start:,}: "
                "the fewer there are, the better the stream compresses"
            )
            return [bytes_part("stream", self.raw, start, end, (variety,))], []
        index = int(self.steps.first[step])
        places = tuple(index + stream * self.count for stream in range(min(self.width, SHOWN)))
        raw = bytes(self.raw[place] for place in places)
        says = value_says(self.physical_type, raw)
        if self.width > SHOWN:
            says = (f"{self.width:,} bytes as they are; the schema says how many",)
        groups = value_groups(self.physical_type, len(raw))
        part = Part(
            "value",
            start,
            end,
            start,
            raw[:SHOWN],
            groups,
            (f"byte {index:,} of each of the {self.width} streams, put side by side", *says),
            "bits" if groups else "bytes",
            places=places,
        )
        return [part], [Row(index, "", says[0])]
