"""A Chromium for the session, explorers in its pages, and saved pages."""

import collections
import functools
import os
import shutil

import pytest
from browser.harness import CHROMIUM_ARGS, View, resize, settle
from widget import samples

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, write_sample

LEAN = "--js-flags=--single-threaded"
"""No threads that compile and collect beside the page: less work in all, where every core has a worker."""

VIOLATIONS = """window.pqxViolations = [];
addEventListener("securitypolicyviolation", (event) =>
  window.pqxViolations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));"""


def pytest_collection_modifyitems(items):
    here = os.path.dirname(__file__)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    """Chromium, headless: `PQEXPLORE_CHROMIUM` if the tests must run, else the one on the path."""
    api = pytest.importorskip("playwright.sync_api")
    executable = os.environ.get("PQEXPLORE_CHROMIUM", shutil.which("chromium"))
    if executable == "":
        pytest.fail("PQEXPLORE_CHROMIUM is set and names no Chromium")
    if executable is None:
        pytest.skip("there is no chromium on the path")
    api.expect.set_options(timeout=60_000)  # a slow machine is only slow
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=[*CHROMIUM_ARGS, LEAN])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def orders_bytes() -> bytes:
    """1,000 rows in two row groups of 600 and 400, several pages in each chunk, with a page index."""
    return samples.orders_bytes()


@pytest.fixture(scope="session")
def saved_orders(orders_bytes):
    """The saved page of `orders`, by its budget; each is made once: `saved_orders(300_000)`."""
    return functools.cache(lambda budget: pqexplore.explore(orders_bytes).to_html(budget=budget))


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """The path of a sample of the project, which is written once: `sample("events")`."""
    folder = tmp_path_factory.mktemp("samples")

    @functools.cache
    def path(name):
        write_sample(name, folder / f"{name}.parquet")
        return folder / f"{name}.parquet"

    return path


@pytest.fixture(scope="session")
def unlocked(sample):
    """A sample, opened with the keys that it has: `unlocked("encrypted")`."""

    def opened(name):
        keys = SAMPLES[name].keys if name in SAMPLES else {}
        return pqexplore.open(sample(name), decryption=pqexplore.Decryption(**keys) if keys else None)

    return opened


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report


@pytest.fixture(scope="session")
def kept_pages():
    """Pages that are shown again, by the options of their context."""
    return collections.defaultdict(list)


EMULATED = {"color_scheme": "light", "forced_colors": "none", "reduced_motion": "no-preference"}
"""What a page can change while it is open."""


@pytest.fixture
def lend(browser, kept_pages, request):
    """A page for one view: `lend(size, color_scheme=…)`. Fails if the page throws an error.

    The page shows another test's view next. A test that changes more of it than its document asks for one that is
    not kept: `lend(size, kept=False)`.
    """
    lent = []

    def page_of(size, *, kept=True, **context):
        media = {name: context.pop(name, usual) for name, usual in EMULATED.items()}
        others = kept_pages[repr(sorted(context.items()))] if kept else []
        if others:
            page = others.pop()
            page.mouse.move(0, 0)
        else:
            page = browser.new_context(**context).new_page()
            page.set_default_timeout(60_000)
        lent.append((page, others if kept else None))
        page.emulate_media(**media)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        return page

    yield page_of
    for page, _ in lent:
        page.evaluate("window.pqxEnd?.()")
    thrown = [page.shows.errors for page, _ in lent]
    for (page, others), errors in zip(lent, thrown, strict=True):
        if errors or others is None or getattr(request.node, "failed", False):
            page.context.close()
        else:
            others.append(page)
    assert not any(thrown), thrown


@pytest.fixture
def show(lend):
    """Open a view of a source: `show(source, width=…, color_scheme=…)`.

    `prepare` gets the explorer before the page does. Without `rests` nothing waits for the page. `opens` names the
    drawers that are open: `map`, `tree`, `bytes`.
    """

    def make(
        source,
        *,
        at="",
        view=None,
        where="",
        engine="format",
        against=None,
        width="auto",
        views_=1,
        css="",
        size=(1200, 1000),
        prepare=lambda explorer: None,
        rests=True,
        opens=(),
        **context,
    ):
        explorer = pqexplore.explore(source, at=at, view=view, where=where, engine=engine, against=against)
        prepare(explorer)
        opened = View(lend(size, **context), explorer, width=width, views=views_, css=css)
        if rests:
            opened.shown(at)
        if opens:
            opened.open(*opens)
        return opened

    return make


@pytest.fixture
def orders_view(show, orders_bytes):
    """The explorer of `orders` with all drawers open."""
    return show(orders_bytes, opens=("map", "tree", "bytes"))


@pytest.fixture(scope="session")
def offline(browser):
    """A page without a network, for saved pages. It keeps what it asks for, its errors, and what its policy blocks."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.add_init_script(VIOLATIONS)
    page.urls, page.errors = [], []
    page.on("request", lambda request: page.urls.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
    yield page
    context.close()


@pytest.fixture
def saved(offline, tmp_path):
    """Open a saved page, or that of an explorer. Fails if it asks for anything outside of itself, or throws an error."""

    def make(page_or_explorer, place="", *, budget=300_000, size=(1280, 780), color_scheme="light", stored=None):
        path, page = tmp_path / "explorer.html", page_or_explorer
        path.write_text(page if isinstance(page, str) else page.to_html(budget=budget), "utf-8")
        (tmp_path / "blank.html").touch()
        offline.goto((tmp_path / "blank.html").as_uri())  # else only the place changes
        offline.evaluate("(stored) => { localStorage.clear(); Object.assign(localStorage, stored); }", stored or {})
        offline.emulate_media(color_scheme=color_scheme)
        resize(offline, *size)
        offline.urls.clear()
        offline.errors.clear()
        offline.goto(path.as_uri() + place)
        offline.locator(".pqx[data-shown]").wait_for()
        settle(offline)
        return offline

    yield make
    asked = [url for url in offline.urls if not url.startswith(("file:", "blob:", "data:"))]
    assert (asked, offline.errors) == ([], [])
