"""The doctor: a diagnosis by the footer of 10,000 chunks, and `check()`, which is what a diagnosis by all data reads."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator

import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row, interleaved

CHECKED = {
    "groups": "200 row groups × 4 columns",
    "large": "8 columns of several types, pyarrow's defaults",
    "nested": "a list and a struct beside a flat column",
    "pages": "pages of 4 KB, with page indexes",
}


def rows(files: Files) -> Iterator[Row]:
    for columns, groups in ((100, 100), (1_000, 10)):
        yield _footer(files.chunks(columns, groups), f"{columns:,} columns × {groups:,} row groups")
    for name, what in CHECKED.items():
        yield _data(files.checked(name), what)


def _footer(path: str, what: str) -> Row:
    """A diagnosis of a file that is open, its footer indexed; each time another one, because an open file keeps its chunks."""
    taken = []
    for _ in range(9):
        with pqexplore.open(path) as file:
            _ = file.metadata, file.schema.leaves
            start = time.process_time()
            pqexplore.diagnose(file)
            taken.append(time.process_time() - start)
    median = statistics.median(taken[1:])
    return Row(f"level footer, beyond opening: {what}", {"ours": median}, median, 0.05, "")


def _data(path: str, what: str) -> Row:
    def ours() -> object:
        with pqexplore.open(path) as file:
            return file.check()

    def pyarrow() -> object:
        return pq.read_table(path, use_threads=False)

    times = interleaved({"ours": ours, "pyarrow": pyarrow}, rounds=7)
    size = f"{os.path.getsize(path) / 1e6:,.1f} MB"
    return Row(f"level data: {what}, {size}", times, times["ours"] / times["pyarrow"], 3.0)
