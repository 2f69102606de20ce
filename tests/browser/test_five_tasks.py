"""The five commonest tasks, each from the first screen to its answer in at most four clicks or keys."""

import re

import pytest
from browser.harness import digits, settle
from playwright.sync_api import expect

from pqexplore.engine.writer.samples import write_sample

MOST = 4
COLUMN = (
    r"`score`, DOUBLE: 160 kB, 41 % of the file, without a codec(.|\n)*Does it compress\?.*no\."
)
SKIPS = r"reads 8 of 8 row groups(.|\n)*the range 184 … 999137 overlaps what it asks for"
BITS = r"Value \d+ of page \d+ is `[^`]*`: DELTA_BINARY_PACKED gives it \d+ bits at byte \d+(.|\n)*[01]{8}"
SHOWS_BYTES = ("damage", "bits of a value")
"""The tasks that end with bytes selected in the hex view."""


class Hand:
    """Clicks and presses keys, and counts them. A word typed into a field counts as one."""

    def __init__(self, view):
        self.page = view.page
        self.count = 0

    def click(self, what):
        self.count += 1
        what.click()
        settle(self.page)

    def press(self, *keys):
        for key in keys:
            self.count += 1
            self.page.keyboard.press(key)
            settle(self.page)

    def type(self, text):
        self.count += 1
        self.page.keyboard.type(text)
        settle(self.page)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    for name in ("events", "slow-unsorted", "sick-page"):
        write_sample(name, folder / name)
    return folder


def biggest_column(hand, page):
    hand.click(page.locator(".pqx-panel").get_by_role("button", name="score", exact=True).first)


def why_no_skip(hand, page):
    hand.click(page.get_by_role("tab", name="Query"))
    hand.click(page.get_by_role("textbox", name="WHERE"))
    hand.type("amount = 565000")
    hand.press("Enter")


def bits_of_a_value(hand, page):
    hand.click(page.get_by_role("tab", name="Rows"))
    hand.click(page.locator('[role=grid] [data-row="3"] > [data-column="2"]').first)


def damage(hand, page):
    hand.click(page.get_by_role("button", name="show me").first)


def compare_row_groups(hand, page):
    hand.click(page.get_by_role("treeitem", name="row groups").first)


TASKS = {
    "biggest column": ("events", biggest_column, COLUMN),
    "why a query does not skip": ("slow-unsorted", why_no_skip, SKIPS),
    "bits of a value": ("events", bits_of_a_value, BITS),
    "damage": ("sick-page", damage, r"wire type 15"),
    "compare row groups": (
        "events",
        compare_row_groups,
        r"row group 0[^%]*151 kB[^%]*39.8 %(.|\n)*row group 2[^%]*20.5 %",
    ),
}
"""For each task a sample, the way, and the answer that a person reads."""


@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_at_most_four_clicks_or_keys(show, files, task):
    sample, way, answer = TASKS[task]
    view = show(str(files / sample), size=(1280, 780))
    hand = Hand(view)
    way(hand, view.page)
    expect(view.page.locator(".pqx-panel")).to_contain_text(re.compile(answer))
    assert digits(view.page, "selected") or task not in SHOWS_BYTES
    assert hand.count <= MOST
