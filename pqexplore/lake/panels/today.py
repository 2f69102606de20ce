"""The first screen: what a person would do today, in consequences with numbers, then the folders by their size."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pqexplore.engine.rule import Severity
from pqexplore.engine.text import plural
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.overview_cards import Remedy, card
from pqexplore.lake.doctor.diagnose import formats
from pqexplore.lake.doctor.lake_report import LakeReport
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.doctor import SEE, diagnosed
from pqexplore.lake.panels.filters import FOLDER, Filters, ask, by_spark, literal
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.panels.root import root, said
from pqexplore.lake.report.consequences import Consequence, consequences
from pqexplore.lake.report.report import live_files, with_commands

SHOWN = 12
"""Consequences that are shown."""
FOLDERS = 200
"""Max folders, and files beside them; the largest come first."""
DEEP = 20
"""Folders that are each alone in the one before, which are gone through to the first with others beside it."""

COLUMNS = (
    Column("folder", "folder"),
    Column("files", "files", "number"),
    Column("size", "bytes", "bytes", "bytes of the files"),
    Column("num_rows", "rows", "number", "rows, as the footers say"),
    Column("schemas", "schemas", "number", "different schemas of the readable files"),
    Column("format", "table", "text", "the format of the folder's log; empty without one"),
)


@dataclasses.dataclass(slots=True)
class Todo:
    """A consequence: its sentence, what to do, code by what runs it, the first file, and the panel that shows more."""

    severity: str
    rule: str
    sentence: str
    fix: str
    remedies: list[Remedy]
    file: str
    see: str
    panel: str
    filters: str


@dataclasses.dataclass(slots=True)
class Folder:
    """A folder with so many files below it, or a file (`path` is then its own); `format` is that of the log in it."""

    name: str
    path: str
    is_file: bool
    files: int
    bytes: int
    rows: int
    schemas: int
    format: str


@dataclasses.dataclass(slots=True)
class Picture:
    """What to do, the worst first, and how many `more` things there are; the folders below `base`, the largest first.

    `waiting` files are diagnosed when the button is pressed: till then the scan's tables are all that is asked.
    """

    todo: list[Todo]
    more: int
    waiting: int
    base: str
    folders: list[Folder]
    more_folders: int


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """What to do about the files that pass the filters, and their folders. `typed` is `all` to diagnose all files now."""
    return answer_by(lake, *diagnosed(lake, filters, typed == "all"), filters)


def answer_by(lake: Lake, report: LakeReport | None, waiting: int, filters: Filters) -> Answer:
    """The same, by a diagnosis of the files that pass the filters; None where it is not known, and `waiting` files are not in it."""
    every: list[Consequence] = []
    what = ""
    if report is not None:
        live = live_files(lake)
        if filters:
            only = {row["path"] for row in ask(lake, "SELECT path FROM files WHERE status = 'ok'", filters)}
            live = [row for row in live if row["path"] in only]
        made = consequences(with_commands(lake, report).findings, live, formats(lake))
        every = [dataclasses.replace(one, sentence=said(one.sentence, root(lake))) for one in made]
        what = report.what
    base, found, total = _folders(lake, filters)
    table = Table(COLUMNS, caption="folders, the largest first", total=total)
    for one in found:
        table.add(one.name, one.files, one.bytes, one.rows, one.schemas, one.format, address=one.path * one.is_file)
    return Answer(
        _sentence(every, what, waiting),
        picture=Picture(
            [_todo(one) for one in every[:SHOWN]],
            max(0, len(every) - SHOWN),
            waiting,
            base.removeprefix(root(lake)),
            found,
            max(0, total - len(found)),
        ),
        table=table,
        empty="" if found else "No file passes the filters." if filters else "The lake is empty.",
        code="lake.report()",
    )


def _sentence(found: list[Consequence], what: str, waiting: int) -> str:
    if found:
        others = len(found) - 1
        return found[0].sentence + f" And {plural(others, 'more thing')} to do." * bool(others)
    if waiting:
        return f"The scan shows nothing to do; {plural(waiting, 'file')} {'is' if waiting == 1 else 'are'} not diagnosed yet."
    return f"Nothing to do: {what}." if what else "Nothing to do."


def _todo(one: Consequence) -> Todo:
    finding = one.finding
    see, panel, filters = SEE.get(finding.rule, ("Diagnosis", "doctor", ""))
    shown = card(finding, 0)
    return Todo(
        finding.severity.value,
        finding.rule,
        one.sentence,
        finding.fix or f"{one.action}.",
        shown.remedies,
        finding.paths[0] if finding.paths and finding.severity is not Severity.NOTE else "",
        see,
        panel,
        filters,
    )


def _folders(lake: Lake, filters: Filters) -> tuple[str, list[Folder], int]:
    """The folder that is looked into, what is in it, and how many there are. A folder alone in another is gone through."""
    base = next((f"{text}/" for name, text in filters.texts if name == FOLDER), root(lake))
    logs = formats(lake)
    found: list[Folder] = []
    total = 0
    for _ in range(DEEP):
        found, total = _below(lake, filters, base, logs)
        if len(found) != 1 or found[0].is_file or found[0].format:
            break
        base = f"{found[0].path}/"
    return base, found, total


def _below(lake: Lake, filters: Filters, base: str, logs: Mapping[str, str]) -> tuple[list[Folder], int]:
    spark = by_spark(lake)
    rows = ask(lake, _BELOW.format(rest=len(base) + 1, begin=literal(base, spark), length=len(base)), filters)
    made = []
    for row in rows[:FOLDERS]:
        path = f"{base}{row['name']}"
        made.append(
            Folder(
                row["name"],
                path,
                not row["folder"],
                row["files"],
                int(row["bytes"] or 0),
                int(row["rows_below"] or 0),
                row["schemas"],
                logs.get(path, ""),
            )
        )
    return made, len(rows)


_BELOW = """
SELECT split_part(substr(path, {rest}), '/', 1) AS name,
       max(CASE WHEN substr(path, {rest}) LIKE '%/%' THEN 1 ELSE 0 END) AS folder,
       count(*) AS files, sum(size) AS bytes, sum(num_rows) AS rows_below, count(DISTINCT schema_id) AS schemas
FROM files WHERE status IN ('ok', 'error') AND substr(path, 1, {length}) = {begin}
GROUP BY 1 ORDER BY bytes DESC, name LIMIT 100000
"""


PANEL = Panel("today", "To do", answer, picture=Picture)
