"""A table that makes its rows on access: a screen shows twenty of a hundred thousand pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pqexplore.engine.span import Span
from pqexplore.insight.answer import Column, Table


class LazyTable(Table):
    """A table that makes its rows on access."""

    def __init__(
        self,
        columns: Sequence[Column],
        caption: str,
        rows: Sequence[tuple[Any, ...]],
        addresses: Sequence[str | None],
        spans: Sequence[Span | None],
    ) -> None:
        super().__init__(columns, caption)
        self.rows: Any = rows
        self.addresses: Any = addresses
        self.spans: Any = spans
