"""The explorer in real Chromium: from a selection to its picture, and how long a frame of the large pictures takes.

The real widget and the real bundle, joined without Jupyter by the harness of the browser tests. Times are of the wall,
as a person waits for them; there is no peer, the target is in milliseconds.
"""

from __future__ import annotations

import io
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

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row

ROOT = Path(__file__).parents[1]

SELECT = """async ([address, view]) => {
  const root = document.querySelector(".pqx"), began = performance.now();
  window.pqxBridge.receive({type: "update", state: {selection: address, view}});
  const shown = () => root.dataset.shown === (address || "file") &&
    root.querySelector(".pqx-detail")?.getAttribute("aria-busy") === "false" &&
    (!view || root.querySelector(`.pqx-tab[data-lens="${view}"]`)?.getAttribute("aria-selected") === "true");
  const changed = await new Promise((done) => {
    if (shown()) return done(true);
    const late = setTimeout(() => done(false), 20000);
    const watch = new MutationObserver(() => {  // the page's thread is idle while Python works
      if (!shown()) return;
      watch.disconnect();
      clearTimeout(late);
      done(true);
    });
    watch.observe(root, {subtree: true, attributeFilter: ["data-shown", "aria-busy", "aria-selected"]});
  });
  if (!changed) return null;
  await new Promise((go) => requestAnimationFrame(go));
  return performance.now() - began;
}"""
"""Milliseconds from setting the selection until its picture is in the page."""

FRAMES = """async ([selector, what]) => {
  const el = document.querySelector(selector), box = el.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const send = (kind, event, more) => el.dispatchEvent(new event(kind, {bubbles: true, cancelable: true, pointerId: 1,
    pointerType: "mouse", isPrimary: true, button: 0, clientX: x, clientY: y, ...more}));
  const frame = () => new Promise((go) => requestAnimationFrame(go));
  const wheel = (deltaY) => send("wheel", WheelEvent, {ctrlKey: true, deltaY});
  if (what === "pan") {
    el.setPointerCapture = () => {};  // no pointer of the browser is down
    for (let i = 0; i < 4; i++) wheel(-200);
    send("pointerdown", PointerEvent, {});
  }
  for (let i = 0; i < 3; i++) await frame();
  const drawn = Number(el.dataset.drawn), began = performance.now(), count = 120;
  for (let i = 0; i < count; i++) {
    if (what === "pan") send("pointermove", PointerEvent, {clientX: x + 150 * Math.sin(i / 9)});
    else wheel(i % 40 < 20 ? -40 : 40);
    await frame();
  }
  const seconds = (performance.now() - began) / 1000;
  if (what === "pan") send("pointerup", PointerEvent, {});
  return (Number(el.dataset.drawn) - drawn) / seconds;
}"""
"""Frames a second in which the byte map is drawn while it is zoomed or panned."""


def rows(files: Files) -> Iterator[Row]:
    sys.path.insert(0, str(ROOT / "tests"))
    from browser.harness import CHROMIUM_ARGS
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("PQEXPLORE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
        yield from _selections(chromium)
        yield from _large_page(chromium, files)
        yield from _many_pages(chromium, files)
        yield from _bloom(chromium)
        yield from _saved(chromium)
        chromium.close()
    parts = [ROOT / "pqexplore/widget/static" / name for name in ("page.js", "page.css")]
    size = sum(part.stat().st_size for part in parts) / 1e6
    yield Row("script and style of a saved page, kB: at most 350", {"ours": size}, size, None, "")


def _saved(chromium: Any) -> Iterator[Row]:
    """CPU time of a saved page's main thread until its first picture: three rows of one column."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2, 3]}), sink)
    path = ROOT / ".cache" / "benchmarks" / "saved.html"
    path.write_text(pqexplore.explore(sink.getvalue()).to_html(), "utf-8")
    taken = []
    for _ in range(5):
        page = chromium.new_context(viewport={"width": 1280, "height": 780}).new_page()
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(path.as_uri())
        page.locator(".pqx[data-shown]").wait_for()
        found = {one["name"]: one["value"] for one in metrics.send("Performance.getMetrics")["metrics"]}
        taken.append(1000 * found["TaskDuration"])
        page.context.close()
    yield _row(f"saved page of {len(sink.getvalue())} bytes, CPU to first picture", taken, 500)


def _view(chromium: Any, source: Any) -> Any:
    from browser.harness import View

    page = chromium.new_context(viewport={"width": 1200, "height": 1000}).new_page()
    view = View(page, pqexplore.explore(source))
    view.shown("")
    page.locator(".pqx[data-layout]").wait_for()
    return view


def _row(what: str, taken: list[float], limit: float) -> Row:
    seconds = statistics.median(taken) / 1000
    worst = max(taken)
    return Row(what, {"ours": seconds}, seconds, limit / 1000, "", note=f"worst {worst:,.0f} ms")


def _selections(chromium: Any) -> Iterator[Row]:
    """Every lens on a file of all kinds of columns, at its second sight."""
    from pqexplore.engine.writer.samples import write_sample

    path = ROOT / ".cache" / "benchmarks" / "everything.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_sample("events", str(path))
    view = _view(chromium, str(path))
    places = ["", "row_groups/0", "footer", *(f"row_groups/0/columns/{i}" for i in range(4))]
    places += [f"row_groups/0/columns/{i}/pages/{j}" for i in range(3) for j in range(2)]
    places += ["row_groups/0/columns/0/pages/1/values", "schema/1"]
    taken: dict[str, list[float]] = {}
    from pqexplore.insight import lenses

    for address in places:
        for lens in lenses.applying(view.explorer.file.node(address)):
            view.page.evaluate(SELECT, [address, lens.name])
            view.page.evaluate(SELECT, ["magic", ""])
            time = view.page.evaluate(SELECT, [address, lens.name])
            if time is not None:
                taken.setdefault(lens.name, []).append(time)
    every = [time for times in taken.values() for time in times]
    yield _row(f"selection to picture, {len(taken)} lenses, read before", every, 150)
    slowest = max(taken, key=lambda name: statistics.median(taken[name]))
    yield _row(f"the slowest of them: {slowest}", taken[slowest], 150)
    view.page.context.close()


def _large_page(chromium: Any, files: Files) -> Iterator[Row]:
    path = ROOT / ".cache" / "benchmarks" / "pages-of-1-MB.parquet"
    if not path.exists():
        rng = np.random.default_rng(5)
        table = pa.table({"x": rng.normal(size=2_000_000), "s": rng.integers(0, 1 << 40, 2_000_000).astype(str)})
        pq.write_table(table, path, data_page_size=1 << 20, use_dictionary=False, row_group_size=2_000_000)
    view = _view(chromium, str(path))
    for column, name in ((0, "double"), (1, "strings")):
        taken = [view.page.evaluate(SELECT, [f"row_groups/0/columns/{column}/pages/{i}", "page"]) for i in range(1, 10)]
        yield _row(f"page of 1 MB of {name}, selected and decoded", [t for t in taken if t], 400)
    view.page.context.close()


def _many_pages(chromium: Any, files: Files) -> Iterator[Row]:
    path = ROOT / ".cache" / "benchmarks" / "pages-100000.parquet"
    if not path.exists():
        table = pa.table({f"c{i}": np.arange(500_000) for i in range(20)})
        pq.write_table(table, path, data_page_size=1, write_batch_size=100, use_dictionary=False, compression="none")
    began = time.perf_counter()
    view = _view(chromium, str(path))
    view.page.locator(".pqx[data-layout=pages]").wait_for(timeout=60_000)
    shown = time.perf_counter() - began
    tiles = int(view.page.locator(".pqx-stage").get_attribute("data-tiles"))
    yield Row(f"byte map of {tiles:,} tiles, from the cell", {"ours": shown}, shown, 3, "")
    meter = view.page.context.new_cdp_session(view.page)
    meter.send("Performance.enable")
    for by in ("kind", "column", "ratio"):
        view.page.locator("select.pqx-by").select_option(by)
        view.page.locator(f".pqx-stage[data-by={by}]").wait_for()
        for what in ("zoom", "pan"):
            before = _busy(meter)
            rate = view.page.evaluate(FRAMES, [".pqx-stage", what])
            busy = (_busy(meter) - before) / 120
            yield Row(
                f"byte map of {tiles:,} tiles by {by}, {what}: frames a second",
                {"ours": rate / 1000},
                rate,
                50,
                "",
                at_least=True,
                note=f"{busy * 1000:.1f} ms of the page's thread a frame",
            )
            view.page.get_by_role("slider", name="Byte map").press("0")
    taken = []
    for _ in range(5):
        taken.append(view.page.evaluate(SELECT, ["row_groups/0/columns/0", "layout"]) or 20_000.0)
        view.page.evaluate(SELECT, ["magic", ""])
    yield _row("layout of a column chunk of 5,000 pages, read before", taken[1:], 150)
    view.page.context.close()


def _busy(meter: Any) -> float:
    """Seconds of tasks of the page so far."""
    metrics = meter.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def _bloom(chromium: Any) -> Iterator[Row]:
    path = ROOT / ".cache" / "benchmarks" / "bloom-1-MB.parquet"
    if not path.exists():
        options = pqexplore.WriteOptions(bloom_filter=True, bloom_filter_bytes=1 << 20)
        pqexplore.write(pa.table({"id": np.arange(600_000)}), str(path), options, overwrite=True)
    view = _view(chromium, str(path))
    chunk = view.explorer.file.row_groups[0].columns[0]
    size = len(chunk.bloom_filter.bitset)
    first = view.page.evaluate(SELECT, ["row_groups/0/columns/0", "bloom"])
    again = []
    for _ in range(5):
        view.page.evaluate(SELECT, ["magic", ""])
        again.append(view.page.evaluate(SELECT, ["row_groups/0/columns/0", "bloom"]))
    yield _row(f"Bloom filter of {size / 1e6:.1f} MB, selected first", [first or 20_000.0], 100)
    yield _row("the same again", [time for time in again if time], 100)
    view.page.context.close()
