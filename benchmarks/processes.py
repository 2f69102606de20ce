"""Commands as a user starts them: the CPU time of whole processes, which begin with an interpreter and its imports."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.files import FOLDER, Files
from benchmarks.measure import Row
from pqexplore.engine.writer.samples import write_sample

ROUNDS = 7
SMALL_ROUNDS = 20
FOOTER = "import sys, pyarrow.parquet as pq; print(pq.ParquetFile(sys.argv[1]).metadata)"
COMMANDS: dict[str, list[str]] = {
    "FILE": [],
    "FILE --at a column chunk": ["--at", "row_groups/0/columns/0"],
    "head FILE": ["head"],
    "pages FILE": ["pages"],
}
PEERS = {"parquet-analyzer": ["parquet-analyzer"]}
"""Programs that list all pages, by their names; they are measured where they are installed."""


def rows(files: Files) -> Iterator[Row]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    small = str(FOLDER / "events.parquet")
    write_sample("events", small)
    commands = {"pyarrow": [sys.executable, "-c", FOOTER, small], "ours": [sys.executable, "-m", "pqexplore", small]}
    taken = _interleaved(commands, SMALL_ROUNDS)
    note = "391 kB, every page looked at; pyarrow: the footer"
    yield Row("pqexplore FILE, a small one", taken, taken["ours"] / taken["pyarrow"], 1.6, note=note)
    yield from _large(files)


def _large(files: Files) -> Iterator[Row]:
    path = files.one_group
    footer = [sys.executable, "-c", FOOTER, path]
    ours = {f"pqexplore {what}": [sys.executable, "-m", "pqexplore", *words, path] for what, words in COMMANDS.items()}
    peers = {name: [*words, path] for name, words in PEERS.items() if shutil.which(words[0])}
    taken = _interleaved({"pyarrow": footer, **ours, **peers})
    for what in ours:
        times = {"ours": taken[what], "pyarrow": taken["pyarrow"]}
        all_pages = "pages" in what
        times |= {name: taken[name] for name in peers} if all_pages else {}
        if what == "pqexplore FILE":  # it looks at a sample of the pages, which a footer does not
            yield Row(f"{what}, of 46 MB", times, times["ours"], 0.9, "", note="pyarrow: the footer")
            continue
        limit = None if all_pages else 1.5
        yield Row(what, times, times["ours"] / times["pyarrow"], limit, note="pyarrow: the footer")
        for name in peers if all_pages else ():
            yield Row(f"… against {name}", {}, taken[what] / taken[name], 1.0, name)


def _interleaved(commands: dict[str, list[str]], rounds: int = ROUNDS) -> dict[str, float]:
    """The median CPU time of each command in seconds. The first round writes the bytecode, as an installation does."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            begun = _spent()
            subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=True)
            if number:
                taken[name].append(_spent() - begun)
    return {name: statistics.median(some) for name, some in taken.items()}


def _spent() -> float:
    """CPU seconds of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
