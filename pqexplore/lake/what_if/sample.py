"""Chooses files that stand for all: evenly by size, the same each time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from pqexplore.engine.errors import UsageError

T = TypeVar("T")


def count(sample: float, files: int) -> int:
    """How many of so many files a sample has: `sample` is a number from 1 on, or a share up to 1.0. UsageError for others."""
    if isinstance(sample, int) and not isinstance(sample, bool) and sample >= 1:
        return min(sample, files)
    if isinstance(sample, float) and 0 < sample <= 1:
        return math.ceil(sample * files)
    raise UsageError(f"sample is a number of files from 1 on, or a share from 0.0 to 1.0, not {sample!r}")


Key = tuple[str, int, str]


def evenly(files: Sequence[T], number: int, key: Callable[[T], Key], seed: int | None) -> list[T]:
    """So many of the files, at equal distances in the order of `key`.

    Systematic sampling (Cochran, Sampling Techniques, chapter 8): the order is cut into equal parts, and each gives the
    file at the same place: the middle one, or with a `seed` a random one.
    """
    ordered = sorted(files, key=key)
    place = 0.5 if seed is None else random.Random(seed).random()
    return [ordered[int((at + place) * len(ordered) / number)] for at in range(number)]
