"""The steps of an RLE/bit-packing hybrid stream: each run with its bytes, its values, and how they are read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.encodings import bits
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.format.encodings.encoding import Fault, Structure
from pqexplore.engine.format.encodings.run_expansion import expanded, width_error
from pqexplore.engine.format.encodings.run_scan import PREFIX_BYTES, Runs, check_numbers, find_runs, prefixed_end
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import (
    Part,
    Row,
    Step,
    bits_text,
    little_endian,
    packed_part,
    varint_groups,
    varint_text,
)
from pqexplore.engine.format.varint import read_varint
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural

LENGTH = Kind("length", "How many bytes of runs follow, in 4 bytes.")


RLE_RUN = Kind("rle run", "One value, and how often it repeats.", "values")


PACKED_RUN = Kind("bit-packed run", "Groups of eight values, bit after bit.", "values")


ZEROS = Kind("implied zeros", "Values that need no bytes, because they have no bits.", "values")


@dataclasses.dataclass(eq=False)
class Hybrid(Structure):
    """Runs as levels: `prefix` is what lies before them, if anything: their length in 4 bytes."""

    raw: bytes
    bit_width: int
    wanted: int
    prefix: Kind | None
    runs: Runs
    error: ParquetError | None

    @classmethod
    def of(cls, buffer: Buffer, bit_width: int, count: int, prefix: Kind | None) -> Self:
        """What is found in `buffer`. Raises as `scan`."""
        check_numbers(bit_width, count)
        raw, start = bytes(buffer), 0 if prefix is None else 1
        end = len(raw)
        if prefix is LENGTH:
            start, end = PREFIX_BYTES, prefixed_end(raw) if count or raw else 0
        runs, error = find_runs(raw[:end], bit_width, count, start)
        if not bit_width and end <= start:
            error = None  # values without bits need no runs
        return cls(raw, bit_width, count, prefix, runs, error)

    @property
    def end(self) -> int:
        """The byte after the last run that is needed."""
        before = self._prefix_bytes if self.prefix and self.raw else 0
        return max(self.runs.end, before)

    @property
    def _prefix_bytes(self) -> int:
        return PREFIX_BYTES if self.prefix is LENGTH else 1

    @once
    def steps(self) -> Steps:
        """The length or bit width in front, the runs, and the zeros that need no run."""
        runs, found = self.runs, int(self.runs.count.sum())
        steps = Steps(RLE_RUN, PACKED_RUN, ZEROS, *((self.prefix,) if self.prefix else ()))
        if self.prefix and self.raw:
            steps.add(self.prefix, 0, self._prefix_bytes)
        ends = np.append(runs.start[1:], runs.end)[: runs.start.size]
        firsts = np.cumsum(runs.count) - runs.count
        steps.add(runs.packed.astype(np.int64), runs.start, ends, firsts, runs.count)
        if found < self.wanted and self.error is None:
            steps.add(ZEROS, runs.end, runs.end, found, self.wanted - found)
        return steps

    @once
    def values(self) -> UnsignedArray:
        """The levels, indexes or booleans: uint8, uint16 or uint32."""
        zeros = self.wanted - int(self.runs.count.sum())
        found = expanded(self.raw, self.runs, self.bit_width)
        return found if self.error or not zeros else np.append(found, np.zeros(zeros, found.dtype))

    def faults(self) -> Iterator[Fault]:
        """A last run with more values than the section needs, beyond the padding of a group of eight."""
        runs = self.runs
        if not runs.spare:
            return
        if runs.packed[-1]:
            groups, spare = int(runs.count[-1]) + runs.spare + 7 >> 3, runs.spare >> 3
            text = f"the last bit-packed run has {groups:,} groups of eight values, and {spare:,} of them"
        else:
            count, spare = int(runs.count[-1]) + runs.spare, runs.spare
            text = f"the last RLE run has {count:,} times the same value, and {spare:,} of them"
        yield Fault(
            "leftover-values",
            f"{text} {'is' if spare == 1 else 'are'} left over",
            {"leftover": runs.spare, "bytes": runs.spare_end - runs.end},
            "",
            runs.end if runs.end < runs.spare_end else None,
        )

    def leftovers(self, size: int) -> list[tuple[int, int]]:
        """The groups of the last run that no value needs, and the bytes after the runs."""
        spare = self.runs.spare_end
        if self.error is None and self.end < spare < size:
            return [(self.end, spare), (spare, size)]
        return super().leftovers(size)

    def _payload(self, step: int) -> tuple[int, int]:
        """Where the value, or the packed values, of a run begin, and its header."""
        header, payload = read_varint(self.raw, self.steps[step].start)
        return payload, header

    def yielded(self, step: int) -> Any:
        """The values of a run; of an RLE run without memory for each. Raises CorruptFileError for one too wide."""
        kind, _, end, _, count = self.steps[step]
        if not count:
            return None
        if kind is PACKED_RUN:
            payload, _ = self._payload(step)
            return bits.unpack(memoryview(self.raw)[payload:end], self.bit_width, count)
        value = self._repeated(step) if kind is RLE_RUN else 0
        if value >> self.bit_width:
            raise width_error(value, self.bit_width, self._payload(step)[0])
        return np.broadcast_to(bits.unsigned_type(self.bit_width).type(value), (count,))

    def _repeated(self, step: int) -> int:
        """The value of an RLE run."""
        payload, _ = self._payload(step)
        return int.from_bytes(self.raw[payload : payload + ((self.bit_width + 7) >> 3)], "little")

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        kind, _, _, _, count = self.steps[step]
        if kind is RLE_RUN:
            return f"{count:,} × {self._repeated(step):,}"
        if kind is PACKED_RUN:
            return f"{count:,} values of {plural(self.bit_width, 'bit')}"
        if kind is ZEROS:
            return f"{count:,} × 0, because the bit width is 0"
        return f"{int.from_bytes(self.raw[:PREFIX_BYTES], 'little'):,} bytes of runs"

    def facts(self, step: int) -> dict[str, Any]:
        """The length of the runs; a run's length and value, or its groups and bits."""
        kind, _, _, _, count = self.steps[step]
        if kind is LENGTH:
            return {"length": int.from_bytes(self.raw[:PREFIX_BYTES], "little")}
        if kind is ZEROS:
            return {}
        payload, header = self._payload(step)
        if kind is RLE_RUN:
            value = self._repeated(step)
            return {"run_length": header >> 1, "value": value, "bit_width": self.bit_width}
        return {
            "groups": header >> 1,
            "bit_width": self.bit_width,
            "bit_start": 8 * payload,
            "bit_end": 8 * payload + count * self.bit_width,
            "padding_values": -count % 8,
        }

    def pieces(self, step: int) -> tuple[Step, ...]:
        """A run's header, and its value or its packed values."""
        kind, start, end, _, count = self.steps[step]
        if kind not in (RLE_RUN, PACKED_RUN):
            return ()
        (payload, header), facts = self._payload(step), self.facts(step)
        if kind is RLE_RUN:
            label, number, body = f"RLE run of {header >> 1:,}", "run_length", "repeated value"
            text, own = str(facts["value"]), {"value": facts["value"]}
        else:
            label, number = f"bit-packed run of {header >> 1:,} groups of 8", "groups"
            body, text, own = "packed values", f"{count:,} values of {self.bit_width} bits", facts
        return (
            Step("run header", label, start, payload, facts={"header": header, number: header >> 1}),
            Step(body, text, payload, end, facts=own),
        )

    def entry(self, value: int) -> int | None:
        """The value as an index into the dictionary; None if it is none."""
        return None

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """A run's header bit by bit, and its value or its packed values."""
        kind, _, _, first, count = self.steps[step]
        if kind is LENGTH:
            return [little_endian("length", self.raw, 0, PREFIX_BYTES)], []
        if kind is ZEROS:
            return [], [Row(i, "", "no bits: 0", self.entry(0), 0) for i in shown]
        head, body = self.pieces(step)
        header, own = head.facts["header"], bytes(self.raw[head.start : head.end])
        number, width = header >> 1, self.bit_width
        if kind is RLE_RUN:
            more = f"; {count:,} of them {'is' if count == 1 else 'are'} wanted" if count < number else ""
            says = f"{header:,} is even: an RLE run; {header:,} >> 1 = {number:,} times the same value{more}"
            groups = varint_groups(len(own), "how often", "0: RLE")
        else:
            spare, used = -count % 8, count + 7 >> 3
            more = f"; the last {spare:,} of {8 * used:,} are padding" if spare else ""
            if used < number:
                more += f"; {plural(number - used, 'group is', 'groups are')} left over"
            says = f"{header:,} is odd: bit-packed; {header:,} >> 1 = {plural(number, 'group')} of 8 values{more}"
            groups = varint_groups(len(own), "groups", "1: bit-packed")
        lines = (varint_text(own), says)
        parts = [Part(head.kind, head.start, head.end, head.start, own, groups, lines)]
        if kind is RLE_RUN:
            value, size = body.facts["value"], body.end - body.start
            if size:
                part = little_endian(body.kind, self.raw, body.start, size)
                why = f"{width} bits take {plural(size, 'whole byte')}"
                parts.append(dataclasses.replace(part, says=(*part.says, why), value=shown.start))
            how = f"repeats: {value:,}"
            return parts, [Row(i, "", how, self.entry(value), value) for i in shown]
        rows = []
        for index in shown:
            text = bits_text(self.raw, 8 * body.start + (index - first) * width, width)
            value = int(text or "0", 2)
            rows.append(Row(index, text, f"{text} = {value:,}", self.entry(value), value))
        labels = [f"{row.value:,}" for row in rows]
        says = (
            f"{used:,} × 8 × {width} bits = {body.end - body.start:,} bytes; each value begins where "
            "the one before it ends, at the lowest bit that is left"
        )
        packed = dataclasses.replace(body, first=first, count=count)
        return [*parts, packed_part(self.raw, packed, shown.start, labels, says)], rows

    def runs_text(self) -> str:
        """How many runs of each kind."""
        packed = int(self.runs.packed.sum())
        repeated = self.runs.packed.size - packed
        if repeated + packed == 1:
            return "one RLE run" if repeated else "one bit-packed run"
        if not packed or not repeated:
            return plural(repeated or packed, "RLE run" if repeated else "bit-packed run")
        return f"{repeated + packed:,} runs ({repeated:,} RLE, {packed:,} bit-packed)"

    def summary(self, what: str) -> str:
        """How many bits a level has, and how many runs there are."""
        return f"{what} of {plural(self.bit_width, 'bit')} in {self.runs_text()}"

    def remark(self) -> str:
        """Whether the runs gained anything."""
        size, packed = self.end, bits.packed_size(self.bit_width, self.wanted)
        if size == packed:
            return f", just as much as the {packed:,} of bit-packing alone"
        return f", {'less' if size < packed else 'more'} than the {packed:,} of bit-packing alone"
