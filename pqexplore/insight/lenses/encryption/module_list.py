"""The modules of an encrypted file: what each contains, where its parts lie, and which key it needs.

Lengths and nonces are not encrypted, so modules can be counted, measured and compared without a key. What a page of a
column without its key is follows from its position: headers and bodies take turns, and a dictionary page comes first.
See https://github.com/apache/parquet-format/blob/master/Encryption.md
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page_cipher import levels_in_clear
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.window import Window
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.column_cipher import ColumnCipher
from pqexplore.engine.format.encryption.keys import Buffer, Key
from pqexplore.engine.format.encryption.modules import (
    LENGTH_BYTES,
    NONCE_BYTES,
    TAG_BYTES,
    Aad,
    Module,
    ModuleType,
    hop,
    module_size,
)
from pqexplore.engine.format.encryption.modules import AadPart as EngineAadPart
from pqexplore.engine.span import Span
from pqexplore.engine.tree import layout, unknown_parts
from pqexplore.engine.tree.locked_nodes import locked_bloom
from pqexplore.insight.short_text import shorten

TEXT = 300
"""Characters of a shown text."""


@dataclasses.dataclass(slots=True)
class AadPart:
    """A part of an AAD. `hex` and `bytes` (their number) are None if they are not in the file, or not known."""

    name: str
    hex: str | None
    bytes: int | None
    value: str
    meaning: str


def aad_parts(aad: Aad) -> list[AadPart]:
    """The parts of a module's AAD in order; one part that says why, if there is no AAD or it is not known."""
    if not aad.parts:
        if aad.absent == "none":
            return [AadPart("no AAD", "", 0, "", aad.why)]
        return [AadPart("not known", None, None, "", aad.why)]
    return [
        AadPart(
            part.name,
            None if part.data is None else shorten(part.data.hex(" "), TEXT),
            part.size,
            _value(part),
            part.meaning,
        )
        for part in aad.parts
    ]


def _value(part: EngineAadPart) -> str:
    if part.name != "AAD prefix":
        return "" if isinstance(part.value, bytes) else str(part.value)
    if not isinstance(part.value, bytes):
        return str(part.value)
    try:
        return shorten(part.value.decode(), TEXT) or "none"
    except UnicodeDecodeError:
        return ""


LISTED = 20_000
"""Modules in the table. The others are only counted."""

PERHAPS_TAGGED = "ciphertext, perhaps with a tag"
CIPHERTEXT = ("ciphertext", PERHAPS_TAGGED)
"""The names of the part that is encrypted."""

TRIED_BYTES = 64 << 20
"""Bytes of modules that are decrypted to see whether their keys open them."""

WRONG_KEY = "the key that was given does not open it"

_HEAD = LENGTH_BYTES + NONCE_BYTES


@dataclasses.dataclass(slots=True)
class Bytes:
    """A part of a module, in the order of the bytes: length, nonce, ciphertext or tag, and how many bytes it has."""

    name: str
    bytes: int


@dataclasses.dataclass(frozen=True, slots=True)
class Encrypted:
    """One module: its bytes, and where it belongs.

    `module` is what its AAD is built from, None if that cannot be known without a key; `name` names it in any case.
    `column` is None for the footer and its signature, and if `key_unknown`: then only a key shows whose it is. `address` is the node that shows the module, `reason` why it
    cannot be decrypted, empty if it can.
    """

    name: str
    address: str
    span: Span
    nonce: bytes
    parts: tuple[Bytes, ...]
    module: Module | None = None
    column: ColumnCipher | None = None
    group: str = ""
    ctr: bool = False
    reason: str = ""
    key_unknown: bool = False

    @property
    def plaintext_bytes(self) -> int:
        """Bytes that it decrypts to; with the tag, if it is not known whether there is one."""
        return next((part.bytes for part in self.parts if part.name in CIPHERTEXT), 0)


class Trial:
    """Tries whether keys open modules: the first bytes of a file; of the rest, the last module of the same key tells.

    A module under AES-CTR has no tag to try: the other modules of its key tell, too.
    """

    def __init__(self) -> None:
        self._left = TRIED_BYTES
        self._failed: dict[Key, bool] = {}
        self._opened: set[Key] = set()

    def reason(
        self, column: ColumnCipher, file: FileCipher, module: Module, data: Callable[[], Buffer], size: int
    ) -> str:
        """Why a module cannot be decrypted with the key that was given; "" if it can."""
        key = column.key()
        if not isinstance(key, Key):
            return column.reason
        if not column.is_ctr(module.type) and size <= self._left:
            self._left -= size
            try:
                buffer = data()
                failed = file.attempt(key, buffer, column.frame(module.type, buffer), module) is None
            except ParquetError as error:
                return error.message
            self._failed[key] = failed
            if not failed:
                self._opened.add(key)
            elif key in self._opened:
                return "its tag does not fit, and the key opens other modules: it was changed or moved"
        return WRONG_KEY if self._failed.get(key, False) else ""


def of_file(file: ParquetFile) -> Iterator[Encrypted]:
    """All modules of a file: the footer's, then those of each column chunk. Damaged ones are left out."""
    cipher = file.footer.cipher
    if cipher is None:
        return
    yield from of_footer(file)
    trial = Trial()
    for chunk in () if file.metadata is None else file.chunks():
        try:
            yield from of_chunk(chunk, trial)
        except ParquetError:
            continue
    yield from of_unknown_parts(file)


def of_footer(file: ParquetFile) -> Iterator[Encrypted]:
    """The footer's module, or its signature."""
    footer, cipher = file.footer, file.footer.cipher
    if cipher is None:
        return
    kind = Module(ModuleType.FOOTER)
    if footer.crypto_metadata is not None:
        span = Span(footer.crypto_end, footer.end)
        found = _read(file.source, "footer", "footer/module", span, False)
        if found is not None:
            reason = cipher.footer_reason
            yield dataclasses.replace(found, module=kind, group="footer", reason=reason)
    elif footer.signature_start is not None:
        start = footer.signature_start
        nonce = bytes(file.source.read(start, NONCE_BYTES))
        yield Encrypted(
            "footer signature",
            "footer_signature",
            Span(start, footer.end),
            nonce,
            (Bytes("nonce", NONCE_BYTES), Bytes("tag", TAG_BYTES)),
            kind,
            group="footer",
            reason=cipher.footer_reason,
        )


def of_chunk(chunk: ColumnChunk, trial: Trial | None = None) -> Iterator[Encrypted]:
    """The modules of one column chunk; none if it is not encrypted. `trial`: what was tried of the file so far."""
    trial = trial or Trial()
    column, cipher = chunk.column_cipher, chunk.file.footer.cipher
    if column is None or cipher is None:
        return
    group = f"row group {chunk.row_group.index}, {'.'.join(chunk.leaf.path)}"
    for at in _positions(chunk, column):
        ctr = column.is_ctr(at.type) if at.type is not None else False
        reason = column.reason
        if at.type is ModuleType.COLUMN_METADATA:
            head = bytes((chunk.struct.encrypted_column_metadata or b"")[:_HEAD])
            found = _framed(at.name, at.address, at.span, head, ctr)
        else:
            found = _read(chunk.file.source, at.name, at.address, at.span, ctr)
        if found is not None:
            module = None if at.type is None else column.module(at.type, at.ordinal)
            if module is not None and not column.locked:
                reason = trial.reason(column, cipher, module, _stored(chunk, at, found.span), len(found.span))
            yield dataclasses.replace(found, module=module, column=column, group=group, reason=reason)


def _stored(chunk: ColumnChunk, at: _Position, span: Span) -> Callable[[], Buffer]:
    """A function that reads the bytes of a module."""
    if at.type is ModuleType.COLUMN_METADATA:
        return lambda: chunk.struct.encrypted_column_metadata or b""
    return lambda: chunk.file.source.read(span.start, len(span))


@dataclasses.dataclass(frozen=True, slots=True)
class _Position:
    """Where a module lies, and what it is; `type` and `ordinal` are None if they are not known."""

    name: str
    type: ModuleType | None
    ordinal: int | None
    address: str
    span: Span


def _positions(chunk: ColumnChunk, column: ColumnCipher) -> Iterator[_Position]:
    encrypted, struct, file = chunk.struct.encrypted_column_metadata, chunk.struct, chunk.file
    if encrypted is not None:
        address = Address.of(chunk.address, "metadata/encrypted_column_metadata")
        span = file.node(address).span or Span(0, len(encrypted), "unknown")
        span = Span(span.end - len(encrypted), span.end, span.space)
        name, kind = "column metadata", ModuleType.COLUMN_METADATA
        yield _Position(name, kind, None, Address.of(address, "module"), span)
    for name, kind in (("column_index", ModuleType.COLUMN_INDEX), ("offset_index", ModuleType.OFFSET_INDEX)):
        start, size = getattr(struct, f"{name}_offset"), getattr(struct, f"{name}_length")
        if start is not None and size is not None and 0 <= start <= start + size <= file.size:
            address = Address.of(chunk.address, name, "module")
            name = name.replace("_", " ")
            yield _Position(name, kind, None, address, Span(start, start + size))
    if chunk.locked:
        yield from _locked(chunk, column)
        yield from _bloom(chunk, locked_bloom(chunk))
        return
    walk = chunk.frames
    if walk.error is not None and not walk.frames:  # the key does not open the first header; lengths are not encrypted
        yield from _locked(chunk, column)
    for number, frame in enumerate(walk.frames):
        page = Address.of(chunk.address, "pages", number)
        data = frame.is_data
        header = ModuleType.DATA_PAGE_HEADER if data else ModuleType.DICTIONARY_PAGE_HEADER
        body = ModuleType.DATA_PAGE if data else ModuleType.DICTIONARY_PAGE
        ordinal = frame.ordinal if data else None
        span = Span(frame.start, frame.header_end)
        address = Address.of(page, "header/module")
        yield _Position(header.label, header, ordinal, address, span)
        head = file.source.read(frame.header_end, min(LENGTH_BYTES, frame.end - frame.header_end))
        clear = levels_in_clear(frame, head)
        address = Address.of(page, "body/module") if clear else Address.of(page, "body")
        span = Span(frame.header_end + clear, frame.end)
        yield _Position(body.label, body, ordinal, address, span)
    yield from _bloom(chunk, chunk.bloom_filter_parts)


def _bloom(chunk: ColumnChunk, spans: tuple[Span, Span] | None) -> Iterator[_Position]:
    """The header and the bitset of a Bloom filter."""
    if spans is None:
        return
    address = Address.of(chunk.address, "bloom_filter")
    header, bitset = ModuleType.BLOOM_FILTER_HEADER, ModuleType.BLOOM_FILTER_BITSET
    yield _Position(header.label, header, None, Address.of(address, "header/module"), spans[0])
    yield _Position(bitset.label, bitset, None, Address.of(address, "bitset"), spans[1])


def _locked(chunk: ColumnChunk, column: ColumnCipher) -> Iterator[_Position]:
    """Headers and pages in turn. The plaintext metadata, if there is one, says what they are."""
    span, metadata = chunk.span, chunk.struct.meta_data
    has_dictionary = None if metadata is None else metadata.dictionary_page_offset is not None
    window = Window(chunk.file.source, span.start, span.end, span.end)
    spans = hop(lambda at: window.at(at, LENGTH_BYTES), span.start, span.end)
    for number, (start, end) in enumerate(spans):
        page, is_body = number // 2, number % 2 == 1
        address = Address.of(chunk.address, "modules", number)
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
        yield _Position(name, kind, ordinal, address, Span(start, end))


def of_unknown_parts(file: ParquetFile) -> Iterator[Encrypted]:
    """The modules whose places need a key, found by their lengths."""
    cipher = file.footer.cipher
    if cipher is None:
        return
    key = unknown_parts.missing_key(file)
    for start, end in layout.unknown(file):
        for number, run in enumerate(unknown_parts.runs(file, start, end)):
            address = Address.of("unknown_parts", start, number)
            for at, place in enumerate(run.parts() if run.kind == "modules" else ()):
                name = f"module at byte {place[0]:,}"
                found = _read(file.source, name, address.child(str(at)), Span(*place), False)
                if found is None:
                    continue
                if cipher.algorithm.ctr:  # pages have no tag, and which module is a page is not known
                    rest = len(found.span) - _HEAD
                    parts = (*found.parts[:2], Bytes(PERHAPS_TAGGED, rest))
                    found = dataclasses.replace(found, parts=parts)
                reason = cipher.footer_reason or f"what it is, and its key, are not known without {key}"
                yield dataclasses.replace(found, group=f"not known without {key}", reason=reason, key_unknown=True)


def _read(source: Source, name: str, address: str, span: Span, ctr: bool) -> Encrypted | None:
    """The module at a span; None if there is no module of that size."""
    if len(span) < _HEAD:
        return None
    return _framed(name, address, span, bytes(source.read(span.start, _HEAD)), ctr)


def _framed(name: str, address: str, span: Span, head: bytes, ctr: bool) -> Encrypted | None:
    try:
        size = module_size(head)
    except CorruptFileError:
        return None
    trailer = 0 if ctr else TAG_BYTES
    if size > len(span) or size < _HEAD + trailer:
        return None
    parts = [Bytes("length", LENGTH_BYTES), Bytes("nonce", NONCE_BYTES), Bytes("ciphertext", size - _HEAD - trailer)]
    if not ctr:
        parts.append(Bytes("tag", TAG_BYTES))
    own = Span(span.start, span.start + size, span.space)
    return Encrypted(name, address, own, head[LENGTH_BYTES:], tuple(parts), ctr=ctr)
