"""The range of each part, from its minimum to its maximum, on one axis.

Numbers, dates and timestamps lie at their value. Other values have an order but no distances: they lie at their rank.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.text import clip
from pqexplore.insight.figures.style import LABEL, plain

TICKS = 5

Pair = tuple[Any, Any]


def placed(pairs: Sequence[Pair], label: str) -> tuple[list[Pair | None], dict[str, Any]]:
    """Minimum and maximum of each part as plotly takes them, None if either is unknown; and their axis."""
    known = [value for pair in pairs for value in pair if value is not None]
    numbers = bool(known) and all(isinstance(v, (int, float, decimal.Decimal)) for v in known)
    if numbers:
        return [_both(pair, _number) for pair in pairs], {"title_text": label}
    if known and all(isinstance(value, datetime.date) for value in known):
        zoned = any(isinstance(v, datetime.datetime) and v.tzinfo is not None for v in known)
        title = f"{label} (UTC)" if zoned else label
        return [_both(pair, _date) for pair in pairs], {"title_text": title, "type": "date"}
    ordered = sorted(set(known), key=_key)
    rank = {value: place for place, value in enumerate(ordered)}
    last = len(ordered) - 1
    shown = sorted({round(i * last / (TICKS - 1)) for i in range(TICKS)}) if ordered else []
    axis = {
        "title_text": f"{label}, by rank: distances mean nothing",
        "tickvals": shown,
        "ticktext": [plain(clip(str(ordered[i]), LABEL // 2)) for i in shown],
    }
    return [_both(pair, rank.get) for pair in pairs], axis


def segments(pairs: Sequence[Pair | None], hovers: Sequence[str]) -> dict[str, list[Any]]:
    """`value`, `part` and `text` of lines from minimum to maximum, with breaks between them."""
    made: dict[str, list[Any]] = {"value": [], "part": [], "text": []}
    for at, pair in enumerate(pairs):
        if pair is None:
            continue
        made["value"] += [*pair, None]
        made["part"] += [at, at, None]
        made["text"] += [hovers[at], hovers[at], None]
    return made


def _both(pair: Pair, place: Any) -> Pair | None:
    low, high = (None if value is None else place(value) for value in pair)
    return None if low is None or high is None else (low, high)


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _date(value: datetime.date) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value.isoformat()


def _key(value: Any) -> tuple[str, Any]:
    comparable = isinstance(value, (str, bytes))
    return type(value).__name__, value if comparable else repr(value)
