"""`pqexplore cat FILE` and `head FILE`: rows, as JSON Lines, CSV or a table; only the pages with them are read."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pqexplore.cli import files, tables
from pqexplore.cli.out import DONE, Out, of_verb
from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.json_values import Json

Batch: TypeAlias = "tuple[list[str], list[list[Json]], int]"
"""Names of columns, the values of each, and the number of rows."""

DESCRIPTION = """\
Print rows as JSON Lines (a JSON object for each row), CSV, or a table. Nested values are JSON, bytes {"hex": …}. Only the
pages with these rows are read."""


def parser() -> argparse.ArgumentParser:
    """The arguments of the verb."""
    made = of_verb("cat", DESCRIPTION)
    files.add_options(made)
    made.add_argument(
        "--rows",
        type=_rows,
        default=slice(None),
        metavar="A:B",
        help="rows A to B, without B, counted from 0; --rows=-10: prints the last ten",
    )
    add_choices(made)
    return made


def add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options that `head` has, too."""
    parser.add_argument("--columns", metavar="A,B", help="these columns or groups, by dotted path; without, all")
    parser.add_argument("--where", default="", metavar="SQL", help="only rows that meet a condition, as in Spark's SQL")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--jsonl",
        dest="form",
        action="store_const",
        const="jsonl",
        help="a JSON object for each row; --json is one document for each FILE",
    )
    form.add_argument("--csv", dest="form", action="store_const", const="csv", help="CSV with a head")
    parser.add_argument(
        "--csv-safe",
        action="store_true",
        help="CSV for a spreadsheet: it takes no text for a formula. A cell of text, or a column's name, gets an ' before "
        "it if its first character after spaces is one of = + - @, or if it begins with a tab or carriage return; in all "
        "of them control and other invisible characters become escapes such as \\x1b. Numbers, dates and times stay",
    )
    form.add_argument("--table", dest="form", action="store_const", const="table", help="a table")


def run(words: list[str], out: Out) -> int:
    """Run the verb. Returns the exit status."""
    asked = parser().parse_args(words)
    return Printing(asked, asked.form or "jsonl", out).run(asked.rows)


def _rows(text: str) -> slice:
    """`A:B`, `A:`, `:B` or `:` as a slice."""
    first, colon, last = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is not A:B")
    return slice(int(first) if first else None, int(last) if last else None)


def _joined(parts: Sequence[pa.Table]) -> pa.Table:
    """The batches as one table. Timestamps of INT96, whose type depends on the values of a batch, become text if need be."""
    import pyarrow as pa

    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        names = [name for name in parts[0].column_names if any(pa.types.is_string(part[name].type) for part in parts)]
        return pa.concat_tables([_as_text(part, names) for part in parts])


def _as_text(part: pa.Table, names: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    for name in names:
        at = part.column_names.index(name)
        part = part.set_column(at, name, part[name].cast(pa.string()))
    return part


class Printing:
    """Prints rows of files in a form: json, jsonl, csv or table."""

    def __init__(self, asked: argparse.Namespace, form: str, out: Out) -> None:
        self.asked, self.out = asked, out
        if asked.csv_safe:
            if asked.json or asked.form not in (None, "csv"):
                raise UsageError("--csv-safe is CSV: it goes with no other form")
            form = "csv"
        self.form = "json" if asked.json else form
        self.text: list[bool] = []  # of the columns: whether their cells are text
        self.head: list[str] = []  # of the CSV so far
        self.parts: list[pa.Table] = []  # of the rows of a file, if they are kept

    def run(self, rows: slice, most: int | None = None) -> int:
        """Print these rows of each file, at most `most` of those that meet the condition. Returns the exit status."""
        prints = {"json": self._document, "jsonl": self._lines, "csv": self._csv, "table": self._table}[self.form]

        def one(file: ParquetFile) -> int:
            prints(file, self._found(file, rows, most))
            if self.parts:
                self.out.kept.append(_joined(self.parts))
                self.parts.clear()
            return DONE

        return files.each(self.asked, self.out, one, apart=self.form == "table")

    def _found(self, file: ParquetFile, rows: slice, most: int | None) -> Iterator[Batch]:
        """Names and values, as JSON values by column, of the rows."""
        from pqexplore.insight.row_pages import row_starts
        from pqexplore.insight.some_rows import batches

        columns = None if self.asked.columns is None else self.asked.columns.split(",")
        start, stop, _ = rows.indices(row_starts(file)[-1])
        if most is not None and not self.asked.where:
            stop = min(stop, start + most)
        left = most
        for table in batches(file, start, stop, columns, self.asked.where):
            part = table if left is None else table.slice(0, left)
            if self.out.stays:
                self.parts.append(part)
            self.text = [not tables.is_plain(one.type) for one in part.schema]
            yield part.column_names, tables.arrow_columns(part), part.num_rows
            if left is not None:
                left -= part.num_rows
                if left <= 0:
                    return

    def _document(self, file: ParquetFile, found: Iterator[Batch]) -> None:
        from pqexplore.insight.document import plain

        rows = [row for batch in found for row in _objects(*batch)]
        self.out.document("rows", {"name": plain(file.name), "rows": rows})

    def _lines(self, file: ParquetFile, found: Iterator[Batch]) -> None:
        for batch in found:
            for row in _objects(*batch):
                self.out.record(row)

    def _csv(self, file: ParquetFile, found: Iterator[Batch]) -> None:
        """A file with the same columns as the one before has no head."""
        for names, columns, _ in found:
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            safe = self.asked.csv_safe
            if names != self.head:
                writer.writerow(map(tables.no_formula, names) if safe else names)
                self.head = names
            for row in map(tables.cells, zip(*columns, strict=True)):
                cells = zip(row, self.text, strict=True)
                writer.writerow([tables.no_formula(one) if text else one for one, text in cells] if safe else row)
            self.out.data(text.getvalue())

    def _table(self, file: ParquetFile, found: Iterator[Batch]) -> None:
        """All rows in one table, so that its columns line up."""
        head: list[str] = []
        whole: list[list[Json]] = []
        count = 0
        for names, columns, rows_of_it in found:
            count += rows_of_it
            head, whole = names, whole or [[] for _ in names]
            for all_rows, rows in zip(whole, columns, strict=True):
                all_rows += rows
        nothing = f"{plural(count, 'row')} without columns" if count else "no rows"
        self.out.say(file.name)
        self.out.lines(tables.lines(head, whole, self.out.room) if whole else [f"  {nothing}"])


def _objects(names: Sequence[str], columns: Sequence[list[Json]], count: int) -> Iterator[dict[str, Json]]:
    """The rows as objects; empty ones of a file without columns."""
    if not columns:
        return ({} for _ in range(count))
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
