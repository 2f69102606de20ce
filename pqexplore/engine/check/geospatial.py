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
        self._told: set[str] = set()
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
        yield from self._say(geospatial.problems(self._chunk.leaf, self._statistics, found))

    def end(self) -> Iterator[Finding]:
        """What is wrong with the statistics themselves, where no page told."""
        yield from self._say(geospatial.problems(self._chunk.leaf, self._statistics))

    def _say(self, problems: list[str]) -> Iterator[Finding]:
        for problem in problems:
            if problem not in self._told and len(self._told) < 20:
                self._told.add(problem)
                yield Finding(
                    "geospatial-statistics",
                    "error",
                    join(self._chunk.address, "metadata/meta_data/geospatial_statistics"),
                    problem,
                    {},
                    SOURCE,
                )
