"""Compares the bounding box of a column's geometries with the box around a shape."""

from __future__ import annotations

import math

from pqexplore.engine.format.geospatial import Box


def usable(box: Box) -> bool:
    """Whether a declared box can rule anything out: its sides are numbers, and only x wraps around."""
    return not any(map(math.isnan, (box.xmin, box.xmax, box.ymin, box.ymax))) and box.ymin <= box.ymax


def apart(box: Box, shape: tuple[float, float, float, float]) -> bool:
    """Whether no point is in both: a declared box, and (xmin, ymin, xmax, ymax) around a shape."""
    xmin, ymin, xmax, ymax = shape
    if ymax < box.ymin or ymin > box.ymax:
        return True
    if box.wraps:  # x ≥ xmin or x ≤ xmax
        return xmax < box.xmin and xmin > box.xmax
    return xmax < box.xmin or xmin > box.xmax


def text(box: Box) -> str:
    """`x 5 … 10, y 50 … 60`; `x ≥ 170 or x ≤ -170` if it wraps around."""
    if box.wraps:
        return f"x ≥ {box.xmin:g} or x ≤ {box.xmax:g}, y {box.ymin:g} … {box.ymax:g}"
    return f"x {box.xmin:g} … {box.xmax:g}, y {box.ymin:g} … {box.ymax:g}"
