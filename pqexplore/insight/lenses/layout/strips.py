"""A file as strips, each the expansion of one tile of the strip above: file → row group → chunk → page → section.

A strip follows position, so a row group's strip also has the tiles between its chunks; addresses follow ownership. Pages
come from the offset index or from a walk through one chunk, never from a walk through the file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.chunk_pages import IndexedPages
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.node import Node
from pqexplore.insight.binary_columns import Array

CHILDREN = 2_000
"""Max parts of a struct or a page in a strip."""


SECTIONS = frozenset({"values", "repetition_levels", "definition_levels"})


LEFTOVERS = 2
"""The most leftovers at the end of a section: of its last run, and after it."""


PAGE_KINDS = {0: "data_page", 1: "index_page", 2: "dictionary_page", 3: "data_page_v2"}


def page_strip(file: ParquetFile, address: str) -> Strip:
    """The pages of a chunk. ParquetError if they need a key or lie in another file."""
    parts = address.split("/")
    chunk = file.row_groups[int(parts[1])].columns[int(parts[3])]
    if chunk.elsewhere:
        raise chunk.not_here("open that file to see its pages")
    span, pages = chunk.span, chunk.pages
    title = ".".join(chunk.leaf.path)
    template = Address.of(address, "pages", "#")
    if isinstance(pages, IndexedPages):
        edges = np.asarray(pages.starts, np.int64)
        kinds = ["dictionary_page", "data_page"][not pages.ahead :]  # in the order of their bytes, as without an index
        kind = np.full(len(pages), len(kinds) - 1, np.int64)
        kind[: pages.ahead] = 0
        return Strip(address, title, span.start, span.end, FILE, edges[:-1], edges[1:], kind, kinds, template=template)
    frames = chunk.frames
    starts = [frame.start for frame in frames.frames]
    ends = [frame.end for frame in frames.frames]
    names = [PAGE_KINDS.get(frame.header.type, "unknown_page") for frame in frames.frames]
    note = ""
    if frames.end < span.end:
        starts.append(frames.end)
        ends.append(span.end)
        names.append("unreadable" if frames.error is not None else "gap")
        note = "" if frames.error is None else frames.error.message
    kinds = list(dict.fromkeys(names))
    return Strip(
        address,
        title,
        span.start,
        span.end,
        FILE,
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        np.array([kinds.index(one) for one in names], np.int64),
        kinds,
        template=template,
        note=note,
    )


def node_strip(node: Node, span: Span) -> Strip | None:
    """The children of a node as tiles of its bytes; None if none of them lies there."""
    parts = [
        child
        for child in _cut(node.children[:CHILDREN])
        if child.span is not None and child.span.space == span.space and len(child.span)
    ]
    if not parts:
        return None
    return _of_nodes(node.address, node.label, span, parts)


def _cut(nodes: Sequence[Node]) -> Iterator[Node]:
    """Nodes; the sections of a page without the leftovers at their ends, which follow them."""
    for node in nodes:
        leftovers: list[Node] = []
        if node.kind in SECTIONS:
            leftovers = [one for one in node.children[-LEFTOVERS:] if one.kind == "leftover"]
        if leftovers and node.span is not None and leftovers[0].span is not None:
            span = dataclasses.replace(node.span, end=leftovers[0].span.start)
            node = Node(node.kind, node.label, node.address, span)
        yield node
        yield from leftovers


def body_strip(file: ParquetFile, page: Node, above: Strip) -> Strip | None:
    """The levels and values in a page's body, after decryption and decompression."""
    address = page.address
    parts = [
        child
        for child in _cut(page.children)
        if child.span is not None and child.span.space != FILE and len(child.span)
    ]
    if not parts:
        return None
    space = parts[0].span.space if parts[0].span is not None else FILE
    span = Span(0, file.space_size(space), space)
    own = [one for one in parts if one.span is not None and one.span.space == space]
    return _of_nodes(address, f"the body of {above.title}, {space.rpartition(':')[2]}", span, own)


def _of_nodes(address: str, title: str, whole: Span, nodes: Sequence[Node]) -> Strip:
    """Nodes in the order of their bytes, with a tile for each gap between them."""
    tiles: list[tuple[int, int, str, str, str]] = []
    at = whole.start
    for child in sorted(nodes, key=lambda one: one.span.start if one.span else 0):
        span = child.span
        assert span is not None
        start, end = max(span.start, at), min(span.end, whole.end)
        if end <= start:
            continue
        if start > at:
            tiles.append((at, start, "rest", address, "in between"))
        tiles.append((start, end, child.kind, child.address, child.label))
        at = end
    if at < whole.end:
        tiles.append((at, whole.end, "rest", address, "the end of the struct"))
    kinds = list(dict.fromkeys(tile[2] for tile in tiles))
    return Strip(
        address,
        title,
        whole.start,
        whole.end,
        whole.space,
        np.array([tile[0] for tile in tiles], np.int64),
        np.array([tile[1] for tile in tiles], np.int64),
        np.array([kinds.index(tile[2]) for tile in tiles], np.int64),
        kinds,
        [tile[3] for tile in tiles],
        [tile[4] for tile in tiles],
    )


@dataclasses.dataclass(slots=True)
class Strip:
    """The bytes `[start, end)` of a space as tiles.

    `address` and `title` name the expanded node. `starts` and `ends` are int64 of shape (tiles,), `kind` is an index
    into `kinds` of each tile. A tile's address and label are in `addresses` and `labels`; for pages, `template` is set
    instead: the address with `#` for the tile's number. `chosen` is the tile that the next strip expands, -1 for none;
    `guessed` says that it is the largest and not the selected one. `note` says why a part that should be there is absent.
    """

    address: str
    title: str
    start: int
    end: int
    space: str
    starts: Array
    ends: Array
    kind: Array
    kinds: list[str]
    addresses: list[str] = dataclasses.field(default_factory=list)
    labels: list[str] = dataclasses.field(default_factory=list)
    template: str = ""
    chosen: int = -1
    guessed: bool = False
    note: str = ""
    runs: frozenset[int] = frozenset()
    """Tiles that are several neighbours of one kind, with the address of the first."""

    def __len__(self) -> int:
        return len(self.starts)

    def address_of(self, tile: int) -> str:
        """The address of a tile."""
        return self.template.replace("#", str(tile)) if self.template else self.addresses[tile]

    def label_of(self, tile: int) -> str:
        """The label of a tile."""
        return f"page {tile}" if self.template else self.labels[tile]

    def kind_of(self, tile: int) -> str:
        """The kind of a tile."""
        return self.kinds[int(self.kind[tile])]

    def size_of(self, tile: int) -> int:
        """Bytes of a tile."""
        return int(self.ends[tile] - self.starts[tile])

    def largest(self) -> int:
        """The tile with the most bytes; -1 without tiles."""
        return int(np.argmax(self.ends - self.starts)) if len(self) else -1

    def names(self, tile: int, address: str) -> bool:
        """Whether a tile is the node at an address: a run of neighbours is none of them."""
        return tile >= 0 and tile not in self.runs and self.address_of(tile) == address

    def find(self, address: str) -> int:
        """The tile with an address, or else the innermost tile around it; -1 if there is none."""
        if self.template:
            begins = self.template.replace("#", "")
            number = address[len(begins) :].split("/")[0] if address.startswith(begins) else ""
            return int(number) if number.isdecimal() and int(number) < len(self) else -1
        best, length = -1, -1
        for tile, own in enumerate(self.addresses):
            if own != self.address and len(own) > length and (address == own or address.startswith(own + "/")):
                best, length = tile, len(own)
        return best


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
    numbers = pc.cast(pc.if_else(pc.equal(texts, ""), "-1", texts), pa.int64())
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
