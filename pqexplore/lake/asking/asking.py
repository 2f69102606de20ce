"""Asks a lake, from its stored tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import engines, sql
from pqexplore.insight.ask.wrong_rows import Careful
from pqexplore.lake.asking.local import Judged, judge, judge_unreadable
from pqexplore.lake.asking.local_plan import LocalLakePlan
from pqexplore.lake.asking.tables import Asked, read

if TYPE_CHECKING:
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.plan import LakePlan
    from pqexplore.lake.lake import Lake
    from pqexplore.lake.metadatastore.store import Store


def ask_lake(
    lake: Lake,
    where: str,
    columns: Sequence[str] | None = None,
    engine: str = "format",
    timezone: str | None = None,
    files: Collection[str] | None = None,
    store: Store | None = None,
) -> LakePlan:
    """See `Lake.ask`."""
    chosen = engines.engine(engine)
    clause = sql.parse(where, timezone)
    if lake.spark is not None:
        from pqexplore.lake.asking.spark_plan import SparkLakePlan

        if store is not None:
            raise UsageError("a Metadatastore is put beside footers without Spark only")
        return SparkLakePlan(lake, lake.spark, where, clause, chosen, columns, files)
    asked = read(lake, clause, columns, files)
    own = _judged(asked, chosen)
    careful = [] if engine == "format" else _judged(asked, Careful(chosen))
    plan = LocalLakePlan(lake, where, clause, chosen, columns, asked, own, careful)
    if store is not None:
        plan.add_store(store.ask(where, timezone=timezone))
    return plan


def _judged(asked: Asked, engine: Engine) -> list[Judged]:
    """The verdicts of an engine about all row groups, by family, and those about files that cannot be read."""
    made = []
    of_group = asked.family[asked.lake.file_of] if len(asked.family) else asked.lake.file_of
    order = np.argsort(of_group, kind="stable")
    tests = 0
    for number in np.unique(of_group[of_group >= 0]).tolist():
        start, end = np.searchsorted(of_group[order], [number, number + 1])
        groups = order[start:end].astype(np.int64)
        one = judge(asked.families, number, groups, asked.lake, engine, tests)
        tests += len(one.chunks) + len(one.keys)
        made.append(one)
    unreadable = np.flatnonzero(asked.family < 0).astype(np.int64)
    family = asked.families.unreadable
    made.append(judge_unreadable(family, unreadable, asked.lake, engine, tests))
    return made
