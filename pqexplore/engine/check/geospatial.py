"""Geometries against WKB and against the geospatial statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine import geospatial
from pqexplore.engine.logical import annotation
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.page import Page

MOST_GEOMETRIES = 200_000
"""Geometries of a chunk that are parsed, one by one; the pages beyond are not looked into."""
SOURCE = "GeospatialStatistics: A bounding box and geospatial types of the values"


class Shapes:
    """Parses the geometries of a chunk's pages; does nothing for columns of other types."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._statistics = chunk.metadata.geospatial_statistics
        self._parsed = 0
        self._told: dict[str, None] = {}
        name = annotation(chunk.leaf).name
        self._shapes = (
            name in ("GEOMETRY", "GEOGRAPHY") and chunk.leaf.physical_type == Type.BYTE_ARRAY
        )

    def add(self, page: Page) -> Iterator[Finding]:
        """The geometries of one data page."""
        if not self._shapes or self._parsed + len(page.physical) > MOST_GEOMETRIES:
            return
        self._parsed += len(page.physical)
        found = geospatial.summarise(page.physical)
        if found.first_damage is not None:
            index, problem = found.first_damage
            yield Finding(
                "geometry-damaged",
                "error",
                join(page.address, "values", index),
                f"{found.damaged:,} values of the page are not WKB; the first: {problem}",
                {"damaged": found.damaged},
                "GEOMETRY: Well-known binary (WKB)",
            )
        self._told |= dict.fromkeys(geospatial.problems(self._chunk.leaf, self._statistics, found))

    def end(self) -> Iterator[Finding]:
        """After the last page: what is wrong with the statistics, by themselves or by the values."""
        self._told |= dict.fromkeys(geospatial.problems(self._chunk.leaf, self._statistics))
        said = list(self._told)
        if said:
            more = f" (and {len(said) - 3:,} more)" if len(said) > 3 else ""
            yield Finding(
                "geospatial-statistics",
                "error",
                join(self._chunk.address, "metadata/meta_data/geospatial_statistics"),
                "; ".join(said[:3]) + more,
                {"problems": said[:100]},
                SOURCE,
            )
