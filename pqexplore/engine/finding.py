"""Findings: what is wrong or noteworthy in a file, or could be better."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pqexplore.engine.address import Address
from pqexplore.engine.errors import (
    ElsewhereError,
    EncryptedFileError,
    LimitExceededError,
    ParquetError,
    UnsupportedFeatureError,
)
from pqexplore.engine.rule import Cost, Severity, Source
from pqexplore.engine.rules import RULES
from pqexplore.engine.text import name, printable

T = TypeVar("T")

SPECIFICATION = "https://github.com/apache/parquet-format"


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """Something wrong or noteworthy about a file, or that could be better. All texts are printable.

    - `rule`: the name of its record in `RULES`. The record gives `severity`, `cost`, `fix`, `source`, `specification` (the
      words that support it) and `message` (a template over the evidence) where the finding has none of its own.
    - `address`: the node to look at, "" for the file; `message`: what is wrong; `evidence`: the values that show it.
    - `column`: the dotted path, "" if it is about no column or about several; `row_groups`: those concerned; `rows`: how many
      rows are concerned, None if that is not known. `file.located` fills in what the address says.
    - `cost`: what it costs; `fix`: what to do, in a sentence; `code`: the same by writer.
    """

    rule: str
    address: str = ""
    message: str = ""
    evidence: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    specification: str = ""
    severity: Severity = None  # type: ignore[assignment]  # that of the record
    column: str = ""
    row_groups: tuple[int, ...] = ()
    rows: int | None = None
    cost: Cost = None  # type: ignore[assignment]  # that of the record
    fix: str = ""
    code: Mapping[str, str] = dataclasses.field(default_factory=dict)
    source: Source | None = None

    def __post_init__(self) -> None:
        record, severity, cost = RULES.get(self.rule), _optional(self.severity), _optional(self.cost)
        if record is None and severity is None:
            raise KeyError(f"the rule {self.rule!r} has no record")
        if record is not None:
            words = self.specification or record.specification
            own = Source(words, SPECIFICATION) if words else None
            for name, value in {
                "message": self.message or record.message.format_map(self.evidence),
                "specification": words,
                "severity": severity or record.severity,
                "cost": cost or Cost(record.cost),
                "fix": self.fix or record.fix,
                "code": self.code or record.code,
                "source": self.source or record.source or own,
            }.items():
                object.__setattr__(self, name, value)
        elif cost is None:
            object.__setattr__(self, "cost", Cost())
        for name in ("message", "fix", "column"):
            object.__setattr__(self, name, printable(getattr(self, name)))

    @property
    def violation(self) -> bool:
        """Whether its rule is one of `check()`; its message says what is wrong at its address, and not where that is."""
        return self.rule in RULES and RULES[self.rule].violation

    @property
    def how(self) -> str:
        """Whether what `check()` found is wrong, doubtful or noted: how its sentence begins; "" for other findings."""
        if not self.violation:
            return ""
        return {"error": "Wrong", "warning": "Doubtful", "note": "Noted"}[self.severity.level]

    @property
    def place(self) -> str:
        """Where what `check()` found is: "column `n`, row group 0, page 2", or the address; "" for other findings."""
        return (
            place(self.address, self.row_groups[0] if self.row_groups else None, self.column) if self.violation else ""
        )

    @property
    def sentence(self) -> str:
        """What is wrong; of what `check()` found, its place as a second sentence: "Where: column `n`, row group 0."."""
        if not self.violation:
            return self.message
        where = self.place
        return f"{self.how}: {self.message.rstrip('.')}." + (f" Where: {where}." if where else "")

    def __str__(self) -> str:
        if not self.violation:
            return f"{self.severity.value}: {self.message} [{self.rule}]"
        return f"{self.severity.level}: {self.message} [{self.rule}] at {printable(self.address) or 'file'}"

    def __repr__(self) -> str:
        return f"<Finding {self}>"


def _optional(given: T | None) -> T | None:
    """What was given for a field that the record has, too."""
    return given


PARTS = {"bloom_filter": "Bloom filter", "column_index": "column index", "offset_index": "offset index"}
"""The parts of a column chunk that the place of a finding names, beside its pages."""

INDEXES = ("column_index", "offset_index")
"""Those with an entry for each page."""


def place(address: str, group: int | None, column: str) -> str:
    """An address by its column, row group and page; the address itself outside of the row groups, "" for the file."""
    if group is None:
        return printable(address)
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
    return printable(", ".join(said))


def within(findings: Iterable[Finding], address: str) -> list[Finding]:
    """The findings at an address or below it."""
    return [one for one in findings if Address(one.address).is_in(address)]


def failure(error: ParquetError, address: str = "") -> Finding:
    """An error as a finding; parts that are encrypted, unsupported or in another file, and limits, have rules of their own."""
    rule = "unreadable"
    if isinstance(error, EncryptedFileError):
        rule = "locked"
    elif isinstance(error, ElsewhereError):
        rule = "pages-elsewhere"
    elif isinstance(error, UnsupportedFeatureError):
        rule = "unsupported"
    elif isinstance(error, LimitExceededError):
        rule = "limit"
    return Finding(rule, error.address or address, error.message, {"offset": error.offset})
