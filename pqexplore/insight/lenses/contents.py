"""What a node holds: its children by size, and which of them stand out.

The first view of nodes that group others (all row groups, the key-value metadata) and of the footer.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.row_group import RowGroup
from pqexplore.engine.span import Span
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.group_differences import Differences, differences, group_differences
from pqexplore.insight.lenses.lens import Lens, Request
from pqexplore.insight.short_text import shorten
from pqexplore.insight.wording import listing, name, percent, plural, size

KINDS = frozenset({"group", "footer"})

LISTED = 2_000
"""Max children that are looked at."""

BARS = 40
"""Max children in the picture: all in their order, or the largest if there are more."""

LABEL = 120
"""Characters of a child's label."""

BOUNDED_CHUNKS = 2_000
"""Max column chunks whose bounds are added up for the footer's sentence."""

SUMMED = 20_000
"""Max column chunks whose sizes are summed up by row group."""

PAIRED = 4
"""Max row groups for a saved page to hold the comparison of any two."""

COLUMNS = (
    Column("part", "part", "text", "what it is"),
    Column("kind", "kind", "text", "the specification's word for it"),
    Column("begins", "begins at", "number", "its first byte"),
    Column("size", "bytes", "bytes", "how long it is"),
    Column("share", "share", "share", "of the parts that are listed"),
    Column("trouble", "trouble", "text", "why it cannot be opened"),
)

AMOUNTS = {
    "row": Column("rows", "rows", "number", "rows of the row group"),
    "character": Column("characters", "characters", "number", "characters of the value"),
}
"""What is counted of the children, by its unit."""

RATIO = Column("ratio", "ratio", "number", "uncompressed to compressed size")


@dataclasses.dataclass(slots=True)
class Child:
    """A child: its label, its bytes (None if they are not known), and how many rows or characters it has.

    `ratio` is how much its codecs shrink a row group; None of others, and if it is not known.
    """

    label: str
    kind: str
    address: str
    bytes: int | None
    amount: int | None
    span: Span | None
    trouble: str
    ratio: float | None = None


@dataclasses.dataclass(slots=True)
class Picture:
    """The children as bars. `whole` are the bytes of the `listed` ones; `total` counts all; `unit` is what `amount` counts.

    `differences` is what differs between row groups, None of other children, and of a single row group.
    """

    children: list[Child]
    listed: int
    total: int
    whole: int
    unit: str
    differences: Differences | None = None


def answer(file: ParquetFile, node: Node) -> Answer:
    """The children by size. Raises ParquetError if they cannot be listed."""
    total = len(node.children)
    children = [_child(file, one) for one in node.children[:LISTED]]
    whole = sum(one.bytes or 0 for one in children)
    shown = children
    if len(children) > BARS:
        shown = sorted(children, key=lambda one: -(one.bytes or 0))[:BARS]
    unit = "row" if node.address == "row_groups" else "character" if _pairs(children) else ""
    code = f"f.node({node.address!r}).children"
    if not children:
        why = node.reason or "There is nothing in it."
        return Answer(f"{node.label}: {why}", empty=why, code=code)
    apart = differences(file) if node.address == "row_groups" and total > 1 else None
    picture = Picture(shown, len(children), total, whole, unit, apart)
    table = _table(node, children, whole, total, unit)
    said = _sentence(file, node, children, whole, total)
    if apart is not None and len(apart.groups) == total and apart.compared == apart.of:
        said += f" {apart.said}"
    return Answer(said, picture, table, code=code)


def _child(file: ParquetFile, node: Node) -> Child:
    made = Child(shorten(node.label, LABEL), node.kind, node.address, None, None, node.span, "")
    if node.state != "ok":
        made.trouble = node.reason or node.state
    try:
        if node.kind == "row_group":
            group = file.row_groups[int(node.name)]
            made.amount, made.bytes = group.num_rows, None if node.span is None else len(node.span)
            if len(file.row_groups) * len(file.schema.leaves) <= SUMMED:
                _sum_up(made, group)
        elif node.kind == "key_value":
            facts = {fact.name: fact for fact in node.facts}
            made.amount = int(str(facts["size"].value))
            made.span = file.node(facts["bytes"].address or "").span
    except (ParquetError, KeyError) as error:
        made.trouble = error.message if isinstance(error, ParquetError) else made.trouble
    if made.span is not None:
        made.bytes = len(made.span)
    return made


def _sum_up(made: Child, group: RowGroup) -> None:
    """What the column chunks of a row group take together, also if they are not adjacent; nothing if one cannot be read."""
    chunks = [chunk.metadata for chunk in group.columns if not chunk.elsewhere]
    stored = sum(one.total_compressed_size for one in chunks)
    if stored > 0:
        made.bytes = stored if made.bytes is None else made.bytes
        made.ratio = compression_ratio(sum(one.total_uncompressed_size for one in chunks), stored)


def _sentence(file: ParquetFile, node: Node, children: Sequence[Child], whole: int, total: int) -> str:
    if node.kind == "footer":
        return _of_footer(file, node, children)
    cut = f", the first {len(children):,} of them" if len(children) < total else ""
    if node.address == "row_groups":
        return _of_row_groups(file, children, total, cut)
    text = f"{plural(total, 'pair')} of key and value" if _pairs(children) else plural(total, "part")
    if not whole:
        return f"{text}{cut}: {listing([name(one.label) for one in children])}."
    largest = max(children, key=lambda one: one.bytes or 0)
    text += f" in {size(whole)}{cut}"
    if len(children) == 1:
        return f"{text}: {name(largest.label)}."
    return f"{text}; {name(largest.label)} is the largest, {percent((largest.bytes or 0) / whole)}."


def _pairs(children: Sequence[Child]) -> bool:
    return all(one.kind == "key_value" for one in children)


def _of_row_groups(file: ParquetFile, children: Sequence[Child], total: int, cut: str) -> str:
    rows = [one.amount for one in children if one.amount is not None]
    sizes = [one.bytes for one in children if one.bytes is not None]
    text = f"{plural(total, 'row group')}{cut}"
    if rows:
        low, high = min(rows), max(rows)
        many = plural(high, "row") if low == high else f"{low:,} to {plural(high, 'row')}"
        text += f", {'each ' if low == high and len(rows) > 1 else ''}of {many}"
    if sizes:
        small, large = size(min(sizes)), size(max(sizes))
        text += f" and {small if small == large else f'{small} to {large}'}"
        if len(sizes) == len(children) and min(sizes) < max(sizes):
            largest = max(children, key=lambda one: one.bytes or 0)
            text += f"; {largest.label} is the largest"
    lost = sum(bool(one.trouble) for one in children)
    return f"{text}; {plural(lost, 'row group')} cannot be opened." if lost else f"{text}."


def _of_footer(file: ParquetFile, node: Node, children: Sequence[Child]) -> str:
    """The fields by size, and how much of them are bounds of the statistics."""
    span = node.span
    whole = max(1, sum(one.bytes or 0 for one in children))
    text = "The footer"
    if span is not None:
        text += f" takes {size(len(span))}, {percent(len(span) / max(1, file.size))} of the file"
    named = sorted(((one.bytes or 0, Address(one.address).name) for one in children), reverse=True)
    shares = [f"{field} {percent(count / whole)}" for count, field in named[:4]]
    text += f": {listing(shares)}" if shares else ""
    bounds = _bounds(file)
    if bounds:
        text += f"; minimum and maximum values in it are {size(bounds)}"
    return f"{text}."


def _bounds(file: ParquetFile) -> int:
    """The bytes of all minimum and maximum values of the statistics; 0 if there are none, or too many chunks to add up."""
    try:
        if len(file.row_groups) * len(file.schema.leaves) > BOUNDED_CHUNKS:
            return 0
        total = 0
        for group in file.row_groups:
            for chunk in group.columns:
                metadata = chunk.struct.meta_data
                found = None if metadata is None else metadata.statistics
                if found is not None:
                    ends = (found.min, found.max, found.min_value, found.max_value)
                    total += sum(len(one) for one in ends if one is not None)
    except ParquetError:
        return 0
    return total


def _table(node: Node, children: Sequence[Child], whole: int, total: int, unit: str) -> Table:
    troubled = any(one.trouble for one in children)
    extra = [AMOUNTS[unit]] if unit else []
    rated = any(one.ratio is not None for one in children)
    columns = (*COLUMNS[:-1], *extra, *([RATIO] if rated else []), *(COLUMNS[-1:] if troubled else ()))
    table = Table(columns, f"{node.label}: its parts", total=total)
    for one in children:
        table.add(
            one.label,
            one.kind.replace("_", " "),
            None if one.span is None else one.span.start,
            one.bytes,
            None if one.bytes is None or not whole else one.bytes / whole,
            *([one.amount] if unit else []),
            *([one.ratio] if rated else []),
            *([one.trouble or None] if troubled else []),
            address=one.address,
            span=one.span,
        )
    return table


def saved(picture: dict[str, Any]) -> Iterator[Request]:
    """What differs between any two of a few row groups."""
    apart = picture["differences"]
    if apart is not None and 2 < apart["total"] <= PAIRED:
        for pair in itertools.combinations(range(apart["total"]), 2):
            yield "group_differences", {"groups": list(pair)}


def _opens(node: Node) -> bool:
    """Whether its children are known: what is encrypted has its modules only."""
    return node.state == "ok"


LENS = Lens(
    "contents",
    title="Contents",
    answer=answer,
    kinds=KINDS,
    where=_opens,
    first=KINDS,
    picture=Picture,
    saved=saved,
    operations={"group_differences": group_differences},
    figure=(Bars("part", "size", "bytes in the file", "bytes"),),
    value_free=("part", "kind", "begins", "size", "share"),
)
