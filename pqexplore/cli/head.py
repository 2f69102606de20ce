"""`pqexplore head FILE`: the first rows, as a table."""

from __future__ import annotations

import argparse

from pqexplore.cli import cat, files
from pqexplore.cli.out import Out


def parser() -> argparse.ArgumentParser:
    """The arguments of the verb."""
    made = argparse.ArgumentParser(
        prog="pqexplore head",
        description="Print the first rows of a file, of a Delta or Iceberg table, or of the files of a folder. Only the pages "
        "with them are read.",
    )
    files.add_options(made)
    made.add_argument("-n", type=int, default=10, metavar="N", help="how many rows (10)")
    cat.add_choices(made)
    return made


def run(words: list[str], out: Out) -> int:
    """Run the verb. Returns the exit status."""
    options = parser()
    asked = options.parse_args(words)
    if asked.n < 0:
        options.error("-n is a number of rows, 0 or more")
    return cat.Printing(asked, asked.form or "table", out).run(slice(None), asked.n)
