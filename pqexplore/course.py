"""Checks the exercises of the notebooks: `check(answer, right, hint)`.

A reader writes an answer in one cell and runs the check in the next. The check is strict about meaning and lenient
about containers: 1 is not True and "1" is not 1, but a list, a tuple and a NumPy array of the same values are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

__all__ = ["check", "same"]

OPEN = "Your turn: put your answer into the cell above, run it, and then this one again."


def check(answer: object, right: object, hint: str = "") -> None:
    """Print "Right." if the answer to an exercise is right; raise AssertionError with the hint if it is wrong.

    `right` is the expected value, compared with `same`, or a function that takes the answer and returns whether it is
    right. An answer that the function cannot handle is wrong; its exception is the cause of the AssertionError. None,
    or a tuple of nothing but None, is not answered yet: it prints what to do.
    """
    if _is_missing(answer):
        print(OPEN)
        return
    wrong = hint or f"{answer!r} is not it."
    try:
        passed = bool(right(answer)) if callable(right) else same(answer, right)
    except Exception as error:
        raise AssertionError(wrong) from error
    if not passed:
        raise AssertionError(wrong)
    print("Right.")


def _is_missing(answer: object) -> bool:
    if isinstance(answer, tuple) and answer:
        return all(part is None for part in answer)
    return answer is None


def same(one: object, other: object) -> bool:
    """Whether two values are equal to a reader.

    A bool equals only a bool, text only text, bytes only bytes (bytearray and memoryview included), None only None;
    numbers compare by value, whatever their type. Lists, tuples, ranges and arrays of NumPy or Arrow are equal if
    their elements are, in order; mappings if their keys and values are.
    """
    one, other = _plain(one), _plain(other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    return bool(one == other)


def _plain(value: object) -> object:
    """The value in Python's own types; sequences become lists, mappings dicts."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, pa.Scalar):
        return value.as_py()
    if isinstance(value, pa.Array | pa.ChunkedArray):
        return value.to_pylist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list(value)
    return value
