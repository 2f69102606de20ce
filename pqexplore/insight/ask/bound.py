"""A condition bound to the columns of a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import Accepts

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Test:
    """One clause about one leaf.

    `leaf` is the column whose claims and values decide; for `variant_get` it is the `typed_value` that holds the path,
    and values of other types are elsewhere. `repeated` says that a row has several values and the clause is TRUE for a
    row if it is for one of them. `sql` is the clause, `remark` what was assumed about a literal, "" if nothing.
    """

    clause: predicate.Leaf
    leaf: Leaf
    accepts: Accepts
    sql: str
    repeated: bool = False
    remark: str = ""

    @property
    def column(self) -> str:
        """The dotted path of the leaf."""
        return ".".join(self.leaf.path)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Undecided:
    """A clause that nothing in a file can rule out, and why. `leaves` are the columns that it reads.

    `certain` is False if an engine may skip data by it, in ways that its profile does not follow.
    """

    why: str
    sql: str
    leaves: tuple[Leaf, ...] = ()
    clause: predicate.Clause | None = None
    certain: bool = True


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Always:
    """A clause that is the same for every row: TRUE, or (`value` is False) FALSE or NULL.

    `leaves` and `clause` are set if it is so by the file's schema, about these columns.
    """

    value: bool
    sql: str
    why: str = ""
    leaves: tuple[Leaf, ...] = ()
    clause: predicate.Clause | None = None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Both:
    """Conditions joined by AND."""

    parts: tuple[Bound, ...]
    sql: str


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Either:
    """Conditions joined by OR."""

    parts: tuple[Bound, ...]
    sql: str


Bound: TypeAlias = Test | Undecided | Always | Both | Either
"""A bound condition. Nodes compare by identity, so they are keys of rulings."""


def tests(bound: Bound) -> Iterator[Test]:
    """Yields the tests of a condition, from left to right."""
    for one in single(bound):
        if isinstance(one, Test):
            yield one


def single(bound: Bound) -> Iterator[Test | Undecided | Always]:
    """Yields everything that is not joined by AND or OR, from left to right."""
    if isinstance(bound, Both | Either):
        for part in bound.parts:
            yield from single(part)
    else:
        yield bound


def columns(bound: Bound) -> list[Leaf]:
    """The leaves that a condition reads, each once, in the order of the file."""
    found: dict[int, Leaf] = {}
    for one in single(bound):
        if isinstance(one, Test):
            found[one.leaf.leaf_index] = one.leaf
        elif isinstance(one, Undecided):
            found.update((leaf.leaf_index, leaf) for leaf in one.leaves)
    return [found[index] for index in sorted(found)]
