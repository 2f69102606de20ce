"""Every struct, union and enum of the format, each field with its id, type and meaning.

Written by `tools/thrift_classes.py` from `parquet.thrift`: change that file, not this one.

A field is an attribute; absent ones are None, or have their declared default. A required field has the type that the
format declares, without None, so that code which holds a complete struct needs no test. A struct that comes from bytes
is not always complete: ask `missing(struct)` before you use the required fields. Values of enums are plain integers,
because files may hold numbers that no enum has; `enum_name` names them.

Source: the format's parquet.thrift; names are spelt as there.
"""

from __future__ import annotations

from pqexplore.engine.format.thrift.declaration import (
    ABSENT,
    ENUMS,
    STRUCTS,
    Field,
    Struct,
    Vocabulary,
    enum_member,
    enum_name,
    missing,
    union_field,
    union_of,
)

__all__ = [
    "ENUMS", "STRUCTS", "AesGcmCtrV1", "AesGcmV1", "BloomFilterAlgorithm", "BloomFilterCompression", "BloomFilterHash",
    "BloomFilterHeader", "BoundaryOrder", "BoundingBox", "BsonType", "ColumnChunk", "ColumnCryptoMetaData",
    "ColumnIndex", "ColumnMetaData", "ColumnOrder", "CompressionCodec", "ConvertedType", "DataPageHeader",
    "DataPageHeaderV2", "DateType", "DecimalType", "DictionaryPageHeader", "EdgeInterpolationAlgorithm", "Encoding",
    "EncryptionAlgorithm", "EncryptionWithColumnKey", "EncryptionWithFooterKey", "EnumType", "Field",
    "FieldRepetitionType", "FileCryptoMetaData", "FileMetaData", "FileType", "Float16Type", "GeographyType",
    "GeometryType", "GeospatialStatistics", "IEEE754TotalOrder", "IndexPageHeader", "Int96TimestampOrder", "IntType",
    "JsonType", "KeyValue", "ListType", "LogicalType", "MapType", "MicroSeconds", "MilliSeconds", "NanoSeconds",
    "NullType", "OffsetIndex", "PageEncodingStats", "PageHeader", "PageLocation", "PageType", "RowGroup",
    "SchemaElement", "SizeStatistics", "SortingColumn", "SplitBlockAlgorithm", "Statistics", "StringType", "Struct",
    "TimeType", "TimeUnit", "TimestampType", "Type", "TypeDefinedOrder", "UUIDType", "Uncompressed", "VariantType",
    "XxHash", "enum_member", "enum_name", "missing", "union_field", "union_of",
]


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

    __slots__ = ("unencoded_byte_array_data_bytes", "repetition_level_histogram", "definition_level_histogram")
    FIELDS = (
        Field(1, "unencoded_byte_array_data_bytes", "i64", "Bytes of all BYTE_ARRAY values when decoded, without their lengths."),
        Field(2, "repetition_level_histogram", "list<i64>", "How many times each repetition level occurs, from level 0 up."),
        Field(3, "definition_level_histogram", "list<i64>", "How many times each definition level occurs, from level 0 up."),
    )

    def __init__(
        self, *, unencoded_byte_array_data_bytes: int | None = None,
        repetition_level_histogram: list[int] | None = None, definition_level_histogram: list[int] | None = None,
    ) -> None:
        self.unencoded_byte_array_data_bytes = unencoded_byte_array_data_bytes
        self.repetition_level_histogram = repetition_level_histogram
        self.definition_level_histogram = definition_level_histogram


class BoundingBox(Struct):
    """The box that contains all geometries; for longitudes, xmin may be larger than xmax (it crosses the date line)."""

    __slots__ = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "mmin", "mmax")
    FIELDS = (
        Field(1, "xmin", "double", "Western or left edge.", required=True),
        Field(2, "xmax", "double", "Eastern or right edge.", required=True),
        Field(3, "ymin", "double", "Southern or lower edge.", required=True),
        Field(4, "ymax", "double", "Northern or upper edge.", required=True),
        Field(5, "zmin", "double", "Lowest height, where geometries have one."),
        Field(6, "zmax", "double", "Greatest height, where geometries have one."),
        Field(7, "mmin", "double", "Smallest measure, where geometries have one."),
        Field(8, "mmax", "double", "Greatest measure, where geometries have one."),
    )

    def __init__(
        self, *, xmin: float = ABSENT, xmax: float = ABSENT, ymin: float = ABSENT, ymax: float = ABSENT,
        zmin: float | None = None, zmax: float | None = None, mmin: float | None = None, mmax: float | None = None,
    ) -> None:
        self.xmin = xmin
        self.xmax = xmax
        self.ymin = ymin
        self.ymax = ymax
        self.zmin = zmin
        self.zmax = zmax
        self.mmin = mmin
        self.mmax = mmax


class GeospatialStatistics(Struct):
    """Where a column chunk's geometries lie, and their types."""

    __slots__ = ("bbox", "geospatial_types")
    FIELDS = (
        Field(1, "bbox", "BoundingBox", "The box that contains all geometries of the chunk."),
        Field(2, "geospatial_types", "list<i32>", "WKB codes of the geometry types that occur (1 point, 1001 point with Z, …); an empty list says nothing."),
    )

    def __init__(
        self, *, bbox: BoundingBox | None = None, geospatial_types: list[int] | None = None,
    ) -> None:
        self.bbox = bbox
        self.geospatial_types = geospatial_types


class Statistics(Struct):
    """Smallest and largest value and counts, of a column chunk or a page: what lets a query skip it."""

    __slots__ = ("max", "min", "null_count", "distinct_count", "max_value", "min_value", "is_max_value_exact", "is_min_value_exact", "nan_count")
    FIELDS = (
        Field(1, "max", "binary", "Largest value, compared as signed bytes whatever the type. Deprecated: only safe for signed numbers."),
        Field(2, "min", "binary", "Smallest value, compared as signed bytes whatever the type. Deprecated: only safe for signed numbers."),
        Field(3, "null_count", "i64", "How many values are null."),
        Field(4, "distinct_count", "i64", "How many different values there are."),
        Field(5, "max_value", "binary", "An upper bound of the values, in the column's order, stored as PLAIN without a length."),
        Field(6, "min_value", "binary", "A lower bound of the values, in the column's order, stored as PLAIN without a length."),
        Field(7, "is_max_value_exact", "bool", "Whether max_value is a value that occurs, rather than a bound above it."),
        Field(8, "is_min_value_exact", "bool", "Whether min_value is a value that occurs, rather than a bound below it."),
        Field(9, "nan_count", "i64", "How many values are NaN, for floating point types; absent means that there may be some."),
    )

    def __init__(
        self, *, max: bytes | None = None, min: bytes | None = None, null_count: int | None = None,
        distinct_count: int | None = None, max_value: bytes | None = None, min_value: bytes | None = None,
        is_max_value_exact: bool | None = None, is_min_value_exact: bool | None = None, nan_count: int | None = None,
    ) -> None:
        self.max = max
        self.min = min
        self.null_count = null_count
        self.distinct_count = distinct_count
        self.max_value = max_value
        self.min_value = min_value
        self.is_max_value_exact = is_max_value_exact
        self.is_min_value_exact = is_min_value_exact
        self.nan_count = nan_count


class StringType(Struct):
    """Text in UTF-8."""

    __slots__ = ()


class UUIDType(Struct):
    """A UUID, in 16 bytes, most significant first."""

    __slots__ = ()


class MapType(Struct):
    """A group that is a map from keys to values."""

    __slots__ = ()


class ListType(Struct):
    """A group that is a list."""

    __slots__ = ()


class EnumType(Struct):
    """The name of an enum's member, as text."""

    __slots__ = ()


class DateType(Struct):
    """Days since 1970-01-01."""

    __slots__ = ()


class Float16Type(Struct):
    """An IEEE 754 half-precision number, in 2 bytes."""

    __slots__ = ()


class NullType(Struct):
    """A column whose type is not known, because all its values are null."""

    __slots__ = ()


class DecimalType(Struct):
    """A decimal number: an unscaled integer, divided by 10 to the power of scale."""

    __slots__ = ("scale", "precision")
    FIELDS = (
        Field(1, "scale", "i32", "Digits after the decimal point.", required=True),
        Field(2, "precision", "i32", "Digits in total.", required=True),
    )

    def __init__(
        self, *, scale: int = ABSENT, precision: int = ABSENT,
    ) -> None:
        self.scale = scale
        self.precision = precision


class MilliSeconds(Struct):
    """Thousandths of a second."""

    __slots__ = ()


class MicroSeconds(Struct):
    """Millionths of a second."""

    __slots__ = ()


class NanoSeconds(Struct):
    """Billionths of a second."""

    __slots__ = ()


class TimeUnit(Struct, union=True):
    """What a time or timestamp counts."""

    __slots__ = ("MILLIS", "MICROS", "NANOS")
    FIELDS = (
        Field(1, "MILLIS", "MilliSeconds", "The number counts milliseconds."),
        Field(2, "MICROS", "MicroSeconds", "The number counts microseconds."),
        Field(3, "NANOS", "NanoSeconds", "The number counts nanoseconds."),
    )

    def __init__(
        self, *, MILLIS: MilliSeconds | None = None, MICROS: MicroSeconds | None = None,
        NANOS: NanoSeconds | None = None,
    ) -> None:
        self.MILLIS = MILLIS
        self.MICROS = MICROS
        self.NANOS = NANOS


class TimestampType(Struct):
    """A point in time, counted from 1970-01-01 00:00."""

    __slots__ = ("isAdjustedToUTC", "unit")
    FIELDS = (
        Field(1, "isAdjustedToUTC", "bool", "True for an instant (UTC), false for what a clock on the wall shows.", required=True),
        Field(2, "unit", "TimeUnit", "What is counted.", required=True),
    )

    def __init__(
        self, *, isAdjustedToUTC: bool = ABSENT, unit: TimeUnit = ABSENT,
    ) -> None:
        self.isAdjustedToUTC = isAdjustedToUTC
        self.unit = unit


class TimeType(Struct):
    """A time of day, counted from midnight."""

    __slots__ = ("isAdjustedToUTC", "unit")
    FIELDS = (
        Field(1, "isAdjustedToUTC", "bool", "True for a time in UTC, false for what a clock on the wall shows.", required=True),
        Field(2, "unit", "TimeUnit", "What is counted.", required=True),
    )

    def __init__(
        self, *, isAdjustedToUTC: bool = ABSENT, unit: TimeUnit = ABSENT,
    ) -> None:
        self.isAdjustedToUTC = isAdjustedToUTC
        self.unit = unit


class IntType(Struct):
    """An integer of a given width, signed or not."""

    __slots__ = ("bitWidth", "isSigned")
    FIELDS = (
        Field(1, "bitWidth", "i8", "Bits of the number: 8, 16, 32 or 64.", required=True),
        Field(2, "isSigned", "bool", "Whether the number can be negative.", required=True),
    )

    def __init__(
        self, *, bitWidth: int = ABSENT, isSigned: bool = ABSENT,
    ) -> None:
        self.bitWidth = bitWidth
        self.isSigned = isSigned


class JsonType(Struct):
    """A JSON document, as text."""

    __slots__ = ()


class BsonType(Struct):
    """A BSON document."""

    __slots__ = ()


class VariantType(Struct):
    """A group that holds one value of any type, in the Variant binary encoding."""

    __slots__ = ("specification_version",)
    FIELDS = (
        Field(1, "specification_version", "i8", "Version of the Variant specification that the values follow."),
    )

    def __init__(
        self, *, specification_version: int | None = None,
    ) -> None:
        self.specification_version = specification_version


class EdgeInterpolationAlgorithm(Vocabulary):
    """How the line between two points of a geography runs over the globe."""

    SPHERICAL = 0, "Along a great circle of a sphere."
    VINCENTY = 1, "Along a geodesic of the ellipsoid, by Vincenty's formulas."
    THOMAS = 2, "Along a geodesic of the ellipsoid, by Thomas's formulas."
    ANDOYER = 3, "Along a geodesic of the ellipsoid, by Andoyer's formulas."
    KARNEY = 4, "Along a geodesic of the ellipsoid, by Karney's algorithm."


class GeometryType(Struct):
    """A geometry in WKB whose edges are straight lines in a plane."""

    __slots__ = ("crs",)
    FIELDS = (
        Field(1, "crs", "string", "The coordinate reference system; absent means OGC:CRS84, longitude and latitude."),
    )

    def __init__(
        self, *, crs: str | None = None,
    ) -> None:
        self.crs = crs


class GeographyType(Struct):
    """A geometry in WKB on the surface of the globe."""

    __slots__ = ("crs", "algorithm")
    FIELDS = (
        Field(1, "crs", "string", "The coordinate reference system; absent means OGC:CRS84, longitude and latitude."),
        Field(2, "algorithm", "EdgeInterpolationAlgorithm", "How edges run between points; absent means SPHERICAL."),
    )

    def __init__(
        self, *, crs: str | None = None, algorithm: int | None = None,
    ) -> None:
        self.crs = crs
        self.algorithm = algorithm


class FileType(Struct):
    """A group that is a reference to a file, or to a part of one."""

    __slots__ = ()


class LogicalType(Struct, union=True):
    """What stored values mean: it decides how they are shown and compared. Id 9 is reserved for intervals."""

    __slots__ = ("STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTEGER", "UNKNOWN", "JSON", "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY", "FILE")
    FIELDS = (
        Field(1, "STRING", "StringType", "Text in UTF-8."),
        Field(2, "MAP", "MapType", "The group is a map."),
        Field(3, "LIST", "ListType", "The group is a list."),
        Field(4, "ENUM", "EnumType", "The name of an enum's member."),
        Field(5, "DECIMAL", "DecimalType", "A decimal number."),
        Field(6, "DATE", "DateType", "Days since 1970-01-01."),
        Field(7, "TIME", "TimeType", "A time of day."),
        Field(8, "TIMESTAMP", "TimestampType", "A point in time."),
        Field(10, "INTEGER", "IntType", "An integer of a given width, signed or not."),
        Field(11, "UNKNOWN", "NullType", "All values are null, the type is not known."),
        Field(12, "JSON", "JsonType", "A JSON document."),
        Field(13, "BSON", "BsonType", "A BSON document."),
        Field(14, "UUID", "UUIDType", "A UUID."),
        Field(15, "FLOAT16", "Float16Type", "A half-precision number."),
        Field(16, "VARIANT", "VariantType", "A value of any type."),
        Field(17, "GEOMETRY", "GeometryType", "A geometry with straight edges in a plane."),
        Field(18, "GEOGRAPHY", "GeographyType", "A geometry on the globe."),
        Field(19, "FILE", "FileType", "A reference to a file."),
    )

    def __init__(
        self, *, STRING: StringType | None = None, MAP: MapType | None = None, LIST: ListType | None = None,
        ENUM: EnumType | None = None, DECIMAL: DecimalType | None = None, DATE: DateType | None = None,
        TIME: TimeType | None = None, TIMESTAMP: TimestampType | None = None, INTEGER: IntType | None = None,
        UNKNOWN: NullType | None = None, JSON: JsonType | None = None, BSON: BsonType | None = None,
        UUID: UUIDType | None = None, FLOAT16: Float16Type | None = None, VARIANT: VariantType | None = None,
        GEOMETRY: GeometryType | None = None, GEOGRAPHY: GeographyType | None = None, FILE: FileType | None = None,
    ) -> None:
        self.STRING = STRING
        self.MAP = MAP
        self.LIST = LIST
        self.ENUM = ENUM
        self.DECIMAL = DECIMAL
        self.DATE = DATE
        self.TIME = TIME
        self.TIMESTAMP = TIMESTAMP
        self.INTEGER = INTEGER
        self.UNKNOWN = UNKNOWN
        self.JSON = JSON
        self.BSON = BSON
        self.UUID = UUID
        self.FLOAT16 = FLOAT16
        self.VARIANT = VARIANT
        self.GEOMETRY = GEOMETRY
        self.GEOGRAPHY = GEOGRAPHY
        self.FILE = FILE


class SchemaElement(Struct):
    """One field of the schema. The list of them is the tree, parents before children; the first is the root."""

    __slots__ = ("type", "type_length", "repetition_type", "name", "num_children", "converted_type", "scale", "precision", "field_id", "logicalType")
    FIELDS = (
        Field(1, "type", "Type", "Physical type of the values; absent for groups."),
        Field(2, "type_length", "i32", "Bytes of a value, for FIXED_LEN_BYTE_ARRAY."),
        Field(3, "repetition_type", "FieldRepetitionType", "Whether the field is required, optional or repeated; absent for the root."),
        Field(4, "name", "string", "Name of the field.", required=True),
        Field(5, "num_children", "i32", "How many fields the group has, which follow in the list; absent for leaves."),
        Field(6, "converted_type", "ConvertedType", "What the values mean, as old readers understand it."),
        Field(7, "scale", "i32", "Digits after the decimal point, for the converted type DECIMAL."),
        Field(8, "precision", "i32", "Digits in total, for the converted type DECIMAL."),
        Field(9, "field_id", "i32", "A number that identifies the field when names change (Iceberg, Delta)."),
        Field(10, "logicalType", "LogicalType", "What the values mean; it goes before converted_type."),
    )

    def __init__(
        self, *, type: int | None = None, type_length: int | None = None, repetition_type: int | None = None,
        name: str = ABSENT, num_children: int | None = None, converted_type: int | None = None,
        scale: int | None = None, precision: int | None = None, field_id: int | None = None,
        logicalType: LogicalType | None = None,
    ) -> None:
        self.type = type
        self.type_length = type_length
        self.repetition_type = repetition_type
        self.name = name
        self.num_children = num_children
        self.converted_type = converted_type
        self.scale = scale
        self.precision = precision
        self.field_id = field_id
        self.logicalType = logicalType


class Encoding(Vocabulary):
    """How values become bytes."""

    PLAIN = 0, "Values one after the other, as they are."
    PLAIN_DICTIONARY = 2, "Deprecated name: PLAIN in a dictionary page, RLE_DICTIONARY in a data page."
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

    __slots__ = ("num_values", "encoding", "definition_level_encoding", "repetition_level_encoding", "statistics")
    FIELDS = (
        Field(1, "num_values", "i32", "Values of the page, nulls included.", required=True),
        Field(2, "encoding", "Encoding", "How the values are encoded.", required=True),
        Field(3, "definition_level_encoding", "Encoding", "How the definition levels are encoded.", required=True),
        Field(4, "repetition_level_encoding", "Encoding", "How the repetition levels are encoded.", required=True),
        Field(5, "statistics", "Statistics", "Bounds and counts of this page."),
    )

    def __init__(
        self, *, num_values: int = ABSENT, encoding: int = ABSENT, definition_level_encoding: int = ABSENT,
        repetition_level_encoding: int = ABSENT, statistics: Statistics | None = None,
    ) -> None:
        self.num_values = num_values
        self.encoding = encoding
        self.definition_level_encoding = definition_level_encoding
        self.repetition_level_encoding = repetition_level_encoding
        self.statistics = statistics


class IndexPageHeader(Struct):
    """Header of an index page; nobody ever defined one."""

    __slots__ = ()


class DictionaryPageHeader(Struct):
    """What a reader must know to read a dictionary page."""

    __slots__ = ("num_values", "encoding", "is_sorted")
    FIELDS = (
        Field(1, "num_values", "i32", "Entries of the dictionary.", required=True),
        Field(2, "encoding", "Encoding", "How the entries are encoded: PLAIN (or PLAIN_DICTIONARY, its old name).", required=True),
        Field(3, "is_sorted", "bool", "Whether the entries ascend."),
    )

    def __init__(
        self, *, num_values: int = ABSENT, encoding: int = ABSENT, is_sorted: bool | None = None,
    ) -> None:
        self.num_values = num_values
        self.encoding = encoding
        self.is_sorted = is_sorted


class DataPageHeaderV2(Struct):
    """What a reader must know to read a data page, version 2."""

    __slots__ = ("num_values", "num_nulls", "num_rows", "encoding", "definition_levels_byte_length", "repetition_levels_byte_length", "is_compressed", "statistics")
    FIELDS = (
        Field(1, "num_values", "i32", "Values of the page, nulls included.", required=True),
        Field(2, "num_nulls", "i32", "How many of them are null.", required=True),
        Field(3, "num_rows", "i32", "Rows of the page; a page begins and ends with a row.", required=True),
        Field(4, "encoding", "Encoding", "How the values are encoded.", required=True),
        Field(5, "definition_levels_byte_length", "i32", "Bytes of the definition levels, which follow the repetition levels.", required=True),
        Field(6, "repetition_levels_byte_length", "i32", "Bytes of the repetition levels, with which the page begins.", required=True),
        Field(7, "is_compressed", "bool", "Whether the values are compressed; the levels never are.", default=True),
        Field(8, "statistics", "Statistics", "Bounds and counts of this page."),
    )

    def __init__(
        self, *, num_values: int = ABSENT, num_nulls: int = ABSENT, num_rows: int = ABSENT, encoding: int = ABSENT,
        definition_levels_byte_length: int = ABSENT, repetition_levels_byte_length: int = ABSENT,
        is_compressed: bool = True, statistics: Statistics | None = None,
    ) -> None:
        self.num_values = num_values
        self.num_nulls = num_nulls
        self.num_rows = num_rows
        self.encoding = encoding
        self.definition_levels_byte_length = definition_levels_byte_length
        self.repetition_levels_byte_length = repetition_levels_byte_length
        self.is_compressed = is_compressed
        self.statistics = statistics


class SplitBlockAlgorithm(Struct):
    """Blocks of 256 bits, in which each value sets eight bits."""

    __slots__ = ()


class BloomFilterAlgorithm(Struct, union=True):
    """How a Bloom filter sets its bits."""

    __slots__ = ("BLOCK",)
    FIELDS = (
        Field(1, "BLOCK", "SplitBlockAlgorithm", "The split block Bloom filter."),
    )

    def __init__(
        self, *, BLOCK: SplitBlockAlgorithm | None = None,
    ) -> None:
        self.BLOCK = BLOCK


class XxHash(Struct):
    """xxHash with 64 bits and seed 0."""

    __slots__ = ()


class BloomFilterHash(Struct, union=True):
    """How values are hashed for a Bloom filter."""

    __slots__ = ("XXHASH",)
    FIELDS = (
        Field(1, "XXHASH", "XxHash", "XXH64 of the value as PLAIN stores it, without a length."),
    )

    def __init__(
        self, *, XXHASH: XxHash | None = None,
    ) -> None:
        self.XXHASH = XXHASH


class Uncompressed(Struct):
    """Not compressed."""

    __slots__ = ()


class BloomFilterCompression(Struct, union=True):
    """How the bits of a Bloom filter are compressed."""

    __slots__ = ("UNCOMPRESSED",)
    FIELDS = (
        Field(1, "UNCOMPRESSED", "Uncompressed", "Not at all."),
    )

    def __init__(
        self, *, UNCOMPRESSED: Uncompressed | None = None,
    ) -> None:
        self.UNCOMPRESSED = UNCOMPRESSED


class BloomFilterHeader(Struct):
    """What a reader must know to read the bits of a Bloom filter, which follow."""

    __slots__ = ("numBytes", "algorithm", "hash", "compression")
    FIELDS = (
        Field(1, "numBytes", "i32", "Bytes of the bits: a multiple of 32.", required=True),
        Field(2, "algorithm", "BloomFilterAlgorithm", "How bits are set.", required=True),
        Field(3, "hash", "BloomFilterHash", "How values are hashed.", required=True),
        Field(4, "compression", "BloomFilterCompression", "How the bits are compressed.", required=True),
    )

    def __init__(
        self, *, numBytes: int = ABSENT, algorithm: BloomFilterAlgorithm = ABSENT, hash: BloomFilterHash = ABSENT,
        compression: BloomFilterCompression = ABSENT,
    ) -> None:
        self.numBytes = numBytes
        self.algorithm = algorithm
        self.hash = hash
        self.compression = compression


class PageHeader(Struct):
    """The header before each page: its kind, its sizes, and one header more for its kind."""

    __slots__ = ("type", "uncompressed_page_size", "compressed_page_size", "crc", "data_page_header", "index_page_header", "dictionary_page_header", "data_page_header_v2")
    FIELDS = (
        Field(1, "type", "PageType", "Kind of the page.", required=True),
        Field(2, "uncompressed_page_size", "i32", "Bytes of the page when decompressed, without this header.", required=True),
        Field(3, "compressed_page_size", "i32", "Bytes of the page in the file, without this header: the next page begins after them.", required=True),
        Field(4, "crc", "i32", "CRC-32 of the page's bytes in the file."),
        Field(5, "data_page_header", "DataPageHeader", "More about a data page."),
        Field(6, "index_page_header", "IndexPageHeader", "More about an index page."),
        Field(7, "dictionary_page_header", "DictionaryPageHeader", "More about a dictionary page."),
        Field(8, "data_page_header_v2", "DataPageHeaderV2", "More about a data page, version 2."),
    )

    def __init__(
        self, *, type: int = ABSENT, uncompressed_page_size: int = ABSENT, compressed_page_size: int = ABSENT,
        crc: int | None = None, data_page_header: DataPageHeader | None = None,
        index_page_header: IndexPageHeader | None = None, dictionary_page_header: DictionaryPageHeader | None = None,
        data_page_header_v2: DataPageHeaderV2 | None = None,
    ) -> None:
        self.type = type
        self.uncompressed_page_size = uncompressed_page_size
        self.compressed_page_size = compressed_page_size
        self.crc = crc
        self.data_page_header = data_page_header
        self.index_page_header = index_page_header
        self.dictionary_page_header = dictionary_page_header
        self.data_page_header_v2 = data_page_header_v2


class KeyValue(Struct):
    """A note that a writer leaves for readers."""

    __slots__ = ("key", "value")
    FIELDS = (
        Field(1, "key", "string", "What the note is about (ARROW:schema, pandas, geo, …).", required=True),
        Field(2, "value", "string", "The note."),
    )

    def __init__(
        self, *, key: str = ABSENT, value: str | None = None,
    ) -> None:
        self.key = key
        self.value = value


class SortingColumn(Struct):
    """By which column the rows of a row group are sorted."""

    __slots__ = ("column_idx", "descending", "nulls_first")
    FIELDS = (
        Field(1, "column_idx", "i32", "Position of the column among the leaves.", required=True),
        Field(2, "descending", "bool", "Whether the largest value comes first.", required=True),
        Field(3, "nulls_first", "bool", "Whether nulls come before all values.", required=True),
    )

    def __init__(
        self, *, column_idx: int = ABSENT, descending: bool = ABSENT, nulls_first: bool = ABSENT,
    ) -> None:
        self.column_idx = column_idx
        self.descending = descending
        self.nulls_first = nulls_first


class PageEncodingStats(Struct):
    """How many pages of a kind use an encoding."""

    __slots__ = ("page_type", "encoding", "count")
    FIELDS = (
        Field(1, "page_type", "PageType", "Kind of the pages.", required=True),
        Field(2, "encoding", "Encoding", "Their encoding.", required=True),
        Field(3, "count", "i32", "How many there are.", required=True),
    )

    def __init__(
        self, *, page_type: int = ABSENT, encoding: int = ABSENT, count: int = ABSENT,
    ) -> None:
        self.page_type = page_type
        self.encoding = encoding
        self.count = count


class ColumnMetaData(Struct):
    """What a column chunk holds, how it is stored, and where its pages begin."""

    __slots__ = ("type", "encodings", "path_in_schema", "codec", "num_values", "total_uncompressed_size", "total_compressed_size", "key_value_metadata", "data_page_offset", "index_page_offset", "dictionary_page_offset", "statistics", "encoding_stats", "bloom_filter_offset", "bloom_filter_length", "size_statistics", "geospatial_statistics")
    FIELDS = (
        Field(1, "type", "Type", "Physical type of the values.", required=True),
        Field(2, "encodings", "list<Encoding>", "Every encoding that the chunk uses, for values and levels.", required=True),
        Field(3, "path_in_schema", "list<string>", "Names from the root of the schema to the leaf; the position of the chunk is what binds it.", required=True),
        Field(4, "codec", "CompressionCodec", "How the pages are compressed.", required=True),
        Field(5, "num_values", "i64", "Values of the chunk, nulls included.", required=True),
        Field(6, "total_uncompressed_size", "i64", "Bytes of all pages when decompressed, headers included.", required=True),
        Field(7, "total_compressed_size", "i64", "Bytes of all pages in the file, headers included.", required=True),
        Field(8, "key_value_metadata", "list<KeyValue>", "Notes about this chunk."),
        Field(9, "data_page_offset", "i64", "Where the first data page begins in the file.", required=True),
        Field(10, "index_page_offset", "i64", "Where an index page begins; nobody writes one."),
        Field(11, "dictionary_page_offset", "i64", "Where the dictionary page begins in the file."),
        Field(12, "statistics", "Statistics", "Bounds and counts of the chunk."),
        Field(13, "encoding_stats", "list<PageEncodingStats>", "How many pages use which encoding."),
        Field(14, "bloom_filter_offset", "i64", "Where the Bloom filter begins in the file."),
        Field(15, "bloom_filter_length", "i32", "Bytes of the Bloom filter, header included."),
        Field(16, "size_statistics", "SizeStatistics", "Sizes when decoded, and histograms of levels."),
        Field(17, "geospatial_statistics", "GeospatialStatistics", "Where geometries lie, for GEOMETRY and GEOGRAPHY."),
    )

    def __init__(
        self, *, type: int = ABSENT, encodings: list[int] = ABSENT, path_in_schema: list[str] = ABSENT,
        codec: int = ABSENT, num_values: int = ABSENT, total_uncompressed_size: int = ABSENT,
        total_compressed_size: int = ABSENT, key_value_metadata: list[KeyValue] | None = None,
        data_page_offset: int = ABSENT, index_page_offset: int | None = None, dictionary_page_offset: int | None = None,
        statistics: Statistics | None = None, encoding_stats: list[PageEncodingStats] | None = None,
        bloom_filter_offset: int | None = None, bloom_filter_length: int | None = None,
        size_statistics: SizeStatistics | None = None, geospatial_statistics: GeospatialStatistics | None = None,
    ) -> None:
        self.type = type
        self.encodings = encodings
        self.path_in_schema = path_in_schema
        self.codec = codec
        self.num_values = num_values
        self.total_uncompressed_size = total_uncompressed_size
        self.total_compressed_size = total_compressed_size
        self.key_value_metadata = key_value_metadata
        self.data_page_offset = data_page_offset
        self.index_page_offset = index_page_offset
        self.dictionary_page_offset = dictionary_page_offset
        self.statistics = statistics
        self.encoding_stats = encoding_stats
        self.bloom_filter_offset = bloom_filter_offset
        self.bloom_filter_length = bloom_filter_length
        self.size_statistics = size_statistics
        self.geospatial_statistics = geospatial_statistics


class EncryptionWithFooterKey(Struct):
    """The column is encrypted with the key of the footer."""

    __slots__ = ()


class EncryptionWithColumnKey(Struct):
    """The column is encrypted with a key of its own."""

    __slots__ = ("path_in_schema", "key_metadata")
    FIELDS = (
        Field(1, "path_in_schema", "list<string>", "Names from the root of the schema to the leaf.", required=True),
        Field(2, "key_metadata", "binary", "What tells a key service which key it is."),
    )

    def __init__(
        self, *, path_in_schema: list[str] = ABSENT, key_metadata: bytes | None = None,
    ) -> None:
        self.path_in_schema = path_in_schema
        self.key_metadata = key_metadata


class ColumnCryptoMetaData(Struct, union=True):
    """With which key a column is encrypted."""

    __slots__ = ("ENCRYPTION_WITH_FOOTER_KEY", "ENCRYPTION_WITH_COLUMN_KEY")
    FIELDS = (
        Field(1, "ENCRYPTION_WITH_FOOTER_KEY", "EncryptionWithFooterKey", "With the key of the footer."),
        Field(2, "ENCRYPTION_WITH_COLUMN_KEY", "EncryptionWithColumnKey", "With a key of its own."),
    )

    def __init__(
        self, *, ENCRYPTION_WITH_FOOTER_KEY: EncryptionWithFooterKey | None = None,
        ENCRYPTION_WITH_COLUMN_KEY: EncryptionWithColumnKey | None = None,
    ) -> None:
        self.ENCRYPTION_WITH_FOOTER_KEY = ENCRYPTION_WITH_FOOTER_KEY
        self.ENCRYPTION_WITH_COLUMN_KEY = ENCRYPTION_WITH_COLUMN_KEY


class ColumnChunk(Struct):
    """One column of one row group: its metadata, and where its indexes are."""

    __slots__ = ("file_path", "file_offset", "meta_data", "offset_index_offset", "offset_index_length", "column_index_offset", "column_index_length", "crypto_metadata", "encrypted_column_metadata")
    FIELDS = (
        Field(1, "file_path", "string", "The file that holds the pages, relative to this one; used in _metadata summary files only."),
        Field(2, "file_offset", "i64", "Where a copy of the metadata lies in the file. Deprecated: writers disagree, 0 is right.", required=True, default=0),
        Field(3, "meta_data", "ColumnMetaData", "What the chunk holds and where; absent where it is encrypted."),
        Field(4, "offset_index_offset", "i64", "Where the offset index begins in the file."),
        Field(5, "offset_index_length", "i32", "Bytes of the offset index."),
        Field(6, "column_index_offset", "i64", "Where the column index begins in the file."),
        Field(7, "column_index_length", "i32", "Bytes of the column index."),
        Field(8, "crypto_metadata", "ColumnCryptoMetaData", "With which key the column is encrypted; absent where it is not."),
        Field(9, "encrypted_column_metadata", "binary", "The metadata of the column, encrypted with the column's key."),
    )

    def __init__(
        self, *, file_path: str | None = None, file_offset: int = 0, meta_data: ColumnMetaData | None = None,
        offset_index_offset: int | None = None, offset_index_length: int | None = None,
        column_index_offset: int | None = None, column_index_length: int | None = None,
        crypto_metadata: ColumnCryptoMetaData | None = None, encrypted_column_metadata: bytes | None = None,
    ) -> None:
        self.file_path = file_path
        self.file_offset = file_offset
        self.meta_data = meta_data
        self.offset_index_offset = offset_index_offset
        self.offset_index_length = offset_index_length
        self.column_index_offset = column_index_offset
        self.column_index_length = column_index_length
        self.crypto_metadata = crypto_metadata
        self.encrypted_column_metadata = encrypted_column_metadata


class RowGroup(Struct):
    """A horizontal slice of the table: the column chunks of some consecutive rows."""

    __slots__ = ("columns", "total_byte_size", "num_rows", "sorting_columns", "file_offset", "total_compressed_size", "ordinal")
    FIELDS = (
        Field(1, "columns", "list<ColumnChunk>", "The column chunks, one for each leaf of the schema, in its order.", required=True),
        Field(2, "total_byte_size", "i64", "Bytes of all column data when decompressed.", required=True),
        Field(3, "num_rows", "i64", "Rows of this group.", required=True),
        Field(4, "sorting_columns", "list<SortingColumn>", "By what the rows are sorted."),
        Field(5, "file_offset", "i64", "Where the first page of the group begins in the file."),
        Field(6, "total_compressed_size", "i64", "Bytes of all column data in the file."),
        Field(7, "ordinal", "i16", "Position of the group in the file; encryption needs it."),
    )

    def __init__(
        self, *, columns: list[ColumnChunk] = ABSENT, total_byte_size: int = ABSENT, num_rows: int = ABSENT,
        sorting_columns: list[SortingColumn] | None = None, file_offset: int | None = None,
        total_compressed_size: int | None = None, ordinal: int | None = None,
    ) -> None:
        self.columns = columns
        self.total_byte_size = total_byte_size
        self.num_rows = num_rows
        self.sorting_columns = sorting_columns
        self.file_offset = file_offset
        self.total_compressed_size = total_compressed_size
        self.ordinal = ordinal


class TypeDefinedOrder(Struct):
    """The order that the type defines: numbers by value, text by unsigned bytes."""

    __slots__ = ()


class IEEE754TotalOrder(Struct):
    """The total order of IEEE 754: −0 before +0, NaNs at both ends."""

    __slots__ = ()


class Int96TimestampOrder(Struct):
    """By day, then by nanoseconds of the day."""

    __slots__ = ()


class ColumnOrder(Struct, union=True):
    """In which order min_value and max_value of a column are to be understood."""

    __slots__ = ("TYPE_ORDER", "IEEE_754_TOTAL_ORDER", "INT96_TIMESTAMP_ORDER")
    FIELDS = (
        Field(1, "TYPE_ORDER", "TypeDefinedOrder", "The order of the type."),
        Field(2, "IEEE_754_TOTAL_ORDER", "IEEE754TotalOrder", "The total order of floating point numbers."),
        Field(3, "INT96_TIMESTAMP_ORDER", "Int96TimestampOrder", "Timestamps of 12 bytes, in time."),
    )

    def __init__(
        self, *, TYPE_ORDER: TypeDefinedOrder | None = None, IEEE_754_TOTAL_ORDER: IEEE754TotalOrder | None = None,
        INT96_TIMESTAMP_ORDER: Int96TimestampOrder | None = None,
    ) -> None:
        self.TYPE_ORDER = TYPE_ORDER
        self.IEEE_754_TOTAL_ORDER = IEEE_754_TOTAL_ORDER
        self.INT96_TIMESTAMP_ORDER = INT96_TIMESTAMP_ORDER


class PageLocation(Struct):
    """Where a data page is and which rows it holds."""

    __slots__ = ("offset", "compressed_page_size", "first_row_index")
    FIELDS = (
        Field(1, "offset", "i64", "Where the page begins in the file.", required=True),
        Field(2, "compressed_page_size", "i32", "Bytes of the page in the file, header included.", required=True),
        Field(3, "first_row_index", "i64", "The first row of the page, counted from the row group's first.", required=True),
    )

    def __init__(
        self, *, offset: int = ABSENT, compressed_page_size: int = ABSENT, first_row_index: int = ABSENT,
    ) -> None:
        self.offset = offset
        self.compressed_page_size = compressed_page_size
        self.first_row_index = first_row_index


class OffsetIndex(Struct):
    """Where each data page of a column chunk is: what makes it possible to read single pages."""

    __slots__ = ("page_locations", "unencoded_byte_array_data_bytes")
    FIELDS = (
        Field(1, "page_locations", "list<PageLocation>", "One place for each data page, in file order.", required=True),
        Field(2, "unencoded_byte_array_data_bytes", "list<i64>", "For each page, bytes of its BYTE_ARRAY values when decoded."),
    )

    def __init__(
        self, *, page_locations: list[PageLocation] = ABSENT, unencoded_byte_array_data_bytes: list[int] | None = None,
    ) -> None:
        self.page_locations = page_locations
        self.unencoded_byte_array_data_bytes = unencoded_byte_array_data_bytes


class ColumnIndex(Struct):
    """Bounds and counts of each data page of a column chunk: what makes it possible to skip pages."""

    __slots__ = ("null_pages", "min_values", "max_values", "boundary_order", "null_counts", "repetition_level_histograms", "definition_level_histograms", "nan_counts")
    FIELDS = (
        Field(1, "null_pages", "list<bool>", "For each page, whether it holds nothing but nulls.", required=True),
        Field(2, "min_values", "list<binary>", "For each page, a lower bound of its values; empty bytes for a page of nulls.", required=True),
        Field(3, "max_values", "list<binary>", "For each page, an upper bound of its values; empty bytes for a page of nulls.", required=True),
        Field(4, "boundary_order", "BoundaryOrder", "Whether the bounds ascend or descend from page to page.", required=True),
        Field(5, "null_counts", "list<i64>", "For each page, how many values are null."),
        Field(6, "repetition_level_histograms", "list<i64>", "For each page in turn, how many times each repetition level occurs."),
        Field(7, "definition_level_histograms", "list<i64>", "For each page in turn, how many times each definition level occurs."),
        Field(8, "nan_counts", "list<i64>", "For each page, how many values are NaN."),
    )

    def __init__(
        self, *, null_pages: list[bool] = ABSENT, min_values: list[bytes] = ABSENT, max_values: list[bytes] = ABSENT,
        boundary_order: int = ABSENT, null_counts: list[int] | None = None,
        repetition_level_histograms: list[int] | None = None, definition_level_histograms: list[int] | None = None,
        nan_counts: list[int] | None = None,
    ) -> None:
        self.null_pages = null_pages
        self.min_values = min_values
        self.max_values = max_values
        self.boundary_order = boundary_order
        self.null_counts = null_counts
        self.repetition_level_histograms = repetition_level_histograms
        self.definition_level_histograms = definition_level_histograms
        self.nan_counts = nan_counts


class AesGcmV1(Struct):
    """All modules are encrypted and authenticated with AES in GCM mode."""

    __slots__ = ("aad_prefix", "aad_file_unique", "supply_aad_prefix")
    FIELDS = (
        Field(1, "aad_prefix", "binary", "Bytes that tie the file to its name or place; stored here or supplied by the reader."),
        Field(2, "aad_file_unique", "binary", "Random bytes that tie all modules to this file."),
        Field(3, "supply_aad_prefix", "bool", "Whether the reader must supply the prefix."),
    )

    def __init__(
        self, *, aad_prefix: bytes | None = None, aad_file_unique: bytes | None = None,
        supply_aad_prefix: bool | None = None,
    ) -> None:
        self.aad_prefix = aad_prefix
        self.aad_file_unique = aad_file_unique
        self.supply_aad_prefix = supply_aad_prefix


class AesGcmCtrV1(Struct):
    """Pages are encrypted with AES in CTR mode, which is faster and not authenticated; all else with GCM."""

    __slots__ = ("aad_prefix", "aad_file_unique", "supply_aad_prefix")
    FIELDS = (
        Field(1, "aad_prefix", "binary", "Bytes that tie the file to its name or place; stored here or supplied by the reader."),
        Field(2, "aad_file_unique", "binary", "Random bytes that tie all modules to this file."),
        Field(3, "supply_aad_prefix", "bool", "Whether the reader must supply the prefix."),
    )

    def __init__(
        self, *, aad_prefix: bytes | None = None, aad_file_unique: bytes | None = None,
        supply_aad_prefix: bool | None = None,
    ) -> None:
        self.aad_prefix = aad_prefix
        self.aad_file_unique = aad_file_unique
        self.supply_aad_prefix = supply_aad_prefix


class EncryptionAlgorithm(Struct, union=True):
    """How the file is encrypted."""

    __slots__ = ("AES_GCM_V1", "AES_GCM_CTR_V1")
    FIELDS = (
        Field(1, "AES_GCM_V1", "AesGcmV1", "GCM for everything."),
        Field(2, "AES_GCM_CTR_V1", "AesGcmCtrV1", "CTR for pages, GCM for everything else."),
    )

    def __init__(
        self, *, AES_GCM_V1: AesGcmV1 | None = None, AES_GCM_CTR_V1: AesGcmCtrV1 | None = None,
    ) -> None:
        self.AES_GCM_V1 = AES_GCM_V1
        self.AES_GCM_CTR_V1 = AES_GCM_CTR_V1


class FileMetaData(Struct):
    """The footer: the schema, and where everything in the file is."""

    __slots__ = ("version", "schema", "num_rows", "row_groups", "key_value_metadata", "created_by", "column_orders", "encryption_algorithm", "footer_signing_key_metadata")
    FIELDS = (
        Field(1, "version", "i32", "Version of the format, 1 or 2; they mean the same.", required=True),
        Field(2, "schema", "list<SchemaElement>", "The fields of the schema, parents before children; the first is the root.", required=True),
        Field(3, "num_rows", "i64", "Rows of the file.", required=True),
        Field(4, "row_groups", "list<RowGroup>", "The row groups, in order of their rows.", required=True),
        Field(5, "key_value_metadata", "list<KeyValue>", "Notes that the writer left."),
        Field(6, "created_by", "string", "The program that wrote the file, with its version."),
        Field(7, "column_orders", "list<ColumnOrder>", "For each leaf, in which order its bounds are to be understood."),
        Field(8, "encryption_algorithm", "EncryptionAlgorithm", "How the columns are encrypted, in a file whose footer is not."),
        Field(9, "footer_signing_key_metadata", "binary", "What tells a key service which key signed the footer."),
    )

    def __init__(
        self, *, version: int = ABSENT, schema: list[SchemaElement] = ABSENT, num_rows: int = ABSENT,
        row_groups: list[RowGroup] = ABSENT, key_value_metadata: list[KeyValue] | None = None,
        created_by: str | None = None, column_orders: list[ColumnOrder] | None = None,
        encryption_algorithm: EncryptionAlgorithm | None = None, footer_signing_key_metadata: bytes | None = None,
    ) -> None:
        self.version = version
        self.schema = schema
        self.num_rows = num_rows
        self.row_groups = row_groups
        self.key_value_metadata = key_value_metadata
        self.created_by = created_by
        self.column_orders = column_orders
        self.encryption_algorithm = encryption_algorithm
        self.footer_signing_key_metadata = footer_signing_key_metadata


class FileCryptoMetaData(Struct):
    """What stands before an encrypted footer: how to decrypt it."""

    __slots__ = ("encryption_algorithm", "key_metadata")
    FIELDS = (
        Field(1, "encryption_algorithm", "EncryptionAlgorithm", "How the file is encrypted.", required=True),
        Field(2, "key_metadata", "binary", "What tells a key service which key encrypts the footer."),
    )

    def __init__(
        self, *, encryption_algorithm: EncryptionAlgorithm = ABSENT, key_metadata: bytes | None = None,
    ) -> None:
        self.encryption_algorithm = encryption_algorithm
        self.key_metadata = key_metadata
