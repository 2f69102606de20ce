"""The first screen names what is wrong: twelve samples, each with one fault, in light and dark, narrow and wide."""

import io
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import JUPYTER_DARK
from browser.looks import misplaced, violations
from browser.test_map import pixels
from insight.doctor.doctor_cases import NUMBERS, written
from insight.doctor.sick_cases import SICK_CASES
from insight.doctor.test_stories import STORIES
from needs import ONE_COLUMN_METADATA
from playwright.sync_api import expect

DARK = {"color_scheme": "dark", "css": JUPYTER_DARK}
LOOKS = {
    f"{'dark' if dark else 'light'}-{width}": {"size": (width, 900), **(DARK if dark else {})}
    for dark, width in itertools.product((False, True), (400, 1280))
}
QUICK = {"sick-checksum": "light-400", "sick-gap": "dark-1280"}
"""The samples that are seen in each run; all are seen in all looks with the slow tests."""


@pytest.mark.parametrize(
    ("name", "look"),
    [
        pytest.param(name, look, marks=() if QUICK.get(name) == look else pytest.mark.full)
        for name in SICK_CASES
        for look in LOOKS
    ],
)
def test_the_first_sentence_names_the_fault(show, sample, name, look):
    rule, words = SICK_CASES[name]
    page = show(str(sample(name)), **LOOKS[look]).page
    sentence, card = page.locator(".pqx-headline"), page.locator(".pqx-card").first
    expect(sentence).to_contain_text(words)
    expect(sentence).to_be_in_viewport(ratio=1)
    expect(sentence.get_by_role("img")).to_be_visible()
    expect(card).to_be_visible()
    expect(card).to_have_attribute("data-rule", rule)
    said = sentence.locator("span").last
    assert card.locator("p").first.text_content().find(said.text_content()[-20:-1]) >= 0
    assert said.evaluate("one => one.scrollHeight <= one.clientHeight + 1") or look.endswith("400")
    assert said.evaluate("one => one.scrollWidth <= one.clientWidth"), "one line holds it"
    expect(page.locator(".pqx-answer > p").first).to_have_class("pqx-hidden")
    assert misplaced(page) == []
    if name == "sick-row-groups":  # it has most on the screen
        assert violations(page) == []


TEN_SECONDS = (
    "a maximum that loses rows",
    "no nulls, by a wrong count",
    "a page that was changed",
    "a page of polars that does not decode",
    "fewer values than stated",
    "a codec that does not exist",
    "another type than the schema",
    "names that differ in case",
    "tiny pages",
    "a Bloom filter that is too small",
    "bounds cut to a common prefix",
    "few values without a dictionary",
)
"""With the twelve samples above, 24 files with a story that is read within ten seconds."""


@pytest.mark.parametrize(
    "story", [*TEN_SECONDS[:4], *(pytest.param(story, marks=pytest.mark.full) for story in TEN_SECONDS[4:])]
)
def test_the_story_is_read_without_scrolling(show, story):
    make, rule, column = STORIES[story]
    page = show(make(), size=(1280, 800)).page
    headline, card = page.locator(".pqx-headline"), page.locator(".pqx-card").first
    expect(card).to_have_attribute("data-rule", rule)
    for seen in (headline, card):
        expect(seen).to_contain_text(column)
        expect(seen).to_be_in_viewport(ratio=1)
    said = headline.locator("span").last.text_content()
    assert said.rstrip("….")[:40] in card.text_content()


def test_a_locked_file_is_not_called_sound(show, sample):
    page = show(sample("encrypted")).page
    expect(page.locator(".pqx-headline")).to_contain_text("The footer is encrypted and no key opens it")
    expect(page.get_by_role("heading", name="No finding in what was looked at")).to_be_visible()
    assert page.get_by_role("heading", name="No problems found").count() == 0


@ONE_COLUMN_METADATA
def test_a_healthy_file_has_notes_at_most_and_no_mark(show):
    page = show(written(NUMBERS, row_group_size=5_000)).page
    expect(page.get_by_role("heading", name="No problems found")).to_be_visible()
    assert page.locator(".pqx-stage").get_attribute("data-flagged") == "0"
    page.get_by_text("1 note", exact=True).click()
    expect(page.locator(".pqx-notes li")).to_contain_text("row groups are in the order of `n`")
    assert page.locator(".pqx-card, .pqx-tree .pqx-flag, .pqx-findings").count() == 0


def test_show_me_goes_to_the_place(show, sample):
    view = show(sample("sick-no-statistics"))
    view.page.get_by_role("button", name="show me no-statistics").click()
    view.shown("schema/1")
    expect(view.page.get_by_role("tab", selected=True)).to_have_attribute("data-lens", "statistics")


@pytest.mark.parametrize(
    ("name", "cost", "link", "address", "lens"),
    [
        ("sick-codec", "Costs: 25.3 kB, and the time to decompress them.", "show me", "row_groups/0/columns/0", "compare"),
        ("sick-bloom", "Costs: 128 kB of the file.", "show me", "row_groups/0/columns/0/bloom_filter", None),
        ("events", None, "what if", "", "what_if"),
    ],
)  # fmt: skip
def test_below_the_headline_are_the_cost_and_one_link(show, sample, name, cost, link, address, lens):
    view = show(sample(name))
    below = view.page.locator(".pqx-cost")
    expect(below.locator("span")).to_have_text([cost] if cost else [])
    expect(below.get_by_role("button")).to_have_count(1)
    below.get_by_role("button", name=link).click()
    view.shown(address)
    expect(below).to_be_visible()
    if lens:
        expect(view.page.get_by_role("tab", selected=True)).to_have_attribute("data-lens", lens)


def test_no_key_no_link(show, sample):
    page = show(sample("encrypted")).page
    expect(page.locator(".pqx-headline")).to_have_attribute("data-known", "true")
    expect(page.locator(".pqx-cost > *")).to_have_count(0)


def test_features_and_encodings_fold_and_stay_as_they_are(saved, saved_orders):
    page = saved(saved_orders(300_000))
    folds = page.locator(".pqx-fold")
    expect(folds).to_have_count(2)
    expect(page.locator("[data-feature]").first).to_be_hidden()
    expect(folds.locator("summary").first).to_contain_text("✓")
    folds.locator("summary").first.click()
    expect(page.locator("[data-feature]").first).to_be_visible()
    page.reload()
    expect(page.locator("[data-feature]").first).to_be_visible()
    expect(page.locator("[data-codec]").first).to_be_hidden()


def test_findings_mark_the_tree_and_the_map(show, sample):
    page = show(sample("sick-row-groups"), opens=("map", "tree")).page
    flag = page.get_by_role("tree").get_by_role("img", name="slow: 200 row groups hold")
    expect(flag.first).to_be_visible()
    # the pages, the column indexes and the offset indexes of all row groups but the last
    assert page.locator(".pqx-stage").get_attribute("data-flagged") == "3"
    entry = page.get_by_role("button", name="slow: 1 finding")
    expect(entry).to_have_attribute("aria-pressed", "false")
    before = pixels(page)
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "true")
    expect(entry).to_be_focused()
    assert pixels(page) != before  # the others are pale
    entry.press("Enter")
    expect(entry).to_have_attribute("aria-pressed", "false")
    assert pixels(page) == before


@pytest.mark.full
def test_findings_mark_a_map_without_single_pages_too(show):
    out = io.BytesIO()
    pq.write_table(pa.table({"a": range(8_000), "b": range(8_000)}), out, row_group_size=10)
    page = show(out.getvalue()).page
    expect(page.locator(".pqx")).to_have_attribute("data-layout", "chunks")
    flag = page.get_by_role("tree").get_by_role("img", name="slow: 800 row groups hold")
    expect(flag).to_have_count(2)  # of the file and of its row groups
    expect(page.locator(".pqx-stage")).not_to_have_attribute("data-flagged", "0")


MANY = pa.table({"n": np.roll(np.arange(200_000), 77_777)})
"""In tiny pages, so many that a first look has a part of them only; the largest value is in a page that it leaves out."""


def false_max(table, *, row_group_size=200_000, **options):
    """A file whose statistics say that the values end earlier than they do."""
    said = len(table) - 2
    out = io.BytesIO()
    pq.write_table(table, out, compression="none", use_dictionary=False, row_group_size=row_group_size, **options)
    data = bytearray(out.getvalue())
    right = (len(table) - 1).to_bytes(8, "little")
    at = data.rindex(right)
    while at > len(data) - 8 - int.from_bytes(data[-8:-4], "little"):  # only in the footer
        data[at : at + 8] = said.to_bytes(8, "little")
        at = data.rindex(right)
    return bytes(data)


def test_a_small_file_is_looked_at_whole_at_once(show):
    page = show(false_max(NUMBERS)).page
    expect(page.locator(".pqx-card").first).to_have_attribute("data-severity", "wrong answer possible")
    assert page.get_by_role("button", name="look at all bytes").count() == 0
