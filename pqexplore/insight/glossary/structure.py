"""The parts of a file, and what its footer says."""

from pqexplore.insight.glossary.term import term

TERMS = (
    term(
        "magic",
        "Four bytes at the start and at the end that say that a file is Parquet: PAR1. "
        "A file whose footer is encrypted has PARE.",
        "PAR1 ┌──────────────────┐\n     │ pages … footer   │\n     └──────────────────┘ PAR1",
        "README.md#file-format",
        "closing magic",
    ),
    term(
        "footer",
        "The Thrift struct FileMetaData at the end of a file: the schema, and where each column chunk is. "
        "A reader reads it first; without it the rest of the file cannot be found.",
        "│ pages … │ footer │ length │ PAR1 │\n          ▲            │\n          └── length ──┘",
        "README.md#metadata",
        "FileMetaData",
        "file metadata",
    ),
    term(
        "footer length",
        "Four bytes before the closing magic: how many bytes the footer has, little-endian. "
        "A reader finds the footer by going back that many bytes.",
        "… footer │ c8 0d 00 00 │ PAR1\n         └ 0x0dc8 = 3,528\nfooter begins at size − 8 − 3,528",
        "README.md#file-format",
    ),
    term(
        "row group",
        "A horizontal part of the table: some rows, with one column chunk for each column. "
        "A reader can skip a whole row group, and several readers can work on one file.",
        "row group 0   a │ b │ c\nrow group 1   a │ b │ c\nrow group 2   a │ b │ c",
        "README.md#glossary",
        "row_groups",
        "row groups",
    ),
    term(
        "column chunk",
        "All values of one column for the rows of one row group, contiguous in the file. "
        "It consists of pages, and a dictionary page may come first.",
        "row group 0  ┌ a ┐┌ b ┐┌ c ┐\n                  └ a column chunk\n             pages │ pages │ pages",
        "README.md#column-chunks",
        "meta_data",
    ),
    term(
        "column",
        "A leaf of the schema: the part that has values. "
        "A list or a struct is no column; each leaf below it is one, named by its path.",
        "user (group)\n├─ name   → column user.name\n└─ age    → column user.age",
        "README.md#nested-encoding",
        "columns",
        "leaf",
    ),
    term(
        "schema",
        "The tree of fields, stored in the footer as a flat list in depth-first order. "
        "Each group says how many children follow.",
        "root (2)          ┐\n├─ id             │ root, id, tags, …\n└─ tags           ┘ in one list",
        "README.md#metadata",
        "schema element",
        "num_children",
    ),
    term(
        "field id",
        "A number that a writer gives a field, so that a table can rename columns. "
        "Iceberg and Delta's column mapping find columns by it.",
        "id 7   price\n  ↓ renamed\nid 7   unit_price",
        "src/main/thrift/parquet.thrift",
        "field_id",
    ),
    term(
        "repetition",
        "Whether a field must be there (REQUIRED), may be null (OPTIONAL), or may be there many times (REPEATED). "
        "It decides which levels a column has.",
        "REQUIRED  exactly one\nOPTIONAL  none or one\nREPEATED  any number",
        "README.md#nested-encoding",
        "repetition_type",
        "REQUIRED",
        "OPTIONAL",
        "REPEATED",
    ),
    term(
        "physical type",
        "How values are stored: BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY. "
        "The logical type says what they mean.",
        "DATE       ← logical: 2024-05-01\n  ↑\nINT32      ← physical: 19844",
        "README.md#types",
        "physical",
        "stored as",
        "BOOLEAN",
        "INT32",
        "INT64",
        "INT96",
        "FLOAT",
        "DOUBLE",
        "BYTE_ARRAY",
        "FIXED_LEN_BYTE_ARRAY",
    ),
    term(
        "logical type",
        "What stored values mean: text, date, timestamp, decimal, UUID and others. "
        "A reader that does not know it still reads the physical type.",
        "INT64   1714521600000000\n  ↓ TIMESTAMP(µs, UTC)\n2024-05-01 00:00:00 UTC",
        "LogicalTypes.md",
        "logicalType",
        "STRING",
        "ENUM",
        "UUID",
        "INT",
        "INTEGER",
        "FILE",
        "DECIMAL",
        "FLOAT16",
        "DATE",
        "TIME",
        "TIMESTAMP",
        "INTERVAL",
        "JSON",
        "BSON",
        "LIST",
        "MAP",
        "UNKNOWN",
        "GEOMETRY",
        "GEOGRAPHY",
        "precision",
        "unit",
        "isAdjustedToUTC",
    ),
    term(
        "converted type",
        "The older way to say what values mean, replaced by the logical type. "
        "Writers set both where both can say it, for older readers.",
        "converted_type  TIMESTAMP_MICROS\nlogicalType     TIMESTAMP(µs, UTC)\n                both say the same",
        "LogicalTypes.md",
        "converted_type",
        "UTF8",
        "MAP_KEY_VALUE",
        "TIME_MILLIS",
        "TIME_MICROS",
        "TIMESTAMP_MILLIS",
        "TIMESTAMP_MICROS",
        "UINT_8",
        "UINT_16",
        "UINT_32",
        "UINT_64",
        "INT_8",
        "INT_16",
        "INT_32",
        "INT_64",
    ),
    term(
        "key-value metadata",
        "Texts that a writer adds to the footer or to a column chunk: the Arrow schema, pandas' index, Spark's types. "
        "The format gives them no meaning.",
        'ARROW:schema → "/////6gBAAA…"\npandas       → {"index_columns": …}\nyour.key     → "your value"',
        "src/main/thrift/parquet.thrift",
        "key_value_metadata",
        "key_value",
    ),
    term(
        "created by",
        "The program that wrote the file, with its version, as it names itself. "
        "Readers use it to avoid what that version is known to write wrong.",
        "parquet-mr version 1.7.0 (build …)\n└ application      └ version\n→ its bounds of text are not trusted",
        "src/main/thrift/parquet.thrift",
        "created_by",
    ),
    term(
        "sorting columns",
        "What the writer says about the order of the rows in a row group. It is a claim: readers do not check it.",
        "sorting columns: day ↑, id ↓\n2024-05-01  9\n2024-05-01  3",
        "src/main/thrift/parquet.thrift",
        "sorting_columns",
        "sorting column",
    ),
    term(
        "gap",
        "Bytes of a file that nothing points to. "
        "They are padding, an older copy of a struct, or left over from another writer.",
        "│ chunk a │▒▒▒▒│ chunk b │\n           └ a gap\nno struct leads there",
        "README.md#file-format",
        "padding",
    ),
    term(
        "file offset",
        "Where something begins, counted in bytes from the start of the file. "
        "The field file_offset of a column chunk is deprecated; readers use the offsets of its pages.",
        "0        43,327        390,515\n│ …      │ chunk …     │ end\n         └ offset 43,327",
        "src/main/thrift/parquet.thrift",
        "file_offset",
        "offset",
        "begins at",
    ),
    term(
        "encoding_stats",
        "How many pages of a column chunk have which type and which encoding, in the footer. "
        "So whether all its data pages use the dictionary is known without reading one.",
        "DATA_PAGE        RLE_DICTIONARY  × 3\nDATA_PAGE        PLAIN           × 1\nDICTIONARY_PAGE  PLAIN           × 1",
        "src/main/thrift/parquet.thrift",
        "page encoding stats",
    ),
)
