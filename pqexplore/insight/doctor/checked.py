"""What `check()` finds, as diagnoses: one vocabulary, one list."""

from __future__ import annotations

from collections.abc import Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.writers.defect import Defect
from pqexplore.insight.writers.defects import BY_SOURCE

SPECIFICATION = "https://github.com/apache/parquet-format"

LOSES_ROWS = {
    "bloom-filter-denies": "a search by this Bloom filter misses rows that are there",
    "boundary-order-wrong": "a reader that searches the pages by their order misses rows",
    "column-index-bound": "a reader that skips pages by this bound misses rows",
    "column-index-inverted": "a reader that skips pages by these bounds misses rows",
    "first-row-disagrees": "a reader that skips pages reads wrong rows of the other columns",
    "geospatial-box-disagrees": "a search by this box misses geometries",
    "not-sorted": "a reader that relies on the declared order returns wrong results",
    "null-count-disagrees": "a condition IS NULL, or IS NOT NULL, may skip rows that match",
    "null-page-disagrees": "a reader that skips pages of nulls misses rows",
    "page-rows-disagree": "a reader that skips pages reads wrong rows of the other columns",
    "statistics-bound": "a condition on this column may skip rows that match",
    "statistics-exactness": "MIN or MAX by the statistics gives a value that is not there",
    "statistics-null-count": "a condition IS NULL, or IS NOT NULL, may skip rows that match",
    "page-statistics-bound": "a reader that skips pages by this bound may miss rows",
    "page-statistics-inverted": "a reader that skips pages by these bounds may miss rows",
    "statistics-inverted": "a condition on this column may skip rows that match",
}
"""The rules whose findings mean that a reader which trusts the file gives a wrong answer, and which one."""


def diagnoses(file: ParquetFile, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The findings of a file as diagnoses."""
    return [_one(file, finding) for finding in findings]


def _one(file: ParquetFile, finding: Finding) -> Diagnosis:
    rows = finding.evidence.get("rows")
    loses = LOSES_ROWS.get(finding.rule, "")
    defect = BY_SOURCE.get(str(finding.evidence.get("writer", "")))
    group, column = _place(file, finding.address)
    return Diagnosis(
        finding.rule,
        _severity(finding, defect),
        _sentence(finding),
        finding.address,
        column,
        () if group is None else (group,),
        rows if isinstance(rows, int) and not isinstance(rows, bool) else None,
        dict(finding.evidence),
        Cost(loses or (defect.hurts if defect else "")),
        defect.fix if defect else "",
        source=_source(finding, defect),
        message=finding.message,
    )


def _source(finding: Finding, defect: Defect | None) -> Source | None:
    """The defect of the writer that the finding names, else the words of the specification."""
    if defect is not None:
        return defect.source
    return Source(finding.specification, SPECIFICATION) if finding.specification else None


def without_named(found: list[Diagnosis], findings: Sequence[Finding]) -> list[Diagnosis]:
    """The diagnoses without those about a defect of the writer that a finding of `check()` names, too."""
    names = {finding.evidence.get("writer") for finding in findings} - {None}
    return [one for one in found if one.evidence.get("defect") not in names]


def _sentence(finding: Finding) -> str:
    """The finding with its place, as a sentence."""
    where = finding.address or "the file"
    begin = "Noted" if finding.severity == "note" else "Wrong"
    return f"{begin} at {where}: {finding.message.rstrip('.')}."


def _severity(finding: Finding, defect: Defect | None) -> Severity:
    if finding.severity == "note":
        return Severity.NOTE
    if defect is not None:
        return defect.severity
    if finding.rule in LOSES_ROWS:
        return Severity.WRONG
    return Severity.DAMAGE if finding.severity == "error" else Severity.PORTABILITY


def _place(file: ParquetFile, address: str) -> tuple[int | None, str]:
    """The row group and the column of an address, as far as it names them."""
    parts = str(Address(address)).removeprefix("footer/").split("/")
    group = (
        int(parts[1]) if parts[0] == "row_groups" and parts[1:2] and parts[1].isdecimal() else None
    )
    if group is None or len(parts) < 4 or parts[2] != "columns" or not parts[3].isdecimal():
        return group, ""
    try:
        leaves = file.schema.leaves
    except ParquetError:
        return group, ""
    index = int(parts[3])
    return group, ".".join(leaves[index].path) if index < len(leaves) else ""
