"""Bounding boxes and type codes of geometries, and the geospatial statistics of a file.

Values of GEOMETRY and GEOGRAPHY columns are WKB (`wkb` reads it). They have no order, so instead of min and max a
chunk has GeospatialStatistics: a bounding box and the types that occur.

Specification: https://github.com/apache/parquet-format/blob/master/Geospatial.md
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import wkb
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

DEFAULT_CRS = "OGC:CRS84"
"""The reference system of a column without `crs`: longitude and latitude on WGS 84."""

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


def bounding_box(shapes: Iterable[wkb.Shape]) -> Box | None:
    """The box around all geometries, without wraparound.

    NaN coordinates are skipped, axis by axis; an axis without coordinates is omitted, and without x or y there is no
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
            for axis, minimum, maximum in zip(names, smallest, largest, strict=True):
                if minimum == minimum:  # not NaN
                    low[axis] = min(low[axis], float(minimum))
                    high[axis] = max(high[axis], float(maximum))
    sides: dict[str, float] = {}
    for axis in _AXES:
        if low[axis] <= high[axis]:
            sides |= {f"{axis}min": low[axis], f"{axis}max": high[axis]}
    return Box(**sides) if "xmin" in sides and "ymin" in sides else None


def summarise(values: pa.Array) -> Summary:
    """Read every WKB value of a binary array; nulls are skipped, damaged values are counted."""
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
    """The box that the file declares; None if there is none, or a required side is missing."""
    stated = None if statistics is None else statistics.bbox
    if stated is None or structs.missing(stated):
        return None
    return Box(*(getattr(stated, field.name) for field in Box.__dataclass_fields__.values()))


def problems(
    leaf: Leaf, statistics: structs.GeospatialStatistics | None, summary: Summary | None = None
) -> list[str]:
    """What is wrong with declared geospatial statistics, in sentences; with `summary`, how the values differ from them."""
    if statistics is None:
        return []
    sentences: list[str] = []
    if meaning(leaf).name not in ("GEOMETRY", "GEOGRAPHY"):
        sentences.append(
            "the column has geospatial statistics and is neither GEOMETRY nor GEOGRAPHY"
        )
    codes = statistics.geospatial_types or []
    if len(set(codes)) != len(codes):
        sentences.append(f"geospatial_types has duplicates: {codes[:20]}")
    unknown = [code for code in codes if code not in TYPE_NAMES]
    if unknown:
        sentences.append(f"geospatial_types has unknown codes: {unknown[:20]}")
    box = box_of(statistics)
    if statistics.bbox is not None and box is None:
        sentences.append(f"the bounding box lacks {', '.join(structs.missing(statistics.bbox))}")
    if box is not None:
        sentences += _box_problems(leaf, box)
    if summary is not None:
        sentences += _disagreements(box, codes, summary)
    return sentences


def _box_problems(leaf: Leaf, box: Box) -> list[str]:
    sentences = []
    for axis in _AXES:
        low, high = getattr(box, f"{axis}min"), getattr(box, f"{axis}max")
        if (low is None) != (high is None):
            sentences.append(f"the bounding box has only one of {axis}min and {axis}max")
        elif low is not None and (math.isnan(low) or math.isnan(high)):
            sentences.append(f"the bounding box has NaN for {axis}; the axis should be left out")
        elif low is not None and low > high and axis != "x":
            sentences.append(
                f"{axis}min {low} is greater than {axis}max {high}; only x may wrap around"
            )
    if meaning(leaf).name == "GEOGRAPHY":
        for axis, limit in (("x", 180.0), ("y", 90.0)):
            for side in ("min", "max"):
                value = getattr(box, axis + side)
                if abs(value) > limit:
                    sentences.append(f"{axis}{side} {value} lies outside [−{limit:g}, {limit:g}]")
    return sentences


def _disagreements(box: Box | None, codes: list[int], summary: Summary) -> list[str]:
    sentences = []
    missing = [type_name(code) for code in summary.types if code not in codes]
    if codes and missing:
        sentences.append(f"geospatial_types does not list {', '.join(missing)}, which occur")
    if box is None or summary.box is None:
        return sentences
    for axis in _AXES:
        low, high = getattr(box, f"{axis}min"), getattr(box, f"{axis}max")
        minimum, maximum = (getattr(summary.box, f"{axis}{side}") for side in ("min", "max"))
        if minimum is None or low is None or high is None or (axis == "x" and box.wraps):
            continue
        if minimum < low or maximum > high:
            sentences.append(
                f"{axis} of the values spans [{minimum}, {maximum}], the bounding box says [{low}, {high}]"
            )
    if box.wraps and box.xmax < summary.box.xmin and summary.box.xmax < box.xmin:
        sentences.append("no value lies in the bounding box, which wraps around")
    return sentences
