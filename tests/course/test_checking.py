"""What the check says: open, right, wrong with a reason, with hints, with where the solution is; and what is remembered."""

import json
import os

import pytest

from pqexplore import UsageError
from pqexplore.course import check, checking, exercise, forget, progress, record
from pqexplore.course.equal_answers import same


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    monkeypatch.setenv("PQEXPLORE_COURSE", str(tmp_path / "kept" / "course.json"))
    monkeypatch.setattr(record, "_HERE", {})
    return tmp_path / "kept" / "course.json"


def judge(answer):
    if answer == "so near":
        return "Nearly."
    if answer == "lost":
        open("not-here.parquet").close()
    return None if answer == "start" else same(answer + 0, 7)


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    one = exercise.Exercise("01.1", "What is three plus four?", ("Count.", "Use fingers."), judge)
    monkeypatch.setattr(checking, "find", lambda number: one)


@pytest.mark.parametrize("answer, right, text", [
    (7, True, "✔ Right."),
    (8, False, "✘ Not yet."),
    ("seven", False, "✘ Not yet."),  # the judge cannot handle it
    (
        lambda: 7,
        False,
        """✘ Not yet. With this function the check ends in TypeError("unsupported operand type(s) for +: 'function' and 'int'").""",
    ),
    ("so near", False, "✘ Not yet. Nearly."),
    (None, None, checking.OPEN),
    ((None, None), None, checking.OPEN),
    ("start", None, checking.OPEN),
    ("lost", None, "not-here.parquet is not here. Run the cells above first."),
])  # fmt: skip
def test_what_it_says(answer, right, text):
    verdict = check("01.1", answer)
    assert (verdict.right, repr(verdict)) == (right, text)
    assert bool(verdict) is (right is True)


def test_hints_come_after_the_second_try_and_the_solution_after_the_hints():
    solution = "The solution is in notebooks/solutions/01-what-is-in-a-parquet-file.ipynb."
    said = [check("01.1", 8).text.split("\n")[1:] for _ in range(4)]
    hints = ["Hint: Count.", "Hint: Use fingers."]
    assert said == [[], hints[:1], hints, [*hints, solution]]
    assert check("01.1", 7)
    assert check("01.1", 8).text == "✘ Not yet."  # a right answer begins anew


def test_an_open_answer_is_no_try(own_record):
    check("01.1", None)
    check("01.1", "lost")
    assert not own_record.exists()


def test_no_answer_is_kept(own_record):
    check("01.1", "a secret")
    check("01.1", 7)
    assert json.loads(own_record.read_text()) == {"01.1": {"tries": 0, "solved": True}}
    check("01.1", 8)
    assert record.all_tried()["01.1"].solved


def test_progress_and_forget(monkeypatch):
    first = next(iter(progress().rows[0].exercises), None)
    number = first.number if first else "01.1"
    record.keep(number, True)
    row = progress().rows[0]
    assert row.solved == ({number} if first else set())
    assert row.marks.count("■") == len(row.solved)
    assert progress().sentence.startswith(f"{len(row.solved)} of ")
    forget()
    assert not progress().rows[0].solved


@pytest.mark.parametrize("text", ["", "[]", "{", '{"01.1": 3}', '{"01.1": {}}', "[" * 100_000])
def test_a_record_that_is_not_ours_counts_as_empty(own_record, text):
    own_record.parent.mkdir()
    own_record.write_text(text)
    assert record.all_tried() == {}
    assert check("01.1", 7)
    assert record.all_tried()["01.1"].solved


@pytest.mark.skipif(os.name == "nt", reason="a folder named as a file is needed")
def test_without_a_place_to_write_the_process_remembers(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PQEXPLORE_COURSE", str(tmp_path / "file" / "course.json"))
    check("01.1", 8)
    assert check("01.1", 8).text == "✘ Not yet.\nHint: Count."


@pytest.mark.parametrize("number, words", [("14.1", "there is no exercise '14.1'"), (2.1, "there is no exercise 2.1")])
def test_an_exercise_that_is_not_there(number, words):
    with pytest.raises(UsageError, match=words):
        exercise.find(number)
