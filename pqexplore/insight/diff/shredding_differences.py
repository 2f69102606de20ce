"""How the shredding of Variants differs: the same values can be stored in both ways.

Specification: https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.variant.bounds import group_of
from pqexplore.insight.diff.difference import Difference, Effect, Subject
from pqexplore.insight.diff.matching import Matching, dotted
from pqexplore.insight.diff.type_changes import change
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf

SHREDDING = "shredding"
"""What these differences are called."""


def differences(found: Matching) -> Iterator[Difference]:
    """One for each Variant of both files that is shredded in another way; `columns` are all of its leaves."""
    groups: dict[tuple[str, ...], tuple[Field, Field]] = {}
    for pair in found.pairs:
        one, two = group_of(pair.first), group_of(pair.second)
        if one is not None and two is not None:
            groups[two.path] = one, two
    for one, two in groups.values():
        pairs = [pair for pair in found.pairs if group_of(pair.second) is two]
        removed = [leaf for leaf in found.removed if group_of(leaf) is one]
        added = [leaf for leaf in found.added if group_of(leaf) is two]
        if not (removed or added or any(change(pair.first, pair.second) for pair in pairs)):
            continue
        first = _typed([pair.first for pair in pairs] + removed, one)
        second = _typed([pair.second for pair in pairs] + added, two)
        yield Difference(
            Subject.SCHEMA,
            SHREDDING,
            f"The Variants of {name(dotted(two))} are {_words(second)} in the second file, and {_words(first)} in the first: "
            "the same values can be stored in both ways.",
            (*(pair.path for pair in pairs), *(dotted(leaf) for leaf in (*removed, *added))),
            first=first,
            second=second,
            clause=f"{name(dotted(two))} is shredded in another way",
            effect=Effect.LOOKS,
            addresses=(Address.of("schema", one.index), Address.of("schema", two.index)),
        )


def _typed(leaves: Sequence[Leaf], group: Field) -> str:
    """The parts of a Variant that have columns of their own, with their types; "" for none."""
    found = []
    for leaf in sorted(leaves, key=lambda one: one.leaf_index):
        path = leaf.path[len(group.path) :]
        if path[:1] == ("typed_value",) and path[-1] != "value":
            part = ".".join(one for one in path if one != "typed_value")
            found.append(f"{part} ({describe(leaf)})" if part else describe(leaf))
    return listing(found)


def _words(parts: str) -> str:
    return f"shredded as {parts}" if parts else "not shredded"
