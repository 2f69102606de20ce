"""The explorer without a kernel: one HTML file, and the summary that a saved notebook keeps.

The page is the same JavaScript as in the notebook over a snapshot of replies. Its Content-Security-Policy allows
nothing from outside, and text of the file reaches it as JSON only.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.footer import ENCRYPTED_MAGIC
from pqexplore.widget import hexview, identity, rpc, tree
from pqexplore.widget.lenses import LENSES
from pqexplore.widget.operations import OPERATIONS

STATIC = pathlib.Path(__file__).parent / "static"

BUDGET = 24 << 20
"""Characters of a snapshot; what was on the screen comes first, the rest until it is full."""

NODES = 1_500
"""Nodes included because they lie above the pages."""

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

DECRYPTED = "This page holds values that were decrypted from an encrypted file. Whoever has the page needs no key."
"""The warning of a page that was asked to hold them."""

Request = tuple[str, dict[str, Any]]


def key(op: str, args: dict[str, Any]) -> str:
    """The name of a reply in a snapshot; js/src/host.ts makes the same."""
    return op + json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def to_html(
    file: Any, asked: Iterable[Request], state: dict[str, Any], *, warning: str = ""
) -> str:
    """One HTML file with the explorer and the replies to `asked`, and to what lies above the pages.

    A `warning` stands at its top.
    """
    banner = f'<p role="alert" class="pqx-warning">{html.escape(warning)}</p>' if warning else ""
    snapshot = json.dumps({"state": state, "replies": replies(file, asked, state["selection"])})
    script = (STATIC / "standalone.js").read_text("utf-8")
    style = (STATIC / "index.css").read_text("utf-8")
    title = html.escape(identity.identity(file)["name"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} – pqexplore</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{style}</style></head><body>{banner}"
        f'<main id="pqx-root"></main><script type="application/json" id="pqx-snapshot">{_inert(snapshot)}</script>'
        f'<script type="module">{_inert(script)}</script></body></html>'
    )


def replies(file: Any, asked: Iterable[Request], selection: str) -> dict[str, Any]:
    """The replies of a snapshot by `key`, within the budget; a request that fails is left out, its place says so."""
    kept: dict[str, Any] = {}
    room = BUDGET
    first = list(asked)
    for op, args in [*first, *standard(file, selection), *beside(file, first, selection)]:
        name = key(op, args)
        if name in kept:
            continue
        try:
            result, buffers = rpc.call(OPERATIONS, file, op, args)
            reply = {"ok": True, "result": result, "buffers": [_packed(b) for b in buffers]}
        except (ParquetError, ValueError, LookupError) as error:
            reply = {"ok": False, "error": rpc.describe(error)}
        room -= len(json.dumps(reply))
        if room < 0:
            break
        kept[name] = reply
    return kept


def beside(file: Any, asked: Iterable[Request], selection: str) -> Iterator[Request]:
    """What lenses want to have in a saved page beside their pictures: at the selection, and where they were open."""
    opened = [(args.get("address", ""), args.get("view")) for op, args in asked if op == "node"]
    for name, lens in LENSES.items():
        wanted = getattr(lens, "saved", None)
        if wanted is None:
            continue
        for address in dict.fromkeys([selection, *(at for at, view in opened if view == name)]):
            try:
                reply, _ = rpc.call(OPERATIONS, file, "lens", {"address": address, "lens": name})
            except (ParquetError, ValueError, LookupError):
                continue
            yield from wanted(reply.get("picture") or {})


def standard(file: Any, selection: str) -> Iterator[Request]:
    """What every snapshot has: identity, layout, the first rows, and the nodes above the pages, level by level."""
    yield "identity", {}
    yield "layout", {"level": "chunks"}
    yield "plotly", {}
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
                found = tree.children(file, address)["items"]
            except (ParquetError, LookupError):
                continue
            for child in found:
                seen += 1
                yield "node", {"address": child["address"]}
                if child["kind"] in ("row_group", "group", "column_chunk"):
                    yield "children", {"address": child["address"], "start": 0}
                if child["kind"] in ("row_group", "group"):
                    below.append(child["address"])
                if seen >= NODES:
                    return
        queue = below


def summary(file: Any) -> str:
    """HTML without scripts for where no widget can run: what the file is, and where its bytes are. No values.

    A notebook keeps it. So of a file whose footer is encrypted it tells nothing that took a key to read.
    """
    if file.footer.magic == ENCRYPTED_MAGIC:
        about = f"<p><b>{html.escape(file.name)}</b>: {file.size:,} bytes, encrypted footer</p>"
    else:
        about = file._repr_html_()
    shares = f"<table><tr><th>bytes of</th><th>size</th><th>share</th></tr>{_shares(file)}</table>"
    return f"{about}{shares}<p>Run the cell to explore the file.</p>"


def _shares(file: Any) -> str:
    try:
        table = file.layout("chunks")
    except ParquetError:
        return ""
    sizes: dict[str, int] = {}
    for kind, start, end in zip(
        table["kind"].to_pylist(), table["start"].to_pylist(), table["end"].to_pylist(), strict=True
    ):
        sizes[kind] = sizes.get(kind, 0) + end - start
    ordered = sorted(sizes.items(), key=lambda item: -item[1])
    return "".join(
        f"<tr><td>{html.escape(kind.replace('_', ' '))}</td><td>{size:,}</td>"
        f"<td>{size / max(1, file.size):.1%}</td></tr>"
        for kind, size in ordered
    )


def _packed(data: Any) -> str:
    return base64.b64encode(gzip.compress(bytes(data), 6, mtime=0)).decode()


def _inert(code: str) -> str:
    """JavaScript or JSON that cannot end its script element or begin a comment in it."""
    return (
        code.replace("<!--", "\\u003c!--").replace("</", "<\\/").replace("<script", "\\u003cscript")
    )
