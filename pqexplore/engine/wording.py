"""Words that depend on a number."""

from __future__ import annotations


def plural(count: int, one: str, many: str = "") -> str:
    """1 row, 2 rows, 1,000 indexes."""
    words = one if count == 1 else many or (f"{one}es" if one.endswith("x") else f"{one}s")
    return f"{count:,} {words}"
