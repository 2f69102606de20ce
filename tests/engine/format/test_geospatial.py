"""WKB in, shapes, text and boxes out; and what files say of their geometries."""

import csv
import math
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import needs_pyarrow

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format import geospatial, schema, wkb
from pqexplore.engine.format.geospatial import Box
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import BoundingBox, GeospatialStatistics, LogicalType, SchemaElement


def head(code, order="<"):
    return bytes([order == "<"]) + struct.pack(f"{order}I", code)


def doubles(*numbers, order="<"):
    return struct.pack(f"{order}{len(numbers)}d", *numbers)


def count(number, order="<"):
    return struct.pack(f"{order}I", number)


NAN = math.nan
RING = count(4) + doubles(0, 0, 4, 0, 0, 4, 0, 0)
POINTS = count(2) + head(1) + doubles(1, 2) + head(1, ">") + doubles(3, 4, order=">")

SHAPES = [
    # WKB, code, points, text
    (head(1) + doubles(30, 10), 1, 1, "POINT (30 10)"),
    (head(1, ">") + doubles(30, 10.5, order=">"), 1, 1, "POINT (30 10.5)"),
    (head(1) + doubles(NAN, NAN), 1, 0, "POINT EMPTY"),
    (head(1) + doubles(1, NAN), 1, 1, "POINT (1 nan)"),
    (head(1001) + doubles(1, 2, 3), 1001, 1, "POINT Z (1 2 3)"),
    (head(2001) + doubles(1, 2, 3), 2001, 1, "POINT M (1 2 3)"),
    (head(3001) + doubles(1, 2, 3, 4), 3001, 1, "POINT ZM (1 2 3 4)"),
    (head(0x80000001) + doubles(1, 2, 3), 1001, 1, "POINT Z (1 2 3)"),
    (head(0x20000001) + count(4326) + doubles(1, 2), 1, 1, "SRID=4326;POINT (1 2)"),
    (head(2) + count(0), 2, 0, "LINESTRING EMPTY"),
    (head(2) + count(2) + doubles(0, 0, 1, -1), 2, 2, "LINESTRING (0 0, 1 -1)"),
    (head(3) + count(1) + RING, 3, 4, "POLYGON ((0 0, 4 0, 0 4, 0 0))"),
    (head(3) + count(2) + RING + count(0), 3, 4, "POLYGON ((0 0, 4 0, 0 4, 0 0), EMPTY)"),
    (head(4) + POINTS, 4, 2, "MULTIPOINT ((1 2), (3 4))"),
    (head(5) + count(1) + head(2) + count(1) + doubles(7, 8), 5, 1, "MULTILINESTRING ((7 8))"),
    (head(6) + count(1) + head(3) + count(1) + RING, 6, 4, "MULTIPOLYGON (((0 0, 4 0, 0 4, 0 0)))"),
    (head(7) + count(0), 7, 0, "GEOMETRYCOLLECTION EMPTY"),
    (*(head(7) + count(2) + head(4) + POINTS + head(1) + doubles(5, 6), 7, 3),
        "GEOMETRYCOLLECTION (MULTIPOINT ((1 2), (3 4)), POINT (5 6))"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "code", "points", "text"), SHAPES)
def test_shapes(raw, code, points, text):
    shape = wkb.parse(raw)
    assert (shape.code, shape.num_points, wkb.text(shape)) == (code, points, text)


@pytest.mark.parametrize("raw", [shape[0] for shape in SHAPES])
def test_every_truncation_is_noticed(raw):
    for length in range(len(raw)):
        with pytest.raises(CorruptFileError):
            wkb.parse(raw[:length])


def nested(depth):
    return (head(7) + count(1)) * depth + head(1) + doubles(1, 2)


@pytest.mark.parametrize(
    ("raw", "offset", "words"),
    [
        (b"", 0, "ends within the byte order"),
        (b"\x02" + bytes(20), 0, "byte order 2"),
        (head(8), 1, "type 8 is not known"),
        (head(4001), 1, "type 4,001 is not known"),
        (head(2) + count(2**32 - 1), 5, "declares 4,294,967,295 points"),
        (head(3) + count(2**30) + RING, 5, "declares 1,073,741,824 rings"),
        (head(7) + count(2**30), 5, "geometries"),
        (head(4) + count(1) + head(2) + count(0), 9, "LineString XY within MultiPoint XY"),
        (head(7) + count(1) + head(1001) + doubles(1, 2, 3), 9, "Point XYZ within GeometryCollection XY"),
        (head(1) + doubles(1, 2) + b"\0", 21, "1 bytes follow"),
        (nested(40), 297, "nests deeper than 32"),
    ],
)  # fmt: skip
def test_damaged_wkb(raw, offset, words):
    with pytest.raises(CorruptFileError) as error:
        wkb.parse(raw)
    assert words in error.value.message
    assert error.value.offset == offset


def test_collections_nest_up_to_the_limit():
    assert wkb.parse(nested(32)).num_points == 1


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([head(c) for c in (1, 2, 3, 4, 7, 1003)]))
def test_any_bytes_are_a_shape_or_an_error(tail, start):
    try:
        shape = wkb.parse(start + tail)
    except CorruptFileError:
        return
    assert shape.num_points * 16 <= len(tail)
    assert wkb.text(shape)


def test_long_text_is_cut():
    line = head(2) + count(1000) + doubles(*range(2000))
    assert wkb.text(wkb.parse(line), 2) == "LINESTRING (0 1, 2 3, …)"
    assert wkb.text(wkb.parse(head(4) + POINTS), 1) == "MULTIPOINT ((1 2), …)"


def test_ewkb_is_read_and_flagged():
    assert "EWKB" in wkb.parse(head(0x20000001) + count(7) + doubles(1, 2)).describe()
    assert wkb.parse(head(4) + POINTS).describe() == "MultiPoint, XY, 2 parts, 2 points"


# ------------------------------------------------------------------ boxes


@pytest.mark.parametrize(
    ("raws", "box"),
    [
        ([head(1) + doubles(1, 2), head(2) + count(1) + doubles(-1, 5)], Box(-1, 1, 2, 5)),
        ([head(1001) + doubles(1, 2, 3), head(2001) + doubles(0, 0, 9)], Box(0, 1, 0, 2, 3, 3, 9, 9)),
        ([head(1) + doubles(1, NAN), head(1) + doubles(NAN, 7)], Box(1, 1, 7, 7)),
        ([head(1001) + doubles(1, 2, NAN)], Box(1, 1, 2, 2)),
        ([head(1) + doubles(1, NAN)], None),
        ([head(1) + doubles(NAN, NAN)], None),
        ([], None),
    ],
)  # fmt: skip
def test_bounding_boxes(raws, box):
    assert geospatial.bounding_box(map(wkb.parse, raws)) == box


@pytest.mark.parametrize(
    ("box", "x", "y", "inside"),
    [
        (Box(0, 10, 0, 10), 5, 5, True),
        (Box(0, 10, 0, 10), 5, 11, False),
        (Box(170, -170, 0, 10), 175, 5, True),
        (Box(170, -170, 0, 10), -175, 5, True),
        (Box(170, -170, 0, 10), 0, 5, False),
    ],
)
def test_points_in_a_box(box, x, y, inside):
    assert box.contains(x, y) is inside


def test_a_column_with_damaged_values_keeps_the_others():
    values = pa.array([head(1) + doubles(1, 2), None, b"junk", head(1002) + count(0)], pa.binary())
    found = geospatial.summarise(values)
    assert found.types == {1: 1, 1002: 1}
    assert (found.box, found.points, found.damaged) == (Box(1, 1, 2, 2), 1, 1)
    assert found.first_damage[0] == 2


@pytest.mark.parametrize(("code", "name"), [(1, "Point"), (1003, "Polygon Z"), (3007, "GeometryCollection ZM"), (8, "UNKNOWN(8)")])  # fmt: skip
def test_names_of_type_codes(code, name):
    assert geospatial.type_name(code) == name


# ------------------------------------------------------------------ statistics


def leaf(kind="GEOMETRY"):
    logical = LogicalType(**{kind: getattr(structs, f"{kind.title()}Type")()})
    element = SchemaElement(type=6, repetition_type=0, name="g", logicalType=logical)
    return schema.build([SchemaElement(name="schema", num_children=1), element]).leaves[0]


def stated(*sides, types=None):
    names = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")
    box = BoundingBox(**dict(zip(names, sides, strict=False))) if sides else None
    return GeospatialStatistics(bbox=box, geospatial_types=types)


@pytest.mark.parametrize(
    ("column", "statistics", "words"),
    [
        (leaf(), stated(0, 1, 0, 1, types=[1, 1]), "duplicates"),
        (leaf(), stated(types=[9]), "unknown codes: [9]"),
        (leaf(), stated(0, 1, 0), "lacks ymax"),
        (leaf(), stated(0, 1, 2, 1), "ymin 2 is greater than ymax 1"),
        (leaf(), stated(NAN, 1, 0, 1), "NaN for x"),
        (leaf(), stated(0, 1, 0, 1, 5), "only one of zmin and zmax"),
        (leaf("GEOGRAPHY"), stated(-181, 1, 0, 91), "ymax 91 lies outside"),
        (leaf("STRING"), stated(0, 1, 0, 1), "neither GEOMETRY nor GEOGRAPHY"),
    ],
)
def test_damaged_statistics(column, statistics, words):
    said = geospatial.problems(column, statistics)
    assert any(words in sentence for sentence in said), said


@pytest.mark.parametrize(
    ("box", "raw", "left_out"),
    [
        (Box(0, 5, 0, 5), head(1) + doubles(1, 2), None),
        (Box(-180, 180, -90, 90), head(1) + doubles(1, 2), None),
        (Box(0, 5, 0, 1), head(1) + doubles(1, 2), "y = 2.0, above ymax = 1"),
        (Box(2, 5, 0, 5), head(1) + doubles(1, 2), "x = 1.0, below xmin = 2"),
        (Box(0, 5, 0, 5, 0, 1), head(1001) + doubles(1, 2, 3), "z = 3.0, above zmax = 1"),
        (Box(170, -170, 0, 5), head(1) + doubles(1, 2), "x = 1.0, between xmax = -170 and xmin = 170"),
        (Box(170, -170, 0, 5), head(1) + doubles(-175, 2), None),
        (Box(170, -170, 0, 5), head(2) + count(2) + doubles(179, 0, -179, 0), None),
        (Box(170, -170, 0, 5), head(2) + count(2) + doubles(179, 0, 0, 0),
            "x = 0.0, between xmax = -170 and xmin = 170"),
        (Box(170, -170, 0, 5), head(1) + doubles(-175, 9), "y = 9.0, above ymax = 5"),
        (Box(0, 5, 5, 0), head(1) + doubles(1, 9), None),  # the box is wrong by itself
    ],
)  # fmt: skip
def test_coordinates_that_a_box_leaves_out(box, raw, left_out):
    shape = wkb.parse(raw)
    assert geospatial.outside(box, shape, geospatial.extent(shape)) == left_out


# ------------------------------------------------------------------ other writers


@needs_pyarrow(20, "it refuses GEOMETRY")
@pytest.mark.parametrize("kind", ["point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"])  # fmt: skip
def test_the_text_of_geoparquets_own_examples(corpus, kind):
    folder = corpus / "opengeospatial__geoparquet" / "test_data"
    with (folder / f"data-{kind}-wkt.csv").open() as lines:
        expected = [row["geometry"] or None for row in csv.DictReader(lines)]
    table = pq.ParquetFile(folder / f"data-{kind}-encoding_wkb.parquet").read()
    values = table.column("geometry").combine_chunks()
    values = getattr(values, "storage", values).to_pylist()
    assert [None if v is None else wkb.text(wkb.parse(v)) for v in values] == expected


@needs_pyarrow(21, "it has no geospatial statistics")
def test_declared_boxes_of_other_writers_hold(corpus):
    path = corpus / "apache__parquet-testing/data/geospatial/geospatial.parquet"
    file = pq.ParquetFile(path)
    index = file.schema_arrow.names.index("geometry")
    found = file.metadata.row_group(0).column(index).geo_statistics
    values = file.read_row_group(0, columns=["geometry"]).column(0).combine_chunks()
    box = geospatial.summarise(getattr(values, "storage", values)).box
    sides = [getattr(found, name) for name in Box.__dataclass_fields__]
    assert [getattr(box, name) for name in Box.__dataclass_fields__] == pytest.approx(sides)


def test_coordinates_are_native_arrays():
    shape = wkb.parse(head(1, ">") + doubles(3, 4, order=">"))
    assert shape.rings[0].dtype == np.float64
