"""An exercise of a notebook turns a wrong answer down, and gives a hint."""

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


@pytest.mark.parametrize("name", EXERCISES)
def test_a_wrong_answer_is_turned_down_with_a_hint(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {}
    hints = []
    for cell in EXERCISES[name]:
        asked = OPEN.search(cell)
        if asked:
            names = asked[1].split(", ")
            cell = OPEN.sub(f"{asked[1]} = {', '.join([repr(WRONG)] * len(names))}", cell)
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                exec(compile(cell, name, "exec"), space)
            except AssertionError as refused:
                hints.append(str(refused))
    asked = [cell for cell in EXERCISES[name] if OPEN.search(cell)]
    assert len(hints) == len(asked)
    assert all(len(hint) > 20 for hint in hints)
