"""`pqexplore bloom FILE`: how full Bloom filters are, and what they answer about values."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.cli import files, views
from pqexplore.cli.out import DONE, Out

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.answer import Answer

DESCRIPTION = """\
Say how full the Bloom filters of a file are. With --probe, ask the filters whether a value may be there: "certainly not"
is certain. Without --column, all columns with a filter are asked that can hold the value."""


def parser() -> argparse.ArgumentParser:
    """The arguments of the verb."""
    made = argparse.ArgumentParser(
        prog="pqexplore bloom",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    files.add_options(made)
    views.add_place(made)
    made.add_argument(
        "--probe",
        nargs="+",
        action="extend",
        metavar="VALUE",
        help="values to ask for, as the column's type prints them; after FILE",
    )
    return made


def run(words: list[str], out: Out) -> int:
    """Run the verb. Returns the exit status."""
    options = parser()
    asked = options.parse_args(words)
    views.check_place(options, asked)
    if asked.probe and (asked.at is not None or asked.page is not None):
        options.error("--probe goes with --column and --row-group")

    def answer(file: ParquetFile) -> int:
        if not asked.probe:
            return views.print_view(file, "bloom", views.place(file, asked), asked, out)
        probed = _probed(file, asked)
        views.print_answer(file, probed, views.place(file, asked), "bloom", asked, out)
        return DONE

    return files.each(asked, out, answer)


def _probed(file: ParquetFile, asked: argparse.Namespace) -> Answer:
    """A row for each value and each filter that can hold it."""
    from pqexplore.engine.errors import UsageError
    from pqexplore.insight.answer import Answer, Column, Table
    from pqexplore.insight.lenses.bloom import probe_chunk
    from pqexplore.insight.wording import plural

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
    refused = ""
    leaves = file.schema.leaves if asked.column is None else [views.column(file, asked.column)]
    for leaf in leaves:
        for group in _groups(file, asked.row_group):
            chunk = file.row_groups[group].columns[leaf.leaf_index]
            bloom = chunk.bloom_filter
            if bloom is None:
                continue
            filters += 1
            for value in asked.probe:
                try:
                    found = probe_chunk(chunk, bloom, value)
                except UsageError as error:
                    refused = refused or str(error)
                    continue
                absent += not found.hit
                said = " ".join(filter(None, [found.sentence, found.note]))
                path = ".".join(leaf.path)
                table.add(
                    found.value,
                    path,
                    group,
                    found.verdict,
                    said,
                    address=chunk.address,
                    span=found.span,
                )
    if refused and not table.rows:
        raise UsageError(refused)
    if not filters:
        return Answer("There is no Bloom filter here: no value can be ruled out by one.")
    what = f"{plural(len(asked.probe), 'value')} asked of {plural(filters, 'Bloom filter')}"
    perhaps = len(table.rows) - absent
    return Answer(f"{what}: {absent:,} certainly not there, {perhaps:,} perhaps.", table=table)


def _groups(file: ParquetFile, chosen: int | None) -> Sequence[int]:
    """The numbers of the row groups that are asked. UsageError if there is no such row group."""
    from pqexplore.engine.errors import UsageError

    count = len(file.row_groups)
    if chosen is None:
        return range(count)
    if not 0 <= chosen < count:
        raise UsageError(f"there is no row group {chosen:,}; the file has {count:,}")
    return [chosen]
