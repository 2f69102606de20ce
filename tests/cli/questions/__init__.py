"""Questions that engineers ask about Parquet files, and what answers them. They were written before the answers.

Those of the text files are as plain as a question can be: `NAME: TOPIC: FILE`, the question, `$ COMMAND`, and a line for
each answer, which begins with `= `.
"""

import pathlib

from cli.questions import at_night
from cli.questions.question import Question

FILES = (
    *("about_files", "about_columns", "about_queries", "about_contents"),
    *("about_python", "about_foreign_layout", "about_foreign_contents", "at_night"),
)


def read(name: str) -> list[Question]:
    """The questions of a text file; its first paragraph says what they are about."""
    text = pathlib.Path(__file__).with_name(f"{name}.txt").read_text("utf-8")
    return [parsed(*part.splitlines()) for part in text.strip().split("\n\n")[1:]]


def parsed(head: str, question: str, command: str, *lines: str) -> Question:
    """The question of a paragraph."""
    name, topic, file = head.split(": ")
    answer = tuple(line.removeprefix("= ") for line in lines if line.startswith("= "))
    other = "".join(line.removeprefix("other: ") for line in lines if line.startswith("other: "))
    return Question(name, topic, question, file, command.removeprefix("$ "), answer, other, "refused" in lines)


QUESTIONS = (*(one for name in FILES for one in read(name)), *at_night.QUESTIONS)
"""All questions."""
