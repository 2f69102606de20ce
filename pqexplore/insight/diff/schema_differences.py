"""How the schema differs: columns that came, went, moved or were renamed; types, nullability, lists, field ids."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.format.field import OPTIONAL, REPEATED
from pqexplore.engine.format.logical import describe
from pqexplore.engine.text import clip
from pqexplore.insight.diff import shredding_differences
from pqexplore.insight.diff.difference import Difference, Effect, Subject
from pqexplore.insight.diff.matching import Matching, Pair, dotted, field_id, plain_path
from pqexplore.insight.diff.type_changes import Change, change
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf

NAMED = 4
"""Columns that a sentence names."""


def differences(found: Matching, first: str, second: str) -> Iterator[Difference]:
    """The differences of two schemas; `first` and `second` are the names of the files."""
    shreddings = list(shredding_differences.differences(found))
    yield from shreddings
    renumbered = list(_renumbered(found))
    yield from renumbered
    named = {path for one in (*shreddings, *renumbered) for path in one.columns}
    kept = [(pair.first, pair.second) for pair in found.pairs]
    yield from _only(found.removed, "column-removed", first, named, [*found.added, *(b for _, b in kept)])
    yield from _only(found.added, "column-added", second, named, [*found.removed, *(a for a, _ in kept)])
    seen: set[tuple[str, str, str]] = set()
    nullable: dict[tuple[str, str], list[tuple[Field, Field, Pair]]] = {}
    for pair in found.pairs:
        yield from _renamed(pair, first, second)
        if pair.path in named:
            continue
        yield from _type(pair)
        for a, b in _repetitions(pair):
            key = REPETITIONS[a.repetition], REPETITIONS[b.repetition]
            fields = nullable.setdefault(key, [])
            if all(b is not known for _, known, _ in fields):  # a struct is around several leaves
                fields.append((a, b, pair))
        for one in _lists(pair):
            # A list is around several leaves, and is said once.
            if (one.what, *one.addresses) not in seen:
                seen.add((one.what, *one.addresses))
                yield one
    for (before, after), fields in nullable.items():
        at = Address.of("schema", fields[0][0].index), Address.of("schema", fields[0][1].index)
        yield nullability(before, after, [b.path for _, b, _ in fields], [pair.path for _, _, pair in fields], at)
    yield from _ids(found.pairs)
    yield from _moved(found.pairs)


def _renumbered(found: Matching) -> Iterator[Difference]:
    """Columns of one path with another field id in each file."""
    added = {leaf.path: leaf for leaf in found.added if field_id(leaf) is not None}
    for one in found.removed:
        two = added.get(one.path)
        if two is None or field_id(one) is None:
            continue
        yield Difference(
            Subject.SCHEMA,
            "field-id",
            f"{name(dotted(two))} has the field id {field_id(two)} in place of {field_id(one)}: a table that finds columns by id "
            "takes them for two columns, so they are not compared.",
            (dotted(two),),
            first=str(field_id(one)),
            second=str(field_id(two)),
            effect=Effect.MEANING,
            addresses=(Address.of("schema", one.index), Address.of("schema", two.index)),
        )


def _only(
    leaves: Sequence[Leaf], what: str, has: str, named: Collection[str], others: Iterable[Leaf]
) -> Iterator[Difference]:
    """Columns of one file only, those of one group together, without those that another difference has `named`.

    `others` are the leaves of the other file.
    """
    groups: dict[tuple[str, ...], list[Leaf]] = {}
    there = {plain_path(leaf) for leaf in others} if leaves else set()
    groups_there = {path[:end] for path in there for end in range(1, len(path))}
    for leaf in leaves:
        if dotted(leaf) in named:
            continue
        groups.setdefault(leaf.path[:1], []).append(leaf)
    for leaves_of in groups.values():
        kind = _kind_of_only(leaves_of, what, there, groups_there)
        address = Address.of("schema", leaves_of[0].index)
        yield only(
            what, has, [dotted(leaf) for leaf in leaves_of], [describe(leaf) for leaf in leaves_of], kind, address
        )


def only(
    what: str, has: str, paths: Sequence[str], types: Sequence[str], kind: str = "", address: str = ""
) -> Difference:
    """Columns that only one side has, which the sentence calls `has`; `what` is `column-added` or `column-removed`."""
    added = what == "column-added"
    some, kinds = listing([name(path) for path in paths], most=NAMED), listing(types, most=NAMED)
    return Difference(
        Subject.SCHEMA,
        what,
        f"Only {has} has {some} ({kinds}).",
        tuple(paths),
        first="" if added else kinds,
        second=kinds if added else "",
        clause=f"{some} {'is' if len(paths) == 1 else 'are'} {'new' if added else 'gone'}",
        effect=Effect.NONE if added else Effect.LOST,
        kind=kind,
        addresses=("", address) if added else (address, ""),
    )


def _kind_of_only(
    leaves: Sequence[Leaf],
    what: str,
    leaves_there: Collection[tuple[str, ...]],
    groups_there: Collection[tuple[str, ...]],
) -> str:
    """The key of `engines.ANSWERS` for leaves of one top-level column, by the paths of the other file."""
    found = set()
    for path in map(plain_path, leaves):
        if any(_other_shape(path[:end], path[end:], leaves_there, groups_there) for end in range(1, len(path) + 1)):  # fmt: skip
            found.add("shape")
        elif path[:1] not in groups_there:
            found.add(what)
        elif path[:-1] in groups_there:
            found.add(what.replace("column", "struct-field"))
        else:  # a group inside of the column
            found.add("")
    return found.pop() if len(found) == 1 else ""


def _other_shape(
    field: tuple[str, ...],
    below: tuple[str, ...],
    leaves_there: Collection[tuple[str, ...]],
    groups_there: Collection[tuple[str, ...]],
) -> bool:
    """Whether a field is a leaf in one file, and a group in the other; or a list in one, and a struct in the other."""
    if not below:
        return field in groups_there
    element = (*field, "[]")
    listed = element in leaves_there or element in groups_there
    return field in leaves_there or (field in groups_there and listed != (below[0] == "[]"))


def _renamed(pair: Pair, first: str, second: str) -> Iterator[Difference]:
    if plain_path(pair.first) == plain_path(pair.second):
        return
    before, after = dotted(pair.first), pair.path
    said = f"{name(before)} of {first} and {name(after)} of {second}"
    if pair.by == "path without case":
        what, kind, said = "name-case", "name-case", f"{said} differ in case only."
    elif pair.by == "values":
        what, kind, said = "column-renamed", "column-removed", f"{name(before)} is now {name(after)}: same values."
    else:
        what, kind, said = "column-renamed", "", f"{said} have the same field id, {field_id(pair.second)}."
    yield Difference(
        Subject.SCHEMA,
        what,
        said,
        (after,),
        first=before,
        second=after,
        effect=Effect.LOOKS,
        kind=kind,
        addresses=_places(pair),
    )


def _type(pair: Pair) -> Iterator[Difference]:
    found = change(pair.first, pair.second)
    if found is not None:
        yield retyped(pair.path, found.first, found.second, found, _places(pair))


def retyped(
    path: str, first: str, second: str, found: Change | None, addresses: tuple[str, str] = ("", "")
) -> Difference:
    """A column of another type: `first` and `second` are the types; `found` says what becomes of values, if it is known."""
    change = f"{second} in place of {first}"
    effect = "" if found is None else f": {found.effect.value} ({found.why})"
    return Difference(
        Subject.SCHEMA,
        "type",
        f"The type of {name(path)} is {change}{effect}.",
        (path,),
        first=first,
        second=second,
        clause=f"{name(path)} is {change}",
        effect=Effect.NONE if found is None else found.effect,
        kind="" if found is None else found.kind,
        addresses=addresses,
    )


REPETITIONS = ("required", "optional", "repeated")
"""The words by the number of the repetition type."""


def _chain(leaf: Leaf) -> list[Field]:
    """The fields from the root's child to the leaf."""
    made: list[Field] = []
    field: Field = leaf
    while field.parent is not None:
        made.append(field)
        field = field.parent
    return made[::-1]


def _repetitions(pair: Pair) -> Iterator[tuple[Field, Field]]:
    """The fields around a leaf, and itself, that are optional in one file and required in the other."""
    mine, others = _chain(pair.first), _chain(pair.second)
    if len(mine) != len(others):
        return  # another layout of a list, or a field that moved into a group: `_lists`, `_renamed`
    for a, b in zip(mine, others, strict=True):
        if a.repetition != b.repetition and REPEATED not in (a.repetition, b.repetition):
            yield a, b


def nullability(
    before: str,
    after: str,
    paths: Sequence[Sequence[str] | str],
    leaves: Sequence[str],
    addresses: tuple[str, str] = ("", ""),
) -> Difference:
    """Fields that are optional on one side and required on the other: their paths, and those of the leaves in them."""
    optional = after == REPETITIONS[OPTIONAL]
    some, verb = listing([name(path) for path in paths], most=NAMED), "is" if len(paths) == 1 else "are"
    return Difference(
        Subject.SCHEMA,
        "nullability",
        f"{some} {verb} {after} in place of {before}: nulls are {'' if optional else 'not '}possible in the second.",
        tuple(leaves),
        first=before,
        second=after,
        clause=f"{some} {verb} {after}",
        effect=Effect.WIDENED if optional else Effect.NARROWED,
        kind="nullability" if optional else "nullability-required",
        addresses=addresses,
    )


def _lists(pair: Pair) -> Iterator[Difference]:
    mine, others = ([f for f in _chain(leaf) if f.list_rule] for leaf in (pair.first, pair.second))
    before, after = ([str(field.list_rule) for field in found] for found in (mine, others))
    if before == after:
        yield from _names_in_lists(pair)
        return
    first, second = ", ".join(before) or "no list", ", ".join(after) or "no list"
    same = len(before) == len(after)
    around = (mine or _chain(pair.first))[0], (others or _chain(pair.second))[0]
    yield Difference(
        Subject.SCHEMA,
        "list-layout",
        f"The lists of {name(around[1].path)} are laid out as {second} in place of {first}.",
        (pair.path,),
        first=first,
        second=second,
        effect=Effect.LOOKS if same else Effect.MEANING,
        addresses=(Address.of("schema", around[0].index), Address.of("schema", around[1].index)),
    )


def _names_in_lists(pair: Pair) -> Iterator[Difference]:
    """Other names of the groups and elements of a list or map, which no value depends on."""
    mine, others = _chain(pair.first), _chain(pair.second)
    if (
        plain_path(pair.first) != plain_path(pair.second)
        or len(mine) != len(others)
        or not any(f.list_rule for f in others)
    ):
        return
    for a, b in zip(mine, others, strict=True):
        if a.name != b.name:
            around = next(field for field in others if field.list_rule)
            yield Difference(
                Subject.SCHEMA,
                "list-names",
                f"A field in the list {name(around.path)} is called {name(b.name)} in place of {name(a.name)}.",
                (pair.path,),
                first=a.name,
                second=b.name,
                effect=Effect.LOOKS,
                addresses=(Address.of("schema", a.index), Address.of("schema", b.index)),
            )
            return


def _ids(pairs: Sequence[Pair]) -> Iterator[Difference]:
    """Field ids that one file lacks, or that changed; those of all columns together."""
    gone = [pair for pair in pairs if field_id(pair.first) is not None and field_id(pair.second) is None]
    new = [pair for pair in pairs if field_id(pair.first) is None and field_id(pair.second) is not None]
    for found, words in ((gone, ("has", "lacks")), (new, ("lacks", "has"))):
        if not found:
            continue
        paths = [pair.path for pair in found]
        yield Difference(
            Subject.SCHEMA,
            "field-ids",
            f"The first file {words[0]} field ids for {listing([name(path) for path in paths], most=NAMED)}, the second "
            f"{words[1]} them: a table that finds columns by id reads only one of the files so.",
            tuple(paths),
            first=_id_list([pair.first for pair in found]),
            second=_id_list([pair.second for pair in found]),
            effect=Effect.LOOKS,
            addresses=_places(found[0]),
        )


def _id_list(leaves: Sequence[Leaf]) -> str:
    ids = [str(one) for leaf in leaves if (one := field_id(leaf)) is not None]
    return clip(", ".join(ids), 80)


def _moved(pairs: Sequence[Pair]) -> Iterator[Difference]:
    """Common columns that stand in another order."""
    order = [pair.first.leaf_index for pair in pairs]
    if order == sorted(order):
        return
    kept = set(_longest_rising(order))
    moved = [pair.path for at, pair in enumerate(pairs) if at not in kept]
    some = listing([name(path) for path in moved], most=NAMED)
    yield Difference(
        Subject.SCHEMA,
        "column-order",
        f"{some} {'stands' if len(moved) == 1 else 'stand'} elsewhere among the columns.",
        tuple(moved),
        effect=Effect.LOOKS,
        kind="column-order",
    )


def _longest_rising(order: Sequence[int]) -> list[int]:
    """The positions of a longest rising subsequence (patience sorting)."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, value in enumerate(order):
        place = bisect.bisect_left(tails, value)
        before.append(ends[place - 1] if place else -1)
        tails[place : place + 1] = [value]
        ends[place : place + 1] = [at]
    found = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(at)
        at = before[at]
    return found[::-1]


def _places(pair: Pair) -> tuple[str, str]:
    return Address.of("schema", pair.first.index), Address.of("schema", pair.second.index)
