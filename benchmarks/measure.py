"""Contenders side by side: every round runs each of them once, so that a busy machine is busy for all.

CPU time is what is compared, unless a row says otherwise: it is what other people's work on the machine disturbs least.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

PATIENCE = 2.5
"""Seconds that a comparison goes on for, once each contender has had its first rounds."""


@dataclasses.dataclass
class Row:
    """One line of the table.

    `times` is by contender, "ours" first, in seconds unless `unit` says otherwise; `ratio` is ours to what `against`
    names, or our own figure where it is empty. `limit` is what the ratio may be; with `at_least` the least it may be.
    """

    what: str
    times: dict[str, float]
    ratio: float
    limit: float | None
    against: str = "pyarrow"
    unit: str = "ms"
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.limit is None:
            return None
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit


def interleaved(
    contenders: Mapping[str, Callable[[], Any]],
    *,
    rounds: int = 9,
    clock: Callable[[], float] = time.process_time,
    once: tuple[str, ...] = (),
) -> dict[str, float]:
    """The median time of each contender, after a warm-up; those in `once` are slow, and run once or twice."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    begun = time.perf_counter()
    for number in range(rounds + 1):
        for name, run in contenders.items():
            if name in once and number > 1:
                continue
            gc.collect()
            start = clock()
            run()
            taken[name].append(clock() - start)
        if number > 2 and time.perf_counter() - begun > PATIENCE:
            break
    return {name: statistics.median(some[1:] or some) for name, some in taken.items()}


def compared(
    what: str,
    contenders: Mapping[str, Callable[[], Any]],
    limit: float | None,
    *,
    against: str = "pyarrow",
    **options: Any,
) -> Row:
    """A row from contenders, of which "ours" is compared with `against`."""
    note = options.pop("note", "")
    times = interleaved(contenders, **options)
    return Row(what, times, times["ours"] / times[against], limit, against, note=note)


def in_fresh_process(code: str, *, rounds: int = 5) -> list[Any]:
    """What a Python program prints, as JSON, in so many processes of their own."""
    found = []
    for _ in range(rounds):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        found.append(json.loads(run.stdout))
    return found
