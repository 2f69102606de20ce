"""The pages of a column in file order, by their headers: encodings, and where a writer gave its dictionary up."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.format.thrift.structs import Encoding, PageType, enum_name
from pqexplore.engine.tree.at import PAGE
from pqexplore.insight.wording import plural

PAGES = 2_000
"""Max pages whose headers are read."""

CHUNKS = 40
"""Max column chunks of a column whose page headers are read."""

WALKED = 256 << 20
"""Max bytes of a chunk without an offset index: its headers are found by a walk, all of them or none."""

NOT_WALKED = "a large chunk without an offset index is not searched for page headers"
LOCKED = "their headers are encrypted"
REMOTE = "each header of a remote file takes a request"


@dataclasses.dataclass(slots=True)
class Strip:
    """Pages in file order, as columns; `encoding` is an index into `names`, -1 without one.

    `dictionary` says which pages are dictionary pages, `indexed` which names are dictionary encodings. `fallbacks` are the
    pages from which a chunk with a dictionary does without it. `note` says what is left out, "" if nothing.
    """

    names: list[str] = dataclasses.field(default_factory=list)
    indexed: list[bool] = dataclasses.field(default_factory=list)
    encoding: list[int] = dataclasses.field(default_factory=list)
    dictionary: list[bool] = dataclasses.field(default_factory=list)
    address: list[str] = dataclasses.field(default_factory=list)
    start: list[int] = dataclasses.field(default_factory=list)
    end: list[int] = dataclasses.field(default_factory=list)
    values: list[int] = dataclasses.field(default_factory=list)
    fallbacks: list[int] = dataclasses.field(default_factory=list)
    note: str = ""


def strip(chunks: Iterator[ColumnChunk], total: int) -> Strip:
    """The pages of the first of `total` chunks, up to `PAGES` pages and `CHUNKS` chunks. Raises nothing for damage."""
    made = Strip()
    looked = 0
    for chunk in chunks:
        if looked == CHUNKS or len(made.start) >= PAGES:
            break
        looked += 1
        try:
            made.note = _add(made, chunk) or made.note
        except ParquetError as error:
            made.note = made.note or f"{chunk.address}: {error.message.rstrip('.')}"
    if looked < total:
        made.note = f"the first {looked:,} of {total:,} row groups" + (made.note and f"; {made.note}")
    return made


def _add(made: Strip, chunk: ColumnChunk) -> str:
    """Adds the pages of a chunk; returns what is left out."""
    if chunk.locked:
        return LOCKED
    if not chunk.home.local:
        return REMOTE
    pages = _pages(chunk)
    if pages is None:
        return NOT_WALKED
    first, room = len(made.start), PAGES - len(made.start)
    fell = False
    for page in pages[:room]:
        kind = page.header.type == PageType.DICTIONARY_PAGE
        encoding = page.encoding
        if page.is_data and encoding is not None and encoding not in DICTIONARY_ENCODINGS:
            if not fell and any(made.dictionary[first:]):
                made.fallbacks.append(len(made.start))
            fell = True
        made.encoding.append(_name(made, encoding))
        made.dictionary.append(kind)
        made.address.append(page.address)
        made.start.append(page.span.start)
        made.end.append(page.span.end)
        made.values.append(page.num_values)
    if len(pages) > room:
        return f"the first {PAGES:,} pages"
    error = None if chunk.walked is None else chunk.walked.error
    return "" if error is None else f"the pages after them are damaged: {error.message.rstrip('.')}"


def _pages(chunk: ColumnChunk) -> list[Page] | None:
    """The pages, at most one more than `PAGES`; None if finding them could take long."""
    indexed = chunk.struct.offset_index_offset is not None
    if chunk.walked is None and not indexed and len(chunk.span) > WALKED:
        return None
    return list(chunk.pages[: PAGES + 1])


def _name(made: Strip, encoding: int | None) -> int:
    if encoding is None:
        return -1
    name = enum_name(Encoding, encoding)
    if name not in made.names:
        made.names.append(name)
        made.indexed.append(encoding in DICTIONARY_ENCODINGS)
    return made.names.index(name)


def fallbacks(made: Strip) -> dict[int, int]:
    """By row group, the number of the first page that does without the chunk's dictionary."""
    found = (PAGE.match(made.address[page]) for page in made.fallbacks)
    return {int(one[1]): int(one[3]) for one in found if one}


def described(made: Strip) -> str:
    """The pages as a phrase: how many have each encoding, and the first that does without its dictionary; "" if unknown."""
    data = [
        made.names[code]
        for code, dictionary in zip(made.encoding, made.dictionary, strict=True)
        if code >= 0 and not dictionary
    ]
    parts = [f"{data.count(name):,} {name}" for name in made.names if name in data]
    if not parts:
        return ""
    text = f"{plural(len(data), 'data page')}: {', '.join(parts)}"
    fell = fallbacks(made)
    if not fell:
        return text
    group, page = next(iter(fell.items()))
    return f"{text}; page {page:,} of row group {group:,} is the first without the dictionary"
