"""The ways in which each writer is asked for the file of a row of `status_rows`: with options, and with types."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import status_rows
from status_rows import KEY, Row

from pqexplore.insight.doctor.readers import worker

Options = dict[str, Any]
Attempt = Callable[[str], object]
"""Writes a row's file to a path, in one of the ways in which a writer may be asked for it."""


class Named(pa.ExtensionType):
    """An extension type of a name that pyarrow does not have."""

    def __init__(self, storage: pa.DataType, name: str, serialized: str = "") -> None:
        self._text = serialized
        super().__init__(storage, name)

    def __arrow_ext_serialize__(self) -> bytes:
        return self._text.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> Named:
        return cls(storage, "", serialized.decode())


def with_extension(row: Row, *, variants: bool = True) -> Iterator[pa.Table]:
    """The row's table with an Arrow extension type that stands for the logical type, then as it is.

    Arrow C++ takes any type named as its own Variant for its own, and dies: give it none (`variants`).
    """
    table = row.table()
    storage = table.schema.field(0).type
    kinds = {
        "logical-uuid": lambda: pa.uuid(),
        "logical-json": lambda: pa.json_(),
        "logical-variant": lambda: Named(storage, "arrow.parquet.variant"),
        "logical-geometry": lambda: Named(storage, "geoarrow.wkb", "{}"),
        "newer-geospatial-statistics": lambda: Named(storage, "geoarrow.wkb", "{}"),
        "logical-geography": lambda: Named(storage, "geoarrow.wkb", '{"edges": "spherical"}'),
    }
    if row.id in kinds and (variants or row.id != "logical-variant"):
        values = pa.ExtensionArray.from_storage(kinds[row.id](), table.column(0).combine_chunks())
        yield pa.table({"x": values})
    if row.id == "logical-interval":
        yield pa.table({"x": pa.array([(1, 2, 3_000_000), None], pa.month_day_nano_interval())})
    if row.id == "logical-enum":
        yield pa.table({"x": table.column(0).dictionary_encode()})
    yield table


def codec(row: Row) -> str:
    """The codec that a row asks for, in lower case; empty if it asks for none."""
    return row.id.removeprefix("compression-") if row.id.startswith("compression-") else ""


def encoding(row: Row) -> str:
    """The encoding that a row asks for; empty if it asks for none."""
    return str(row.options.get("encoding", "")) if row.id.startswith(("enc", "newer-rle")) else ""


# pyarrow -------------------------------------------------------------------------------------------------------------


def _pyarrow_options(row: Row) -> Iterator[Options]:
    import pyarrow.parquet as pq
    from pyarrow.parquet import encryption

    known: dict[str, Callable[[], Options]] = {
        "physical-int96": lambda: {"use_deprecated_int96_timestamps": True},
        "newer-int96-order": lambda: {"use_deprecated_int96_timestamps": True},
        "logical-decimal-int32": lambda: {"store_decimal_as_integer": True},
        "logical-decimal-int64": lambda: {"store_decimal_as_integer": True},
        "encoding-plain-dictionary": lambda: {"version": "1.0"},
        "encoding-byte-stream-split-extended": lambda: {
            "use_byte_stream_split": True, "use_dictionary": False,
        },
        "newer-rle-booleans": lambda: {"use_dictionary": False, "data_page_version": "2.0"},
        "format-bloom-filters": lambda: {"bloom_filter_options": {"k": True}},
        "format-bloom-filter-length": lambda: {"bloom_filter_options": {"k": True}},
        "format-page-index": lambda: {"write_page_index": True},
        "format-page-crc32": lambda: {"write_page_checksum": True},
        "format-modular-encryption": lambda: {
            "encryption_properties": encryption.create_encryption_properties(KEY)
        },
        "format-data-page-v2": lambda: {"data_page_version": "2.0"},
        "api-sorting-columns": lambda: {"sorting_columns": [pq.SortingColumn(0)]},
    }  # fmt: skip
    if codec(row):
        for name in _codec_names(row):
            yield {"compression": name}
    elif row.id in known:
        yield known[row.id]()
    elif encoding(row):
        yield {"use_dictionary": False, "column_encoding": encoding(row)}
    yield {}


def _codec_names(row: Row) -> tuple[str, ...]:
    """What writers call a row's codec."""
    other = {"uncompressed": ("uncompressed", "none"), "lz4-deprecated": ("lz4_hadoop", "lz4"), "lz4-raw": ("lz4_raw", "lz4")}  # fmt: skip
    return other.get(codec(row), (codec(row),))


def by_pyarrow(row: Row) -> Iterator[Attempt]:
    """The ways to ask pyarrow for a row's file."""
    import pyarrow.parquet as pq

    for options in _pyarrow_options(row):
        for table in with_extension(row, variants=False):
            yield lambda path, table=table, options=options: pq.write_table(table, path, **options)


# DuckDB --------------------------------------------------------------------------------------------------------------

_SQL = {
    "physical-fixed-len-byte-array": "SELECT uuid() AS x",
    "logical-enum": "SELECT 'RED'::ENUM('RED', 'GREEN') AS x",
    "logical-uuid": "SELECT uuid() AS x",
    "logical-json": "SELECT '{\"a\": 1}'::JSON AS x",
    "logical-interval": "SELECT INTERVAL 1 MONTH AS x",
    "logical-variant": "SELECT 1::VARIANT AS x",
    "newer-variant-shredding": "SELECT {'id': range, 'name': 'n'}::VARIANT AS x FROM range(20)",
    "logical-geometry": "SELECT 'POINT (1 2)'::GEOMETRY AS x",
    "newer-geospatial-statistics": "SELECT 'POINT (1 2)'::GEOMETRY AS x",
    "logical-geography": "SELECT 'POINT (1 2)'::GEOGRAPHY AS x",
    "newer-rle-booleans": "SELECT range > 500 AS x FROM range(1000)",
    "encoding-delta-binary-packed": "SELECT range AS x FROM range(5000)",
    "encoding-delta-length-byte-array": "SELECT 'text ' || range AS x FROM range(5000)",
    "encoding-delta-byte-array": "SELECT 'text ' || range AS x FROM range(5000)",
    "encoding-byte-stream-split": "SELECT range / 8 AS x FROM range(5000)",
    "encoding-alp": "SELECT range / 8 AS x FROM range(5000)",
}
"""Queries whose values have the type that DuckDB stores as the row wants; else the row's own table is written."""

_DUCKDB_BLOOM = "write_bloom_filter true, dictionary_size_limit 100000, string_dictionary_page_size_limit 1000000, dictionary_compression_ratio_threshold 0"
"""DuckDB makes Bloom filters of columns with a dictionary only."""


def by_duckdb(row: Row) -> Iterator[Attempt]:
    """The ways to ask DuckDB for a row's file."""
    import duckdb

    name = codec(row).replace("-", "_").replace("lz4_deprecated", "lz4")
    options = {
        "physical-int96": "write_timestamp_as_int96 true",
        "newer-int96-order": "write_timestamp_as_int96 true",
        "encoding-plain": "dictionary_size_limit 1",
        "format-bloom-filters": _DUCKDB_BLOOM,
        "format-bloom-filter-length": _DUCKDB_BLOOM,
        "newer-variant-shredding": "shredding {x: 'STRUCT(id BIGINT, name VARCHAR)'}",
        "format-modular-encryption": "encryption_config {footer_key: 'key'}",
        "newer-extensions": "",
        "logical-geometry": "geoparquet_version 'NONE'",
        "newer-geospatial-statistics": "geoparquet_version 'NONE'",
    }.get(row.id, f"compression '{name}'" if name else "")
    ways = [options, f"{options}, parquet_version 'V2'", f"{options}, parquet_version 'V2', dictionary_size_limit 1"]  # fmt: skip

    def write(path: str, way: str) -> None:
        with duckdb.connect() as connection:
            connection.execute(f"PRAGMA add_parquet_key('key', '{KEY.decode()}')")
            # Without the extension httpfs, DuckDB encrypts only if its built-in random numbers are allowed.
            connection.execute("SET force_mbedtls_unsafe = true")
            if row.id not in _SQL:
                connection.register("source", row.table())
            query = _SQL.get(row.id, "SELECT * FROM source")
            chosen = ", ".join(filter(None, ("FORMAT parquet", way.removeprefix(", "))))
            connection.execute(f"COPY ({query}) TO '{path}' ({chosen})")

    for way in ways:
        yield lambda path, way=way: write(path, way)


# polars --------------------------------------------------------------------------------------------------------------


def by_polars(row: Row) -> Iterator[Attempt]:
    """The ways to ask polars for a row's file."""
    import polars

    table = row.table()
    frame = polars.from_arrow(table)
    if row.id == "logical-enum":
        frame = frame.cast(polars.Enum(["RED", "GREEN"]))
    options: Options = {"statistics": "full"}
    if row.id == "format-modular-encryption":
        options["encryption"] = polars.ParquetEncryptionProperties(footer_key=KEY)
    names = _codec_names(row) if codec(row) else ("zstd",)
    for name in names:
        yield lambda path, name=name: frame.write_parquet(path, compression=name, **options)
    if encoding(row):  # polars chooses the encoding by the values
        numbers = range(5_000)
        distinct = polars.DataFrame({"i": numbers, "s": map(str, numbers), "f": map(float, numbers)})
        yield lambda path: distinct.write_parquet(path, **options)


# fastparquet ---------------------------------------------------------------------------------------------------------


def by_fastparquet(row: Row) -> Iterator[Attempt]:
    """The ways to ask fastparquet for a row's file."""
    import fastparquet
    import pandas

    options: Options = {
        "physical-int96": {"times": "int96"},
        "newer-int96-order": {"times": "int96"},
        "physical-fixed-len-byte-array": {"fixed_text": {"x": 3}},
        "logical-json": {"object_encoding": "json"},
        "logical-bson": {"object_encoding": "bson"},
        "logical-string": {"object_encoding": "utf8"},
        "physical-byte-array": {"object_encoding": "bytes"},
        "logical-decimal-fixed-len-byte-array": {"object_encoding": "decimal"},
        "format-stats-min-max": {"stats": True},
    }.get(row.id, {})
    numbers = {pa.int32(): pandas.Int32Dtype(), pa.int64(): pandas.Int64Dtype()}
    for bits in (8, 16, 32, 64):
        for sign in ("int", "uint"):
            kind = getattr(pandas, f"{sign.replace('i', 'I').replace('u', 'U')}{bits}Dtype")()
            numbers[getattr(pa, f"{sign}{bits}")()] = kind
    frame = row.table().to_pandas(types_mapper=numbers.get)
    if row.id.startswith("logical-time-"):
        frame["x"] = pandas.to_timedelta([45_015_123, None] * 8, unit="ms")
    if row.id == "logical-json":
        frame["x"] = [{"a": 1} for _ in range(len(frame))]
    if row.id == "logical-enum":
        frame = frame.astype("category")
    for name in [one.upper() for one in _codec_names(row)] if codec(row) else [None]:
        yield lambda path, name=name: fastparquet.write(path, frame, compression=name, **options)
    if encoding(row):
        categories = frame.astype("category")
        yield lambda path: fastparquet.write(path, categories)


# DataFusion ----------------------------------------------------------------------------------------------------------


def by_datafusion(row: Row) -> Iterator[Attempt]:
    """The ways to ask DataFusion for a row's file."""
    import datafusion

    def write(path: str, table: pa.Table, options: Options) -> None:
        context = datafusion.SessionContext()
        frame = context.from_arrow(table)
        writer = datafusion.ParquetWriterOptions(**options)
        frame.write_parquet_with_options(path, writer)

    known: dict[str, list[Options]] = {
        "format-bloom-filters": [{"bloom_filter_on_write": True}],
        "format-bloom-filter-length": [{"bloom_filter_on_write": True}],
        "format-data-page-v2": [{"writer_version": "2.0"}],
        "newer-rle-booleans": [{"encoding": "rle", "dictionary_enabled": False, "writer_version": "2.0"}],
    }  # fmt: skip
    if codec(row):
        levels = {"brotli": "brotli(5)", "gzip": "gzip(6)", "zstd": "zstd(3)"}
        ways = [{"compression": levels.get(name, name)} for name in _codec_names(row)]
    elif row.id in known:
        ways = known[row.id]
    elif encoding(row):
        ways = [{"encoding": encoding(row).lower(), "dictionary_enabled": False}]
    else:
        ways = []
    for options in (*ways, {}):
        for table in with_extension(row):
            yield lambda path, table=table, options=options: write(path, table, options)


WRITERS: dict[str, Callable[[Row], Iterator[Attempt]]] = {
    "pyarrow": by_pyarrow,
    "DuckDB": by_duckdb,
    "polars": by_polars,
    "fastparquet": by_fastparquet,
    "DataFusion": by_datafusion,
}


def write(engine: str, row: Row, out: str) -> str:
    """Write the row's file by one of the engine's ways, until our engine finds the feature in it. Why not, if none has it."""
    problem = ""
    for attempt in WRITERS[engine](row):
        for path in (Path(f"{out}.parquet"), Path(out)):
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)
        try:
            attempt(f"{out}.parquet")
            made = Path(f"{out}.parquet")
            if made.is_dir():  # a folder of one file
                made = next(made.glob("*.parquet"))
            os.replace(made, out)
        except BaseException as error:  # a panic of Rust is no Exception
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            problem = problem or worker.text(error)
            continue
        with status_rows.opened(row, out) as file:
            assert row.proof is not None
            if row.proof(file):
                return ""
    return problem or "it writes the values without it"
