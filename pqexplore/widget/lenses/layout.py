"""Where the parts of a file lie, as stacked strips: each expands one tile of the strip above it."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.insight.answer import Answer
from pqexplore.insight.placement import placement
from pqexplore.insight.strips import Strip, strips
from pqexplore.widget import text
from pqexplore.widget.columns import pack, smallest

TITLE = "Layout"
FIRST: frozenset[str] = frozenset()

KINDS = frozenset(
    {
        *("file", "row_group", "column_chunk", "magic", "footer", "footer_length", "gap"),
        *("data_page", "data_page_v2", "dictionary_page", "index_page", "unknown_page"),
        *("page_header", "body", "values", "repetition_levels", "definition_levels"),
        *("column_index", "offset_index", "bloom_filter", "bloom_filter_header"),
        *("bloom_filter_bitset", "unreadable", "file_crypto_metadata", "footer_signature"),
    }
)

INLINE = 600
"""Tiles of a strip that travel with the answer; longer strips are fetched as columns of numbers."""


def applies(node: Node) -> bool:
    """What has a place in the file: the file, row groups, chunks, pages and their parts, indexes, the footer."""
    return node.kind in KINDS


def answer(file: Any, node: Node) -> Answer:
    """The strips down to the node and below it."""
    made = placement(file, node)
    assert made.picture is not None
    picture = {"strips": [_strip(one) for one in made.picture["strips"]]}
    return dataclasses.replace(made, picture=picture)


def strip(file: Any, address: str, at: int) -> tuple[dict[str, Any], list[Any]]:
    """The tiles of one of the strips of an address, as columns: starts, kinds, and labels and addresses."""
    found = strips(file, address)
    if not 0 <= at < len(found):
        raise UsageError(
            f"there are {len(found)} strips at {address or 'the file'}, none of number {at}"
        )
    one = found[at]
    columns: dict[str, Any] = {"start": smallest(one.starts), "kind": smallest(one.kind)}
    if not one.template:
        columns["label"] = [text.shorten(label, 120) for label in one.labels]
        columns["address"] = one.addresses
    header, buffers = pack(columns)
    return {"columns": header}, buffers


OPS = {"strip": strip}


def _strip(one: Strip) -> dict[str, Any]:
    inline = len(one) <= INLINE
    return {
        "address": one.address,
        "title": text.shorten(one.title, 160),
        "start": one.start,
        "end": one.end,
        "space": one.space,
        "count": len(one),
        "kinds": one.kinds,
        "template": one.template,
        "chosen": one.chosen,
        "guessed": one.guessed,
        "note": text.shorten(one.note, 400),
        "starts": one.starts.tolist() if inline else None,
        "kind": one.kind.tolist() if inline else None,
        "labels": [text.shorten(label, 120) for label in one.labels] if inline else None,
        "addresses": one.addresses if inline else None,
    }
