"""Files whose contents are known by construction, or read with pyarrow: those of `at_night.py`."""

import datetime
import decimal
import functools
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore
from pqexplore.engine.format.variant.encode import encode_array

ROWS, GROUP = 12_000, 3_000
"""Rows of `orders`, and of each of its row groups."""

LONG_NOTE, LONG_TAGS = 4_321, 7_777
"""The rows of the longest note (5,000 bytes) and of the longest list of tags (25)."""

COUNTRIES = ("DE", "FR", "NZ")
UTC = datetime.UTC


@functools.cache
def orders_table() -> pa.Table:
    """Orders with one column for each kind of question."""
    rows = range(ROWS)
    notes = ["n" * (i % 9) for i in rows]
    notes[LONG_NOTE] = "long " * 1_000
    tags = [None if i % 10 == 9 else [f"t{j}" for j in range(i % 4)] for i in rows]
    tags[LONG_TAGS] = [f"tag {j}" for j in range(25)]
    ratio = np.arange(ROWS) / 8
    ratio[[100, 5_000]] = np.nan
    start = datetime.datetime(2026, 1, 1, tzinfo=UTC)
    amounts = [None if i % 50 == 0 else decimal.Decimal(i * 7_919 % 100_000) / 100 for i in rows]
    return pa.table(
        {
            "id": pa.array([7 * i + 5 for i in rows], pa.int64()),
            "country": pa.array([COUNTRIES[i % 3] for i in rows]),
            "amount": pa.array(amounts, pa.decimal128(9, 2)),
            "placed": pa.array([start + datetime.timedelta(minutes=i) for i in rows], pa.timestamp("us", "UTC")),
            "local": pa.array([i * 60_000 for i in rows], pa.timestamp("ms")),
            "note": pa.array(notes),
            "tags": pa.array(tags, pa.list_(pa.string())),
            "ratio": pa.array(ratio),
            "small": pa.array([i % 200 for i in rows], pa.uint8()),
            "half": pa.array((np.arange(ROWS) % 64).astype(np.float16)),
            "address": pa.array([None if i % 6 == 5 else {"city": f"city {i % 4}", "zip": i % 1_000} for i in rows]),
            "attrs": pa.array([[(f"k{i % 3}", i)] for i in rows], pa.map_(pa.string(), pa.int32())),
        }
    )


def orders(path: pathlib.Path) -> None:
    """The orders as pyarrow writes them: four row groups, small pages, an index."""
    pq.write_table(
        orders_table(),
        path,
        row_group_size=GROUP,
        data_page_size=4_000,
        write_page_index=True,
        write_page_checksum=True,
        compression={"note": "zstd", "country": "snappy", "tags.list.element": "snappy", "id": "none"},
        use_dictionary=["country", "tags.list.element"],
        sorting_columns=[pq.SortingColumn(0)],
    )


PAGED_LONG = 1_234
"""The row of the longest text of `paged`."""


def paged(path: pathlib.Path) -> None:
    """2,500 rows in row groups of 1,000 and pages of 100, uncompressed, with a dictionary for `word` only."""
    rows = range(2_500)
    text = ["x" * (i % 5) for i in rows]
    text[PAGED_LONG] = "y" * 3_000
    table = pa.table({"n": pa.array(rows, pa.int64()), "word": [("a", "b")[i % 2] for i in rows], "text": text})
    options = pqexplore.WriteOptions(
        row_group_rows=1_000,
        page_rows=100,
        codec="UNCOMPRESSED",
        statistics=("chunk", "page"),
        columns={"n": {"encoding": "PLAIN"}, "text": {"encoding": "PLAIN"}, "word": {"encoding": "RLE_DICTIONARY"}},
        created_by="parquet-mr version 1.8.0 (build 0)",
        key_value_metadata={"owner": "night shift"},
    )
    pqexplore.write(table, path, options)


def flipped(path: pathlib.Path) -> None:
    """`paged` with a byte of the values of its data page 2 of `n` changed: rows 200 to 299."""
    paged(path)
    with pqexplore.open(path) as file:
        end = file.row_groups[0].columns[0].pages[2].span.end
    data = bytearray(path.read_bytes())
    data[end - 1] ^= 0xFF
    path.write_bytes(data)


def no_header(path: pathlib.Path) -> None:
    """`paged` whose data page 3 of `n` in row group 1 has no header that can be read."""
    paged(path)
    with pqexplore.open(path) as file:
        start = file.row_groups[1].columns[0].pages[3].span.start
    data = bytearray(path.read_bytes())
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)


def no_magic(path: pathlib.Path) -> None:
    """`paged` with other first bytes."""
    paged(path)
    path.write_bytes(b"NOPE" + path.read_bytes()[4:])


def trailing(path: pathlib.Path) -> None:
    """`paged` with a line after its end."""
    paged(path)
    path.write_bytes(path.read_bytes() + b"end of file\n")


def long_footer(path: pathlib.Path) -> None:
    """`paged` with a footer length beyond the file."""
    paged(path)
    data = bytearray(path.read_bytes())
    data[-8:-4] = (1 << 30).to_bytes(4, "little")
    path.write_bytes(data)


def variant_groups(path: pathlib.Path) -> None:
    """90 Variants in three row groups: each tenth id is text, so that it does not fit its typed column; one row is null."""
    rows = [{"id": i if i % 10 else f"x{i}", "name": "n"} for i in range(90)]
    table = pa.table({"v": encode_array([*rows[:89], None])})
    shredding = {"logical_type": "VARIANT", "shredding": pa.struct([("id", pa.int64())])}
    pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=30, columns={"v": shredding}))


def region(folder: pathlib.Path) -> None:
    """Three files: the second has another type of `price`, the third lacks `note`."""
    folder.mkdir()
    for part, kind in enumerate((pa.int64(), pa.float64(), pa.int64())):
        names = {"key": pa.array(range(10 * part, 10 * part + 10)), "price": pa.array([part] * 10, kind)}
        if part < 2:
            names["note"] = pa.array([None if i == 3 else "x" for i in range(10)])
        pq.write_table(pa.table(names), folder / f"part-{part}.parquet")


MADE = {
    one.__name__: one
    for one in (orders, paged, flipped, no_header, no_magic, trailing, long_footer, variant_groups, region)
}
"""What writes each file, or folder, by its name."""
