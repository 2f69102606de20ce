"""Faults that writers are known for: which rule of the check sees them, in the files of which versions.

A fault is named only if the file has it, and its `created_by` names the writer: whole name, and version if it has one.
"""

from __future__ import annotations

import dataclasses
import re

from pqexplore.engine.finding import Finding

_CREATED_BY = re.compile(
    r"(?P<name>\S+?)(?:\s+version)?(?:\s+v?(?P<numbers>\d{1,6}(?:\.\d{1,6}){0,5})(?P<rest>\S*).*)?$",
    re.IGNORECASE,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """A fault of an application's versions `since` (included) and `before` (excluded); None is no limit.

    `unnumbered` is whether a created_by without a version is of such a version. `source` names the fault's report.
    """

    application: str
    rule: str
    before: tuple[int, ...] | None = None
    since: tuple[int, ...] | None = None
    source: str = ""
    unnumbered: bool = False

    def __str__(self) -> str:
        since = "" if self.since is None else f" from {_dotted(self.since)}"
        before = "" if self.before is None else f" before {_dotted(self.before)}"
        source = f" ({self.source})" if self.source else ""
        return f"{self.application}{since}{before} writes this{source}"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


FAULTS = (
    Fault("parquet-mr", "chunk-size-disagrees", (1, 2, 9), source="PARQUET-816", unnumbered=True),
    Fault("parquet-mr", "dictionary-page-offset-absent", (1, 12, 0), source="PARQUET-1850"),
    Fault("parquet-mr", "row-group-file-offset", (1, 12, 1), (1, 12, 0), "PARQUET-2078"),
    Fault("parquet-mr", "map-key-value-unknown", (1, 11, 1), (1, 11, 0), "PARQUET-1879"),
    Fault("parquet-mr", "nan-bound", (1, 10, 0), source="PARQUET-1246"),
    Fault("parquet-mr", "zero-bound", (1, 10, 0), source="PARQUET-1246"),
    Fault("parquet-cpp", "row-group-file-offset", source="PARQUET-2089"),
    Fault("parquet-cpp", "row-group-size-disagrees", source="PARQUET-2008"),
    Fault("parquet-cpp", "converted-type-unknown"),
    Fault("parquet-cpp", "nan-bound", (1, 4, 0), source="PARQUET-1225"),
    Fault("parquet-cpp-arrow", "row-group-file-offset", (6, 0, 0), source="PARQUET-2089"),
    Fault("parquet-cpp-arrow", "row-group-size-disagrees", (4, 0, 0), source="PARQUET-2008"),
    Fault("parquet-cpp-arrow", "page-rows-disagree", (12, 0, 0), source="GH-34086"),
    Fault("parquet-cpp-arrow", "null-count-disagrees", (12, 0, 0), source="GH-34326"),
    Fault("parquet-cpp-arrow", "page-inside-record", (12, 0, 0), source="GH-34142"),
    Fault("parquet-cpp-arrow", "page-versions-confused"),
    Fault("parquet-cpp-arrow", "local-time-converted-type"),
    Fault("DuckDB", "data-page-offset", (0, 10, 1), source="duckdb#10829", unnumbered=True),
    Fault(
        "DuckDB", "dictionary-page-offset", (0, 10, 3), (0, 10, 1), "duckdb#12096", unnumbered=True
    ),
    Fault("DuckDB", "column-orders-absent", (1, 5, 0), source="duckdb#20650", unnumbered=True),
    Fault(
        "Polars",
        "dictionary-page-offset-absent",
        (1, 39, 0),
        source="polars#26531",
        unnumbered=True,
    ),
)

RULES = frozenset(fault.rule for fault in FAULTS)
"""The rules that a fault is known for."""


def named(finding: Finding, created_by: str | None) -> Finding:
    """The finding; if its writer is known for the fault, its message says so."""
    fault = known_fault(finding.rule, created_by)
    if not fault:
        return finding
    return dataclasses.replace(
        finding,
        message=f"{finding.message}; {fault}",
        evidence=finding.evidence | {"known_fault": fault},
    )


def known_fault(rule: str, created_by: str | None) -> str:
    """What is known of the writer and a finding of this rule, as a clause; "" if nothing is."""
    match = _CREATED_BY.match(created_by or "")
    if match is None:
        return ""
    numbers = match["numbers"]
    version = None if numbers is None else tuple(map(int, numbers.split(".")))
    unreleased = (match["rest"] or "").lower().startswith(("-snapshot", "rc", "-rc"))
    for fault in FAULTS:
        if fault.rule == rule and fault.application.lower() == match["name"].lower():
            if version is None:
                return str(fault) if fault.unnumbered or fault.before is None else ""
            old = fault.before is None or version < fault.before
            old = old or (unreleased and version == fault.before)
            if old and (fault.since is None or version >= fault.since):
                return str(fault)
    return ""
