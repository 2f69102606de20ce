"""The statistics of a column: can a query skip row groups and pages by them?

The ranges of all row groups lie on one axis, and those of the pages if there is a column index, with nulls, NaNs, and
whether the bounds may be used. The sentence says how much a filter on one value has to read, and why.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from typing import Literal

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.axis import Axis, Scale, order_of, value_of
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.lenses.lens import Lens, Steps, finish
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.skippable import GROUP, Skippable, group_parts, joint_axis, judged, page_parts
from pqexplore.insight.skippable_sentences import groups_sentence, pages_sentence
from pqexplore.insight.wire import Chip
from pqexplore.insight.writers.defect import BOUNDS, VALUES

LOOKED_AT = 20_000
"""Max row groups that are read."""

SHOWN_PAGES = 2_000
"""Max pages of a chunk that are drawn and listed; the verdict is on all of them."""

INDEX_BYTES = 256 << 10
"""Max bytes of the column indexes of a whole column that are read without a request for pages."""

INLINE = 300
"""Max parts that travel with the picture; more are requested as columns."""

COLUMNS = (
    Column("part", "part", meaning="a row group, or a page of it"),
    Column("min", "min", "code", "by the file no value is smaller", "least"),
    Column("max", "max", "code", "by the file no value is larger", "greatest"),
    Column("exact", "marked as", meaning="exact: by the file the bounds are values that occur", total="each"),
    Column("values", "values", "number", "with nulls", "sum"),
    Column("nulls", "nulls", "number", total="sum"),
    Column("nans", "NaNs", "number", "bounds never tell of them", "some"),
    Column("distinct", "distinct", "number"),
    Column("trusted", "usable", "flag", "whether a query may skip by these bounds", "true"),
    Column("remark", "remark", meaning="what speaks against them, or is odd"),
)

State = Literal["usable", "distrusted", "none", "nulls", "locked", "damaged"]
STATES: tuple[State, ...] = ("usable", "distrusted", "none", "nulls", "locked", "damaged")
"""What the bounds of a part are; in `Ranges`, a state is its index here."""


@dataclasses.dataclass(slots=True)
class Lanes:
    """The parts in the order of the picture, as columns of equal length.

    `low` and `high` are the range on the axis, from 0 to 1, -1 if there is none. `page` is 1 for a page, 0 for a row
    group. `start` and `end` are its bytes in the file, -1 if unknown.
    """

    low: list[float] = dataclasses.field(default_factory=list)
    high: list[float] = dataclasses.field(default_factory=list)
    page: list[int] = dataclasses.field(default_factory=list)
    state: list[State] = dataclasses.field(default_factory=list)
    name: list[str] = dataclasses.field(default_factory=list)
    text: list[str] = dataclasses.field(default_factory=list)
    address: list[str | None] = dataclasses.field(default_factory=list)
    start: list[int] = dataclasses.field(default_factory=list)
    end: list[int] = dataclasses.field(default_factory=list)

    def columns(self) -> Columns:
        """The same as columns for the transport; `state` becomes its index in `STATES`."""
        return Columns(
            {
                "name": self.name,
                "text": self.text,
                "address": self.address,
                "low": np.array(self.low, "<f4"),
                "high": np.array(self.high, "<f4"),
                "page": np.array(self.page, "<u1"),
                "state": np.array([STATES.index(state) for state in self.state], "<u1"),
                "start": np.array(self.start, "<f8"),
                "end": np.array(self.end, "<f8"),
            }
        )


@dataclasses.dataclass(slots=True)
class Level:
    """A definition or repetition level: what it means, and how many entries have it."""

    name: str
    count: int


@dataclasses.dataclass(slots=True)
class Histogram:
    """A level histogram of SizeStatistics, summed over row groups; `of` is the sum of all levels."""

    title: str
    rows: list[Level]
    of: int


@dataclasses.dataclass(slots=True)
class Picture:
    """The ranges of a column's row groups and pages.

    `reads` is how many row groups a filter on one value reads on average. `mine` is the row group of the selected
    chunk, None for a whole column. `lanes` is None if there are too many to travel with the picture.
    """

    verdict: str
    reads: float
    groups: int
    parts: int
    mine: int | None
    axis: Scale
    facts: list[Chip]
    levels: list[Histogram]
    lanes: Lanes | None


@dataclasses.dataclass(slots=True)
class Ranges:
    """The lanes of a column with many parts (`Lanes.columns`)."""

    columns: Columns


def answer(file: ParquetFile, node: Node) -> Steps:
    """The verdict, and the ranges: in the picture if they are few. Yields how much is done, from 0 to 1."""
    outcome = yield from _whole(file, node)
    picture = outcome.picture
    if isinstance(picture, Picture) and picture.lanes is not None and len(picture.lanes.low) > INLINE:
        columns = picture.lanes.columns()
        picture.lanes = None
        file.cache.get((node.address, "ranges"), lambda: columns, lambda kept: kept.nbytes)
    return outcome


def ranges(file: ParquetFile, address: str) -> Ranges:
    """The ranges of a column with many parts. UsageError if the address names no column."""

    def make() -> Columns:
        picture = finish(_whole(file, file.node(address))).picture
        lanes = picture.lanes if isinstance(picture, Picture) else None
        return (lanes or Lanes()).columns()  # a column without row groups has no picture

    return Ranges(file.cache.get((address, "ranges"), make, lambda kept: kept.nbytes))


def _whole(file: ParquetFile, node: Node) -> Steps:
    """The answer with all lanes in its picture."""
    if node.kind == "schema_field":
        return (yield from of_leaf(file, leaf_at(file, node.address)))
    return (yield from of_chunk(chunk_at(file, node.address)))


def of_leaf(file: ParquetFile, leaf: Leaf) -> Steps:
    """All row groups of a column, with their pages if the column indexes are small."""
    groups = yield from _groups(file, leaf)
    parts = _with_pages(file, leaf, groups)
    groups = [part for part in parts if part.kind == GROUP]  # with the trouble of their indexes
    code = f"f.schema.leaves[{leaf.leaf_index}]"
    return _answer(file, leaf, groups, parts, None, code)


def of_chunk(chunk: ColumnChunk) -> Steps:
    """All row groups of the chunk's column, and the pages of the chunk."""
    groups = yield from _groups(chunk.file, chunk.leaf)
    parts: list[Skippable] = list(groups)
    trouble = ""
    try:
        parts += page_parts(chunk)
    except ParquetError as error:
        trouble = f" Its column index cannot be read: {error.message}."
    group = chunk.row_group.index
    code = f"f.row_groups[{group}].columns[{chunk.index}].statistics"
    mine = group if group < len(groups) else None
    return _answer(chunk.file, chunk.leaf, groups, parts, mine, code, trouble)


def _groups(file: ParquetFile, leaf: Leaf) -> Generator[float, None, list[Skippable]]:
    of = max(1, min(len(file.row_groups), LOOKED_AT))
    groups = []
    for part in group_parts(file, leaf, LOOKED_AT):
        groups.append(part)
        if not len(groups) % 200:
            yield len(groups) / of
    return groups


def _with_pages(file: ParquetFile, leaf: Leaf, groups: Sequence[Skippable]) -> list[Skippable]:
    """Each row group followed by its pages, if all their indexes together are small; else the row groups."""
    lengths = 0
    for part in groups:
        if part.error:
            continue
        struct = file.row_groups[part.index].columns[leaf.leaf_index].struct
        lengths += (struct.column_index_length or 0) + (struct.offset_index_length or 0)
    if not 0 < lengths <= INDEX_BYTES:
        return list(groups)
    parts: list[Skippable] = []
    for part in groups:
        try:
            pages = page_parts(file.row_groups[part.index].columns[leaf.leaf_index])
        except ParquetError as error:
            why = "; ".join(filter(None, (part.why, f"column index: {error.message}")))
            parts.append(dataclasses.replace(part, why=why))
            continue
        parts += [part, *pages]
    return parts


def _answer(
    file: ParquetFile,
    leaf: Leaf,
    groups: list[Skippable],
    parts: list[Skippable],
    mine: int | None,
    code: str,
    trouble: str = "",
) -> Answer:
    if not groups:
        return Answer(
            "The file has no row groups, so there are no statistics.",
            empty="Statistics are kept for each column chunk; this file has schema and footer only.",
            code=code,
        )
    pages = [part for part in parts if part.kind != GROUP]
    ordered = [*groups, *pages]
    of_groups = judged(groups, joint_axis(leaf, groups))
    whole = groups_sentence(file, leaf, groups, of_groups)
    if mine is None:
        sentence = whole
        if len(file.row_groups) > len(groups):
            sentence += f" The first {len(groups):,} row groups were looked at."
    else:
        of_pages = judged(pages, joint_axis(leaf, pages))
        own = trouble.strip() or pages_sentence(groups[mine], len(pages), of_pages)
        sentence = f"{own} {whole}"
    if len(pages) > SHOWN_PAGES and mine is not None:
        sentence += f" The first {SHOWN_PAGES:,} pages are shown; the page index shows all."
        ordered = parts = [*groups, *pages[:SHOWN_PAGES]]
    axis = joint_axis(leaf, ordered)
    shown = groups if mine is None else [groups[mine]]
    picture = Picture(
        verdict=of_groups.verdict,
        reads=of_groups.reads,
        groups=len(groups),
        parts=len(parts),
        mine=mine,
        axis=axis.scale(),
        facts=_facts(leaf, shown),
        levels=_levels(file, leaf, shown),
        lanes=_lanes(leaf, ordered, parts, axis, mine),
    )
    return Answer(sentence, picture, _table(leaf, parts), code=code)


def _lanes(leaf: Leaf, ordered: Sequence[Skippable], parts: Sequence[Skippable], axis: Axis, mine: int | None) -> Lanes:
    """A lane for each of `parts`; `axis` has the bounds of `ordered`, the same parts in another order."""
    total = len(ordered)
    at = {id(part): i for i, part in enumerate(ordered)}
    lanes = Lanes()
    for part in parts:
        i = at[id(part)]
        low, high = float(axis.place[i]), float(axis.place[total + i])
        lanes.low.append(-1 if low != low else round(low, 6))
        lanes.high.append(-1 if high != high else round(high, 6))
        lanes.page.append(int(part.kind != GROUP))
        lanes.state.append(state_of(part))
        lanes.name.append(part.name)
        text = part.range_text(leaf)
        nulls = f", {part.nulls:,} null{'s' if part.nulls != 1 else ''}" if part.nulls else ""
        lanes.text.append(text if part.only_nulls else text + nulls)
        own = mine is not None and part.kind == GROUP and part.index == mine
        lanes.address.append(
            Address.of(part.address or "", "metadata/meta_data/statistics")
            if own and part.low is not None
            else part.address
        )
        lanes.start.append(-1 if part.span is None else part.span.start)
        lanes.end.append(-1 if part.span is None else part.span.end)
    return lanes


def state_of(part: Skippable) -> State:
    """What the bounds of a part are."""
    if part.error:
        return "locked" if part.locked else "damaged"
    if part.only_nulls:
        return "nulls"
    if part.bounded:
        return "usable"
    return "none" if part.low is None or part.high is None else "distrusted"


def _count(name: str, known: Sequence[int | None]) -> Chip:
    """The sum of the counts of row groups, as far as they have one."""
    counts = [n for n in known if n is not None]
    text = f"{sum(counts):,}" if counts else "unknown"
    if counts and len(counts) < len(known):
        text += f" in the {len(counts):,} of {len(known):,} that have a count"
    return Chip(name, text)


def _facts(leaf: Leaf, groups: Sequence[Skippable]) -> list[Chip]:
    """Order, nulls, NaNs and exactness as the file has them, in short texts: name, value."""
    order = order_of(leaf)
    facts = [Chip("order", order.value), _count("nulls", [part.nulls for part in groups])]
    if order in (Order.FLOAT, Order.TOTAL):
        facts.append(_count("NaNs", [part.nans for part in groups]))
    bounded = [part for part in groups if part.low is not None or part.high is not None]
    if bounded:
        sides = [e for part in bounded for e in (part.low_exact, part.high_exact)]
        exactness = [
            (sides.count(True), "marked as exact"),
            (sides.count(False), "marked as not exact"),
            (sides.count(None), "not marked"),
        ]
        shown = [f"{n:,} {what}" for n, what in exactness if n]
        facts.append(Chip("bounds", ", ".join(shown)))
    distrusted = [part for part in bounded if not part.trusted]
    if distrusted:
        facts.append(Chip("not to be trusted", f"{len(distrusted):,}: {distrusted[0].why}"))
    return facts


def _levels(file: ParquetFile, leaf: Leaf, groups: Sequence[Skippable]) -> list[Histogram]:
    """The level histograms of SizeStatistics, summed, each level with its name; empty if no chunk has them."""
    definition, repetition = name_levels(leaf)
    histograms = []
    for title, names, field in (
        ("definition levels", definition, "definition_level_histogram"),
        ("repetition levels", repetition, "repetition_level_histogram"),
    ):
        sums: list[int] | None = None
        for part in groups:
            if part.error:
                continue
            metadata = file.row_groups[part.index].columns[leaf.leaf_index].metadata
            counts = getattr(metadata.size_statistics, field, None)
            if counts and len(counts) == len(names) and min(counts) >= 0:
                sums = counts if sums is None else [a + b for a, b in zip(sums, counts, strict=True)]
        if sums is not None and len(names) > 1:
            rows = [Level(name, n) for name, n in zip(names, sums, strict=True)]
            histograms.append(Histogram(title, rows, sum(sums)))
    return histograms


def _table(leaf: Leaf, parts: Sequence[Skippable]) -> Table:
    table = Table(COLUMNS, "Row groups and pages, by their statistics")
    for part in parts:
        name = f"  {part.name}" if part.kind != GROUP else part.name
        table.add(name, *cells(leaf, part), address=part.address, span=part.span)
    return table


def cells(leaf: Leaf, part: Skippable) -> tuple[object, ...]:
    """What the columns after the first say of a part."""
    bounded = part.low is not None or part.high is not None
    return (
        value_of(leaf, part.low),
        value_of(leaf, part.high),
        _marked(part),
        part.values,
        part.nulls,
        part.nans,
        part.distinct,
        part.trusted if bounded else None,
        part.remark,
    )


def _marked(part: Skippable) -> str | None:
    """What the file says of the bounds of a row group: exact, not exact, or nothing; None without bounds."""
    if part.kind != GROUP or (part.low is None and part.high is None):
        return None
    words = {True: "exact", False: "not exact", None: "nothing"}
    return " / ".join(sorted({words[part.low_exact], words[part.high_exact]}))


LENS = Lens(
    "statistics",
    title="Statistics",
    answer=answer,
    kinds=frozenset({"schema_field", "column_chunk"}),
    where=is_column,
    whole_column=True,
    picture=Picture,
    operations={"ranges": ranges},
    misled_by=frozenset({BOUNDS, VALUES}),
    figure="statistics",
    across="statistics",
    value_free=("part", "exact", "values", "nulls", "trusted"),
)
