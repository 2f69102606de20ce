"""Encodes one column chunk with each choice, and adds up the bytes.

The chunk is decoded once and encoded once per encoding; its pages are then put under each codec, which gives the bytes
that the writer would write. If the time does not allow all pages, a codec is measured on some, spread over the chunk.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import LimitExceededError
from pqexplore.engine.format.codecs import UNCOMPRESSED
from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.engine.writer.column import EncodedChunk, EncodedPage, encode_chunk
from pqexplore.engine.writer.options import ColumnOptions
from pqexplore.engine.writer.page import Packing, recompressed
from pqexplore.engine.writer.rewriting import leaf_column, records
from pqexplore.engine.writer.statistics import MinMax
from pqexplore.insight.what_if.choices import CODECS, DICTIONARY_BYTES, FAST, Choice, choice
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page

CHUNK_BYTES = 256 << 20
"""Bytes, decompressed and decoded, that one chunk may take. Few bytes of a file can stand for millions of values."""

VALUE_BYTES = 16
"""Bytes of memory that a value counts for at least: to encode nulls and short runs takes memory and time, too."""

FEWEST_PAGES = 2
"""Data pages that a codec is measured on at least: one has no spread."""


@dataclasses.dataclass(frozen=True, slots=True)
class Size:
    """What a choice makes of one or more chunks: bytes in the file, headers included, and seconds to encode."""

    bytes: Estimate
    seconds: float


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
    ended: Callable[[], bool] = lambda: False,
) -> Generator[None, None, Measured]:
    """The sizes of a chunk with each encoding and codec; yields after each. Raises ParquetError.

    All values are encoded with each encoding, and put under the fast codecs. After `seconds` these are measured on the
    fewest pages, and the slow codecs are left out; with `fast`, they are left out from the beginning. No
    encoding is begun after `ended` says that the time of all columns is over, but the first.
    """
    until = time.monotonic() + seconds
    column = leaf_column(chunk, spend=Room())
    rows = records(column)
    found: Sizes = {}
    made = Measured(found, rows)
    codecs = FAST if fast else CODECS
    left = len(encodings) * len(codecs)
    falls_back = True
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
                made.distinct = sum(
                    each.num_values for each in encoded.pages if not each.page.is_data
                )
        for codec, level in codecs:
            share = (until - time.monotonic()) / left
            left -= 1
            if share <= 0 and (codec, level) not in FAST:
                continue
            size, compressing = _size(encoded, Packing(codec, level), share)
            found[choice(options, codec, level)] = Size(size, spent + compressing)
            yield
    return made


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
