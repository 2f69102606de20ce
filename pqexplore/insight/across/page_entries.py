"""The entries of data pages: the levels of each, what they say, and its value."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses import page as page_lens
from pqexplore.insight.row_values import python_values
from pqexplore.insight.wording import plural

LISTED = 100_000
"""Entries in a table."""

ENTRIES = (
    Column("entry", "entry", "number", "its number in the page"),
    Column("row", "row", "number", "in the page"),
    Column("repetition", "rep", "number", "repetition level"),
    Column("definition", "def", "number", "definition level"),
    Column("means", "means", meaning="what the definition level says of an entry without a value"),
    Column("index", "value", "number", "the number of its value in the page"),
    Column("logical", "is", meaning="the value in the column's logical type"),
    Column("physical", "stored as", "code"),
)

COLUMNS = (*PLACE, Column("page", "page", "number", "its number in the column chunk"), *ENTRIES)


def over(scope: Scope, most: int = LISTED) -> Answer:
    """A row for each entry of the data pages, at most `most`."""
    total = 0
    table = Table(COLUMNS, "Entries")
    unread: list[str] = []
    for group, leaf, chunk in scope.chunks():
        try:
            if isinstance(chunk, ParquetError):
                raise chunk
            for page in chunk.pages:
                if not page.is_data:
                    continue
                total += page.num_values
                stop = min(page.num_values, most - len(table.rows))
                if stop > 0:
                    before = group, ".".join(leaf.path), page.index
                    add_entries(table, before, page, 0, stop)
        except LimitExceededError:
            if not scope.file.budget.exhausted:
                raise
            break
        except ParquetError as error:
            unread.append(f"{address_of(group, leaf)}: {error.message}")
    made = Table(COLUMNS, table.caption, total=total)
    made.rows, made.addresses, made.spans = table.rows, table.addresses, table.spans
    said = f"{plural(total, 'entry', 'entries')} in the data pages of {scope.named}."
    if unread:
        said += f" {plural(len(unread), 'column chunk')} cannot be read, the first is {unread[0]}."
    return Answer(said, table=made)


def add_entries(table: Table, before: tuple[Any, ...], page: Page, first: int, stop: int) -> None:
    """Add the entries `[first, stop)` of a page, each after the cells `before`."""
    found = page_lens.levels_of(page, first, stop)
    of_value = found.value.tolist()
    present = [index for index in of_value if index >= 0]
    low, high = (present[0], present[-1] + 1) if present else (0, 0)
    logical = python_values(page.values_part(low, high))
    physical = python_values(page.physical_part(low, high))
    definitions = name_levels(page.chunk.leaf)[0]
    for at, index in enumerate(of_value):
        level = int(found.definition[at])
        there = index >= 0
        own = f"values/{index}" if there else f"definition_levels/{first + at}"
        table.add(
            *before,
            first + at,
            int(found.row[at]),
            int(found.repetition[at]),
            level,
            None if there else definitions[level],
            index if there else None,
            logical[index - low] if there else None,
            physical[index - low] if there else None,
            address=f"{page.address}/{own}",
        )
