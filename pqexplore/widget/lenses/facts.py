"""The facts of a node, each with what it means, and the nodes below it."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.tree import Node
from pqexplore.insight.answer import Answer, Column, Table

TITLE = "Facts"
FIRST: frozenset[str] = frozenset()


def applies(node: Node) -> bool:
    """Every node has facts."""
    return True


def answer(file: Any, node: Node) -> Answer:
    """The facts as a table. The view has them with the node, and its children by the operation `children`."""
    table = Table((Column("fact", "fact"), Column("value", "value"), Column("meaning", "meaning")))
    for fact in node.facts:
        table.add(fact.name, fact.value, fact.meaning, address=fact.address, span=fact.span)
    return Answer("", picture={}, table=table, code=f"f.node({node.address!r}).facts")
