"""The column card: the first view of a column and of a column chunk.

What the column takes, how it is encoded, what its values are by the footer, and three questions: can a query skip, does
it compress, is the type right? All by the footer and the headers of some pages; data pages are decoded when it is asked
for (`count_values`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import types
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.axis import Scale, text_of
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.findings_at import findings_about
from pqexplore.insight.lenses.column import page_strip, verdicts
from pqexplore.insight.lenses.column.page_strip import Strip
from pqexplore.insight.lenses.column.value_counts import Values, count_values, first_values
from pqexplore.insight.lenses.column.verdicts import Question
from pqexplore.insight.lenses.group_chunks import (
    INLINE,
    GroupChunk,
    Groups,
    Known,
    always_null,
    drawn,
    is_locked,
    known,
    null_count,
)
from pqexplore.insight.lenses.lens import Lens, Request
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.skippable import Skippable
from pqexplore.insight.wording import factor, name, percent, plural, size
from pqexplore.insight.writers.defect import BOUNDS, VALUES

BOUND = 40
"""Max characters of a bound."""

NO_RANGE = "no range"


def sentence(file: ParquetFile, of: Known, mine: int | None) -> str:
    """What the column is, and what is most important about it; with `mine`, about its chunk in that row group."""
    at = None if mine is None or mine >= len(of.chunks) else mine
    chunks = of.chunks if at is None else [of.chunks[at]]
    parts = of.parts if at is None else [of.parts[at]]
    what = f"{name(of.leaf.path)}, {types.describe(of.leaf)}"
    where = "" if mine is None else f" in row group {mine:,}"
    known = [one for one in chunks if one.codec]
    if not chunks:
        return f"{what}: there is no row group, so there are no values."
    if not known:
        return f"{what}{where}: {chunks[0].trouble.rstrip('.')}."
    text = f"{what}{where}: {_size(file, known)}"
    text += _cut(file, chunks, known)
    if not any(one.values for one in known):
        return f"{text}, and no values."
    return f"{text}; {_contents(of, parts)}."


def _size(file: ParquetFile, known: Sequence[GroupChunk]) -> str:
    """The bytes, their share of the file, and what the codec makes of them."""
    stored = sum(one.compressed for one in known)
    loose = sum(one.uncompressed for one in known)
    inside = all(one.span is not None and one.span.space == "file" for one in known)
    share = f", {percent(stored / file.size)} of the file" if inside else ""
    codecs = sorted({one.codec for one in known})
    packed = ", without a codec" if codecs == ["UNCOMPRESSED"] else ""
    if not packed and stored > 0 and all(one.uncompressed > 0 for one in known if one.compressed):
        packed = f", compressed {factor(loose / stored)} by {' and '.join(codecs)}"
    return f"{size(stored)}{share}{packed}"


def _cut(file: ParquetFile, chunks: Sequence[GroupChunk], known: Sequence[GroupChunk]) -> str:
    """What is not counted."""
    lost = len(chunks) - len(known)
    text = f" ({plural(lost, 'row group')} cannot be read)" if lost else ""
    total = len(file.row_groups)
    if len(chunks) > 1 and total > len(chunks):
        text += f" (the first {len(chunks):,} of {total:,} row groups)"
    return text


def _contents(of: Known, parts: Sequence[Skippable]) -> str:
    """The range and the nulls, by the statistics."""
    entries = sum(part.values or 0 for part in parts)
    counts = [null_count(of.leaf, part) for part in parts]
    nulls = None if None in counts else sum(count or 0 for count in counts)
    nested = of.leaf.max_repetition_level > 0
    amount = plural(entries, "entry", "entries") if nested else plural(entries, "value")
    if entries and nulls == entries:
        by = "its type" if always_null(of.leaf) else "the statistics"
        return f"{amount}, {'none of them holds a value' if nested else 'all null'} by {by}"
    if all(is_locked(part) for part in parts):
        return f"{amount}; its statistics are encrypted"
    claims = [_range(of, parts)]
    if of.leaf.max_definition_level == 0:
        amount += ", which cannot be null"
    elif nulls is not None:
        share = percent(nulls / max(1, entries))
        if nested:
            claims.insert(0, f"{share} without a value" if nulls else "all with a value")
        else:
            claims.insert(0, f"{share} null" if nulls else "no nulls")
    if claims == [NO_RANGE]:
        return f"{amount}; the statistics give no range"
    return f"{amount}; by the statistics {', '.join(claims)}"


def _range(of: Known, parts: Sequence[Skippable]) -> str:
    """The range of all parts; that it is not known, if one of them has none that can be used."""
    some = [part for part in parts if _may_have_values(part)]
    if not some or not all(part.bounded for part in some):
        return _no_range(some)
    at = {id(part): i for i, part in enumerate(of.parts)}
    total, rank = len(of.parts), of.axis.rank
    low = min(some, key=lambda part: rank[at[id(part)]])
    high = max(some, key=lambda part: rank[total + at[id(part)]])
    first, last = text_of(of.leaf, low.low, BOUND), text_of(of.leaf, high.high, BOUND)
    cut = low.low_exact is False or high.high_exact is False
    floats = is_float(of.leaf)
    if low.low == high.high and not cut and not floats:
        return f"each of them {first}"
    aside = ", NaNs aside" if floats and any(part.nans != 0 for part in some) else ""
    return f"all between {'the cut bounds ' if cut else ''}{first} and {last}{aside}"


def _may_have_values(part: Skippable) -> bool:
    """Whether a part may have values; it matters not that one without has no range."""
    return (not part.only_nulls or part.elsewhere) and bool(part.values != 0 or part.error)


def _no_range(parts: Sequence[Skippable]) -> str:
    """That there is no range, or why the range of one of the parts cannot be used."""
    why = next((part.error or part.why for part in parts if not part.bounded), "")
    if any(part.error or part.low is not None for part in parts) and why:
        return f"a range that cannot be used: {why.rstrip('.')}"
    return NO_RANGE


COLUMNS = (
    Column("group", "row group", "number", "its number"),
    Column("rows", "rows", "number", "rows of the row group"),
    Column("entries", "entries", "number", "nulls included, and those of lists"),
    Column("nulls", "nulls", "number", "entries without a value, by the statistics"),
    Column("compressed", "bytes", "bytes", "bytes of its pages in the file"),
    Column("uncompressed", "uncompressed", "bytes", "bytes of its pages before compression"),
    Column("ratio", "ratio", "number", "uncompressed to compressed size"),
    Column("codec", "codec", "text", "how its pages are compressed"),
    Column("encodings", "encodings", "text", "of its data pages"),
    Column("fallback", "fallback page", "number", "the first page that does without the dictionary"),
    Column("min", "minimum", "code", "by its statistics"),
    Column("max", "maximum", "code", "by its statistics"),
    Column("index", "index", "flag", "whether it has a column index and an offset index"),
    Column("bloom", "Bloom filter", "flag", "whether it has one"),
    Column("remark", "remark", "text", "why it or its range cannot be used"),
)


@dataclasses.dataclass(slots=True)
class Picture:
    """The card of column `leaf`, by its index.

    `mine` is the row group of the chunk that is shown, None for the whole column. `groups` is None if there are too many
    to travel with the picture; `count` counts those that are drawn, `total` all.
    """

    leaf: int
    mine: int | None
    count: int
    total: int
    groups: Groups | None
    axis: Scale
    bounded: bool
    nullable: bool
    questions: list[Question]
    pages: Strip
    pages_text: str
    values: Values
    range: str


@dataclasses.dataclass(slots=True)
class GroupColumns:
    """The row groups of a column with many (`Groups.columns`)."""

    columns: Columns


def answer(file: ParquetFile, node: Node) -> Answer:
    """The card. Raises ParquetError only if the schema or the list of row groups cannot be read."""
    in_schema = node.kind == "schema_field"
    chunk = None if in_schema else chunk_at(file, node.address)
    leaf = leaf_at(file, node.address) if chunk is None else chunk.leaf
    of = known(file, leaf)
    findings = findings_about(file, node, True)
    first = chunk if chunk is not None else _first(file, of)
    chunks = [first] if chunk is not None and first is not None else None
    strip = page_strip.strip(
        iter(chunks) if chunks else (group.columns[leaf.leaf_index] for group in file.row_groups),
        1 if chunks else len(file.row_groups),
    )
    mine = None if chunk is None else chunk.row_group.index
    parts = of.parts if mine is None or mine >= len(of.parts) else [of.parts[mine]]
    place = Address.of("schema", leaf.index)
    picture = Picture(
        leaf=leaf.leaf_index,
        mine=mine,
        count=len(of.parts),
        total=len(file.row_groups),
        groups=drawn(of) if len(of.parts) <= INLINE else None,
        axis=of.axis.scale(),
        bounded=any(part.low is not None and part.high is not None for part in of.parts),
        nullable=leaf.max_definition_level > 0,
        questions=[
            verdicts.can_skip(file, of, first, node.address),
            verdicts.compresses(file, of, findings, node.address),
            verdicts.type_is_right(file, of, findings, place),
        ],
        pages=strip,
        pages_text=page_strip.described(strip),
        values=first_values(first, parts[0].distinct if len(parts) == 1 else None),
        range=parts[0].range_text(leaf) if len(parts) == 1 else "",
    )
    said = sentence(file, of, mine)
    return Answer(said, picture, _table(file, of, strip), code=_code(of, mine))


def _code(of: Known, mine: int | None) -> str:
    leaf = of.leaf.leaf_index
    return f"f.schema.leaves[{leaf}]" if mine is None else f"f.row_groups[{mine}].columns[{leaf}]"


def _first(file: ParquetFile, of: Known) -> ColumnChunk | None:
    """The first chunk whose metadata can be read; None without one."""
    return next((file.row_groups[one.group].columns[of.leaf.leaf_index] for one in of.readable), None)


def column_groups(file: ParquetFile, leaf: int) -> GroupColumns:
    """The row groups of a column with many. UsageError if there is no such leaf."""
    leaves = file.schema.leaves
    if not 0 <= leaf < len(leaves):
        raise UsageError(f"there are {len(leaves):,} columns, none of number {leaf}")
    of = known(file, leaves[leaf])
    return GroupColumns(drawn(of).columns())


def saved(picture: dict[str, Any]) -> Iterator[Request]:
    """The row groups of a column with many."""
    if picture["groups"] is None:
        yield "column_groups", {"leaf": picture["leaf"]}


def _table(file: ParquetFile, of: Known, strip: Strip) -> Table:
    """A row a row group."""
    caption = f"{name(of.leaf.path)} in each row group"
    table = Table(COLUMNS, caption, total=len(file.row_groups))
    fallbacks = page_strip.fallbacks(strip)
    for one, part in zip(of.chunks, of.parts, strict=True):
        there = bool(one.codec)
        low, high = (None if raw is None else text_of(of.leaf, raw, BOUND) for raw in (part.low, part.high))
        indexes, bloom = _extras(file, of, one.group)
        table.add(
            one.group,
            one.rows if there else None,
            one.values if there else None,
            null_count(of.leaf, part),
            one.compressed if there else None,
            one.uncompressed if there else None,
            None if one.ratio is None else round(one.ratio, 2),
            one.codec or None,
            ", ".join(one.encodings) or None,
            fallbacks.get(one.group),
            low and f"{'≥ ' if part.low_exact is False else ''}{low}",
            high and f"{'≤ ' if part.high_exact is False else ''}{high}",
            indexes,
            bloom,
            one.trouble or part.remark,
            address=one.address,
            span=one.span,
        )
    return table


def _extras(file: ParquetFile, of: Known, group: int) -> tuple[bool | None, bool | None]:
    """Whether a chunk has both indexes, and a Bloom filter, by the footer; None if it is not known."""
    try:
        chunk = file.row_groups[group].columns[of.leaf.leaf_index]
        bloom = chunk.metadata.bloom_filter_offset is not None
    except ParquetError:
        return None, None
    indexed = (chunk.struct.column_index_offset, chunk.struct.offset_index_offset)
    return None not in indexed, bloom


LENS = Lens(
    "column",
    title="Column",
    answer=answer,
    kinds=frozenset({"schema_field", "column_chunk"}),
    where=is_column,
    first=frozenset({"schema_field", "column_chunk"}),
    picture=Picture,
    saved=saved,
    operations={"column_groups": column_groups, "count_values": count_values},
    misled_by=frozenset({BOUNDS, VALUES}),
    figure="column",
    across="columns",
    value_free=("group", "rows", "entries", "nulls", "compressed", "uncompressed", "ratio", "codec", "encodings"),
)
