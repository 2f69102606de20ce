"""What the statistics of a column are worth: can a query skip row groups and pages by them?

The ranges of all row groups, and of the pages where there is a column index, on one axis; nulls, NaNs, and whether to
believe any of it. The sentence says how much a filter on one value has to read, and why.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.ordering import Order
from pqexplore.engine.tree import join
from pqexplore.insight import skipping
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.axis import Axis, order_of, text_of, value_of
from pqexplore.insight.parts import GROUP, Part, group_parts, joint_axis, judged, page_parts
from pqexplore.insight.skipping import Skipping, number

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.schema import Leaf

LOOKED_AT = 20_000
"""Row groups that are looked at."""

SHOWN_PAGES = 2_000
"""Pages of a chunk that are drawn and listed; the verdict is on all of them."""

INDEX_BYTES = 256 << 10
"""Column indexes of a whole column that are read without being asked for."""

COLUMNS = (
    Column("part", "part", meaning="a row group, or a page of it"),
    Column("min", "min", "code", "no value is smaller"),
    Column("max", "max", "code", "no value is larger"),
    Column("exact", "exact", meaning="whether the bounds are values that occur, or shortened"),
    Column("values", "values", "number", "with nulls"),
    Column("nulls", "nulls", "number"),
    Column("nans", "NaNs", "number", "bounds never tell of them"),
    Column("distinct", "distinct", "number"),
    Column("trusted", "usable", "flag", "whether a query may skip by these bounds"),
    Column("remark", "remark", meaning="what speaks against them, or is odd"),
)

Steps = Generator[float, None, Answer]


def of_leaf(file: ParquetFile, leaf: Leaf) -> Steps:
    """All row groups of a column, with their pages where the column indexes are small."""
    groups = yield from _groups(file, leaf)
    parts = _with_pages(file, leaf, groups)
    code = f"f.schema.leaves[{leaf.leaf_index}]"
    return _answer(file, leaf, groups, parts, None, code)


def of_chunk(chunk: ColumnChunk) -> Steps:
    """The pages of a column chunk, below all row groups of its column."""
    groups = yield from _groups(chunk.file, chunk.leaf)
    parts: list[Part] = list(groups)
    trouble = ""
    try:
        parts += page_parts(chunk)
    except ParquetError as error:
        trouble = f" Its column index cannot be read: {error.message}."
    group = chunk.row_group.index
    code = f"f.row_groups[{group}].columns[{chunk.index}].statistics"
    mine = group if group < len(groups) else None
    return _answer(chunk.file, chunk.leaf, groups, parts, mine, code, trouble)


def _groups(file: ParquetFile, leaf: Leaf) -> Generator[float, None, list[Part]]:
    of = max(1, min(len(file.row_groups), LOOKED_AT))
    groups = []
    for part in group_parts(file, leaf, LOOKED_AT):
        groups.append(part)
        if not len(groups) % 200:
            yield len(groups) / of
    return groups


def _with_pages(file: ParquetFile, leaf: Leaf, groups: Sequence[Part]) -> list[Part]:
    """Each row group followed by its pages, if all their indexes together are small."""
    lengths = 0
    for part in groups:
        if part.error:
            continue
        struct = file.row_groups[part.index].columns[leaf.leaf_index].struct
        lengths += (struct.column_index_length or 0) + (struct.offset_index_length or 0)
    if not 0 < lengths <= INDEX_BYTES:
        return list(groups)
    parts: list[Part] = []
    for part in groups:
        parts.append(part)
        try:
            parts += page_parts(file.row_groups[part.index].columns[leaf.leaf_index])
        except ParquetError as error:
            part.why = "; ".join(filter(None, (part.why, f"column index: {error.message}")))
    return parts


def _answer(
    file: ParquetFile,
    leaf: Leaf,
    groups: list[Part],
    parts: list[Part],
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
    whole = _group_sentence(file, leaf, groups, of_groups)
    if mine is None:
        sentence = whole
        if len(file.row_groups) > len(groups):
            sentence += f" The first {len(groups):,} row groups were looked at."
    else:
        of_pages = judged(pages, joint_axis(leaf, pages))
        told = trouble.strip() or _page_sentence(groups[mine], len(pages), of_pages)
        sentence = f"{told} {whole}"
    if len(pages) > SHOWN_PAGES and mine is not None:
        sentence += f" The first {SHOWN_PAGES:,} pages are shown; the page index shows all."
        ordered = parts = [*groups, *pages[:SHOWN_PAGES]]
    axis = joint_axis(leaf, ordered)
    picture = {
        "verdict": of_groups.verdict,
        "reads": of_groups.reads,
        "groups": len(groups),
        "parts": len(parts),
        "mine": mine,
        "axis": {
            "label": axis.label,
            "measured": axis.measured,
            "ticks": [[round(at, 6), text] for at, text in axis.ticks],
        },
        "facts": _facts(leaf, groups if mine is None else [groups[mine]]),
        "levels": _levels(file, leaf, groups if mine is None else [groups[mine]]),
        "lanes": lanes(leaf, ordered, parts, axis, mine),
    }
    return Answer(sentence, picture, _table(leaf, parts), code=code)


def lanes(
    leaf: Leaf, ordered: Sequence[Part], parts: Sequence[Part], axis: Axis, mine: int | None
) -> dict[str, list[Any]]:
    """What is drawn of each part, a list each: where its range lies (-1: nowhere), its state, texts, place."""
    total = len(ordered)
    at = {id(part): i for i, part in enumerate(ordered)}
    made: dict[str, list[Any]] = {
        name: []
        for name in ("low", "high", "page", "state", "name", "text", "address", "start", "end")
    }
    for part in parts:
        i = at[id(part)]
        low, high = float(axis.place[i]), float(axis.place[total + i])
        made["low"].append(-1 if low != low else round(low, 6))
        made["high"].append(-1 if high != high else round(high, 6))
        made["page"].append(int(part.kind != GROUP))
        made["state"].append(_state(part))
        made["name"].append(part.name)
        text = part.range_text(leaf)
        nulls = f", {part.nulls:,} null{'s' if part.nulls != 1 else ''}" if part.nulls else ""
        made["text"].append(text if part.only_nulls else text + nulls)
        own = mine is not None and part.kind == GROUP and part.index == mine
        made["address"].append(
            join(part.address or "", "metadata/meta_data/statistics")
            if own and part.low is not None
            else part.address
        )
        made["start"].append(-1 if part.span is None else part.span.start)
        made["end"].append(-1 if part.span is None else part.span.end)
    return made


def _state(part: Part) -> str:
    if part.error:
        return "locked" if part.error.startswith("locked") else "damaged"
    if part.only_nulls:
        return "nulls"
    if part.bounded:
        return "usable"
    return "none" if part.low is None or part.high is None else "distrusted"


def _group_sentence(file: ParquetFile, leaf: Leaf, groups: Sequence[Part], found: Skipping) -> str:
    count = len(groups)
    many = f"{count:,} row groups" if count > 1 else "the only row group"
    if found.verdict == skipping.NO_STATISTICS:
        if not any(part.values for part in groups) and not any(part.error for part in groups):
            return "There are no values, and nothing that a filter could skip."
        if found.empty == count:
            return f"Nulls only: a filter on a value skips {many} by the null count."
        return (
            f"No statistics that a query can use: it reads {many}, because {_reason(leaf, groups)}."
        )
    reads = f"a filter on one value reads {number(found.reads)} of {count:,} on average"
    if found.verdict == skipping.ALONE:
        one = next(part for part in groups if part.bounded)
        alone = (
            "There is one row group" if count == 1 else f"One of {count:,} row groups has values"
        )
        low, high = text_of(leaf, one.low), text_of(leaf, one.high)
        return f"{alone}, from {low} to {high}: this range can only skip it as a whole."
    missing = count - found.known - found.empty
    extra = f", {missing:,} of them without usable bounds" if missing else ""
    if found.verdict == skipping.SORTED:
        way = "ascending" if found.direction > 0 else "descending"
        return f"Row groups are sorted: {reads}, because their ranges follow one another in {way} order."
    if found.verdict == skipping.SEPARATE:
        return f"Row groups do not overlap: {reads}, though they are in no order."
    declared = _declared_sorting(file, leaf)
    if found.verdict == skipping.USELESS_FOR_SKIPPING:
        why = "too few have usable bounds" if missing else "each of them has nearly the same range"
        return f"The row groups' ranges are useless for skipping: {reads}{extra}, because {why}{declared}."
    if missing:
        return f"Row groups overlap: {reads}{extra}{declared}."
    if found.direction:
        return (
            f"Row groups overlap: {reads}, because neighbours share part of their range{declared}."
        )
    return f"Row groups overlap: {reads}, because the rows are not sorted by this column{declared}."


def _reason(leaf: Leaf, groups: Sequence[Part]) -> str:
    """Why no row group has bounds that may be used."""
    whys = [part.error or part.why for part in groups if not part.only_nulls]
    first = whys[0] if whys else ""
    if order_of(leaf) is Order.NONE:
        return "values of this type have no order, so that minimum and maximum would mean nothing"
    if any(part.bounded for part in groups):
        return "the only bounds are NaN"
    if first in ("no statistics", ""):
        return "the writer left none for this column"
    if first == "no minimum and maximum":
        return "the writer counted nulls and left minimum and maximum out"
    return first[0].lower() + first[1:]


def _declared_sorting(file: ParquetFile, leaf: Leaf) -> str:
    orders = file.row_groups[0].metadata.sorting_columns
    if orders and orders[0].column_idx == leaf.leaf_index:
        return ", although the footer says that the rows are sorted by it within each row group"
    return ""


def _page_sentence(group: Part, pages: int, found: Skipping) -> str:
    if group.error:
        return f"The statistics of this chunk cannot be used: {group.error}."
    if not pages:
        return "There is no column index, so this chunk is read as a whole or not at all."
    if pages == 1:
        return "This chunk has one page in its column index."
    if found.verdict == skipping.NO_STATISTICS:
        what = "are nulls only" if found.empty == pages else "have no usable bounds"
        return f"The {pages:,} pages of this chunk {what}."
    words = {
        skipping.SORTED: "are sorted",
        skipping.SEPARATE: "do not overlap",
        skipping.OVERLAPPING: "overlap",
        skipping.USELESS_FOR_SKIPPING: "all span nearly the same range",
        skipping.ALONE: "have nulls only, but for one",
    }[found.verdict]
    return (
        f"The {pages:,} pages of this chunk {words}: "
        f"a filter on one value reads {number(found.reads)} of them on average."
    )


def _facts(leaf: Leaf, groups: Sequence[Part]) -> list[list[str]]:
    """Order, nulls, NaNs, exactness and truncation, in short texts: name, value."""
    order = order_of(leaf)
    made = [["order", order.value]]
    for name, which in (("nulls", "nulls"), ("NaNs", "nans")):
        known = [getattr(part, which) for part in groups]
        if name == "NaNs" and order not in (Order.FLOAT, Order.TOTAL):
            continue
        told = [n for n in known if n is not None]
        text = f"{sum(told):,}" if told else "not told"
        if told and len(told) < len(known):
            text += f" in the {len(told):,} of {len(known):,} that tell"
        made.append([name, text])
    bounded = [part for part in groups if part.low is not None or part.high is not None]
    if bounded:
        sides = [e for part in bounded for e in (part.low_exact, part.high_exact)]
        counts = [
            (sides.count(True), "exact"),
            (sides.count(False), "shortened, so no values themselves"),
            (sides.count(None), "of which the writer does not say whether they are exact"),
        ]
        shown = [f"{n:,} {what}" for n, what in counts if n]
        made.append(["bounds", f"{', '.join(shown)}"])
    distrusted = [part for part in bounded if not part.trusted]
    if distrusted:
        made.append(["not to be trusted", f"{len(distrusted):,}: {distrusted[0].why}"])
    return made


def _levels(file: ParquetFile, leaf: Leaf, groups: Sequence[Part]) -> list[dict[str, Any]]:
    """The level histograms of SizeStatistics, summed, each level with its name; none where no chunk has them."""
    definition, repetition = name_levels(leaf)
    made = []
    for title, names, field in (
        ("definition levels", definition, "definition_level_histogram"),
        ("repetition levels", repetition, "repetition_level_histogram"),
    ):
        sums: list[int] | None = None
        for part in groups:
            if part.error:
                continue
            metadata = file.row_groups[part.index].columns[leaf.leaf_index].metadata
            told = getattr(metadata.size_statistics, field, None) or None
            if told is not None and len(told) == len(names) and min(told) >= 0:
                sums = told if sums is None else [a + b for a, b in zip(sums, told, strict=True)]
        if sums is not None and len(names) > 1:
            rows = [[name, n] for name, n in zip(names, sums, strict=True)]
            made.append({"title": title, "rows": rows, "of": sum(sums)})
    return made


def _table(leaf: Leaf, parts: Sequence[Part]) -> Table:
    table = Table(COLUMNS, "Row groups and pages, by their statistics")
    said = {True: "exact", False: "shortened", None: "not said"}
    for part in parts:
        bounded = part.low is not None or part.high is not None
        exact = {said[part.low_exact], said[part.high_exact]}
        table.add(
            f"  {part.name}" if part.kind != GROUP else part.name,
            value_of(leaf, part.low),
            value_of(leaf, part.high),
            " / ".join(sorted(exact)) if bounded and part.kind == GROUP else None,
            part.values,
            part.nulls,
            part.nans,
            part.distinct,
            part.trusted if bounded else None,
            "nulls only" if part.only_nulls else part.error or part.why or None,
            address=part.address,
            span=part.span,
        )
    return table
