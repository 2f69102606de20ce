"""Numbers and names for sentences: rounded, with their unit, truncated."""

from __future__ import annotations

from pqexplore.engine.text import listing as listing
from pqexplore.engine.text import middle as middle
from pqexplore.engine.text import name as name
from pqexplore.engine.text import plural as plural

UNITS = ("B", "kB", "MB", "GB", "TB")


def size(count: int) -> str:
    """Bytes with three digits and a unit: 318 B, 1.21 MB."""
    value, unit = float(count), 0
    while abs(value) >= 999.5 and unit < len(UNITS) - 1:
        value /= 1000
        unit += 1
    digits = 0 if unit == 0 or abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{digits}f} {UNITS[unit]}"


def percent(share: float) -> str:
    """A share of 1 as a percentage: 83 %, 3.9 %, < 0.1 %. 100 % only if it is exactly 1."""
    value = share * 100
    if 0 < value < 0.1:
        return "< 0.1 %"
    if value >= 99.5 and share < 1:
        return "> 99 %"
    return f"{value:.0f} %" if value >= 9.95 or value == 0 else f"{value:.1f} %"


def measured(value: float) -> str:
    """A number with three digits, or all of those before the point: 0.0123, 8.57, 2,143."""
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def factor(ratio: float) -> str:
    """A ratio: 1.1 ×, 0.98 ×, 23 ×."""
    digits = 0 if ratio >= 9.95 else 1 if ratio >= 1 else 2
    return f"{ratio:.{digits}f} ×"


def left_over(size: int) -> str:
    """A sentence about so many bytes that are left over, after a space; "" for 0."""
    if size == 1:
        return " 1 byte is left over: nothing needs it."
    return f" {size:,} bytes are left over: nothing needs them." if size else ""
