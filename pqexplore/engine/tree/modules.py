"""Nodes of encrypted modules.

An encrypted structure has a child `module`, whose children are the module's length, nonce, ciphertext and tag, side by
side. Its other children are what the module decrypts to; their spans are in the space `<address>:decrypted`, whose bytes
`chunk_modules.decrypted` gives. Without a key there is only the module, with facts of the key that it needs. The AAD is not
stored: facts show the parts that it is made of.

Source: https://github.com/apache/parquet-format/blob/master/Encryption.md#51-encrypted-module-serialization.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import EncryptedFileError, ParquetError, located
from pqexplore.engine.fact import Fact
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.column_cipher import ColumnCipher
from pqexplore.engine.format.encryption.key_material import describe_key_metadata
from pqexplore.engine.format.encryption.modules import LENGTH_BYTES, Aad, AadPart, Module, split
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.kind import MODULE_KINDS, Kind
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

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
    address: Address,
    *,
    kind: Kind = Kind.MODULE,
    label: str = "module",
    extra: Sequence[Fact] = (),
) -> Node:
    """One module, with its parts as children, which tile `span`.

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
            *aad_facts(cipher.aad(module, ctr=ctr)),
        ]

    try:
        children = parts_of(data, span, address, ctr)
    except ParquetError as error:
        return Node(kind, label, address, span, facts=facts, state="corrupt", reason=error.message)
    state = "locked" if locked else "ok"
    return Node(kind, label, address, span, facts=facts, children=children, state=state, reason=locked)


def parts_of(data: bytes | memoryview, span: Span, address: Address, ctr: bool) -> list[Node]:
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


def part_node(data: bytes | memoryview, span: Span, address: Address, name: str, start: int, end: int) -> Node:
    """One part of a module: bytes `[start, end)` of `data`, whose place is `span`."""
    place = Span(span.start + start, span.start + end, span.space)
    value: object = bytes(data[start : min(end, start + 32)])
    if name == "length":
        value = int.from_bytes(data[start:end], "little")
    elif name == "ciphertext":
        value = end - start
    label = f"{name} ({value:,})" if isinstance(value, int) else name
    return Node(
        MODULE_KINDS[name], label, Address.of(address, name), place, facts=[Fact(name, value, MEANINGS[name], place)]
    )


def cipher_facts(ctr: bool) -> list[Fact]:
    """The cipher of a module, and what it protects."""
    if ctr:
        return [Fact("cipher", "AES-CTR", "no tag: changed bytes decrypt to something else, unseen")]
    return [Fact("cipher", "AES-GCM", "the tag shows if the bytes, the place or the key are wrong")]


def _key_facts(cipher: FileCipher, column: ColumnCipher | None) -> Sequence[Fact]:
    if column is None:
        return describe_key_metadata(cipher.footer_key_metadata)
    return column.facts


def aad_facts(aad: Aad) -> list[Fact]:
    """The AAD of a module, part by part; a prefix that the file does not store only by its length."""
    if not aad.parts:
        return [Fact("AAD", aad.absent, aad.why)]
    return [Fact(f"AAD: {part.name}", _aad_value(part), part.meaning) for part in aad.parts]


def _aad_value(part: AadPart) -> object:
    if isinstance(part.value, bytes):
        return part.value.hex() if part.value else "none"
    return f"{part.value}, {part.size} bytes" if part.data is None and part.size else part.value


def struct_module_node(
    chunk: ColumnChunk,
    struct: type[structs.Struct],
    module: Module,
    span: Span,
    address: Address,
    label: str,
    kind: Kind,
) -> Node:
    """A Thrift struct in a module of its own: its fields, and the module that holds them.

    `span` is the whole module in the file.
    """
    cipher, column = ciphers_of(chunk)
    data = chunk.file.source.read(span.start, len(span))
    frame = module_node(cipher, column, module, data, span, Address.of(address, "module"))
    try:
        plain = opened(chunk, column, module, data, address, span.start)
        inner = struct_node(
            struct, plain, 0, address, label, chunk.file.limits, space=f"{address}:decrypted", kind=kind
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


def unopened(kind: Kind, label: str, address: Address, span: Span, frame: Node, error: ParquetError) -> Node:
    """The node of a module that cannot be decrypted because of `error`: only the module itself."""
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
    """A fact of a decrypted structure that refers to its module."""
    size = len(frame.span) if frame.span is not None else 0
    return Fact("encrypted", size, "bytes of the module that holds this", frame.span, frame.address)


def ciphers_of(chunk: ColumnChunk) -> tuple[FileCipher, ColumnCipher]:
    """The ciphers of the file and of a chunk that is encrypted."""
    cipher, column = chunk.file.footer.cipher, chunk.column_cipher
    assert cipher is not None and column is not None
    return cipher, column


def opened(
    chunk: ColumnChunk, column: ColumnCipher, module: Module, data: bytes | memoryview, address: Address, start: int
) -> bytes:
    """The decrypted bytes of a module of the chunk, kept for a while. Raises ParquetError if it cannot be decrypted."""

    def make() -> bytes:
        with located(address, start):
            return column.decrypt(module.type, data, module.page_ordinal)

    return chunk.file.cache.get((address, "decrypted"), make, len)
