"""Well-Known Binary: the bytes of a geometry.

A geometry is a byte order, a type, and then coordinates or more geometries. Parquet uses the ISO variant, which adds 1000
to the type for Z, 2000 for M and 3000 for both (OGC 06-103r4, "Well-known Binary Representation"). Some files have
PostGIS's EWKB, which sets high bits instead and can have a reference system; it is read, and `Shape.ewkb` is set.

Every count is checked against the bytes that are left, and the depth of collections is bounded.

Specification: https://github.com/apache/parquet-format/blob/master/Geospatial.md
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.text import plural

TYPES = {
    1: "Point",
    2: "LineString",
    3: "Polygon",
    4: "MultiPoint",
    5: "MultiLineString",
    6: "MultiPolygon",
    7: "GeometryCollection",
}
DIMENSIONS = ("XY", "XYZ", "XYM", "XYZM")
"""Dimensions of a coordinate, by the thousands of the type's code."""

MAX_DEPTH = 32
"""Nesting of collections within collections."""

_PART = {4: 1, 5: 2, 6: 3}
"""The type of the parts of a Multi type."""
_EWKB_Z, _EWKB_M, _EWKB_SRID = 0x80000000, 0x40000000, 0x20000000
_SMALLEST = 9
"""Bytes of the smallest geometry: byte order, type and a count of 0."""

Coordinates = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """A geometry: its type (1 to 7), its dimensions, and its coordinates or parts.

    `rings` holds float64 arrays of shape (points, dimensions): one for a Point (without a point if it is empty) and a
    LineString, one per ring for a Polygon. `parts` are the geometries of a Multi type or a collection. `srid` is EWKB's
    reference system, else None; `ewkb` is true if PostGIS's flags were used.
    """

    kind: int
    dimensions: str
    rings: tuple[Coordinates, ...] = ()
    parts: tuple[Shape, ...] = ()
    srid: int | None = None
    ewkb: bool = False

    @property
    def code(self) -> int:
        """The ISO type code: 1 to 7, plus 1000 for Z, 2000 for M, 3000 for both."""
        return self.kind + 1000 * DIMENSIONS.index(self.dimensions)

    def coordinates(self) -> Iterator[Coordinates]:
        """Every array of points in the geometry, its parts included."""
        todo = [self]
        while todo:
            shape = todo.pop()
            yield from shape.rings
            todo.extend(reversed(shape.parts))

    @property
    def is_ewkb(self) -> bool:
        """Whether the geometry or a part of it has PostGIS's flags."""
        return self.ewkb or any(part.is_ewkb for part in self.parts)

    @property
    def num_points(self) -> int:
        """Points in the geometry, those that close rings included."""
        return sum(len(points) for points in self.coordinates())

    def describe(self) -> str:
        """One line: `MultiPolygon, XY, 2 parts, 11 points`."""
        parts = [TYPES[self.kind], self.dimensions]
        if self.parts:
            parts.append(plural(len(self.parts), "part"))
        elif len(self.rings) > 1:
            parts.append(f"{len(self.rings):,} rings")
        parts.append(plural(self.num_points, "point"))
        if self.ewkb:
            parts.append("EWKB, not the ISO variant that Parquet requires")
        if self.srid is not None:
            parts.append(f"SRID {self.srid}")
        return ", ".join(parts)


@dataclasses.dataclass(slots=True)
class _Reader:
    """A position in the bytes, and the byte order there."""

    data: memoryview
    at: int = 0
    order: str = "<"

    def need(self, size: int, what: str) -> int:
        start = self.at
        if size > len(self.data) - start:
            raise CorruptFileError(
                f"WKB ends within {what}: {size:,} bytes are needed, {len(self.data) - start:,} are left", offset=start
            )
        self.at = start + size
        return start

    def uint32(self, what: str) -> int:
        value: int = struct.unpack_from(f"{self.order}I", self.data, self.need(4, what))[0]
        return value

    def count(self, what: str, size: int) -> int:
        """A count of items that take at least `size` bytes each."""
        start = self.at
        number = self.uint32(f"the number of {what}")
        if number > (len(self.data) - self.at) // size:
            raise CorruptFileError(
                f"WKB declares {number:,} {what}, {len(self.data) - self.at:,} bytes are left", offset=start
            )
        return number

    def points(self, number: int, width: int) -> Coordinates:
        start = self.need(8 * number * width, "coordinates")
        kind = f"{self.order}f8"
        stored = np.frombuffer(self.data, kind, number * width, start)
        return stored.astype(np.float64, copy=False).reshape(number, width)


def parse(raw: bytes | memoryview) -> Shape:
    """The geometry that takes all of the bytes.

    Raises CorruptFileError, with the offset in the bytes, for truncation, unknown types, parts of a wrong type, nesting
    deeper than 32 levels, and bytes that are left over.
    """
    reader = _Reader(memoryview(raw).cast("B"))
    shape = _shape(reader, 0)
    if reader.at != len(reader.data):
        left = len(reader.data) - reader.at
        raise CorruptFileError(f"{left:,} bytes follow the WKB geometry", offset=reader.at)
    return shape


def _shape(reader: _Reader, depth: int) -> Shape:
    start = reader.at
    if depth > MAX_DEPTH:
        raise CorruptFileError(f"WKB nests deeper than {MAX_DEPTH} levels", offset=start)
    order = reader.data[reader.need(1, "the byte order")]
    if order > 1:
        raise CorruptFileError(f"WKB byte order {order}; 0 and 1 exist", offset=start)
    reader.order = "<" if order else ">"
    word = reader.uint32("the type")
    ewkb = bool(word >> 29)
    thousands, kind = divmod(word & 0x1FFFFFFF, 1000)
    if thousands > 3 or kind not in TYPES:
        raise CorruptFileError(f"WKB type {word:,} is not known", offset=start + 1)
    flags = bool(word & _EWKB_Z) + 2 * bool(word & _EWKB_M)
    dimensions = DIMENSIONS[thousands | flags]
    srid = reader.uint32("the SRID") if word & _EWKB_SRID else None
    width = len(dimensions)
    rings: list[Coordinates] = []
    parts: list[Shape] = []
    if kind == 1:
        point = reader.points(1, width)
        rings.append(point[:0] if np.isnan(point).all() else point)
    elif kind == 2:
        rings.append(reader.points(reader.count("points", 8 * width), width))
    elif kind == 3:
        for _ in range(reader.count("rings", 4)):
            rings.append(reader.points(reader.count("points", 8 * width), width))
    else:
        for _ in range(reader.count("geometries", _SMALLEST)):
            at, order_here = reader.at, reader.order
            part = _shape(reader, depth + 1)
            reader.order = order_here
            if part.kind != _PART.get(kind, part.kind) or part.dimensions != dimensions:
                raise CorruptFileError(
                    f"{TYPES[part.kind]} {part.dimensions} within {TYPES[kind]} {dimensions}", offset=at
                )
            parts.append(part)
    return Shape(kind, dimensions, tuple(rings), tuple(parts), srid, ewkb)


def text(shape: Shape, max_points: int = 100) -> str:
    """Well-Known Text, `POLYGON Z ((…))`; `…` stands for points beyond `max_points`."""
    budget = [max_points]
    written = _tagged(shape, budget)
    return written if shape.srid is None else f"SRID={shape.srid};{written}"


def _number(value: float) -> str:
    written = repr(float(value))
    return written[:-2] if written.endswith(".0") else written


def _points(points: Coordinates, budget: list[int]) -> str:
    shown = [" ".join(map(_number, point)) for point in points[: budget[0]]]
    budget[0] -= len(shown)
    if len(shown) < len(points):
        shown.append("…")
    return ", ".join(shown)


def _tagged(shape: Shape, budget: list[int]) -> str:
    suffix = shape.dimensions[2:]
    return f"{TYPES[shape.kind].upper()}{' ' + suffix if suffix else ''} {_body(shape, budget)}"


def _body(shape: Shape, budget: list[int]) -> str:
    """The text after the name: EMPTY, points in brackets, or brackets around more of them."""
    if shape.kind in (1, 2):
        return f"({_points(shape.rings[0], budget)})" if len(shape.rings[0]) else "EMPTY"
    texts: list[str] = []
    for part in shape.rings or shape.parts:
        if budget[0] <= 0:
            texts.append("…")
            break
        if isinstance(part, Shape):
            texts.append((_tagged if shape.kind == 7 else _body)(part, budget))
        else:
            texts.append(f"({_points(part, budget)})" if len(part) else "EMPTY")
        budget[0] -= 1 if texts[-1].endswith("EMPTY") else 0
    return f"({', '.join(texts)})" if texts else "EMPTY"
