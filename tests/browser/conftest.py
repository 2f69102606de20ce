"""A Chromium for the session, and explorers in its pages."""

from __future__ import annotations

import collections
import functools
import os
import shutil

import pytest
from browser.harness import CHROMIUM_ARGS, View
from widget import samples

import pqexplore

RAN_OUT = ["TimeoutError", "still false after", "does not come to rest", "Locator expected"]
"""Messages of waits that ran out. On a machine at its limit that may be no defect: the test is run once more."""


def pytest_collection_modifyitems(items):
    here = os.path.dirname(__file__)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=RAN_OUT))


@pytest.fixture(scope="session")
def browser():
    """Chromium, headless: `PQEXPLORE_CHROMIUM` if the tests must run, else the one on the path."""
    api = pytest.importorskip("playwright.sync_api")
    executable = os.environ.get("PQEXPLORE_CHROMIUM", shutil.which("chromium"))
    if executable == "":
        pytest.fail("PQEXPLORE_CHROMIUM is set and names no Chromium")
    if executable is None:
        pytest.skip("there is no chromium on the path")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report


@pytest.fixture(scope="session")
def kept_pages(browser):
    """Pages that are shown again, by the options of their context.

    A page that has compiled the script once shows a view in a third of the time that a new one takes.
    """
    return collections.defaultdict(list)


@pytest.fixture
def lend(browser, kept_pages, request):
    """A page for one view: `lend(size, color_scheme=…)`. Fails if the page throws an error.

    The page may show another test's view next: a test changes nothing of it but its document.
    """
    lent = []

    def page_of(size, **context):
        kept = kept_pages[repr(sorted(context.items()))]
        page = kept.pop() if kept else browser.new_context(**context).new_page()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=context.get("color_scheme", "light"))
        lent.append((page, kept))
        return page

    yield page_of
    thrown = [page.shows.errors for page, _ in lent]
    for (page, kept), errors in zip(lent, thrown, strict=True):
        if errors or getattr(request.node, "failed", False):
            page.context.close()
        else:
            page.goto("about:blank")
            kept.append(page)
    assert not any(thrown), thrown


@pytest.fixture
def show(lend):
    """Open a view of a source: `show(source, width=…, color_scheme=…)`."""

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
        **context,
    ):
        explorer = pqexplore.explore(source, at=at, view=view, where=where, engine=engine, against=against)
        opened = View(lend(size, **context), explorer, width=width, views=views_, css=css)
        opened.shown(at)
        return opened

    return make


@pytest.fixture
def orders_view(show, orders_bytes):
    return show(orders_bytes)
