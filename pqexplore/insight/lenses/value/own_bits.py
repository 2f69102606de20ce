"""The bits of one value or level: the parts of its step that make it, and where its own bits are, in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.encodings.encoding import Structure
from pqexplore.engine.format.encodings.run_steps import RLE_RUN
from pqexplore.engine.format.explain import Group, Part, Row
from pqexplore.engine.span import FILE, Span
from pqexplore.insight.wording import plural

HEADS = 4
"""Parts of a step that are shown before the bits of the value."""


@dataclasses.dataclass(slots=True)
class Link:
    """Where a number in the text of a stage leads: to a node, by a lens ("" for its first), or to bytes.

    With the lens rows, `row` is the row to show.
    """

    text: str
    address: str | None = None
    lens: str = ""
    span: Span | None = None
    row: int | None = None


@dataclasses.dataclass(slots=True)
class Stage:
    """One stage: what it `gives`, how (`says`), and its bytes.

    `kind` is header, decryption, decompression, repetition, definition, encoding, dictionary, stored, logical, row or end.
    `bits` are the bits of `span` that are the value's own, counted from the least significant of its first byte; "" for
    whole bytes. `parts` are drawn down to the bits; `focus` is the number by which they name the value's own bits. `links`
    are in the order in which their texts stand in `gives` and in each of `says`.
    """

    kind: str
    title: str
    gives: str
    says: list[str]
    address: str | None = None
    span: Span | None = None
    bits: str = ""
    parts: list[Part] = dataclasses.field(default_factory=list)
    focus: int | None = None
    links: list[Link] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Own:
    """What is a value's or level's own in its section: a stage, the row of its step, and its place in words.

    `row` is None if the section stores no bits of it. `many`: whether `where` is plural.
    """

    stage: Stage
    row: Row | None = None
    where: str = ""
    many: bool = True


def own_bits(page: Page, section: str, index: int) -> Own:
    """The bits of a value or level. Raises ParquetError if damage before it hides them."""
    found, base = page.structure(section), page.body.section(section).span
    stage = Stage("encoding", "", "", [], Address.of(page.address, section, index), focus=index)
    step = found.steps.of_value(index)
    if step is None:
        if found.error is not None:
            raise found.error
        return Own(stage)
    kind, _, _, first, count = found.steps[step]
    parts, rows = found.explain(step, range(index, index + 1))
    row = next(one for one in rows if one.index == index)
    mine = [one for one in parts if any(group.value == index for group in one.groups)]
    stage.parts = [_without(row.how, one).shifted(base.start) for one in _with_heads(mine, parts, (None, first, index))]
    stage.span = span = found.value_span(index, base)[0]
    group = _group_of(mine[-1], index) if mine else None
    if group is not None:  # of an exception of ALP both its unused bits and its own bytes: the last are read
        low, high = mine[-1].at + group.start // 8, mine[-1].at + (group.end + 7) // 8
        stage.span = span = Span(low, high, base.space).shifted(base.start)
        if mine[-1].form == "bits" and row.bits:
            width = group.end - group.start
            stage.bits = f"{group.start % 8} to {group.start % 8 + width - 1}"
            return Own(stage, row, f"{plural(width, 'bit')} {_at(span)}", width != 1)
    elif count > 1 and kind is not RLE_RUN and not any(one.places for one in parts):
        stage.span = None
    return Own(stage, row, *_where(found, step, span, parts, bool(mine)))


def _with_heads(mine: Sequence[Part], parts: Sequence[Part], values: tuple[int | None, ...]) -> list[Part]:
    """The parts that have bits of a value, and the first ones about some values that say how these are read, in order."""
    heads = [one for one in parts if one not in mine and one.value in values][:HEADS]
    return [one for one in parts if one in mine or one in heads]


def _without(line: str, part: Part) -> Part:
    """A part that does not say a line, which the value's row says."""
    return dataclasses.replace(part, says=[one for one in part.says if one != line])


def _group_of(part: Part, index: int) -> Group:
    """The bits of a value in a part that has some."""
    return next(one for one in part.groups if one.value == index)


def _where(found: Structure, step: int, span: Span, parts: Sequence[Part], own: bool) -> tuple[str, bool]:
    """Where the bytes of a step are that make a value, in words, and whether the words are plural.

    `own`: whether a part of the step has bits of the value alone.
    """
    kind, _, _, _, count = found.steps[step]
    if kind is RLE_RUN:
        return f"a run of {plural(count, 'value')} in {plural(len(span), 'byte')} {_at(span)}", False
    if any(one.places for one in parts):
        return f"{plural(found.size(step), 'byte')}, one in each stream, the first {_at(span)}", True
    if not own and count > 1:
        return "no bits of its own", True
    if not len(span):
        return "no bytes of its own", True
    return f"{plural(len(span), 'byte')} {_at(span)}", len(span) != 1


def _at(span: Span) -> str:
    return f"at byte {span.start:,}{of_space(span)}"


def of_space(span: Span, what: str = "the") -> str:
    """The page whose decrypted or decompressed bytes a span counts, in words; "" for bytes of the file."""
    return "" if span.space == FILE else f" of {what} {span.space.rpartition(':')[2]} page"
