"""A file as strips, each the expansion of one tile of the strip above: file → row group → chunk → page → section.

A strip follows position, so a row group's strip also has the tiles between its chunks; addresses follow ownership. Pages
come from the offset index or from a walk through one chunk, never from a walk through the file.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import FILE, Span
from pqexplore.insight.columns import Array
from pqexplore.insight.lenses.node_strips import SECTIONS, body_strip, node_strip, page_strip
from pqexplore.insight.lenses.strip import Strip

LEVELS = 9
"""Max strips; other views show deeper structs."""

SMALL_BODY = 256 << 10
"""Max bytes of a page's body that is decompressed although the page is not selected."""

OPENED = frozenset({"row_group", "column_chunk", "data_page", "data_page_v2", "dictionary_page", "body"})
"""Kinds that are expanded although they are not selected."""

PARTLESS = frozenset(
    {
        *("magic", "footer_magic", "footer_length", "gap", "rest", "unreadable", "value", "leftover"),
        *("values", "repetition_levels", "definition_levels", "bloom_filter_bitset"),
    }
)
APART = frozenset({"column_index", "offset_index", "bloom_filter"})
"""Parts of a chunk that do not lie with its pages."""

_RUN = "row_groups"
"""The address of a strip of neighbours: they belong to different column chunks."""


def strips_to(file: ParquetFile, address: str) -> list[Strip]:
    """The strips down to an address, and below it those of the largest tiles, down to the parts of a page.

    A page is decompressed for its levels and values if the address lies in it, or if it is small.
    """
    strips = [file_strip(file)]
    reached = not address
    while len(strips) < LEVELS:
        above = strips[-1]
        tile = -1 if reached else _tile(file, above, address)
        if tile < 0:
            tile = above.largest()
            reached = above.guessed = True
            if tile < 0 or above.kind_of(tile) not in OPENED:
                break
        above.chosen = tile
        inside = not above.guessed
        reached = reached or above.names(tile, address)
        try:
            below = _below(file, strips, tile, inside)
        except ParquetError as error:
            above.note = f"{above.label_of(tile)} cannot be opened: {error.message}"
            break
        if below is None or not len(below):
            above.note = above.note or _trouble(file, above, tile)
            break
        strips.append(below)
    return strips


def _trouble(file: ParquetFile, strip: Strip, tile: int) -> str:
    """Why a tile has no parts, if it is damaged or needs a key."""
    if strip.template or strip.kind_of(tile) not in OPENED:
        return ""
    node = file.node(strip.address_of(tile))
    return f"{node.label} cannot be opened: {node.reason}" if node.state != "ok" else ""


def _tile(file: ParquetFile, strip: Strip, address: str) -> int:
    """The tile of a strip with an address or around it; -1 if there is none."""
    tile = strip.find(address)
    parts = address.split("/")
    inner = parts[4] if len(parts) > 4 and parts[0] == "row_groups" else ""
    if inner in APART and len(strip.address.split("/")) < 4:
        span = file.node("/".join(parts[:5])).span
        if span is not None and len(span):
            return int(np.searchsorted(strip.starts, span.start, "right")) - 1
    if tile < 0 and len(parts) > 6 and parts[6] in SECTIONS:
        return next((i for i in range(len(strip)) if strip.kind_of(i) == "body"), -1)
    return tile


def _below(file: ParquetFile, strips: list[Strip], tile: int, inside: bool) -> Strip | None:
    """The strip of a tile of the last strip; None if the tile has no parts.

    `inside` is whether the selection is this tile or lies in it.
    """
    above = strips[-1]
    kind, own = above.kind_of(tile), above.address_of(tile)
    span = Span(int(above.starts[tile]), int(above.ends[tile]), above.space)
    if kind in PARTLESS:
        return None
    if len(strips) == 1 and kind not in ("footer", "footer_signature", "file_crypto_metadata"):
        around = _RUN if tile in above.runs else own
        below = _tiles_between(file, span, above.label_of(tile), around)
        if kind == "row_group" or len(below) > 1:
            return below
    if kind == "column_chunk":
        return page_strip(file, own)
    if kind == "body":
        page = file.node(own.rpartition("/")[0])
        small = len(span) <= SMALL_BODY
        return body_strip(file, page, above) if inside or small else None
    return node_strip(file.node(own), span)


def file_strip(file: ParquetFile) -> Strip:
    """The whole file: row groups, and the tiles before, between and after them, neighbours of equal kind as one."""
    starts, ends, kinds, labels, addresses, several = file.cache.get(
        ("strips", "file"), lambda: _runs(file), lambda runs: 200 * (1 + len(runs[0]))
    )
    names = list(dict.fromkeys(kinds))
    return Strip(
        "",
        "the file",
        0,
        file.size,
        FILE,
        starts,
        ends,
        np.array([names.index(kind) for kind in kinds], np.int64),
        names,
        addresses,
        labels,
        note="" if file.metadata is not None else "The footer is encrypted: what lies where is in it.",
        runs=several,
    )


def _runs(file: ParquetFile) -> tuple[Array, Array, list[str], list[str], list[str], frozenset[int]]:
    """The tiles of the whole file: starts, ends, kinds, labels, addresses, and which are runs of neighbours."""
    table = file.layout("chunks")
    group = _group_of(table)
    kinds = table["kind"].combine_chunks().dictionary_encode()
    code = kinds.indices.to_numpy()
    chunk = pc.equal(table["kind"], "column_chunk").to_numpy()
    # tiles between two chunks of one row group belong to its strip
    owner = np.where(chunk, group, -1)
    count = np.arange(len(owner))
    before = np.maximum.accumulate(np.where(chunk, count, -1))
    after = np.minimum.accumulate(np.where(chunk, count, len(owner))[::-1])[::-1]
    inside = (before >= 0) & (after < len(owner))
    between = np.zeros(len(owner), bool)
    between[inside] = owner[before[inside]] == owner[after[inside]]
    key = np.where(between | chunk, owner[np.maximum(before, 0)], -1 - code)
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    last = np.concatenate((first[1:], [len(key)])) - 1
    starts, ends = table["start"].to_numpy()[first], table["end"].to_numpy()[last]
    names, labels = [], []
    addresses: list[str] = []
    several: set[int] = set()
    seen: set[int] = set()
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        run = int(key[a])
        if run >= 0:
            names.append("row_group")
            labels.append(f"row group {run}{', a further part' if run in seen else ''}")
            addresses.append(Address.of("row_groups", run))
            seen.add(run)
            continue
        kind = kinds.dictionary[int(code[a])].as_py()
        if a != b:
            several.add(len(names))
        names.append(kind)
        labels.append(_label(kind) if a == b else f"{_many(kind)} ({b - a + 1:,})")
        addresses.append(table["address"][a].as_py())
    return starts, ends, names, labels, addresses, frozenset(several)


def _group_of(table: pa.Table) -> Array:
    """The row group of each tile as int64; -1 if it has none."""
    parts = pc.extract_regex(table["address"].combine_chunks(), r"^row_groups/(?P<g>\d+)/")
    texts = pc.fill_null(pc.struct_field(parts, "g"), "-1")
    numbers = pc.cast(pc.if_else(pc.equal(texts, ""), "-1", texts), "int64")
    array: Array = numbers.to_numpy(zero_copy_only=False)
    return array


def _label(kind: str) -> str:
    words = {
        "footer_magic": "closing magic",
        "bloom_filter": "Bloom filter",
        "gap": "nobody's",
        "unknown_parts": "pages and indexes, not known without a key",
    }
    return words.get(kind, kind.replace("_", " "))


def _many(kind: str) -> str:
    words = {"column_index": "column indexes", "offset_index": "offset indexes"}
    return words.get(kind, f"{_label(kind)}s")


def _tiles_between(file: ParquetFile, span: Span, title: str, address: str) -> Strip:
    """The tiles of the layout, at the level of chunks, in a tile of the file's strip."""
    table = file.layout("chunks")
    start = table["start"].to_numpy()
    low = int(np.searchsorted(start, span.start, "left"))
    high = int(np.searchsorted(start, span.end, "left"))
    part = table.slice(low, high - low)
    kinds = part["kind"].combine_chunks().dictionary_encode()
    addresses = part["address"].to_pylist()
    leaves = file.schema.leaves
    labels = []
    for kind, own in zip(part["kind"].to_pylist(), addresses, strict=True):
        pieces = own.split("/")
        column = int(pieces[3]) if len(pieces) > 3 and pieces[3].isdecimal() else -1
        known = ".".join(leaves[column].path) if 0 <= column < len(leaves) else ""
        labels.append(known if kind == "column_chunk" else f"{_label(kind)} {known}".rstrip())
    return Strip(
        address,
        title,
        span.start,
        span.end,
        FILE,
        part["start"].to_numpy(),
        part["end"].to_numpy(),
        kinds.indices.to_numpy(),
        kinds.dictionary.to_pylist(),
        addresses,
        labels,
    )
