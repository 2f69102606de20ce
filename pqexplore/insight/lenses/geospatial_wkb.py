"""The bytes of a WKB value in parts: byte order, type, counts, coordinates.

`engine.format.wkb.parse` checks every count first, so the walk here follows the same bytes without checks. A long list of
points is one part, which shows its first and last point. It is a room of its own because the lens and this together are
longer than one file should be.
"""

from __future__ import annotations

import dataclasses
import struct

from pqexplore.engine.format import wkb

PARTS = 2_000
"""Parts that are listed. A value with many rings or geometries has more."""


@dataclasses.dataclass(frozen=True, slots=True)
class WkbPart:
    """Bytes `[start, end)` of a value. `depth` counts the collections and polygons around them."""

    start: int
    end: int
    name: str
    text: str
    depth: int


def parts(raw: bytes) -> list[WkbPart]:
    """The parts of a WKB value, in the order of its bytes. Raises CorruptFileError if it is not WKB."""
    wkb.parse(raw)
    walk = _Walk(raw)
    walk.shape(0)
    return walk.parts


class _Walk:
    """A position in the bytes, and the parts before it."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0
        self.order = "<"
        self.parts: list[WkbPart] = []

    def add(self, size: int, name: str, text: str, depth: int) -> None:
        if len(self.parts) < PARTS:
            self.parts.append(WkbPart(self.at, self.at + size, name, text, depth))
        self.at += size

    def number(self) -> int:
        value: int = struct.unpack_from(f"{self.order}I", self.raw, self.at)[0]
        return value

    def count(self, what: str, depth: int) -> int:
        number = self.number()
        self.add(4, f"number of {what}", f"{number:,}", depth)
        return number

    def points(self, count: int, dimensions: str, depth: int) -> None:
        width = len(dimensions)
        size = 8 * width * count
        if not count:
            return
        first = self._point(self.at, width)
        text = first if count == 1 else f"{first} … {self._point(self.at + size - 8 * width, width)}"
        name = "point" if count == 1 else f"{count:,} points"
        self.add(size, name, f"{dimensions}: {text}", depth)

    def _point(self, at: int, width: int) -> str:
        numbers = struct.unpack_from(f"{self.order}{width}d", self.raw, at)
        return "(" + " ".join(f"{number:.10g}" for number in numbers) + ")"

    def shape(self, depth: int) -> None:
        little = self.raw[self.at]
        self.order = "<" if little else ">"
        self.add(1, "byte order", "little-endian" if little else "big-endian", depth)
        word = self.number()
        thousands, kind = divmod(word & 0x1FFFFFFF, 1000)
        flags = bool(word & 0x80000000) + 2 * bool(word & 0x40000000)
        dimensions = wkb.DIMENSIONS[thousands | flags]
        text = f"{word & 0x1FFFFFFF}: {wkb.TYPES[kind]} {dimensions}"
        self.add(4, "type", text + (", with EWKB's flags" if word >> 29 else ""), depth)
        if word & 0x20000000:
            self.add(4, "SRID", f"{self.number()}", depth)
        if kind == 1:
            self.points(1, dimensions, depth)
        elif kind == 2:
            self.points(self.count("points", depth), dimensions, depth)
        elif kind == 3:
            for ring in range(self.count("rings", depth)):
                name = "the shell" if ring == 0 else f"hole {ring}"
                self.points(self.count(f"points of {name}", depth), dimensions, depth + 1)
        else:
            order = self.order
            for _ in range(self.count("geometries", depth)):
                self.shape(depth + 1)
                self.order = order
