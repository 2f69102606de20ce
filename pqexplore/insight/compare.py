"""One column across the row groups: what is the same everywhere, and which row group stands out, and why.

Row groups of a file are written by the same program from the same table, so they are alike; where one is not, it is
for a reason that matters: its dictionary grew too large, it has other values, or fewer rows. Sizes are compared by the
value, so that a last row group with few rows does not stand out for that.
"""

from __future__ import annotations

import dataclasses
import itertools
import statistics as median_of
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.chunk import ColumnChunk
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.schema import Leaf
from pqexplore.engine.statistics import Bounds, bounds
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import CompressionCodec, Encoding, PageType
from pqexplore.engine.tree import Span
from pqexplore.engine.values import format_value, physical_value, plain_length
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import factor, listing, name, percent, plural, size

LISTED = 2_000
"""Row groups that are compared."""

APART = 1.3
"""How many times more or less bytes a value makes a row group stand out."""

NOTICED = 1_000
"""Bytes more or less than usual that a row group needs to stand out by, and a hundredth of the column."""

BOUND = 40
"""Characters of a bound in the table."""


@dataclasses.dataclass(slots=True)
class Part:
    """The column in one row group; `trouble` says why nothing is known of it.

    `pages` counts data pages, None where only a walk through the chunk could tell. `encodings` are those of data
    pages where the writer counted them, else all but those of levels.
    """

    group: int
    address: str
    span: Span | None = None
    rows: int = 0
    values: int = 0
    compressed: int = 0
    uncompressed: int = 0
    codec: str = ""
    encodings: tuple[str, ...] = ()
    dictionary: bool = False
    pages: int | None = None
    bounds: Bounds | None = None
    low: str | None = None
    high: str | None = None
    trouble: str = ""

    @property
    def ratio(self) -> float | None:
        """Uncompressed to compressed size."""
        return self.uncompressed / self.compressed if self.compressed > 0 else None

    @property
    def each(self) -> float | None:
        """Bytes a value takes in the file."""
        return self.compressed / self.values if self.values > 0 else None


def parts(file: ParquetFile, leaf: Leaf) -> list[Part]:
    """The column in each row group, the first `LISTED` of them."""
    return [_part(file, index, leaf) for index in range(min(len(file.row_groups), LISTED))]


def _part(file: ParquetFile, index: int, leaf: Leaf) -> Part:
    group = file.row_groups[index]
    made = Part(index, f"{group.address}/columns/{leaf.leaf_index}")
    try:
        chunk = group.columns[leaf.leaf_index]
        metadata = chunk.metadata
        made.rows = group.num_rows
        made.values = metadata.num_values
        made.compressed = metadata.total_compressed_size
        made.uncompressed = metadata.total_uncompressed_size
        made.codec = structs.enum_name(CompressionCodec, metadata.codec)
        made.encodings, made.dictionary, made.pages = _encoded(chunk, metadata)
        made.span = None if chunk.struct.file_path else chunk.span
    except ParquetError as error:
        made.trouble = error.message
        return made
    try:
        made.bounds = bounds(leaf, chunk.statistics, file.created_by)
    except ParquetError as error:
        made.trouble = error.message
    if made.bounds is not None:
        made.low = _shown(leaf, made.bounds.min, made.bounds.min_raw)
        made.high = _shown(leaf, made.bounds.max, made.bounds.max_raw)
    return made


def _encoded(chunk: ColumnChunk, metadata: Any) -> tuple[tuple[str, ...], bool, int | None]:
    """Encodings of the data pages, whether there is a dictionary, how many data pages there are."""
    told = metadata.encoding_stats or ()
    data = [one for one in told if one.page_type != PageType.DICTIONARY_PAGE]
    dictionary = bool(metadata.dictionary_page_offset)
    if data:
        used = [structs.enum_name(Encoding, one.encoding) for one in data]
        return tuple(sorted(set(used))), dictionary, sum(one.count or 0 for one in data)
    used = [structs.enum_name(Encoding, one) for one in metadata.encodings or ()]
    walked = chunk.walked
    pages = None if walked is None else sum(frame.is_data for frame in walked.frames)
    return (
        tuple(sorted({one for one in used if one not in ("RLE", "BIT_PACKED")})),
        dictionary,
        pages,
    )


def _shown(leaf: Leaf, value: Any, raw: bytes | None) -> str | None:
    if raw is None:
        return None
    if value is None or isinstance(value, bytes):
        if plain_length(leaf) not in (None, len(raw)):
            return _clip("0x" + raw.hex())
        return _clip(str(format_value(leaf, physical_value(leaf, raw))))
    return _clip(str(value))


def _clip(text: str) -> str:
    return text if len(text) <= BOUND else f"{text[: BOUND - 1]}…"


@dataclasses.dataclass(frozen=True, slots=True)
class Outlier:
    """A row group that stands out: `why` is a sentence's end, `by` how many times it differs."""

    group: int
    by: float
    why: str


def outlier(found: Sequence[Part]) -> Outlier | None:
    """The row group that differs most; None where all are alike, or are too few to say."""
    known = [one for one in found if not one.trouble and one.each]
    if len(known) < 2:
        return None
    best: Outlier | None = None
    common = Counter(one.encodings for one in known).most_common(1)[0][0]
    matters = max(NOTICED, sum(one.compressed for one in known) // 100)
    for one in known:
        others = [other for other in known if other is not one]
        usual = median_of.median(other.each or 0 for other in others)
        each = one.each or 0
        by = max(each / usual, usual / each) if usual else 1.0
        if by < APART or (best is not None and by <= best.by):
            continue
        if abs(each - usual) * one.values < matters:
            continue
        why = (
            f"{_bytes(each)} a value where the others have {_bytes(usual)}"
            f"{_because(one, others, common)}"
        )
        best = Outlier(one.group, by, why)
    if best is not None:
        return best
    for one in known:
        if one.encodings != common and len(known) > 2:
            return Outlier(
                one.group,
                1.0,
                f"it is encoded as {listing(one.encodings)}, the others as {listing(common)}",
            )
    return None


def _because(one: Part, others: Sequence[Part], common: tuple[str, ...]) -> str:
    """What goes with the difference in size."""
    if one.codec != Counter(other.codec for other in others).most_common(1)[0][0]:
        return f", because its codec is {one.codec}"
    if one.encodings != common:
        gave_up = one.dictionary and "PLAIN" in one.encodings and "PLAIN" not in common
        if gave_up:
            return ", because its dictionary grew too large and the writer went on in PLAIN"
        return (
            f", because it is encoded as {listing(one.encodings)}, the others as {listing(common)}"
        )
    nulls, usual = _nulls(one), [share for share in map(_nulls, others) if share is not None]
    if nulls is not None and usual and abs(nulls - median_of.median(usual)) > 0.2:
        return f", because {percent(nulls)} of it are null, of the others {percent(median_of.median(usual))}"
    ratio = [other.ratio for other in others if other.ratio]
    if one.ratio and ratio and not 0.8 < one.ratio / median_of.median(ratio) < 1.25:
        return f", because its values compress {factor(one.ratio)}, the others' {factor(median_of.median(ratio))}"
    rows = median_of.median(other.values for other in others)
    if one.values < rows / 4:
        return f", because it has {plural(one.values, 'value')} only, to share a dictionary and headers"
    return ""


def _nulls(one: Part) -> float | None:
    count = None if one.bounds is None else one.bounds.null_count
    return None if count is None or not one.values else count / one.values


def _bytes(each: float) -> str:
    return f"{each:.0f} bytes" if each >= 9.95 else f"{each:.2g} bytes"


def ranges(found: Sequence[Part]) -> str:
    """Whether the ranges tell row groups apart; empty where that cannot be said."""
    known = [
        (one.bounds.min_key, one.bounds.max_key)
        for one in found
        if one.bounds is not None
        and one.bounds.trusted
        and one.bounds.min_key is not None
        and one.bounds.max_key is not None
    ]
    if len(found) < 2:
        return ""
    if not known:
        return "there are no ranges to skip by"
    if len(known) < len(found):
        return f"only {len(known):,} of them have a range"
    ordered = sorted(known)
    apart = sum(high < low for (_, high), (low, _) in itertools.pairwise(ordered))
    if apart == len(known) - 1:
        follow = " and follow each other" if known == ordered else ""
        return f"their ranges do not overlap{follow}, so a query can skip by them"
    if not apart:
        return "their ranges overlap, so a query that seeks a value reads nearly all"
    return "some of their ranges overlap"


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
    Column("pages", "data pages", "number", "as the writer counted; absent where it did not"),
    Column("nulls", "nulls", "number", "by its statistics"),
    Column("min", "minimum", "code", "by its statistics"),
    Column("max", "maximum", "code", "by its statistics"),
    Column("trouble", "trouble", "text", "why it cannot be told"),
)


def compare(file: ParquetFile, leaf: Leaf) -> Answer:
    """A column in every row group. `picture["parts"]` are Part objects, for the view to draw."""
    found = parts(file, leaf)
    odd = outlier(found)
    code = f"pqexplore.explore(f).to_frame('compare', at='schema/{leaf.index}')"
    total = len(file.row_groups)
    if not found:
        return Answer(
            f"There is no row group, so column {name(leaf.path)} has no values.",
            empty="The file has no rows: a writer that got none writes no row group.",
            code=code,
        )
    picture = {"parts": found, "outlier": None if odd is None else odd.group}
    return Answer(
        _sentence(leaf, found, odd, total), picture, _table(leaf, found, total), code=code
    )


def _sentence(leaf: Leaf, found: list[Part], odd: Outlier | None, total: int) -> str:
    known = [one for one in found if one.codec]
    lost = len(found) - len(known)
    rest = ranges(found)
    if not known:
        return f"{plural(len(found), 'row group')}, and none can be told: {found[0].trouble.rstrip('.')}."
    if len(found) == 1:
        one = known[0]
        ratio = "" if one.ratio is None else f", {factor(one.ratio)} {one.codec}"
        encoded = f", encoded as {listing(one.encodings)}" if one.encodings else ""
        return (
            f"Only one row group, so there is nothing to compare: {size(one.compressed)} for "
            f"{plural(one.values, 'value')}{ratio}{encoded}."
        )
    if odd is not None:
        said = f"Row group {odd.group} stands out: {odd.why}"
    else:
        each = [one.each for one in known if one.each is not None] or [0.0]
        low, high = _bytes(min(each)), _bytes(max(each))
        encodings = {one.encodings for one in known}
        same = (
            f", all {listing(known[0].encodings)}"
            if len(encodings) == 1 and known[0].encodings
            else ""
        )
        said = f"{plural(len(known), 'row group')} are alike: {low if low == high else f'{low.split()[0]} to {high}'} a value{same}"
    tail = [rest] if rest else []
    if lost:
        tail.append(
            f"{plural(lost, 'row group')} cannot be told: {next(o.trouble for o in found if not o.codec).rstrip('.')}"
        )
    if total > len(found):
        tail.append(f"the first {len(found):,} of {total:,} row groups were compared")
    return "; ".join([said, *tail]) + "."


def _table(leaf: Leaf, found: list[Part], total: int) -> Table:
    trouble = any(one.trouble for one in found)
    columns = COLUMNS if trouble else COLUMNS[:-1]
    table = Table(columns, f"{'.'.join(leaf.path)}, a row a row group", total=total)
    whole = max(1, sum(one.compressed for one in found))
    for one in found:
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
            None if one.bounds is None else one.bounds.null_count,
            one.low,
            one.high,
            *([one.trouble or None] if trouble else []),
            address=one.address,
            span=one.span,
        )
    return table
