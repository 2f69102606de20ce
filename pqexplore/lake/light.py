"""Protocols of the footer structs that the tables of a lake need, as `footers` reads them.

The classes are built for the C reader, or come from `engine.format.thrift.structs`. Any field may be None: a struct
from a file can lack what the specification requires.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pqexplore.engine.format.thrift import structs


class Statistics(Protocol):
    """Bounds and counts of a column chunk."""

    min: bytes | None
    max: bytes | None
    min_value: bytes | None
    max_value: bytes | None
    null_count: int | None
    distinct_count: int | None
    nan_count: int | None
    is_min_value_exact: bool | None
    is_max_value_exact: bool | None


class SizeStatistics(Protocol):
    """Sizes of a column chunk's values."""

    unencoded_byte_array_data_bytes: int | None


class EncodingStats(Protocol):
    """How many pages of a type have an encoding."""

    page_type: int
    encoding: int
    count: int | None


class ChunkMetadata(Protocol):
    """ColumnMetaData."""

    codec: int | None
    encodings: Sequence[int] | None
    encoding_stats: Sequence[EncodingStats] | None
    num_values: int | None
    total_compressed_size: int | None
    total_uncompressed_size: int | None
    data_page_offset: int | None
    dictionary_page_offset: int | None
    bloom_filter_offset: int | None
    bloom_filter_length: int | None
    statistics: Statistics | None
    size_statistics: SizeStatistics | None


class Crypto(Protocol):
    """ColumnCryptoMetaData: the kind of key that encrypts a column."""

    ENCRYPTION_WITH_COLUMN_KEY: object | None


class Chunk(Protocol):
    """ColumnChunk."""

    file_path: str | None
    meta_data: ChunkMetadata | None
    column_index_offset: int | None
    column_index_length: int | None
    offset_index_offset: int | None
    offset_index_length: int | None
    crypto_metadata: Crypto | None
    encrypted_column_metadata: bytes | None


class SortingColumn(Protocol):
    """A column by which rows are sorted."""

    column_idx: int | None
    descending: bool | None
    nulls_first: bool | None


class RowGroup(Protocol):
    """RowGroup."""

    columns: Sequence[Chunk] | None
    num_rows: int | None
    total_byte_size: int | None
    file_offset: int | None
    sorting_columns: Sequence[SortingColumn] | None


class KeyValue(Protocol):
    """KeyValue, without its value."""

    key: str | None


class FileMetadata(Protocol):
    """FileMetaData."""

    version: int | None
    num_rows: int | None
    row_groups: Sequence[RowGroup | None] | None
    key_value_metadata: Sequence[KeyValue] | None
    created_by: str | None
    column_orders: Sequence[structs.ColumnOrder] | None
    encryption_algorithm: structs.EncryptionAlgorithm | None
