"""The delta encodings: blocks and miniblocks of differences; lengths and bytes; prefixes, suffixes and bytes.

The lengths of the two string encodings are themselves streams of deltas, and their steps come first, under names such
as `prefix lengths: block`. A byte array is then a step of its own.
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.encodings import delta_binary_packed, delta_length_byte_array
from pqexplore.engine.encodings.delta_blocks import scan
from pqexplore.engine.errors import ParquetError
from pqexplore.insight.derivation.parts import (
    Group,
    Part,
    bits_text,
    bytes_part,
    number_part,
    packed_part,
    varint,
)
from pqexplore.insight.derivation.steps import LISTED, Array, Derivation, Kind, Row, Steps

MINIBLOCKS = 8
"""Miniblocks of a block that are told one by one."""


def stream_kinds(name: str = "", yields: str = "values") -> tuple[Kind, Kind, Kind]:
    """The kinds of steps of a stream of deltas; `name` is what its integers are where these are not the values."""
    before = f"{name}: " if name else ""
    return (
        Kind(
            f"{before}header", "How large blocks and miniblocks are, and how many values there are."
        ),
        Kind(f"{before}first value", "The only value that is stored whole.", yields),
        Kind(
            f"{before}block",
            "A smallest difference, a bit width a miniblock, and the rest.",
            yields,
        ),
    )


class Stream:
    """One DELTA_BINARY_PACKED stream in a section: its steps, and their parts. `bits` are 32 or 64."""

    def __init__(self, raw: bytes, offset: int, count: int, bits: int, kinds: tuple[Kind, ...]):
        self.raw = raw
        self.bits = bits
        self.kinds = kinds
        self.structure = scan(raw, offset, count, bits)
        self.values: Array | None = None
        if self.structure.error is None:
            self.values, _ = delta_binary_packed.decode_with_end(raw, offset, count, bits)

    def add_to(self, steps: Steps) -> None:
        """Add header, first value and blocks."""
        found = self.structure
        names = [kind.name for kind in self.kinds]
        some = min(1, found.total_count)
        steps.add(names[0], found.start, found.first_value_start)
        steps.add(names[1], found.first_value_start, found.first_value_end, 0, some)
        starts = found.block_starts
        ends = np.append(starts[1:], found.end)[: starts.size]
        firsts = 1 + np.arange(starts.size, dtype=np.int64) * found.block_size
        steps.add(
            names[2], starts, ends, firsts, np.minimum(found.block_size, found.total_count - firsts)
        )

    def label(self, kind: Kind, first: int, count: int) -> str:
        """What a step is, in a few words."""
        found = self.structure
        if kind is self.kinds[0]:
            return (
                f"{found.total_count:,} values, blocks of {found.block_size:,} in {found.miniblocks:,} "
                f"miniblock{'s' * (found.miniblocks > 1)}"
            )
        if kind is self.kinds[1]:
            return f"first value {found.first_value:,}"
        block = (first - 1) // found.block_size
        widths = sorted(set(self._widths(block, count)))
        shown = f"{widths[0]} bits" if len(widths) == 1 else f"{widths[0]} to {widths[-1]} bits"
        return (
            f"number {block:,}: {count:,} differences, each {self._least(block):,} and {shown} more"
        )

    def _widths(self, block: int, count: int) -> list[int]:
        used = -(-count // self.structure.miniblock_size)
        return [int(width) for width in self.structure.bit_widths[block][:used]]

    def _least(self, block: int) -> int:
        dtype = f"u{self.bits // 8}", f"i{self.bits // 8}"
        stored = self.structure.min_deltas[block : block + 1].astype(dtype[0])
        return int(stored.view(dtype[1])[0])

    def look(
        self, kind: Kind, first: int, count: int, shown: range
    ) -> tuple[list[Part], list[Row]]:
        """The parts of a step and the values `shown`."""
        found = self.structure
        if kind is self.kinds[0]:
            parts, at = [], found.start
            for name in ("block size", "miniblocks", "number of values"):
                _, end = varint(self.raw, at)
                parts.append(number_part(name, self.raw, at, end))
                at = end
            return parts, []
        if kind is self.kinds[1]:
            part = number_part(
                "first value", self.raw, found.first_value_start, found.first_value_end, signed=True
            )
            return [part], [Row(i, "", "stored whole", None, found.first_value) for i in shown]
        return self._block((first - 1) // found.block_size, first, count, shown)

    def _block(
        self, block: int, first: int, count: int, shown: range
    ) -> tuple[list[Part], list[Row]]:
        found, raw = self.structure, self.raw
        start, widths_at = int(found.block_starts[block]), int(found.width_starts[block])
        body = widths_at + found.miniblocks
        least, size = self._least(block), found.miniblock_size
        widths = self._widths(block, count)
        places = found.miniblock_starts()[block].tolist()
        said = raw[widths_at : min(body, widths_at + 32)]
        unused = found.miniblocks - len(widths)
        parts = [
            number_part("smallest difference", raw, start, widths_at, signed=True),
            Part(
                "bit widths",
                widths_at,
                body,
                widths_at,
                said,
                tuple(
                    Group(
                        8 * i,
                        8 * i + 8,
                        f"miniblock {i}" if i < len(widths) else "unused",
                        ("number", "exponent")[i % 2] if i < len(widths) else "padding",
                    )
                    for i in range(len(said))
                ),
                (
                    f"one byte a miniblock: {', '.join(map(str, widths[:32]))} bits"
                    + (
                        f"; {unused} miniblock{'s have' if unused > 1 else ' has'} no values"
                        if unused
                        else ""
                    ),
                ),
            ),
        ]
        rows = [self._row(index, first, widths, places, least) for index in shown]
        near = (shown.start - first) // size
        begin = max(0, min(near - MINIBLOCKS // 2, len(widths) - MINIBLOCKS))
        for at in range(begin, min(begin + MINIBLOCKS, len(widths))):
            own = first + at * size
            number = min(size, first + count - own)
            width = widths[at]
            labels = []
            if at == near:
                labels = [str(int(row.bits or "0", 2)) for row in rows]
            says = f"{number:,} × {width} bits, of {size:,}"
            if not width:
                says = f"{number:,} differences of 0 bits: each is the smallest one, {least:,}"
            parts.append(
                packed_part(
                    f"miniblock {at}",
                    raw,
                    places[at],
                    places[at] + size // 8 * width,
                    width=width,
                    bit_start=8 * places[at],
                    first=own,
                    count=number,
                    focus=shown.start if at == near else own,
                    labels=labels,
                    says=(says,),
                )
            )
        return parts, rows

    def _row(self, index: int, first: int, widths: list[int], places: list[int], least: int) -> Row:
        at, within = divmod(index - first, self.structure.miniblock_size)
        bits = bits_text(self.raw, 8 * places[at] + within * widths[at], widths[at])
        rest = int(bits or "0", 2)
        before = None if self.values is None else int(self.values[index - 1])
        value = None if self.values is None else int(self.values[index])
        spelt = f"{bits} = {rest:,}" if bits else "no bits: 0"
        if before is None or value is None:
            return Row(index, bits, f"{spelt}; + {least:,} + the value before")
        how = f"{spelt}; {before:,} + ({least:,}) + {rest:,}" if least < 0 else ""
        how = how or f"{spelt}; {before:,} + {least:,} + {rest:,}"
        if before + least + rest != value:
            how += f", wrapped to {self.bits} bits"
        return Row(index, bits, f"{how} = {value:,}", None, value)


class Deltas(Derivation):
    """DELTA_BINARY_PACKED."""

    def __init__(self, raw: bytes, count: int, bits: int) -> None:
        steps = Steps(stream_kinds())
        self.stream: Stream | None = None
        if count or raw:
            self.stream = Stream(raw, 0, count, bits, steps.kinds)
            self.stream.add_to(steps)
        super().__init__(raw, steps)
        self.problem = self.stream.structure.error if self.stream else None

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        assert self.stream is not None
        first, count = int(self.steps.first[step]), int(self.steps.count[step])
        return self.stream.label(self.steps.kind_of(step), first, count)

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The parts of a step, and up to `number` of the values it yields, from number `focus` on."""
        assert self.stream is not None
        first, count = int(self.steps.first[step]), int(self.steps.count[step])
        shown = self.window(step, focus, number)
        return self.stream.look(self.steps.kind_of(step), first, count, shown)


VALUE = Kind("value", "The bytes of one value; how many, the lengths have said.", "values")
SUFFIX = Kind("value", "The bytes in which a value differs from the one before it.", "values")


class Strings(Derivation):
    """DELTA_LENGTH_BYTE_ARRAY, and DELTA_BYTE_ARRAY with `prefixed`."""

    def __init__(self, raw: bytes, count: int, *, prefixed: bool) -> None:
        self.prefixed = prefixed
        names = ("prefix lengths", "suffix lengths") if prefixed else ("lengths",)
        self.streams: list[Stream] = []
        self.starts = np.zeros(1, np.int64)
        value = SUFFIX if prefixed else VALUE
        kinds = [kind for name in names for kind in stream_kinds(name, name)]
        steps = Steps((*kinds, value))
        problem: ParquetError | None = None
        if count or raw:
            at = 0
            for nth in range(len(names)):
                own = tuple(kinds[3 * nth : 3 * nth + 3])
                stream = Stream(raw, at, count, 32, own)
                self.streams.append(stream)
                stream.add_to(steps)
                problem = stream.structure.error
                if problem is not None:
                    break
                at = stream.structure.end
            if problem is None:
                problem = self._add_values(steps, raw, count)
        super().__init__(raw, steps, total=None)
        self.total = len(self.steps) + max(0, count - LISTED)
        self.problem = problem

    def _add_values(self, steps: Steps, raw: bytes, count: int) -> ParquetError | None:
        try:
            offsets, start = delta_length_byte_array.decode_offsets(
                raw, self.streams[-1].structure.start, count
            )
        except ParquetError as error:
            return error
        self.starts = offsets + start
        listed = min(count, LISTED)
        if listed:
            steps.add(
                VALUE.name, self.starts[:listed], self.starts[1 : listed + 1], np.arange(listed), 1
            )
        return None

    def _stream_of(self, step: int) -> Stream | None:
        nth = int(self.steps.kind[step]) // 3
        return self.streams[nth] if nth < (2 if self.prefixed else 1) else None

    def lengths(self, index: int) -> tuple[int, int]:
        """How many bytes a value takes from the one before it, and how many it has of its own."""
        own = int(self.starts[index + 1] - self.starts[index])
        values = self.streams[0].values if self.prefixed else None
        return (0 if values is None else int(values[index])), own

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        stream = self._stream_of(step)
        first, count = int(self.steps.first[step]), int(self.steps.count[step])
        if stream is not None:
            return stream.label(self.steps.kind_of(step), first, count)
        prefix, own = self.lengths(first)
        if not self.prefixed:
            return f"{own:,} byte{'s' * (own != 1)}"
        return f"{prefix:,} from the value before, {own:,} of its own"

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The parts of a step, and up to `number` of the values it yields, from number `focus` on."""
        stream = self._stream_of(step)
        first, count = int(self.steps.first[step]), int(self.steps.count[step])
        if stream is not None:
            return stream.look(
                self.steps.kind_of(step), first, count, self.window(step, focus, number)
            )
        prefix, own = self.lengths(first)
        start, end = int(self.steps.start[step]), int(self.steps.end[step])
        if not self.prefixed:
            says = f"length {first:,} of the lengths is {own:,}"
            return [bytes_part("bytes", self.raw, start, end, (says,), "text")], [
                Row(first, "", f"the {own:,} bytes as they are")
            ]
        says = f"suffix length {first:,} is {own:,}"
        how = (
            f"{prefix:,} bytes of value {first - 1:,}, then {own:,} of its own"
            if prefix
            else (f"{own:,} bytes of its own")
        )
        part = bytes_part(
            "suffix", self.raw, start, end, (f"prefix length {first:,} is {prefix:,}", says), "text"
        )
        return [part], [Row(first, "", how)]
