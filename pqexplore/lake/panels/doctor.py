"""What is wrong with the files, what it costs, and what to do: a card for each finding, the worst first."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.text import plural, printable
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.overview import Card, card
from pqexplore.lake.doctor.report import LakeReport
from pqexplore.lake.doctor.text import place
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.panel import Panel

AT_ONCE = 2_000
"""Files that are diagnosed as soon as the panel is shown; more wait for the button."""
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


@dataclasses.dataclass(slots=True)
class Picture:
    """The findings as cards, and how many are left out; `waiting` files are diagnosed when the button is pressed.

    A card's address opens the first file at the place: `PATH#ADDRESS`.
    """

    cards: list[Card]
    more: int
    waiting: int


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """The diagnosis of the files that pass the filters; any `typed` text diagnoses many files, too."""
    paths = ask(lake, "SELECT path FROM files WHERE status IN ('ok', 'error')", filters)
    if len(paths) > AT_ONCE and not typed:
        sentence = f"The doctor reads the footers of {plural(len(paths), 'file')} again."
        return Answer(sentence, picture=Picture([], 0, len(paths)), code="lake.diagnose()")
    report = lake.diagnose(files={row["path"] for row in paths} if filters else None)
    total = sum(one.files for one in report.findings if one.causes)
    table = Table(COLUMNS, caption="findings by file, in the order of the files", total=total)
    for row in _rows(report):
        address = f"{row['path']}#{row['address']}" if row["address"] else row["path"]
        table.add(*(row[column.name] for column in COLUMNS), address=address)
    cards = [_card(report, at) for at in range(min(CARDS, len(report.findings)))]
    return Answer(
        report.sentence,
        picture=Picture(cards, len(report.findings) - len(cards), 0),
        table=table,
        code="lake.diagnose()",
    )


def _card(report: LakeReport, at: int) -> Card:
    one = report.findings[at]
    example = f" For example: {one.example}" if one.example else ""
    return dataclasses.replace(
        card(one), sentence=printable(one.sentence + example), address=place(one)
    )


def _rows(report: LakeReport) -> list[dict[str, Any]]:
    if hasattr(report.files, "to_pylist"):
        found: list[dict[str, Any]] = report.files.slice(0, LISTED).to_pylist()
        return found
    return [row.asDict() for row in report.files.limit(LISTED).collect()]


PANEL = Panel("doctor", "Doctor", answer, picture=Picture)
