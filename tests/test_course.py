"""The check of an exercise: which answers are right, wrong, or still missing."""

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.course import check, same


def _named(value):
    """An id that is the same in each process: a repr may hold an address in memory."""
    shown = repr(value)
    return type(value).__name__ if " at 0x" in shown or " object at" in shown else shown


RIGHT = [
    (1, 1),
    (1.0, 1),
    (np.int64(7), 7),
    (7, np.int32(7)),
    (pa.scalar(7), 7),
    (True, True),
    (np.bool_(True), True),
    ("yes", "yes"),
    (b"ab", b"ab"),
    (bytearray(b"ab"), b"ab"),
    (memoryview(b"ab"), b"ab"),
    ((3, 4), (3, 4)),
    ([3, 4], (3, 4)),
    ((3, 4), [3, 4]),
    (np.array([3, 4]), (3, 4)),
    (pa.array([3, 4]), [3, 4]),
    (range(3, 5), [3, 4]),
    ([(0, 1), [2]], ([0, 1], (2,))),
    ([], ()),
    ([None, 1], (None, 1)),
    ({"a": (1, 2)}, {"a": [1, 2]}),
]

WRONG = [
    (True, 1),
    (1, True),
    (False, 0),
    (0, False),
    (np.bool_(True), 1),
    (1, np.bool_(True)),
    (2, 1),
    ("1", 1),
    (1, "1"),
    ("ab", b"ab"),
    (b"ab", "ab"),
    ([97, 98], b"ab"),
    ("ab", ["a", "b"]),
    ([1], 1),
    (1, [1]),
    ([3, 4], (4, 3)),
    ([3], (3, 4)),
    ((3, 4, 5), (3, 4)),
    ([1, True], [1, 1]),
    ([True, True], [1, True]),
    ([[True]], ((1,),)),
    (np.array([3, 4]), 3),
    ({"a": True}, {"a": 1}),
    ({"a": 1}, {"b": 1}),
    ([0], [None]),
    (([1], None), 1),
    (object(), 1),
]


@pytest.mark.parametrize("answer, right", RIGHT, ids=_named)
def test_right_answer(answer, right, capsys):
    assert same(answer, right)
    check(answer, right, "a hint")
    assert capsys.readouterr().out == "Right.\n"


@pytest.mark.parametrize("answer, right", WRONG, ids=_named)
def test_wrong_answer_raises_with_the_hint(answer, right, capsys):
    assert not same(answer, right)
    with pytest.raises(AssertionError, match="^a hint$"):
        check(answer, right, "a hint")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("answer", [None, (None, None)], ids=_named)
def test_missing_answer_asks_for_one(answer, capsys):
    check(answer, lambda answer: 1 / 0, "a hint")
    assert capsys.readouterr().out.startswith("Your turn")


def test_function_decides():
    check(4, lambda answer: answer % 2 == 0, "even")
    with pytest.raises(AssertionError, match="even"):
        check(5, lambda answer: answer % 2 == 0, "even")


def test_answer_that_the_function_cannot_handle_is_wrong():
    with pytest.raises(AssertionError, match="a number") as raised:
        check("four", lambda answer: answer / 2 == 2, "a number")
    assert isinstance(raised.value.__cause__, TypeError)


def test_wrong_answer_without_hint_is_named():
    with pytest.raises(AssertionError, match="'no' is not it"):
        check("no", "yes")
