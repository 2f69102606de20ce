"""Files of many natures by several writers, and the options with which they are written anew."""

import datetime
import decimal

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from needs import arrow_takes, has

import pqexplore
from pqexplore.engine.format.thrift.structs import Type

ROWS = 30_000


def integers(random):
    """Sorted, random and few integers of both widths."""
    return {
        "id": pa.array(range(ROWS), pa.int64()),
        "random": random.integers(0, 1 << 40, ROWS),
        "few": pa.array(random.integers(0, 200, ROWS), pa.int32()),
        "growing": np.cumsum(random.integers(0, 50, ROWS)),
    }


def long_text(random):
    """Sentences of a few words, and values that share a beginning."""
    words = [f"word{i:x}" for i in range(900)]
    lengths = random.integers(5, 30, ROWS // 4)
    return {
        "comment": [" ".join(random.choice(words, n)) for n in lengths],
        "url": [f"https://example.com/{i % 37}/{i * 7919 % 100_003}" for i in range(ROWS // 4)],
    }


def few_texts(random):
    """Texts with few distinct values, in runs and not."""
    cities = np.array([f"city {i}" for i in range(300)])
    return {
        "city": cities[random.integers(0, 300, ROWS)],
        "country": cities[np.sort(random.integers(0, 40, ROWS))],
        "status": pa.array([("new", "open", "closed", None)[i] for i in random.integers(0, 4, ROWS)]),
    }


def floats(random):
    """Noise, a smooth curve, and prices with two digits."""
    return {
        "noise": random.normal(size=ROWS),
        "smooth": np.sin(np.arange(ROWS) / 1_000),
        "price": random.integers(0, 100_000, ROWS) / 100,
        "single": pa.array(random.normal(size=ROWS), pa.float32()),
    }


def decimals(random):
    """Decimals of several widths."""
    cents = [decimal.Decimal(int(i)).scaleb(-2) for i in random.integers(0, 1_000_000, ROWS)]
    return {
        name: pa.array(cents, pa.decimal128(digits, 2))
        for name, digits in (("small", 9), ("medium", 18), ("large", 38))
    }


def times(random):
    """Timestamps that grow, dates, times of day."""
    begin = 1_700_000_000_000_000
    return {
        "at": pa.array(begin + np.cumsum(random.integers(0, 90_000_000, ROWS)), pa.timestamp("us")),
        "zoned": pa.array(begin // 1000 + random.integers(0, 10**9, ROWS), pa.timestamp("ms", "UTC")),
        "day": pa.array(np.sort(random.integers(19_000, 19_900, ROWS)).astype(np.int32), pa.date32()),
        "clock": pa.array(random.integers(0, 86_400_000_000, ROWS), pa.time64("us")),
    }


def nulls(random):
    """Booleans and numbers with nulls: few, many, only."""
    return {
        "flag": pa.array(random.random(ROWS) < 0.5, mask=random.random(ROWS) < 0.1),
        "runs": pa.array(np.arange(ROWS) // 500 % 2 == 0),
        "sparse": pa.array(random.integers(0, 1 << 30, ROWS), mask=random.random(ROWS) < 0.95),
        "none": pa.nulls(ROWS, pa.int64()),
    }


LINE = pa.list_(pa.struct([("sku", pa.int32()), ("price", pa.float64())]))


def nested(random):
    """A list, a struct, a map, and a list of structs."""
    count = ROWS // 6
    lengths, words = random.integers(0, 6, count), pa.map_(pa.string(), pa.int32())
    return {
        "tags": pa.array([[f"t{v}" for v in random.integers(0, 50, n)] for n in lengths]),
        "point": pa.array([{"x": float(i), "y": None if i % 3 else i} for i in range(count)]),
        "pairs": pa.array([[(f"k{i % 7}", i % 1_000)] * (i % 3) for i in range(count)], words),
        "lines": pa.array([[{"sku": i % 90, "price": i / 4}] * (i % 4) for i in range(count)], LINE),
    }


def wide(random):
    """200 columns of few rows: the footer is a large part."""
    return {f"c{i:03d}": random.integers(0, 10 ** (1 + i % 8), 800) for i in range(200)}


def mixed(random):
    """What many tables look like: keys, names, amounts, days."""
    start = datetime.date(2024, 1, 1)
    return {
        "key": random.permutation(ROWS),
        "name": [f"customer {i:06d}" for i in random.integers(0, 3_000, ROWS)],
        "amount": np.round(random.lognormal(3, 1, ROWS), 2),
        "day": [start + datetime.timedelta(int(i)) for i in np.sort(random.integers(0, 365, ROWS))],
    }


def fallback(random):
    """Texts whose dictionary is full in the middle of the chunk."""
    return {
        "name": [f"{'x' * 60}{i:06d}" for i in random.integers(0, ROWS, ROWS)],
        "grows": [f"value number {random.integers(0, 1 + i)}" for i in range(ROWS)],
    }


def _pyarrow(**options):
    return lambda table, path: pq.write_table(table, path, **options)


def _duckdb(table, path):
    with duckdb.connect() as connection:
        connection.register("source", table)
        connection.execute(f"COPY source TO '{path}' (FORMAT parquet)")


def _polars(table, path):
    pl.from_arrow(table).write_parquet(path)


def _ours(**options):
    return lambda table, path: pqexplore.write(table, path, pqexplore.WriteOptions(**options))


FILES = {
    "integers": (integers, _pyarrow()),
    "long text": (long_text, _polars),
    "few texts": (few_texts, _duckdb),
    "floats": (floats, _pyarrow(compression="zstd", data_page_version="2.0")),
    "decimals": (decimals, _ours(row_group_rows=9_000)),
    "times": (times, _pyarrow(row_group_size=10_000)),
    "nulls": (nulls, _pyarrow(use_dictionary=False, write_page_index=True)),
    "nested": (nested, _pyarrow(row_group_size=2_000)),
    "wide": (wide, _pyarrow()),
    "many row groups": (mixed, _pyarrow(row_group_size=400)),
    "several pages": (mixed, _ours(page_rows=3_000, codec="ZSTD")),
    "dictionary fallback": (fallback, _pyarrow()),
}
"""How the table is made, and how it is written."""


def _second_encodings(schema):
    """A delta encoding or BYTE_STREAM_SPLIT for each column that takes one."""
    known = {
        "INT32": "DELTA_BINARY_PACKED",
        "INT64": "DELTA_BINARY_PACKED",
        "BYTE_ARRAY": "DELTA_BYTE_ARRAY",
        "FIXED_LEN_BYTE_ARRAY": "BYTE_STREAM_SPLIT",
        "FLOAT": "BYTE_STREAM_SPLIT",
        "DOUBLE": "BYTE_STREAM_SPLIT",
        "BOOLEAN": "RLE",
    }
    return {leaf.path: known[Type(leaf.physical_type).name] for leaf in schema.leaves}


OPTIONS = {
    "best": None,
    "plain": {"codec": "SNAPPY", "encoding": "PLAIN"},
    "zstd, pages V2": {"codec": "ZSTD", "codec_level": 3, "page_version": 2},
    "small pages": {"page_bytes": 8_000, "codec": "LZ4_RAW"},
    "small row groups": {"row_group_rows": 1_234, "codec": "GZIP"},
    "other encodings": {"encodings": _second_encodings, "codec": "ZSTD"},
}


def options(name, trial, schema):
    """One of `OPTIONS` for a file."""
    given = OPTIONS[name]
    if given is None:
        return trial.best
    return pqexplore.WriteOptions(**{key: value(schema) if callable(value) else value for key, value in given.items()})


def write(name, path):
    """Write one of `FILES`."""
    make, writer = FILES[name]
    writer(pa.table(make(np.random.default_rng(17))), path)


_COUNT = 500
_NUMBERS = np.arange(_COUNT)


def _decimal(precision):
    values = [decimal.Decimal(int(one) % 99) for one in _NUMBERS]
    return pa.array(values, pa.decimal128(precision, 0))


TYPES = {
    **{f"timestamp {unit}": (pa.array(_NUMBERS, pa.timestamp(unit)), {}) for unit in ("ms", "us", "ns")},
    "timestamp ms UTC": (pa.array(_NUMBERS, pa.timestamp("ms", "UTC")), {}),
    "INT96": (pa.array(_NUMBERS, pa.timestamp("us")), {"use_deprecated_int96_timestamps": True}),
    "time ms": (pa.array(_NUMBERS.astype(np.int32), pa.time32("ms")), {}),
    "time us": (pa.array(_NUMBERS, pa.time64("us")), {}),
    "time ns": (pa.array(_NUMBERS, pa.time64("ns")), {}),
    **{f"decimal {digits}": (_decimal(digits), {}) for digits in (4, 9, 18, 30, 38)},
    **(
        {
            "decimal on INT32": (_decimal(9), {"store_decimal_as_integer": True}),
            "decimal on INT64": (_decimal(18), {"store_decimal_as_integer": True}),
        }
        if arrow_takes("store_decimal_as_integer")
        else {}
    ),
    **({"float16": (pa.array(_NUMBERS.astype(np.float16)), {})} if has("pyarrow", "15") else {}),
    "fixed": (pa.array([b"abcd"] * _COUNT, pa.binary(4)), {}),
    **({"UUID": (pa.array([b"0123456789abcdef"] * _COUNT, pa.uuid()), {})} if has("pyarrow", "18") else {}),
    "uint8": (pa.array((_NUMBERS % 99).astype(np.uint8)), {}),
    "uint64": (pa.array(_NUMBERS.astype(np.uint64)), {}),
    "date": (pa.array(_NUMBERS.astype(np.int32), pa.date32()), {}),
    "text": (pa.array([str(one % 9) for one in _NUMBERS]), {}),
    "bytes": (pa.array([b"a"] * _COUNT), {}),
    "boolean": (pa.array(_NUMBERS % 2 == 0), {}),
}
"""A column of each type, and the options of pyarrow that write it so."""
