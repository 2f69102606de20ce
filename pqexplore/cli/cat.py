"""`pqexplore cat FILE` and `head FILE`: rows of files and tables, as JSON Lines, CSV or a table.

Only the pages with them are read.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pqexplore.cli import files, text_tables
from pqexplore.cli.out import DONE, UNREADABLE, Out, Refused
from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.json_values import Json
    from pqexplore.lake.rows.lake_table import LakeTable
    from pqexplore.lake.rows.reading import Reading

Batch: TypeAlias = "tuple[list[str], list[list[Json]], int]"
"""Names of columns, the values of each, and the number of rows."""

DESCRIPTION = """\
Print rows as JSON Lines (a JSON object for each row), CSV, or a table. Nested values are JSON, bytes {"hex": …}. Only the
pages with these rows are read. Conditions and expressions that compute, or compare columns with each other, are evaluated by
DuckDB if it is installed, else by pyarrow as far as it can, on the values that are decoded here.

Of a Delta or Iceberg table these are its rows: those of the live files, without deleted ones, under the present names of
the columns, with the values of partitions. Another folder, or a pattern, is one table of all its Parquet files: columns by
name, null where a file has none, and the values of key=value folders."""


NO_NUMBER = "-n is a number of rows, 0 or more"


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument(
        "--rows",
        type=_rows,
        default=slice(None),
        metavar="A:B",
        help="rows A to B, without B, counted from 0, or the row A alone; --rows=-10: prints the last ten",
    )
    made.add_argument("-n", type=int, metavar="N", help="at most N rows")
    made.add_argument(
        "--select",
        metavar="EXPRESSIONS",
        help='expressions in Spark\'s SQL in place of the columns, such as "count(*), sum(amount)", "min(row)", '
        '"id, round(price)"; the row, row_group and page of a file are columns, too, as are file and row of a folder or table',
    )
    made.add_argument(
        "--by",
        metavar="A,B",
        help="one row for each value of these columns, the most frequent first; without --select, their count",
    )
    made.add_argument(
        "--out-of-order",
        metavar="COLUMN",
        help="only rows whose value is smaller than the one before it, with their numbers",
    )
    add_choices(made)


def add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options that `head` has, too."""
    parser.add_argument(
        "--columns", "--column", metavar="A,B", help="these columns or groups, by dotted path; without, all"
    )
    parser.add_argument("--where", default="", metavar="SQL", help="only rows that meet a condition, as in Spark's SQL")
    parser.add_argument(
        "--row-numbers",
        action="store_true",
        help="before each row of a file its number in the file, its row group, and its data page: of the condition's "
        "columns, else of those that are printed; a number for each if their pages begin at different rows. Of a folder or "
        "table: the file of each row, and its number in it",
    )
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


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    selects = asked.select is not None or asked.by is not None
    if asked.out_of_order is not None and (asked.where or asked.columns):
        raise Refused("--out-of-order goes with --rows, --select and --by, not with --where and --columns")
    if selects and (asked.columns or asked.row_numbers):
        raise Refused("--select and --by go without --columns and --row-numbers: row numbers are columns there")
    if asked.n is not None and asked.n < 0:
        raise Refused(NO_NUMBER)
    return Printing(asked, asked.form or "jsonl", out).run(asked.rows, asked.n)


def _rows(text: str) -> slice:
    """`A:B`, `A:`, `:B`, `:`, or a single row, as a slice."""
    first, colon, last = text.partition(":")
    try:
        if colon:
            return slice(int(first) if first else None, int(last) if last else None)
        return slice(int(first), int(first) + 1 or None)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither A:B nor a row") from None


def _beyond(rows: slice, total: int) -> str:
    """Why a range has no rows, or fewer than it names; "" if it has all of them."""
    start, stop = (None if one is None else one + total if one < 0 else one for one in (rows.start, rows.stop))
    low, high = 0 if start is None else start, total if stop is None else stop
    has = f"the file has {plural(total, 'row')}" + (f", 0 to {total - 1:,}" if total else "")
    if rows.start is not None and rows.stop is not None and high <= low:
        return f"{rows.start}:{rows.stop} names no row: A:B begins with row A and ends before row B"
    if low >= total and rows != slice(None):
        return f"there is no row {low:,}: {has}"
    if high > total:
        return f"rows {low:,} to {high - 1:,} are asked for: {has}"
    if low < 0:
        return f"{plural(total - low, 'row from the end is', 'rows from the end are')} asked for: {has}"
    return ""


class Printing:
    """Prints rows of files and tables in a form: json, jsonl, csv or table."""

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
        self.printed = 0  # rows of a file so far
        self.remarks: list[str] = []  # about them
        self.document: dict[str, object] = {}  # of a file or table

    def run(self, rows: slice, most: int | None = None) -> int:
        """Print these rows of each file or table, at most `most` of those that meet the condition. Returns the exit status."""
        prints = {"json": self._document, "jsonl": self._lines, "csv": self._csv, "table": self._table}[self.form]

        def one(file: ParquetFile) -> int:
            from pqexplore.engine.file.row_group import row_starts

            prints(file.name, self._batches(self._of_file(file, rows, most), most))
            self._remark(_beyond(rows, row_starts(file)[-1]))
            return self._keep()

        def table(found: LakeTable) -> int:
            if getattr(self.asked, "out_of_order", None):
                raise UsageError("--out-of-order is about one file; name the file")
            failed: list[str] = []

            def fail(path: str, error: Exception) -> None:
                failed.append(path)
                self.out.fail(path, error, self.asked.json)

            last = None if most is None or self._chooses() else (rows.start or 0) + most
            wanted = last if rows.stop is None else rows.stop
            if (rows.start or 0) < 0 or (wanted or 0) < 0:
                wanted = None
            reading = found.reading(self._wanted(found), self.asked.where, texts=True, most=wanted, on_error=fail)
            said = f"{found.path}: {found.sentence}"
            if self.form != "table" and reading.remarks:
                self.out.remark(f"{said}; {'; '.join(reading.remarks)}")
            prints(
                "\n  ".join([said, *reading.remarks]),
                self._batches(self._of_table(reading, rows, most), most),
                found.path,
            )
            self._remark("")
            self._keep()
            return UNREADABLE if failed else DONE

        return files.each(self.asked, self.out, one, tables=table, apart=self.form == "table")

    def _remark(self, beyond: str) -> None:
        """Say why there are no rows, or fewer than those asked for; a document has it as `remark`."""
        said = "; ".join(filter(None, (beyond or self._nothing(), *self.remarks)))
        self.remarks.clear()
        if self.form == "json":
            self.document |= {"remark": said} if said else {}
            self.out.document("rows", self.document)
        elif said and self.form == "table":
            self.out.say(f"  {said}")
        elif said:
            self.out.remark(said)

    def _nothing(self) -> str:
        """What it means that there are no rows; "" if there are, or if nothing was asked of them."""
        if self.printed:
            return ""
        if getattr(self.asked, "out_of_order", None):
            return f"no value of {self.asked.out_of_order} is smaller than the one before it"
        return f"no row meets the condition {self.asked.where}" if self.asked.where else ""

    def _keep(self) -> int:
        if self.parts:
            from pqexplore.insight.some_rows import joined

            self.out.kept.append(joined(self.parts))
            self.parts.clear()
        return DONE

    def _columns(self) -> list[str] | None:
        return None if self.asked.columns is None else self.asked.columns.split(",")

    def _chooses(self) -> bool:
        """Whether what is printed is not simply the first rows of the range: all of it may have to be read."""
        names = ("where", "select", "by", "out_of_order")
        return any(getattr(self.asked, name, None) not in (None, "") for name in names)

    def _selects(self) -> tuple[str | None, list[str]]:
        """The expressions of --select and the columns of --by; None without either."""
        select, by = (getattr(self.asked, name, None) for name in ("select", "by"))
        return (
            "count(*) AS count" if select is None and by is not None else select,
            [] if by is None else by.split(","),
        )

    def _wanted(self, found: LakeTable) -> list[str] | None:
        """The columns of a table that are read; None for all."""
        shown, keys = self._selects()
        return self._columns() if shown is None else found.named(shown, keys)

    def _of_file(self, file: ParquetFile, rows: slice, most: int | None) -> Iterator[pa.Table]:
        """The rows of a file that are asked for; no more than `most` if all of them are printed."""
        from pqexplore.engine.file.row_group import row_starts
        from pqexplore.insight import some_rows

        start, stop, _ = rows.indices(row_starts(file)[-1])
        if most is not None and not self._chooses():
            stop = min(stop, start + most)
        shown, keys = self._selects()
        broken = getattr(self.asked, "out_of_order", None)
        if shown is not None:
            return iter(
                [some_rows.selected_rows(file, start, stop, shown, keys, self.asked.where, self.remarks, broken)]
            )
        if broken is not None:
            return some_rows.out_of_order(file, start, stop, broken)
        read = some_rows.numbered_batches if self.asked.row_numbers else some_rows.batches
        return read(file, start, stop, self._columns(), self.asked.where, self.remarks)

    def _of_table(self, reading: Reading, rows: slice, most: int | None) -> Iterator[pa.Table]:
        """The same of a table, whose rows are counted only if they are asked for from the end."""
        start, stop = rows.start or 0, rows.stop
        if start < 0 or (stop or 0) < 0:
            start, stop, _ = rows.indices(reading.count())
        if most is not None and not self._chooses():
            stop = start + most if stop is None else min(stop, start + most)
        shown, keys = self._selects()
        if shown is not None:
            return iter([reading.selected(start, stop, shown, keys, self.remarks)])
        return (reading.numbered if self.asked.row_numbers else reading.rows)(start, stop)

    def _batches(self, tables_of_rows: Iterator[pa.Table], most: int | None) -> Iterator[Batch]:
        """Names and values, as JSON values by column, of at most `most` rows."""
        left = most
        self.printed = 0
        for table in tables_of_rows:
            part = table if left is None else table.slice(0, left)
            if self.out.stays:
                self.parts.append(part)
            self.printed += part.num_rows
            self.text = [not text_tables.is_plain(one.type) for one in part.schema]
            yield part.column_names, text_tables.arrow_columns(part), part.num_rows
            if left is not None:
                left -= part.num_rows
                if left <= 0:
                    return

    def _document(self, said: str, found: Iterator[Batch], name: str | None = None) -> None:
        from pqexplore.insight.json_values import plain

        rows = [row for batch in found for row in _objects(*batch)]
        self.document = {"name": plain(name or said), "rows": rows}

    def _lines(self, said: str, found: Iterator[Batch], name: str | None = None) -> None:
        for batch in found:
            for row in _objects(*batch):
                self.out.record(row)

    def _csv(self, said: str, found: Iterator[Batch], name: str | None = None) -> None:
        """A file with the same columns as the one before has no head."""
        for names, columns, _ in found:
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            safe = self.asked.csv_safe
            if names != self.head:
                writer.writerow(map(text_tables.no_formula, names) if safe else names)
                self.head = names
            for row in map(text_tables.cells, zip(*columns, strict=True)):
                cells = zip(row, self.text, strict=True)
                writer.writerow([text_tables.no_formula(one) if text else one for one, text in cells] if safe else row)
            self.out.data(text.getvalue())

    def _table(self, said: str, found: Iterator[Batch], name: str | None = None) -> None:
        """All rows in one table, so that its columns line up; `said` is above it."""
        head: list[str] = []
        whole: list[list[Json]] = []
        count = 0
        for names, columns, rows_of_it in found:
            count += rows_of_it
            head, whole = names, whole or [[] for _ in names]
            for all_rows, rows in zip(whole, columns, strict=True):
                all_rows += rows
        nothing = f"{plural(count, 'row')} without columns" if count else "no rows"
        for line in said.split("\n"):
            self.out.say(line)
        self.out.lines(text_tables.lines(head, whole, self.out.room) if whole else [f"  {nothing}"])


def _objects(names: Sequence[str], columns: Sequence[list[Json]], count: int) -> Iterator[dict[str, Json]]:
    """The rows as objects; empty ones of a file without columns."""
    if not columns:
        return ({} for _ in range(count))
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
