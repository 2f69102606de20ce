"""A place of the first file and the one of the second file that matches it: address, bytes, facts."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from contextlib import suppress

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Field
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.node import Node
from pqexplore.insight import text
from pqexplore.insight.diff import second
from pqexplore.insight.diff.diff import labels
from pqexplore.insight.lenses.diff_map import Both, Place

FACTS = 60
"""Max facts of a node that are compared."""

SHOWN = 160
"""Max characters of the value of a fact."""

ROW, ROWS = 16, 4
"""Bytes in a row of the second file's bytes, and rows."""


@dataclasses.dataclass(slots=True)
class Side:
    """A node of one file: its address, null if the file has no such place; its bytes, and how many."""

    name: str
    address: str | None
    label: str
    span: Span | None
    size: int | None


@dataclasses.dataclass(slots=True)
class BothFacts:
    """A fact of both nodes; null where a node has no such fact."""

    name: str
    meaning: str
    first: str | None
    second: str | None


@dataclasses.dataclass(slots=True)
class HexRow:
    """Some bytes of the second file: the offset of the first, their digits, and their characters."""

    offset: int
    digits: str
    characters: str


@dataclasses.dataclass(slots=True)
class Beside:
    """Two places beside each other: the facts that differ, how many are equal, and the second place's first bytes.

    `note` says what the second place is, if it is more than one node, or none.
    """

    sides: list[Side]
    facts: list[BothFacts]
    equal: int
    rows: list[HexRow]
    note: str


def beside(file: ParquetFile, first: str | None = None, other: str | None = None) -> Beside:
    """Two places beside each other, by their addresses in each file; None for no place."""
    there = second.second()
    if there is None:
        raise UsageError(second.HOW)
    return _beside(file, there, _node(file, first), _node(there, other), "")


def beside_of(file: ParquetFile, other: ParquetFile, node: Node, place: Place, both: Both) -> Beside:  # fmt: skip
    """A node of the first file beside the place of the second file that matches it."""
    address, note = _matching(node, place, both)
    shown = node if place.group is None or place.leaves is None else _node(file, _chunk(place))
    return _beside(file, other, shown, _node(other, address), note)


def _chunk(place: Place) -> str:
    assert place.leaves is not None
    return Address.of("row_groups", place.group or 0, "columns", place.leaves[0].leaf_index)


def _matching(node: Node, place: Place, both: Both) -> tuple[str | None, str]:
    """The address in the second file that matches a place of the first; None if there is none. And a note about it."""
    if place.group is None and place.leaves is None:
        return "", ""
    pairs = [(one.first, one.second) for one in both.lines_of(place) if one.first and one.second]
    if place.leaves is not None and not pairs:
        return None, "The second file has no such column."
    if place.group is None:
        return Address.of("schema", _field(*pairs[0], node.address.name).index), ""
    slot = both.slot_of(place)
    if not slot.second:
        return None, "No row group of the second file stands beside this one."
    note = ""
    if slot.first != slot.second or len(slot.first) > 1:
        note = (
            f"Row groups are paired by their rows: {words(slot.first)} of the first file and {words(slot.second)} of the "
            "second stand beside each other."
        )
    group = slot.second.start
    if place.leaves is None:
        return Address.of("row_groups", group), note
    return Address.of("row_groups", group, "columns", pairs[0][1].leaf_index), note


def _field(first: Field, second: Field, index: str) -> Field:
    """The field above a leaf of the second file that is as far above it as field `index` is above that of the first."""
    while str(first.index) != index and first.parent is not None and second.parent is not None:
        first, second = first.parent, second.parent
    return second


def words(groups: range) -> str:
    """Row groups as words: "row group 3", "row groups 0 to 3"."""
    if len(groups) == 1:
        return f"row group {groups.start:,}"
    return f"row groups {groups.start:,} to {groups.stop - 1:,}"


def _node(file: ParquetFile, address: str | None) -> Node | None:
    if address is None:
        return None
    with suppress(ParquetError):
        return file.node(address)
    return None


def _beside(file: ParquetFile, other: ParquetFile, one: Node | None, two: Node | None, note: str) -> Beside:
    facts, equal = _facts(_facts_of(one), _facts_of(two))
    names = labels(file.name, other.name)
    sides = [_side(names[0], one), _side(names[1], two)]
    return Beside(sides, facts, equal, _rows(other, sides[1].span), note)


def _side(name: str, node: Node | None) -> Side:
    if node is None:
        return Side(name, None, "", None, None)
    span = node.span
    size = None if span is None else len(span)
    return Side(name, node.address, text.shorten(node.label, SHOWN), span, size)


def _facts_of(node: Node | None) -> Sequence[Fact]:
    with suppress(ParquetError):
        return [] if node is None else list(itertools.islice(node.facts, FACTS))
    return []


def _facts(mine: Sequence[Fact], others: Sequence[Fact]) -> tuple[list[BothFacts], int]:
    """The facts that differ, in the order of the first node; and how many are equal."""
    first, second = ({fact.name: fact for fact in facts} for facts in (mine, others))
    made = [
        BothFacts(
            name,
            (first.get(name) or second[name]).meaning,
            *(text.show(facts[name].value, SHOWN)["text"] if name in facts else None for facts in (first, second)),
        )
        for name in dict.fromkeys((*first, *second))
    ]
    differ = [one for one in made if one.first != one.second]
    return differ, len(made) - len(differ)


def _rows(file: ParquetFile, span: Span | None) -> list[HexRow]:
    """The first bytes of a place."""
    if span is None or span.space != FILE or not len(span):
        return []
    try:
        data = bytes(file.bytes(Span(span.start, min(span.end, span.start + ROW * ROWS), FILE)))
    except ParquetError:
        return []
    return [
        HexRow(span.start + at, data[at : at + ROW].hex(" "), text.characters(data[at : at + ROW]))
        for at in range(0, len(data), ROW)
    ]
