"""What a view asks of a lens: its answer as a message, and more rows of its table."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree.node import Node
from pqexplore.insight import wire
from pqexplore.insight.ask.question import Question
from pqexplore.insight.lenses import Lens, answer_of, require
from pqexplore.widget import sheet

ASKS_BEYOND = 16 << 20
"""Bytes that a lens decodes without asking."""

Steps = Generator[float, None, dict[str, Any]]


def show(file: ParquetFile, address: str, lens: str, sure: bool = False, where: str = "", engine: str = "") -> Steps:
    """What one lens shows of the node at `address`: the steps to its payload. `where` and `engine` are the question."""
    node = file.node(address)
    question = Question.of(where, engine)
    return (yield from payload(file, node, require(lens, node), sure, question))


def payload(file: ParquetFile, node: Node, lens: Lens, sure: bool = False, question: Question | None = None) -> Steps:
    """An answer for the view: sentence, picture, the first rows of the table; or the cost, if the view is to ask first.

    `sure` is what the person said who was asked, `question` what was typed for lenses that answer questions.
    """
    needed = lens.cost(file, node) if lens.cost is not None and not sure else 0
    seconds = lens.seconds(file, node) if lens.seconds is not None and not sure else 0
    if needed > ASKS_BEYOND or seconds:
        asks = {"bytes": needed, "seconds": seconds, "lens": lens.name, "address": node.address}
        return {"ask": asks}
    made = yield from answer_of(file, node, lens, question)
    return wire.Encoded(
        answer=made.sentence,
        empty=made.empty,
        picture=wire.encode(made.picture),
        table=None if made.table is None else sheet.first(made.table),
        code=made.code,
    )


def table(file: ParquetFile, address: str, lens: str, start: int, where: str = "", engine: str = "") -> Steps:
    """More rows of the table of a lens."""
    node = file.node(address)
    made = yield from answer_of(file, node, require(lens, node), Question.of(where, engine))
    if made.table is None:
        raise UsageError(f"the lens {lens} has no table of {address or 'the file'}")
    return sheet.part(made.table, start)
