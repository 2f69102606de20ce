"""An answer as HTML and as Markdown, for a notebook: the sentence, the findings, the first rows of the table.

What comes from the file is only text in both: it makes no element, no link, no emphasis and no formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pqexplore.engine.text import clip, markup, plural, printable
from pqexplore.insight.answer import Answer
from pqexplore.insight.cells import cells
from pqexplore.insight.html_table import html_table

ROWS = 20
"""Rows of the table that are shown; the others are counted."""

FINDINGS = 10
"""Findings that are shown; the others are counted."""

CELL = 200
"""Max characters of a cell."""

_SIGNS = re.compile(r"[\\`*_\[\]|~$:@{}]|^[-+#=]|(?<=\d)[.)](?= )|(?<=www)\.", re.I)
"""What Markdown can read as more than text, besides the signs of HTML."""


def answer_html(answer: Answer) -> str:
    """An HTML fragment without attributes, scripts and styles."""
    parts = [f"<p>{markup(text)}</p>" for text in _before(answer)]
    parts += [f"<p><b>{kind}</b>: {markup(text)}</p>" for kind, text in _findings(answer)]
    if answer.table is not None and answer.table.rows:
        parts += [f"<p>{markup(text)}</p>" for text in [answer.table.caption] if text]
        parts.append(html_table(*cells(answer.table, ROWS), CELL))
    return "".join(parts + [f"<p>{text}</p>" for text in _more(answer)])


def answer_markdown(answer: Answer) -> str:
    """The same as paragraphs and a table of GitHub's Markdown."""
    parts = [escaped(text) for text in _before(answer)]
    parts += [f"**{kind}**: {escaped(text)}" for kind, text in _findings(answer)]
    if answer.table is not None and answer.table.rows:
        parts += [escaped(text) for text in [answer.table.caption] if text]
        head, rows = cells(answer.table, ROWS)
        lines = [[escaped(clip(printable(cell), CELL)) for cell in row] for row in (head, *rows)]
        lines.insert(1, ["---"] * len(head))
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join([*parts, *_more(answer)])


def escaped(text: str) -> str:
    """`text` as printable text in Markdown."""
    return _SIGNS.sub(r"\\\g<0>", markup(text))


def _before(answer: Answer) -> Iterator[str]:
    yield from filter(None, (answer.sentence, answer.empty, answer.totals.line if answer.totals is not None else ""))


def _findings(answer: Answer) -> Iterator[tuple[str, str]]:
    """Severity and sentence of the first findings."""
    for one in answer.findings[:FINDINGS]:
        yield one.severity.value, one.sentence


def _more(answer: Answer) -> Iterator[str]:
    """How many rows and findings are not shown."""
    rows = 0 if answer.table is None else answer.table.total - min(ROWS, len(answer.table.rows))
    for count, one in ((rows, "more row"), (len(answer.findings) - FINDINGS, "more finding")):
        if count > 0:
            yield f"and {plural(count, one)}"
