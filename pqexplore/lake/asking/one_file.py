"""The plan of one file of a lake: the file is opened, and asked for all that the engine looks at."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.ask.asking import bound_steps
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Undecided
from pqexplore.insight.steps import finish
from pqexplore.lake.asking import partitions

if TYPE_CHECKING:
    from pqexplore.insight.ask import predicate
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.lake.asking.schemas import Families
    from pqexplore.lake.lake import Lake


def open_plan(
    lake: Lake, families: Families, row: Mapping[str, Any], where: str, columns: Sequence[str] | None, engine: Engine
) -> Plan:
    """The plan of the file with this row of the table `files`; the file is closed with it."""
    lake.reach.require(row["path"])
    file = open_file(row["path"], storage_options=lake.storage_options)
    try:
        family = families.bind_file(file.schema, row["table_path"] is not None)
        bound = _without_folders(family.bound, set(family.partitions), row["partition_values"] or "")
        known = {".".join(leaf.path) for leaf in file.schema.leaves}
        present = None
        if columns is not None:
            present = [one for one in columns if any(f"{leaf}.".startswith(f"{_dotted(one)}.") for leaf in known)]
        made = finish(bound_steps(file, where, bound, present, engine))
    except BaseException:
        file.close()
        raise
    made.owns_source = True
    return made


def _dotted(column: Any) -> str:
    return column if isinstance(column, str) else ".".join(column)


def _without_folders(bound: Bound, clauses: set[int], folders: str) -> Bound:
    """The condition with its clauses about folders decided by the file's own."""
    if isinstance(bound, Both | Either):
        parts = tuple(_without_folders(part, clauses, folders) for part in bound.parts)
        return dataclasses.replace(bound, parts=parts)
    if isinstance(bound, Undecided) and id(bound.clause) in clauses:
        clause = cast("predicate.Leaf", bound.clause)
        found = partitions.ruling(clause, folders)
        if not found.possible or partitions.is_true(clause, folders):
            return Always(found.possible, bound.sql, found.reason)
        return Undecided(found.reason, bound.sql, clause=bound.clause)
    return bound
