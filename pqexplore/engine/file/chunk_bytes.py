"""The bytes of one column chunk: in which file they lie, where, and with which key they are read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import (
    CorruptFileError,
    ElsewhereError,
    EncryptedFileError,
    ParquetError,
    UsageError,
    located,
)
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, require
from pqexplore.engine.file.referenced_files import ELSEWHERE
from pqexplore.engine.file.source import Source, held
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.handle import Handle
from pqexplore.engine.span import FILE, Span

if TYPE_CHECKING:
    from pqexplore.engine.file.page_cipher import PageCipher
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.encryption.column_cipher import ColumnCipher
    from pqexplore.engine.format.field import Leaf


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


MAX_IN_MEMORY = 256 << 20
"""Bytes up to which a chunk is read in one piece if all of it is needed."""


class ChunkBytes(Handle):
    """A column chunk without its pages: what the footer says of it, and where its bytes are."""

    def __init__(self, row_group: RowGroup, index: int) -> None:
        self.row_group = row_group
        self.file = row_group.file
        self.index = index
        self.address = Address.of(row_group.address, "columns", index)
        self.leaf: Leaf = self.file.schema.leaves[index]
        self._held: Source | None = None
        self._lock = threading.RLock()
        self._metadata: structs.ColumnMetaData | None = None
        self._column_cipher: ColumnCipher | None = None
        self._cipher_known = False
        self._struct: structs.ColumnChunk | None = None
        self._span: Span | None = None

    @property
    def struct(self) -> structs.ColumnChunk:
        """The chunk's ColumnChunk in the footer."""
        if self._struct is None:
            self._struct = self.row_group.metadata.columns[self.index]
        return self._struct

    @property
    def elsewhere(self) -> str:
        """The file that holds the chunk, relative to this one (`ColumnChunk.file_path`); empty if it is this one."""
        return self.struct.file_path or ""

    @property
    def space(self) -> str:
        """The space of the chunk's bytes: the file's, or `elsewhere:` and the path of the file that holds them."""
        return ELSEWHERE + self.elsewhere if self.elsewhere else FILE

    @property
    def home(self) -> Source:
        """The source of the file that holds the chunk. ElsewhereError if that is another one which is not followed."""
        path, neighbours = self.elsewhere, self.file.neighbours
        if not path:
            return self.file.source
        if neighbours is None:
            raise self.not_here("open that file, or this one with pqexplore.open(…, follow_file_path=True)")
        try:
            return neighbours.source(path)
        except UsageError as error:
            raise self.not_here(f"it is not followed, because {error}") from None

    def not_here(self, more: str) -> ElsewhereError:
        """The error that says in which other file the chunk lies, and `more`."""
        return ElsewhereError(
            f"the column chunk lies in another file, {self.elsewhere!r}; {more}",
            offset=self.file.footer.start,
            address=self.address,
        )

    @property
    def source(self) -> Source:
        """The source of the chunk's bytes; those in memory, if they are held. ElsewhereError as `home`."""
        return self._held or self.home

    @property
    def column_cipher(self) -> ColumnCipher | None:
        """The column's keys and AADs; None if the column is not encrypted."""
        with self._lock:
            if not self._cipher_known:
                self._column_cipher = cipher_of(self)
                self._cipher_known = True
            return self._column_cipher

    @property
    def encrypted(self) -> bool:
        """Whether the column's modules are encrypted, with or without a key for them."""
        return self.column_cipher is not None

    @property
    def locked(self) -> str:
        """Why the chunk needs another key; empty if it can be read."""
        cipher = self.column_cipher
        return cipher.reason if cipher is not None and cipher.locked else ""

    @property
    def cipher(self) -> PageCipher | None:
        """Decrypts the pages; None if they are not encrypted. EncryptedFileError if no key fits."""
        cipher = self.column_cipher
        if cipher is None:
            return None
        if cipher.locked:
            raise EncryptedFileError(cipher.reason, offset=self._first_offset(), address=self.address)
        from pqexplore.engine.file.page_cipher import PageCipher  # a large import that few files need

        file = self.file.footer.cipher
        return PageCipher(cipher, file is not None and file.aad_omitted)

    def _first_offset(self) -> int | None:
        metadata = self.struct.meta_data
        return None if metadata is None else metadata.data_page_offset

    def require_readable(self) -> None:
        """Raises ParquetError if the schema makes the column unreadable."""
        if self.leaf.defect is not None:
            self.file.locate_in_schema(self.leaf.defect)
            raise self.leaf.defect

    @property
    def metadata(self) -> structs.ColumnMetaData:
        """The chunk's ColumnMetaData, decrypted if necessary.

        Raises CorruptFileError if a required field is missing, EncryptedFileError if the key is.
        """
        if self._metadata is None:  # without the lock where it is known: all else asks for it
            with self._lock:
                self._metadata = self._metadata or read(self)
        return self._metadata

    @property
    def start(self) -> int:
        """The file offset of the first page.

        The smaller of data_page_offset and dictionary_page_offset, if the latter is present and not 0: old writers give 0
        for "none", and some give the dictionary page's offset as data_page_offset. A chunk without values may have no
        data page, and 0 for its offset. CorruptFileError if it is outside the file, ElsewhereError as `home`.
        """
        return start(self)

    @property
    def span(self) -> Span:
        """The chunk's bytes by the footer: total_compressed_size of them, from the first page on."""
        if self._span is None:
            self._span = span(self)
        return self._span

    @contextmanager
    def in_memory(self) -> Iterator[None]:
        """Reads the chunk's bytes at once and keeps them inside the `with`, for a reader that needs all of them."""
        try:
            span = self.span
        except ParquetError:
            yield  # the error surfaces when a page is read
            return
        if len(span) <= MAX_IN_MEMORY:
            self._held = held(self.home, span.start, len(span))
        try:
            yield
        finally:
            self._held = None

    @property
    def room(self) -> int:
        """Where the pages of the file that holds the chunk end at the latest."""
        return self.home.size if self.elsewhere else self.file.data_end
