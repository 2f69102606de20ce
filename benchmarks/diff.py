"""What differs: two files of 10,000 chunks by their footers, and two files with all their values."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator

import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row, interleaved

SECONDS = {
    "smaller": "the same values in other row groups",
    "changed": "one value differs",
    "shuffled": "the same rows in another order",
}


def rows(files: Files) -> Iterator[Row]:
    for columns, groups in ((100, 100), (1_000, 10)):
        path = files.chunks(columns, groups)
        yield _footers(path, f"{columns:,} columns × {groups:,} row groups")
    for name, what in SECONDS.items():
        yield _values(files.compared("first"), files.compared(name), what)


def _footers(path: str, what: str) -> Row:
    """Processor time of opening and comparing a file and itself; no bytes but the footers are read."""
    taken = []
    for _ in range(9):
        start = time.process_time()
        pqexplore.diff(path, path)
        taken.append(time.process_time() - start)
    median = statistics.median(taken[1:])
    return Row(f"level footer, two files of {what}", {"ours": median}, median, 0.2, "")


def _values(first: str, second: str, what: str) -> Row:
    def ours() -> object:
        return pqexplore.diff(first, second, "data")

    def pyarrow() -> object:
        return [pq.read_table(path, use_threads=False) for path in (first, second)]

    times = interleaved({"ours": ours, "pyarrow": pyarrow}, rounds=5)
    size = f"{os.path.getsize(first) / 1e6:,.0f} MB"
    return Row(f"level data, two files of {size}: {what}", times, times["ours"] / times["pyarrow"], 3.0)  # fmt: skip
