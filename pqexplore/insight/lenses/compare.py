"""One column across the row groups: what is the same everywhere, which row group stands out, and why.

The row groups of a file are written by the same program from the same table, so they are alike. If one is not, the
reason matters: its dictionary grew too large, it has other values, or fewer rows. Sizes are compared per value, so that
a last row group with few rows does not stand out for its size alone.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.axis import Scale
from pqexplore.insight.lenses.group_chunks import (
    GroupChunk,
    Known,
    Outlier,
    bytes_text,
    known,
    outlier,
    ranges,
    with_statistics,
)
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.skipping import Skipping
from pqexplore.insight.wording import factor, listing, name, plural, size
from pqexplore.insight.writers.defect import BOUNDS, VALUES

COLUMNS = (
    Column("group", "row group", "number", "its number"),
    Column("rows", "rows", "number", "rows of the row group"),
    Column("compressed", "bytes", "bytes", "bytes of its pages in the file"),
    Column("share", "of the column", "share", "its part of the column's bytes"),
    Column("each", "a value", "number", "bytes that a value takes in the file"),
    Column("uncompressed", "uncompressed", "bytes", "bytes of its pages before compression"),
    Column("ratio", "ratio", "number", "uncompressed to compressed size"),
    Column("codec", "codec", "text", "how its pages are compressed"),
    Column("encodings", "encodings", "text", "of its data pages"),
    Column("pages", "data pages", "number", "by the count of the writer; absent without one"),
    Column("nulls", "nulls", "number", "by its statistics"),
    Column("min", "minimum", "code", "by its statistics"),
    Column("max", "maximum", "code", "by its statistics"),
    Column("trouble", "trouble", "text", "why it cannot be read"),
)


@dataclasses.dataclass(slots=True)
class Picture:
    """A column in each row group: each list has an entry a row group, from the first one on, at most 2,000.

    `compressed` are the bytes in the file, None if they are not known; `start` is the first one, -1 if it lies in another
    file. `low` and `high` are the places of minimum and maximum on `axis`, from 0 to 1, None if absent. `groups` counts
    the row groups of the file, `outlier` is the one that stands out, `here` the selected one.
    """

    column: int
    compressed: list[int | None]
    uncompressed: list[int]
    text: list[str]
    start: list[int]
    low: list[float | None]
    high: list[float | None]
    axis: Scale | None
    groups: int
    outlier: int | None
    here: int | None


def answer(file: ParquetFile, node: Node) -> Answer:
    """The column of the node in every row group."""
    in_schema = node.kind == "schema_field"
    leaf = leaf_at(file, node.address) if in_schema else chunk_at(file, node.address).leaf
    here = None if in_schema else chunk_at(file, node.address).row_group.index
    return compare(file, leaf, here)


def compare(file: ParquetFile, leaf: Leaf, here: int | None = None) -> Answer:
    """A column in every row group; `here` is the selected one."""
    of = known(file, leaf)
    chunks = with_statistics(leaf, of.chunks, of.parts, of.axis)
    odd = outlier(chunks)
    code = f"pqexplore.explore(f).to_frame('compare', at='schema/{leaf.index}')"
    total = len(file.row_groups)
    if not chunks:
        return Answer(
            f"There is no row group, so column {name(leaf.path)} has no values.",
            empty="The file has no rows: a writer that got none writes no row group.",
            code=code,
        )
    number = None if odd is None else odd.group
    picture = _picture(of, chunks, number, here, total)
    sentence = _sentence(chunks, of.verdict, odd, total)
    if here is not None and len(chunks) > 1 and here < len(chunks) and chunks[here].each:
        each = bytes_text(chunks[here].each or 0)
        sentence = f"Row group {here:,}: {each} a value. {sentence}"
    return Answer(sentence, picture, _table(leaf, chunks, total), code=code)


def _sentence(chunks: Sequence[GroupChunk], verdict: Skipping, odd: Outlier | None, total: int) -> str:
    known = [one for one in chunks if one.codec]
    lost = len(chunks) - len(known)
    rest = ranges(chunks, verdict)
    if not known:
        return f"{plural(len(chunks), 'row group')}, and none can be read: {chunks[0].trouble.rstrip('.')}."
    if len(chunks) == 1:
        one = known[0]
        ratio = "" if one.ratio is None else f", {factor(one.ratio)} {one.codec}"
        encoded = f", encoded as {listing(one.encodings)}" if one.encodings else ""
        return (
            f"Only one row group, so there is nothing to compare: {size(one.compressed)} for "
            f"{plural(one.values, 'value')}{ratio}{encoded}."
        )
    if odd is not None:
        first = f"Row group {odd.group} stands out: {odd.why}"
    else:
        each = [one.each for one in known if one.each is not None] or [0.0]
        low, high = bytes_text(min(each)), bytes_text(max(each))
        encodings = {one.encodings for one in known}
        same = f", all {listing(known[0].encodings)}" if len(encodings) == 1 and known[0].encodings else ""
        first = f"{plural(len(known), 'row group')} are alike: {low if low == high else f'{low.split()[0]} to {high}'} a value{same}"
    tail = [rest] if rest else []
    if lost:
        tail.append(
            f"{plural(lost, 'row group')} cannot be read: {next(o.trouble for o in chunks if not o.codec).rstrip('.')}"
        )
    if total > len(chunks):
        tail.append(f"the first {len(chunks):,} of {total:,} row groups were compared")
    return "; ".join([first, *tail]) + "."


def _table(leaf: Leaf, chunks: Sequence[GroupChunk], total: int) -> Table:
    """A row for each row group."""
    trouble = any(one.trouble for one in chunks)
    columns = COLUMNS if trouble else COLUMNS[:-1]
    table = Table(columns, f"{'.'.join(leaf.path)} in each row group", total=total)
    whole = max(1, sum(one.compressed for one in chunks))
    for one in chunks:
        known = bool(one.codec)
        table.add(
            one.group,
            one.rows if known else None,
            one.compressed if known else None,
            one.compressed / whole if known else None,
            None if one.each is None else round(one.each, 3),
            one.uncompressed if known else None,
            None if one.ratio is None else round(one.ratio, 2),
            one.codec or None,
            ", ".join(one.encodings) or None,
            one.pages,
            one.nulls,
            one.low,
            one.high,
            *([one.trouble or None] if trouble else []),
            address=one.address,
            span=one.span,
        )
    return table


def _picture(of: Known, chunks: Sequence[GroupChunk], odd: int | None, here: int | None, total: int) -> Picture:
    place = [None if math.isnan(at) else round(at, 5) for at in of.axis.place.tolist()]
    ranged = any(at is not None for at in place)
    return Picture(
        column=of.leaf.leaf_index,
        compressed=[one.compressed if one.codec else None for one in chunks],
        uncompressed=[one.uncompressed for one in chunks],
        text=[_text(one, odd) for one in chunks],
        start=[-1 if one.span is None else one.span.start for one in chunks],
        low=place[: len(chunks)],
        high=place[len(chunks) :],
        axis=of.axis.scale() if ranged else None,
        groups=total,
        outlier=odd,
        here=here if here is not None and here < len(chunks) else None,
    )


def _text(one: GroupChunk, odd: int | None) -> str:
    if not one.codec:
        return f"row group {one.group}: {one.trouble}"
    words = [f"row group {one.group}", f"{size(one.compressed)} for {plural(one.values, 'value')}"]
    if one.ratio is not None:
        words.append(f"{factor(one.ratio)} {one.codec}")
    if one.low is not None or one.high is not None:
        words.append(f"{one.low} to {one.high}")
    return ", ".join(words) + (" (stands out)" if one.group == odd else "")


LENS = Lens(
    "compare",
    title="Across row groups",
    answer=answer,
    kinds=frozenset({"schema_field", "column_chunk"}),
    where=is_column,
    whole_column=True,
    picture=Picture,
    misled_by=frozenset({BOUNDS, VALUES}),
    figure="compare",
    across="columns",
    value_free=(
        "group",
        "rows",
        "compressed",
        "share",
        "uncompressed",
        "ratio",
        "codec",
        "encodings",
        "pages",
        "nulls",
    ),
)
