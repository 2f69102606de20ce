"""Nodes of encrypted modules: the frame that lies in the file, what its tag vouches for, and what it hides.

A part that is encrypted has a child `module`, whose children are the module's length, nonce, ciphertext and tag, side by
side. What the module decrypts to are the other children; their spans lie in the space `<address>:decrypted`, whose
bytes `chunk_modules.decrypted` gives. Without a key the frame is all there is, and the facts say which key would open it, and which
AAD would have to fit. The AAD is stored nowhere: it is shown in the parts that it is made of.

Source: specification, "Encrypted module serialization", "Module AAD".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.encryption.cipher import FileCipher
from pqexplore.engine.encryption.column_cipher import ColumnCipher
from pqexplore.engine.encryption.key_material import describe_key_metadata
from pqexplore.engine.encryption.modules import (
    LENGTH_BYTES,
    Module,
    explain_aad,
    split,
)
from pqexplore.engine.errors import EncryptedFileError, ParquetError, located
from pqexplore.engine.outline.struct_nodes import struct_node
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Fact, Node, Span, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk

MEANINGS = {
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
            *cipher_facts(ctr),
            *extra,
            *_key_facts(cipher, column),
            *aad_facts(cipher, module),
        ]

    try:
        children = parts_of(data, span, address, ctr)
    except ParquetError as error:
        return Node(kind, label, address, span, facts=facts, state="corrupt", reason=error.message)
    state = "locked" if locked else "ok"
    return Node(
        kind, label, address, span, facts=facts, children=children, state=state, reason=locked
    )


def parts_of(data: bytes | memoryview, span: Span, address: str, ctr: bool) -> list[Node]:
    """Length, nonce, ciphertext and, unless it is CTR, tag of the module that `data` is; CorruptFileError as `split`."""
    frame = split(data, ctr=ctr)
    places = [
        ("length", 0, LENGTH_BYTES),
        ("nonce", frame.nonce.start, frame.nonce.end),
        ("ciphertext", frame.ciphertext.start, frame.ciphertext.end),
    ]
    if frame.tag is not None:
        places.append(("tag", frame.tag.start, frame.tag.end))
    return [part_node(data, span, address, name, start, end) for name, start, end in places]


def part_node(
    data: bytes | memoryview, span: Span, address: str, name: str, start: int, end: int
) -> Node:
    """One part of a module: bytes `[start, end)` of `data`, which lies at `span`."""
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
        facts=[Fact(name, value, MEANINGS[name], place)],
    )


def cipher_facts(ctr: bool) -> list[Fact]:
    """What protects a module, and what not."""
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
    cipher, column = ciphers_of(chunk)
    data = chunk.file.source.read(span.start, len(span))
    frame = module_node(cipher, column, module, data, span, join(address, "module"))
    try:
        plain = opened(chunk, column, module, data, address, span.start)
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
        return unopened(kind, label, address, span, frame, error)
    return Node(
        kind,
        label,
        address,
        span,
        facts=lambda: [*inner.facts, module_fact(frame)],
        children=lambda: [frame, *inner.children],
        state=inner.state,
        reason=inner.reason,
    )


def unopened(
    kind: str, label: str, address: str, span: Span, frame: Node, error: ParquetError
) -> Node:
    """The node of a module that `error` keeps from being opened: nothing but its frame."""
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


def module_fact(frame: Node) -> Fact:
    """Points from what is decrypted to the module that holds it."""
    size = len(frame.span) if frame.span is not None else 0
    return Fact("encrypted", size, "bytes of the module that holds this", frame.span, frame.address)


def ciphers_of(chunk: ColumnChunk) -> tuple[FileCipher, ColumnCipher]:
    """The ciphers of the file and of a chunk that is encrypted."""
    cipher, column = chunk.file.footer.cipher, chunk.column_cipher
    assert cipher is not None and column is not None
    return cipher, column


def opened(
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
