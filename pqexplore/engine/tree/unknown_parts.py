"""Parts of an encrypted file whose places only a key shows: what can be said of them without it.

Without the footer key nothing says where pages and indexes are. They lie one after another all the same: an encrypted
module begins with its length, and a page of a column that is not encrypted with a page header in plaintext. So `runs` hops
from one to the next.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.page_headers import check_header, read_header
from pqexplore.engine.file.window import Window
from pqexplore.engine.format.encryption.modules import LENGTH_BYTES, NONCE_BYTES, module_size
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import PageType
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import Span
from pqexplore.engine.tree.modules import MEANINGS, parts_of
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

STEPS, REMOTE_STEPS = 20_000, 50
"""Modules and pages that are looked for, in a file of this machine and in another."""

HEADER_BYTES = (256, 4 << 10, 64 << 10)
"""Bytes in which a page header is looked for, one after the other."""

INDEX_BYTES = 1 << 16
"""Bytes up to which an index in plaintext is recognised."""

_PAGE_HEADER = re.compile(rb"\x15[\x00\x04\x06]\x15", re.DOTALL)
"""The beginning of a page header: field 1, the type of a page with data, an i32; field 2, also an i32."""

RunKind = Literal["modules", "pages", "indexes", "unknown", "rest"]
WORDS: dict[RunKind, str] = {
    "modules": "encrypted modules",
    "pages": "pages that are not encrypted",
    "indexes": "indexes and Bloom filters that are not encrypted",
    "unknown": "bytes at which neither a module nor a page begins",
    "rest": "bytes that were not looked at",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """Bytes `[starts[0], end)`: parts of one kind, one after another, which begin at `starts`."""

    kind: RunKind
    starts: tuple[int, ...]
    end: int

    @property
    def start(self) -> int:
        """The first byte."""
        return self.starts[0]

    def parts(self) -> Iterator[tuple[int, int]]:
        """Start and end of each part."""
        return zip(self.starts, (*self.starts[1:], self.end), strict=True)


def missing_key(file: ParquetFile) -> str:
    """The key without which the parts are not known, as a phrase."""
    return "the footer key" if file.metadata is None else "the column keys"


def describe(file: ParquetFile, start: int, end: int) -> str:
    """What lies in `[start, end)`, such as "36 encrypted modules and 4 pages that are not encrypted"."""
    counts: dict[RunKind, int] = {}
    for run in runs(file, start, end):
        size = len(run.starts) if run.kind in ("modules", "pages", "indexes") else run.end - run.start
        counts[run.kind] = counts.get(run.kind, 0) + size
    *first, last = [f"{count:,} {WORDS[kind]}" for kind, count in counts.items()]
    return f"{', '.join(first)} and {last}" if first else last


def runs(file: ParquetFile, start: int, end: int) -> list[Run]:
    """The bytes `[start, end)` as runs, by lengths and page headers that are not encrypted. Tiles them; reads few of them."""
    found: list[Run] = file.cache.get(
        ("unknown parts", start, end),
        lambda: list(_runs(file, start, end)),
        lambda made: sum(64 + 8 * len(run.starts) for run in made),
    )
    return found


def _runs(file: ParquetFile, start: int, end: int) -> Iterator[Run]:
    window = Window(file.source, start, end, end)
    kind: RunKind | None = None
    starts: list[int] = []
    at, steps = start, STEPS if file.source.local else REMOTE_STEPS
    while at < end:
        steps -= 1
        file.budget.charge(nodes=1)
        one, stop = _part(file, window, at, end) if steps >= 0 else ("rest", end)
        if one != kind:
            if kind is not None:
                yield Run(kind, tuple(starts), at)
            kind, starts = one, []
        starts.append(at)
        at = stop
    if kind is not None:
        yield Run(kind, tuple(starts), end)


def _part(file: ParquetFile, window: Window, at: int, end: int) -> tuple[RunKind, int]:
    """The kind and the end of the part at a byte; unknown bytes go on to the end."""
    stop = _page_end(file, window, at, end)
    if stop is not None:
        return "pages", stop
    stop = _module_end(window, at, end)
    if stop is not None and (
        stop == end
        or _module_end(window, stop, end) is not None
        or _page_end(file, window, stop, end) is not None
        or _index_end(window, stop, end) is not None
    ):
        return "modules", stop
    stop = _index_end(window, at, end)
    return ("unknown", end) if stop is None else ("indexes", stop)


def _page_end(file: ParquetFile, window: Window, at: int, end: int) -> int | None:
    """The end of the page whose plaintext header begins at a byte; None if none begins there."""
    if not _PAGE_HEADER.match(window.at(at, min(3, end - at))):
        return None
    for room in HEADER_BYTES:
        try:
            header, size = fast.decode(structs.PageHeader, window.at(at, min(room, end - at)))
            body = at + size
            check_header(header, end - body, file.limits)
        except fast.Truncated:
            continue
        except ParquetError:
            return None
        return body + header.compressed_page_size
    return None


def _module_end(window: Window, at: int, end: int) -> int | None:
    try:
        stop = at + module_size(window.at(at, LENGTH_BYTES))
    except CorruptFileError:
        return None
    return stop if stop <= end else None


def _index_end(window: Window, at: int, end: int) -> int | None:
    """The end of the page index or Bloom filter in plaintext that begins at a byte; None if none begins there."""
    if bytes(window.at(at, 1)) not in (b"\x15", b"\x19"):  # how a Bloom filter's header and an index begin
        return None
    data = window.at(at, min(INDEX_BYTES, end - at))
    for kind in (structs.OffsetIndex, structs.ColumnIndex, structs.BloomFilterHeader):
        try:
            struct, size = fast.decode(kind, data)
        except ParquetError:
            continue
        if structs.missing(struct):
            continue
        stop = at + size
        if isinstance(struct, structs.BloomFilterHeader):
            stop += struct.numBytes
            if struct.numBytes <= 0 or struct.numBytes % 32:
                continue
        if isinstance(struct, structs.OffsetIndex) and not struct.page_locations:
            continue
        return stop if stop <= end else None
    return None


def part_node(file: ParquetFile, start: int, end: int) -> Node:
    """The node of bytes that are parts of the file whose places need a key."""
    key = missing_key(file)
    address = Address.of("unknown_parts", start)

    def children() -> Sequence[Node]:
        return [_run_node(file, run, Address.of(address, number)) for number, run in enumerate(runs(file, start, end))]

    def facts() -> Sequence[Fact]:
        size = Fact("size", end - start, f"bytes of pages and indexes whose places {key} would show")
        return [size, Fact("looks like", describe(file, start, end), "by lengths and page headers")]

    return Node(
        Kind.UNKNOWN_PARTS,
        f"pages and indexes, not known without {key}",
        address,
        Span(start, end),
        facts=facts,
        children=children,
        state="locked",
        reason=_reason(file, key),
    )


def _reason(file: ParquetFile, key: str) -> str:
    locked = file.footer.locked
    return f"{key} would show what lies where" if locked is None else locked.message


def _run_node(file: ParquetFile, run: Run, address: Address) -> Node:
    label = WORDS[run.kind]
    if run.kind in ("unknown", "rest"):
        return Node(Kind.GROUP, label, address, Span(run.start, run.end))
    one = {"modules": _module_node, "pages": _page_node}.get(run.kind, _index_node)
    meaning = "parts, one after another"
    facts = [Fact("parts", len(run.starts), meaning)]
    if run.kind == "pages":
        words = "pqexplore.salvage(…)"
        facts.append(Fact("can be read by", words, "it reads pages without a footer"))

    def children() -> Sequence[Node]:
        return [
            one(file, Span(start, end), Address.of(address, number)) for number, (start, end) in enumerate(run.parts())
        ]

    return Node(
        Kind.GROUP, f"{label} ({len(run.starts):,})", address, Span(run.start, run.end), facts=facts, children=children
    )


def _module_node(file: ParquetFile, span: Span, address: Address) -> Node:
    cipher = file.footer.cipher
    ctr = cipher is not None and cipher.algorithm.ctr  # then a module may have a tag or not

    def children() -> Sequence[Node]:
        try:
            return parts_of(file.source.read(span.start, len(span)), span, address, ctr)
        except ParquetError:
            return ()

    def facts() -> Sequence[Fact]:
        head = bytes(file.source.read(span.start, LENGTH_BYTES + NONCE_BYTES))
        length = int.from_bytes(head[:LENGTH_BYTES], "little")
        return [Fact("length", length, MEANINGS["length"]), Fact("nonce", head[LENGTH_BYTES:], MEANINGS["nonce"])]

    reason = _reason(file, missing_key(file))
    return Node(Kind.MODULE, "module", address, span, facts=facts, children=children, state="locked", reason=reason)


def _page_node(file: ParquetFile, span: Span, address: Address) -> Node:
    window = Window(file.source, span.start, span.end, span.end)
    header, body = read_header(window, span.start, span.end)

    def children() -> Sequence[Node]:
        head = struct_node(
            structs.PageHeader,
            window.at(span.start, body - span.start),
            0,
            address.child("header"),
            "header",
            file.limits,
            base=span.start,
            kind=Kind.STRUCT,
        )
        rest = Node(Kind.GROUP, "body", address.child("body"), Span(body, span.end))
        return [head, rest] if body < span.end else [head]

    name = structs.enum_name(PageType, header.type).lower().replace("_", " ")
    return Node(Kind.GROUP, f"{name}, of a column that is not known", address, span, children=children)


def _index_node(file: ParquetFile, span: Span, address: Address) -> Node:
    return Node(Kind.GROUP, "index or Bloom filter, of a column that is not known", address, span)
