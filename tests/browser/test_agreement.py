"""The explorer's header says what the diagnosis says: of files with one story, of sound ones, of a sample and of files of others."""

import pytest
from browser.harness import settle
from browser.test_first_screen import MANY, false_max
from browser.test_look import TINY, hold
from corpus.test_agreement import corpus_files
from insight.doctor.test_one_fault import CASES
from insight.doctor.test_stories import STORIES
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.insight.doctor import verdict
from pqexplore.insight.steps import finish
from pqexplore.widget.headline import headline

QUICK = ("a maximum that loses rows", "a page that does not decode", "names that differ in case")
"""Stories that are shown in each run; all of them by `make test-full`."""

FILES = 40
"""Files of others that are shown by `make test-full`."""


def said(source):
    """What the header is to say: the worst of the diagnosis, or that there are no problems, or what kind of file it is."""
    report = pqexplore.diagnose(source)
    above = verdict.above_notes(report.findings)
    with pqexplore.open(source) as file:
        line = finish(headline(file))
    if line.severity:
        assert line.sentence == verdict.headline(above[0])
    return line


def differs(show, source):
    """Why the header differs from the diagnosis; "" if it does not."""
    page = show(source).page
    line = said(source)
    shown = page.locator(".pqx-headline")
    signs = shown.get_by_role("img")
    named = signs.first.get_attribute("aria-label") if signs.count() else ""
    text = shown.locator("span").last.text_content()
    return (
        ""
        if (text, named) == (line.sentence, line.severity)
        else f"{text!r} ({named}), not {line.sentence!r} ({line.severity})"
    )


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in QUICK else pytest.mark.full) for one in STORIES])
def test_the_header_names_the_story(show, name):
    assert differs(show, STORIES[name][0]()) == ""


def test_the_header_of_ten_columns_with_one_fault(show):
    assert differs(show, CASES["the same in ten columns"][0]()) == ""


def test_the_header_of_a_sample_says_what_the_diagnosis_of_a_sample_says(show):
    """While the look is held, the header says what a diagnosis at the usual level says."""
    data = false_max(MANY, **TINY)
    line = said(data)
    assert pqexplore.diagnose(data).level == "sample"
    view = show(data, prepare=hold, rests=False)
    expect(view.page.locator(".pqx-look")).to_contain_text("42 %")
    expect(view.page.locator(".pqx-headline span").last).to_have_text(line.sentence)
    view.page.locator(".pqx-look").get_by_role("button", name="stop").click()
    settle(view.page)


@pytest.mark.full
def test_the_headers_of_files_of_others(show, corpus):
    wrong = {}
    for path in corpus_files(corpus)[:: 300 // FILES]:
        try:
            pqexplore.open(path).close()
        except ParquetError:
            continue
        why = differs(show, str(path))
        if why:
            wrong[path.name] = why
    assert wrong == {}
