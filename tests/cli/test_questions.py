"""The questions of `questions/`: each is answered by its one command or call, whose output has the answer."""

import contextlib
import io
import re

import pytest
from cli.questions import QUESTIONS
from cli.questions.files import path_of
from cli.questions.question import TOPICS
from cli.questions.the_forty import DIRECT

import pqexplore
from pqexplore.cli import DONE, FOUND, UNREADABLE, USAGE, main

KEYS = {
    "FOOTER_KEY": "30313233343536373839303132333435",
    "COLUMN_KEY": "31323334353637383930313233343530",
    "OTHER_KEY": "31323334353637383930313233343531",
}
"""The published keys of the encrypted samples and of the corpus, as the environment gives them."""

WRAPPED = 84
"""A line of a sentence that is longer goes on in the next one."""

CELLS = re.compile(r"\S {2,}[^\s\[]")
"""What lines of tables have: wide blanks between their cells."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the files of all questions are."""
    return tmp_path_factory.mktemp("questions")


def printed(question, path, other, new):
    """What the command or the call prints; nothing if it refuses what should be answered, or answers what it must refuse."""
    if question.command.startswith(">>> "):
        with pqexplore.open(path) as file:
            names = {"f": file, "path": path, "other": other, "pqexplore": pqexplore}
            try:
                return repr(eval(question.command[4:], names))
            except KeyError as error:  # what a name that does not exist is answered with
                return str(error.args[0])
    places = {"FILE": str(path), "OTHER": str(other), "NEW": str(new)}
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            status = main([places.get(word, word) for word in words(question.command)])
        except SystemExit as stop:  # the arguments are wrong
            status = stop.code
    answered = status in ((USAGE, UNREADABLE) if question.refused else (DONE, FOUND))
    return out.getvalue() if answered else f"exit status {status}"


def words(command):
    """The words of a command, as a shell parts them."""
    return [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', command)]


def plain(text):
    """The text with whole sentences in a line, one blank for many, and numbers without commas."""
    lines, before = [], ""
    for line in text.splitlines():
        if line.strip() and len(before) > WRAPPED and not CELLS.search(before):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
        before = line
    blanks = re.sub(r"[^\S\n]+", " ", "\n".join(lines))
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", blanks)


def missing(question, text, path):
    """The expressions of the answer that the text does not have."""
    pieces = question.answer(path) if callable(question.answer) else question.answer
    return [piece for piece in pieces if not re.search(piece, plain(text))]


SLOW = ("forty-thousand-pages",)
"""Questions to files that take seconds to write."""


@pytest.mark.parametrize(
    "question",
    [pytest.param(one, id=one.name, marks=pytest.mark.full if one.name in SLOW else ()) for one in QUESTIONS],
)
def test_one_command_answers_it(question, folder, monkeypatch, request, tmp_path):
    corpus = request.getfixturevalue("corpus") if question.of_corpus else None
    monkeypatch.delenv("COLUMNS", raising=False)  # the output goes into a pipe: tables are whole
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    path = path_of(question.file, folder, corpus) if question.file else None
    other = path_of(question.other, folder, corpus) if question.other else None
    text = printed(question, path, other, tmp_path / "new.parquet")
    assert not missing(question, text, path), f"{question.question}\n{question.command}\n{text}"


def test_every_topic_has_questions_and_every_question_a_topic():
    assert {one.topic for one in QUESTIONS} == set(TOPICS)
    names = [one.name for one in QUESTIONS]
    assert len(set(names)) == len(names) >= 230
    assert sum(not one.of_corpus for one in QUESTIONS) >= 170
    assert all(re.compile(piece) and piece for one in QUESTIONS if not callable(one.answer) for piece in one.answer)
    assert all(one.answer and one.question.endswith((".", "?")) for one in QUESTIONS)


def test_the_forty_questions_are_among_them(record_property):
    assert len(set(DIRECT)) == 40
    assert set(DIRECT) <= {one.name for one in QUESTIONS}
    record_property("stated", f"questions: {len(QUESTIONS)}, each answered by one command, the forty among them")
