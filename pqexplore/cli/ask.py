"""`pqexplore ask FILE… SQL`: what a query with a condition reads, what it skips, and why."""

from __future__ import annotations

import argparse

from pqexplore.cli import ask_options
from pqexplore.cli.out import Out

DESCRIPTION = """\
Say which row groups and pages a query with the condition SQL reads of each FILE, which it skips, and why; and what would
let it skip more. A folder is asked as a whole. It is the same as pqexplore FILE --where SQL."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("where", metavar="SQL", help='a condition, as in Spark\'s SQL: "day > 3"')
    ask_options.add_choices(made)


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    return ask_options.answer(asked, out)
