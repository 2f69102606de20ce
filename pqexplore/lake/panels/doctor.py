"""What is wrong with the files, what it costs, and what to do: a card for each finding, the worst first."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.rule import Severity
from pqexplore.engine.text import plural, printable
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.lenses.overview_cards import Card, card
from pqexplore.lake.doctor import together
from pqexplore.lake.doctor.diagnose import scanned_lake
from pqexplore.lake.doctor.diagnosis_text import place
from pqexplore.lake.doctor.lake_report import LakeFinding, LakeReport
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.panels.root import root, said

AT_ONCE, REMOTE_AT_ONCE = 500, 50
"""Files that are diagnosed as soon as the panel is shown, on a disk and elsewhere; more wait for the button.

500 files on a disk take 3 s with 2 cores.
"""
BY_THE_SCAN = 50_000
"""Files up to which a panel that waits shows what the tables of the scan say."""
CARDS = 24
LISTED = 2_000
"""Max rows of the table."""

COLUMNS = (
    Column("severity", "severity"),
    Column("sentence", "what is wrong"),
    Column("path", "file"),
    Column("rule", "rule"),
    Column("writer", "writer"),
    Column("date", "date", "text", "of the partition folder, or when the file was last changed"),
)


SEE = {
    together.TYPES_DIFFER.name: ("Schema drift", "drift", ""),
    together.COLUMNS_DIFFER.name: ("Schema drift", "drift", ""),
    together.SMALL_FILES.name: (
        f"files smaller than {together.SMALL >> 20} MiB",
        "fleet",
        json.dumps({"status": "ok", "size": [None, together.SMALL - 1]}),
    ),
}
"""What shows more of a finding, by rule: its title, the panel, and the filters."""


@dataclasses.dataclass(slots=True)
class Writer:
    """A writer, and how many of its files have a finding, of how many."""

    name: str
    files: int
    of: int


@dataclasses.dataclass(slots=True)
class Finding:
    """A finding about so many `files`: its card, their writers, and the addresses of the first files (`PATH#ADDRESS`).

    `listed` says whether the table has a row for each of the files. `see` is the title of what shows more, "" for
    nothing: the panel `panel` with `filters`.
    """

    card: Card
    files: int
    writers: list[Writer]
    places: list[str]
    listed: bool
    see: str
    panel: str
    filters: str


@dataclasses.dataclass(slots=True)
class Picture:
    """The findings below their `title`, the worst first, and how many are left out; `waiting` files are diagnosed when the button is pressed.

    `rule` is the rule whose files the table lists, "" for all. Where files wait, the findings are those that the scan shows.
    """

    title: str
    findings: list[Finding]
    more: int
    waiting: int
    rule: str


_reports: Latest[Lake, tuple[LakeReport | None, int]] = Latest(2)


def diagnosed(lake: Lake, filters: Filters, whole: bool = False) -> tuple[LakeReport | None, int]:
    """The report of the files that pass the filters, and how many of them wait to be read.

    Many files wait unless `whole`: then the report is what the tables of the scan show, or None if even that takes long.
    """
    key = lake.manifest.run_id, filters
    known = _reports.get(lake, key)
    if known is not None and not (whole and known[1]):
        return known
    rows = ask(lake, "SELECT path FROM files WHERE status IN ('ok', 'error')", filters)
    only = {row["path"] for row in rows} if filters else None
    report = None
    remote = any("://" in row["path"] for row in rows[:1])
    waits = len(rows) > (REMOTE_AT_ONCE if remote else AT_ONCE) and not whole
    if not waits:
        report = lake.diagnose(files=only)
    elif len(rows) <= BY_THE_SCAN:
        report = scanned_lake(lake, only)
    made = report, len(rows) if waits else 0
    _reports.put(lake, key, made)
    return made


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """The diagnosis of the files that pass the filters.

    `typed` is `LEVEL:RULE`. With a level, many files are diagnosed, too; with a rule, the table lists its files alone.
    """
    level, _, rule = typed.partition(":")
    report, waiting = diagnosed(lake, filters, bool(level))
    their = (
        "is not diagnosed yet: that reads its footer"
        if waiting == 1
        else "are not diagnosed yet: that reads their footers"
    )
    sentence = f"{plural(waiting, 'file')} {their} again."
    if report is None:
        return Answer(sentence, picture=Picture("", [], 0, waiting, ""), code="lake.diagnose()")
    found = report.findings
    total = sum(one.files for one in found if one.causes and rule in ("", one.rule))
    caption = f"files with the finding {rule}" if rule else "findings by file, the worst first"
    table = Table(COLUMNS, caption=caption, total=total)
    for row in _rows(report, rule):
        address = f"{row['path']}#{row['address']}" if row["address"] else row["path"]
        table.add(*(row[column.name] for column in COLUMNS), address=address)
    shown = [_finding(one, root(lake)) for one in found[:CARDS]]
    return Answer(
        sentence if waiting else report.sentence,
        picture=Picture(_title(report, waiting), shown, len(found) - len(shown), waiting, rule),
        table=table,
        code="lake.diagnose()",
    )


def _title(report: LakeReport, waiting: int) -> str:
    """What stands above the cards; nothing is sound before all files are diagnosed, or without their keys."""
    worst = report.worst()
    if worst is not None and worst is not Severity.NOTE:
        return "Problems"
    if waiting or not report.num_files:
        return ""
    read = report.num_files - report.locked
    if report.locked:
        said = f"No problems found in the {plural(read, 'file')} that can be read without a key"
        return said if read else "No file can be read without a key"
    return "✓ No problems found"


def _finding(one: LakeFinding, folder: str) -> Finding:
    text = one.sentence
    if one.example:
        text += f" For example: {said(one.example, folder)}"
    see, panel, filters = SEE.get(one.rule, ("", "", ""))
    return Finding(
        dataclasses.replace(card(one, 0), sentence=printable(text), address=""),
        one.files,
        [Writer(cause.writer, cause.files, cause.of) for cause in one.causes if cause.writer],
        [place(one), *one.paths[1:]] if one.paths else [],
        bool(one.causes),
        see,
        panel,
        filters,
    )


def _rows(report: LakeReport, rule: str) -> list[dict[str, Any]]:
    """The first rows of the report's files, the worst first; of one rule, or of all if that is empty."""
    if isinstance(report.files, pa.Table):
        rows = report.files
        if rule:
            rows = rows.filter(pc.equal(rows["rule"], rule))
        ranks = pc.index_in(rows["severity"], pa.array([one.value for one in Severity]))
        order = [(name, "ascending") for name in ("rank", "path", "rule")]
        found: list[dict[str, Any]] = rows.append_column("rank", ranks).sort_by(order).slice(0, LISTED).to_pylist()
        return found
    from pyspark.sql import functions as F

    chosen = report.files.where(F.col("rule") == rule) if rule else report.files
    rank = F.array_position(F.array(*(F.lit(one.value) for one in Severity)), F.col("severity"))
    return [row.asDict() for row in chosen.orderBy(rank, "path", "rule").limit(LISTED).collect()]


PANEL = Panel("doctor", "Diagnosis", answer, picture=Picture)
