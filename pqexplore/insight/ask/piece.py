"""A part of a file that a query reads."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.span import Span


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """A part of the file that is read: `what` it is, its row group and leaf (None: the footer), its bytes.

    `rows` are the rows of a data page, None for other pieces. A whole chunk is one piece if pages are not chosen.
    """

    what: str
    row_group: int | None
    leaf: int | None
    span: Span
    address: str | None = None
    index: int | None = None
    rows: tuple[int, int] | None = None
