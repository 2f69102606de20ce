"""A page: its parts in the file and decompressed, its checksum, its levels and values side by side, an entry a line.

An entry is a pair of levels. It has a value only if its definition level is the column's maximum. That is why a page
with nulls has fewer values than its `num_values`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import UsageError
from pqexplore.engine.file import page_sections
from pqexplore.engine.file.chunk_reader import crc_finding
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.format.nesting.levels import entry_of_value, name_levels
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, enum_name
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.at import in_page, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight import short_text
from pqexplore.insight.answer import Answer
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.lenses.lens import Lens, Request
from pqexplore.insight.short_text import value_texts
from pqexplore.insight.wording import factor, left_over, plural
from pqexplore.insight.writers.defect import VALUES

FIRST = frozenset({"data_page", "data_page_v2", "dictionary_page"})

COUNT = 200
"""Entries in one reply."""

SAVED = 1_000
"""Entries that a saved page has."""

CELL = 300
"""Characters of a shown value."""

Array = np.ndarray[Any, Any]


@dataclasses.dataclass(slots=True)
class Section:
    """A section of the page, or bytes of it that are left over.

    `bytes` are decompressed; `direct` if the file has them as they are.
    """

    name: str
    address: str
    bytes: int
    encoding: str
    direct: bool
    span: Span


@dataclasses.dataclass(slots=True)
class Parts:
    """The header, the body as it is in the file, and the sections that are in the body, in bytes.

    `stored` is the size of the body in the file, `opened` its size decrypted and decompressed. `codec` is empty if the
    body is not compressed.
    """

    header: int
    header_address: str
    header_span: Span
    stored: int
    stored_span: Span
    opened: int
    codec: str
    encrypted: bool
    checksum: Literal["right", "wrong", "none"]
    sections: list[Section]


@dataclasses.dataclass(slots=True)
class Form:
    """One form of a value, such as its bytes, and its text."""

    name: str
    text: str


@dataclasses.dataclass(slots=True)
class DictionaryEntry:
    """The entry of the dictionary that a value refers to."""

    label: str
    address: str


@dataclasses.dataclass(slots=True)
class Value:
    """An entry of the page in all its forms. `entry` is null if the page has no dictionary indexes."""

    title: str
    forms: list[Form]
    note: str = ""
    entry: DictionaryEntry | None = None


@dataclasses.dataclass(slots=True)
class Picture:
    """The page, the meaning of each of its levels, and the selected entry (null if none is selected)."""

    page: str
    kind: str
    column: str
    entries: int
    present: int
    max_definition_level: int
    max_repetition_level: int
    definitions: list[str]
    repetitions: list[str]
    parts: Parts
    selected: int | None
    value: Value | None


@dataclasses.dataclass(slots=True)
class Entries:
    """Entries from the one at `start`, as columns.

    `row` in the page, `repetition` and `definition` levels, `value` (its index in the page, -1 if absent), and its
    text `physical` and `logical` (null if absent).
    """

    start: int
    columns: Columns


@dataclasses.dataclass(slots=True)
class Levels:
    """By entry, integers: its row in the page, its levels, and the index of its value (-1 if absent)."""

    row: Array
    repetition: Array
    definition: Array
    value: Array


def _applies(node: Node) -> bool:
    """Pages with values, and what is inside of them."""
    if node.kind == "index_page" or node.kind == "unknown_page":
        return False
    return in_page(node.address) and "/header" not in node.address


def answer(file: ParquetFile, node: Node) -> Answer:
    """The page, its column, and what each of its levels means. Raises ParquetError if the page cannot be read."""
    page = page_at(file, node.address)
    leaf = page.chunk.leaf
    definitions, repetitions = name_levels(leaf)
    selected = entry_of(page, node.address)
    value = None
    if selected is not None:
        value = value_of(page, selected, value_number(page, selected))
    picture = Picture(
        page=page.address,
        kind=page.kind,
        column=".".join(leaf.path),
        entries=page.num_values,
        present=page.num_present if page.is_data else page.num_values,
        max_definition_level=leaf.max_definition_level if page.is_data else 0,
        max_repetition_level=leaf.max_repetition_level if page.is_data else 0,
        definitions=definitions,
        repetitions=repetitions,
        parts=parts_of(page),
        selected=selected,
        value=value,
    )
    words = sentence(page)
    if selected is not None:
        words = f"Entry {selected:,} of {page.num_values:,} is selected. Its page: {words}"
    return Answer(words, picture=picture, code=f"f.node({page.address!r}).facts")


def entries(file: ParquetFile, address: str, start: int) -> Entries:
    """`COUNT` entries of the page at `address` from the one at `start`, a multiple of `COUNT`.

    Raises UsageError for another `start`, ParquetError if the page cannot be read.
    """
    page = page_at(file, address)
    if not 0 <= start <= page.num_values or start % COUNT:
        raise UsageError(f"entry {start:,} is not where {COUNT} entries begin")
    levels = levels_of(page, start, min(start + COUNT, page.num_values))
    columns = Columns(
        {
            "row": levels.row.astype("<u4"),
            "repetition": levels.repetition.astype("<u2"),
            "definition": levels.definition.astype("<u2"),
            "value": levels.value.astype("<i4"),
            **_texts(page, levels.value),
        }
    )
    return Entries(start, columns)


def _texts(page: Page, values: Array) -> dict[str, list[str | None]]:
    """The stored and the logical text of each entry; None if it has no value."""
    shown: dict[str, list[str | None]] = {}
    present = values[values >= 0]
    first, last = (int(present[0]), int(present[-1]) + 1) if len(present) else (0, 0)
    for name, array in (("physical", page.physical_part(first, last)), ("logical", page.values_part(first, last))):
        texts = short_text.texts(array, CELL)
        shown[name] = [None if v < 0 else texts[v - first] for v in values.tolist()]
    return shown


def levels_of(page: Page, start: int, stop: int) -> Levels:
    """The entries `[start, stop)`."""
    zeros = np.zeros(stop - start, np.uint8)
    repetition = page.repetition_levels if page.is_data else None
    definition = page.definition_levels if page.is_data else None
    levels = Levels(np.arange(start, stop), zeros, zeros, np.arange(start, stop))
    if repetition is not None:
        levels.repetition = repetition[start:stop]
        before = np.count_nonzero(repetition[:start] == 0)
        begins_row = bool(len(repetition) and repetition[0] == 0)
        levels.row = np.cumsum(levels.repetition == 0) + (before - begins_row)
    if definition is not None:
        levels.definition = definition[start:stop]
        maximum = page.chunk.leaf.max_definition_level
        has = levels.definition == maximum
        before = np.count_nonzero(definition[:start] == maximum)
        levels.value = np.where(has, np.cumsum(has) + (before - 1), -1)
    return levels


def entry_of(page: Page, address: str) -> int | None:
    """The entry of the value or level at `address`; None if the address is not one of the page's entries."""
    name, _, rest = address.removeprefix(page.address).strip("/").partition("/")
    index = rest.partition("/")[0]
    if name not in ("values", "definition_levels", "repetition_levels") or not index.isdecimal():
        return None
    definition = page.definition_levels if page.is_data else None
    if name == "values" and definition is not None:
        return entry_of_value(definition, page.chunk.leaf.max_definition_level, int(index))
    return int(index) if int(index) < page.num_values else None


def value_number(page: Page, entry: int) -> int:
    """The index in the page of the value of an entry, -1 if it has none."""
    return int(levels_of(page, entry, entry + 1).value[0])


def sentence(page: Page) -> str:
    """How many entries have a value, the bytes of the page, and whether the checksum is right."""
    leftovers = [page.leftovers(section.name).values() for section in page.body.sections]
    more = left_over(sum(len(span) for spans in leftovers for span in spans))
    return f"{_entries_sentence(page)} {_size_sentence(page)}{more}{_checksum_sentence(page)}"


def _entries_sentence(page: Page) -> str:
    entries = page.num_values
    if not page.is_data:
        return f"{plural(entries, 'distinct value')}, which data pages refer to by index."
    what = plural(entries, "entry", "entries")
    nulls = entries - page.num_present
    if not nulls:
        return f"{what}, each with a value."
    missing = "1 says with its" if nulls == 1 else f"{nulls:,} say with their"
    verb = "has" if page.num_present == 1 else "have"
    return f"{what}; {page.num_present:,} of them {verb} a value; {missing} definition level what is missing."


def _codec(page: Page) -> int:
    """The codec that compresses the page. A V2 page may be uncompressed in a compressed column chunk."""
    version2 = page.header.data_page_header_v2
    if version2 is not None and version2.is_compressed is False:
        return int(CompressionCodec.UNCOMPRESSED)
    return int(page.chunk.metadata.codec)


def _size_sentence(page: Page) -> str:
    stored, opened = page.frame.end - page.frame.header_end, page.header.uncompressed_page_size
    if not _codec(page):
        return f"{plural(stored, 'byte')}, not compressed."
    codec = enum_name(CompressionCodec, _codec(page))
    if not stored or opened < stored:
        return f"{codec} makes {stored:,} bytes of {opened:,}: the page grows."
    return f"{codec} makes {stored:,} bytes of {opened:,}, {factor(opened / stored)} smaller."


def _checksum_sentence(page: Page) -> str:
    right = page.crc_ok
    if right is None:
        return " There is no checksum."
    if right:
        return " The checksum is right."
    return f" The checksum is WRONG: {crc_finding(page).message}."


def parts_of(page: Page) -> Parts:
    """The header, the body and its sections, in bytes. Raises ParquetError if the body cannot be decompressed."""
    frame, codec, right = page.frame, _codec(page), page.crc_ok
    sections = [part for section in page.body.sections for part in _section_parts(page, section)]
    return Parts(
        header=frame.header_end - frame.start,
        header_address=Address.of(page.address, "header"),
        header_span=Span(frame.start, frame.header_end),
        stored=frame.end - frame.header_end,
        stored_span=Span(frame.header_end, frame.end),
        opened=sum(len(section.data) for section in page.body.sections),
        codec=enum_name(CompressionCodec, codec) if codec else "",
        encrypted=page.chunk.encrypted,
        checksum="none" if right is None else "right" if right else "wrong",
        sections=sections,
    )


def _section_parts(page: Page, section: page_sections.Section) -> Iterator[Section]:
    """A section, cut by its leftovers."""

    def part(name: str, address: str, encoding: str, start: int, end: int) -> Section:
        span = Span(start, end, section.span.space)
        return Section(name, address, end - start, encoding, span.space == FILE, span)

    at, own = section.span.start, Address.of(page.address, section.name)
    encoding, name = _encoding_name(page, section.name), section.name.replace("_", " ")
    leftovers = page.leftovers(section.name)
    for address, span in leftovers.items():
        if at < span.start:
            yield part(name, own, encoding, at, span.start)
        yield part("leftover", address, "", span.start, span.end)
        at = span.end
    if at < section.span.end or not leftovers:
        yield part(name, own, encoding, at, section.span.end)


def _encoding_name(page: Page, name: str) -> str:
    encoding = page.section_encoding(name)
    return "" if encoding is None else enum_name(Encoding, encoding)


def value_of(page: Page, entry: int, index: int) -> Value:
    """An entry of the page in all its forms; `index` is the index of its value in the page, -1 if it has none."""
    leaf = page.chunk.leaf
    levels = _level_forms(page, entry)
    if index < 0:
        return Value(f"entry {entry:,}", [Form("means", "no value"), *levels])
    texts = value_texts(leaf, page.physical_part(index, index + 1)[0].as_py())
    forms = [Form("means", texts["logical"]), Form("type", texts["type"]), Form("in Python", texts["python"])]
    if texts["physical"] != texts["hex"]:
        forms.append(Form("stored", texts["physical"]))
    forms.append(Form("bytes", texts["hex"]))
    if texts["text"]:
        forms.append(Form("as text", texts["text"]))
    title = f"value {index:,}" if page.is_data else f"entry {index:,}"
    return Value(title, [*forms, *levels], texts["note"], _dictionary_entry(page, index))


def _level_forms(page: Page, entry: int) -> list[Form]:
    """The levels of an entry, each with its meaning."""
    if not page.is_data:
        return []
    definitions, repetitions = name_levels(page.chunk.leaf)
    forms = []
    for name, meanings, levels in (
        ("repetition level", repetitions, page.repetition_levels),
        ("definition level", definitions, page.definition_levels),
    ):
        if levels is not None:
            level = int(levels[entry])
            forms.append(Form(name, f"{level}: {meanings[level]}"))
    return forms


def _dictionary_entry(page: Page, index: int) -> DictionaryEntry | None:
    """The dictionary's entry for the value at `index` of the page; None if the page has no dictionary indexes."""
    if not page.is_data or page.encoding not in DICTIONARY_ENCODINGS:
        return None
    runs, dictionary = page.id_runs, page.chunk.dictionary_page
    if runs is None or dictionary is None:
        return None
    at = runs.at(index)
    return DictionaryEntry(f"entry {at:,}", Address.of(dictionary.address, "values", at))


def saved(picture: dict[str, Any]) -> Iterator[Request]:
    """The first entries of the page in the picture."""
    for start in range(0, min(picture["entries"], SAVED), COUNT):
        yield "entries", {"address": picture["page"], "start": start}


LENS = Lens(
    "page",
    title="Levels and values",
    answer=answer,
    where=_applies,
    first=FIRST | {"body"},
    picture=Picture,
    operations={"entries": entries},
    saved=saved,
    misled_by=frozenset({VALUES}),
    no_figure="it has no table; `layout` and `nesting` at the page draw its parts and its levels",
    across="pages",
    value_free_sentence=True,
)
