"""`pqexplore variant FILE`: Variants, as they are stored and as JSON."""

from __future__ import annotations

import argparse
import bisect
import dataclasses
from typing import TYPE_CHECKING

from pqexplore.cli import files, views
from pqexplore.cli.out import DONE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Field
    from pqexplore.insight.answer import Answer
    from pqexplore.insight.lenses.variant import Row

DESCRIPTION = """\
Say how the Variants of a column are stored. With --row, one Variant as JSON, and how a reader puts it together. The column
may be left out if the file has only one of Variants."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("--row", type=int, metavar="N", help="a row of the file, or of --row-group, counted from 0")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    views.check_place(asked)
    if asked.row is not None and (asked.at is not None or asked.page is not None):
        raise Refused("--row goes with --column and --row-group")

    def one(file: ParquetFile) -> int:
        if asked.at is not None or asked.page is not None:
            return views.print_view(file, "variant", views.place(asked), asked, out)
        field = _field(file, asked.column)
        if asked.row is None and asked.row_group is None:
            from pqexplore.insight.across import variant_shredding
            from pqexplore.insight.view import view

            made = dataclasses.replace(
                view(file, "variant", _address(field)), totals=variant_shredding.of_field(file, field)
            )
            views.print_answer(file, made, _address(field), "variant", asked, out)
            return DONE
        if asked.row is None:
            leaf = field.leaves()[0].leaf_index
            at = f"row_groups/{asked.row_group}/columns/{leaf}"
            return views.print_view(file, "variant", at, asked, out)
        found = _row(file, field, asked)
        answer = _answer(asked.row, found)
        views.print_answer(file, answer, _address(field), "variant", asked, out, found.json)
        return DONE

    return files.each(asked, out, one)


def _address(field: Field) -> str:
    from pqexplore.engine.address import Address

    return Address.of("schema", field.index)


def _field(file: ParquetFile, name: str | None) -> Field:
    """The group of the Variants: the one of that dotted path, or the only one. UsageError if there is none."""
    from pqexplore.engine.errors import UsageError

    variants = {".".join(one.path): one for one in file.schema.fields if one.kind == "variant"}
    if name is not None:
        found = variants.get(name)
        if found is None:
            known = f"; those are {', '.join(variants)}" if variants else ""
            raise UsageError(f"{name!r} is no column of Variants{known}")
        return found
    if len(variants) != 1:
        known = f"these are Variants: {', '.join(variants)}; choose one with --column"
        raise UsageError(known if variants else "the file has no column of Variants")
    return next(iter(variants.values()))


def _row(file: ParquetFile, field: Field, asked: argparse.Namespace) -> Row:
    """One Variant: its JSON, its bytes, and the steps of a reader. UsageError if there is no such row."""
    from pqexplore.engine.errors import UsageError
    from pqexplore.engine.file.row_group import row_starts
    from pqexplore.insight.lenses.variant import open_row
    from pqexplore.insight.lenses.variant.stored_bytes import load

    if field.max_repetition_level:
        path = ".".join(field.path)
        raise UsageError(f"{path!r} is in lists: a row has several Variants; use --at")
    group, row = asked.row_group, asked.row
    if group is None:
        starts = row_starts(file)
        if not 0 <= row < starts[-1]:
            raise UsageError(f"there is no row {row:,}; the file has {starts[-1]:,}")
        group = bisect.bisect_right(starts, row) - 1
        row -= starts[group]
    return open_row(load(file, field, group), row)


def _answer(row: int, found: Row) -> Answer:
    from pqexplore.insight.answer import Answer, Column, Table

    table = Table(
        [
            Column("path", "place", "code"),
            Column("from", "from"),
            Column("column", "column"),
            Column("result", "result", "code"),
            Column("sentence", "how"),
        ],
        "How a reader puts it together",
    )
    for step in found.steps:
        table.add(step.path, step.source, step.column, step.result, step.sentence, address=step.address)
    sentence = f"Row {row:,}: {found.sentence or found.problem}"
    return Answer(sentence, table=table if found.steps else None)
