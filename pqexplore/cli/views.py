"""Verbs that print what one view says of a column, a column chunk, a page or the whole file."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pqexplore.cli import files
from pqexplore.cli.out import DONE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.answer import Answer
    from pqexplore.lake.rows.lake_table import LakeTable


@dataclasses.dataclass(frozen=True, slots=True)
class ViewVerb:
    """A verb that is a view: that of a column or file, its description, and the view of a page if it is another one.

    `of_table` answers for a table as a whole; without it, each of its live files is answered.
    """

    view: str
    DESCRIPTION: str
    of_page: str = ""
    of_table: Callable[[LakeTable], Answer] | None = None

    def add_options(self, made: argparse.ArgumentParser) -> None:
        """There are none but the shared ones."""

    def run(self, asked: argparse.Namespace, out: Out) -> int:
        """Run the verb. Returns the exit status."""
        check_place(asked)
        view = self.view if asked.page is None else self.of_page or self.view
        of_table, whole = self.of_table, place(asked) == ""

        def table(found: LakeTable) -> int:
            assert of_table is not None
            _print(found.path, of_table(found), {"address": ""}, asked, out)
            return DONE

        return files.each(
            asked,
            out,
            lambda file: print_view(file, view, place(asked), asked, out),
            tables=table if of_table is not None and whole else None,
        )


VIEW_VERBS = {
    "stats": ViewVerb(
        "statistics",
        "Say what a query can skip: minimum, maximum, nulls and distinct values of row groups and pages. Of a Delta or\n"
        "Iceberg table, and of the files of a folder, these are the bounds and nulls of each column over the live files.",
        of_table=lambda table: table.statistics(),
    ),
    "pages": ViewVerb(
        "page", "List the pages: rows, bytes, bounds and nulls. With --page, what is in one page.", of_page="page"
    ),
    "dictionary": ViewVerb(
        "dictionary", "Say whether the dictionary was worth it: its entries, and where the writer stopped using it."
    ),
}


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which part of a file is meant."""
    part = parser.add_argument_group("the part of the file; without, the whole file")
    part.add_argument("--column", "--columns", metavar="NAME", help="a column, by its dotted path")
    part.add_argument("--row-group", type=int, metavar="N", help="a row group, counted from 0")
    part.add_argument("--page", type=int, metavar="N", help="a page of the column chunk, counted from 0")
    part.add_argument("--at", metavar="ADDRESS", help="an address, instead of these")


def check_place(asked: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if asked.at is not None and (asked.column, asked.row_group, asked.page) != (None, None, None):
        raise Refused("--at stands for itself, without --column, --row-group and --page")
    if asked.page is not None and asked.column is None:
        raise Refused("--page goes with --column; without --row-group, it is in the first row group")


def place(asked: argparse.Namespace) -> str:
    """The address that the options name, as `places.resolve` takes it; "" for the whole file."""
    from pqexplore.engine.address import Address

    if asked.at is not None:
        return str(asked.at)
    group = asked.row_group
    if group is None and asked.page is not None:
        group = 0
    if asked.column is None:
        return "" if group is None else Address.of("row_groups", group)
    if group is None:
        return Address.of("columns", asked.column)
    chunk = Address.of("row_groups", group, "columns", asked.column)
    return chunk if asked.page is None else Address.of(chunk, "pages", asked.page)


def print_view(file: ParquetFile, view: str, at: str, asked: argparse.Namespace, out: Out) -> int:
    """Print what the view of that name says of the node at an address. Returns the exit status."""
    from pqexplore.insight import places
    from pqexplore.insight.view import view as answer_of

    node = places.resolve(file, at)
    print_answer(file, answer_of(file, view, node.address), node.address, view, asked, out)
    return DONE


def print_answer(
    file: ParquetFile,
    answer: Answer,
    address: str,
    view: str,
    asked: argparse.Namespace,
    out: Out,
    value: str | None = None,
    entries: Answer | None = None,
) -> None:
    """Print an answer about the node at `address`.

    `view` says what it is, `value` is the JSON of a value there, `entries` a second answer with the levels there.
    """
    from pqexplore.insight import document, report

    given: dict[str, object] = {"address": address}
    if value is not None:
        given["value"] = value
    if entries is not None:
        given["entries"] = document.answer_document(entries)
    _print(file.name, answer, given, asked, out, f"{address or 'the file'}, {view}", value)
    if entries is not None and not asked.json:
        out.say()
        out.lines(report.answer_report(entries, out.room))


def _print(
    name: str,
    answer: Answer,
    given: Mapping[str, object],
    asked: argparse.Namespace,
    out: Out,
    about: str = "",
    value: str | None = None,
) -> None:
    """Print an answer about what has a name; `given` is what else its document has."""
    from pqexplore.insight import document, report
    from pqexplore.insight.json_values import plain

    out.kept.append(answer)
    if asked.json:
        out.document("answer", {"name": plain(name), **given, "answer": document.answer_document(answer)})
        return
    out.say(f"{name}: {about}" if about else name)
    if value is not None:
        out.say(f"  {value}")
    out.lines(report.answer_report(answer, out.room))
