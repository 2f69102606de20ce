"""Which objects can be skipped: the clauses of a condition, the witnesses for each, and the verdict on each object.

An object is skipped where it is proven that the condition is TRUE for none of its rows. AND is ruled out where one of
its parts is, OR where all of its parts are; a clause is ruled out where one witness does so. What is not proven is kept,
and the reasons say what each witness had to say.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.lake.metadatastore import evidence, predicate, sql
from pqexplore.lake.metadatastore.evidence import Never, PartitionWitness, Witness
from pqexplore.lake.metadatastore.predicate import All, Clause, Leaf, Some

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store

SOUND, XSKIPPER = "sound", "xskipper"
MODES = (SOUND, XSKIPPER)

SKIPPED, PARTITION_PRUNED, KEPT = "skipped", "partition pruned", "kept"


@dataclasses.dataclass(frozen=True)
class Reason:
    """What one witness says of one clause for one object.

    `clause` is SQL; `column` the store's column that was asked (None where no index is on the clause's column);
    `rules_out` whether the clause is TRUE for no row of the object; `because` a sentence with what was seen.
    """

    clause: str
    column: str | None
    rules_out: bool
    because: str

    def __str__(self) -> str:
        by = f" [{self.column}]" if self.column else ""
        return f"{self.clause}{by}: {'ruled out, ' if self.rules_out else ''}{self.because}"


class Reasons(Mapping[str, tuple[Reason, ...]]):
    """The reasons by object name; made when they are asked for."""

    def __init__(
        self, rows: Mapping[str, list[int]], explain: Callable[[int], list[Reason]]
    ) -> None:
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
    """What a condition needs of a store's objects; all names are object names, in the store's order.

    - `skipped`: ruled out by indexes; `partition_pruned`: ruled out by partition columns alone; `kept`: the rest.
      Objects that the store does not know are not here, and have to be read.
    - `reasons`: by object name, what every witness said of every clause.
    - `may_lose`: in mode xskipper, the objects that are skipped or pruned although it is not proven that they have no
      matching row, each with the reason in words; empty in mode sound.
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


def evaluate(
    store: Store,
    condition: str,
    mode: str = SOUND,
    *,
    timezone: str | None = None,
    types: Mapping[str, str] | None = None,
) -> Evaluation:
    """See `Store.evaluate`."""
    if mode not in MODES:
        raise UsageError(f"mode {mode!r}: there are {' and '.join(MODES)}")
    clause = sql.parse(condition, timezone)
    if mode == XSKIPPER:
        from pqexplore.lake.metadatastore import upstream

        return upstream.evaluate(store, condition, clause, timezone=timezone, types=types)
    return sound(store, condition, clause, types)


def sound(
    store: Store, condition: str, clause: Clause, types: Mapping[str, str] | None = None
) -> Evaluation:
    """The evaluation in mode sound."""
    known = {**store.column_types, **{name.lower(): kind for name, kind in (types or {}).items()}}
    made = {leaf: evidence.witnesses(store, leaf, known) for leaf in predicate.leaves(clause)}

    alone = {
        leaf: [one for one in some if isinstance(one, PartitionWitness | Never)]
        for leaf, some in made.items()
    }
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


def ruling(clause: Clause, made: Mapping[Leaf, Sequence[Witness]]) -> Callable[[int], bool]:
    """Whether a condition is TRUE for no row of an object, as a function of the object's row in the store."""
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
