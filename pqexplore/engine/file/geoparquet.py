"""What GeoParquet says of a file's columns, in the key `geo` of the key-value metadata.

GeoParquet 1 has geometries as WKB in plain byte columns. Where they lie is in columns beside them, the `covering`: a group
with the sides of each geometry's bounding box, as in GeoJSON (RFC 7946), whose numbers are finite.

Specification: https://geoparquet.org/releases/v1.1.0/
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.geospatial import Box

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf

SIDES = ("xmin", "xmax", "ymin", "ymax")


@dataclasses.dataclass(frozen=True, slots=True)
class GeoColumn:
    """A column of geometries: their `encoding`, `types` by name, and edges, "planar" or "spherical".

    `crs` is PROJJSON, None where it is said not to be known; `has_crs` is False where the default holds, OGC:CRS84. `box` is that
    of all geometries of the file, None if it is not said. `covering` has the path of the column of each of `SIDES`; empty without.
    """

    encoding: str
    types: tuple[str, ...] = ()
    edges: str = "planar"
    crs: Any = None
    has_crs: bool = False
    box: Box | None = None
    covering: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)


def geo_columns(file: ParquetFile) -> dict[str, GeoColumn]:
    """The columns that the key `geo` describes, by name; empty without it, or if it cannot be read."""
    try:
        value = file.key_value_metadata.get("geo")
    except ParquetError:
        return {}
    if value is None:
        return {}
    made: dict[str, GeoColumn] = file.cache.get(("geoparquet",), lambda: _columns(value), lambda one: 500 * len(one))
    return made


def geo_column(file: ParquetFile, leaf: Leaf) -> GeoColumn | None:
    """What the key `geo` says of a leaf that has geometries as WKB; None if nothing."""
    found = geo_columns(file).get(leaf.path[0]) if len(leaf.path) == 1 else None
    return found if found is not None and found.encoding == "WKB" else None


def is_side(file: ParquetFile, leaf: Leaf) -> bool:
    """Whether a leaf is a side of the bounding boxes of geometries, by the key `geo`."""
    return any(leaf.path in column.covering.values() for column in geo_columns(file).values())


def _columns(value: str) -> dict[str, GeoColumn]:
    from pqexplore.engine.format import embedded  # few files are GeoParquet

    found = embedded.decode(embedded.GEO, value)
    content = found.content if found is not None and isinstance(found.content, dict) else {}
    columns = content.get("columns")
    if not isinstance(columns, dict):
        return {}
    return {name: _column(one) for name, one in columns.items() if isinstance(one, dict)}


def _column(one: dict[str, Any]) -> GeoColumn:
    types = one.get("geometry_types")
    return GeoColumn(
        str(one.get("encoding")),
        tuple(str(kind) for kind in types) if isinstance(types, list) else (),
        str(one.get("edges", "planar")),
        one.get("crs"),
        "crs" in one,
        _box(one.get("bbox")),
        _covering(one.get("covering")),
    )


def _box(sides: Any) -> Box | None:
    """The box in a list: the smallest of each axis, then the largest."""
    if not isinstance(sides, list) or len(sides) not in (4, 6, 8):
        return None
    if not all(isinstance(side, (int, float)) and abs(side) <= sys.float_info.max for side in sides):
        return None
    half = len(sides) // 2
    return Box(float(sides[0]), float(sides[half]), float(sides[1]), float(sides[half + 1]))


def _covering(covering: Any) -> dict[str, tuple[str, ...]]:
    """The path of the column of each side; empty if one is missing."""
    paths = covering.get("bbox") if isinstance(covering, dict) else None
    if not isinstance(paths, dict):
        return {}
    made = {side: tuple(map(str, path)) for side in SIDES if isinstance(path := paths.get(side), list)}
    return made if len(made) == len(SIDES) else {}
