"""Decides whether bytes are a page.

Bytes are a page if they decode to a plausible header, its body is inside of the file, and there is a proof that is
unlikely by chance: the body decompresses to exactly the size in the header, or its checksum is right, or another page
begins where it ends.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.file import page_sections
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS
from pqexplore.engine.file.page_body import PAGE_KINDS
from pqexplore.engine.file.page_headers import PageFrame, check_header, part_v2
from pqexplore.engine.file.plausible import implausible
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.window import Window
from pqexplore.engine.format import codecs
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType
from pqexplore.engine.kind import Kind
from pqexplore.engine.limits import Limits

ANY_CODEC = frozenset(int(codec) for codec in CompressionCodec)
"""The codecs of a page without compressed bytes: any."""

PREFERENCE = (
    CompressionCodec.SNAPPY,
    CompressionCodec.ZSTD,
    CompressionCodec.GZIP,
    CompressionCodec.LZ4_RAW,
    CompressionCodec.LZ4,
    CompressionCodec.BROTLI,
    CompressionCodec.UNCOMPRESSED,
    CompressionCodec.LZO,
)
"""Codecs in the order in which they are tried and preferred.

Bytes that decompress as SNAPPY, ZSTD, GZIP or LZ4 to exactly the size in the header were compressed so, even if
compression saved nothing. LZ4_RAW comes before LZ4, which is the same block in a framing.
"""


@dataclasses.dataclass(frozen=True)
class SalvagedPage:
    """A page that was found in the file, and its proofs.

    `codecs` decompress its body to exactly the size in its header; empty if the body is damaged. `proofs` are some of:
    header, codec NAME, checksum, neighbour.
    """

    frame: PageFrame
    codecs: frozenset[int]
    crc_ok: bool | None
    proofs: tuple[str, ...]

    @property
    def start(self) -> int:
        """The byte offset at which the header begins."""
        return self.frame.start

    @property
    def end(self) -> int:
        """The byte offset at which the body ends."""
        return self.frame.end

    @property
    def header(self) -> structs.PageHeader:
        """The page's header."""
        return self.frame.header

    @property
    def kind(self) -> str:
        """data_page, data_page_v2, dictionary_page, or what `engine.kind` calls another page."""
        return str(PAGE_KINDS.get(self.header.type, Kind.UNKNOWN_PAGE))

    @property
    def is_dictionary(self) -> bool:
        """Whether it is a dictionary page, the first page of a column chunk."""
        return bool(self.header.type == PageType.DICTIONARY_PAGE)

    @property
    def num_values(self) -> int:
        """Values, nulls included; the entries of a dictionary page."""
        return self.frame.num_values

    @property
    def encoding(self) -> int:
        """The Encoding of the values; -1 if absent."""
        return -1 if self.frame.encoding is None else self.frame.encoding

    @property
    def needs_dictionary(self) -> bool:
        """Whether it is a data page of dictionary ids."""
        return self.frame.is_data and self.encoding in DICTIONARY_ENCODINGS

    @property
    def usable(self) -> bool:
        """Whether the body can be decompressed and its checksum is not wrong."""
        return bool(self.codecs) and self.crc_ok is not False

    def __repr__(self) -> str:
        encoding = structs.enum_name(Encoding, self.encoding)
        return (
            f"<{self.kind} at [{self.start:,}, {self.end:,}): {self.num_values:,} values, {encoding}, "
            f"proven by {', '.join(self.proofs)}>"
        )


HEADER_WINDOWS = (256, 4 << 10, 64 << 10)
"""Lengths, in bytes, with which decoding a header is tried; longer headers are not found."""
HEADER_COST = 16
"""The cost of trying a byte of a header; a byte of a body costs 1."""


class SearchBudget:
    """Bytes that the search may try: proportional to the file, so that no file makes the search endless."""

    def __init__(self, size: int) -> None:
        self._left = (128 << 20) + 64 * size

    def spend(self, amount: int) -> None:
        """Raise `SearchEnded` when nothing is left."""
        self._left -= amount
        if self._left < 0:
            raise SearchEnded


class SearchEnded(Exception):
    """The search used up its budget."""


def header_at(window: Window, offset: int, size: int, limits: Limits, budget: SearchBudget) -> PageFrame:
    """The frame of the page at `offset`. Raises ParquetError if no page can begin there."""
    header, body = _read_header(window, offset, budget)
    check_header(header, size - body, limits)
    doubt = implausible(header)
    if doubt:
        raise CorruptFileError(doubt, offset=0)
    return PageFrame(offset, body, body + header.compressed_page_size, header, None)


def _read_header(window: Window, offset: int, budget: SearchBudget) -> tuple[structs.PageHeader, int]:
    for length in HEADER_WINDOWS:
        data = window.at(offset, length)
        try:
            header, end = fast.decode(structs.PageHeader, data)
        except fast.Truncated:
            budget.spend(HEADER_COST * len(data))
            if len(data) < length:
                raise
        else:
            budget.spend(HEADER_COST * end)
            return header, offset + end
    raise CorruptFileError(f"a header of more than {HEADER_WINDOWS[-1]:,} bytes", offset=0)


def prove(source: Source, frame: PageFrame, likely: int | None, limits: Limits, budget: SearchBudget) -> SalvagedPage:
    """The page with its codecs and proofs; `likely` is the codec that is tried first."""
    header = frame.header
    budget.spend(frame.end - frame.start + 256)
    stored = memoryview(source.read(frame.header_end, frame.end - frame.header_end))
    crc = page_sections.crc_ok(header, stored)
    fitting = frozenset[int]()
    if header.uncompressed_page_size <= limits.page_bytes:
        fitting = codecs_of(header, stored, likely, limits, budget)
    proofs = ["header"]
    if crc:
        proofs.append("checksum")
    if fitting and fitting != ANY_CODEC and fitting != {CompressionCodec.UNCOMPRESSED}:
        best = next(codec for codec in PREFERENCE if codec in fitting)
        proofs.append(f"codec {structs.enum_name(CompressionCodec, best)}")
    return SalvagedPage(frame, fitting, crc, tuple(proofs))


def codecs_of(
    header: structs.PageHeader, stored: memoryview, likely: int | None, limits: Limits, budget: SearchBudget
) -> frozenset[int]:
    """The codecs that decompress a body to exactly the size in its header."""
    packed, size = stored, header.uncompressed_page_size
    if header.type == PageType.DATA_PAGE_V2:
        part = part_v2(header)
        levels = part.definition_levels_byte_length + part.repetition_levels_byte_length
        packed, size = stored[levels:], size - levels
        if part.is_compressed is False or not len(packed):
            return ANY_CODEC if len(packed) == size else frozenset()
    found = {int(CompressionCodec.UNCOMPRESSED)} if len(packed) == size else set()
    if not len(packed):
        return ANY_CODEC if not size else frozenset()
    first = () if likely in (None, CompressionCodec.UNCOMPRESSED) else (likely,)
    for codec in (*first, *PREFERENCE):
        if codec is None or codec == CompressionCodec.UNCOMPRESSED:
            continue
        if codec == CompressionCodec.LZO and found:
            continue
        try:
            codecs.decompress(codec, packed, size, limits=limits)
        except ParquetError:
            budget.spend(min(size, 64 * len(packed)))
            continue
        budget.spend(size)
        found.add(int(codec))
        break
    return frozenset(found)


def next_begins(window: Window, frame: PageFrame, size: int, limits: Limits, budget: SearchBudget) -> bool:
    """Whether another page header follows the page."""
    if frame.end >= size:
        return False
    try:
        header_at(window, frame.end, size, limits, budget)
    except ParquetError:
        return False
    return True
