"""What a look at one place of a file says: the answer in a sentence, the table that shows it, what a picture needs.

An answer is the same wherever it is read: the explorer draws its picture, the command line prints its sentence and
its table, `Explorer.to_frame` gives the table as a DataFrame. So it holds Python values, not texts, and every row
says which node and which bytes it tells of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.tree import Span


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name in a DataFrame, its title, what kind of value it has, and what it means.

    `kind` is one of text, number (thousands are set apart), bytes (a size), share (of 1), flag (true, false or
    unknown), code (set in a fixed width).
    """

    name: str
    title: str
    kind: str = "text"
    meaning: str = ""


class Table:
    """Rows of values, each with the address of the node it tells of and its bytes, where it has them.

    A table may be longer than what it lists: `total` is how many rows there are in all.
    """

    def __init__(
        self, columns: Sequence[Column], caption: str = "", total: int | None = None
    ) -> None:
        self.columns = tuple(columns)
        self.caption = caption
        self.rows: list[tuple[Any, ...]] = []
        self.addresses: list[str | None] = []
        self.spans: list[Span | None] = []
        self._total = total

    @property
    def total(self) -> int:
        """Rows in all, listed or not."""
        return len(self.rows) if self._total is None else self._total

    def add(self, *values: Any, address: str | None = None, span: Span | None = None) -> None:
        """Append a row: one value for each column, None for what is absent."""
        if len(values) != len(self.columns):
            raise ValueError(f"{len(values)} values for {len(self.columns)} columns")
        self.rows.append(values)
        self.addresses.append(address)
        self.spans.append(span)

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        at = [column.name for column in self.columns].index(name)
        return [row[at] for row in self.rows]


@dataclasses.dataclass(slots=True)
class Answer:
    """What one look says.

    `sentence` answers the question that one has at this place. `picture` is what the picture needs, as JSON; None
    where there is nothing to draw, and then `empty` says why, and what a writer would have to do for it to be there.
    `code` is the Python that gives the same from an open file `f`.
    """

    sentence: str
    picture: dict[str, Any] | None = None
    table: Table | None = None
    empty: str = ""
    code: str = ""
