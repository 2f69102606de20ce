"""Violations in the footer's own numbers."""

from engine.check import forged
from engine.check.violations import Violation


def version(number: int) -> bytes:
    return forged.one_column([forged.page([1, 2])], file={"version": number})


VIOLATIONS = [
    Violation(
        "a version that does not exist",
        "format-version",
        lambda: version(7),
        lambda: version(2),
        "warning",
    ),
]
