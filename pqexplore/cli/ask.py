"""`pqexplore ask FILE… SQL`: what a query with a condition reads, what it skips, and why."""

from __future__ import annotations

import argparse

from pqexplore.cli import asking, files
from pqexplore.cli.out import Out, of_verb

DESCRIPTION = """\
Say which row groups and pages a query with the condition SQL reads of each FILE, which it skips, and why; and what would
let it skip more. A folder is asked as a whole. It is the same as pqexplore FILE --where SQL.

Exit status: 0 done, 2 usage, 3 a file could not be read."""


def parser() -> argparse.ArgumentParser:
    """The arguments of the verb."""
    made = of_verb("ask", DESCRIPTION)
    files.add_options(made)
    made.add_argument("where", metavar="SQL", help='a condition, as in Spark\'s SQL: "day > 3"')
    asking.add_choices(made)
    return made


def run(words: list[str], out: Out) -> int:
    """Run the verb. Returns the exit status."""
    return asking.answer(parser().parse_args(words), out)
