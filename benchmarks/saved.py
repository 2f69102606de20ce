"""Saved pages: how long `to_html()` takes, and how large a page is. There is no peer."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pqexplore
from benchmarks.files import FOLDER, Files
from benchmarks.measure import Row
from pqexplore.engine.writer.samples import write_sample


def rows(files: Files) -> Iterator[Row]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    events = str(FOLDER / "events.parquet")
    write_sample("events", events)
    yield from _page(events, "the sample events, 391 kB")
    yield from _page(files.chunks(2_000, 1), "2,000 columns")
    yield from _page(files.chunks(3, 2_000), "3 columns × 2,000 row groups")


def _page(path: str, what: str) -> Iterator[Row]:
    begun = time.process_time()
    page = pqexplore.explore(path).to_html()
    taken = time.process_time() - begun
    yield Row(f"saved page of {what}", {"ours": taken}, taken, 6.0, "")
    size = len(page.encode()) / 1e6
    yield Row(f"… its size: at most 0.9 MB, {size:.1f}", {}, size, 0.9, "", unit="MB")
