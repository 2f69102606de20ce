"""`to_html`: the explorer in one file, without a kernel and without a network."""

import base64
import gzip
import re

import pyarrow as pa
import pytest
from browser.harness import settle, wait_until
from playwright.sync_api import expect
from widget.samples import HOSTILE, parquet

import pqexplore
from pqexplore.widget import export

VIOLATIONS = """window.pqxViolations = [];
addEventListener("securitypolicyviolation", (event) =>
  window.pqxViolations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));"""


@pytest.fixture(scope="module")
def offline(browser):
    """A page without a network, for all pages that were saved."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.add_init_script(VIOLATIONS)
    page.urls, page.errors = [], []
    page.on("request", lambda request: page.urls.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
    yield page
    context.close()


@pytest.fixture
def orders_page(saved_orders):
    """The saved page of `orders`, with every lens above the pages."""
    return saved_orders(600_000)


@pytest.fixture
def saved(offline, tmp_path):
    """Open a saved page, or that of an explorer, offline. Records the page's requests and what its policy blocks."""

    def make(page_or_explorer, place="", size=(1200, 1000), budget=100_000, color_scheme="light"):
        path, page = tmp_path / "explorer.html", page_or_explorer
        path.write_text(page if isinstance(page, str) else page.to_html(budget=budget), "utf-8")
        if offline.url.startswith("file:"):
            offline.evaluate("localStorage.clear()")
        offline.goto("about:blank")  # else only the place changes
        offline.set_viewport_size({"width": size[0], "height": size[1]})
        offline.emulate_media(color_scheme=color_scheme)
        offline.urls.clear()
        offline.errors.clear()
        offline.goto(path.as_uri() + place)
        offline.locator(".pqx[data-shown]").wait_for()
        return offline

    return make


def test_the_saved_page_makes_no_requests(saved, orders_page):
    page = saved(orders_page, "#?lens=rows")
    expect(page.get_by_role("grid", name="Rows of the file")).to_contain_text("Lima")
    expect(page.locator(".pqx-letters").first).to_contain_text("PAR1")
    assert [url for url in page.urls if not url.startswith("file:")] == []
    assert page.errors == []


DATA = re.compile('<script type="text/plain" id="pqx-(?:snapshot|later)">(.*?)</script>', re.S)
SCRIPT = re.compile('<script type="text/plain" id="pqx-script">(.*?)</script>')


def test_a_saved_page_without_its_data_has_at_most_350_kb_and_no_plotly(orders_page):
    assert sum(map(len, DATA.findall(orders_page))) > 50_000
    bare = DATA.sub("", orders_page)
    assert len(bare.encode()) <= 350_000, len(bare.encode())
    script = gzip.decompress(base64.b64decode(SCRIPT.search(orders_page)[1])).decode()
    assert len(script) > 50_000
    assert "plotly" not in (bare + script).lower()


def policy_of(text):
    match = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    parts = (part.split() for part in match[1].split(";"))
    return {name: allowed for name, *allowed in parts}


def test_the_policy_allows_its_own_scripts_and_styles_and_nothing_else(orders_page):
    rules = policy_of(orders_page)
    allowed = [*rules.pop("script-src"), *rules.pop("style-src")]
    assert len(allowed) == 3  # what unpacks the script, the script, the style sheet
    assert all(re.fullmatch("'sha256-[A-Za-z0-9+/]{43}='", one) for one in allowed), allowed
    assert rules == {"default-src": ["'none'"], "base-uri": ["'none'"], "form-action": ["'none'"]}


def test_every_lens_works_under_the_policy(saved, orders_page):
    page = saved(orders_page)
    seen = set()
    for at in ("", "row_groups/0", "row_groups/0/columns/1"):
        page.evaluate("(place) => { location.hash = place; }", f"#{at}")
        page.locator(f'.pqx[data-shown="{at or "file"}"]').wait_for()
        for lens in page.get_by_role("tab").all():
            name = lens.get_attribute("data-lens") or lens.inner_text()
            if name in seen:
                continue
            seen.add(name)
            lens.click()
            expect(lens).to_have_attribute("aria-selected", "true")
            settle(page)
            expect(page.locator(".pqx-detail .pqx-trouble")).to_have_count(0)
    assert seen >= {"rows", "overview", "layout", "column", "row_group", "statistics", "facts"}
    assert page.evaluate("pqxViolations") == []
    assert page.errors == []


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


def test_injected_scripts_and_styles_are_blocked(saved, orders_page):
    added = "".join(text for text, _ in INJECTED)
    page = saved(orders_page.replace("<main id", f"{added}<main id", 1))
    settle(page)
    assert page.evaluate("window.pqxOwned") is None
    found = [one.split()[0] for one in page.evaluate("pqxViolations")]
    blocked = " ".join(directives for _, directives in INJECTED).split()
    assert {one: found.count(one) for one in found} == {one: blocked.count(one) for one in blocked}


def test_a_form_in_the_page_is_not_submitted(saved, orders_page):
    page = saved(orders_page)
    page.evaluate("""() => {
      const form = document.createElement("form");
      form.action = "https://evil.example/";
      document.body.append(form);
      form.submit();
    }""")
    wait_until(page, "() => pqxViolations.some((one) => one.startsWith('form-action'))")


BRIGHTNESS = """(colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}"""


def brightness(page, selector, name):
    colour = page.locator(selector).first.evaluate("(el, name) => getComputedStyle(el).getPropertyValue(name)", name)
    return page.evaluate(BRIGHTNESS, colour)


DRAWN = "[...document.querySelectorAll('canvas')].map((one) => one.toDataURL()).join()"


def test_the_saved_page_follows_the_systems_colours_and_its_canvases_change(saved, orders_page):
    place = "#row_groups/0/columns/0?lens=compare"
    page = saved(orders_page, place, size=(1000, 900), color_scheme="light")
    page.locator(".pqx-board-stage[data-drawn]").wait_for()
    settle(page)
    light = page.evaluate(DRAWN)
    paper = [("body", "background-color"), (".pqx", "background-color")]
    ink = [("body", "color"), (".pqx", "color"), (".pqx-readout", "color")]
    for scheme, width in (("light", 1000), ("dark", 1000), ("dark", 400), ("light", 400)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        if (scheme, width) == ("dark", 1000):
            wait_until(page, f"(before) => {DRAWN} !== before", light)
        for dark, places in ((scheme == "dark", paper), (scheme == "light", ink)):
            for selector, name in places:
                bright = brightness(page, selector, name)
                assert bright < 0.2 if dark else bright > 0.8, (scheme, width, selector, name)


def test_saved_facts_are_shown_and_their_numbers_are_not_input_boxes(saved, orders_bytes):
    explorer = pqexplore.explore(orders_bytes, at="row_groups/0/columns/0/pages/1/header", view="facts")
    page = saved(explorer, color_scheme="dark")
    number = page.locator(".pqx-fact-value.pqx-number").first
    expect(number).to_be_visible()
    border = "(el) => getComputedStyle(el).borderTopWidth"
    assert number.evaluate(border) == "0px"


def test_nodes_above_the_pages_can_be_selected_in_the_saved_page(saved, orders_page):
    page = saved(orders_page)
    tree = page.get_by_role("tree")
    tree.get_by_text("row groups").click()
    page.locator('.pqx[data-shown="row_groups"]').wait_for()
    page.get_by_role("grid").get_by_text("row group 1").click()
    page.locator('.pqx[data-shown="row_groups/1"]').wait_for()
    page.get_by_role("tab", name="Rows").click()
    expect(page.get_by_role("tab", name="Rows")).to_have_attribute("aria-selected", "true")


def test_pages_that_nobody_opened_have_every_lens_and_their_bytes(saved):
    table = pa.table({"city": ["Oslo", "Lima", None, "Bern"] * 75})
    cities = parquet(table, data_page_size=64, write_batch_size=100, write_page_index=True, compression="snappy")
    explorer = pqexplore.explore(cities, at="row_groups/0/columns/0/pages/2")
    page = saved(explorer, budget=export.BUDGET)
    page.get_by_role("tree").get_by_text("page 1").last.click()
    page.locator('.pqx[data-shown="row_groups/0/columns/0/pages/1"]').wait_for()
    for tab in page.get_by_role("tab").and_(page.locator("[data-lens]")).all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        settle(page)
        expect(page.locator(".pqx-detail .pqx-trouble")).to_have_count(0)
    expect(page.locator(".pqx-letters").first).not_to_be_empty()
    expect(page.locator(".pqx")).not_to_contain_text("no room")
    expect(page.locator(".pqx[data-layout=pages]")).to_have_count(1)
    assert page.errors == []


def test_what_did_not_fit_says_how_to_get_it(saved, orders_bytes):
    explorer = pqexplore.explore(orders_bytes, at="row_groups/0/columns/1/pages/1")
    for address in ("row_groups", "row_groups/0", "row_groups/0/columns/1"):  # a tree opens these
        asked = {"address": address, "start": 0}
        explorer._handle_custom_msg({"kind": "request", "id": 1, "op": "children", "args": asked}, [])
    page = saved(explorer, budget=200_000)
    expect(page.get_by_role("grid")).to_contain_text("Lima")
    page.get_by_role("tree").get_by_text("page 0").click()
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("Open the file in a notebook, or save the page with a larger budget")
    assert page.errors == []


def test_hostile_text_stays_text(saved):
    table = pa.table({HOSTILE: [HOSTILE]}).replace_schema_metadata({HOSTILE: HOSTILE})
    page = saved(pqexplore.explore(parquet(table), view="rows"))
    expect(page.get_by_role("gridcell").nth(1)).to_contain_text("</script>")
    assert page.locator("img").count() == 0
    assert page.evaluate("pqxViolations") == []
    assert page.errors == []


def test_a_saved_page_has_a_thousand_steps_and_says_that_more_are_missing(saved):
    table = pa.table({"l": [["a", None, "b"] if i % 3 else [] for i in range(600)]})
    explorer = pqexplore.explore(parquet(table), at="row_groups/0/columns/0", view="nesting")
    page = saved(explorer, budget=300_000)
    entry, sentence = page.get_by_label("Entry of the page"), page.locator(".pqx-nest-sentence")
    alert = page.locator(".pqx-nest").get_by_role("alert")
    entry.fill("999")
    expect(page.locator(".pqx-nest")).to_have_attribute("data-entry", "999")
    expect(sentence).not_to_be_empty()
    expect(alert).to_have_count(0)
    entry.fill("1000")
    expect(alert).to_contain_text("This entry was not saved in the page")
    expect(sentence).to_be_empty()
    entry.fill("998")
    expect(sentence).not_to_be_empty()
    expect(alert).to_have_count(0)
