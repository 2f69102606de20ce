"""Diagnoses files one by one, where a scan reads them. A bad file never stops it: its error is a diagnosis."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import within_memory
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.limits import Limits
from pqexplore.engine.text import clip, printable
from pqexplore.insight.doctor import diagnose
from pqexplore.insight.doctor.diagnosis import Diagnosis, Severity
from pqexplore.insight.doctor.rules import RULES
from pqexplore.insight.steps import finish
from pqexplore.lake.doctor.dates import dated
from pqexplore.lake.entries import Entry, Options, error_code, writer
from pqexplore.lake.inspection import LONGEST, explained, opened_ahead, words
from pqexplore.lake.pulse import Pulse
from pqexplore.lake.tables import DIAGNOSES, IMPLAUSIBLE, NAME

if TYPE_CHECKING:
    import pyarrow as pa

READ = "read"
"""The rule of the row that each file has that was read."""
UNREADABLE, NOT_READ, NEEDS_KEY = "file-unreadable", "file-not-read", "file-needs-key"
"""The file is damaged; it could not be looked at, which says nothing about it; its footer is encrypted."""
ONCE = (READ, UNREADABLE, NOT_READ, NEEDS_KEY)
"""Each file has one row with one of these rules."""
DAMAGED = ("corrupt", "not-parquet", "crashed")
"""The codes of errors that are the file's own fault."""

COLUMNS = 20
"""Columns that are kept of a rule in a file."""
PHASES = {"footer": "chunks", "pages": "pages", "data": "check"}
"""What the pulse shows while a file is diagnosed, by level."""


class Diagnosing:
    """Builds rows of `diagnoses` in batches."""

    def __init__(self, options: Options, pulse: Pulse) -> None:
        self._options, self._pulse = options, pulse
        self._limits = Limits(**dict(options.limits))
        self._waiting: dict[str, list[Any]] = {one.name: [] for one in DIAGNOSES.columns}
        self.errors = self.bytes_read = 0

    def batches(self, entries: Iterable[Entry]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yields (`diagnoses`, record batch) for all files."""
        for entry, opened in opened_ahead(entries, self._open, self._pulse):
            rows = self._file(entry, opened)
            for row in rows:
                for name, values in self._waiting.items():
                    values.append(row.get(name))
            if len(self._waiting["path"]) >= self._options.batch_rows:
                yield self._flush()
        if self._waiting["path"]:
            yield self._flush()

    def _flush(self) -> tuple[str, pa.RecordBatch]:
        batch = DIAGNOSES.batch(self._waiting)
        for values in self._waiting.values():
            values.clear()
        return DIAGNOSES.name, batch

    def _open(self, entry: Entry, enter: Callable[[str], None]) -> ParquetFile | Exception:
        with contextlib.ExitStack() as opened:
            try:
                options = dict(self._options.storage_options)
                source = open_source(entry.path, storage_options=options, streams=False)
                opened.callback(source.close)
                enter("footer")
                with within_memory("footer", None):
                    file = ParquetFile(source, limits=self._limits)
            except Exception as error:  # any error stays with its file
                return explained(error, entry.path)
            opened.pop_all()
            return file

    def _file(self, entry: Entry, opened: ParquetFile | Exception) -> list[dict[str, Any]]:
        if isinstance(opened, Exception):
            self.errors += 1
            return [failed(self._options.run_id, entry, error_code(opened), words(opened))]
        with opened:
            try:
                self._pulse.enter(PHASES[self._options.doctor])
                if opened.footer.locked is not None:
                    raise opened.footer.locked
                with within_memory("", None):
                    report = finish(diagnose.steps(opened, self._options.doctor))
                    by = opened.created_by
            except Exception as error:  # any error stays with its file
                self.errors += 1
                return [failed(self._options.run_id, entry, error_code(error), words(error))]
            finally:
                self.bytes_read += opened.bytes_read
        base = _base(self._options.run_id, entry, by)
        return [base | {"rule": READ}, *(base | one for one in by_rule(report.findings))]


def by_rule(found: Sequence[Diagnosis]) -> list[dict[str, Any]]:
    """The diagnoses of one file as rows of `diagnoses`, one for each rule and severity. The first of a rule is the worst."""
    groups: dict[tuple[str, Severity], list[Diagnosis]] = {}
    for one in found:
        groups.setdefault((one.rule, one.severity), []).append(one)
    return [_row(some) for some in groups.values()]


def failed(run_id: str, entry: Entry, code: str, message: str) -> dict[str, Any]:
    """The row of a file that could not be diagnosed; `code` is that of `files.error_code`."""
    return _base(run_id, entry, None) | _row([unreadable(code, message)])


def unreadable(code: str, message: str) -> Diagnosis:
    """The diagnosis of a file that cannot be read."""
    text = message.rstrip(".")
    if code in DAMAGED:
        return Diagnosis(
            UNREADABLE,
            Severity.DAMAGE,
            f"The file cannot be read: {text}.",
            fix="See what pqexplore.salvage(path) recovers; write the file again, or remove it from the folder.",
        )
    if code == "encrypted":
        return Diagnosis(NEEDS_KEY, Severity.NOTE, f"The file is encrypted: {text}.")
    return Diagnosis(NOT_READ, Severity.PORTABILITY, f"The file could not be looked at: {text}.")


def _base(run_id: str, entry: Entry, created_by: str | None) -> dict[str, Any]:
    name, version = writer(created_by)
    date, dated_by = dated(entry)
    by = " ".join(part for part in (name, version) if part)
    return {
        "run_id": run_id,
        "path": entry.path,
        "writer": clip(printable(by), NAME),
        "date": date,
        "dated_by": dated_by,
    }


def _row(some: list[Diagnosis]) -> dict[str, Any]:
    first = some[0]
    source = first.source or (RULES[first.rule].source if first.rule in RULES else None)
    details = {
        "cost": first.cost.text,
        "fix": first.fix,
        "code": dict(first.code),
        "source": None if source is None else [source.title, source.url],
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
        "columns": [clip(name, NAME) for name in dict.fromkeys(one.column for one in some) if name][
            :COLUMNS
        ],
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
