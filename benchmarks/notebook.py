"""The explorer in real JupyterLab with a file of 5 million rows: the first picture of a fresh kernel, and 40 clicks. Wall time.

A click is measured in the page, from the click until its answer is drawn. The clicks begin at once: all bytes of the file are
looked at meanwhile. Beside them stands what no explorer can be faster than: JupyterLab's own message to the kernel and back.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.browser import ROOT
from benchmarks.files import Files
from benchmarks.measure import Row
from benchmarks.stage import large_file

CELL = "import pqexplore\npqexplore.explore({!r})"

FLOOR = """async () => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel, taken = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    await kernel.requestExecute({code: '', silent: true, store_history: false}, true).done;
    taken.push(performance.now() - began);
  }
  return taken;
}"""
"""Milliseconds of messages that do nothing."""

CLICK = """async ([kind, name]) => {
  const root = document.querySelector('.pqx'), detail = root.querySelector('.pqx-detail');
  const rows = [...root.querySelectorAll('.pqx-tree .pqx-node')];
  const row = rows.find((one) => one.title === name || one.title.startsWith(`${name} `));
  const tab = root.querySelector(`.pqx-tab[data-lens="${name}"]`);
  const what = {tab, node: row, open: row?.querySelector('.pqx-twisty')}[kind];
  if (!what || (kind === 'tab' && tab.ariaSelected === 'true') || (kind === 'node' && row.ariaSelected === 'true')) return null;
  const [place, count] = [root.dataset.shown, rows.length];
  const done = {
    tab: () => root.querySelector(`.pqx-tab[data-lens="${name}"]`)?.ariaSelected === 'true' && detail.ariaBusy === 'false',
    node: () => root.dataset.shown !== place && detail.ariaBusy === 'false',
    open: () => root.querySelectorAll('.pqx-tree .pqx-node').length > count,
  }[kind];
  const began = performance.now();
  what.click();
  const ended = await new Promise((go) => {
    const late = setTimeout(() => go(false), 20000);
    const watch = new MutationObserver(() => {
      if (!done()) return;
      watch.disconnect();
      clearTimeout(late);
      go(true);
    });
    watch.observe(root, {subtree: true, childList: true, attributes: true});
  });
  if (!ended) throw new Error(`no answer to ${kind} ${name}`);
  await new Promise((go) => requestAnimationFrame(go));
  return performance.now() - began;
}"""
"""Milliseconds from a click until its answer is drawn; null if there is nothing to click, or it is chosen already."""

COLUMNS = ("id", "time", "user", "country", "amount", "score", "clicks", "session", "flag", "note", "price", "tags")
CLICKS = (
    *(("tab", lens) for lens in ("rows", "query", "layout", "facts", "overview")),
    *(("open", name) for name in ("row groups", "row group 0")),
    ("node", "row group 0"),
    *(("tab", lens) for lens in ("rows", "layout", "contents")),
    *(("node", name) for name in COLUMNS),
    ("node", "user"),
    *(("tab", lens) for lens in ("dictionary", "statistics", "page_index", "layout", "rows", "column")),
    *(("tab", lens) for lens in ("encoding", "bloom")),
    *(
        click
        for column in ("session", "price", "tags", "amount")
        for click in (("node", column), ("tab", "statistics"), ("tab", "layout"))
    ),
    ("open", "user"),
    *(("node", f"page {page}") for page in (1, 2, 3)),
    *(("tab", lens) for lens in ("encoding", "layout", "facts", "page")),
    ("node", "row group 0"),
)
"""What is clicked: tabs by their lens, and nodes of the tree by their label, which are selected or opened."""

MOST = 40


def rows(files: Files) -> Iterator[Row]:
    sys.path.insert(0, str(ROOT / "tests"))
    from browser.harness import CHROMIUM_ARGS
    from browser.jupyter_app import Notebook, jupyter_server, write_notebook
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("PQEXPLORE_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder)
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
        with jupyter_server(root, "lab") as (url, token):
            page = chromium.new_context(viewport={"width": 1440, "height": 900}).new_page()
            page.set_default_timeout(120_000)
            notebook = Notebook(page, url, token, "lab", root)
            write_notebook(root / "large.ipynb", [CELL.format(str(large_file()))])
            notebook.open("large.ipynb", fresh=True)
            begun = time.perf_counter()
            page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
            page.locator(".pqx-stage[data-drawn]").wait_for()
            first = time.perf_counter() - begun
            page.locator(".pqx[data-shown]").wait_for()
            whole = time.perf_counter() - begun
            note = f"with the overview after {whole:.2f} s"
            yield Row("JupyterLab, a fresh kernel: first picture, the map", {"ours": first}, first, 2.0, "", note=note)
            yield from _clicks(page)
        chromium.close()


def _clicks(page: Any) -> Iterator[Row]:
    page.locator(".pqx-toggle-tree").click()
    page.locator(".pqx-tree .pqx-node").nth(1).wait_for()
    taken: dict[str, float] = {}
    looking = 0
    for click in CLICKS:
        runs = page.locator(".pqx").get_attribute("data-look") == "running"
        millis = page.evaluate(CLICK, click)
        if millis is not None and len(taken) < MOST:
            taken[f"{len(taken) + 1}: {' '.join(click)}"] = millis / 1000
            looking += runs
    floor = statistics.median(page.evaluate(FLOOR)) / 1000
    print(*(f"{millis * 1000:6.0f} ms  {name}" for name, millis in taken.items()), sep="\n", file=sys.stderr)
    median = statistics.median(taken.values())
    worst = max(taken, key=lambda one: taken[one])
    note = f"{looking} of them while all bytes are looked at"
    yield Row(
        f"JupyterLab: {len(taken)} first clicks", {"ours": median, "a message": floor}, median, 0.12, "", note=note
    )
    yield Row(f"JupyterLab: the worst, click {worst}", {"ours": taken[worst]}, taken[worst], 0.4, "")
