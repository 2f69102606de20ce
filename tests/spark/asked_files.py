"""Files of five writers for the tests of Spark's profile: sorted and not, NaN, ±0, nulls, dictionaries, Bloom filters,
page indexes, legacy statistics, decimals, dates, timestamps, structs."""

import decimal
import math
import pathlib
import random

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from insight.ask.profile_cases import change_footer, chunks_of

import pqexplore

N = 4000
"""Rows of most files, in four row groups."""
COUNT = np.arange(N)
PAGES = {"data_page_size": 1024, "write_batch_size": 50, "write_page_index": True}


def _decimals(digits):
    return pa.array([decimal.Decimal(k).scaleb(-2) for k in range(N)], pa.decimal128(digits, 2))


def sorted_types(path):
    """Every type that Spark pushes, and some that it does not; sorted, with pages of 50 rows and no dictionary."""
    table = pa.table(
        {
            "i": pa.array(COUNT, pa.int32()),
            "l": pa.array(COUNT, pa.int64()),
            "small": pa.array(COUNT // 100, pa.int8()),
            "u": pa.array(COUNT, pa.uint32()),
            "f": pa.array(COUNT / 4, pa.float32()),
            "d": pa.array(COUNT / 4, pa.float64()),
            "s": [f"k{k:05d}" for k in range(N)],
            "bin": pa.array([f"k{k:05d}".encode() for k in range(N)], pa.binary()),
            "day": pa.array(COUNT, pa.int32()).cast(pa.date32()),
            "ts": pa.array(COUNT * 1_000_000, pa.timestamp("us", "UTC")),
            "ms": pa.array(COUNT * 1_000, pa.timestamp("ms", "UTC")),
            "ntz": pa.array(COUNT * 1_000_000, pa.timestamp("us")),
            "dec9": _decimals(9),
            "dec30": _decimals(30),
            "b": COUNT >= 2000,
            "st": [{"x": k, "y": f"y{k:05d}"} for k in range(N)],
            "li": [[k] for k in range(N)],
        }
    )
    pq.write_table(table, path, row_group_size=1000, use_dictionary=False, store_decimal_as_integer=True, **PAGES)


def floats(path):
    """A NaN in each row group of `nan`; zeros of both signs, with a dictionary (`z`) and without (`plain`)."""
    zeros = [-0.0] * 1000 + [0.0] * 1000 + [1.0] * 2000
    table = pa.table(
        {
            "nan": [math.nan if k % 1000 == 7 else k / 2 for k in range(N)],
            "all_nan": [math.nan if k < 1000 else 1.5 for k in range(N)],
            "z": zeros,
            "plain": zeros,
            "f": pa.array([(k % 10) / 10 for k in range(N)], pa.float32()),
        }
    )
    dictionary = ["nan", "all_nan", "z", "f"]
    pq.write_table(table, path, row_group_size=1000, use_dictionary=dictionary, **PAGES)


def nulls(path):
    """Nulls only, some nulls, no nulls; one value and nulls; a struct that is null."""
    table = pa.table(
        {
            "n": pa.array([None if k < 1500 else k for k in range(N)], pa.int32()),
            "one": pa.array([None if k < 1000 else 5 if k < 3000 or k % 2 else None for k in range(N)]),
            "text": [None if k < 1000 else f"v{k % 7}" for k in range(N)],
            "st": [None if k < 1000 else {"x": k} for k in range(N)],
            "i": COUNT,
        }
    )
    pq.write_table(table, path, row_group_size=1000, **PAGES)


def dictionaries(path):
    """Few values in no order, in dictionaries: bounds skip nothing."""
    chance = random.Random(1)
    odd = [f"v{2 * chance.randrange(50) + 1:03d}" for _ in range(N)]
    table = pa.table(
        {
            "s": [f"v{50 if k // 1000 == 2 and k % 9 == 0 else 0:03d}" if k % 3 else odd[k] for k in range(N)],
            "i": pa.array([3 * chance.randrange(40) + (k // 1000 == 1) for k in range(N)], pa.int32()),
            "day": pa.array([k % 5 * 10 for k in range(N)], pa.int32()).cast(pa.date32()),
            "dec": pa.array([decimal.Decimal(k % 7 * 2) for k in range(N)], pa.decimal128(20, 0)),
            "plain": pa.array(COUNT % 100, pa.int64()),
        }
    )
    dictionary = ["s", "i", "day", "dec"]
    pq.write_table(table, path, row_group_size=1000, use_dictionary=dictionary, **PAGES)


def no_encoding_stats(path):
    """The same file with a footer that does not say which pages use the dictionary."""

    def change(metadata):
        for chunk in chunks_of(metadata):
            chunk.encoding_stats = None

    dictionaries(path)
    change_footer(pathlib.Path(path), change)


def blooms(path):
    """Bloom filters over even numbers in no order, by our writer; zeros of both signs; no dictionaries."""
    order = np.random.default_rng(2).permutation(N)
    table = pa.table(
        {
            "i": pa.array(order * 2, pa.int32()),
            "l": pa.array(order * 2, pa.int64()),
            "s": [f"e{2 * k:05d}" for k in order],
            "d": pa.array(np.where(order == 0, -0.0, order * 2.0), pa.float64()),
            "day": pa.array(order * 2, pa.int32()).cast(pa.date32()),
            "dec": pa.array([decimal.Decimal(int(2 * k)).scaleb(-2) for k in order], pa.decimal128(25, 2)),
        }
    )
    options = pqexplore.WriteOptions(
        row_group_rows=1000, page_rows=100, encoding="PLAIN", bloom_filter=True, bloom_filter_bytes=2048
    )
    pqexplore.write(table, path, options)


def _legacy(path, created_by, **beyond):
    table = pa.table(
        {
            "i": pa.array(COUNT, pa.int32()),
            "s": [f"k{k:05d}" for k in range(N)],
            "same": [f"g{k // 1000}" for k in range(N)],
            "dec": _decimals(9),
            "u": pa.array(COUNT, pa.uint32()),
            "d": COUNT / 2,
            "day": pa.array(COUNT, pa.int32()).cast(pa.date32()),
        }
    )
    options = pqexplore.WriteOptions(
        row_group_rows=1000,
        encoding="PLAIN",
        statistics_fields=("legacy", "null_count"),
        column_index=False,
        column_order=None,
        created_by=created_by,
        **beyond,
    )
    pqexplore.write(table, path, options)


def legacy(path):
    """Only the deprecated min and max, by a writer that is trusted."""
    _legacy(path, "pqexplore version 1")


def legacy_old(path):
    """Only the deprecated min and max, by a parquet-mr that has the bug PARQUET-251."""
    _legacy(path, "parquet-mr version 1.7.0 (build abc)")


def orders(path):
    """min_value and max_value without column_orders; pages of 100 rows, and one column without an offset index."""
    table = pa.table({"i": COUNT, "d": COUNT / 2, "s": [f"k{k:05d}" for k in range(N)], "x": COUNT})
    options = pqexplore.WriteOptions(
        row_group_rows=1000, page_rows=100, encoding="PLAIN", column_order=None, columns={"x": {"offset_index": False, "column_index": False}}
    )  # fmt: skip
    pqexplore.write(table, path, options)


def total_order(path):
    """Floats in IEEE 754 total order, with NaN in the bounds, beside a column of integers; pages of 100 rows."""
    table = pa.table({"d": [math.nan if k % 500 == 3 else k / 2 for k in range(N)], "i": COUNT})
    options = pqexplore.WriteOptions(
        row_group_rows=1000, page_rows=100, encoding="PLAIN", columns={"d": {"column_order": "IEEE_754_TOTAL_ORDER"}}
    )  # fmt: skip
    pqexplore.write(table, path, options)


def no_counts(path):
    """Bounds without null counts; text that is cut to 4 bytes; two columns sorted in opposite directions."""
    table = pa.table(
        {
            "n": pa.array([None if k % 10 == 0 else 5 for k in range(N)], pa.int32()),
            "s": [f"key{k // 1000}{k:05d}" for k in range(N)],
            "up": COUNT,
            "down": COUNT[::-1],
        }
    )
    options = pqexplore.WriteOptions(
        row_group_rows=1000,
        page_rows=100,
        encoding="PLAIN",
        statistics_fields=("bounds",),
        statistics_bytes=4,
        index_bytes=4,
    )
    pqexplore.write(table, path, options)


def unpushed(path):
    """ENUM, JSON, and DECIMAL in BYTE_ARRAY; sorted."""
    table = pa.table(
        {
            "e": [f"v{k // 1000}" for k in range(N)],
            "j": [f"{k // 1000}" for k in range(N)],
            "dec": pa.array([decimal.Decimal(k // 1000) for k in range(N)], pa.decimal128(25, 0)),
        }
    )
    columns = {"e": {"logical_type": "ENUM"}, "j": {"logical_type": "JSON"}, "dec": {"physical_type": "BYTE_ARRAY"}}
    pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=1000, encoding="PLAIN", columns=columns))


def by_duckdb(path):
    """DuckDB's: dictionaries, Bloom filters, no page index; signed and unsigned numbers, decimals, dates, text."""
    duckdb.sql(
        f"""COPY (SELECT (i * 7919 % 6144)::INT AS i, i::BIGINT AS l, (i % 40 * 2)::INT AS low, 'v' || (i % 40 * 2) AS s,
                  (i / 4)::DOUBLE AS d, (i / 100)::DECIMAL(9, 2) AS dec, DATE '1970-01-01' + i::INT AS day
           FROM range(6144) t(i)) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)"""
    )


def by_spark(session, folder):
    """Spark's: dictionaries, page indexes, Bloom filters on request; the path of its one file."""
    frame = session.range(0, 30000, 1, 1).selectExpr(
        "cast(id as int) as i", "concat('e', lpad(id * 7919 % 30000 * 2, 6, '0')) as s", "cast(id % 50 * 2 as int) as low",
        "cast(id / 100 as decimal(9, 2)) as dec", "date_add(DATE'1970-01-01', cast(id / 10 as int)) as day",
        "timestamp_micros(id * 1000000) as t96", "if(id % 10000 = 5, double('NaN'), id / 2) as nan",
    )  # fmt: skip
    writer = frame.write.option("parquet.bloom.filter.enabled#s", "true")
    writer = writer.option("parquet.bloom.filter.expected.ndv#s", "10000").option(
        "parquet.page.row.count.limit", "1000"
    )
    writer.option("parquet.block.row.count.limit", "10000").parquet(str(folder))
    return next(folder.glob("*.parquet"))


MADE = (
    *(sorted_types, floats, nulls, dictionaries, no_encoding_stats, blooms, legacy, legacy_old, orders, total_order, no_counts),
    *(unpushed, by_duckdb),
)  # fmt: skip


def make(session, folder):
    """All files, by name."""
    found = {}
    for maker in MADE:
        found[maker.__name__] = folder / f"{maker.__name__}.parquet"
        maker(str(found[maker.__name__]))
    found["by_spark"] = by_spark(session, folder / "by_spark")
    return found
