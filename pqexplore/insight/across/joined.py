"""The tables of a lens at many places as one table, for a lens that answers with a table at a single place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.format.field import Field
from pqexplore.engine.span import Span
from pqexplore.insight.across.beside import BESIDE
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses import LENSES, answer_of, finish
from pqexplore.insight.wording import plural

PLACES = 2_000
"""Column chunks, or fields of the schema, that are asked one by one."""

REMARK = Column("unread", "not read", meaning="why there is nothing to say of a place")


def over_chunks(scope: Scope, name: str) -> Answer:
    """The rows of all column chunks, each with its row group and column before it."""
    return _joined(scope, name, _chunks(scope), PLACE)


def over_columns(scope: Scope, name: str) -> Answer:
    """The rows of all columns, or groups of the schema, that the lens applies to."""
    return _joined(scope, name, _fields(scope), PLACE[1:])


Place = tuple[int | None, str, str]
"""Row group (None: all of them), dotted path, and the address of the node."""


def _chunks(scope: Scope) -> Iterator[Place]:
    for group, leaf in scope.places():
        yield group, ".".join(leaf.path), address_of(group, leaf)


def _fields(scope: Scope) -> Iterator[Place]:
    """The leaves and the groups around them, each once."""
    seen = set[int]()
    for leaf in scope.leaves:
        field: Field | None = leaf
        line: list[Field] = []
        while field is not None and field.parent is not None and field.index not in seen:
            line.append(field)
            seen.add(field.index)
            field = field.parent
        for one in reversed(line):
            yield None, ".".join(one.path), f"schema/{one.index}"


def _joined(scope: Scope, name: str, places: Iterator[Place], place_columns: Sequence[Column]) -> Answer:
    listed = list(itertools.islice(places, PLACES + 1))
    parts, unread = _answers(scope, name, listed[:PLACES])
    tables = [(place, made.table) for place, made in parts if made.table is not None]
    own = {column.name: column for _, found in tables for column in found.columns}
    before = [column for column in place_columns if column.name not in own]
    columns = [*before, *own.values(), *([REMARK] if unread else [])]
    table = Table(columns, LENSES[name].title)

    def add(place: Place, cells: dict[str, Any], address: str | None, span: Span | None) -> None:
        cells |= {column.name: place[PLACE.index(column)] for column in before}
        row = (cells.get(column.name) for column in columns)
        table.add(*row, address=address or place[2], span=span)

    for place, found in tables:
        names = [column.name for column in found.columns]
        for row, address, span in zip(found.rows, found.addresses, found.spans, strict=True):
            add(place, dict(zip(names, row, strict=True)), address, span)
    for place, why in unread:
        add(place, {REMARK.name: why}, None, None)
    said = _sentence(parts, unread) or f"The lens {name} has nothing to show of {scope.named}."
    if len(listed) > PLACES:
        said += f" The first {PLACES:,} places were looked at."
    return Answer(said, table=table)


def _answers(
    scope: Scope, name: str, places: Sequence[Place]
) -> tuple[list[tuple[Place, Answer]], list[tuple[Place, str]]]:
    """The answers at the places that the lens applies to, and why others cannot be read."""
    file, lens = scope.file, LENSES[name]
    parts: list[tuple[Place, Answer]] = []
    unread: list[tuple[Place, str]] = []
    for place in places:
        try:
            node = file.node(place[2])
            if not lens.applies(node) or (lens.lacking is not None and lens.lacking(file, node)):
                continue
            made = finish(answer_of(file, node, lens))
            parts.append((place, BESIDE[name](file, node, made) if name in BESIDE else made))
        except ParquetError as error:
            unread.append((place, error.message))
            if isinstance(error, LimitExceededError) and file.budget.exhausted:
                break
    return parts, unread


def _sentence(parts: list[tuple[Place, Answer]], unread: list[tuple[Place, str]]) -> str:
    """What is said of the first places, and how many there are; "" for none."""
    said = [f"{_named(place)}: {made.sentence}" for place, made in parts[:3]]
    more = len(parts) - 3
    if more > 0:
        said.append(f"{plural(more, 'other place follows', 'other places follow')}.")
    if unread:
        said.append(f"{plural(len(unread), 'place')} cannot be read, the first is {unread[0][0][2]}: {unread[0][1]}.")  # fmt: skip
    return " ".join(said)


def _named(place: Place) -> str:
    group, path, _ = place
    return f"{path}, row group {group:,}" if group is not None else path
