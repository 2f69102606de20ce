"""A row group beside the others: rows, bytes, and which of its columns takes more or less than elsewhere.

A row group with few rows is small for a reason, so bytes a row are compared.
"""

from __future__ import annotations

import dataclasses
import functools
import statistics
from collections.abc import Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.row_group import RowGroup
from pqexplore.engine.span import Span
from pqexplore.engine.text import printable
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.group_chunks import APART, NOTICED, bytes_text
from pqexplore.insight.lenses.group_differences import Differences, differences
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.short_text import shorten_name
from pqexplore.insight.wording import factor, name, percent, plural, size
from pqexplore.insight.writers.defect import BOUNDS, SPLITS, VALUES

FIRST = frozenset({"row_group"})

CHUNKS = 6_000
"""Max column chunks that are compared; the row group itself always is."""

GROUPS = 300
"""Max row groups that are compared: those around the selected one."""

BARS = 40
"""Max columns in the picture, the largest first."""

NAME = 120
"""Characters of a column's path in the picture."""

COLUMNS = (
    Column("column", "column", "text", "path of the leaf"),
    Column("compressed", "bytes", "bytes", "bytes of its pages in the file"),
    Column("share", "share", "share", "of the row group's bytes"),
    Column("each", "a row", "number", "bytes that a row takes in it"),
    Column("usual", "elsewhere", "number", "the median of that in the other row groups"),
    Column("uncompressed", "uncompressed", "bytes", "bytes of its pages before compression"),
    Column("ratio", "ratio", "number", "uncompressed to compressed size"),
    Column("values", "values", "number", "nulls included, and those of lists"),
    Column("trouble", "trouble", "text", "why it cannot be read"),
)


@dataclasses.dataclass(slots=True)
class Part:
    """A column of the row group: bytes, bytes a row here, and their median elsewhere (None if there is nothing elsewhere).

    `start` and `end` are its bytes in the file, -1 if they are not in this one.
    """

    name: str
    address: str
    compressed: int
    uncompressed: int
    each: float
    usual: float | None
    start: int
    end: int


@dataclasses.dataclass(slots=True)
class Picture:
    """The row groups from `first` on, as columns, and the columns of row group `mine`, the largest first.

    Bytes are -1 for a row group that cannot be read. `columns` counts the row group's columns. `differences` is what
    differs from the row group before, or from the one after the first; None of the only one.
    """

    mine: int
    first: int
    total: int
    compressed: list[int]
    uncompressed: list[int]
    rows: list[int]
    start: list[int]
    end: list[int]
    parts: list[Part]
    columns: int
    differences: Differences | None


@dataclasses.dataclass
class _Group:
    """A row group: its rows, its chunks' sizes by column (None for one that cannot be read), and their sums."""

    index: int
    rows: int = 0
    sizes: list[tuple[int, int] | None] = dataclasses.field(default_factory=list)
    span: Span | None = None
    trouble: str = ""

    @functools.cached_property
    def compressed(self) -> int:
        return sum(one[0] for one in self.sizes if one)

    @functools.cached_property
    def uncompressed(self) -> int:
        return sum(one[1] for one in self.sizes if one)

    @functools.cached_property
    def each(self) -> float | None:
        """Bytes of a row; None without rows, or if a chunk cannot be read."""
        if self.rows <= 0 or None in self.sizes or not self.sizes:
            return None
        return self.compressed / self.rows


def answer(file: ParquetFile, node: Node) -> Answer:
    """The row group beside those around it. Raises ParquetError if the row groups cannot be listed."""
    mine = int(Address(node.address).name)
    total = len(file.row_groups)
    first, last = _window(mine, total, len(file.schema.leaves))
    groups = _groups(file, first, last)
    here = groups[mine - first]
    others = [one for one in groups if one is not here and one.each is not None]
    parts = sorted(_parts(file, here, others), key=lambda one: -one.compressed)
    picture = Picture(
        mine=mine,
        first=first,
        total=total,
        compressed=[-1 if one.trouble else one.compressed for one in groups],
        uncompressed=[-1 if one.trouble else one.uncompressed for one in groups],
        rows=[one.rows for one in groups],
        start=[-1 if one.span is None else one.span.start for one in groups],
        end=[-1 if one.span is None else one.span.end for one in groups],
        parts=parts[:BARS],
        columns=len(parts),
        differences=differences(file, [max(0, mine - 1), max(1, mine)]) if total > 1 else None,
    )
    said = _sentence(here, others, parts, total)
    return Answer(said, picture, _table(file, here, parts), code=f"f.row_groups[{mine}]")


def _window(mine: int, total: int, columns: int) -> tuple[int, int]:
    """The row groups that are compared, `mine` among them."""
    many = _many(total, columns)
    first = min(max(0, mine - many // 2), total - many)
    return first, first + many


def _many(total: int, columns: int) -> int:
    """How many row groups are compared."""
    return min(total, GROUPS, max(1, CHUNKS // max(1, columns)))


def _groups(file: ParquetFile, first: int, last: int) -> list[_Group]:
    """Row groups; kept for a while, because each row group is shown beside hundreds of others.

    They are kept a few together, but no more than an eighth of those that are compared: the first answer waits for them.
    """
    total = len(file.row_groups)
    each = max(1, _many(total, len(file.schema.leaves)) // 8)

    def kept(start: int) -> list[_Group]:
        indexes = range(start, min(start + each, total))
        made: list[_Group] = file.cache.get(
            ("row groups", "sizes", start),
            lambda: [_made(file.row_groups[index]) for index in indexes],
            lambda some: sum(256 + 128 * len(one.sizes) for one in some),
        )
        return made

    before = first % each
    found = [one for start in range(first - before, last, each) for one in kept(start)]
    return found[before : before + last - first]


def _made(group: RowGroup) -> _Group:
    one = _Group(group.index)
    try:
        one.rows = group.num_rows
        one.sizes = [_sizes(chunk) for chunk in group.columns]
        one.span = group.span
    except ParquetError as error:
        one.trouble = error.message
    return one


def _sizes(chunk: ColumnChunk) -> tuple[int, int] | None:
    try:
        metadata = chunk.metadata
    except ParquetError:
        return None
    return max(0, metadata.total_compressed_size), max(0, metadata.total_uncompressed_size)


def _parts(file: ParquetFile, here: _Group, others: Sequence[_Group]) -> list[Part]:
    """The columns of the row group that can be read."""
    made = []
    for leaf, sizes in zip(file.schema.leaves, here.sizes, strict=False):
        if sizes is None:
            continue
        chunk = file.row_groups[here.index].columns[leaf.leaf_index]
        try:
            span = None if chunk.elsewhere else chunk.span
        except ParquetError:
            span = None
        usual = [pair[0] / other.rows for other in others if (pair := other.sizes[leaf.leaf_index])]
        made.append(
            Part(
                name=shorten_name(printable(".".join(leaf.path)), NAME),
                address=chunk.address,
                compressed=sizes[0],
                uncompressed=sizes[1],
                each=sizes[0] / here.rows if here.rows > 0 else 0.0,
                usual=statistics.median(usual) if usual else None,
                start=-1 if span is None else span.start,
                end=-1 if span is None else span.end,
            )
        )
    return made


def _sentence(here: _Group, others: Sequence[_Group], parts: Sequence[Part], total: int) -> str:
    which = f"Row group {here.index:,} of {total:,}" if total > 1 else "The only row group"
    if here.trouble:
        return f"{which} cannot be read: {here.trouble.rstrip('.')}."
    text = f"{which}: {plural(here.rows, 'row')} in {size(here.compressed)}"
    lost = len(here.sizes) - len(parts)
    if lost:
        text += f", without {plural(lost, 'column')} that cannot be read"
    each = here.each
    if each is not None and others:
        text += f", {bytes_text(each)} a row; {_beside(here, each, others, parts, total)}"
    if parts and here.compressed and len(parts) > 1:
        share = percent(parts[0].compressed / here.compressed)
        text += f"; {name(parts[0].name)} is the largest of {len(parts):,} columns, {share}"
    return f"{text}."


def _beside(here: _Group, each: float, others: Sequence[_Group], parts: Sequence[Part], total: int) -> str:
    """How the bytes a row compare with the others', and which column makes the difference."""
    all_each = [one.each for one in others if one.each is not None]
    usual = statistics.median(all_each)
    by = max(each / usual, usual / each) if usual and each else 1.0
    if by < APART or abs(each - usual) * here.rows < NOTICED:
        low, high = bytes_text(min(all_each)), bytes_text(max(all_each))
        span = low if low == high else f"{low.split()[0]} to {high}"
        whose = "the other has" if len(others) == 1 else f"the {len(others):,} others have"
        return f"{whose} {span}" if len(others) == total - 1 else f"{len(others):,} others have {span}"
    way = "more" if each > usual else "less"
    text = f"{factor(by)} {way} than the usual {bytes_text(usual)}"
    known = [one for one in parts if one.usual is not None]
    most = max(known, key=lambda one: abs(one.each - (one.usual or 0)), default=None)
    if most is None or len(parts) < 2:
        return text
    return f"{text}, most of it by {name(most.name)} ({bytes_text(most.each)} a row, elsewhere {bytes_text(most.usual or 0)})"


def _table(file: ParquetFile, here: _Group, parts: Sequence[Part]) -> Table:
    """A row a column, the largest first, then those that cannot be read."""
    whole_group = len(parts) == len(here.sizes)
    columns = COLUMNS[:-1] if whole_group else COLUMNS
    table = Table(columns, f"The columns of row group {here.index:,}, the largest first")
    whole = max(1, here.compressed)
    for one in parts:
        chunk = file.row_groups[here.index].columns[int(Address(one.address).name)]
        table.add(
            ".".join(chunk.leaf.path),
            one.compressed,
            one.compressed / whole,
            round(one.each, 3),
            None if one.usual is None else round(one.usual, 3),
            one.uncompressed,
            None if (ratio := compression_ratio(one.uncompressed, one.compressed)) is None else round(ratio, 2),
            chunk.metadata.num_values,
            *([] if whole_group else [None]),
            address=one.address,
            span=None if one.start < 0 else Span(one.start, one.end),
        )
    if not whole_group:
        readable = {one.address for one in parts}
        for chunk in file.row_groups[here.index].columns:
            if chunk.address in readable:
                continue
            try:
                _ = chunk.metadata
            except ParquetError as error:
                nothing = (None,) * 7
                table.add(".".join(chunk.leaf.path), *nothing, error.message, address=chunk.address)
    return table


LENS = Lens(
    "row_group",
    title="Row group",
    answer=answer,
    kinds=FIRST,
    first=FIRST,
    picture=Picture,
    misled_by=frozenset({BOUNDS, VALUES, SPLITS}),
    figure=(
        Bars(
            "column",
            "compressed",
            "bytes of the column chunk",
            "bytes",
            beside=("uncompressed", "before compression"),
            label="in the file",
        ),
    ),
    value_free=("column", "compressed", "share", "uncompressed", "ratio", "values"),
    value_free_sentence=True,
)
