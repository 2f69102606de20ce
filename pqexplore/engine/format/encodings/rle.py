"""The RLE/bit-packing hybrid (RLE = 3): small integers as runs, for levels, dictionary ids and booleans.

A stream is runs, one after the other. Each has a header, a ULEB128 integer: its lowest bit says which kind the
run is, the rest how long. An RLE run is one value, in whole bytes, and how often it repeats; a bit-packed run is
groups of eight values of `bit_width` bits (see `bits`). Neither the bit width nor the number of values is in the
stream: both come from outside.

`scan` finds the runs and explains them one by one; `decode` expands them in a few passes over all runs.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.format.encodings import bits
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.format.encodings.encoding import Fault, Kind, Steps, Structure
from pqexplore.engine.format.encodings.run_expansion import (
    at_once,
    expanded,
    packed_bytes,
    repeated_values,
    width_error,
)
from pqexplore.engine.format.encodings.run_joining import aligned, fitting, joined, repetitions
from pqexplore.engine.format.encodings.run_scan import Runs, find_runs, long_header
from pqexplore.engine.format.encodings.run_values import RunValues
from pqexplore.engine.format.explain import (
    Part,
    Row,
    Step,
    bits_text,
    little_endian,
    packed_part,
    read_bits,
    varint_groups,
    varint_text,
)
from pqexplore.engine.format.varint import read_varint, varint
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural

LENGTH = Kind("length", "How many bytes of runs follow, in 4 bytes.")
RLE_RUN = Kind("rle run", "One value, and how often it repeats.", "values")
PACKED_RUN = Kind("bit-packed run", "Groups of eight values, bit after bit.", "values")
ZEROS = Kind("implied zeros", "Values that need no bytes, because they have no bits.", "values")

MAX_BIT_WIDTH = 32
"""Of dictionary ids (specification); levels and booleans need far less."""

PREFIX_BYTES = 4
"""The size of the little-endian length prefix, which some streams have before the runs."""


def scan(buffer: Buffer, bit_width: int, count: int, *, prefix: Kind | None = None) -> Hybrid:
    """The runs that give `count` values of `bit_width` bits; `LENGTH` as prefix: after their length in 4 bytes.

    Bytes after the last run needed are not looked at. Raises `CorruptFileError` for a bit width that is not 0 to 32 and
    for a length beyond the buffer. A stream that ends too early, a run that is empty and a header that is too long are
    in the structure's `error`.
    """
    return Hybrid.of(buffer, bit_width, count, prefix)


def check_runs(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> None:
    """Raise what `decode` raises for runs of up to `count` values; fewer are fine if they end with the buffer.

    The values of bit-packed runs are not looked at.
    """
    _check(bit_width, count)
    raw = bytes(buffer)
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None and runs.end != len(raw):
        raise problem
    if bit_width and not runs.packed.all():
        repeated_values(np.frombuffer(raw, np.uint8), runs, bit_width)


def decode(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> UnsignedArray:
    """The `count` values whose runs begin at byte `start` of `buffer`.

    The result has the smallest of uint8, uint16, uint32 that fits `bit_width`. With a bit width of 0 every value
    is 0; runs may then be left out altogether, but those that are there have to add up. Raises what `scan` raises, and `CorruptFileError` when the value of an RLE run
    needs more than `bit_width` bits.
    """
    _check(bit_width, count)
    raw = bytes(buffer)
    if count == 0 or (bit_width == 0 and len(raw) <= start):
        return np.zeros(count, bits.unsigned_type(bit_width))
    found = at_once(raw, bit_width, count, start)
    if found is not None:
        return found
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None:
        raise problem
    return expanded(raw, runs, bit_width)


def repeated_value(buffer: Buffer, bit_width: int, count: int, *, prefixed: bool) -> int | None:
    """The value of a buffer that is one intact RLE run of `count` values; None for any other buffer."""
    start = PREFIX_BYTES if prefixed else 0
    raw = bytes(buffer[: start + 10])  # a header and a value take at most 9
    end = start + int.from_bytes(raw[:start], "little") if prefixed else len(buffer)
    if count <= 0 or not start < end <= len(buffer):
        return None
    header, payload = (raw[start], start + 1) if raw[start] < 128 else long_header(raw, start)
    size = (bit_width + 7) >> 3
    if payload < 0 or header & 1 or header >> 1 < count or end < payload + size:
        return None
    value = int.from_bytes(raw[payload : payload + size], "little")
    return None if value >> bit_width else value


def run_values(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> RunValues:
    """Like `decode`, but as runs: a repeated value is stored once. Raises the same errors."""
    _check(bit_width, count)
    raw = bytes(buffer)
    if count == 0 or (bit_width == 0 and len(raw) <= start):
        one = np.zeros(min(count, 1), np.int64)
        return RunValues(one.astype(np.uint8), one + count, one.astype(bool), one)
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None:
        raise problem
    values = np.zeros(int(np.count_nonzero(~runs.packed)), np.uint8)
    if bit_width:
        values = repeated_values(np.frombuffer(raw, np.uint8), runs, bit_width)
    unpacked = int(runs.count[runs.packed].sum())
    if unpacked and bit_width:
        packed = bits.unpack(packed_bytes(raw, runs, bit_width), bit_width, unpacked)
        values = np.concatenate((packed, values))
    elif unpacked:
        values = np.zeros(unpacked + values.size, values.dtype)
    in_packed = np.where(runs.packed, runs.count, 0)
    place = np.where(
        runs.packed, np.cumsum(in_packed) - in_packed, unpacked + np.cumsum(~runs.packed) - 1
    )
    return RunValues(values, np.cumsum(runs.count), runs.packed, place)


def decode_prefixed(buffer: Buffer, bit_width: int, count: int) -> tuple[UnsignedArray, int]:
    """`count` values from runs that have their length in bytes in front, and how many bytes both take.

    So are the levels of data page V1 and boolean values. Raises what `decode` raises, and `CorruptFileError` when
    the length is missing or points past the buffer; no values may also be no bytes.
    """
    _check(bit_width, count)
    if count == 0 and len(buffer) == 0:
        return np.zeros(0, bits.unsigned_type(bit_width)), 0
    end = prefixed_end(buffer)
    return decode(memoryview(buffer)[:end], bit_width, count, start=PREFIX_BYTES), end


def prefixed_end(buffer: Buffer) -> int:
    """Where runs end that have their length in front; `CorruptFileError` when it points past the buffer."""
    if len(buffer) < PREFIX_BYTES:
        raise CorruptFileError(
            f"the runs should begin with their length in {PREFIX_BYTES} bytes, but only {len(buffer)} bytes are left",
            offset=0,
        )
    end = PREFIX_BYTES + int.from_bytes(buffer[:PREFIX_BYTES], "little")
    if end > len(buffer):
        raise CorruptFileError(
            f"the runs say they take {end - PREFIX_BYTES:,} bytes, but only {len(buffer) - PREFIX_BYTES:,} are left",
            offset=0,
        )
    return end


def _check(bit_width: int, count: int) -> None:
    if not 0 <= bit_width <= MAX_BIT_WIDTH:
        raise CorruptFileError(f"a bit width is 0 to {MAX_BIT_WIDTH}, not {bit_width}")
    if count < 0:
        raise CorruptFileError(f"a page cannot have {count:,} values")


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
        _check(bit_width, count)
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
            count = int(runs.count[-1]) + runs.spare
            text = (
                f"the last RLE run has {count:,} times the same value, and {runs.spare:,} of them"
            )
        yield Fault(
            "leftover-values",
            "note",
            f"{text} are left over",
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
            Step(
                "run header", label, start, payload, facts={"header": header, number: header >> 1}
            ),
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
            more = f"; {count:,} of them are wanted" if count < number else ""
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


def encode(values: Any, bit_width: int, *, minimum_run: int = 8) -> bytes:
    """The runs of `values` (unsigned integers): RLE where at least `minimum_run` are equal, bit-packed elsewhere.

    A bit-packed run that is not the last has a multiple of eight values, so it may take some from the RLE run that
    follows. Raises `UsageError` when a value does not fit.
    """
    if not 0 <= bit_width <= MAX_BIT_WIDTH or minimum_run < 1:
        raise UsageError(f"no runs of at least {minimum_run} values of {bit_width} bits")
    given = np.asarray(values)
    if given.size >= minimum_run and (given == given[0]).all():
        value = fitting(given[:1], bit_width)[0]
        return varint(given.size << 1) + int(value).to_bytes((bit_width + 7) >> 3, "little")
    starts, ends = aligned(*repetitions(given, minimum_run), minimum_run)
    if not starts.size and given.size:
        groups = (given.size + 7) >> 3
        return varint(groups << 1 | 1) + bits.pack(given, bit_width).ljust(
            groups * bit_width, b"\0"
        )
    return joined(given, starts, ends, bit_width)


def encode_prefixed(values: Any, bit_width: int, *, minimum_run: int = 8) -> bytes:
    """`encode`, with the length of the runs in front (levels of data page V1, boolean values)."""
    runs = encode(values, bit_width, minimum_run=minimum_run)
    return len(runs).to_bytes(PREFIX_BYTES, "little") + runs


def reference(buffer: Buffer, bit_width: int, count: int, at: int = 0) -> list[int]:
    """The values as the specification reads them, one at a time."""
    values: list[int] = []
    while len(values) < count:
        header, at = read_varint(buffer, at)
        if header & 1:
            groups = header >> 1
            for nth in range(8 * groups):
                values.append(read_bits(buffer, 8 * at + nth * bit_width, bit_width))
            at += groups * bit_width
        else:
            size = (bit_width + 7) // 8
            values += [int.from_bytes(buffer[at : at + size], "little")] * (header >> 1)
            at += size
    return values[:count]
