"""Hypothesis strategies: columns of Variants and of geometries. DuckDB gets what a condition can ask of them."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from insight.ask.any_kind import KINDS, Column, spread

from pqexplore.engine.format.variant.encode import Typed, encode_array

VARIANT_TYPES = {
    "int": pa.int64(),
    "bigint": pa.int64(),
    "string": pa.string(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
}
SHREDDINGS = [
    None,
    pa.int64(),
    pa.string(),
    *(pa.struct([("a", kind)]) for kind in (pa.int32(), pa.int64(), pa.string(), pa.float64(), pa.bool_())),
    pa.struct([("a", pa.struct([("b", pa.int64())]))]),
]


def cast(value: Any, name: str) -> Any:
    """A value of a Variant as a type, as Spark's try_variant_get casts it; None if it cannot."""
    if value is None or isinstance(value, dict):
        return None
    if name == "string":
        return str(value).lower() if isinstance(value, bool) else str(value)
    if name == "boolean":
        return {"true": True, "false": False}.get(value) if isinstance(value, str) else bool(value)
    try:
        return float(value) if name == "double" else int(value)
    except ValueError:
        return None


@st.composite
def variants(draw: Any, number: int, rows: int) -> tuple[Column, pa.Array, dict[str, pa.Array]]:
    """A column of Variants, shredded or not; DuckDB gets the values at `$`, `$.a` and `$.a.b` as each type."""
    scalars = st.sampled_from([1, 2, 5, 300, 1 << 40, "x", "5", "", "y", 2.5, 2.0, True, False, None])
    few = st.one_of(scalars, st.just({}), scalars.map(lambda v: {"a": v}), scalars.map(lambda v: {"a": {"b": v}}))
    alike = scalars.flatmap(lambda v: st.sampled_from([{"a": v}, v]))
    pool = draw(st.lists(few, min_size=1, max_size=5) | st.lists(alike, min_size=1, max_size=2))
    order = spread(len(pool), rows, draw(st.sampled_from(["sorted", "by turns"])), 0)
    cells = [pool[index] for index in order]
    array = encode_array([Typed("null", None) if cell is None else cell for cell in cells])
    told = {}
    for path in ("$", "$.a", "$.a.b"):
        found = [_at(cell, path) for cell in cells]
        for name, kind in VARIANT_TYPES.items():
            values = [cast(value, name) for value in found]
            if name == "int":
                values = [None if one is None or abs(one) >= 1 << 31 else one for one in values]
            told[f"c{number}{path}{name}"] = pa.array(values, kind)
    told[f"c{number}"] = pa.array([True] * rows, pa.bool_())
    shredding = draw(st.sampled_from(SHREDDINGS))
    chosen = {"logical_type": "VARIANT", "shredding": shredding}
    return Column(f"c{number}", KINDS["string"], "variant", pool, chosen), array, told


def _at(value: Any, path: str) -> Any:
    for name in path.split(".")[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@st.composite
def geometries(draw: Any, number: int, rows: int) -> tuple[Column, pa.Array, dict[str, pa.Array]]:
    """A column of points, and lines that are parallel to an axis: each is its own box, which DuckDB gets."""
    ends = st.integers(-3, 3)
    few = st.none() | st.tuples(ends, ends, st.integers(0, 2), st.booleans())
    pool = draw(st.lists(few, min_size=1, max_size=5))
    order = spread(len(pool), rows, draw(st.sampled_from(["sorted", "by turns"])), 0)
    boxes: list[Any] = []
    for index in order:
        cell = pool[index]
        if cell is None:
            boxes.append(None)
            continue
        x, y, length, flat = cell
        boxes.append((x, y, x + length * flat, y + length * (not flat)))
    told = {
        f"c{number}_{side}": pa.array([box and float(box[at]) for box in boxes], pa.float64())
        for at, side in enumerate(("xmin", "ymin", "xmax", "ymax"))
    }
    told[f"c{number}"] = pa.array([box and True for box in boxes], pa.bool_())
    column = Column(f"c{number}", KINDS["binary"], "geometry", pool, {"logical_type": "GEOMETRY"})
    return column, pa.array([box and wkb(box) for box in boxes], pa.binary()), told


def wkb(box: tuple[int, int, int, int]) -> bytes:
    """A point, or a line from one end to the other, as Well-Known Binary."""
    if box[:2] == box[2:]:
        return struct.pack("<bIdd", 1, 1, *box[:2])
    return struct.pack("<bIIdddd", 1, 2, 2, *box)
