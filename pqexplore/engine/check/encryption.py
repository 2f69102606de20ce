"""Checks the encryption of a file as a whole.

The tag of a GCM module is checked when the module is read. These rules need more than one module: nonces that one key
used twice, modules without AAD, row groups that can be exchanged, and a column that names another path. Nonces are not
encrypted, so the rules need no keys, but only modules whose offsets are known are counted.

Source: specification, "Nonces and IVs", "Module AAD", "Crypto Structures".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page_cipher import levels_in_clear
from pqexplore.engine.file.page_headers import PageFrame
from pqexplore.engine.file.window import Window
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.keys import Key
from pqexplore.engine.format.encryption.modules import LENGTH_BYTES, NONCE_BYTES, hop
from pqexplore.engine.format.encryption.nonces import NonceAudit
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.text import listing, plural
from pqexplore.engine.text import name as column_name

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile

ENCRYPTED_METADATA = (
    "This field is not set for columns encrypted with a column-specific key - instead, the ColumnMetaData is "
    "Thrift-serialized, encrypted with the column key and written to the encrypted_column_metadata field"
)
FOOTER_KEY_METADATA = (
    "The columns encrypted with the same key as the footer must leave the column metadata at the original location"
)
STRIPPED = (
    "In the plaintext footer mode, the optional ColumnMetaData meta_data is set in the ColumnChunk structure for all "
    "columns, but is stripped of the statistics for the sensitive (encrypted) columns"
)

UNIQUE_BYTES = 8
"""A shorter file identifier is likely to repeat in another file."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Findings about the encryption of a file; none if it is not encrypted."""
    cipher = file.footer.cipher
    if cipher is None:
        return
    where = "crypto_metadata" if file.footer.crypto_metadata is not None else "footer_signature"
    yield from _algorithm(cipher, where)
    if file.metadata is None:
        words = "the footer is encrypted, so only the ends of the file were checked"
        yield Finding("locked", "footer", f"{words}: {cipher.footer_reason}")
        return
    yield from _ordinals(file)
    audit = NonceAudit()
    names: dict[Hashable, str] = {}
    if file.footer.signature_start is not None:
        start = file.footer.signature_start
        _count(audit, names, cipher, bytes(file.source.read(start, NONCE_BYTES)), where)
    elif file.footer.crypto_metadata is not None:
        start = file.footer.crypto_end + LENGTH_BYTES
        _count(audit, names, cipher, bytes(file.source.read(start, NONCE_BYTES)), "footer")
    for chunk in file.chunks():
        try:
            column = chunk.column_cipher
            if column is None or chunk.elsewhere:
                continue
            yield from _path(chunk)
            yield from _column_metadata(chunk)
            column_key = column.key()
            own = (chunk.leaf.leaf_index, column.key_metadata)
            key: Hashable = column_key if isinstance(column_key, Key) else own
            if not isinstance(column_key, Key) and column.with_footer_key:
                key = _footer_key(cipher)
            names.setdefault(key, f"the key of column {column_name(chunk.leaf.path)}")
            for address, nonce in _nonces(chunk):
                audit.add(key, nonce, address)
            yield from _levels(chunk)
        except ParquetError:
            continue  # the checks of the chunk report it
    yield from in_the_clear(file)
    yield from audit.findings()
    yield _counts(audit, names)


def _algorithm(cipher: FileCipher, where: str) -> Iterator[Finding]:
    algorithm = cipher.algorithm
    if cipher.aad_omitted:
        yield Finding(
            "no-aad",
            where,
            "modules are encrypted without AAD: a module that is moved, or replaced by one of another file, goes unnoticed",
        )
    elif len(algorithm.file_unique) < UNIQUE_BYTES:
        yield Finding(
            "short-file-identifier",
            where,
            f"aad_file_unique has {len(algorithm.file_unique)} bytes, at least {UNIQUE_BYTES} are expected: "
            "modules of another file may go unnoticed",
            {"bytes": len(algorithm.file_unique)},
        )
    if algorithm.supply_prefix and algorithm.stored_prefix:
        yield Finding(
            "aad-prefix-stored",
            where,
            "the file stores its AAD prefix, and says that readers must supply it (supply_aad_prefix); the stored one is used",
            {"bytes": len(algorithm.stored_prefix)},
        )
    if algorithm.ctr:
        yield Finding(
            "pages-without-tag",
            where,
            "pages are encrypted with AES-CTR, which has no tag: a changed page goes unnoticed",
            {"algorithm": algorithm.name},
        )


def _ordinals(file: ParquetFile) -> Iterator[Finding]:
    """Row groups with the same ordinal have the same AADs, so their modules can be exchanged."""
    seen: dict[int, int] = {}
    for position, group in enumerate(file.row_groups):
        ordinal = group.metadata.ordinal
        ordinal = position if ordinal is None else ordinal
        first = seen.setdefault(ordinal, position)
        if first != position:
            yield Finding(
                "row-group-ordinal-repeated",
                group.address,
                f"the row group has the same ordinal {ordinal} as row group {first}: their modules can be exchanged unnoticed",
                {"ordinal": ordinal, "first": first},
            )


def _path(chunk: ColumnChunk) -> Iterator[Finding]:
    named = structs.union_field(chunk.struct.crypto_metadata) if chunk.struct.crypto_metadata else None
    own = named[1] if named is not None and named[0] == "ENCRYPTION_WITH_COLUMN_KEY" else None
    if own is None:
        return
    path = tuple(own.path_in_schema or ())
    if path != chunk.leaf.path:
        yield Finding(
            "encrypted-path-disagrees",
            Address.of(chunk.address, "metadata/crypto_metadata"),
            f"the column's crypto_metadata says {'.'.join(path)!r}, the schema has "
            f"{'.'.join(chunk.leaf.path)!r} at this position; the key of the schema's column is used",
            {"path_in_schema": path, "schema": chunk.leaf.path},
        )


def _column_metadata(chunk: ColumnChunk) -> Iterator[Finding]:
    """Where the ColumnMetaData of an encrypted column is, in plaintext and encrypted with the column's key."""
    struct = chunk.struct
    named = None if struct.crypto_metadata is None else structs.union_field(struct.crypto_metadata)
    if named is None:
        return
    own = named[0] == "ENCRYPTION_WITH_COLUMN_KEY"
    plaintext_footer = chunk.file.footer.crypto_metadata is None
    wants_encrypted = own or plaintext_footer
    problems = []
    if wants_encrypted and struct.encrypted_column_metadata is None and struct.meta_data is not None:
        words = "a column that is encrypted with a key of its own, or below a plaintext footer, has its ColumnMetaData there"
        problems.append(("encrypted_column_metadata", f"is missing; {words}", ENCRYPTED_METADATA))
    elif not wants_encrypted and struct.encrypted_column_metadata is not None:
        words = "the column is encrypted with the footer key, so its ColumnMetaData belongs into meta_data"
        problems.append(("encrypted_column_metadata", f"is set; {words}", FOOTER_KEY_METADATA))
    if plaintext_footer and struct.meta_data is None:
        words = "readers without the key learn there where the column's pages are"
        problems.append(("meta_data", f"is missing below a plaintext footer; {words}", STRIPPED))
    elif own and not plaintext_footer and struct.meta_data is not None:
        words = "readers with the footer key learn there what only the column's key should open"
        problems.append(("meta_data", f"is set; {words}", ENCRYPTED_METADATA))
    for name, problem, specification in problems:
        yield Finding(
            "column-metadata-place",
            Address.of(chunk.address, "metadata", name),
            f"{name} of encrypted column {column_name(chunk.leaf.path)} {problem}",
            specification=specification,
        )


IN_THE_CLEAR = {
    "plaintext-statistics": ("statistics", "geospatial_statistics"),
    "plaintext-size-statistics": ("size_statistics",),
}
"""Rules about fields of a ColumnMetaData that tell about the values of an encrypted column."""


def in_the_clear(file: ParquetFile, only: str = "") -> Iterator[Finding]:
    """The encrypted columns about whose values a plaintext footer tells; of one rule, or of both."""
    if file.footer.cipher is None or file.footer.crypto_metadata is not None or file.metadata is None:
        return
    for rule, fields in IN_THE_CLEAR.items() if not only else [(only, IN_THE_CLEAR[only])]:
        found: dict[str, None] = {}
        columns: dict[str, None] = {}
        groups: dict[int, None] = {}
        address = ""
        for chunk in file.chunks():
            with suppress(ParquetError):  # the checks of the chunk report it
                plain = chunk.struct.meta_data
                shown = [one for one in fields if plain is not None and getattr(plain, one) is not None]
                if shown and chunk.encrypted:
                    address = address or Address.of(chunk.address, "metadata/meta_data", shown[0])
                    found.update(dict.fromkeys(shown))
                    columns[".".join(chunk.leaf.path)] = None
                    groups[chunk.row_group.index] = None
        if columns:
            names = listing([column_name(one) for one in columns], most=4)
            yield Finding(
                rule,
                address,
                f"the plaintext footer has {listing(list(found))} of {plural(len(columns), 'encrypted column')} ({names}): "
                "anyone can read them",
                {"columns": list(columns)[:100], "fields": list(found), "row_groups": len(groups)},
                column=next(iter(columns)) if len(columns) == 1 else "",
                row_groups=tuple(groups)[:1_000],
            )


def _levels(chunk: ColumnChunk) -> Iterator[Finding]:
    """The first V2 page whose levels are not encrypted; the others are alike."""
    for number, frame in enumerate(() if chunk.locked else chunk.frames.frames):
        clear = _clear_bytes(chunk, frame)
        if clear:
            yield Finding(
                "levels-not-encrypted",
                Address.of(chunk.address, "pages", number),
                f"{clear:,} bytes of levels are not encrypted, before the encrypted values: they show which values are "
                "null and how long lists are, and Arrow's readers cannot read the page",
                {"bytes": clear},
            )
            return


def _clear_bytes(chunk: ColumnChunk, frame: PageFrame) -> int:
    """Bytes of unencrypted levels between the header and the body's module."""
    size = min(LENGTH_BYTES, frame.end - frame.header_end)
    return levels_in_clear(frame, chunk.file.source.read(frame.header_end, size))


def _footer_key(cipher: FileCipher) -> Hashable:
    key = cipher.footer_key()
    return key if isinstance(key, Key) else ("footer", cipher.footer_key_metadata)


def _count(audit: NonceAudit, names: dict[Hashable, str], cipher: FileCipher, nonce: bytes, address: str) -> None:
    key = _footer_key(cipher)
    names[key] = "the footer key"
    audit.add(key, nonce, address)


def _nonces(chunk: ColumnChunk) -> Iterator[tuple[str, bytes]]:
    """The address and nonce of each module of a chunk whose offset is known, if it is long enough to have one."""
    metadata = chunk.struct.encrypted_column_metadata
    if metadata is not None and len(metadata) >= LENGTH_BYTES + NONCE_BYTES:
        address = Address.of(chunk.address, "metadata/encrypted_column_metadata")
        yield address, bytes(metadata[LENGTH_BYTES : LENGTH_BYTES + NONCE_BYTES])
    for module, start in _modules(chunk):
        if 0 <= start <= chunk.file.size - LENGTH_BYTES - NONCE_BYTES:
            yield module, bytes(chunk.file.source.read(start + LENGTH_BYTES, NONCE_BYTES))


def _modules(chunk: ColumnChunk) -> Iterator[tuple[str, int]]:
    """The address and offset of each module of a chunk."""
    for name in ("column_index", "offset_index"):
        offset = getattr(chunk.struct, f"{name}_offset")
        if offset is not None:
            yield Address.of(chunk.address, name), offset
    if chunk.locked:
        span = chunk.span
        window = Window(chunk.file.source, span.start, span.end, span.end)
        modules = hop(lambda at: window.at(at, LENGTH_BYTES), span.start, span.end)
        for number, (start, _) in enumerate(modules):
            yield Address.of(chunk.address, "modules", number), start
        return
    for number, frame in enumerate(chunk.frames.frames):
        page = Address.of(chunk.address, "pages", number)
        yield Address.of(page, "header"), frame.start
        yield Address.of(page, "body"), frame.header_end + _clear_bytes(chunk, frame)
    bloom = chunk.bloom_filter
    if bloom is not None:
        yield Address.of(chunk.address, "bloom_filter/header"), bloom.offset
        yield Address.of(chunk.address, "bloom_filter/bitset"), bloom.offset + bloom.header_length


def _counts(audit: NonceAudit, names: dict[Hashable, str]) -> Finding:
    counts = {names.get(key, "a key"): count for key, count in audit.counts.items()}
    listed = ", ".join(f"{count:,} under {name}" for name, count in list(counts.items())[:20])
    verdict = "none twice under one key" if not audit.repeated else f"{len(audit.repeated):,} twice"
    compared = "" if audit.compared_all else "; not all were compared"
    return Finding(
        "nonces-counted",
        "",
        f"{sum(audit.counts.values()):,} nonces, {verdict}: {listed or 'none'}{compared}",
        {"nonces": counts, "repeated": len(audit.repeated)},
    )
