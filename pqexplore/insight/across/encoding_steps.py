"""How the values of all pages below a node are encoded: the steps of each encoding, its widths, what PLAIN would take."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.encodings.encoding import Structure
from pqexplore.engine.format.thrift.structs import Encoding, Type, enum_name
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.tree.at import page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.answer import Answer, Column, LazyTable, Table
from pqexplore.insight.lenses import encoding
from pqexplore.insight.short_text import inline
from pqexplore.insight.wording import plural

COLUMNS = (
    *PLACE,
    Column("page", "page", "number", "its number in the column chunk"),
    Column("section", "section"),
    Column("encoding", "encoding"),
    Column("count", "entries", "number", "values that are stored, or levels"),
    Column("bytes", "bytes", "bytes", "before compression"),
    Column("plain_bytes", "in PLAIN", "bytes", "what PLAIN would take"),
    Column("width", "width", meaning="bits of a level or index, or bytes of a value of a fixed length"),
    Column("steps", "steps", meaning="how many of each kind the encoding made"),
    Column("numbers", "in numbers", "code", "what the header of the encoding says: sizes of blocks, first value"),
    Column("remark", "remark", meaning="why it cannot be taken apart"),
)  # fmt: skip

SECTIONS = ("repetition_levels", "definition_levels", "values")


def over(scope: Scope) -> Answer:
    """A row for each section of each page that has bytes."""
    table = Table(COLUMNS, "Sections of pages, by their encodings")
    seen: dict[str, int] = {}
    for group, leaf, chunk in scope.chunks():
        before = group, ".".join(leaf.path)
        try:
            if isinstance(chunk, ParquetError):
                raise chunk
            for page in chunk.pages:
                if page.kind in ("index_page", "unknown_page"):
                    continue
                for name in SECTIONS:
                    _add(table, seen, before, page, name)
        except LimitExceededError:
            if not scope.file.budget.exhausted:
                raise
            break
        except ParquetError as error:
            blank = [None] * (len(COLUMNS) - 3)
            table.add(*before, *blank, error.message, address=str(address_of(group, leaf)))
    ordered = sorted(seen.items(), key=lambda one: -one[1])
    kinds = ", ".join(f"{count:,} {name}" for name, count in ordered)
    return Answer(f"Pages of {scope.named} by the encoding of their values: {kinds or 'none'}.", table=table)  # fmt: skip


def _add(table: Table, seen: dict[str, int], before: tuple[int, str], page: Page, name: str) -> None:
    """The row of one section; none if it has no bytes."""
    number = page.section_encoding(name)
    called = None if number is None else enum_name(Encoding, number)
    section = None
    try:
        section = page.body.section(name)
        if not len(section.data):
            return
        found = page.structure(name)
        cells: tuple[object, ...] = (
            page.num_present if name == "values" and page.is_data else page.num_values,
            len(section.data),
            encoding.plain_bytes(page) if name == "values" else None,
            _width(page, name, found),
            _steps(found),
            numbers_text(found.facts(0)) if len(found.steps) and not found.steps[0].count else None,
            None if found.error is None else found.error.message,
        )
    except LimitExceededError:
        raise
    except ParquetError as error:
        cells = (None, None, None, None, None, None, error.message)
    if name == "values":
        key = f"{called}" if page.is_data else f"{called} (dictionary)"
        seen[key] = seen.get(key, 0) + 1
    table.add(
        *before,
        page.index,
        name.replace("_", " "),
        called,
        *cells,
        address=f"{page.address}/{name}",
        span=None if section is None else section.span,
    )


def _width(page: Page, name: str, found: object) -> str | None:
    """The width of what is stored: bits of levels and indexes, bytes of FIXED_LEN_BYTE_ARRAY."""
    bits = getattr(getattr(found, "inner", found), "bit_width", None)
    if isinstance(bits, int):
        return plural(bits, "bit")
    leaf = page.chunk.leaf
    if name == "values" and leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return plural(leaf.type_length or 0, "byte")
    return None


def _steps(found: Structure) -> str:
    """`1 header, 1 first value, 8 block`, of the listed steps."""
    kinds = found.steps.table[0]
    counts = [(kind.name, int((kinds == at).sum())) for at, kind in enumerate(found.steps.kinds)]
    return ", ".join(f"{count:,} × {name}" for name, count in counts if count)


def numbers_text(facts: Mapping[str, Any]) -> str | None:
    """`block_size 128, miniblocks 4`; None for no facts."""
    return ", ".join(f"{name} {inline(value, 200)}" for name, value in facts.items()) or None


def with_numbers(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """The answer of the lens at a page or section with all its steps, and the numbers of each: minimum delta, bit widths."""
    if made.table is None:
        return made
    page = page_at(file, node.address)
    name, _ = encoding.section_at(page, node.address)
    found = page.structure(name)
    place = LazySequence(len(found.steps), lambda i: encoding.step_row(page, name, found, i))
    table = LazyTable(
        (*made.table.columns, Column("numbers", "in numbers", "code", "as the encoding stores them")),
        made.table.caption,
        LazySequence(len(place), lambda i: (*place[i][0], numbers_text(found.facts(i)))),
        LazySequence(len(place), lambda i: place[i][1]),
        LazySequence(len(place), lambda i: place[i][2]),
    )  # fmt: skip
    return dataclasses.replace(made, table=table)
