"""What an encoding did to a section of a page, step by step, and what it saved.

The answer has the sentence, the whole section in proportion (by bytes, and by the values they yield), and the first
step, or that of the selected value, under the glass. `look` has any other step.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.page import Page
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding
from pqexplore.engine.tree import Span, join
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.derivation.opening import LEVELS, bit_width_of, derivation, encoding_of
from pqexplore.insight.derivation.steps import Array, Derivation, Row
from pqexplore.insight.encoding_sentence import sentence
from pqexplore.insight.told import told
from pqexplore.insight.wording import plural

CELLS = 1_200
"""Cells of a strip; where there are more steps, a cell stands for several."""

VALUES = 16
"""Values of a step that are shown at once."""

ROWS = 1_000
"""Steps in the table."""

SECTIONS = ("repetition_levels", "definition_levels", "values")

_IN_SECTION = re.compile(rf"({'|'.join(SECTIONS)})(?:/(\d+))?(?:/|$)")


def place(page: Page, address: str) -> tuple[str, int | None]:
    """The section that an address in a page names, and the value: a page stands for its values."""
    match = _IN_SECTION.match(address.removeprefix(page.address).strip("/"))
    if match is None:
        return "values", None
    return match[1], None if match[2] is None else int(match[2])


def answer(page: Page, address: str) -> Answer:
    """What the encoding did at `address`: a section, a value or level of one, or a page.

    Raises ParquetError where the page is locked, or not even its sections can be found.
    """
    name, index = place(page, address)
    own = join(page.address, name)
    code = f"list(f.{_handle(page)}.trace({name!r}))"
    if page.kind in ("index_page", "unknown_page"):
        return Answer("", empty="Nothing is known of what this page holds; readers skip it.")
    found = derivation(page, name)
    if not len(found.steps):
        said = "" if found.problem is None else f" {found.problem.message}"
        return Answer(
            _nothing(page, name),
            empty=f"There are no bytes to take apart.{said}",
            code=code,
        )
    whole: Answer = page.chunk.file.cache.get(
        ("encoding", own), lambda: _whole(page, name, found, code), lambda _: 500_000
    )
    step = found.steps.of_value(index or 0) or 0
    picture = {**(whole.picture or {}), "look": look(page, name, step=step, focus=index)}
    return Answer(whole.sentence, picture, whole.table, code=code)


def _whole(page: Page, name: str, found: Derivation, code: str) -> Answer:
    """What is the same for all values of a section."""
    section = page.body.section(name)
    picture = {
        "section": join(page.address, name),
        "name": name.replace("_", " "),
        "space": section.span.space,
        "base": section.span.start,
        "size": len(section.data),
        "sections": _sections(page),
        "kinds": _kinds(found),
        "total": found.total,
        "listed": len(found.steps),
        "bytes": _strip(found, by_value=False),
        "values": _strip(found, by_value=True),
        "problem": "" if found.problem is None else found.problem.message,
    }
    return Answer(sentence(page, name, found), picture, _table(page, name, found), code=code)


def _handle(page: Page) -> str:
    chunk = page.chunk
    return f"row_groups[{chunk.row_group.index}].columns[{chunk.index}].pages[{page.index}]"


def _nothing(page: Page, name: str) -> str:
    if name in LEVELS and not bit_width_of(page, name):
        return f"The column has no {name.replace('_', ' ')}: their maximum is 0."
    if name == "values" and page.is_data and page.num_values:
        return f"All {plural(page.num_values, 'entry', 'entries')} of this page are null or empty: no value is stored."
    return "The section is empty."


def _sections(page: Page) -> list[dict[str, Any]]:
    found = []
    for section in page.body.sections:
        encoding = encoding_of(page, section.name)
        found.append(
            {
                "name": section.name.replace("_", " "),
                "address": join(page.address, section.name),
                "bytes": len(section.data),
                "encoding": "" if encoding is None else structs.enum_name(Encoding, encoding),
            }
        )
    return found


def _kinds(found: Derivation) -> list[dict[str, Any]]:
    steps = found.steps
    own = _own(steps.start, steps.end)
    made = []
    for number, kind in enumerate(steps.kinds):
        mine = steps.kind == number
        made.append(
            {
                "name": kind.name,
                "meaning": kind.meaning,
                "yields": kind.yields,
                "steps": int(mine.sum()),
                "bytes": int((steps.end - steps.start)[mine & own].sum()),
                "values": int(steps.count[mine].sum()),
            }
        )
    return made


def _own(start: Array, end: Array) -> Array:
    """Which steps have bytes that none before them has: values of BYTE_STREAM_SPLIT lie across its streams."""
    if not start.size:
        return np.zeros(0, bool)
    return np.asarray(start >= np.concatenate([[0], np.maximum.accumulate(end)[:-1]]))


def _strip(found: Derivation, *, by_value: bool) -> dict[str, list[int]]:
    """Cells `[start, end)`, by bytes or by values, with the kind of step and the step each stands for."""
    steps = found.steps
    if by_value:
        mine = np.flatnonzero(steps.yielding())
        start, end = steps.first[mine], (steps.first + steps.count)[mine]
    else:
        mine = np.flatnonzero(steps.end > steps.start)
        start, end = steps.start[mine], steps.end[mine]
        own = _own(start, end)
        mine, start, end = mine[own], start[own], end[own]
    if mine.size > CELLS:
        edges = np.linspace(int(start[0]), int(end[-1]), CELLS + 1).astype(np.int64)
        edges = np.unique(edges)
        nearest = np.searchsorted(start, (edges[:-1] + edges[1:]) // 2, "right") - 1
        mine, start, end = mine[np.maximum(nearest, 0)], edges[:-1], edges[1:]
    return {
        "start": start.tolist(),
        "end": end.tolist(),
        "kind": steps.kind[mine].tolist(),
        "step": mine.tolist(),
    }


def look(
    page: Page,
    name: str,
    *,
    step: int | None = None,
    value: int | None = None,
    byte: int | None = None,
    focus: int | None = None,
) -> dict[str, Any]:
    """One step under the glass: the one of that number, of a value, or of a byte of the section.

    `focus` is the value from which on values are shown. Raises UsageError for a step that there is not.
    """
    found = derivation(page, name)
    steps = found.steps
    if value is not None:
        step, focus = steps.of_value(value), value
    elif byte is not None:
        step = steps.at_byte(byte)
    if step is None or not 0 <= step < len(steps):
        raise UsageError(
            f"there is no such step of {join(page.address, name)}: it has {len(steps):,}"
        )
    kind = steps.kind_of(step)
    first, count = int(steps.first[step]), int(steps.count[step])
    focus = max(first, min(first if focus is None else focus, max(first, first + count - 1)))
    parts, rows = found.look(step, focus, VALUES)
    section = page.body.section(name)
    base = section.span.start
    yields = kind.yields == "values" and count > 0
    own = join(page.address, name)
    return {
        "step": step,
        "kind": int(steps.kind[step]),
        "label": found.label(step),
        "start": int(steps.start[step]) + base,
        "end": int(steps.end[step]) + base,
        "bytes": found.size(step),
        "yields": kind.yields if count else "",
        "first": first,
        "count": count,
        "focus": focus,
        "address": join(own, focus) if yields else own,
        "parts": [part.to_json(base) for part in parts],
        "rows": _rows(page, name, rows, yields),
    }


def _rows(page: Page, name: str, rows: list[Row], yields: bool) -> list[dict[str, Any]]:
    """The values of a step with all their forms. Where the section is damaged, only what the step itself says."""
    made = []
    names = name_levels(page.chunk.leaf)[name == "repetition_levels"] if name in LEVELS else []
    dictionary = page.chunk.dictionary_page if any(r.entry is not None for r in rows) else None
    stored = _stored(page, rows, dictionary) if yields and name == "values" else {}
    for row in rows:
        shown: dict[str, Any] = {
            "index": row.index,
            "bits": row.bits,
            "how": row.how,
            "address": join(page.address, name, row.index) if yields else None,
            "entry": None,
            "value": None if row.value is None else f"{row.value:,}",
        }
        if row.entry is not None and dictionary is not None:
            shown["entry"] = join(dictionary.address, "values", row.entry)
        if name in LEVELS:
            level = row.value if isinstance(row.value, int) else -1
            shown["logical"] = names[level] if 0 <= level < len(names) else "beyond the maximum"
        elif row.index in stored:
            shown |= stored[row.index]
        made.append(shown)
    return made


def _stored(page: Page, rows: list[Row], dictionary: Page | None) -> dict[int, dict[str, str]]:
    try:
        if dictionary is not None:
            entries = page.chunk.dictionary_physical
            return {
                r.index: told(page.chunk.leaf, entries[r.entry].as_py())
                for r in rows
                if entries is not None and r.entry is not None and r.entry < len(entries)
            }
        physical = page.physical
        return {r.index: told(page.chunk.leaf, physical[r.index].as_py()) for r in rows}
    except ParquetError:
        return {}


def _table(page: Page, name: str, found: Derivation) -> Table:
    table = Table(
        (
            Column("step", "step", "number"),
            Column("kind", "kind"),
            Column("bytes", "bytes", "bytes"),
            Column("first", "first value", "number", "the number of the first value it yields"),
            Column("values", "values", "number", "how many values it yields"),
            Column("what", "what it is"),
        ),
        caption="Steps",
        total=found.total,
    )
    steps, section = found.steps, page.body.section(name)
    own = join(page.address, name)
    for step in range(min(len(steps), ROWS)):
        kind = steps.kind_of(step)
        start, end = int(steps.start[step]), int(steps.end[step])
        first, count = int(steps.first[step]), int(steps.count[step])
        some = bool(kind.yields and count)
        table.add(
            step,
            kind.name,
            found.size(step),
            first if some else None,
            count if some else None,
            found.label(step),
            address=join(own, first) if some and kind.yields == "values" else own,
            span=Span(start, end, section.span.space).shifted(section.span.start),
        )
    return table
