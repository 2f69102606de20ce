"""What each kind of node shows; js/src/lenses has the other half of each, by the same name.

A lens is a module with

- `TITLE`, what its tab says;
- `FIRST`, the kinds of nodes that it is the first view of;
- `applies(node)`, whether it has something to say of a node, without reading more of the file than the node did;
- `answer(file, node) -> Answer`, what it shows. Where this takes long it is a generator: it yields how much is done,
  from 0 to 1, many times a second, and returns the Answer;
- `cost(file, node) -> int` (optional), the bytes that would be decoded; beyond `ASKS_BEYOND` the view asks first;
- `frame(file, node) -> Table` (optional), the table for `Explorer.to_frame` where the view shows another;
- `OPS` (optional), the operations that its view calls for more;
- `saved(picture)` (optional), the requests whose replies a saved page holds beside the picture.

To add one: the two files, a line in `LENSES` and a line in js/src/lenses/index.ts.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Generator
from types import ModuleType
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.insight.answer import Answer
from pqexplore.widget import sheet
from pqexplore.widget.lenses import (
    bloom,
    compare,
    dictionary,
    encoding,
    encryption,
    facts,
    geospatial,
    layout,
    nesting,
    overview,
    page,
    page_index,
    rows,
    schema,
    statistics,
    thrift,
    variant,
)

LENSES: dict[str, ModuleType] = {
    "rows": rows,
    "overview": overview,
    "layout": layout,
    "schema": schema,
    "thrift": thrift,
    "statistics": statistics,
    "page_index": page_index,
    "page": page,
    "encoding": encoding,
    "dictionary": dictionary,
    "nesting": nesting,
    "bloom": bloom,
    "variant": variant,
    "geospatial": geospatial,
    "encryption": encryption,
    "compare": compare,
    "facts": facts,
}

ASKS_BEYOND = 16 << 20
"""Bytes that a lens decodes without asking."""

KEPT = 24
"""Answers of a file that are kept, for the parts of their tables that are asked for later."""

_answers: weakref.WeakKeyDictionary[Any, OrderedDict[tuple[str, str], Answer]] = (
    weakref.WeakKeyDictionary()
)
_lock = threading.Lock()

Steps = Generator[float, None, Any]


def applying(node: Node) -> list[dict[str, str]]:
    """The lenses that have something to show of a node, by name and title; the one to open first comes first.

    Where none is the first view of such a node, the facts are.
    """
    found = [name for name, lens in LENSES.items() if lens.applies(node)]
    first = {name for name in found if node.kind in LENSES[name].FIRST} or {"facts"}
    found.sort(key=lambda name: name not in first)
    return [{"name": name, "title": LENSES[name].TITLE} for name in found]


def show(file: Any, address: str, lens: str, sure: bool = False) -> Steps:
    """What one lens shows of the node at `address`: the steps to its payload."""
    node = file.node(address)
    require(lens, node)
    return (yield from payload(file, node, lens, sure))


def payload(file: Any, node: Node, lens: str, sure: bool = False) -> Steps:
    """An answer for the view: sentence, picture, the first rows of the table; or what to ask before it is made.

    `sure` is what the person said who was asked.
    """
    cost = getattr(LENSES[lens], "cost", None)
    needed = cost(file, node) if cost is not None and not sure else 0
    if needed > ASKS_BEYOND:
        return {"ask": {"bytes": needed, "lens": lens, "address": node.address}}
    made = yield from answer(file, node, lens)
    return {
        "answer": made.sentence,
        "empty": made.empty,
        "picture": made.picture,
        "table": None if made.table is None else sheet.first(made.table),
        "code": made.code,
    }


def answer(file: Any, node: Node, lens: str) -> Generator[float, None, Answer]:
    """The Answer of a lens, kept for a while."""
    with _lock:
        kept = _answers.setdefault(file, OrderedDict())
        known = kept.get((node.address, lens))
    if known is not None:
        return known
    outcome = LENSES[lens].answer(file, node)
    made: Answer = outcome if isinstance(outcome, Answer) else (yield from outcome)
    with _lock:
        kept[node.address, lens] = made
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return made


def table(file: Any, address: str, lens: str, start: int) -> Steps:
    """More rows of the table of a lens."""
    node = file.node(address)
    require(lens, node)
    made = yield from answer(file, node, lens)
    if made.table is None:
        raise UsageError(f"the lens {lens} has no table of {address or 'the file'}")
    return sheet.part(made.table, start)


def finish(steps: Generator[Any, None, Any]) -> Any:
    """What a generator returns, when nobody waits for its steps."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def require(lens: str, node: Node) -> None:
    """UsageError where there is no such lens, or it has nothing to say of the node."""
    if lens not in LENSES:
        raise UsageError(f"there is no lens {lens!r}; there are {', '.join(LENSES)}")
    if not LENSES[lens].applies(node):
        raise UsageError(f"the lens {lens} does not apply to a {node.kind.replace('_', ' ')}")
