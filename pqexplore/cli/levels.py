"""`pqexplore levels FILE`: how often each level occurs, and the entries of a column chunk or a page."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING

from pqexplore.cli import files
from pqexplore.cli.out import DONE, Out
from pqexplore.cli.views import check_place, place, print_answer, print_view

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

DESCRIPTION = """\
Say how the levels build the rows: how often each level occurs, what is missing there, and how many bytes levels take. Of
one column chunk, the first entries follow, with --all up to 100,000: row, repetition level, definition level, value. With
--page, all entries of the page."""

ENTRIES = 100
"""Entries that are listed of a column chunk."""


def add_options(made: argparse.ArgumentParser) -> None:
    """There are none but the common ones."""


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    check_place(asked)
    return files.each(asked, out, lambda file: _print(file, asked, out))


def _print(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight import places
    from pqexplore.insight.across import page_entries, pages
    from pqexplore.insight.across.joined import PLACES
    from pqexplore.insight.across.scope import scope_of
    from pqexplore.insight.terminal import most_lines
    from pqexplore.insight.view import view

    if asked.page is not None:
        return print_view(file, "page", place(asked), asked, out)
    node = places.resolve(file, place(asked))
    made = view(file, "nesting", node.address)
    scope = scope_of(file, node)
    if scope is not None and scope.size <= PLACES:
        made = dataclasses.replace(made, totals=pages.of_levels(scope))
    elif scope is not None:
        said = f"The bytes of levels are added up for at most {PLACES:,} column chunks: choose some by --column or --row-group."
        made = dataclasses.replace(made, sentence=f"{made.sentence} {said}")
    entries = None
    if scope is not None and scope.size == 1:
        entries = page_entries.over(scope, ENTRIES if most_lines(out.room) is not None else page_entries.LISTED)
    print_answer(file, made, node.address, "nesting", asked, out, entries=entries)
    return DONE
