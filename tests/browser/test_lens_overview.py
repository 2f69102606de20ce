"""The overview on the screen: its numbers, its marks by mouse and keyboard, and a layout that does not move."""

import pyarrow as pa
import pytest
from playwright.sync_api import expect
from widget.samples import parquet

import pqexplore


def drawn(view):
    view.page.locator(".pqx-plot[data-drawn=true]").wait_for()
    return view.page


def test_the_first_view_of_a_file_says_where_its_bytes_are(orders_view):
    page = drawn(orders_view)
    expect(page.get_by_role("tab", selected=True)).to_have_text("Overview")
    expect(page.locator(".pqx-answer > p")).to_contain_text("is column `id`, which Snappy shrinks")
    sizes = page.locator(".pqx-overview ol li").evaluate_all(
        "(all) => all.map((e) => Number(e.dataset.compressed))"
    )
    file = orders_view.explorer.file
    chunks = [sum(len(g.columns[i].span) for g in file.row_groups) for i in range(5)]
    assert sizes == sorted(chunks, reverse=True)
    absent = page.locator('[data-state="none"]').evaluate_all(
        "(all) => all.map((e) => e.dataset.feature)"
    )
    assert "Bloom filters" in absent and "page index" not in absent


def test_the_icicle_draws_its_numbers(orders_view):
    page = drawn(orders_view)
    marks = page.evaluate(
        """() => { const trace = document.querySelector('.pqx-plot-stage').data[0];
             const wide = {};
             for (const e of document.querySelectorAll('.pqx-plot .slice'))
               wide[e.__data__.data.data.id] = e.getBoundingClientRect().width;
             return trace.ids.map((id, i) => [id, trace.values[i], wide[id]]); }"""
    )
    whole = marks[0]
    assert whole[1] == 8625
    for _, value, width in marks:
        if width and width > 20:
            assert abs(width / whole[2] - value / whole[1]) < 0.02


def test_a_mark_is_pointed_at_by_keys_and_followed(orders_view):
    page = drawn(orders_view)
    chart = page.get_by_role("group", name="The bytes of the file")
    note = page.locator(".pqx-plot-note")
    chart.focus()
    for key in ("ArrowRight", "ArrowDown"):
        chart.press(key)
    expect(note).to_contain_text("id: ")
    expect(page.locator(".pqx-plot-at")).to_have_count(1)
    chart.press("ArrowDown")
    expect(note).to_contain_text("id, row group 0")
    chart.press("ArrowRight")
    expect(note).to_contain_text("id, row group 1")
    chart.press("Enter")
    orders_view.shown("row_groups/1/columns/0")


def test_a_click_on_a_mark_goes_there(orders_view):
    page = drawn(orders_view)
    page.locator(".pqx-plot .slice").filter(has_text="row group 0").first.click()
    page.wait_for_function("document.querySelector('.pqx').dataset.shown !== 'file'")
    assert orders_view.explorer.selection == "row_groups/0/columns/0"


def test_the_layout_does_not_move_when_the_chart_appears(show, orders_bytes):
    view = show(orders_bytes)
    box = "document.querySelector('.pqx-plot').getBoundingClientRect().height"
    before = view.page.evaluate(box)
    drawn(view)
    assert view.page.evaluate(box) == before
    view.page.get_by_role("group", name="The bytes of the file").press("ArrowRight")
    assert view.page.evaluate(box) == before


def test_the_chart_follows_the_width(orders_view):
    page = drawn(orders_view)
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_function(
        """() => { const s = document.querySelector('.pqx-plot-stage');
             return Math.abs(s.querySelector('svg').getBoundingClientRect().width - s.clientWidth) < 2; }"""
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_saved_page_draws_it_without_a_network(browser, orders_bytes, tmp_path):
    path = tmp_path / "explorer.html"
    path.write_text(pqexplore.explore(orders_bytes).to_html(), "utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.locator(".pqx-plot[data-drawn=true]").wait_for()
    assert page.locator(".pqx-plot .slice").count() > 10
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()


@pytest.mark.parametrize(
    "name",
    [
        '<a href="https://evil.example/">x</a>',
        "<b>bold</b><br>two lines",
        "&lt;b&gt;",
        "$\\href{javascript:alert(1)}{x}$",
        "%{customdata}<extra></extra>",
    ],
)
def test_a_columns_name_is_only_text_in_the_chart(show, name):
    view = show(parquet(pa.table({name: [str(i) for i in range(2_000)]})))
    page = drawn(view)
    label = page.locator(".pqx-plot text").filter(has_text=name)
    expect(label.first).to_be_attached()
    inside = page.locator(".pqx-plot-stage").evaluate(
        "(el) => [...el.querySelectorAll('a, image, script, foreignObject')].map((e) => e.outerHTML)"
    )
    assert inside == []
    assert page.locator(".pqx-plot tspan[style*=bold]").count() == 0


def test_bidirectional_control_characters_are_shown_as_codes(show):
    view = show(parquet(pa.table({"\u202eevil\x1b": [str(i) for i in range(2_000)]})))
    page = drawn(view)
    expect(page.locator(".pqx-plot text").filter(has_text="⟨U+202E⟩evil␛").first).to_be_attached()
    everything = page.locator(".pqx").evaluate(
        "(el) => el.textContent + [...el.querySelectorAll('*')].flatMap((e) => "
        "[...e.attributes].filter((a) => /^aria-|^title$/.test(a.name)).map((a) => a.value)).join()"
    )
    assert "\u202e" not in everything
    assert "\x1b" not in everything
