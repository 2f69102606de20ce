"""The explorer in real JupyterLab and Notebook 7: few tests, only of what needs a real front end."""

import json
import os
import pathlib
import shutil
import signal

import pytest
from browser.harness import choose_lens, choose_tab, open_parts
from browser.test_answer_fits import FRAMES
from playwright.sync_api import expect

from pqexplore.course.exercise import CHAPTERS
from pqexplore.engine.writer.samples import write_sample

pytest.importorskip("jupyterlab")
jupyter_app = pytest.importorskip("browser.jupyter_app")

NOTEBOOKS = pathlib.Path(__file__).parents[2] / "notebooks"
COMPOSE = pathlib.Path(__file__).parents[2] / "docs" / "compose.md"

CELLS = [
    "import pqexplore\ne = pqexplore.explore('orders.parquet')\ne", "e", "after = 'ran'\nprint('between')",
    "import ipywidgets\nipywidgets.IntSlider()",
]  # fmt: skip
NAME = "views.ipynb"


@pytest.fixture(scope="module", params=["lab", pytest.param("notebook", marks=pytest.mark.full)])
def server(request, tmp_path_factory, orders_bytes):
    if request.param == "notebook":
        pytest.importorskip("notebook")
    root = tmp_path_factory.mktemp(request.param)
    (root / "orders.parquet").write_bytes(orders_bytes)
    with jupyter_app.jupyter_server(root, request.param) as (url, token):
        yield request.param, root, url, token


LAB = pytest.mark.parametrize("server", ["lab"], indirect=True)
"""In JupyterLab only: Notebook 7 has the same widget manager."""


@pytest.fixture(scope="module")
def page(server, browser):
    """One page for all notebooks of a server: Jupyter's own scripts are fetched and compiled once."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(f"{error}\n{error.stack or ''}"))
    yield page
    context.close()


@pytest.fixture
def notebook(server, page):
    app, root, url, token = server
    page.errors.clear()
    yield jupyter_app.Notebook(page, url, token, app, root)
    assert [e for e in page.errors if "pqx" in e or "anywidget" in e] == []  # Jupyter has errors of its own


@pytest.fixture
def shown(notebook):
    """The notebook that shows one explorer twice, as the test before left it if it runs still; nothing is selected."""
    both = notebook.page.locator(".pqx[data-shown]")
    if notebook.is_open(NAME) and both.count() == 2:
        notebook.evaluate("e.set_trait('selection', '')")
    else:
        notebook.run(NAME, CELLS)
    notebook.page.locator(".pqx[data-shown=file]").nth(1).wait_for()
    return notebook


def test_two_views_and_python_stay_in_step(shown):
    notebook, page = shown, shown.page
    expect(page.locator(".pqx-identity").first).to_contain_text("1,000 rows")
    first = page.locator(".pqx").first
    open_parts(page, "tree")
    first.get_by_role("tree").get_by_text("footer", exact=True).click()
    notebook.expect("e.selection", "footer")
    page.locator(".pqx[data-shown=footer]").nth(1).wait_for()
    notebook.evaluate("e.set_trait('selection', 'row_groups/1/columns/1')")
    page.locator('.pqx[data-shown="row_groups/1/columns/1"]').nth(1).wait_for()
    notebook.expect("after", "ran")


def test_arrow_keys_and_escape_are_the_explorers_while_it_has_the_focus(shown):
    notebook, page = shown, shown.page
    page.locator(".pqx[data-layout=pages]").first.wait_for()
    stage = page.get_by_role("slider", name="Byte map").first
    for key, address in (
        ("Home", "magic"),
        ("ArrowRight", "row_groups/0/columns/0/pages/0/header"),
        ("Escape", "row_groups/0/columns/0/pages/0"),
        ("Escape", "row_groups/0/columns/0"),
    ):
        stage.press(key)
        notebook.expect("e.selection", address)
    assert stage.evaluate("(e) => e === document.activeElement")


def test_an_unknown_address_raises_in_the_cell(shown):
    with pytest.raises(jupyter_app.PlaywrightError, match="nothing at 'row_groups/9'; below row_groups there are"):
        shown.evaluate("e.set_trait('selection', 'row_groups/9')")
    shown.expect("e.selection", "")


def test_the_output_has_a_summary_for_front_ends_without_widgets(shown):
    data = shown.output(0)
    assert "1,000 rows" in "".join(data["text/html"])
    assert "Explorer of" in "".join(data["text/plain"])


@pytest.mark.full
@pytest.mark.parametrize("server", ["lab", pytest.param("notebook", marks=pytest.mark.full)], indirect=True)
def test_model_not_found_when_a_notebook_is_opened_again(shown):
    """The picture is shown then, and the living widget takes its place when the cell runs again."""
    notebook, page = shown, shown.page
    picture = page.locator("[data-pqx-static]").first
    expect(picture).to_be_hidden()
    notebook.save(widgets=False)
    notebook.shut_down()
    notebook.open(NAME, fresh=True)
    expect(picture).to_be_visible()
    expect(picture).to_contain_text("1,000 rows")
    expect(page.locator(".pqx")).to_have_count(0)
    missing = page.get_by_text("model not found")
    expect(missing).to_have_count(3)  # ours, hidden, and the slider's, which is not
    for one, there in ((missing.nth(0), False), (missing.nth(1), False), (missing.nth(2), True)):
        expect(one).to_be_visible(visible=there)
    expect(page.get_by_text("between", exact=True)).to_be_visible()
    notebook.run_all()
    page.locator(".pqx[data-shown=file]").nth(1).wait_for()
    expect(picture).to_be_hidden()


@LAB
def test_a_notebook_that_keeps_its_widgets_keeps_no_script_of_ours(shown):
    notebook, page = shown, shown.page
    address = "row_groups/0/columns/1"
    notebook.evaluate(f"e.set_trait('selection', '{address}')")
    page.locator(f'.pqx[data-shown="{address}"]').nth(1).wait_for()
    for lens in ("statistics", "dictionary"):
        choose_tab(page.locator(".pqx").first.locator(f'.pqx-tab[data-lens="{lens}"]'))
        page.locator(f'.pqx-lens[data-lens="{lens}"]').nth(1).wait_for()
    notebook.evaluate("e.set_trait('where', 'id < 17 and city = \\'Lima\\'')")
    notebook.save(widgets=True)
    text = (notebook.root / NAME).read_text("utf-8")
    widgets = json.dumps(json.loads(text)["metadata"].get("widgets", {}))
    assert len(widgets) <= 20_000 and len(text.encode()) <= 60_000, (len(widgets), len(text.encode()))
    assert "anywidget" in widgets
    notebook.shut_down()
    notebook.open(NAME)  # in a page that has the explorer's script already
    expect(page.get_by_text("The kernel does not answer").first).to_be_visible()
    expect(page.locator("[data-pqx-static]").first).to_be_visible()
    expect(page.locator(".pqx")).to_have_count(0)


@pytest.mark.full
@LAB
def test_a_kernel_that_died_leaves_the_last_picture_and_says_what_to_do(notebook):
    notebook.run("died.ipynb", CELLS[:1])
    page = notebook.page
    page.locator(".pqx[data-layout=pages]").wait_for()
    notebook.evaluate("e.set_trait('selection', 'row_groups/1')")
    view = page.locator('.pqx[data-shown="row_groups/1"]')
    view.wait_for()
    open_parts(page, "tree")
    sentence, bar = view.locator(".pqx-answer > p").text_content(), page.locator(".pqx-lost")
    drawn = "[...document.querySelectorAll('.pqx-stage canvas')].map((one) => one.toDataURL()).join()"
    before = page.evaluate(drawn)
    os.kill(int(notebook.evaluate("__import__('os').getpid()")), signal.SIGKILL)
    view.get_by_role("tree").get_by_text("footer", exact=True).click()
    page.get_by_text("The kernel does not answer").wait_for(timeout=2_000)
    page.get_by_role("button", name="Ok", exact=True).click()  # Jupyter says that the kernel died
    expect(bar).to_contain_text("run the cell again")
    expect(page.locator(".pqx-answer > p")).to_have_text(sentence)
    assert page.evaluate(drawn) == before
    notebook.run_all()
    page.locator('.pqx[data-shown="footer"]').wait_for()  # where the reader was
    expect(bar).to_be_hidden()


@pytest.mark.full
@LAB
def test_the_example_of_the_docs_links_the_explorer_with_other_widgets(notebook):
    write_sample("events", notebook.root / "events.parquet")
    text = COMPOSE.read_text("utf-8")
    example = text.split("## An example")[1].split("```python\n")[1].split("```")[0]
    linked = "lens = ipywidgets.Text(description='lens')\nipywidgets.jslink((explorer, 'lens'), (lens, 'value'))\nlens"
    notebook.run("compose.ipynb", [example, linked])
    page = notebook.page
    page.locator('.pqx[data-shown="schema/1"]').wait_for()
    page.get_by_role("combobox", name="column").select_option("user")
    page.locator('.pqx[data-shown="schema/3"]').wait_for()
    notebook.expect("explorer.selection", "schema/3")
    condition = page.get_by_role("textbox", name="where")
    condition.fill("id < 1005000")
    condition.press("Enter")
    notebook.expect("explorer.where", "id < 1005000")
    page.get_by_text("reads 1 of 3 row groups").first.wait_for()
    notebook.evaluate("explorer.set_trait('where', 'id < 5')")
    expect(condition).to_have_value("id < 5")
    lens = page.get_by_role("textbox", name="lens")
    expect(lens).to_have_value("statistics")
    choose_lens(page, "Facts")
    expect(lens).to_have_value("facts")
    lens.fill("schema")
    lens.press("Tab")
    page.locator('.pqx-lens[data-lens="schema"]').wait_for()
    notebook.expect("explorer.lens", "schema")


@pytest.mark.full
@LAB
def test_two_explorers_on_a_page_load_once(notebook):
    count = """
import pqexplore.widget.script_loader as loaded
loads = []
send = loaded.Loaded.send
def counted(self, content, buffers=None):
    if content.get("kind") == "bundle":
        loads.append(sum(map(len, buffers)))
    send(self, content, buffers)
loaded.Loaded.send = counted
import pqexplore"""
    cells = [count, "pqexplore.explore('orders.parquet')", "pqexplore.explore_lake('.')"]
    notebook.run("twice.ipynb", cells, fresh=True)
    page = notebook.page
    page.locator(".pqx[data-shown=file]").wait_for()
    page.locator(".pqx-lake[data-shown]").wait_for()
    notebook.expect("len(loads)", 1)


@LAB
@pytest.mark.full
def test_the_frames_in_which_answers_fit_are_those_of_real_windows(notebook):
    """`test_answer_fits.py` shows its places in them, without JupyterLab."""
    notebook.run("frames.ipynb", CELLS[:1], fresh=True)
    page = notebook.page
    page.locator(".pqx[data-shown]").wait_for()
    before = page.viewport_size
    for name, frame in FRAMES.items():
        width, height = map(int, name.split("x"))
        page.set_viewport_size({"width": width, "height": height})
        measure = """([width, height]) => {
          const explorer = document.querySelector('.pqx').offsetWidth;
          const room = document.querySelector('.jp-WindowedPanel-outer').clientHeight;
          return Math.abs(explorer - width) <= 8 && Math.abs(room - height) <= 8; }"""
        page.wait_for_function(measure, arg=list(frame))
    page.set_viewport_size(before)


@LAB
@pytest.mark.full
def test_an_exercise_of_the_course_is_solved_by_a_click(notebook):
    chapter = CHAPTERS["02"].file
    shutil.copy(NOTEBOOKS / chapter, notebook.root)
    notebook.open(chapter)
    notebook.run_all()
    notebook.show_cell("badge = pqexplore.explore")
    notebook.page.locator(".pqx[data-shown]").first.wait_for()
    open_parts(notebook.page, "tree")
    tree = notebook.page.locator(".pqx", has_text="badges.parquet").get_by_role("tree")
    tree.get_by_title("badge", exact=True).locator(".pqx-twisty").click()
    tree.get_by_title("page 5: data, RLE_DICTIONARY").click()
    notebook.expect("badge.selection", "row_groups/0/columns/0/pages/5")
    notebook.show_cell('check("02.3"')
    notebook.run_cell()
    notebook.page.get_by_text("✔ Right.", exact=True).wait_for()
