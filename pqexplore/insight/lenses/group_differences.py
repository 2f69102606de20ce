"""What differs between row groups, column by column: encodings, codecs, ranges and nulls, all by the footer.

Columns that are the same in all row groups are counted and not listed. What the footer does not say, or what needs a key,
is "not known", which is neither the same nor a difference.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.text import printable
from pqexplore.insight.lenses.group_chunks import GroupChunk, group_chunk, null_count, usable_ranks
from pqexplore.insight.skippable import Skippable, group_part_of, joint_axis
from pqexplore.insight.wording import listing, middle, name, percent, plural

CHUNKS = 1_000
"""Max column chunks that are compared: the first row groups, of the first columns."""

SHOWN = 40
"""Max columns in the picture, those with a difference first."""

VARIANTS = 4
"""Max forms of a property that are listed; the rest is counted."""

STRIP = 24
"""Max row groups whose ranges are drawn."""

NAME = 120
"""Characters of a column's path in the picture."""

SAME, DIFFERS, UNKNOWN = "same", "differs", "unknown"

NOT_KNOWN = "not known"


@dataclasses.dataclass(slots=True)
class Variant:
    """A form of a property, the row groups that have it, and the column chunk of the first of them."""

    groups: str
    text: str
    address: str


@dataclasses.dataclass(slots=True)
class Property:
    """One property of a column in these row groups; `state` is "same", "differs" or "unknown", `text` says it in words."""

    name: str
    state: str
    text: str
    variants: list[Variant]


@dataclasses.dataclass(slots=True)
class Compared:
    """A column. `low` and `high` are its ranges from 0 to 1 on their joint axis, None without one; empty if not drawn."""

    name: str
    address: str
    properties: list[Property]
    low: list[float | None]
    high: list[float | None]


@dataclasses.dataclass(slots=True)
class Differences:
    """The row groups `groups`, of `total`: the columns that differ, then those with something that is not known.

    `said` says it in a sentence. `differing`, `unknown` and `same` count all columns that were compared.
    """

    groups: list[int]
    total: int
    said: str
    columns: list[Compared]
    differing: int
    unknown: int
    same: int
    compared: int
    of: int


def group_differences(file: ParquetFile, groups: list[int]) -> Differences:
    """What differs between two row groups. UsageError if there are no such two."""
    total = len(file.row_groups)
    sound = isinstance(groups, list) and len(groups) == 2 and all(type(i) is int for i in groups)
    if not sound or groups[0] == groups[1] or not all(0 <= i < total for i in groups):
        raise UsageError(f"two different row groups can be compared; there are {total:,}")
    return differences(file, groups)


def differences(file: ParquetFile, groups: Sequence[int] | None = None) -> Differences:
    """What differs between these row groups; without `groups`, between the first ones, as many as `CHUNKS` allows."""
    leaves, total = file.schema.leaves, len(file.row_groups)
    if groups is None:
        groups = range(min(total, max(2, CHUNKS // max(1, len(leaves)))))
    read = leaves[: CHUNKS // max(1, len(groups))]
    columns = [_compared(file, leaf, groups) for leaf in read]
    states = [{one.state for one in column.properties} for column in columns]
    order = sorted(range(len(columns)), key=lambda i: _rank(columns[i]))
    listed = [columns[i] for i in order if states[i] != {SAME}]
    differing = sum(DIFFERS in one for one in states)
    unknown = sum(DIFFERS not in one and UNKNOWN in one for one in states)
    return Differences(
        groups=list(groups),
        total=total,
        said=_said(groups, columns, total, len(leaves)),
        columns=listed[:SHOWN],
        differing=differing,
        unknown=unknown,
        same=len(columns) - differing - unknown,
        compared=len(columns),
        of=len(leaves),
    )


def _rank(column: Compared) -> tuple[int, ...]:
    """Smaller for a column whose difference matters more: how it is stored, then what is in it, then what is not known."""
    states = [one.state for one in column.properties]
    return (*(one != DIFFERS for one in states), UNKNOWN not in states)


def _compared(file: ParquetFile, leaf: Leaf, groups: Sequence[int]) -> Compared:
    every = [file.row_groups[index] for index in groups]
    chunks = [group_chunk(group, leaf) for group in every]
    parts = [group_part_of(group, leaf) for group in every]
    axis = joint_axis(leaf, parts)
    ranks = usable_ranks(parts, axis)
    places = [round(at, 4) for at in axis.place.tolist()]
    drawn = sum(one is not None for one in ranks) > 1 and len(parts) <= STRIP
    return Compared(
        name=middle(printable(".".join(leaf.path)), NAME),
        address=Address.of("schema", leaf.index),
        properties=[
            _property("encodings", chunks, [_encodings(one) for one in chunks]),
            _property("codec", chunks, [one.codec or None for one in chunks]),
            _range(chunks, [_range_text(leaf, one) for one in parts], ranks),
            _property("nulls", chunks, _nulls([_null_share(leaf, one) for one in parts])),
        ],
        low=[places[i] if rank else None for i, rank in enumerate(ranks)] if drawn else [],
        high=[places[len(parts) + i] if rank else None for i, rank in enumerate(ranks)] if drawn else [],
    )


def _encodings(one: GroupChunk) -> str | None:
    """Encodings of the data pages; None if they are not known."""
    if not one.codec:
        return None
    return ", ".join(one.encodings) or ("none" if not one.values else None)


def _null_share(leaf: Leaf, part: Skippable) -> float | None:
    """The share of nulls, NaN without values; None if it is not known."""
    nulls = null_count(leaf, part)
    if nulls is None or part.values is None:
        return None
    return nulls / part.values if part.values else math.nan


def _nulls(shares: Sequence[float | None]) -> list[str | None]:
    """Shares of nulls as texts; they have more digits where the usual ones would make two shares look the same."""
    known = {one for one in shares if one is not None and not math.isnan(one)}
    exact = len({percent(one) for one in known}) < len(known)
    texts = {one: f"{100 * one:.12g} %" if exact else percent(one) for one in known}
    return [None if one is None else texts.get(one, "no values") for one in shares]


def _range_text(leaf: Leaf, part: Skippable) -> str | None:
    """The range as text; None if it is not known, or if a query may not use it."""
    if part.error or (part.elsewhere and not part.bounded):
        return None
    if part.only_nulls:
        return "nulls only"
    if part.values == 0 and not part.bounded:
        return "no values"
    return part.range_text(leaf) if part.bounded else None


def _property(title: str, chunks: Sequence[GroupChunk], texts: Sequence[str | None]) -> Property:
    """A property by its text in each row group, None where it is not known."""
    kinds = set(texts)
    known = kinds - {None}
    if len(known) > 1:
        state = DIFFERS
    elif None in kinds:
        state = UNKNOWN
    else:
        state = SAME
    if len(kinds) == 1:
        return Property(title, state, next(iter(texts)) or NOT_KNOWN, [])
    return Property(title, state, "", _variants(chunks, texts))


def _variants(chunks: Sequence[GroupChunk], texts: Sequence[str | None]) -> list[Variant]:
    found: dict[str, list[GroupChunk]] = {}
    for one, text in zip(chunks, texts, strict=True):
        found.setdefault(NOT_KNOWN if text is None else text, []).append(one)
    made = [Variant(_runs([one.group for one in has]), text, has[0].address) for text, has in found.items()]
    if len(made) <= VARIANTS:
        return made
    rest = sum(len(has) for has in list(found.values())[VARIANTS - 1 :])
    more = Variant("", f"{plural(rest, 'row group')} more", "")
    return [*made[: VARIANTS - 1], more]


def _runs(groups: Sequence[int]) -> str:
    """Numbers of row groups, those that follow each other as a range: "0 to 2, 5"."""
    ordered = sorted(groups)
    runs = [
        [number for _, number in run]
        for _, run in itertools.groupby(enumerate(ordered), lambda pair: pair[1] - pair[0])
    ]
    texts = [f"{run[0]:,}" if len(run) == 1 else f"{run[0]:,} to {run[-1]:,}" for run in runs]
    return listing(texts, most=4)


def _range(
    chunks: Sequence[GroupChunk], texts: Sequence[str | None], ranks: Sequence[tuple[int, int] | None]
) -> Property:
    """The ranges, and whether they overlap."""
    known = sorted(one for one in ranks if one is not None)
    if len(known) < 2 or len(set(known)) == 1:
        return _property("range", chunks, texts)
    follow = [high < low for (_, high), (low, _) in itertools.pairwise(known)]
    joint = max(low for low, _ in known) <= min(high for _, high in known)
    if all(follow):
        text = "do not overlap"
    elif joint or len(known) == 2:
        text = "overlap" if len(known) == 2 else "all overlap"
    else:
        text = "some overlap"
    return Property("range", DIFFERS, text, _variants(chunks, texts))


def _said(groups: Sequence[int], columns: Sequence[Compared], total: int, of: int) -> str:
    """Which columns are stored in different ways, or that none is, as far as it is known."""
    if len(groups) == 2:
        which = f"Row groups {groups[0]:,} and {groups[1]:,}"
    else:
        which = f"The {f'first {len(groups):,} ' if len(groups) < total else ''}row groups"
    parts = []
    for at, what in enumerate(("encodings", "codec")):
        odd = [name(one.name) for one in columns if one.properties[at].state == DIFFERS]
        if odd:
            parts.append(f"in the {what} of {listing(odd, most=4)}")
    among = "all columns" if len(columns) == of else f"the first {plural(len(columns), 'column')}"
    if parts:
        cut = "" if len(columns) == of else f", of {among}"
        return f"{which} differ {' and '.join(parts)}{cut}."
    unsure = any(one.properties[at].state == UNKNOWN for one in columns for at in range(2))
    known = ", as far as they are known" if unsure else ""
    return f"{which} have the same encodings and codecs in {among}{known}."
