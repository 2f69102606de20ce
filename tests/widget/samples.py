"""Small files to look at, written by pyarrow.

As a program it writes `orders` to a path: an older pyarrow would write other bytes than those that tests tell of, so
environments with one are given the file (`PQEXPLORE_ORDERS`).
"""

from __future__ import annotations

import datetime
import io
import os
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

HOSTILE = "<img src=x onerror=alert(1)>\u202e\n</script>"


def parquet(table: pa.Table, **options) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def orders() -> pa.Table:
    return pa.table(
        {
            "id": pa.array(range(1000), pa.int64()),
            "city": pa.array(["Oslo", "Lima", None, "Bern"] * 250),
            "tags": pa.array([["a", "b"], [], None, [None, "c"]] * 250, pa.list_(pa.string())),
            "when": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5)] * 1000, pa.timestamp("us")),
            "score": pa.array([1.5, None] * 500, pa.float32()),
        }
    )


def orders_bytes() -> bytes:
    """`orders` in two row groups of 600 and 400, several pages a chunk, with a page index."""
    given = os.environ.get("PQEXPLORE_ORDERS")
    if given:
        return pathlib.Path(given).read_bytes()
    return parquet(
        orders(),
        row_group_size=600,
        data_page_size=512,
        write_batch_size=100,
        write_page_index=True,
        compression="snappy",
    )


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)  # a fresh clone has no cache yet
    path.write_bytes(orders_bytes())
