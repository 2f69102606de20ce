"""Cuts a JSON document to a number of characters, and says where.

What is small stays whole, and the large members share what is left. A list keeps its first items, a text its beginning. The
member `shortened` says how many of how many are shown, each place as a JSON pointer (RFC 6901).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.text import clip

if TYPE_CHECKING:
    from pqexplore.insight.json_values import Json

SHORT, FULL = 12_000, 60_000
"""Characters of an answer, and of a full one."""

LEFT_OUT = {"file": ("schema", "row_groups")}
"""By the kind of a document: long members; a short answer has only how many items they have."""

MORE = f"full: true gives an answer of up to {FULL:,} characters"
NO_MORE = "ask for less at a time: some columns, rows, a row group, an address"

_LEAST = 60
"""Characters that each member of a large object gets at least; what does not get them is left out."""
_PARTS, _POINTER = 8, 100
"""How many places `shortened` names, and the characters of each."""
_NOTES = _PARTS * (_POINTER + 60) + 200
"""Characters of `shortened`, at most."""


def shortened(document: Mapping[str, Json], full: bool = False) -> dict[str, Json]:
    """The document with at most `SHORT` or `FULL` characters as JSON."""
    cut = _Cut()
    kept = dict(document) if full else _without_long_members(document, "", cut)
    room = FULL if full else SHORT
    if _size(kept) > room or cut.parts:
        kept = cut.fit_object(kept, room - _NOTES, "")
    if not cut.parts:
        return kept
    how = NO_MORE if full else MORE
    said: dict[str, Json] = {"how": how, "parts": [*cut.parts[:_PARTS]]}
    if len(cut.parts) > _PARTS:
        said["other_parts"] = len(cut.parts) - _PARTS
    return {"shortened": said, **kept}


def _without_long_members(document: Mapping[str, Json], at: str, cut: _Cut) -> dict[str, Json]:
    kept = dict(document)
    for name in LEFT_OUT.get(str(document.get("kind")), ()):
        items = kept.get(name)
        if isinstance(items, list) and items:
            kept[name] = []
            cut.note(_below(at, name), 0, len(items))
    several = kept.get("documents")
    if isinstance(several, list):
        places = [(_below(_below(at, "documents"), str(number)), one) for number, one in enumerate(several)]
        kept["documents"] = [
            _without_long_members(one, place, cut) if isinstance(one, dict) else one for place, one in places
        ]
    return kept


class _Cut:
    """Makes values smaller, and keeps where: `parts`."""

    def __init__(self) -> None:
        self.parts: list[Json] = []

    def note(self, at: str, shown: int, of: int) -> None:
        """Say that the value at a pointer has fewer items or characters than it had."""
        self.parts.append({"at": clip(at, _POINTER), "shown": shown, "of": of})

    def fit(self, value: Json, room: int, at: str) -> Json:
        """A value, or as much of it as has at most `room` characters."""
        if _size(value) <= room:
            return value
        if isinstance(value, dict):
            return self.fit_object(value, room, at)
        if isinstance(value, list):
            return self._fit_list(value, room, at)
        text = str(value)  # a number with so many digits, too
        kept = _beginning(text, room)
        self.note(at, len(kept) - 1, len(text))
        return kept

    def fit_object(self, value: Mapping[str, Json], room: int, at: str) -> dict[str, Json]:
        """The members of an object; the smallest whole, the others with equal shares of what is left."""
        costs = {name: _size(name) + 4 for name in value}  # the name, a colon, a comma, blanks
        sizes = {name: costs[name] + _size(one) for name, one in value.items()}
        chosen: list[str] = []
        left = room - 2
        for name in value:
            least = min(sizes[name], costs[name] + _LEAST)
            if least > left:
                break
            left -= least
            chosen.append(name)
        if len(chosen) < len(value):
            self.note(at, len(chosen), len(value))
        left = room - 2
        shares: dict[str, int] = {}
        for number, name in enumerate(sorted(chosen, key=sizes.__getitem__)):
            shares[name] = min(sizes[name], left // (len(chosen) - number))
            left -= shares[name]
        made: dict[str, Json] = {}
        for name in chosen:
            if shares[name] - costs[name] >= min(_size(value[name]), _LEAST):
                made[name] = self.fit(value[name], shares[name] - costs[name], _below(at, name))
            else:
                self.note(_below(at, name), 0, 1)
        return made

    def _fit_list(self, value: list[Json], room: int, at: str) -> list[Json]:
        kept: list[Json] = []
        left = room - 2
        for one in value:
            left -= _size(one) + 2
            if left < 0:
                break
            kept.append(one)
        if not kept and room >= _LEAST:
            kept = [self.fit(value[0], room - 2, _below(at, "0"))]
        if len(kept) < len(value):
            self.note(at, len(kept), len(value))
        return kept


def _beginning(text: str, room: int) -> str:
    """The beginning of a text that has at most `room` characters as JSON, and `…`."""
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(text[:middle] + "…") <= room else (low, middle - 1)
    return text[:low] + "…"


def _size(value: Json) -> int:
    return len(json.dumps(value))


def _below(at: str, name: str) -> str:
    return f"{at}/{name.replace('~', '~0').replace('/', '~1')}"
