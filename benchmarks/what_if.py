"""What if, by the clock: to the first column's answer, and to the end. Of 100 MB at the default budget, of 48 MB as the command does it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row
from pqexplore.insight.steps import finish
from pqexplore.insight.what_if import savings, trial
from pqexplore.insight.what_if.budget import DEFAULT, Budget


def rows(files: Files) -> Iterator[Row]:
    path = files.tried()
    size = f"{os.path.getsize(path) / 1e6:,.0f} MB"
    one = _seconds(path, ["id"], Budget(seconds=0.01))
    yield Row(f"first column of {size}, fast codecs (wall)", {"ours": one}, one, 1.0, "")
    every = _seconds(path, None, DEFAULT)
    load = f"load {os.getloadavg()[0]:.0f}"
    yield Row(f"every column of {size} (wall)", {"ours": every}, every, 20.0, "", note=load)
    first, whole = _command(files.checked("eight"))
    yield Row(
        "pqexplore what-if of 48 MB: the first column is known (wall)", {"ours": first}, first, 1.0, "", note=load
    )
    yield Row("… and everything (wall)", {"ours": whole}, whole, 8.0, "", note=load)


def _seconds(path: str, columns: list[str] | None, budget: Budget) -> float:
    begun = time.perf_counter()
    pqexplore.what_if(path, columns, budget)
    return time.perf_counter() - begun


def _command(path: str) -> tuple[float, float]:
    """Seconds until the first column is known, and until columns and other changes are, half of the command's time each."""
    begun = time.perf_counter()
    known: list[float] = []
    half = Budget(seconds=4)
    with pqexplore.open(path) as file:
        made = finish(trial.steps(file, None, half, lambda _: known.append(time.perf_counter() - begun)))
        finish(savings.steps(file, made.columns, half))
    return known[0], time.perf_counter() - begun
