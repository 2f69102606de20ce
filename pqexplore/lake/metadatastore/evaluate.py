"""Decides which objects a query can skip.

An object is skipped if it is proven that the condition is TRUE for none of its rows. AND is ruled out if one of its
parts is, OR if all of its parts are; a clause is ruled out if one witness rules it out. Every other object is kept. The
reasons have the finding of each witness.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.text import printable
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.predicate import All, Clause, Compare, Leaf, NullTest, OneOf, Some
from pqexplore.lake.metadatastore import computed, evidence
from pqexplore.lake.metadatastore.witness import Silent, Witness

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store

SOUND, XSKIPPER = "sound", "xskipper"
MODES = (SOUND, XSKIPPER)

SKIPPED, PARTITION_PRUNED, KEPT = "skipped", "partition pruned", "kept"


@dataclasses.dataclass(frozen=True)
class Reason:
    """The finding of one witness about one clause for one object.

    `clause` is SQL; `column` is the store's column (None if the clause's column has no index); `rules_out` is whether
    the clause is TRUE for no row of the object; `because` is the evidence, in a sentence.
    """

    clause: str
    column: str | None
    rules_out: bool
    because: str

    def __str__(self) -> str:
        by = f" [{self.column}]" if self.column else ""
        ruled = "ruled out, " if self.rules_out else ""
        return printable(f"{self.clause}{by}: {ruled}{self.because}")


class Reasons(Mapping[str, tuple[Reason, ...]]):
    """The reasons by object name, computed on access."""

    def __init__(self, rows: Mapping[str, list[int]], explain: Callable[[int], list[Reason]]) -> None:
        self._rows = rows
        self._explain = explain

    def __getitem__(self, name: str) -> tuple[Reason, ...]:
        found: dict[Reason, None] = {}
        for row in self._rows[name]:
            found |= dict.fromkeys(self._explain(row))
        return tuple(found)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Which of a store's objects a condition needs; all names are object names, in the store's order.

    - `skipped`: ruled out by indexes; `partition_pruned`: ruled out by partition columns alone; `kept`: the rest.
      Objects that the store does not have are not listed, and must be read.
    - `reasons`: the findings of all witnesses about all clauses, by object name.
    - `may_lose`: in mode xskipper, the objects that are skipped or pruned without proof that they have no matching
      row, each with the reason in words; empty in mode sound.
    """

    predicate: str
    mode: str
    skipped: tuple[str, ...]
    partition_pruned: tuple[str, ...]
    kept: tuple[str, ...]
    reasons: Mapping[str, tuple[Reason, ...]] = dataclasses.field(repr=False)
    may_lose: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def verdict(self, name: str) -> str:
        """`skipped`, `partition pruned` or `kept`; KeyError for an object that the store does not have."""
        if name not in self.reasons:
            raise KeyError(name)
        if name in self._skipped:
            return SKIPPED
        return PARTITION_PRUNED if name in self._pruned else KEPT

    @functools.cached_property
    def _skipped(self) -> frozenset[str]:
        return frozenset(self.skipped)

    @functools.cached_property
    def _pruned(self) -> frozenset[str]:
        return frozenset(self.partition_pruned)


def sound(
    store: Store,
    condition: str,
    clause: Clause,
    types: Mapping[str, str] | None = None,
    zone: datetime.tzinfo | None = None,
    not_null: computed.NotNull | None = None,
) -> Evaluation:
    """Evaluates a condition in mode sound. `zone` is the session's, None if it is not known.

    `not_null` has columns that are known to have no NULL.
    """
    known = {**store.column_types, **{name.lower(): kind for name, kind in (types or {}).items()}}
    made = {leaf: _witnesses(store, leaf, known, zone, not_null or {}) for leaf in predicate.leaves(clause)}

    alone = {leaf: [one for one in some if one.by_partition] for leaf, some in made.items()}
    by_partition, by_any = ruling(clause, alone), ruling(clause, made)
    partitioned = any(alone.values())
    verdicts: dict[str, list[str]] = {SKIPPED: [], PARTITION_PRUNED: [], KEPT: []}
    for name, rows in store.rows.items():
        if partitioned and all(map(by_partition, rows)):
            verdicts[PARTITION_PRUNED].append(name)
        elif all(map(by_any, rows)):
            verdicts[SKIPPED].append(name)
        else:
            verdicts[KEPT].append(name)
    return Evaluation(
        condition,
        SOUND,
        skipped=tuple(verdicts[SKIPPED]),
        partition_pruned=tuple(verdicts[PARTITION_PRUNED]),
        kept=tuple(verdicts[KEPT]),
        reasons=Reasons(store.rows, lambda row: _explain(made, row)),
    )


def _witnesses(
    store: Store, leaf: Leaf, known: Mapping[str, str], zone: datetime.tzinfo | None, not_null: computed.NotNull
) -> list[Witness]:
    """The witnesses for a clause. What they cannot compare with the values is computed."""
    asked = computed.folded(leaf, zone)
    found = evidence.witnesses(store, asked, known)
    simple = isinstance(asked, Compare | OneOf | NullTest | predicate.Constant)
    if simple and not any(one.problem for one in found) and not not_null:
        return found
    computing = computed.witness(store, asked, known, zone, not_null)
    if isinstance(computing, str):
        return found
    return [*(one for one in found if not isinstance(one, Silent)), computing]


def ruling(clause: Clause, made: Mapping[Leaf, Sequence[Witness]]) -> Callable[[int], bool]:
    """Returns a function of an object's row in the store: whether the condition is TRUE for no row of the object."""
    if isinstance(clause, All | Some):
        parts = [ruling(part, made) for part in clause.parts]
    else:
        parts = [witness.rules_out for witness in made[clause]]
    if len(parts) == 1:
        return parts[0]
    if isinstance(clause, Some):
        return lambda row: all(part(row) for part in parts)
    return lambda row: any(part(row) for part in parts)


def _explain(made: Mapping[Leaf, list[Witness]], row: int) -> list[Reason]:
    return [
        Reason(leaf.sql, witness.column, *witness.finding(row))
        for leaf, witnesses in made.items()
        for witness in witnesses
    ]
