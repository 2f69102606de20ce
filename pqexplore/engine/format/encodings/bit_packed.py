"""BIT_PACKED (= 4), deprecated: levels back to back, most significant bit first.

No header, no runs: value i lies at bits `[i * bit_width, (i + 1) * bit_width)`, where bit 0 is the *most*
significant bit of byte 0. Read backwards, byte for byte, that is packing with the least significant bit first and
the last value in front; so `bits` does the work.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#BITPACKED
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings import bits
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.format.encodings.encoding import SectionEncoding, Structure
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import Part, Row, bits_text, packed_part, read_bits
from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural

PACKED = Kind("packed values", "All values, bit after bit, the most significant first.", "values")

MAX_BIT_WIDTH = 32


def length(count: int, bit_width: int) -> int:
    """The bytes that `count` values of `bit_width` bits take; the page does not store this length."""
    return bits.packed_size(bit_width, count)


def decode(buffer: Buffer, bit_width: int, count: int) -> tuple[UnsignedArray, int]:
    """`count` values of `bit_width` bits from the start of `buffer`, and how many bytes they take.

    The values have the smallest unsigned type that fits. Raises `CorruptFileError` when the buffer is too short
    or the bit width is not 0 to 32.
    """
    if not 0 <= bit_width <= MAX_BIT_WIDTH:
        raise CorruptFileError(f"a bit width is 0 to {MAX_BIT_WIDTH}, not {bit_width}")
    if count < 0:
        raise CorruptFileError(f"a page cannot have {count:,} values")
    size = length(count, bit_width)
    if size > len(buffer):
        raise CorruptFileError(
            f"{count:,} bit-packed values of {bit_width} bits take {size:,} bytes, but there are only {len(buffer):,}",
            offset=len(buffer),
        )
    backwards = np.frombuffer(buffer, np.uint8)[:size][::-1]
    padding = 8 * size - count * bit_width
    values = bits.unpack(np.ascontiguousarray(backwards), bit_width, count, padding)
    return values[::-1], size


@dataclasses.dataclass(eq=False)
class Packed(Structure):
    """All levels as one step."""

    raw: Buffer
    bit_width: int
    count: int
    error = None

    @once
    def values(self) -> UnsignedArray:
        """The levels."""
        return decode(self.raw, self.bit_width, self.count)[0]

    @property
    def end(self) -> int:
        """The byte after the last level."""
        return length(self.count, self.bit_width)

    @once
    def steps(self) -> Steps:
        """`packed values`, if there are any."""
        steps = Steps(PACKED)
        if self.count:
            steps.add(PACKED, 0, self.end, 0, self.count)
        return steps

    def label(self, step: int) -> str:
        """How many values of how many bits."""
        bits_each = plural(self.bit_width, "bit")
        return f"{self.count:,} values of {bits_each}, most significant bit first"

    def facts(self, step: int) -> dict[str, Any]:
        """Which bits they are."""
        return {
            "bit_width": self.bit_width,
            "bit_order": "most significant first",
            "bit_start": 0,
            "bit_end": self.count * self.bit_width,
        }

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """The values shown, and their bits."""
        rows, width = [], self.bit_width
        for index in shown:
            digits = bits_text(self.raw, index * width, width, "msb")
            value = int(digits or "0", 2)
            rows.append(Row(index, digits, f"{digits} = {value:,}", None, value))
        says = (
            "the deprecated BIT_PACKED: the first value has the most significant bits of the first byte, and there "
            "is no header"
        )
        labels = [f"{row.value:,}" for row in rows]
        return [packed_part(self.raw, self.step(step), shown.start, labels, says, order="msb")], rows

    def summary(self, what: str) -> str:
        """How many bits a level has."""
        return f"{what} of {plural(self.bit_width, 'bit')}, bit-packed without runs"

    def remark(self) -> str:
        """Nobody writes it today."""
        return " (the deprecated BIT_PACKED)"


def scan(buffer: Buffer, bit_width: int, count: int) -> Packed:
    """The structure, which is one step. Raises what `decode` raises."""
    packed = Packed(buffer, bit_width, count)
    _ = packed.values
    return packed


def encode(values: Any, bit_width: int) -> bytes:
    """The bytes of `values` (non-negative integers); `UsageError` when one does not fit."""
    given = np.asarray(values)
    padded = np.concatenate((given, np.zeros(-given.size % 8, given.dtype)))
    return bits.pack(padded[::-1], bit_width)[::-1][: length(given.size, bit_width)]


def reference(buffer: Buffer, bit_width: int, count: int) -> list[int]:
    """The values as the specification reads them, one at a time."""
    return [read_bits(buffer, nth * bit_width, bit_width, "msb") for nth in range(count)]


ENCODING = SectionEncoding(Encoding.BIT_PACKED, (), scan)
