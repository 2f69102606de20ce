"""Samples of nesting and of logical types."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow as pa

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import EdgeInterpolationAlgorithm
from pqexplore.engine.writer.samples.sample_file import Sample, extension_of, from_table


def _nested() -> pa.Table:
    lists = [[[1, 2], [3]], [[], None, [None, 4]], [], None, [[5]]]
    people = [
        {"name": "Ada", "born": {"year": 1815, "place": "London"}},
        {"name": "Alan", "born": {"year": 1912, "place": None}},
        {"name": None, "born": None},
        None,
        {"name": "Grace", "born": {"year": 1906, "place": "New York"}},
    ]
    maps = [[("a", [1]), ("b", [])], [], None, [("c", None)], [("d", [2, None])]]
    born = pa.struct([("year", pa.int32()), ("place", pa.string())])
    return pa.table(
        {
            "lists": pa.array(lists, pa.list_(pa.list_(pa.int32()))),
            "people": pa.array(people, pa.struct([("name", pa.string()), ("born", born)])),
            "maps": pa.array(maps, pa.map_(pa.string(), pa.list_(pa.int32()))),
        }
    )


NESTED = from_table(
    "nested",
    "Lists of lists, structs in structs, maps of lists: with nulls and empties on every level.",
    _nested,
    encoding="PLAIN",
)


def _lists() -> pa.Table:
    whole = pa.array([[1, 2], [], [3]], pa.list_(pa.field("element", pa.int32(), nullable=False)))
    repeated = pa.field("repeated", whole.type, nullable=False)
    names = ("standard", "array", "tuple", "bag")
    fields = [pa.field(name, whole.type) for name in names] + [
        repeated,
        pa.field("map", pa.map_(pa.string(), pa.int32())),
    ]
    maps = pa.array([[("a", 1)], [], [("b", 2), ("c", 3)]], pa.map_(pa.string(), pa.int32()))
    return pa.table([whole] * 5 + [maps], schema=pa.schema(fields))


LEGACY_LISTS = from_table(
    "legacy-lists",
    "The same list in the standard's three levels and in the four shapes before it; and a map annotated MAP_KEY_VALUE.",
    _lists,
    columns={
        "array": {"list_shape": "two-level"},
        "tuple": {"list_shape": "tuple"},
        "bag": {"list_shape": "bag"},
        "repeated": {"list_shape": "repeated"},
        "map": {"map_shape": "MAP_KEY_VALUE"},
    },
)

_FILE = pa.struct(
    [
        ("uri", pa.string()),
        ("offset", pa.int64()),
        ("size", pa.int64()),
        ("content_type", pa.string()),
        ("checksum", pa.string()),
        ("inline", pa.binary()),
    ]
)


def _files() -> pa.Table:
    values: list[dict[str, Any] | None] = [
        {"inline": b"the bytes themselves", "content_type": "text/plain"},
        {"uri": "images/one.png"},
        {"uri": "images/one.png", "size": 100},
        {"uri": "images/one.png", "offset": 10, "size": 100, "checksum": "CRC32:00c0ffee"},
        {"offset": 0, "size": 4, "checksum": "MD5:0123456789abcdef0123456789abcdef"},
        {"uri": "s3://bucket/a", "checksum": "ETAG:an opaque tag"},
        None,
    ]
    full = [None if v is None else {f.name: v.get(f.name) for f in _FILE} for v in values]
    return pa.table({"file": pa.array(full, _FILE)})


FILES = from_table(
    "file-references",
    "FILE: bytes inline, whole files, ranges of files, and a range of this file: its magic.",
    _files,
    columns={"file": {"logical_type": "FILE"}},
    extensions=extension_of("FileType"),
)


def _point(x: float, y: float) -> bytes:
    return struct.pack("<BIdd", 1, 1, x, y)


def _line(*points: tuple[float, float, float]) -> bytes:
    coordinates = b"".join(struct.pack("<ddd", *point) for point in points)
    return struct.pack("<BII", 1, 1002, len(points)) + coordinates


def _geographies() -> pa.Table:
    points = pa.array([_point(9.99, 48.4), _point(13.4, 52.5), None], pa.binary())
    return pa.table({member.name.lower(): points for member in EdgeInterpolationAlgorithm})


def _geography(algorithm: int) -> structs.LogicalType:
    return structs.LogicalType(GEOGRAPHY=structs.GeographyType(algorithm=int(algorithm)))


GEOGRAPHY = from_table(
    "geography",
    "GEOGRAPHY with each of the five algorithms for the edges between points.",
    _geographies,
    columns={member.name.lower(): {"logical_type": _geography(member)} for member in EdgeInterpolationAlgorithm},
)

GEOMETRY = from_table(
    "geometry",
    "GEOMETRY: points, and lines with heights; with and without a coordinate reference system, with bounding boxes.",
    lambda: pa.table(
        {
            "point": pa.array([_point(1, 2), _point(-3, 5.5), None], pa.binary()),
            "line": pa.array([_line((0, 0, 10), (1, 1, 20)), None, _line((5, 5, -1))], pa.binary()),
        }
    ),
    columns={
        "point": {"logical_type": "GEOMETRY"},
        "line": {"logical_type": structs.LogicalType(GEOMETRY=structs.GeometryType(crs="EPSG:4979"))},
    },
)

SAMPLES: tuple[Sample, ...] = (NESTED, LEGACY_LISTS, FILES, GEOGRAPHY, GEOMETRY)
