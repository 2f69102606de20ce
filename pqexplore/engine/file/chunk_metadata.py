"""What the footer says of a column chunk, and whether it can be right: its ColumnMetaData, its keys, its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, located
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, require
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.span import Span

if TYPE_CHECKING:
    from pqexplore.engine.file.chunk_bytes import ChunkBytes
    from pqexplore.engine.format.encryption.column_cipher import ColumnCipher


def cipher_of(chunk: ChunkBytes) -> ColumnCipher | None:
    """The column's keys and AADs; None if the column is not encrypted. CorruptFileError if no algorithm is named."""
    crypto, footer = chunk.struct.crypto_metadata, chunk.file.footer
    # If the footer is plaintext and names no key here, the column is too: no need to read the whole footer.
    plain = crypto is None and footer.magic != ENCRYPTED_MAGIC
    cipher = None if plain else footer.cipher
    if crypto is not None and cipher is None:
        raise CorruptFileError(
            "the column chunk is marked as encrypted, but the footer names no encryption algorithm",
            offset=chunk.file.footer.start,
            address=chunk.address,
        )
    if cipher is None:
        return None
    ordinal = chunk.row_group.metadata.ordinal
    with located(chunk.address, chunk.file.footer.start):
        from pqexplore.engine.format.encryption.column_cipher import column_cipher

        return column_cipher(
            cipher, chunk.leaf.path, crypto, chunk.row_group.index if ordinal is None else ordinal, chunk.index
        )


def read(chunk: ChunkBytes) -> structs.ColumnMetaData:
    """As `ColumnChunk.metadata`."""
    struct = chunk.struct
    metadata = struct.meta_data
    where = chunk.file.footer.start
    if struct.encrypted_column_metadata is not None:
        cipher = chunk.column_cipher
        if cipher is None:
            raise CorruptFileError(
                "the column metadata is encrypted, and nothing says with which key", offset=where, address=chunk.address
            )
        if not cipher.locked:
            from pqexplore.engine.format.encryption.modules import ModuleType

            with located(Address.of(chunk.address, "metadata"), where):
                plain = cipher.decrypt(ModuleType.COLUMN_METADATA, struct.encrypted_column_metadata)
                metadata = fast.decode(structs.ColumnMetaData, plain)[0]
        elif metadata is None:
            raise EncryptedFileError(cipher.reason, offset=where, address=chunk.address)
    if metadata is None:
        raise CorruptFileError(
            "the ColumnChunk has no meta_data; where its pages are is lost", offset=where, address=chunk.address
        )
    require(metadata, Address.of(chunk.address, "metadata"), where)
    return metadata


def start(chunk: ChunkBytes) -> int:
    """As `ColumnChunk.start`."""
    metadata, size = chunk.metadata, chunk.home.size
    first = metadata.data_page_offset
    dictionary = metadata.dictionary_page_offset or 0
    if dictionary > 0:
        first = min(first, dictionary) if first >= 4 or metadata.num_values else dictionary
    if not metadata.num_values and not metadata.total_compressed_size:
        return max(4, min(first, size))  # an empty chunk: any offset will do
    if first < 4 or first > size:
        raise CorruptFileError(
            f"the chunk's pages are said to begin at byte {first:,}; the file has {size:,}, and begins "
            "with 4 bytes of magic",
            offset=chunk.file.footer.start,
            address=chunk.address,
        )
    return first


def span(chunk: ChunkBytes) -> Span:
    """As `ColumnChunk.span`."""
    size, room = chunk.metadata.total_compressed_size, chunk.home.size
    start = chunk.start
    if size < 0 or start + size > room:
        raise CorruptFileError(
            f"the chunk is said to be {size:,} bytes long from byte {start:,}; the file has {room:,}",
            offset=start,
            address=chunk.address,
        )
    return Span(start, start + size, chunk.space)
