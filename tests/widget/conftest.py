"""Files that the tests of the widget open."""

from __future__ import annotations

import pyarrow as pa
import pytest
from made import parquet
from widget import samples
from widget.samples import HOSTILE

import pqexplore


@pytest.fixture(scope="session")
def orders_bytes() -> bytes:
    """1,000 rows in two row groups of 600 and 400, several pages a chunk, with a page index."""
    return samples.orders_bytes()


@pytest.fixture
def file(orders_bytes):
    with pqexplore.open(orders_bytes) as opened:
        yield opened


@pytest.fixture
def hostile_file():
    """A file whose column name, metadata and values are meant to break out of a page."""
    table = pa.table({HOSTILE: [HOSTILE, "x"]}).replace_schema_metadata({"note": HOSTILE})
    with pqexplore.open(parquet(table)) as opened:
        yield opened


@pytest.fixture
def broken_file(orders_bytes):
    """`orders` with the first data page of `id` overwritten: its header stays, its body is noise."""
    with pqexplore.open(orders_bytes) as opened:
        page = next(p for p in opened.row_groups[0].columns["id"].pages if p.is_data)
        start, end = page.frame.header_end, page.frame.end
    damaged = bytearray(orders_bytes)
    damaged[start:end] = b"\xff" * (end - start)
    with pqexplore.open(bytes(damaged)) as opened:
        yield opened
