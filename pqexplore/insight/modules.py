"""The modules of an encrypted file, as a list: what each hides, where its parts lie, and which key it takes.

Lengths and nonces are not encrypted, so modules can be told apart, weighed and compared without a key. What a page of a
locked column is follows from its position: headers and bodies take turns, and a dictionary page comes first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pqexplore.engine.chunk import ColumnChunk
from pqexplore.engine.encryption.cipher import FileCipher
from pqexplore.engine.encryption.column_cipher import ColumnCipher
from pqexplore.engine.encryption.modules import (
    LENGTH_BYTES,
    NONCE_BYTES,
    TAG_BYTES,
    Module,
    ModuleType,
    hop,
    module_size,
)
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.page_cipher import levels_in_clear
from pqexplore.engine.pages import Window
from pqexplore.engine.tree import Span, join

MOST = 20_000
"""Modules that are listed; the rest is said to be left out."""

_HEAD = LENGTH_BYTES + NONCE_BYTES


@dataclasses.dataclass(frozen=True, slots=True)
class Sealed:
    """One module: where it lies and belongs.

    `place` is None where it cannot be known without a key, `name` says what it is all the same. `column` is None for
    the footer and its signature. `parts` are names and lengths, in the order of the bytes. `address` is the node
    that shows the module, `reason` why it is locked, empty where it is not.
    """

    name: str
    address: str
    span: Span
    nonce: bytes
    parts: tuple[tuple[str, int], ...]
    place: Module | None = None
    column: ColumnCipher | None = None
    group: str = ""
    ctr: bool = False
    reason: str = ""

    @property
    def hidden(self) -> int:
        """Bytes that it decrypts to."""
        return dict(self.parts).get("ciphertext", 0)


def of_file(file: Any) -> Iterator[Sealed]:
    """All modules of a file, in the order of the columns, those of the footer first. Damaged ones are left out."""
    cipher = file.footer.cipher
    if cipher is None:
        return
    yield from of_footer(file)
    if file.metadata is None:
        yield from _unknown(file, cipher)
        return
    for chunk in file.chunks():
        try:
            yield from of_chunk(chunk)
        except ParquetError:
            continue


def of_footer(file: Any) -> Iterator[Sealed]:
    """The footer's module, or its signature."""
    footer, cipher = file.footer, file.footer.cipher
    if cipher is None:
        return
    place = Module(ModuleType.FOOTER)
    if footer.crypto_metadata is not None:
        span = Span(footer.crypto_end, footer.end)
        made = _sealed(file.source, "footer", "footer/module", span, False)
        if made is not None:
            reason = cipher.footer_reason
            yield dataclasses.replace(made, place=place, group="footer", reason=reason)
    elif footer.signature_start is not None:
        start = footer.signature_start
        nonce = bytes(file.source.read(start, NONCE_BYTES))
        yield Sealed(
            "footer signature",
            "footer_signature",
            Span(start, footer.end),
            nonce,
            (("nonce", NONCE_BYTES), ("tag", TAG_BYTES)),
            place,
            group="footer",
            reason=cipher.footer_reason,
        )


def of_chunk(chunk: ColumnChunk) -> Iterator[Sealed]:
    """The modules of one column chunk; nothing where it is not encrypted."""
    column, cipher = chunk.column_cipher, chunk.file.footer.cipher
    if column is None or cipher is None:
        return
    group = f"row group {chunk.row_group.index}, {'.'.join(chunk.leaf.path)}"
    reason = column.reason
    for name, kind, ordinal, address, span in _places(chunk, column):
        ctr = column.is_ctr(kind) if kind is not None else False
        source: Any = chunk.file.source
        if name == "column metadata":
            sealed = chunk.struct.encrypted_column_metadata or b""
            made = _framed(name, address, span, bytes(sealed[:_HEAD]), ctr)
        else:
            made = _sealed(source, name, address, span, ctr)
        if made is not None:
            place = None if kind is None else column.module(kind, ordinal)
            yield dataclasses.replace(made, place=place, column=column, group=group, reason=reason)


_Place = tuple[str, ModuleType | None, int | None, str, Span]


def _places(chunk: ColumnChunk, column: ColumnCipher) -> Iterator[_Place]:
    sealed, struct, file = chunk.struct.encrypted_column_metadata, chunk.struct, chunk.file
    if sealed is not None:
        address = join(chunk.address, "metadata/encrypted_column_metadata")
        span = file.node(address).span or Span(0, len(sealed), "unknown")
        span = Span(span.end - len(sealed), span.end, span.space)
        yield "column metadata", ModuleType.COLUMN_METADATA, None, join(address, "module"), span
    for name, kind in (
        ("column_index", ModuleType.COLUMN_INDEX),
        ("offset_index", ModuleType.OFFSET_INDEX),
    ):
        start, size = getattr(struct, f"{name}_offset"), getattr(struct, f"{name}_length")
        if start is not None and size is not None and 0 <= start <= start + size <= file.size:
            address = join(chunk.address, name, "module")
            yield name.replace("_", " "), kind, None, address, Span(start, start + size)
    if chunk.locked:
        yield from _locked(chunk, column)
        return
    for number, frame in enumerate(chunk.frames.frames):
        page = join(chunk.address, "pages", number)
        data = frame.is_data
        header = ModuleType.DATA_PAGE_HEADER if data else ModuleType.DICTIONARY_PAGE_HEADER
        body = ModuleType.DATA_PAGE if data else ModuleType.DICTIONARY_PAGE
        ordinal = frame.ordinal if data else None
        span = Span(frame.start, frame.header_end)
        yield header.label, header, ordinal, join(page, "header/module"), span
        head = file.source.read(frame.header_end, min(LENGTH_BYTES, frame.end - frame.header_end))
        clear = levels_in_clear(frame, head)
        address = join(page, "body/module") if clear else join(page, "body")
        yield body.label, body, ordinal, address, Span(frame.header_end + clear, frame.end)
    bloom = chunk.bloom_filter
    if bloom is not None:
        middle = bloom.offset + bloom.header_length
        address = join(chunk.address, "bloom_filter")
        kind = ModuleType.BLOOM_FILTER_HEADER
        yield kind.label, kind, None, join(address, "header/module"), Span(bloom.offset, middle)
        kind = ModuleType.BLOOM_FILTER_BITSET
        span = Span(middle, chunk.bloom_filter_end)
        yield kind.label, kind, None, join(address, "bitset"), span


def _locked(chunk: ColumnChunk, column: ColumnCipher) -> Iterator[_Place]:
    """Headers and pages in turn; what they are, as far as the plaintext metadata says."""
    span, metadata = chunk.span, chunk.struct.meta_data
    has_dictionary = None if metadata is None else metadata.dictionary_page_offset is not None
    window = Window(chunk.file.source, span.start, span.end, span.end)
    places = hop(lambda at: window.at(at, LENGTH_BYTES), span.start, span.end)
    for number, (start, end) in enumerate(places):
        page, is_body = number // 2, number % 2 == 1
        address = join(chunk.address, "modules", number)
        name, kind, ordinal = "page" if is_body else "page header", None, None
        if has_dictionary is not None or page > 0:
            dictionary = bool(has_dictionary) and page == 0
            ordinal = None if dictionary else page - bool(has_dictionary)
            header, body = (
                (ModuleType.DICTIONARY_PAGE_HEADER, ModuleType.DICTIONARY_PAGE)
                if dictionary
                else (ModuleType.DATA_PAGE_HEADER, ModuleType.DATA_PAGE)
            )
            kind = body if is_body else header
            name = kind.label
            if has_dictionary is None:  # whether the first page counts is not known
                kind = ordinal = None
        yield name, kind, ordinal, address, Span(start, end)


def _unknown(file: Any, cipher: FileCipher) -> Iterator[Sealed]:
    """What lies before a locked footer: modules back to back, told by their lengths."""
    end = file.footer.start
    window = Window(file.source, 4, end, end)
    for number, (start, stop) in enumerate(hop(lambda at: window.at(at, LENGTH_BYTES), 4, end)):
        made = _sealed(file.source, f"module {number}", "", Span(start, stop), False)
        if made is None:
            return
        if cipher.algorithm.ctr:  # pages have no tag, and which module is a page is not known
            rest = stop - start - _HEAD
            parts = (*made.parts[:2], ("ciphertext, perhaps with a tag", rest))
            made = dataclasses.replace(made, parts=parts)
        reason = cipher.footer_reason
        yield dataclasses.replace(made, group="before the footer, told by lengths", reason=reason)


def _sealed(source: Any, name: str, address: str, span: Span, ctr: bool) -> Sealed | None:
    """The frame of the module at a span; None where it does not fill it."""
    if len(span) < _HEAD:
        return None
    return _framed(name, address, span, bytes(source.read(span.start, _HEAD)), ctr)


def _framed(name: str, address: str, span: Span, head: bytes, ctr: bool) -> Sealed | None:
    try:
        size = module_size(head)
    except CorruptFileError:
        return None
    trailer = 0 if ctr else TAG_BYTES
    if size > len(span) or size < _HEAD + trailer:
        return None
    parts = [
        ("length", LENGTH_BYTES),
        ("nonce", NONCE_BYTES),
        ("ciphertext", size - _HEAD - trailer),
    ]
    if not ctr:
        parts.append(("tag", TAG_BYTES))
    place = Span(span.start, span.start + size, span.space)
    return Sealed(name, address, place, head[LENGTH_BYTES:], tuple(parts), ctr=ctr)
