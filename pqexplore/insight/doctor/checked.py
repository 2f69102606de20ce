"""What `check()` finds, as diagnoses: one vocabulary, one list."""

from __future__ import annotations

from collections.abc import Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.wording import name
from pqexplore.insight.writers.defect import Defect
from pqexplore.insight.writers.defects import BY_SOURCE

SPECIFICATION = "https://github.com/apache/parquet-format"

LOSES_ROWS = {
    "bloom-filter-denies": "a search by this Bloom filter misses rows that are there",
    "boundary-order-wrong": "a reader that searches the pages by their order may miss rows",
    "column-index-bound": "a reader that skips pages by this bound may miss rows",
    "column-index-inverted": "a reader that skips pages by these bounds may miss rows",
    "first-row-disagrees": "a reader that skips pages by these row numbers reads other rows than it wants",
    "geospatial-box-disagrees": "a search by this box may miss geometries",
    "not-sorted": "a reader that relies on the declared order may return wrong results",
    "null-page-disagrees": "a reader that skips pages of nulls may miss rows",
    "page-rows-disagree": "a reader that skips pages by this count reads other rows than it wants",
    "statistics-bound": "a condition on this column may skip rows that match",
    "statistics-exactness": "MIN or MAX by the statistics gives a value that is not there",
    "statistics-null-count": "a condition IS NULL, or IS NOT NULL, may skip rows that match",
    "page-statistics-bound": "a reader that skips pages by this bound may miss rows",
    "page-statistics-inverted": "a reader that skips pages by these bounds may miss rows",
    "statistics-inverted": "a condition on this column may skip rows that match",
}
"""The rules whose findings mean that a reader which trusts the file may give a wrong answer, and which one."""

STOPPED = frozenset(("limit", "not-everything-checked", "variant-not-checked", "geometries-not-checked"))
"""The rules by which a check says that it left something out, which is no fault of the file."""

ORDINARY = frozenset(("converted-type-absent",))
"""Rules of warnings about what a current writer does by default: polars writes no converted types of timestamps."""

LOSES_NOTHING = frozenset(("map-key-optional",))
"""Rules of errors in the schema by which no byte and no value is lost: readers differ in what they do."""

WRONG_COUNT = "a count of the column's nulls or values by the statistics is wrong"
"""What a null_count costs that is neither 0 nor all: no condition skips by it."""

SAME = {
    "converted-type-only": "converted-types-only",
    "int96-deprecated": "int96",
    "legacy-list": "legacy-lists",
    "name-repeated": "duplicate-names",
    "repeated-nonce": "nonce-reused",
    "repeated-unannotated": "legacy-lists",
    "statistics-not-encrypted": "plaintext-statistics",
}
"""The rules of `check()` about what a rule of the doctor says with its cost and fix: of both, the doctor's is listed."""


PARTS = {"bloom_filter": "Bloom filter", "column_index": "column index", "offset_index": "offset index"}
"""The parts of a column chunk that the place of a finding names, beside its pages."""

INDEXES = ("column_index", "offset_index")
"""Those with an entry for each page."""

BY_ADDRESS = frozenset(("embedded-damaged", "embedded-disagrees"))
"""Rules of `check()` about a key of the metadata; the doctor has a rule for each."""


def unsaid(findings: Sequence[Finding], said: Sequence[Diagnosis]) -> list[Finding]:
    """The findings that no diagnosis of the doctor's own rules says already."""
    rules = {one.rule for one in said}
    addresses = {one.address for one in said}
    return [
        one
        for one in findings
        if SAME.get(one.rule) not in rules and not (one.rule in BY_ADDRESS and one.address in addresses)
    ]


def diagnoses(file: ParquetFile, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The findings of a file as diagnoses."""
    return [_one(file, finding) for finding in findings]


def _one(file: ParquetFile, finding: Finding) -> Diagnosis:
    rows = finding.evidence.get("rows")
    loses = _loses(finding)
    defect = BY_SOURCE.get(str(finding.evidence.get("writer", "")))
    severity = _severity(finding, loses, defect)
    group, column = _place(file, finding.address)
    return Diagnosis(
        finding.rule,
        severity,
        _sentence(finding, severity, group, column),
        finding.address,
        column,
        () if group is None else (group,),
        rows if isinstance(rows, int) and not isinstance(rows, bool) else None,
        dict(finding.evidence),
        Cost(loses or (defect.hurts if defect else "")),
        defect.fix if defect else "",
        source=_source(finding, defect),
        message=finding.message,
        how=_how(finding, severity),
        place=_where(finding.address, group, column),
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


def _loses(finding: Finding) -> str:
    """Which wrong answer a reader may give that trusts what the finding says is wrong; "" if none is known."""
    known = LOSES_ROWS.get(finding.rule, "")
    if finding.rule == "statistics-null-count":
        if finding.severity != "error":
            return ""  # in a list; writers count different things there
        stated, entries = finding.evidence.get("null_count"), finding.evidence.get("entries")
        if stated != 0 and isinstance(stated, int) and isinstance(entries, int) and stated < entries:
            return WRONG_COUNT
    return known


def _sentence(finding: Finding, severity: Severity, group: int | None, column: str) -> str:
    """What is wrong, then its place as a second sentence: "Where: column `n`, row group 0", or the address."""
    where = _where(finding.address, group, column)
    return f"{_how(finding, severity)}: {finding.message.rstrip('.')}." + (f" Where: {where}." if where else "")


def _how(finding: Finding, severity: Severity) -> str:
    """How the sentence begins."""
    if severity is Severity.NOTE:
        return "Noted"
    return "Wrong" if finding.severity == "error" else "Doubtful"


def _where(address: str, group: int | None, column: str) -> str:
    """An address by its column, row group and page; the address itself outside of the row groups, "" for the file."""
    if group is None:
        return address
    parts = address.removeprefix("footer/").split("/")
    said = [f"row group {group:,}"]
    if parts[2:3] == ["columns"] and parts[3:]:
        said.insert(0, f"column {name(column) if column else parts[3]}")
    part = "/".join(parts[4:5])
    if part == "pages" and parts[5:]:
        said.append(f"page {parts[5]}")
    elif part in PARTS:
        entry = f" of page {parts[-1]}" if part in INDEXES and parts[-1].isdecimal() else ""
        said.append(PARTS[part] + entry)
    return ", ".join(said)


def _severity(finding: Finding, loses: str, defect: Defect | None) -> Severity:
    """How bad a finding is; `loses`: which wrong answer it can lead to; `defect`: the writer's, if it names one."""
    if finding.severity == "note" or finding.rule in STOPPED | ORDINARY:
        return Severity.NOTE
    if defect is not None:
        return defect.severity
    if loses:
        return Severity.WRONG
    lost = finding.severity == "error" and finding.rule not in LOSES_NOTHING
    return Severity.DAMAGE if lost else Severity.PORTABILITY


def _place(file: ParquetFile, address: str) -> tuple[int | None, str]:
    """The row group and the column of an address, as far as it names them."""
    parts = str(Address(address)).removeprefix("footer/").split("/")
    group = int(parts[1]) if parts[0] == "row_groups" and parts[1:2] and parts[1].isdecimal() else None
    if group is None or len(parts) < 4 or parts[2] != "columns" or not parts[3].isdecimal():
        return group, ""
    try:
        leaves = file.schema.leaves
    except ParquetError:
        return group, ""
    index = int(parts[3])
    return group, ".".join(leaves[index].path) if index < len(leaves) else ""
