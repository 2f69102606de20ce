"""Writes docs/views.md: the views of a lake, from pqexplore/lake/views.

`tools/views_page.py --check` only compares; a test runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pqexplore.lake.views import VIEWS, View

PAGE = Path(__file__).resolve().parents[1] / "docs" / "views.md"

HEAD = """\
# Stored questions about a lake

A lake is what `pqexplore.lake.scan` made of many files. `lake.views[NAME]` answers one of these questions by the tables of
the scan; no data file is opened. `lake.views.ask(NAME, PARAMETER=…)` changes a number in it, and
`pqexplore lake DIR --view NAME` prints the answer. In `lake.sql` every view is a name like a table's.

The answer is a `pyarrow.Table`, or with a Spark session a DataFrame. DuckDB answers where it is installed and this machine
sees the store, because a view is small; else Spark does (`lake.views.engine` says which). `lake.sql` uses Spark whenever
there is a session, so `lake.sql("SELECT * FROM small_files")` has Spark answer a view.

This page is written by `tools/views_page.py`.

| view | question | parameters |
|---|---|---|
"""

COLUMNS = """\

## Columns
"""


def page() -> str:
    """The text of docs/views.md."""
    rows = "".join(f"| {_link(one)} | {one.question} | {_parameters(one)} |\n" for one in VIEWS.values())
    return HEAD + rows + COLUMNS + "".join(map(_columns, VIEWS.values()))


def _link(view: View) -> str:
    return f"[`{view.name}`](#{view.name})"


def _parameters(view: View) -> str:
    return ", ".join(f"`{name}` = {value:,}" for name, value in view.parameters)


def _columns(view: View) -> str:
    lines = "".join(f"- `{name}`: {meaning}\n" for name, meaning in view.meanings.items())
    return f"\n### {view.name}\n\n{lines}"


def main() -> int:
    """Write the page, or compare it."""
    if "--check" in sys.argv:
        return int(PAGE.read_text("utf-8") != page())
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
