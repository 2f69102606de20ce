"""`to_html`: the explorer in one file, without a kernel and without a network."""

import base64
import gzip
import re

import pyarrow as pa
import pytest
from browser.harness import choose_tab, open_parts, resize, settle, wait_until
from made import parquet
from playwright.sync_api import expect
from widget.samples import HOSTILE

import pqexplore
from pqexplore.widget import export


@pytest.fixture
def orders_page(saved_orders):
    """The saved page of `orders`, with every lens above the pages."""
    return saved_orders(600_000)


DATA = re.compile('<script type="text/plain" id="pqx-(?:snapshot|later)">(.*?)</script>', re.S)
SCRIPT = re.compile('<script type="text/plain" id="pqx-script">(.*?)</script>')


def test_a_saved_page_without_its_data_has_at_most_350_kb_and_no_plotly(orders_page):
    assert sum(map(len, DATA.findall(orders_page))) > 50_000
    bare = DATA.sub("", orders_page)
    assert len(bare.encode()) <= 350_000, len(bare.encode())
    script = gzip.decompress(base64.b64decode(SCRIPT.search(orders_page)[1])).decode()
    assert len(script) > 50_000
    assert "plotly" not in (bare + script).lower()


def test_the_policy_allows_its_own_scripts_and_styles_and_nothing_else(orders_page):
    match = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', orders_page)
    rules = {name: allowed for name, *allowed in (part.split() for part in match[1].split(";"))}
    allowed = [*rules.pop("script-src"), *rules.pop("style-src")]
    assert len(allowed) == 3  # what unpacks the script, the script, the style sheet
    assert all(re.fullmatch("'sha256-[A-Za-z0-9+/]{43}='", one) for one in allowed), allowed
    assert rules == {"default-src": ["'none'"], "base-uri": ["'none'"], "form-action": ["'none'"]}


def open_all(page, seen):
    """Choose each lens that was not seen; none has trouble."""
    tabs = page.locator(".pqx-tab-bar .pqx-tab")
    for name in tabs.evaluate_all("all => all.map((one) => one.dataset.lens)"):
        if name in seen:
            continue
        seen.add(name)
        lens = page.locator(f'.pqx-tab[data-lens="{name}"]')
        choose_tab(lens)
        settle(page)
        expect(lens).to_have_attribute("aria-selected", "true")
        expect(page.locator(".pqx-detail .pqx-trouble")).to_have_count(0)


def test_every_lens_works_under_the_policy_without_a_request(saved, orders_page):
    page, seen = saved(orders_page, "#?lens=rows"), set()
    expect(page.get_by_role("grid", name="Rows of the file")).to_contain_text("Lima")
    open_parts(page, "tree", "bytes")
    expect(page.locator(".pqx-letters").first).to_contain_text("PAR1")
    open_all(page, seen)
    page.get_by_role("tree").get_by_text("row groups").click()
    page.locator('.pqx[data-shown="row_groups"]').wait_for()
    page.get_by_role("grid").get_by_text("row group 1").click()
    page.locator('.pqx[data-shown="row_groups/1"]').wait_for()
    for at in ("row_groups/0", "row_groups/0/columns/1"):
        page.evaluate("(place) => { location.hash = place; }", f"#{at}")
        page.locator(f'.pqx[data-shown="{at}"]').wait_for()
        open_all(page, seen)
    assert seen >= {"rows", "overview", "layout", "column", "row_group", "statistics", "facts"}
    assert page.evaluate("pqxViolations") == []


INJECTED = [
    ("<script>window.pqxOwned = 1</script>", "script-src-elem"),
    ("<svg><script>window.pqxOwned = 2</script></svg>", "script-src-elem"),
    ("<img src=x onerror='window.pqxOwned = 3'>", "img-src script-src-attr"),
    ("<style>body { display: none }</style>", "style-src-elem"),
    ("<p style='position: fixed'>over all</p>", "style-src-attr"),
    ("<iframe srcdoc='<script>parent.pqxOwned = 4</script>'></iframe>", ""),
    ("<base href='https://evil.example/'>", "base-uri"),
    ("<details open ontoggle='window.pqxOwned = 5'>x</details>", "script-src-attr"),
]


def test_injected_scripts_and_styles_are_blocked_and_no_form_is_submitted(saved, orders_page):
    added = "".join(text for text, _ in INJECTED)
    page = saved(orders_page.replace("<main id", f"{added}<main id", 1))
    assert page.evaluate("window.pqxOwned") is None
    found = [one.split()[0] for one in page.evaluate("pqxViolations")]
    blocked = " ".join(directives for _, directives in INJECTED).split()
    assert {one: found.count(one) for one in found} == {one: blocked.count(one) for one in blocked}
    page.evaluate("""() => {
      const form = document.createElement("form");
      form.action = "https://evil.example/";
      document.body.append(form);
      form.submit();
    }""")
    wait_until(page, "() => pqxViolations.some((one) => one.startsWith('form-action'))")
    page.errors.clear()  # what is blocked is said there


BRIGHTNESS = """(el, name) => {
  const [r, g, b] = getComputedStyle(el).getPropertyValue(name).match(/[\\d.]+/g).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}"""

DRAWN = "[...document.querySelectorAll('canvas')].map((one) => one.toDataURL()).join()"


def test_the_saved_page_follows_the_systems_colours_and_its_canvases_change(saved, orders_page):
    page = saved(orders_page, "#row_groups/0/columns/0?lens=compare", size=(1000, 900))
    page.locator(".pqx-board-stage[data-drawn]").wait_for()
    settle(page)
    light = page.evaluate(DRAWN)
    paper = [("body", "background-color"), (".pqx", "background-color")]
    ink = [("body", "color"), (".pqx", "color"), (".pqx-readout", "color")]
    for scheme, width in (("light", 1000), ("dark", 1000), ("dark", 400), ("light", 400)):
        page.emulate_media(color_scheme=scheme)
        resize(page, width, 900)
        if (scheme, width) == ("dark", 1000):
            wait_until(page, f"(before) => {DRAWN} !== before", light)
        for dark, places in ((scheme == "dark", paper), (scheme == "light", ink)):
            for selector, name in places:
                bright = page.locator(selector).first.evaluate(BRIGHTNESS, name)
                assert bright < 0.2 if dark else bright > 0.8, (scheme, width, selector, name)


@pytest.mark.full
def test_pages_that_nobody_opened_have_every_lens_and_their_bytes(saved):
    table = pa.table({"city": ["Oslo", "Lima", None, "Bern"] * 75})
    cities = parquet(table, data_page_size=64, write_batch_size=100, write_page_index=True, compression="snappy")
    page = saved(pqexplore.explore(cities, at="row_groups/0/columns/0/pages/2"), budget=export.BUDGET)
    open_parts(page, "tree", "bytes")
    page.get_by_role("tree").get_by_text("page 1").last.click()
    page.locator('.pqx[data-shown="row_groups/0/columns/0/pages/1"]').wait_for()
    open_all(page, set())
    expect(page.locator(".pqx-letters").first).not_to_be_empty()
    expect(page.locator(".pqx")).not_to_contain_text("no room")
    expect(page.locator(".pqx[data-layout=pages]")).to_have_count(1)


def test_what_did_not_fit_says_how_to_get_it(saved, orders_bytes):
    explorer = pqexplore.explore(orders_bytes, at="row_groups/0/columns/1/pages/1")
    for address in ("row_groups", "row_groups/0", "row_groups/0/columns/1"):  # a tree opens these
        asked = {"address": address, "start": 0}
        explorer._handle_custom_msg({"kind": "request", "id": 1, "op": "children", "args": asked}, [])
    page = saved(explorer, budget=200_000)
    expect(page.get_by_role("grid")).to_contain_text("Lima")
    open_parts(page, "tree")
    page.get_by_role("tree").get_by_text("page 0").click()
    words = "Open the file in a notebook, or save the page with a larger budget"
    expect(page.get_by_role("alert").first).to_contain_text(words)


def test_hostile_text_stays_text(saved):
    table = pa.table({HOSTILE: [HOSTILE]}).replace_schema_metadata({HOSTILE: HOSTILE})
    page = saved(pqexplore.explore(parquet(table), view="rows"))
    expect(page.get_by_role("gridcell").nth(1)).to_contain_text("</script>")
    assert page.locator("img").count() == 0
    assert page.evaluate("pqxViolations") == []


def test_a_saved_page_has_a_thousand_steps_and_says_that_more_are_missing(saved):
    table = pa.table({"l": [["a", None, "b"] if i % 3 else [] for i in range(600)]})
    page = saved(pqexplore.explore(parquet(table), at="row_groups/0/columns/0", view="nesting"))
    entry, sentence = page.get_by_label("Entry of the page"), page.locator(".pqx-nest-sentence")
    alert = page.locator(".pqx-nest").get_by_role("alert")
    for at, there in ((999, True), (1000, False), (998, True)):
        entry.fill(str(at))
        if there:
            expect(page.locator(".pqx-nest")).to_have_attribute("data-entry", str(at))
            expect(sentence).not_to_be_empty()
            expect(alert).to_have_count(0)
        else:
            expect(alert).to_contain_text("This entry was not saved in the page")
            expect(sentence).to_be_empty()
