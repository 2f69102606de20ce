"""Pairs of files that differ in one thing: one row a pair."""

import dataclasses
import io
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pyarrow as pa
from made import parquet

import pqexplore

ROWS = 4_000
RANDOM = np.random.default_rng(11)
IDS = np.arange(ROWS)
CITIES = pa.array([f"city {x}" for x in RANDOM.integers(0, 40, ROWS)])
PRICES = RANDOM.random(ROWS)
TABLE = pa.table({"id": IDS, "price": PRICES, "city": CITIES, "n": pa.array(IDS % 7, pa.int32())})


def ours(table=TABLE, **options):
    """A file of our writer, in two row groups."""
    out = io.BytesIO()
    pqexplore.write(table, out, pqexplore.WriteOptions(**{"row_group_rows": 2_000} | options))
    return out.getvalue()


BARE = {"codec": "UNCOMPRESSED", "encoding": "PLAIN", "statistics": (), "column_index": False}


def theirs(table=TABLE, **options):
    """A file of pyarrow."""
    return parquet(table, **options)


def replaced(name, values, table=TABLE):
    return table.set_column(table.schema.get_field_index(name), name, values)


def changed(name, row, value):
    values = TABLE[name].to_pylist()
    values[row] = value
    return replaced(name, pa.array(values, TABLE.schema.field(name).type))


def one(kind, values=(1, 2, 3), nullable=True):
    field = pa.field("x", kind, nullable)
    return pa.table([pa.array(values, kind)], schema=pa.schema([field]))


def required(table, *names):
    fields = [f.with_nullable(f.name not in names) for f in table.schema]
    return table.cast(pa.schema(fields))


def struct(*names, nullable=True):
    kind = pa.struct([(name, pa.int64()) for name in names])
    rows = [dict.fromkeys(names, i) for i in range(100)]
    return pa.table([pa.array(rows, kind)], schema=pa.schema([pa.field("s", kind, nullable)]))


def of(**options):
    """Options of the column `n`."""
    return ours(columns={"n": options})


@dataclasses.dataclass
class Pair:
    """`first` and `second` are made into files; the one difference is `what`, and `said` is in the sentence.

    `level` is the lowest that shows it.
    """

    name: str
    first: Callable[[], bytes]
    second: Callable[[], bytes]
    what: str
    said: str
    level: str = "footer"


def types(name, first, second, said, values=((1, 2, 3), (1, 2, 3))):
    """A pair whose column `x` has another type."""
    return Pair(name, lambda: ours(one(first, values[0])), lambda: ours(one(second, values[1])), "type", said)


RENAMED_FIELD = pa.table({"s": [{"a": i, "c": i} for i in range(100)]})
DECIMALS = (Decimal("1.20"), Decimal("3.40"))
BASE = ours
PAIRS = [
    # Schema.
    Pair("a column more", BASE, lambda: ours(TABLE.append_column("new", pa.array(IDS))), "column-added", "`new`"),
    Pair("a column fewer", BASE, lambda: ours(TABLE.drop(["price"])), "column-removed", "`price` is gone"),
    Pair("a field of a struct more", lambda: ours(struct("a")), lambda: ours(struct("a", "b")), "column-added", "`s.b`"),
    Pair("a name in another case", BASE, lambda: ours(TABLE.rename_columns(["id", "Price", "city", "n"])), "name-case",
         "`price` of the first file and `Price` of the second file differ in case only"),
    Pair("renamed, with its field id",
         lambda: ours(columns={"n": {"field_id": 4}}),
         lambda: ours(TABLE.rename_columns(["id", "price", "city", "m"]), columns={"m": {"field_id": 4}}),
         "column-renamed", "`n` of the first file and `m` of the second file have the same field id, 4"),
    Pair("renamed, by its values", BASE, lambda: ours(TABLE.rename_columns(["id", "price", "town", "n"])), "column-renamed",
         "The second file holds the same rows as the first file. `city` is now `town`: same values.", "data"),
    Pair("a field of a struct renamed", lambda: ours(struct("a", "b")), lambda: ours(RENAMED_FIELD), "column-renamed",
         "`s.b` is now `s.c`: same values.", "data"),
    Pair("moved", BASE, lambda: ours(TABLE.select(["id", "city", "n", "price"])), "column-order", "`price` stands elsewhere"),
    types("wider integers", pa.int32(), pa.int64(), "`x` is INT64 in place of INT32: values are kept, in a wider type"),
    types("narrower integers", pa.int64(), pa.int32(), "`x` is INT32 in place of INT64: values may be lost"),
    types("unsigned", pa.int32(), pa.uint32(), "values change their meaning (the highest bit is a sign in one of them)"),
    types("wider floats", pa.float32(), pa.float64(), "`x` is DOUBLE in place of FLOAT: values are kept"),
    types("narrower floats", pa.float64(), pa.float32(), "`x` is FLOAT in place of DOUBLE: values may be lost"),
    types("integers to floats", pa.int64(), pa.float64(), "values may be lost (integers beyond 2^53 are rounded)"),
    types("more digits", pa.decimal128(7, 2), pa.decimal128(9, 2), "values are kept, in a wider type (7 digits become 9", (DECIMALS, DECIMALS)),
    types("fewer digits after the point", pa.decimal128(9, 3), pa.decimal128(9, 2), "3 digits after the point become 2", (DECIMALS, DECIMALS)),
    Pair("decimals stored in another type",
         lambda: ours(one(pa.decimal128(9, 2), DECIMALS), columns={"x": {"physical_type": "INT32"}}),
         lambda: ours(one(pa.decimal128(9, 2), DECIMALS), columns={"x": {"physical_type": "INT64"}}),
         "type", "values only look different (the same decimals, stored in another physical type)"),
    types("a finer unit", pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC"), "values are kept, in a wider type (ms become us"),
    types("a coarser unit", pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), "values may be lost (us become ms)"),
    types("no zone", pa.timestamp("us", "UTC"), pa.timestamp("us"), "values change their meaning (instants in UTC become local times)"),
    types("days to times", pa.date32(), pa.timestamp("us"), "a day becomes its midnight"),
    types("text to bytes", pa.string(), pa.binary(), "values only look different (the same bytes, no longer said to be text)", ("ab", (b"a", b"b"))),
    types("text to numbers", pa.string(), pa.int64(), "INT64 is another kind of value than STRING", ("12", (1, 2))),
    Pair("required", BASE, lambda: ours(required(TABLE, "n")), "nullability", "`n` is required in place of optional"),
    Pair("a required struct", lambda: ours(struct("a", "b")), lambda: ours(struct("a", "b", nullable=False)), "nullability",
         "`s` is required in place of optional"),
    Pair("lists of two levels",
         lambda: ours(pa.table({"l": [[1, 2], [3]]})),
         lambda: ours(pa.table({"l": [[1, 2], [3]]}), columns={"l": {"list_shape": "two-level"}}),
         "list-layout", "he lists of `l` are laid out as two-level repeated field in place of three-level"),
    Pair("no field ids", lambda: of(field_id=9), BASE, "field-ids", "he first file has field ids for `n`"),
    # Layout.
    Pair("codec", BASE, lambda: ours(codec="ZSTD"), "codec", "the codec of all 4 columns is ZSTD in place of SNAPPY"),
    Pair("codec of one column", BASE, lambda: ours(columns={"id": {"codec": "UNCOMPRESSED"}}), "codec", "of `id` is UNCOMPRESSED in place of SNAPPY"),
    Pair("encoding", lambda: ours(encoding="PLAIN"), lambda: ours(encoding="PLAIN", columns={"id": {"encoding": "DELTA_BINARY_PACKED"}}),
         "encoding", "the encoding of `id` is DELTA_BINARY_PACKED in place of PLAIN"),
    Pair("no dictionary", lambda: ours(encoding="RLE_DICTIONARY"), lambda: ours(encoding="RLE_DICTIONARY", columns={"city": {"encoding": "PLAIN"}}),
         "encoding", "he encoding of `city` is PLAIN in place of RLE_DICTIONARY"),
    Pair("dictionary given up", lambda: theirs(TABLE), lambda: theirs(TABLE, dictionary_pagesize_limit=4_000, write_batch_size=100),
         "encoding", "is RLE_DICTIONARY and PLAIN in place of RLE_DICTIONARY"),
    Pair("row groups", BASE, lambda: ours(row_group_rows=500), "row-groups", "8 row groups of 500 rows in place of 2 row groups of 2,000 rows"),
    Pair("pages", lambda: ours(page_rows=1_000), lambda: ours(page_rows=100), "pages", "the number of data pages of all 4 columns is 20 in place of 2"),
    Pair("page version", BASE, lambda: ours(page_version=2), "page-version", "the version of the data pages of all 4 columns is 2 in place of 1", "pages"),
    Pair("no checksums", BASE, lambda: ours(checksum=False), "checksums", "nly the first file has page checksums (on all pages) for all 4 columns", "pages"),
    # Statistics.
    Pair("no statistics", BASE, lambda: of(statistics=()), "statistics", "nly the first file has statistics"),
    Pair("no null counts", BASE, lambda: of(statistics_fields=("bounds", "exactness")), "statistics",
         "he statistics of `n` are bounds, exactness in place of bounds, exactness, null count"),
    Pair("bounds that are cut off", BASE, lambda: ours(columns={"city": {"statistics_bytes": 4}}), "bounds", "he bounds of `city` in row group 0 are city … citz in place of city 0 … city 9. Bounds may be cut off"),
    Pair("no page index", BASE, lambda: of(column_index=False, offset_index=False), "page-index", "nly the first file has a page index"),
    Pair("a Bloom filter", BASE, lambda: of(bloom_filter=True), "bloom-filter", "nly the second file has a Bloom filter (47 B) for `n`"),
    Pair("no size statistics", BASE, lambda: of(size_statistics=False), "size-statistics", "nly the first file has size statistics for `n`"),
    # The whole file.
    Pair("writer", BASE, lambda: ours(created_by="someone else 2.0"), "writer", "he writer is someone else 2.0 in place of"),
    Pair("a key more", BASE, lambda: ours(key_value_metadata={"note": "hello"}), "key-value", "nly the second file has the key 'note'"),
    Pair("another value of a key", lambda: ours(key_value_metadata={"note": "hello"}), lambda: ours(key_value_metadata={"note": "help"}), "key-value",
         "'note' differs from character 3 on: 'p' in place of 'lo'"),
    Pair("a key more, which the schema of Arrow repeats", lambda: theirs(), lambda: theirs(TABLE.replace_schema_metadata({"note": "hello"})), "key-value",
         "nly the second file has the key 'note'"),
    Pair("another type by the schema of Arrow", lambda: theirs(), lambda: theirs(replaced("city", CITIES.cast(pa.large_string()))), "key-value",
         "ARROW:schema declares `city` as large_string in place of string."),
    Pair("a value of a key in base64", lambda: ours(key_value_metadata={"blob": "QUJD" * 30}), lambda: ours(key_value_metadata={"blob": "QUJE" * 31}), "key-value",
         "'blob' has another value: 124 characters in place of 120."),
    Pair("a key of a column more", BASE, lambda: of(key_values={"note": "hello"}), "chunk-key-values", "nly the second file has key-value metadata (note = hello) for `n`"),
    Pair("root", BASE, lambda: ours(root_name="spark_schema"), "root", "name of the schema's root is spark_schema in place of schema"),
    Pair("order of rows", BASE, lambda: ours(sorting_columns=[("id", False, False)]), "sorting", "nly the second file says the declared order of rows: id ascending"),
    Pair("order of floats", BASE, lambda: ours(columns={"price": {"column_order": "IEEE_754_TOTAL_ORDER"}}), "column-orders", "he declared order of values is TYPE_ORDER and IEEE_754_TOTAL_ORDER in place of TYPE_ORDER"),
    # Values.
    Pair("one value", BASE, lambda: ours(changed("price", 2_345, 0.5)), "values", "`price` has other values in 1 row; the first is row 2,345: 0.5 in place of 0.", "data"),
    Pair("one null", BASE, lambda: ours(changed("city", 17, None)), "values", "`city` has other values in 1 row; the first is row 17: null in place of 'city", "data"),
    Pair("a null, by the footer", BASE, lambda: ours(changed("city", 17, None)), "null-count", "`city` has 1 null in place of 0 in row group 0"),
    Pair("a larger max, by the footer", lambda: theirs(TABLE, use_dictionary=False, compression="none"),
         lambda: theirs(changed("id", ROWS - 1, 9_999), use_dictionary=False, compression="none"), "bounds", "he bounds of `id` in row group 0 are 0 … 9999 in place of 0 … 3999"),
    Pair("rows more", BASE, lambda: ours(pa.concat_tables([TABLE, TABLE.slice(0, 3)])), "rows",
         "4,003 rows, the first 4,000: 3 more. They are the same up to row 4,000; 0 rows of the first are not in the second, 3", "data"),
    Pair("rows fewer, by the footer", BASE, lambda: ours(TABLE.slice(0, 3_000)), "rows", "smaller than the first file, because it has 1,000 fewer rows"),
    Pair("another order of rows", BASE, lambda: ours(TABLE.take(np.random.default_rng(3).permutation(ROWS))), "row-order",
         "The second file holds the same rows as the first file in another order", "data"),
    Pair("level of the codec", lambda: ours(codec="ZSTD", codec_level=1), lambda: ours(codec="ZSTD", codec_level=19), "compression",
         "for nearly as many bytes before compression"),
    Pair("a longer text, without a codec and by the footer", lambda: ours(**BARE), lambda: ours(changed("city", 17, "city 4711"), **BARE), "size",
         "and nothing that was read says why. Level pages or data may show why."),
]  # fmt: skip
