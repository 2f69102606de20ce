"""Decryption of one column chunk: its key, the AADs of its modules, and their plaintext."""

from __future__ import annotations

from pqexplore.engine.fact import Fact
from pqexplore.engine.format.encryption import key_material, modules
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.diagnosis import Plausible
from pqexplore.engine.format.encryption.keyring import usable
from pqexplore.engine.format.encryption.keys import Buffer, Key, KeyHolder, Path, quote
from pqexplore.engine.format.encryption.modules import PAGES, Module, ModuleFrame, ModuleType, decrypt_ctr, split
from pqexplore.engine.format.thrift import structs


class ColumnCipher(KeyHolder):
    """Decrypts the modules of one column chunk; made by `column_cipher`."""

    __slots__ = ("_aad_beginnings", "_crypto", "_file", "_key", "column_ordinal", "path", "row_group_ordinal")

    def __init__(
        self,
        file: FileCipher,
        path: Path,
        crypto_metadata: structs.ColumnCryptoMetaData,
        row_group_ordinal: int,
        column_ordinal: int,
    ) -> None:
        self._file = file
        self._crypto = structs.union_field(crypto_metadata)
        self._key: Key | None = None
        self._aad_beginnings: dict[ModuleType, bytes] = {}
        self.path = path
        self.row_group_ordinal = row_group_ordinal
        self.column_ordinal = column_ordinal

    @property
    def with_footer_key(self) -> bool:
        """Whether the column shares the footer's key (ENCRYPTION_WITH_FOOTER_KEY)."""
        return self._crypto is not None and self._crypto[0] == "ENCRYPTION_WITH_FOOTER_KEY"

    @property
    def key_metadata(self) -> bytes:
        """The key metadata of the column's own key, or of the footer key that it shares."""
        if self._crypto is None or self.with_footer_key:
            return self._file.footer_key_metadata
        return bytes(self._crypto[1].key_metadata or b"")

    def key(self) -> Key | str:
        """The column's key; or a sentence that says why there is none."""
        if self._key is None:
            key = self._find_key()
            if isinstance(key, str):
                return key
            self._key = key
        return self._key

    def _find_key(self) -> Key | str:
        if self._file.problem:
            return self._file.problem
        if self._crypto is None:
            return (
                f"column {quote('.'.join(self.path))} is marked as encrypted, neither with the footer key nor with "
                "one of its own"
            )
        if self.with_footer_key:
            return self._file.footer_key()
        return self._file.keys.column(self.path, self.key_metadata)

    @property
    def locked(self) -> bool:
        """Whether there is no key; the first access may call the key management service."""
        return isinstance(self.key(), str)

    @property
    def reason(self) -> str:
        """A sentence with the algorithm and the key that the column needs; empty if there is a key."""
        key = self.key()
        return key if isinstance(key, str) else ""

    def module(self, module_type: ModuleType, page_ordinal: int | None = None) -> Module:
        """The identity of a module of this chunk."""
        return Module(module_type, self.row_group_ordinal, self.column_ordinal, page_ordinal)

    def is_ctr(self, module_type: ModuleType) -> bool:
        """Whether modules of this type are encrypted with CTR, which has no tag."""
        return self._file.algorithm.ctr and module_type in PAGES

    def frame(self, module_type: ModuleType, buffer: Buffer, offset: int = 0) -> ModuleFrame:
        """The spans of the parts of the module at `offset`. Raises CorruptFileError as `modules.split` does."""
        return split(buffer, offset, ctr=self.is_ctr(module_type))

    def overhead(self, module_type: ModuleType) -> int:
        """Bytes that encryption adds to a module of this type: length, nonce and, with GCM, tag."""
        return modules.CTR_OVERHEAD if self.is_ctr(module_type) else modules.GCM_OVERHEAD

    def decrypt(
        self,
        module_type: ModuleType,
        buffer: Buffer,
        page_ordinal: int | None = None,
        *,
        plausible: Plausible | None = None,
    ) -> bytes:
        """The plaintext of the module that `buffer` begins with, its four bytes of length included.

        `page_ordinal` counts the chunk's data pages from 0, for data pages and their headers only. Raises
        EncryptedFileError if the key is missing or wrong; CorruptFileError if the lengths are wrong, or the module was
        changed or moved.
        """
        plain = self._decrypt_next(module_type, buffer, page_ordinal)
        if plain is not None:
            return plain
        key = usable(self.key())
        frame = self.frame(module_type, buffer)
        if self.is_ctr(module_type):
            return decrypt_ctr(key, buffer, frame)
        module = self.module(module_type, page_ordinal)
        plain = self._file.open(key, buffer, frame, module, plausible)
        if page_ordinal is not None and not self._file.aad_omitted:
            whole = module.aad(self._file.aad_prefix, self._file.algorithm.file_unique)
            self._aad_beginnings[module_type] = whole[: -modules.ORDINAL_BYTES]
        return plain

    def _decrypt_next(self, module_type: ModuleType, buffer: Buffer, page_ordinal: int | None) -> bytes | None:
        """Fast path: a GCM module that fills the buffer, of a type that was decrypted before; None if it does not apply.

        A chunk can have thousands of pages, whose AADs differ only in the page ordinal.
        """
        beginning = self._aad_beginnings.get(module_type)
        if beginning is None or page_ordinal is None or not 0 <= page_ordinal <= modules.MAX_ORDINAL:
            return None
        from cryptography.exceptions import InvalidTag

        size = len(buffer)
        if size < modules.GCM_OVERHEAD:
            return None
        encrypted = memoryview(buffer)
        start = modules.LENGTH_BYTES
        if int.from_bytes(encrypted[:start], "little") != size - start or self._key is None:
            return None
        nonce, rest = encrypted[start : start + modules.NONCE_BYTES], start + modules.NONCE_BYTES
        aad = beginning + page_ordinal.to_bytes(modules.ORDINAL_BYTES, "little")
        try:
            return self._key.gcm.decrypt(nonce, encrypted[rest:], aad)
        except InvalidTag:
            return None

    def decrypt_page_header(self, buffer: Buffer, page_ordinal: int, *, first: bool) -> tuple[ModuleType, bytes]:
        """A page header whose page type is not known yet: the type of its module, and its plaintext.

        The `first` page of a chunk may be a dictionary page; only decryption shows it. `page_ordinal` is the ordinal
        that it has if it is a data page. If the file omits AADs every header decrypts as either: then the caller must
        look at the header's own type. Errors as in `decrypt`.
        """
        if first:
            key = usable(self.key())
            frame = self.frame(ModuleType.DICTIONARY_PAGE_HEADER, buffer)
            module = self.module(ModuleType.DICTIONARY_PAGE_HEADER)
            plain = self._file.attempt(key, buffer, frame, module)
            if plain is not None:
                return module.type, plain
        kind = ModuleType.DATA_PAGE_HEADER
        return kind, self.decrypt(kind, buffer, page_ordinal)

    @property
    def facts(self) -> list[Fact]:
        """The column's encryption, as facts for people."""
        owner = "the footer's" if self.with_footer_key else "its own"
        facts = [Fact("encryption key", owner, "Which key the modules of this column are encrypted with.")]
        return facts + key_material.describe_key_metadata(self.key_metadata)

    def __repr__(self) -> str:
        return f"<ColumnCipher {'.'.join(self.path)!r}, row group {self.row_group_ordinal}>"


def column_cipher(
    file: FileCipher,
    path: Path,
    crypto_metadata: structs.ColumnCryptoMetaData | None,
    row_group_ordinal: int,
    column_ordinal: int,
) -> ColumnCipher | None:
    """The cipher of one column chunk; None if the chunk is plaintext: `crypto_metadata` is None.

    A file whose footer was encrypted without an AAD is DuckDB's, which encrypts all columns with the footer key without
    writing `crypto_metadata`.

    `path` is the leaf's; `row_group_ordinal` is RowGroup.ordinal, or the position if that is not set;
    `column_ordinal` the chunk's position in its row group.
    """
    if crypto_metadata is None:
        if not file.aad_omitted:
            return None
        crypto_metadata = structs.ColumnCryptoMetaData(ENCRYPTION_WITH_FOOTER_KEY=structs.EncryptionWithFooterKey())
    return ColumnCipher(file, tuple(path), crypto_metadata, row_group_ordinal, column_ordinal)
