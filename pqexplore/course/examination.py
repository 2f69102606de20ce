"""The self-test: twenty questions about files that are made at random for it: `exam(seed)`."""

from __future__ import annotations

import random
from pathlib import Path
from textwrap import wrap

from pqexplore.course.checking import OPEN, Verdict, missing
from pqexplore.course.equal_answers import same
from pqexplore.course.exercise import CHAPTERS
from pqexplore.course.question import Question, makers
from pqexplore.engine.errors import UsageError
from pqexplore.engine.output_file import writing

__all__ = ["Exam", "exam"]


def exam(seed: int | None = None, folder: str | Path | None = None) -> Exam:
    """Begin a self-test of twenty questions, two or so from each chapter.

    The files that they ask about are written into `folder` (by default `exam-SEED` in the working folder). The same
    seed gives the same questions and the same files; without one it is chosen at random. Use any tool to find the
    answers, and `Exam.check` to check them. UsageError if the folder is there and is not the exam's own.
    """
    chosen = random.SystemRandom().randrange(10_000) if seed is None else seed
    if isinstance(chosen, bool) or not isinstance(chosen, int):
        raise UsageError(f"the seed of an exam is a whole number, not {chosen!r}")
    place = Path(f"exam-{chosen}" if folder is None else folder)
    marker = place / "exam.txt"
    if place.exists() and not marker.is_file():
        raise UsageError(f"{place.name} is there and holds no exam; choose another folder")
    place.mkdir(parents=True, exist_ok=True)
    with writing(marker, overwrite=True) as out:
        out.write(f"Files of the self-test with seed {chosen}.\n".encode())
    asked = []
    for number, (chapter, make) in enumerate(makers(), 1):
        source = random.Random(f"{chosen} {number}")
        text, answer = make(source, place / f"question-{number:02}.parquet")
        asked.append(Question(chapter, text, answer))
    return Exam(chosen, place, tuple(asked))


class Exam:
    """Twenty questions, and which are answered. Its text lists them."""

    def __init__(self, seed: int, folder: Path, questions: tuple[Question, ...]) -> None:
        self.seed = seed
        self.folder = folder
        self._questions = questions
        self._said: dict[int, bool] = {}

    @property
    def questions(self) -> list[str]:
        """The questions, in their order; the first has the number 1."""
        return [one.text for one in self._questions]

    def check(self, number: int, answer: object) -> Verdict:
        """Say whether the answer to a question is right. The last answer counts.

        A set is right in any order, also as a list. UsageError if there is no question of that number.
        """
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(self._questions):
            raise UsageError(f"questions have the numbers 1 to {len(self._questions)}, not {number!r}")
        name = f"{self.seed}.{number}"
        if missing(answer):
            return Verdict(name, None, OPEN)
        asked = self._questions[number - 1]
        right = _is_right(answer, asked.answer)
        self._said[number] = right
        again = f"✘ Not yet. Chapter {asked.chapter} teaches it."
        return Verdict(name, right, "✔ Right." if right else again)

    @property
    def right(self) -> int:
        """How many questions are answered rightly."""
        return sum(self._said.values())

    @property
    def sentence(self) -> str:
        """The result, and which chapters to read again."""
        count = len(self._questions)
        said = f"{self.right} of {count} right, {count - len(self._said)} not answered."
        weak = sorted({self._questions[number - 1].chapter for number, right in self._said.items() if not right})
        if weak:
            said += f" Read again: {', '.join(f'{one} {CHAPTERS[one].title}' for one in weak)}."
        return said

    def __repr__(self) -> str:
        lines = [f"The self-test with seed {self.seed}. Its files are in {self.folder.name}.", ""]
        for number, text in enumerate(self.questions, 1):
            mark = {True: "✔", False: "✘", None: " "}[self._said.get(number)]
            lines += wrap(text, 110, initial_indent=f"{mark} {number:2}  ", subsequent_indent=" " * 6)
        return "\n".join([*lines, "", self.sentence])


def _is_right(answer: object, right: object) -> bool:
    """`same`; a set may be answered with any collection of the same members, each once."""
    if not isinstance(right, set):
        return same(answer, right)
    if isinstance(answer, set | frozenset):
        answer = list(answer)
    if not isinstance(answer, list | tuple):
        return False
    return len(answer) == len(right) and all(any(same(one, other) for other in right) for one in answer)
