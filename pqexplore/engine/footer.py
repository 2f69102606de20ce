"""The end of the file, where reading begins: magic, length, and the FileMetaData that says where all else is.

`load` finds the footer with one read of the tail, opens it where it is encrypted and a key is at hand, and gives
its FileMetaData with row groups whose column chunks are decoded when they are touched.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.encryption.cipher import FileCipher
from pqexplore.engine.encryption.keys import Decryption
from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    NotParquetError,
    located,
)
from pqexplore.engine.limits import Limits
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import fast, spans, structs
from pqexplore.engine.tree import FILE

MAGIC = b"PAR1"
ENCRYPTED_MAGIC = b"PARE"
TAIL = 64 << 10
"""Bytes of the first read: most footers fit, and a small file is read whole."""
SIGNATURE = 28
"""Nonce and tag that sign a plaintext footer (encryption, "Plaintext footer mode")."""


@dataclasses.dataclass
class Footer:
    """The footer of one file.

    `[start, end)` are its bytes in the file, without the length and the closing magic. `raw` is the Thrift of its
    FileMetaData, at byte `raw_start` of the file, or decrypted (`space`); both `raw` and `metadata` are None where
    the footer is locked, and `locked` says why. `crypto_metadata` and `cipher` are there where the file is encrypted.
    """

    start: int
    end: int
    magic: bytes
    raw: bytes | memoryview | None = None
    raw_start: int = 0
    space: str = FILE
    metadata: structs.FileMetaData | None = None
    locked: EncryptedFileError | None = None
    crypto_metadata: structs.FileCryptoMetaData | None = None
    crypto_end: int = 0
    cipher: FileCipher | None = None
    signature_start: int | None = None
    signature_ok: bool | None = None
    tail: bytes = b""
    chunk_offsets: list[list[int]] = dataclasses.field(default_factory=list)


def load(source: Source, decryption: Decryption | None, limits: Limits) -> Footer:
    """The footer of `source`. NotParquetError, CorruptFileError or LimitExceededError where there is none to use."""
    footer = _locate(source, limits)
    body = footer.tail[footer.start - footer.end - 8 : -8]
    if footer.magic == ENCRYPTED_MAGIC:
        _open_encrypted(footer, body, decryption, source)
    else:
        footer.raw, footer.raw_start = body, footer.start
        _parse(footer)
        assert footer.metadata is not None
        if footer.metadata.encryption_algorithm is not None:
            _check_signature(footer, body, decryption, source)
    footer.tail = b""
    return footer


def _locate(source: Source, limits: Limits) -> Footer:
    size = source.size
    if size < 12:
        what = "is empty" if size == 0 else f"has {size} bytes"
        raise NotParquetError(
            f"{source.name} {what}; the smallest Parquet file has 12 (magic, footer length, magic)",
            offset=0,
        )
    tail = bytes(source.read(size - min(TAIL, size), min(TAIL, size)))
    magic = tail[-4:]
    if magic not in (MAGIC, ENCRYPTED_MAGIC):
        raise NotParquetError(_no_magic(source, magic), offset=size - 4, address="footer_magic")
    length = int.from_bytes(tail[-8:-4], "little")
    start = size - 8 - length
    if start < 4:
        raise CorruptFileError(
            f"the footer length says {length:,} bytes, the file has room for {size - 12:,}; the file is cut off or "
            "its last bytes were overwritten",
            offset=size - 8,
            address="footer_length",
        )
    limits.check("footer_bytes", length, "the footer", offset=size - 8, address="footer_length")
    if length == 0:
        raise CorruptFileError(
            "the footer length says 0; a FileMetaData has at least its schema",
            offset=size - 8,
            address="footer_length",
        )
    if length + 8 > len(tail):
        tail = bytes(source.read(start, size - len(tail) - start)) + tail
    return Footer(start=start, end=size - 8, magic=magic, tail=tail)


def _no_magic(source: Source, magic: bytes) -> str:
    begins = bytes(source.read(0, 4))
    message = f"{source.name} does not end in PAR1 or PARE but in {magic!r}"
    if begins in (MAGIC, ENCRYPTED_MAGIC):
        return f"{message}; it begins as a Parquet file, so it is cut off or still being written"
    return f"{message}, and does not begin so either: it is not a Parquet file"


def _parse(footer: Footer) -> None:
    assert footer.raw is not None
    with located("footer", footer.raw_start, direct=footer.space == FILE):
        metadata = fast.index(footer.raw)
    if metadata.schema is None:
        raise CorruptFileError(
            f"the {footer.end - footer.start:,} bytes of the footer hold no schema, so they are no FileMetaData; they "
            "were overwritten, or the footer length that points to them is wrong",
            offset=footer.start,
            address="footer/schema",
        )
    for group in metadata.row_groups or ():
        if group is None:
            continue
        offsets = group.columns or []
        footer.chunk_offsets.append(offsets)
        group.columns = ChunkStructs(footer, offsets, len(footer.chunk_offsets) - 1)
    footer.metadata = metadata


class ChunkStructs(Sequence[Any]):
    """The ColumnChunks of one row group, decoded from the footer when they are touched."""

    __slots__ = ("_footer", "_group", "_offsets")

    def __init__(self, footer: Footer, offsets: Sequence[int], group: int) -> None:
        self._footer = footer
        self._offsets = offsets
        self._group = group

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        offset = self._offsets[index]
        footer = self._footer
        assert footer.raw is not None
        address = f"row_groups/{self._group}/columns/{index % len(self)}"
        with located(address, footer.raw_start, direct=footer.space == FILE):
            return fast.decode(structs.ColumnChunk, footer.raw, offset)[0]

    def __repr__(self) -> str:
        return f"<{len(self)} ColumnChunks>"


def schema_element_start(footer: Footer, index: int) -> int | None:
    """The file offset of a SchemaElement; of the whole footer where it is encrypted or damaged, None where it is locked."""
    if footer.raw is None:
        return None
    read = spans.read(structs.FileMetaData, footer.raw, opaque={"RowGroup"})
    field = read.field("schema")
    elements = field.value if field is not None and isinstance(field.value, list) else []
    if footer.space != FILE or index >= len(elements):
        return footer.raw_start
    return footer.raw_start + int(elements[index].start)


def _cipher(
    footer: Footer,
    algorithm: structs.EncryptionAlgorithm,
    key_metadata: bytes | None,
    decryption: Decryption | None,
    source: Source,
) -> FileCipher:
    def sibling(name: str) -> bytes | None:
        other = source.sibling(name)
        if other is None or other.size > 64 << 20:
            return None
        try:
            return bytes(other.read(0, other.size))
        finally:
            other.close()

    name = source.name.replace("\\", "/").rpartition("/")[2]
    return FileCipher(algorithm, decryption, key_metadata, sibling=sibling, file_name=name)


def _open_encrypted(
    footer: Footer, body: bytes, decryption: Decryption | None, source: Source
) -> None:
    with located("footer", footer.start):
        crypto, end = fast.decode(structs.FileCryptoMetaData, body)
        if crypto.encryption_algorithm is None:
            raise CorruptFileError(
                "the FileCryptoMetaData names no encryption algorithm; without it the footer cannot be opened",
                offset=0,
            )
    footer.crypto_metadata, footer.crypto_end = crypto, footer.start + end
    footer.raw_start, footer.space = footer.crypto_end, "footer:decrypted"
    footer.cipher = _cipher(
        footer, crypto.encryption_algorithm, crypto.key_metadata, decryption, source
    )
    try:
        with located("footer", footer.crypto_end):
            footer.raw = footer.cipher.decrypt_footer(body[end:])
    except EncryptedFileError as error:
        if decryption is not None:
            raise
        footer.locked = error
        return
    _parse(footer)


def _check_signature(
    footer: Footer, body: bytes, decryption: Decryption | None, source: Source
) -> None:
    """A plaintext footer of an encrypted file is followed by a nonce and a tag that sign it."""
    metadata = footer.metadata
    assert metadata is not None
    footer.cipher = _cipher(
        footer,
        metadata.encryption_algorithm,
        metadata.footer_signing_key_metadata,
        decryption,
        source,
    )
    if len(body) <= SIGNATURE:
        raise CorruptFileError(
            "the signature of the footer is cut off", offset=footer.start, address="footer"
        )
    footer.signature_start = footer.end - SIGNATURE
    footer.raw = body[:-SIGNATURE]
    try:
        with located("footer_signature", footer.start):
            footer.cipher.verify_footer_signature(body[:-SIGNATURE], body[-SIGNATURE:])
    except EncryptedFileError:
        return  # no key at hand: the footer can be read, and not be trusted
    footer.signature_ok = True


def require(struct: Any, address: str, offset: int | None) -> None:
    """Raise CorruptFileError where a required field of `struct` is missing."""
    absent = structs.missing(struct)
    if absent:
        raise CorruptFileError(
            f"{struct.NAME} lacks its required field{'s' if len(absent) > 1 else ''} {', '.join(absent)}",
            offset=offset,
            address=address,
        )
