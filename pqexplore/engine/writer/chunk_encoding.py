"""Encodes the data of a leaf in a row group as pages.

First the rows are cut into pages; then it is decided which pages use a dictionary; then each page's levels and values
are encoded. The result, an `EncodedChunk`, has all that the footer, the indexes and the plan need, except its offset
in the file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.file.page_headers import dictionary_part
from pqexplore.engine.format import bloom
from pqexplore.engine.format.encodings import dictionary, plain
from pqexplore.engine.format.encryption.encryptor import ColumnEncryptor
from pqexplore.engine.format.encryption.modules import ModuleType
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.format.thrift.encode import encode as encode_struct
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.writer import extension, statistics
from pqexplore.engine.writer.coder import Coder
from pqexplore.engine.writer.options import ColumnOptions
from pqexplore.engine.writer.page_builder import Packing, Page, dictionary_page, levels_v1, levels_v2, page_v1, page_v2
from pqexplore.engine.writer.statistics import NOTHING, Measure, MinMax, ValueCounts

Offsets = np.ndarray[Any, np.dtype[np.int64]]


@dataclasses.dataclass(frozen=True, slots=True)
class EncodedPage:
    """A page, and its numbers for the footer and the indexes.

    `header` are the header's bytes in the file. `first_row` counts from the start of the row group. `values_bytes`,
    `repetition_bytes` and `definition_bytes` are the sections before compression. Fields without a meaning for a
    dictionary page are 0 or None there.
    """

    page: Page
    header: bytes
    encoding: int
    num_values: int
    values_bytes: int
    first_row: int = 0
    num_rows: int = 0
    repetition_bytes: int = 0
    definition_bytes: int = 0
    bounds: MinMax | None = None
    counts: ValueCounts = NOTHING
    byte_array_bytes: int | None = None
    repetition_histogram: list[int] | None = None
    definition_histogram: list[int] | None = None

    @property
    def size(self) -> int:
        """Bytes in the file, header included."""
        return len(self.header) + len(self.page.body)


@dataclasses.dataclass(frozen=True, slots=True)
class EncodedChunk:
    """The pages of a leaf in one row group, in order, and its Bloom filter.

    `bounds` are those of all values, not truncated; `present` are the values that are not null.
    """

    leaf: Leaf
    options: ColumnOptions
    pages: list[EncodedPage]
    num_values: int
    num_rows: int
    bounds: MinMax | None
    counts: ValueCounts
    present: pa.Array
    bloom_filter: bytes | None
    encryptor: ColumnEncryptor | None

    @property
    def data_pages(self) -> list[EncodedPage]:
        """The pages without the dictionary page."""
        return [each for each in self.pages if each.page.is_data]

    @property
    def stored(self) -> Iterator[bytes]:
        """The chunk's bytes, in pieces."""
        for each in self.pages:
            yield each.header
            yield each.page.body

    @property
    def compressed_size(self) -> int:
        """Bytes in the file, headers included."""
        return sum(each.size for each in self.pages)

    @property
    def uncompressed_size(self) -> int:
        """Bytes of the pages when decompressed, headers included."""
        return sum(len(each.header) + each.page.uncompressed for each in self.pages)


@dataclasses.dataclass(frozen=True, slots=True)
class _Rows:
    """The first level and the first value of each row: int64, shape (rows + 1,); the last entry is the end."""

    levels: Offsets
    values: Offsets

    @property
    def count(self) -> int:
        return len(self.levels) - 1


def encode_chunk(
    column: LeafColumn,
    num_rows: int,
    options: ColumnOptions,
    encryptor: ColumnEncryptor | None = None,
    extensions: dict[str, bytes] | None = None,
) -> EncodedChunk:
    """Encode a leaf column of `num_rows` whole records; its values are already physical."""
    leaf, values = column.leaf, column.values
    num_values = num_rows if column.definition_levels is None else len(column.definition_levels)
    if column.definition_levels is None and column.repetition_levels is not None:
        num_values = len(column.repetition_levels)
    rows = _rows(column, num_rows, num_values)
    coder = Coder(leaf, options, values)
    measure = Measure(leaf, values)
    encoder = _PageEncoder(column, options, coder, measure, encryptor, extensions or {})
    cuts = _cuts(rows, options, coder.value_sizes())
    coder.decide([int(rows.values[stop]) for _, stop in cuts])
    pages = [encoder.dictionary()] if coder.entries is not None else []
    for ordinal, (start, stop) in enumerate(cuts):
        pages.append(encoder.data(ordinal, rows, start, stop))
    data = [each for each in pages if each.page.is_data]
    nans = [each.counts.nans for each in data]
    counts = ValueCounts(
        num_values - len(values),
        None if None in nans else sum(nan or 0 for nan in nans),
        coder.distinct() if "distinct_count" in options.statistics_fields else None,
    )
    return EncodedChunk(
        leaf,
        options,
        pages,
        num_values,
        num_rows,
        statistics.merge(leaf, (each.bounds for each in data)),
        counts,
        values,
        _bloom_filter(values, options) if options.bloom_filter else None,
        encryptor,
    )


def _rows(column: LeafColumn, num_rows: int, num_values: int) -> _Rows:
    if column.repetition_levels is None:
        levels = np.arange(num_rows + 1)
    else:
        levels = np.append(np.flatnonzero(column.repetition_levels == 0), num_values)
    definition = column.definition_levels
    if definition is None or len(column.values) == num_values:
        return _Rows(levels, levels)
    present = np.zeros(num_values + 1, np.int64)
    np.cumsum(definition == column.leaf.max_definition_level, out=present[1:])
    return _Rows(levels, present[levels])


def _cuts(rows: _Rows, options: ColumnOptions, sizes: Any) -> list[tuple[int, int]]:
    """First row and end of each page; `sizes` as from `Coder.value_sizes`."""
    max_rows = options.page_rows or rows.count
    # Values of one size are counted; else their bytes are.
    same_size = np.ndim(sizes) == 0
    before = rows.values if same_size else sizes[rows.values]
    limit = int(options.page_bytes / sizes) if same_size else options.page_bytes
    cuts = []
    start = 0
    while start < rows.count:
        stop = min(start + max_rows, rows.count)
        fits = int(np.searchsorted(before, before[start] + limit, "right")) - 1
        stop = max(min(stop, fits), start + 1)
        cuts.append((start, stop))
        start = stop
    return cuts


class _PageEncoder:
    """Encodes the pages of one chunk."""

    def __init__(
        self,
        column: LeafColumn,
        options: ColumnOptions,
        coder: Coder,
        measure: Measure,
        encryptor: ColumnEncryptor | None,
        extensions: dict[str, bytes],
    ) -> None:
        self.column = column
        self.options = options
        self.coder = coder
        self.measure = measure
        self.encryptor = encryptor
        self.extensions = extensions

    def _packing(self, module: ModuleType, ordinal: int | None) -> Packing:
        encryptor = self.encryptor
        return Packing(
            int(self.options.codec),
            self.options.codec_level,
            self.options.checksum,
            None if encryptor is None else lambda body: encryptor.encrypt(module, body, ordinal),
        )

    def _header(self, page: Page, module: ModuleType, ordinal: int | None) -> bytes:
        extension.attach(page.header, self.extensions)
        header = encode_struct(page.header)
        if self.encryptor is None:
            return header
        return self.encryptor.encrypt(module, header, ordinal)

    def dictionary(self) -> EncodedPage:
        """The dictionary page."""
        entries = self.coder.entries
        assert entries is not None
        stored = plain.encode(entries)
        legacy = self.coder.encoding == Encoding.PLAIN_DICTIONARY
        page = dictionary_page(
            stored,
            len(entries),
            int(Encoding.PLAIN_DICTIONARY if legacy else Encoding.PLAIN),
            is_sorted=True if self.options.sort_dictionary else None,
            packing=self._packing(ModuleType.DICTIONARY_PAGE, None),
        )
        header = self._header(page, ModuleType.DICTIONARY_PAGE_HEADER, None)
        encoding = dictionary_part(page.header).encoding
        return EncodedPage(page, header, encoding, len(entries), len(stored))

    def data(self, ordinal: int, rows: _Rows, start: int, stop: int) -> EncodedPage:
        """The data page of rows `[start, stop)`."""
        options, leaf = self.options, self.column.leaf
        first, end = int(rows.levels[start]), int(rows.levels[stop])
        value, value_end = int(rows.values[start]), int(rows.values[stop])
        repetition, definition = (
            None if levels is None else levels[first:end]
            for levels in (self.column.repetition_levels, self.column.definition_levels)
        )
        stored, encoding = self.coder.encode(value, value_end)
        counts = ValueCounts(end - first - (value_end - value), self.measure.nans(value, value_end))
        bounds = self.measure.bounds(value, value_end)
        page_statistics = None
        if "page" in options.statistics:
            page_statistics = statistics.statistics(
                leaf, bounds, counts, options.statistics_fields, options.statistics_bytes
            )
        packing = self._packing(ModuleType.DATA_PAGE, ordinal)
        if options.page_version == 1:
            level_encoding = int(options.level_encoding)
            levels = (
                levels_v1(repetition, leaf.max_repetition_level, level_encoding),
                levels_v1(definition, leaf.max_definition_level, level_encoding),
            )
            page = page_v1(
                stored,
                end - first,
                encoding,
                repetition_levels=levels[0],
                definition_levels=levels[1],
                level_encoding=level_encoding,
                statistics=page_statistics,
                packing=packing,
            )
        else:
            levels = (
                levels_v2(repetition, leaf.max_repetition_level),
                levels_v2(definition, leaf.max_definition_level),
            )
            page = page_v2(
                stored,
                end - first,
                stop - start,
                counts.nulls,
                encoding,
                repetition_levels=levels[0],
                definition_levels=levels[1],
                statistics=page_statistics,
                packing=packing,
            )
        present = self.column.values.slice(value, value_end - value)
        with_sizes = options.size_statistics
        return EncodedPage(
            page,
            self._header(page, ModuleType.DATA_PAGE_HEADER, ordinal),
            encoding,
            end - first,
            len(stored),
            start,
            stop - start,
            len(levels[0]),
            len(levels[1]),
            bounds,
            counts,
            statistics.byte_array_bytes(leaf, present) if with_sizes else None,
            statistics.histogram(repetition, leaf.max_repetition_level, end - first) if with_sizes else None,
            statistics.histogram(definition, leaf.max_definition_level, end - first) if with_sizes else None,
        )


def _bloom_filter(values: pa.Array, options: ColumnOptions) -> bytes:
    """The bitset of a Bloom filter with every value in it."""
    entries = dictionary.build(values)[0] if len(values) else values
    hashes, size, ndv = bloom.hash_array(entries), options.bloom_filter_bytes, options.bloom_filter_ndv
    if size is None and ndv is None:
        return bloom.build_for(hashes, options.bloom_filter_fpp)
    return bloom.build(hashes, size or bloom.optimal_bytes(ndv or 0, options.bloom_filter_fpp))


def encodings_of(chunk: EncodedChunk) -> dict[tuple[int, int], int]:
    """The number of pages of each (PageType, Encoding), those of the dictionary first."""
    counted: dict[tuple[int, int], int] = {}
    for each in chunk.pages:
        kind = (int(each.page.header.type), each.encoding)
        counted[kind] = counted.get(kind, 0) + 1
    return dict(sorted(counted.items(), key=lambda item: (item[0][0] != PageType.DICTIONARY_PAGE, item)))
