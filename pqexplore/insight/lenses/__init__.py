"""The lenses: each answers one question about a node, first in a sentence, then in a picture, then in a table.

A lens is one module here, which gives a record `LENS` (`lens.Lens`). js/src/lenses/NAME.ts draws its picture. To add
one: the two files, a line in `LENSES`, and a line in js/src/lenses/index.ts.
"""

from __future__ import annotations

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree.node import Node
from pqexplore.insight.lenses import (
    bloom,
    column,
    compare,
    contents,
    dictionary,
    diff,
    encoding,
    encryption,
    facts,
    geospatial,
    layout,
    nesting,
    overview,
    page,
    page_index,
    query,
    row_group,
    rows,
    schema,
    statistics,
    thrift,
    value,
    variant,
    what_if,
)
from pqexplore.insight.lenses.lens import Lens, answer_of, finish

__all__ = ["LENSES", "Lens", "answer_of", "applying", "finish", "require"]

LENSES: dict[str, Lens] = {
    module.LENS.name: module.LENS
    for module in (
        rows,
        overview,
        column,
        row_group,
        contents,
        query,
        what_if,
        layout,
        schema,
        thrift,
        statistics,
        page_index,
        value,
        page,
        encoding,
        dictionary,
        nesting,
        bloom,
        variant,
        geospatial,
        encryption,
        compare,
        diff,
        facts,
    )
}
"""The lenses by name, in the order of their tabs."""


def applying(node: Node) -> list[Lens]:
    """The lenses that have something to show of a node; the one to open first comes first.

    If none is the first view of such a node, the first that applies is; the facts come last.
    """
    found = [lens for lens in LENSES.values() if lens.applies(node)]
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
