"""The explorer without a kernel: one HTML file.

The page is the same JavaScript as in the notebook over a snapshot of replies. Its Content-Security-Policy allows the
scripts and style sheets that are its own, by their hashes, and nothing else: no request, no frame, no form, no image,
no handler or style in an attribute. Text of the file reaches it as JSON only.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import itertools
import json
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.text import markup
from pqexplore.insight.lenses import LENSES
from pqexplore.insight.trouble import describe
from pqexplore.widget import hexview, identity, rpc, tree
from pqexplore.widget.operations import OPERATIONS

STATIC = pathlib.Path(__file__).parent / "static"

SCRIPTS = ("index.js", "standalone.js")
"""The explorer, and what starts it in a page without Jupyter: one module when joined in this order."""

STYLES = ("page.css", "index.css")
"""The style sheets of a page that holds nothing but the explorer."""

BUDGET = 24 << 20
"""Characters of a snapshot; what was on the screen comes first, the rest until it is full."""

NODES = 1_500
"""Nodes included because they lie above the pages."""

DECRYPTED = "This page holds values that were decrypted from an encrypted file. Whoever has the page needs no key."
"""The warning of a page that was asked to hold them."""

Request = tuple[str, dict[str, Any]]


def key(op: str, args: dict[str, Any]) -> str:
    """The name of a reply in a snapshot; js/src/host.ts makes the same."""
    return op + json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def to_html(
    file: ParquetFile, asked: Iterable[Request], state: dict[str, Any], *, warning: str = ""
) -> str:
    """One HTML file with the explorer and the replies to `asked`, and to what lies above the pages.

    A `warning` stands at its top.
    """
    with file.budget.asking("the saved page") as account:
        snapshot = json.dumps({"state": state, "replies": replies(file, asked, state)})
    notes = [warning, account.exhausted and f"Not everything was saved: {account.exhausted}."]
    banner = "".join(
        f'<p role="alert" class="pqx-warning">{markup(note)}</p>' for note in notes if note
    )
    script = _inert("".join((STATIC / name).read_text("utf-8") for name in SCRIPTS))
    style = "".join((STATIC / name).read_text("utf-8") for name in STYLES)
    title = markup(identity.identity(file)["name"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} – pqexplore</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([script], [style])}">'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{style}</style></head><body>{banner}"
        f'<main id="pqx-root"></main><script type="application/json" id="pqx-snapshot">{_inert(snapshot)}</script>'
        f'<script type="module">{script}</script></body></html>'
    )


def policy(scripts: list[str], styles: list[str]) -> str:
    """A Content-Security-Policy that allows these scripts and style sheets."""
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashes(texts: list[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def replies(file: ParquetFile, asked: Iterable[Request], state: dict[str, Any]) -> dict[str, Any]:
    """The replies of a snapshot by `key`, within the budget. A failed request has its error as reply.

    `state` are the traits of the explorer: what is selected, and what is asked.
    """
    kept: dict[str, Any] = {}
    selection = state["selection"]
    room = BUDGET
    first = list(asked)
    wanted = itertools.chain(
        questions(state), first, standard(file, selection), beside(file, first, selection)
    )
    for op, args in wanted:
        name = key(op, args)
        if name in kept:
            continue
        if file.budget.exhausted:
            break
        try:
            result, buffers = rpc.call(OPERATIONS, file, op, args)
            reply = {"ok": True, "result": result, "buffers": [_packed(b) for b in buffers]}
        except (ParquetError, ValueError, LookupError) as error:
            reply = {"ok": False, "error": describe(error)}
        room -= len(json.dumps(reply))
        if room < 0:
            break
        kept[name] = reply
    return kept


def questions(state: dict[str, Any]) -> Iterator[Request]:
    """The requests for the answer to the condition that is set: at the selection, and for the whole file."""
    where = state.get("where", "").strip()
    if not where:
        return
    asks = {"where": where, "engine": state["engine"]}
    yield "ask_skips", asks
    for address in dict.fromkeys([state["selection"], ""]):
        yield "lens", {"address": address, "lens": "query", **asks}


def beside(file: ParquetFile, asked: Iterable[Request], selection: str) -> Iterator[Request]:
    """The requests that lenses need in a saved page beside their pictures: at the selection, and at places that were open."""
    opened = [(args.get("address", ""), args.get("view")) for op, args in asked if op == "node"]
    for name, lens in LENSES.items():
        if lens.saved is None:
            continue
        for address in dict.fromkeys([selection, *(at for at, view in opened if view == name)]):
            try:
                reply, _ = rpc.call(OPERATIONS, file, "lens", {"address": address, "lens": name})
            except (ParquetError, ValueError, LookupError):
                continue
            yield from lens.saved(reply.get("picture") or {})


def standard(file: ParquetFile, selection: str) -> Iterator[Request]:
    """The requests of every snapshot: identity, layout, first rows, and the nodes above the pages, level by level."""
    yield "identity", {}
    yield "headline", {}
    yield "layout", {"level": "chunks"}
    for address in dict.fromkeys(["", selection]):
        for lens in LENSES:
            yield "lens", {"address": address, "lens": lens}
    yield "rows", {"start": 0, "column": 0}
    for address in dict.fromkeys(["", selection]):
        yield "node", {"address": address}
        yield "children", {"address": address, "start": 0}
    for start in dict.fromkeys([0, (file.size - 1) // hexview.CHUNK * hexview.CHUNK]):
        yield "bytes", {"start": start, "space": "file"}
    queue, seen = [""], 0
    while queue and seen < NODES:
        below = []
        for address in queue:
            try:
                found = tree.children(file, address).items
            except (ParquetError, LookupError):
                continue
            for child in found:
                seen += 1
                if file.budget.exhausted:
                    return
                yield "node", {"address": child.address}
                if child.kind in ("row_group", "group", "column_chunk"):
                    yield "children", {"address": child.address, "start": 0}
                if child.kind in ("row_group", "group"):
                    below.append(child.address)
                if seen >= NODES:
                    return
        queue = below


def _packed(data: bytes | memoryview) -> str:
    return base64.b64encode(gzip.compress(bytes(data), 6, mtime=0)).decode()


def _inert(code: str) -> str:
    """JavaScript or JSON that cannot end its script element or begin a comment in it."""
    return (
        code.replace("<!--", "\\u003c!--").replace("</", "<\\/").replace("<script", "\\u003cscript")
    )
