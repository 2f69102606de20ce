"""The answer of a comparison in words: the rows, the size and its cause, the most important difference, how many more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.diff.difference import Difference
from pqexplore.insight.wording import factor, listing, name, percent

if TYPE_CHECKING:
    from pqexplore.insight.diff.diff import Diff

LOOKED = {"footer": "By their footers, ", "pages": "By their footers and page headers, ", "data": ""}
"""How a sentence says what was read, by level."""

NOTICED = 0.01
"""Share of its size by which a file must differ for the sentence to speak of it."""


def sentence(found: Diff) -> str:
    """See `Diff.sentence`."""
    first, second = found.first, found.second
    if found.same_bytes:
        return f"{_begin(first)} and {second} are the same, byte for byte."
    if not found.differences:
        what = "schema, layout and values" if found.level == "data" else "schema and layout"
        said = f"{first} and {second} have the same {what}{_of(found)}."
        return LOOKED[found.level] + (said if LOOKED[found.level] else _begin(said))
    said, lead, cause = _rows_and_size(found)
    rest = [one for one in found.differences if one is not cause and not (lead and one.what == "row-order")]
    if rest:
        said = f"{said} {rest[0].sentence}{and_more(len(rest) - 1)}".strip()
    looked = LOOKED[found.level]
    if not looked or lead:
        return said
    small = said.startswith(("The ", "Only ", "Both "))
    return looked + (said[:1].lower() if small else said[:1]) + said[1:]


def and_more(count: int) -> str:
    """That so many more differences are listed; "" for none."""
    return f" {count:,} more {'difference is' if count == 1 else 'differences are'} listed." if count else ""


def _rows_and_size(found: Diff) -> tuple[str, bool, Difference | None]:
    """What is said of rows and sizes; whether the rows are the same; and the difference that is said as the cause."""
    rows, larger = _rows(found), _larger(found)
    cause = _cause(found) if larger else None
    because = f" because {cause.clause}" if cause is not None else ""
    if rows:
        return f"{rows}{f'; it is {larger}{because}' if larger else ''}.", True, cause
    if not larger:
        return "", False, None
    comma = "," if because else ""
    return f"{_begin(found.second)} is {larger} than {found.first}{comma}{because}.", False, cause


def _begin(text: str) -> str:
    return f"T{text[1:]}" if text.startswith("the ") else text


def _of(found: Diff) -> str:
    """The columns that were compared; "" for all."""
    if found.columns is None:
        return ""
    return f" of {listing([name(path) for path in found.columns], most=4)}"


def _rows(found: Diff) -> str:
    """Whether both hold the same rows, if the values were compared; "" if they do not, or it is not known."""
    values = found.values
    if values is None or any(one.why for one in values.columns):
        return ""
    columns = any(one.what in ("column-added", "column-removed", "field-id") for one in found.differences)
    if columns or any(one.what == "rows" for one in found.differences):
        return ""
    what = f"the same values{_of(found)}" if found.columns else "the same rows"
    begin = f"{_begin(found.second)} holds {what} as {found.first}"
    if values.equal:
        return begin
    return f"{begin} in another order" if values.permuted else ""


def _larger(found: Diff) -> str:
    """How much larger or smaller the second file is: "1.4 × larger"; "" if hardly."""
    one, two = found.sizes
    return "" if not one or abs(two / one - 1) < NOTICED else change(one, two)


def change(one: int, two: int) -> str:
    """How much larger or smaller `two` is than `one`, which is not 0: "1.4 × larger", "3.1 % smaller"."""
    if two / one >= 1.1:
        return f"{factor(two / one)} larger"
    if two > one:
        return f"{percent(two / one - 1)} larger"
    return f"{percent(1 - two / one)} smaller"


def _cause(found: Diff) -> Difference | None:
    """The difference that explains most of the bytes, in the direction in which the files differ."""
    one, two = found.sizes
    sign = 1 if two > one else -1
    known = [d for d in found.differences if d.clause and d.bytes and d.bytes * sign > 0]
    best = max(known, key=lambda d: abs(d.bytes or 0), default=None)
    if best is None or abs(best.bytes or 0) * 2 < abs(two - one):
        return None
    return best
