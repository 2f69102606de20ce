"""The totals of a table about many column chunks: what a reader would add up next, in all and for each column.

How a column of the table adds up is `Column.total`. The numbers are those of the table's rows, nothing else is read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pqexplore.engine.text import plural
from pqexplore.insight.answer import Column, Counts, Table
from pqexplore.insight.wording import name, percent

STRICT = ("sum", "most")
"""Ways to add up that are unknown if one value is."""

LARGEST = ("largest", "most")
"""Ways to add up that name the largest, too."""


@dataclasses.dataclass(frozen=True, slots=True)
class Totals:
    """`line` is a sentence, `values` has its numbers by name; `by_column` a row for each column, None if there is one."""

    line: str
    values: dict[str, Any]
    by_column: Table | None


def totals(table: Table, counted: str, fewest: int = 2, by: str = "By column") -> Totals | None:
    """The totals of a table whose rows are about a column each (`column`); None for fewer than `fewest` rows.

    `counted` is what a row is, such as "page"; `by` is the caption of the totals by column.
    """
    if len(table.rows) < fewest:
        return None
    added = [_Added(table, at) for at, column in enumerate(table.columns) if column.total]
    groups: dict[str, list[int]] = {}
    for at, path in enumerate(table.column("column")):
        groups.setdefault(path, []).append(at)
    every = range(len(table.rows))
    said = [text for one in added if (text := one.said(every, len(groups) == 1))]
    values = {key: value for one in added for key, value in one.values(every, len(groups) == 1).items()}
    many = plural(2, counted).removeprefix("2 ")
    return Totals(
        f"In all {plural(len(table.rows), counted)}{': ' if said else ''}{'; '.join(said)}.",
        {"count": len(table.rows)} | values,
        _by_column(table, groups, added, many, by) if 1 < len(groups) < len(table.rows) else None,
    )


def _by_column(table: Table, groups: dict[str, list[int]], added: Sequence[_Added], many: str, caption: str) -> Table:
    """A row for each column, those with the largest bytes first."""
    named = next(column for column in table.columns if column.name == "column")
    heads = [named, Column("count", many, "number")]
    made = Table([*heads, *(column for one in added for column in one.columns)], caption)
    by = next((one for one in added if one.column.total == "largest"), None)
    order = sorted(groups.items(), key=lambda item: -(by.sum(item[1]) or 0)) if by is not None else groups.items()
    for path, rows in order:
        cells = [value for one in added for value in one.values(rows, True).values()]
        largest = None if by is None else by.largest(rows)
        address = None if largest is None else table.addresses[largest]
        span = None if largest is None else table.spans[largest]
        made.add(path, len(rows), *cells, address=address, span=span)
    return made


class _Added:
    """A column of a table, added up."""

    def __init__(self, table: Table, at: int) -> None:
        self.table, self.column = table, table.columns[at]
        self.cells = [] if "/" in self.column.total else table.column(self.column.name)
        names = [column.name for column in table.columns]
        self.usable = table.column("trusted") if "trusted" in names else None
        if "/" in self.column.total:
            self.parts = [table.column(part) for part in self.column.total.split("/")]

    @property
    def columns(self) -> list[Column]:
        """The columns of the totals."""
        kind, column = self.column.total, self.column
        if kind in ("true", "there"):
            return [Column(column.name, column.title, "number", column.meaning)]
        made = [Column(column.name, column.title, column.kind, column.meaning)]
        if kind in LARGEST:
            made.append(Column(f"{column.name}_max", "largest", column.kind, f"of {column.title}"))
        return made

    def known(self, rows: Iterable[int]) -> list[Any]:
        """The values of some rows, without those that are not there."""
        return [value for value in map(self.cells.__getitem__, rows) if value is not None]

    def sum(self, rows: Sequence[int]) -> int | None:
        """The sum; None if nothing is known, and for `sum` if one is not known."""
        values = self.known(rows)
        if not values or (self.column.total in STRICT and len(values) < len(rows)):
            return None
        return int(sum(values))

    def largest(self, rows: Sequence[int]) -> int | None:
        """The row with the largest value, the first of several."""
        of = [row for row in rows if self.cells[row] is not None]
        return max(of, key=self.cells.__getitem__, default=None)

    def _bound(self, rows: Sequence[int], choose: Callable[[list[Any]], Any]) -> Any:
        """The smallest or the largest of the bounds that a query may use."""
        usable = self.usable
        values = self.known(rows if usable is None else [row for row in rows if usable[row] is not False])
        try:
            return choose(values) if values else None
        except TypeError:  # a value without a date has another type
            return None

    def values(self, rows: Sequence[int], of_one: bool) -> dict[str, Any]:
        """The totals by name; `of_one` says that all rows are about one column."""
        kind, key = self.column.total, self.column.name
        if kind in ("least", "greatest"):
            return {key: self._bound(rows, min if kind == "least" else max)} if of_one else {}
        if kind == "each":
            return {key: Counts.of(self.known(rows))}
        if kind == "true":
            return {key: sum(value is True for value in self.known(rows))}
        if kind == "there":
            return {key: len(self.known(rows))}
        if "/" in kind:
            return {key: self._share(rows)}
        if kind in LARGEST:
            at = self.largest(rows)
            return {key: self.sum(rows), f"{key}_max": None if at is None else self.cells[at]}
        return {key: self.sum(rows)}

    def _share(self, rows: Iterable[int]) -> float | None:
        pairs = [[part[row] for part in self.parts] for row in rows]
        part, whole = (sum(pair[i] for pair in pairs if None not in pair) for i in (0, 1))
        return part / whole if whole else None

    def said(self, rows: Sequence[int], of_one: bool) -> str:
        """The total in words; "" if there is nothing to say."""
        title, kind = self.column.title, self.column.total
        unit = " bytes" if self.column.kind == "bytes" else ""
        found = self.values(rows, of_one)
        if not found:
            return ""
        value = found[self.column.name]
        if kind in ("true", "there"):
            return f"{title} {value:,} of {len(rows):,}"
        if not value and value != 0:
            return f"{title} not known of all" if kind in STRICT and self.known(rows) else ""
        if "/" in kind:
            return f"{title} {percent(value)}"
        if kind in ("each", "least", "greatest"):
            return f"{title} {value}"
        text = f"{value:,}{unit}" if title == unit.strip() else f"{title} {value:,}{unit}"
        at = self.largest(rows) if kind in LARGEST and value else None
        return text if at is None else f"{text}, the largest {self.cells[at]:,} ({self._place(at)})"

    def _place(self, row: int) -> str:
        """Where a row is: its column, row group and page."""
        cells = dict(zip((column.name for column in self.table.columns), self.table.rows[row], strict=True))
        said = [name(cells["column"])]
        for key, word in (("row_group", "row group"), ("page", "page")):
            if cells.get(key) is not None:
                said.append(f"{word} {cells[key]:,}")
        return ", ".join(said)
