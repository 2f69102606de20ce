"""The facts of a node, each with its meaning, and the nodes below it."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.lens import Lens


@dataclasses.dataclass(slots=True)
class Picture:
    """Empty: the view has the facts with the node, and its children by the operation `children`."""


def answer(file: ParquetFile, node: Node) -> Answer:
    """The facts as a table, without a sentence. Raises ParquetError if they cannot be read."""
    table = Table((Column("fact", "fact"), Column("value", "value"), Column("meaning", "meaning")))
    for fact in node.facts:
        table.add(fact.name, fact.value, fact.meaning, address=fact.address, span=fact.span)
    return Answer("", picture=Picture(), table=table, code=f"f.node({node.address!r}).facts")


LENS = Lens("facts", title="Facts", answer=answer, picture=Picture, no_figure="its values are of many kinds")
