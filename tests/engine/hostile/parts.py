"""A file taken apart, so that one part can be broken while everything around it stays right.

Pages, indexes and Bloom filters are decrypted and decompressed. `together` compresses and encrypts what was changed
again, with the writer's own functions, and computes sizes, checksums and offsets anew: so a broken part passes the codec
and the cipher, and reaches the decoder after them.
"""

import copy
import dataclasses
import zlib

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.format import codecs
from pqexplore.engine.format.encryption import modules
from pqexplore.engine.format.encryption.encryptor import counting_nonces
from pqexplore.engine.format.encryption.modules import Module, ModuleType
from pqexplore.engine.format.thrift import fast, struct_spans, structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import CompressionCodec, PageType

LEVELS = ("repetition_levels", "definition_levels")
SECTIONS = (*LEVELS, "values")
STRUCTS = {
    "footer": structs.FileMetaData,
    "crypto": structs.FileCryptoMetaData,
    "column_index": structs.ColumnIndex,
    "offset_index": structs.OffsetIndex,
    "bloom_header": structs.BloomFilterHeader,
    "page_header": structs.PageHeader,
    "column_metadata": structs.ColumnMetaData,
}
"""The struct of each part that is one."""

OFFSETS = ("data_page_offset", "dictionary_page_offset", "index_page_offset", "bloom_filter_offset")


@dataclasses.dataclass(eq=False)
class Piece:
    """Bytes `[start, end)` of the file, and the plain bytes of their parts by name."""

    start: int
    end: int
    chunk: object
    parts: dict
    page: object = None


@dataclasses.dataclass(frozen=True)
class Place:
    """A part that can be broken: its name, its bytes, and the piece it belongs to (None: the footer)."""

    name: str
    data: bytes
    piece: Piece | None = None


class Parts:
    """A file's parts; parts that cannot be read stay as they are."""

    def __init__(self, data, decryption=None):
        self.data = data
        self.file = pqexplore.open(data, decryption=decryption)
        self.footer = self.file.open_footer
        self.raw = bytes(self.footer.raw)
        self.cipher = self.footer.cipher
        found = []
        for chunk in self.file.chunks():
            for finder in (_pages, _indexes, _bloom_filter):
                try:
                    found += finder(chunk)
                except ParquetError:
                    continue
        self.pieces, end = [], 4
        for piece in sorted(found, key=lambda piece: piece.start):
            if end <= piece.start < piece.end <= self.footer.start:
                self.pieces.append(piece)
                end = piece.end
        self.places = [Place(name, part, piece) for piece in self.pieces for name, part in piece.parts.items()]
        self.places.append(Place("footer", self.raw))
        if self.footer.crypto_metadata is not None:
            crypto = data[self.footer.start : self.footer.crypto_end]
            self.places.append(Place("crypto", bytes(crypto)))

    def together(self, change=None, footer=None):
        """The file with the bytes of places (`change`) and the finished FileMetaData (`footer`, a function) changed."""
        change = change or {}
        wanted = {(place.piece, place.name): new for place, new in change.items()}
        nonces = counting_nonces(1 << 40)
        out, moves, at = bytearray(), [], 0
        for piece in self.pieces:
            out += self.data[at : piece.start]
            moves.append((piece.start, len(out)))
            out += self._stored(piece, wanted, moves, nonces)
            at = piece.end
            moves.append((at, len(out)))
        out += self.data[at : self.footer.start]
        raw = wanted.get((None, "footer"), self.raw)
        if len(out) != self.footer.start or any(a != b for a, b in moves):
            raw = self._moved(raw, moves, nonces)
        if footer is not None:
            raw = footer(raw)
        crypto = wanted.get((None, "crypto"))
        return bytes(out) + self._end(raw, crypto, nonces)

    def _stored(self, piece, wanted, moves, nonces):
        """The bytes of a piece as they are in the file."""
        new = {name: wanted.get((piece, name), part) for name, part in piece.parts.items()}
        before = self.data[piece.start : piece.end]
        if "offset_index" in new and any(a != b for a, b in moves):
            index = fast.decode(structs.OffsetIndex, piece.parts["offset_index"])[0]
            for location in index.page_locations or ():
                _move(location, "offset", "compressed_page_size", moves)
            new["offset_index"] = wanted.get((piece, "offset_index"), encode(index))
        elif new == piece.parts:
            return before
        if piece.page is None:
            return b"".join(self._module(piece.chunk, _TYPES[name], part, nonces) for name, part in new.items())
        if new["page_header"] == piece.parts["page_header"]:
            return self._page(piece, new, piece.page.header, nonces)
        if all(new[name] == part for name, part in piece.parts.items() if name in SECTIONS):
            frame = piece.page.frame
            body = before[frame.header_end - frame.start :]
            return self._page_header(piece, new["page_header"], nonces) + body
        header = fast.decode(structs.PageHeader, new["page_header"])[0]
        return self._page(piece, new, header, nonces)

    def _page(self, piece, new, header, nonces):
        """A page whose header has the sizes and the checksum of these sections."""
        page, codec = piece.page, piece.chunk.metadata.codec
        header = copy.deepcopy(header)
        sections = [new.get(name, b"") for name in SECTIONS]
        v2 = header.data_page_header_v2 if header.type == PageType.DATA_PAGE_V2 else None
        if v2 is not None:
            v2.repetition_levels_byte_length, v2.definition_levels_byte_length = map(len, sections[:2])
            packed = v2.is_compressed is not False and codec != CompressionCodec.UNCOMPRESSED
            values = codecs.compress(codec, sections[2]) if packed else sections[2]
            body = sections[0] + sections[1] + values
        else:
            body = codecs.compress(codec, b"".join(sections))
        header.uncompressed_page_size = sum(map(len, sections))
        kind = ModuleType.DATA_PAGE if page.is_data else ModuleType.DICTIONARY_PAGE
        header.compressed_page_size = len(body)
        body = self._module(piece.chunk, kind, body, nonces, page.frame.ordinal)
        if self.cipher is None or not self.cipher.aad_omitted:
            header.compressed_page_size = len(body)
        if header.crc is not None:
            header.crc = zlib.crc32(body) - (zlib.crc32(body) >> 31 << 32)
        return self._page_header(piece, encode(header), nonces) + body

    def _page_header(self, piece, header, nonces):
        data = piece.page.is_data
        kind = ModuleType.DATA_PAGE_HEADER if data else ModuleType.DICTIONARY_PAGE_HEADER
        return self._module(piece.chunk, kind, header, nonces, piece.page.frame.ordinal)

    def _module(self, chunk, kind, plain, nonces, ordinal=None):
        """`plain`, encrypted if the column is."""
        column = chunk.column_cipher
        if column is None:
            return plain
        if column.is_ctr(kind):
            return modules.encrypt_ctr(column.key(), plain, nonces)
        return self._gcm(column.key(), plain, column.module(kind, ordinal), nonces)

    def _gcm(self, key, plain, module, nonces):
        return modules.encrypt_gcm(key, plain, self._aad(module), nonces)

    def _aad(self, module):
        if self.cipher.aad_omitted:
            return b""
        return module.aad(self.cipher.aad_prefix, self.cipher.algorithm.file_unique)

    def encrypted_metadata(self, chunk, plain):
        """The `encrypted_column_metadata` of a chunk."""
        return self._module(chunk, ModuleType.COLUMN_METADATA, plain, counting_nonces(1 << 41))

    def _moved(self, raw, moves, nonces):
        """The FileMetaData with the places to which everything moved."""
        metadata = struct_spans.to_object(struct_spans.read(structs.FileMetaData, raw))
        for number, group in enumerate(metadata.row_groups or ()):
            if group.file_offset is not None:
                group.file_offset = _position(group.file_offset, moves)
            before = sum(_sizes(group))
            for index, struct in enumerate(group.columns or ()):
                _move_chunk(struct, moves)
                chunk = self.file.row_groups[number].columns[index]
                if struct.encrypted_column_metadata is not None and not chunk.locked:
                    _move_metadata(inner := copy.deepcopy(chunk.metadata), moves)
                    struct.encrypted_column_metadata = self._module(
                        chunk, ModuleType.COLUMN_METADATA, encode(inner), nonces
                    )
            if group.total_compressed_size is not None:
                group.total_compressed_size += sum(_sizes(group)) - before
        return encode(metadata)

    def _end(self, raw, crypto, nonces):
        """The footer, from its first byte to the last of the file."""
        if self.footer.magic == ENCRYPTED_MAGIC:
            crypto = crypto or self.data[self.footer.start : self.footer.crypto_end]
            raw = crypto + self._gcm(self.cipher.footer_key(), raw, Module(ModuleType.FOOTER), nonces)
        elif self.footer.signature_ok:
            module = Module(ModuleType.FOOTER)
            raw += modules.sign(self.cipher.footer_key(), raw, self._aad(module), nonces)
        elif self.footer.signature_start is not None:
            raw += self.data[self.footer.signature_start : self.footer.end]
        magic = ENCRYPTED_MAGIC if self.footer.magic == ENCRYPTED_MAGIC else MAGIC
        return raw + len(raw).to_bytes(4, "little") + magic


_TYPES = {
    "column_index": ModuleType.COLUMN_INDEX,
    "offset_index": ModuleType.OFFSET_INDEX,
    "bloom_header": ModuleType.BLOOM_FILTER_HEADER,
    "bitset": ModuleType.BLOOM_FILTER_BITSET,
}


def _pages(chunk):
    for frame, page in zip(chunk.frames.frames, chunk.pages):
        try:
            parts = {"page_header": encode(page.header)}
            parts |= {part.name: bytes(part.data) for part in page.body.sections}
        except (ParquetError, ValueError):
            continue
        yield Piece(frame.start, frame.end, chunk, parts, page)


def _indexes(chunk):
    for name in ("column_index", "offset_index"):
        start, length = (getattr(chunk.struct, f"{name}_{what}") for what in ("offset", "length"))
        if start and length:
            stored = chunk.file.source.read(start, length)
            column = chunk.column_cipher
            plain = stored if column is None else column.decrypt(_TYPES[name], stored)
            yield Piece(start, start + length, chunk, {name: bytes(plain)})


def _bloom_filter(chunk):
    bloom = chunk.bloom_filter
    if bloom is not None:
        parts = {"bloom_header": encode(bloom.header), "bitset": bytes(bloom.bitset)}
        yield Piece(bloom.offset, chunk.bloom_filter_span.end, chunk, parts)


def _position(offset, moves):
    """Where the byte at `offset` is now."""
    before, after = 0, 0
    for old, new in moves:
        if old > offset:
            break
        before, after = old, new
    return offset + after - before


def _sizes(group):
    """The total_compressed_size of each chunk that says it in the open."""
    for chunk in group.columns or ():
        yield getattr(chunk.meta_data, "total_compressed_size", None) or 0


def _move_chunk(struct, moves):
    if struct.file_offset:
        struct.file_offset = _position(struct.file_offset, moves)
    for name in ("column_index", "offset_index"):
        start, length = (getattr(struct, f"{name}_{what}") for what in ("offset", "length"))
        if start is not None and length is not None:
            _move(struct, f"{name}_offset", f"{name}_length", moves)
    if struct.meta_data is not None:
        _move_metadata(struct.meta_data, moves)


def _move_metadata(metadata, moves):
    first = min(filter(None, (metadata.data_page_offset, metadata.dictionary_page_offset)), default=None)
    if first is not None and metadata.total_compressed_size is not None:
        end = _position(first + metadata.total_compressed_size, moves)
        metadata.total_compressed_size = end - _position(first, moves)
    if metadata.bloom_filter_offset is not None and metadata.bloom_filter_length is not None:
        _move(metadata, "bloom_filter_offset", "bloom_filter_length", moves)
        rest = OFFSETS[:-1]
    else:
        rest = OFFSETS
    for name in rest:
        if getattr(metadata, name) is not None:
            setattr(metadata, name, _position(getattr(metadata, name), moves))


def _move(struct, offset, length, moves):
    start, size = getattr(struct, offset), getattr(struct, length)
    setattr(struct, offset, _position(start, moves))
    setattr(struct, length, _position(start + size, moves) - _position(start, moves))
