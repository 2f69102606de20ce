"""Diagnoses files one by one, where a scan reads them. A bad file never stops it: its error is a diagnosis."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER, Rule, Severity, register
from pqexplore.engine.text import clip, printable
from pqexplore.insight.doctor import diagnose
from pqexplore.insight.steps import finish
from pqexplore.lake.doctor.dates import dated
from pqexplore.lake.footer_rows.inspection import LONGEST
from pqexplore.lake.listed_files import Entry, writer
from pqexplore.lake.scanning.per_file import EachFile, Row
from pqexplore.lake.store.temporary_tables import DIAGNOSES
from pqexplore.lake.tables import IMPLAUSIBLE, NAME

READ = "read"
"""The rule of the row that each file has that was read."""
UNREADABLE, NOT_READ, NEEDS_KEY = "file-unreadable", "file-not-read", "file-needs-key"
"""The file is damaged; it could not be looked at, which says nothing about it; its footer is encrypted."""
EMPTY = "file-empty"
"""The file has no bytes: nothing is lost in it."""
OUTSIDE = "file-outside"
"""The file lies outside of the folder or table, and the caller did not allow it (see `allowed_paths`)."""
ONCE = (READ, UNREADABLE, NOT_READ, NEEDS_KEY, EMPTY, OUTSIDE)
"""Each file has one row with one of these rules."""
DAMAGED = ("corrupt", "not-parquet", "crashed")
"""The codes of errors that are the file's own fault."""

RULES = register(
    Rule(
        UNREADABLE, Severity.DAMAGE, FOOTER, "Files that cannot be read",
        cost="each query that reads it fails, and its rows are missing",
        fix="See what pqexplore.salvage(path) recovers; write the file again, or remove it from the folder.",
    ),
    Rule(
        EMPTY, Severity.DAMAGE, FOOTER, "Files of no bytes",
        cost="each query that reads it fails; the rows that should be in it are missing",
        fix="Remove it, if no job is writing it now; run the job again that should have written it.",
    ),
    Rule(
        NOT_READ, Severity.PORTABILITY, FOOTER, "Files that could not be looked at",
        cost="not known: a query that reads it may fail in the same way",
        fix="Let the reader reach the file; then refresh the scan.",
    ),
    Rule(
        NEEDS_KEY, Severity.NOTE, FOOTER, "Files that need a key",
        cost="none for readers with the key", fix="Give the key: --footer-key-file KEY.",
    ),
    Rule(
        OUTSIDE, Severity.PORTABILITY, FOOTER, "Links and files that lead outside of the folder or table, not opened",
        cost="not known: readers that follow them read these files, too",
        fix="If the files there may be read: follow_outside=True, on the command line --follow-outside.",
    ),
)  # fmt: skip

COLUMNS = 20
"""Columns that are kept of a rule in a file."""
PHASES = {"footer": "chunks", "pages": "pages", "sample": "check", "data": "check"}
"""What the pulse shows while a file is diagnosed, by level."""


class Diagnosing(EachFile):
    """Builds rows of `diagnoses` in batches."""

    table = DIAGNOSES

    def rows(self, entry: Entry, file: ParquetFile) -> list[Row]:
        """The row `read` and one for each rule that found something."""
        self.pulse.enter(PHASES[self.options.doctor])
        return diagnosed(self.options.run_id, entry, file, self.options.doctor)

    def failed(self, entry: Entry, code: str, message: str) -> Row:
        """The row of a file that could not be diagnosed."""
        return failed(self.options.run_id, entry, code, message)


def diagnosed(run_id: str, entry: Entry, file: ParquetFile, level: str) -> list[Row]:
    """The row `read` of a file, and one for each rule that found something."""
    report = finish(diagnose.steps(file, level))
    base = _base(run_id, entry, writer(file.created_by))
    return [base | {"rule": READ}, *(base | one for one in by_rule(report.findings))]


def by_rule(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """The diagnoses of one file as rows of `diagnoses`, one for each rule and severity. The first of a rule is the worst."""
    groups: dict[tuple[str, Severity], list[Finding]] = {}
    for one in found:
        groups.setdefault((one.rule, one.severity), []).append(one)
    return [_row(some) for some in groups.values()]


def failed(run_id: str, entry: Entry, code: str, message: str) -> dict[str, Any]:
    """The row of a file that could not be diagnosed; `code` is that of `files.error_code`."""
    return _base(run_id, entry, (None, None)) | _row([unreadable(code, message, entry.size)])


def scanned(run_id: str, entry: Entry, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a file by its row of `files` alone."""
    if row["status"] == "ok":
        return _base(run_id, entry, (row["writer"], row["writer_version"])) | {"rule": READ}
    return failed(run_id, entry, row["error_code"], row["error"] or "unknown error")


def unreadable(code: str, message: str, size: int | None = None) -> Finding:
    """The finding about a file of `size` bytes that cannot be read."""
    text = message.rstrip(".")
    if code in DAMAGED:
        return Finding(EMPTY if size == 0 else UNREADABLE, message=f"The file cannot be read: {text}.")
    if code == "encrypted":
        return Finding(NEEDS_KEY, message=f"The file is encrypted: {text}.")
    if code == "outside":
        return Finding(OUTSIDE, message=f"Not opened: {text}.")
    return Finding(NOT_READ, message=f"The file could not be looked at: {text}.")


def _base(run_id: str, entry: Entry, by: tuple[str | None, str | None]) -> dict[str, Any]:
    """What all rows of a file have; `by` is the name and the version of the writer."""
    date, dated_by = dated(entry)
    return {
        "run_id": run_id,
        "path": entry.path,
        "writer": clip(printable(" ".join(part for part in by if part)), NAME),
        "date": date,
        "dated_by": dated_by,
    }


def _row(some: list[Finding]) -> dict[str, Any]:
    first = some[0]
    details = {
        "cost": first.cost.text,
        "fix": first.fix,
        "code": dict(first.code),
        "source": None if first.source is None else [first.source.title, first.source.url],
    }
    text = json.dumps(details)
    if len(text) > LONGEST:
        short = {"cost": clip(first.cost.text, NAME), "fix": clip(first.fix, NAME), "code": {}}
        text = json.dumps(details | short)
    return {
        "rule": first.rule,
        "severity": first.severity.value,
        "places": len(some),
        "sentence": clip(first.sentence, LONGEST),
        "address": clip(first.address, LONGEST),
        "columns": [clip(name, NAME) for name in dict.fromkeys(one.column for one in some) if name][:COLUMNS],
        "bytes": _sum([one.cost.bytes for one in some]),
        "requests": _sum([one.cost.requests for one in some]),
        "row_groups": _most([one.cost.row_groups for one in some]),
        "rows": _most([one.cost.rows or one.rows for one in some]),
        "details": text,
    }


def _sum(numbers: list[int | None]) -> int | None:
    known = [max(0, one) for one in numbers if one is not None]
    return min(sum(known), IMPLAUSIBLE) if known else None


def _most(numbers: list[int | None]) -> int | None:
    """The largest: several columns name the same row groups and rows."""
    known = [max(0, one) for one in numbers if one is not None]
    return min(max(known), IMPLAUSIBLE) if known else None
