"""The stages of a value's life, from the page's header to the row: each a block with its numbers and its bytes.

Every stage reads only what the one before it gave, in the order in which a reader does it. Where one fails, the life ends
with the error.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.format.encodings import plain
from pqexplore.engine.format.field import Annotation, Leaf
from pqexplore.engine.format.int96 import UNIX_EPOCH
from pqexplore.engine.format.logical import describe, meaning, physical_name
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.thrift.structs import Encoding, Type, enum_name
from pqexplore.engine.format.value_text import int96_parts, stored_bytes
from pqexplore.engine.span import Span
from pqexplore.insight.lenses import page as page_lens
from pqexplore.insight.lenses.value.own_bits import Link, Stage, of_space, own_bits
from pqexplore.insight.row_place import Place, place_of
from pqexplore.insight.short_text import WHOLE, shorten, value_texts
from pqexplore.insight.wording import name, plural

DIGITS = 40
"""Digits of a decimal that are written out."""

_UNITS = {"ms": "millisecond", "us": "microsecond", "ns": "nanosecond"}


def meaning_of(leaf: Leaf, physical: Any) -> str:
    """How a stored value becomes what it means; `physical` is bool, int, float or bytes."""
    logical = meaning(leaf)
    say = _SAYS.get(logical.name)
    if say is not None:
        return say(physical, logical)
    if leaf.physical_type == Type.INT96 and not logical.name:
        day, nanos = int96_parts(physical)
        days = day - UNIX_EPOCH
        return f"Julian day {day:,} − {UNIX_EPOCH:,} = {days:,} days after 1970-01-01, and {nanos:,} ns"
    if not logical.name:
        return "the column has no logical type: the value is what is stored"
    return f"{logical.name}: read from the stored bytes"


def _text(value: bytes, _: Annotation) -> str:
    try:
        return f"{plural(len(value), 'byte')} of UTF-8, {plural(len(value.decode()), 'character')}"
    except UnicodeDecodeError:
        return f"{plural(len(value), 'byte')} that are not valid UTF-8"


def _decimal(value: int | bytes, logical: Annotation) -> str:
    first = ""
    if isinstance(value, bytes):
        if len(value) > DIGITS // 3:
            return f"{len(value):,} bytes, the highest first, are a whole number; it is divided by 10^{logical.scale}"
        value, first = int.from_bytes(value, "big", signed=True), "bytes, the highest first, are "
    return f"{first}{value:,} / 10^{logical.scale}"


def _integer(value: int, logical: Annotation) -> str:
    if not logical.signed and value < 0:
        width = 64 if logical.bit_width == 64 else 32
        return f"unsigned: {value:,} + 2^{width} = {value + (1 << width):,}"
    sign = "signed" if logical.signed else "unsigned"
    return f"a number of {logical.bit_width} bits, {sign}"


def _date(value: int, _: Annotation) -> str:
    return _since(value, "day", "1970-01-01")


def _time(value: int, logical: Annotation) -> str:
    return _since(value, _UNITS[logical.unit], "midnight" + (" UTC" if logical.utc else ""))


def _timestamp(value: int, logical: Annotation) -> str:
    zone = " UTC" if logical.utc else " of a clock without a time zone"
    return _since(value, _UNITS[logical.unit], f"1970-01-01 00:00:00{zone}")


def _since(count: int, unit: str, start: str) -> str:
    return f"{plural(abs(count), unit)} {'before' if count < 0 else 'after'} {start}"


def _uuid(_value: bytes, _: Annotation) -> str:
    return "16 bytes, the highest first, as hexadecimal digits"


def _float16(_value: bytes, _: Annotation) -> str:
    return "2 bytes, the lowest first: a number of 16 bits (IEEE 754 binary16)"


def _interval(_value: bytes, _: Annotation) -> str:
    return "3 numbers of 4 bytes, the lowest first: months, days, milliseconds"


_SAYS: dict[str, Callable[[Any, Annotation], str]] = {
    "STRING": _text,
    "ENUM": _text,
    "JSON": _text,
    "DECIMAL": _decimal,
    "INTEGER": _integer,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "UUID": _uuid,
    "FLOAT16": _float16,
    "INTERVAL": _interval,
}


TEXT = 200
"""Characters of a value."""

USES = 8
"""Pages after the dictionary that are searched for the first use of an entry."""


@dataclasses.dataclass(slots=True)
class Life:
    """The stages of one entry of a page, and what a sentence needs of them.

    `entry` counts the entries of the page, `index` its values (None if the entry has none). `text` is the value,
    `missing` why there is none, `source` where its bits are. `trouble` is the error that ended the life.
    """

    page: Page
    stages: list[Stage] = dataclasses.field(default_factory=list)
    entry: int | None = None
    index: int | None = None
    text: str | None = None
    missing: str = ""
    source: str = ""
    place: Place | None = None
    use: str = ""
    trouble: ParquetError | None = None


def address_of(life: Life) -> str | None:
    """The address of the value, or of the definition level of an entry without one."""
    return None if life.entry is None else entry_address(life.page, life.entry, life.index)


def entry_address(page: Page, entry: int, index: int | None) -> str:
    """The address of an entry of a page; `index` counts its values, None if it has none."""
    if index is not None:
        return Address.of(page.address, "values", index)
    return Address.of(page.address, "definition_levels", entry)


def life_of(page: Page, address: str) -> Life:
    """The life of the value or level at `address` in a page, up to where an error ends it."""
    life = Life(page)
    try:
        _header(life)
        _opened(life)
        _levels(life, address)
        if life.index is not None:
            entry = _encoding(life, life.index)
            _value(life, life.index, entry)
    except ParquetError as error:
        life.trouble = error
        life.stages.append(Stage("end", "The life ends here", "not readable", [error.message], error.address or None))
    try:
        _row(life)
    except ParquetError as error:
        life.trouble = life.trouble or error
        life.stages.append(Stage("end", "Its row is not known", "", [error.message]))
    return life


def _header(life: Life) -> None:
    page, frame = life.page, life.page.frame
    what = "dictionary page" if not page.is_data else page.kind.replace("_", " ")
    encoding = "" if page.encoding is None else f", {enum_name(Encoding, page.encoding)}"
    entries = plural(page.num_values, "entry", "entries")
    size = plural(frame.end - frame.header_end, "byte")
    life.stages.append(
        Stage(
            "header",
            "Page header",
            f"page {page.index}: {what}",
            [f"{entries}{encoding}; {size} of body follow"],
            Address.of(page.address, "header"),
            Span(frame.start, frame.header_end, page.span.space),
            links=[
                Link(f"page {page.index}", page.address),
                Link(entries, _count(page)),
                Link(size, span=_stored(page)),
            ],
        )
    )


def _count(page: Page) -> str:
    """The address of the header's field that counts the entries of the page."""
    struct = {"dictionary_page": "dictionary_page_header", "data_page_v2": "data_page_header_v2"}
    kind = struct.get(page.kind, "data_page_header")
    return Address.of(page.address, "header", kind, "num_values")


def _stored(page: Page) -> Span:
    """The body of the page as it is in the file."""
    return Span(page.frame.header_end, page.frame.end, page.span.space)


def _opened(life: Life) -> None:
    """Decryption and decompression, as far as the page has them."""
    page = life.page
    parts = page_lens.parts_of(page)
    stored = _stored(page)
    body = Address.of(page.address, "body")
    plaintext = len(page.stored)
    if page.chunk.encrypted:
        life.stages.append(
            Stage(
                "decryption",
                "Decryption",
                plural(plaintext, "byte"),
                [f"{plural(len(stored), 'byte')} as stored, {plaintext:,} once its key opened them"],
                body,
                stored,
                links=[
                    Link(plural(plaintext, "byte"), body),
                    Link(plural(len(stored), "byte"), span=stored),
                    Link(f"{plaintext:,}", body),
                ],
            )
        )
    values = page.body.section("values").span
    if values.space.endswith(":decompressed"):
        levels = 0 if values.space == page.body.sections[0].span.space else _before(page)
        opened, before = plural(parts.opened - levels, "byte"), plural(levels, "byte")
        says = f"{parts.codec} makes {opened} of {plaintext - levels:,}"
        if levels:
            says += f"; the {before} of levels before them are not compressed"
        span = stored
        if not page.chunk.encrypted:
            span = Span(stored.start + levels, stored.end, stored.space)
        made = Span(0, parts.opened - levels, values.space)
        first = page.body.sections[0].span
        life.stages.append(
            Stage(
                "decompression",
                "Decompression",
                opened,
                [says],
                body,
                span,
                links=[
                    Link(opened, span=made),
                    Link(opened, span=made),
                    Link(f"{plaintext - levels:,}", span=span),
                    Link(before, span=Span(first.start, first.start + levels, first.space)),
                ],
            )
        )


def _before(page: Page) -> int:
    """Bytes of the levels before the values."""
    return sum(len(one.data) for one in page.body.sections if one.name != "values")


def _levels(life: Life, address: str) -> None:
    """The levels of the entry, each with its bits and its meaning; sets `entry` and `index`."""
    page = life.page
    life.entry = page_lens.entry_of(page, address)
    if not page.is_data:
        life.index = life.entry
        return
    if life.entry is None:
        return
    leaf = page.chunk.leaf
    definitions, repetitions = name_levels(leaf)
    for kind, meanings, levels in (
        ("repetition", repetitions, page.repetition_levels),
        ("definition", definitions, page.definition_levels),
    ):
        if levels is None:
            continue
        level = int(levels[life.entry])
        section = f"{kind}_levels"
        own = own_bits(page, section, life.entry)
        stage = own.stage
        stage.kind = kind
        stage.parts = [one for one in stage.parts if any(each.value == life.entry for each in one.groups)]
        stage.title = f"{kind.capitalize()} level"
        of = f"{level} of {len(meanings) - 1}"
        stage.gives = f"{of}: {shorten(meanings[level], TEXT)}"
        stage.says = [] if own.row is None else [own.row.how]
        stage.links = [Link(of, Address.of("schema", leaf.index))]
        if kind == "definition" and level < leaf.max_definition_level:
            stage.says.append("no value is stored for this entry")
            life.missing = f"definition level {level} of {len(meanings) - 1} says that {meanings[level]}"
        life.stages.append(stage)
    there = page_lens.value_number(page, life.entry)
    life.index = there if there >= 0 else None
    if life.index is not None and page.definition_levels is not None:
        missing = plural(life.entry - life.index, "entry", "entries")
        before = f"{missing} before it without a value"
        if life.entry == life.index:
            before = "all entries before it have values"
        entry, value = f"entry {life.entry:,}", f"value {life.index:,}"
        life.stages[-1].says.append(f"{before}: {entry} is {value}")
        life.stages[-1].links += [
            Link(missing, page.address, "page"),
            Link(entry, Address.of(page.address, "definition_levels", life.entry)),
            Link(value, Address.of(page.address, "values", life.index)),
        ]


def _encoding(life: Life, index: int) -> int | None:
    """The bits of the value; the index of its dictionary entry, None if there is none."""
    page = life.page
    number = page.section_encoding("values")
    encoding = "" if number is None else enum_name(Encoding, number)
    own = own_bits(page, "values", index)
    stage, row = own.stage, own.row
    stage.title = f"Encoding: {encoding}"
    life.stages.append(stage)
    if row is None:
        return None
    stage.says, stage.gives = [row.how], own.where
    stage.links = sizes(own.where, stage) + sizes(row.how, stage)
    if row.entry is not None:
        stage.gives = f"index {row.entry:,}"
        stage.links = _of_dictionary(page, stage.gives, row.entry)
        life.source = f"{own.where} {'hold' if own.many else 'holds'} index {row.entry:,}"
    elif number == Encoding.PLAIN:
        life.source = f"it is stored in {own.where}"
    else:
        life.source = f"{encoding} gives it {own.where}"
    return row.entry


NUMBER = r"\d(?:[\d,]*\d)?"

SIZE = re.compile(rf"{NUMBER} (?:bits?|bytes?)\b(?: at byte {NUMBER})?|\bbyte {NUMBER}")


def sizes(text: str, stage: Stage) -> list[Link]:
    """Links from the sizes and offsets in a line to the bytes of its stage, or of the part that has this size."""
    span = stage.span
    if span is None:
        return []
    parts = {plural(one.end - one.start, "byte"): one for one in stage.parts if not one.places}
    links = []
    for size in (one[0] for one in SIZE.finditer(text)):
        part, to = parts.get(size), span
        if part is not None and span.start <= part.start and part.end <= span.end:
            to = Span(part.start, part.end, span.space)
        links.append(Link(size, span=to))
    return links


def _of_dictionary(page: Page, text: str, entry: int) -> list[Link]:
    """A link from a text to an entry of the chunk's dictionary."""
    dictionary = page.chunk.dictionary_page
    if dictionary is None:
        return []
    return [Link(text, Address.of(dictionary.address, "values", entry))]


def _value(life: Life, index: int, entry: int | None) -> None:
    """The dictionary's entry, the stored value and its meaning."""
    page, leaf = life.page, life.page.chunk.leaf
    if entry is not None:
        _dictionary(life, entry)
    physical = page.physical_part(index, index + 1)[0].as_py()
    texts = value_texts(leaf, physical, TEXT)
    cut = physical[:WHOLE] if isinstance(physical, bytes) else physical
    raw = stored_bytes(leaf, cut)
    said = {line for stage in life.stages for line in stage.says}
    source = life.stages[-1]
    says = []
    if leaf.physical_type == Type.BYTE_ARRAY:
        says.append(f"{plural(len(physical), 'byte')}; a byte array has its length beside it")
    elif leaf.physical_type != Type.BOOLEAN:
        says += [line for line in plain.value_says(leaf.physical_type, raw) if line not in said]
    life.stages.append(
        Stage(
            "stored",
            f"Stored value: {physical_name(leaf)}",
            texts["physical"] or "no bytes",
            [*([f"bytes {texts['hex']}"] if texts["hex"] != texts["physical"] else []), *says],
            links=[link for line in says for link in sizes(line, source)],
        )
    )
    life.text = texts["logical"]
    note = [texts["note"]] if texts["note"] else []
    how = meaning_of(leaf, physical)
    life.stages.append(
        Stage(
            "logical",
            f"Meaning: {describe(leaf)}",
            texts["logical"],
            [how, *note],
            Address.of("schema", leaf.index),
            links=sizes(how, source),
        )
    )


def _dictionary(life: Life, entry: int) -> None:
    """The entry of the dictionary page that an index points at."""
    dictionary = life.page.chunk.dictionary_page
    if dictionary is None:
        return
    own = own_bits(dictionary, "values", entry)
    stage = own.stage
    stage.kind, stage.title = "dictionary", "Dictionary entry"
    number, count = f"entry {entry:,}", f"{dictionary.num_values:,}"
    stage.gives = f"{number} of {count}"
    stage.says = [] if own.row is None else [own.row.how]
    stage.links = [
        Link(number, stage.address),
        Link(count, _count(dictionary)),
        *(link for line in stage.says for link in sizes(line, stage)),
    ]
    life.stages.append(stage)
    if stage.span is not None:
        at = f"at byte {stage.span.start:,}{of_space(stage.span, 'its')}"
        life.source += f", entry {entry:,} of the dictionary, {at}"


def _row(life: Life) -> None:
    """The record: its row, and the path to the value in it; of a dictionary's entry, the first value that uses it."""
    page = life.page
    if not page.is_data:
        if life.trouble is None and life.entry is not None:
            _first_use(life, life.entry)
        return
    if life.entry is None:
        return
    place = life.place = place_of(page, life.entry)
    own = address_of(life)
    group = Address.of("row_groups", place.group)
    row, number = f"row {place.row:,}", f"row group {place.group}"
    says = [f"row {place.in_group:,} of {number}"]
    if place.positions is None:
        says.append("the row is too long to count the positions in its lists")
    elif place.positions:
        says.append("positions in lists count from 0")
    life.stages.append(
        Stage(
            "row",
            "Record",
            f"{row}, {name(place.path)}",
            says,
            group,
            links=[
                Link(row, group, "rows", row=place.row),
                *([Link(name(place.path), own, "nesting")] if len(page.chunk.leaf.path) > 1 else []),
                Link(f"row {place.in_group:,}", group, "rows", row=place.row),
                Link(number, group),
            ],
        )
    )


def _first_use(life: Life, entry: int) -> None:
    """The first value that points at a dictionary's entry, in the first `USES` pages."""
    for other in itertools.islice(life.page.chunk.pages, 1 + USES):
        if not other.is_data or other.encoding not in DICTIONARY_ENCODINGS:
            continue
        ids = other.dictionary_ids
        found = np.flatnonzero(ids == entry) if ids is not None else np.zeros(0, np.int64)
        if found.size:
            at = int(found[0])
            value, number = f"value {at:,}", f"page {other.index}"
            address = Address.of(other.address, "values", at)
            life.use = f"{value} of {number} is the first to use it"
            life.stages.append(
                Stage(
                    "row",
                    "Use",
                    f"{value} of {number}",
                    ["the first value that points at this entry"],
                    address,
                    links=[Link(value, address), Link(number, other.address)],
                )
            )
            return
