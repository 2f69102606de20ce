"""Which column of one file is which column of another: by field id, then by path, then by path without case."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.text import printable

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """The same column in both files; `by` is what says so: `field id`, `path`, `path without case` or
    `values`.

    `path` is the dotted path in the second file as printable text, with a number if another column has the same text.
    """

    first: Leaf
    second: Leaf
    by: str
    path: str


@dataclasses.dataclass(frozen=True, slots=True)
class Matching:
    """The pairs in the order of the second file, and the leaves that only one file has."""

    pairs: tuple[Pair, ...]
    removed: tuple[Leaf, ...]
    added: tuple[Leaf, ...]


def matching(first: Sequence[Leaf], second: Sequence[Leaf]) -> Matching:
    """Pairs the leaves of two schemas.

    Field ids decide where both leaves have one, as Iceberg reads them: then a column of the same path with another id is
    another column. A key that several leaves of a file share decides nothing, so leaves of equal paths are paired in
    their order.
    """
    left: list[Leaf] = list(first)
    right: list[Leaf] = list(second)
    found: list[tuple[Leaf, Leaf, str]] = []
    for by, key in _KEYS:
        mine, others = _unique(left, key), _unique(right, key)
        for name in mine.keys() & others.keys():
            a, b = mine[name], others[name]
            if key is not field_id and _ids_differ(a, b):
                continue
            found.append((a, b, by))
        taken = {id(leaf) for one in found for leaf in one[:2]}
        left = [leaf for leaf in left if id(leaf) not in taken]
        right = [leaf for leaf in right if id(leaf) not in taken]
    return _matching(found, left, right)


def _matching(found: list[tuple[Leaf, Leaf, str]], left: Sequence[Leaf], right: Sequence[Leaf]) -> Matching:
    found.sort(key=lambda one: one[1].leaf_index)
    names = free_names([dotted(b) for _, b, _ in found])
    pairs = (Pair(*one, name) for one, name in zip(found, names, strict=True))
    return Matching(tuple(pairs), tuple(left), tuple(right))


def with_pairs(found: Matching, more: Sequence[Pair]) -> Matching:
    """The matching with more pairs, of leaves that only one file had."""
    pairs = [(one.first, one.second, one.by) for one in (*found.pairs, *more)]
    paired = {id(leaf) for one in more for leaf in (one.first, one.second)}
    left, right = ([leaf for leaf in some if id(leaf) not in paired] for some in (found.removed, found.added))
    return _matching(pairs, left, right)


def free_names(names: Sequence[str]) -> list[str]:
    """The names, and one that is there already with a number: `a`, `a (2)`."""
    made: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for name in names:
        free = name
        while free in made:
            counts[name] += 1
            free = f"{name} ({counts[name] + 1:,})"
        made[free] = None
    return list(made)


def dotted(field: Field) -> str:
    """The path of a field as printable text."""
    return printable(".".join(field.path))


def field_id(leaf: Field) -> int | None:
    """The id of a field; None if it has none."""
    return leaf.element.field_id


def _ids_differ(a: Leaf, b: Leaf) -> bool:
    mine, other = field_id(a), field_id(b)
    return mine is not None and other is not None and mine != other


def plain_path(leaf: Leaf) -> tuple[str, ...]:
    """The path with [] for the elements of a list, however its layout names them."""
    made: list[str] = []
    field: Field = leaf
    while field.parent is not None:
        around = _list_of(field)
        if around is None:
            made.append(field.name)
            field = field.parent
        else:
            made.append("[]")
            field = around
    return tuple(reversed(made))


def _list_of(field: Field) -> Field | None:
    """The list whose element the field is; None if it is none."""
    around = field.parent
    while around is not None and around.parent is not None:
        if around.list_element is field:
            return around
        around = around.parent if field.parent is around else None
    return None


def _path(leaf: Leaf) -> Hashable:
    return leaf.path


def _without_case(leaf: Leaf) -> Hashable:
    return tuple(name.lower() for name in plain_path(leaf))


_KEYS: tuple[tuple[str, Callable[[Leaf], Hashable | None]], ...] = (
    ("field id", field_id),
    ("path", _path),
    ("path", plain_path),
    ("path without case", _without_case),
)


def _unique(leaves: Sequence[Leaf], key: Callable[[Leaf], Hashable | None]) -> dict[Hashable, Leaf]:
    """The leaves by key; the n-th of several leaves with one path is known by (path, n); other keys that are shared know none."""
    made: dict[Hashable, Leaf] = {}
    counts = Counter(key(leaf) for leaf in leaves)
    seen: Counter[Hashable] = Counter()
    for leaf in leaves:
        name = key(leaf)
        if name is None or (counts[name] > 1 and key is not _path):
            continue
        made[(name, seen[name])] = leaf
        seen[name] += 1
    return made
