"""What the objects that a user holds have in common: the names that Tab lists, and a table in a notebook.

The engine makes no HTML. `pqexplore.insight.file_html` says how a notebook shows a handle; `pqexplore.open` imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import plural


class Handle:
    """Something of a file that a user holds. Its repr is one line, and printable."""

    __slots__ = ()

    INTERNAL: ClassVar[frozenset[str]] = frozenset()
    """Names that the other modules use, and Tab does not list."""

    def __dir__(self) -> Iterable[str]:
        hidden = {"INTERNAL", *self.INTERNAL}
        return [name for name in super().__dir__() if name not in hidden]

    def _cells(self) -> dict[str, str]:
        """What a notebook shows of it: names and texts; empty to show the repr."""
        return {}

    def _repr_html_(self) -> str | None:
        return None if _html is None else _html(self)


_html: Callable[[Handle], str | None] | None = None


def show_as(html: Callable[[Handle], str | None]) -> None:
    """Sets what a notebook shows of a handle; None shows the repr."""
    global _html
    _html = html


def listing(items: Sequence[object], noun: str) -> str:
    """The repr of a sequence: how many items it has, and the first two."""
    try:
        shown = [repr(one) for one in items[:2]]
    except ParquetError as error:
        shown = [str(error)]
    more = ", …" if len(items) > 2 else ""
    return f"<{plural(len(items), noun)}{': ' if shown else ''}{', '.join(shown)}{more}>"
