"""The module map: what is encrypted, in which modules, what their AADs are built from, and which key opens which.

Keys are never shown, wrapped or not: a key goes by what its key metadata asks for. Nonces and AADs are not secret.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.column_cipher import ColumnCipher
from pqexplore.engine.format.encryption.key_material import describe_key_metadata, parse
from pqexplore.engine.format.encryption.keys import Key
from pqexplore.engine.format.encryption.nonces import NonceAudit
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.find import CHUNK, chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses import encryption_modules as modules
from pqexplore.insight.lenses.encryption_aad import TEXT, AadPart, aad_parts
from pqexplore.insight.lenses.encryption_modules import Bytes, Encrypted
from pqexplore.insight.lenses.lens import Lens, Steps
from pqexplore.insight.text import shorten
from pqexplore.insight.wording import plural

DRAWN = 160
"""Modules in the picture. The table has all."""

NAMED = 4
"""Columns that a sentence names."""

LISTED = 20
"""Columns that a key names."""

NOT_ENCRYPTED = (
    "Nothing in this file is encrypted. A writer encrypts when it is given keys: Spark and parquet-java with "
    "parquet.encryption.footer.key and column.keys, pyarrow with FileEncryptionProperties, DuckDB with "
    "ENCRYPTION_CONFIG."
)

FIRST = frozenset(
    {
        *("module", "module_length", "module_nonce", "module_ciphertext", "module_tag"),
        "footer_signature",
    }
)

MAY_BE_MODULES = frozenset(
    {
        *("page_header", "body", "column_index", "offset_index"),
        *("bloom_filter_header", "bloom_filter_bitset"),
    }
)
"""Kinds of nodes that are modules if their first child is one, or a part of one."""


@dataclasses.dataclass(slots=True)
class KeyFact:
    """A field of the key metadata."""

    name: str
    value: str
    meaning: str


@dataclasses.dataclass(slots=True)
class KeyUse:
    """A key by its purpose: what its metadata asks for, whether the reader has it, and how much it encrypts.

    `reason` says why the key is missing. `columns` are the first that it encrypts, `facts` its key metadata.
    """

    name: str
    asks_for: str
    at_hand: bool
    reason: str
    modules: int
    bytes: int
    columns: list[str]
    facts: list[KeyFact]


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


class _Account:
    """Counts modules by key, and finds nonces that are used twice under one key."""

    def __init__(self, cipher: FileCipher) -> None:
        self.cipher = cipher
        self.uses: dict[Hashable, KeyUse] = {}
        self.paths: dict[str, None] = {}
        self.audit = NonceAudit()
        self.modules: list[Encrypted] = []
        self.key_of: list[int] = []
        self.left_out = 0

    def add(self, one: Encrypted) -> None:
        """Count a module."""
        secret = self.cipher.footer_key() if one.column is None else one.column.key()
        key: Hashable = secret if isinstance(secret, Key) else self._key_name(one.column)
        self.audit.add(key, one.nonce, one.address or f"byte {one.span.start:,}")
        if len(self.modules) >= modules.LISTED:
            self.left_out += 1
            return
        use = self._use(one.column)
        use.modules += 1
        use.bytes += len(one.span)
        self.modules.append(one)
        self.key_of.append(list(self.uses).index(self._key_name(one.column)))

    def count(self, found: Iterator[Encrypted]) -> Iterator[float]:
        """Count modules, with progress."""
        for number, one in enumerate(found):
            self.add(one)
            if number % 64 == 0:
                yield min(0.99, number / modules.LISTED)

    def _key_name(self, column: ColumnCipher | None) -> Hashable:
        if column is None or column.with_footer_key:
            return "footer"
        return column.key_metadata or column.path

    def _use(self, column: ColumnCipher | None) -> KeyUse:
        key = self._key_name(column)
        use = self.uses.get(key)
        if use is None:
            if column is None or column.with_footer_key:
                metadata, name = self.cipher.footer_key_metadata, "footer key"
                reason = self.cipher.footer_reason
            else:
                metadata, reason = column.key_metadata, column.reason
                name = f"key of column {'.'.join(column.path)!r}"
            facts = [
                KeyFact(fact.name, shorten(str(fact.value), TEXT), fact.meaning)
                for fact in describe_key_metadata(metadata)
            ]
            asks_for = parse(metadata).asks_for
            use = self.uses[key] = KeyUse(name, asks_for, not reason, reason, 0, 0, [], facts)
        if column is not None:
            path = ".".join(column.path)
            if path not in use.columns and len(use.columns) < LISTED:
                use.columns.append(path)
            self.paths[path] = None
        return use


def _applies(node: Node) -> bool:
    """An encrypted file, a column chunk of it, and its modules with their parts."""
    if node.kind in FIRST or node.address == "crypto_metadata":
        return True
    if node.kind == "file":
        return any(fact.name == "encryption" for fact in node.facts)
    if node.kind == "column_chunk":
        return node.state == "locked" or any(
            fact.name == "encryption algorithm" for fact in node.facts
        )
    if node.kind == "footer":
        return node.state == "locked"
    if node.kind in MAY_BE_MODULES and CHUNK.match(node.address):
        return node.state == "locked" or any(
            child.kind.startswith("module") for child in node.children[:2]
        )
    return node.kind == "group" and node.state == "locked"


def answer(file: ParquetFile, node: Node) -> Answer | Steps:
    """The modules of the file, of the footer, or of the column chunk that the node lies in."""
    if node.kind == "file":
        return of_file(file)
    if CHUNK.match(node.address):
        return of_chunk(chunk_at(file, node.address), node.address)
    return of_footer(file)


def of_file(file: ParquetFile) -> Steps:
    """All modules of a file, by key and by column."""
    cipher = file.footer.cipher
    code = "f.node('').facts"
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    account = _Account(cipher)
    yield from account.count(modules.of_file(file))
    sentence = f"{cipher.algorithm.name}: {_summary(account, file.size)}{_closing(account, file)}"
    return _answer(account, sentence, code)


def of_chunk(chunk: ColumnChunk, address: str = "") -> Steps:
    """The modules of a column chunk; `address` is that of the selected module, or of a part of it."""
    code = f"f.node({chunk.address!r}).facts"
    cipher = chunk.file.footer.cipher
    name = ".".join(chunk.leaf.path)
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    if chunk.column_cipher is None:
        sentence = f"Column {name!r} is not encrypted, although the file is: it was written without a key for it."
        return Answer(sentence, empty=sentence, code=code)
    account = _Account(cipher)
    yield from account.count(modules.of_chunk(chunk))
    selected = _selected(account.modules, address)
    if selected is not None:
        return _answer(account, _module_sentence(account.modules[selected]), code, selected)
    sentence = f"Column {name!r}, {cipher.algorithm.name}: {_summary(account, None)}"
    return _answer(account, sentence, code)


def of_footer(file: ParquetFile) -> Answer:
    """The footer's module, or the signature of a plaintext footer."""
    cipher = file.footer.cipher
    code = "f.node('footer').facts"
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    account = _Account(cipher)
    for one in modules.of_footer(file):
        account.add(one)
    if not account.modules:
        sentence = "The footer is damaged: what is there is no module."
        return Answer(sentence, empty=sentence, code=code)
    first = account.modules[0]
    if first.address != "footer_signature":
        return _answer(account, _module_sentence(first), code)
    verdict = "was verified" if file.footer.signature_ok else "cannot be verified without the key"
    sentence = (
        "The footer can be read by everyone; the nonce and tag after it prove that nobody changed it. "
        f"The signature {verdict}."
    )
    if first.reason:
        sentence += f" {first.reason[:1].upper()}{first.reason[1:]}."
    return _answer(account, sentence, code)


def _summary(account: _Account, size: int | None) -> str:
    # a column's metadata is inside the footer's module: its bytes are not counted twice
    total = sum(len(one.span) for one in account.modules if one.span.space == FILE)
    sentence = f"{plural(len(account.modules) + account.left_out, 'module')}, {total:,} "
    sentence += f"of the file's {size:,} bytes" if size is not None else "bytes"
    overhead = sum(len(one.span) - one.plaintext_bytes for one in account.modules)
    sentence += f" ({overhead:,} of them lengths, nonces and tags)."
    for use in account.uses.values():
        sentence += f" The {use.name} encrypts {plural(use.modules, 'module')}"
        if use.reason:
            sentence += f"; it is not at hand, the file asks for {use.asks_for}"
        sentence += "."
    repeated = len(account.audit.repeated)
    if repeated:
        sentence += (
            f" {repeated:,} nonce{'s are' if repeated > 1 else ' is'} used twice under one key: the content of these modules "
            "is no longer secret from a reader who has both."
        )
    else:
        sentence += " No nonce is used twice under one key."
    if any(one.ctr for one in account.modules):
        sentence += " Pages are under AES-CTR, without a tag: a changed page goes unnoticed."
    return sentence


def _closing(account: _Account, file: ParquetFile) -> str:
    """Which columns are not encrypted, and what is not known."""
    if file.metadata is None:
        return " Without the footer key it is not known which module is what; their lengths and nonces are not encrypted."
    clear = [".".join(leaf.path) for leaf in file.schema.leaves]
    clear = [path for path in clear if path not in account.paths]
    if not clear:
        return ""
    named = ", ".join(repr(path) for path in clear[:NAMED])
    more = f" and {len(clear) - NAMED:,} more" if len(clear) > NAMED else ""
    return f" Not encrypted: {'column' if len(clear) == 1 else 'columns'} {named}{more}."


def _module_sentence(one: Encrypted) -> str:
    sentence = f"This module hides {plural(one.plaintext_bytes, 'byte')}: "
    sentence += "" if one.module is not None else "what is probably "
    sentence += f"{'an' if one.name[0] in 'aeio' else 'a'} {one.name}. "
    if one.ctr:
        sentence += "AES-CTR has no tag: nothing vouches for the bytes, nor for their place."
    else:
        sentence += (
            "Its tag vouches for the bytes and for the AAD, which says where the module belongs."
        )
    rest = f"It cannot be decrypted: {one.reason}." if one.reason else "A key for it is at hand."
    return f"{sentence} {rest}"


def _selected(found: Sequence[Encrypted], address: str) -> int | None:
    """The module with an address: its own, its owner's, or that of one of its parts."""
    for position, one in enumerate(found):
        owner = one.address.removesuffix("/module")
        if address in (one.address, owner) or address.startswith(Address.of(one.address)):
            return position
    return None


def _answer(account: _Account, sentence: str, code: str, selected: int = 0) -> Answer:
    cipher = account.cipher
    repeated = {address for pair in account.audit.repeated for address in (pair.first, pair.second)}
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


def _table(account: _Account, repeated: set[str]) -> Table:
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
            Column("open", "opens", "flag", "whether the key is at hand"),
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
)
