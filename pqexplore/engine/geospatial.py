"""Where geometries lie: bounding boxes, type codes, and what the file says of them.

Values of GEOMETRY and GEOGRAPHY columns are WKB (`wkb` reads it). They have no order, so instead of min and max a
chunk has GeospatialStatistics: a bounding box and the types that occur (specification, "Geospatial Definitions").
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine import wkb
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.logical import annotation
from pqexplore.engine.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.schema import Leaf

DEFAULT_CRS = "OGC:CRS84"
"""Longitude and latitude on WGS 84: what a column without `crs` has."""

_SUFFIX = {"XY": "", "XYZ": " Z", "XYM": " M", "XYZM": " ZM"}
TYPE_NAMES = {
    1000 * thousands + kind: wkb.TYPES[kind] + _SUFFIX[dimensions]
    for thousands, dimensions in enumerate(wkb.DIMENSIONS)
    for kind in wkb.TYPES
}
"""Names of the geospatial type codes: 1 Point, 1001 Point Z, …"""

_AXES = ("x", "y", "z", "m")


def type_name(code: int) -> str:
    """The name of a geospatial type code, or `UNKNOWN(code)`."""
    return TYPE_NAMES.get(code, f"UNKNOWN({code})")


@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """A bounding box; z and m are None where no geometry has them.

    `xmin` may be greater than `xmax`: then it crosses the antimeridian, and holds what has x ≥ xmin or x ≤ xmax.
    """

    xmin: float
    xmax: float
    ymin: float
    ymax: float
    zmin: float | None = None
    zmax: float | None = None
    mmin: float | None = None
    mmax: float | None = None

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
    """What a column's geometries are: their box (None where no coordinate is left), type codes and how many of each.

    `damaged` counts values that are not WKB, `first_damage` is (index, what is wrong) of the first.
    """

    box: Box | None
    types: dict[int, int]
    points: int
    damaged: int
    first_damage: tuple[int, str] | None


def bounding_box(shapes: Iterable[wkb.Shape]) -> Box | None:
    """The box around all geometries, without wraparound.

    NaN coordinates are skipped, one axis at a time; an axis without any is omitted, and without x or y there is no
    box (specification, "Bounding Box").
    """
    low = dict.fromkeys(_AXES, math.inf)
    high = dict.fromkeys(_AXES, -math.inf)
    for shape in shapes:
        names = shape.dimensions.lower()
        for points in shape.coordinates():
            if len(points) == 0:
                continue
            smallest = np.fmin.reduce(points, axis=0)
            largest = np.fmax.reduce(points, axis=0)
            for axis, least, most in zip(names, smallest, largest, strict=True):
                if least == least:
                    low[axis] = min(low[axis], float(least))
                    high[axis] = max(high[axis], float(most))
    sides: dict[str, float] = {}
    for axis in _AXES:
        if low[axis] <= high[axis]:
            sides |= {f"{axis}min": low[axis], f"{axis}max": high[axis]}
    return Box(**sides) if "xmin" in sides and "ymin" in sides else None


def summarise(values: pa.Array) -> Summary:
    """Read every WKB value of a binary array (nulls are skipped); one damaged value does not spoil the others."""
    types: dict[int, int] = {}
    damage: list[tuple[int, str]] = []
    damaged = points = 0

    def shapes() -> Iterable[wkb.Shape]:
        nonlocal damaged, points
        for index, value in enumerate(values):
            if not value.is_valid:
                continue
            try:
                shape = wkb.parse(memoryview(value.as_buffer()))
            except ParquetError as error:
                damaged += 1
                if not damage:
                    damage.append((index, str(error)))
                continue
            types[shape.code] = types.get(shape.code, 0) + 1
            points += shape.num_points
            yield shape

    box = bounding_box(shapes())
    return Summary(box, dict(sorted(types.items())), points, damaged, damage[0] if damage else None)


def box_of(statistics: structs.GeospatialStatistics | None) -> Box | None:
    """The box that the file declares; None where it has none, or a required side is missing."""
    stated = None if statistics is None else statistics.bbox
    if stated is None or structs.missing(stated):
        return None
    return Box(*(getattr(stated, field.name) for field in Box.__dataclass_fields__.values()))


def problems(
    leaf: Leaf, statistics: structs.GeospatialStatistics | None, found: Summary | None = None
) -> list[str]:
    """What is wrong with declared geospatial statistics, in sentences; with `found`, whether the values agree."""
    if statistics is None:
        return []
    said: list[str] = []
    if annotation(leaf).name not in ("GEOMETRY", "GEOGRAPHY"):
        said.append("the column has geospatial statistics and is neither GEOMETRY nor GEOGRAPHY")
    codes = statistics.geospatial_types or []
    if len(set(codes)) != len(codes):
        said.append(f"geospatial_types has duplicates: {codes[:20]}")
    unknown = [code for code in codes if code not in TYPE_NAMES]
    if unknown:
        said.append(f"geospatial_types has unknown codes: {unknown[:20]}")
    box = box_of(statistics)
    if statistics.bbox is not None and box is None:
        said.append(f"the bounding box lacks {', '.join(structs.missing(statistics.bbox))}")
    if box is not None:
        said += _box_problems(leaf, box)
    if found is not None:
        said += _disagreements(box, codes, found)
    return said


def _box_problems(leaf: Leaf, box: Box) -> list[str]:
    said = []
    for axis in _AXES:
        low, high = getattr(box, f"{axis}min"), getattr(box, f"{axis}max")
        if (low is None) != (high is None):
            said.append(f"the bounding box has only one of {axis}min and {axis}max")
        elif low is not None and (math.isnan(low) or math.isnan(high)):
            said.append(f"the bounding box has NaN for {axis}; the axis should be left out")
        elif low is not None and low > high and axis != "x":
            said.append(f"{axis}min {low} is greater than {axis}max {high}; only x may wrap around")
    if annotation(leaf).name == "GEOGRAPHY":
        for axis, limit in (("x", 180.0), ("y", 90.0)):
            for side in ("min", "max"):
                value = getattr(box, axis + side)
                if abs(value) > limit:
                    said.append(f"{axis}{side} {value} lies outside [−{limit:g}, {limit:g}]")
    return said


def _disagreements(box: Box | None, codes: list[int], found: Summary) -> list[str]:
    said = []
    missing = [type_name(code) for code in found.types if code not in codes]
    if codes and missing:
        said.append(f"geospatial_types does not list {', '.join(missing)}, which occur")
    if box is None or found.box is None:
        return said
    for axis in _AXES:
        low, high = getattr(box, f"{axis}min"), getattr(box, f"{axis}max")
        least, most = getattr(found.box, f"{axis}min"), getattr(found.box, f"{axis}max")
        if least is None or low is None or high is None or (axis == "x" and box.wraps):
            continue
        if least < low or most > high:
            said.append(
                f"{axis} of the values spans [{least}, {most}], the bounding box says [{low}, {high}]"
            )
    if box.wraps and box.xmax < found.box.xmin and found.box.xmax < box.xmin:
        said.append("no value lies in the bounding box, which wraps around")
    return said
