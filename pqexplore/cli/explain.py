"""`pqexplore explain TERM`: a word of the specification, in two sentences and a picture."""

from __future__ import annotations

import argparse

from pqexplore.cli.out import DONE, USAGE, Out, add_output


def parser() -> argparse.ArgumentParser:
    """The arguments of the verb."""
    made = argparse.ArgumentParser(
        prog="pqexplore explain", description="Explain a word of the specification. Without TERM, list the words."
    )
    made.add_argument("term", nargs="*", metavar="TERM", help="such as: row group, column index")
    add_output(made)
    return made


def run(words: list[str], out: Out) -> int:
    """Run the verb. Returns the exit status: 2 for a word that is not in the glossary."""
    asked = parser().parse_args(words)
    from pqexplore.insight.document import plain
    from pqexplore.insight.glossary import GLOSSARY, explain
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
        out.fail(word, LookupError(error.args[0]), asked.json)
        return USAGE
    out.kept.append(term)
    if asked.json:
        out.document("term", plain(term))
        return DONE
    out.say(term.name)
    out.lines(f"  {line}" for line in wrap(term.meaning, out.room - 2))
    out.lines(["", *(f"  {line}" for line in term.picture.split("\n")), "", f"  {term.link}"])
    return DONE
