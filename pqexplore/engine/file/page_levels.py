"""Decodes the repetition and definition levels of a data page.

V1 pages name the encoding of their levels: RLE with a 4-byte length before it, or BIT_PACKED in old files. The levels of
V2 pages are RLE without the length, which the page header has.

Source: https://github.com/apache/parquet-format/blob/master/README.md#nested-encoding and
https://parquet.apache.org/docs/file-format/data-pages/.
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.arrays import Levels
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.page_sections import Section
from pqexplore.engine.format.encodings import bit_packed, rle
from pqexplore.engine.format.encodings.run_scan import PREFIX_BYTES, prefixed_end
from pqexplore.engine.format.encodings.run_values import RunValues
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType


def encoding(header: structs.PageHeader, section: str) -> int | None:
    """The Encoding of a V1 page's `repetition_levels` or `definition_levels`; None for a V2 page: RLE without length."""
    if header.type == PageType.DATA_PAGE_V2:
        return None
    number: int | None = getattr(header.data_page_header, f"{section[:-1]}_encoding")
    return number


def decode(header: structs.PageHeader, section: Section, maximum: int, count: int) -> Levels:
    """The `count` levels of a section, nulls included. CorruptFileError, at an offset in the section, if one is over `maximum`."""
    levels = _decode(section.data, encoding(header, section.name), maximum.bit_length(), count)
    if len(levels) and int(levels.max()) > maximum:
        first = int(np.flatnonzero(levels > maximum)[0])
        raise CorruptFileError(
            f"{section.name.replace('_', ' ')}: number {first} is {int(levels[first])}, the schema allows at most "
            f"{maximum}",
            offset=0,
        )
    return levels


def _decode(data: memoryview, number: int | None, width: int, count: int) -> Levels:
    if number is None:
        return rle.decode(data, width, count)
    if number == Encoding.BIT_PACKED:
        return bit_packed.decode(data, width, count)[0]
    if not len(data):
        return rle.decode(b"", width, count)
    return rle.decode_prefixed(data, width, count)[0]


def runs(header: structs.PageHeader, section: Section, maximum: int, count: int) -> RunValues | None:
    """The levels of a section as runs; None if they are not RLE, or one is over `maximum`."""
    number = encoding(header, section.name)
    if number not in (None, Encoding.RLE):
        return None
    v2 = number is None
    end = len(section.data) if v2 else prefixed_end(section.data)
    start = 0 if v2 else PREFIX_BYTES
    found = rle.run_values(section.data[:end], maximum.bit_length(), count, start=start)
    if found.values.size and int(found.values.max()) > maximum:
        return None
    return found


def only_level(header: structs.PageHeader, section: Section, maximum: int, count: int) -> int | None:
    """The level of all values if it is stored as one run, as in most pages without nulls; else None."""
    number = encoding(header, section.name)
    if number not in (None, Encoding.RLE):
        return None
    prefixed = number is not None
    return rle.repeated_value(section.data, maximum.bit_length(), count, prefixed=prefixed)
