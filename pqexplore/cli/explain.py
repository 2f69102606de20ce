"""`pqexplore explain TERM`: a word of the specification, in two sentences, a picture, and its bytes in a sample."""

from __future__ import annotations

import argparse

from pqexplore.cli.out import DONE, Out

DESCRIPTION = """\
Explain a word of the specification. Without TERM, list the words."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("term", nargs="*", metavar="TERM", help="such as: row group, column index")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status: 2 for a word that is not in the glossary."""
    from pqexplore.engine.errors import UsageError
    from pqexplore.insight.glossary import GLOSSARY, bytes_of, explain
    from pqexplore.insight.json_values import plain
    from pqexplore.insight.terminal import wrap

    if not asked.term:
        if asked.json:
            out.document("terms", {"terms": list(GLOSSARY)})
        else:
            out.lines(GLOSSARY)
        return DONE
    word = " ".join(asked.term)
    try:
        term = explain(word)
    except KeyError as error:
        return out.fail(word, UsageError(error.args[0]), asked.json)
    out.kept.append(term)
    if asked.json:
        out.document("term", {**plain(term), "bytes": plain(bytes_of(term))})
        return DONE
    out.say(term.name)
    out.lines(f"  {line}" for line in wrap(term.meaning, out.room - 2))
    out.lines(["", *(f"  {line}" for line in term.picture.split("\n")), ""])
    out.lines(f"  {line}" for line in wrap(bytes_of(term).sentence, out.room - 2))
    out.lines(["", f"  {term.link}"])
    return DONE
