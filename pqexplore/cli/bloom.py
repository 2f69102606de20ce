"""`pqexplore bloom FILE`: how full Bloom filters are, and what they answer about values."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.cli import files, views
from pqexplore.cli.out import DONE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.tree.node import Node
    from pqexplore.insight.answer import Answer

DESCRIPTION = """\
Say how full the Bloom filters of a file are. With --probe, ask the filters whether a value may be there: "certainly not"
is certain. Without --column, all columns with a filter are asked that can hold the value."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument(
        "--probe",
        nargs="+",
        action="extend",
        metavar="VALUE",
        help="values to ask for, as the column's type prints them; after FILE",
    )


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    views.check_place(asked)
    if asked.probe and asked.page is not None:
        raise Refused("--probe goes with --column, --row-group and --at")
    from pqexplore.insight import places

    def one(file: ParquetFile) -> int:
        if not asked.probe:
            return views.print_view(file, "bloom", views.place(asked), asked, out)
        node = places.resolve(file, views.place(asked))
        answer = _probed(file, node, asked.probe)
        views.print_answer(file, answer, node.address, "bloom", asked, out)
        return DONE

    return files.each(asked, out, one)


def _probed(file: ParquetFile, node: Node, values: Sequence[str]) -> Answer:
    """A row for each value and each filter below a node that can hold it."""
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.insight.across.scope import scope_of
    from pqexplore.insight.answer import Answer, Column, Table
    from pqexplore.insight.lenses.bloom import probe_chunk
    from pqexplore.insight.wording import plural

    scope = scope_of(file, node)
    if scope is None:
        raise UsageError(f"{node.address} is no file, row group, column or column chunk")
    table = Table(
        [
            Column("value", "value"),
            Column("column", "column"),
            Column("row_group", "row group", "number"),
            Column("verdict", "verdict"),
            Column("sentence", "why"),
        ],
        "The filters' answers",
    )
    filters = absent = 0
    refused: UsageError | None = None
    for group, leaf, chunk in scope.chunks():
        if isinstance(chunk, ParquetError):
            raise chunk
        bloom = chunk.bloom_filter
        if bloom is None:
            continue
        filters += 1
        for value in values:
            try:
                found = probe_chunk(chunk, bloom, value)
            except UsageError as error:  # another column may hold the value
                refused = error
                continue
            absent += not found.hit
            said = " ".join(filter(None, [found.sentence, found.note]))
            row = (found.value, ".".join(leaf.path), group, found.verdict, said)
            table.add(*row, address=chunk.address, span=found.span)
    if refused is not None and not table.rows:
        raise refused
    if not filters:
        return Answer("There is no Bloom filter here: no value can be ruled out by one.")
    what = f"{plural(len(values), 'value')} asked of {plural(filters, 'Bloom filter')}"
    perhaps = len(table.rows) - absent
    return Answer(f"{what}: {absent:,} certainly not there, {perhaps:,} perhaps.", table=table)
