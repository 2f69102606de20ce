"""Reads the page headers of a column chunk, from one to the next.

A chunk is a sequence of pages, each a Thrift header and a body. Only the headers say where a page ends, so a damaged
header loses the pages after it, and only those.

Source: https://parquet.apache.org/docs/file-format/data-pages/ and
https://github.com/apache/parquet-format/blob/master/README.md#error-recovery.
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, ParquetError, located
from pqexplore.engine.file.window import Window
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import PageType
from pqexplore.engine.limits import Limits

HEADER_MAX = 32 << 20
"""A longer header counts as damage."""


class HeaderCipher(Protocol):
    """Decrypts the page headers of an encrypted column."""

    def decrypt_header(self, module: memoryview, ordinal: int, first: bool) -> bytes:
        """A header, decrypted; `ordinal` data pages come before it, the `first` may be a dictionary page's."""

    def body_size(self, header: structs.PageHeader, start: memoryview) -> int:
        """How many bytes the page's body takes in the file; `start` are its first four."""


DATA_PAGES = _V1, _V2 = (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)


@dataclasses.dataclass(frozen=True, slots=True)
class PageFrame:
    """A page's header and its place in the file: header `[start, header_end)`, body `[header_end, end)`.

    `ordinal` counts data pages only; None for other pages. `num_values` are the values of a data page, nulls included,
    or the entries of a dictionary; `encoding` is None for a page without values. `count` is the number of values if it is
    not the header's (see `counts`).
    """

    start: int
    header_end: int
    end: int
    header: structs.PageHeader
    ordinal: int | None
    count: int | None = None
    num_values: int = dataclasses.field(init=False)
    encoding: int | None = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        part = page_struct(self.header)
        stated = getattr(part, "num_values", 0) or 0
        object.__setattr__(self, "num_values", stated if self.count is None else self.count)
        object.__setattr__(self, "encoding", getattr(part, "encoding", None))

    @property
    def is_data(self) -> bool:
        """Whether this is a data page of either version."""
        return self.header.type in DATA_PAGES


@dataclasses.dataclass(frozen=True, slots=True)
class Walk:
    """The pages of a chunk, the offset at which they end, and the error that ended the walk; None if complete."""

    frames: list[PageFrame]
    end: int
    error: ParquetError | None


_PARTS: dict[int | None, str] = {
    PageType.DATA_PAGE: "data_page_header",
    PageType.DATA_PAGE_V2: "data_page_header_v2",
    PageType.DICTIONARY_PAGE: "dictionary_page_header",
    PageType.INDEX_PAGE: "index_page_header",
}


def page_struct(
    header: structs.PageHeader,
) -> structs.DataPageHeader | structs.DataPageHeaderV2 | structs.DictionaryPageHeader | structs.IndexPageHeader | None:
    """The struct in a page header that belongs to its type; None if missing, or the type is unknown."""
    name = _PARTS.get(header.type)
    return getattr(header, name) if name else None


def part_v1(header: structs.PageHeader) -> structs.DataPageHeader:
    """The DataPageHeader of a V1 data page that passed `check_header`."""
    assert header.data_page_header is not None
    return header.data_page_header


def part_v2(header: structs.PageHeader) -> structs.DataPageHeaderV2:
    """The DataPageHeaderV2 of a V2 data page that passed `check_header`."""
    assert header.data_page_header_v2 is not None
    return header.data_page_header_v2


def dictionary_part(header: structs.PageHeader) -> structs.DictionaryPageHeader:
    """The DictionaryPageHeader of a dictionary page that passed `check_header`."""
    assert header.dictionary_page_header is not None
    return header.dictionary_page_header


def check_header(header: structs.PageHeader, room: int, limits: Limits) -> None:
    """Raises CorruptFileError or LimitExceededError if a page header cannot be right; the body has up to `room` bytes."""
    if _is_sound(header, room, limits):
        return
    absent = structs.missing(header)
    if len(absent) == 3:
        raise CorruptFileError(
            "no page header is here: type and sizes are missing; these bytes were overwritten, or what points to them "
            "(the footer, an index, the sizes in the header before) is wrong",
            offset=0,
        )
    if absent:
        raise CorruptFileError(f"the page header lacks its required {', '.join(absent)}", offset=0)
    if header.compressed_page_size < 0 or header.uncompressed_page_size < 0:
        raise CorruptFileError(
            f"the page header gives a negative size (compressed {header.compressed_page_size:,}, uncompressed "
            f"{header.uncompressed_page_size:,})",
            offset=0,
        )
    if header.compressed_page_size > room:
        raise CorruptFileError(
            f"the page header promises {header.compressed_page_size:,} bytes, only {room:,} are left before the footer",
            offset=0,
        )
    part = page_struct(header)
    if part is None:
        if header.type in tuple(PageType) and header.type != PageType.INDEX_PAGE:
            raise CorruptFileError(
                f"the header of a {structs.enum_name(PageType, header.type)} lacks the part for its type", offset=0
            )
        return
    absent = structs.missing(part)
    if absent:
        raise CorruptFileError(f"the {part.NAME} of the page lacks its required {', '.join(absent)}", offset=0)
    for name in (
        "num_values",
        "num_nulls",
        "num_rows",
        "definition_levels_byte_length",
        "repetition_levels_byte_length",
    ):
        value = getattr(part, name, 0)
        if value is not None and value < 0:
            raise CorruptFileError(f"{part.NAME}.{name} is {value:,}; it counts, so it cannot be negative", offset=0)
    limits.check("page_values", getattr(part, "num_values", 0) or 0, "a page", offset=0)


def _is_sound(header: structs.PageHeader, room: int, limits: Limits) -> bool:
    """Quick check: whether it is the header of a dictionary page or V1 data page that `check_header` accepts."""
    size, uncompressed = header.compressed_page_size, header.uncompressed_page_size
    if size is None or uncompressed is None or not 0 <= size <= room or uncompressed < 0:
        return False
    if header.type == PageType.DICTIONARY_PAGE:
        entries = header.dictionary_page_header
        return (
            entries is not None
            and entries.num_values is not None
            and 0 <= entries.num_values <= limits.page_values
            and entries.encoding is not None
        )
    part = header.data_page_header
    return (
        header.type == PageType.DATA_PAGE
        and part is not None
        and part.num_values is not None
        and 0 <= part.num_values <= limits.page_values
        and part.encoding is not None
        and part.definition_level_encoding is not None
        and part.repetition_level_encoding is not None
    )


def read_header(
    window: Window, offset: int, room: int, cipher: HeaderCipher | None = None, ordinal: int = 0, first: bool = False
) -> tuple[structs.PageHeader, int]:
    """The page header at `offset` and the offset of its body.

    `cipher` decrypts the header of an encrypted column; `ordinal` data pages come before it, and the `first` one may be a
    dictionary page's. Raises CorruptFileError, with an offset in the header, if it cannot be read.
    """
    if cipher is not None:
        length = int.from_bytes(window.at(offset, 4), "little")
        if length > min(HEADER_MAX, room - offset - 4):
            raise CorruptFileError(
                f"the encrypted page header says it is {length:,} bytes long, {room - offset - 4:,} are left", offset=0
            )
        plain = cipher.decrypt_header(window.at(offset, 4 + length), ordinal, first)
        return fast.decode(structs.PageHeader, plain)[0], offset + 4 + length
    guess = window.guess
    while True:
        data = window.at(offset, guess)
        try:
            header, end = fast.decode(structs.PageHeader, data)
            return header, offset + end
        except fast.Truncated as error:
            if guess >= HEADER_MAX or len(data) < guess:
                raise CorruptFileError(
                    f"the page header goes on beyond the {len(data):,} bytes that are left for it; a page that begins "
                    "here is cut off, or none begins here",
                    offset=error.offset,
                ) from None
            guess *= 16


def _next_frame(window: Window, offset: int, room: int, ordinal: int, limits: Limits) -> PageFrame | None:
    """Quick way: the page at `offset` if it is a dictionary page or V1 data page with a right header, as most are; else None."""
    try:
        header, length = fast.decode(structs.PageHeader, window.at(offset, window.guess))
    except ParquetError:
        return None
    body = offset + length
    if not _is_sound(header, room - body, limits):
        return None
    number = ordinal if header.type == PageType.DATA_PAGE else None
    return PageFrame(offset, body, body + header.compressed_page_size, header, number)


def missing_pages(seen: int, expected: int, offset: int, address: str) -> CorruptFileError:
    """The error of a chunk whose pages end, at `offset`, before its values are complete."""
    return CorruptFileError(
        f"the pages hold {seen:,} values, the chunk's num_values is {expected:,}; pages are missing or the footer is "
        "wrong",
        offset=offset,
        address=address,
    )


def walk(
    window: Window,
    start: int,
    end: int,
    expected: int,
    room: int,
    address: str,
    limits: Limits,
    cipher: HeaderCipher | None = None,
) -> Walk:
    """The pages from `start` on, read through `window`, until they hold `expected` values and `end` is reached.

    `end` comes from the chunk's total_compressed_size, in which some old writers leave out the dictionary page's header.
    So pages may go on after it until the values are complete, but never after `room`, where the footer begins, and not if
    a page ends exactly there: what follows is another chunk's. If the values are complete, bytes before `end` that are no
    page are left to the layout, as a gap. An error is returned with the pages before it.
    """
    frames: list[PageFrame] = []
    seen = ordinal = 0
    offset = start
    try:
        while offset < room and (offset < end or (seen < expected and not (frames and offset == end))):
            complete = seen >= expected
            if cipher is None and not complete and len(frames) < limits.chunk_pages:
                frame = _next_frame(window, offset, room, ordinal, limits)
                if frame is not None:
                    frames.append(frame)
                    if frame.ordinal is not None:
                        ordinal += 1
                        seen += frame.num_values
                    offset = frame.end
                    continue
            place = Address.of(address, "pages", len(frames))
            limits.check("chunk_pages", len(frames) + 1, "a column chunk", offset=offset, address=place)
            try:
                with located(f"{place}/header", offset):
                    header, body = read_header(window, offset, room, cipher, ordinal, not frames)
                    check_header(header, (min(end, room) if complete else room) - body, limits)
                    size = header.compressed_page_size
                    if cipher is not None:
                        size = cipher.body_size(header, window.at(body, 4))
            except ParquetError:
                if complete:
                    break
                raise
            is_data = header.type in DATA_PAGES
            frames.append(PageFrame(offset, body, body + size, header, ordinal if is_data else None))
            ordinal += is_data
            seen += frames[-1].num_values if is_data else 0
            offset = frames[-1].end
        if seen < expected:
            raise missing_pages(seen, expected, min(offset, window.source.size), address)
    except ParquetError as error:
        return Walk(frames, offset, error)
    return Walk(frames, offset, None)
