"""One step of a section in full: its parts down to the bits, and the values that it yields."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.page import Page
from pqexplore.engine.format import explain
from pqexplore.engine.format.encodings.steps import LEFTOVER, Extent
from pqexplore.engine.format.explain import Part
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.insight.text import value_texts

VALUES = 16
"""Values of a step that are shown at once."""

LEVELS = ("repetition_levels", "definition_levels")


@dataclasses.dataclass(slots=True)
class Row:
    """A value that a step yields: its bits, how they became the value, and its forms.

    `address` is None if the step yields something other than values, `entry` (the address of the dictionary's entry) if
    there is no dictionary. `value` is the integer that the bits are: an index, a level, a length. `logical`, `hex` and
    `note` are None if the value cannot be decoded; a level has only `logical`, its meaning.
    """

    index: int
    bits: str
    how: str
    address: str | None
    entry: str | None
    value: str | None
    logical: str | None = None
    hex: str | None = None
    note: str | None = None


@dataclasses.dataclass(slots=True)
class Step:
    """A step: number `number` of its section, its bytes in the section's space, and its values.

    `kind` is an index into the picture's `kinds`. `bytes` are the step's own, fewer than `end - start` if they do not lie
    together. `rows` begin with value `focus`.
    """

    number: int
    kind: int
    label: str
    start: int
    end: int
    bytes: int
    yields: str
    first: int
    count: int
    focus: int
    address: str
    parts: list[Part]
    rows: list[Row]


def step_of(
    page: Page,
    name: str,
    *,
    step: int | None = None,
    value: int | None = None,
    byte: int | None = None,
    focus: int | None = None,
) -> Step:
    """The step of section `name` with that number, or that yields a value, or has a byte of the section.

    Rows begin with value `focus`. UsageError if there is no such step.
    """
    found = page.structure(name)
    steps = found.steps
    if value is not None:
        step, focus = steps.of_value(value), value
    elif byte is not None:
        step = steps.at_byte(byte)
    if step is None or not 0 <= step < len(steps):
        raise UsageError(f"there is no such step of {Address.of(page.address, name)}: it has {len(steps):,}")
    kind, start, end, first, count = steps[step]
    focus = max(first, min(first if focus is None else focus, max(first, first + count - 1)))
    parts, rows = found.explain(step, range(focus, min(first + count, focus + VALUES)))
    base = page.body.section(name).span.start
    yields = kind.yields == "values" and count > 0
    return Step(
        number=step,
        kind=steps.kinds.index(kind),
        label=found.label(step),
        start=start + base,
        end=end + base,
        bytes=found.size(step),
        yields=kind.yields if count else "",
        first=first,
        count=count,
        focus=focus,
        address=step_address(page, name, steps[step], focus),
        parts=[part.shifted(base) for part in parts],
        rows=_rows(page, name, rows, yields),
    )


def step_address(page: Page, name: str, step: Extent, focus: int | None = None) -> Address:
    """The address of a step: of the value `focus` that it yields (by default the first), of a leftover, or the section."""
    if step.kind is LEFTOVER:
        base = page.body.section(name).span.start
        found = page.leftovers(name).items()
        return next(address for address, span in found if span.start == base + step.start)
    if step.kind.yields == "values" and step.count:
        return Address.of(page.address, name, step.first if focus is None else focus)
    return Address.of(page.address, name)


def _rows(page: Page, name: str, rows: list[explain.Row], yields: bool) -> list[Row]:
    """The values of a step with all their forms; if the section is damaged, only what the step itself gives."""
    names = name_levels(page.chunk.leaf)[name == "repetition_levels"] if name in LEVELS else []
    dictionary = page.chunk.dictionary_page if any(r.entry is not None for r in rows) else None
    stored = _stored(page, rows, dictionary) if yields and name == "values" else {}
    drawn_rows = []
    for row in rows:
        shown = Row(
            index=row.index,
            bits=row.bits,
            how=row.how,
            address=Address.of(page.address, name, row.index) if yields else None,
            entry=None,
            value=None if row.value is None else f"{row.value:,}",
        )
        if row.entry is not None and dictionary is not None:
            shown.entry = Address.of(dictionary.address, "values", row.entry)
        if name in LEVELS:
            level = row.value if isinstance(row.value, int) else -1
            shown.logical = names[level] if 0 <= level < len(names) else "beyond the maximum"
        elif row.index in stored:
            forms = stored[row.index]
            shown.logical, shown.hex, shown.note = forms["logical"], forms["hex"], forms["note"]
        drawn_rows.append(shown)
    return drawn_rows


def _stored(page: Page, rows: list[explain.Row], dictionary: Page | None) -> dict[int, dict[str, str]]:
    """The values of `rows` as texts, by their indexes; empty if the values cannot be decoded."""
    try:
        if dictionary is not None:
            entries = page.chunk.dictionary_physical
            return {
                r.index: value_texts(page.chunk.leaf, entries[r.entry].as_py())
                for r in rows
                if entries is not None and r.entry is not None and r.entry < len(entries)
            }
        physical = page.physical
        return {r.index: value_texts(page.chunk.leaf, physical[r.index].as_py()) for r in rows}
    except ParquetError:
        return {}
