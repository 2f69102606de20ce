"""Where the geometries of a column lie: the bounding box of each row group, and one value taken apart.

A query for a window skips the row groups whose box does not meet it. How much that saves is how little the boxes
overlap, which is how well the rows are sorted by place.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pqexplore.engine import geospatial, wkb
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError
from pqexplore.engine.geospatial import DEFAULT_CRS, Box
from pqexplore.engine.logical import annotation
from pqexplore.engine.tree import Node, Span, join
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.skipping import number
from pqexplore.insight.wkb_parts import parts

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.page import Page
    from pqexplore.engine.schema import Leaf

LOOKED_AT = 5_000
"""Row groups whose boxes are drawn and listed."""

POINTS = 5_000
"""Points of a value that are drawn."""

COLUMNS = (
    Column("row_group", "row group"),
    Column("xmin", "x min", "code"),
    Column("xmax", "x max", "code"),
    Column("ymin", "y min", "code"),
    Column("ymax", "y max", "code"),
    Column("z", "z"),
    Column("m", "m"),
    Column("types", "types"),
    Column("remark", "remark"),
)

VALUE_COLUMNS = (
    Column("part", "part"),
    Column("says", "says"),
    Column("at", "at", "number", "bytes from the beginning of the value"),
    Column("bytes", "bytes", "bytes"),
)

EMPTY = (
    "There are no geospatial statistics for this column. Writers that know GEOMETRY and GEOGRAPHY leave a bounding box "
    "and the types of each row group: parquet-cpp since 21, pqexplore with geospatial_statistics=True. GeoParquet 1 has "
    "its boxes in columns of their own, and in the key-value metadata `geo`."
)


def is_geospatial(leaf: Leaf) -> bool:
    """Whether values are geometries in WKB."""
    return annotation(leaf).name in ("GEOMETRY", "GEOGRAPHY")


def of_column(file: ParquetFile, leaf: Leaf, mine: int | None = None) -> Answer:
    """The boxes of all row groups of a column; `mine` is the row group that is looked at."""
    groups = range(min(len(file.row_groups), LOOKED_AT))
    table = Table(COLUMNS, "Row groups", total=len(file.row_groups))
    boxes: list[Box | None] = []
    types: dict[int, None] = {}
    troubles: list[str] = []
    for index in groups:
        box, codes, remark, address, span = _group(file, leaf, index)
        boxes.append(box)
        types.update(dict.fromkeys(codes))
        troubles += [remark] * bool(remark)
        table.add(
            f"row group {index:,}",
            *((box.xmin, box.xmax, box.ymin, box.ymax) if box is not None else (None,) * 4),
            _extent(box, "z"),
            _extent(box, "m"),
            ", ".join(geospatial.type_name(code) for code in codes) or None,
            remark or None,
            address=address,
            span=span,
        )
    where = f"row_groups[{mine or 0}].columns[{leaf.leaf_index}]"
    code = f"f.{where}.metadata.geospatial_statistics"
    known = [box for box in boxes if box is not None]
    if not known and not types:
        why = f" {troubles[0][0].upper()}{troubles[0][1:]}." if troubles else ""
        sentence = (
            f"Where the geometries lie is not told: a query for a place reads every row group.{why}"
        )
        return Answer(sentence, None, table if troubles else None, EMPTY, code)
    picture = {
        "kind": "boxes",
        "boxes": [_sides(box) for box in boxes],
        "addresses": list(table.addresses),
        "spans": [None if s is None else [s.start, s.end, s.space] for s in table.spans],
        "names": table.column("row_group"),
        "mine": mine,
        "geographic": _is_geographic(leaf, known),
        "wrapping": sum(box.wraps for box in known),
        "reads": _reads(known),
        "facts": _facts(leaf, types),
    }
    return Answer(_sentence(leaf, boxes, types, troubles), picture, table, code=code)


def _group(
    file: ParquetFile, leaf: Leaf, index: int
) -> tuple[Box | None, list[int], str, str, Span | None]:
    """(box, type codes, remark, address, bytes) of a row group's chunk."""
    address = join("row_groups", index, "columns", leaf.leaf_index)
    try:
        chunk = file.row_groups[index].columns[leaf.leaf_index]
        told = chunk.metadata.geospatial_statistics
        span = None if chunk.struct.file_path else chunk.span
        box = geospatial.box_of(told)
        wrong = geospatial.problems(leaf, told)
    except ParquetError as error:
        said = "locked: " if isinstance(error, EncryptedFileError) else ""
        return None, [], said + error.message, address, None
    if box is not None and not all(map(math.isfinite, (box.xmin, box.xmax, box.ymin, box.ymax))):
        box = None
    codes = [] if told is None else list(told.geospatial_types or ())[:100]
    return box, codes, "; ".join(wrong), address, span


def _sides(box: Box | None) -> list[float] | None:
    return None if box is None else [box.xmin, box.xmax, box.ymin, box.ymax]


def _extent(box: Box | None, axis: str) -> str | None:
    if box is None:
        return None
    low, high = getattr(box, f"{axis}min"), getattr(box, f"{axis}max")
    return None if low is None or high is None else f"{low:g} … {high:g}"


def _is_geographic(leaf: Leaf, boxes: Sequence[Box]) -> bool:
    """Whether coordinates are longitude and latitude: by the CRS, and by what they are."""
    crs = annotation(leaf).crs
    named = crs is None or crs in ("", DEFAULT_CRS) or "4326" in crs or "CRS84" in crs
    return named and all(
        min(b.xmin, b.xmax) >= -180.000001
        and max(b.xmin, b.xmax) <= 180.000001
        and b.ymin >= -90.000001
        and b.ymax <= 90.000001
        for b in boxes
    )


def _reads(boxes: Sequence[Box]) -> float:
    """How many boxes hold the middle of a box, on average."""
    if not boxes:
        return 0.0
    sides = np.array([_sides(box) for box in boxes], np.float64)
    wraps = sides[:, 0] > sides[:, 1]
    middle = np.where(
        wraps, sides[:, 0] / 2 + (sides[:, 1] + 360) / 2, sides[:, 0] / 2 + sides[:, 1] / 2
    )
    middle = np.where(wraps & (middle > 180), middle - 360, middle)
    height = sides[:, 2] / 2 + sides[:, 3] / 2
    total = 0
    for x, y in zip(middle.tolist(), height.tolist(), strict=True):
        inside = (sides[:, 2] <= y) & (y <= sides[:, 3])
        after, before = x >= sides[:, 0], x <= sides[:, 1]
        total += int((inside & np.where(wraps, after | before, after & before)).sum())
    return total / len(boxes)


def _sentence(
    leaf: Leaf, boxes: Sequence[Box | None], types: dict[int, None], troubles: Sequence[str]
) -> str:
    known = [box for box in boxes if box is not None]
    names = ", ".join(geospatial.type_name(code) for code in list(types)[:6]) or "types not told"
    count = len(boxes)
    if not known:
        those = f"all {count:,}" if count > 1 else "the only one"
        return f"{names}. No row group has a bounding box, so a query for a place reads {those}."
    missing = count - len(known)
    unknown = f" {missing:,} without a box {'is' if missing == 1 else 'are'} always read." * bool(
        missing
    )
    wraps = sum(box.wraps for box in known)
    crosses = f" {wraps:,} of them cross{'es' if wraps == 1 else ''} the antimeridian." * bool(
        wraps
    )
    wrong = f" {troubles[0][0].upper()}{troubles[0][1:]}." if troubles else ""
    if count == 1:
        box = known[0]
        return (
            f"{names}, from x {box.xmin:.8g} to {box.xmax:.8g} and y {box.ymin:.8g} to {box.ymax:.8g}: the one row group can "
            f"only be skipped as a whole.{crosses}{wrong}"
        )
    reads = _reads(known) + missing
    what = f"a query for one place reads {number(reads)} of {count:,} row groups on average"
    if reads <= 1.05:
        why = "because their boxes hardly overlap"
    elif reads >= 0.9 * count:
        why = "because each box spans nearly all of it: the rows are not sorted by place"
    else:
        why = "because their boxes overlap"
    return f"{names}: {what}, {why}.{unknown}{crosses}{wrong}"


def _crs(stated: str | None) -> str:
    """The name of the coordinate reference system; of a PROJJSON text, the name in it."""
    if not stated:
        return f"{DEFAULT_CRS} (longitude, latitude)"
    with contextlib.suppress(ValueError, RecursionError):
        told = json.loads(stated) if stated.lstrip().startswith("{") else None
        if isinstance(told, dict) and isinstance(told.get("name"), str):
            stated = f"{told['name']} (as PROJJSON)"
    return stated if len(stated) <= 120 else stated[:120] + "…"


def _facts(leaf: Leaf, types: dict[int, None]) -> list[list[str]]:
    found = annotation(leaf)
    made = [["CRS", _crs(found.crs)]]
    made.append(["types", ", ".join(geospatial.type_name(code) for code in types) or "not told"])
    if found.name == "GEOGRAPHY":
        made.append(
            ["edges", "along the shortest way on the ellipsoid or sphere, not straight on this map"]
        )
    return made


def of_value(page: Page, node: Node) -> Answer:
    """One geometry of a page: drawn, and its WKB part by part."""
    leaf = page.chunk.leaf
    index = int(node.name)
    raw = bytes(page.physical[index].as_py())
    code = f"f.node({page.address!r}).facts"
    try:
        shape = wkb.parse(raw)
    except CorruptFileError as error:
        offset = "" if error.offset is None else f" at byte {error.offset:,} of the value"
        sentence = f"These {len(raw):,} bytes are no WKB: {error.message}{offset}."
        return Answer(
            sentence, empty="What cannot be read as a geometry cannot be drawn.", code=code
        )
    place, address = _place(page, node, raw)
    table = Table(VALUE_COLUMNS, "The value's bytes")
    for part in parts(raw):
        table.add(
            "  " * part.depth + part.what,
            part.says,
            part.start,
            part.end - part.start,
            address=address,
            span=Span(place.start + part.start, place.start + part.end, place.space),
        )
    box = geospatial.bounding_box([shape])
    try:
        around = geospatial.box_of(page.chunk.metadata.geospatial_statistics)
    except ParquetError:
        around = None
    outside = ""
    if around is not None and box is not None and not around.contains(box.xmin, box.ymin):
        outside = " It lies outside the bounding box of its row group, so a query may miss it."
    known = [one for one in (box, around) if one is not None]
    picture = {
        "kind": "value",
        "paths": _paths(shape),
        "around": _sides(around),
        "geographic": _is_geographic(leaf, known),
        "text": wkb.text(shape, 12),
        "facts": [*_facts(leaf, {shape.code: None}), ["WKB", f"{len(raw):,} bytes"]],
        "box": _sides(box),
    }
    return Answer(f"{shape.describe()}: {wkb.text(shape, 3)}.{outside}", picture, table, code=code)


def _place(page: Page, node: Node, raw: bytes) -> tuple[Span, str]:
    """Where the value's bytes lie: in the page, behind their length, or in the dictionary page."""
    entry = next((f.address for f in node.facts if f.name == "dictionary index"), None)
    found = node if entry is None else page.chunk.file.node(entry)
    span = found.span
    if span is not None and len(span) >= len(raw):
        start = span.end - len(raw)
        if page.chunk.file.bytes(Span(start, span.end, span.space)) == raw:
            return Span(start, span.end, span.space), found.address
    return Span(0, len(raw), f"{node.address}:value"), node.address


def _paths(shape: wkb.Shape) -> list[dict[str, Any]]:
    """What to draw: points, lines, and rings that are filled."""
    made: list[dict[str, Any]] = []
    left = POINTS
    todo = [shape]
    while todo and left > 0:
        one = todo.pop()
        for ring in one.rings:
            points = [
                [float(x), float(y)]
                for x, y in ring[:left, :2]
                if math.isfinite(x) and math.isfinite(y)
            ]
            left -= len(points)
            if points:
                name = {1: "point", 2: "line", 3: "ring"}[one.kind]
                made.append({"kind": name, "points": points})
        todo.extend(reversed(one.parts))
    return made
