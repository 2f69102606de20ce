"""Take docs/explorer.png from the real widget: `.venv/bin/python docs/screenshots.py`, after `make test` once.

The widget and its bundle run in Chromium as in the browser tests, without Jupyter.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests"))

ADDRESS = "row_groups/0/columns/3/pages/1"
"""What is selected in the picture: a page of dictionary-encoded countries."""


def main() -> None:
    """Write the sample, open it in the explorer, select a page, and take the picture."""
    from browser.harness import CHROMIUM_ARGS, View

    import pqexplore
    from pqexplore.engine.writer.samples import write_sample

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "events.parquet"
        write_sample("events", path)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
            args=CHROMIUM_ARGS,
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900}, device_scale_factor=1.5)
        view = View(page, pqexplore.explore(path))
        view.shown("")
        view.go(ADDRESS)
        page.wait_for_timeout(500)
        page.locator(".pqx").first.screenshot(path=DOCS / "explorer.png")
        browser.close()


if __name__ == "__main__":
    main()
