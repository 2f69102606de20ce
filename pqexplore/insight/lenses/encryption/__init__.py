"""The module map: what is encrypted, in which modules, what their AADs are built from, and which key opens which.

Keys are never shown, wrapped or not: a key goes by what its key metadata asks for. Nonces and AADs are not secret.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import CHUNK, chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight import wording
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.encryption import module_list as modules
from pqexplore.insight.lenses.encryption.account import Account, KeyUse, closing, in_clear, module_sentence, summary
from pqexplore.insight.lenses.encryption.module_list import AadPart, Bytes, Encrypted, aad_parts
from pqexplore.insight.lenses.lens import Lens, Steps

DRAWN = 160
"""Modules in the picture. The table has all."""

NOT_ENCRYPTED = (
    "Nothing in this file is encrypted. A writer encrypts when it is given keys: Spark and parquet-java with "
    "parquet.encryption.footer.key and column.keys, pyarrow with FileEncryptionProperties, DuckDB with "
    "ENCRYPTION_CONFIG."
)

FIRST = frozenset({*("module", "module_length", "module_nonce", "module_ciphertext", "module_tag"), "footer_signature"})

MAY_BE_MODULES = frozenset(
    {*("page_header", "body", "column_index", "offset_index"), *("bloom_filter_header", "bloom_filter_bitset")}
)
"""Kinds of nodes that are modules if their first child is one, or a part of one."""


@dataclasses.dataclass(slots=True)
class Block:
    """A module. `key` is an index into the picture's keys; `repeated` says that another module has the same nonce."""

    name: str
    address: str
    span: Span
    parts: list[Bytes]
    nonce: str
    repeated: bool
    group: str
    key: int
    locked: bool
    aad: list[AadPart]


@dataclasses.dataclass(slots=True)
class Picture:
    """Modules from number `first` of `total` on, and the keys. `selected` is an index into `modules`."""

    algorithm: str
    first: int
    total: int
    selected: int
    keys: list[KeyUse]
    modules: list[Block]


def _applies(node: Node) -> bool:
    """An encrypted file, a column chunk of it, and its modules with their parts."""
    if node.kind in FIRST or node.address == "crypto_metadata":
        return True
    if node.kind == "file":
        return any(fact.name == "encryption" for fact in node.facts)
    if node.kind == "column_chunk":
        return node.state == "locked" or any(fact.name == "encryption algorithm" for fact in node.facts)
    if node.kind == "footer":
        return node.state == "locked"
    if node.kind in MAY_BE_MODULES and CHUNK.match(node.address):
        return node.state == "locked" or any(child.kind.startswith("module") for child in node.children[:2])
    return node.kind in ("group", "unknown_parts") and node.state == "locked"


def answer(file: ParquetFile, node: Node) -> Answer | Steps:
    """The modules of the file, of the footer, or of the column chunk that the node lies in."""
    if node.kind == "file":
        return of_file(file)
    if node.address.startswith("unknown_parts"):
        return of_unknown_parts(file, node.address)
    if CHUNK.match(node.address):
        return of_chunk(chunk_at(file, node.address), node.address)
    return of_footer(file)


def of_file(file: ParquetFile) -> Steps:
    """All modules of a file, by key and by column."""
    cipher = file.footer.cipher
    code = "f.node('').facts"
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    account = Account(cipher)
    yield from account.count(modules.of_file(file))
    sentence = f"{cipher.algorithm.name}: {summary(account, file.size)}{closing(account, file)}"
    return _answer(account, sentence, code)


def of_chunk(chunk: ColumnChunk, address: str = "") -> Steps:
    """The modules of a column chunk; `address` is that of the selected module, or of a part of it."""
    code = f"f.node({chunk.address!r}).facts"
    cipher = chunk.file.footer.cipher
    name = wording.name(chunk.leaf.path)
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    if chunk.column_cipher is None:
        sentence = f"Column {name} is not encrypted, although the file is: it was written without a key for it."
        return Answer(sentence, empty=sentence, code=code)
    account = Account(cipher)
    yield from account.count(modules.of_chunk(chunk))
    selected = _selected(account.modules, address)
    if selected is not None:
        return _answer(account, module_sentence(account.modules[selected]), code, selected)
    sentence = f"Column {name}, {cipher.algorithm.name}: {summary(account, None)}"
    return _answer(account, sentence, code)


def of_unknown_parts(file: ParquetFile, address: str = "") -> Steps:
    """The modules whose places need a key; `address` is that of the selected module, or of a part of it."""
    cipher = file.footer.cipher
    code = f"f.node({address!r}).facts"
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    account = Account(cipher)
    yield from account.count(modules.of_unknown_parts(file))
    selected = _selected(account.modules, address)
    if selected is not None:
        return _answer(account, module_sentence(account.modules[selected]), code, selected)
    sentence = f"{cipher.algorithm.name}: {summary(account, None)}{in_clear(file)}"
    return _answer(account, sentence, code)


def of_footer(file: ParquetFile) -> Answer:
    """The footer's module, or the signature of a plaintext footer."""
    cipher = file.footer.cipher
    code = "f.node('footer').facts"
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    account = Account(cipher)
    for one in modules.of_footer(file):
        account.add(one)
    if not account.modules:
        sentence = "The footer is damaged: what is there is no module."
        return Answer(sentence, empty=sentence, code=code)
    first = account.modules[0]
    if first.address != "footer_signature":
        return _answer(account, module_sentence(first), code)
    verdict = "was verified" if file.footer.signature_ok else "cannot be verified without the key"
    sentence = (
        "The footer can be read by everyone; the nonce and tag after it prove that nobody changed it. "
        f"The signature {verdict}."
    )
    if first.reason:
        sentence += f" {first.reason[:1].upper()}{first.reason[1:]}."
    return _answer(account, sentence, code)


def _selected(found: Sequence[Encrypted], address: str) -> int | None:
    """The module with an address: its own, its owner's, or that of one of its parts."""
    for position, one in enumerate(found):
        owner = one.address.removesuffix("/module")
        if address in (one.address, owner) or address.startswith(Address.of(one.address)):
            return position
    return None


def _answer(account: Account, sentence: str, code: str, selected: int = 0) -> Answer:
    cipher = account.cipher
    repeated = account.repeated()
    total = len(account.modules)
    first = max(0, min(selected - DRAWN // 2, total - DRAWN))
    picture = Picture(
        algorithm=cipher.algorithm.name,
        first=first,
        total=total,
        selected=selected - first,
        keys=list(account.uses.values()),
        modules=[
            _block(cipher, account.modules[at], account.key_of[at], repeated)
            for at in range(first, min(first + DRAWN, total))
        ],
    )
    return Answer(sentence, picture, _table(account, repeated), code=code)


def _block(cipher: FileCipher, one: Encrypted, key: int, repeated: set[str]) -> Block:
    return Block(
        name=one.name,
        address=one.address,
        span=one.span,
        parts=list(one.parts),
        nonce=one.nonce.hex(),
        repeated=one.address in repeated,
        group=one.group,
        key=key,
        locked=bool(one.reason),
        aad=aad_parts(cipher.aad(one.module, ctr=one.ctr)),
    )


def _table(account: Account, repeated: set[str]) -> Table:
    table = Table(
        (
            Column("module", "module"),
            Column("belongs_to", "belongs to"),
            Column("begins_at", "begins at", "number"),
            Column("size", "bytes", "bytes"),
            Column("hidden", "hidden", "bytes", "bytes that it decrypts to"),
            Column("nonce", "nonce", "code"),
            Column("cipher", "cipher"),
            Column("key", "key"),
            Column("open", "opens", "flag", "whether a key at hand opens it"),
            Column("repeated", "nonce met before", "flag"),
        ),
        "Modules",
        len(account.modules) + account.left_out,
    )
    uses = list(account.uses.values())
    for one, key in zip(account.modules, account.key_of, strict=True):
        table.add(
            one.name if one.module is None else str(one.module),
            one.group,
            one.span.start,
            len(one.span),
            one.plaintext_bytes,
            one.nonce.hex(),
            "AES-CTR" if one.ctr else "AES-GCM",
            uses[key].name,
            not one.reason,
            one.address in repeated,
            address=one.address or None,
            span=one.span,
        )
    return table


LENS = Lens(
    "encryption",
    title="Encryption",
    answer=answer,
    where=_applies,
    first=FIRST,
    picture=Picture,
    figure=(Bars("module", "size", "bytes in the file", "bytes"),),
    value_free=("module", "belongs_to", "begins_at", "size", "cipher"),
)
