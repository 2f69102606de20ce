"""Nodes of the end of an encrypted file: FileCryptoMetaData, the footer's module, the footer's signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.fact import Fact
from pqexplore.engine.format.encryption.modules import NONCE_BYTES, Module, ModuleType
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import Span
from pqexplore.engine.tree.modules import aad_facts, module_fact, module_node, part_node
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def crypto_metadata_node(file: ParquetFile) -> Node:
    """The FileCryptoMetaData before an encrypted footer, with facts of algorithm and key."""
    footer = file.footer
    data = file.source.read(footer.start, footer.crypto_end - footer.start)
    inner = struct_node(
        structs.FileCryptoMetaData,
        data,
        0,
        Address("crypto_metadata"),
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
    return module_node(footer.cipher, None, Module(ModuleType.FOOTER), data, span, Address("footer/module"))


def encrypted_footer_node(file: ParquetFile, inner: Node | None) -> Node:
    """An encrypted footer: its module, and the fields of the FileMetaData (`inner`) if it was decrypted."""
    footer = file.footer
    frame, span = footer_module_node(file), Span(footer.crypto_end, footer.end)
    if inner is None:
        reason = "" if footer.locked is None else footer.locked.message
        return Node(
            Kind.FOOTER,
            "footer (encrypted)",
            "footer",
            span,
            facts=lambda: frame.facts,
            children=[frame],
            state="locked",
            reason=reason,
        )
    return Node(
        Kind.FOOTER,
        inner.label,
        "footer",
        span,
        facts=lambda: [*inner.facts, module_fact(frame)],
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
    span, address = Span(start, footer.end), Address("footer_signature")

    def facts() -> Sequence[Fact]:
        return [
            Fact("signature", verdict, "whether the plaintext footer is what the writer signed"),
            *cipher.facts,
            *aad_facts(cipher.aad(Module(ModuleType.FOOTER))),
        ]

    children = [
        part_node(data, span, address, "nonce", 0, NONCE_BYTES),
        part_node(data, span, address, "tag", NONCE_BYTES, len(span)),
    ]
    return Node(Kind.FOOTER_SIGNATURE, "footer signature", address, span, facts=facts, children=children)
