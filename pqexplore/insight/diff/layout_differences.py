"""How the layout differs: row groups, codecs, encodings, pages, statistics, indexes, by column."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import clip
from pqexplore.insight.diff.chunk_facts import ASPECTS, NONE, Aspect, Chunk, Columns, joined
from pqexplore.insight.diff.difference import Difference, Subject
from pqexplore.insight.diff.matching import Pair
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

NAMED = 4
"""Columns that a sentence names."""

SEVERAL = 8
"""Pairs of texts that are one difference each. If there are more, one difference speaks of all."""

_ONE_IN_ALL = ("pages",)
"""Aspects whose texts differ from column to column: one difference speaks of all columns."""


def row_counts(file: ParquetFile) -> list[int | None]:
    """The rows of each row group; None where it does not say."""
    made: list[int | None] = []
    for group in file.row_groups:
        try:
            made.append(group.num_rows)
        except ParquetError:
            made.append(None)
    return made


def row_groups(one: Sequence[int | None], two: Sequence[int | None]) -> Iterator[Difference]:
    """Another division into row groups, if it is not a consequence of other rows."""
    if list(one) == list(two):
        return
    first, second = _groups(one), _groups(two)
    if sum(n or 0 for n in one) != sum(n or 0 for n in two) and _only_last(one, two):
        return
    yield Difference(
        Subject.LAYOUT,
        "row-groups",
        f"The rows are in {second} in place of {first}.",
        first=first,
        second=second,
        clause=f"it has {second} in place of {first}",
        addresses=("row_groups/0" if one else "", "row_groups/0" if two else ""),
    )


def _only_last(one: Sequence[int | None], two: Sequence[int | None]) -> bool:
    """Whether both have row groups of one size, and another rest: more rows, not another division."""
    size = max((n or 0 for n in (*one, *two)), default=0)
    return all(n == size for found in (one, two) for n in found[:-1])


def _groups(rows: Sequence[int | None]) -> str:
    known = sorted(n for n in rows if n is not None)
    if not known:
        return plural(len(rows), "row group")
    typical = known[len(known) // 2]
    about = "" if known[0] == known[-1] else "about "
    return f"{plural(len(rows), 'row group')} of {about}{plural(typical, 'row')}"


@dataclasses.dataclass(slots=True)
class _Found:
    """The places where an aspect has one text in the first and another in the second file."""

    columns: dict[str, Pair] = dataclasses.field(default_factory=dict)
    groups: set[int] = dataclasses.field(default_factory=set)


def aspects(
    pairs: Sequence[Pair], columns: Columns, same_groups: bool, retyped: Collection[str], shredded: Collection[str]
) -> Iterator[Difference]:
    """What column chunks have in one file and not in the other, the columns of one difference together.

    If both files have the same row groups, chunk by chunk; else by what all chunks of a column have. What follows from
    something else is left out: the statistics of `retyped` columns, encodings and pages of Variants that are `shredded` in
    another way, the number of pages where the encoding differs.
    """
    encoded: set[str] = set()
    differ = [(pair, _differing(*columns[pair.path], same_groups)) for pair in pairs]
    for aspect in ASPECTS:
        found: dict[tuple[str, str], _Found] = {}
        lacking: dict[tuple[bool, bool], tuple[str, str]] = {}
        for pair, places in differ:
            if aspect.subject is Subject.STATISTICS and pair.path in retyped:
                continue
            if aspect.name in ("encoding", "pages") and pair.path in shredded:
                continue
            if aspect.name in _ONE_IN_ALL and pair.path in encoded:
                continue
            for one, two, group in places:
                first, second = one.get(aspect.name, ""), two.get(aspect.name, "")
                if not first or not second or first == second:
                    continue
                if NONE in (first, second):  # what one file has may differ from column to column
                    lacks = first == NONE, second == NONE
                    first, second = lacking.setdefault(lacks, (first, second))
                place = found.setdefault((first, second), _Found())
                place.columns[pair.path] = pair
                if aspect.name == "encoding":
                    encoded.add(pair.path)
                if group is not None:
                    place.groups.add(group)
        if len(found) > (1 if aspect.name in _ONE_IN_ALL else SEVERAL):
            yield _several(aspect, found)
            continue
        for (first, second), place in found.items():
            yield _difference(aspect, first, second, place, len(pairs))


def unread(pairs: Sequence[Pair], columns: Columns) -> Iterator[Difference]:
    """Chunks whose metadata cannot be read: nothing is known of them."""
    for side, has in enumerate(("first", "second")):
        found = [pair for pair in pairs if None in columns[pair.path][side]]
        if not found:
            continue
        count = sum(columns[pair.path][side].count(None) for pair in found)
        some = listing([name(pair.path) for pair in found], most=NAMED)
        yield Difference(
            Subject.FILE,
            "not-compared",
            f"The metadata of {plural(count, 'column chunk')} of {some} cannot be read in the {has} file, and is not compared.",
            tuple(pair.path for pair in found),
        )


_Texts = dict[str, str]


def _differing(
    one: Sequence[Chunk | None], two: Sequence[Chunk | None], same_groups: bool
) -> list[tuple[_Texts, _Texts, int | None]]:
    """The texts of a column that are not all equal, by row group; those of all row groups if these are not the same."""
    if same_groups:
        return [
            (a.texts, b.texts, index)
            for index, (a, b) in enumerate(zip(one, two, strict=True))
            if a is not None and b is not None and a.texts is not b.texts and a.texts != b.texts
        ]
    # The number of pages follows from the row groups.
    names = [aspect.name for aspect in ASPECTS if aspect.name not in _ONE_IN_ALL]
    first, second = ({name: joined(side, name) for name in names} for side in (one, two))
    return [(first, second, None)]


def _difference(aspect: Aspect, first: str, second: str, place: _Found, of_columns: int) -> Difference:
    paths = tuple(place.columns)
    every = len(paths) == of_columns and of_columns > 1
    some = f"all {of_columns:,} columns" if every else listing([name(path) for path in paths], most=NAMED)
    groups = tuple(sorted(place.groups))
    shown, shown_second = clip(first, 120), clip(second, 120)
    if NONE in (first, second):
        has, text = ("first", shown) if second == NONE else ("second", shown_second)
        kind = "" if text in ("one", "some") else f" ({text.removeprefix('one of ')})"
        sentence = f"Only the {has} file has {_article(aspect.noun)}{kind} for {some}."
        clause = (
            f"{some} {'have' if every or len(paths) > 1 else 'has'} {'no' if second == NONE else 'a'} {aspect.noun}"
        )
    else:
        verb = "are" if aspect.noun.endswith("statistics") else "is"
        sentence = f"The {aspect.noun} of {some} {verb} {shown_second} in place of {shown}."
        clause = f"the {aspect.noun} of {some} is {shown_second} in place of {shown}"
    pair = place.columns[paths[0]]
    group = groups[0] if groups else 0
    return Difference(
        aspect.subject,
        aspect.name,
        sentence,
        paths,
        groups,
        first,
        second,
        clause if aspect.sized or aspect.name in ("bloom-filter", "page-index") else "",
        addresses=(
            Address.of("row_groups", group, "columns", pair.first.leaf_index),
            Address.of("row_groups", group, "columns", pair.second.leaf_index),
        ),
    )


def _article(noun: str) -> str:
    if noun.endswith(("statistics", "checksums")) or noun in ("encryption", "key-value metadata"):
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _several(aspect: Aspect, found: dict[tuple[str, str], _Found]) -> Difference:
    """One difference for texts that differ from column to column, with the first as the example."""
    columns: dict[str, Pair] = {}
    groups: set[int] = set()
    for place in found.values():
        columns.update(place.columns)
        groups |= place.groups
    (first, second), example = next(iter(found.items()))
    path, pair = next(iter(example.columns.items()))
    group = min(example.groups, default=0)
    sentence = (
        f"{plural(len(columns), 'column')} {'has' if len(columns) == 1 else 'have'} another {aspect.noun}: "
        f"{name(path)} has {clip(second, 120)} in place of {clip(first, 120)} in row group {group}."
    )
    return Difference(
        aspect.subject,
        aspect.name,
        sentence,
        tuple(columns),
        tuple(sorted(groups)),
        first,
        second,
        f"the {aspect.noun} of {plural(len(columns), 'column')} differs" if aspect.sized else "",
        addresses=(
            Address.of("row_groups", group, "columns", pair.first.leaf_index),
            Address.of("row_groups", group, "columns", pair.second.leaf_index),
        ),
    )
