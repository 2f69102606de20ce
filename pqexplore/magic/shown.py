"""How a shell displays the objects that lines return: as the terminal prints them, in a notebook as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.text import markup

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

ROWS_SHOWN = 100
"""Rows of an Arrow table that HTML shows; all are in the table."""

CELL = 200
"""Max characters of a value in HTML."""

REMEMBERED = 100
"""Results whose display is known; an older one is displayed by its repr."""


class Results(list[object]):
    """What a line returns of several files, and the findings of `check`."""


class Shown:
    """The displays of results in one shell.

    Formatters are registered by type, but only for the objects that a line returned: another object of such a type is
    displayed as before.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._formatters = shell.display_formatter.formatters
        self._texts: dict[int, tuple[object, str]] = {}
        self._before: dict[tuple[str, type], Any] = {}

    def remember(self, result: object, text: str) -> None:
        """Display `result` as `text`, which is printable. An object with HTML of its own keeps that."""
        self._texts.pop(id(result), None)
        self._texts[id(result)] = result, text
        if len(self._texts) > REMEMBERED:
            del self._texts[next(iter(self._texts))]
        kind = type(result)
        self._register("text/plain", kind, self._print)
        self._register("text/html", kind, self._html)

    def forget(self) -> None:
        """Display everything as before the magic was loaded."""
        for (mime, kind), before in self._before.items():
            self._formatters[mime].pop(kind, None)
            if before is not None:
                self._formatters[mime].for_type(kind, before)
        self._before.clear()
        self._texts.clear()

    def _register(self, mime: str, kind: type, show: Any) -> None:
        if (mime, kind) not in self._before:
            self._before[mime, kind] = self._formatters[mime].for_type(kind, show)

    def _print(self, result: object, printer: Any, cycle: bool) -> None:
        """Called by IPython's printer of texts."""
        _, text = self._texts.get(id(result), (None, None))
        before = self._before.get(("text/plain", type(result)))
        if text is not None:
            printer.text(text)
        elif before is not None:
            before(result, printer, cycle)
        else:
            printer.text(repr(result))

    def _html(self, result: object) -> str | None:
        """Called by IPython's formatter of HTML; None for no HTML."""
        own: str | None = result._repr_html_() if hasattr(result, "_repr_html_") else None
        _, text = self._texts.get(id(result), (None, None))
        if own is not None or text is None:
            return own
        if isinstance(result, pa.Table):
            return _table(result)
        lines = "\n".join(map(markup, text.split("\n")))
        return f"<pre><code>{lines}</code></pre>"


def _table(table: pa.Table) -> str:
    from pqexplore.cli.tables import arrow_columns, cells
    from pqexplore.insight.html_table import html_table

    columns = arrow_columns(table.slice(0, ROWS_SHOWN))
    rows = (cells(row, "null") for row in zip(*columns, strict=True))
    more = table.num_rows - ROWS_SHOWN
    after = f"<p>and {more:,} more rows</p>" if more > 0 else ""
    return html_table(table.column_names, rows, CELL) + after
