"""The parts of a column that a query may skip, row groups and pages, with what the file says of their values.

Row groups are told of by Statistics in the footer, pages by the column index. Both become a `Part`: a range, counts,
whether to believe them, and where the part lies.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.ordering import Order, declared_order, is_float, is_nan
from pqexplore.engine.statistics import Bounds, bounds
from pqexplore.engine.tree import Span, join
from pqexplore.insight.axis import Axis, axis_of, order_of, text_of
from pqexplore.insight.skipping import Skipping, skipping

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.schema import Leaf

GROUP, PAGE = "row group", "page"


@dataclasses.dataclass(slots=True)
class Part:
    """A row group's column chunk, or a data page.

    `low` and `high` are PLAIN bytes (None: not told), `values` counts nulls. `only_nulls` is what rules the part out
    for any value. `trusted` is whether the range may be used, `why` says what speaks against it. `error` is why
    nothing is known.
    """

    kind: str
    index: int
    address: str | None
    span: Span | None = None
    low: bytes | None = None
    high: bytes | None = None
    low_exact: bool | None = None
    high_exact: bool | None = None
    values: int | None = None
    nulls: int | None = None
    nans: int | None = None
    distinct: int | None = None
    only_nulls: bool = False
    trusted: bool = False
    why: str = ""
    error: str = ""

    @property
    def name(self) -> str:
        """`row group 3`."""
        return f"{self.kind} {self.index:,}"

    @property
    def bounded(self) -> bool:
        """Whether it has a range that may be used."""
        return self.trusted and self.low is not None and self.high is not None

    def range_text(self, leaf: Leaf) -> str:
        """Its range as a person reads it."""
        if self.error:
            return self.error
        if self.only_nulls:
            return "nulls only"
        if self.low is None and self.high is None:
            return "no bounds"
        cut = (self.low_exact is False, self.high_exact is False)
        low, high = (text_of(leaf, raw) for raw in (self.low, self.high))
        marks = ["≥ " if cut[0] else "", "≤ " if cut[1] else ""]
        return f"{marks[0]}{low} … {marks[1]}{high}"


def group_parts(file: ParquetFile, leaf: Leaf, most: int) -> Iterator[Part]:
    """The chunks of a leaf, one of each of the first `most` row groups."""
    for index in range(min(len(file.row_groups), most)):
        address = join("row_groups", index, "columns", leaf.leaf_index)
        try:
            yield group_part(file.row_groups[index].columns[leaf.leaf_index])
        except ParquetError as error:
            said = "locked: " if isinstance(error, EncryptedFileError) else ""
            yield Part(GROUP, index, address, error=said + error.message)


def group_part(chunk: ColumnChunk) -> Part:
    """A column chunk with its Statistics. ParquetError where its metadata is locked or damaged."""
    metadata = chunk.metadata
    part = Part(GROUP, chunk.row_group.index, chunk.address, values=metadata.num_values)
    try:
        part.span = None if chunk.struct.file_path else chunk.span
        found = bounds(chunk.leaf, metadata.statistics, chunk.file.created_by)
    except ParquetError as error:
        part.error = error.message
        return part
    if found is None:
        part.why = "no statistics"
        if chunk.locked:  # a footer in the clear leaves out what the values would tell
            part.error = f"locked: {chunk.locked}"
        return part
    return _with_bounds(part, found)


def _with_bounds(part: Part, found: Bounds) -> Part:
    part.low, part.high = found.min_raw, found.max_raw
    part.low_exact, part.high_exact = found.min_exact, found.max_exact
    part.nulls, part.nans, part.distinct = found.null_count, found.nan_count, found.distinct_count
    part.trusted, part.why = found.trusted, found.why
    part.only_nulls = part.values is not None and part.values > 0 and part.nulls == part.values
    return part


def page_parts(chunk: ColumnChunk) -> list[Part]:
    """The data pages of a chunk as its column index tells of them; none where it has no column index.

    ParquetError where the index is damaged or locked.
    """
    told, places = chunk.column_index, chunk.offset_index
    if told is None:
        return []
    count = len(told.null_pages or ())
    locations = [] if places is None else list(places.page_locations or ())
    starts = page_rows(locations, chunk.row_group.num_rows)
    ahead = pages_ahead(chunk, len(locations))
    order, declared = order_of(chunk.leaf), declared_order(chunk.leaf)
    why = ""
    if declared is None:
        why = "the footer names no known column order for this column"
    elif order is Order.NONE:
        why = "the column's type has no order"
    parts = []
    flat, floats = not chunk.leaf.max_repetition_level, is_float(chunk.leaf)
    prefix = join(chunk.address, "pages") + "/"
    for i in range(count):
        part = Part(PAGE, i, None if ahead is None else f"{prefix}{ahead + i}")
        if i < len(locations) and locations[i].offset is not None:
            size = locations[i].compressed_page_size or 0
            part.span = Span(locations[i].offset, locations[i].offset + max(0, size))
            part.values = starts[i] if flat else None
        part.nulls, part.nans = _at(told.null_counts, i), _at(told.nan_counts, i)
        part.only_nulls = bool(told.null_pages[i])
        if not part.only_nulls:
            part.low, part.high = _at(told.min_values, i), _at(told.max_values, i)
            part.trusted, part.why = not why, why
            if floats and (_is_nan(chunk.leaf, part.low) or _is_nan(chunk.leaf, part.high)):
                part.trusted, part.why = False, "a bound is NaN"
        parts.append(part)
    return parts


def page_rows(locations: Sequence[Any], num_rows: int) -> list[int | None]:
    """How many rows each page has, by the offset index."""
    firsts = [place.first_row_index for place in locations] + [num_rows]
    return [None if a is None or b is None or b < a else b - a for a, b in pairwise(firsts)]


def pages_ahead(chunk: ColumnChunk, listed: int) -> int | None:
    """Pages before the first data page; None where it is not known how pages and index go together."""
    try:
        ahead = len(chunk.pages) - listed
    except ParquetError:
        return None
    return ahead if ahead in (0, 1) else None


def _at(values: Sequence[Any] | None, index: int) -> Any:
    return values[index] if values is not None and index < len(values) else None


def _is_nan(leaf: Leaf, raw: bytes | None) -> bool:
    return raw is not None and is_nan(leaf, raw)


def joint_axis(leaf: Leaf, parts: Sequence[Part]) -> Axis:
    """One axis for the ranges of all parts: first all lower bounds, then all upper ones."""
    return axis_of(leaf, [part.low for part in parts] + [part.high for part in parts])


def judged(parts: Sequence[Part], axis: Axis) -> Skipping:
    """The verdict on parts; `axis` is their joint one."""
    usable = np.array([part.bounded for part in parts], bool)
    total = len(parts)
    weight = np.array([max(0, (p.values or 0) - (p.nulls or 0)) for p in parts], np.float64)
    return skipping(
        axis.place[:total],
        axis.place[total:],
        np.where(usable, axis.rank[:total], -1),
        np.where(usable, axis.rank[total:], -1),
        weight,
        sum(part.only_nulls or (part.values == 0 and not part.bounded) for part in parts),
    )
