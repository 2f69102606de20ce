"""Whether two answers mean the same."""

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.course.equal_answers import in_order, inside, same


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
def test_means_the_same(answer, right):
    assert same(answer, right)


@pytest.mark.parametrize("answer, right", WRONG, ids=_named)
def test_means_something_else(answer, right):
    assert not same(answer, right)


@pytest.mark.parametrize(
    "answer, is_in", [("a/1", True), ("a/1/values/3", True), ("a/10", False), ("a", False), ("", False), (1, False)]
)
def test_is_inside(answer, is_in):
    assert inside(answer, "a/1") is is_in


@pytest.mark.parametrize("answer, ordered", [
    ([2, 1], [1, 2]),
    ({2, 1}, [1, 2]),
    (np.array([2, 1]), [1, 2]),
    ((2, 2, 1), [1, 2, 2]),
    (2, 2),
    ("ba", "ba"),
    (None, None),
], ids=_named)  # fmt: skip
def test_in_order(answer, ordered):
    assert in_order(answer) == ordered
