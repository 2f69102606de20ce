"""`to_html`: the explorer in one file, without a kernel and without a network."""

import pyarrow as pa
import pytest
from playwright.sync_api import expect
from widget.samples import HOSTILE, parquet

import pqexplore


@pytest.fixture
def saved(browser, tmp_path):
    """Open what `to_html` gives, offline; what the page asks of anyone is kept."""
    contexts = []

    def make(explorer):
        path = tmp_path / "explorer.html"
        path.write_text(explorer.to_html(), "utf-8")
        context = browser.new_context(offline=True, viewport={"width": 1200, "height": 1000})
        contexts.append(context)
        page = context.new_page()
        page.asked, page.errors = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
        page.goto(path.as_uri())
        page.locator(".pqx[data-shown]").wait_for()
        return page

    yield make
    for context in contexts:
        context.close()


def test_it_needs_nobody(saved, orders_bytes):
    page = saved(pqexplore.explore(orders_bytes, view="rows"))
    expect(page.get_by_role("grid", name="Rows of the file")).to_contain_text("Lima")
    expect(page.locator(".pqx-letters").first).to_contain_text("PAR1")
    assert [url for url in page.asked if not url.startswith("file:")] == []
    assert page.errors == []


def test_one_can_walk_about_above_the_pages(saved, orders_bytes):
    page = saved(pqexplore.explore(orders_bytes))
    tree = page.get_by_role("tree")
    tree.get_by_text("row groups").click()
    page.locator('.pqx[data-shown="row_groups"]').wait_for()
    page.get_by_role("grid").get_by_text("row group 1").click()
    page.locator('.pqx[data-shown="row_groups/1"]').wait_for()
    page.get_by_role("tab", name="Rows").click()
    expect(page.get_by_role("tab", name="Rows")).to_have_attribute("aria-selected", "true")


def test_what_was_seen_is_there_and_the_rest_says_that_it_is_not(saved, show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/1/pages/1")
    expect(view.page.get_by_role("grid")).to_contain_text("Lima")
    page = saved(view.explorer)
    expect(page.get_by_role("grid")).to_contain_text("Lima")
    page.get_by_role("tree").get_by_text("page 0").click()
    expect(page.get_by_role("alert").first).to_contain_text("Open the file in a notebook")
    assert page.errors == []


def test_hostile_text_stays_text(saved):
    import pyarrow as pa

    table = pa.table({HOSTILE: [HOSTILE]}).replace_schema_metadata({HOSTILE: HOSTILE})
    page = saved(pqexplore.explore(parquet(table), view="rows"))
    expect(page.get_by_role("gridcell").nth(1)).to_contain_text("</script>")
    assert page.locator("img").count() == 0
    assert page.errors == []


def test_a_thousand_steps_are_there_and_behind_them_the_page_says_so(saved):
    table = pa.table({"l": [["a", None, "b"] if i % 3 else [] for i in range(600)]})
    page = saved(pqexplore.explore(parquet(table), at="row_groups/0/columns/0", view="nesting"))
    entry, sentence = page.get_by_label("Entry of the page"), page.locator(".pqx-nest-sentence")
    alert = page.locator(".pqx-nest").get_by_role("alert")
    entry.fill("999")
    expect(page.locator(".pqx-nest")).to_have_attribute("data-entry", "999")
    expect(sentence).not_to_be_empty()
    expect(alert).to_have_count(0)
    entry.fill("1000")
    expect(alert).to_contain_text("not among those that the page was saved with")
    expect(sentence).to_be_empty()
    entry.fill("998")
    expect(sentence).not_to_be_empty()
    expect(alert).to_have_count(0)
