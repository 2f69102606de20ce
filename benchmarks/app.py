"""The app: from a double click in JupyterLab, and from the command `pqexplore view`, to the first picture. Wall time.

Each round has a process of its own, as a user's first document has. Beside it stands what no explorer can be faster than:
JupyterLab's own time to open a text file by a double click, and a Python that imports jupyter_server.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.browser import ROOT
from benchmarks.files import Files
from benchmarks.measure import Row
from pqexplore.engine.writer.samples import write_sample

ROUNDS = 7
SHOWN = '.pqx[data-shown="file"]'


def rows(files: Files) -> Iterator[Row]:
    sys.path.insert(0, str(ROOT / "tests"))
    from browser.harness import CHROMIUM_ARGS
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("PQEXPLORE_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "events.parquet"
        write_sample("events", path)
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
        yield _double_click(chromium, path)
        yield _view(chromium, path)
        chromium.close()


def _double_click(chromium: Any, path: Path) -> Row:
    from browser.jupyter_app import jupyter_server

    (path.parent / "notes.txt").write_text("text")
    times: dict[str, list[float]] = {"ours": [], "a text file": []}
    with jupyter_server(path.parent, "lab") as (url, token):
        page = chromium.new_context(viewport={"width": 1400, "height": 900}).new_page()
        page.set_default_timeout(60_000)
        for _ in range(ROUNDS):
            for what, name, seen in (
                ("a text file", "notes.txt", ".jp-FileEditor .cm-content"),
                ("ours", path.name, SHOWN),
            ):
                page.goto(f"{url}lab?token={token}&reset")
                row = page.locator(".jp-DirListing-item", has_text=name)
                row.wait_for()
                page.wait_for_function("() => window.jupyterapp")
                page.evaluate("() => window.jupyterapp.restored")
                begun = time.perf_counter()
                row.dblclick()
                page.locator(seen).wait_for()
                times[what].append(time.perf_counter() - begun)
        page.context.close()
    median = {what: statistics.median(some) for what, some in times.items()}
    note = "wall time; the goal is 2.5 s"
    return Row("a double click in JupyterLab: first picture", median, median["ours"], 2.5, "", note=note)


def _view(chromium: Any, path: Path) -> Row:
    times: dict[str, list[float]] = {"ours": [], "import jupyter_server": []}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import jupyter_server.serverapp"], check=True)
        times["import jupyter_server"].append(time.perf_counter() - begun)
        page = chromium.new_context().new_page()
        begun = time.perf_counter()
        command = [sys.executable, "-m", "pqexplore", "view", str(path), "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as server:
            assert server.stdout is not None
            page.goto(server.stdout.readline().split()[-1])
            page.locator(SHOWN).wait_for()
            times["ours"].append(time.perf_counter() - begun)
            server.terminate()
        page.context.close()
    median = {what: statistics.median(some) for what, some in times.items()}
    note = "wall time; the goal is 2 s"
    return Row("`pqexplore view FILE`: first picture after the command", median, median["ours"], 2.0, "", note=note)
