"""The microscope: how the bytes of a section became its values, a step at a time, down to the bits.

The picture has the whole section in proportion (by its bytes, and by the values they yield), and one step in full: the
first, or that of the selected value. The operation `derive` gives any other step.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.format import explain
from pqexplore.engine.format.encodings.encoding import Array, Structure
from pqexplore.engine.format.encodings.steps import LEFTOVER, LISTED, Extent
from pqexplore.engine.format.explain import Part
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import in_page, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.short_text import value_texts
from pqexplore.insight.wording import left_over, plural
from pqexplore.insight.writers.defect import VALUES

VALUES_SHOWN = 16
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
    parts, rows = found.explain(step, range(focus, min(first + count, focus + VALUES_SHOWN)))
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


FIRST = frozenset({"values", "repetition_levels", "definition_levels"})

KINDS = FIRST | {"value", "level", "data_page", "data_page_v2", "dictionary_page"}

CELLS = 1_200
"""Cells of a strip; if there are more steps, a cell stands for several."""

ROWS = 1_000
"""Steps in the table."""

SECTIONS = (*LEVELS, "values")

_LEFTOVER = re.compile(r"/leftover_(\d+)$")
_IN_SECTION = re.compile(rf"({'|'.join(SECTIONS)})(?:/(\d+))?(?:/|$)")


@dataclasses.dataclass(slots=True)
class Section:
    """A section of the page: its name, its bytes and its encoding, "" if it has none."""

    name: str
    address: str
    bytes: int
    encoding: str


@dataclasses.dataclass(slots=True)
class Kind:
    """A kind of step: how many there are, their bytes, and the values that they yield."""

    name: str
    meaning: str
    yields: str
    steps: int
    bytes: int
    values: int


@dataclasses.dataclass(slots=True)
class Cells:
    """The cells of a strip as columns: each is `[start, end)`, with its kind (an index) and the step it stands for."""

    start: list[int]
    end: list[int]
    kind: list[int]
    step: list[int]


@dataclasses.dataclass(slots=True)
class Picture:
    """A section in proportion, by bytes and by values, and one step in full.

    The section has `size` bytes from byte `base` of `space`, in `total` steps; the first `listed` can be selected.
    `problem` is the error that stopped the scan, "" if none did.
    """

    section: str
    name: str
    space: str
    base: int
    size: int
    sections: list[Section]
    kinds: list[Kind]
    total: int
    listed: int
    bytes: Cells
    values: Cells
    problem: str
    step: Step


@dataclasses.dataclass(slots=True)
class _Whole:
    """The parts of an answer that are the same for all values of a section."""

    sentence: str
    picture: Picture
    table: Table


def section_at(page: Page, address: str) -> tuple[str, int | None]:
    """The section that an address in a page names, and the value, None if it names none. A page stands for its values."""
    match = _IN_SECTION.match(address.removeprefix(page.address).strip("/"))
    if match is None:
        return "values", None
    return match[1], None if match[2] is None else int(match[2])


def answer(file: ParquetFile, node: Node) -> Answer:
    """The section at the node (of a page, its values) in proportion, and one of its steps in full.

    Raises ParquetError if the page needs a key, or its sections cannot be found.
    """
    return answer_at(page_at(file, node.address), node.address)


def answer_at(page: Page, address: str) -> Answer:
    """The answer at an address in a page; the section may be absent."""
    name, index = section_at(page, address)
    own = Address.of(page.address, name)
    code = f"list(f.{_handle(page)}.trace({name!r}))"
    if page.kind in ("index_page", "unknown_page"):
        return Answer("", empty="Nothing is known of what this page holds; readers skip it.")
    found = page.structure(name)
    if not len(found.steps):
        reason = "" if found.error is None else f" {found.error.message}"
        return Answer(_nothing(page, name), empty=f"There are no bytes to take apart.{reason}", code=code)
    leftover = _LEFTOVER.search(address)
    number = found.steps.of_value(index or 0) or 0
    if leftover is not None:
        number = found.steps.at_byte(int(leftover[1]))
    step = step_of(page, name, step=number, focus=index)
    whole = page.chunk.file.cache.get(("encoding", own), lambda: _whole(page, name, found, step), lambda _: 500_000)
    picture = dataclasses.replace(whole.picture, step=step)
    sentence = whole.sentence
    if index is not None:
        one = name.removesuffix("s").replace("_", " ")
        sentence = f"{one.capitalize()} {index:,} is in step {step.number:,}, {step.label}. In all: {sentence}"
    return Answer(sentence, picture, whole.table, code=code)


def _whole(page: Page, name: str, found: Structure, step: Step) -> _Whole:
    section = page.body.section(name)
    picture = Picture(
        section=Address.of(page.address, name),
        name=name.replace("_", " "),
        space=section.span.space,
        base=section.span.start,
        size=len(section.data),
        sections=_sections(page),
        kinds=_kinds(found),
        total=len(found.steps),
        listed=min(len(found.steps), LISTED),
        bytes=_strip(found, by_value=False),
        values=_strip(found, by_value=True),
        problem="" if found.error is None else found.error.message,
        step=step,
    )
    return _Whole(sentence(page, name, found), picture, _table(page, name, found))


def sentence(page: Page, name: str, found: Structure) -> str:
    """What the encoding did, and its size compared with PLAIN."""
    leftovers = sum(map(len, page.leftovers(name).values()))
    size = len(page.body.section(name).data) - leftovers
    count = page.num_present if page.is_data and name == "values" else page.num_values
    word = ("value", "") if page.is_data else ("entry of the dictionary", "entries of the dictionary")
    what = plural(count, *word) if name == "values" else plural(count, name[:-1].replace("_", " "))
    plain = None if name in LEVELS or found.about_plain else plain_bytes(page)
    compared = "" if plain is None else f" instead of {plain:,} in PLAIN"
    if plain == size:
        compared = ", as many as in PLAIN"
    text = f"{found.summary(what)}: {plural(size, 'byte')}{compared}{found.remark()}."
    if not count or (name in LEVELS and not page.level_bits(name)):
        text = _nothing(page, name) if page.num_values else "The page has no entries."
        text += f" The section has {plural(size, 'byte')} all the same." if size else ""
    if leftovers:
        text += left_over(leftovers)
    if found.error is not None:
        text += f" After {plural(len(found.steps), 'step')} it cannot be followed: {found.error.message}"
    return text


def plain_bytes(page: Page) -> int | None:
    """The bytes that a page's values would take in PLAIN; None if they cannot be decoded.

    A dictionary's entries are counted as often as they are used, without making an array of the values.
    """
    leaf = page.chunk.leaf
    try:
        count = page.num_present if page.is_data else page.num_values
        indexed = page.is_data and page.encoding in DICTIONARY_ENCODINGS
        entries = page.chunk.dictionary_physical if indexed else page.physical
        if entries is None:  # a page of nulls alone needs no dictionary
            return 0
        if leaf.physical_type != Type.BYTE_ARRAY:
            return int(count * entries.type.bit_width + 7) >> 3
        runs = page.id_runs
        if runs is not None:
            lengths = pc.binary_length(entries).to_numpy(zero_copy_only=False).astype("i8")
            return int(lengths @ runs.histogram(len(lengths))) + 4 * count
        return int(pc.sum(pc.binary_length(page.physical)).as_py() or 0) + 4 * count
    except ParquetError:
        return None


def _handle(page: Page) -> str:
    chunk = page.chunk
    return f"row_groups[{chunk.row_group.index}].columns[{chunk.index}].pages[{page.index}]"


def _nothing(page: Page, name: str) -> str:
    if name in LEVELS and not page.level_bits(name):
        return f"The column has no {name.replace('_', ' ')}: their maximum is 0."
    if name == "values" and page.is_data and page.num_values:
        return f"All {plural(page.num_values, 'entry', 'entries')} of this page are null or empty: no value is stored."
    return "The section is empty."


def _sections(page: Page) -> list[Section]:
    sections = []
    for section in page.body.sections:
        encoding = page.section_encoding(section.name)
        sections.append(
            Section(
                name=section.name.replace("_", " "),
                address=Address.of(page.address, section.name),
                bytes=len(section.data),
                encoding="" if encoding is None else structs.enum_name(Encoding, encoding),
            )
        )
    return sections


def _kinds(found: Structure) -> list[Kind]:
    number_of, start, end, _, count = found.steps.table
    own = _own(start, end) | _left_over(found)
    kinds = []
    for number, kind in enumerate(found.steps.kinds):
        mine = number_of == number
        kinds.append(
            Kind(
                name=kind.name,
                meaning=kind.meaning,
                yields=kind.yields,
                steps=int(mine.sum()),
                bytes=int((end - start)[mine & own].sum()),
                values=int(count[mine].sum()),
            )
        )
    return kinds


def _own(start: Array, end: Array) -> Array:
    """Which steps have bytes that no step before them has: values of BYTE_STREAM_SPLIT lie across its streams."""
    if not start.size:
        return np.zeros(0, bool)
    return np.asarray(start >= np.concatenate([[0], np.maximum.accumulate(end)[:-1]]))


def _left_over(found: Structure) -> Array:
    """Which listed steps are leftovers."""
    kinds = found.steps.kinds
    number = kinds.index(LEFTOVER) if LEFTOVER in kinds else -1
    return np.asarray(found.steps.table[0] == number)


def _strip(found: Structure, *, by_value: bool) -> Cells:
    """The steps as cells, by bytes or by values."""
    kind, start, end, first, count = found.steps.table
    if by_value:
        mine = np.flatnonzero(found.steps.yielding())
        start, end = first[mine], (first + count)[mine]
    else:
        mine = np.flatnonzero(end > start)
        start, end = start[mine], end[mine]
        own = np.flatnonzero(_own(start, end) | _left_over(found)[mine])
        own = own[np.argsort(start[own], kind="stable")]
        mine, start, end = mine[own], start[own], end[own]
    if mine.size > CELLS:
        edges = np.linspace(int(start[0]), int(end[-1]), CELLS + 1).astype(np.int64)
        edges = np.unique(edges)
        nearest = np.searchsorted(start, (edges[:-1] + edges[1:]) // 2, "right") - 1
        mine, start, end = mine[np.maximum(nearest, 0)], edges[:-1], edges[1:]
    return Cells(start=start.tolist(), end=end.tolist(), kind=kind[mine].tolist(), step=mine.tolist())


def _table(page: Page, name: str, found: Structure) -> Table:
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
        total=len(found.steps),
    )
    for step in range(min(len(found.steps), ROWS)):
        cells, address, span = step_row(page, name, found, step)
        table.add(*cells, address=address, span=span)
    return table


def step_row(page: Page, name: str, found: Structure, step: int) -> tuple[tuple[Any, ...], str | None, Span]:
    """The cells of a step in the table, its address, and its bytes."""
    kind, start, end, first, count = found.steps[step]
    some = bool(kind.yields and count)
    section = page.body.section(name).span
    return (
        (step, kind.name, found.size(step), first if some else None, count if some else None, found.label(step)),
        step_address(page, name, found.steps[step]),
        Span(start, end, section.space).shifted(section.start),
    )


def cost(file: ParquetFile, node: Node) -> int:
    """The bytes of the page once decompressed, and of the dictionary that it needs."""
    page = page_at(file, node.address)
    size = int(page.header.uncompressed_page_size or 0)
    dictionary = page.chunk.dictionary_page
    return size + int(dictionary.header.uncompressed_page_size or 0 if dictionary else 0)


def derive(
    file: ParquetFile,
    address: str,
    step: int | None = None,
    value: int | None = None,
    byte: int | None = None,
    focus: int | None = None,
) -> Step:
    """A step of the section at `address`, by its number, by a value that it yields, or by a byte of the section.

    UsageError if there is no such step, or the arguments are not one whole number.
    """
    page = page_at(file, address)
    name, _ = section_at(page, address)
    given = [one for one in (step, value, byte) if one is not None]
    if len(given) != 1 or any(isinstance(one, bool) or not isinstance(one, int) for one in given):
        raise UsageError("ask for one of step, value and byte, a whole number")
    return step_of(page, name, step=step, value=value, byte=byte, focus=focus)


LENS = Lens(
    "encoding",
    title="Encoding",
    answer=answer,
    kinds=KINDS,
    where=lambda node: in_page(node.address),
    first=FIRST,
    cost=cost,
    picture=Picture,
    operations={"derive": derive},
    misled_by=frozenset({VALUES}),
    figure=(Bars("step", "bytes", "bytes of the step", "bytes", kind="kind"),),
    across="encoding_steps",
    value_free=("step", "kind", "bytes", "values"),
    value_free_sentence=True,
)
