"""A table of texts as HTML."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence

from pqexplore.engine.text import clip, markup


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """A Content-Security-Policy that allows these scripts and style sheets, and nothing else."""
    script = f"script-src {_hashes(scripts)}; " if scripts else ""
    return f"default-src 'none'; {script}style-src {_hashes(styles)}; base-uri 'none'; form-action 'none'"


def _hashes(texts: Sequence[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], limit: int) -> str:
    """The rows as a table element; each cell is escaped, and has at most `limit` characters."""
    titles = "".join(f"<th>{markup(clip(title, limit))}</th>" for title in head)
    body = "".join("<tr>" + "".join(f"<td>{markup(clip(cell, limit))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
