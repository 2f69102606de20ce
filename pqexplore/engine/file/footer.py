"""The footer of one file: the FileMetaData, which says where everything else is, decrypted if necessary.

`footer_tail.load` finds it. The column chunks of its row groups are decoded when they are used.

Source: https://parquet.apache.org/docs/file-format/metadata/.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast, overload

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError, located
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.thrift import fast, gradual, structs
from pqexplore.engine.format.thrift.offsets import chunk_offsets
from pqexplore.engine.limits import Limits
from pqexplore.engine.span import FILE

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.cipher import FileCipher
    from pqexplore.engine.format.encryption.keys import Decryption

MAGIC = b"PAR1"
ENCRYPTED_MAGIC = b"PARE"
LARGE = 1 << 20
"""Bytes of a FileMetaData from which on only the parts in use are read; a smaller one takes milliseconds."""
FIRST_ROW_GROUPS = 64
"""Row groups that are read one by one; using a later one reads all."""
SIGNATURE = 28
"""Bytes of the nonce and the tag that sign a plaintext footer.

Source: https://github.com/apache/parquet-format/blob/master/Encryption.md#55-plaintext-footer-mode."""


class Footer:
    """The footer of one file.

    `[start, end)` are its bytes in the file, without the length and the closing magic. `raw` is the Thrift of its
    FileMetaData, at byte `raw_start` of the file, or decrypted (`space`). If the footer needs a key, `raw` and
    `metadata` are None, and `locked` says why. `crypto_metadata` and `cipher` are None if the file is not encrypted.

    Only the parts of a large footer that are in use are read: `schema_elements`, `num_rows`, `num_row_groups` and the
    first row groups are cheap. Everything else reads the whole, which can show damage that `load` did not see.
    """

    def __init__(self, source: Source, limits: Limits, start: int, magic: bytes) -> None:
        self.start = start
        self.end = source.size - 8
        self.magic = magic
        self.raw: bytes | memoryview | None = None
        self.raw_start = 0
        self.space = FILE
        self.locked: EncryptedFileError | None = None
        self.crypto_metadata: structs.FileCryptoMetaData | None = None
        self.crypto_end = 0
        self._source = source
        self._limits = limits
        self._lock = threading.RLock()
        self._begun: gradual.GradualFooter | None = None
        self._row_groups: dict[int, structs.RowGroup] = {}
        self._metadata: structs.FileMetaData | None = None
        self._chunk_offsets: list[Sequence[int]] = []
        self._cipher: FileCipher | None = None
        self._signature_start: int | None = None
        self._signature_ok: bool | None = None
        self._failure: ParquetError | None = None
        self.on_damage: Callable[[ParquetError], object] = lambda error: None
        """Called with an error of the later part of a large footer before it is raised, to add what to do."""

    # The beginning.

    @property
    def schema_elements(self) -> Sequence[structs.SchemaElement] | None:
        """The schema as the FileMetaData lists it; None if missing. The footer must not be locked."""
        return self._known.schema

    @property
    def num_rows(self) -> int | None:
        """The FileMetaData's number of rows; None if missing. The footer must not be locked."""
        return self._known.num_rows

    @property
    def num_row_groups(self) -> int | None:
        """The number of row groups; None if the list is missing. The footer must not be locked."""
        with self._lock:
            if self._begun is not None:
                return self._begun.count
        groups = self._known.row_groups
        return None if groups is None else len(groups)

    @property
    def _known(self) -> structs.FileMetaData:
        """The parts of the FileMetaData that were read so far."""
        with self._lock:
            return self._whole if self._begun is None else self._begun.metadata

    def row_group(self, index: int) -> structs.RowGroup:
        """The struct of a row group. Its chunks are decoded when they are used."""
        with self._lock:
            if self._begun is None or index >= FIRST_ROW_GROUPS:
                return self._whole.row_groups[index]
            if index not in self._row_groups:
                group = self._begun.row_group(index)
                if group is None:  # reading the whole says why
                    return self._whole.row_groups[index]
                self._row_groups[index] = self._with_chunks(group, index)
            return self._row_groups[index]

    def _with_chunks(self, group: structs.RowGroup, index: int) -> structs.RowGroup:
        if not isinstance(group.columns, ChunkStructs):
            chunks = ChunkStructs(self, chunk_offsets(group), index)
            group.columns = cast("list[structs.ColumnChunk]", chunks)
        return group

    # The whole.

    @property
    def metadata(self) -> structs.FileMetaData | None:
        """The FileMetaData; None if the footer needs a key that was not given."""
        return None if self.raw is None else self._whole

    @property
    def chunk_offsets(self) -> list[Sequence[int]]:
        """The offsets in `raw` of the column chunks of each row group."""
        if self.raw is not None:
            self.complete()
        return self._chunk_offsets

    def chunks(self, group: int) -> list[structs.ColumnChunk]:
        """The column chunks of a row group, read at once; see `fast.chunks`. Raises as `footer_tail.load` does."""
        places = self.chunk_offsets
        assert self.raw is not None
        after = next((one[0] for one in places[group + 1 :] if len(one)), len(self.raw))
        with located(Address.of("row_groups", group), self.raw_start, direct=self.space == FILE):
            return fast.chunks(self.raw, places[group], after)

    @property
    def cipher(self) -> FileCipher | None:
        """Decrypts the file's modules; None if nothing is encrypted."""
        if self.magic == MAGIC:
            self.complete()
        return self._cipher

    @property
    def signature_start(self) -> int | None:
        """The file offset of the signature of a plaintext footer; None if absent."""
        self.complete()
        return self._signature_start

    @property
    def signature_ok(self) -> bool | None:
        """True if the signature was verified; None if there is no signature, or no key."""
        self.complete()
        return self._signature_ok

    @property
    def _whole(self) -> structs.FileMetaData:
        self.complete()
        assert self._metadata is not None
        return self._metadata

    def complete(self) -> None:
        """Reads the parts that were not read yet. Raises as `footer_tail.load` does."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._begun is None:
                return
            try:
                metadata = self._begun.complete()
                if metadata is None:
                    self._index()
                else:
                    self._settle(metadata)
                self._check_signature(None)
            except ParquetError as error:
                self._failure = error
                if isinstance(error, CorruptFileError):
                    self.on_damage(error)
                raise
            self._begun = None

    def _begin(self) -> None:
        """Reads the beginning of a large FileMetaData, or all of a small one."""
        assert self.raw is not None
        if len(self.raw) >= LARGE:
            self._begun = gradual.begin(self.raw)
        if self._begun is None:
            self._index()

    def _index(self) -> None:
        assert self.raw is not None
        with located("footer", self.raw_start, direct=self.space == FILE):
            try:
                metadata = fast.index(self.raw)
            except fast.Truncated as error:
                raise CorruptFileError(
                    f"the {self.end - self.start:,} bytes of the footer end inside a struct; they were overwritten, or "
                    "the footer length that points to them is wrong",
                    offset=error.offset,
                ) from None
        if metadata.schema is None:
            raise CorruptFileError(
                f"the {self.end - self.start:,} bytes of the footer hold no schema, so they are no FileMetaData; they "
                "were overwritten, or the footer length that points to them is wrong",
                offset=self.start,
                address="footer/schema",
            )
        self._settle(metadata)

    def _settle(self, metadata: structs.FileMetaData) -> None:
        """Keeps the FileMetaData and the offsets of all column chunks."""
        for group in metadata.row_groups or ():
            listed: object = group.columns
            self._chunk_offsets.append(listed.offsets if isinstance(listed, ChunkStructs) else chunk_offsets(group))
            self._with_chunks(group, len(self._chunk_offsets) - 1)
        self._metadata = metadata

    # Encryption.

    def open_encrypted(self, body: bytes | memoryview, decryption: Decryption | None) -> None:
        """Decrypts an encrypted footer if there is a key. Raises EncryptedFileError if there are keys and none fits."""
        with located("footer", self.start):
            crypto, end = fast.decode(structs.FileCryptoMetaData, body)
            if crypto.encryption_algorithm is None:
                raise CorruptFileError(
                    "the FileCryptoMetaData names no encryption algorithm; without it the footer cannot be opened",
                    offset=0,
                )
        self.crypto_metadata, self.crypto_end = crypto, self.start + end
        self.raw_start, self.space = self.crypto_end, "footer:decrypted"
        self._cipher = _cipher(self._source, crypto.encryption_algorithm, crypto.key_metadata, decryption)
        try:
            with located("footer", self.crypto_end):
                self.raw = self._cipher.decrypt_footer(body[end:])
        except EncryptedFileError as error:
            if decryption is not None:
                raise
            self.locked = error
            return
        self._begin()

    def open_plain(self, body: bytes | memoryview, decryption: Decryption | None) -> None:
        """Reads a plaintext footer; all of it if there are keys, because it may be signed."""
        self.raw, self.raw_start = body, self.start
        if decryption is None:
            self._begin()
        else:
            self._index()
        if self._begun is None:
            self._check_signature(decryption)

    def _check_signature(self, decryption: Decryption | None) -> None:
        """Verifies the nonce and the tag after a plaintext footer of an encrypted file."""
        metadata, body = self._metadata, self.raw
        assert metadata is not None and body is not None
        if self.magic != MAGIC or metadata.encryption_algorithm is None:
            return
        self._cipher = _cipher(
            self._source, metadata.encryption_algorithm, metadata.footer_signing_key_metadata, decryption
        )
        if len(body) <= SIGNATURE:
            raise CorruptFileError("the signature of the footer is cut off", offset=self.start, address="footer")
        self._signature_start = self.end - SIGNATURE
        self.raw = body[:-SIGNATURE]
        try:
            with located("footer_signature", self.start):
                self._cipher.verify_footer_signature(body[:-SIGNATURE], body[-SIGNATURE:])
        except EncryptedFileError:
            return  # no key: the footer can be read, but not trusted
        self._signature_ok = True


class ChunkStructs(Sequence[structs.ColumnChunk]):
    """The ColumnChunks of one row group, decoded from the footer when they are used."""

    __slots__ = ("_footer", "_group", "offsets")

    def __init__(self, footer: Footer, offsets: Sequence[int], group: int) -> None:
        self._footer = footer
        self.offsets = offsets
        self._group = group

    def __len__(self) -> int:
        return len(self.offsets)

    @overload
    def __getitem__(self, index: int) -> structs.ColumnChunk: ...
    @overload
    def __getitem__(self, index: slice) -> list[structs.ColumnChunk]: ...
    def __getitem__(self, index: int | slice) -> structs.ColumnChunk | list[structs.ColumnChunk]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        offset = self.offsets[index]
        footer = self._footer
        assert footer.raw is not None
        address = Address.of("row_groups", self._group, "columns", index % len(self))
        with located(address, footer.raw_start, direct=footer.space == FILE):
            return fast.decode(structs.ColumnChunk, footer.raw, offset)[0]

    def __repr__(self) -> str:
        return f"<{len(self)} ColumnChunks>"


def schema_element_start(footer: Footer, index: int) -> int | None:
    """The file offset of a SchemaElement; that of the footer if encrypted or damaged, None if the footer needs a key."""
    if footer.raw is None:
        return None
    from pqexplore.engine.format.thrift import struct_spans

    read = struct_spans.read(structs.FileMetaData, footer.raw, opaque={"RowGroup"})
    field = read.field("schema")
    elements = field.value if field is not None and isinstance(field.value, list) else []
    if footer.space != FILE or index >= len(elements):
        return footer.raw_start
    return footer.raw_start + int(elements[index].start)


def _cipher(
    source: Source, algorithm: structs.EncryptionAlgorithm, key_metadata: bytes | None, decryption: Decryption | None
) -> FileCipher:
    from pqexplore.engine.format.encryption.cipher import FileCipher  # a large import that few files need

    def sibling(name: str) -> bytes | None:
        other = source.sibling(name)
        if other is None or other.size > 64 << 20:
            return None
        try:
            return bytes(other.read(0, other.size))
        finally:
            other.close()

    name = source.name.replace("\\", "/").rpartition("/")[2]
    beside = sibling if source.has_folder else None
    return FileCipher(algorithm, decryption, key_metadata, sibling=beside, file_name=name)


def require(struct: structs.Struct, address: str, offset: int | None) -> None:
    """Raises CorruptFileError if a required field of `struct` is missing."""
    absent = structs.missing(struct)
    if absent:
        many = len(absent) > 1
        raise CorruptFileError(
            f"{struct.NAME} lacks its required field{'s' if many else ''} {', '.join(absent)}, or has "
            f"{'them' if many else 'it'} with another type",
            offset=offset,
            address=address,
        )
