"""Each chapter of the course: its parts, its exercises, their solutions, and wrong answers to each.

A chapter is run through its solutions: there every check must be open; then each solution must be right, and each answer
of the table in wrong/ must be wrong, and each claim of the table in claims/ true. Chapter 07 needs Spark: tests/spark runs it.
"""

import contextlib
import re

import nbformat
import pytest
from course import harness
from course.harness import CHECKED, NOTEBOOKS, ON_SPARK, SOLUTIONS, assert_right, cells, cells_to_run, claims, wrong
from nbclient import NotebookClient

from pqexplore.course.exercise import CHAPTERS, exercises

QUICK = ("01", "06")
"""Chapters that each run sees: `make test-full` runs all of them."""

WORDS, CELLS, LINES, EXERCISES = 1 / 200, 1 / 4, 1 / 30, 2
"""Minutes that each takes: docs/teaching.md says so."""

TEACHING = (NOTEBOOKS.parent / "docs" / "teaching.md").read_text("utf-8")


def test_every_chapter_has_its_notebook_and_its_solutions():
    files = [chapter.file for chapter in CHAPTERS.values()]
    for folder in (NOTEBOOKS, SOLUTIONS):
        assert sorted(path.name for path in folder.glob("*.ipynb")) == files


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_its_parts(chapter):
    """A chapter begins with a question, goals, what one needs and how long it takes; at its end are the question for a file
    of the reader's own, a summary and links.
    """
    texts = cells(NOTEBOOKS / chapter.file, "markdown")
    assert texts[0].startswith(f"# {chapter.title}\n")
    for part in ("**The question.**", "**Goals.**", "**Before.**", "**Time.**"):
        assert part in texts[0]
    assert len(re.findall(r"^## The same question, about a file of yours$", "\n".join(texts), re.M)) == 1
    minutes = re.search(r"\*\*Time\.\*\* About (\d+) minutes", texts[0])
    assert minutes and 15 <= int(minutes[1]) <= 30
    row = re.search(rf"^\| {chapter.number} {re.escape(chapter.title)} \|.*\| (\d+) \|[^|]+\|$", TEACHING, re.M)
    assert row and row[1] == minutes[1], "docs/teaching.md has another time"
    whole = "\n".join(texts)
    assert "\n## Summary\n" in f"\n{whole}"
    assert re.search(r"^## In the specification\n(.*\n)*?- .*\]\(https://", whole, re.M)


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_its_exercises(chapter):
    """Each has a heading, a place for the answer, one check, a solution with words, hints, and five wrong answers."""
    asked = exercises(chapter.number)
    numbers = [one.number for one in asked]
    assert len(numbers) >= 4
    assert numbers == [f"{chapter.number}.{place}" for place in range(1, len(asked) + 1)]
    assert all(len(one.hints) >= 2 for one in asked)
    code = cells(NOTEBOOKS / chapter.file, "code")
    checked = [found for cell in code for found in CHECKED.findall(cell)]
    assert [number for number, _ in checked] == numbers
    for number, name in checked:  # an answer is a name that is None, or what is selected in an explorer
        assert any(re.search(rf"^{name} = None\b", cell, re.M) for cell in code) or re.fullmatch(
            r"\w+(\.(selection|file))?", name
        ), number
    texts = "\n".join(cells(NOTEBOOKS / chapter.file, "markdown"))
    assert re.findall(r"^### Exercise (\d\d\.\d+)", texts, re.M) == numbers
    solutions = SOLUTIONS / chapter.file
    solved = [number for cell in cells(solutions, "code") for number, _ in CHECKED.findall(cell)]
    assert solved == numbers
    words = "\n".join(cells(solutions, "markdown"))
    assert re.findall(r"^## Exercise (\d\d\.\d+)", words, re.M) == numbers
    table = wrong(chapter)
    assert list(table) == numbers
    assert all(len(set(answers)) >= 5 for answers in table.values())


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_its_claims_are_its_words(chapter):
    text = " ".join("\n".join(cells(NOTEBOOKS / chapter.file, "markdown")).split())
    assert not [words for words, _ in claims(chapter) if words not in text]


def minutes(path):
    """How long a chapter takes those who read, run and answer; what is to try afterwards does not count."""
    prose = re.split(r"^## To try$", "\n".join(cells(path, "markdown")), flags=re.M)[0]
    code = cells(path, "code")
    lines = sum(bool(line.strip()) for cell in code for line in cell.splitlines())
    asked = len(re.findall(r"^### Exercise", prose, re.M))
    return WORDS * len(prose.split()) + CELLS * len(code) + LINES * lines + EXERCISES * asked


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_its_time_is_measured(chapter):
    said = int(re.search(r"\*\*Time\.\*\* About (\d+) minutes", cells(NOTEBOOKS / chapter.file, "markdown")[0])[1])
    assert said - 5 < minutes(NOTEBOOKS / chapter.file) <= said


def text_of(cell):
    """What a cell showed as text."""
    shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return "\n".join(shown).strip()


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(one, id=one.number, marks=() if one.number in QUICK else pytest.mark.full)
        for one in CHAPTERS.values()
        if one.number not in ON_SPARK
    ],
)
def test_solutions_are_right_and_wrong_answers_wrong(chapter, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PQEXPLORE_COURSE", str(tmp_path / "course.json"))
    folder = tmp_path / "solutions"
    folder.mkdir()
    (tmp_path / chapter.file).write_bytes((NOTEBOOKS / chapter.file).read_bytes())
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells_to_run(chapter)])
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
    ).execute()
    assert_right(chapter, [text_of(one) for one in notebook.cells])


SHOWN = ("", '[[], [["words", true]]]', "✔ Right.", '{"01.1": [[false, "no"], [false, "near"]]}')


@pytest.mark.parametrize("place, text, says", [
    (None, "", None),
    (1, '[["01.1"], []]', "an answer is in the notebook"),
    (1, '[[], [["words", false]]]', "not true of the files: .'words'"),
    (2, "✘ Not yet.", "01.1: ✘ Not yet."),
    (3, '{"01.1": [[false, "no"], [true, "yes"]]}', "01.1 takes '8'"),
    (3, '{"01.1": [[false, "no"], [null, "?"]]}', "01.1 takes '8'"),
    (3, '{"01.1": [[false, "no"], [false, "far"]]}', "01.1, '8': far"),
])  # fmt: skip
def test_the_harness_sees_what_is_wrong(place, text, says, monkeypatch):
    monkeypatch.setattr(harness, "cells_to_run", lambda one: ["", "", 'check("01.1", 7)', ""])
    monkeypatch.setattr(harness, "wrong", lambda one: {"01.1": ["'7'", "'8'"]})
    monkeypatch.setattr(harness, "reasons", lambda one: {"01.1": {"'8'": "near"}})
    shown = [text if at == place else kept for at, kept in enumerate(SHOWN)]
    with pytest.raises(AssertionError, match=says) if says else contextlib.nullcontext():
        assert_right(CHAPTERS["01"], shown)
