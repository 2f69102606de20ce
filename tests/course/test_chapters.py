"""Each chapter of the course: its parts, its exercises, their solutions, and wrong answers to each.

A chapter is run through its solutions, which begin with `%run ../NN-….ipynb`: there every check must be open; then each
solution must be right, and each answer of the table in wrong/ must be wrong. Chapter 07 needs Spark: tests/spark runs it.
"""

import importlib.util
import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from pqexplore.course.exercise import CHAPTERS, exercises

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
CHECKED = re.compile(r"^check\(\"(\d\d\.\d+)\", (.+)\)$", re.M)
ON_SPARK = ("07",)


def cells(path, kind):
    return [
        cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == kind
    ]


def wrong(chapter):
    """The wrong answers to each exercise of a chapter, as Python that is evaluated after its last cell."""
    spec = importlib.util.spec_from_file_location(
        f"wrong_{chapter}", Path(__file__).parent / "wrong" / f"chapter_{chapter}.py"
    )
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found.WRONG


def test_every_chapter_has_its_notebook_and_its_solutions():
    files = [chapter.file for chapter in CHAPTERS.values()]
    for folder in (NOTEBOOKS, NOTEBOOKS / "solutions"):
        assert sorted(path.name for path in folder.glob("*.ipynb")) == files


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_its_parts(chapter):
    """A chapter says what one learns, what one needs and how long it takes; it ends with a summary and with links."""
    texts = cells(NOTEBOOKS / chapter.file, "markdown")
    assert texts[0].startswith(f"# {chapter.title}\n")
    for part in ("**Goals.**", "**Before.**", "**Time.**"):
        assert part in texts[0]
    minutes = re.search(r"\*\*Time\.\*\* About (\d+) minutes", texts[0])
    assert minutes and 15 <= int(minutes[1]) <= 30
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
    for (
        number,
        name,
    ) in checked:  # an answer is a name that is None, or what is selected in an explorer
        assert any(re.search(rf"^{name} = None\b", cell, re.M) for cell in code) or re.fullmatch(
            r"\w+(\.selection)?", name
        ), number
    texts = "\n".join(cells(NOTEBOOKS / chapter.file, "markdown"))
    assert re.findall(r"^### Exercise (\d\d\.\d+)", texts, re.M) == numbers
    solutions = NOTEBOOKS / "solutions" / chapter.file
    solved = [number for cell in cells(solutions, "code") for number, _ in CHECKED.findall(cell)]
    assert solved == numbers
    words = "\n".join(cells(solutions, "markdown"))
    assert re.findall(r"^## Exercise (\d\d\.\d+)", words, re.M) == numbers
    table = wrong(chapter.number)
    assert list(table) == numbers
    assert all(len(set(answers)) >= 5 for answers in table.values())


def text_of(cell):
    """What a cell showed as text."""
    shown = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.outputs
    ]
    return "\n".join(shown)


@pytest.mark.parametrize(
    "chapter", [one for one in CHAPTERS.values() if one.number not in ON_SPARK], ids=str
)
def test_solutions_are_right_and_wrong_answers_wrong(chapter, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PQEXPLORE_COURSE", str(tmp_path / "course.json"))
    folder = tmp_path / "solutions"
    folder.mkdir()
    (tmp_path / chapter.file).write_bytes((NOTEBOOKS / chapter.file).read_bytes())
    notebook = nbformat.read(NOTEBOOKS / "solutions" / chapter.file, as_version=4)
    table = wrong(chapter.number)
    after_chapter = 1 + next(i for i, one in enumerate(notebook.cells) if one.cell_type == "code")
    notebook.cells.insert(
        after_chapter,
        nbformat.v4.new_code_cell("import pqexplore.course.record as r; print(r.all_tried())"),
    )
    notebook.cells.append(
        nbformat.v4.new_code_cell(
            "import json, pqexplore.course\n"
            f"tried = {table!r}\n"
            "print(json.dumps({number: [pqexplore.course.check(number, eval(one)).right for one in answers] "
            "for number, answers in tried.items()}))"
        )
    )
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
    ).execute()
    first, tried, *solutions, last = [one for one in notebook.cells if one.cell_type == "code"]
    assert first.source == f"%run ../{chapter.file}"
    assert text_of(tried) == "{}\n", "an answer is in the notebook"
    for cell in solutions:
        for number, _ in CHECKED.findall(cell.source):
            assert text_of(cell).endswith("✔ Right."), f"{number}: {text_of(cell)}"
    for number, said in json.loads(text_of(last)).items():
        accepted = [
            one for one, right in zip(table[number], said, strict=True) if right is not False
        ]
        assert not accepted, f"{number} takes {accepted}"
