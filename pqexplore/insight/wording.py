"""Numbers and names as they stand in a sentence: short, with their unit, and never longer than a person reads."""

from __future__ import annotations

from collections.abc import Sequence

UNITS = ("B", "kB", "MB", "GB", "TB")

NAME = 60
"""Characters of a column's name that a sentence has room for."""


def size(count: int) -> str:
    """Bytes with three digits: 318 B, 1.21 MB."""
    value, unit = float(count), 0
    while abs(value) >= 999.5 and unit < len(UNITS) - 1:
        value /= 1000
        unit += 1
    digits = 0 if unit == 0 or abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{digits}f} {UNITS[unit]}"


def percent(share: float) -> str:
    """A part of a whole: 83 %, 3.9 %, < 0.1 %. Only a whole is 100 %."""
    value = share * 100
    if 0 < value < 0.1:
        return "< 0.1 %"
    if value >= 99.5 and share < 1:
        return "> 99 %"
    return f"{value:.0f} %" if value >= 9.95 or value == 0 else f"{value:.1f} %"


def factor(ratio: float) -> str:
    """How many times: 1.1 ×, 0.98 ×, 23 ×."""
    digits = 0 if ratio >= 9.95 else 1 if ratio >= 1 else 2
    return f"{ratio:.{digits}f} ×"


def plural(count: int, one: str, many: str = "") -> str:
    """1 row, 2 rows, 1,000 indexes."""
    words = one if count == 1 else many or (f"{one}es" if one.endswith("x") else f"{one}s")
    return f"{count:,} {words}"


def listing(words: Sequence[str], last: str = "and", most: int = 6) -> str:
    """One, one and two, one, two and three; what is beyond `most` is counted."""
    shown = list(words)
    if len(shown) > most:
        shown[most - 1 :] = [f"{len(words) - most + 1:,} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def name(path: Sequence[str] | str) -> str:
    """A column's name, marked as one."""
    text = path if isinstance(path, str) else ".".join(path)
    return f"`{text if len(text) <= NAME else text[: NAME - 1] + '…'}`"
