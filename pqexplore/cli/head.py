"""`pqexplore head FILE`: the first rows, as a table."""

from __future__ import annotations

import argparse

from pqexplore.cli import cat
from pqexplore.cli.out import Out, Refused

DESCRIPTION = """\
Print the first rows of a file, of a Delta or Iceberg table, or of the files of a folder. Only the pages with them are
read."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("-n", type=int, default=10, metavar="N", help="how many rows (10)")
    cat.add_choices(made)


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    if asked.n < 0:
        raise Refused(cat.NO_NUMBER)
    return cat.Printing(asked, asked.form or "table", out).run(slice(None), asked.n)
