"""An exercise of a notebook refuses a wrong answer with a hint, and accepts a right one in another container."""

import contextlib
import io
import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
OPEN = re.compile(r"^(\w+(?:, \w+)*) = None(?:, None)*\b.*$", re.MULTILINE)
"""Where a reader writes an answer."""

WRONG = "no answer at all"


def exercises():
    """The notebooks that ask for answers, by name."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
        if any(OPEN.search(cell) for cell in cells):
            found[path.stem] = cells
    return found


EXERCISES = exercises()


def test_there_are_exercises():
    assert len(EXERCISES) >= 3


def hints_of(name, answers):
    """Runs a notebook with these answers as source text, one per exercise. Returns the hint of each, None if right."""
    answers = iter(answers)
    space, hints = {}, []
    for cell in EXERCISES[name]:
        asked = OPEN.search(cell)
        if asked:
            cell = OPEN.sub(lambda found: f"{found[1]} = {next(answers)}", cell)
            hints.append(None)
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                exec(compile(cell, name, "exec"), space)
            except AssertionError as refused:
                hints[-1] = str(refused)
    assert next(answers, None) is None, "there are more answers than exercises"
    return hints


def exercises_of(name):
    """The names that each exercise of a notebook asks for."""
    return [found[1].split(", ") for cell in EXERCISES[name] if (found := OPEN.search(cell))]


@pytest.mark.parametrize("name", EXERCISES)
def test_a_wrong_answer_is_refused_with_a_hint(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = [", ".join([repr(WRONG)] * len(names)) for names in exercises_of(name)]
    hints = hints_of(name, wrong)
    assert len(hints) == len(wrong)
    assert all(hint is not None and len(hint) > 20 for hint in hints)


ANSWERS = [
    # notebook, answers, which of them are right
    ("02-pages-and-encodings", ["(401, 3)", "(7, 6)", "4", "(8, 4)"], [True, False, True, True]),
    ("02-pages-and-encodings", ["[401, 3]", "[6, 7]", "True", "[8, 4]"], [True, True, False, True]),
    ("03-nesting-and-levels", ["8", "[]", "1", "0"], [True, False, True, False]),
    ("03-nesting-and-levels", ["True", "()", "True", "True"], [False, False, False, False]),
    (
        "05-variant",
        ["'yes'", "bytes.fromhex('03 02 00 02 03 0c 01 04')", "(7,)", "0b1_01_11"],
        [True, True, True, True],
    ),
    (
        "05-variant",
        ["b'yes'", "bytes.fromhex('03 02 00 01 02 04 04')", "7", "True"],
        [False, False, False, False],
    ),
    ("06-encryption", ["32", "b''", "13, 14", "b''"], [True, False, True, False]),
    ("06-encryption", ["'32'", "b''", "14, 13", "b''"], [False, False, False, False]),
    (
        "09-why-is-this-query-slow",
        [
            "(2, 3)",
            "'price > 497.50'",
            "{'c00009': 8, 'c00010': 6, 'c00013': 3}",
            "lambda table, path: pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=2_000))",
            "['spark', 'duckdb']",
        ],
        [True, True, True, True, True],
    ),
    (
        "09-why-is-this-query-slow",
        [
            "[2]",
            "'price > 497'",
            "{'c00009': 8, 'c00010': 6, 'c00011': 3}",
            "lambda table, path: pqexplore.write(table.slice(0, 30_000), path)",
            "{'duckdb'}",
        ],
        [False, False, False, False, False],
    ),
]


@pytest.mark.parametrize("name, answers, right", ANSWERS)
def test_1_is_not_true_and_a_list_is_as_good_as_a_tuple(
    name, answers, right, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert [hint is None for hint in hints_of(name, answers)] == right
