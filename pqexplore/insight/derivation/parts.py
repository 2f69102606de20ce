"""Parts of a step: bytes, the groups of bits in them, and what is reckoned with them.

Bits are counted from the first shown byte. In `lsb` order bit 0 is the least significant bit of that byte, as in all
encodings but one; in `msb` order it is the most significant (BIT_PACKED).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

SHOWN = 32
"""Bytes of a part that are shown."""

TEXT = 80
"""Bytes of a text that are shown."""


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


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of a step under the glass.

    `[start, end)` are its bytes in the section; `at` the first of those that are `shown`. `says` are lines of
    arithmetic. `form` is bits, bytes (too many or too plain for bits) or text. `value` leads to the first value that
    the part yields, where one can go nearer. `places` has the position of each shown byte where they do not lie side
    by side.
    """

    name: str
    start: int
    end: int
    at: int
    shown: bytes
    groups: tuple[Group, ...] = ()
    says: tuple[str, ...] = ()
    form: str = "bits"
    order: str = "lsb"
    value: int | None = None
    places: tuple[int, ...] = ()

    def to_json(self, base: int) -> dict[str, Any]:
        """The part for a view; the section begins at byte `base` of its space."""
        return {
            "name": self.name,
            "start": self.start + base,
            "end": self.end + base,
            "at": self.at + base,
            "shown": list(self.shown),
            "groups": [dataclasses.astuple(group) for group in self.groups],
            "says": list(self.says),
            "form": self.form,
            "order": self.order,
            "value": self.value,
            "places": [place + base for place in self.places],
        }


def varint(raw: bytes, at: int) -> tuple[int, int]:
    """The ULEB128 integer at `at`, and the byte behind it. The scan that found it has proved that it is whole."""
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128 or at >= len(raw):
            return value, at


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


def zigzag(value: int) -> int:
    """The signed number of a zigzag integer."""
    return (value >> 1) ^ -(value & 1)


def zigzag_text(raw: bytes) -> tuple[int, str]:
    """A signed number as zigzag varint, and how it was read."""
    stored, _ = varint(raw, 0)
    number = zigzag(stored)
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


def number_part(name: str, raw: bytes, start: int, end: int, *, signed: bool = False) -> Part:
    """A varint as a part."""
    own = raw[start:end]
    text = zigzag_text(own)[1] if signed else varint_text(own)
    return Part(name, start, end, start, own, varint_groups(len(own), name), (text,))


def little_endian(name: str, raw: bytes, start: int, size: int, *, signed: bool = False) -> Part:
    """A whole number of fixed width, the lowest byte first."""
    own = raw[start : start + size]
    number = int.from_bytes(own, "little", signed=signed)
    spelt = own.hex(" ")
    text = f"{spelt}, lowest byte first = {number:,}" if size > 1 else f"0x{spelt} = {number:,}"
    return Part(name, start, start + size, start, own, (Group(0, 8 * size, name),), (text,))


def bytes_part(
    name: str, raw: bytes, start: int, end: int, says: Sequence[str] = (), form: str = "bytes"
) -> Part:
    """Bytes that are shown as such, from their beginning."""
    shown = raw[start : min(end, start + (TEXT if form == "text" else SHOWN))]
    return Part(name, start, end, start, shown, (), tuple(says), form)


def packed_part(
    name: str,
    raw: bytes,
    start: int,
    end: int,
    *,
    width: int,
    bit_start: int,
    first: int,
    count: int,
    focus: int,
    labels: Sequence[str],
    says: Sequence[str] = (),
    order: str = "lsb",
) -> Part:
    """Packed values: those from number `focus` on, as many as fit into the shown bytes.

    Value `first` begins at bit `bit_start` of the section. `labels` are what the values from `focus` on say; without
    any, no bytes are shown.
    """
    if not width or not count or not labels:
        return Part(name, start, end, start, b"", (), tuple(says), "bits", order, first)
    focus = max(first, min(focus, first + count - 1))
    begin = bit_start + (focus - first) * width
    at = begin >> 3
    shown = raw[at : min(end, at + SHOWN)]
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
    return Part(name, start, end, at, shown, tuple(groups), tuple(says), "bits", order, first)


def bits_text(raw: bytes, bit: int, width: int, order: str = "lsb") -> str:
    """The binary digits of the `width` bits from `bit` on, the most significant first."""
    if not width:
        return ""
    low, high = bit >> 3, (bit + width + 7) >> 3
    if order == "msb":
        number = int.from_bytes(raw[low:high], "big") >> (8 * high - bit - width)
    else:
        number = int.from_bytes(raw[low:high], "little") >> (bit & 7)
    return f"{number & (1 << width) - 1:0{width}b}"
