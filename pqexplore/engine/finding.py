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
    UndefinedNumberError,
    UnsupportedFeatureError,
)
from pqexplore.engine.rule import Cost, Severity, Source
from pqexplore.engine.rules import RULES
from pqexplore.engine.text import listing, name, plural, printable

T = TypeVar("T")

SPECIFICATION = "https://github.com/apache/parquet-format"


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """Something wrong or noteworthy about a file, or that could be better. All texts are printable.

    - `rule`: the name of its record in `RULES`. The record gives `severity`, `cost`, `fix`, `source`, `specification` (the
      words that support it) and `message` (a template over the evidence) where the finding has none of its own.
    - `address`: the node to look at, "" for the file; `message`: what is wrong; `evidence`: the values that show it.
    - `column`: the dotted path, "" if it is about no column or about several; `row_groups`: those concerned; `rows`: how many
      rows are concerned, None if that is not known. `page`: the number of its page among the data pages of its chunk, -1 for the
      dictionary page; `first_row`: the first row of that page in the file. `file.located` fills in what the address says.
    - `alike`: the same fault at other places; these findings have none.
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
    page: int | None = None
    first_row: int | None = None
    alike: tuple[Finding, ...] = ()
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
        """Where what `check()` found is: "column `n`, row group 0, data page 2 (rows 80 to 119)", or the address; "" for other findings."""
        if not self.violation:
            return ""
        group = self.row_groups[0] if self.row_groups else None
        return place(self.address, group, self.column, self.page) + self._rows_of_page

    @property
    def _rows_of_page(self) -> str:
        """The rows of the page in the file, in parentheses, of a finding about the whole page; "" if they are not known."""
        if not self.rows or self.first_row is None:
            return ""
        last = self.first_row + self.rows - 1
        return (
            f" (row {last:,} of the file)" if self.rows == 1 else f" (rows {self.first_row:,} to {last:,} of the file)"
        )

    @property
    def each(self) -> tuple[Finding, ...]:
        """The finding without those alike, then these."""
        return (dataclasses.replace(self, alike=()), *self.alike) if self.alike else (self,)

    @property
    def others(self) -> str:
        """Where the same fault is, too: "9 more columns: `a`, `b` and 7 more", "row groups 1 and 2"; "" if nowhere else."""
        if not self.alike:
            return ""
        columns = dict.fromkeys(one.column for one in self.alike if one.column not in ("", self.column))
        if columns:
            return f"{plural(len(columns), 'more column')}: {listing(list(map(name, columns)), most=NAMED)}"
        for noun, number in (("row group", _group), ("data page", _page)):
            known = dict.fromkeys(number(one) for one in self.alike)
            if None not in known and number(self) not in known:
                shown = listing([f"{one:,}" for one in known], most=NAMED)
                return f"{noun}{'s' if len(known) > 1 else ''} {shown}"
        return plural(len(self.alike), "more place")

    @property
    def sentence(self) -> str:
        """What is wrong; of what `check()` found, its place as a second sentence: "Where: column `n`, row group 0."."""
        if not self.violation:
            return self.message
        where = self.place
        return f"{self.how}: {self.message.rstrip('.')}." + (f" Where: {where}." if where else "") + self.also

    @property
    def also(self) -> str:
        """The sentence about other places of the same fault, after a space; "" if there are none."""
        return f" The same fault is in {self.others}." if self.alike else ""

    def __str__(self) -> str:
        if not self.violation:
            return f"{self.severity.value}: {self.message} [{self.rule}]"
        return f"{self.severity.level}: {self.message} [{self.rule}] at {printable(self.address) or 'file'}"

    def __repr__(self) -> str:
        return f"<Finding {self}>"


NAMED = 4
"""Columns, row groups or pages that a sentence names for one fault; the others are counted."""

WHOLE_PAGE = frozenset(("crc-mismatch", "unreadable", "unsupported"))
"""Rules by which no row of a page can be relied on, if they are about the page."""

DICTIONARY = -1
"""The number that stands for the dictionary page among the pages of a chunk."""


def _group(one: Finding) -> int | None:
    return one.row_groups[0] if one.row_groups else None


def _page(one: Finding) -> int | None:
    return one.page


def _optional(given: T | None) -> T | None:
    """What was given for a field that the record has, too."""
    return given


PARTS = {"bloom_filter": "Bloom filter", "column_index": "column index", "offset_index": "offset index"}
"""The parts of a column chunk that the place of a finding names, beside its pages."""

INDEXES = ("column_index", "offset_index")
"""Those with an entry for each page."""


def place(address: str, group: int | None, column: str, page: int | None = None) -> str:
    """An address by its column, row group and page; the address itself outside of the row groups, "" for the file.

    `page` is its number among the data pages; None if it is not known.
    """
    if group is None:
        return printable(address)
    parts = address.removeprefix("footer/").split("/")
    said = [f"row group {group:,}"]
    if parts[2:3] == ["columns"] and parts[3:]:
        said.insert(0, f"column {name(column) if column else parts[3]}")
    part = "/".join(parts[4:5])
    if part == "pages" and parts[5:]:
        said.append(
            "dictionary page" if page == DICTIONARY else f"page {parts[5]}" if page is None else f"data page {page:,}"
        )
    elif part in PARTS:
        entry = f" of data page {parts[-1]}" if part in INDEXES and parts[-1].isdecimal() else ""
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
    found = Finding(rule, error.address or address, error.message, {"offset": error.offset})
    return dataclasses.replace(found, severity=Severity.DAMAGE) if isinstance(error, UndefinedNumberError) else found
