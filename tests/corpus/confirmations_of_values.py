"""Confirmations of findings about single values: geometries and Variants. See `confirmations`."""

from __future__ import annotations

import io
import struct

import pyarrow.parquet as pq
from corpus.plain_reader import Compact


def place(one):
    """The indexes in a finding's address: row group, column, page or entry."""
    return [int(step) for step in one.address.split("/") if step.isdecimal()]


def points(raw):
    """The points of a geometry in WKB, each a dictionary by axis."""
    reader = Compact(raw)

    def unpacked(form):
        found = reader.take(struct.calcsize(form))
        return struct.unpack(form, found)

    def geometry():
        ends = "<" if reader.take(1) == b"\1" else ">"
        [kind] = unpacked(ends + "I")
        axes = "xy" + ("", "z", "m", "zm")[kind // 1000]

        def point():
            return dict(zip(axes, unpacked(f"{ends}{len(axes)}d"), strict=True))

        def many(part):
            [count] = unpacked(ends + "I")
            return [one for _ in range(count) for one in part()]

        def line():
            return many(lambda: [point()])

        parts = {1: lambda: [point()], 2: line, 3: lambda: many(line)}
        return parts.get(kind % 1000, lambda: many(geometry))()

    return geometry()


def box(file, one):
    group, number = place(one)
    box = file.metadata(group, number)[17][1]
    assert box[1] <= box[2]

    def outside(point):
        return not (box[1] <= point["x"] <= box[2] and box[3] <= point["y"] <= box[4])

    found = [any(map(outside, points(raw))) for raw in file.values(group, number)]
    assert any(found)
    return one.evidence["geometries"], sum(found)


def box_of_nothing(file, one):
    group, number = place(one)
    assert {5, 6} <= set(file.metadata(group, number)[17][1])  # zmin, zmax
    axes = {axis for raw in file.values(group, number) for one in points(raw) for axis in one}
    return one.evidence["axes"], [axis for axis in "z" if axis not in axes]


def geometry(file, one):
    group, number, *_ = place(one)
    broken = 0
    for raw in file.values(group, number):
        try:
            points(raw)
        except struct.error:
            broken += 1
    return one.evidence["geometries"], broken


def variant(file, one):
    """The Variant of a row as pyarrow reads it: a dictionary of its parts."""
    opened = pq.ParquetFile(io.BytesIO(file.data))
    found = opened.read(columns=[one.evidence["column"][0]]).column(0)[one.evidence["row"]].as_py()
    return found["typed_value"][0] if one.evidence["path"] == "$[*]" else found


def two_values(file, one):
    found = variant(file, one)
    return True, None not in (found["value"], found["typed_value"])


def no_object(file, one):
    found = variant(file, one)
    assert isinstance(found["typed_value"], dict)
    return True, found["value"][0] & 3 != 2  # the basic type of an object is 2


def variant_metadata(file, one):
    raw = variant(file, one)["metadata"]
    width = (raw[0] >> 6) + 1
    count = int.from_bytes(raw[1 : 1 + width], "little")
    return f"{count:,} strings" in one.sentence, 1 + width + (count + 1) * width > len(raw)


CONFIRM = {
    "geometry-damaged": geometry,
    "geospatial-box-disagrees": box,
    "geospatial-box-of-nothing": box_of_nothing,
    "variant-metadata": variant_metadata,
    "variant-value-and-typed-value": two_values,
    "variant-value-not-object": no_object,
}
