"""The owner of each byte of the file.

Owners come from everything that points at bytes: the magics, the footer, and for each chunk its pages, its indexes and its
Bloom filter. Together they must tile the file. Bytes without an owner are a gap. If two owners claim a byte, the first one
keeps it, and a finding says so.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Int64s, arrow_numbers, arrow_strings
from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    LimitExceededError,
    ParquetError,
    UnsupportedFeatureError,
    UsageError,
    located,
)
from pqexplore.engine.file.chunk_indexes import bloom_headers_ahead, read_ahead
from pqexplore.engine.file.page_body import PAGE_KINDS
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format.thrift import fast
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile

SCHEMA = pa.schema([("start", pa.int64()), ("end", pa.int64()), ("kind", pa.string()), ("address", pa.string())])
PLACE_FIELDS = (
    *("file_path", "data_page_offset", "dictionary_page_offset", "total_compressed_size"),
    *(f"{name}_{what}" for name in ("column_index", "offset_index", "bloom_filter") for what in ("offset", "length")),
)
"""The fields of ColumnChunk and ColumnMetaData with the places of a chunk, its indexes and its Bloom filter."""

_LAST = (1 << 63) - 1
"""The last offset that an int64 has; an offset and a length in the footer can add up to more."""

EXAMINED = 1_000
"""Unowned ranges of an encrypted file that are examined."""

OVERLAPS_NAMED = 20
"""Overlaps that get a finding each; the evidence has their total number."""


@dataclasses.dataclass
class Owners:
    """Claims on bytes, as columns of one length."""

    start: list[int] = dataclasses.field(default_factory=list)
    end: list[int] = dataclasses.field(default_factory=list)
    kind: list[Kind] = dataclasses.field(default_factory=list)
    address: list[str] = dataclasses.field(default_factory=list)

    def add(self, start: int, end: int, kind: Kind, address: str) -> None:
        """Adds a claim on `[start, end)`."""
        self.start.append(start)
        self.end.append(min(end, _LAST))
        self.kind.append(kind)
        self.address.append(address)


def table(file: ParquetFile, level: str) -> pa.Table:
    """Start, end, kind and address of every owner and gap; see `ParquetFile.layout`."""
    if level not in ("pages", "chunks"):
        raise UsageError(f"layout(level={level!r}): the levels are 'pages' and 'chunks'")
    return file.cache.get(("layout", level), lambda: _table(file, level), lambda made: made.nbytes)


def _table(file: ParquetFile, level: str) -> pa.Table:
    owners = Owners()
    damage = file.footer_damage
    if damage is not None:
        file.note(failure(damage, "footer"))
        owners.add(0, 4, Kind.MAGIC, "magic")
        owners.add(file.footer.start, file.footer.end, Kind.FOOTER, "footer")
        owners.add(file.size - 8, file.size - 4, Kind.FOOTER_LENGTH, "footer_length")
        owners.add(file.size - 4, file.size, Kind.FOOTER_MAGIC, "footer_magic")
        return _tile(file, owners)
    _add_ends(file, owners)
    if file.metadata is not None:
        if level == "chunks":
            _add_chunks_fast(file, owners)
        else:
            try:
                for chunk in read_ahead(file, file.chunks()):
                    _add_chunk(chunk, owners)
            except LimitExceededError:
                raise  # a layout without its end would tile the file with a gap that is none
            except ParquetError as error:
                file.note(failure(error))
    return _tile(file, owners)


def _add_ends(file: ParquetFile, owners: Owners) -> None:
    footer, size = file.footer, file.size
    owners.add(0, 4, Kind.MAGIC, "magic")
    if footer.crypto_metadata is not None:
        owners.add(footer.start, footer.crypto_end, Kind.FILE_CRYPTO_METADATA, "crypto_metadata")
        owners.add(footer.crypto_end, footer.end, Kind.FOOTER, "footer")
    elif footer.signature_start is not None:
        owners.add(footer.start, footer.signature_start, Kind.FOOTER, "footer")
        owners.add(footer.signature_start, footer.end, Kind.FOOTER_SIGNATURE, "footer_signature")
    else:
        owners.add(footer.start, footer.end, Kind.FOOTER, "footer")
    owners.add(size - 8, size - 4, Kind.FOOTER_LENGTH, "footer_length")
    owners.add(size - 4, size, Kind.FOOTER_MAGIC, "footer_magic")


def _add_chunk(chunk: ColumnChunk, owners: Owners) -> None:
    file, address = chunk.file, chunk.address
    if chunk.elsewhere:
        return  # its bytes lie in another file
    _add_indexes(chunk, owners)
    try:
        if chunk.locked:
            span = chunk.span
            owners.add(span.start, span.end, Kind.COLUMN_CHUNK, address)
            return
        span = chunk.span
        walk = chunk.frames
    except ParquetError as error:
        file.note(failure(error, address))
        return
    for index, frame in enumerate(walk.frames):
        page = f"{address}/pages/{index}"  # `Address.of` takes ten times as long
        owners.add(frame.start, frame.header_end, Kind.PAGE_HEADER, f"{page}/header")
        owners.add(frame.header_end, frame.end, PAGE_KINDS.get(frame.header.type, Kind.UNKNOWN_PAGE), page)
    if walk.error is not None:
        file.note(failure(walk.error, address))
        if walk.end < span.end:
            owners.add(walk.end, span.end, Kind.UNREADABLE, address)


def _add_indexes(chunk: ColumnChunk, owners: Owners) -> None:
    struct = chunk.struct
    for kind, name, offset, length in (
        (Kind.COLUMN_INDEX, "column_index", struct.column_index_offset, struct.column_index_length),
        (Kind.OFFSET_INDEX, "offset_index", struct.offset_index_offset, struct.offset_index_length),
    ):
        if offset is not None and length is not None and length > 0:
            owners.add(offset, offset + length, kind, f"{chunk.address}/{name}")
    try:
        for span, name in zip(bloom_parts(chunk) or (), ("header", "bitset"), strict=False):
            place = Address.of(chunk.address, "bloom_filter", name)
            owners.add(span.start, span.end, Kind(f"bloom_filter_{name}"), place)
    except ParquetError as error:
        chunk.file.note(failure(error, Address.of(chunk.address, "bloom_filter")))
        _add_damaged_bloom(chunk, owners)


def bloom_parts(chunk: ColumnChunk) -> tuple[Span, Span] | None:
    """The header and the bitset of a chunk's Bloom filter; None without one, and if its place needs a key."""
    if chunk.locked:
        from pqexplore.engine.tree.locked_nodes import locked_bloom

        return locked_bloom(chunk)
    return chunk.bloom_filter_parts


def _add_damaged_bloom(chunk: ColumnChunk, owners: Owners) -> None:
    """Adds a Bloom filter that cannot be read, by its place in the footer."""
    try:
        offset, length = chunk.metadata.bloom_filter_offset, chunk.metadata.bloom_filter_length
    except ParquetError:
        return
    if offset is not None and length is not None and length > 0:
        owners.add(offset, offset + length, Kind.BLOOM_FILTER, Address.of(chunk.address, "bloom_filter"))


def _add_chunks_fast(file: ParquetFile, owners: Owners) -> None:
    """Adds all chunks at once, from arrays that the C reader makes; verifies nothing."""
    footer = file.footer
    assert footer.raw is not None
    file.budget.charge(nodes=(file.footer.num_row_groups or 0) * len(file.schema.leaves))
    with located("footer", footer.raw_start, direct=footer.space == FILE):
        columns = fast.chunk_columns(footer.raw, PLACE_FIELDS)
    here = ~columns["file_path"].astype(bool)
    data, dictionary = columns["data_page_offset"], columns["dictionary_page_offset"]
    # a chunk without values and without a data page may give 0 for its offset
    start = np.where((dictionary > 0) & ((dictionary < data) | (data < 4)), dictionary, data)
    addresses = [
        f"row_groups/{group}/columns/{index}"  # as below in `_add_chunk`
        for group, offsets in enumerate(file.footer.chunk_offsets)
        for index in range(len(offsets))
    ]

    def extend(first: Int64s, length: Int64s, kind: Kind, below: str) -> None:
        there = np.flatnonzero(here & (first >= 0) & (length > 0))
        owners.start.extend(first[there].tolist())
        owners.end.extend((first[there] + length[there]).tolist())
        owners.kind.extend([kind] * len(there))
        owners.address.extend([addresses[i] + below for i in there.tolist()])

    extend(start, columns["total_compressed_size"], Kind.COLUMN_CHUNK, "")
    for name in ("column_index", "offset_index", "bloom_filter"):
        extend(columns[f"{name}_offset"], columns[f"{name}_length"], Kind(name), f"/{name}")
    lengths = columns["bloom_filter_length"]
    unsaid = np.flatnonzero(here & (columns["bloom_filter_offset"] >= 0) & (lengths <= 0))
    _add_blooms(file, owners, [addresses[i] for i in unsaid.tolist()])
    if file.footer.cipher is not None:
        _add_decrypted(file, owners)


def _add_blooms(file: ParquetFile, owners: Owners, addresses: Sequence[str]) -> None:
    """Adds the Bloom filters of these column chunks whose lengths the footer does not have: their headers do."""
    chunks = []
    for address in addresses:
        _, group, _, column = address.split("/")
        with contextlib.suppress(ParquetError):
            chunks.append(file.row_groups[int(group)].columns[int(column)])
    for chunk in bloom_headers_ahead(file, chunks):
        with contextlib.suppress(CorruptFileError, EncryptedFileError, UnsupportedFeatureError):
            parts = bloom_parts(chunk)
            if parts is not None:
                owners.add(parts[0].start, parts[1].end, Kind.BLOOM_FILTER, chunk.address.child("bloom_filter"))


def _add_decrypted(file: ParquetFile, owners: Owners) -> None:
    """Adds the chunks whose only metadata is encrypted, and opens with a key."""
    unreadable = (CorruptFileError, EncryptedFileError)
    for group in file.row_groups:
        chunks: Sequence[ColumnChunk] = ()
        with contextlib.suppress(*unreadable):
            chunks = group.columns
        for chunk in chunks:
            with contextlib.suppress(*unreadable):
                _add_decrypted_chunk(chunk, owners)


def _add_decrypted_chunk(chunk: ColumnChunk, owners: Owners) -> None:
    if chunk.struct.meta_data is not None or chunk.elsewhere or chunk.locked:
        return
    metadata, span = chunk.metadata, chunk.span
    owners.add(span.start, span.end, Kind.COLUMN_CHUNK, chunk.address)
    start, length = metadata.bloom_filter_offset, metadata.bloom_filter_length
    if start is not None and length is not None and start >= 0 and length > 0:
        owners.add(start, start + length, Kind.BLOOM_FILTER, chunk.address.child("bloom_filter"))
    elif start is not None and (whole := chunk.bloom_filter_span) is not None:
        owners.add(whole.start, whole.end, Kind.BLOOM_FILTER, chunk.address.child("bloom_filter"))


def _tile(file: ParquetFile, owners: Owners) -> pa.Table:
    """Sorts the owners, cuts overlaps and adds gaps. A part that ends outside of the file owns nothing of it."""
    size = file.size
    start, end = np.array(owners.start, np.int64), np.array(owners.end, np.int64)
    order = np.lexsort((-end, start))
    order = order[(end[order] > start[order]) & (start[order] >= 0) & (end[order] <= size)]
    start, end = start[order], end[order]
    covered = np.maximum.accumulate(end)
    before = np.concatenate(([0], covered[:-1]))
    _note_overlaps(file, owners, order, start, end)
    clipped = np.maximum(start, before)
    keep = end > clipped
    gap_at = np.flatnonzero(clipped > before)
    tail = int(covered[-1]) if len(covered) else 0
    gap_start = np.concatenate((before[gap_at], [tail] if tail < size else []))
    gap_end = np.concatenate((clipped[gap_at], [size] if tail < size else []))
    kept = order[keep].tolist()
    starts = np.concatenate((clipped[keep], gap_start)).astype(np.int64)
    ends = np.concatenate((end[keep], gap_end)).astype(np.int64)
    places = [(int(first), int(last)) for first, last in zip(gap_start, gap_end, strict=True)]
    unowned = _unowned(file, places)
    kinds = [owners.kind[i] for i in kept] + unowned
    addresses = [owners.address[i] for i in kept] + [
        Address.of("gaps" if kind == Kind.GAP else "unknown_parts", place[0])
        for kind, place in zip(unowned, places, strict=True)
    ]
    final = np.argsort(starts, kind="stable").tolist()
    return pa.table(
        [
            arrow_numbers(starts[final]),
            arrow_numbers(ends[final]),
            arrow_strings([kinds[i] for i in final]),
            arrow_strings([addresses[i] for i in final]),
        ],
        schema=SCHEMA,
    )


def _unowned(file: ParquetFile, places: list[tuple[int, int]]) -> list[Kind]:
    """The kinds of bytes without an owner: gaps, or parts whose places need a key."""
    if not places or file.footer_damage is not None or file.footer.cipher is None:
        return [Kind.GAP] * len(places)
    if file.metadata is None:
        return [Kind.UNKNOWN_PARTS] * len(places)
    if not _lacks_column_keys(file):
        return [Kind.GAP] * len(places)
    from pqexplore.engine.tree import unknown_parts  # only encrypted files have them

    return [
        Kind.UNKNOWN_PARTS
        if number < EXAMINED and {run.kind for run in unknown_parts.runs(file, *place)} == {"modules"}
        else Kind.GAP
        for number, place in enumerate(places)
    ]


def _lacks_column_keys(file: ParquetFile) -> bool:
    try:
        return any(chunk.locked or not _opens(chunk) for chunk in file.chunks())
    except ParquetError:
        return False


def _opens(chunk: ColumnChunk) -> bool:
    """Whether the key that was given opens the metadata of a chunk, without which its pages have no owner."""
    try:
        _ = chunk.metadata
    except EncryptedFileError:
        return False
    except ParquetError:
        return True
    return True


def _place(file: ParquetFile, address: str) -> str:
    """An address in words: the column and the row group, or the part of the file."""
    return file.located(Finding("overlap", address)).place.replace("footer", "the footer")


def _note_overlaps(file: ParquetFile, owners: Owners, order: Int64s, start: Int64s, end: Int64s) -> None:
    """Notes bytes with two owners."""
    before = np.concatenate(([0], np.maximum.accumulate(end)[:-1]))
    clashes = np.flatnonzero(start < before)
    for count, at in enumerate(clashes.tolist()):
        if count == OVERLAPS_NAMED:
            break
        owner = int(np.flatnonzero(end[:at] > start[at])[-1])
        first, second = owners.address[order[owner]], owners.address[order[at]]
        claimed = min(int(end[at]), int(before[at])) - int(start[at])
        file.note(
            Finding(
                "overlap",
                second,
                f"{plural(claimed, 'byte')} from byte {int(start[at]):,} on {'belongs' if claimed == 1 else 'belong'} to {_place(file, first)} and to {_place(file, second)}",
                {"start": int(start[at]), "first": first, "second": second, "overlaps": len(clashes)},
            )
        )


def known(file: ParquetFile) -> bool:
    """Whether the layout is kept, or cheap to make because the file is small."""
    return file.cache.has(("layout", "pages")) or file.size < 1 << 20


def gaps(file: ParquetFile, level: str = "pages") -> list[tuple[int, int]]:
    """The gaps of the layout at `level`, as `[start, end)` pairs."""
    return _places(file, Kind.GAP, level)


def gaps_between(file: ParquetFile, whole: Mapping[int, tuple[Int64s, Int64s, Int64s]]) -> list[tuple[int, int]]:
    """The gaps of the layout, if the pages of some chunks are known to fill them, so that these need not be found.

    `whole` has the columns, the starts and the ends of these chunks by row group. If two parts own a byte, all pages are
    found, to say which.
    """
    if file.cache.has(("layout", "pages")):
        return gaps(file)
    owners = Owners()
    _add_ends(file, owners)
    for index in range(len(file.row_groups)):
        columns, starts, ends = whole.get(index, _NO_CHUNKS)
        owners.start.extend(starts.tolist())
        owners.end.extend(ends.tolist())
        if len(columns) == len(file.schema.leaves):
            continue
        known = set(columns.tolist())
        chunks = file.row_groups[index].columns
        for chunk in (chunks[column] for column in range(len(chunks)) if column not in known):
            _add_chunk(chunk, owners)
    start, end = np.array(owners.start, np.int64), np.array(owners.end, np.int64)
    inside = (end > start) & (start >= 0) & (end <= file.size)
    start, end = start[inside], end[inside]
    order = np.lexsort((-end, start))
    start, covered = start[order], np.maximum.accumulate(end[order])
    before = np.concatenate(([0], covered[:-1]))
    if (start < before).any():
        return gaps(file)
    found = np.flatnonzero(start > before)
    places = list(zip(before[found].tolist(), start[found].tolist(), strict=True))
    tail = int(covered[-1])
    return [*places, (tail, file.size)] if tail < file.size else places


_NO_CHUNKS: tuple[Int64s, Int64s, Int64s] = (np.zeros(0, np.int64),) * 3


def unknown(file: ParquetFile, level: str = "pages") -> list[tuple[int, int]]:
    """The parts whose places need a key, as `[start, end)` pairs."""
    return _places(file, Kind.UNKNOWN_PARTS, level)


def _places(file: ParquetFile, kind: Kind, level: str) -> list[tuple[int, int]]:
    owners = table(file, level)

    def make() -> list[tuple[int, int]]:
        start, end = owners.column("start"), owners.column("end")
        kinds = owners.column("kind").to_pylist()  # pyarrow.compute would be slow to import
        return [(start[i].as_py(), end[i].as_py()) for i, one in enumerate(kinds) if one == kind]

    # each look at the children of the file asks for them
    return file.cache.get(("places", kind, level), make, lambda made: 64 * (1 + len(made)))
