"""Every struct, union and enum of the format, each field with its id, type and meaning.

Read a class from top to bottom and you know what a footer, a page header or an index can say. The notation is
explained in `declaration`; the source is the format's `parquet.thrift`, and spelling is its spelling. Values of enums
are plain ints in the structs, because files may hold numbers that no enum knows; `enum_name` names them.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from pqexplore.engine.thrift.declaration import ENUMS, STRUCTS, Field, Struct, Vocabulary

__all__ = ["ENUMS", "STRUCTS", "Field", "Struct", "enum_name", "missing", "union_field"]


def enum_name(enum: type[IntEnum], value: Any) -> str:
    """The specification's name of a number, or `UNKNOWN(number)`."""
    try:
        return enum(value).name
    except ValueError:
        return f"UNKNOWN({value})"


def missing(obj: Struct) -> list[str]:
    """Names of the required fields that are absent; only of the struct itself, not of the structs in it."""
    return [name for name in obj.REQUIRED if getattr(obj, name) is None]


def union_field(obj: Struct | None) -> tuple[str, Any] | None:
    """Name and value of the field that is set in a union; None where no field is set (or there is no union).

    A file may wrongly set several: the first by id is told.
    """
    if obj is not None:
        for field in obj.FIELDS:
            value = getattr(obj, field.name)
            if value is not None:
                return field.name, value
    return None


class Type(Vocabulary):
    """Physical types: how values are stored."""

    BOOLEAN = 0, "True or false, stored in one bit."
    INT32 = 1, "A signed integer of 4 bytes."
    INT64 = 2, "A signed integer of 8 bytes."
    INT96 = 3, "12 bytes that hold a timestamp: nanoseconds of the day and Julian day. Deprecated."
    FLOAT = 4, "An IEEE 754 number of 4 bytes."
    DOUBLE = 5, "An IEEE 754 number of 8 bytes."
    BYTE_ARRAY = 6, "Bytes, any number of them."
    FIXED_LEN_BYTE_ARRAY = 7, "Bytes, for every value as many as the schema's type_length says."


class ConvertedType(Vocabulary):
    """The first way to say what stored values mean; LogicalType replaces it, writers still add it."""

    UTF8 = 0, "Text in UTF-8."
    MAP = 1, "The group is a map."
    MAP_KEY_VALUE = 2, "The group holds the keys and values of a map."
    LIST = 3, "The group is a list."
    ENUM = 4, "The name of an enum's member."
    DECIMAL = 5, "A decimal number: an unscaled integer, divided by 10 to the power of scale."
    DATE = 6, "Days since 1970-01-01."
    TIME_MILLIS = 7, "Milliseconds since midnight."
    TIME_MICROS = 8, "Microseconds since midnight."
    TIMESTAMP_MILLIS = 9, "Milliseconds since 1970-01-01 00:00 UTC."
    TIMESTAMP_MICROS = 10, "Microseconds since 1970-01-01 00:00 UTC."
    UINT_8 = 11, "An unsigned integer of 8 bits."
    UINT_16 = 12, "An unsigned integer of 16 bits."
    UINT_32 = 13, "An unsigned integer of 32 bits."
    UINT_64 = 14, "An unsigned integer of 64 bits."
    INT_8 = 15, "A signed integer of 8 bits."
    INT_16 = 16, "A signed integer of 16 bits."
    INT_32 = 17, "A signed integer of 32 bits."
    INT_64 = 18, "A signed integer of 64 bits."
    JSON = 19, "A JSON document, as text."
    BSON = 20, "A BSON document."
    INTERVAL = 21, "A span of time in 12 bytes: months, days and milliseconds."


class FieldRepetitionType(Vocabulary):
    """How often a field occurs in its parent."""

    REQUIRED = 0, "Exactly once: never null."
    OPTIONAL = 1, "Once or not at all: may be null."
    REPEATED = 2, "Any number of times: a list."


class SizeStatistics(Struct):
    """How large data is when it is decoded, and how it is nested: for planning memory and skipping pages."""

    TABLE = """
    1 unencoded_byte_array_data_bytes: i64 — Bytes of all BYTE_ARRAY values when decoded, without their lengths.
    2 repetition_level_histogram: list<i64> — How many times each repetition level occurs, from level 0 up.
    3 definition_level_histogram: list<i64> — How many times each definition level occurs, from level 0 up.
    """


class BoundingBox(Struct):
    """The box that contains all geometries; for longitudes, xmin may be larger than xmax (it crosses the date line)."""

    TABLE = """
    1 xmin: double* — Western or left edge.
    2 xmax: double* — Eastern or right edge.
    3 ymin: double* — Southern or lower edge.
    4 ymax: double* — Northern or upper edge.
    5 zmin: double — Lowest height, where geometries have one.
    6 zmax: double — Greatest height, where geometries have one.
    7 mmin: double — Smallest measure, where geometries have one.
    8 mmax: double — Greatest measure, where geometries have one.
    """


class GeospatialStatistics(Struct):
    """Where a column chunk's geometries lie, and of which types they are."""

    TABLE = """
    1 bbox: BoundingBox — The box that contains all geometries of the chunk.
    2 geospatial_types: list<i32> — WKB codes of the geometry types that occur (1 point, 1001 point with Z, …); an empty list says nothing.
    """


class Statistics(Struct):
    """Smallest and largest value and counts, of a column chunk or a page: what lets a query skip it."""

    TABLE = """
    1 max: binary — Largest value, compared as signed bytes whatever the type. Deprecated: only safe for signed numbers.
    2 min: binary — Smallest value, compared as signed bytes whatever the type. Deprecated: only safe for signed numbers.
    3 null_count: i64 — How many values are null.
    4 distinct_count: i64 — How many different values there are.
    5 max_value: binary — An upper bound of the values, in the column's order, stored as PLAIN without a length.
    6 min_value: binary — A lower bound of the values, in the column's order, stored as PLAIN without a length.
    7 is_max_value_exact: bool — Whether max_value is a value that occurs, rather than a bound above it.
    8 is_min_value_exact: bool — Whether min_value is a value that occurs, rather than a bound below it.
    9 nan_count: i64 — How many values are NaN, for floating point types; absent means that there may be some.
    """


class StringType(Struct):
    """Text in UTF-8."""


class UUIDType(Struct):
    """A UUID, in 16 bytes, most significant first."""


class MapType(Struct):
    """A group that is a map from keys to values."""


class ListType(Struct):
    """A group that is a list."""


class EnumType(Struct):
    """The name of an enum's member, as text."""


class DateType(Struct):
    """Days since 1970-01-01."""


class Float16Type(Struct):
    """An IEEE 754 half-precision number, in 2 bytes."""


class NullType(Struct):
    """A column of which nothing is known, because all its values are null."""


class DecimalType(Struct):
    """A decimal number: an unscaled integer, divided by 10 to the power of scale."""

    TABLE = """
    1 scale: i32* — Digits after the decimal point.
    2 precision: i32* — Digits in total.
    """


class MilliSeconds(Struct):
    """Thousandths of a second."""


class MicroSeconds(Struct):
    """Millionths of a second."""


class NanoSeconds(Struct):
    """Billionths of a second."""


class TimeUnit(Struct, union=True):
    """What a time or timestamp counts."""

    TABLE = """
    1 MILLIS: MilliSeconds — The number counts milliseconds.
    2 MICROS: MicroSeconds — The number counts microseconds.
    3 NANOS: NanoSeconds — The number counts nanoseconds.
    """


class TimestampType(Struct):
    """A point in time, counted from 1970-01-01 00:00."""

    TABLE = """
    1 isAdjustedToUTC: bool* — True for an instant (UTC), false for what a clock on the wall shows.
    2 unit: TimeUnit* — What is counted.
    """


class TimeType(Struct):
    """A time of day, counted from midnight."""

    TABLE = """
    1 isAdjustedToUTC: bool* — True for a time in UTC, false for what a clock on the wall shows.
    2 unit: TimeUnit* — What is counted.
    """


class IntType(Struct):
    """An integer of a given width, signed or not."""

    TABLE = """
    1 bitWidth: i8* — Bits of the number: 8, 16, 32 or 64.
    2 isSigned: bool* — Whether the number can be negative.
    """


class JsonType(Struct):
    """A JSON document, as text."""


class BsonType(Struct):
    """A BSON document."""


class VariantType(Struct):
    """A group that holds one value of any type, in the Variant binary encoding."""

    TABLE = """
    1 specification_version: i8 — Version of the Variant specification that the values follow.
    """


class EdgeInterpolationAlgorithm(Vocabulary):
    """How the line between two points of a geography runs over the globe."""

    SPHERICAL = 0, "Along a great circle of a sphere."
    VINCENTY = 1, "Along a geodesic of the ellipsoid, by Vincenty's formulas."
    THOMAS = 2, "Along a geodesic of the ellipsoid, by Thomas's formulas."
    ANDOYER = 3, "Along a geodesic of the ellipsoid, by Andoyer's formulas."
    KARNEY = 4, "Along a geodesic of the ellipsoid, by Karney's algorithm."


class GeometryType(Struct):
    """A geometry in WKB whose edges are straight lines in a plane."""

    TABLE = """
    1 crs: string — The coordinate reference system; absent means OGC:CRS84, longitude and latitude.
    """


class GeographyType(Struct):
    """A geometry in WKB on the surface of the globe."""

    TABLE = """
    1 crs: string — The coordinate reference system; absent means OGC:CRS84, longitude and latitude.
    2 algorithm: EdgeInterpolationAlgorithm — How edges run between points; absent means SPHERICAL.
    """


class FileType(Struct):
    """A group that is a reference to a file, or to a part of one."""


class LogicalType(Struct, union=True):
    """What stored values mean: it decides how they are shown and compared. Id 9 is reserved for intervals."""

    TABLE = """
    1 STRING: StringType — Text in UTF-8.
    2 MAP: MapType — The group is a map.
    3 LIST: ListType — The group is a list.
    4 ENUM: EnumType — The name of an enum's member.
    5 DECIMAL: DecimalType — A decimal number.
    6 DATE: DateType — Days since 1970-01-01.
    7 TIME: TimeType — A time of day.
    8 TIMESTAMP: TimestampType — A point in time.
    10 INTEGER: IntType — An integer of a given width, signed or not.
    11 UNKNOWN: NullType — All values are null, the type is not known.
    12 JSON: JsonType — A JSON document.
    13 BSON: BsonType — A BSON document.
    14 UUID: UUIDType — A UUID.
    15 FLOAT16: Float16Type — A half-precision number.
    16 VARIANT: VariantType — A value of any type.
    17 GEOMETRY: GeometryType — A geometry with straight edges in a plane.
    18 GEOGRAPHY: GeographyType — A geometry on the globe.
    19 FILE: FileType — A reference to a file.
    """


class SchemaElement(Struct):
    """One field of the schema. The list of them is the tree, parents before children; the first is the root."""

    TABLE = """
    1 type: Type — Physical type of the values; absent for groups.
    2 type_length: i32 — Bytes of a value, for FIXED_LEN_BYTE_ARRAY.
    3 repetition_type: FieldRepetitionType — Whether the field is required, optional or repeated; absent for the root.
    4 name: string* — Name of the field.
    5 num_children: i32 — How many fields the group has, which follow in the list; absent for leaves.
    6 converted_type: ConvertedType — What the values mean, as old readers understand it.
    7 scale: i32 — Digits after the decimal point, for the converted type DECIMAL.
    8 precision: i32 — Digits in total, for the converted type DECIMAL.
    9 field_id: i32 — A number that identifies the field when names change (Iceberg, Delta).
    10 logicalType: LogicalType — What the values mean; it goes before converted_type.
    """


class Encoding(Vocabulary):
    """How values become bytes."""

    PLAIN = 0, "Values one after the other, as they are."
    PLAIN_DICTIONARY = (
        2,
        "Deprecated name: PLAIN in a dictionary page, RLE_DICTIONARY in a data page.",
    )
    RLE = 3, "Runs of equal values and bit-packed groups: for levels and booleans."
    BIT_PACKED = 4, "Bit-packed levels, most significant bit first. Deprecated."
    DELTA_BINARY_PACKED = 5, "Differences of neighbouring integers, bit-packed in blocks."
    DELTA_LENGTH_BYTE_ARRAY = 6, "All lengths first, delta-encoded; then all bytes."
    DELTA_BYTE_ARRAY = 7, "How much of the value before is shared, and the rest."
    RLE_DICTIONARY = 8, "Indexes into the dictionary page, as runs and bit-packed groups."
    BYTE_STREAM_SPLIT = 9, "First bytes of all values, then second bytes, and so on."
    ALP = 10, "Decimal-like floating point numbers as bit-packed integers, with exceptions."


class CompressionCodec(Vocabulary):
    """How pages are compressed."""

    UNCOMPRESSED = 0, "Not compressed."
    SNAPPY = 1, "Snappy, raw format without framing."
    GZIP = 2, "gzip (RFC 1952)."
    LZO = 3, "LZO."
    BROTLI = 4, "Brotli (RFC 7932)."
    LZ4 = 5, "LZ4 in an undocumented framing of Hadoop. Deprecated: use LZ4_RAW."
    ZSTD = 6, "Zstandard (RFC 8478)."
    LZ4_RAW = 7, "LZ4 blocks without framing."


class PageType(Vocabulary):
    """Kinds of pages."""

    DATA_PAGE = 0, "Levels and values, all compressed together."
    INDEX_PAGE = 1, "Never used."
    DICTIONARY_PAGE = 2, "The distinct values that data pages refer to."
    DATA_PAGE_V2 = 3, "Levels uncompressed, and values; begins at a record."


class BoundaryOrder(Vocabulary):
    """Whether the bounds of a column index are sorted, so that a reader can search instead of scan."""

    UNORDERED = 0, "In no order."
    ASCENDING = 1, "Both min_values and max_values ascend."
    DESCENDING = 2, "Both min_values and max_values descend."


class DataPageHeader(Struct):
    """What a reader must know to read a data page, version 1."""

    TABLE = """
    1 num_values: i32* — Values of the page, nulls included.
    2 encoding: Encoding* — How the values are encoded.
    3 definition_level_encoding: Encoding* — How the definition levels are encoded.
    4 repetition_level_encoding: Encoding* — How the repetition levels are encoded.
    5 statistics: Statistics — Bounds and counts of this page.
    """


class IndexPageHeader(Struct):
    """Header of an index page; nobody ever defined one."""


class DictionaryPageHeader(Struct):
    """What a reader must know to read a dictionary page."""

    TABLE = """
    1 num_values: i32* — Entries of the dictionary.
    2 encoding: Encoding* — How the entries are encoded: PLAIN (or PLAIN_DICTIONARY, its old name).
    3 is_sorted: bool — Whether the entries ascend.
    """


class DataPageHeaderV2(Struct):
    """What a reader must know to read a data page, version 2."""

    TABLE = """
    1 num_values: i32* — Values of the page, nulls included.
    2 num_nulls: i32* — How many of them are null.
    3 num_rows: i32* — Rows of the page; a page begins and ends with a row.
    4 encoding: Encoding* — How the values are encoded.
    5 definition_levels_byte_length: i32* — Bytes of the definition levels, which follow the repetition levels.
    6 repetition_levels_byte_length: i32* — Bytes of the repetition levels, with which the page begins.
    7 is_compressed: bool = true — Whether the values are compressed; the levels never are.
    8 statistics: Statistics — Bounds and counts of this page.
    """


class SplitBlockAlgorithm(Struct):
    """Blocks of 256 bits, in which each value sets eight bits."""


class BloomFilterAlgorithm(Struct, union=True):
    """How a Bloom filter sets its bits."""

    TABLE = """
    1 BLOCK: SplitBlockAlgorithm — The split block Bloom filter.
    """


class XxHash(Struct):
    """xxHash with 64 bits and seed 0."""


class BloomFilterHash(Struct, union=True):
    """How values are hashed for a Bloom filter."""

    TABLE = """
    1 XXHASH: XxHash — XXH64 of the value as PLAIN stores it, without a length.
    """


class Uncompressed(Struct):
    """Not compressed."""


class BloomFilterCompression(Struct, union=True):
    """How the bits of a Bloom filter are compressed."""

    TABLE = """
    1 UNCOMPRESSED: Uncompressed — Not at all.
    """


class BloomFilterHeader(Struct):
    """What a reader must know to read the bits of a Bloom filter, which follow."""

    TABLE = """
    1 numBytes: i32* — Bytes of the bits: a multiple of 32.
    2 algorithm: BloomFilterAlgorithm* — How bits are set.
    3 hash: BloomFilterHash* — How values are hashed.
    4 compression: BloomFilterCompression* — How the bits are compressed.
    """


class PageHeader(Struct):
    """The header before each page: its kind, its sizes, and one header more for its kind."""

    TABLE = """
    1 type: PageType* — Kind of the page.
    2 uncompressed_page_size: i32* — Bytes of the page when decompressed, without this header.
    3 compressed_page_size: i32* — Bytes of the page in the file, without this header: the next page begins after them.
    4 crc: i32 — CRC-32 of the page's bytes in the file.
    5 data_page_header: DataPageHeader — More about a data page.
    6 index_page_header: IndexPageHeader — More about an index page.
    7 dictionary_page_header: DictionaryPageHeader — More about a dictionary page.
    8 data_page_header_v2: DataPageHeaderV2 — More about a data page, version 2.
    """


class KeyValue(Struct):
    """A note that a writer leaves for readers."""

    TABLE = """
    1 key: string* — What the note is about (ARROW:schema, pandas, geo, …).
    2 value: string — The note.
    """


class SortingColumn(Struct):
    """By which column the rows of a row group are sorted."""

    TABLE = """
    1 column_idx: i32* — Position of the column among the leaves.
    2 descending: bool* — Whether the largest value comes first.
    3 nulls_first: bool* — Whether nulls come before all values.
    """


class PageEncodingStats(Struct):
    """How many pages of a kind use an encoding."""

    TABLE = """
    1 page_type: PageType* — Kind of the pages.
    2 encoding: Encoding* — Their encoding.
    3 count: i32* — How many there are.
    """


class ColumnMetaData(Struct):
    """What a column chunk holds, how it is stored, and where its pages begin."""

    TABLE = """
    1 type: Type* — Physical type of the values.
    2 encodings: list<Encoding>* — Every encoding that the chunk uses, for values and levels.
    3 path_in_schema: list<string>* — Names from the root of the schema to the leaf; the position of the chunk is what binds it.
    4 codec: CompressionCodec* — How the pages are compressed.
    5 num_values: i64* — Values of the chunk, nulls included.
    6 total_uncompressed_size: i64* — Bytes of all pages when decompressed, headers included.
    7 total_compressed_size: i64* — Bytes of all pages in the file, headers included.
    8 key_value_metadata: list<KeyValue> — Notes about this chunk.
    9 data_page_offset: i64* — Where the first data page begins in the file.
    10 index_page_offset: i64 — Where an index page begins; nobody writes one.
    11 dictionary_page_offset: i64 — Where the dictionary page begins in the file.
    12 statistics: Statistics — Bounds and counts of the chunk.
    13 encoding_stats: list<PageEncodingStats> — How many pages use which encoding.
    14 bloom_filter_offset: i64 — Where the Bloom filter begins in the file.
    15 bloom_filter_length: i32 — Bytes of the Bloom filter, header included.
    16 size_statistics: SizeStatistics — Sizes when decoded, and histograms of levels.
    17 geospatial_statistics: GeospatialStatistics — Where geometries lie, for GEOMETRY and GEOGRAPHY.
    """


class EncryptionWithFooterKey(Struct):
    """The column is encrypted with the key of the footer."""


class EncryptionWithColumnKey(Struct):
    """The column is encrypted with a key of its own."""

    TABLE = """
    1 path_in_schema: list<string>* — Names from the root of the schema to the leaf.
    2 key_metadata: binary — What tells a key service which key it is.
    """


class ColumnCryptoMetaData(Struct, union=True):
    """With which key a column is encrypted."""

    TABLE = """
    1 ENCRYPTION_WITH_FOOTER_KEY: EncryptionWithFooterKey — With the key of the footer.
    2 ENCRYPTION_WITH_COLUMN_KEY: EncryptionWithColumnKey — With a key of its own.
    """


class ColumnChunk(Struct):
    """One column of one row group: its metadata, and where its indexes are."""

    TABLE = """
    1 file_path: string — The file that holds the pages, relative to this one; used in _metadata summary files only.
    2 file_offset: i64* = 0 — Where a copy of the metadata lies in the file. Deprecated: writers disagree, 0 is right.
    3 meta_data: ColumnMetaData — What the chunk holds and where; absent where it is encrypted.
    4 offset_index_offset: i64 — Where the offset index begins in the file.
    5 offset_index_length: i32 — Bytes of the offset index.
    6 column_index_offset: i64 — Where the column index begins in the file.
    7 column_index_length: i32 — Bytes of the column index.
    8 crypto_metadata: ColumnCryptoMetaData — With which key the column is encrypted; absent where it is not.
    9 encrypted_column_metadata: binary — The metadata of the column, encrypted with the column's key.
    """


class RowGroup(Struct):
    """A horizontal slice of the table: the column chunks of some consecutive rows."""

    TABLE = """
    1 columns: list<ColumnChunk>* — The column chunks, one for each leaf of the schema, in its order.
    2 total_byte_size: i64* — Bytes of all column data when decompressed.
    3 num_rows: i64* — Rows of this group.
    4 sorting_columns: list<SortingColumn> — By what the rows are sorted.
    5 file_offset: i64 — Where the first page of the group begins in the file.
    6 total_compressed_size: i64 — Bytes of all column data in the file.
    7 ordinal: i16 — Position of the group in the file; encryption needs it.
    """


class TypeDefinedOrder(Struct):
    """The order that the type defines: numbers by value, text by unsigned bytes."""


class IEEE754TotalOrder(Struct):
    """The total order of IEEE 754: −0 before +0, NaNs at both ends."""


class Int96TimestampOrder(Struct):
    """By day, then by nanoseconds of the day."""


class ColumnOrder(Struct, union=True):
    """In which order min_value and max_value of a column are to be understood."""

    TABLE = """
    1 TYPE_ORDER: TypeDefinedOrder — The order of the type.
    2 IEEE_754_TOTAL_ORDER: IEEE754TotalOrder — The total order of floating point numbers.
    3 INT96_TIMESTAMP_ORDER: Int96TimestampOrder — Timestamps of 12 bytes, in time.
    """


class PageLocation(Struct):
    """Where a data page is and which rows it holds."""

    TABLE = """
    1 offset: i64* — Where the page begins in the file.
    2 compressed_page_size: i32* — Bytes of the page in the file, header included.
    3 first_row_index: i64* — The first row of the page, counted from the row group's first.
    """


class OffsetIndex(Struct):
    """Where each data page of a column chunk is: what makes it possible to read single pages."""

    TABLE = """
    1 page_locations: list<PageLocation>* — One place for each data page, in file order.
    2 unencoded_byte_array_data_bytes: list<i64> — For each page, bytes of its BYTE_ARRAY values when decoded.
    """


class ColumnIndex(Struct):
    """Bounds and counts of each data page of a column chunk: what makes it possible to skip pages."""

    TABLE = """
    1 null_pages: list<bool>* — For each page, whether it holds nothing but nulls.
    2 min_values: list<binary>* — For each page, a lower bound of its values; empty bytes for a page of nulls.
    3 max_values: list<binary>* — For each page, an upper bound of its values; empty bytes for a page of nulls.
    4 boundary_order: BoundaryOrder* — Whether the bounds ascend or descend from page to page.
    5 null_counts: list<i64> — For each page, how many values are null.
    6 repetition_level_histograms: list<i64> — For each page in turn, how many times each repetition level occurs.
    7 definition_level_histograms: list<i64> — For each page in turn, how many times each definition level occurs.
    8 nan_counts: list<i64> — For each page, how many values are NaN.
    """


class AesGcmV1(Struct):
    """All modules are encrypted and authenticated with AES in GCM mode."""

    TABLE = """
    1 aad_prefix: binary — Bytes that tie the file to its name or place; stored here or supplied by the reader.
    2 aad_file_unique: binary — Random bytes that tie all modules to this file.
    3 supply_aad_prefix: bool — Whether the reader must supply the prefix.
    """


class AesGcmCtrV1(Struct):
    """Pages are encrypted with AES in CTR mode, which is faster and not authenticated; all else with GCM."""

    TABLE = """
    1 aad_prefix: binary — Bytes that tie the file to its name or place; stored here or supplied by the reader.
    2 aad_file_unique: binary — Random bytes that tie all modules to this file.
    3 supply_aad_prefix: bool — Whether the reader must supply the prefix.
    """


class EncryptionAlgorithm(Struct, union=True):
    """How the file is encrypted."""

    TABLE = """
    1 AES_GCM_V1: AesGcmV1 — GCM for everything.
    2 AES_GCM_CTR_V1: AesGcmCtrV1 — CTR for pages, GCM for everything else.
    """


class FileMetaData(Struct):
    """The footer: the schema, and where everything in the file is."""

    TABLE = """
    1 version: i32* — Version of the format, 1 or 2; they mean the same.
    2 schema: list<SchemaElement>* — The fields of the schema, parents before children; the first is the root.
    3 num_rows: i64* — Rows of the file.
    4 row_groups: list<RowGroup>* — The row groups, in order of their rows.
    5 key_value_metadata: list<KeyValue> — Notes that the writer left.
    6 created_by: string — The program that wrote the file, with its version.
    7 column_orders: list<ColumnOrder> — For each leaf, in which order its bounds are to be understood.
    8 encryption_algorithm: EncryptionAlgorithm — How the columns are encrypted, in a file whose footer is not.
    9 footer_signing_key_metadata: binary — What tells a key service which key signed the footer.
    """


class FileCryptoMetaData(Struct):
    """What stands before an encrypted footer: how to decrypt it."""

    TABLE = """
    1 encryption_algorithm: EncryptionAlgorithm* — How the file is encrypted.
    2 key_metadata: binary — What tells a key service which key encrypts the footer.
    """
