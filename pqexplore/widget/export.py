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
import zlib
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
from pqexplore.widget import hexview, identity, map_colours, rpc, structure, tree
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

BUDGET = 2 << 20
"""Bytes of the replies in a page, as they are written there."""

SECONDS = 60
"""Time to make the replies beyond the first screen, for this budget; a larger budget has more.

The budget decides what a page holds: time ends it only where a file is slow to read, and then the page says so.
"""

FIRST = 200_000
"""Characters of replies that the page reads at once; the others are compressed, and read after the first picture."""

AT_ONCE = 10
"""Requests of a lens beside its picture that are saved where nobody opened it."""

BLOCK = 256 << 10
"""Characters of a compressed block."""
GZIP = 31
"""What tells zlib to write gzip."""
ENDS = 32
"""Bytes of the end of a gzip stream, and what base64 adds."""

DECRYPTED = "This page holds values that were decrypted from an encrypted file. A person who has the page needs no key."
"""The warning of a page that was asked to hold them."""

START = """(async () => {
  const packed = atob(document.getElementById("pqx-script").textContent);
  const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.body.append(script);
})();"""
"""Unpacks the explorer's script, a third of its size in the page, and runs it: the policy knows the hash of both."""


def key(op: str, args: dict[str, Any]) -> str:
    """The name of a reply in a snapshot; js/src/host.ts makes the same."""
    return op + json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Data:
    """The replies of a page, a line for each: its name and the reply, as JSON with a tab between."""

    def __init__(self, budget: int) -> None:
        self.first: list[str] = []
        self.blocks: list[str] = []
        self._budget = self._room = budget
        self._open: dict[str, _Block] = {}
        """The blocks that are not full, by the kind of their replies: those of one operation and lens compress to half."""
        self._length = 0

    @property
    def used(self) -> float:
        """The part of the budget that is used, from 0 to 1."""
        return 1 - max(0, self._room) / self._budget

    def add(self, name: str, reply: str, kind: str = "") -> bool:
        """Adds a reply, which is JSON, of a kind whose replies are alike; False if the budget is used up."""
        line = f"{json.dumps(name)}\t{reply}"
        self._length += len(line)
        if not self.blocks and not self._open and self._length <= FIRST:
            self._room -= len(line)
            if self._room >= 0:
                self.first.append(line)
            return self._room >= 0
        block = self._open.get(kind) or _Block()
        raw = line.encode()
        before = block.size
        if 2 * len(raw) >= self._room:
            block = block.copy()  # the line may not fit
        block.add(raw)
        if block.size - before > self._room:
            self._room = -1
            return False
        self._open[kind] = block
        self._room -= block.size - before
        if block.length >= BLOCK:
            self._close(kind)
        return True

    def close(self) -> None:
        """Ends the blocks that are not full."""
        for kind in list(self._open):
            self._close(kind)

    def _close(self, kind: str) -> None:
        self.blocks.append(self._open.pop(kind).text())


class _Block:
    """Lines, compressed as they come, so that it is known what they take."""

    def __init__(self) -> None:
        self.length = 0
        self._parts: list[bytes] = []
        self._compressed = 0
        self._stream = zlib.compressobj(6, wbits=GZIP)

    @property
    def size(self) -> int:
        """Characters of the block in the page, but for its end."""
        return (self._compressed + ENDS) * 4 // 3 if self.length else 0

    def add(self, line: bytes) -> None:
        """Adds a line."""
        if self.length:
            line = b"\n" + line
        self.length += len(line)
        self._take(self._stream.compress(line) + self._stream.flush(zlib.Z_SYNC_FLUSH))

    def _take(self, part: bytes) -> None:
        self._parts.append(part)
        self._compressed += len(part)

    def copy(self) -> _Block:
        """The same block, to which lines can be added while this one stays as it is."""
        other = _Block()
        other.length, other._parts, other._compressed = self.length, [*self._parts], self._compressed
        other._stream = self._stream.copy()
        return other

    def text(self) -> str:
        """The whole block, in base64."""
        self._take(self._stream.flush())
        return base64.b64encode(b"".join(self._parts)).decode()


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
    data.close()
    stopped = file.budget.exhausted
    if late and not stopped:
        stopped = f"the file is slow to read, and the page was to be made in {seconds:,.0f} seconds"
    notes = [warning, stopped and f"Not everything was saved: {stopped}."]
    banner = "".join(f'<p role="alert" class="pqx-warning">{markup(note)}</p>' for note in notes if note)
    script, packed = _scripts()
    style = "".join((STATIC / name).read_text("utf-8") for name in (WINDOW, "page.css"))
    title = markup(identity.identity(file)["name"])
    snapshot = _inert("\n".join([json.dumps(state), *data.first]))
    later = "\n".join(data.blocks)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} – pqexplore</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([START, script], [style])}">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{style}</style></head><body>{banner}"
        f'<main id="pqx-root"></main><script type="text/plain" id="pqx-snapshot">{snapshot}</script>'
        f'<script type="text/plain" id="pqx-later">{later}</script>'
        f'<script type="text/plain" id="pqx-script">{packed}</script>'
        f"<script>{START}</script></body></html>"
    )


_NUMBER = re.compile(r"\d+")


def _kind(name: str) -> str:
    """What the replies of a kind have in common, by their `key`: the operation and its arguments but for the numbers."""
    return _NUMBER.sub("0", name)


@functools.cache
def _scripts() -> tuple[str, str]:
    """The explorer's script, and the same compressed."""
    script = (STATIC / "page.js").read_text("utf-8")
    return script, _packed(script.encode())


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
                packed = json.dumps([_packed(b) for b in buffers])
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


def _packed(data: bytes | memoryview) -> str:
    return base64.b64encode(gzip.compress(bytes(data), 6, mtime=0)).decode()


def _inert(code: str) -> str:
    """JavaScript or JSON that cannot end its script element or begin a comment in it."""
    return code.replace("<!--", "\\u003c!--").replace("</", "<\\/").replace("<script", "\\u003cscript")
