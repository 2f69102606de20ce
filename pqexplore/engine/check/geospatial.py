"""Checks geometries: are they ISO WKB, and do the geospatial statistics describe them?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check.places import Place, of_value
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import geospatial
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import PageContents
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format import wkb

MAX_GEOMETRIES = 200_000
"""Geometries of a chunk that are parsed, one by one; later pages are not checked, and a note says so."""
SOURCE = "GeospatialStatistics: A bounding box and geospatial types of the values"
CANONICAL = "For GEOGRAPHY types, X and Y values are restricted to the canonical ranges of [-180, 180] for X and [-90, 90] for Y"
GEOGRAPHIC = "For geographic CRS, longitudes are bound by [-180, 180] and latitudes are bound by [-90, 90]"
WRAPAROUND = (
    "For the X values only, xmin may be greater than xmax. In this case, an object in this bounding box may match if it "
    "contains an X such that x >= xmin OR x <= xmax"
)
OMITTED = (
    "If a dimension has only null or NaN values, that dimension is omitted from the bounding box. If either the X or Y "
    "dimension is missing, then the bounding box itself is not produced"
)
TYPES = "A list of geospatial types from all instances in the GEOMETRY or GEOGRAPHY column, or an empty list if they are not known"
ISO = "Well-Known Binary (WKB) serializations (ISO variant supporting XY, XYZ, XYM, XYZM)"


@dataclasses.dataclass(slots=True)
class _Fault:
    """A fault that `count` geometries of the chunk have: where the first is, and what is wrong with it."""

    count: int
    place: Place
    words: str

    def __str__(self) -> str:
        return f"the first has {self.words} ({self.place})"

    @property
    def evidence(self) -> dict[str, int | str | None]:
        return {"geometries": self.count} | self.place.evidence


class GeometryCheck:
    """Parses the geometries of a chunk's pages; does nothing for columns of other types."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._statistics = chunk.metadata.geospatial_statistics
        self._box = geospatial.box_of(self._statistics)
        self._parsed = 0
        self._skipped = 0
        """Geometries beyond `MAX_GEOMETRIES`."""
        self._whole = True
        """Whether every geometry so far was parsed."""
        self._faults: dict[str, _Fault] = {}
        self._types: set[int] = set()
        self._axes: set[str] = set()
        """The axes that have a coordinate."""
        kind = meaning(chunk.leaf)
        self._applies = kind.name in ("GEOMETRY", "GEOGRAPHY") and chunk.leaf.physical_type == Type.BYTE_ARRAY
        self._geography = kind.name == "GEOGRAPHY"
        self._degrees = self._geography or kind.crs in geospatial.DEGREES
        """Whether coordinates are longitude and latitude."""

    def add(self, page: Page, contents: PageContents) -> None:
        """The geometries of one data page. Raises ParquetError if it cannot be decoded."""
        if not self._applies:
            return
        if self._parsed + page.num_present > MAX_GEOMETRIES:
            self._skipped += page.num_present
            self._whole = False
            return
        self._parsed += page.num_present
        for index, shape in geospatial.read(page.physical):
            for rule, words in self._wrong(shape):
                fault = self._faults.get(rule)
                if fault is None:
                    place = of_value(page, index, contents.first_row)
                    self._faults[rule] = _Fault(1, place, words)
                else:
                    fault.count += 1

    def _wrong(self, shape: wkb.Shape | ParquetError) -> Iterator[tuple[str, str]]:
        """The rule and the words of each fault of a geometry."""
        if isinstance(shape, ParquetError):
            self._whole = False
            yield "damaged", str(shape)
            return
        sides = geospatial.extent(shape)
        self._types.add(shape.code)
        self._axes.update(sides)
        if shape.is_ewkb:
            yield "ewkb", "an SRID" if shape.srid is not None else "PostGIS's flags for Z and M"
        if self._degrees:
            for axis, limit in geospatial.LIMITS.items():
                low, high = sides.get(axis, (0.0, 0.0))
                if low < -limit or high > limit:
                    yield "range", f"{axis} = {high if high > limit else low!r}"
                    break
        left_out = None if self._box is None else geospatial.outside(self._box, shape, sides)
        if left_out is not None:
            yield "outside", left_out

    def findings(self, complete: bool) -> Iterator[Finding]:
        """Findings after the last page. `complete`: every page could be decoded."""
        yield from self._of_values()
        if self._skipped:
            yield Finding(
                "geometries-not-checked",
                self._chunk.address,
                f"{self._skipped:,} geometries of the chunk were not checked; the limit is {MAX_GEOMETRIES:,}",
                {"checked": self._parsed, "not_checked": self._skipped},
            )
        address = Address.of(self._chunk.address, "metadata/meta_data/geospatial_statistics")
        problems = geospatial.problems(self._chunk.leaf, self._statistics)
        if self._box is not None and "range" in self._faults:
            known = geospatial.beyond_globe(self._chunk.leaf, self._box)
            problems = [one for one in problems if one not in known]
        if problems:
            more = f" (and {len(problems) - 3:,} more)" if len(problems) > 3 else ""
            yield Finding(
                "geospatial-statistics", address, "; ".join(problems[:3]) + more, {"problems": problems[:100]}
            )
        if self._applies:
            yield from self._against(address, complete and self._whole)

    def _of_values(self) -> Iterator[Finding]:
        damaged, ewkb, beyond = map(self._faults.get, ("damaged", "ewkb", "range"))
        if damaged is not None:
            yield Finding(
                "geometry-damaged",
                damaged.place.address,
                f"{_some(damaged, 'value', 'is', 'are')} not valid WKB; the first ({damaged.place}): {damaged.words}",
                damaged.evidence,
            )
        if ewkb is not None:
            yield Finding(
                "geometry-ewkb",
                ewkb.place.address,
                f"{_some(ewkb, 'value', 'is', 'are')} EWKB, not the ISO variant of WKB; {ewkb}",
                ewkb.evidence,
            )
        if beyond is not None:
            yield Finding(
                "coordinates-out-of-range",
                beyond.place.address,
                f"{_some(beyond, 'value', 'has', 'have')} a longitude beyond ±180 or a latitude beyond ±90 degrees; "
                f"{beyond}",
                beyond.evidence,
                CANONICAL if self._geography else GEOGRAPHIC,
                severity=Severity.DAMAGE if self._geography else Severity.PORTABILITY,
            )

    def _against(self, address: str, whole: bool) -> Iterator[Finding]:
        """The statistics compared with the values; `whole`: all values were parsed."""
        left_out, box = self._faults.get("outside"), self._box
        if left_out is not None and box is not None:
            yield Finding(
                "geospatial-box-disagrees",
                Address.of(address, "bbox"),
                f"{_some(left_out, 'value', 'lies', 'lie')} outside the bounding box{', which wraps around' * box.wraps}; "
                f"{left_out}: a query that trusts the box misses rows",
                left_out.evidence,
                WRAPAROUND if box.wraps else SOURCE,
            )
        if box is not None and whole:
            yield from self._empty_axes(box, Address.of(address, "bbox"))
        yield from self._codes(Address.of(address, "geospatial_types"), whole)

    def _empty_axes(self, box: geospatial.Box, address: str) -> Iterator[Finding]:
        """Axes of the box without a coordinate in the values."""
        empty = [axis for axis in "xyzm" if None not in box.side(axis) and axis not in self._axes]
        if empty:
            yield Finding(
                "geospatial-box-of-nothing",
                address,
                f"the bounding box has {' and '.join(empty)}, and no geometry of the chunk has such a coordinate",
                {"axes": empty},
            )

    def _codes(self, address: str, whole: bool) -> Iterator[Finding]:
        """Types that the statistics do not list, or list in vain."""
        listed = [] if self._statistics is None else self._statistics.geospatial_types or []
        missing = sorted(self._types.difference(listed)) if listed else []
        unused = sorted({code for code in listed if code in geospatial.TYPE_NAMES} - self._types)
        if missing:
            yield Finding(
                "geospatial-types-disagree",
                address,
                f"geospatial_types lacks types that occur, {_names(missing)}: a query that trusts it misses rows",
                {"missing": missing},
            )
        elif unused and whole and self._types:
            yield Finding(
                "geospatial-types-disagree",
                address,
                f"geospatial_types lists types that do not occur: {_names(unused)}",
                {"unused": unused},
                severity=Severity.PORTABILITY,
            )


def _some(fault: _Fault, what: str, one: str, many: str) -> str:
    return f"{plural(fault.count, what)} of the chunk {one if fault.count == 1 else many}"


def _names(codes: list[int]) -> str:
    return ", ".join(map(geospatial.type_name, codes))
