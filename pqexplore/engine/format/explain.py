"""How bytes became values: steps, their parts, the groups of bits in these, and the arithmetic that makes numbers.

A section of a page is a row of *steps* (a run, a block, a value with its length). A `Step` is what `trace` yields: its
bytes and its values. Explaining one gives *parts*: bytes with groups of bits, each named, and lines of arithmetic; and
*rows*: the values, each with its own bits and its own sum. Thrift's fields are explained with the same parts.

Bits are counted from the first shown byte. In `lsb` order bit 0 is the least significant bit of that byte, as in all
encodings but one; in `msb` order it is the most significant (BIT_PACKED).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from pqexplore.engine.format.varint import read_varint, unzigzag

Buffer = bytes | bytearray | memoryview
"""What decoders take: contiguous bytes."""

SHOWN = 32
"""Bytes of a part that are shown."""

TEXT = 80
"""Bytes of a text that are shown."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The bytes `[start, end)` of the values section, and the values `[first, first + count)` they yield.

    `kind` is a stable word (`header`, `rle run`, `bit-packed run`, `value`, …), `label` a short text for people.
    `values` is a numpy array or Arrow array of `count` values, or None where `count` is 0. The values of the steps of
    a section, one after another, are exactly what `decode` gives. `facts` holds the numbers that matter here under
    their names (`bit_width`, `min_delta`, …). What is finer than a byte is in the facts: value `first + i` of a
    bit-packed step lies at bits `[bit_start + i * bit_width, … + bit_width)`, where bit 0 is the least significant
    bit of byte 0 of the buffer. `parts` are the smaller steps that a step is made of: they yield nothing beyond what
    their step yields.
    """

    kind: str
    label: str
    start: int
    end: int
    first: int = 0
    count: int = 0
    values: Any = None
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    parts: Sequence[Step] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A value that a step yields: its number, its binary digits, and how it was computed.

    `entry` is the index into the dictionary. `value` is the number where it is not a value of the section: a level, an
    index, a length.
    """

    index: int
    bits: str = ""
    how: str = ""
    entry: int | None = None
    value: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Bits `[start, end)` of a part: what they say, and as what.

    `role` is one of more (says that a byte follows), flag, number, value, padding, sign, exponent, fraction. `value` is the
    number of the value that the bits belong to, where they belong to one.
    """

    start: int
    end: int
    label: str
    role: str = "number"
    value: int | None = None


Form: TypeAlias = Literal["bits", "bytes", "text"]
Order: TypeAlias = Literal["lsb", "msb"]


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of a step.

    `[start, end)` are its bytes in the section; `at` the first of those that are `shown`, as numbers. `says` are lines
    of arithmetic. `form` is bits, bytes (too many or too plain for bits) or text. `value` leads to the first value that
    the part yields, where one can go nearer. `places` has the position of each shown byte where they do not lie side
    by side.
    """

    name: str
    start: int
    end: int
    at: int
    shown: Sequence[int]
    groups: Sequence[Group] = ()
    says: Sequence[str] = ()
    form: Form = "bits"
    order: Order = "lsb"
    value: int | None = None
    places: Sequence[int] = ()

    def shifted(self, by: int) -> Part:
        """The same part, with lists, in a space in which the section begins at byte `by`."""
        return dataclasses.replace(
            self,
            start=self.start + by,
            end=self.end + by,
            at=self.at + by,
            shown=list(self.shown),
            groups=list(self.groups),
            says=list(self.says),
            places=[place + by for place in self.places],
        )


def varint_text(raw: bytes) -> str:
    """How the bytes of a ULEB128 integer become a number: `0x88 0x02 = 8 + 2 × 128 = 264`."""
    digits = [byte & 127 for byte in raw]
    number = sum(digit << (7 * i) for i, digit in enumerate(digits))
    spelt = " ".join(f"0x{byte:02x}" for byte in raw)
    if len(raw) == 1:
        return f"varint {spelt} = {number:,}"
    terms = [
        f"{digit:,}" if not i else f"{digit:,} × 2^{7 * i}"
        for i, digit in enumerate(digits)
        if digit or len(digits) < 4
    ]
    return f"varint {spelt} = {' + '.join(terms)} = {number:,}"


def zigzag_text(raw: bytes) -> tuple[int, str]:
    """A signed number as zigzag varint, and how it was read."""
    stored, _ = read_varint(raw)
    number = unzigzag(stored)
    sign = f"odd: −({stored:,} + 1) / 2" if stored & 1 else f"even: {stored:,} / 2"
    return number, f"{varint_text(raw)}, zigzag, {sign} = {number:,}"


def varint_groups(length: int, label: str, flag: str = "") -> tuple[Group, ...]:
    """The bits of a varint of so many bytes: seven of the number and one that says whether a byte follows, in each.

    `flag` names the lowest bit, where it is one.
    """
    groups = []
    for byte in range(length):
        low = 8 * byte
        if flag and not byte:
            groups.append(Group(0, 1, flag, "flag"))
            low = 1
        groups.append(Group(low, 8 * byte + 7, label))
        more = "more follow" if byte < length - 1 else "the last"
        groups.append(Group(8 * byte + 7, 8 * byte + 8, more, "more"))
    return tuple(groups)


def number_part(name: str, raw: Buffer, start: int, end: int, *, signed: bool = False) -> Part:
    """A varint as a part."""
    own = bytes(raw[start:end])
    text = zigzag_text(own)[1] if signed else varint_text(own)
    return Part(name, start, end, start, own, varint_groups(len(own), name), (text,))


def little_endian(name: str, raw: Buffer, start: int, size: int, *, signed: bool = False) -> Part:
    """A whole number of fixed width, the lowest byte first."""
    own = bytes(raw[start : start + size])
    number = int.from_bytes(own, "little", signed=signed)
    spelt = own.hex(" ")
    text = f"{spelt}, lowest byte first = {number:,}" if size > 1 else f"0x{spelt} = {number:,}"
    return Part(name, start, start + size, start, own, (Group(0, 8 * size, name),), (text,))


def bytes_part(name: str, raw: Buffer, start: int, end: int, says: Sequence[str] = (), form: Form = "bytes") -> Part:
    """Bytes that are shown as such, from their beginning."""
    shown = bytes(raw[start : min(end, start + (TEXT if form == "text" else SHOWN))])
    return Part(name, start, end, start, shown, (), tuple(says), form)


def packed_part(
    raw: Buffer, piece: Step, focus: int, labels: Sequence[str], says: str, *, name: str = "", order: Order = "lsb"
) -> Part:
    """Packed values: those from number `focus` on, as many as fit into the shown bytes.

    `piece` has the bytes and, as facts, `bit_width` and `bit_start`. `labels` are what the values from `focus` on say;
    without any, no bytes are shown. `name` is that of the part if it is not the piece's kind.
    """
    name, width, bit_start = name or piece.kind, piece.facts["bit_width"], piece.facts["bit_start"]
    start, end, first, count = piece.start, piece.end, piece.first, piece.count
    if not width or not count or not labels:
        return Part(name, start, end, start, b"", (), (says,), "bits", order, first)
    focus = max(first, min(focus, first + count - 1))
    at = (bit_start + (focus - first) * width) >> 3
    shown = bytes(raw[at : min(end, at + SHOWN)])
    groups = []
    for number, label in enumerate(labels, focus):
        low = bit_start + (number - first) * width - 8 * at
        if low + width > 8 * len(shown) or number >= first + count:
            break
        groups.append(Group(low, low + width, label, "value", number))
    if groups:
        shown = shown[: (groups[-1].end + 7) >> 3]
    last = 8 * len(shown)
    if groups and focus + len(groups) == first + count and groups[-1].end < last:
        groups.append(Group(groups[-1].end, last, "padding", "padding"))
    return Part(name, start, end, at, shown, tuple(groups), (says,), "bits", order, first)


def bits_text(raw: Buffer, bit: int, width: int, order: Order = "lsb") -> str:
    """The binary digits of the `width` bits from `bit` on, the most significant first; "" for no bits."""
    return f"{read_bits(raw, bit, width, order):0{width}b}" if width else ""


def read_bits(raw: Buffer, bit: int, width: int, order: Order = "lsb") -> int:
    """The unsigned integer in the `width` bits from `bit` on: one value, read as the specification reads it."""
    low, high = bit >> 3, (bit + width + 7) >> 3
    if order == "msb":
        number = int.from_bytes(raw[low:high], "big") >> (8 * high - bit - width)
    else:
        number = int.from_bytes(raw[low:high], "little") >> (bit & 7)
    return number & (1 << width) - 1
