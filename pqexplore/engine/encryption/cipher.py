"""Opening an encrypted file: which key and which AAD go with which module.

A `FileCipher` knows what the file says of its encryption (EncryptionAlgorithm) and what keys there are. It opens the
footer, or checks a plaintext footer's signature, and gives a `ColumnCipher` for each encrypted column chunk. Keys
are looked for when they are first needed: those that the caller gave go before those that the file carries wrapped.
A part without a key is `locked`, and `reason` is the sentence that says what it asks for.
"""

from __future__ import annotations

import hmac
import threading

from pqexplore.engine.encryption import diagnosis, key_material, modules
from pqexplore.engine.encryption.algorithm import Algorithm
from pqexplore.engine.encryption.column_cipher import ColumnCipher
from pqexplore.engine.encryption.diagnosis import Plausible, Situation
from pqexplore.engine.encryption.key_material import Sibling
from pqexplore.engine.encryption.keyring import KeyRing, usable
from pqexplore.engine.encryption.keys import Buffer, Decryption, Key, Path, Sealed
from pqexplore.engine.encryption.modules import (
    Frame,
    Module,
    ModuleType,
    TagMismatchError,
    decrypt_gcm,
    split,
)
from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    ParquetError,
)
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Fact

_DIAGNOSIS_BYTES = 1 << 30
"""Bytes that all searches for the cause of a failure may decrypt in one file."""


class FileCipher(Sealed):
    """What opens the modules of one file.

    `algorithm` is the EncryptionAlgorithm of the FileCryptoMetaData, or of a plaintext footer's FileMetaData;
    `footer_key_metadata` the `key_metadata` or the `footer_signing_key_metadata` beside it. `sibling` gives the bytes
    of a file in the same folder, `file_name` is the Parquet file's own name there: both are for external key material.
    """

    def __init__(
        self,
        algorithm: structs.EncryptionAlgorithm,
        decryption: Decryption | None = None,
        footer_key_metadata: bytes | None = None,
        *,
        sibling: Sibling | None = None,
        file_name: str | None = None,
    ) -> None:
        self.algorithm = Algorithm(algorithm)
        self.footer_key_metadata = bytes(footer_key_metadata or b"")
        self.keys = KeyRing(self.algorithm.name, decryption, sibling, file_name)
        self.aad_omitted = False
        """True once a module has opened without an AAD, which is how DuckDB writes: nothing then ties a module to its
        place."""
        self._lock = threading.RLock()
        self._proven: set[Key] = set()
        self._diagnosis_bytes = _DIAGNOSIS_BYTES

    @property
    def aad_prefix(self) -> bytes:
        """The AAD prefix in use; EncryptedFileError as in `Algorithm.prefix`."""
        return self.algorithm.prefix(self.keys.decryption.aad_prefix)

    @property
    def problem(self) -> str:
        """What keeps every part locked, whatever the keys; empty where nothing does."""
        if not self.algorithm.known:
            return "the file is encrypted with an algorithm that is neither AES_GCM_V1 nor AES_GCM_CTR_V1"
        try:
            _ = self.aad_prefix
        except EncryptedFileError as error:
            return error.message
        return ""

    def footer_key(self) -> Key | str:
        """The key of the footer and of the columns that share it; or why there is none, as a sentence."""
        return self.problem or self.keys.footer(self.footer_key_metadata)

    @property
    def footer_reason(self) -> str:
        """Why the footer, or its signature, is locked, as a sentence; empty where a key is there to try."""
        found = self.footer_key()
        return found if isinstance(found, str) else ""

    def decrypt_footer(self, buffer: Buffer, *, plausible: Plausible | None = None) -> bytes:
        """The FileMetaData in the footer's module, which follows the FileCryptoMetaData; `buffer` begins with it.

        Raises EncryptedFileError when the key or the AAD prefix is missing or does not open it, CorruptFileError when
        its bytes cannot be right.
        """
        key = usable(self.footer_key())
        frame = split(buffer, ctr=False)
        return self.open(key, buffer, frame, Module(ModuleType.FOOTER), plausible)

    def verify_footer_signature(self, footer: Buffer, signature: Buffer) -> bool:
        """True when the 28 bytes after a plaintext footer, nonce and tag, vouch for it.

        The tag is that of encrypting the footer with the footer key (specification, "Plaintext footer mode").
        Raises EncryptedFileError when the key is missing, so that nothing is known; CorruptFileError when the
        signature does not fit.
        """
        key = usable(self.footer_key())
        if len(signature) != modules.SIGNATURE_BYTES:
            raise CorruptFileError(
                f"the signature of a plaintext footer has {modules.SIGNATURE_BYTES} bytes, "
                f"here are {len(signature)}",
                offset=len(footer),
            )
        nonce = bytes(signature[: modules.NONCE_BYTES])
        stored = bytes(signature[modules.NONCE_BYTES :])
        for omitted in self._aad_choices(key):
            place = (
                b""
                if omitted
                else Module(ModuleType.FOOTER).aad(self.aad_prefix, self.algorithm.file_unique)
            )
            tag = modules.sign(key, footer, place, lambda: nonce)[modules.NONCE_BYTES :]
            if hmac.compare_digest(tag, stored):
                self._opened(key, omitted)
                return True
        known = key in self._proven
        raise CorruptFileError(
            "the signature of the plaintext footer does not fit: the footer was changed after it was signed"
            + ("" if known else ", or the footer key is another than the one that signed it")
            + (
                ", or the AAD prefix that was given is not the file's"
                if self.algorithm.prefix_supplied
                else ""
            ),
            offset=len(footer),
        )

    def column(
        self,
        path: Path,
        crypto_metadata: structs.ColumnCryptoMetaData | None,
        row_group_ordinal: int,
        column_ordinal: int,
    ) -> ColumnCipher | None:
        """What opens the modules of one column chunk; None where it is plaintext: `crypto_metadata` is None.

        A file whose footer was encrypted without an AAD is DuckDB's, which encrypts all columns with the footer key
        and does not say so in `crypto_metadata`.

        `path` is the leaf's; `row_group_ordinal` is RowGroup.ordinal, or the position where that is not set;
        `column_ordinal` the chunk's position in its row group.
        """
        if crypto_metadata is None:
            if not self.aad_omitted:
                return None
            crypto_metadata = structs.ColumnCryptoMetaData(
                ENCRYPTION_WITH_FOOTER_KEY=structs.EncryptionWithFooterKey()
            )
        return ColumnCipher(self, tuple(path), crypto_metadata, row_group_ordinal, column_ordinal)

    def open(
        self,
        key: Key,
        buffer: Buffer,
        frame: Frame,
        module: Module,
        plausible: Plausible | None = None,
    ) -> bytes:
        """The plaintext of the GCM module in `frame`; when its tag does not fit, raises what `diagnosis` finds."""
        plain = self.attempt(key, buffer, frame, module)
        if plain is None:
            raise self._diagnose(key, buffer, frame, module, plausible)
        return plain

    def attempt(self, key: Key, buffer: Buffer, frame: Frame, module: Module) -> bytes | None:
        """The plaintext of the GCM module in `frame`, if it is `module`; None when its tag does not fit."""
        for omitted in self._aad_choices(key):
            place = b"" if omitted else module.aad(self.aad_prefix, self.algorithm.file_unique)
            try:
                plain = decrypt_gcm(key, buffer, frame, place)
            except TagMismatchError:
                continue
            self._opened(key, omitted)
            return plain
        return None

    def _aad_choices(self, key: Key) -> tuple[bool, ...]:
        """Whether to omit the AAD, in the order to try: only where the file has nothing to make one of."""
        if self.algorithm.has_aad:
            return (False,)
        if key in self._proven:
            return (self.aad_omitted,)
        return (False, True)

    def _opened(self, key: Key, omitted: bool) -> None:
        if key not in self._proven:
            with self._lock:
                self._proven.add(key)
                self.aad_omitted = self.aad_omitted or omitted

    def _diagnose(
        self, key: Key, buffer: Buffer, frame: Frame, module: Module, plausible: Plausible | None
    ) -> ParquetError:
        prefixes = {
            "the AAD prefix stored in the file": self.algorithm.stored_prefix,
            "no AAD prefix": b"",
        }
        situation = Situation(
            key,
            module,
            self.aad_prefix,
            self.algorithm.file_unique,
            prefixes,
            self.keys.others(),
            proven=key in self._proven,
            prefix_supplied=self.algorithm.prefix_supplied,
        )
        with self._lock:
            budget = min(diagnosis.MAX_BYTES, self._diagnosis_bytes)
        found = diagnosis.diagnose(buffer, frame, situation, plausible=plausible, max_bytes=budget)
        with self._lock:
            self._diagnosis_bytes -= found.bytes
        return found.error(frame.start)

    @property
    def facts(self) -> list[Fact]:
        """What the file says of its encryption, for people."""
        facts = self.algorithm.facts
        if self.aad_omitted:
            facts.append(
                Fact(
                    "AAD",
                    "omitted",
                    "Modules were encrypted without AAD: moving them goes unnoticed.",
                )
            )
        return facts + key_material.describe_key_metadata(self.footer_key_metadata)

    def __repr__(self) -> str:
        return f"<FileCipher {self.algorithm.name}>"
