"""The explorer on large files, in real Chromium: the map, the overview, the map with its pages, and every lens.

The files have 5 million rows in 12 columns (250 MB), 2,000 columns, and 2,000 row groups. Times are CPU time of Python and
of the page together; what the browser does outside of the page (drawing in its own process) is not in them. Chromium and
its page are there before a time begins.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.browser import ROOT, SELECT
from benchmarks.files import FOLDER, Files, hex_strings
from benchmarks.measure import Row
from pqexplore.widget.explorer import explore

FIRST = """() => {
  const began = performance.now();
  const timer = setInterval(() => {
    if (!document.querySelector(".pqx-stage[data-drawn]")) return;
    clearInterval(timer);
    window.pqxFirst = performance.now() - began;
  }, 5);
}"""
"""Notes when the map is drawn, in milliseconds from now: Python is busy with the overview then."""


CLICKED = ("row_groups/0/columns/{}", "row_groups/0/columns/{}/pages/1", "columns/{}")
"""What is clicked while the file is looked at, for each of the first columns."""

MANY = 100_000
"""Tiles from which on moving the map is measured: 50 frames a second leave 20 ms for a frame."""

MOVES = """async (what) => {
  const el = document.querySelector(".pqx-stage"), box = el.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2], count = 120;
  const send = (kind, event, more) => el.dispatchEvent(new event(kind, {bubbles: true, cancelable: true, pointerId: 1,
    pointerType: "mouse", isPrimary: true, button: 0, clientX: x, clientY: y, ...more}));
  const drawn = Number(el.dataset.drawn);
  el.setPointerCapture = () => {};  // no pointer of the browser is down
  if (what === "pan") send("pointerdown", PointerEvent, {});
  for (let i = 0; i < count; i++) {
    if (what === "pan") send("pointermove", PointerEvent, {buttons: 1, clientX: x + 150 * Math.sin(i / 9), clientY: y + 40 * Math.sin(i / 5)});
    else send("wheel", WheelEvent, {ctrlKey: true, deltaY: i % 40 < 20 ? -60 : 55});
    await new Promise((go) => requestAnimationFrame(go));
  }
  if (what === "pan") send("pointerup", PointerEvent, {});
  await new Promise((go) => requestAnimationFrame(go));
  return Number(el.dataset.drawn) - drawn;
}"""
"""Moves the map 120 times, once a frame. How often it was drawn; the zoom ends nearer than it began."""


def rows(files: Files) -> Iterator[Row]:
    sys.path.insert(0, str(ROOT / "tests"))
    from browser.harness import CHROMIUM_ARGS
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("PQEXPLORE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
        for name, path in _files().items():
            yield from _explored(chromium, name, path)
        chromium.close()


def large_file() -> Path:
    """The file of 5 million rows, which is written once."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "stage-rows.parquet"
    if not path.exists():
        _write_rows(path, np.random.default_rng(17))
    return path


def _files() -> dict[str, Path]:
    paths = {
        "5 M rows × 12": large_file(),
        "2,000 columns": FOLDER / "stage-columns.parquet",
        "2,000 row groups": FOLDER / "stage-groups.parquet",
    }
    _, wide, groups = paths.values()
    rng = np.random.default_rng(17)
    if not wide.exists():
        pq.write_table(
            pa.table({f"c{i:04d}": rng.integers(0, 1000, 5_000) for i in range(2_000)}),
            wide,
            row_group_size=1_000,
            write_page_index=True,
        )
    if not groups.exists():
        count = 400_000
        columns = {f"c{i}": rng.integers(0, 1 << 20, count) for i in range(9)}
        columns["id"] = np.arange(count)
        pq.write_table(pa.table(columns), groups, row_group_size=200, write_page_index=True)
    return paths


def _write_rows(path: Path, rng: np.random.Generator) -> None:
    """5 million rows by the million: keys, times, texts, prices; a column of 500,000 distinct values has a dictionary."""
    writer = None
    entries = hex_strings(rng, 500_000)
    for part in range(5):
        count = 1_000_000
        table = pa.table(
            {
                "id": np.arange(part * count, (part + 1) * count),
                "time": pa.array(
                    1_700_000_000_000_000 + np.cumsum(rng.integers(0, 9_000_000, count)), pa.timestamp("us")
                ),
                "user": pa.DictionaryArray.from_arrays(rng.integers(0, 500_000, count), entries).cast(pa.string()),
                "country": pa.array(np.array(["DE", "FR", "AT", "CH"])[rng.integers(0, 4, count)]),
                "amount": rng.random(count) * 1000,
                "score": rng.normal(size=count),
                "clicks": rng.integers(0, 100, count).astype(np.int32),
                "session": hex_strings(rng, count),
                "flag": rng.random(count) < 0.1,
                "note": pa.array(rng.integers(0, 50, count).astype(str), mask=rng.random(count) < 0.7),
                "price": rng.integers(0, 1 << 30, count),
                "tags": pa.array(rng.integers(0, 3_000, count).astype(str)),
            }
        )
        writer = writer or pq.ParquetWriter(
            path, table.schema, write_page_index=True, dictionary_pagesize_limit=1 << 24
        )
        writer.write_table(table)
    assert writer is not None
    writer.close()


def _explored(chromium: Any, name: str, path: Path) -> Iterator[Row]:
    from browser.harness import View

    page = chromium.new_context(viewport={"width": 1280, "height": 780}).new_page()
    clock = Clock(page)
    page.evaluate(FIRST)
    before = clock.now()
    explorer = explore(str(path))
    view = View(page, explorer)
    page.locator(".pqx[data-shown]").wait_for(timeout=120_000)
    overview = clock.now() - before
    first = page.evaluate("window.pqxFirst") / 1000
    yield Row(f"{name}: first picture, the map", {"ours": first}, first, 1.0, "", note="wall time")
    yield Row(f"{name}: the overview", {"ours": overview}, overview, None, "")
    yield from _while_looking(page, name, explorer.file)
    layout = page.locator(".pqx[data-layout=pages]")
    finer = page.get_by_role("button", name="show single pages")
    if not layout.count() and finer.is_visible():
        before = clock.now()
        finer.click()
        layout.wait_for(timeout=120_000)
        pages = clock.now() - before
    else:
        layout.wait_for(timeout=120_000)
        pages = clock.now() - before
    tiles = int(page.locator(".pqx-stage").get_attribute("data-tiles"))
    yield Row(f"{name}: map with {tiles:,} tiles", {"ours": pages}, pages, 3.0, "")
    if tiles >= MANY:
        yield from _moves(page, clock, name, tiles)
    yield from _selections(view, clock, name)
    page.context.close()


def _while_looking(page: Any, name: str, file: Any) -> Iterator[Row]:
    """Clicks while all bytes of the file are looked at: each waits for a slice of that work at most."""
    taken = []
    for address in CLICKED:
        for column in range(min(12, len(file.schema.leaves))):
            millis = page.evaluate(SELECT, [address.format(column), ""])
            if page.locator(".pqx").get_attribute("data-look") != "running":
                break
            if millis is not None:
                taken.append(millis / 1000)
            page.wait_for_timeout(100)  # the look goes on when nobody waits
    if taken:
        median, note = statistics.median(taken), f"{len(taken)} clicks, wall time, worst {max(taken) * 1000:.0f} ms"
        yield Row(f"{name}: a click while all bytes are looked at", {"ours": median}, median, 0.15, "", note=note)


def _moves(page: Any, clock: Clock, name: str, tiles: int) -> Iterator[Row]:
    """A drag of the map and a zoom at the pointer, step by step, as a hand and a wheel do them."""
    page.get_by_role("button", name="Show the whole file").click()
    for what in ("zoom", "pan"):
        before = clock.now(), clock.script()
        drawn = page.evaluate(MOVES, what)
        frame, script = (clock.now() - before[0]) / drawn, (clock.script() - before[1]) / drawn
        yield Row(
            f"{name}: {what} of {tiles:,} tiles, a frame",
            {"ours": frame},
            frame,
            1 / 50,
            "",
            note=f"script {script * 1000:.1f} ms",
        )


def _selections(view: Any, clock: Clock, name: str) -> Iterator[Row]:
    """Every lens that does not ask first, at the file, a row group, each of a few chunks, and a page."""
    from pqexplore.insight import lenses

    file = view.explorer.file
    places = ["", "row_groups/0", "footer", "row_groups/0/columns/0/pages/1"]
    places += [f"row_groups/0/columns/{i}" for i in range(min(12, len(file.schema.leaves)))]
    taken: dict[str, float] = {}
    for address in places:
        for lens in lenses.applying(file.node(address)):
            view.page.evaluate(SELECT, ["magic", ""])
            before = clock.now()
            if view.page.evaluate(SELECT, [address, lens.name]) is not None:
                taken[f"{lens.name} at {address or 'the file'}"] = clock.now() - before
    median = statistics.median(taken.values())
    yield Row(f"{name}: selection to picture, {len(taken)} first sights", {"ours": median}, median, 0.1, "")
    worst = max(taken, key=lambda one: taken[one])
    yield Row(f"{name}: the worst, {worst}", {"ours": taken[worst]}, taken[worst], 0.5, "")


class Clock:
    """CPU seconds of this process and of the page's main thread."""

    def __init__(self, page: Any) -> None:
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self) -> float:
        """Of both."""
        return self._metric("TaskDuration") + time.process_time()

    def script(self) -> float:
        """Of the page's script alone."""
        return self._metric("ScriptDuration")

    def _metric(self, name: str) -> float:
        metrics = self._devtools.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in metrics if one["name"] == name)
