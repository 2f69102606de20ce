"""Files with what is newest and rare in pyarrow, DuckDB and polars: one function a file."""

import datetime
import decimal
import uuid

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 300
N = range(ROWS)


def nullable(values, kind):
    """The values, each fifth null."""
    return pa.array([None if at % 5 == 0 else value for at, value in enumerate(values)], kind)


def arrow_types():
    """Columns of many types, with nulls."""
    texts = [f"text {at % 40}" for at in N]
    numbers = {
        "float16": nullable([at / 8 for at in N], pa.float16()),
        "uint64": nullable([2**64 - 1 - at for at in N], pa.uint64()),
        "decimal32": nullable([decimal.Decimal(at) / 100 for at in N], pa.decimal32(7, 2)),
        "decimal64": nullable([decimal.Decimal(at) / 100 for at in N], pa.decimal64(15, 2)),
        "decimal256": nullable([decimal.Decimal(at) for at in N], pa.decimal256(60, 3)),
    }
    times = {
        "date64": nullable([at * 86_400_000 for at in N], pa.date64()),
        "time32": nullable([at * 1000 for at in N], pa.time32("ms")),
        "time64": nullable([at * 1000 for at in N], pa.time64("ns")),
        "duration": nullable(list(N), pa.duration("us")),
        "zone": nullable([at * 10**9 for at in N], pa.timestamp("ns", "Europe/Oslo")),
    }
    bytes_ = {
        "large_string": nullable(texts, pa.large_string()),
        "string_view": nullable(texts, pa.string_view()),
        "binary_view": nullable([text.encode() for text in texts], pa.binary_view()),
        "dictionary": nullable(texts, pa.string()).dictionary_encode(),
        "uuid": nullable([uuid.UUID(int=at).bytes for at in N], pa.uuid()),
        "json": nullable([f'{{"a": {at}}}' for at in N], pa.json_()),
        "null": pa.nulls(ROWS),
    }
    nested = {
        "fixed_list": nullable([[at, None, at] for at in N], pa.list_(pa.int32(), 3)),
        "large_list": nullable([[at] * (at % 4) for at in N], pa.large_list(pa.int64())),
        "map": nullable([[(f"k{at % 3}", at)] for at in N], pa.map_(pa.string(), pa.int32())),
        "deep": nullable([[{"x": [at] * (at % 3)}] * (at % 2) for at in N],
            pa.list_(pa.struct([("x", pa.list_(pa.int16()))]))),
    }  # fmt: skip
    return pa.table(numbers | times | bytes_ | nested)


def arrow(path, **options):
    """`arrow_types` by pyarrow."""
    pq.write_table(arrow_types(), path, row_group_size=130, **options)


def arrow_encodings(path):
    """Encodings chosen by column."""
    table = arrow_types().select(["float16", "uint64", "decimal64", "large_string", "uuid"])
    chosen = dict.fromkeys(("float16", "decimal64", "uuid"), "BYTE_STREAM_SPLIT")
    chosen |= {"uint64": "DELTA_BINARY_PACKED", "large_string": "DELTA_BYTE_ARRAY"}
    pq.write_table(table, path, use_dictionary=False, column_encoding=chosen)


def arrow_order(path):
    """Sorting columns, field ids and key-values."""
    id_ = pa.field("id", pa.int64(), nullable=False, metadata={b"PARQUET:field_id": b"7"})
    schema = pa.schema([id_], metadata={b"note": b"keep me"})
    table = pa.table([list(N)], schema=schema)
    pq.write_table(table, path, sorting_columns=[pq.SortingColumn(0)], write_page_index=True)


def arrow_bloom(path):
    """Bloom filters, and pages of few rows."""
    table = arrow_types().select(["uint64", "large_string"])
    pq.write_table(table, path, bloom_filter_options={"uint64": {"ndv": ROWS}}, max_rows_per_page=50)


def duck(sql):
    """What DuckDB writes of a query."""

    def write(path):
        duckdb.connect().execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")

    return write


def duck_v2(path):
    """Version 2 by DuckDB, with its encodings and Bloom filters."""
    duckdb.connect().execute(
        "COPY (SELECT i, (i % 50)::VARCHAR AS s, i / 3.0 AS d FROM range(2500) t(i)) "
        f"TO '{path}' (FORMAT parquet, PARQUET_VERSION V2, COMPRESSION zstd)"
    )


def polars(path):
    """Types that polars has of its own."""
    day = datetime.date(2026, 1, 1)
    pl.DataFrame(
        {
            "category": pl.Series([f"c{at % 5}" for at in N], dtype=pl.Categorical),
            "enum": pl.Series([("a", "b")[at % 2] for at in N], dtype=pl.Enum(["a", "b"])),
            "int128": pl.Series(list(N), dtype=pl.Int128),
            "array": pl.Series([[at, at + 1] for at in N], dtype=pl.Array(pl.Int16, 2)),
            "duration": [datetime.timedelta(milliseconds=at) for at in N],
            "time": [datetime.time(at % 24, at % 60) for at in N],
            "day": [day + datetime.timedelta(at) for at in N],
            "decimal": pl.Series([decimal.Decimal(at) for at in N], dtype=pl.Decimal(20, 4)),
            "null": [None] * ROWS,
            "list": [[{"x": at}] * (at % 3) for at in N],
        }
    ).write_parquet(path, row_group_size=130, data_page_size=500, statistics="full")


NUMBERED = "FROM range(2500) t(i)"
WRITTEN = {
    "pyarrow": arrow,
    "pyarrow, V2 pages, checksums": lambda path: arrow(
        path, data_page_version="2.0", write_page_checksum=True, compression="zstd"
    ),
    "pyarrow, content-defined chunks": lambda path: arrow(path, use_content_defined_chunking=True),
    "pyarrow, version 1.0": lambda path: arrow(path, version="1.0", use_deprecated_int96_timestamps=True),
    "pyarrow, decimals as integers": lambda path: arrow(path, store_decimal_as_integer=True),
    "pyarrow, without the Arrow schema": lambda path: arrow(path, store_schema=False),
    "pyarrow, Brotli": lambda path: arrow(path, compression="brotli", dictionary_pagesize_limit=99),
    "pyarrow, encodings": arrow_encodings,
    "pyarrow, order": arrow_order,
    "pyarrow, Bloom filters": arrow_bloom,
    "DuckDB, V2": duck_v2,
    "DuckDB, numbers": duck(
        f"SELECT i::HUGEINT AS h, i::UHUGEINT AS u, (i % 100)::UTINYINT AS b, i::DECIMAL(38, 3) AS d {NUMBERED}"),
    "DuckDB, times": duck(
        "SELECT to_timestamp(i) AS z, make_timestamp_ns(i) AS ns, INTERVAL (i) MINUTE AS v, '10:11:12+02'::TIMETZ AS t, "
        f"TIME '10:11:12' AS l {NUMBERED}"
    ),
    "DuckDB, texts": duck(
        f"SELECT uuid() AS u, (i % 9)::VARCHAR::ENUM ('0','1','2','3','4','5','6','7','8') AS e, '101'::BIT AS b, "
        f"'x'::BLOB AS x, '{{\"a\": 1}}'::JSON AS j {NUMBERED}"
    ),
    "DuckDB, nested": duck(
        "SELECT [i, NULL] AS l, [i, i]::BIGINT[2] AS a, MAP {i: 'x'} AS m, {'x': i, 'y': [i::VARCHAR]} AS s "
        f"{NUMBERED}"
    ),
    "DuckDB, VARIANT": duck(
        f"SELECT CASE i % 3 WHEN 0 THEN i::VARIANT WHEN 1 THEN {{'a': i, 'b': 'text'}}::VARIANT ELSE NULL END AS v {NUMBERED}"),
    "polars": polars,
}  # fmt: skip
