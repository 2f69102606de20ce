"""Where the geometries of a column lie: the bounding box of each row group; and one geometry, part by part.

A query for a window skips the row groups whose box does not meet it. The less the boxes overlap, the more it skips: that
depends on how the rows are sorted. See https://github.com/apache/parquet-format/blob/master/Geospatial.md
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.geoparquet import GeoColumn, geo_column
from pqexplore.engine.file.page import Page
from pqexplore.engine.format import geospatial, wkb
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.geospatial import DEFAULT_CRS, Box
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.value_text import physical_value, python_value
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import chunk_at, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.places import leaf_at
from pqexplore.insight.skippable import Skippable, group_part_of
from pqexplore.insight.skipping import number
from pqexplore.insight.wire import Chip
from pqexplore.insight.wording import listing, name

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


LISTED = 5_000
"""Row groups in the table."""

DRAWN = 1_500
"""Row groups in the picture."""

POINTS = 5_000
"""Points of a value in the picture."""

CRS = 120
"""Characters of a coordinate reference system."""

EMPTY = (
    "There are no geospatial statistics for this column. Writers that know GEOMETRY and GEOGRAPHY leave a bounding box "
    "and the types of each row group: parquet-cpp since 21, pqexplore with geospatial_statistics=True. GeoParquet 1 has "
    "its boxes in columns of their own, and in the key-value metadata `geo`."
)

_TYPES = ("GEOMETRY", "GEOGRAPHY")

_WKT = (
    *("POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"),
    *("GEOMETRYCOLLECTION", "SRID="),
)
"""What the text of a geometry may begin with."""


@dataclasses.dataclass(slots=True)
class Sides:
    """A bounding box. `xmin` is greater than `xmax` if the box crosses the antimeridian."""

    xmin: float
    xmax: float
    ymin: float
    ymax: float


@dataclasses.dataclass(slots=True)
class Boxes:
    """The boxes of row groups, from number `first` of `total` on, as columns.

    The sides of a row group without a box are None; so are `start` and `end`, its chunk's bytes, if they are unknown.
    `own` is the row group of the node, None for the whole column. `reads` is how many row groups a query for one place
    reads on average, and `wrapping` how many boxes cross the antimeridian.
    """

    first: int
    total: int
    xmin: list[float | None]
    xmax: list[float | None]
    ymin: list[float | None]
    ymax: list[float | None]
    address: list[str]
    start: list[int | None]
    end: list[int | None]
    own: int | None
    reads: float
    wrapping: int


@dataclasses.dataclass(slots=True)
class Path:
    """A point, a line, or a ring that is filled, by its coordinates."""

    kind: Literal["point", "line", "ring"]
    x: list[float]
    y: list[float]


@dataclasses.dataclass(slots=True)
class Geometry:
    """One value: what to draw, its WKT, its own box, and that of its row group."""

    paths: list[Path]
    text: str
    box: Sides | None
    around: Sides | None


@dataclasses.dataclass(slots=True)
class Picture:
    """The boxes of a column, or one geometry. `geographic`: coordinates are longitude and latitude."""

    facts: list[Chip]
    geographic: bool
    boxes: Boxes | None = None
    geometry: Geometry | None = None


@dataclasses.dataclass(slots=True)
class _RowGroup:
    """What the statistics of one column chunk say. `remark` says what is wrong with them."""

    address: str
    box: Box | None = None
    types: list[int] = dataclasses.field(default_factory=list)
    remark: str = ""
    span: Span | None = None


def _applies(node: Node) -> bool:
    """Column chunks and leaves of geometries, by type or GeoParquet, or with geospatial statistics; and single geometries."""
    facts: dict[str, Any] = {}
    with contextlib.suppress(ParquetError):
        facts = {fact.name: fact.value for fact in node.facts}
    if node.kind == "value":
        stored = facts.get("physical")
        is_wkb = isinstance(stored, bytes) and stored[:1] in (b"\0", b"\1")
        return is_wkb and str(facts.get("value", "")).startswith(_WKT)
    return str(facts.get("type", "")).startswith(_TYPES) or bool({"geometry types", "GeoParquet"} & facts.keys())


def answer(file: ParquetFile, node: Node) -> Answer:
    """The boxes of a column, or one value."""
    if node.kind == "schema_field":
        return of_column(file, leaf_at(file, node.address))
    if node.kind == "value":
        return of_value(page_at(file, node.address), node)
    chunk = chunk_at(file, node.address)
    return of_column(file, chunk.leaf, chunk.row_group.index)


def of_column(file: ParquetFile, leaf: Leaf, own: int | None = None) -> Answer:
    """The boxes of all row groups of a column; `own` is the row group of the node."""
    geo = geo_column(file, leaf)
    groups = [_row_group(file, leaf, at) for at in range(min(len(file.row_groups), LISTED))]
    covered = _cover(file, geo, groups)
    types = dict.fromkeys(code for group in groups for code in group.types) or _stated_types(geo)
    remarks = [group.remark for group in groups if group.remark]
    boxes = [group.box for group in groups]
    known = [box for box in boxes if box is not None]
    table = _table(groups, len(file.row_groups))
    code = f"f.row_groups[{own or 0}].columns[{leaf.leaf_index}].metadata.geospatial_statistics"
    if not known and not types:
        sentence = (
            f"Where the geometries lie is not known: a query for a place reads every row group.{sentence_of(remarks)}"
        )
        return Answer(sentence, None, table if remarks else None, EMPTY, code)
    picture = Picture(
        facts=_facts(leaf, types, geo), geographic=_is_geographic(leaf, geo, known), boxes=_boxes(groups, known, own)
    )
    sentence = column_sentence(boxes, types, remarks) + _by_geoparquet(geo, covered)
    return Answer(sentence, picture, table, code=code)


def _stated_types(geo: GeoColumn | None) -> dict[int, None]:
    """The codes of the types that GeoParquet's metadata names."""
    codes = {name: code for code, name in geospatial.TYPE_NAMES.items()}
    return dict.fromkeys(codes[name] for name in (geo.types if geo else ()) if name in codes)


def _cover(file: ParquetFile, geo: GeoColumn | None, groups: Sequence[_RowGroup]) -> bool:
    """Gives row groups without a box the one that the bounds of GeoParquet's `covering` columns make; whether one got it."""
    leaves = {leaf.path: leaf for leaf in file.schema.leaves}
    paths = {} if geo is None else geo.covering
    if not paths or not all(path in leaves for path in paths.values()):
        return False
    any_box = False
    for index, group in enumerate(groups):
        if group.box is None and not group.remark:
            ends = {side: group_part_of(file.row_groups[index], leaves[path]) for side, path in paths.items()}
            sides = {
                side: end for side, part in ends.items() if (end := _end(leaves[paths[side]], part, side)) is not None
            }
            if len(sides) == len(paths):
                group.box = Box(**sides)
                any_box = True
    return any_box


def _end(leaf: Leaf, part: Skippable, side: str) -> float | None:
    """The lower bound of a smallest side, the upper bound of a largest one; None if it is not known or not finite."""
    raw = part.low if side.endswith("min") else part.high
    if not part.trusted or raw is None or not is_float(leaf):
        return None
    value = float(python_value(leaf, physical_value(leaf, raw)))
    return value if math.isfinite(value) else None


def _by_geoparquet(geo: GeoColumn | None, covered: bool) -> str:
    """Where the boxes are from, or the box of the whole file, as a sentence with a space before it; "" if not GeoParquet's."""
    if covered and geo is not None:
        paths = listing([name(path) for path in geo.covering.values()])
        return f" The boxes are the bounds of {paths}, which the key `geo` names."
    if geo is not None and geo.box is not None:
        box = geo.box
        return f" The key `geo` gives one box for the file: x {box.xmin:.8g} to {box.xmax:.8g}, y {box.ymin:.8g} to {box.ymax:.8g}."
    return ""


def _row_group(file: ParquetFile, leaf: Leaf, index: int) -> _RowGroup:
    """The box and the types of a column chunk, or why there are none."""
    address = Address.of("row_groups", index, "columns", leaf.leaf_index)
    try:
        chunk = file.row_groups[index].columns[leaf.leaf_index]
        statistics = chunk.metadata.geospatial_statistics
        span = None if chunk.elsewhere else chunk.span
        box = geospatial.box_of(statistics)
        problems = geospatial.problems(leaf, statistics)
    except ParquetError as error:
        state = "encrypted: " if isinstance(error, EncryptedFileError) else ""
        return _RowGroup(address, remark=state + error.message)
    if box is not None and not all(map(math.isfinite, (box.xmin, box.xmax, box.ymin, box.ymax))):
        box = None
    types = [] if statistics is None else list(statistics.geospatial_types or ())[:100]
    return _RowGroup(address, box, types, "; ".join(problems), span)


def _boxes(groups: Sequence[_RowGroup], known: Sequence[Box], own: int | None) -> Boxes:
    """Those that are drawn: from the first row group on, or around the node's own."""
    first = max(0, min((own or 0) - DRAWN // 2, len(groups) - DRAWN))
    shown = groups[first : first + DRAWN]
    return Boxes(
        first=first,
        total=len(groups),
        xmin=[None if one.box is None else one.box.xmin for one in shown],
        xmax=[None if one.box is None else one.box.xmax for one in shown],
        ymin=[None if one.box is None else one.box.ymin for one in shown],
        ymax=[None if one.box is None else one.box.ymax for one in shown],
        address=[one.address for one in shown],
        start=[None if one.span is None else one.span.start for one in shown],
        end=[None if one.span is None else one.span.end for one in shown],
        own=own,
        reads=mean_reads(known),
        wrapping=sum(box.wraps for box in known),
    )


def _sides(box: Box | None) -> Sides | None:
    return None if box is None else Sides(box.xmin, box.xmax, box.ymin, box.ymax)


def _is_geographic(leaf: Leaf, geo: GeoColumn | None, boxes: Iterable[Box]) -> bool:
    """Whether coordinates are longitude and latitude: by the CRS, and by their range."""
    crs = meaning(leaf).crs
    if geo is not None and geo.has_crs and not crs:
        crs = "not known" if geo.crs is None else json.dumps(geo.crs)
    named = crs is None or crs in ("", DEFAULT_CRS) or "4326" in crs or "CRS84" in crs
    return named and all(
        min(box.xmin, box.xmax) >= -180.000001
        and max(box.xmin, box.xmax) <= 180.000001
        and box.ymin >= -90.000001
        and box.ymax <= 90.000001
        for box in boxes
    )


def _table(groups: Sequence[_RowGroup], total: int) -> Table:
    table = Table(
        (
            Column("row_group", "row group"),
            Column("xmin", "x min", "code"),
            Column("xmax", "x max", "code"),
            Column("ymin", "y min", "code"),
            Column("ymax", "y max", "code"),
            Column("z", "z"),
            Column("m", "m"),
            Column("types", "types"),
            Column("remark", "remark"),
        ),
        "Row groups",
        total,
    )
    for index, group in enumerate(groups):
        box = group.box
        table.add(
            f"row group {index:,}",
            *((None,) * 4 if box is None else (box.xmin, box.xmax, box.ymin, box.ymax)),
            None if box is None else _range(box.zmin, box.zmax),
            None if box is None else _range(box.mmin, box.mmax),
            ", ".join(geospatial.type_name(code) for code in group.types) or None,
            group.remark or None,
            address=group.address,
            span=group.span,
        )
    return table


def _range(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:g} … {high:g}"


def _facts(leaf: Leaf, types: Iterable[int], geo: GeoColumn | None = None) -> list[Chip]:
    logical = meaning(leaf)
    names = listing([geospatial.type_name(code) for code in types])
    crs = _crs(logical.crs)
    if geo is not None and geo.has_crs and not logical.crs:
        crs = "not known, as the key geo says" if geo.crs is None else _crs(json.dumps(geo.crs))
    facts = [Chip("CRS", crs), Chip("types", names or "not known")]
    if geo is not None and logical.name == "":
        facts.append(Chip("edges", f"{geo.edges}, by GeoParquet"))
    if logical.name == "GEOGRAPHY":
        algorithm, how = geospatial.edges_of(logical)
        facts.append(Chip("edges", f"{algorithm}, {how}; not straight on this map"))
    return facts


def _crs(stated: str | None) -> str:
    """The name of the coordinate reference system; for PROJJSON, the name inside."""
    if not stated:
        return f"{DEFAULT_CRS} (longitude, latitude), by default"
    with contextlib.suppress(ValueError, RecursionError):
        crs = json.loads(stated) if stated.lstrip().startswith("{") else None
        if isinstance(crs, dict) and isinstance(crs.get("name"), str):
            stated = f"{crs['name']} (as PROJJSON)"
    return stated if len(stated) <= CRS else f"{stated[:CRS]}…"


def of_value(page: Page, node: Node) -> Answer:
    """One geometry of a page: its drawing, and its WKB part by part."""
    leaf = page.chunk.leaf
    index = int(node.name)
    raw = bytes(page.physical_part(index, index + 1)[0].as_py())
    code = f"f.node({page.address!r}).facts"
    try:
        shape = wkb.parse(raw)
    except CorruptFileError as error:
        offset = "" if error.offset is None else f" at byte {error.offset:,} of the value"
        sentence = f"These {len(raw):,} bytes are no WKB: {error.message}{offset}."
        return Answer(sentence, empty="What cannot be read as a geometry cannot be drawn.", code=code)
    box = geospatial.bounding_box([shape])
    try:
        around = geospatial.box_of(page.chunk.metadata.geospatial_statistics)
    except ParquetError:
        around = None
    outside = ""
    if around is not None and box is not None and not around.contains(box.xmin, box.ymin):
        outside = " It lies outside the bounding box of its row group, so a query may miss it."
    picture = Picture(
        facts=[*_facts(leaf, [shape.code]), Chip("WKB", f"{len(raw):,} bytes")],
        geographic=_is_geographic(leaf, None, [one for one in (box, around) if one is not None]),
        geometry=Geometry(_paths(shape), wkb.text(shape, 12), _sides(box), _sides(around)),
    )
    sentence = f"{shape.describe()}: {wkb.text(shape, 3)}.{outside}"
    return Answer(sentence, picture, _table_of_value(page, node, raw), code=code)


def _table_of_value(page: Page, node: Node, raw: bytes) -> Table:
    span, address = _stored_at(page, node, raw)
    table = Table(
        (
            Column("part", "part"),
            Column("says", "says"),
            Column("at", "at", "number", "bytes from the beginning of the value"),
            Column("bytes", "bytes", "bytes"),
        ),
        "The value's bytes",
    )
    for part in parts(raw):
        table.add(
            "  " * part.depth + part.name,
            part.text,
            part.start,
            part.end - part.start,
            address=address,
            span=Span(part.start, part.end, span.space).shifted(span.start),
        )
    return table


def _stored_at(page: Page, node: Node, raw: bytes) -> tuple[Span, str]:
    """The value's bytes, and the node that has them: in the page after their length, or in the dictionary page."""
    entry = next((fact.address for fact in node.facts if fact.name == "dictionary index"), None)
    holder = node if entry is None else page.chunk.file.node(entry)
    span = holder.span
    if span is not None and len(span) >= len(raw):
        own = Span(span.end - len(raw), span.end, span.space)
        if page.chunk.file.bytes(own) == raw:
            return own, holder.address
    return Span(0, len(raw), f"{node.address}:value"), node.address


def _paths(shape: wkb.Shape) -> list[Path]:
    """The first points, lines and rings of a geometry, without coordinates that are not finite."""
    kinds: dict[int, Literal["point", "line", "ring"]] = {1: "point", 2: "line", 3: "ring"}
    paths: list[Path] = []
    left = POINTS
    todo = [shape]
    while todo and left > 0:
        one = todo.pop()
        for ring in one.rings:
            points = np.asarray(ring[:left, :2], np.float64)
            points = points[np.isfinite(points).all(axis=1)]
            left -= len(points)
            if len(points):
                paths.append(Path(kinds[one.kind], points[:, 0].tolist(), points[:, 1].tolist()))
        todo.extend(reversed(one.parts))
    return paths


LENS = Lens(
    "geospatial",
    title="Map",
    answer=answer,
    kinds=frozenset({"column_chunk", "schema_field", "value"}),
    where=_applies,
    picture=Picture,
    no_figure="its picture is a map, and its table has bounds only",
    across="columns",
)
