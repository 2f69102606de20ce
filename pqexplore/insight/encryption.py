"""What is encrypted, with which key, and what ties each piece to its place.

Keys are never shown, wrapped or not: a key goes by what its key metadata asks for. Nonces and AADs are no secrets; an
AAD prefix that the file does not store is one that the reader was trusted with, and is told by its length only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Hashable, Sequence
from typing import Any

from pqexplore.engine.chunk import ColumnChunk
from pqexplore.engine.encryption.cipher import FileCipher
from pqexplore.engine.encryption.column_cipher import ColumnCipher
from pqexplore.engine.encryption.key_material import describe_key_metadata, parse
from pqexplore.engine.encryption.keys import Key
from pqexplore.engine.encryption.modules import Module, explain_aad
from pqexplore.engine.encryption.nonces import NonceAudit
from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.tree import FILE
from pqexplore.insight import modules
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.modules import Sealed

DRAWN = 160
"""Modules that a picture has; the table below has all."""

NAMED = 4
"""Columns that a sentence names."""

_NO_TAG = [
    {
        "name": "no AAD",
        "hex": "",
        "bytes": 0,
        "value": "",
        "meaning": "AES-CTR has no tag, so there is nothing that could vouch for an AAD",
    }
]

NOT_ENCRYPTED = (
    "Nothing in this file is encrypted. A writer encrypts when it is given keys: Spark and parquet-java with "
    "parquet.encryption.footer.key and column.keys, pyarrow with FileEncryptionProperties, DuckDB with "
    "ENCRYPTION_CONFIG."
)


@dataclasses.dataclass(slots=True)
class _KeyUse:
    """A key by what it is for: what it asks for, whether it is at hand, and how much it seals."""

    name: str
    asks_for: str
    reason: str
    metadata: bytes
    columns: list[str] = dataclasses.field(default_factory=list)
    modules: int = 0
    bytes: int = 0


class _Account:
    """Goes through modules, and keeps which key seals what and which nonce was met before."""

    def __init__(self, cipher: FileCipher) -> None:
        self.cipher = cipher
        self.keys: dict[Hashable, _KeyUse] = {}
        self.audit = NonceAudit()
        self.sealed: list[Sealed] = []
        self.key_of: list[int] = []
        self.left_out = 0

    def add(self, one: Sealed) -> None:
        """Take account of a module."""
        self._remember(one)
        if len(self.sealed) >= modules.MOST:
            self.left_out += 1
            return
        known, use = self._key(one.column)
        use.modules += 1
        use.bytes += len(one.span)
        self.sealed.append(one)
        self.key_of.append(list(self.keys).index(known))

    def _remember(self, one: Sealed) -> None:
        found = self.cipher.footer_key() if one.column is None else one.column.key()
        key: Hashable = found if isinstance(found, Key) else self._name(one.column)
        self.audit.add(key, one.nonce, one.address or f"byte {one.span.start:,}")

    def _name(self, column: ColumnCipher | None) -> Hashable:
        if column is None or column.with_footer_key:
            return "footer"
        return column.key_metadata or column.path

    def _key(self, column: ColumnCipher | None) -> tuple[Hashable, _KeyUse]:
        known = self._name(column)
        if known not in self.keys:
            if column is None or column.with_footer_key:
                metadata, name = self.cipher.footer_key_metadata, "footer key"
                reason = self.cipher.footer_reason
            else:
                metadata, reason = column.key_metadata, column.reason
                name = f"key of column {'.'.join(column.path)!r}"
            self.keys[known] = _KeyUse(name, parse(metadata).asks_for, reason, metadata)
        use = self.keys[known]
        if column is not None:
            path = ".".join(column.path)
            if path not in use.columns:
                use.columns.append(path)
        return known, use


def of_file(file: Any) -> Generator[float, None, Answer]:
    """All modules of a file, by key and by column."""
    cipher = file.footer.cipher
    code = "f.node('').facts"
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    account = _Account(cipher)
    for number, one in enumerate(modules.of_file(file)):
        account.add(one)
        if number % 64 == 0:
            yield min(0.99, number / modules.MOST)
    said = f"{cipher.algorithm.name}: {_sealed_words(account, file.size)}"
    return _answer(account, said + _closing(account, file), code, 0)


def of_chunk(chunk: ColumnChunk, address: str = "") -> Generator[float, None, Answer]:
    """The modules of a column chunk; `address` is that of the module to begin with, or of a part of it."""
    code = f"f.node({chunk.address!r}).facts"
    cipher = chunk.file.footer.cipher
    name = ".".join(chunk.leaf.path)
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    if chunk.column_cipher is None:
        said = f"Column {name!r} is not encrypted, although the file is: it was written without a key for it."
        return Answer(said, empty=said, code=code)
    account = _Account(cipher)
    for number, one in enumerate(modules.of_chunk(chunk)):
        account.add(one)
        if number % 64 == 0:
            yield min(0.99, number / modules.MOST)
    selected = _selected(account.sealed, address)
    if selected is not None:
        return _answer(account, _module_words(account.sealed[selected]), code, selected)
    said = f"Column {name!r}, {cipher.algorithm.name}: {_sealed_words(account, None)}"
    return _answer(account, said, code, 0)


def of_footer(file: Any) -> Answer:
    """The footer's module, or the signature of a plaintext footer."""
    cipher = file.footer.cipher
    code = "f.node('footer').facts"
    if cipher is None:
        return Answer(NOT_ENCRYPTED, empty=NOT_ENCRYPTED, code=code)
    account = _Account(cipher)
    for one in modules.of_footer(file):
        account.add(one)
    if not account.sealed:
        said = "The footer is damaged: what is there is no module."
        return Answer(said, empty=said, code=code)
    said = _module_words(account.sealed[0])
    if account.sealed[0].address == "footer_signature":
        verdict = (
            "was verified" if file.footer.signature_ok else "cannot be verified without the key"
        )
        said = (
            "The footer can be read by everyone; nonce and tag behind it prove that nobody changed it. "
            f"The signature {verdict}."
        )
        if account.sealed[0].reason:
            said += f" {_upper(account.sealed[0].reason)}."
    return _answer(account, said, code, 0)


def _sealed_words(account: _Account, size: int | None) -> str:
    # a column's metadata lies in the footer's module: its bytes are not bytes of the file a second time
    total = sum(len(one.span) for one in account.sealed if one.span.space == FILE)
    said = f"{_many(len(account.sealed) + account.left_out, 'module')}, {total:,} "
    said += f"of the file's {size:,} bytes" if size is not None else "bytes"
    overhead = sum(len(one.span) - one.hidden for one in account.sealed)
    said += f" ({overhead:,} of them lengths, nonces and tags)."
    for use in account.keys.values():
        what = f" The {use.name} seals {_many(use.modules, 'module')}"
        if use.reason:
            what += f"; it is not at hand, the file asks for {use.asks_for}"
        said += what + "."
    repeated = len(account.audit.repeated)
    if repeated:
        said += (
            f" {repeated:,} nonce{'s are' if repeated > 1 else ' is'} used twice under one key: what these modules hide "
            "is no longer secret from who has both."
        )
    else:
        said += " No nonce is used twice under one key."
    if any(one.ctr for one in account.sealed):
        said += " Pages are under AES-CTR, without a tag: a changed page goes unnoticed."
    return said


def _closing(account: _Account, file: Any) -> str:
    """Which columns lie open, and what cannot be told."""
    if file.metadata is None:
        return " Without the footer key it cannot be told which module is what; their lengths and nonces lie open."
    sealed = {path for use in account.keys.values() for path in use.columns}
    clear = [".".join(leaf.path) for leaf in file.schema.leaves]
    clear = [path for path in clear if path not in sealed]
    if not clear:
        return ""
    named = ", ".join(repr(path) for path in clear[:NAMED])
    more = f" and {len(clear) - NAMED:,} more" if len(clear) > NAMED else ""
    return f" Not encrypted: {'column' if len(clear) == 1 else 'columns'} {named}{more}."


def _module_words(one: Sealed) -> str:
    said = f"This module hides {_many(one.hidden, 'byte')}: {'what is probably ' if one.place is None else ''}"
    said += f"{'an' if one.name[0] in 'aeio' else 'a'} {one.name}"
    if one.ctr:
        said += ". AES-CTR has no tag: nothing vouches for the bytes, nor for their place"
    else:
        said += (
            ". Its tag vouches for the bytes and for the AAD, which says where the module belongs"
        )
    said += "."
    return (
        f"{said} It is locked: {one.reason}." if one.reason else f"{said} A key for it is at hand."
    )


def _selected(sealed: Sequence[Sealed], address: str) -> int | None:
    """The module that an address names or lies in: the one whose address, or whose part's, it is."""
    for position, one in enumerate(sealed):
        owner = one.address.removesuffix("/module")
        if address in (one.address, owner) or address.startswith(f"{one.address}/"):
            return position
    return None


def _answer(account: _Account, said: str, code: str, selected: int) -> Answer:
    sealed, cipher = account.sealed, account.cipher
    repeated = {r.first for r in account.audit.repeated} | {
        r.second for r in account.audit.repeated
    }
    uses = list(account.keys.values())
    first = max(0, min(selected - DRAWN // 2, len(sealed) - DRAWN))
    drawn = range(first, min(first + DRAWN, len(sealed)))
    picture = {
        "algorithm": cipher.algorithm.name,
        "first": first,
        "total": len(sealed),
        "selected": selected - first,
        "keys": [_key_json(use) for use in uses],
        "modules": [
            _module_json(cipher, sealed[i], account.key_of[i], sealed[i].address in repeated)
            for i in drawn
        ],
    }
    return Answer(said, picture=picture, table=_table(account, uses, repeated), code=code)


def _key_json(use: _KeyUse) -> dict[str, Any]:
    return {
        "name": use.name,
        "asks_for": use.asks_for,
        "at_hand": not use.reason,
        "reason": use.reason,
        "modules": use.modules,
        "bytes": use.bytes,
        "columns": use.columns[:20],
        "facts": [
            {"name": fact.name, "value": _clipped(str(fact.value)), "meaning": fact.meaning}
            for fact in describe_key_metadata(use.metadata)
        ],
    }


def _module_json(cipher: FileCipher, one: Sealed, key: int, repeated: bool) -> dict[str, Any]:
    return {
        "name": one.name,
        "address": one.address,
        "span": [one.span.start, one.span.end, one.span.space],
        "parts": [list(part) for part in one.parts],
        "nonce": one.nonce.hex(),
        "repeated": repeated,
        "group": one.group,
        "key": key,
        "locked": bool(one.reason),
        "aad": _NO_TAG if one.ctr else aad_parts(cipher, one.place),
    }


def aad_parts(cipher: FileCipher, place: Module | None) -> list[dict[str, Any]]:
    """The parts of a module's AAD in order: name, bytes in hexadecimal (None where not to be shown), value, meaning."""
    if cipher.aad_omitted or not cipher.algorithm.has_aad:
        why = "the writer left it out: nothing ties the module to its place"
        return [{"name": "no AAD", "hex": "", "bytes": 0, "value": "", "meaning": why}]
    if place is None:
        why = "what the module is, and where it belongs, is not known without the key"
        return [{"name": "not known", "hex": None, "bytes": None, "value": "", "meaning": why}]
    algorithm = cipher.algorithm
    try:
        parts = explain_aad(
            algorithm.stored_prefix,
            algorithm.file_unique,
            place.type,
            place.row_group_ordinal,
            place.column_ordinal,
            place.page_ordinal,
        )
    except ParquetError as error:
        return [{"name": "none", "hex": None, "bytes": None, "value": "", "meaning": error.message}]
    made = []
    for part in parts:
        shown: dict[str, Any] = {
            "name": part.name,
            "hex": _clipped(part.data.hex(" ")),
            "bytes": len(part.data),
            "value": "" if isinstance(part.value, bytes) else str(part.value),
            "meaning": part.meaning,
        }
        if part.name == "AAD prefix":
            if algorithm.prefix_supplied:
                shown |= _supplied(cipher)
            elif not part.data:
                shown["value"] = "none"
            else:
                shown["value"] = _text(part.data)
        made.append(shown)
    return made


def _supplied(cipher: FileCipher) -> dict[str, Any]:
    try:
        size = len(cipher.aad_prefix)
    except EncryptedFileError:
        return {"hex": None, "bytes": None, "value": "must be supplied by the reader"}
    return {"hex": None, "bytes": size, "value": "supplied by the reader"}


def _table(account: _Account, uses: Sequence[_KeyUse], repeated: set[str]) -> Table:
    columns = [
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
    ]
    total = len(account.sealed) + account.left_out
    table = Table(columns, "Modules", total)
    for one, key in zip(account.sealed, account.key_of, strict=True):
        table.add(
            one.name if one.place is None else str(one.place),
            one.group,
            one.span.start,
            len(one.span),
            one.hidden,
            one.nonce.hex(),
            "AES-CTR" if one.ctr else "AES-GCM",
            uses[key].name,
            not one.reason,
            one.address in repeated,
            address=one.address or None,
            span=one.span,
        )
    return table


def _text(data: bytes) -> str:
    try:
        return _clipped(data.decode())
    except UnicodeDecodeError:
        return ""


def _clipped(text: str, most: int = 300) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _many(count: int, one: str) -> str:
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
