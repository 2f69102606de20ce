"""Checks geometries: are they WKB, and do the geospatial statistics describe them?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import geospatial
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page

MAX_GEOMETRIES = 200_000
"""Geometries of a chunk that are parsed, one by one; later pages are not checked, and a note says so."""
SOURCE = "GeospatialStatistics: A bounding box and geospatial types of the values"


class GeometryCheck:
    """Parses the geometries of a chunk's pages; does nothing for columns of other types."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._statistics = chunk.metadata.geospatial_statistics
        self._parsed = 0
        self._skipped = 0
        self._problems: dict[str, None] = {}
        name = meaning(chunk.leaf).name
        self._applies = (
            name in ("GEOMETRY", "GEOGRAPHY") and chunk.leaf.physical_type == Type.BYTE_ARRAY
        )

    def add(self, page: Page) -> Iterator[Finding]:
        """The geometries of one data page."""
        if not self._applies:
            return
        if self._parsed + page.num_present > MAX_GEOMETRIES:
            self._skipped += page.num_present
            return
        self._parsed += page.num_present
        summary = geospatial.summarise(page.physical)
        if summary.first_damage is not None:
            index, problem = summary.first_damage
            yield Finding(
                "geometry-damaged",
                "error",
                Address.of(page.address, "values", index),
                f"{summary.damaged:,} values of the page are not valid WKB; the first: {problem}",
                {"damaged": summary.damaged},
                "GEOMETRY: Well-known binary (WKB)",
            )
        self._problems |= dict.fromkeys(
            geospatial.problems(self._chunk.leaf, self._statistics, summary)
        )

    def end(self) -> Iterator[Finding]:
        """Findings after the last page: problems of the statistics, by themselves or compared with the values."""
        self._problems |= dict.fromkeys(geospatial.problems(self._chunk.leaf, self._statistics))
        if self._skipped:
            yield Finding(
                "geometries-not-checked",
                "note",
                self._chunk.address,
                f"{self._skipped:,} geometries of the chunk were not checked; the limit is {MAX_GEOMETRIES:,}",
                {"checked": self._parsed, "not_checked": self._skipped},
            )
        problems = list(self._problems)
        if problems:
            more = f" (and {len(problems) - 3:,} more)" if len(problems) > 3 else ""
            yield Finding(
                "geospatial-statistics",
                "error",
                Address.of(self._chunk.address, "metadata/meta_data/geospatial_statistics"),
                "; ".join(problems[:3]) + more,
                {"problems": problems[:100]},
                SOURCE,
            )
