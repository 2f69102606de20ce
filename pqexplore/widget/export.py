"""The explorer without a kernel: one HTML file.

The page is the same JavaScript as in the notebook over a snapshot of replies. Its Content-Security-Policy allows the
scripts and style sheets that are its own, by their hashes, and nothing else: no request, no frame, no form, no image,
no handler or style in an attribute. Text of the file reaches it as JSON only.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import gzip
import itertools
import json
import math
import pathlib
import re
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.thrift.fast import collection_paused
from pqexplore.engine.span import Span
from pqexplore.engine.text import markup
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.resolve_address import keeping_nodes
from pqexplore.insight.findings_at import flagged
from pqexplore.insight.html_table import policy
from pqexplore.insight.lenses import LENSES, applying
from pqexplore.insight.lenses.rows import ROWS
from pqexplore.insight.trouble import describe, unexpected
from pqexplore.widget import hexview, identity, map_colours, reply_block, rpc, structure, tree
from pqexplore.widget.operations import OPERATIONS

Request = tuple[str, dict[str, Any]]

ABOVE = frozenset({"row_group", "group"})
"""Kinds whose children are visited level by level."""

LISTED = 1_500
"""Nodes above the pages, and as many pages, that are visited."""

ROWS_READ = 500
"""Rows of the file, in its first columns."""

FINDINGS = 50
"""Findings whose places are visited first."""


def visits(file: ParquetFile) -> Iterator[Request]:
    """The requests of all views of the nodes, and of the bytes of the file."""
    above = list(itertools.islice(_above(file), LISTED))
    if len(above) < LISTED:  # else the view reads the page headers only when asked
        yield "layout", {"level": "pages"}
    for node in above:
        yield from _opened(node)
    for start in range(0, min(_rows(file), ROWS_READ), ROWS):
        yield "rows", {"start": start, "column": 0}
    places = [one.address for one in flagged(file, file.root)[:FINDINGS] if one.address]
    chunks = sorted((one for one in above if one.kind == "column_chunk"), key=_size, reverse=True)
    pages = itertools.chain(_nodes(file, places), _below(chunks))
    seen = set()
    for node in itertools.chain(above, itertools.islice(pages, LISTED)):
        seen.add(node.address)
        yield from _seen(file, node)
    for start in range(0, file.size, hexview.CHUNK):
        yield "bytes", {"start": start, "space": "file"}
    for node in listed(file):
        if node.address not in seen:
            yield from _seen(file, node)


def _rows(file: ParquetFile) -> int:
    """Rows of the file; 0 if that cannot be read."""
    try:
        return file.num_rows or 0
    except ParquetError:
        return 0


def _above(file: ParquetFile) -> Iterator[Node]:
    """The nodes above the pages, level by level."""
    level: Iterable[Node] = [file.root]
    while level:
        below: list[Node] = []
        for node in level:
            for child in _children(node):
                yield child
                if child.kind in ABOVE:
                    below.append(child)
        level = below


def listed(file: ParquetFile) -> Iterator[Node]:
    """All nodes that the outline lists, level by level."""
    parents = deque([file.root])
    while parents:
        for child in itertools.islice(_children(parents.popleft()), LISTED):
            yield child
            if child.kind not in tree.LEAVES:
                parents.append(child)


def _below(nodes: Iterable[Node]) -> Iterator[Node]:
    """The children of nodes, and theirs: pages, and their parts."""
    for node in nodes:
        for child in _children(node):
            yield child
            if child.kind.endswith(("_page", "_page_v2")):
                yield from _children(child)


def _children(node: Node) -> Iterator[Node]:
    with contextlib.suppress(ParquetError):
        yield from node.children


def _nodes(file: ParquetFile, addresses: Iterable[str]) -> Iterator[Node]:
    for address in addresses:
        with contextlib.suppress(ParquetError, LookupError, ValueError):
            yield file.node(address)


def _opened(node: Node) -> Iterator[Request]:
    """A node as the tree and the tabs show it first."""
    yield "node", {"address": node.address}
    count = 0
    if node.kind not in tree.LEAVES:
        with contextlib.suppress(ParquetError):
            count = len(node.children)
    for start in range(0, min(count, LISTED), tree.PAGE):
        yield "children", {"address": node.address, "start": start}


def _seen(file: ParquetFile, node: Node) -> Iterator[Request]:
    """Everything that can be opened at a node: its lenses, and the first bytes of its page."""
    yield from _opened(node)
    for lens in applying(node)[1:]:  # the node comes with its first lens
        if lens.name != "facts":  # which are in the node
            yield "lens", {"address": node.address, "lens": lens.name}
    if node.kind.endswith(("_page", "_page_v2")):
        for space in sorted(tree.spaces_of(file, node)):
            if space != "file":
                yield "bytes", {"start": 0, "space": space}


def _size(node: Node) -> int:
    return 0 if node.span is None else node.span.end - node.span.start


STATIC = pathlib.Path(__file__).parent / "static"

WINDOW = "window.css"
"""The style sheet of a page that holds nothing but the explorer."""

BUDGET = 700 << 10
"""Bytes of the replies in a page, as they are written there."""

SECONDS = 60
"""Time to make the replies beyond the first screen, for this budget; a larger budget has more.

The budget decides what a page holds: time ends it only where a file is slow to read, and then the page says so.
"""

FIRST = 200_000
"""Characters of replies, before they are compressed, that the page unpacks before its first picture."""

AT_ONCE = 10
"""Requests of a lens beside its picture that are saved where nobody opened it."""

BLOCK = 1 << 20
"""Characters of replies in a block, before they are compressed."""

DECRYPTED = "This page holds values that were decrypted from an encrypted file. A person who has the page needs no key."
"""The warning of a page that was asked to hold them."""

START = """(async () => {
  for (const tag of ["style", "script"]) {
    const packed = atob(document.getElementById("pqx-" + tag).textContent);
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const element = document.createElement(tag);
    element.textContent = await new Response(stream).text();
    document.body.append(element);
  }
})();"""
"""Unpacks the explorer's style sheet and script, a third of their size in the page: the policy knows their hashes."""


def key(op: str, args: dict[str, Any]) -> str:
    """The name of a reply in a snapshot; js/src/host.ts makes the same."""
    return op + json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Data:
    """The replies of a page in blocks (`reply_block`), of at most `budget` characters: those of the first picture, and others."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._first = _Block()
        self._full: list[_Block] = []
        self._open: dict[str, _Block] = {}
        """The blocks that are not full, by the kind of their replies."""
        self._added: list[_Block] = []
        """The block of each reply, in their order."""

    @property
    def first(self) -> str:
        """The block that is unpacked at once."""
        return self._first.text() if self._first else ""

    @property
    def blocks(self) -> list[str]:
        """The other blocks."""
        return [one.text() for one in (*self._full, *self._open.values()) if one]

    @property
    def used(self) -> float:
        """The part of the budget that is used, from 0 to 1, as far as that is known."""
        return self._size() / self._budget

    def _size(self) -> int:
        return sum(one.size for one in (self._first, *self._full, *self._open.values()) if one)

    def add(self, name: str, reply: str, kind: str = "") -> bool:
        """Adds a reply, which is JSON, of a kind whose replies are alike; False if the budget is used up."""
        if not self._full and not self._open and self._first.length + len(reply) <= FIRST:
            block = self._first
        else:
            block = self._open.setdefault(kind, _Block())
        block.add(name, reply)
        self._added.append(block)
        if block is not self._first and block.length >= BLOCK:
            self._full.append(self._open.pop(kind))
        return self._size() <= self._budget or self._fits()

    def _fits(self) -> bool:
        """Compresses all blocks, so that their sizes are exact, and drops the latest replies that are beyond the budget."""
        blocks = {id(one): one for one in self._added}.values()
        for one in blocks:
            one.measure()
        if self._size() <= self._budget * NEARLY:
            return True
        dropped = 1
        while self._size() > self._budget:
            changed = self._added[-dropped:]
            del self._added[-dropped:]
            for one in changed:
                one.drop()
            for one in {id(one): one for one in changed}.values():
                one.measure()
            dropped += 1
        return False


NEARLY = 0.98
"""The part of a budget from which on it is used up."""


class _Block:
    """Replies, and how many characters they take in the page: compressed now and then, and estimated in between."""

    def __init__(self) -> None:
        self.length = 0
        self._replies: list[reply_block.Reply] = []
        self._lengths: list[int] = []
        self._text = ""
        self._measured = 0
        """The `length` that was compressed."""

    def __bool__(self) -> bool:
        return bool(self._replies)

    @property
    def size(self) -> int:
        """Characters of the block in the page; a guess if there are new replies."""
        if not self._measured:
            return self.length * 3 // 4
        return len(self._text) * self.length // self._measured

    def add(self, name: str, reply: str) -> None:
        """Adds a reply."""
        self._replies.append(reply_block.read(name, reply))
        self._lengths.append(len(reply))
        self.length += len(reply)
        if self.length >= BLOCK or self.length >= 4 * max(self._measured, BLOCK // 16):
            self.measure()

    def drop(self) -> None:
        """Takes the latest reply away."""
        self._replies.pop()
        self.length -= self._lengths.pop()

    def measure(self) -> None:
        """Compresses the replies, unless they are those that were compressed last."""
        if self.length != self._measured:
            self._text = reply_block.block(self._replies)
            self._measured = self.length

    def text(self) -> str:
        """The block as it stands in the page."""
        self.measure()
        return self._text


def steps(
    file: ParquetFile, asked: Iterable[Request], state: dict[str, Any], *, warning: str = "", budget: int = BUDGET
) -> Generator[float, None, str]:
    """One HTML file with the explorer and the replies to `asked`, and to all that fits into `budget` bytes.

    Yields how much of the budget or of the time for it is used, from 0 to 1. A `warning` stands at the top of the page.
    """
    data = Data(budget)
    begun, seconds = time.monotonic(), SECONDS * max(1, budget / BUDGET)
    late = False
    for name, reply in replies(file, asked, state, seconds):
        if not data.add(name, reply, _kind(name)):
            break
        spent = time.monotonic() - begun
        late = spent >= seconds
        yield max(data.used, spent / seconds)
    stopped = file.budget.exhausted
    if late and not stopped:
        stopped = f"the file is slow to read, and the page was to be made in {seconds:,.0f} seconds"
    notes = [warning, stopped and f"Not everything was saved: {stopped}."]
    banner = "".join(f'<p role="alert" class="pqx-warning">{markup(note)}</p>' for note in notes if note)
    style, script = _program()
    title = markup(identity.identity(file)["name"])
    snapshot = _inert("\n".join([json.dumps(state), data.first]))
    later = "\n".join(data.blocks)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} – pqexplore</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([START, script], [style])}">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"</head><body>{banner}"
        f'<main id="pqx-root"></main><script type="text/plain" id="pqx-snapshot">{snapshot}</script>'
        f'<script type="text/plain" id="pqx-later">{later}</script>'
        f'<script type="text/plain" id="pqx-style">{_packed(style)}</script>'
        f'<script type="text/plain" id="pqx-script">{_packed(script)}</script>'
        f"<script>{START}</script></body></html>"
    )


_NUMBER = re.compile(r"\d+")


def _kind(name: str) -> str:
    """What the replies of a kind have in common, by their `key`: the operation and its arguments but for the numbers."""
    return _NUMBER.sub("0", name)


@functools.cache
def _program() -> tuple[str, str]:
    """The explorer's style sheet, and its script."""
    style = "".join((STATIC / name).read_text("utf-8") for name in (WINDOW, "page.css"))
    return style, (STATIC / "page.js").read_text("utf-8")


@functools.cache
def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def replies(
    file: ParquetFile, asked: Iterable[Request], state: dict[str, Any], seconds: float = math.inf
) -> Iterator[tuple[str, str]]:
    """The names (`key`) of a snapshot's replies, and each as JSON. A failed request has its error as reply.

    `state` are the traits of the explorer: what is selected, and what is asked. After `seconds` only the first screen and
    what was asked is looked for.
    """
    end = time.monotonic() + seconds
    known: set[str] = set()
    selection = state["selection"]
    first = list(asked)
    wanted = itertools.chain(
        screen(state),
        questions(state),
        first,
        standard(file, selection),
        examples(file, state.get("engine", "")),
        beside(file, first, selection),
    )
    timely = itertools.takewhile(lambda _: time.monotonic() < end, visits(file))
    beside_it: deque[Request] = deque()
    queue = itertools.chain(wanted, timely)
    with keeping_nodes(file):
        while request := beside_it.popleft() if beside_it else next(queue, None):
            op, args = request
            name = key(op, args)
            if name in known:
                continue
            known.add(name)
            if file.budget.exhausted:
                break
            try:
                with collection_paused():
                    result, text, buffers = rpc.called(OPERATIONS, file, op, args)
                packed = json.dumps([base64.b64encode(one).decode() for one in buffers])
                yield name, f'{{"ok": true, "result": {text}, "buffers": {packed}}}'
                beside_it.extend(shown_with(op, args, result))
            except (ParquetError, UsageError, OSError) as error:
                yield name, json.dumps({"ok": False, "error": describe(error)})
            except Exception as error:  # the net: a fault of ours costs one reply
                yield name, json.dumps({"ok": False, "error": describe(unexpected(error))})


def questions(state: dict[str, Any]) -> Iterator[Request]:
    """The requests for the answer to the condition that is set: at the selection, and for the whole file."""
    where = state.get("where", "").strip()
    if not where:
        return
    asks = {"where": where, "engine": state["engine"]}
    yield "ask_skips", asks
    for address in dict.fromkeys([state["selection"], ""]):
        yield "lens", {"address": address, "lens": "query", **asks}


def examples(file: ParquetFile, engine: str) -> Iterator[Request]:
    """The requests for the answers to the conditions that the lens of queries offers: in the page they can be chosen."""
    from pqexplore.insight.ask import slider_literals
    from pqexplore.insight.ask.question import ANY

    with contextlib.suppress(ParquetError):
        for one in slider_literals.examples(file) if file.metadata is not None else ():
            asks = {"where": one.where, "engine": engine or ANY}
            yield "ask_skips", asks
            yield "lens", {"address": "", "lens": "query", **asks}


def shown_with(op: str, args: dict[str, Any], result: Any) -> Iterator[Request]:
    """The first requests that a lens makes when it is shown."""
    name = result["lens"] if op == "node" else args["lens"] if op == "lens" else ""
    payload = result if op == "lens" else result["payload"] if op == "node" else None
    lens = LENSES.get(name)
    if lens is not None and lens.saved is not None and payload and payload.get("picture"):
        yield from itertools.islice(lens.saved(payload["picture"]), AT_ONCE)


def beside(file: ParquetFile, asked: Iterable[Request], selection: str) -> Iterator[Request]:
    """The requests that lenses need in a saved page beside their pictures: at the selection, and at places that were open."""
    opened = [(args.get("address", ""), args.get("view")) for op, args in asked if op == "node"]
    for name, lens in LENSES.items():
        if lens.saved is None:
            continue
        for address in dict.fromkeys([selection, *(at for at, view in opened if view == name)]):
            try:
                reply, _ = rpc.call(OPERATIONS, file, "lens", {"address": address, "lens": name})
            except Exception:  # the lens itself is asked, too: its reply says what is wrong
                continue
            yield from lens.saved(reply.get("picture") or {})


def screen(state: dict[str, Any]) -> Iterator[Request]:
    """The requests of the first picture."""
    yield "identity", {}
    yield "headline", {}
    yield "layout", {"level": "chunks"}
    yield from map_colours.saved()
    yield "glossary", {}
    selection, view = state["selection"], state.get("view", "")
    yield "node", {"address": selection, "view": view} if view else {"address": selection}
    for address in dict.fromkeys([selection, ""]):
        yield "children", {"address": address, "start": 0}


def standard(file: ParquetFile, selection: str) -> Iterator[Request]:
    """The requests of every snapshot: the selected node and the file with all lenses, first rows, first and last bytes."""
    for address in dict.fromkeys([selection, ""]):
        yield "node", {"address": address}
    for start in dict.fromkeys([0, (file.size - 1) // hexview.CHUNK * hexview.CHUNK]):
        yield "bytes", {"start": start, "space": "file"}
    for address in dict.fromkeys([selection, ""]):
        for lens in LENSES:
            yield "lens", {"address": address, "lens": lens}
    yield "rows", {"start": 0, "column": 0}
    for place in _windows(file, selection):
        yield "structure", {"start": place.start, "space": place.space}


def _windows(file: ParquetFile, selection: str) -> Iterator[Span]:
    """The first bytes of the windows of the hex view at both ends of the file, and where the selected node begins."""
    places = [Span(0, 0), Span(file.size - 1, file.size)]
    with contextlib.suppress(ParquetError, LookupError):
        places.append(file.node(selection).span or places[0])
    for place in places:
        start = place.start // structure.WINDOW * structure.WINDOW
        yield Span(start, start, place.space)


def _inert(code: str) -> str:
    """JavaScript or JSON that cannot end its script element or begin a comment in it."""
    return code.replace("<!--", "\\u003c!--").replace("</", "<\\/").replace("<script", "\\u003cscript")
