"""Runs (RLE and bit-packed), as levels, as indexes into a dictionary, as booleans; and BIT_PACKED levels without runs."""

from __future__ import annotations

import numpy as np

from pqexplore.engine.encodings import bit_packed, rle
from pqexplore.engine.encodings.run_scan import find_runs
from pqexplore.insight.derivation.parts import (
    Part,
    bits_text,
    little_endian,
    packed_part,
    varint,
    varint_groups,
    varint_text,
)
from pqexplore.insight.derivation.steps import Derivation, Kind, Row, Steps
from pqexplore.insight.wording import plural

LENGTH = Kind("length", "How many bytes of runs follow, in 4 bytes.")
WIDTH = Kind("bit width", "How many bits each index takes.")
RLE_RUN = Kind("rle run", "One value, and how often it repeats.", "values")
PACKED_RUN = Kind("bit-packed run", "Groups of eight values, bit behind bit.", "values")
ZEROS = Kind("implied zeros", "Values that need no bytes, because they have no bits.", "values")
PACKED = Kind("packed values", "All values, bit behind bit, the most significant first.", "values")


class Runs(Derivation):
    """The RLE/bit-packing hybrid: levels, booleans, indexes.

    `prefix` is what lies before the runs: 4 bytes of length, 1 byte of bit width, or nothing.
    """

    def __init__(
        self,
        raw: bytes,
        bit_width: int,
        count: int,
        *,
        prefix: Kind | None = None,
    ) -> None:
        self.bit_width = bit_width
        self.prefix = prefix
        size = 0 if prefix is None else 4 if prefix is LENGTH else 1
        end = rle.prefixed_end(raw) if prefix is LENGTH and (count or raw) else len(raw)
        steps = Steps((RLE_RUN, PACKED_RUN, ZEROS, *((prefix,) if prefix else ())))
        if prefix is not None and raw:
            steps.add(prefix.name, 0, size)
        runs, problem = find_runs(raw[:end], bit_width, count, size)
        ends = np.append(runs.start[1:], runs.end)[: runs.start.size]
        steps.add(
            runs.packed.astype(np.int64),
            runs.start,
            ends,
            np.cumsum(runs.count) - runs.count,
            runs.count,
        )
        found = int(runs.count.sum())
        if found < count and not bit_width and end <= size:
            steps.add(ZEROS.name, runs.end, runs.end, found, count - found)
            problem = None
        super().__init__(raw, steps)
        self._payload = runs.payload
        self._before = int(prefix is not None and bool(raw))
        self.problem = problem

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        kind, count = self.steps.kind_of(step), int(self.steps.count[step])
        if kind is RLE_RUN:
            at = self._behind_header(step)
            value = int.from_bytes(self.raw[at : at + ((self.bit_width + 7) >> 3)], "little")
            return f"{count:,} × {value:,}"
        if kind is PACKED_RUN:
            return f"{count:,} values of {plural(self.bit_width, 'bit')}"
        if kind is ZEROS:
            return f"{count:,} × 0, because the bit width is 0"
        if kind is WIDTH:
            return f"each index has {plural(self.bit_width, 'bit')}"
        return f"{int.from_bytes(self.raw[:4], 'little'):,} bytes of runs"

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The parts of a step, and up to `number` of the values it yields, from number `focus` on."""
        kind = self.steps.kind_of(step)
        start, end = int(self.steps.start[step]), int(self.steps.end[step])
        shown = self.window(step, focus, number)
        if kind is LENGTH:
            return [little_endian("length", self.raw, 0, 4)], []
        if kind is WIDTH:
            return [little_endian("bit width", self.raw, 0, 1)], []
        if kind is ZEROS:
            return [], [Row(i, "", "no bits: 0", self._entry(0), 0) for i in shown]
        payload = self._behind_header(step)
        header, _ = varint(self.raw, start)
        if kind is RLE_RUN:
            return self._repeated(step, start, payload, end, header, shown)
        first = int(self.steps.first[step])
        count = int(self.steps.count[step])
        packed = 8 * (header >> 1)
        spare = f"; the last {packed - count:,} of {packed:,} are padding" if packed > count else ""
        says = (
            varint_text(self.raw[start:payload]),
            f"{header:,} is odd: bit-packed; {header:,} >> 1 = {header >> 1:,} group{'s' * (header >> 1 != 1)} "
            f"of 8 values{spare}",
        )
        rows = []
        for index in shown:
            bits = bits_text(
                self.raw, 8 * payload + (index - first) * self.bit_width, self.bit_width
            )
            value = int(bits or "0", 2)
            rows.append(Row(index, bits, f"{bits} = {value:,}", self._entry(value), value))
        body = packed_part(
            "packed values",
            self.raw,
            payload,
            end,
            width=self.bit_width,
            bit_start=8 * payload,
            first=first,
            count=count,
            focus=shown.start,
            labels=[f"{row.value:,}" for row in rows],
            says=(
                f"{header >> 1:,} × 8 × {self.bit_width} bits = {end - payload:,} bytes; each value begins where "
                "the one before it ends, at the lowest bit that is left",
            ),
        )
        return [self._header("groups", "1: bit-packed", start, payload, says), body], rows

    def _repeated(
        self, step: int, start: int, payload: int, end: int, header: int, shown: range
    ) -> tuple[list[Part], list[Row]]:
        length, count = header >> 1, int(self.steps.count[step])
        more = f", of which {count:,} are wanted" if count < length else ""
        says = (
            varint_text(self.raw[start:payload]),
            f"{header:,} is even: an RLE run; {header:,} >> 1 = {length:,} times the same value{more}",
        )
        value = int.from_bytes(self.raw[payload:end], "little")
        parts = [self._header("how often", "0: RLE", start, payload, says)]
        if end > payload:
            part = little_endian("repeated value", self.raw, payload, end - payload)
            why = (
                f"{self.bit_width} bits take {end - payload} whole byte{'s' * (end - payload > 1)}"
            )
            parts.append(
                Part(
                    part.name,
                    payload,
                    end,
                    payload,
                    part.shown,
                    part.groups,
                    (*part.says, why),
                    value=shown.start,
                )
            )
        how = f"repeats: {value:,}"
        return parts, [Row(i, "", how, self._entry(value), value) for i in shown]

    def _header(
        self, label: str, flag: str, start: int, payload: int, says: tuple[str, ...]
    ) -> Part:
        groups = varint_groups(payload - start, label, flag)
        return Part(
            "run header", start, payload, start, self.raw[start:payload], groups, tuple(says)
        )

    def _behind_header(self, step: int) -> int:
        """Where the value, or the packed values, of a run begin."""
        return int(self._payload[step - self._before])

    def _entry(self, value: int) -> int | None:
        return value if self.prefix is WIDTH else None

    def summary(self) -> tuple[int, int]:
        """How many RLE runs and how many bit-packed runs."""
        return int((self.steps.kind == 0).sum()), int((self.steps.kind == 1).sum())


class Packed(Derivation):
    """BIT_PACKED: no runs, no header."""

    def __init__(self, raw: bytes, bit_width: int, count: int) -> None:
        self.bit_width = bit_width
        steps = Steps((PACKED,))
        if count:
            steps.add(PACKED.name, 0, bit_packed.length(count, bit_width), 0, count)
        super().__init__(raw, steps)

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        return f"{int(self.steps.count[step]):,} values of {plural(self.bit_width, 'bit')}"

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The values from number `focus` on, and their bits."""
        shown = self.window(step, focus, number)
        rows = []
        for index in shown:
            bits = bits_text(self.raw, index * self.bit_width, self.bit_width, "msb")
            value = int(bits or "0", 2)
            rows.append(Row(index, bits, f"{bits} = {value:,}", None, value))
        part = packed_part(
            "packed values",
            self.raw,
            0,
            int(self.steps.end[step]),
            width=self.bit_width,
            bit_start=0,
            first=0,
            count=int(self.steps.count[step]),
            focus=shown.start,
            labels=[f"{row.value:,}" for row in rows],
            says=(
                "the deprecated BIT_PACKED: the first value has the most significant bits of the first byte, and there "
                "is no header",
            ),
            order="msb",
        )
        return [part], rows
