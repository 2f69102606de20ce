"""Encryption of a file: makes the modules that a writer writes in place of plaintext.

The reverse of `cipher`: a `FileEncryptor` has the keys and makes the structs that describe them, and a `ColumnEncryptor`
encrypts the modules of one column chunk. Nonces are random; only samples and tests pass a source of nonces, to write the
same file each time.

Specification: https://github.com/apache/parquet-format/blob/master/Encryption.md
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encryption import modules
from pqexplore.engine.format.encryption.keys import (
    Buffer,
    Key,
    KeyHolder,
    Path,
    as_key,
    as_prefix,
    discreet,
    given_problem,
)
from pqexplore.engine.format.encryption.modules import INVOCATION_LIMIT, PAGES, Module, ModuleType
from pqexplore.engine.format.thrift import structs

NonceSource = Callable[[], bytes]


def counting_nonces(start: int = 1) -> NonceSource:
    """Nonces that count up from `start`: the same in every run. For samples and tests only."""
    counter = itertools.count(start)
    return lambda: next(counter).to_bytes(modules.NONCE_BYTES, "big")


class FileEncryptor(KeyHolder):
    """Encrypts the modules of one file, and makes the structs that describe the encryption.

    `footer_key` encrypts the footer, or signs it if `plaintext_footer` is set. `column_keys` has a key by leaf path
    (dotted, or a tuple), or None for a column that shares the footer's; other columns stay plaintext. Without
    `column_keys` all columns share the footer's key. `key_metadata` has the bytes to store for readers, by path; the
    footer's have the empty string as key. `aad_prefix` is stored unless `store_aad_prefix` is false. Raises UsageError
    for an invalid key, and when a key was used 2^32 times.
    """

    @discreet
    def __init__(
        self,
        footer_key: Buffer | Key,
        column_keys: Mapping[str | Path, Buffer | Key | None] | None = None,
        *,
        algorithm: str = "AES_GCM_V1",
        plaintext_footer: bool = False,
        key_metadata: Mapping[str | Path, bytes] | None = None,
        aad_prefix: bytes | str = b"",
        store_aad_prefix: bool = True,
        file_unique: bytes | None = None,
        nonces: NonceSource = modules.random_nonce,
    ) -> None:
        own = column_keys
        if isinstance(column_keys, Mapping):
            own = {path: key for path, key in column_keys.items() if key is not None}
        if problem := given_problem(footer_key, own, aad_prefix):
            raise UsageError(problem)
        if algorithm not in ("AES_GCM_V1", "AES_GCM_CTR_V1"):
            raise UsageError("the algorithm is AES_GCM_V1 or AES_GCM_CTR_V1")
        self._footer = as_key(footer_key)
        self._columns = None
        if column_keys is not None:
            self._columns = {
                _path(path): self._footer if key is None else as_key(key) for path, key in column_keys.items()
            }
        self._key_metadata = {_path(path): data for path, data in (key_metadata or {}).items()}
        self.algorithm_name = algorithm
        self.plaintext_footer = plaintext_footer
        self.aad_prefix = as_prefix(aad_prefix) or b""
        self.store_aad_prefix = store_aad_prefix
        self._given_unique = file_unique
        self.file_unique = os.urandom(8) if file_unique is None else file_unique
        self._nonces = nonces
        self._used: dict[Key, int] = {}

    def anew(self, nonces: NonceSource) -> FileEncryptor:
        """An encryptor for another file, with the same keys and the same count of their uses.

        It has a new `file_unique`, unless the caller gave one.
        """
        encryptor = object.__new__(FileEncryptor)
        encryptor.__dict__.update(self.__dict__, _nonces=nonces)
        if self._given_unique is None:
            encryptor.file_unique = os.urandom(8)
        return encryptor

    @property
    def algorithm(self) -> structs.EncryptionAlgorithm:
        """For the FileCryptoMetaData, or for `encryption_algorithm` of a plaintext footer."""
        kind = structs.AesGcmV1 if self.algorithm_name == "AES_GCM_V1" else structs.AesGcmCtrV1
        stored = self.aad_prefix if self.store_aad_prefix else b""
        details = kind(
            aad_prefix=stored or None,
            aad_file_unique=self.file_unique,
            supply_aad_prefix=True if self.aad_prefix and not stored else None,
        )
        return structs.union_of(structs.EncryptionAlgorithm, self.algorithm_name, details)

    @property
    def footer_key_metadata(self) -> bytes | None:
        """For `footer_signing_key_metadata` of a plaintext footer."""
        return self._key_metadata.get("")

    @property
    def file_crypto_metadata(self) -> structs.FileCryptoMetaData:
        """The struct that is written before an encrypted footer, not encrypted."""
        return structs.FileCryptoMetaData(encryption_algorithm=self.algorithm, key_metadata=self.footer_key_metadata)

    def column_crypto_metadata(self, path: Path) -> structs.ColumnCryptoMetaData | None:
        """For `crypto_metadata` of the ColumnChunks of the leaf at `path`; None if it stays plaintext."""
        key = self._key(path)
        if key is None:
            return None
        if key == self._footer:
            return structs.ColumnCryptoMetaData(ENCRYPTION_WITH_FOOTER_KEY=structs.EncryptionWithFooterKey())
        own = structs.EncryptionWithColumnKey(
            path_in_schema=list(path), key_metadata=self._key_metadata.get(_path(path))
        )
        return structs.ColumnCryptoMetaData(ENCRYPTION_WITH_COLUMN_KEY=own)

    def hides_column_metadata(self, path: Path) -> bool:
        """Whether the ColumnMetaData of the leaf goes into `encrypted_column_metadata`.

        It does unless the footer is encrypted with the same key (specification, "Protection of sensitive metadata"). With
        a plaintext footer a copy without statistics stays in `meta_data`.
        """
        key = self._key(path)
        return key is not None and (self.plaintext_footer or key != self._footer)

    def column(self, path: Path, row_group_ordinal: int, column_ordinal: int) -> ColumnEncryptor | None:
        """The encryptor of one column chunk; None if it stays plaintext."""
        key = self._key(path)
        if key is None:
            return None
        return ColumnEncryptor(self, key, row_group_ordinal, column_ordinal)

    def encrypt_footer(self, footer: Buffer) -> bytes:
        """The module of a serialized FileMetaData, to follow the FileCryptoMetaData."""
        return self.encrypt(self._footer, footer, Module(ModuleType.FOOTER))

    def sign_footer(self, footer: Buffer) -> bytes:
        """The 28 bytes to follow a plaintext footer."""
        aad = Module(ModuleType.FOOTER).aad(self.aad_prefix, self.file_unique)
        return modules.sign(self._counted(self._footer), footer, aad, self._nonces)

    def encrypt(self, key: Key, plaintext: Buffer, module: Module) -> bytes:
        """A whole module: length, nonce, ciphertext and, unless it is a page with CTR, tag."""
        aad = module.aad(self.aad_prefix, self.file_unique)
        if self.algorithm_name == "AES_GCM_CTR_V1" and module.type in PAGES:
            return modules.encrypt_ctr(self._counted(key), plaintext, self._nonces)
        return modules.encrypt_gcm(self._counted(key), plaintext, aad, self._nonces)

    def _key(self, path: Path) -> Key | None:
        return self._footer if self._columns is None else self._columns.get(_path(path))

    def _counted(self, key: Key) -> Key:
        """Count one use of `key`, as the specification requires. Raises UsageError at the limit."""
        used = self._used.get(key, 0) + 1
        if used > INVOCATION_LIMIT:
            raise UsageError(f"a key has encrypted {INVOCATION_LIMIT:,} modules, which is the limit")
        self._used[key] = used
        return key


class ColumnEncryptor(KeyHolder):
    """Encrypts the modules of one column chunk; made by `FileEncryptor.column`."""

    __slots__ = ("_file", "_key", "column_ordinal", "row_group_ordinal")

    def __init__(self, file: FileEncryptor, key: Key, row_group_ordinal: int, column_ordinal: int) -> None:
        self._file = file
        self._key = key
        self.row_group_ordinal = row_group_ordinal
        self.column_ordinal = column_ordinal

    def encrypt(self, module_type: ModuleType, plaintext: Buffer, page_ordinal: int | None = None) -> bytes:
        """The module that holds `plaintext`; a page's `compressed_page_size` is the module's whole length."""
        module = Module(module_type, self.row_group_ordinal, self.column_ordinal, page_ordinal)
        return self._file.encrypt(self._key, plaintext, module)


def _path(path: str | Path) -> str:
    return path if isinstance(path, str) else ".".join(path)
