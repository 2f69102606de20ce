"""A user's own files, and questions about them: what the command says has the answer."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.cli import main

NAMES = [f"customer number {n % 50} of the shop" for n in range(50_000)]
PRICES = pa.table({"id": range(1000), "price": [n / 7 for n in range(1000)]})


def large(folder):
    pq.write_table(pa.table({"name": NAMES}), folder / "large.parquet", compression="none", use_dictionary=False)


def slow(folder):
    rows = "SELECT (hash(range) % 100000)::BIGINT AS customer FROM range(50000)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{folder}/slow.parquet' (ROW_GROUP_SIZE 2048)")


def two(folder):
    changed = PRICES["price"].to_pylist()
    changed[417] = -1.0
    pq.write_table(PRICES, folder / "monday.parquet")
    pq.write_table(PRICES.set_column(1, "price", pa.array(changed)), folder / "tuesday.parquet")


def damaged(folder):
    pq.write_table(pa.table({"price": [n / 7 for n in range(100_000)]}), folder / "damaged.parquet", compression="zstd")
    data = bytearray((folder / "damaged.parquet").read_bytes())
    data[300_000:300_064] = b"\xff" * 64
    (folder / "damaged.parquet").write_bytes(data)


def zeroed(folder):
    """Nothing in the file contradicts the 100 bytes of zeros."""
    pq.write_table(
        pa.table({"price": [n / 7 for n in range(3_000)]}),
        folder / "zeroed.parquet",
        compression="none",
        use_dictionary=False,
    )
    data = bytearray((folder / "zeroed.parquet").read_bytes())
    data[12_000:12_100] = bytes(100)
    (folder / "zeroed.parquet").write_bytes(data)


@pytest.mark.parametrize(
    "make, command, answer",
    [
        (large, "large.parquet", "`name` has no codec"),
        (slow, "slow.parquet", "row groups hold 2,048 rows"),
        (slow, "slow.parquet", "not by `customer`: each row group has nearly the same range"),
        (two, "diff monday.parquet tuesday.parquet", "other values in 1 row; the first is row 417: -1.0"),
        (
            two,
            "diff monday.parquet tuesday.parquet --level footer",
            "By their footers, the bounds of `price` in row group 0 are -1.0",
        ),
        (
            damaged,
            "damaged.parquet",
            "`price`, row group 0, data page 4 (rows 80,000 to 99,999 of the file) cannot be read",
        ),
        (zeroed, "zeroed.parquet", "No problems found (footer, 1 page, no checksums)"),
        (large, "large.parquet --at rows/417", "customer number 17 of the shop"),
    ],
    ids=[
        "why large",
        "why slow: small row groups",
        "why slow: an unsorted column",
        "what differs",
        "what differs in the footers",
        "is it sound: it is not",
        "is it sound: not known",
        "what is in a row",
    ],
)
def test_the_command_answers(make, command, answer, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    make(tmp_path)
    main(command.split())
    assert answer in " ".join(capsys.readouterr().out.split())
