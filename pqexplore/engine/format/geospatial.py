"""Bounding boxes and type codes of geometries, and the geospatial statistics of a file.

Values of GEOMETRY and GEOGRAPHY columns are WKB (`wkb` reads it). They have no order, so instead of min and max a
chunk has GeospatialStatistics: a bounding box and the types that occur.

Specification: https://github.com/apache/parquet-format/blob/master/Geospatial.md
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import wkb
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Annotation, Leaf

DEFAULT_CRS = "OGC:CRS84"
"""The reference system of a column without `crs`: longitude and latitude on WGS 84."""

DEFAULT_EDGES = structs.EdgeInterpolationAlgorithm.SPHERICAL
"""The edges of a GEOGRAPHY without `algorithm`: geodesics on a sphere."""

DEGREES = (None, "", DEFAULT_CRS, "EPSG:4326", "srid:4326")
"""Values of `crs` whose coordinates are longitude and latitude, in degrees."""

_SUFFIX = {"XY": "", "XYZ": " Z", "XYM": " M", "XYZM": " ZM"}
TYPE_NAMES = {
    1000 * thousands + kind: wkb.TYPES[kind] + _SUFFIX[dimensions]
    for thousands, dimensions in enumerate(wkb.DIMENSIONS)
    for kind in wkb.TYPES
}
"""Names of the geospatial type codes: 1 Point, 1001 Point Z, …"""

_AXES = ("x", "y", "z", "m")
LIMITS = {"x": 180.0, "y": 90.0}
"""The largest longitude and latitude, in degrees."""


def edges_of(logical: Annotation) -> tuple[str, str]:
    """How a GEOGRAPHY's line between two points runs: the name of the algorithm, the default's if none is stated, and how."""
    stated = logical.algorithm
    if stated is None:
        return DEFAULT_EDGES.name, f"the default: {_lower(DEFAULT_EDGES.meaning)}"
    known = next((one for one in structs.EdgeInterpolationAlgorithm if one == stated), None)
    if known is None:
        return structs.enum_name(structs.EdgeInterpolationAlgorithm, stated), "an algorithm that is not known"
    return known.name, _lower(known.meaning)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def type_name(code: int) -> str:
    """The name of a geospatial type code, or `UNKNOWN(code)`."""
    return TYPE_NAMES.get(code, f"UNKNOWN({code})")


@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """A bounding box, in the units of the column's reference system; z and m are None if no geometry has them.

    If `xmin` is greater than `xmax` the box crosses the antimeridian and contains a point if x ≥ xmin or x ≤ xmax.
    """

    xmin: float
    xmax: float
    ymin: float
    ymax: float
    zmin: float | None = None
    zmax: float | None = None
    mmin: float | None = None
    mmax: float | None = None

    def side(self, axis: str) -> tuple[float | None, float | None]:
        """The minimum and maximum of an axis: `x`, `y`, `z` or `m`."""
        return getattr(self, f"{axis}min"), getattr(self, f"{axis}max")

    @property
    def wraps(self) -> bool:
        """Whether the box crosses the antimeridian."""
        return self.xmin > self.xmax

    def contains(self, x: float, y: float) -> bool:
        """Whether a point may lie in the box."""
        if not self.ymin <= y <= self.ymax:
            return False
        return x >= self.xmin or x <= self.xmax if self.wraps else self.xmin <= x <= self.xmax


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """The geometries of a column: their box (None without coordinates), and the number of geometries by type code.

    `points` counts their points, `damaged` the values that are not WKB; `first_damage` is (index, problem) of the first.
    """

    box: Box | None
    types: dict[int, int]
    points: int
    damaged: int
    first_damage: tuple[int, str] | None


def extent(shape: wkb.Shape) -> dict[str, tuple[float, float]]:
    """The smallest and largest coordinate of each axis of a geometry: `x`, `y`, `z`, `m`.

    NaN coordinates are skipped; an axis without coordinates is left out (specification, "Bounding Box").
    """
    sides: dict[str, tuple[float, float]] = {}
    names = shape.dimensions.lower()
    for points in shape.coordinates():
        if len(points) == 0:
            continue
        smallest = np.fmin.reduce(points, axis=0)
        largest = np.fmax.reduce(points, axis=0)
        for axis, minimum, maximum in zip(names, smallest, largest, strict=True):
            if minimum == minimum:  # not NaN
                low, high = sides.get(axis, (math.inf, -math.inf))
                sides[axis] = min(low, float(minimum)), max(high, float(maximum))
    return sides


def bounding_box(shapes: Iterable[wkb.Shape]) -> Box | None:
    """The box around all geometries, without wraparound; None without x or y (specification, "Bounding Box")."""
    known: dict[str, tuple[float, float]] = {}
    for shape in shapes:
        for axis, (minimum, maximum) in extent(shape).items():
            low, high = known.get(axis, (minimum, maximum))
            known[axis] = min(low, minimum), max(high, maximum)
    if "x" not in known or "y" not in known:
        return None
    sides: dict[str, float] = {}
    for axis, (low, high) in known.items():
        sides |= {f"{axis}min": low, f"{axis}max": high}
    return Box(**sides)


def read(values: pa.Array) -> Iterator[tuple[int, wkb.Shape | ParquetError]]:
    """The index of each WKB value of a binary array, and its geometry or what is wrong with it; nulls are skipped."""
    for index, value in enumerate(values):
        if not value.is_valid:
            continue
        try:
            yield index, wkb.parse(memoryview(value.as_buffer()))
        except ParquetError as error:
            yield index, error


def summarise(values: pa.Array) -> Summary:
    """Read every WKB value of a binary array; nulls are skipped, damaged values are counted."""
    types: dict[int, int] = {}
    damage: list[tuple[int, str]] = []
    damaged = points = 0

    def shapes() -> Iterable[wkb.Shape]:
        nonlocal damaged, points
        for index, shape in read(values):
            if isinstance(shape, ParquetError):
                damaged += 1
                if not damage:
                    damage.append((index, str(shape)))
                continue
            types[shape.code] = types.get(shape.code, 0) + 1
            points += shape.num_points
            yield shape

    box = bounding_box(shapes())
    return Summary(box, dict(sorted(types.items())), points, damaged, damage[0] if damage else None)


def box_of(statistics: structs.GeospatialStatistics | None) -> Box | None:
    """The box that the file declares; None if there is none, or a required side is missing."""
    stated = None if statistics is None else statistics.bbox
    if stated is None or structs.missing(stated):
        return None
    return Box(*(getattr(stated, field.name) for field in Box.__dataclass_fields__.values()))


def problems(leaf: Leaf, statistics: structs.GeospatialStatistics | None) -> list[str]:
    """What is wrong with declared geospatial statistics by themselves, in sentences."""
    if statistics is None:
        return []
    sentences: list[str] = []
    if meaning(leaf).name not in ("GEOMETRY", "GEOGRAPHY"):
        sentences.append("the column has geospatial statistics and is neither GEOMETRY nor GEOGRAPHY")
    codes = statistics.geospatial_types or []
    if len(set(codes)) != len(codes):
        sentences.append(f"geospatial_types has duplicates: {codes[:20]}")
    unknown = [code for code in codes if code not in TYPE_NAMES]
    if unknown:
        sentences.append(f"geospatial_types has unknown codes: {unknown[:20]}")
    box = box_of(statistics)
    if statistics.bbox is not None and box is None:
        sentences.append(f"the bounding box lacks {', '.join(structs.missing(statistics.bbox))}")
    return sentences if box is None else sentences + _box_problems(box) + beyond_globe(leaf, box)


def _box_problems(box: Box) -> list[str]:
    sentences = []
    for axis in _AXES:
        low, high = box.side(axis)
        if (low is None) != (high is None):
            sentences.append(f"the bounding box has only one of {axis}min and {axis}max")
        elif low is None or high is None:
            continue
        elif math.isnan(low) or math.isnan(high):
            sentences.append(f"the bounding box has NaN for {axis}; the axis should be left out")
        elif low > high and axis != "x":
            sentences.append(f"{axis}min {low} is greater than {axis}max {high}; only x may wrap around")
    return sentences


def beyond_globe(leaf: Leaf, box: Box) -> list[str]:
    """The sides of a GEOGRAPHY's box that are no longitude or latitude, in sentences."""
    if meaning(leaf).name != "GEOGRAPHY":
        return []
    return [
        f"{axis}{name} {side} lies outside [−{limit:g}, {limit:g}]"
        for axis, limit in LIMITS.items()
        for name, side in zip(("min", "max"), box.side(axis), strict=True)
        if side is not None and abs(side) > limit
    ]


def outside(box: Box, shape: wkb.Shape, sides: dict[str, tuple[float, float]]) -> str | None:
    """A coordinate of a geometry that its column's box leaves out, and the side of the box; None if there is none.

    `sides` is the geometry's `extent`. If the box wraps around, x must not lie between xmax and xmin. Axes of the box
    that are wrong by themselves are not compared.
    """
    for axis, (minimum, maximum) in sides.items():
        low, high = box.side(axis)
        if low is None or high is None:
            continue
        if axis == "x" and box.wraps:
            for points in shape.coordinates():
                between = (points[:, 0] > high) & (points[:, 0] < low)
                if between.any():
                    x = float(points[between][0, 0])
                    return f"x = {x}, between xmax = {high} and xmin = {low}"
        elif low <= high and minimum < low:
            return f"{axis} = {minimum}, below {axis}min = {low}"
        elif low <= high and maximum > high:
            return f"{axis} = {maximum}, above {axis}max = {high}"
    return None
