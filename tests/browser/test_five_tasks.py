"""The five commonest tasks, each from the first screen to its answer in at most four clicks or keys.

Once with the mouse and once by keyboard alone. A click counts as one, a key or a chord of keys as one, a text typed into
a field as one. By keyboard each task is four: Tab into the explorer, Ctrl-K, the typed text, Enter.
"""

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import settle
from playwright.sync_api import expect
from quick import quick

MOST = 4
COLUMN = r"`score`, DOUBLE: 160 kB, 41 % of the file, without a codec(.|\n)*Does it compress\?.*no\."
SKIPS = r"reads 8 of 8 row groups(.|\n)*the range 184 … 999137 overlaps what it asks for"
BITS = r"Value \d+ of page \d+ is `[^`]*`: DELTA_BINARY_PACKED gives it \d+ bits at byte \d+(.|\n)*[01]{8}"
SHOWS = {"damage": ".pqx-picture", "bits of a value": ".pqx-life .pqx-bits"}
"""What a task ends with, seen without scrolling."""


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

    def find(self, text):
        """Open the palette, type, and take what comes first: four keys."""
        self.press("Tab", "Control+k")
        self.type(text)
        expect(self.page.locator(".pqx-found > [aria-selected=true]")).to_be_visible()
        self.press("Enter")


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
    hand.click(page.get_by_role("button", name="The tree"))
    hand.click(page.get_by_role("treeitem", name="row groups").first)


TASKS = {
    "biggest column": ("events", biggest_column, "biggest column", COLUMN),
    "why a query does not skip": ("slow-unsorted", why_no_skip, "amount = 565000", SKIPS),
    "bits of a value": ("events", bits_of_a_value, "time row 3", BITS),
    "damage": ("sick-page", damage, "what is damaged", r"wire type 15"),
    "compare row groups": ("events", compare_row_groups, "compare two row groups",
        r"row group 0[^%]*151 kB[^%]*39.8 %(.|\n)*row group 2[^%]*20.5 %(.|\n)*amount\s*=\s*PLAIN(.|\n)*all overlap"),
}  # fmt: skip
"""For each task a sample, the way with the mouse, what is typed into the palette, and the answer that a person reads."""


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("by", quick(["mouse", "keyboard"], "keyboard"))
def test_a_task_takes_at_most_four_clicks_or_keys(show, sample, task, by):
    name, way, typed, answer = TASKS[task]
    view = show(sample(name), size=(1280, 780))
    hand = Hand(view)
    if by == "mouse":
        way(hand, view.page)
    else:
        hand.find(typed)
    expect(view.page.locator(".pqx-panel")).to_contain_text(re.compile(answer))
    if task in SHOWS:
        expect(view.page.locator(SHOWS[task]).first).to_be_in_viewport(ratio=1)
    assert hand.count <= MOST


MORE = {
    "which columns lack statistics": ("some", "no statistics", r"`b` and `c` lack them"),
    "who wrote it": ("events", "who wrote this", r"created by\s*pqexplore samples version 1"),
    "what would make it smaller": ("some", "make it smaller", r"123 B with the best choice of each"),
    "which row groups hold a value": ("events", "id = 1010000", r"reads 1 of 3 row groups"),
    "is the file sorted by a column": ("events", "id", r"Can a query skip\? yes\. Row groups are sorted"),
    "where does the dictionary fall back": ("dictionary-fallback", "word", r"the first page without the dictionary"),
}
"""For more tasks, what is typed into the palette, and what a person then reads."""


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """A file whose columns `b` and `c` have no statistics."""
    path = tmp_path_factory.mktemp("tasks") / "some.parquet"
    pq.write_table(pa.table({name: range(100) for name in "abc"}), path, write_statistics=["a"])
    return path


OLDER = ("which row groups hold a value", "is the file sorted by a column", "where does the dictionary fall back")
"""Those that need no command of their own."""


@pytest.mark.full
@pytest.mark.parametrize("task", [pytest.param(one, marks=pytest.mark.full if one in OLDER else ()) for one in MORE])
def test_more_tasks_take_four_keys(show, sample, some, task):
    name, typed, answer = MORE[task]
    page = (view := show(some if name == "some" else sample(name), size=(1280, 780))).page
    hand = Hand(view)
    hand.find(typed)
    expect(page.locator(".pqx-panel")).to_contain_text(re.compile(answer))
    if task == "which columns lack statistics":
        expect(page.locator('[data-feature="statistics"]')).to_be_in_viewport(ratio=1)
    assert hand.count == MOST
