"""The first screen names what is wrong: twelve files, each with one fault."""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.doctor.doctor_cases import CASES, NUMBERS, written
from playwright.sync_api import expect

NAMED = (
    "small-row-groups",
    "large-footer",
    "codec-enlarges",
    "no-statistics",
    "statistics-distrusted",
    "large-bloom-filters",
    "unused-bytes",
    "heavy-key-values",
    "bounds-too-short",
    "legacy-lists",
    "duplicate-names",
    "names-differ-in-case",
)
FILES = {case.rule: case for case in CASES if case.rule in NAMED}


def test_there_are_twelve():
    assert len(FILES) == 12


@pytest.mark.parametrize(
    "rule", [*NAMED[:4], *(pytest.param(rule, marks=pytest.mark.full) for rule in NAMED[4:])]
)
def test_the_first_sentence_names_the_fault(show, rule):
    case = FILES[rule]
    narrow, dark = NAMED.index(rule) % 2 == 1, NAMED.index(rule) % 3 == 1
    view = show(
        case.make(),
        size=(400 if narrow else 1280, 900),
        color_scheme="dark" if dark else "light",
    )
    page = view.page
    sentence = page.locator(".pqx-answer > p").first
    expect(sentence).to_contain_text(case.said)
    card = page.locator(f'.pqx-card[data-rule="{rule}"]').first
    expect(card).to_be_visible()
    text = sentence.inner_text()
    shown = card.locator("p").first.inner_text()
    assert text.startswith(shown)
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= (400 if narrow else 1280)


def test_show_me_goes_to_the_place(show):
    view = show(FILES["small-row-groups"].make())
    view.page.get_by_role("button", name="Show small-row-groups").click()
    view.shown("row_groups/0")


def test_a_healthy_file_has_no_card(show):
    view = show(written(NUMBERS))
    assert view.page.locator(".pqx-card").count() == 0
    expect(view.page.locator(".pqx-answer > p").first).to_contain_text("which Snappy")


def test_text_of_a_file_stays_text(show, tmp_path):
    path = pathlib.Path(tmp_path) / "x.parquet"
    name = "<img src=x onerror=alert(1)>"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], [name, name]), path)
    view = show(str(path))
    expect(view.page.locator(".pqx-card").first).to_contain_text(name)
    assert view.page.locator(".pqx-card img").count() == 0
