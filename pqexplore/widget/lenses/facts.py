"""The facts of a node, each with what it means, and the nodes below it."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.tree import Node

TITLE = "Facts"
FIRST: frozenset[str] = frozenset()
OPS: dict[str, Any] = {}


def applies(node: Node) -> bool:
    """Every node has facts."""
    return True


def show(file: Any, node: Node) -> dict[str, Any]:
    """Nothing more: the facts come with the node, its children by the operation `children`."""
    return {}
