"""The parts of a column that a query may skip, row groups and pages, with what the file says about their values.

The Statistics in the footer describe row groups, the column index describes pages. Both become a `Skippable`: a range,
counts, whether to trust them, and the bytes of the part. Ranges inside a Variant are trusted if they cover all its values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.check.sorting import by_bounds
from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.file.chunk_bounds import known_bounds
from pqexplore.engine.file.variant_bounds import chunk_doubt, page_doubts
from pqexplore.engine.finding import within
from pqexplore.engine.format.geospatial import Box, box_of
from pqexplore.engine.format.ordering import Order, declared_order, is_float, is_nan
from pqexplore.engine.format.statistics import Bounds
from pqexplore.engine.format.variant.bounds import WHY
from pqexplore.engine.span import Span
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.axis import Axis, axis_of, order_of, text_of
from pqexplore.insight.skipping import Skipping, skipping

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.thrift.structs import PageLocation

GROUP, PAGE = "row group", "page"

_ENCRYPTED = "encrypted: "

_WRONG_PAGE = ("column-index-bound", "null-page-disagrees")
"""Rules of findings that say that a page has values that its entry in the column index rules out."""


@dataclasses.dataclass(slots=True)
class Skippable:
    """A row group's column chunk, or a data page.

    `low` and `high` are PLAIN bytes, None if absent. `values` includes nulls. `elsewhere` says that it is a part of a
    Variant whose values may be in another column; if not, a part with `only_nulls` is skipped for any value. `trusted`
    says whether the range may be used, `why` what speaks against it. `error` says why nothing is known. `box` is the
    bounding box of a row group's geometries, None if absent.
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
    elsewhere: bool = False
    trusted: bool = False
    why: str = ""
    error: str = ""
    box: Box | None = None

    @property
    def name(self) -> str:
        """`row group 3`."""
        return f"{self.kind} {self.index:,}"

    @property
    def locked(self) -> bool:
        """Whether nothing is known of it without a key."""
        return self.error.startswith(_ENCRYPTED)

    @property
    def bounded(self) -> bool:
        """Whether it has a usable range."""
        return self.trusted and self.low is not None and self.high is not None

    @property
    def remark(self) -> str | None:
        """Why its range cannot be used, or that it has nulls only; None if there is nothing to say."""
        why = self.error or self.why
        if not self.only_nulls:
            return why or None
        return f"nulls only; {why}" if self.elsewhere else "nulls only"

    def range_text(self, leaf: Leaf) -> str:
        """Its range as text."""
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


_kept: Latest[ParquetFile, dict[int, Skippable]] = Latest(4)


def group_parts(file: ParquetFile, leaf: Leaf, limit: int) -> Iterator[Skippable]:
    """The chunks of a leaf in the first `limit` row groups, for reading: several lenses ask for the same ones.

    They are kept for the latest columns, until there are more findings, which bounds depend on.
    """
    key = leaf.leaf_index, len(file.findings)
    kept = _kept.get(file, key)
    if kept is None:
        kept = {}
        _kept.put(file, key, kept)
    groups = file.row_groups
    for index in range(min(len(groups), limit)):
        part = kept.get(index)
        if part is None:
            part = kept[index] = group_part_of(groups[index], leaf)
        yield part


def group_part_of(group: RowGroup, leaf: Leaf) -> Skippable:
    """A leaf in a row group; with the reason why nothing is known if its metadata is damaged or needs a key."""
    try:
        return group_part(group.columns[leaf.leaf_index])
    except ParquetError as error:
        address = Address.of(group.address, "columns", leaf.leaf_index)
        return failed_part(GROUP, group.index, address, error)


def failed_part(kind: str, index: int, address: str, error: ParquetError) -> Skippable:
    """A part that is not known, because of an error."""
    state = _ENCRYPTED if isinstance(error, EncryptedFileError) else ""
    return Skippable(kind, index, address, error=state + error.message)


def group_part(chunk: ColumnChunk) -> Skippable:
    """A column chunk with its Statistics. ParquetError if its metadata is damaged or needs a key."""
    metadata = chunk.metadata
    part = Skippable(GROUP, chunk.row_group.index, chunk.address, values=metadata.num_values)
    part.box = box_of(metadata.geospatial_statistics)
    try:
        part.span = None if chunk.elsewhere else chunk.span
        limits = known_bounds(chunk)
    except ParquetError as error:
        part.error = error.message
        return part
    if limits is None:
        part.why = "no statistics"
        if chunk.locked:  # a plaintext footer omits the statistics of encrypted columns
            part.error = f"{_ENCRYPTED}{chunk.locked}"
        return part
    _with_bounds(part, limits)
    _doubt(part, chunk_doubt(chunk))
    return part


def _with_bounds(part: Skippable, limits: Bounds) -> None:
    part.low, part.high = limits.min_raw, limits.max_raw
    part.low_exact, part.high_exact = limits.min_exact, limits.max_exact
    part.nulls, part.nans, part.distinct = (limits.null_count, limits.nan_count, limits.distinct_count)
    part.trusted, part.why = limits.trusted, limits.why
    part.only_nulls = part.values is not None and part.values > 0 and part.nulls == part.values


def _doubt(part: Skippable, reason: str) -> None:
    if reason and (part.only_nulls or part.low is not None or part.high is not None):
        part.elsewhere, part.trusted, part.why = True, False, WHY[reason]


def page_parts(chunk: ColumnChunk) -> list[Skippable]:
    """The data pages of a chunk as its column index describes them; empty without a column index.

    ParquetError if the index is damaged or needs a key.
    """
    index, offset_index = chunk.column_index, chunk.offset_index
    if index is None:
        return []
    count = len(index.null_pages or ())
    locations = [] if offset_index is None else list(offset_index.page_locations or ())
    starts = page_rows(locations, chunk.row_group.num_rows)
    ahead = pages_ahead(chunk, len(locations))
    order, declared = order_of(chunk.leaf), declared_order(chunk.leaf)
    why = ""
    if declared is None:
        why = "the footer names no known column order"
    elif order is Order.NONE:
        why = "the column's type has no order"
    for finding in by_bounds(chunk):
        chunk.file.note(finding)
    wrong = _wrong_pages(chunk)
    parts = []
    flat, floats = not chunk.leaf.max_repetition_level, is_float(chunk.leaf)
    prefix = Address.of(chunk.address, "pages") + "/"
    doubts = page_doubts(chunk, count)
    for i in range(count):
        part = Skippable(PAGE, i, None if ahead is None else f"{prefix}{ahead + i}")
        if i < len(locations) and locations[i].offset is not None:
            size = locations[i].compressed_page_size or 0
            end = locations[i].offset + max(0, size)
            part.span = Span(locations[i].offset, end, chunk.space)
            part.values = starts[i] if flat else None
        part.nulls, part.nans = _at(index.null_counts, i), _at(index.nan_counts, i)
        part.only_nulls = bool(index.null_pages[i])
        if not part.only_nulls:
            part.low, part.high = _at(index.min_values, i), _at(index.max_values, i)
            part.trusted, part.why = not why, why
            if floats and (_is_nan(chunk.leaf, part.low) or _is_nan(chunk.leaf, part.high)):
                part.trusted, part.why = False, "a bound is NaN"
        _doubt(part, doubts[i])
        if i in wrong:
            part.trusted, part.why, part.only_nulls = False, wrong[i], False
        parts.append(part)
    return parts


def _wrong_pages(chunk: ColumnChunk) -> dict[int, str]:
    """The pages whose entry in the column index is known to be wrong, and why: a query that trusts it misses rows."""
    known = within(chunk.file.findings, Address.of(chunk.address, "column_index"))
    return {
        int(Address(one.address).name): one.message
        for one in known
        if one.rule in _WRONG_PAGE and Address(one.address).name.isdecimal()
    }


def page_rows(locations: Sequence[PageLocation], num_rows: int) -> list[int | None]:
    """How many rows each page has by the offset index; None if its rows are unknown."""
    firsts = [one.first_row_index for one in locations] + [num_rows]
    return [None if a is None or b is None or b < a else b - a for a, b in pairwise(firsts)]


def pages_ahead(chunk: ColumnChunk, listed: int) -> int | None:
    """Pages before the first data page (0 or 1); None if pages and index do not match."""
    try:
        ahead = len(chunk.pages) - listed
    except ParquetError:
        return None
    return ahead if ahead in (0, 1) else None


def _at(values: Sequence[Any] | None, index: int) -> Any:
    return values[index] if values is not None and index < len(values) else None


def _is_nan(leaf: Leaf, raw: bytes | None) -> bool:
    return raw is not None and is_nan(leaf, raw)


def joint_axis(leaf: Leaf, parts: Sequence[Skippable]) -> Axis:
    """One axis for the ranges of all parts: first all lower bounds, then all upper ones."""
    return axis_of(leaf, [part.low for part in parts] + [part.high for part in parts])


def judged(parts: Sequence[Skippable], axis: Axis) -> Skipping:
    """The verdict on parts; `axis` is their joint axis."""
    usable = np.array([part.bounded for part in parts], bool)
    total = len(parts)
    weight = np.array([max(0, (p.values or 0) - (p.nulls or 0)) for p in parts], np.float64)
    return skipping(
        axis.place[:total],
        axis.place[total:],
        np.where(usable, axis.rank[:total], -1),
        np.where(usable, axis.rank[total:], -1),
        weight,
        sum((part.only_nulls and not part.elsewhere) or (part.values == 0 and not part.bounded) for part in parts),
    )
