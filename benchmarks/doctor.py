"""The doctor: a diagnosis by the footer of 10,000 chunks, and `check()`, which is what a diagnosis by all data reads.

The peer of `check()` is pyarrow that reads everything in one thread: it decodes the same pages, and compares nothing.
"""

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
    "groups": ("200 row groups × 4 columns", 6.0),
    "large": ("8 columns of several types, pyarrow's defaults", 3.0),
    "nested": ("a list and a struct beside a flat column", 3.0),
    "pages": ("pages of 4 KB, with page indexes", 3.0),
    "eight": ("12 columns in 8 row groups", 3.0),
    "small": ("the same in 200 row groups of 2,000 rows", 6.0),
}
"""What is checked, and how often reading's time it may take."""


def rows(files: Files) -> Iterator[Row]:
    for columns, groups in ((100, 100), (1_000, 10)):
        yield _footer(files.chunks(columns, groups), f"{columns:,} columns × {groups:,} row groups")
    for name, (what, limit) in CHECKED.items():
        yield _data(files.checked(name), what, limit)
    yield from _many_groups(files.checked("many"))


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


def _many_groups(path: str) -> Iterator[Row]:
    """What takes time by the chunk and the page, and not by the value."""
    what = "5,000 row groups × 5 columns"
    checked = _data(path, what, None)
    yield Row(f"check(): {what}", checked.times, checked.times["ours"], 3.0, "", note=f"{checked.ratio:.1f} × pyarrow")
    for lens in ("page", "statistics"):

        def ours(lens: str = lens) -> object:
            with pqexplore.open(path) as file:
                return file.view(lens)

        times = interleaved({"ours": ours, "pyarrow": lambda: pq.read_table(path, use_threads=False)}, rounds=3)
        yield Row(f"the table of the lens {lens}: {what}", times, times["ours"], 2.0, "")


def _data(path: str, what: str, limit: float | None) -> Row:
    def ours() -> object:
        with pqexplore.open(path) as file:
            return file.check()

    def pyarrow() -> object:
        return pq.read_table(path, use_threads=False)

    times = interleaved({"ours": ours, "pyarrow": pyarrow}, rounds=7)
    size = f"{os.path.getsize(path) / 1e6:,.1f} MB"
    return Row(f"level data: {what}, {size}", times, times["ours"] / times["pyarrow"], limit)
