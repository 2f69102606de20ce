"""Nodes of encrypted modules: the frame that lies in the file, what its tag vouches for, and what it hides.

A part that is encrypted has a child `module`, whose children are the module's length, nonce, ciphertext and tag, side by
side. What the module decrypts to are the other children; their spans lie in the space `<address>:decrypted`, whose
bytes `decrypted` gives. Without a key the frame is all there is, and the facts say which key would open it, and which
AAD would have to fit. The AAD is stored nowhere: it is shown in the parts that it is made of.

Source: specification, "Encrypted module serialization", "Module AAD".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.chunk import levels_in_clear
from pqexplore.engine.encryption.cipher import ColumnCipher, FileCipher
from pqexplore.engine.encryption.key_material import describe_key_metadata
from pqexplore.engine.encryption.modules import (
    LENGTH_BYTES,
    NONCE_BYTES,
    Module,
    ModuleType,
    explain_aad,
    hop,
    split,
)
from pqexplore.engine.errors import EncryptedFileError, ParquetError, located
from pqexplore.engine.outline.struct_nodes import struct_node
from pqexplore.engine.pages import Window
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Fact, Node, Span, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.page import Page

LISTED = 10_000
"""Modules of a locked chunk that are listed one by one."""

_MEANINGS = {
    "length": "how many bytes of the module follow these four, little-endian",
    "nonce": "twelve bytes, used once with the key; with them the cipher starts",
    "ciphertext": "as long as what it hides",
    "tag": "vouches for the ciphertext and the AAD; a changed or moved module does not fit it",
}


def module_node(
    cipher: FileCipher,
    column: ColumnCipher | None,
    module: Module,
    data: bytes | memoryview,
    span: Span,
    address: str,
    *,
    kind: str = "module",
    label: str = "module",
    extra: Sequence[Fact] = (),
) -> Node:
    """The frame of one module: its children are its parts, which tile `span`.

    `data` are the bytes of `span`. `column` is None for the footer's module.
    """
    ctr = column is not None and column.is_ctr(module.type)
    locked = cipher.footer_reason if column is None else column.reason

    def facts() -> Sequence[Fact]:
        return [
            Fact("module", str(module), "what is encrypted here, and where it belongs"),
            *_cipher_facts(ctr),
            *extra,
            *_key_facts(cipher, column),
            *aad_facts(cipher, module),
        ]

    try:
        children = _parts(data, span, address, ctr)
    except ParquetError as error:
        return Node(kind, label, address, span, facts=facts, state="corrupt", reason=error.message)
    state = "locked" if locked else "ok"
    return Node(
        kind, label, address, span, facts=facts, children=children, state=state, reason=locked
    )


def _parts(data: bytes | memoryview, span: Span, address: str, ctr: bool) -> list[Node]:
    frame = split(data, ctr=ctr)
    places = [
        ("length", 0, LENGTH_BYTES),
        ("nonce", frame.nonce.start, frame.nonce.end),
        ("ciphertext", frame.ciphertext.start, frame.ciphertext.end),
    ]
    if frame.tag is not None:
        places.append(("tag", frame.tag.start, frame.tag.end))
    return [_part(data, span, address, name, start, end) for name, start, end in places]


def _part(
    data: bytes | memoryview, span: Span, address: str, name: str, start: int, end: int
) -> Node:
    place = Span(span.start + start, span.start + end, span.space)
    value: object = bytes(data[start : min(end, start + 32)])
    if name == "length":
        value = int.from_bytes(data[start:end], "little")
    elif name == "ciphertext":
        value = end - start
    label = f"{name} ({value:,})" if isinstance(value, int) else name
    return Node(
        f"module_{name}",
        label,
        join(address, name),
        place,
        facts=[Fact(name, value, _MEANINGS[name], place)],
    )


def _cipher_facts(ctr: bool) -> list[Fact]:
    if ctr:
        return [
            Fact("cipher", "AES-CTR", "no tag: changed bytes decrypt to something else, unseen")
        ]
    return [
        Fact("cipher", "AES-GCM", "the tag tells when the bytes, the place or the key are wrong")
    ]


def _key_facts(cipher: FileCipher, column: ColumnCipher | None) -> Sequence[Fact]:
    if column is None:
        return describe_key_metadata(cipher.footer_key_metadata)
    return column.facts


def aad_facts(cipher: FileCipher, module: Module) -> list[Fact]:
    """The AAD of a module, part by part. A prefix that the file does not store is told by its length only."""
    if cipher.aad_omitted:
        return [Fact("AAD", "none", "the writer left it out: nothing ties the module to its place")]
    algorithm = cipher.algorithm
    try:
        parts = explain_aad(
            algorithm.stored_prefix,
            algorithm.file_unique,
            module.type,
            module.row_group_ordinal,
            module.column_ordinal,
            module.page_ordinal,
        )
    except ParquetError as error:
        return [Fact("AAD", error.message, "why no AAD can be made")]
    facts = []
    for part in parts:
        value: object = part.value
        if isinstance(value, bytes):
            value = value.hex() if value else "none"
        if part.name == "AAD prefix" and algorithm.prefix_supplied:
            value = _supplied(cipher)
        facts.append(Fact(f"AAD: {part.name}", value, part.meaning))
    return facts


def _supplied(cipher: FileCipher) -> str:
    try:
        return f"supplied by the reader, {len(cipher.aad_prefix)} bytes"
    except EncryptedFileError:
        return "must be supplied by the reader"


def struct_module_node(
    chunk: ColumnChunk,
    struct: type[structs.Struct],
    module: Module,
    span: Span,
    address: str,
    label: str,
    kind: str,
) -> Node:
    """A Thrift struct in a module of its own: its fields, and the module that holds them.

    `span` is the whole module in the file.
    """
    cipher, column = _ciphers(chunk)
    data = chunk.file.source.read(span.start, len(span))
    frame = module_node(cipher, column, module, data, span, join(address, "module"))
    try:
        plain = _open(chunk, column, module, data, address, span.start)
        inner = struct_node(
            struct,
            plain,
            0,
            address,
            label,
            chunk.file.limits,
            space=f"{address}:decrypted",
            kind=kind,
        )
    except ParquetError as error:
        return _unopened(kind, label, address, span, frame, error)
    return Node(
        kind,
        label,
        address,
        span,
        facts=lambda: [*inner.facts, _module_fact(frame)],
        children=lambda: [frame, *inner.children],
        state=inner.state,
        reason=inner.reason,
    )


def _unopened(
    kind: str, label: str, address: str, span: Span, frame: Node, error: ParquetError
) -> Node:
    state = "locked" if isinstance(error, EncryptedFileError) else "corrupt"
    return Node(
        kind,
        f"{label} (encrypted)",
        address,
        span,
        facts=lambda: [Fact("problem", error.message, "why it cannot be read"), *frame.facts],
        children=[frame],
        state=state,
        reason=error.message,
    )


def _module_fact(frame: Node) -> Fact:
    size = len(frame.span) if frame.span is not None else 0
    return Fact("encrypted", size, "bytes of the module that holds this", frame.span, frame.address)


def _ciphers(chunk: ColumnChunk) -> tuple[FileCipher, ColumnCipher]:
    cipher, column = chunk.file.footer.cipher, chunk.column_cipher
    assert cipher is not None and column is not None
    return cipher, column


def _open(
    chunk: ColumnChunk,
    column: ColumnCipher,
    module: Module,
    data: bytes | memoryview,
    address: str,
    start: int,
) -> bytes:
    """What a module of the chunk decrypts to, kept for a while."""

    def make() -> bytes:
        with located(address, start):
            return column.decrypt(module.type, data, module.page_ordinal)

    plain: bytes = chunk.file.cache.get((address, "decrypted"), make, len)
    return plain


# Pages.


def page_header_module(page: Page) -> Module:
    """The place of a page's header among the modules of its chunk."""
    _, column = _ciphers(page.chunk)
    kind = ModuleType.DATA_PAGE_HEADER if page.is_data else ModuleType.DICTIONARY_PAGE_HEADER
    return column.module(kind, page.frame.ordinal)


def page_header_node(page: Page) -> Node:
    """The header of an encrypted page."""
    return struct_module_node(
        page.chunk,
        structs.PageHeader,
        page_header_module(page),
        Span(page.frame.start, page.frame.header_end),
        join(page.address, "header"),
        "header",
        "page_header",
    )


def page_body_node(page: Page) -> Node:
    """The body of an encrypted page as it lies in the file: one module."""
    cipher, column = _ciphers(page.chunk)
    span, address = Span(page.frame.header_end, page.frame.end), join(page.address, "body")
    data = page.chunk.file.source.read(span.start, len(span))
    label = f"body as stored ({len(span):,} bytes, encrypted)"
    extra = [Fact("size", len(span), "encrypted; the sections below show what is inside")]
    module, clear = _page_module(page), levels_in_clear(page.frame, data)
    if not clear:
        return module_node(
            cipher, column, module, data, span, address, kind="body", label=label, extra=extra
        )
    middle = span.start + clear
    levels = Fact("levels", clear, "bytes of levels that are not encrypted, as parquet-java writes")
    values = Span(middle, span.end)
    frame = module_node(cipher, column, module, data[clear:], values, join(address, "module"))
    before = Span(span.start, middle)
    return Node(
        "body",
        label,
        address,
        span,
        facts=lambda: [*extra, levels, *frame.facts],
        children=[
            Node(
                "levels", "levels, not encrypted", join(address, "levels"), before, facts=[levels]
            ),
            frame,
        ],
        state=frame.state,
        reason=frame.reason,
    )


def _page_module(page: Page) -> Module:
    _, column = _ciphers(page.chunk)
    kind = ModuleType.DATA_PAGE if page.is_data else ModuleType.DICTIONARY_PAGE
    return column.module(kind, page.frame.ordinal)


# What belongs to a chunk.

INDEXES = {"column_index": ModuleType.COLUMN_INDEX, "offset_index": ModuleType.OFFSET_INDEX}


def index_node(
    chunk: ColumnChunk, name: str, struct: type[structs.Struct], span: Span, address: str
) -> Node:
    """A column index or offset index that is encrypted."""
    _, column = _ciphers(chunk)
    module = column.module(INDEXES[name])
    return struct_module_node(chunk, struct, module, span, address, name.replace("_", " "), name)


def bloom_header_node(chunk: ColumnChunk, span: Span, address: str) -> Node:
    """The header of an encrypted Bloom filter."""
    _, column = _ciphers(chunk)
    return struct_module_node(
        chunk,
        structs.BloomFilterHeader,
        column.module(ModuleType.BLOOM_FILTER_HEADER),
        span,
        address,
        "header",
        "bloom_filter_header",
    )


def bloom_bitset_node(chunk: ColumnChunk, span: Span, address: str) -> Node:
    """The bitset of an encrypted Bloom filter."""
    cipher, column = _ciphers(chunk)
    data = chunk.file.source.read(span.start, len(span))
    module = column.module(ModuleType.BLOOM_FILTER_BITSET)
    return module_node(
        cipher, column, module, data, span, address, kind="bloom_filter_bitset", label="bitset"
    )


def column_metadata_node(chunk: ColumnChunk, field: Node) -> Node:
    """The field `encrypted_column_metadata` of a ColumnChunk, with the ColumnMetaData inside of it."""
    sealed = chunk.struct.encrypted_column_metadata
    if sealed is None or chunk.column_cipher is None or field.span is None:
        return field
    cipher, column = _ciphers(chunk)
    module = column.module(ModuleType.COLUMN_METADATA)
    span = Span(field.span.end - len(sealed), field.span.end, field.span.space)
    frame = module_node(cipher, column, module, sealed, span, join(field.address, "module"))
    label = "encrypted_column_metadata"
    try:
        plain = _open(chunk, column, module, sealed, field.address, chunk.file.footer.start)
    except ParquetError as error:
        return _unopened(field.kind, label, field.address, field.span, frame, error)
    inner = struct_node(
        structs.ColumnMetaData,
        plain,
        0,
        field.address,
        label,
        chunk.file.limits,
        space=f"{field.address}:decrypted",
    )
    return Node(
        field.kind,
        label,
        field.address,
        field.span,
        facts=lambda: [*inner.facts, _module_fact(frame)],
        children=lambda: [frame, *inner.children],
        state=inner.state,
        reason=inner.reason,
    )


def key_facts(chunk: ColumnChunk) -> Sequence[Fact]:
    """With which algorithm and key the chunk is encrypted; nothing where it is not."""
    try:
        column, cipher = chunk.column_cipher, chunk.file.footer.cipher
    except ParquetError:
        return []
    if column is None or cipher is None:
        return []
    words = "how the modules of this column are encrypted"
    return [Fact("encryption algorithm", cipher.algorithm.name, words), *column.facts]


def locked_pages_node(chunk: ColumnChunk) -> Node | None:
    """The modules of a chunk that is locked, as far as their lengths tell; None where its place is hidden, too.

    Lengths are not encrypted: modules can be counted and weighed without a key, a header and a page in turn.
    """
    try:
        if chunk.column_cipher is None:
            return None
        span = chunk.span
    except ParquetError:
        return None
    return Node(
        "group",
        "modules (page headers and pages, locked)",
        join(chunk.address, "modules"),
        span,
        facts=lambda: key_facts(chunk),
        children=lambda: _hop(chunk, span),
        state="locked",
        reason=chunk.locked,
    )


def _hop(chunk: ColumnChunk, span: Span) -> list[Node]:
    cipher, column = _ciphers(chunk)
    window = Window(chunk.file.source, span.start, span.end, span.end)
    found, at = list[Node](), span.start
    for start, at in hop(lambda place: window.at(place, LENGTH_BYTES), span.start, span.end):
        address, page = join(chunk.address, "modules", len(found)), len(found) % 2 == 1
        ctr = page and cipher.algorithm.ctr
        head = bytes(window.at(start, LENGTH_BYTES + NONCE_BYTES))
        found.append(_locked_module(chunk, column, address, Span(start, at), page, ctr, head))
        if len(found) == LISTED:
            break
    if at < span.end:
        words = "modules that are not listed" if len(found) == LISTED else "no module begins here"
        state = "locked" if len(found) == LISTED else "corrupt"
        address = join(chunk.address, "modules", len(found))
        found.append(Node("group", words, address, Span(at, span.end), state=state, reason=words))
    return found


def _locked_module(
    chunk: ColumnChunk,
    column: ColumnCipher,
    address: str,
    span: Span,
    page: bool,
    ctr: bool,
    head: bytes,
) -> Node:
    def children() -> Sequence[Node]:
        try:
            return _parts(chunk.file.source.read(span.start, len(span)), span, address, ctr)
        except ParquetError:
            return ()

    return Node(
        "module",
        "page" if page else "page header",
        address,
        span,
        facts=lambda: [
            Fact("length", int.from_bytes(head[:LENGTH_BYTES], "little"), _MEANINGS["length"]),
            Fact("nonce", head[LENGTH_BYTES:], _MEANINGS["nonce"]),
            *_cipher_facts(ctr),
            *column.facts,
        ],
        children=children,
        state="locked",
        reason=column.reason,
    )


# The footer.


def crypto_metadata_node(file: ParquetFile) -> Node:
    """The FileCryptoMetaData before an encrypted footer, and what it says of algorithm and key."""
    footer = file.footer
    data = file.source.read(footer.start, footer.crypto_end - footer.start)
    inner = struct_node(
        structs.FileCryptoMetaData,
        data,
        0,
        "crypto_metadata",
        "file crypto metadata",
        file.limits,
        base=footer.start,
    )
    cipher = footer.cipher
    return Node(
        inner.kind,
        inner.label,
        inner.address,
        inner.span,
        facts=lambda: [*(cipher.facts if cipher is not None else ()), *inner.facts],
        children=lambda: inner.children,
        state=inner.state,
        reason=inner.reason,
    )


def footer_module_node(file: ParquetFile) -> Node:
    """The module of an encrypted footer."""
    footer = file.footer
    assert footer.cipher is not None
    span = Span(footer.crypto_end, footer.end)
    data = file.source.read(span.start, len(span))
    return module_node(footer.cipher, None, Module(ModuleType.FOOTER), data, span, "footer/module")


def encrypted_footer_node(file: ParquetFile, inner: Node | None) -> Node:
    """An encrypted footer: its module, and the fields of the FileMetaData (`inner`) where it is open."""
    footer = file.footer
    frame, span = footer_module_node(file), Span(footer.crypto_end, footer.end)
    if inner is None:
        reason = "" if footer.locked is None else footer.locked.message
        return Node(
            "footer",
            "footer (encrypted)",
            "footer",
            span,
            facts=lambda: frame.facts,
            children=[frame],
            state="locked",
            reason=reason,
        )
    return Node(
        "footer",
        inner.label,
        "footer",
        span,
        facts=lambda: [*inner.facts, _module_fact(frame)],
        children=lambda: [frame, *inner.children],
        state=inner.state,
        reason=inner.reason,
    )


def signature_node(file: ParquetFile, start: int) -> Node:
    """The nonce and the tag that sign a plaintext footer."""
    footer, cipher = file.footer, file.footer.cipher
    assert cipher is not None
    verdict = "verified" if footer.signature_ok else "not verified: no key"
    data = file.source.read(start, NONCE_BYTES + 16)
    span, address = Span(start, footer.end), "footer_signature"

    def facts() -> Sequence[Fact]:
        return [
            Fact("signature", verdict, "whether the plaintext footer is what the writer signed"),
            *cipher.facts,
            *aad_facts(cipher, Module(ModuleType.FOOTER)),
        ]

    children = [
        _part(data, span, address, "nonce", 0, NONCE_BYTES),
        _part(data, span, address, "tag", NONCE_BYTES, len(span)),
    ]
    return Node(
        "footer_signature", "footer signature", address, span, facts=facts, children=children
    )


# Bytes.


def decrypted(file: ParquetFile, address: str) -> memoryview | None:
    """The bytes of the space `<address>:decrypted`; None where nothing there is encrypted.

    Raises what opening the module raises.
    """
    parts = address.split("/")
    if len(parts) < 5 or parts[0] != "row_groups" or not (parts[1] + parts[3]).isdecimal():
        return None
    chunk = file.row_groups[int(parts[1])].columns[int(parts[3])]
    if chunk.column_cipher is None:
        return None
    place = _place(chunk, parts[4:])
    if place is None:
        return None
    module, data, start = place
    return memoryview(_open(chunk, chunk.column_cipher, module, data, address, start))


def _place(chunk: ColumnChunk, parts: list[str]) -> tuple[Module, bytes | memoryview, int] | None:
    """The module at an address below a chunk, its bytes and where they begin."""
    column, source = chunk.column_cipher, chunk.file.source
    assert column is not None
    if parts[0] == "pages" and len(parts) > 1:
        page = chunk.pages[int(parts[1])]
        frame = page.frame
        if parts[2:] == ["header"]:
            size = frame.header_end - frame.start
            return page_header_module(page), source.read(frame.start, size), frame.start
        start = frame.header_end
        data = source.read(start, frame.end - start)
        clear = levels_in_clear(frame, data)
        return _page_module(page), data[clear:], start + clear
    name = "/".join(parts)
    if name in INDEXES:
        start, size = (getattr(chunk.struct, f"{name}_{what}") for what in ("offset", "length"))
        return column.module(INDEXES[name]), source.read(start, size), start
    if name == "metadata/encrypted_column_metadata":
        sealed = chunk.struct.encrypted_column_metadata
        if sealed is None:
            return None
        return column.module(ModuleType.COLUMN_METADATA), sealed, chunk.file.footer.start
    bloom = chunk.bloom_filter if parts[0] == "bloom_filter" else None
    if bloom is not None and name == "bloom_filter/header":
        module = column.module(ModuleType.BLOOM_FILTER_HEADER)
        return module, source.read(bloom.offset, bloom.header_length), bloom.offset
    if bloom is not None and name == "bloom_filter/bitset":
        start = bloom.offset + bloom.header_length
        data = source.read(start, chunk.bloom_filter_end - start)
        return column.module(ModuleType.BLOOM_FILTER_BITSET), data, start
    return None
