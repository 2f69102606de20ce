"""A double click in the file browser of JupyterLab and Notebook 7, and the page of `pqexplore view`, in real Chromium."""

import base64
import contextlib
import json
import os
import pathlib
import re
import signal
import urllib.parse

import pyarrow as pa
import pytest
from playwright.sync_api import expect

from pqexplore.engine.writer.samples import SAMPLES, write_sample

pytest.importorskip("jupyterlab")
jupyter_app = pytest.importorskip("browser.jupyter_app")
app_servers = pytest.importorskip("app.conftest")

SCORE = "row_groups/2/columns/9/pages/0/values/17"


@pytest.fixture(scope="module", params=["lab", pytest.param("notebook", marks=pytest.mark.full)])
def server(request, tmp_path_factory):
    if request.param == "notebook":
        pytest.importorskip("notebook")
    root = tmp_path_factory.mktemp(request.param)
    for name in ("events", "encrypted"):
        write_sample(name, root / f"{name}.parquet")
    outside = tmp_path_factory.mktemp("outside") / "x.parquet"
    write_sample("booleans", outside)
    (root / "out.parquet").symlink_to(outside)
    with jupyter_app.jupyter_server(root, request.param) as (url, token):
        yield request.param, root, url, token


LAB = pytest.mark.parametrize("server", ["lab"], indirect=True)


@pytest.fixture
def context(browser):
    made = browser.new_context(viewport={"width": 1400, "height": 900})
    made.set_default_timeout(60_000)
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    made.requests = []
    made.on("request", lambda request: made.requests.append((request.method, request.url)))
    yield made
    made.close()


def listing(context, server):
    """The file browser."""
    app, _root, url, token = server
    page = context.new_page()
    page.goto(f"{url}lab?token={token}&reset" if app == "lab" else f"{url}tree?token={token}")
    page.locator(".jp-DirListing-item", has_text="events.parquet").wait_for()
    return page


def opened(context, server, name="events.parquet"):
    """The tab in which a double click opens a file: in Notebook that is a page of its own."""
    page = listing(context, server)
    row = page.locator(".jp-DirListing-item", has_text=name)
    if server[0] == "lab":
        row.dblclick()
        return page
    with context.expect_page() as other:
        row.dblclick()
    return other.value


def go(page, address):
    """Find a place by the palette."""
    page.locator(".pqx-door").press("Control+k")
    palette = page.get_by_role("combobox", name=re.compile("Find a column"))
    palette.press_sequentially(address)
    page.locator(".pqx-found").get_by_text("address of a").first.wait_for()
    palette.press("Enter")
    page.locator(f'.pqx[data-shown="{address}"]').wait_for()


def notebook_in(context, server, name):
    """JupyterLab with a new notebook that has no kernel."""
    cell = jupyter_app.nbformat.v4.new_code_cell("1")
    jupyter_app.nbformat.write(jupyter_app.nbformat.v4.new_notebook(cells=[cell]), server[1] / name)
    page = listing(context, server)
    page.locator(".jp-DirListing-item", has_text=name).dblclick()
    page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    return page


def worker_of(root):
    """The process of the only open document."""
    [info] = (root / ".jupyter-private" / "runtime").glob("jpserver-*.json")
    server = json.loads(info.read_text())["pid"]
    numbers = pathlib.Path(f"/proc/{server}/task/{server}/children").read_text().split()
    named = {one: pathlib.Path(f"/proc/{one}/cmdline").read_bytes() for one in numbers}
    [found] = [int(one) for one, words in named.items() if b"pqexplore.app.worker" in words]
    return found


def test_a_double_click_opens_the_explorer_and_reload_restores_its_place(context, server):
    _app, root, _url, _token = server
    before = (root / "events.parquet").stat()
    page = opened(context, server)
    page.locator('.pqx[data-shown="file"]').wait_for()
    expect(page.locator(".pqx-identity")).to_contain_text("20,000 rows")
    go(page, SCORE)
    page.reload()
    page.locator(f'.pqx[data-shown="{SCORE}"]').wait_for()
    assert list(root.rglob(".ipynb_checkpoints/*")) == [], "Jupyter copied the file"
    assert (root / "events.parquet").stat().st_mtime_ns == before.st_mtime_ns
    assert {method for method, url in context.requests if "/api/contents/" in url} == {"GET"}
    assert not [url for _, url in context.requests if "events.parquet" in url and "content=1" in url]


@pytest.mark.full
@LAB
def test_a_process_that_ends_is_one_line_and_a_click_goes_on_at_the_same_place(context, server):
    page = opened(context, server)
    page.locator('.pqx[data-shown="file"]').wait_for()
    go(page, "footer")
    os.kill(worker_of(server[1]), signal.SIGKILL)
    line = page.locator(".pqx-app-line")
    expect(line).to_contain_text("The process that reads this file has ended")
    expect(page.locator('.pqx[data-shown="footer"]')).to_be_visible()  # what was drawn stays
    line.get_by_role("button", name="start it again").click()
    page.locator("[data-live=open]").wait_for()
    page.locator('.pqx[data-shown="footer"]').wait_for()
    expect(line).to_be_hidden()


@pytest.mark.full
@LAB
def test_a_link_out_of_the_root_is_refused_in_words(context, server):
    page = opened(context, server, "out.parquet")
    line = page.locator(".pqx-app-line")
    expect(line).to_contain_text(
        "There is no such file or folder below the folder of this server, or a link leads out of it."
    )
    expect(page.locator(".pqx")).to_have_count(0)


@pytest.mark.full
@LAB
def test_keys_are_typed_and_stay_nowhere_in_the_page(context, server):
    page = opened(context, server, "encrypted.parquet")
    page.locator(".pqx[data-shown]").wait_for()
    keys = SAMPLES["encrypted"].keys
    page.get_by_text("This file is encrypted: type its keys").click()
    page.get_by_label("Footer key").fill(keys["footer_key"].hex())
    columns = ", ".join(f"{name}={key.hex()}" for name, key in keys.get("column_keys", {}).items())
    page.get_by_label("Column keys").fill(columns)
    page.get_by_role("button", name="open with these keys").click()
    expect(page.locator(".pqx-identity")).to_contain_text("rows")
    digits = keys["footer_key"].hex()
    assert digits not in page.content()
    assert digits not in page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
    assert not [url for _, url in context.requests if digits in url]


@pytest.mark.full
@LAB
def test_a_tables_folder_opens_as_a_lake(context, server):
    deltalake = pytest.importorskip("deltalake")
    table = server[1] / "orders"
    if not table.exists():
        for part in range(2):
            deltalake.write_deltalake(str(table), pa.table({"id": [part, part + 1]}), mode="append")
    page = listing(context, server)
    page.locator(".jp-DirListing-item", has_text="orders").click(button="right")
    page.get_by_text("Explore as a lake").click()
    page.locator(".pqx-lake[data-shown]").wait_for()
    expect(page.locator(".pqx-identity")).to_contain_text("2 files")


@pytest.mark.full
@LAB
def test_copy_as_code_puts_a_cell_into_the_notebook(context, server):
    page = notebook_in(context, server, "code.ipynb")
    page.locator(".jp-DirListing-item", has_text="events.parquet").dblclick()
    page.locator('.pqx[data-shown="file"]').wait_for()
    go(page, "footer")
    page.get_by_role("button", name="Copy as code").click()
    cell = page.locator(".jp-Notebook .jp-CodeCell .cm-content", has_text="pqexplore.explore")
    expect(cell).to_contain_text('pqexplore.explore("events.parquet", at="footer")')


@pytest.mark.full
@LAB
def test_a_file_that_is_dragged_into_a_notebook_becomes_a_cell(context, server):
    page = notebook_in(context, server, "drag.ipynb")
    row = page.locator(".jp-DirListing-item", has_text="events.parquet").bounding_box()
    cell = page.locator(".jp-Notebook .jp-Cell").first.bounding_box()
    page.mouse.move(row["x"] + 40, row["y"] + 8)
    page.mouse.down()
    page.mouse.move(row["x"] + 80, row["y"] + 20, steps=5)
    page.mouse.move(cell["x"] + 100, cell["y"] + 10, steps=10)
    page.mouse.up()
    made = page.locator(".jp-Notebook .jp-CodeCell .cm-content", has_text="pqexplore.explore")
    expect(made).to_contain_text('pqexplore.explore("events.parquet")')


@pytest.fixture
def view(tmp_path, browser):
    """The page of `pqexplore view`: `view(source)`."""
    with contextlib.ExitStack() as running:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(60_000)
        running.callback(context.close)

        def made(source):
            server = running.enter_context(app_servers.viewing(source, tmp_path))
            page = context.new_page()
            page.add_init_script(
                "window.pqxViolations = []; addEventListener('securitypolicyviolation',"
                " (event) => window.pqxViolations.push(`${event.effectiveDirective} ${event.blockedURI}`))"
            )
            page.asked = []
            page.on("request", lambda request: page.asked.append(request.url))
            page.goto(f"{server.base}/pqexplore/view/?token={server.token}")
            return server, page

        yield made


def test_the_page_of_view_shows_the_file_within_its_policy(view, sample):
    server, page = view(sample("events"))
    page.locator('.pqx[data-shown="file"]').wait_for()
    assert server.token not in page.url
    go(page, "footer")
    page.reload()
    page.locator('.pqx[data-shown="footer"]').wait_for()
    assert page.evaluate("window.pqxViolations") == []
    assert {urllib.parse.urlparse(url).netloc for url in page.asked if not url.startswith(("blob:", "data:"))} == {
        server.host
    }


DROP = """([name, text]) => {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def test_a_dropped_file_opens_and_its_bytes_are_read_piece_by_piece(view, sample):
    _server, page = view(sample("events"))
    page.locator('.pqx[data-shown="file"]').wait_for()
    text = base64.b64encode(sample("nested").read_bytes()).decode()
    page.evaluate(DROP, ["other.parquet", text])
    expect(page.locator(".pqx-identity")).to_contain_text("other.parquet")
    expect(page).to_have_title("other.parquet – pqexplore")
    page.get_by_role("button", name="back to events.parquet").click()
    expect(page.locator(".pqx-identity")).to_contain_text("events.parquet")


@pytest.mark.full
def test_what_is_no_parquet_file_is_said_in_one_line(view, sample):
    _server, page = view(sample("events"))
    page.locator('.pqx[data-shown="file"]').wait_for()
    page.evaluate(DROP, ["<b>no</b>.parquet", base64.b64encode(b"<script>alert(1)</script>" * 9).decode()])
    expect(page.locator(".pqx-app")).to_contain_text("<b>no</b>.parquet")
    assert page.locator(".pqx-app b, .pqx-app script").count() == 0


@pytest.mark.full
def test_a_lakes_file_opens_and_back_returns(view, tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    for part in range(2):
        write_sample("events", folder / f"part-{part}.parquet")
    _server, page = view(folder)
    page.locator(".pqx-lake[data-shown]").wait_for()
    page.locator(".pqx-card").get_by_text("part-1.parquet", exact=True).click()
    page.locator('.pqx-of-lake .pqx[data-shown="file"]').wait_for()
    assert "part-1.parquet" in page.url
    page.reload()
    page.locator('.pqx-of-lake .pqx[data-shown="file"]').wait_for()
    page.go_back()
    expect(page.locator(".pqx-of-lake .pqx")).to_have_count(0)
