"""Whether two answers mean the same: strict about values, lenient about containers."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import SupportsIndex

import numpy as np
import pyarrow as pa

from pqexplore.engine.text import clip, printable

__all__ = ["in_order", "inside", "same", "shortened", "whole"]


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


def inside(answer: object, address: str) -> bool:
    """Whether an answer is the address of a place, or of something in it: one clicks a page, or its values."""
    return isinstance(answer, str) and f"{answer}/".startswith(f"{address}/")


def in_order(answer: object) -> object:
    """An answer that names things in any order, sorted: a set becomes a list, too. Other answers stay as they are."""
    found = list(answer) if isinstance(answer, set | frozenset) else _plain(answer)
    return sorted(found) if isinstance(found, list) else answer


def whole(answer: object) -> int | None:
    """A whole number of any integer type; None for all else."""
    if isinstance(answer, bool) or not isinstance(answer, SupportsIndex):
        return None
    return operator.index(answer)


def shortened(value: object) -> str:
    """A value as a check quotes it: what a function returned, or what bytes mean."""
    return clip(printable(repr(_plain(value))), 80)


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
