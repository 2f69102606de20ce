"""`pqexplore __complete WORD…`: what may stand in the place of the last word. The scripts of `completion` call it.

Each line is a word, and after a tab what it means. No line: the shell completes the names of files.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.cli import files, notebook_variables
from pqexplore.cli.out import DONE, Out
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.text import printable

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

Word = tuple[str, str]
"""A word, and what it means."""

MOST = 500
"""Columns and addresses that are offered."""


def run(words: list[str], out: Out) -> int:
    """Print the completions. Returns the exit status, always 0."""
    for word, meaning in completions(words):
        out.write(f"{printable(word)}\t{printable(meaning)}\n")
    return DONE


def completions(words: Sequence[str]) -> Iterator[Word]:
    """The words that may stand in the place of the last one of `words`, which follow `pqexplore`."""
    *before, fragment = words or [""]
    for word, meaning in _candidates(before, fragment):
        if word.startswith(fragment):
            yield word, meaning


def _candidates(before: Sequence[str], fragment: str) -> Iterable[Word]:
    if not before and not fragment.startswith("-"):
        return ((verb.name, verb.summary) for verb in VERBS.values())
    parser = _parser(before)
    options = _options(parser)
    last = expecting(before)
    if last is not None:
        return _values(parser.prog.rpartition(" ")[2], last, before, fragment)
    if fragment.startswith("-"):
        return ((name, action.help or "") for name, action in options.items() if len(name) > 2)
    return _arguments(before, parser)


def expecting(before: Sequence[str]) -> argparse.Action | None:
    """The option whose value comes after these words; None if none does."""
    last = _options(_parser(before)).get(before[-1]) if before else None
    return None if last is None or last.nargs == 0 else last


def _options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {name: action for action in parser._actions for name in action.option_strings}


def _parser(before: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the verb, or of `pqexplore` without a verb."""
    if before and before[0] in VERBS:
        return VERBS[before[0]].parser()
    from pqexplore.cli import explore

    return explore.parser()


def _arguments(before: Sequence[str], parser: argparse.ArgumentParser) -> Iterable[Word]:
    """What is no option: the names of samples, words of the glossary, shells."""
    if before and before[0] == "sample" and len(before) == 1:
        from pqexplore.engine.writer.samples import SAMPLES, SICK

        return ((name, one.sentence) for name, one in {**SAMPLES, **SICK}.items())
    if before and before[0] == "explain":
        from pqexplore.insight.glossary import GLOSSARY

        return ((name, "") for name in GLOSSARY)
    choices = [action.choices for action in parser._actions if not action.option_strings]
    return ((str(one), "") for one in itertools.chain(*filter(None, choices)))


def _values(verb: str, option: argparse.Action, before: Sequence[str], fragment: str) -> Iterable[Word]:
    """The values of an option."""
    if option.choices is not None:
        return ((str(one), "") for one in option.choices)
    if option.dest == "view" and verb == "lake":
        from pqexplore.lake.views import VIEWS

        return ((one.name, one.question) for one in VIEWS.values())
    if option.dest == "view":
        from pqexplore.insight.questions import QUESTIONS

        return QUESTIONS.items()
    if option.dest == "engine":
        from pqexplore.insight.ask.engines import ENGINES

        return ((name, "") for name in ENGINES)
    if option.dest in ("column", "columns", "column_key", "at", "sort", "type", "by", "out_of_order"):
        return _of_file(option.dest, before, fragment)
    return ()


def _of_file(what: str, before: Sequence[str], fragment: str) -> Iterator[Word]:
    """Columns or addresses of the first file in the line; nothing if it cannot be read."""
    from pqexplore.engine.errors import ParquetError, UsageError

    with contextlib.suppress(ParquetError, UsageError, OSError), contextlib.ExitStack() as opened:
        sources = notebook_variables.spread(before)
        path = next((one for one in sources if isinstance(one, notebook_variables.Held) or os.path.isfile(one)), None)
        if path is None:
            return
        file = opened.enter_context(files.file_of(path))
        if what == "at":
            found = (one for one in _addresses(file, fragment) if one[0].startswith(fragment))
            yield from itertools.islice(found, MOST)
            return
        listed, comma, begun = fragment.rpartition(",")
        columns = (name for name in file.schema.dotted if name.startswith(begun))
        for name in itertools.islice(columns, MOST):
            yield listed + comma + name, ""


def _addresses(file: ParquetFile, fragment: str) -> Iterator[Word]:
    """Addresses of the nodes one step below what was typed, with the names of columns."""
    from pqexplore.engine.errors import UsageError
    from pqexplore.insight.places import resolve

    above = fragment.rpartition("/")[0]
    if above == "columns" or above.endswith("/columns"):
        yield from ((f"{above}/{name}", "") for name in file.schema.dotted)
        return
    if not above:
        yield from (("columns/", "columns/NAME: a column"), ("rows/", "rows/N: a row of the file"))
        yield from ((child.address, child.label) for child in file.root.children)
        return
    while above:
        with contextlib.suppress(UsageError):
            node = resolve(file, above)
            if node.address.count("/") == above.count("/"):  # else `above` ends between two nodes
                for child in node.children:
                    yield above + child.address.removeprefix(node.address), child.label
                return
        above = above.rpartition("/")[0]
