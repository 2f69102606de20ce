"""The explorer in a marimo notebook, run by marimo's own server."""

import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

pytest.importorskip("marimo")

ROOT = pathlib.Path(__file__).parents[2]

NOTEBOOK = """
import marimo
app = marimo.App(width="full")

@app.cell
def _():
    import marimo as mo
    import pqexplore
    e = mo.ui.anywidget(pqexplore.explore("orders.parquet"))
    e
    return e, mo

@app.cell
def _(e, mo):
    mo.md(f"python has selected: {e.value['selection'] or 'the file'}.")
    return
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory, orders_bytes):
    """The address of a marimo server that runs the notebook."""
    root = tmp_path_factory.mktemp("marimo")
    (root / "orders.parquet").write_bytes(orders_bytes)
    (root / "notebook.py").write_text(NOTEBOOK)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = {name: str(root / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "marimo", "-q", "run", "notebook.py", "--headless"]
    command += ["--host=127.0.0.1", f"--port={port}", "--no-token"]
    log = root / "marimo.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=root, env=os.environ | home | {"PYTHONPATH": path}, stdout=out, stderr=out
        )
        try:
            yield wait(f"http://127.0.0.1:{port}", process, log)
        finally:
            process.terminate()
            process.wait(20)


def wait(url, process, log, seconds=120):
    """The address, once the server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                return url
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"marimo did not start: {log.read_text()[-2000:]}")


@pytest.fixture(scope="module")
def page(server, browser):
    """The notebook's page, for all tests. marimo shows the explorer in a shadow root."""
    context = browser.new_context(viewport={"width": 1400, "height": 1200})
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(server)
    page.locator(".pqx[data-shown=file]").wait_for()
    yield page
    context.close()


def test_the_explorer_shows_the_file_and_a_click_reaches_python(page):
    expect(page.locator(".pqx-identity")).to_contain_text("1,000 rows")
    page.locator(".pqx-toggle-tree").click()
    page.locator(".pqx").get_by_role("tree").get_by_text("footer", exact=True).click()
    page.locator(".pqx[data-shown=footer]").wait_for()
    expect(page.get_by_text("python has selected: footer.")).to_be_visible()
    page.locator(".pqx-door").click()
    page.get_by_role("combobox", name="Find a column").fill("city")
    page.locator('[role=option][data-kind="column"]').first.click()
    page.locator('.pqx[data-shown="row_groups/0/columns/1"]').wait_for()


def test_map_palette_words_and_focus_work_in_a_shadow_root(page):
    assert page.locator(".pqx").evaluate("(el) => el.getRootNode() instanceof ShadowRoot")
    page.locator(".pqx[data-layout=pages]").wait_for()
    bytes_ = page.get_by_role("slider", name="Byte map")
    bytes_.press("Home")
    page.locator(".pqx[data-shown=magic]").wait_for()
    bytes_.press("Control+k")
    field = page.get_by_role("combobox", name="Find a column")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(bytes_).to_be_focused()
    bytes_.press("Control+k")
    field.fill("schema")
    page.locator('[role=option][data-address="schema"]').wait_for()
    field.press("Enter")
    page.locator(".pqx[data-shown=schema]").wait_for()
    page.locator('.pqx-tab[data-lens="schema"]').press("?")
    expect(page.locator(".pqx-word")).to_be_visible()
    grid = page.get_by_role("grid", name="Fields of the schema")
    for address in ("schema/1", "schema/2"):
        grid.press("ArrowDown")
        grid.press("Enter")
        page.locator(f'.pqx[data-shown="{address}"]').wait_for()
        expect(grid).to_be_focused()
