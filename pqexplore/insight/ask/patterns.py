"""Reads the patterns of LIKE, and boxes around shapes in Well-Known Text."""

from __future__ import annotations

import itertools
import math
import re

from pqexplore.insight.ask.predicate import Wildcard

Pattern = tuple[str | Wildcard, ...]
Box = tuple[float, float, float, float]

_WILDCARDS = {"%": Wildcard.TEXT, "_": Wildcard.CHARACTER}


def pattern(text: str, escape: str = "\\") -> Pattern | None:
    """The parts of a pattern: texts and wildcards, neighbouring texts joined.

    A wildcard or an `escape` after an escape means itself. None if an escape is before anything else: an error in Spark.
    """
    parts: list[str | Wildcard] = []
    plain: list[str] = []
    characters = iter(text)
    for character in characters:
        if character == escape:
            following = next(characters, "")
            if following not in ("%", "_", escape) or not following:
                return None
            plain.append(following)
        elif character in _WILDCARDS:
            if plain:
                parts.append("".join(plain))
                plain = []
            wildcard = _WILDCARDS[character]
            if not (wildcard is Wildcard.TEXT and parts and parts[-1] is wildcard):
                parts.append(wildcard)
        else:
            plain.append(character)
    if plain:
        parts.append("".join(plain))
    return tuple(parts)


def text_of(parts: Pattern) -> str:
    """The text of a pattern without wildcards."""
    return "".join(part for part in parts if isinstance(part, str))


_NUMBER = r"[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][+-]?\d{1,3})?"
_TYPE = re.compile(
    r"\s*(?:SRID=\d+;)?\s*(?:POINT|LINESTRING|POLYGON|MULTIPOINT|MULTILINESTRING|MULTIPOLYGON)\s*\(", re.IGNORECASE
)
_POINT = re.compile(rf"\s*\(*\s*({_NUMBER})\s+({_NUMBER})\s*\)*\s*\Z")


def box_of_text(text: str) -> tuple[Box, bool] | None:
    """(the box around a shape in Well-Known Text, whether the shape is this box); None for text that is not understood.

    Shapes have two dimensions; collections are not understood.
    """
    found = _TYPE.match(text)
    if found is None or len(text) > 1_000_000 or not text.rstrip().endswith(")"):
        return None
    body = text.rstrip()[found.end() : -1]
    points = []
    for one in body.split(","):
        point = _POINT.match(one)
        if point is None:
            return None
        points.append((float(point[1]), float(point[2])))
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = (min(xs), min(ys), max(xs), max(ys))
    if not all(map(math.isfinite, box)):
        return None
    corners = {(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])}
    shape = found[0].strip().rstrip("( ").upper()
    one_ring = shape == "POLYGON" and body.count("(") == 1
    rectangle = one_ring and set(points) == corners and len(points) == 5 and _around(points)
    return box, rectangle or (shape == "POINT" and len(points) == 1)


def _around(points: list[tuple[float, float]]) -> bool:
    """Whether each side of a closed ring is parallel to an axis."""
    sides = itertools.pairwise(points)
    return points[0] == points[-1] and all((a[0] == b[0]) != (a[1] == b[1]) for a, b in sides)
