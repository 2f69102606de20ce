"""From an error to a finding: what could not be read becomes something that is known of the file."""

from __future__ import annotations

from pqexplore.engine.errors import (
    EncryptedFileError,
    LimitExceededError,
    ParquetError,
    UnsupportedFeatureError,
)
from pqexplore.engine.tree import Finding


def failure(error: ParquetError, address: str = "") -> Finding:
    """An error as a finding: locked and unsupported parts and limits are told apart from what is wrong."""
    rule, severity = "unreadable", "error"
    if isinstance(error, EncryptedFileError):
        rule, severity = "locked", "note"
    elif isinstance(error, UnsupportedFeatureError):
        rule, severity = "unsupported", "warning"
    elif isinstance(error, LimitExceededError):
        rule, severity = "limit", "warning"
    return Finding(
        rule, severity, error.address or address, error.message, {"offset": error.offset}
    )
