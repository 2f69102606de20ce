"""Files of a chapter: calls a function that a learner wrote, where it is to write one, and reads them."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from pqexplore.engine.text import clip, printable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["table_of", "wrote"]


def table_of(path: str) -> pa.Table:
    """The values of a file."""
    import pqexplore

    with pqexplore.open(path) as file:
        return file.read()


def wrote(function: object, source: object, target: str) -> str | None:
    """Call `function(source, target)`, with no file at `target`. None if there is one now, else what is wrong."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(target)
    if not callable(function):
        return "The answer is a function: give its name, without calling it."
    try:
        function(source, target)
    except Exception as error:  # it is the learner's, and may fail in any way
        return f"The function raised {type(error).__name__}: {clip(printable(str(error)), 300)}"
    return None if os.path.exists(target) else f"The function wrote no file {target}."
