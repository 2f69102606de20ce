"""The sentence of the lens Map about a column: how much of it a query for a place reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pqexplore.engine.format import geospatial
from pqexplore.engine.format.geospatial import Box
from pqexplore.insight.skipping import number


def mean_reads(boxes: Sequence[Box]) -> float:
    """How many boxes contain the centre of a box, on average."""
    if not boxes:
        return 0.0
    sides = np.array([(box.xmin, box.xmax, box.ymin, box.ymax) for box in boxes], np.float64)
    xmin, xmax, ymin, ymax = sides.T
    wraps = xmin > xmax
    x_centre = np.where(wraps, xmin / 2 + (xmax + 360) / 2, xmin / 2 + xmax / 2)
    x_centre = np.where(wraps & (x_centre > 180), x_centre - 360, x_centre)
    y_centre = ymin / 2 + ymax / 2
    total = 0
    for x, y in zip(x_centre.tolist(), y_centre.tolist(), strict=True):
        from_west, from_east = x >= xmin, x <= xmax
        within = np.where(wraps, from_west | from_east, from_west & from_east)
        total += int(((ymin <= y) & (y <= ymax) & within).sum())
    return total / len(boxes)


def column_sentence(boxes: Sequence[Box | None], types: Iterable[int], remarks: Sequence[str]) -> str:
    """How many row groups have a box, and how many of them a query reads."""
    known = [box for box in boxes if box is not None]
    names = ", ".join(geospatial.type_name(code) for code in list(types)[:6]) or "types not known"
    count = len(boxes)
    if not known:
        those = f"all {count:,}" if count > 1 else "the only one"
        return f"{names}. No row group has a bounding box, so a query for a place reads {those}."
    missing = count - len(known)
    wraps = sum(box.wraps for box in known)
    rest = ""
    if missing:
        rest += f" {missing:,} without a box {'is' if missing == 1 else 'are'} always read."
    if wraps:
        rest += f" {wraps:,} of them cross{'es' if wraps == 1 else ''} the antimeridian."
    rest += sentence_of(remarks)
    if count == 1:
        box = known[0]
        return (
            f"{names}, from x {box.xmin:.8g} to {box.xmax:.8g} and y {box.ymin:.8g} to {box.ymax:.8g}: the one row group can "
            f"only be skipped as a whole.{rest}"
        )
    reads = mean_reads(known) + missing
    if reads <= 1.05:
        why = "because their boxes hardly overlap"
    elif reads >= 0.9 * count:
        why = "because each box spans nearly all of it: the rows are not sorted by place"
    else:
        why = "because their boxes overlap"
    return f"{names}: a query for one place reads {number(reads)} of {count:,} row groups on average, {why}.{rest}"


def sentence_of(remarks: Sequence[str]) -> str:
    """The first remark as a sentence, with a space before it."""
    return f" {remarks[0][0].upper()}{remarks[0][1:]}." if remarks else ""
