"""A comparison of folders or tables as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.insight.diff.text import difference_document
from pqexplore.insight.document import plain

if TYPE_CHECKING:
    from pqexplore.lake.comparing.comparison import LakeDiff


def document(found: LakeDiff) -> dict[str, Any]:
    """The sentence, the differences, and the files."""
    return {
        "first": plain(found.first),
        "second": plain(found.second),
        "level": found.level,
        "sentence": found.sentence,
        "rows": list(found.rows),
        "same_rows": found.same_rows,
        "differences": [difference_document(one) for one in found.differences],
        "unread": [{"file": plain(file), "why": plain(why)} for file, why in found.unread],
        "files": plain(found.files.to_pylist()),
    }
