"""One page: its header against the rules for its kind, and against what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from pqexplore.engine.check.comparable import comparable, nan_mask
from pqexplore.engine.ordering import declared_order, type_order
from pqexplore.engine.schema import REPEATED
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding, PageType
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import PageContents
    from pqexplore.engine.page import Page
    from pqexplore.engine.schema import Field

DICTIONARY_FIRST = "The dictionary page is written first, before the data pages of the column chunk"
PLAIN_DICTIONARY = (
    "Using the PLAIN_DICTIONARY enum value is deprecated in the Parquet 2.0 specification. Prefer using RLE_DICTIONARY "
    "in a data page and PLAIN in a dictionary page for Parquet 2.0+ files"
)


def header(page: Page, start: int) -> Iterator[Finding]:
    """The kind of the page, its place, its encodings."""
    kind = page.header.type
    if kind == PageType.INDEX_PAGE:
        yield Finding(
            "index-page",
            "note",
            page.address,
            "an index page: the format never defined its contents",
        )
    elif kind not in tuple(PageType):
        yield Finding(
            "page-type",
            "warning",
            page.address,
            f"a page of type {kind}, which this version does not know; readers skip it",
            {"type": kind},
        )
    elif kind == PageType.DICTIONARY_PAGE and page.index:
        yield Finding(
            "dictionary-not-first",
            "error",
            page.address,
            f"a dictionary page is page {page.index} of its chunk; there is one at most, and it comes first",
            {"index": page.index},
            DICTIONARY_FIRST,
        )
    elif page.is_data:
        yield from _deprecated(page)


def _deprecated(page: Page) -> Iterator[Finding]:
    leaf, address = page.chunk.leaf, join(page.address, "header")
    part = page.header.data_page_header
    if page.header.type == PageType.DATA_PAGE and part is not None:
        for name, maximum in (
            ("definition", leaf.max_definition_level),
            ("repetition", leaf.max_repetition_level),
        ):
            if maximum and getattr(part, f"{name}_level_encoding") == Encoding.BIT_PACKED:
                yield Finding(
                    "bit-packed-deprecated",
                    "note",
                    address,
                    f"{name} levels are BIT_PACKED, which is deprecated; RLE replaces it",
                    {},
                    "This is a bit-packed only encoding, which is deprecated and will be replaced by the RLE/bit-packing "
                    "hybrid encoding",
                )
    elif page.encoding == Encoding.PLAIN_DICTIONARY:
        yield Finding(
            "plain-dictionary-deprecated",
            "note",
            address,
            "a data page V2 is encoded with PLAIN_DICTIONARY, the deprecated name of RLE_DICTIONARY",
            {},
            PLAIN_DICTIONARY,
        )


def dictionary(page: Page) -> Iterator[Finding]:
    """A dictionary page: its encoding, and whether it is sorted where it says so. Decodes it."""
    part = page.header.dictionary_page_header
    if part.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
        yield Finding(
            "dictionary-encoding",
            "warning",
            join(page.address, "header"),
            f"the dictionary's entries are encoded with {structs.enum_name(Encoding, part.encoding)}; they have to be "
            "PLAIN",
            {"encoding": part.encoding},
            "The dictionary page's values are encoded using the plain encoding",
        )
    physical = page.physical
    if not part.is_sorted:
        return
    leaf = page.chunk.leaf
    order = declared_order(leaf) or type_order(leaf)
    nan = nan_mask(leaf, physical)
    if nan is not None and nan.any():
        return
    keys = comparable(leaf, physical, order)
    if keys is None or len(keys) < 2:
        return
    descends = pc.greater(keys[:-1], keys[1:]).to_numpy(zero_copy_only=False)
    if descends.any():
        first = int(np.argmax(descends)) + 1
        yield Finding(
            "dictionary-not-sorted",
            "error",
            page.address,
            f"the dictionary is called sorted, entry {first:,} is smaller than the one before",
            {"entry": first},
            "DictionaryPageHeader.is_sorted: If true, the values in the dictionary are sorted in ascending order",
        )


def contents(page: Page, found: PageContents) -> Iterator[Finding]:
    """A data page's levels, and its header against them."""
    yield from _repeated_nulls(page)
    if page.header.type != PageType.DATA_PAGE_V2:
        return
    part = page.header.data_page_header_v2
    if found.begins_inside:
        yield Finding(
            "page-inside-record",
            "error",
            page.address,
            "the first value of a V2 page continues a record of the page before",
            {},
            "DataPageHeaderV2.num_rows: Number of rows in this data page. Every page must begin at a row boundary "
            "(repetition_level = 0)",
        )
    if part.num_rows != found.rows:
        yield Finding(
            "page-rows-disagree",
            "error",
            page.address,
            f"the page header's num_rows is {part.num_rows:,}, its repetition levels begin {found.rows:,} rows",
            {"num_rows": part.num_rows, "rows": found.rows},
            "DataPageHeaderV2.num_rows: Number of rows in this data page",
        )
    if part.num_nulls not in (found.nulls, found.leaf_nulls):
        yield Finding(
            "null-count-disagrees",
            "warning",
            page.address,
            f"the page header's num_nulls is {part.num_nulls:,}, its definition levels have {found.nulls:,}",
            {"num_nulls": part.num_nulls, "definition_levels": found.nulls},
            "DataPageHeaderV2.num_nulls: Number of NULL values, in this data page",
        )


def _repeated_nulls(page: Page) -> Iterator[Finding]:
    """Entries that go on with a list, and say that it has no element there."""
    definition, repetition = page.definition_levels, page.repetition_levels
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
                    "error",
                    page.address,
                    f"entries that go on with a list and have no element there: {count:,}, the first is entry {first:,}; "
                    "readers that do not take them for one null list fail",
                    {"entries": count, "first": first},
                    "Repetition levels specify at what repeated field in the path has the value repeated",
                )
        field = field.parent
