"""Says whether an answer is right: `check("02.1", answer)`."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pqexplore.course import record
from pqexplore.course.equal_answers import shortened
from pqexplore.course.exercise import CHAPTERS, Exercise, find

__all__ = ["OPEN", "Verdict", "check", "missing"]

OPEN = (
    "Your turn: put your answer into the cell above and run it, or click it in the explorer there. "
    "Then run this cell again."
)


@dataclass(frozen=True, repr=False)
class Verdict:
    """What the check says of an answer. It is true if the answer is right."""

    exercise: str
    """The number of the exercise."""
    right: bool | None
    """None: there is no answer yet, or the files of the notebook are not there."""
    text: str
    """What a notebook shows."""

    def __bool__(self) -> bool:
        return self.right is True

    def __repr__(self) -> str:
        return self.text


def check(number: str, answer: object) -> Verdict:
    """Say whether the answer to an exercise is right, and remember it.

    The check is strict about meaning and lenient about containers: 1 is not True and "1" is not 1, but a list, a tuple
    and a NumPy array of the same values are equal. None, or a tuple of nothing but None, is not answered yet. A wrong
    answer raises nothing: the verdict says so, after the second try with a hint, later with where the solution is.
    UsageError if there is no such exercise.
    """
    asked = find(number)
    try:
        said = None if missing(answer) else asked.judge(answer)
    except FileNotFoundError as error:
        name = os.path.basename(str(error.filename or "a file"))
        return Verdict(number, None, f"{name} is not here. Run the cells above first.")
    except Exception as error:  # an answer may be anything: what the judge cannot handle is wrong
        said = callable(answer) and f"With this function the check ends in {shortened(error)}."
    if said is None:
        return Verdict(number, None, OPEN)
    record.keep(number, said is True)
    if said is True:
        return Verdict(number, True, "✔ Right.")
    return Verdict(number, False, _wrong(asked, said or "", record.tries(number)))


def _wrong(asked: Exercise, why: str, tries: int) -> str:
    """What a wrong answer gets: the reason if there is one; a hint more with each try from the second on."""
    lines = [f"✘ Not yet. {why}".rstrip()]
    lines += [f"Hint: {hint}" for hint in asked.hints[: tries - 1]]
    if tries > len(asked.hints) + 1:
        chapter = CHAPTERS[asked.number.partition(".")[0]]
        lines.append(f"The solution is in notebooks/solutions/{chapter.file}.")
    return "\n".join(lines)


def missing(answer: object) -> bool:
    """Whether there is no answer yet: None, or a tuple of nothing but None."""
    if isinstance(answer, tuple) and answer:
        return all(part is None for part in answer)
    return answer is None
