"""A table of texts as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pqexplore.engine.text import clip, markup


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], limit: int) -> str:
    """The rows as a table element; each cell is escaped, and has at most `limit` characters."""
    titles = "".join(f"<th>{markup(clip(title, limit))}</th>" for title in head)
    body = "".join("<tr>" + "".join(f"<td>{markup(clip(cell, limit))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
