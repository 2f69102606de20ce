"""A lake that the tests make: partitioned files of two schemas, and files that are wrong in eight ways."""

import datetime
import functools
import os
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import Encryption, WriteOptions

# kind of damage: error_code, words of the error
FAULTS = {
    "truncated": ("not-parquet", "cut off"),
    "empty": ("not-parquet", "is empty"),
    "garbage": ("not-parquet", "not a Parquet file"),
    "magic-only": ("not-parquet", "has 4 bytes"),
    "length": ("corrupt", "2,147,483,647"),
    "flipped-footer": ("corrupt", ""),
    "encrypted-footer": ("encrypted", "key"),
    "dangling-link": ("missing", "symbolic link"),
}


ROWS = 40
"""Rows of each good file."""


@functools.lru_cache
def _rows(files: int) -> pa.Table:
    """The rows of so many files, one after the other."""
    ids = range(files * ROWS)
    start = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    minutes = [start + datetime.timedelta(minutes=n) for n in ids]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "at": pa.array(minutes, pa.timestamp("us", "UTC")),
            "small": pa.array([(n * 7919) % 1000 - 500 for n in ids], pa.int32()),
            "score": pa.array([_score(n) for n in ids]),
            "name": pa.array([f"name {n % 13}" for n in ids]),
            "price": pa.array([Decimal(n % 1000) / 100 for n in ids], pa.decimal128(9, 2)),
            "maybe": pa.array([None if n // ROWS % 10 == 7 or n % 4 == 0 else n for n in ids]),
            "tags": pa.array([[f"t{k}" for k in range(n % 3)] for n in ids]),
        }
    )


def _score(n: int) -> float:
    return float("nan") if n // ROWS % 50 == 3 and n % 3 == 0 else (n * 31 % 97) / 7


def table(number: int) -> pa.Table:
    """Rows of one file: `id` and `at` ascend from file to file, the others do not.

    Every fifth file has a schema of its own: `small` is of another type, and `extra` is new.
    """
    block = 500
    rows = _rows((number // block + 1) * block).slice(number * ROWS, ROWS)
    if number % 5 == 4:
        place = rows.schema.get_field_index("small")
        rows = rows.set_column(place, "small", rows["small"].cast(pa.int64()))
        rows = rows.append_column("extra", pa.array([n % 2 == 0 for n in range(ROWS)]))
    return rows


def make(folder: Path, files: int, every: int = 100) -> dict[str, str]:
    """Write the lake: so many good files, and after each `every` of them one of each kind of damage, at least once.

    Gives the damaged files: path → kind.
    """
    bad: dict[str, str] = {}
    good = b""
    for number in range(files):
        place = folder / f"day={number % 7}" / f"part-{number:05d}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        codec = ("snappy", "zstd", "none")[number % 3]
        pq.write_table(
            table(number),
            place,
            row_group_size=25,
            compression=codec,
            write_page_index=number % 2 == 0,
            use_dictionary=["name"],
        )
        if number % every == 0:
            good = good or place.read_bytes()
            bad |= {str(path): kind for path, kind in damaged(place.parent, number, good)}
    return bad


def damaged(folder: Path, number: int, good: bytes):
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    flipped = good[:footer] + bytes(byte ^ 0xFF for byte in good[footer:-8]) + good[-8:]
    contents = {
        "truncated": good[: len(good) // 2],
        "empty": b"",
        "garbage": bytes(range(256)) * 20,
        "magic-only": b"PAR1",
        "length": good[:-8] + (0x7FFFFFFF).to_bytes(4, "little") + b"PAR1",
        "flipped-footer": flipped,
    }
    for kind, data in contents.items():
        path = folder / f"bad-{number:05d}-{kind}.parquet"
        path.write_bytes(data)
        yield path, kind
    path = folder / f"bad-{number:05d}-encrypted-footer.parquet"
    write(table(number), str(path), WriteOptions(encryption=Encryption(b"k" * 16)))
    yield path, "encrypted-footer"
    path = folder / f"bad-{number:05d}-dangling-link.parquet"
    os.symlink("nowhere.parquet", path)
    yield path, "dangling-link"


def check_errors(rows: list[dict], bad: dict[str, str]) -> None:
    """Rows of the table `files` with status error are the damaged files, and each names its fault."""
    errors = {row["path"]: row for row in rows if row["status"] == "error"}
    assert errors.keys() == bad.keys()
    for path, kind in bad.items():
        code, words = FAULTS[kind]
        assert errors[path]["error_code"] == code, (kind, errors[path])
        assert words in errors[path]["error"], (kind, errors[path]["error"])
        assert errors[path]["phase"] in ("open", "footer", "schema")


def by_pyarrow(paths: list[str]) -> tuple[list[tuple], list[tuple]]:
    """(files, column chunks) as pyarrow's metadata has them, sorted."""
    files, chunks = [], []
    for path in paths:
        metadata = pq.read_metadata(path)
        files.append((path, os.path.getsize(path), metadata.num_rows, metadata.num_row_groups, metadata.num_columns))
        for g in range(metadata.num_row_groups):
            group = metadata.row_group(g)
            for c in range(group.num_columns):
                chunk = group.column(c)
                statistics = chunk.statistics
                nulls = statistics.null_count if statistics and statistics.has_null_count else None
                chunks.append(
                    (
                        *(path, g, c, chunk.path_in_schema, chunk.physical_type),
                        *(chunk.compression, chunk.num_values),
                        *(chunk.total_compressed_size, chunk.total_uncompressed_size),
                        *(chunk.data_page_offset, chunk.dictionary_page_offset, nulls),
                        bool(statistics and statistics.has_min_max),
                        *(chunk.has_column_index, chunk.has_offset_index),
                    )
                )
    return sorted(files), sorted(chunks)


FILE_COLUMNS = "path, size, num_rows, num_row_groups, num_columns"
CHUNK_COLUMNS = (
    "path, row_group, leaf, column_name, physical_type, codec, num_values, compressed_bytes, uncompressed_bytes, "
    "data_page_offset, dictionary_page_offset, null_count, statistics = 'min_max' AS has_bounds, "
    "column_index_offset IS NOT NULL AS has_column_index, offset_index_offset IS NOT NULL AS has_offset_index"
)
DUCKDB_CHUNKS = """
SELECT file_name, row_group_id, column_id, replace(path_in_schema, ', ', '.'), type, compression, num_values,
       total_compressed_size, total_uncompressed_size, data_page_offset, dictionary_page_offset, stats_null_count
FROM parquet_metadata([{paths}])
"""


def by_duckdb(paths: list[str]) -> list[tuple]:
    """Column chunks as DuckDB's `parquet_metadata` has them, sorted."""
    import duckdb

    quoted = ", ".join(f"'{path}'" for path in paths)
    with duckdb.connect() as connection:
        return sorted(connection.sql(DUCKDB_CHUNKS.format(paths=quoted)).fetchall())
