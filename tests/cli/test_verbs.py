"""The verbs of the command line: each is listed, has help, and is imported only when it is used."""

import re

import pytest

from pqexplore.cli import main
from pqexplore.cli.verbs import VERBS
from pqexplore.insight.lenses import LENSES
from pqexplore.insight.questions import QUESTIONS


def help_of(capsys, *words):
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--help"])
    assert stopped.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_has_help(capsys, name):
    assert help_of(capsys, name).startswith(f"usage: pqexplore {name}")


def test_help_lists_verbs_and_views(capsys):
    lines = help_of(capsys).splitlines()
    for verb in VERBS.values():
        assert f"  {verb.name:<10} {verb.summary}" in lines
    for name, question in QUESTIONS.items():
        assert f"  {name:<13} {question}" in lines


def test_each_view_has_the_question_of_its_page(docs_of_lenses):
    assert list(QUESTIONS) == list(LENSES)
    assert docs_of_lenses == {name: text for name, text in QUESTIONS.items() if name != "facts"}


@pytest.fixture
def docs_of_lenses(pytestconfig):
    """The questions in the headings of docs/lenses.md, by lens."""
    page = (pytestconfig.rootpath / "docs" / "lenses.md").read_text()
    return dict(re.findall(r"^## .*\(`(\w+)`\): (.*)$", page, re.M))
