"""One page, proven by what it says of itself.

Bytes are taken for a page when a header decodes that can be true, its body lies within the file, and something that
chance does not make speaks for it: the body decompresses to exactly the size that the header gives, or its checksum
is right, or another page begins where it ends.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine import codecs, sections
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.limits import Limits
from pqexplore.engine.pages import Frame, Window, check_header, page_struct
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import fast, structs
from pqexplore.engine.thrift.structs import CompressionCodec, Encoding, PageType

ANY_CODEC = frozenset(int(codec) for codec in CompressionCodec)
"""A page without compressed bytes says nothing about the codec."""

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
"""Codecs in the order in which they are believed where several fit.

Bytes that decompress as SNAPPY, ZSTD, GZIP or LZ4 to exactly the size in the header were hardly meant otherwise, even
where compression saved nothing. LZ4_RAW before LZ4, which is the same block in a framing.
"""

HEADER_PARTS = (
    "data_page_header",
    "index_page_header",
    "dictionary_page_header",
    "data_page_header_v2",
)
LEVEL_ENCODINGS = (Encoding.RLE, Encoding.BIT_PACKED)
DICTIONARY_ENCODINGS = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)


@dataclasses.dataclass(frozen=True)
class SalvagedPage:
    """A page that was found in the file, and what proves it.

    `codecs` are the codecs that its body decompresses with, to exactly the size that its header gives; none where the
    body is damaged. `proofs` says what speaks for the page: header, codec, checksum, neighbour.
    """

    frame: Frame
    codecs: frozenset[int]
    crc_ok: bool | None
    proofs: tuple[str, ...]

    @property
    def start(self) -> int:
        """Where the header begins."""
        return self.frame.start

    @property
    def end(self) -> int:
        """Where the body ends."""
        return self.frame.end

    @property
    def header(self) -> structs.PageHeader:
        """The page's header."""
        return self.frame.header

    @property
    def kind(self) -> str:
        """data_page, data_page_v2 or dictionary_page."""
        return {
            PageType.DATA_PAGE: "data_page",
            PageType.DATA_PAGE_V2: "data_page_v2",
            PageType.DICTIONARY_PAGE: "dictionary_page",
        }[self.header.type]

    @property
    def is_dictionary(self) -> bool:
        """Whether it is a dictionary page, with which a column chunk begins."""
        return bool(self.header.type == PageType.DICTIONARY_PAGE)

    @property
    def num_values(self) -> int:
        """Values with their nulls; of a dictionary its entries."""
        return getattr(page_struct(self.header), "num_values", 0) or 0

    @property
    def encoding(self) -> int:
        """The Encoding of the values."""
        return int(getattr(page_struct(self.header), "encoding", -1))

    @property
    def needs_dictionary(self) -> bool:
        """Whether it is a data page of dictionary ids."""
        return self.frame.is_data and self.encoding in DICTIONARY_ENCODINGS

    @property
    def usable(self) -> bool:
        """Whether the body can be decompressed, and its checksum does not say that it is damaged."""
        return bool(self.codecs) and self.crc_ok is not False

    def __repr__(self) -> str:
        encoding = structs.enum_name(Encoding, self.encoding)
        return (
            f"<{self.kind} at [{self.start:,}, {self.end:,}): {self.num_values:,} values, {encoding}, "
            f"proven by {', '.join(self.proofs)}>"
        )


HEADER_WINDOWS = (256, 4 << 10, 64 << 10)
"""Bytes of a header that are tried, one after the other; longer ones are not looked for."""
HEADER_COST = 16
"""What a byte of a header costs to try, where a byte of a body costs 1."""


class Budget:
    """How many bytes may be tried: proportional to the file, so that no file makes the search endless."""

    def __init__(self, size: int) -> None:
        self._left = (128 << 20) + 64 * size

    def spend(self, amount: int) -> None:
        """Raise `Exhausted` when nothing is left."""
        self._left -= amount
        if self._left < 0:
            raise Exhausted


class Exhausted(Exception):
    """The search has cost more than the file can be worth."""


def header_at(window: Window, offset: int, size: int, limits: Limits, budget: Budget) -> Frame:
    """The page header at `offset` and the page's place. CorruptFileError where no page can begin here."""
    header, body = _read_header(window, offset, budget)
    check_header(header, size - body, limits)
    doubt = implausible(header)
    if doubt:
        raise CorruptFileError(doubt, offset=0)
    return Frame(offset, body, body + header.compressed_page_size, header, None)


def _read_header(window: Window, offset: int, budget: Budget) -> tuple[structs.PageHeader, int]:
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


def implausible(header: structs.PageHeader) -> str:
    """Why no writer makes such a header; empty where one might."""
    part = page_struct(header)
    if part is None or header.type == PageType.INDEX_PAGE:
        return f"there is no page of type {header.type}"
    if sum(getattr(header, name) is not None for name in HEADER_PARTS) != 1:
        return "the header has parts for several types of pages"
    if part.encoding not in tuple(Encoding) or part.encoding == Encoding.BIT_PACKED:
        return f"no page has values in encoding {part.encoding}"
    if header.type == PageType.DATA_PAGE and not {
        part.definition_level_encoding,
        part.repetition_level_encoding,
    } <= {*LEVEL_ENCODINGS, Encoding.PLAIN}:
        return "levels are encoded with RLE or BIT_PACKED"
    if header.type == PageType.DATA_PAGE_V2:
        levels = part.definition_levels_byte_length + part.repetition_levels_byte_length
        if levels > min(header.compressed_page_size, header.uncompressed_page_size):
            return "the levels are longer than the page"
        if part.num_nulls > part.num_values or part.num_rows > part.num_values:
            return "there are more nulls or rows than values"
    if header.uncompressed_page_size and not header.compressed_page_size:
        return "a body of no bytes cannot be decompressed"
    if (
        part.num_values
        and not header.uncompressed_page_size
        and header.type == PageType.DICTIONARY_PAGE
    ):
        return "a dictionary has entries and no bytes"
    return ""


def prove(
    source: Source, frame: Frame, likely: int | None, limits: Limits, budget: Budget
) -> SalvagedPage:
    """The page with its codecs and its checksum; `likely` is the codec that is tried first."""
    header = frame.header
    budget.spend(frame.end - frame.start + 256)
    stored = memoryview(source.read(frame.header_end, frame.end - frame.header_end))
    crc = sections.crc_ok(header, stored)
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
    header: structs.PageHeader,
    stored: memoryview,
    likely: int | None,
    limits: Limits,
    budget: Budget,
) -> frozenset[int]:
    """The codecs with which a body comes to exactly the size that its header gives."""
    packed, size = stored, header.uncompressed_page_size
    if header.type == PageType.DATA_PAGE_V2:
        part = header.data_page_header_v2
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


def next_begins(window: Window, frame: Frame, size: int, limits: Limits, budget: Budget) -> bool:
    """Whether another page header follows the page."""
    if frame.end >= size:
        return False
    try:
        header_at(window, frame.end, size, limits, budget)
    except ParquetError:
        return False
    return True
