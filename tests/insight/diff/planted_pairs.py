"""Pairs that differ in one thing, by several writers: the kind of Pair that `diff_pairs` has, harder to tell apart."""

import io
from decimal import Decimal

import numpy as np
import pyarrow as pa
from insight.diff.diff_pairs import BASE, DECIMALS, IDS, ROWS, TABLE, Pair, changed, of, one, ours, theirs
from needs import has, require_duckdb

STAMPS = TABLE.append_column("ts", pa.array(IDS * 1_000_000, pa.timestamp("us", "UTC")))
LISTS = pa.table({"l": pa.array([[i, i + 1] for i in range(600)])})
FLOATS = [1.5, 0.0, 2.5, 3.0] * 100
# Older versions do not write whether a bound is exact.
EXACTNESS = " exactness," if has("pyarrow", "22") else ""


def duckdb(tmp, table=TABLE, options=""):
    import duckdb

    require_duckdb()
    path = str(tmp / "duckdb.parquet")
    with duckdb.connect() as connection:
        connection.register("t", table)
        connection.execute(f"COPY (SELECT * FROM t) TO '{path}' (FORMAT parquet{options})")
    return open(path, "rb").read()


def polars(tmp, table=TABLE, **options):
    import polars

    out = io.BytesIO()
    polars.from_arrow(table).write_parquet(out, **options)
    return out.getvalue()


def fastparquet(tmp, table=TABLE, **options):
    import fastparquet

    path = str(tmp / "fastparquet.parquet")
    fastparquet.write(path, table.to_pandas(), **options)
    return open(path, "rb").read()


def by(writer, first, second, what, said, level="footer"):
    """A pair of files of another writer: `first` and `second` are its table and options."""
    name = f"{writer.__name__}: {said[:40]}"
    return Pair(name, lambda tmp: writer(tmp, **first), lambda tmp: writer(tmp, **second), what, said, level)


def floats(values):
    return ours(pa.table({"x": pa.array(values, pa.float64())}))


def bits(pattern):
    values = np.array([1.0, 2.0, 3.0] * 50)
    values.view(np.uint64)[7] = pattern
    return floats(values)


def last(kind, value, *others):
    """A column of 50 rows, the last of which is `value`."""
    return ours(pa.table({"x": pa.array([*others] * 49 + [value], kind)}))


TEXT = TABLE["city"][17].as_py()
NEXT = float(np.nextafter(TABLE["price"][100].as_py(), 2))
LIST, MAP = pa.list_(pa.int64()), pa.map_(pa.string(), pa.int64())
STRUCT = pa.struct([("a", pa.int64())])
TWICE = pa.concat_tables([TABLE.slice(0, 100), TABLE.slice(99, 1), TABLE.slice(101)])

PLANTED = [
    by(duckdb, {}, {"options": ", CODEC 'zstd'"}, "codec", "the codec of all 4 columns is ZSTD in place of SNAPPY"),
    by(duckdb, {}, {"options": ", ROW_GROUP_SIZE 2048"}, "row-groups", "in 2 row groups of about 2,048 rows in place of 1 row group"),
    by(duckdb, {}, {"table": changed("price", 2_345, 0.5)}, "values", "`price` has other values in 1 row; the first is row 2,345: 0.5", "data"),
    by(duckdb, {}, {"table": changed("city", 3, None)}, "values", "`city` has other values in 1 row; the first is row 3: null", "data"),
    by(duckdb, {}, {"options": ", KV_METADATA {note: 'x'}"}, "key-value", "nly the second file has the key 'note' in its metadata (1 character)"),
    by(duckdb, {}, {"table": TABLE.rename_columns(["id", "PRICE", "city", "n"])}, "name-case", "`price` of the first file and `PRICE`"),
    by(polars, {}, {"compression": "gzip"}, "codec", "the codec of all 4 columns is GZIP in place of ZSTD"),
    by(polars, {}, {"metadata": {"k": "v"}}, "key-value", "nly the second file has the key 'k'"),
    by(polars, {}, {"table": TABLE.take(list(range(ROWS - 1, -1, -1)))}, "row-order", "the same rows as the first file in another order", "data"),
    by(polars, {}, {"table": TABLE.select(["price", "id", "city", "n"])}, "column-order", "stands elsewhere"),
    by(fastparquet, {}, {"compression": "GZIP"}, "codec", "the codec of all 4 columns is GZIP in place of UNCOMPRESSED"),
    by(fastparquet, {}, {"row_group_offsets": 1_000}, "row-groups", "4 row groups of 1,000 rows in place of 1 row group of 4,000"),
    by(fastparquet, {"has_nulls": False}, {"has_nulls": True}, "nullability", "`id`, `price`, `city` and `n` are optional in place of required"),
    by(fastparquet, {"table": STAMPS}, {"table": STAMPS, "times": "int96"}, "type", "`ts` is INT96 in place of TIMESTAMP(µs, UTC)"),
    Pair("INT96, with the values", lambda: theirs(STAMPS), lambda: theirs(STAMPS, use_deprecated_int96_timestamps=True), "type",
         "The second file holds the same rows as the first file. The type of `ts` is INT96", "data"),
    Pair("names in a list", lambda: theirs(LISTS, store_schema=False), lambda: theirs(LISTS, store_schema=False, use_compliant_nested_type=False), "list-names",
         "field in the list `l` is called `item` in place of `element`"),
    Pair("another field id", lambda: of(field_id=4), lambda: of(field_id=5), "field-id", "`n` has the field id 5 in place of 4"),
    Pair("a zero of the other sign", lambda: floats(FLOATS), lambda: floats([*FLOATS[:41], -0.0, *FLOATS[42:]]), "float-bits",
         "`x` has the same values with other bits in 1 row; the first is row 41: -0.0 in place of 0.0", "data"),
    Pair("a payload of NaN", lambda: bits(0x7FF8000000000000), lambda: bits(0x7FF8000000000001), "float-bits",
         "row 7: NaN of the bits 0x7ff8000000000001 in place of NaN of the bits 0x7ff8000000000000", "data"),
    Pair("the last bit of a number", BASE, lambda: ours(changed("price", 100, NEXT)), "values", f"row 100: {NEXT!r} in place of", "data"),
    Pair("a space at the end", BASE, lambda: ours(changed("city", 17, f"{TEXT} ")), "values", f"row 17: '{TEXT} ' in place of '{TEXT}'", "data"),
    Pair("an empty list for a null", lambda: last(LIST, [], [1]), lambda: last(LIST, None, [1]), "values", "row 49: null in place of []", "data"),
    Pair("a list of a null", lambda: last(LIST, [], [1]), lambda: last(LIST, [None], [1]), "values", "row 49: [null] in place of []", "data"),
    Pair("a struct of a null", lambda: last(STRUCT, None, {"a": 1}), lambda: last(STRUCT, {"a": None}, {"a": 1}), "values",
         "row 49: {'a': null} in place of null", "data"),
    Pair("entries of a map", lambda: last(MAP, [("a", 1), ("b", 2)], [("a", 1)]), lambda: last(MAP, [("b", 2), ("a", 1)], [("a", 1)]), "values",
         "row 49: [{'key': 'b'", "data"),
    Pair("row groups in another order", BASE, lambda: ours(pa.concat_tables([TABLE.slice(2_000), TABLE.slice(0, 2_000)])), "row-order",
         "the same rows as the first file in another order", "data"),
    Pair("a row twice in place of another", lambda: ours(TABLE.select(["price"])), lambda: ours(TWICE.select(["price"])), "values",
         "`price` has other values in 1 row; the first is row 100", "data"),
    Pair("another scale", lambda: ours(one(pa.decimal128(9, 2), DECIMALS)), lambda: ours(one(pa.decimal128(9, 3), DECIMALS)), "type",
         "holds the same rows as the first file. The type of `x` is DECIMAL(9, 3) in INT32 in place of DECIMAL(9, 2)", "data"),
    Pair("another precision", lambda: ours(one(pa.decimal128(7, 2), DECIMALS)), lambda: ours(one(pa.decimal128(9, 2), DECIMALS)), "type",
         "values are kept, in a wider type (7 digits become 9)."),
    Pair("a digit of a decimal", lambda: ours(one(pa.decimal128(9, 2), DECIMALS)), lambda: ours(one(pa.decimal128(9, 2), (DECIMALS[0], Decimal("3.41")))),
         "values", "row 1: 3.41 in place of 3.40", "data"),
    Pair("JSON", BASE, lambda: ours(columns={"city": {"logical_type": "JSON"}}), "type", "text, annotated as JSON in place of STRING"),
    Pair("a Hadoop frame", lambda: ours(codec="LZ4_RAW"), lambda: ours(codec="LZ4"), "codec", "is LZ4 in place of LZ4_RAW"),
    Pair("statistics of one column only", lambda: theirs(TABLE), lambda: theirs(TABLE, write_statistics=["id"]), "statistics",
         f"nly the first file has statistics (bounds, deprecated bounds,{EXACTNESS} null count) for `price`, `city` and `n`"),
    Pair("one encoding", lambda: theirs(TABLE, use_dictionary=False), lambda: theirs(TABLE, use_dictionary=False, use_byte_stream_split=["price"]),
         "encoding", "the encoding of `price` is BYTE_STREAM_SPLIT in place of PLAIN"),
    Pair("the schema of Arrow", lambda: theirs(TABLE), lambda: theirs(TABLE, store_schema=False), "key-value", "nly the first file has the key 'ARROW:schema'"),
    Pair("two columns of a type, exchanged", lambda: ours(pa.table({"a": IDS, "b": IDS * 2})), lambda: ours(pa.table({"b": IDS * 2, "a": IDS})),
         "column-order", "holds the same rows as the first file. `b` stands elsewhere", "data"),
]  # fmt: skip
