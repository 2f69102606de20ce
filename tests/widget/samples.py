"""Small files to look at, written by pyarrow."""

from __future__ import annotations

import datetime
import io

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
