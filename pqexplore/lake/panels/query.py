"""What a query reads of all files, which files it skips, and why."""

from __future__ import annotations

import dataclasses

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.ask.engines import ENGINES, engine
from pqexplore.lake.asking.lake_plan import UNREADABLE
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.panels.query_picture import Picture, QueryEngine, QueryFile, QueryStage

LISTED = 2_000
"""Max files in the table."""
DRAWN = 400
"""Max files in the picture."""
REMARKS = 8

COLUMNS = (
    Column("file", "file"),
    Column("kept", "read", "flag", "whether the query reads the file"),
    Column("by", "by", "text", "the kind of evidence that decides"),
    Column("reason", "reason"),
    Column("row_groups", "row groups read", "number"),
    Column("of_row_groups", "of", "number", "row groups of the file"),
    Column("size", "size", "bytes"),
)


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """What a query reads; `typed` is `CONDITION` or `ENGINE:CONDITION`. UsageError for one that cannot be asked."""
    name, where = parts(typed)
    engines = [QueryEngine(one, engine(one).title) for one in ENGINES]
    if not where:
        sentence = "Type a condition to see which files a query reads."
        return Answer(sentence, picture=Picture("", name, engines, [], [], 0, 0, 0, [], []))
    only = [row["path"] for row in ask(lake, "SELECT path FROM files", filters)] if filters else None
    plan = lake.ask(where, engine=name, files=only)
    first = plan.first_files(LISTED)
    table = Table(COLUMNS, caption="files, those that are read first", total=plan.num_files)
    for row in first:
        table.add(*row.values(), address=row["file"])
    drawn = [
        QueryFile(
            path=row.pop("file"),
            unreadable=row["kept"] and row["reason"].startswith(UNREADABLE),
            **row | {"size": -1 if row["size"] is None else row["size"]},
        )
        for row in first[:DRAWN]
    ]
    picture = Picture(
        where,
        name,
        engines,
        [QueryStage(*dataclasses.astuple(stage)) for stage in plan.stages],
        drawn,
        plan.num_files,
        plan.num_row_groups,
        plan.total_bytes,
        [one.sentence for one in plan.wrong_rows],
        list(plan.remarks[:REMARKS]),
    )
    code = f"lake.ask({where!r}{'' if name == 'format' else f', engine={name!r}'})"
    return Answer(plan.sentence, picture=picture, table=table, code=code)


def parts(typed: str) -> tuple[str, str]:
    """The engine and the condition of a typed line."""
    name, colon, rest = typed.partition(":")
    if colon and name.strip() in ENGINES:
        return name.strip(), rest.strip()
    return "format", typed.strip()


PANEL = Panel("query", "Ask", answer, picture=Picture)
