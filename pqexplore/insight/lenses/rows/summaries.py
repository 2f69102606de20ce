"""What is known of each column of the rows: its bounds, how many nulls, how many distinct values at most, a histogram.

Only the footer is read, the headers of dictionary pages, and the values of columns of numbers that are small. What the
file does not say is not known here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.chunk_bounds import known_bounds
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.statistics import Bounds
from pqexplore.insight.ask.claims import dictionary_only
from pqexplore.insight.axis import axis_of, text_of
from pqexplore.insight.lenses.column.value_counts import NUMBERS, count_values
from pqexplore.insight.steps import finish

COLUMNS = 16
"""Columns in one reply."""

GROUPS = 500
"""Row groups whose statistics are read; of a file with more, bounds and nulls are not known here."""

BARS = 24
"""Ranges in the picture of a column; if there are more row groups, each is that of several."""

DICTIONARIES = 8
"""Dictionary pages whose headers are read for one column."""

COUNTED_VALUES = 100_000
COUNTED_BYTES = 512 << 10
"""Values of a column that is read for its histogram, and their bytes as stored, at most."""

TEXT = 40
"""Characters of a bound."""


@dataclasses.dataclass(slots=True)
class Bar:
    """The range of some row groups on the column's axis, from 0 to 1."""

    low: float
    high: float


@dataclasses.dataclass(slots=True)
class Summary:
    """A column in its statistics. What is not known is "" (`low`, `high`, `distinct`) or null (`nulls`, a share of 1).

    `low` and `high` bound all values. `bars` are in the order of the row groups; empty if there is only one, or a bound
    of one is not known. `counts` are how many values lie in each part of their range, all parts of equal width; empty if they
    were not counted.
    """

    low: str
    high: str
    nulls: float | None
    distinct: str
    bars: list[Bar]
    counts: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Summaries:
    """The summaries of the columns from the one at `column` on."""

    column: int
    columns: list[Summary]


def summaries(file: ParquetFile, column: int, group: int | None = None) -> Generator[float, None, Summaries]:
    """The summaries of `COLUMNS` columns from the one at `column`, of all row groups or one.

    UsageError for a column or row group that does not exist.
    """
    leaves, groups = file.schema.leaves, file.row_groups
    if column % COLUMNS or not 0 <= column < max(1, len(leaves)):
        raise UsageError(f"no summaries begin at column {column:,}")
    if group is not None and not 0 <= group < len(groups):
        raise UsageError(f"there is no row group {group:,}")
    numbers = range(len(groups)) if group is None else [group]
    found = list[Summary]()
    for leaf in leaves[column : column + COLUMNS]:
        yield len(found) / COLUMNS
        found.append(_summary(file, leaf, numbers))
    return Summaries(column, found)


def _summary(file: ParquetFile, leaf: Leaf, numbers: Sequence[int]) -> Summary:
    unknown = Summary("", "", None, "", [])
    if len(numbers) > GROUPS:
        return unknown
    try:
        chunks = [file.row_groups[number].columns[leaf.leaf_index] for number in numbers]
        chunks = [chunk for chunk in chunks if chunk.num_values]
        bounds = [known_bounds(chunk) for chunk in chunks]
        made = dataclasses.replace(unknown, nulls=_nulls(leaf, chunks, bounds), distinct=_distinct(chunks, bounds))
        made.counts = _counts(file, leaf, numbers, chunks, bounds)
        return _with_range(made, leaf, chunks, bounds)
    except ParquetError:
        return unknown


def _nulls(leaf: Leaf, chunks: list[ColumnChunk], bounds: list[Bounds | None]) -> float | None:
    """The share of the entries that are null."""
    entries = sum(chunk.num_values for chunk in chunks)
    if not entries:
        return None
    if not leaf.max_definition_level:
        return 0.0
    counts = [None if one is None else one.null_count for one in bounds]
    known = [count for count in counts if count is not None]
    return min(1.0, sum(known) / entries) if len(known) == len(chunks) else None


def _counts(
    file: ParquetFile, leaf: Leaf, numbers: Sequence[int], chunks: list[ColumnChunk], bounds: list[Bounds | None]
) -> list[int]:
    """A histogram of all values of a small column of numbers; empty for another, or if not all of them could be counted."""
    nulls = [None if one is None else one.null_count for one in bounds]
    if leaf.physical_type not in NUMBERS or (leaf.max_definition_level and None in nulls):
        return []
    values = sum(chunk.num_values - (none or 0) for chunk, none in zip(chunks, nulls, strict=True))
    size = sum(int(chunk.metadata.total_compressed_size or 0) for chunk in chunks)
    if values > COUNTED_VALUES or size > COUNTED_BYTES or any(one.locked for one in chunks):
        return []
    address = Address.of("schema", leaf.index)
    if len(numbers) == 1:
        address = Address.of("row_groups", numbers[0], "columns", leaf.leaf_index)
    histogram = finish(count_values(file, address)).histogram
    whole = histogram is not None and sum(histogram.counts) == values
    return histogram.counts if histogram is not None and whole else []


def _distinct(chunks: list[ColumnChunk], bounds: list[Bounds | None]) -> str:
    """How many distinct values there are: exactly by the statistics, at most by the dictionaries."""
    first = bounds[0] if len(bounds) == 1 else None
    if first is not None and first.distinct_count is not None:
        return f"{first.distinct_count:,} distinct"
    if not 0 < len(chunks) <= DICTIONARIES or any(dictionary_only(chunk) for chunk in chunks):
        return ""
    pages = [chunk.dictionary_page for chunk in chunks]
    sizes = [page.num_values for page in pages if page is not None]
    return f"at most {sum(sizes):,} distinct" if len(sizes) == len(pages) else ""


def _with_range(made: Summary, leaf: Leaf, chunks: list[ColumnChunk], bounds: list[Bounds | None]) -> Summary:
    """The summary with its bounds and bars, if those of every row group with values are known."""
    some = [one for one, chunk in zip(bounds, chunks, strict=True) if one is None or one.null_count != chunk.num_values]
    known = [
        one for one in some if one is not None and one.trusted and one.min_raw is not None and one.max_raw is not None
    ]
    if not known or len(known) != len(some):
        return made
    axis = axis_of(leaf, [one.min_raw for one in known] + [one.max_raw for one in known])
    lows, highs = axis.rank[: len(known)], axis.rank[len(known) :]
    if (axis.rank < 0).any():
        return made
    low, high = known[int(np.argmin(lows))], known[int(np.argmax(highs))]
    made.low, made.high = text_of(leaf, low.min_raw, TEXT), text_of(leaf, high.max_raw, TEXT)
    if len(known) > 1:
        places = np.stack([axis.place[: len(known)], axis.place[len(known) :]])
        parts = np.array_split(np.arange(len(known)), min(BARS, len(known)))
        made.bars = [
            Bar(round(float(places[0, part].min()), 4), round(float(places[1, part].max()), 4)) for part in parts
        ]
    return made
