"""One encrypted column chunk: its key, the places of its modules, and what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag

from pqexplore.engine.encryption import key_material, modules
from pqexplore.engine.encryption.diagnosis import Plausible
from pqexplore.engine.encryption.keyring import usable
from pqexplore.engine.encryption.keys import Buffer, Key, Path, Sealed, quote
from pqexplore.engine.encryption.modules import (
    PAGES,
    Frame,
    Module,
    ModuleType,
    decrypt_ctr,
    split,
)
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Fact

if TYPE_CHECKING:
    from pqexplore.engine.encryption.cipher import FileCipher


class ColumnCipher(Sealed):
    """What opens the modules of one column chunk; made by `FileCipher.column`."""

    __slots__ = (
        "_crypto",
        "_file",
        "_key",
        "_places",
        "column_ordinal",
        "path",
        "row_group_ordinal",
    )

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
        self._places: dict[ModuleType, bytes] = {}
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
        """The column's key; or why there is none, as a sentence."""
        if self._key is None:
            found = self._find_key()
            if isinstance(found, str):
                return found
            self._key = found
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
        """Whether there is no key to try; the first look may ask the key management service."""
        return isinstance(self.key(), str)

    @property
    def reason(self) -> str:
        """The sentence that says with which algorithm the column is locked and which key it asks for; else empty."""
        found = self.key()
        return found if isinstance(found, str) else ""

    def module(self, module_type: ModuleType, page_ordinal: int | None = None) -> Module:
        """The place of a module of this chunk."""
        return Module(module_type, self.row_group_ordinal, self.column_ordinal, page_ordinal)

    def is_ctr(self, module_type: ModuleType) -> bool:
        """Whether such a module is encrypted with CTR, and so without a tag."""
        return self._file.algorithm.ctr and module_type in PAGES

    def frame(self, module_type: ModuleType, buffer: Buffer, offset: int = 0) -> Frame:
        """Where the parts of the module at `offset` lie; CorruptFileError as in `modules.split`."""
        return split(buffer, offset, ctr=self.is_ctr(module_type))

    def overhead(self, module_type: ModuleType) -> int:
        """Bytes that encryption adds to such a module: length, nonce and, under GCM, tag."""
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
        EncryptedFileError when the key is missing or does not open it; CorruptFileError when the frame cannot be
        right, or the module was changed or moved.
        """
        plain = self._decrypt_next(module_type, buffer, page_ordinal)
        if plain is not None:
            return plain
        key = usable(self.key())
        frame = self.frame(module_type, buffer)
        if self.is_ctr(module_type):
            return decrypt_ctr(key, buffer, frame)
        place = self.module(module_type, page_ordinal)
        plain = self._file.open(key, buffer, frame, place, plausible)
        if page_ordinal is not None and not self._file.aad_omitted:
            whole = place.aad(self._file.aad_prefix, self._file.algorithm.file_unique)
            self._places[module_type] = whole[: -modules.ORDINAL_BYTES]
        return plain

    def _decrypt_next(
        self, module_type: ModuleType, buffer: Buffer, page_ordinal: int | None
    ) -> bytes | None:
        """A GCM module that fills the buffer, of a type that has opened before; None where it is to be looked at closely.

        A chunk can have thousands of pages, whose AADs differ in the page ordinal alone.
        """
        place = self._places.get(module_type)
        if place is None or page_ordinal is None or not 0 <= page_ordinal <= modules.MAX_ORDINAL:
            return None
        size = len(buffer)
        if size < modules.GCM_OVERHEAD:
            return None
        sealed = memoryview(buffer)
        start = modules.LENGTH_BYTES
        if int.from_bytes(sealed[:start], "little") != size - start or self._key is None:
            return None
        nonce, rest = sealed[start : start + modules.NONCE_BYTES], start + modules.NONCE_BYTES
        aad = place + page_ordinal.to_bytes(modules.ORDINAL_BYTES, "little")
        try:
            return self._key.gcm.decrypt(nonce, sealed[rest:], aad)
        except InvalidTag:
            return None

    def decrypt_page_header(
        self, buffer: Buffer, page_ordinal: int, *, first: bool
    ) -> tuple[ModuleType, bytes]:
        """A page header whose page type is not known yet, and the type of its module.

        The `first` page of a chunk may be a dictionary page, and only opening its header tells. `page_ordinal` is
        that of the data page which it otherwise is. Where the file omits AADs any header opens as either: there the
        header's own type decides. Errors as in `decrypt`.
        """
        if first:
            key = usable(self.key())
            frame = self.frame(ModuleType.DICTIONARY_PAGE_HEADER, buffer)
            place = self.module(ModuleType.DICTIONARY_PAGE_HEADER)
            plain = self._file.attempt(key, buffer, frame, place)
            if plain is not None:
                return place.type, plain
        kind = ModuleType.DATA_PAGE_HEADER
        return kind, self.decrypt(kind, buffer, page_ordinal)

    @property
    def facts(self) -> list[Fact]:
        """What the file says of the column's encryption, for people."""
        whose = "the footer's" if self.with_footer_key else "its own"
        facts = [
            Fact(
                "encryption key", whose, "Which key the modules of this column are encrypted with."
            )
        ]
        return facts + key_material.describe_key_metadata(self.key_metadata)

    def __repr__(self) -> str:
        return f"<ColumnCipher {'.'.join(self.path)!r}, row group {self.row_group_ordinal}>"
