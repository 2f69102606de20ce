"""The diagnosis of a lake as lines of text for a terminal, and as JSON values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.insight import terminal
from pqexplore.insight.doctor.report_text import finding_lines
from pqexplore.insight.document import diagnosis_document
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import indented
from pqexplore.insight.wording import size
from pqexplore.lake.doctor.lake_report import LakeFinding, LakeReport

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake


def lake_lines(report: LakeReport, room: int, answers: Sequence[tuple[str, str]] = ()) -> Iterator[str]:
    """A report: its sentence, how many files and rows there are, then each finding with its first files, its cost and its fix.

    `answers` are questions and their answers, which stand before the findings.
    """
    yield from indented(report.sentence, room, 2)
    if report.what not in report.sentence:
        yield from indented(f"{report.what}.", room, 2)
    for question, answer in answers:
        yield from indented(f"{question} {answer}", room, 4)
    printed: set[str] = set()

    def lines(one: LakeFinding) -> Iterator[str]:
        code = {name: text if text not in printed else "as above" for name, text in one.code.items()}
        printed.update(one.code.values())
        return finding_lines(dataclasses.replace(one, code=code), list(_place(one)), room)

    yield from terminal.listed(report.findings, lines, room, "finding")


TABLES = 12
"""Tables of a tree that are printed; the table `tables` has all."""


def table_lines(lake: Lake, room: int) -> Iterator[str]:
    """A row for each table of a tree with several: its version, its live files, and the bytes of the others."""
    rows = lake._store.read(lake.manifest, "tables").sort_by("path").to_pylist()
    if len(rows) < 2:
        return
    yield ""
    head = ("table", "format", "at", "live files", "live rows", "live bytes", "not live")
    made = [_table(row) for row in rows[:TABLES]]
    yield from terminal.table(head, made, room, right="   >>>>")
    if len(rows) > TABLES:
        yield f"  and {len(rows) - TABLES:,} more: --sql 'SELECT * FROM tables'"


def _table(row: dict[str, Any]) -> tuple[str, ...]:
    title = row["name"] or row["path"]
    if row["status"] != "ok":
        return title, row["format"], f"{row['error_code']}: the log cannot be read", "", "", "", ""
    at = row["version"] if row["format"] == "delta" else row["snapshot_id"]
    counts = (row["live_files"], row["live_rows"])
    rest = (row["removed_bytes"], row["unreferenced_bytes"])
    return (
        title,
        row["format"],
        "" if at is None else str(at),
        *("" if one is None else f"{one:,}" for one in counts),
        "" if row["live_bytes"] is None else size(row["live_bytes"]),
        "" if None in rest else size(sum(rest)),
    )


def _place(one: LakeFinding) -> Iterator[str]:
    if one.paths:
        yield f"at {place(one)}"
    if one.example:
        yield f"there: {one.example}"
    for path in one.paths[1:3]:
        yield f"and {path}"
    if one.files > 3 and len(one.paths) > 2:
        yield f"and {one.files - 3:,} more"


def place(one: LakeFinding) -> str:
    """The first file and the address in it, as the lake explorer opens it: `PATH#ADDRESS`."""
    if not one.paths:
        return ""
    return f"{one.paths[0]}#{one.address}" if one.address else one.paths[0]


def lake_document(report: LakeReport) -> dict[str, Any]:
    """A report as JSON values, without the rows of its files."""
    return {
        "name": plain(report.name),
        "level": report.level,
        "sentence": report.sentence,
        "what": plain(report.what),
        "num_files": report.num_files,
        "findings": [lake_finding_document(one) for one in report.findings],
        **({"others": dict(report.others)} if report.others else {}),
    }


def lake_finding_document(one: LakeFinding) -> dict[str, Any]:
    """A finding as JSON values; of all its files only the first."""
    made: dict[str, Any] = diagnosis_document(dataclasses.replace(one, together=()))
    del made["together"], made["root"]
    return made
