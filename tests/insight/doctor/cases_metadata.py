"""Files that the rules about values, metadata and encryption are about, and near misses."""

import base64
import json
import uuid

import numpy as np
import pyarrow as pa
from insight.doctor.doctor_cases import RANDOM, Case, nulls, written
from made import ours, rebuilt

DAYS = [f"2024-{1 + n % 12:02}-01" for n in range(2_000)]


def texts(values, **options):
    return written(pa.table({"s": values}), **options)


XY = pa.table({"x": pa.array([1], pa.int64()), "y": ["a"]})
INNER = {"nullable": True, "metadata": {}}


def keyed(key, value, table=XY):
    """A file with a pair of key-value metadata, JSON if the value is no text."""
    text = value if isinstance(value, str) else json.dumps(value)
    return ours(table, arrow_schema=False, key_value_metadata={key: text})


def arrow(*fields):
    return keyed("ARROW:schema", base64.b64encode(pa.schema(fields).serialize()).decode())


def spark(*fields):
    fields = [{"name": name, "type": kind, **INNER} for name, kind in fields]
    return keyed("org.apache.spark.sql.parquet.row.metadata", {"type": "struct", "fields": fields})


def pandas(**types):
    columns = [{"name": name, "field_name": name, "pandas_type": kind} for name, kind in types.items()]
    return keyed("pandas", {"columns": columns, "index_columns": []})


def geo(primary, **column):
    column = {"encoding": "WKB", "geometry_types": ["Point"], **column}
    document = {"version": "1.1.0", "primary_column": primary, "columns": {"g": column}}
    return keyed("geo", document, pa.table({"g": pa.array([b"x"], pa.binary())}))


def iceberg(*fields):
    fields = [{"id": 1, "name": name, "required": False, "type": kind} for name, kind in fields]
    return keyed("iceberg.schema", {"type": "struct", "schema-id": 0, "fields": fields})


def floats(values):
    return written(pa.table({"f": pa.array(values, pa.float64())}))


def decimals(precision, values=(1, 2)):
    """Decimals of 16 bytes that have so many digits by the schema."""
    return rebuilt(
        written(pa.table({"d": pa.array(values, pa.decimal128(38, 2))})),
        schema__1__precision=precision,
        schema__1__logicalType__DECIMAL__precision=precision,
    )


def integers(high, **options):
    return written(pa.table({"n": RANDOM.integers(0, high, 600_000)}), use_dictionary=False, **options)


CASES = [
    Case("text-of-another-type", lambda: texts(DAYS), lambda: texts([*DAYS[:-1], "unknown"]),
        "The bounds of `s` look like a date in 1 row group (2024-01-01 … 2024-12-01), and", "footer",
        made='pyarrow writes 2,000 dates as text.',
        spared='The last text is "unknown", so the bounds are no longer dates.'),
    Case(
        "text-values-of-another-type",
        lambda: texts(DAYS),
        lambda: texts([*DAYS[:-1], "2024-01-unknown"]),  # between the bounds
        "All 2,000 values of `s` are dates (2024-01-01 … 2024-12-01)",
        "data",
        made='pyarrow writes 2,000 dates as text.',
        spared='The last text is "2024-01-unknown", which lies between the bounds.',
    ),
    Case("text-of-another-type", lambda: texts([str(uuid.UUID(int=n << 90)) for n in range(2_000)]),
        lambda: texts([f"{n << 90:032x}" for n in range(2_000)]), "look like a UUID"),
    Case("text-values-of-another-type", lambda: texts([json.dumps({"n": n}) for n in range(2_000)]),
        lambda: texts([f"{{{n}" for n in range(2_000)]), "are JSON objects or lists", "data"),
    Case(
        "text-of-another-type",
        lambda: texts([str(n) for n in range(2_000)]),
        lambda: texts([f"{n:05}" for n in range(2_000)]),  # leading zeros are lost in a number
        "look like a number",
    ),
    Case("whole-numbers-as-floats", lambda: floats([float(n) for n in range(1_999)] + [float("nan")]),
        lambda: floats([0.5, *map(float, range(1_999))]),
        "All 2,000 values of `f` are whole numbers, but for 1 NaN, and the column stores DOUBLE", "data",
        made='1,999 whole numbers and a NaN as DOUBLE.', spared='One of the numbers is 0.5.'),
    Case(
        "whole-numbers-as-floats",
        lambda: written(pa.table({"f": np.arange(2_000, dtype=np.float32)})),
        lambda: floats([0.0, 1e300] * 1_000),  # whole, but no integer type holds it
        "stores FLOAT",
        "data",
    ),
    Case("mostly-nulls", lambda: written(nulls(2_000, 1)), lambda: written(pa.table({"n": [None, 1] * 1_000})),
        "1 column has values in at most 1 of 2,000 rows, by the footer's counts: `n`", made='One value in 2,000 rows.',
        spared='A value in every second row.'),
    Case(
        "wide-decimals",
        lambda: decimals(9),
        lambda: written(pa.table({"d": pa.array([1, 2], pa.decimal128(9, 2))})),  # 4 bytes
        "`d` stores DECIMAL(9, 2) in 16 bytes a value, and INT32 holds it in 4",
        made='Decimals of 9 digits in 16 bytes each.',
        spared='pyarrow stores them in 4 bytes.',
    ),
    Case("wide-decimals", lambda: decimals(18), lambda: decimals(19), "INT64 holds it in 8"),
    Case("converted-types-only", lambda: rebuilt(texts(["a"]), schema__1__logicalType=None), lambda: texts(["a"]),
        "1 field has a converted type and no logical type (`s`)",
        made='The logical type of a text column is removed from the schema, its converted type stays.',
        spared='The schema as pyarrow writes it.'),
    Case("wide-integers", lambda: integers(1 << 31, compression="none"), lambda: integers(1 << 32, compression="none"),
        "`n` takes 8.0 bytes a value in the file", made='600,000 random numbers below 2^31 as INT64, without a codec.',
        spared='Numbers below 2^32.'),
    Case(
        "wide-integers",
        lambda: integers(1 << 31, compression="snappy"),
        lambda: written(pa.table({"n": np.arange(600_000) % 1_000}), compression="zstd", use_dictionary=False),  # the codec makes them small
        "fit INT32",
    ),
    Case("arrow-schema-disagrees", lambda: arrow(("x", pa.int64()), ("y", pa.int32())),
        lambda: arrow(("x", pa.int64()), ("y", pa.dictionary(pa.int8(), pa.string()))),
        "ARROW:schema: column 'y' is int32 there, STRING (BYTE_ARRAY) in the file",
        made='ARROW:schema says int32 of a column that stores STRING.',
        spared='It says a dictionary of strings, which is stored as STRING.'),
    Case("arrow-schema-disagrees", lambda: arrow(pa.field("x", pa.int64(), nullable=False), ("y", pa.string())),
        lambda: arrow(pa.field("x", pa.int64()), ("y", pa.string())),
        "column 'x' is not nullable there, nullable in the file"),
    Case("arrow-schema-disagrees", lambda: arrow(("y", pa.string()), ("x", pa.int64())),
        lambda: arrow(("x", pa.int64()), ("y", pa.large_string())), "lists the columns in another order"),
    Case("spark-metadata-disagrees", lambda: spark(("x", "long"), ("y", "string"), ("gone", "string")),
        lambda: spark(("x", "long"), ("y", "string")), "describes columns that the file does not have: 'gone'",
        made="Spark's metadata names a column that the file does not have.",
        spared='It names those that the file has.'),
    Case("pandas-metadata-disagrees", lambda: pandas(x="float64", y="unicode"), lambda: pandas(x="int64", y="unicode"),
        "pandas: column 'x' is float64 there, INT64 in the file",
        made="pandas' metadata says float64 of a column that stores INT64.", spared='It says int64.'),
    Case("geo-metadata-disagrees", lambda: geo("shape"), lambda: geo("g", bbox=[0, 1, 2, 3]),
        "the primary_column 'shape' is not among its columns",
        made='The primary_column of the metadata is not among its columns.', spared='It is, and the box is in order.'),
    Case(
        "geo-metadata-disagrees",
        lambda: geo("g", bbox=[0, 3, 2, 1]),
        lambda: geo("g", bbox=[170, 1, -170, 3]),  # across the antimeridian
        "its bbox has a smallest y of 3, above the largest",
    ),
    Case("table-schema-disagrees", lambda: iceberg(("x", "string"), ("y", "string")),
        lambda: iceberg(("x", "long"), ("y", "string")),
        "iceberg.schema: column 'x' is string there, INT64 in the file",
        made='iceberg.schema says string of a column that stores INT64.', spared='It says long.'),
    Case("table-schema-disagrees", lambda: keyed("parquet.avro.schema", {"type": "record", "fields": [{"name": "x"}]}),
        lambda: keyed("parquet.avro.schema", {"type": "record", "fields": [{"name": "x"}, {"name": "y"}]}),
        "does not describe the columns: 'y'"),
    Case("metadata-damaged", lambda: keyed("pandas", "{"), lambda: keyed("mine", "{"),
        "the key-value metadata is damaged: pandas is not valid JSON from character 1 on",
        made='The value of the key pandas is an opening brace.',
        spared='The value of a key that no reader knows is one.'),
]  # fmt: skip
