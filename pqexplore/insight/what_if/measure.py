"""Encodes one column chunk with each choice, and adds up the bytes.

The chunk is decoded once and encoded once per encoding; its pages are then put under each codec, which gives the bytes
that the writer would write. If the time does not allow all pages, a codec is measured on some, spread over the chunk.
"""

from __future__ import annotations

import copy
import dataclasses
import time
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import LimitExceededError
from pqexplore.engine.file.chunk_reader import decode_chunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.codecs import UNCOMPRESSED
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.engine.writer import footer_builder
from pqexplore.engine.writer.chunk_encoding import EncodedChunk, EncodedPage, encode_chunk
from pqexplore.engine.writer.column_data import leaf_column, records
from pqexplore.engine.writer.file import MAGIC
from pqexplore.engine.writer.options import ColumnOptions
from pqexplore.engine.writer.page_builder import Packing, recompressed
from pqexplore.engine.writer.statistics import MinMax
from pqexplore.insight.what_if.choices import CODECS, DICTIONARY_BYTES, FAST, Choice, choice, unread_by
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Field, Leaf
    from pqexplore.engine.writer.retype import Change


def decode_seconds(encoded: EncodedChunk, codec: int, level: int | None) -> float:
    """Seconds to read a chunk that is encoded and not compressed, after it is compressed. Raises ParquetError."""
    packing = Packing(codec, level)
    pages = []
    for each in encoded.pages:
        page = recompressed(each.page, packing)
        pages.append(dataclasses.replace(each, page=page, header=encode(page.header)))
    options = dataclasses.replace(encoded.options, codec=codec, codec_level=level)
    packed = dataclasses.replace(encoded, pages=pages, options=options)
    data = b"".join([MAGIC, *packed.stored, *_end(packed)])
    source = Source("memory", len(data), lambda start, length: data[start : start + length], local=True)  # fmt: skip
    chunk = ParquetFile(source).row_groups[0].columns[0]
    begun = time.perf_counter()
    decode_chunk(chunk)
    return time.perf_counter() - begun


def _end(chunk: EncodedChunk) -> tuple[bytes, bytes, bytes]:
    """The footer of a file that has this chunk only, its length, and the magic."""
    column = structs.ColumnChunk(file_offset=0, meta_data=footer_builder.column_metadata(chunk, len(MAGIC)))
    group = structs.RowGroup(columns=[column], total_byte_size=chunk.uncompressed_size, num_rows=chunk.num_rows)  # fmt: skip
    metadata = structs.FileMetaData(version=2, schema=_path(chunk.leaf), num_rows=chunk.num_rows, row_groups=[group])
    data = encode(metadata)
    return data, len(data).to_bytes(4, "little"), MAGIC


def _path(leaf: Leaf) -> list[structs.SchemaElement]:
    """The schema of the leaf alone: each group on its path has one field."""
    found = [leaf.element]
    group: Field | None = leaf.parent
    while group is not None:
        element = copy.copy(group.element)
        element.num_children = 1
        element.logicalType = element.converted_type = None
        found.append(element)
        group = group.parent
    return found[::-1]


CHUNK_BYTES = 256 << 20
"""Bytes, decompressed and decoded, that one chunk may take. Few bytes of a file can stand for millions of values."""

VALUE_BYTES = 16
"""Bytes of memory that a value counts for at least: to encode nulls and short runs takes memory and time, too."""

DECODED = 3
"""The smallest choices of a chunk that engines read: these are decoded, too, to see how long it takes."""

FEWEST_PAGES = 2
"""Data pages that a codec is measured on at least: one has no spread."""


@dataclasses.dataclass(frozen=True, slots=True)
class Size:
    """What a choice makes of one or more chunks: bytes in the file, headers included, and seconds to encode and decode.

    `decode` is None if that was not measured.
    """

    bytes: Estimate
    seconds: float
    decode: float | None = None


Sizes = dict[Choice, Size]


@dataclasses.dataclass(slots=True)
class Measured:
    """One chunk in each choice.

    `distinct` are the entries of its dictionary, None if it was too large to be made. `bounds` are the smallest and the
    largest value.
    """

    sizes: Sizes
    rows: int
    num_values: int = 0
    distinct: int | None = None
    bounds: MinMax | None = None


def measure(
    chunk: ColumnChunk,
    encodings: Sequence[ColumnOptions],
    seconds: float,
    *,
    fast: bool = False,
    change: Change | None = None,
    ended: Callable[[], bool] = lambda: False,
) -> Generator[None, None, Measured]:
    """The sizes of a chunk, after a `change` of its type, with each encoding and codec; yields after each.

    Raises ParquetError, and UsageError for a value that the change would lose.

    All values are encoded with each encoding, and put under the fast codecs. After `seconds` these are measured on the
    fewest pages, and the slow codecs are left out; with `fast`, they are left out from the beginning. No
    encoding is begun after `ended` says that the time of all columns is over, but the first.
    """
    until = time.monotonic() + seconds
    column = leaf_column(chunk, None if change is None else change.new, Room())
    if change is not None:
        column = change.column(column, chunk)
    rows = records(column)
    found: Sizes = {}
    made = Measured(found, rows)
    codecs = FAST if fast else CODECS
    left = len(encodings) * len(codecs)
    falls_back = True
    held: dict[tuple[int, int | None], EncodedChunk] = {}
    for options in encodings:
        larger = options.dictionary_bytes != DICTIONARY_BYTES[0]
        if larger and not falls_back:
            left -= len(codecs)
            continue
        if found and ended():
            break
        chunk.file.budget.charge(column.values.nbytes, address=chunk.address)
        begun = time.perf_counter()
        encoded = encode_chunk(column, rows, options)
        spent = time.perf_counter() - begun
        made.num_values, made.bounds = encoded.num_values, encoded.bounds
        if options.encoding == Encoding.RLE_DICTIONARY:
            falls_back = any(each.encoding != options.encoding for each in encoded.data_pages)
            if not falls_back:
                made.distinct = sum(each.num_values for each in encoded.pages if not each.page.is_data)
        for codec, level in codecs:
            share = (until - time.monotonic()) / left
            left -= 1
            if share <= 0 and (codec, level) not in FAST:
                continue
            size, compressing = _size(encoded, Packing(codec, level), share)
            found[choice(options, codec, level)] = Size(size, spent + compressing)
            yield
        if not fast:
            one = choice(options, *FAST[0])
            held[one.encoding, one.dictionary_bytes] = encoded
            held = {
                (best.encoding, best.dictionary_bytes): held[best.encoding, best.dictionary_bytes]
                for best in _smallest(encoded, found)
            }
    for best in _smallest(encoded, found) if held else ():
        if until - time.monotonic() > found[best].seconds:
            pages = held[best.encoding, best.dictionary_bytes]
            decode = decode_seconds(pages, best.codec, best.level)
            found[best] = dataclasses.replace(found[best], decode=decode)
            yield
    return made


def _smallest(encoded: EncodedChunk, found: Sizes) -> list[Choice]:
    read = [one for one in found if not unread_by(encoded.leaf, one)]
    return sorted(read, key=lambda one: found[one].bytes.total)[:DECODED]


def _size(encoded: EncodedChunk, packing: Packing, share: float) -> tuple[Estimate, float]:
    """The bytes of a chunk under another packing, and the seconds to compress them; `share` of those may be spent."""
    if packing.codec == UNCOMPRESSED:
        return Estimate(float(encoded.compressed_size)), 0.0
    begun = time.perf_counter()
    data = encoded.data_pages
    fixed = sum(_stored(each, packing) for each in encoded.pages if not each.page.is_data)
    measured: dict[int, Estimate] = {}
    for at in spread(len(data)):
        if len(measured) >= FEWEST_PAGES and time.perf_counter() - begun > share:
            break
        measured[at] = Estimate(float(_stored(data[at], packing)))
    pages = by_ratio([each.size for each in data], measured)
    spent = time.perf_counter() - begun
    return Estimate(pages.total + fixed, pages.variance), spent * len(data) / max(1, len(measured))


def _stored(each: EncodedPage, packing: Packing) -> int:
    return len(recompressed(each.page, packing).stored)


class Room:
    """Counts the bytes that pages are about to take; raises LimitExceededError if they are too many."""

    def __init__(self) -> None:
        self.left = CHUNK_BYTES

    def __call__(self, amount: int, page: Page) -> None:
        """Count the bytes of a page; LimitExceededError if they are too many."""
        self.left -= max(amount, VALUE_BYTES * page.num_values)
        if self.left < 0:
            raise LimitExceededError(
                f"the values of the chunk take more than {CHUNK_BYTES:,} bytes of memory, too many to be tried",
                address=page.address,
            )
