"""What a question of the self-test is, and the list of those that write them."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pqexplore.engine.writer import file as writer

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.writer.options import WriteOptions

__all__ = ["Maker", "Question", "makers", "question", "write"]


@dataclass(frozen=True)
class Question:
    """A question about a file that was made for it, and its answer."""

    chapter: str
    """The chapter that teaches it: 02."""
    text: str
    answer: object
    """Compared with `same`; a set is right in any order."""


Maker = Callable[[random.Random, Path], tuple[str, object]]
"""Takes the source of choices and the path of a new file; writes the file if it needs one; returns text and answer."""

_MAKERS: list[tuple[str, Maker]] = []


def makers() -> list[tuple[str, Maker]]:
    """The chapter and the maker of each question, in their order."""
    for module in ("questions_of_format", "questions_of_use"):
        importlib.import_module(f"pqexplore.course.{module}")
    return list(_MAKERS)


def write(table: pa.Table, path: Path, options: WriteOptions | None = None) -> None:
    """Write a file of a self-test, in its own folder; over that of the same question before."""
    writer.write(table, path, options, overwrite=True)


def question(chapter: str) -> Callable[[Maker], Maker]:
    """Make a function a question of the self-test."""

    def register(maker: Maker) -> Maker:
        _MAKERS.append((chapter, maker))
        return maker

    return register
