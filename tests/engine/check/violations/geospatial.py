"""Violations in geometries and in the statistics that describe them."""

import math
import struct

from engine.check import forged
from engine.check.violations import Violation

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer import assembly

NAN = math.nan
STATISTICS = "row_groups/0/columns/0/metadata/meta_data/geospatial_statistics"
BOX, CODES = f"{STATISTICS}/bbox", f"{STATISTICS}/geospatial_types"
THIRD = "row_groups/0/columns/0/pages/0/values/2"

GEOMETRY = structs.LogicalType(GEOMETRY=structs.GeometryType())
PROJECTED = structs.LogicalType(GEOMETRY=structs.GeometryType(crs="EPSG:3857"))
WGS_84 = structs.LogicalType(GEOMETRY=structs.GeometryType(crs="EPSG:4326"))
GEOGRAPHY = structs.LogicalType(GEOGRAPHY=structs.GeographyType())
STRING = structs.LogicalType(STRING=structs.StringType())


def point(*coordinates, code=None, more=b""):
    kind = {2: 1, 3: 1001, 4: 3001}[len(coordinates)] if code is None else code
    return struct.pack(f"<BI{len(more)}s{len(coordinates)}d", 1, kind, more, *coordinates)


def line(*points, code=2):
    return struct.pack("<BII", 1, code, len(points)) + b"".join(struct.pack(f"<{len(one)}d", *one) for one in points)


def multi_point(*points):
    return struct.pack("<BII", 1, 4, len(points)) + b"".join(points)


def box(xmin=0.0, xmax=9.0, ymin=0.0, ymax=9.0, **more):
    return structs.BoundingBox(xmin=xmin, xmax=xmax, ymin=ymin, ymax=ymax, **more)


def column(values, bbox=None, types=None, kind=GEOMETRY):
    """A file of one page of WKB, with geospatial statistics if there is a box or a list of types."""
    stated = None
    if bbox is not None or types is not None:
        stated = structs.GeospatialStatistics(bbox=bbox, geospatial_types=types)
    return forged.one_column([forged.page(values, Type.BYTE_ARRAY)], Type.BYTE_ARRAY,
        leaf=assembly.element("a", Type.BYTE_ARRAY, 0, logicalType=kind), metadata={"geospatial_statistics": stated})  # fmt: skip


def violation(name, rule, bad, near, severity="error", address=""):
    """`bad` and `near` are arguments of `column`."""
    return Violation(name, rule, lambda: column(**bad), lambda: column(**near), severity, address)


def of_values(name, rule, bad, near, severity="error", **more):
    """A violation of the third value of three."""
    good = [point(1.0, 2.0), point(3.0, 4.0)]
    return violation(name, rule, {"values": [*good, bad], **more}, {"values": [*good, near], **more}, severity, THIRD)


def left_out(name, bad, near, **sides):
    """A geometry outside of the box that `sides` change."""
    return violation(name, "geospatial-box-disagrees", {"values": bad, "bbox": box(**sides)},
        {"values": near, "bbox": box(**sides)}, "error", BOX)  # fmt: skip


def stated(name, bad, near, **more):
    """Statistics that are wrong by themselves."""
    good = {"values": [point(1.0, 2.0)], **more}
    return violation(name, "geospatial-statistics", good | bad, good | near, "error", STATISTICS)


DATE_LINE = {"xmin": 170.0, "xmax": -170.0}

VIOLATIONS = [
    # Values.
    of_values("a geometry that is cut off", "geometry-damaged", point(1.0, 2.0)[:-1], point(1.0, 2.0)),
    of_values("a geometry with a byte too many", "geometry-damaged", point(1.0, 2.0) + b"\0", point(1.0, 2.0)),
    of_values("EWKB with an SRID", "geometry-ewkb", point(1.0, 2.0, code=0x20000001, more=struct.pack("<I", 4326)),
        point(1.0, 2.0)),
    of_values("EWKB with Z", "geometry-ewkb", point(1.0, 2.0, 3.0, code=0x80000001), point(1.0, 2.0, 3.0)),
    of_values("EWKB with M", "geometry-ewkb", point(1.0, 2.0, 3.0, code=0x40000001), point(1.0, 2.0, 3.0, code=2001)),
    of_values("EWKB within a multipoint", "geometry-ewkb", multi_point(point(1.0, 2.0, code=0x20000001, more=bytes(4))),
        multi_point(point(1.0, 2.0))),
    *[of_values(f"a geography with {what}", "coordinates-out-of-range", point(*bad), point(*near), kind=GEOGRAPHY)
        for what, bad, near in (
            ("a longitude above 180", (180.5, 0.0), (180.0, 0.0)),
            ("a longitude below -180", (-200.0, 0.0), (-180.0, 0.0)),
            ("a latitude above 90", (0.0, 90.25), (0.0, 90.0)),
            ("a latitude below -90", (0.0, -91.0), (0.0, -90.0)),
        )
    ],
    of_values("a line of a geography that leaves the globe", "coordinates-out-of-range", line((0.0, 0.0), (0.0, 100.0)),
        line((0.0, 0.0), (NAN, 80.0)), kind=GEOGRAPHY),
    of_values("a geometry in degrees beyond 180", "coordinates-out-of-range", point(500.0, 0.0), point(50.0, 0.0),
        "warning"),
    violation("a geometry of EPSG:4326 beyond latitude 90", "coordinates-out-of-range",
        {"values": [point(0.0, 91.0)], "kind": WGS_84}, {"values": [point(0.0, 91.0)], "kind": PROJECTED}, "warning"),
    violation("a geometry whose box is as far beyond the globe as its values", "coordinates-out-of-range",
        {"values": [point(190.0, 2.0)], "bbox": box(xmax=190.0), "kind": GEOGRAPHY},
        {"values": [point(5e6, 2.0)], "bbox": box(xmax=5e6), "kind": PROJECTED}),
    # The box and the values.
    left_out("x beyond the box", [point(10.0, 1.0)], [point(9.0, 1.0)]),
    left_out("x before the box", [point(-1.0, 1.0)], [point(0.0, 1.0)]),
    left_out("m below the box", [point(1.0, 1.0, -1.0, code=2001)], [point(1.0, 1.0, 0.0, code=2001)], mmin=0.0,
        mmax=4.0),
    left_out("one vertex of a line beyond the box", [line((1.0, 1.0), (1.0, 20.0))], [line((1.0, 1.0), (1.0, NAN))]),
    left_out("a point that a box over the date line leaves out", [point(0.0, 1.0)], [point(175.0, 1.0)], **DATE_LINE),
    left_out("a box with xmin and xmax swapped", [point(5.0, 1.0)], [point(9.0, 1.0)], xmin=9.0, xmax=0.0),
    violation("a box with z, and no geometry with z", "geospatial-box-of-nothing",
        {"values": [point(1.0, 1.0)], "bbox": box(zmin=0.0, zmax=0.0)},
        {"values": [point(1.0, 1.0), point(1.0, 1.0, 0.0)], "bbox": box(zmin=0.0, zmax=0.0)}, address=BOX),
    violation("a box with m, and only NaN as m", "geospatial-box-of-nothing",
        {"values": [point(1.0, 1.0, NAN, code=2001)], "bbox": box(mmin=0.0, mmax=0.0)},
        {"values": [point(1.0, 1.0, 0.0, code=2001)], "bbox": box(mmin=0.0, mmax=0.0)}, address=BOX),
    violation("a box of empty points", "geospatial-box-of-nothing", {"values": [point(NAN, NAN)], "bbox": box()},
        {"values": [point(NAN, NAN), point(1.0, 1.0)], "bbox": box()}, address=BOX),
    # Types.
    violation("a type that is not listed", "geospatial-types-disagree",
        {"values": [point(1.0, 1.0), line((1.0, 1.0))], "types": [1]},
        {"values": [point(1.0, 1.0), line((1.0, 1.0))], "types": [2, 1]}, address=CODES),
    violation("a type listed without its Z", "geospatial-types-disagree",
        {"values": [point(1.0, 1.0, 1.0)], "types": [1]}, {"values": [point(1.0, 1.0, 1.0)], "types": []},
        address=CODES),
    violation("a type that is listed and does not occur", "geospatial-types-disagree",
        {"values": [point(1.0, 1.0)], "types": [1, 3]}, {"values": [point(1.0, 1.0)], "types": [1]}, "warning", CODES),
    # The statistics by themselves.
    stated("a type that is listed twice", {"types": [1, 1]}, {"types": [1]}),
    stated("a geography's box beyond latitude 90", {"bbox": box(ymin=-95.0)}, {"bbox": box(ymin=-90.0)}, kind=GEOGRAPHY),
    stated("geospatial statistics of text", {"bbox": box(), "kind": STRING, "values": [b"a"]}, {"bbox": box()}),
]  # fmt: skip
