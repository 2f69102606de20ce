"""A question: what does a query read of this file, what does it skip, and why?

Without a condition the lens offers some, computed from the file's bounds. With one, the picture shows the stages of the
plan (`insight.ask`), each row group with the stage that skips it, and one row group in detail: its pages and rows.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import clip
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.ask.completion import Completion, completed
from pqexplore.insight.ask.question import ANY, Question
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.lenses.lens import Lens, Steps
from pqexplore.insight.lenses.query.plan_picture import (
    LISTED,
    Choice,
    Live,
    Picture,
    Reasons,
    Skips,
    advice_of,
    decoded,
    drawn,
    extents,
    reason_of,
    verdict_of,
    verdicts,
)
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.writers.defect import BOUNDS, VALUES

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.pruning import Group

MANY = 50_000
"""Column chunks of a file. If there are more, the query reads the columns of the condition only."""

PLANS = 8
"""Plans that are kept for one file."""

BLOCK = 200
"""Row groups whose reasons are sent at a time."""

Floats = npt.NDArray[np.float64]

_GROUP = re.compile(r"row_groups/(\d+)(?:/|\Z)")

COLUMNS = (
    Column("row_group", "row group", meaning="in the order of the file"),
    Column("kept", "read", "flag", "whether the query reads it"),
    Column("by", "by", meaning="the evidence that skips it, or that could not"),
    Column("reason", "why"),
    Column("evidence", "evidence", "code", "what the file says"),
    Column("num_rows", "rows", "number"),
    Column("rows", "rows decoded", "number"),
)

RULINGS = (
    Column("stage", "stage", meaning="the kinds of evidence, in the engine's order"),
    Column("clause", "condition", "code"),
    Column("possible", "may match", "flag", "whether it can be TRUE for a row"),
    Column("reason", "why"),
    Column("evidence", "evidence", "code", "what the file says"),
)


def answer(file: ParquetFile, node: Node) -> Answer:
    """What the lens is for, with example conditions. ParquetError if the schema cannot be read."""
    from pqexplore.insight.ask import slider_literals

    if file.metadata is None:
        return _locked(file)
    column = leaf_of(file, node)
    found = slider_literals.examples(file, column)
    sentence = "Type a condition to see what a query with it reads of this file, what it skips, and why."
    picture = Picture("", ANY, _engines(), "", found, None, [], "", [])
    first = found[0].where if found else "TRUE"
    return Answer(sentence, picture, code=_code(Question(first)))


def asked(file: ParquetFile, node: Node, question: Question) -> Steps:
    """What a query reads. A condition that cannot be asked is an answer, too; ParquetError if the file is damaged."""
    from pqexplore.insight.ask import slider_literals

    if file.metadata is None:
        return _locked(file)
    try:
        plan = yield from planned(file, question)
    except UsageError as error:
        return _refused(file, node, question, error)
    parts = slider_literals.sliders(file, question.where, plan.bound)
    picture = Picture(
        question.where,
        question.engine,
        _engines(),
        "",
        [],
        drawn(plan, _group_of(node.address)),
        parts.sliders,
        parts.after,
        advice_of(plan),
    )
    sentence, code = _sentence(plan, node.address), _code(question, _columns(file))
    return Answer(sentence, picture, _table(plan, node.address), code=code)


def _locked(file: ParquetFile) -> Answer:
    """The answer for a file whose footer needs a key."""
    locked = file.footer.locked
    why = "it needs a key" if locked is None else locked.message
    return Answer(
        "What a query reads is not known: the footer names the columns, and it is encrypted.",
        empty=f"The footer cannot be read: {why}",
    )


def _refused(file: ParquetFile, node: Node, question: Question, error: UsageError) -> Answer:
    from pqexplore.insight.ask import slider_literals

    found = slider_literals.examples(file, leaf_of(file, node))
    text = clip(str(error), 1_000)
    picture = Picture(question.where, question.engine, _engines(), text, found, None, [], question.where, [])
    return Answer(f"This condition cannot be asked: {text}.", picture)


def leaf_of(file: ParquetFile, node: Node) -> Leaf | None:
    """The column of a node; None for the file and for row groups."""
    if node.kind == "schema_field":
        return leaf_at(file, node.address)
    if node.kind == "column_chunk":
        return chunk_at(file, node.address).leaf
    return None


_plans: Latest[ParquetFile, Plan] = Latest(PLANS)


def planned(file: ParquetFile, question: Question) -> Generator[float, None, Plan]:
    """The plan for a question, kept for what is asked about it later. UsageError if it cannot be asked."""
    known = _plans.get(file, question)
    if known is not None:
        return known
    from pqexplore.insight.ask import planning

    made = yield from planning.steps(file, question.where, _columns(file), question.engine)
    _plans.put(file, question, made)
    return made


def ask_literal(file: ParquetFile, address: str, where: str, engine: str = ANY) -> Generator[float, None, Live]:
    """The answer for a condition with another literal, at the node at `address`."""
    question = Question.of(where, engine)
    if question is None:
        return Live("", None, "there is no condition")
    try:
        plan = yield from planned(file, question)
    except UsageError as error:
        return Live("", None, clip(str(error), 1_000))
    return Live(_sentence(plan, address), drawn(plan, _group_of(address)), "")


def ask_completion(file: ParquetFile, before: str) -> Completion:
    """What can follow the text of a condition up to the caret. UsageError if it is too long, ParquetError without a schema."""
    Question.of(before)
    return completed(file, before)


def ask_reasons(file: ParquetFile, where: str, start: int, engine: str = ANY) -> Generator[float, None, Reasons]:
    """Why `BLOCK` row groups are read or skipped. UsageError if no block starts there."""
    question = Question.of(where, engine)
    if question is None or start % BLOCK or start < 0:
        raise UsageError(f"row group {start:,} is not where {BLOCK} row groups begin")
    plan = yield from planned(file, question)
    return Reasons(start, [reason_of(one) for one in plan.groups[start : start + BLOCK]])


def ask_skips(file: ParquetFile, where: str, engine: str = ANY) -> Generator[float, None, Skips]:
    """The bytes that a query reads, and the verdicts of the row groups."""
    question = Question.of(where, engine)
    nothing = Columns({"start": np.zeros(0), "end": np.zeros(0)})
    if question is None:
        return Skips(nothing, [], [], "there is no condition")
    try:
        plan = yield from planned(file, question)
    except UsageError as error:
        return Skips(nothing, [], [], clip(str(error), 1_000))
    spans = [one.span for one in plan.reading.pieces if one.span.space == FILE]
    starts, ends = _united(spans)
    names, by = verdicts(plan.groups)
    return Skips(Columns({"start": starts, "end": ends}), names, by, "")


def _united(spans: Sequence[Span]) -> tuple[Floats, Floats]:
    """Beginnings and ends of the same bytes as sorted spans that do not touch, as float64 arrays."""
    start = np.array([span.start for span in spans], np.float64)
    end = np.array([span.end for span in spans], np.float64)
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order]) if len(end) else end
    first = np.ones(len(start), bool)
    first[1:] = start[1:] > reach[:-1]
    last = np.append(first[1:], True)[: len(start)]
    return start[first], reach[last]


def _columns(file: ParquetFile) -> list[str] | None:
    """The columns that the query reads beside those of the condition: None for all, none if there are too many."""
    return [] if len(file.row_groups) * len(file.schema.leaves) > MANY else None


def _engines() -> list[Choice]:
    from pqexplore.insight.ask import engines

    made = []
    for name in sorted(engines.ENGINES, key=lambda one: one != ANY):
        title = "all that the format allows" if name == ANY else engines.engine(name).title
        made.append(Choice(name, title[:1].upper() + title[1:]))
    return made


def _group_of(address: str) -> int | None:
    """The row group that an address names or lies in."""
    match = _GROUP.match(address)
    return int(match[1]) if match else None


def _sentence(plan: Plan, address: str) -> str:
    sentence = _about(plan, address)
    if _columns(plan.file) is not None:
        sentence += " It reads the columns of the condition only, because the file has so many."
    return sentence


def _about(plan: Plan, address: str) -> str:
    index = _group_of(address)
    if index is None or index >= len(plan.groups):
        return plan.sentence
    if plan.wrong_rows or f"Row group {index:,} is " in plan.sentence:
        return plan.sentence
    return f"{verdict_of(plan.groups[index])} {plan.sentence}"


def _table(plan: Plan, address: str) -> Table:
    index = _group_of(address)
    if index is not None and index < len(plan.groups):
        return _rulings(plan.groups[index])
    table = Table(COLUMNS, "Row groups, and why each is read or skipped", total=len(plan.groups))
    starts, ends = extents(plan.file, min(len(plan.groups), LISTED))
    for one, start, end in zip(plan.groups, starts, ends, strict=False):
        table.add(
            f"row group {one.index:,}",
            one.kept,
            one.by or None,
            one.reason or None,
            one.evidence or None,
            one.num_rows,
            decoded(one),
            address=one.address if one.by else f"row_groups/{one.index}",
            span=None if start < 0 else Span(start, end),
        )
    return table


def _rulings(group: Group) -> Table:
    """What each stage says of each part of the condition, for one row group."""
    table = Table(RULINGS, f"What is known of row group {group.index:,}, stage by stage")
    for test, rulings in group.rulings.items():
        for stage, one in zip(group.asked, rulings, strict=False):
            table.add(stage, test.sql, one.possible, one.reason, one.evidence or None, address=one.address)
    return table


def _code(question: Question, columns: list[str] | None = None) -> str:
    given = "" if columns is None else f", columns={columns!r}"
    engine = f", engine={question.engine!r}" if question.engine != ANY else ""
    return f"pqexplore.ask(f, {question.where!r}{given}{engine})"


def _applies(node: Node) -> bool:
    return node.kind in ("file", "row_group") or is_column(node)


LENS = Lens(
    "query",
    title="Query",
    answer=answer,
    asked=asked,
    kinds=frozenset({"file", "row_group", "column_chunk", "schema_field"}),
    where=_applies,
    picture=Picture,
    operations={
        "ask_completion": ask_completion,
        "ask_literal": ask_literal,
        "ask_reasons": ask_reasons,
        "ask_skips": ask_skips,
    },
    misled_by=frozenset({BOUNDS, VALUES}),
    figure=(Bars("row_group", "rows", "rows", "count", beside=("num_rows", "in the row group"), label="read"),),
    value_free=("row_group", "kept", "by", "num_rows", "rows"),
)
