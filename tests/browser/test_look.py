"""The explorer looks at all bytes by itself: how far it is, its stop, and what the header says at the end."""

import io

import pyarrow.parquet as pq
import pytest
from browser.harness import JUPYTER_DARK, settle
from browser.looks import misplaced, violations
from browser.test_first_screen import MANY, false_max
from insight.doctor.test_one_fault import TEN, bounded
from playwright.sync_api import expect

import pqexplore
from pqexplore.insight.doctor import verdict
from pqexplore.widget.look import Progress

TINY = {"data_page_size": 64, "write_batch_size": 100}


@pytest.fixture(scope="module")
def large():
    """A file that a first look has a part of, with a maximum that a page contradicts which it leaves out."""
    return false_max(MANY, **TINY)


@pytest.fixture(scope="module")
def changed():
    """A file that a first look has a part of, with a page that was changed after it was written: the look at all bytes meets it."""
    out = io.BytesIO()
    pq.write_table(MANY, out, compression="gzip", use_dictionary=False, **TINY)
    data = bytearray(out.getvalue())
    data[len(data) // 2] ^= 0xFF
    return bytes(data)


class Held:
    """A look that does not get on until it is let go."""

    def __init__(self, explorer):
        self._go_on = explorer._look.go_on
        self.held = True

    def __call__(self):
        return Progress(0.42, False, False, 0) if self.held else self._go_on()


def hold(explorer):
    """Holds the look at 42 %."""
    explorer._look.go_on = Held(explorer)


def test_at_the_end_the_header_says_what_the_diagnosis_says(show, large):
    page = show(large, opens=("tree",)).page
    settle(page)
    expect(page.locator(".pqx")).to_have_attribute("data-look", "whole")
    expect(page.locator(".pqx-look")).to_be_hidden()
    report = pqexplore.diagnose(large, "data")
    expect(page.locator(".pqx-headline")).to_contain_text(verdict.headline(report.findings[0]))
    expect(page.locator(".pqx-card").first).to_have_attribute("data-rule", report.findings[0].rule)
    expect(page.locator(".pqx-cards")).to_contain_text(f"looked at: {report.looked}")
    expect(page.locator(".pqx-findings summary")).to_contain_text("finding")
    expect(page.locator(".pqx-tree .pqx-flag").first).to_be_visible()
    expect(page.locator(".pqx-stage")).not_to_have_attribute("data-flagged", "0")
    expect(page.locator("[aria-live=polite]").first).to_contain_text("All bytes were looked at.")
    assert violations(page) == []


@pytest.mark.parametrize(
    ("size", "looks"),
    [((1280, 900), {}), ((400, 900), {"color_scheme": "dark", "css": JUPYTER_DARK})],
    ids=["wide-light", "narrow-dark"],
)
def test_a_look_that_runs_can_be_stopped_and_goes_on(show, large, size, looks):
    view = show(large, size=size, rests=False, prepare=hold, **looks)
    page, line = view.page, view.page.locator(".pqx-look")
    expect(line).to_contain_text("42 %")
    expect(line.locator("[role=progressbar]")).to_have_attribute("aria-valuenow", "42")
    expect(page.locator(".pqx-headline")).to_contain_text("of its size: 2,000 values of `n` ascend by 1")
    assert page.get_by_role("button", name="look at all bytes").count() == 0
    line.get_by_role("button", name="stop").click()
    expect(line.get_by_role("button", name="go on")).to_be_visible()
    expect(page.locator(".pqx-name")).to_contain_text("bytes")
    settle(page)
    expect(page.get_by_role("button", name="look at all bytes")).to_be_visible()
    assert violations(page) == [] and misplaced(page) == []
    view.explorer._look.go_on.held = False
    line.get_by_role("button", name="go on").click()
    expect(line).to_be_hidden()
    settle(page)
    expect(page.locator(".pqx-card").first).to_have_attribute("data-rule", "statistics-bound")


FOUND = """() => {
  const root = document.querySelector('.pqx');
  const all = (selector, name) => [...root.querySelectorAll(selector)].map((one) => one.getAttribute(name)).join();
  window.pqxFound = [];
  const note = () => {
    if (root.querySelector('.pqx-node'))  // the tree's rows are not between two frames
      window.pqxFound.push([
        root.querySelector('.pqx-headline').textContent,
        all('.pqx-findings .pqx-link', 'class'),
        all('.pqx-tree .pqx-flag', 'data-severity'),
        all('.pqx-flag-filter', 'data-key'),
      ]);
    requestAnimationFrame(() => setTimeout(note));
  };
  note();
}"""
"""Notes after each frame what the headline, the header, the tree and the map's legend say."""


def test_what_is_found_is_in_the_headline_the_header_the_tree_and_on_the_map_at_once(show, changed):
    view = show(changed, rests=False, prepare=hold, size=(1280, 900))
    page, line = view.page, view.page.locator(".pqx-look")
    expect(line).to_contain_text("42 %")
    line.get_by_role("button", name="stop").click()
    view.open("tree")
    settle(page)
    bar, header = (page.locator(one).bounding_box() for one in (".pqx-look-bar", ".pqx-identity"))
    assert (bar["width"], bar["height"]) == (header["width"], 2), "a thin line below all of the headline"
    page.evaluate(FOUND)
    view.explorer._look.go_on.held = False
    line.get_by_role("button", name="go on").click()
    expect(page.locator(".pqx")).to_have_attribute("data-look", "whole")
    settle(page)
    seen = list(dict.fromkeys(tuple(one) for one in page.evaluate("window.pqxFound")))
    assert len(seen) == 2, "no frame shows a part of it"
    assert all(before != after for before, after in zip(*seen, strict=True))


def test_one_fault_of_ten_columns_is_one_card_with_the_names(show):
    page = show(bounded(TEN, range(10)), opens=("tree",)).page
    expect(page.locator(".pqx-card")).to_have_count(1)
    expect(page.locator(".pqx-card")).to_contain_text("9 more columns: `c1`, `c2`, `c3` and 6 more")
    expect(page.locator(".pqx-headline")).to_contain_text(
        "`c0`, row group 0: the max is 3500, the largest value is 3999. And 9 more columns."
    )
    assert page.locator(".pqx-tree .pqx-flag").count() > 1
