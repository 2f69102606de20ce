"""Work in steps: a generator yields how much is done, from 0 to 1, and returns its result."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

T = TypeVar("T")


def finish(steps: Generator[Any, None, T], progress: Callable[[Any], None] | None = None) -> T:
    """What a generator returns; `progress` is called with each thing that it yields."""
    while True:
        try:
            step = next(steps)
            if progress is not None:
                progress(step)
        except StopIteration as stop:
            result: T = stop.value
            return result
