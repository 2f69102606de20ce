"""The report of a lake: what to do, first things first, which files, what it saves, and what breaks if nothing is done."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.text import printable
from pqexplore.insight.document import VERSION
from pqexplore.lake.doctor.diagnose import diagnose_lake, formats
from pqexplore.lake.doctor.lake_report import LakeReport
from pqexplore.lake.doctor.together import table_of
from pqexplore.lake.report import actions, savings
from pqexplore.lake.report.actions import Action, breaks_of, grouped
from pqexplore.lake.report.advice import Advice
from pqexplore.lake.report.advice_page import fragment, page
from pqexplore.lake.report.advice_text import report_document, report_lines
from pqexplore.lake.report.commands import commands
from pqexplore.lake.what_if.compaction import compaction

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

LISTED = 100_000
"""Rows of `ActionReport.files`."""
_FILES = pa.schema([(one, pa.string()) for one in ("action", "rule", "severity", "path", "sentence")])  # fmt: skip
_TABLE = pa.schema(
    [
        *((one, pa.string()) for one in ("action", "title", "severity", "sentence")),
        *(("files", pa.int64()), ("bytes", pa.int64()), ("requests", pa.int64())),
        *(("seconds", pa.float64()), ("how", pa.string()), ("rules", pa.list_(pa.string()))),
        *(("breaks", pa.string()), ("commands", pa.string())),
    ]
)


@dataclasses.dataclass(frozen=True)
class ActionReport(Advice):
    """What to do with a lake; see `Lake.report`, and `Advice` for the fields."""

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each action.

        - `action`, `title`, `severity`, `sentence`, `how` (strings); `files`, `bytes`, `requests` (int64; null if unknown);
          `seconds` (double): what it saves, and how that was computed; `rules` (list of strings).
        - `breaks`, `commands`: JSON objects by engine, and by what runs the command (strings).
        """
        rows = [
            {
                "action": one.name,
                "title": one.title,
                "severity": one.severity.value,
                "sentence": one.sentence,
                "files": one.files,
                **dataclasses.asdict(one.saves),
                "rules": list(one.rules),
                "breaks": json.dumps(dict(one.breaks)),
                "commands": json.dumps(dict(one.commands)),
            }
            for one in self.actions
        ]
        return pa.Table.from_pylist(rows, schema=_TABLE)

    def failing(self, names: Collection[str]) -> tuple[str, ...]:
        """The rules of findings that are named, or as bad as a severity that is named; see `LakeReport.failing`."""
        return self.diagnosis.failing(names)

    def to_text(self, room: int = 100) -> str:
        """The report as text, in lines of at most `room` characters where that is possible."""
        return "".join(f"{line}\n" for line in report_lines(self, room))

    def document(self) -> dict[str, Any]:
        """The report as JSON values, without version and kind: the kind `lake-report` of docs/json.schema.json."""
        return report_document(self)

    def to_json(self) -> str:
        """The report as a JSON document of the kind `lake-report` (docs/json.schema.json)."""
        return json.dumps({"version": VERSION, "kind": "lake-report", **self.document()})

    def to_html(self) -> str:
        """The report as one HTML page, which runs no script and loads nothing."""
        return page(self)

    def _repr_html_(self) -> str:
        return fragment(self)

    def __repr__(self) -> str:
        return f"<ActionReport of {printable(self.name)}: {printable(self.sentence)}>"


def report_lake(lake: Lake, level: str | None, **how: Any) -> ActionReport:
    """See `Lake.report`."""
    return report_of(lake, diagnose_lake(lake, level, **how))


def report_of(lake: Lake, diagnosis: LakeReport) -> ActionReport:
    """The actions that a diagnosis asks for."""
    rows = lake._store.read(lake.manifest, "files")
    live = live_files(lake)
    by_table, owner = formats(lake), _owners(rows)
    listed, unlisted = _files(diagnosis)
    made = []
    for kind, found in grouped(diagnosis.findings):
        paths = {row["path"] for row in listed if row["action"] == kind.name}
        if kind is actions.COMPACT:
            small = compaction(live, by_table, dict)
            saves = savings.of_compaction(small, savings.seconds_by_folder(live))
        else:
            saves = savings.of_findings(found)
        made.append(
            Action(
                kind.name,
                kind.title,
                min((one.severity for one in found), key=lambda one: one.rank),
                tuple(found),
                len(paths) or max(one.files for one in found),
                saves,
                breaks_of(found),
                commands(kind, found, _tables(paths, by_table, owner), _jobs(found)),
            )
        )
    return ActionReport(diagnosis, tuple(made), pa.Table.from_pylist(listed, schema=_FILES), unlisted)


_LIVE = [
    *("path", "status", "size", "table_path", "partition_values", "schema_id", "writer"),
    *("footer_bytes", "num_row_groups", "seconds"),
]


def live_files(lake: Lake) -> list[dict[str, Any]]:
    """The rows of `files` of readable live files, with what a compaction asks of them."""
    rows = lake._store.read(lake.manifest, "files").select(_LIVE)
    found: list[dict[str, Any]] = rows.filter(pc.equal(rows["status"], "ok")).to_pylist()
    return found


def with_commands(lake: Lake, diagnosis: LakeReport) -> LakeReport:
    """The diagnosis, whose findings have the commands that fix them beside the code of their rules."""
    by_table, owner = formats(lake), _owners(lake._store.read(lake.manifest, "files"))
    made = []
    for one in diagnosis.findings:
        tables = _tables({*one.paths}, by_table, owner)
        own = commands(actions.kind_of(one), [one], tables, _jobs([one])) if tables else {}
        made.append(dataclasses.replace(one, code={**one.code, **own}))
    return dataclasses.replace(diagnosis, findings=tuple(made))


def _owners(files: pa.Table) -> dict[str, str | None]:
    """The table with a log that each file belongs to."""
    return dict(zip(files["path"].to_pylist(), files["table_path"].to_pylist(), strict=True))


def _tables(paths: Collection[str], formats: Mapping[str, str], owner: Mapping[str, str | None]) -> dict[str, str]:
    """The tables of some files, or that are named themselves, with their format; "" for plain files."""
    tables = {path if path in formats else table_of(path, owner.get(path)) for path in paths}
    return {table: formats.get(table, "") for table in sorted(tables)}


def _jobs(found: Sequence[Any]) -> Mapping[str, str]:
    """The jobs over plain files that the doctor gives with the findings."""
    return {name: text for one in found for name, text in one.code.items() if name in ("Spark job", "pyarrow job")}


def _files(diagnosis: LakeReport) -> tuple[list[dict[str, str]], int]:
    """A row for each file and rule, and how many are left out."""
    kinds = {(one.rule, one.severity.value): actions.kind_of(one).name for one in diagnosis.findings}
    rows = []
    for one in diagnosis.findings:
        sentence = printable(one.example or one.sentence)
        rows += [
            _row(kinds[one.rule, one.severity.value], one.rule, one.severity.value, path, sentence)
            for path in one.together
        ]
    total = len(rows)
    found = diagnosis.files
    if isinstance(found, pa.Table):
        total += found.num_rows
        some = found.slice(0, LISTED).to_pylist()
    else:
        total += found.count()
        some = [row.asDict() for row in found.limit(LISTED).collect()]
    rows += [
        _row(kinds[row["rule"], row["severity"]], row["rule"], row["severity"], row["path"], row["sentence"])
        for row in some
        if (row["rule"], row["severity"]) in kinds
    ]  # fmt: skip
    return rows[:LISTED], max(0, total - LISTED)


def _row(*values: str) -> dict[str, str]:
    return dict(zip(_FILES.names, values, strict=True))
