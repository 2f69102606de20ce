"""`pqexplore stats FILE`: what the statistics say, and with --true what the values are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pqexplore.cli import files, progress, views
from pqexplore.cli.out import DONE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

STATED = views.VIEW_VERBS["stats"]

DESCRIPTION = f"""\
{STATED.DESCRIPTION}

With --true the values are read: the real minimum, maximum, nulls and distinct values stand beside the stated ones, what
differs first; and how long lists and byte arrays are, and in which row the longest is."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument(
        "--true", action="store_true", help="read the values, up to 1 GiB before compression, and say what they are"
    )


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    if not asked.true:
        return STATED.run(asked, out)
    views.check_place(asked)
    if asked.page is not None:
        raise Refused("--true is about column chunks: it goes with --column, --row-group and --at")
    return files.each(asked, out, lambda file: _print(file, asked, out))


def _print(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.engine.errors import UsageError
    from pqexplore.insight import places
    from pqexplore.insight.across import true_statistics
    from pqexplore.insight.across.scope import scope_of
    from pqexplore.insight.steps import finish

    node = places.resolve(file, views.place(asked))
    scope = scope_of(file, node)
    if scope is None:
        raise UsageError(f"{node.address} is no file, row group, column or column chunk")
    with progress.shown(file.name) as progressing:
        answer = finish(true_statistics.over(scope), progressing)
    views.print_answer(file, answer, node.address, "true statistics", asked, out)
    return DONE
