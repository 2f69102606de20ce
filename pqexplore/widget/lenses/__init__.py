"""What each kind of node shows; js/src/lenses has the other half of each, by the same name.

A lens is a module with a `TITLE`, `applies(node)`, `show(file, node) -> payload` (JSON), the kinds of nodes it is
`FIRST` for, and `OPS`, the operations that its view calls for more. To add one: the two files, and a line here and
one in js/src/lenses/index.ts.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.widget.lenses import facts, page, rows

LENSES: dict[str, ModuleType] = {
    "rows": rows,
    "page": page,
    "facts": facts,
}


def applying(node: Node) -> list[dict[str, str]]:
    """The lenses that have something to show of a node, by name and title; the one to open first comes first."""
    found = [name for name, lens in LENSES.items() if lens.applies(node)]
    found.sort(key=lambda name: node.kind not in LENSES[name].FIRST and name != "facts")
    found.sort(key=lambda name: node.kind not in LENSES[name].FIRST)
    return [{"name": name, "title": LENSES[name].TITLE} for name in found]


def show(file: Any, address: str, lens: str) -> dict[str, Any]:
    """What one lens shows of the node at `address`."""
    if lens not in LENSES:
        raise UsageError(f"there is no lens {lens!r}; there are {', '.join(LENSES)}")
    node = file.node(address)
    if not LENSES[lens].applies(node):
        raise UsageError(f"the lens {lens} does not apply to a {node.kind.replace('_', ' ')}")
    payload: dict[str, Any] = LENSES[lens].show(file, node)
    return payload
