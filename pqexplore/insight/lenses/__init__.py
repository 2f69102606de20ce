"""The lenses: each answers one question about a node, first in a sentence, then in a picture, then in a table.

A lens is one module or package here, which gives a record `LENS` (`lens.Lens`). js/src/lenses/NAME.ts draws its picture.
`insight.questions` lists the lenses in the order of their tabs.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree.node import Node
from pqexplore.insight.lenses.lens import Lens, answer_of, finish
from pqexplore.insight.questions import QUESTIONS

__all__ = ["LENSES", "Lens", "answer_of", "applying", "finish", "require"]


class _Lenses(MutableMapping[str, Lens]):
    """The lenses by name, in the order of their tabs. The module of a lens is imported when the lens is asked for."""

    def __init__(self) -> None:
        self._known: dict[str, Lens | None] = dict.fromkeys(QUESTIONS)
        self._by_kind: dict[str, list[Lens]] = {}

    def of_kind(self, kind: str) -> list[Lens]:
        """The lenses that may apply to nodes of a kind; kept, because each node of a saved page asks for them."""
        found = self._by_kind.get(kind)
        if found is None:
            found = [lens for lens in self.values() if lens.kinds is None or kind in lens.kinds]
            self._by_kind[kind] = found
        return found

    def __getitem__(self, name: str) -> Lens:
        known = self._known[name]
        if known is None:
            lens: Lens = importlib.import_module(f"{__name__}.{name}").LENS
            known = self._known[name] = lens
        return known

    def __setitem__(self, name: str, lens: Lens) -> None:
        self._known[name] = lens
        self._by_kind.clear()

    def __delitem__(self, name: str) -> None:
        del self._known[name]
        self._by_kind.clear()

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


LENSES = _Lenses()


def applying(node: Node) -> list[Lens]:
    """The lenses that have something to show of a node; the one to open first comes first.

    If none is the first view of such a node, the first that applies is; the facts come last.
    """
    found = [lens for lens in LENSES.of_kind(node.kind) if lens.applies(node)]
    first = {lens.name for lens in found if node.kind in lens.first} or {found[0].name}
    return sorted(found, key=lambda lens: lens.name not in first)


def require(name: str, node: Node) -> Lens:
    """The lens of that name. UsageError if there is none, or it has nothing to show of the node."""
    if name not in LENSES:
        raise UsageError(f"there is no lens {name!r}; there are {', '.join(LENSES)}")
    lacks = LENSES[name].lacks()
    if lacks:
        raise UsageError(lacks)
    if not LENSES[name].applies(node):
        raise UsageError(f"the lens {name} does not apply to a {node.kind.replace('_', ' ')}")
    return LENSES[name]
