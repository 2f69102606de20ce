"""Checks one page: its header, and its header against its contents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.check.comparable import all_distinct, comparable, identities, nan_mask
from pqexplore.engine.check.compared import shown
from pqexplore.engine.file import counts
from pqexplore.engine.file.page_headers import dictionary_part, part_v2
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import REPEATED
from pqexplore.engine.format.ordering import column_order
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.format.value_text import stored_bytes
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import PageContents
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Field

DICTIONARY_FIRST = "The dictionary page is written first, before the data pages of the column chunk"
PLAIN_DICTIONARY = (
    "Using the PLAIN_DICTIONARY enum value is deprecated in the Parquet 2.0 specification. Prefer using RLE_DICTIONARY "
    "in a data page and PLAIN in a dictionary page for Parquet 2.0+ files"
)


def header(page: Page, start: int) -> Iterator[Finding]:
    """Findings about the type of the page, its position in the chunk, and deprecated encodings."""
    kind = page.header.type
    if kind == PageType.INDEX_PAGE:
        yield Finding(
            "index-page", page.address, "an index page, whose contents the format never defined; readers skip it"
        )
    elif kind not in tuple(PageType):
        yield Finding(
            "page-type",
            page.address,
            f"the page has type {kind}, which is unknown to this version; readers skip it",
            {"type": kind},
        )
    elif kind == PageType.DICTIONARY_PAGE and page.index:
        yield Finding(
            "dictionary-not-first",
            page.address,
            f"a dictionary page is page {page.index} of its chunk; a chunk has at most one, as its first page",
            {"index": page.index},
        )
    elif page.is_data:
        yield from _deprecated(page)


def _deprecated(page: Page) -> Iterator[Finding]:
    leaf, address = page.chunk.leaf, Address.of(page.address, "header")
    part = page.header.data_page_header
    if page.header.type == PageType.DATA_PAGE and part is not None:
        for name, maximum in (("definition", leaf.max_definition_level), ("repetition", leaf.max_repetition_level)):
            if maximum and getattr(part, f"{name}_level_encoding") == Encoding.BIT_PACKED:
                yield Finding(
                    "bit-packed-deprecated",
                    address,
                    f"{name} levels are BIT_PACKED, which is deprecated; RLE replaces it",
                )
    elif page.encoding == Encoding.PLAIN_DICTIONARY:
        yield Finding(
            "plain-dictionary-deprecated",
            address,
            "a data page V2 is encoded with PLAIN_DICTIONARY, the deprecated name of RLE_DICTIONARY",
        )


def dictionary_page(page: Page) -> Iterator[Finding | int]:
    """Findings about a dictionary page: its encoding, and its order if is_sorted is set. Decodes it.

    Yields 0 between its steps: there may be a million entries.
    """
    yield 0
    part = dictionary_part(page.header)
    if part.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
        yield Finding(
            "dictionary-encoding",
            Address.of(page.address, "header"),
            f"the dictionary's entries are encoded with {structs.enum_name(Encoding, part.encoding)}; expected PLAIN",
            {"encoding": part.encoding},
        )
    physical = page.physical
    yield 0
    yield from _repeated_entries(page, physical)
    if not part.is_sorted:
        return
    leaf = page.chunk.leaf
    order = column_order(leaf)
    nan = nan_mask(leaf, physical)
    if nan is not None and nan.any():
        return
    keys = comparable(leaf, physical, order)
    if keys is None or len(keys) < 2:
        return
    descends = numpy_numbers(pc.greater(keys[:-1], keys[1:]))
    if descends.any():
        first = int(np.argmax(descends)) + 1
        yield Finding(
            "dictionary-not-sorted",
            page.address,
            f"is_sorted is true, and entry {first:,} is smaller than the entry before it",
            {"entry": first},
        )


def _repeated_entries(page: Page, physical: pa.Array) -> Iterator[Finding]:
    leaf = page.chunk.leaf
    if all_distinct(leaf, physical):
        return
    ids = identities(leaf, physical)
    repeated = np.flatnonzero(ids[1:] <= np.maximum.accumulate(ids)[:-1]) + 1
    if not len(repeated):
        return
    second = int(repeated[0])
    first = int(np.argmax(ids == ids[second]))
    raw = stored_bytes(leaf, physical[second].as_py())
    verb = "repeats" if len(repeated) == 1 else "repeat"
    yield Finding(
        "dictionary-repeats",
        Address.of(page.address, "values", second),
        f"{plural(len(repeated), 'entry', 'entries')} of the dictionary {verb} an earlier one; entry {second:,} is "
        f"{shown(leaf, raw)}, as entry {first:,} is: a reader that takes entries for distinct values is wrong",
        {"entries": len(repeated), "first": first, "second": second},
    )


def data_page(page: Page, contents: PageContents) -> Iterator[Finding]:
    """Findings about the levels of a data page, and its header compared with them."""
    yield from _repeated_nulls(page)
    if page.header.type != PageType.DATA_PAGE_V2:
        return
    part = part_v2(page.header)
    if contents.begins_inside:
        yield Finding(
            "page-inside-record",
            page.address,
            "the first value of a V2 page continues a record of the page before",
            specification="DataPageHeaderV2.num_rows: Number of rows in this data page. Every page must begin at a row boundary "
            "(repetition_level = 0)",
        )
    rows = counts.rows_finding(page, contents.rows)
    if rows is not None:
        yield rows
    if part.num_nulls not in (contents.nulls, contents.leaf_nulls):
        yield Finding(
            "null-count-disagrees",
            page.address,
            f"the page header's num_nulls is {part.num_nulls:,}, its definition levels show {contents.nulls:,}",
            {"num_nulls": part.num_nulls, "definition_levels": contents.nulls},
            "DataPageHeaderV2.num_nulls: Number of NULL values, in this data page",
        )


def _repeated_nulls(page: Page) -> Iterator[Finding]:
    """Entries that continue a list, but have no element."""
    repetition = page.repetition_levels
    definition = None if repetition is None else page.definition_levels
    if definition is None or repetition is None:
        return
    field: Field | None = page.chunk.leaf
    while field is not None:
        if field.repetition == REPEATED:
            wrong = repetition == field.max_repetition_level
            wrong &= definition < field.max_definition_level
            count = int(np.count_nonzero(wrong))
            if count:
                first = int(np.argmax(wrong))
                yield Finding(
                    "null-list-repeats",
                    page.address,
                    f"{count:,} entries continue a list and have no element, the first is entry {first:,}; "
                    "readers fail unless they read them as one null list",
                    {"entries": count, "first": first},
                )
        field = field.parent
