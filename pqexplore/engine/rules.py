"""The rules of `check()`, of reading and of salvage: a record each. Their functions are in `engine/check`, `file` and `salvage`.

An *error* is what the specification forbids, or what contradicts the data: it is `wrong answer possible` where a reader that
trusts the file may return other rows or values, else `damage`. A *warning* is doubtful: readers differ. A *note* is good
to know: every reader copes with it.
"""

from __future__ import annotations

from typing import Any

from pqexplore.engine.rule import RULES, Rule, Severity, Source, register

__all__ = ["RENAMED", "RULES", "SPARK_CASE"]

DAMAGE, WRONG, PORTABILITY, NOTE = Severity.DAMAGE, Severity.WRONG, Severity.PORTABILITY, Severity.NOTE


_BY_INDEX = "a reader that skips pages by the index refuses the file, or reads other rows than it wants"


def _rule(name: str, severity: Severity, title: str, specification: str = "", **more: Any) -> Rule:
    return Rule(name, severity, title=title, specification=specification, violation=True, **more)


register(
    _rule(
        "aad-prefix-stored", PORTABILITY, "An AAD prefix that the file stores itself",
        "supply_aad_prefix: In files encrypted with AAD prefix without storing it, readers must supply the prefix",
    ),
    _rule("ambiguous", PORTABILITY, "Pages that fit more than one column"),
    _rule("annotation", DAMAGE, "A logical type that does not fit the stored type"),
    _rule(
        "bit-packed-deprecated", NOTE, "Levels in BIT_PACKED, which is deprecated",
        "This is a bit-packed only encoding, which is deprecated and will be replaced by the RLE/bit-packing hybrid "
        "encoding",
        once=True,
    ),
    _rule(
        "bloom-filter-denies", WRONG, "A Bloom filter that denies a value that is there",
        'a Bloom filter can respond to membership queries for sets with either "definitely no" or "probably yes"',
        cost="a search by this Bloom filter misses rows that are there",
    ),
    _rule("bloom-filter-full", NOTE, "A Bloom filter that cannot rule out any value"),
    _rule(
        "bloom-filter-length", PORTABILITY, "A Bloom filter of another length than stated",
        "ColumnMetaData.bloom_filter_length: Size of Bloom filter data including the serialized header, in bytes",
    ),
    _rule(
        "boundary-order-unclaimed", NOTE, "Pages in an order that the column index does not declare",
        "ColumnIndex.boundary_order: Stores whether both min_values and max_values are ordered and if so, in which "
        "direction. This allows readers to perform binary searches in both lists",
    ),
    _rule(
        "boundary-order-wrong", WRONG, "Pages that are not in the order that the column index declares",
        cost="a reader that searches the pages by their order may miss rows",
    ),
    _rule("bson-invalid", DAMAGE, "BSON that is not BSON"),
    _rule("chunk-outside", DAMAGE, "A column chunk that lies outside of the file"),
    _rule(
        "chunk-size-disagrees", DAMAGE, "A column chunk of another size than stated",
        "ColumnMetaData.total_compressed_size: total byte size of all compressed, and potentially encrypted, pages "
        "in this column chunk (including the headers)",
    ),
    _rule("column-index-alone", PORTABILITY, "A column index without an offset index"),
    _rule(
        "column-index-bound", WRONG, "A bound in a column index that leaves out values",
        cost="a reader that skips pages by this bound may miss rows",
    ),
    _rule("column-index-damaged", DAMAGE, "Bounds of a column index that are no values"),
    _rule("column-index-exactness", DAMAGE, "A bound in a column index that is called exact and is not"),
    _rule(
        "column-index-inverted", WRONG, "A minimum above the maximum in a column index",
        cost="a reader that skips pages by these bounds may miss rows",
    ),
    _rule("column-index-loose", NOTE, "A bound in a column index wider than the values"),
    _rule("column-index-nan", DAMAGE, "NaN as a bound in a column index"),
    _rule("column-index-nan-count", DAMAGE, "A nan_count in a column index that is wrong"),
    _rule("column-index-not-utf8", NOTE, "A bound in a column index that is cut inside a character"),
    _rule("column-index-null-count", DAMAGE, "A null_count in a column index that is wrong"),
    _rule(
        "column-index-of-nans", DAMAGE, "Bounds of a page that has only NaN",
        "if all non-null values of a page are NaN, the chunk must have no ColumnIndex",
    ),
    _rule("column-index-of-nothing", PORTABILITY, "Bounds in a column index of only nulls"),
    _rule("column-index-without-order", PORTABILITY, "Bounds in a column index of a type without an order"),
    _rule("column-metadata-place", DAMAGE, "Encrypted column metadata at the wrong place"),
    _rule(
        "column-order-unknown", PORTABILITY, "A column order that is not known",
        "ColumnOrder: if the reader does not support the value of this union, min and max stats for this column "
        "should be ignored",
    ),
    _rule("column-order-unsuited", DAMAGE, "A column order that does not fit the type"),
    _rule(
        "column-orders-absent", NOTE, "Bounds without a column order",
        "FileMetaData.column_orders: Without column_orders, the meaning of the min_value and max_value fields is "
        "undefined",
        once=True,
    ),
    _rule(
        "column-orders-length", DAMAGE, "Not one column order for each column",
        "Sort orders are listed in the order matching the columns in the schema",
    ),
    _rule(
        "converted-type-absent", NOTE, "A logical type without its converted type",
        "Parquet writers must always write LogicalType annotations where applicable, but must also write the "
        "corresponding ConvertedType annotations (if any) to maintain compatibility with old readers",
        once=True,
    ),
    _rule(
        "converted-type-disagrees", DAMAGE, "A converted type that contradicts the logical type",
        "Parquet writers must always write LogicalType annotations where applicable, but must also write the "
        "corresponding ConvertedType annotations (if any) to maintain compatibility with old readers",
    ),
    _rule(
        "converted-type-only", NOTE, "Converted types without logical types",
        "Parquet writers must always write LogicalType annotations where applicable, but must also write the "
        "corresponding ConvertedType annotations (if any) to maintain compatibility with old readers",
        once=True,
    ),
    _rule("converted-type-unknown", PORTABILITY, "A converted type that is not known"),
    _rule("coordinates-out-of-range", DAMAGE, "Coordinates beyond their range"),
    _rule(
        "crc-mismatch", DAMAGE, "A page whose checksum is wrong",
        "Pages of all kinds can be individually checksummed",
        cost="the values of the page may be wrong, and a reader that does not check it does not say so",
    ),
    _rule(
        "created-by-format", NOTE, "A created_by in an unusual form",
        "FileMetaData.created_by: This should be in the format <Application> version <App Version> (build <App Build "
        "Hash>)",
    ),
    _rule(
        "crs", PORTABILITY, "A coordinate reference system that is not known",
        "custom CRS values can be specified by a string of the format type:identifier. projjson: PROJJSON, "
        "identifier is the name of a table property or a file property where the projjson string is stored",
    ),
    _rule(
        "crs-not-geographic", DAMAGE, "A GEOGRAPHY whose coordinates are not geographic",
        "It must be a geographic CRS, where longitudes are bound by [-180, 180] and latitudes are bound by [-90, 90]",
    ),
    _rule(
        "data-page-offset", PORTABILITY, "A data_page_offset that is not the first data page",
        "ColumnMetaData.data_page_offset: Byte offset from beginning of file to first data page",
    ),
    _rule("decimal-as-binary", NOTE, "Decimals of more digits than Arrow holds"),
    _rule("decimal-beyond-precision", DAMAGE, "Decimals with more digits than their precision"),
    _rule(
        "decimal-fields-disagree", DAMAGE, "Precision or scale stated twice, and differently",
        "To support compatibility with older readers, implementations of parquet-format should write DecimalType "
        "precision and scale into the corresponding SchemaElement field in metadata",
    ),
    _rule(
        "decimal-in-int64", NOTE, "Decimals in INT64 that fit INT32",
        "int64: for 1 <= precision <= 18; precision < 10 will produce a warning",
    ),
    _rule("decimal-no-bytes", DAMAGE, "Decimals of no bytes"),
    _rule("decimal-not-minimal", NOTE, "Decimals in more bytes than they need"),
    _rule("delta-block-size", DAMAGE, "Blocks of DELTA_BINARY_PACKED of a size that is not allowed"),
    _rule(
        "dictionary-encoding", PORTABILITY, "A dictionary page in an unusual encoding",
        "The dictionary page's values are encoded using the plain encoding",
    ),
    _rule(
        "dictionary-not-first", DAMAGE, "A dictionary page that is not the first page",
        "The dictionary page is written first, before the data pages of the column chunk",
    ),
    _rule(
        "dictionary-not-sorted", DAMAGE, "A dictionary that is called sorted and is not",
        "DictionaryPageHeader.is_sorted: If true, the values in the dictionary are sorted in ascending order",
    ),
    _rule(
        "dictionary-page-offset", PORTABILITY, "A dictionary_page_offset that is not the dictionary page",
        "ColumnMetaData.dictionary_page_offset: Byte offset from the beginning of file to first (only) dictionary "
        "page",
    ),
    _rule(
        "dictionary-page-offset-absent", NOTE, "A dictionary page without its offset in the footer",
        "ColumnMetaData.dictionary_page_offset: Byte offset from the beginning of file to first (only) dictionary "
        "page",
        once=True,
    ),
    _rule(
        "dictionary-repeats", PORTABILITY, "A dictionary with a value twice",
        "The dictionary encoding builds a dictionary of values encountered in a given column",
    ),
    _rule("distinct-count-above-values", DAMAGE, "More distinct values than values", describes=True),
    _rule(
        "distinct-count-disagrees", DAMAGE, "A distinct_count that is wrong",
        "Statistics.distinct_count: count of distinct values occurring",
        describes=True,
    ),
    _rule("dotted-path-repeated", PORTABILITY, "Columns whose dotted paths are the same"),
    _rule(
        "edge-algorithm-unknown", PORTABILITY, "An edge algorithm that is not known",
        "Supported values are: SPHERICAL, VINCENTY, THOMAS, ANDOYER, KARNEY",
    ),
    _rule("embedded-unknown", NOTE, "A schema in the metadata that this version cannot read", message="{problem}"),
    _rule("empty-group", NOTE, "A group without fields"),
    _rule(
        "encoding-stats-disagree", PORTABILITY, "encoding_stats that contradict the pages",
        "ColumnMetaData.encoding_stats: Set of all encodings used for pages in this column chunk. This information "
        "can be used to determine if all data pages are dictionary encoded for example",
    ),
    _rule(
        "encodings-disagree", PORTABILITY, "Encodings that the footer does not list",
        "ColumnMetaData.encodings: Set of all encodings used for this column. The purpose is to validate whether we "
        "can decode those pages",
    ),
    _rule("encrypted", PORTABILITY, "Encrypted bytes that cannot be salvaged"),
    _rule(
        "encrypted-path-disagrees", DAMAGE, "An encrypted column under another path",
        "EncryptionWithColumnKey.path_in_schema: Column path in schema",
    ),
    _rule(
        "extension", PORTABILITY, "Fields of other specifications in the footer",
        "The extension mechanism of the binary Thrift field-id 32767",
    ),
    _rule(
        "field-id-repeated", PORTABILITY, "Fields with the same field_id",
        "SchemaElement.field_id: When the original schema supports field ids, this will save the original field id "
        "in the parquet schema",
    ),
    _rule("field-mistyped", PORTABILITY, "A field of the footer with another type"),
    _rule("field-unknown", NOTE, "Fields of the footer that this version does not know"),
    _rule("file-checksum", PORTABILITY, "The checksum of a referenced file", "`checksum` is `ALGORITHM:digest`"),
    _rule("file-field", DAMAGE, "A FILE whose fields are not those of the specification"),
    _rule(
        "file-path-not-relative", DAMAGE, "A file_path that is not relative",
        "ColumnChunk.file_path: This path is relative to the current file",
    ),
    _rule(
        "file-reference", DAMAGE, "A reference to a file that is not valid",
        "FILE: an offset without a size is invalid, and so is a reference without inline bytes, uri and offset",
    ),
    _rule(
        "file-reference-encrypted", DAMAGE, "A reference to a part of an encrypted file",
        "Files with references to themselves must not be encrypted",
    ),
    _rule("file-reference-outside", DAMAGE, "A reference beyond the end of the file"),
    _rule(
        "first-row-disagrees", WRONG, "A first_row_index that is wrong",
        "PageLocation.first_row_index: Index within the RowGroup of the first row of the page. When an OffsetIndex "
        "is present, pages must begin on row boundaries (repetition_level = 0)",
        cost="a reader that skips pages by these row numbers reads other rows than it wants",
    ),
    _rule("footer-found", NOTE, "A footer that was found inside the file"),
    _rule(
        "format-version", PORTABILITY, "A format version that is not known",
        "FileMetaData.version: Version of this file",
    ),
    _rule("gap", NOTE, "Bytes that belong to nothing"),
    _rule("geometries-not-checked", NOTE, "Geometries that were not all checked", incomplete=True),
    _rule("geometry-damaged", DAMAGE, "Geometries that cannot be read", "GEOMETRY: Well-known binary (WKB)"),
    _rule(
        "geometry-ewkb", DAMAGE, "Geometries in EWKB",
        "Well-Known Binary (WKB) serializations (ISO variant supporting XY, XYZ, XYM, XYZM)",
    ),
    _rule(
        "geospatial-box-disagrees", WRONG, "A bounding box that leaves out geometries",
        cost="a search by this box may miss geometries",
    ),
    _rule(
        "geospatial-box-of-nothing", DAMAGE, "A bounding box without geometries",
        "If a dimension has only null or NaN values, that dimension is omitted from the bounding box. If either the "
        "X or Y dimension is missing, then the bounding box itself is not produced",
    ),
    _rule(
        "geospatial-statistics", DAMAGE, "Geospatial statistics that are not valid",
        "GeospatialStatistics: A bounding box and geospatial types of the values",
    ),
    _rule(
        "geospatial-types-disagree", DAMAGE, "Geometry types that contradict the geometries",
        "A list of geospatial types from all instances in the GEOMETRY or GEOGRAPHY column, or an empty list if they "
        "are not known",
        describes=True,
    ),
    _rule(
        "group-with-type", DAMAGE, "A group with a type",
        "SchemaElement.type: Not set if the current element is a non-leaf node",
    ),
    _rule("index-page", NOTE, "An index page", once=True),
    _rule(
        "int96-deprecated", NOTE, "Timestamps in INT96",
        "INT96: 96 bit signed ints (deprecated; only used by legacy implementations)",
        once=True,
    ),
    _rule("int96-out-of-range", PORTABILITY, "INT96 of days that no timestamp reaches"),
    _rule(
        "invocation-limit", DAMAGE, "A key that encrypts too many modules",
        "The total number of invocations of the authenticated encryption function shall not exceed 2^32",
    ),
    _rule("json-invalid", DAMAGE, "JSON that is not JSON"),
    _rule("key-repeated", PORTABILITY, "A key twice in the key-value metadata"),
    _rule("leaf-with-children", NOTE, "A column with num_children"),
    _rule("leaf-without-type", DAMAGE, "A column without a type"),
    _rule("leftover-bytes", DAMAGE, "Bytes in a page that no value needs"),
    _rule("leftover-values", NOTE, "Values in a page that no row needs", once=True),
    _rule(
        "legacy-list", PORTABILITY, "A list in an old layout",
        "The middle level, named list, must be a repeated group with a single field named element",
    ),
    _rule(
        "legacy-map", NOTE, "A map in an old layout",
        "Some existing data incorrectly used MAP_KEY_VALUE in place of MAP",
    ),
    _rule(
        "level-encodings-unlisted", NOTE, "Encodings of levels that the footer does not list",
        "ColumnMetaData.encodings: Set of all encodings used for this column. The purpose is to validate whether we "
        "can decode those pages",
        once=True,
    ),
    _rule("level-histogram-disagrees", DAMAGE, "A level histogram that is wrong", describes=True),
    _rule("levels-not-encrypted", PORTABILITY, "Levels in the clear beside encrypted values"),
    _rule("limit", NOTE, "A limit that stopped the reading", incomplete=True),
    _rule("list-names", NOTE, "A list with other names than list and element", once=True),
    _rule("list-repeated", DAMAGE, "A list that is itself repeated"),
    _rule(
        "local-time-converted-type", NOTE, "A converted type of a local time, which says UTC",
        "Despite there is no exact corresponding ConvertedType for local time semantic, in order to support forward "
        "compatibility with those libraries, which annotated their local time with legacy TIME_MICROS and "
        "TIME_MILLIS annotation, Parquet writer implementation must annotate local time with legacy annotations too",
        once=True,
    ),
    _rule("locked", NOTE, "A part that needs a key"),
    _rule(
        "lz4-deprecated", NOTE, "The codec LZ4, which is deprecated",
        "A deprecated codec loosely based on the LZ4 compression algorithm, but with an additional undocumented "
        "framing scheme",
        once=True,
    ),
    _rule(
        "map-key-optional", PORTABILITY, "A map whose keys can be null",
        "This field must have repetition required and must always be present",
    ),
    _rule(
        "map-key-repeats", PORTABILITY, "A map with a key twice",
        "If there are multiple key-value pairs for the same key, then the final value for that key must be the last "
        "value. The MAP annotation should not be used to encode multi-maps using duplicate keys",
        cost="polars gives the last value of such a key only, and other readers all of them",
    ),
    _rule("map-key-value-unknown", NOTE, "MAP_KEY_VALUE as a logical type", once=True),
    _rule("map-names", NOTE, "A map with other names than key_value, key and value", once=True),
    _rule(
        "map-order", DAMAGE, "A map whose first field is not the key",
        "It must always be the first field of the repeated key_value group",
    ),
    _rule("map-repeated", DAMAGE, "A map that is itself repeated"),
    _rule(
        "map-value-repeated", DAMAGE, "A map whose key or value is repeated",
        "This field can be required, optional, or omitted",
    ),
    _rule("more-findings", NOTE, "More findings of a rule than are listed"),
    _rule("name-empty", PORTABILITY, "A field without a name", "SchemaElement.name: Name of the field in the schema"),
    _rule(
        "nan-bound", NOTE, "NaN as a bound",
        "If the min is a NaN, it should be ignored. If the max is a NaN, it should be ignored",
    ),
    _rule("nan-count-above-values", DAMAGE, "More NaN than values"),
    _rule(
        "nan-count-absent", DAMAGE, "No nan_count where the column order requires it",
        "ColumnOrder.IEEE_754_TOTAL_ORDER: nan_count is mandatory",
        once=True,
    ),
    _rule(
        "nan-count-unsuited", PORTABILITY, "A nan_count of a type without NaN",
        "nan_count: only for FLOAT, DOUBLE, FLOAT16",
    ),
    _rule(
        "needless-levels", NOTE, "Levels that the column does not need",
        "If the column is not nested (i.e. the path to the column has length 1), we do not encode the repetition "
        "levels … For data that is required, the definition levels are skipped (if encoded, it will always have the "
        "value of the max definition level)",
    ),
    _rule(
        "no-aad", PORTABILITY, "Encryption without an AAD prefix or file identifier",
        "The suffix part of a module AAD protects against module swapping inside a file",
    ),
    _rule(
        "no-created-by", NOTE, "No created_by",
        "FileMetaData.created_by: String for application that wrote this file",
    ),
    _rule(
        "no-repetition", DAMAGE, "A field without a repetition",
        "SchemaElement.repetition_type: The root of the schema does not have a repetition_type. All other nodes must "
        "have one",
    ),
    _rule("nonces-counted", NOTE, "Nonces that count up"),
    _rule("not-everything-checked", NOTE, "A check that stopped early", incomplete=True),
    _rule(
        "not-sorted", WRONG, "Rows that are not in the declared sort order",
        "RowGroup.sorting_columns: If set, specifies a sort ordering of the rows in this RowGroup",
        cost="a reader that relies on the declared order may return wrong results",
    ),
    _rule("not-utf8", DAMAGE, "Text that is not UTF-8"),
    _rule("nothing-found", DAMAGE, "No page was found"),
    _rule("null-count-above-values", DAMAGE, "More nulls than values"),
    _rule("null-count-disagrees", PORTABILITY, "A page header with a wrong number of nulls"),
    _rule(
        "null-list-repeats", DAMAGE, "A null list that goes on",
        "Repetition levels specify at what repeated field in the path has the value repeated",
    ),
    _rule("null-page-bounds", DAMAGE, "A null page with bounds"),
    _rule(
        "null-page-disagrees", WRONG, "A page that is wrongly marked as a null page",
        "ColumnIndex.null_pages: A list of Boolean values to determine the validity of the corresponding min and max "
        "values. If true, a page contains only null values",
        cost="a reader that skips pages of nulls may miss rows",
    ),
    _rule(
        "null-page-unmarked", DAMAGE, "A page of nulls that is not marked as a null page",
        "ColumnIndex.null_pages: A list of Boolean values to determine the validity of the corresponding min and max "
        "values. If true, a page contains only null values",
        cost="a reader takes what stands there as bounds for values, or refuses the file, as DataFusion does if they are empty",
    ),
    _rule(
        "num-values-disagree", DAMAGE, "A column chunk with another number of values than stated",
        "ColumnMetaData.num_values: Number of values in this column",
    ),
    _rule(
        "offset-index-disagrees", DAMAGE, "An offset index that points elsewhere",
        "PageLocation: offset of the page in the file; size of the page, including header. "
        "OffsetIndex.page_locations: one PageLocation for each data page, in the order of the file",
        cost=_BY_INDEX,
    ),
    _rule("old-statistics", NOTE, "Bounds of an old writer that cannot be trusted"),
    _rule("old-statistics-disagree", PORTABILITY, "Old and new bounds that differ"),
    _rule(
        "old-statistics-unsuited", NOTE, "Old bounds of a type that they do not fit",
        "Statistics.min, max: These fields encode min and max values determined by signed comparison only. To "
        "support older readers, these may be set when the column order is signed",
        once=True,
    ),
    _rule("opening-magic", PORTABILITY, "A file that does not begin with its magic"),
    _rule("overlap", DAMAGE, "Bytes that two parts of the file claim", "every byte of a file belongs to one structure"),
    _rule("page-cut-off", PORTABILITY, "A page that ends with the file"),
    _rule("page-damaged", DAMAGE, "A page that cannot be read"),
    _rule("page-index", DAMAGE, "A page index that contradicts itself", cost=_BY_INDEX),
    _rule("page-index-length", DAMAGE, "A page index of another length than stated", cost=_BY_INDEX),
    _rule("page-inside-record", DAMAGE, "A page that begins inside a record"),
    _rule("page-locations", DAMAGE, "Page locations that cannot be"),
    _rule(
        "page-num-values-disagree", DAMAGE, "A page header with a wrong number of values",
        "DataPageHeader.num_values: Number of values, including NULLs, in this data page",
    ),
    _rule("page-rows", DAMAGE, "Row numbers of pages that cannot be"),
    _rule(
        "page-rows-disagree", WRONG, "A page header with a wrong number of rows",
        "DataPageHeaderV2.num_rows: Number of rows in this data page",
        cost="a reader that skips pages by this count reads other rows than it wants",
    ),
    _rule(
        "page-statistics-beside-index", NOTE, "Statistics in page headers beside a page index",
        "Readers that support ColumnIndex should not also use page statistics. The only reason to write page-level "
        "statistics when writing ColumnIndex structs is to support older readers (not recommended)",
        once=True,
    ),
    _rule(
        "page-statistics-bound", WRONG, "A bound in a page header that leaves out values",
        cost="a reader that skips pages by this bound may miss rows",
    ),
    _rule("page-statistics-exactness", DAMAGE, "A bound in a page header that is called exact and is not"),
    _rule(
        "page-statistics-inverted", WRONG, "A minimum above the maximum in the statistics of a page header",
        cost="a reader that skips pages by these bounds may miss rows",
    ),
    _rule("page-statistics-loose", NOTE, "A bound in a page header wider than the values"),
    _rule("page-statistics-nan-count", DAMAGE, "A nan_count in the statistics of a page header that is wrong"),
    _rule("page-statistics-not-utf8", NOTE, "A bound in a page header that is cut inside a character"),
    _rule("page-statistics-null-count", DAMAGE, "A null_count in the statistics of a page header that is wrong"),
    _rule("page-statistics-of-nothing", PORTABILITY, "Bounds in a page header of only nulls"),
    _rule("page-statistics-without-order", PORTABILITY, "Bounds in a page header of a type without an order"),
    _rule("page-type", PORTABILITY, "A page of an unknown type"),
    _rule(
        "page-versions-confused", NOTE, "encoding_stats that confuse V1 and V2 pages",
        "ColumnMetaData.encoding_stats: Set of all encodings used for pages in this column chunk. This information "
        "can be used to determine if all data pages are dictionary encoded for example",
        once=True,
    ),
    _rule(
        "pages-elsewhere", NOTE, "A column chunk in another file",
        "ColumnChunk.file_path: File where column data is stored. If not set, assumed to be same file as metadata",
        once=True,
    ),
    _rule(
        "pages-without-tag", NOTE, "Encrypted pages without an authentication tag",
        "AES CTR is a regular (not authenticated) cipher",
    ),
    _rule(
        "path-disagrees", DAMAGE, "A column chunk under another column's path",
        "ColumnMetaData.path_in_schema: Path in schema",
        cost="a reader that finds chunks by their paths reads the values of another column, or none",
    ),
    _rule(
        "plain-dictionary-deprecated", NOTE, "PLAIN_DICTIONARY, which is deprecated",
        "Using the PLAIN_DICTIONARY enum value is deprecated in the Parquet 2.0 specification. Prefer using "
        "RLE_DICTIONARY in a data page and PLAIN in a dictionary page for Parquet 2.0+ files",
        once=True,
    ),
    _rule(
        "possible-variant", NOTE, "A group that looks like a Variant",
        "A Variant is represented as a group annotated with the VARIANT logical type",
    ),
    _rule("records-disagree", DAMAGE, "Columns of one field that do not form records"),
    _rule(
        "repeated-unannotated", PORTABILITY, "A repeated field without LIST or MAP",
        "implementations should use either LIST and MAP annotations or unannotated repeated fields, but not both. "
        "When using the annotations, no unannotated repeated types are allowed",
    ),
    _rule("required-field", DAMAGE, "A required field of the footer is missing"),
    _rule(
        "root-repetition", NOTE, "A root with a repetition",
        "SchemaElement.repetition_type: The root of the schema does not have a repetition_type",
    ),
    _rule(
        "row-count-disagrees", DAMAGE, "A file with another number of rows than stated",
        "FileMetaData.num_rows: number of rows in this file",
        cost="a reader that counts by the footer gives another number of rows",
    ),
    _rule(
        "row-group-file-offset", PORTABILITY, "A file_offset that is not where the row group begins",
        "RowGroup.file_offset: Byte offset from beginning of file to first page (data or dictionary) in this row "
        "group",
    ),
    _rule(
        "row-group-ordinal", PORTABILITY, "An ordinal that is not the row group's position",
        "RowGroup.ordinal: Row group ordinal in the file",
    ),
    _rule(
        "row-group-ordinal-repeated", DAMAGE, "An ordinal that two row groups have",
        "RowGroup.ordinal: Row group ordinal in the file",
    ),
    _rule(
        "row-group-rows", DAMAGE, "A row group with a negative number of rows",
        "RowGroup.num_rows: Number of rows in this row group",
    ),
    _rule("row-group-size-disagrees", DAMAGE, "A row group of another size than its chunks", describes=True, cost="a reader that reserves memory by this number reserves too much or too little"),
    _rule(
        "rows-disagree", DAMAGE, "A column chunk with another number of rows than its row group",
        "RowGroup.num_rows: Number of rows in this row group",
    ),
    _rule("search-ended", PORTABILITY, "A search for pages that stopped early"),
    _rule("shape", DAMAGE, "A LIST or MAP of another structure"),
    _rule(
        "short-file-identifier", PORTABILITY, "A file identifier that is too short",
        "Unique file identifier part of AAD suffix",
    ),
    _rule("signature-not-verified", NOTE, "A signature that was not verified"),
    _rule("signing-fields", DAMAGE, "Fields of a signed footer that are missing"),
    _rule("sorting-column", DAMAGE, "A sorting column that does not exist"),
    _rule(
        "statistics-bound", WRONG, "A bound of a column chunk that leaves out values",
        cost="a condition on this column may skip rows that match",
    ),
    _rule("statistics-damaged", DAMAGE, "Bounds that are no values"),
    _rule(
        "statistics-exactness", WRONG, "A bound of a column chunk that is called exact and is not",
        cost="MIN or MAX by the statistics gives a value that is not there",
    ),
    _rule(
        "statistics-inverted", WRONG, "A minimum above the maximum in the statistics of a column chunk",
        cost="a condition on this column may skip rows that match",
    ),
    _rule("statistics-loose", NOTE, "A bound of a column chunk wider than the values"),
    _rule("statistics-nan-count", DAMAGE, "A nan_count in the statistics of a column chunk that is wrong"),
    _rule("statistics-not-utf8", NOTE, "A bound of a column chunk that is cut inside a character"),
    _rule(
        "statistics-null-count", WRONG, "A null_count in the statistics of a column chunk that is wrong",
        cost="a condition IS NULL, or IS NOT NULL, may skip rows that match",
    ),
    _rule("statistics-of-nothing", PORTABILITY, "Bounds of a column chunk of only nulls"),
    _rule("statistics-without-order", PORTABILITY, "Bounds of a column chunk of a type without an order"),
    _rule(
        "type-disagrees", DAMAGE, "A column chunk of another type than its column",
        "ColumnMetaData.type: Type of this column",
    ),
    _rule("type-length-unsuited", NOTE, "A type_length of a type without one"),
    _rule("type-length-zero", PORTABILITY, "A fixed length of zero"),
    _rule("type-corrected", PORTABILITY, "A type that was corrected to read the pages"),
    _rule("type-unproven", NOTE, "A type that the bytes do not prove"),
    _rule(
        "uncompressed-size-disagrees", DAMAGE, "A column chunk of another uncompressed size than stated",
        "ColumnMetaData.total_uncompressed_size: total byte size of all uncompressed pages in this column chunk "
        "(including the headers)",
        describes=True,
        cost="a reader that reserves memory by this number reserves too much or too little",
    ),
    _rule("unencoded-bytes-disagree", DAMAGE, "A wrong number of unencoded bytes", describes=True, cost="a reader that reserves memory by this number reserves too much or too little"),
    _rule(
        "unencoded-bytes-unsuited", PORTABILITY, "Unencoded bytes of a type without them",
        "SizeStatistics.unencoded_byte_array_data_bytes: This field should only be set for types that use BYTE_ARRAY "
        "as their physical type",
    ),
    _rule(
        "unknown-with-values", PORTABILITY, "Values in a column of type UNKNOWN",
        "UNKNOWN: Sometimes, when discovering the schema of existing data, values are always null and there's no "
        "type information",
    ),
    _rule("unreadable", DAMAGE, "A part that cannot be read"),
    _rule("unsupported", PORTABILITY, "A part that this version does not support"),
    _rule("value-out-of-range", DAMAGE, "Values beyond the range of their type"),
    _rule("variant-more", NOTE, "More problems of a Variant than are listed"),
    _rule("variant-not-checked", NOTE, "Variants that were not all checked", incomplete=True),
    _rule(
        "zero-bound", NOTE, "A bound of zero with the wrong sign",
        "If the min is +0, the row group may contain -0 values as well. If the max is -0, the row group may contain "
        "+0 values as well",
    ),
    _rule(
        "zero-padding", NOTE, "Zero bytes after the values of a page",
        "For data pages, the 3 pieces of information are encoded back to back, after the page header. No padding is "
        "allowed in the data page",
        once=True,
    ),
)  # fmt: skip

SPARK_CASE = Source(
    "Spark SQL, spark.sql.caseSensitive", "https://spark.apache.org/docs/latest/sql-migration-guide.html"
)
RENAMED = {
    "pyarrow": "table.rename_columns(names)",
    "polars": "pl.read_parquet(path).rename({'old': 'new'})",
    "Spark": "df.toDF(*names)",
}
"""Code that gives columns other names."""

ARROW = Source(
    "Arrow, reading and writing Parquet: roundtripping Arrow types and schema",
    "https://arrow.apache.org/docs/cpp/parquet.html#roundtripping-arrow-types-and-schema",
)

register(
    *(
        _rule(
            name, severity, title, cost=cost, source=source,
            why="Programs that copy or rewrite files often keep the metadata of columns that they left out or changed.",
            message="the key-value metadata contradicts the schema: {first}",
            fix="Write the file again with the program that the key is of, or without the key.",
            code={
                "pyarrow": "pq.write_table(table.replace_schema_metadata(None), path)",
                "DuckDB": "COPY (FROM 'path') TO 'new' (FORMAT parquet)",
            },
        )
        for name, title, severity, cost, source in (
            (
                "arrow-schema-disagrees", "ARROW:schema that differs from the schema", NOTE,
                "readers that restore Arrow's types by it may give other types than the other readers, or none",
                ARROW,
            ),
            (
                "pandas-metadata-disagrees", "pandas metadata that differs from the schema", NOTE,
                "a data frame made from the file may have another index or other types than the one that was written",
                Source(
                    "pandas, storing DataFrame objects in Apache Parquet format",
                    "https://pandas.pydata.org/docs/development/developer.html",
                ),
            ),
            (
                "spark-metadata-disagrees", "Spark's row metadata that differs from the schema", PORTABILITY,
                "Spark takes the schema from it, by its source: it does not see columns that it leaves out, and finds nulls "
                "in those that only it has",
                Source(
                    "Spark, ParquetFileFormat.readSchemaFromFooter",
                    "https://github.com/apache/spark/blob/master/sql/core/src/main/scala/org/apache/spark/sql/execution/"
                    "datasources/parquet/ParquetFileFormat.scala",
                ),
            ),
            (
                "geo-metadata-disagrees", "GeoParquet metadata that differs from the schema", PORTABILITY,
                "readers of GeoParquet find the geometries by it",
                Source("GeoParquet 1.1", "https://geoparquet.org/releases/v1.1.0/"),
            ),
            (
                "table-schema-disagrees", "An Iceberg or Avro schema that differs from the schema", NOTE,
                "a reader that takes the columns from it may not find them",
                Source("Iceberg, Parquet", "https://iceberg.apache.org/spec/#parquet"),
            ),
        )
    ),
    _rule(
        "duplicate-names", PORTABILITY, "Fields with the same name",
        why="Columns are selected by name.", source=SPARK_CASE,
        message="{fields} have the same name: a reader that selects columns by name cannot tell which is meant.",
        fix="Rename one of them.", code=RENAMED,
    ),
    _rule(
        "nonce-reused", DAMAGE, "Nonces that are used twice",
        "if even one IV is ever repeated, then the implementation may be vulnerable … Compliance with this requirement "
        "is crucial to the security of GCM",
        why="AES-GCM and AES-CTR protect nothing if a key sees a nonce twice.",
        cost="who has both modules learns how their contents differ, and with GCM can forge others of this key",
        fix="Take the key out of use, and write the data again with a new key and a writer with random nonces.",
        source=Source(
            "Parquet, modular encryption: nonces and IVs",
            "https://github.com/apache/parquet-format/blob/master/Encryption.md#41-encryption-algorithms",
        ),
    ),
    *(
        _rule(
            name, severity, f"{what} of encrypted columns in a plaintext footer", words, why=why, cost=cost,
            fix="Encrypt the footer, or use a writer that leaves them out of a plaintext footer; treat what they tell as known.",
            code={
                "Spark": "df.write.option('parquet.encryption.plaintext.footer', 'false').parquet(path)",
                "pyarrow": "pe.EncryptionConfiguration(footer_key='masterKey', plaintext_footer=False)",
            },
            source=Source(
                "Parquet, modular encryption", "https://github.com/apache/parquet-format/blob/master/Encryption.md"
            ),
        )
        for name, severity, what, words, why, cost in (
            (
                "plaintext-statistics", DAMAGE, "Statistics",
                "is stripped of the statistics for the sensitive (encrypted) columns",
                "A plaintext footer must be stripped of the statistics of encrypted columns.",
                "what the encryption should hide (the smallest and largest value, or counts) is in the clear",
            ),
            (
                "plaintext-size-statistics", NOTE, "Size statistics", "",
                "The specification wants the statistics stripped, and does not name the size statistics.",
                "they tell how many values are null, how long lists are, and how many bytes the values have",
            ),
        )
    ),
    _rule(
        "metadata-damaged", PORTABILITY, "Schemas in the metadata that cannot be read",
        why="Their JSON, base64 or Arrow message is broken.", message="the key-value metadata is damaged: {problem}",
        cost="readers that use it fail, or read the file as if it were not there", source=ARROW,
        fix="Write the file again with the program that the key is of, or without the key.",
    ),
)  # fmt: skip

register(
    *(
        _rule(f"variant-{name}", severity, f"A Variant with {title}")
        for severity, names in (
            (
                DAMAGE,
                {
                    "metadata": "metadata that are not valid",
                    "value": "a value that is not valid",
                    "name-in-metadata": "a field name that the metadata lacks",
                    "missing-element": "a missing element",
                    "value-and-typed-value": "both value and typed_value",
                    "value-not-object": "typed_value beside a value that is no object",
                    "shredded-field-in-value": "a shredded field in value",
                    "object-in-value": "an object in value alone",
                    "array-in-value": "an array in value",
                    "field": "fields that are not those of a Variant",
                    "metadata-required": "metadata that can be null",
                    "value-required": "a value of another repetition",
                    "optional-field": "a value or typed_value that is not optional",
                    "shredded-type": "a type that cannot be shredded",
                    "required-field": "a shredded field that is optional",
                    "required-element": "a list element that is optional",
                    "primitive-type": "a primitive type that does not exist",
                    "decimal-digits": "a decimal of too many digits",
                },
            ),
            (
                PORTABILITY,
                {
                    "missing": "a missing value",
                    "value-field": "no field value",
                    "version": "an unknown version",
                    "reserved-bits": "reserved bits that are set",
                    "time-of-day": "a time beyond a day",
                },
            ),
        )
        for name, title in names.items()
    )
)
