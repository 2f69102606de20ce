"""Whether geometries meet a box: points inside, edges across, polygons around."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Array, Mask
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import geospatial, wkb

Box = tuple[float, float, float, float]


def meet(values: pa.Array, box: Box) -> Mask:
    """Whether each geometry (WKB) meets a box (xmin, ymin, xmax, ymax), in a plane; False for null and damaged values."""
    made = np.zeros(len(values), bool)
    for index, shape in geospatial.read(values):
        made[index] = not isinstance(shape, ParquetError) and meets(shape, box)
    return made


def near(values: pa.Array, box: Box) -> Mask:
    """Whether the box around each geometry overlaps a box, in a plane; True for damaged values."""
    made = np.zeros(len(values), bool)
    for index, shape in geospatial.read(values):
        if isinstance(shape, ParquetError):
            made[index] = True
            continue
        sides = geospatial.extent(shape)
        if "x" in sides and "y" in sides:
            (xmin, xmax), (ymin, ymax) = sides["x"], sides["y"]
            inside = xmin <= box[2] and xmax >= box[0]
            made[index] = inside and ymin <= box[3] and ymax >= box[1]
    return made


def meets(shape: wkb.Shape, box: Box) -> bool:
    """Whether a geometry has a point in a box, in a plane; the edges of both belong to them."""
    todo = [shape]
    while todo:
        one = todo.pop()
        todo.extend(one.parts)
        rings = [ring[:, :2] for ring in one.rings]
        if any(_touches(ring, box) for ring in rings):
            return True
        if one.kind == 3 and sum(_around(ring, box[0], box[1]) for ring in rings) % 2:
            return True
    return False


def _touches(points: Array, box: Box) -> bool:
    """Whether a point or an edge of a line meets the box."""
    xmin, ymin, xmax, ymax = box
    x, y = points[:, 0], points[:, 1]
    if ((x >= xmin) & (x <= xmax) & (y >= ymin) & (y <= ymax)).any():
        return True
    if len(points) < 2:
        return False
    x0, y0, x1, y1 = x[:-1], y[:-1], x[1:], y[1:]
    near = (np.maximum(x0, x1) >= xmin) & (np.minimum(x0, x1) <= xmax)
    near &= (np.maximum(y0, y1) >= ymin) & (np.minimum(y0, y1) <= ymax)
    # An edge whose box overlaps meets the box unless all corners lie on one side of it.
    with np.errstate(over="ignore", invalid="ignore"):
        sides = [(x1 - x0) * (cy - y0) - (y1 - y0) * (cx - x0) for cx in (xmin, xmax) for cy in (ymin, ymax)]
        corners = np.stack(sides)
        apart = (corners > 0).all(axis=0) | (corners < 0).all(axis=0)
    return bool((near & ~apart).any())


def _around(ring: Array, px: float, py: float) -> bool:
    """Whether a ring goes around a point, by the even-odd rule."""
    if len(ring) < 3:
        return False
    x0, y0, x1, y1 = ring[:-1, 0], ring[:-1, 1], ring[1:, 0], ring[1:, 1]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        crosses = (y0 > py) != (y1 > py)
        at = (x1 - x0) * (py - y0) / (y1 - y0) + x0
        return bool((crosses & (px < at)).sum() % 2)
