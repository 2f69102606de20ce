"""What an exercise is, and where each is found: chapter NN has its exercises in the module `chapter_NN`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from pqexplore.engine.errors import UsageError

__all__ = ["CHAPTERS", "Chapter", "Exercise", "Judge", "exercise", "exercises", "find"]

Judge = Callable[[object], "bool | str | None"]
"""Takes an answer. True: it is right. False: it is wrong. A text: it is wrong, and this is why. None: not answered yet."""


@dataclass(frozen=True)
class Chapter:
    """A notebook of the course."""

    number: str
    """Two digits, as in the name of its notebook."""
    title: str
    file: str
    """The notebook's name in notebooks/, and that of its solutions in notebooks/solutions/."""


@dataclass(frozen=True)
class Exercise:
    """A question that is checked."""

    number: str
    """The chapter and the place in it: 02.1."""
    question: str
    """The question in one line, as the progress shows it."""
    hints: tuple[str, ...]
    """What helps, a step further each; the last does not give the answer away."""
    judge: Judge


CHAPTERS = {
    number: Chapter(number, title, f"{number}-{file}.ipynb")
    for number, title, file in (
        ("01", "What is in a Parquet file?", "what-is-in-a-parquet-file"),
        ("02", "Pages and encodings", "pages-and-encodings"),
        ("03", "Nesting and levels", "nesting-and-levels"),
        ("04", "Statistics, page index, Bloom filters", "statistics-page-index-and-bloom-filters"),
        ("05", "Variant", "variant"),
        ("06", "Encryption", "encryption"),
        ("07", "A lake on Spark", "a-lake-on-spark"),
        ("08", "Data skipping indexes", "data-skipping-indexes"),
        ("09", "Why is this query slow?", "why-is-this-query-slow"),
        ("10", "Make it smaller: each column", "make-it-smaller"),
        ("11", "Make it smaller: order and layout", "order-and-layout"),
        ("12", "Types and time", "types-and-time"),
        ("13", "Damage", "damage"),
    )
}
"""The chapters of the course, in their order."""

_FOUND: dict[str, Exercise] = {}


def exercise(number: str, question: str, *hints: str) -> Callable[[Judge], Judge]:
    """Make a judge of answers an exercise of the course."""

    def register(judge: Judge) -> Judge:
        assert number not in _FOUND, f"exercise {number} is there already"
        _FOUND[number] = Exercise(number, question, hints, judge)
        return judge

    return register


def exercises(chapter: str) -> list[Exercise]:
    """The exercises of a chapter, in their order."""
    importlib.import_module(f"pqexplore.course.chapter_{chapter}")
    found = [one for one in _FOUND.values() if one.number.startswith(f"{chapter}.")]
    return sorted(found, key=lambda one: int(one.number.partition(".")[2]))


def find(number: str) -> Exercise:
    """The exercise of a number such as 02.1. UsageError if there is none."""
    chapter = number.partition(".")[0] if isinstance(number, str) else ""
    known = exercises(chapter) if chapter in CHAPTERS else []
    for one in known:
        if one.number == number:
            return one
    if known:
        raise UsageError(
            f"chapter {chapter} has the exercises {', '.join(one.number for one in known)}, not {number!r}"
        )
    raise UsageError(f"there is no exercise {number!r}; a number is chapter and place, such as '02.1'")
