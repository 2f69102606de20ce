"""What lies at a place of the file, part by part, in a sentence and a table; the picture of it are `strips`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.layout import gap_reason
from pqexplore.engine.tree import FILE, Node, Span
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.strips import Strip, strips
from pqexplore.insight.wording import listing, percent, plural, size

LISTED = 10_000
"""Tiles in the table."""

EXPLAINED = 20
"""Gaps that are looked into for what they may be."""

COLUMNS = (
    Column("part", "part", "text", "what lies there"),
    Column("kind", "kind", "text", "the specification's word for it"),
    Column("begins", "begins at", "number", "its first byte"),
    Column("size", "bytes", "bytes", "how long it is"),
    Column("share", "share", "share", "of what it lies in"),
    Column("reason", "why nobody owns it", "text", "for bytes that no structure points at"),
)


def placement(file: ParquetFile, node: Node) -> Answer:
    """Where a node lies and what it is made of. `picture["strips"]` are Strip objects, for the view to pack."""
    made = strips(file, node.address)
    own = _own(made, node.address)
    code = f"pqexplore.explore(f).to_frame('layout', at={node.address!r})"
    notes = [strip.note for strip in made if strip.note]
    sentence = _sentence(file, node, own, made)
    table = None if own is None else _table(file, own)
    return Answer(sentence, {"strips": made}, table, " ".join(notes), code)


def _own(made: list[Strip], address: str) -> Strip | None:
    """The strip that expands the node at an address; None where it is not made of parts."""
    for above, strip in zip([None, *made], made, strict=False):
        if above is None:
            if not address:
                return strip
        elif above.chosen >= 0 and above.address_of(above.chosen) == address:
            return strip
    return None


def _table(file: ParquetFile, strip: Strip) -> Table:
    gaps = "gap" in strip.kinds
    columns = COLUMNS if gaps else COLUMNS[:-1]
    table = Table(columns, f"The parts of {strip.title}", total=len(strip))
    whole = max(1, strip.end - strip.start)
    explained = 0
    listed = zip(
        strip.kind[:LISTED].tolist(),
        strip.starts[:LISTED].tolist(),
        strip.ends[:LISTED].tolist(),
        strict=True,
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


def _sentence(file: ParquetFile, node: Node, own: Strip | None, made: list[Strip]) -> str:
    if own is None:
        where = _where(node, made)
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
    parts = sorted(((total, kind, count) for kind, (total, count) in sums.items()), reverse=True)
    gap, gaps = sums.get("gap", (0, 0))
    if node.kind == "row_group":
        largest = own.largest()
        text = (
            f"{plural(sums.get('column_chunk', (0, 0))[1], 'column chunk')} in {size(whole)} from byte "
            f"{own.start:,} on; {own.label_of(largest)} is the largest with {percent(own.size_of(largest) / whole)}"
        )
    else:
        told = [
            f"{_words(kind, count)} {percent(total / whole)}"
            for total, kind, count in parts
            if kind != "gap"
        ]
        text = f"{size(whole)}: {listing(told, most=5)}"
    if gap:
        return f"{text}; {_nobody(file, own, gap, gaps)}."
    return f"{text}; every byte has an owner."


def _of_chunk(own: Strip, lengths: Any, sums: dict[str, tuple[int, int]]) -> str:
    data = [code for code, kind in enumerate(own.kinds) if kind.startswith("data_page")]
    chosen = np.isin(own.kind, data)
    some = lengths[chosen]
    said = []
    if "dictionary_page" in sums:
        total, count = sums["dictionary_page"]
        said.append(
            f"{'a dictionary page' if count == 1 else plural(count, 'dictionary page')} of {size(total)}"
        )
    if len(some) == 1:
        said.append(f"one data page of {size(int(some[0]))}")
    elif len(some):
        low, high = size(int(some.min())), size(int(some.max()))
        said.append(
            f"{plural(len(some), 'data page')} of {low if low == high else f'{low} to {high}'}"
        )
    for kind in ("unreadable", "gap", "index_page", "unknown_page"):
        if kind in sums:
            said.append(f"{size(sums[kind][0])} {_words(kind, 1)}")
    return f"{size(own.end - own.start)} from byte {own.start:,} on: {listing(said)}."


def _nobody(file: ParquetFile, own: Strip, gap: int, gaps: int) -> str:
    first = next(i for i in range(len(own)) if own.kind_of(i) == "gap")
    reason = _reason(file, int(own.starts[first]), int(own.ends[first]))
    verb = "belongs" if gap == 1 else "belong"
    places = "" if gaps == 1 else f" in {gaps:,} places"
    return f"{plural(gap, 'byte')}{places} {verb} to nobody: {reason}"


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


def _where(node: Node, made: list[Strip]) -> str:
    if node.span is None:
        return f"{node.label} has no bytes of its own"
    above = next((one for one in reversed(made) if one.find(node.address) >= 0), made[0])
    inside = "" if node.span.space == FILE else " of the page's opened bytes"
    share = len(node.span) / max(1, above.end - above.start)
    return (
        f"{plural(len(node.span), 'byte')} from byte {node.span.start:,} on{inside}, "
        f"{percent(share)} of {above.title}"
    )
