"""Where geometries lie, on boxes and values that are known."""

import struct

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.thrift import structs
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import geospatial
from pqexplore.insight.wkb_parts import parts


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


def polygon(*corners, order="<"):
    ring = b"".join(struct.pack(f"{order}dd", *corner) for corner in (*corners, corners[0]))
    head = struct.pack(f"{order}BIII", order == "<", 3, 1, len(corners) + 1)
    return head + ring


def written(path, values, rows=2, kind="GEOMETRY", **options):
    chosen = {
        "row_group_rows": rows,
        "encoding": "PLAIN",
        "columns": {"where": {"logical_type": kind}},
    } | options
    table = pa.table({"where": pa.array(values, pa.binary())})
    pqexplore.write(table, path, pqexplore.WriteOptions(**chosen))
    return pqexplore.open(path)


def asked(file, mine=None):
    return geospatial.of_column(file, file.schema.leaves[0], mine)


def test_boxes_that_do_not_overlap(tmp_path):
    corners = [(0, 0), (1, 1), (10, 10), (11, 11), (20, -5), (21, -4)]
    with written(tmp_path / "f", [point(x, y) for x, y in corners]) as file:
        made = asked(file, 1)
    assert made.picture["boxes"] == [
        [0.0, 1.0, 0.0, 1.0],
        [10.0, 11.0, 10.0, 11.0],
        [20.0, 21.0, -5.0, -4.0],
    ]
    assert made.picture["reads"] == 1.0 and made.picture["mine"] == 1
    assert made.picture["geographic"] is True
    assert made.sentence == (
        "Point: a query for one place reads 1 of 3 row groups on average, because their boxes hardly overlap."
    )
    assert made.table.addresses[2] == "row_groups/2/columns/0"


def test_boxes_that_all_span_the_same(tmp_path):
    values = [point(x, y) for _ in range(3) for x, y in ((0, 0), (9, 9))]
    with written(tmp_path / "f", values) as file:
        made = asked(file)
    assert made.picture["reads"] == 3.0
    assert "reads 3 of 3 row groups" in made.sentence and "not sorted by place" in made.sentence


def test_a_box_across_the_antimeridian():
    wraps = geospatial.Box(170.0, -170.0, -10.0, 10.0)
    inside, outside = (geospatial.Box(x, x + 1, 0.0, 1.0) for x in (178.0, 0.0))
    # 178.5 lies in its own box and in the one that wraps; the middle of that one, 180, in it alone
    assert geospatial._reads([wraps, inside, outside]) == pytest.approx((1 + 2 + 1) / 3)
    sentence = geospatial._sentence(None, [wraps, inside], {1: None}, [])
    assert "1 of them crosses the antimeridian." in sentence


def test_coordinates_beyond_the_globe_are_a_plane(tmp_path):
    with written(tmp_path / "f", [point(500_000, 4_000_000), point(500_010, 4_000_010)]) as file:
        made = asked(file)
    assert made.picture["geographic"] is False
    assert "from x 500000 to 500010 and y 4000000 to 4000010" in made.sentence


def test_without_statistics_it_says_who_writes_them(tmp_path):
    with written(tmp_path / "f", [point(1, 2)], geospatial_statistics=False) as file:
        made = asked(file)
    assert made.picture is None and "parquet-cpp since 21" in made.empty


def test_the_name_of_a_projjson_crs(tmp_path):
    crs = '{"type": "ProjectedCRS", "name": "NAD83 / Conus Albers"}'
    kind = structs.LogicalType(GEOMETRY=structs.GeometryType(crs=crs))
    with written(tmp_path / "f", [point(1, 2)], kind=kind) as file:
        assert ["CRS", "NAD83 / Conus Albers (as PROJJSON)"] in asked(file).picture["facts"]


def value_of(file, index=0):
    page = next(p for p in file.row_groups[0].columns[0].pages if p.is_data)
    return geospatial.of_value(page, file.node(f"{page.address}/values/{index}"))


@pytest.mark.parametrize("encoding", ["PLAIN", "RLE_DICTIONARY"])
def test_a_value_and_its_bytes(tmp_path, encoding):
    raw = polygon((0, 0), (4, 0), (4, 3))
    with written(tmp_path / "f", [point(9, 9), raw], encoding=encoding) as file:
        made = value_of(file, 1)
        stored = [file.bytes(span) for span in made.table.spans]
    assert made.sentence.startswith("Polygon, XY, 4 points: POLYGON ((0 0, 4 0, 4 3")
    assert made.picture["paths"] == [
        {"kind": "ring", "points": [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 0.0]]}
    ]
    assert made.picture["box"] == [0.0, 4.0, 0.0, 3.0]
    assert b"".join(stored) == raw
    assert made.table.column("part") == [
        *("byte order", "type", "number of rings", "number of points of the shell", "  4 points")
    ]


def test_what_is_no_wkb(tmp_path):
    written(tmp_path / "f", [point(1, 2)], codec="UNCOMPRESSED").close()
    stored = (tmp_path / "f").read_bytes()
    damaged = stored.replace(point(1, 2), b"\x01\x63" + point(1, 2)[2:])
    with pqexplore.open(damaged) as file:
        made = value_of(file)
    assert made.picture is None
    assert made.sentence == (
        "These 21 bytes are no WKB: WKB type 99 is not known at byte 1 of the value."
    )


@pytest.mark.parametrize("order", ["<", ">"])
def test_parts_tile_a_collection(order):
    inner = struct.pack(f"{order}BIdd", order == "<", 1, 7, 8) + polygon((0, 0), (1, 0), (1, 1))
    raw = struct.pack(f"{order}BII", order == "<", 7, 2) + inner
    found = parts(raw)
    assert found[0].start == 0 and found[-1].end == len(raw)
    assert all(a.end == b.start for a, b in zip(found, found[1:], strict=False))
    assert [part.says for part in found if part.what == "type"] == [
        *("7: GeometryCollection XY", "1: Point XY", "3: Polygon XY")
    ]
    assert "XY: (7 8)" in [part.says for part in found]


def test_the_samples(tmp_path):
    write_sample("geometry", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        points, lines = (geospatial.of_column(file, leaf) for leaf in file.schema.leaves)
    assert points.sentence.startswith("Point, from x -3 to 1 and y 2 to 5.5")
    assert lines.table.rows[0][5] == "-1 … 20"
    assert ["CRS", "EPSG:4979"] in lines.picture["facts"]
