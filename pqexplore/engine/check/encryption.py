"""What encryption promises, and whether the file keeps it.

The tag of a GCM module is checked where the module is read. Here is what no single module shows: nonces that a key has
used twice, modules that nothing ties to their place, row groups that could stand in for each other, and a column that
claims to be another. It works without keys as well, as far as places are known: nonces lie open.

Source: specification, "Nonces and IVs", "Module AAD", "Crypto Structures".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.encryption.cipher import FileCipher
from pqexplore.engine.encryption.keys import Key
from pqexplore.engine.encryption.modules import LENGTH_BYTES, NONCE_BYTES, hop
from pqexplore.engine.encryption.nonces import NonceAudit
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.page_cipher import levels_in_clear
from pqexplore.engine.pages import Window
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile

UNIQUE_BYTES = 8
"""A file identifier that is shorter is likely to be another file's, too."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """What is wrong with the encryption of a file; nothing where it has none."""
    cipher = file.footer.cipher
    if cipher is None:
        return
    where = "crypto_metadata" if file.footer.crypto_metadata is not None else "footer_signature"
    yield from _algorithm(cipher, where)
    if file.metadata is None:
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
            if column is None:
                continue
            yield from _path(chunk)
            found = column.key()
            own = (chunk.leaf.leaf_index, column.key_metadata)
            key: Hashable = found if isinstance(found, Key) else own
            if not isinstance(found, Key) and column.with_footer_key:
                key = _footer_key(cipher)
            names.setdefault(key, f"the key of column {'.'.join(chunk.leaf.path)!r}")
            for address, nonce in _nonces(chunk):
                audit.add(key, nonce, address)
            yield from _levels(chunk)
        except ParquetError:
            continue  # told where the chunk itself is checked
    yield from audit.findings()
    yield _counts(audit, names)


def _algorithm(cipher: FileCipher, where: str) -> Iterator[Finding]:
    algorithm = cipher.algorithm
    if cipher.aad_omitted or not algorithm.has_aad:
        yield Finding(
            "no-aad",
            "warning",
            where,
            "modules are encrypted without AAD: nothing notices when they are moved, or taken from another file",
            {},
            "The suffix part of a module AAD protects against module swapping inside a file",
        )
    elif len(algorithm.file_unique) < UNIQUE_BYTES:
        yield Finding(
            "short-file-identifier",
            "warning",
            where,
            f"aad_file_unique has {len(algorithm.file_unique)} bytes: modules of another file may fit in",
            {"bytes": len(algorithm.file_unique)},
            "Unique file identifier part of AAD suffix",
        )
    if algorithm.ctr:
        yield Finding(
            "pages-without-tag",
            "note",
            where,
            "pages are encrypted with AES-CTR, which has no tag: a changed page goes unnoticed",
            {"algorithm": algorithm.name},
            "AES CTR is a regular (not authenticated) cipher",
        )


def _ordinals(file: ParquetFile) -> Iterator[Finding]:
    """Row groups whose AADs are the same can stand in for each other."""
    seen: dict[int, int] = {}
    for position, group in enumerate(file.row_groups):
        ordinal = group.metadata.ordinal
        ordinal = position if ordinal is None else ordinal
        first = seen.setdefault(ordinal, position)
        if first != position:
            yield Finding(
                "row-group-ordinal-repeated",
                "error",
                group.address,
                f"the row group has the ordinal {ordinal} of row group {first}: their modules can be exchanged unseen",
                {"ordinal": ordinal, "first": first},
                "RowGroup.ordinal: Row group ordinal in the file",
            )


def _path(chunk: ColumnChunk) -> Iterator[Finding]:
    named = (
        structs.union_field(chunk.struct.crypto_metadata) if chunk.struct.crypto_metadata else None
    )
    own = named[1] if named is not None and named[0] == "ENCRYPTION_WITH_COLUMN_KEY" else None
    if own is None:
        return
    path = tuple(own.path_in_schema or ())
    if path != chunk.leaf.path:
        yield Finding(
            "encrypted-path-disagrees",
            "error",
            join(chunk.address, "metadata/crypto_metadata"),
            f"the column's crypto_metadata says {'.'.join(path)!r}, the schema has "
            f"{'.'.join(chunk.leaf.path)!r} at this position; the key is that of the schema's column",
            {"path_in_schema": path, "schema": chunk.leaf.path},
            "EncryptionWithColumnKey.path_in_schema: Column path in schema",
        )


def _levels(chunk: ColumnChunk) -> Iterator[Finding]:
    """The first V2 page whose levels were left unencrypted; the others are like it."""
    for number, frame in enumerate(() if chunk.locked else chunk.frames.frames):
        head = chunk.file.source.read(
            frame.header_end, min(LENGTH_BYTES, frame.end - frame.header_end)
        )
        clear = levels_in_clear(frame, head)
        if clear:
            yield Finding(
                "levels-not-encrypted",
                "warning",
                join(chunk.address, "pages", number),
                f"{clear:,} bytes of levels lie before the encrypted values, in the clear: they tell which values are "
                "null, and how long lists are; and Arrow's readers do not find the module",
                {"bytes": clear},
            )
            return


def _footer_key(cipher: FileCipher) -> Hashable:
    found = cipher.footer_key()
    return found if isinstance(found, Key) else ("footer", cipher.footer_key_metadata)


def _count(
    audit: NonceAudit, names: dict[Hashable, str], cipher: FileCipher, nonce: bytes, address: str
) -> None:
    key = _footer_key(cipher)
    names[key] = "the footer key"
    audit.add(key, nonce, address)


def _nonces(chunk: ColumnChunk) -> Iterator[tuple[str, bytes]]:
    """The address and nonce of each module of a chunk whose place is known."""
    sealed = chunk.struct.encrypted_column_metadata
    if sealed is not None:
        address = join(chunk.address, "metadata/encrypted_column_metadata")
        yield address, bytes(sealed[LENGTH_BYTES : LENGTH_BYTES + NONCE_BYTES])
    for address, start in _places(chunk):
        if 0 <= start <= chunk.file.size - LENGTH_BYTES - NONCE_BYTES:
            yield address, bytes(chunk.file.source.read(start + LENGTH_BYTES, NONCE_BYTES))


def _places(chunk: ColumnChunk) -> Iterator[tuple[str, int]]:
    for name in ("column_index", "offset_index"):
        offset = getattr(chunk.struct, f"{name}_offset")
        if offset is not None:
            yield join(chunk.address, name), offset
    if chunk.locked:
        span = chunk.span
        window = Window(chunk.file.source, span.start, span.end, span.end)
        places = hop(lambda at: window.at(at, LENGTH_BYTES), span.start, span.end)
        for number, (start, _) in enumerate(places):
            yield join(chunk.address, "modules", number), start
        return
    for number, frame in enumerate(chunk.frames.frames):
        page = join(chunk.address, "pages", number)
        yield join(page, "header"), frame.start
        head = chunk.file.source.read(
            frame.header_end, min(LENGTH_BYTES, frame.end - frame.header_end)
        )
        yield join(page, "body"), frame.header_end + levels_in_clear(frame, head)
    bloom = chunk.bloom_filter
    if bloom is not None:
        yield join(chunk.address, "bloom_filter/header"), bloom.offset
        yield join(chunk.address, "bloom_filter/bitset"), bloom.offset + bloom.header_length


def _counts(audit: NonceAudit, names: dict[Hashable, str]) -> Finding:
    counts = {names.get(key, "a key"): count for key, count in audit.counts.items()}
    listed = ", ".join(f"{count:,} under {name}" for name, count in list(counts.items())[:20])
    verdict = "none twice under one key" if not audit.repeated else f"{len(audit.repeated):,} twice"
    compared = "" if audit.compared_all else "; not all were compared"
    return Finding(
        "nonces-counted",
        "note",
        "",
        f"{sum(audit.counts.values()):,} nonces, {verdict}: {listed or 'none'}{compared}",
        {"nonces": counts, "repeated": len(audit.repeated)},
    )
