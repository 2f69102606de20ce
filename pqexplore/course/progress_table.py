"""How far one is in the course: `progress()`."""

from __future__ import annotations

from dataclasses import dataclass

from pqexplore.course import record
from pqexplore.course.exercise import CHAPTERS, Chapter, Exercise, exercises

__all__ = ["Progress", "Row", "progress"]


@dataclass(frozen=True)
class Row:
    """A chapter, and how much of it is solved."""

    chapter: Chapter
    exercises: tuple[Exercise, ...]
    solved: frozenset[str]
    """The numbers of the exercises that are solved."""

    @property
    def marks(self) -> str:
        """A sign for each exercise: solved or open."""
        return "".join("■" if one.number in self.solved else "□" for one in self.exercises)


@dataclass(frozen=True, repr=False)
class Progress:
    """The chapters, and what is next."""

    rows: tuple[Row, ...]

    @property
    def next(self) -> Exercise | None:
        """The first exercise that is not solved. None if all are."""
        return next((one for row in self.rows for one in row.exercises if one.number not in row.solved), None)

    @property
    def sentence(self) -> str:
        """How many exercises are solved, and which is next."""
        done = sum(len(row.solved) for row in self.rows)
        count = sum(len(row.exercises) for row in self.rows)
        after = "" if self.next is None else f" Next: {self.next.number}, {self.next.question}"
        return f"{done} of {count} exercises are solved.{after}"

    def __repr__(self) -> str:
        wide = max(len(row.chapter.title) for row in self.rows)
        lines = [
            f"{row.chapter.number}  {row.chapter.title:{wide}}  {len(row.solved)} of {len(row.exercises)}  {row.marks}"
            for row in self.rows
        ]
        return "\n".join([*lines, "", self.sentence])


def progress() -> Progress:
    """How far you are: for each chapter the exercises that are solved, and which is next."""
    solved = {number for number, one in record.all_tried().items() if one.solved}
    rows = []
    for chapter in CHAPTERS.values():
        asked = tuple(exercises(chapter.number))
        rows.append(Row(chapter, asked, frozenset(solved & {one.number for one in asked})))
    return Progress(tuple(rows))
