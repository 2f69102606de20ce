"""Nodes for the view: one with its facts, its children by the page, and the node that owns a byte."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Generator
from typing import Literal, cast

from pqexplore.engine import fact as engine_fact
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.at import in_page, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight import lenses, places, short_text
from pqexplore.insight.ask.question import Question
from pqexplore.insight.findings_at import flagged
from pqexplore.insight.trouble import Trouble, trouble_of
from pqexplore.insight.wire import Json
from pqexplore.widget import lens
from pqexplore.widget.headline import Flag, flag

PAGE = 200
"""Children in one reply."""

FACTS = 400
"""Facts in one reply; the rest is counted."""

LEAVES = frozenset(
    {
        "magic",
        "footer_length",
        "footer_magic",
        "repetition_levels",
        "definition_levels",
        "values",
        "value",
        "key_value",
        "gap",
        "leftover",
        "bloom_filter_bitset",
    }
)
"""Kinds whose children an outline does not show: they have none, or the page lens shows them better."""


State = Literal["ok", "locked", "corrupt"]


@dataclasses.dataclass(slots=True)
class Brief:
    """A node as lists show it. `leaf` if an outline shows nothing below it; `flag` is the worst finding there."""

    address: str
    kind: str
    label: str
    span: Span | None
    state: State
    reason: str
    leaf: bool
    flag: Flag | None


@dataclasses.dataclass(slots=True)
class Value:
    """The value of a fact as text, and its type."""

    text: str
    type: Literal["none", "boolean", "number", "text", "bytes", "list"]


@dataclasses.dataclass(slots=True)
class Fact:
    """A fact of a node: its bytes, and the address of the node that the value refers to, each null if there is none."""

    name: str
    value: Value
    meaning: str
    span: Span | None
    address: str | None


@dataclasses.dataclass(slots=True)
class PathStep:
    """A node on the path from the file to the selected one."""

    address: str
    label: str
    kind: str


@dataclasses.dataclass(slots=True)
class Tab:
    """A lens that applies to the node, and the question that it answers.

    `empty` says why it has nothing to show of the node, "" if it may have something.
    """

    name: str
    title: str
    question: str
    empty: str


@dataclasses.dataclass(slots=True)
class Detail(Brief):
    """A node with its facts, the path to it, its lenses, and the payload of one of them.

    `more_facts` and `children` are numbers; `extent` are the innermost bytes of the file that hold the node; `damage` is
    the error of its facts or children, `trouble` that of the lens.
    """

    facts: list[Fact]
    more_facts: int
    path: list[PathStep]
    extent: Span | None
    spaces: list[str]
    children: int
    damage: Trouble | None
    lenses: list[Tab]
    lens: str
    payload: Json = None
    trouble: Trouble | None = None


@dataclasses.dataclass(slots=True)
class Children:
    """Children of a node from the one at `start`; `total` counts all."""

    total: int
    start: int
    items: list[Brief]


@dataclasses.dataclass(slots=True)
class Located:
    """The address of the node that owns a byte."""

    address: str


def node(
    file: ParquetFile, address: str = "", view: str = "", sure: bool = False, where: str = "", engine: str = ""
) -> Generator[float, None, Detail]:
    """What the view shows of one node; the steps to it.

    `view` is the preferred lens; if it does not apply, the node's own first lens is taken. `sure` lets a lens decode
    much without asking; `where` and `engine` are the question for lenses that answer one. The error of a lens is in `trouble`, beside the facts. Raises ParquetError or LookupError if
    there is no such node.
    """
    found = file.node(address)
    brief = _brief(file, found)
    facts, damage = _facts(found)
    path = _path(file, found)
    spans = {fact.span.space for fact in facts[:FACTS] if fact.span}
    children, children_damage = _count(found)
    applying = lenses.applying(found)
    shown = next((one for one in applying if one.name == view), applying[0])
    detail = Detail(
        brief.address,
        brief.kind,
        brief.label,
        brief.span,
        brief.state,
        brief.reason,
        brief.leaf,
        brief.flag,
        facts=[_fact(fact) for fact in facts[:FACTS]],
        more_facts=max(0, len(facts) - FACTS),
        path=[PathStep(one.address, _label(one, 120), one.kind) for one in path],
        extent=_extent(path),
        spaces=sorted(spans | spaces_of(file, found)),
        children=children,
        damage=children_damage or damage,
        lenses=[Tab(one.name, one.title, one.question, _lacking(file, found, one)) for one in applying],
        lens=shown.name,
    )
    try:
        question = Question.of(where, engine)
        detail.payload = yield from lens.payload(file, found, shown, sure, question)
    except ParquetError as error:
        detail.trouble = trouble_of(error)
    return detail


def _lacking(file: ParquetFile, found: Node, one: lenses.Lens) -> str:
    if one.lacking is not None:
        with contextlib.suppress(ParquetError):
            return one.lacking(file, found)
    return ""


def children(file: ParquetFile, address: str = "", start: int = 0, count: int = PAGE) -> Children:
    """`count` children of a node from the one at `start`. UsageError for more than `PAGE`."""
    if start < 0 or not 0 <= count <= PAGE:
        raise UsageError(f"children {start} to {start + count}: ask for at most {PAGE}")
    below = file.node(address).children
    return Children(len(below), start, [_brief(file, one) for one in below[start : start + count]])


def locate(file: ParquetFile, offset: int, space: str = FILE) -> Located:
    """The address of the innermost node that owns a byte (`places.locate`)."""
    return Located(places.locate(file, offset, space))


NAMED = frozenset({Kind.COLUMN_CHUNK, Kind.SCHEMA_FIELD})
"""Kinds of nodes whose label is the name of a column or field."""

WHOLE = 2_000
"""Characters of a name that are kept: the view shortens it to its room, and shows all of it where one points."""


def _label(found: Node, limit: int) -> str:
    if found.kind in NAMED:
        return short_text.shorten_name(found.label, WHOLE)
    return short_text.shorten(found.label, limit)


def _brief(file: ParquetFile, found: Node) -> Brief:
    return Brief(
        address=found.address,
        kind=found.kind,
        label=_label(found, 300),
        span=found.span,
        state=cast("State", found.state),
        reason=short_text.shorten(found.reason, 1_000),
        leaf=_is_leaf(found),
        flag=flag(flagged(file, found)),
    )


def _is_leaf(found: Node) -> bool:
    """Whether an outline ends here. A value has nothing below it, except a Variant's, which has parts."""
    if found.kind == "value":
        with contextlib.suppress(ParquetError):
            return not len(found.children)
    return found.kind in LEAVES


def _count(found: Node) -> tuple[int, Trouble | None]:
    """How many children there are to show, and the error if they cannot be read."""
    if _is_leaf(found):
        return 0, None
    try:
        return len(found.children), None
    except ParquetError as error:  # its facts can still be read
        return 0, trouble_of(error)


def _facts(found: Node) -> tuple[list[engine_fact.Fact], Trouble | None]:
    try:
        return list(found.facts), None
    except ParquetError as error:
        return [], trouble_of(error)


def _path(file: ParquetFile, found: Node) -> list[Node]:
    """The nodes from the file down to this one, without parts of the address that are no nodes."""
    steps = [found]
    above = found.address
    while above:
        above = Address(above).parent
        with contextlib.suppress(ParquetError, ValueError, LookupError):
            steps.append(file.node(above))
    return steps[::-1]


def _extent(path: list[Node]) -> Span | None:
    """The bytes of the file that hold the last node of a path: its own, or those of the nearest node above it."""
    for step in reversed(path):
        if step.span is not None and step.span.space == FILE:
            return None if step.kind == "file" and step is not path[-1] else step.span
        if step.kind == "row_group":
            return _extent_of_chunks(step)
    return None


def _extent_of_chunks(group: Node) -> Span | None:
    """The bytes from the beginning of a row group's first chunk to the end of its last."""
    with contextlib.suppress(ParquetError):
        chunks = [group.children[i].span for i in (0, -1)] if len(group.children) else []
        spans = [span for span in chunks if span is not None and span.space == FILE]
        if spans:
            return Span(min(s.start for s in spans), max(s.end for s in spans))
    return None


def spaces_of(file: ParquetFile, found: Node) -> set[str]:
    """The spaces with bytes of a node: the file, and those of its page, such as the decompressed bytes."""
    spaces = {FILE} if found.span is None else {FILE, found.span.space}
    if in_page(found.address):
        with contextlib.suppress(ParquetError, LookupError):
            spaces |= set(page_at(file, found.address).body.spaces)
    return spaces


def _fact(fact: engine_fact.Fact) -> Fact:
    shown = short_text.show(fact.value)
    value = Value(shown["text"], shown["type"])
    return Fact(fact.name, value, fact.meaning, fact.span, fact.address)
