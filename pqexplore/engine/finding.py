"""Findings: what is wrong or noteworthy in a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import (
    ElsewhereError,
    EncryptedFileError,
    LimitExceededError,
    ParquetError,
    UnsupportedFeatureError,
)
from pqexplore.engine.text import printable


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """Something wrong or noteworthy about a file.

    `rule` is a short stable name, `severity` one of error, warning, note; `evidence` the values that show it;
    `specification` the words of the specification that support it. The message is printable text.
    """

    rule: str
    severity: str
    address: str
    message: str
    evidence: dict[str, Any] = dataclasses.field(default_factory=dict)
    specification: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", printable(self.message))

    def __str__(self) -> str:
        place = printable(self.address) or "file"
        return f"{self.severity}: {self.message} [{self.rule}] at {place}"

    def __repr__(self) -> str:
        return f"<Finding {self}>"


def within(findings: Iterable[Finding], address: str) -> list[Finding]:
    """The findings at an address or below it."""
    return [one for one in findings if Address(one.address).is_in(address)]


def failure(error: ParquetError, address: str = "") -> Finding:
    """An error as a finding; parts that are encrypted, unsupported or in another file, and limits, have rules of their own."""
    rule, severity = "unreadable", "error"
    if isinstance(error, EncryptedFileError):
        rule, severity = "locked", "note"
    elif isinstance(error, ElsewhereError):
        rule, severity = "pages-elsewhere", "note"
    elif isinstance(error, UnsupportedFeatureError):
        rule, severity = "unsupported", "warning"
    elif isinstance(error, LimitExceededError):
        rule, severity = "limit", "warning"
    return Finding(rule, severity, error.address or address, error.message, {"offset": error.offset})
