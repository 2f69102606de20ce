"""ALP: vectors of decimal numbers as integers, and the values that are none."""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine.encodings.alp_vectors import HEADER, Vector, kind_of, scan
from pqexplore.engine.errors import ParquetError
from pqexplore.insight.derivation.parts import (
    Group,
    Part,
    bits_text,
    bytes_part,
    packed_part,
)
from pqexplore.insight.derivation.steps import Derivation, Kind, Row, Steps

HEAD = Kind("header", "How it is compressed, how large vectors are, and how many values there are.")
OFFSETS = Kind("offsets", "Where each vector begins, in 4 bytes each.")
VECTOR = Kind(
    "vector", "A power of ten, a smallest integer, the distances from it, and exceptions.", "values"
)


class Vectors(Derivation):
    """ALP. `physical_type` is FLOAT or DOUBLE."""

    def __init__(self, raw: bytes, count: int, physical_type: int) -> None:
        self.kind = kind_of(physical_type)
        steps = Steps((HEAD, OFFSETS, VECTOR))
        self.vectors: list[Vector] = []
        problem: ParquetError | None = None
        if count or raw:
            self.structure = scan(raw, count, physical_type)
            self.vectors = self.structure.vectors
            problem = self.structure.error
            steps.add(HEAD.name, 0, HEADER.size)
            steps.add(OFFSETS.name, HEADER.size, self.structure.offsets_end)
            if self.vectors:
                steps.add(
                    VECTOR.name,
                    *(
                        np.array([getattr(v, name) for v in self.vectors], np.int64)
                        for name in ("start", "end", "first", "count")
                    ),
                )
        super().__init__(raw, steps)
        self.problem = problem

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        kind = self.steps.kind_of(step)
        if kind is HEAD:
            size = 1 << self.structure.log_vector_size
            return f"{self.structure.num_elements:,} values in vectors of {size:,}"
        if kind is OFFSETS:
            return f"where {len(self.vectors):,} vector{'s' * (len(self.vectors) != 1)} begin"
        one = self.vectors[step - 2]
        return (
            f"number {step - 2:,}: {one.count:,} values of {one.bit_width} bits × 10^{one.factor - one.exponent}, "
            f"{one.exceptions:,} exception{'s' * (one.exceptions != 1)}"
        )

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The parts of a step, and up to `number` of the values it yields, from number `focus` on."""
        kind, raw = self.steps.kind_of(step), self.raw
        if kind is HEAD:
            mode, integers, log_size, number_of_values = HEADER.unpack_from(raw)
            fields = (
                ("compression mode", 1, mode),
                ("integer encoding", 1, integers),
                ("log2 of the vector size", 1, log_size),
                ("number of values", 4, number_of_values),
            )
            says = f"2^{log_size} = {1 << log_size:,} values a vector"
            return [_fields("header", raw, 0, fields, says)], []
        if kind is OFFSETS:
            start, end = int(self.steps.start[step]), int(self.steps.end[step])
            first = np.frombuffer(raw, "<u4", min(8, (end - start) // 4), start).tolist()
            says = f"from byte {start:,} on: {', '.join(f'{one:,}' for one in first)}"
            more = (end - start) // 4 - len(first)
            return [
                bytes_part(
                    "offsets", raw, start, end, (says + (f", … {more:,} more" if more else ""),)
                )
            ], []
        return self._vector(self.vectors[step - 2], self.window(step, focus, number))

    def _vector(self, one: Vector, shown: range) -> tuple[list[Part], list[Row]]:
        raw, size = self.raw, self.kind.int_bits // 8
        at = one.start
        parameters = (
            ("exponent", 1, one.exponent),
            ("factor", 1, one.factor),
            ("number of exceptions", 2, one.exceptions),
            ("frame of reference", size, one.frame_of_reference),
            ("bit width", 1, one.bit_width),
        )
        formula = f"(distance + {one.frame_of_reference:,}) × 10^{one.factor} × 10^−{one.exponent}"
        parts = [_fields("parameters", raw, at, parameters, f"each value is {formula}")]
        exceptions = self._exceptions(one)
        rows = [self._row(one, index, exceptions) for index in shown]
        parts.append(
            packed_part(
                "distances",
                raw,
                one.packed_start,
                one.positions_start,
                width=one.bit_width,
                bit_start=8 * one.packed_start,
                first=one.first,
                count=one.count,
                focus=shown.start,
                labels=[f"{int(row.bits or '0', 2):,}" for row in rows],
                says=(f"{one.count:,} × {one.bit_width} bits",),
            )
        )
        if one.exceptions:
            some = ", ".join(f"{one.first + at:,}" for at in list(exceptions)[:8])
            parts += [
                bytes_part(
                    "positions of the exceptions",
                    raw,
                    one.positions_start,
                    one.values_start,
                    (
                        f"2 bytes each, from the vector's beginning: value{'s' * (len(exceptions) > 1)} {some}",
                    ),
                ),
                bytes_part(
                    "exceptions",
                    raw,
                    one.values_start,
                    one.end,
                    (f"{size} bytes each, as they are",),
                ),
            ]
        return parts, rows

    def _exceptions(self, one: Vector) -> dict[int, Any]:
        """Position in the vector → value."""
        positions = np.frombuffer(self.raw, "<u2", one.exceptions, one.positions_start)
        floats = np.dtype(self.kind.float_type).newbyteorder("<")
        values = np.frombuffer(self.raw, floats, one.exceptions, one.values_start)
        return dict(zip(positions.tolist(), values.tolist(), strict=True))

    def _row(self, one: Vector, index: int, exceptions: dict[int, Any]) -> Row:
        within = index - one.first
        bits = bits_text(self.raw, 8 * one.packed_start + within * one.bit_width, one.bit_width)
        if within in exceptions:
            return Row(
                index, bits, f"an exception: {exceptions[within]!r} as it is, not {bits or '0'}"
            )
        rest = int(bits or "0", 2)
        scale = f"× 10^{one.factor} × 10^−{one.exponent}"
        spelt = f"{bits} = {rest:,}" if bits else "no bits: 0"
        return Row(index, bits, f"{spelt}; ({rest:,} + {one.frame_of_reference:,}) {scale}")


def _fields(
    name: str, raw: bytes, at: int, fields: tuple[tuple[str, int, int], ...], says: str
) -> Part:
    """Numbers of fixed width, one behind the other: label, bytes, and number of each."""
    groups, bit = [], 0
    for nth, (label, size, _) in enumerate(fields):
        groups.append(Group(bit, bit + 8 * size, label, ("number", "exponent", "flag")[nth % 3]))
        bit += 8 * size
    told = ", ".join(f"{label} {value:,}" for label, _, value in fields)
    return Part(name, at, at + bit // 8, at, raw[at : at + bit // 8], tuple(groups), (told, says))
