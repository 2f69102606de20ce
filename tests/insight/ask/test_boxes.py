"""Bounding boxes of geometries: which row groups a shape can meet, and which geometries do."""

import io
import struct

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import wkb
from pqexplore.engine.format.geospatial import Box
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.insight.ask import matching, sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Undecided
from pqexplore.insight.ask.engines.engine import ENGINE, are_apart
from pqexplore.insight.skippable import GROUP, Skippable

NAN = float("nan")


@pytest.mark.parametrize(("box", "shape", "apart"), [
    (Box(0, 10, 0, 10), (2, 2, 3, 3), False),
    (Box(0, 10, 0, 10), (10, 10, 12, 12), False),  # they touch
    (Box(0, 10, 0, 10), (11, 0, 12, 1), True),
    (Box(0, 10, 0, 10), (0, -5, 10, -1), True),
    (Box(0, 10, 0, 10), (-5, -5, 50, 50), False),
    (Box(170, -170, 0, 10), (175, 1, 176, 2), False),  # across the antimeridian
    (Box(170, -170, 0, 10), (-178, 1, -175, 2), False),
    (Box(170, -170, 0, 10), (-100, 1, 100, 2), True),
    (Box(170, -170, 0, 10), (-170, 1, 170, 2), False),
    (Box(170, -170, 0, 10), (175, 11, 176, 12), True),
])  # fmt: skip
def test_a_box_is_apart_from_a_shape_if_no_point_is_in_both(box, shape, apart):
    assert are_apart(box, shape) is apart


@pytest.mark.parametrize(("box", "possible", "reason"), [
    (Box(0, 10, 0, 10), True, "its box x 0 … 10, y 0 … 10 overlaps the shape's"),
    (Box(5, 10, 0, 10), False, "its box x 5 … 10, y 0 … 10 is apart from the shape's"),
    (Box(170, -170, 0, 1), False, "its box x ≥ 170 or x ≤ -170, y 0 … 1 is apart from the shape's"),
    (Box(NAN, NAN, 5, 6), True, "its bounding box has sides that are not numbers or in order"),
    (Box(5, 6, 10, 0), True, "its bounding box has sides that are not numbers or in order"),
    (None, True, "no bounding box"),
])  # fmt: skip
def test_a_row_group_is_skipped_only_by_a_box_that_is_apart(box, possible, reason):
    clause = sql.parse("ST_Intersects(g, ST_MakeEnvelope(1, 1, 2, 2))")
    ruling = ENGINE.by_box(clause, Skippable(GROUP, 0, None, box=box))
    assert (ruling.possible, ruling.reason) == (possible, reason)


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


def ring(*points):
    return struct.pack("<I", len(points)) + b"".join(struct.pack("<dd", *one) for one in points)


def polygon(*rings):
    return struct.pack("<BII", 1, 3, len(rings)) + b"".join(rings)


def line(*points):
    return struct.pack("<BI", 1, 2) + ring(*points)


SQUARE = ring((-9, -9), (9, -9), (9, 9), (-9, 9), (-9, -9))
HOLE = ring((-5, -5), (5, -5), (5, 5), (-5, 5), (-5, -5))


@pytest.mark.parametrize(("shape", "meets"), [
    (point(0.5, 0.5), True),
    (point(1, 1), True),
    (point(1.1, 1), False),
    (point(NAN, NAN), False),  # an empty point
    (line((-1, 0.5), (2, 0.5)), True),  # through the box, both ends outside
    (line((-1, 1), (1, 3)), False),  # past its corner
    (line((0, 1.5), (1.5, 0)), True),
    (polygon(SQUARE), True),  # around the box
    (polygon(SQUARE, HOLE), False),  # the box lies in the hole
    (polygon(ring((2, 2), (3, 2), (3, 3), (2, 2))), False),
])  # fmt: skip
def test_a_geometry_meets_the_box_from_0_to_1(shape, meets):
    assert matching.meets(wkb.parse(shape), (0, 0, 1, 1)) is meets


def geometries(**column):
    out = io.BytesIO()
    values = [point(0.5, 0.5), point(0, 3), None, point(9, 9), point(8, 8), None]
    options = WriteOptions(columns={"g": {"logical_type": "GEOMETRY", **column}}, row_group_rows=3)
    write(pa.table({"g": pa.array(values, pa.binary())}), out, options)
    return pqexplore.open(out.getvalue())


def test_rows_and_row_groups_of_a_file():
    file = geometries()
    test = bind(sql.parse("ST_Intersects(g, ST_MakeEnvelope(0, 0, 1, 1))"), file.schema)
    assert [matching.rows(file, index, test, None).tolist() for index in range(2)] == [
        [True, False, False],
        [False, False, False],
    ]
    chunks = [group.columns[0] for group in file.row_groups]
    kept = [ENGINE.by_bounds(test, ENGINE.chunk_claims(chunk)).possible for chunk in chunks]
    assert kept == [True, False]
    silent = geometries(geospatial_statistics=False).row_groups[1].columns[0]
    assert ENGINE.by_bounds(test, ENGINE.chunk_claims(silent)).reason == "no bounding box"


def test_a_shape_that_is_no_box_is_not_evaluated():
    file = geometries()
    where = "ST_Intersects(g, ST_GeomFromText('POLYGON((0 0, 1 0, 0 1, 0 0))'))"
    with pytest.raises(UsageError, match="only points and boxes are compared"):
        matching.rows(file, 0, bind(sql.parse(where), file.schema), None)


def test_boxes_of_geographies_decide_nothing():
    out = io.BytesIO()
    options = WriteOptions(columns={"g": {"logical_type": "GEOGRAPHY"}})
    write(pa.table({"g": pa.array([point(0, 0)], pa.binary())}), out, options)
    schema = pqexplore.open(out.getvalue()).schema
    found = bind(sql.parse("ST_Intersects(g, ST_MakeEnvelope(0, 0, 1, 1))"), schema)
    assert isinstance(found, Undecided)
    assert "curved" in found.why
