"""The layout of a file: where a node lies and what it is made of, as stacked strips, a sentence and a table."""

from __future__ import annotations

import dataclasses

import numpy as np

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.gap_reason import gap_reason
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.unknown_parts import describe, missing_key
from pqexplore.insight import account
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.binary_columns import Array, Columns, smallest
from pqexplore.insight.lenses.layout.strips import Strip, strips_to
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.short_text import shorten
from pqexplore.insight.wording import listing, percent, plural, size

KINDS = frozenset(
    {
        *("file", "row_group", "column_chunk", "magic", "footer", "footer_length", "gap", "unknown_parts"),
        *("data_page", "data_page_v2", "dictionary_page", "index_page", "unknown_page"),
        *("page_header", "body", "values", "repetition_levels", "definition_levels"),
        *("column_index", "offset_index", "bloom_filter", "bloom_filter_header"),
        *("bloom_filter_bitset", "unreadable", "file_crypto_metadata", "footer_signature"),
    }
)

LISTED = 10_000
"""Max tiles in the table."""

EXPLAINED = 20
"""Max gaps whose bytes are read to explain them."""

INLINE = 600
"""Max tiles of a strip that travel with the answer; longer strips are requested as columns."""

LABEL = 120
"""Max characters of a tile's label."""

COLUMNS = (
    Column("part", "part", "text", "what lies there"),
    Column("kind", "kind", "text", "the specification's word for it"),
    Column("begins", "begins at", "number", "its first byte"),
    Column("size", "bytes", "bytes", "how long it is"),
    Column("share", "share", "share", "of what it lies in"),
    Column("reason", "why nobody owns it", "text", "for bytes that no structure points at"),
)


@dataclasses.dataclass(slots=True)
class StripPicture:
    """A strip (`strip.Strip`) of `count` tiles.

    `starts`, `kind`, `labels` and `addresses` are None if there are too many tiles to travel with the picture.
    """

    address: str
    title: str
    start: int
    end: int
    space: str
    count: int
    kinds: list[str]
    template: str
    chosen: int
    guessed: bool
    note: str
    starts: list[int] | None
    kind: list[int] | None
    labels: list[str] | None
    addresses: list[str] | None


@dataclasses.dataclass(slots=True)
class Picture:
    """The strips from the file down to the node, and below it."""

    strips: list[StripPicture]


@dataclasses.dataclass(slots=True)
class Tiles:
    """The tiles of a strip: columns `start` and `kind`, and without a template `label` and `address`."""

    columns: Columns


def answer(file: ParquetFile, node: Node) -> Answer:
    """Where a node lies and what it is made of."""
    strips = strips_to(file, node.address)
    own = _own(strips, node.address)
    notes = [strip.note for strip in strips if strip.note]
    return Answer(
        _sentence(file, node, own, strips),
        Picture([_picture(strip) for strip in strips]),
        None if own is None else _table(file, own),
        empty=" ".join(notes),
        code=f"pqexplore.explore(f).to_frame('layout', at={node.address!r})",
    )


def tiles(file: ParquetFile, address: str, at: int) -> Tiles:
    """The tiles of strip `at` of an address, as columns. UsageError if there is no such strip."""
    strips = strips_to(file, address)
    if not 0 <= at < len(strips):
        raise UsageError(f"there are {len(strips)} strips at {address or 'the file'}, none of number {at}")
    strip = strips[at]
    columns: dict[str, Array | list[str]] = {"start": smallest(strip.starts), "kind": smallest(strip.kind)}
    if not strip.template:
        columns["label"] = [shorten(label, LABEL) for label in strip.labels]
        columns["address"] = strip.addresses
    return Tiles(Columns(columns))


def _picture(strip: Strip) -> StripPicture:
    inline = len(strip) <= INLINE
    return StripPicture(
        address=strip.address,
        title=shorten(strip.title, 160),
        start=strip.start,
        end=strip.end,
        space=strip.space,
        count=len(strip),
        kinds=strip.kinds,
        template=strip.template,
        chosen=strip.chosen,
        guessed=strip.guessed,
        note=shorten(strip.note, 400),
        starts=strip.starts.tolist() if inline else None,
        kind=strip.kind.tolist() if inline else None,
        labels=[shorten(label, LABEL) for label in strip.labels] if inline else None,
        addresses=strip.addresses if inline else None,
    )


def _own(strips: list[Strip], address: str) -> Strip | None:
    """The strip that expands the node at an address; None if the node has no parts."""
    for above, strip in zip([None, *strips], strips, strict=False):
        if above is None:
            if not address:
                return strip
        elif above.names(above.chosen, address):
            return strip
    return None


def _table(file: ParquetFile, strip: Strip) -> Table:
    gaps = "gap" in strip.kinds
    columns = COLUMNS if gaps else COLUMNS[:-1]
    table = Table(columns, f"The parts of {strip.title}", total=len(strip))
    whole = max(1, strip.end - strip.start)
    explained = 0
    listed = zip(
        strip.kind[:LISTED].tolist(), strip.starts[:LISTED].tolist(), strip.ends[:LISTED].tolist(), strict=True
    )
    for tile, (code, start, end) in enumerate(listed):
        kind, reason = strip.kinds[code], None
        if kind == "gap" and strip.space == FILE and explained < EXPLAINED:
            explained += 1
            reason = _reason(file, start, end)
        table.add(
            strip.label_of(tile),
            kind.replace("_", " "),
            start,
            end - start,
            (end - start) / whole,
            *([reason] if gaps else []),
            address=strip.address_of(tile),
            span=Span(start, end, strip.space),
        )
    return table


def _reason(file: ParquetFile, start: int, end: int) -> str:
    try:
        return gap_reason(file, start, end)
    except ParquetError as error:
        return error.message


def _sentence(file: ParquetFile, node: Node, own: Strip | None, strips: list[Strip]) -> str:
    if own is None:
        where = _where(node, strips)
        if node.kind == Kind.GAP and node.span is not None:
            return f"{where}; nobody owns them: {_reason(file, node.span.start, node.span.end)}."
        if node.state != "ok" and node.reason:
            return f"{where}; it cannot be opened: {node.reason.rstrip('.')}."
        return f"{where}."
    whole = max(1, own.end - own.start)
    lengths = own.ends - own.starts
    sums = {
        kind: (int(lengths[own.kind == code].sum()), int((own.kind == code).sum()))
        for code, kind in enumerate(own.kinds)
        if (own.kind == code).any()
    }
    if node.kind == "column_chunk":
        return _of_chunk(own, lengths, sums)
    whose = own.space == FILE
    gaps, unknown = (_inside(own, places(file), whose) for places in (account.gaps, account.unknown))
    if node.kind == "row_group":
        largest = own.largest()
        text = (
            f"{plural(sums.get('column_chunk', (0, 0))[1], 'column chunk')} in {size(whole)} from byte "
            f"{own.start:,} on; {own.label_of(largest)} is the largest with {percent(own.size_of(largest) / whole)}"
        )
    elif node.kind == "file":
        shares = [
            f"{_of_file(file, kind)} {percent(total / whole)}"
            for kind, total in account.by_kind(file).items()
            if total and kind not in (account.GAP, account.UNKNOWN)
        ]
        text = f"{size(whole)}: {listing(shares, most=5)}"
    else:
        parts = sorted(((total, kind, count) for kind, (total, count) in sums.items()), reverse=True)
        shares = [f"{_words(kind, count)} {percent(total / whole)}" for total, kind, count in parts]
        text = f"{size(whole)}: {listing(shares, most=5)}"
    if unknown:
        text += f"; {_unknown(file, own, unknown)}"
    if gaps:
        return f"{text}; {_unowned(file, gaps)}."
    return f"{text}." if unknown else f"{text}; every byte has an owner."


def _of_file(file: ParquetFile, kind: str) -> str:
    """A kind of bytes of the file; the pages with the number of row groups that they are in."""
    return f"pages of {plural(len(file.row_groups), 'row group')}" if kind == account.PAGES else kind


def _inside(own: Strip, places: list[tuple[int, int]], whose: bool) -> list[tuple[int, int]]:
    """The places in the strip's bytes, if these are the file's (`whose`)."""
    return [(start, end) for start, end in places if own.start <= start and end <= own.end] if whose else []


def _of_chunk(own: Strip, lengths: Array, sums: dict[str, tuple[int, int]]) -> str:
    data = [code for code, kind in enumerate(own.kinds) if kind.startswith("data_page")]
    chosen = np.isin(own.kind, data)
    some = lengths[chosen]
    parts = []
    if "dictionary_page" in sums:
        total, count = sums["dictionary_page"]
        parts.append(f"{'a dictionary page' if count == 1 else plural(count, 'dictionary page')} of {size(total)}")
    if len(some) == 1:
        parts.append(f"one data page of {size(int(some[0]))}")
    elif len(some):
        low, high = size(int(some.min())), size(int(some.max()))
        parts.append(f"{plural(len(some), 'data page')} of {low if low == high else f'{low} to {high}'}")
    for kind in ("unreadable", "gap", "index_page", "unknown_page"):
        if kind in sums:
            parts.append(f"{size(sums[kind][0])} {_words(kind, 1)}")
    return f"{size(own.end - own.start)} from byte {own.start:,} on: {listing(parts)}."


def _unknown(file: ParquetFile, own: Strip, places: list[tuple[int, int]]) -> str:
    total = sum(end - start for start, end in places)
    try:
        parts = describe(file, *places[0])
    except ParquetError as error:
        parts = error.message
    without = f"not known without {missing_key(file)}"
    return f"{percent(total / max(1, own.end - own.start))} pages and indexes, {without}: {parts}"


def _unowned(file: ParquetFile, gaps: list[tuple[int, int]]) -> str:
    total = sum(end - start for start, end in gaps)
    verb = "belongs" if total == 1 else "belong"
    places = "" if len(gaps) == 1 else f" in {len(gaps):,} places"
    return f"{plural(total, 'byte')}{places} {verb} to nobody: {_reason(file, *gaps[0])}"


def _words(kind: str, count: int) -> str:
    known = {
        "row_group": "the row group",
        "gap": "nobody's",
        "footer_magic": "the closing magic",
        "unreadable": "that cannot be read",
    }.get(kind)
    words = kind.replace("_", " ")
    if known is None:
        known = words if kind == "rest" else f"the {words}"
    many = words.replace("index", "indexes") if words.endswith("index") else words + "s"
    return known if count == 1 else f"{count:,} {many}"


def _where(node: Node, strips: list[Strip]) -> str:
    if node.span is None:
        other = next((fact.value for fact in node.facts if fact.name == "file"), None)
        if node.kind == Kind.COLUMN_CHUNK and other:
            return f"{node.label} lies in another file, {str(other)!r}"
        return f"{node.label} has no bytes of its own"
    above = next((one for one in reversed(strips) if one.find(node.address) >= 0), strips[0])
    inside = "" if node.span.space == FILE else " of the page's opened bytes"
    share = len(node.span) / max(1, above.end - above.start)
    return (
        f"{plural(len(node.span), 'byte')} from byte {node.span.start:,} on{inside}, {percent(share)} of {above.title}"
    )


LENS = Lens(
    "layout",
    title="Layout",
    answer=answer,
    kinds=KINDS,
    picture=Picture,
    operations={"strip": tiles},
    figure=(Bars("part", "size", "bytes in the file", "bytes"),),
    value_free=("part", "kind", "begins", "size", "share"),
    value_free_sentence=True,
)
