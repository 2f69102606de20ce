"""What if: a file of 100 MB at the default budget, by the clock: to the first column's answer, and to the end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row
from pqexplore.insight.what_if.budget import DEFAULT, Budget


def rows(files: Files) -> Iterator[Row]:
    path = files.tried()
    size = f"{os.path.getsize(path) / 1e6:,.0f} MB"
    one = _seconds(path, ["id"], Budget(seconds=0.01))
    yield Row(f"first column of {size}, fast codecs (wall)", {"ours": one}, one, 1.0, "")
    every = _seconds(path, None, DEFAULT)
    load = f"load {os.getloadavg()[0]:.0f}"
    yield Row(f"every column of {size} (wall)", {"ours": every}, every, 20.0, "", note=load)


def _seconds(path: str, columns: list[str] | None, budget: Budget) -> float:
    begun = time.perf_counter()
    pqexplore.what_if(path, columns, budget)
    return time.perf_counter() - begun
