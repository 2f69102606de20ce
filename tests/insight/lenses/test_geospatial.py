"""The map: bounding boxes of row groups, and single geometries."""

import json
import struct

import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.format.geospatial import Box
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.span import Span
from pqexplore.insight import wire
from pqexplore.insight.lenses import geospatial
from pqexplore.insight.lenses.geospatial import LENS, Path, Sides, parts
from pqexplore.insight.wire import Chip


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


def polygon(*corners, order="<"):
    ring = b"".join(struct.pack(f"{order}dd", *corner) for corner in (*corners, corners[0]))
    head = struct.pack(f"{order}BIII", order == "<", 3, 1, len(corners) + 1)
    return head + ring


def written(path, values, rows=2, kind="GEOMETRY", **options):
    chosen = {"row_group_rows": rows, "encoding": "PLAIN", "columns": {"where": {"logical_type": kind}}} | options
    table = pa.table({"where": pa.array(values, pa.binary())})
    pqexplore.write(table, path, pqexplore.WriteOptions(**chosen))
    return pqexplore.open(path)


def asked(file, mine=None):
    return geospatial.of_column(file, file.schema.leaves[0], mine)


def test_a_box_across_the_antimeridian():
    wraps = Box(170.0, -170.0, -10.0, 10.0)
    inside, outside = (Box(x, x + 1, 0.0, 1.0) for x in (178.0, 0.0))
    # 178.5 lies in its own box and in the one that wraps; the middle of that one, 180, in it alone
    assert geospatial.mean_reads([wraps, inside, outside]) == pytest.approx((1 + 2 + 1) / 3)
    sentence = geospatial.column_sentence([wraps, inside], {1: None}, [])
    assert "1 of them crosses the antimeridian." in sentence


def test_the_name_of_a_projjson_crs(tmp_path):
    crs = '{"type": "ProjectedCRS", "name": "NAD83 / Conus Albers"}'
    kind = structs.LogicalType(GEOMETRY=structs.GeometryType(crs=crs))
    with written(tmp_path / "f", [point(1, 2)], kind=kind) as file:
        assert Chip("CRS", "NAD83 / Conus Albers (as PROJJSON)") in asked(file).picture.facts


GEO = structs.GeographyType
DECLARED = [
    # the type, its reference system and its edges
    (structs.LogicalType(GEOGRAPHY=GEO()), "OGC:CRS84", "SPHERICAL, the default: along a great circle of a sphere"),
    (
        structs.LogicalType(GEOGRAPHY=GEO(crs="EPSG:4258", algorithm=4)),
        "EPSG:4258",
        "KARNEY, along a geodesic of the ellipsoid, by Karney's algorithm",
    ),
    (structs.LogicalType(GEOGRAPHY=GEO(algorithm=77)), "OGC:CRS84", "UNKNOWN(77), an algorithm that is not known"),
    (structs.LogicalType(GEOMETRY=structs.GeometryType()), "OGC:CRS84", None),
]


@pytest.mark.parametrize(("kind", "crs", "edges"), DECLARED)
def test_facts_have_the_reference_system_and_the_edges_also_where_they_are_the_default(tmp_path, kind, crs, edges):
    with written(tmp_path / "f", [point(1, 2)], kind=kind) as file:
        chips = {chip.name: chip.value for chip in asked(file).picture.facts}
        facts = {fact.name: fact for fact in file.node("schema/1").facts}
    assert chips["CRS"].startswith(crs) and facts["coordinate reference system"].value == crs
    assert ("by default" in chips["CRS"]) == ("default" in facts["coordinate reference system"].meaning)
    if edges is None:
        assert "edges" not in chips and "edges" not in facts
    else:
        assert chips["edges"] == f"{edges}; not straight on this map"
        assert f"{facts['edges'].value}, {facts['edges'].meaning}" == edges


SIDES = ("xmin", "ymin", "xmax", "ymax")
COVERING = {"bbox": {side: ["box", side] for side in SIDES}}


def geoparquet(geo, groups=3, rows=2):
    """A GeoParquet file: points in plain bytes, row group i around (10 i, 5 i), with their boxes in FLOAT columns."""
    places = [(10.0 * at + step, 5.0 * at) for at in range(groups) for step in range(rows)]
    boxes = [{"xmin": x, "ymin": y, "xmax": x, "ymax": y} for x, y in places]
    kind = pa.struct([(side, pa.float32()) for side in SIDES])
    table = pa.table({"where": pa.array([point(*one) for one in places], pa.binary()), "box": pa.array(boxes, kind)})
    text = (
        geo
        if isinstance(geo, str)
        else json.dumps({"version": "1.1.0", "primary_column": "where", "columns": {"where": geo}})
    )
    return parquet(table.replace_schema_metadata({"geo": text}), row_group_size=rows, use_dictionary=False)


WKB = {"encoding": "WKB", "geometry_types": ["Point"]}
GEO_WORDS = [
    # what the key `geo` says of the column, what the lens says, and its boxes' smallest x
    (
        WKB | {"covering": COVERING},
        "Point: a query for one place reads 1 of 3 row groups on average, because their boxes hardly overlap. The boxes are "
        "the bounds of `box.xmin`, `box.xmax`, `box.ymin` and `box.ymax`, which the key `geo` names.",
        [0.0, 10.0, 20.0],
    ),
    (
        WKB | {"bbox": [0, 0, 21, 10]},
        "Point. No row group has a bounding box, so a query for a place reads all 3. The key `geo` gives one box for the "
        "file: x 0 to 21, y 0 to 10.",
        [None] * 3,
    ),
    (WKB, "Point. No row group has a bounding box, so a query for a place reads all 3.", [None] * 3),
]


@pytest.mark.parametrize(("geo", "sentence", "xmin"), GEO_WORDS)
@pytest.mark.parametrize("place", ["schema/1", "row_groups/0/columns/0"])
def test_a_geoparquet_file_has_a_map(geo, sentence, xmin, place):
    with pqexplore.open(geoparquet(geo)) as file:
        found = file.view("geospatial", at=place)
        whole = file.view("geospatial")
    assert found.sentence == sentence and found.picture.boxes.xmin == xmin
    assert sentence in whole.sentence


CRS = [
    # the key's crs, the fact, whether coordinates are degrees
    ({}, "OGC:CRS84 (longitude, latitude), by default", True),
    ({"crs": None}, "not known, as the key geo says", False),
    ({"crs": {"name": "NAD83 / Conus Albers"}}, "NAD83 / Conus Albers (as PROJJSON)", False),
    ({"crs": {"name": "WGS 84", "id": {"authority": "EPSG", "code": 4326}}}, "WGS 84 (as PROJJSON)", True),
]


@pytest.mark.parametrize(("crs", "fact", "geographic"), CRS)
def test_the_reference_system_of_a_geoparquet_column(crs, fact, geographic):
    with pqexplore.open(geoparquet(WKB | {"covering": COVERING} | crs)) as file:
        picture = file.view("geospatial", at="schema/1").picture
    assert Chip("CRS", fact) in picture.facts and picture.geographic is geographic
    assert Chip("edges", "planar, by GeoParquet") in picture.facts


NO_GEO = [
    *("", "[]", "{", '{"columns": []}', '{"columns": {"where": 1}}', '{"columns": {"other": {"encoding": "WKB"}}}'),
    '{"columns": {"where": {"encoding": "point"}}}',
]


@pytest.mark.parametrize("geo", NO_GEO)
def test_without_a_description_a_column_of_bytes_has_no_map(geo):
    with pqexplore.open(geoparquet(geo)) as file:
        assert "GeoParquet" not in {fact.name for fact in file.node("schema/1").facts}
        assert not LENS.applies(file.node("schema/1")) and not LENS.applies(file.node("row_groups/0/columns/0"))


ODD = [
    {"bbox": [1, 2, 3]}, {"bbox": ["a", 0, 1, 1]}, {"bbox": [10**400, 0, 1, 1]}, {"bbox": [float("nan"), 0, 1, 1]}, {"bbox": {"a": 1}},
    {"covering": []}, {"covering": {"bbox": {"xmin": 1}}}, {"covering": {"bbox": {side: ["no", side] for side in SIDES}}},
    {"geometry_types": ["Blob", 7]}, {"geometry_types": 3},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_an_odd_description_costs_only_what_it_is_about(odd):
    with pqexplore.open(geoparquet(WKB | odd)) as file:
        sentence = file.view("geospatial", at="schema/1").sentence
    assert "nan" not in sentence and "The boxes are" not in sentence and "one box for the file" not in sentence


def test_bounds_that_a_reader_must_not_trust_make_no_box():
    """A row group whose bounding boxes have NaN as a bound has no box, and is always read."""
    with pqexplore.open(geoparquet(WKB | {"covering": COVERING})) as file:
        bad = file.row_groups[1].columns[1].metadata.statistics
        data = file.bytes(Span(0, file.size)).replace(bad.max_value, struct.pack("<f", float("nan")))
    with pqexplore.open(data) as file:
        assert file.view("geospatial", at="schema/1").picture.boxes.xmin[1] is None


def value_of(file, index=0):
    page = next(p for p in file.row_groups[0].columns[0].pages if p.is_data)
    return geospatial.of_value(page, file.node(f"{page.address}/values/{index}"))


@pytest.mark.parametrize("encoding", ["PLAIN", "RLE_DICTIONARY"])
def test_a_value_is_drawn_and_its_bytes_are_listed(tmp_path, encoding):
    raw = polygon((0, 0), (4, 0), (4, 3))
    with written(tmp_path / "f", [point(9, 9), raw], encoding=encoding) as file:
        found = value_of(file, 1)
        stored = [file.bytes(span) for span in found.table.spans]
    assert found.sentence.startswith("Polygon, XY, 4 points: POLYGON ((0 0, 4 0, 4 3")
    geometry = found.picture.geometry
    assert geometry.paths == [Path("ring", [0.0, 4.0, 4.0, 0.0], [0.0, 0.0, 3.0, 0.0])]
    assert geometry.box == Sides(0.0, 4.0, 0.0, 3.0)
    assert b"".join(stored) == raw
    assert found.table.column("part") == [
        *("byte order", "type", "number of rings", "number of points of the shell", "  4 points")
    ]


def test_bytes_that_are_not_wkb(tmp_path):
    written(tmp_path / "f", [point(1, 2)], codec="UNCOMPRESSED").close()
    stored = (tmp_path / "f").read_bytes()
    damaged = stored.replace(point(1, 2), b"\x01\x63" + point(1, 2)[2:])
    with pqexplore.open(damaged) as file:
        found = value_of(file)
    assert found.picture is None
    assert found.sentence == ("These 21 bytes are no WKB: WKB type 99 is not known at byte 1 of the value.")


@pytest.mark.parametrize("order", ["<", ">"])
def test_parts_tile_a_collection(order):
    inner = struct.pack(f"{order}BIdd", order == "<", 1, 7, 8) + polygon((0, 0), (1, 0), (1, 1))
    raw = struct.pack(f"{order}BII", order == "<", 7, 2) + inner
    found = parts(raw)
    assert found[0].start == 0 and found[-1].end == len(raw)
    assert all(a.end == b.start for a, b in zip(found, found[1:], strict=False))
    assert [part.text for part in found if part.name == "type"] == [
        *("7: GeometryCollection XY", "1: Point XY", "3: Polygon XY")
    ]
    assert "XY: (7 8)" in [part.text for part in found]


@pytest.mark.full
def test_many_boxes_fit_into_a_message_and_the_nodes_own_is_among_them(tmp_path):
    """Regression: the picture of 3,500 row groups was larger than a message may be."""
    values = [point(i / 7, i / 11) for i in range(3_500)]
    with written(tmp_path / "f", values, rows=1) as file:
        found = asked(file, 3_000)
        text = json.dumps(wire.encode(found.picture), allow_nan=False)
    boxes = found.picture.boxes
    assert len(text) < 256_000
    assert boxes.total == 3_500 == len(found.table.rows)
    assert boxes.address[3_000 - boxes.first] == "row_groups/3000/columns/0"
