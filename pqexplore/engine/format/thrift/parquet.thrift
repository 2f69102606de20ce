// The structs, unions and enums of Apache Parquet, in the language of Apache Thrift.
//
// Names, numbers and types are those of the format's own parquet.thrift; the sentences are ours. After a change run
// `python tools/thrift_classes.py`, which renews `structs.py` beside this file.

/** Physical types: how values are stored. */
enum Type {
  BOOLEAN = 0  // True or false, stored in one bit.
  INT32 = 1  // A signed integer of 4 bytes.
  INT64 = 2  // A signed integer of 8 bytes.
  INT96 = 3  // 12 bytes that hold a timestamp: nanoseconds of the day and Julian day. Deprecated.
  FLOAT = 4  // An IEEE 754 number of 4 bytes.
  DOUBLE = 5  // An IEEE 754 number of 8 bytes.
  BYTE_ARRAY = 6  // Bytes, any number of them.
  FIXED_LEN_BYTE_ARRAY = 7  // Bytes, for every value as many as the schema's type_length says.
}

/** The first way to say what stored values mean; LogicalType replaces it, writers still add it. */
enum ConvertedType {
  UTF8 = 0  // Text in UTF-8.
  MAP = 1  // The group is a map.
  MAP_KEY_VALUE = 2  // The group holds the keys and values of a map.
  LIST = 3  // The group is a list.
  ENUM = 4  // The name of an enum's member.
  DECIMAL = 5  // A decimal number: an unscaled integer, divided by 10 to the power of scale.
  DATE = 6  // Days since 1970-01-01.
  TIME_MILLIS = 7  // Milliseconds since midnight.
  TIME_MICROS = 8  // Microseconds since midnight.
  TIMESTAMP_MILLIS = 9  // Milliseconds since 1970-01-01 00:00 UTC.
  TIMESTAMP_MICROS = 10  // Microseconds since 1970-01-01 00:00 UTC.
  UINT_8 = 11  // An unsigned integer of 8 bits.
  UINT_16 = 12  // An unsigned integer of 16 bits.
  UINT_32 = 13  // An unsigned integer of 32 bits.
  UINT_64 = 14  // An unsigned integer of 64 bits.
  INT_8 = 15  // A signed integer of 8 bits.
  INT_16 = 16  // A signed integer of 16 bits.
  INT_32 = 17  // A signed integer of 32 bits.
  INT_64 = 18  // A signed integer of 64 bits.
  JSON = 19  // A JSON document, as text.
  BSON = 20  // A BSON document.
  INTERVAL = 21  // A span of time in 12 bytes: months, days and milliseconds.
}

/** How often a field occurs in its parent. */
enum FieldRepetitionType {
  REQUIRED = 0  // Exactly once: never null.
  OPTIONAL = 1  // Once or not at all: may be null.
  REPEATED = 2  // Any number of times: a list.
}

/** How large data is when it is decoded, and how it is nested: for planning memory and skipping pages. */
struct SizeStatistics {
  1: optional i64 unencoded_byte_array_data_bytes  // Bytes of all BYTE_ARRAY values when decoded, without their lengths.
  2: optional list<i64> repetition_level_histogram  // How many times each repetition level occurs, from level 0 up.
  3: optional list<i64> definition_level_histogram  // How many times each definition level occurs, from level 0 up.
}

/** The box that contains all geometries; for longitudes, xmin may be larger than xmax (it crosses the date line). */
struct BoundingBox {
  1: required double xmin  // Western or left edge.
  2: required double xmax  // Eastern or right edge.
  3: required double ymin  // Southern or lower edge.
  4: required double ymax  // Northern or upper edge.
  5: optional double zmin  // Lowest height, where geometries have one.
  6: optional double zmax  // Greatest height, where geometries have one.
  7: optional double mmin  // Smallest measure, where geometries have one.
  8: optional double mmax  // Greatest measure, where geometries have one.
}

/** Where a column chunk's geometries lie, and their types. */
struct GeospatialStatistics {
  1: optional BoundingBox bbox  // The box that contains all geometries of the chunk.
  2: optional list<i32> geospatial_types  // WKB codes of the geometry types that occur (1 point, 1001 point with Z, …); an empty list says nothing.
}

/** Smallest and largest value and counts, of a column chunk or a page: what lets a query skip it. */
struct Statistics {
  1: optional binary max  // Largest value, compared as signed bytes whatever the type. Deprecated: only safe for signed numbers.
  2: optional binary min  // Smallest value, compared as signed bytes whatever the type. Deprecated: only safe for signed numbers.
  3: optional i64 null_count  // How many values are null.
  4: optional i64 distinct_count  // How many different values there are.
  5: optional binary max_value  // An upper bound of the values, in the column's order, stored as PLAIN without a length.
  6: optional binary min_value  // A lower bound of the values, in the column's order, stored as PLAIN without a length.
  7: optional bool is_max_value_exact  // Whether max_value is a value that occurs, rather than a bound above it.
  8: optional bool is_min_value_exact  // Whether min_value is a value that occurs, rather than a bound below it.
  9: optional i64 nan_count  // How many values are NaN, for floating point types; absent means that there may be some.
}

/** Text in UTF-8. */
struct StringType {}

/** A UUID, in 16 bytes, most significant first. */
struct UUIDType {}

/** A group that is a map from keys to values. */
struct MapType {}

/** A group that is a list. */
struct ListType {}

/** The name of an enum's member, as text. */
struct EnumType {}

/** Days since 1970-01-01. */
struct DateType {}

/** An IEEE 754 half-precision number, in 2 bytes. */
struct Float16Type {}

/** A column whose type is not known, because all its values are null. */
struct NullType {}

/** A decimal number: an unscaled integer, divided by 10 to the power of scale. */
struct DecimalType {
  1: required i32 scale  // Digits after the decimal point.
  2: required i32 precision  // Digits in total.
}

/** Thousandths of a second. */
struct MilliSeconds {}

/** Millionths of a second. */
struct MicroSeconds {}

/** Billionths of a second. */
struct NanoSeconds {}

/** What a time or timestamp counts. */
union TimeUnit {
  1: MilliSeconds MILLIS  // The number counts milliseconds.
  2: MicroSeconds MICROS  // The number counts microseconds.
  3: NanoSeconds NANOS  // The number counts nanoseconds.
}

/** A point in time, counted from 1970-01-01 00:00. */
struct TimestampType {
  1: required bool isAdjustedToUTC  // True for an instant (UTC), false for what a clock on the wall shows.
  2: required TimeUnit unit  // What is counted.
}

/** A time of day, counted from midnight. */
struct TimeType {
  1: required bool isAdjustedToUTC  // True for a time in UTC, false for what a clock on the wall shows.
  2: required TimeUnit unit  // What is counted.
}

/** An integer of a given width, signed or not. */
struct IntType {
  1: required i8 bitWidth  // Bits of the number: 8, 16, 32 or 64.
  2: required bool isSigned  // Whether the number can be negative.
}

/** A JSON document, as text. */
struct JsonType {}

/** A BSON document. */
struct BsonType {}

/** A group that holds one value of any type, in the Variant binary encoding. */
struct VariantType {
  1: optional i8 specification_version  // Version of the Variant specification that the values follow.
}

/** How the line between two points of a geography runs over the globe. */
enum EdgeInterpolationAlgorithm {
  SPHERICAL = 0  // Along a great circle of a sphere.
  VINCENTY = 1  // Along a geodesic of the ellipsoid, by Vincenty's formulas.
  THOMAS = 2  // Along a geodesic of the ellipsoid, by Thomas's formulas.
  ANDOYER = 3  // Along a geodesic of the ellipsoid, by Andoyer's formulas.
  KARNEY = 4  // Along a geodesic of the ellipsoid, by Karney's algorithm.
}

/** A geometry in WKB whose edges are straight lines in a plane. */
struct GeometryType {
  1: optional string crs  // The coordinate reference system; absent means OGC:CRS84, longitude and latitude.
}

/** A geometry in WKB on the surface of the globe. */
struct GeographyType {
  1: optional string crs  // The coordinate reference system; absent means OGC:CRS84, longitude and latitude.
  2: optional EdgeInterpolationAlgorithm algorithm  // How edges run between points; absent means SPHERICAL.
}

/** A group that is a reference to a file, or to a part of one. */
struct FileType {}

/** What stored values mean: it decides how they are shown and compared. Id 9 is reserved for intervals. */
union LogicalType {
  1: StringType STRING  // Text in UTF-8.
  2: MapType MAP  // The group is a map.
  3: ListType LIST  // The group is a list.
  4: EnumType ENUM  // The name of an enum's member.
  5: DecimalType DECIMAL  // A decimal number.
  6: DateType DATE  // Days since 1970-01-01.
  7: TimeType TIME  // A time of day.
  8: TimestampType TIMESTAMP  // A point in time.
  10: IntType INTEGER  // An integer of a given width, signed or not.
  11: NullType UNKNOWN  // All values are null, the type is not known.
  12: JsonType JSON  // A JSON document.
  13: BsonType BSON  // A BSON document.
  14: UUIDType UUID  // A UUID.
  15: Float16Type FLOAT16  // A half-precision number.
  16: VariantType VARIANT  // A value of any type.
  17: GeometryType GEOMETRY  // A geometry with straight edges in a plane.
  18: GeographyType GEOGRAPHY  // A geometry on the globe.
  19: FileType FILE  // A reference to a file.
}

/** One field of the schema. The list of them is the tree, parents before children; the first is the root. */
struct SchemaElement {
  1: optional Type type  // Physical type of the values; absent for groups.
  2: optional i32 type_length  // Bytes of a value, for FIXED_LEN_BYTE_ARRAY.
  3: optional FieldRepetitionType repetition_type  // Whether the field is required, optional or repeated; absent for the root.
  4: required string name  // Name of the field.
  5: optional i32 num_children  // How many fields the group has, which follow in the list; absent for leaves.
  6: optional ConvertedType converted_type  // What the values mean, as old readers understand it.
  7: optional i32 scale  // Digits after the decimal point, for the converted type DECIMAL.
  8: optional i32 precision  // Digits in total, for the converted type DECIMAL.
  9: optional i32 field_id  // A number that identifies the field when names change (Iceberg, Delta).
  10: optional LogicalType logicalType  // What the values mean; it goes before converted_type.
}

/** How values become bytes. */
enum Encoding {
  PLAIN = 0  // Values one after the other, as they are.
  PLAIN_DICTIONARY = 2  // Deprecated name: PLAIN in a dictionary page, RLE_DICTIONARY in a data page.
  RLE = 3  // Runs of equal values and bit-packed groups: for levels and booleans.
  BIT_PACKED = 4  // Bit-packed levels, most significant bit first. Deprecated.
  DELTA_BINARY_PACKED = 5  // Differences of neighbouring integers, bit-packed in blocks.
  DELTA_LENGTH_BYTE_ARRAY = 6  // All lengths first, delta-encoded; then all bytes.
  DELTA_BYTE_ARRAY = 7  // How much of the value before is shared, and the rest.
  RLE_DICTIONARY = 8  // Indexes into the dictionary page, as runs and bit-packed groups.
  BYTE_STREAM_SPLIT = 9  // First bytes of all values, then second bytes, and so on.
  ALP = 10  // Decimal-like floating point numbers as bit-packed integers, with exceptions.
}

/** How pages are compressed. */
enum CompressionCodec {
  UNCOMPRESSED = 0  // Not compressed.
  SNAPPY = 1  // Snappy, raw format without framing.
  GZIP = 2  // gzip (RFC 1952).
  LZO = 3  // LZO.
  BROTLI = 4  // Brotli (RFC 7932).
  LZ4 = 5  // LZ4 in an undocumented framing of Hadoop. Deprecated: use LZ4_RAW.
  ZSTD = 6  // Zstandard (RFC 8478).
  LZ4_RAW = 7  // LZ4 blocks without framing.
}

/** Kinds of pages. */
enum PageType {
  DATA_PAGE = 0  // Levels and values, all compressed together.
  INDEX_PAGE = 1  // Never used.
  DICTIONARY_PAGE = 2  // The distinct values that data pages refer to.
  DATA_PAGE_V2 = 3  // Levels uncompressed, and values; begins at a record.
}

/** Whether the bounds of a column index are sorted, so that a reader can search instead of scan. */
enum BoundaryOrder {
  UNORDERED = 0  // In no order.
  ASCENDING = 1  // Both min_values and max_values ascend.
  DESCENDING = 2  // Both min_values and max_values descend.
}

/** What a reader must know to read a data page, version 1. */
struct DataPageHeader {
  1: required i32 num_values  // Values of the page, nulls included.
  2: required Encoding encoding  // How the values are encoded.
  3: required Encoding definition_level_encoding  // How the definition levels are encoded.
  4: required Encoding repetition_level_encoding  // How the repetition levels are encoded.
  5: optional Statistics statistics  // Bounds and counts of this page.
}

/** Header of an index page; nobody ever defined one. */
struct IndexPageHeader {}

/** What a reader must know to read a dictionary page. */
struct DictionaryPageHeader {
  1: required i32 num_values  // Entries of the dictionary.
  2: required Encoding encoding  // How the entries are encoded: PLAIN (or PLAIN_DICTIONARY, its old name).
  3: optional bool is_sorted  // Whether the entries ascend.
}

/** What a reader must know to read a data page, version 2. */
struct DataPageHeaderV2 {
  1: required i32 num_values  // Values of the page, nulls included.
  2: required i32 num_nulls  // How many of them are null.
  3: required i32 num_rows  // Rows of the page; a page begins and ends with a row.
  4: required Encoding encoding  // How the values are encoded.
  5: required i32 definition_levels_byte_length  // Bytes of the definition levels, which follow the repetition levels.
  6: required i32 repetition_levels_byte_length  // Bytes of the repetition levels, with which the page begins.
  7: optional bool is_compressed = true  // Whether the values are compressed; the levels never are.
  8: optional Statistics statistics  // Bounds and counts of this page.
}

/** Blocks of 256 bits, in which each value sets eight bits. */
struct SplitBlockAlgorithm {}

/** How a Bloom filter sets its bits. */
union BloomFilterAlgorithm {
  1: SplitBlockAlgorithm BLOCK  // The split block Bloom filter.
}

/** xxHash with 64 bits and seed 0. */
struct XxHash {}

/** How values are hashed for a Bloom filter. */
union BloomFilterHash {
  1: XxHash XXHASH  // XXH64 of the value as PLAIN stores it, without a length.
}

/** Not compressed. */
struct Uncompressed {}

/** How the bits of a Bloom filter are compressed. */
union BloomFilterCompression {
  1: Uncompressed UNCOMPRESSED  // Not at all.
}

/** What a reader must know to read the bits of a Bloom filter, which follow. */
struct BloomFilterHeader {
  1: required i32 numBytes  // Bytes of the bits: a multiple of 32.
  2: required BloomFilterAlgorithm algorithm  // How bits are set.
  3: required BloomFilterHash hash  // How values are hashed.
  4: required BloomFilterCompression compression  // How the bits are compressed.
}

/** The header before each page: its kind, its sizes, and one header more for its kind. */
struct PageHeader {
  1: required PageType type  // Kind of the page.
  2: required i32 uncompressed_page_size  // Bytes of the page when decompressed, without this header.
  3: required i32 compressed_page_size  // Bytes of the page in the file, without this header: the next page begins after them.
  4: optional i32 crc  // CRC-32 of the page's bytes in the file.
  5: optional DataPageHeader data_page_header  // More about a data page.
  6: optional IndexPageHeader index_page_header  // More about an index page.
  7: optional DictionaryPageHeader dictionary_page_header  // More about a dictionary page.
  8: optional DataPageHeaderV2 data_page_header_v2  // More about a data page, version 2.
}

/** A note that a writer leaves for readers. */
struct KeyValue {
  1: required string key  // What the note is about (ARROW:schema, pandas, geo, …).
  2: optional string value  // The note.
}

/** By which column the rows of a row group are sorted. */
struct SortingColumn {
  1: required i32 column_idx  // Position of the column among the leaves.
  2: required bool descending  // Whether the largest value comes first.
  3: required bool nulls_first  // Whether nulls come before all values.
}

/** How many pages of a kind use an encoding. */
struct PageEncodingStats {
  1: required PageType page_type  // Kind of the pages.
  2: required Encoding encoding  // Their encoding.
  3: required i32 count  // How many there are.
}

/** What a column chunk holds, how it is stored, and where its pages begin. */
struct ColumnMetaData {
  1: required Type type  // Physical type of the values.
  2: required list<Encoding> encodings  // Every encoding that the chunk uses, for values and levels.
  3: required list<string> path_in_schema  // Names from the root of the schema to the leaf; the position of the chunk is what binds it.
  4: required CompressionCodec codec  // How the pages are compressed.
  5: required i64 num_values  // Values of the chunk, nulls included.
  6: required i64 total_uncompressed_size  // Bytes of all pages when decompressed, headers included.
  7: required i64 total_compressed_size  // Bytes of all pages in the file, headers included.
  8: optional list<KeyValue> key_value_metadata  // Notes about this chunk.
  9: required i64 data_page_offset  // Where the first data page begins in the file.
  10: optional i64 index_page_offset  // Where an index page begins; nobody writes one.
  11: optional i64 dictionary_page_offset  // Where the dictionary page begins in the file.
  12: optional Statistics statistics  // Bounds and counts of the chunk.
  13: optional list<PageEncodingStats> encoding_stats  // How many pages use which encoding.
  14: optional i64 bloom_filter_offset  // Where the Bloom filter begins in the file.
  15: optional i32 bloom_filter_length  // Bytes of the Bloom filter, header included.
  16: optional SizeStatistics size_statistics  // Sizes when decoded, and histograms of levels.
  17: optional GeospatialStatistics geospatial_statistics  // Where geometries lie, for GEOMETRY and GEOGRAPHY.
}

/** The column is encrypted with the key of the footer. */
struct EncryptionWithFooterKey {}

/** The column is encrypted with a key of its own. */
struct EncryptionWithColumnKey {
  1: required list<string> path_in_schema  // Names from the root of the schema to the leaf.
  2: optional binary key_metadata  // What tells a key service which key it is.
}

/** With which key a column is encrypted. */
union ColumnCryptoMetaData {
  1: EncryptionWithFooterKey ENCRYPTION_WITH_FOOTER_KEY  // With the key of the footer.
  2: EncryptionWithColumnKey ENCRYPTION_WITH_COLUMN_KEY  // With a key of its own.
}

/** One column of one row group: its metadata, and where its indexes are. */
struct ColumnChunk {
  1: optional string file_path  // The file that holds the pages, relative to this one; used in _metadata summary files only.
  2: required i64 file_offset = 0  // Where a copy of the metadata lies in the file. Deprecated: writers disagree, 0 is right.
  3: optional ColumnMetaData meta_data  // What the chunk holds and where; absent where it is encrypted.
  4: optional i64 offset_index_offset  // Where the offset index begins in the file.
  5: optional i32 offset_index_length  // Bytes of the offset index.
  6: optional i64 column_index_offset  // Where the column index begins in the file.
  7: optional i32 column_index_length  // Bytes of the column index.
  8: optional ColumnCryptoMetaData crypto_metadata  // With which key the column is encrypted; absent where it is not.
  9: optional binary encrypted_column_metadata  // The metadata of the column, encrypted with the column's key.
}

/** A horizontal slice of the table: the column chunks of some consecutive rows. */
struct RowGroup {
  1: required list<ColumnChunk> columns  // The column chunks, one for each leaf of the schema, in its order.
  2: required i64 total_byte_size  // Bytes of all column data when decompressed.
  3: required i64 num_rows  // Rows of this group.
  4: optional list<SortingColumn> sorting_columns  // By what the rows are sorted.
  5: optional i64 file_offset  // Where the first page of the group begins in the file.
  6: optional i64 total_compressed_size  // Bytes of all column data in the file.
  7: optional i16 ordinal  // Position of the group in the file; encryption needs it.
}

/** The order that the type defines: numbers by value, text by unsigned bytes. */
struct TypeDefinedOrder {}

/** The total order of IEEE 754: −0 before +0, NaNs at both ends. */
struct IEEE754TotalOrder {}

/** By day, then by nanoseconds of the day. */
struct Int96TimestampOrder {}

/** In which order min_value and max_value of a column are to be understood. */
union ColumnOrder {
  1: TypeDefinedOrder TYPE_ORDER  // The order of the type.
  2: IEEE754TotalOrder IEEE_754_TOTAL_ORDER  // The total order of floating point numbers.
  3: Int96TimestampOrder INT96_TIMESTAMP_ORDER  // Timestamps of 12 bytes, in time.
}

/** Where a data page is and which rows it holds. */
struct PageLocation {
  1: required i64 offset  // Where the page begins in the file.
  2: required i32 compressed_page_size  // Bytes of the page in the file, header included.
  3: required i64 first_row_index  // The first row of the page, counted from the row group's first.
}

/** Where each data page of a column chunk is: what makes it possible to read single pages. */
struct OffsetIndex {
  1: required list<PageLocation> page_locations  // One place for each data page, in file order.
  2: optional list<i64> unencoded_byte_array_data_bytes  // For each page, bytes of its BYTE_ARRAY values when decoded.
}

/** Bounds and counts of each data page of a column chunk: what makes it possible to skip pages. */
struct ColumnIndex {
  1: required list<bool> null_pages  // For each page, whether it holds nothing but nulls.
  2: required list<binary> min_values  // For each page, a lower bound of its values; empty bytes for a page of nulls.
  3: required list<binary> max_values  // For each page, an upper bound of its values; empty bytes for a page of nulls.
  4: required BoundaryOrder boundary_order  // Whether the bounds ascend or descend from page to page.
  5: optional list<i64> null_counts  // For each page, how many values are null.
  6: optional list<i64> repetition_level_histograms  // For each page in turn, how many times each repetition level occurs.
  7: optional list<i64> definition_level_histograms  // For each page in turn, how many times each definition level occurs.
  8: optional list<i64> nan_counts  // For each page, how many values are NaN.
}

/** All modules are encrypted and authenticated with AES in GCM mode. */
struct AesGcmV1 {
  1: optional binary aad_prefix  // Bytes that tie the file to its name or place; stored here or supplied by the reader.
  2: optional binary aad_file_unique  // Random bytes that tie all modules to this file.
  3: optional bool supply_aad_prefix  // Whether the reader must supply the prefix.
}

/** Pages are encrypted with AES in CTR mode, which is faster and not authenticated; all else with GCM. */
struct AesGcmCtrV1 {
  1: optional binary aad_prefix  // Bytes that tie the file to its name or place; stored here or supplied by the reader.
  2: optional binary aad_file_unique  // Random bytes that tie all modules to this file.
  3: optional bool supply_aad_prefix  // Whether the reader must supply the prefix.
}

/** How the file is encrypted. */
union EncryptionAlgorithm {
  1: AesGcmV1 AES_GCM_V1  // GCM for everything.
  2: AesGcmCtrV1 AES_GCM_CTR_V1  // CTR for pages, GCM for everything else.
}

/** The footer: the schema, and where everything in the file is. */
struct FileMetaData {
  1: required i32 version  // Version of the format, 1 or 2; they mean the same.
  2: required list<SchemaElement> schema  // The fields of the schema, parents before children; the first is the root.
  3: required i64 num_rows  // Rows of the file.
  4: required list<RowGroup> row_groups  // The row groups, in order of their rows.
  5: optional list<KeyValue> key_value_metadata  // Notes that the writer left.
  6: optional string created_by  // The program that wrote the file, with its version.
  7: optional list<ColumnOrder> column_orders  // For each leaf, in which order its bounds are to be understood.
  8: optional EncryptionAlgorithm encryption_algorithm  // How the columns are encrypted, in a file whose footer is not.
  9: optional binary footer_signing_key_metadata  // What tells a key service which key signed the footer.
}

/** What stands before an encrypted footer: how to decrypt it. */
struct FileCryptoMetaData {
  1: required EncryptionAlgorithm encryption_algorithm  // How the file is encrypted.
  2: optional binary key_metadata  // What tells a key service which key encrypts the footer.
}
