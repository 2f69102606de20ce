"""Asks a Metadatastore what a query reads, by itself or beside the footers of a lake."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.engine.text import printable
from pqexplore.insight.ask.pruning_result import PARTITION
from pqexplore.insight.wording import plural
from pqexplore.lake.metadatastore.evaluate import KEPT, PARTITION_PRUNED, SKIPPED, Evaluation
from pqexplore.lake.metadatastore.names import split_object_name

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.staleness import Staleness
    from pqexplore.lake.metadatastore.store import Store

INDEXES = "indexes"
"""The stage, and the kind of evidence, of a Metadatastore."""


@dataclasses.dataclass(frozen=True, slots=True)
class StoreStage:
    """How many objects entered a stage, and how many it left."""

    name: str
    files_in: int
    files_out: int


class StorePlan:
    """What a query reads of the objects of a Metadatastore, by its indexes.

    `evaluation` has the findings of all indexes. `files` is a table with a row for each object, `stages` how many each
    stage left, `remarks` the conditions that no index decides. `staleness` says how the dataset differs from the store now:
    files that the store does not have must be read, too.
    """

    def __init__(self, store: Store, evaluation: Evaluation) -> None:
        self.store = store
        self.evaluation = evaluation

    @property
    def kept(self) -> list[str]:
        """The paths of the objects that are read."""
        return [split_object_name(name)[0] for name in self.evaluation.kept]

    @functools.cached_property
    def stages(self) -> tuple[StoreStage, ...]:
        """The stages: partition columns, then indexes."""
        found = self.evaluation
        total, pruned = len(self.store.rows), len(found.partition_pruned)
        return (StoreStage(PARTITION, total, total - pruned), StoreStage(INDEXES, total - pruned, len(found.kept)))

    @functools.cached_property
    def sentence(self) -> str:
        """How many objects are read, and what skips the others."""
        found, total = self.evaluation, len(self.store.rows)
        said = [
            f"{len(names):,} by {by}"
            for names, by in ((found.partition_pruned, PARTITION), (found.skipped, INDEXES))
            if names
        ]
        text = f"Reads {len(found.kept):,} of {plural(total, 'object')} of the Metadatastore"
        text = f"{text}: skipped are {', '.join(said)}." if said else f"{text}."
        return printable(f"{text} {staleness_sentence(self.staleness)}")

    @functools.cached_property
    def staleness(self) -> Staleness | None:
        """How the dataset differs from the store now, by one listing; None if it cannot be listed from here."""
        return staleness_of(self.store)

    @functools.cached_property
    def files(self) -> pa.Table:
        """A row for each object: file, kept, by, reason."""
        names = list(self.store.rows)
        verdicts = [self.evaluation.verdict(name) for name in names]
        by = {KEPT: "", SKIPPED: INDEXES, PARTITION_PRUNED: PARTITION}
        return pa.table(
            {
                "file": pa.array([split_object_name(name)[0] for name in names], pa.string()),
                "kept": pa.array([verdict == KEPT for verdict in verdicts], pa.bool_()),
                "by": pa.array([by[verdict] for verdict in verdicts], pa.string()),
                "reason": pa.array([reason(self.evaluation, name) for name in names], pa.string()),
            }
        )

    @functools.cached_property
    def remarks(self) -> tuple[str, ...]:
        """The clauses that no index rules out for any object, with the reason for the first."""
        clauses: dict[str, str] = {}
        for name in self.evaluation.kept[:100]:
            for one in self.evaluation.reasons[name]:
                if one.column is None and not one.rules_out:
                    clauses.setdefault(one.clause, one.because)
        return tuple(printable(f"{sql} skips nothing: {why}.") for sql, why in clauses.items())

    def close(self) -> None:
        """Does nothing: a Metadatastore stays open."""

    def __repr__(self) -> str:
        return f"<StorePlan: {self.sentence}>"


def staleness_of(store: Store) -> Staleness | None:
    """`Store.staleness`; None if the dataset cannot be listed from here."""
    try:
        return store.staleness()
    except (ParquetError, UsageError, OSError):
        return None


def staleness_sentence(found: Staleness | None) -> str:
    """How far a store is up to date, or that it is not known."""
    if found is None:
        return "Whether the dataset has changed since is not known: it cannot be listed from here."
    return found.sentence


def reason(evaluation: Evaluation, name: str) -> str:
    """Why an object is kept or skipped: the findings that rule it out, or else all of them."""
    found = evaluation.reasons[name]
    deciding = [one for one in found if one.rules_out] or list(found)
    return "; ".join(map(str, deciding[:4])) or "no index has a value for it"


@dataclasses.dataclass(frozen=True, slots=True)
class Beside:
    """What a Metadatastore says of the files of a lake: whether it skips each, and why.

    It skips nothing of a file that it does not have, or has in another version.
    """

    skipped: tuple[bool, ...]
    reasons: tuple[str, ...]


def beside(plan: StorePlan, files: Iterable[Mapping[str, object]]) -> Beside:
    """What a Metadatastore says of files, from rows (path, modified) of the table `files`."""
    known: dict[str, list[str]] = {}
    for name in plan.store.rows:
        known.setdefault(_place(split_object_name(name)[0]), []).append(name)
    skipped, reasons = [], []
    for row in files:
        names = known.get(_place(str(row["path"])), [])
        modified = row["modified"]
        current = [name for name in names if _same(split_object_name(name)[1], modified)]
        verdicts = {plan.evaluation.verdict(name) for name in current}
        skipped.append(bool(current) and KEPT not in verdicts)
        if current:
            reasons.append(reason(plan.evaluation, current[0]))
        else:
            other = "it has another version of the file" if names else "it does not have the file"
            reasons.append(other)
    return Beside(tuple(skipped), tuple(reasons))


def _place(path: str) -> str:
    here = local_path(path)
    return path if here is None else os.path.abspath(os.path.expanduser(here))


def _same(milliseconds: int | None, microseconds: object) -> bool:
    """Whether two times of modification are equal, as far as both are known."""
    if milliseconds is None or not isinstance(microseconds, int):
        return True
    return milliseconds == microseconds // 1000
