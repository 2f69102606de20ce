"""Two files side by side: what grew, what is gone, and which place of the second file matches the selected one.

The answer is that of `pqexplore.diff`, restricted to the selected place. The picture shows both files whole, so that it
stays the same while one goes from place to place.
"""

from __future__ import annotations

import dataclasses
import itertools
import weakref
from collections.abc import Generator, Hashable, Sequence
from contextlib import suppress

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.at import CHUNK
from pqexplore.engine.tree.node import Node
from pqexplore.insight import short_text
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.diff import second_file
from pqexplore.insight.diff.diff import DATA, LOOKED, Diff, change, labels
from pqexplore.insight.diff.difference import Difference
from pqexplore.insight.diff.matching import dotted
from pqexplore.insight.doctor.diagnose import default_level, so_far
from pqexplore.insight.doctor.rules import FOOTER
from pqexplore.insight.lenses.diff.column_map import Both, FilesMap, Place, both, drawn
from pqexplore.insight.lenses.lens import Lens, Steps
from pqexplore.insight.wording import listing, name, size

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
    """Two places side by side: the facts that differ, how many are equal, and the second place's first bytes.

    `note` says what the second place is, if it is more than one node, or none.
    """

    sides: list[Side]
    facts: list[BothFacts]
    equal: int
    rows: list[HexRow]
    note: str


def beside(file: ParquetFile, first: str | None = None, other: str | None = None) -> Beside:
    """Two places side by side, by their addresses in each file; None for no place."""
    there = second_file.second()
    if there is None:
        raise UsageError(second_file.HOW)
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
        return Address.of("schema", _matching_field(*pairs[0], node.address.name).index), ""
    slot = both.slot_of(place)
    if not slot.second:
        return None, "No row group of the second file stands beside this one."
    note = ""
    if slot.first != slot.second or len(slot.first) > 1:
        note = (
            f"Row groups are paired by their rows: {words(slot.first)} of the first file and {words(slot.second)} of the "
            "second stand side by side."
        )
    group = slot.second.start
    if place.leaves is None:
        return Address.of("row_groups", group), note
    return Address.of("row_groups", group, "columns", pairs[0][1].leaf_index), note


def _matching_field(first: Field, second: Field, index: str) -> Field:
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
    return Side(name, node.address, short_text.shorten(node.label, SHOWN), span, size)


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
            *(
                short_text.show(facts[name].value, SHOWN)["text"] if name in facts else None
                for facts in (first, second)
            ),
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
        HexRow(span.start + at, data[at : at + ROW].hex(" "), short_text.characters(data[at : at + ROW]))
        for at in range(0, len(data), ROW)
    ]


KINDS = frozenset(
    {
        *(Kind.FILE, Kind.ROW_GROUP, Kind.SCHEMA_FIELD, Kind.COLUMN_CHUNK),
        *(Kind.DATA_PAGE, Kind.DATA_PAGE_V2, Kind.DICTIONARY_PAGE, Kind.INDEX_PAGE),
    }
)

LISTED = 1_000
"""Max differences in the table."""

CAUSES = 8
"""Max causes of a difference of sizes that have a bar of their own."""

SENTENCES = 4
"""Max sentences of a cause."""

VERDICT = 400
"""Max characters of a verdict."""

WORDS = {"size": "bytes without a known cause", "column-added": "new column", "column-removed": "no column"}
"""Differences whose name is no cause by itself."""

EVERY_COLUMN = frozenset(("row-groups", "rows", "row-order", "row-values"))
"""Differences of the whole file that are about each of its columns."""

COLUMNS = (
    Column("subject", "about", "text", "what the difference is about"),
    Column("what", "what", "code", "its stable name"),
    Column("sentence", "difference", "text", "the difference with its evidence"),
    Column("first", "first file", "text", "what the first file has"),
    Column("second", "second file", "text", "what the second file has"),
    Column("bytes", "bytes more", "number", "how many bytes more the second file takes for it"),
    Column("effect", "effect on values", "text", "what becomes of values, for a change of the schema"),
    Column("at_second", "place in the second file", "code", "the address to look at there"),
)  # fmt: skip


@dataclasses.dataclass(slots=True)
class Cause:
    """By how many bytes the second file is larger (smaller: negative) because of something: its words, and its sentences."""

    label: str
    bytes: int
    sentences: list[str]


@dataclasses.dataclass(slots=True)
class OwnVerdict:
    """What the doctor says of one of the files, and the severity of its worst finding; "" without one."""

    name: str
    sentence: str
    severity: str


@dataclasses.dataclass(slots=True)
class Picture:
    """Both files as a map, null without columns or row groups; the place of the second file that matches the selected one.

    `level` is that of the comparison. `causes` add up to the difference of the sizes; none if the sizes are equal, or not
    all columns were compared. `verdicts` are those of both files.
    """

    map: FilesMap | None
    beside: Beside
    level: str
    causes: list[Cause]
    verdicts: list[OwnVerdict]


@dataclasses.dataclass(slots=True)
class Compared:
    """After the values were compared: how many differences there are."""

    differences: int


def answer(file: ParquetFile, node: Node) -> Steps:
    """What differs at a node. UsageError without a second file."""
    other = _second()
    code = "pqexplore.diff(f, second_file).table"
    try:
        found = yield from second_file.compared(file, other)
    except UsageError as error:  # too many column chunks
        return Answer("The two files were not compared.", empty=f"{error}.", code=code)
    files = yield from both(file, other)
    verdicts = yield from _verdicts(file, other)
    place = place_of(file, node)
    chosen = [one for one in found.differences if concerns(one, place, files)]
    return Answer(
        _sentence(found, node, place, files, chosen),
        Picture(
            drawn(files, place, found), beside_of(file, other, node, place, files), found.level, causes(found), verdicts
        ),
        _table(file, chosen),
        code=code,
    )


def causes(found: Diff) -> list[Cause]:
    """The causes of the difference of the sizes, the most bytes first, those after the first `CAUSES` as one; they add up."""
    made = []
    for what, count in found.causes.items():
        mine = [one for one in found.differences if one.what == what and one.bytes]
        made.append(Cause(_label(what, mine), count, [one.sentence for one in mine[:SENTENCES]]))
    rest = made[CAUSES:]
    if len(rest) > 1:
        some = [sentence for one in rest for sentence in one.sentences]
        made[CAUSES:] = [Cause(f"{len(rest)} more causes", sum(one.bytes for one in rest), some[:SENTENCES])]
    return made


def _label(what: str, mine: Sequence[Difference]) -> str:
    if what == "rest":
        return "footer, and what no difference explains"
    columns = list(dict.fromkeys(path for one in mine for path in one.columns))
    between = " " if what in ("column-added", "column-removed") else " of "
    of = between + listing([name(path) for path in columns], most=2) if columns else ""
    return WORDS.get(what, what.replace("-", " ")) + of


def _verdicts(file: ParquetFile, other: ParquetFile) -> Generator[float, None, list[OwnVerdict]]:
    """The verdicts on both files, by the same level at least."""
    made = []
    level = FOOTER if FOOTER in (default_level(file), default_level(other)) else None
    for one, label in zip((file, other), labels(file.name, other.name), strict=True):
        report = yield from so_far(one, level)
        worst = report.worst()
        made.append(
            OwnVerdict(label, short_text.shorten(report.sentence, VERDICT), "" if worst is None else worst.value)
        )
    return made


def values(file: ParquetFile) -> Generator[float, None, Compared]:
    """Compares the values of both files; the answers that follow know them."""
    found = yield from second_file.compared(file, _second(), DATA)
    return Compared(len(found.differences))


def _second() -> ParquetFile:
    other = second_file.second()
    if other is None:
        raise UsageError(second_file.HOW)
    return other


def place_of(file: ParquetFile, node: Node) -> Place:
    """The leaves and the row group that a node is about; a page is about its chunk, the schema's root about the file."""
    match = CHUNK.match(node.address)
    if match is not None:
        return Place((file.schema.leaves[int(match[2])],), int(match[1]))
    if node.kind == Kind.ROW_GROUP:
        return Place(group=int(node.address.name))
    if node.kind == Kind.SCHEMA_FIELD:
        index = int(node.address.name)
        leaves = tuple(leaf for leaf in file.schema.leaves if _field(leaf, index) is not None)
        return Place(leaves) if leaves and index else Place()
    return Place()


def _field(leaf: Leaf, index: int) -> Field | None:
    """The field of that index at a leaf or above it; None if it is elsewhere."""
    field: Field | None = leaf
    while field is not None and field.index != index:
        field = field.parent
    return field


def concerns(one: Difference, place: Place, files: Both) -> bool:
    """Whether a difference is about a place."""
    if place.group is not None and one.row_groups and place.group not in one.row_groups:
        return False
    if one.what in EVERY_COLUMN and not one.columns:
        return True
    if place.leaves is None:
        return place.group is None or bool(one.columns)
    return not {line.path for line in files.lines_of(place)}.isdisjoint(one.columns)


def _sentence(found: Diff, node: Node, place: Place, files: Both, chosen: Sequence[Difference]) -> str:
    """That of the comparison at the file; elsewhere the bytes of the place in both files, and what differs there."""
    if found.same_bytes or (place.group is None and place.leaves is None):
        return found.sentence
    sizes = files.bytes_of(place)
    said = _bytes(found, node, place, files, sizes)
    if chosen:
        said += f". {chosen[0].sentence}"
        if len(chosen) > 1:
            more = len(chosen) - 1
            said += f" {more:,} more {'difference is' if more == 1 else 'differences are'} listed."
    else:
        said += ", and nothing else differs there." if sizes[0] == sizes[1] is not None else "."
    return said[:1].upper() + said[1:] if found.level == DATA else LOOKED[found.level] + said


def _bytes(found: Diff, node: Node, place: Place, files: Both, sizes: tuple[int | None, int | None]) -> str:
    """How many bytes a place takes in both files."""
    slot = files.slot_of(place)
    what = ""
    if place.leaves is not None:
        field = place.leaves[0] if place.group is not None else _field(place.leaves[0], int(node.address.name))  # fmt: skip
        what = name(dotted(field or place.leaves[0]))
    mine, others = (_where(what, words(groups)) if groups and place.group is not None else what for groups in (slot.first, slot.second))  # fmt: skip
    lines = files.lines_of(place)
    if not any(line.second for line in lines) or not (slot.second or place.group is None):
        return f"{mine} is in {found.first} only" + (f": {size(sizes[0])}" if sizes[0] is not None else "")  # fmt: skip
    one, two = sizes
    if one is None or two is None:
        return f"the bytes of {mine} are not known in both files"
    more = f", {change(one, two)}" if one and one != two else ""
    if mine != others:
        return f"{mine} of {found.first} takes {size(one)}, and {others} of {found.second} {size(two)}{more}"
    if one == two:
        return f"{mine} takes {size(one)} in both files"
    return f"{mine} takes {size(two)} in {found.second} and {size(one)} in {found.first}{more}"


def _where(what: str, groups: str) -> str:
    return f"{what} in {groups}" if what else groups


def _table(file: ParquetFile, chosen: Sequence[Difference]) -> Table:
    table = Table(COLUMNS, "What differs here", total=len(chosen))
    for one in chosen[:LISTED]:
        at, there = one.addresses
        table.add(
            one.subject.value,
            one.what,
            one.sentence,
            one.first or None,
            one.second or None,
            one.bytes,
            one.effect.value or None,
            there or None,
            address=at or None,
            span=_span(file, at) if at else None,
        )
    return table


def _span(file: ParquetFile, address: str) -> Span | None:
    with suppress(ParquetError, LookupError, ValueError):
        return file.node(address).span
    return None


def depends(file: ParquetFile) -> Hashable:
    """The second file, and the level at which it was compared."""
    other = second_file.second()
    if other is None:
        return None
    found = second_file.known(file, other)
    return weakref.ref(other), None if found is None else found.level


LENS = Lens(
    "diff",
    title="Difference",
    answer=answer,
    kinds=KINDS,
    picture=Picture,
    operations={"diff_values": values, "diff_beside": beside},
    lacks=lambda: "" if second_file.second() is not None else second_file.HOW,
    depends=depends,
    figure=(Bars("sentence", "bytes", "bytes that the second file has more", "difference"),),
    value_free=("subject", "what", "bytes"),
)
