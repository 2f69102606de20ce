"""Decryption of a file: the key and the AAD of each module.

A `FileCipher` has the file's EncryptionAlgorithm and the keys. It decrypts the footer, or checks the signature of a
plaintext footer, and has what `column_cipher` needs for a column. A key is looked up when it is first needed: first among
the caller's keys, then among those that the file holds wrapped. A part whose key is missing is `locked`, and `reason` is
the sentence that says which key it needs.

Specification: https://github.com/apache/parquet-format/blob/master/Encryption.md
"""

from __future__ import annotations

import dataclasses
import threading

from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.format.encryption import diagnosis, key_material, modules
from pqexplore.engine.format.encryption.diagnosis import Plausible, Situation
from pqexplore.engine.format.encryption.key_material import Sibling
from pqexplore.engine.format.encryption.keyring import KeyRing, usable
from pqexplore.engine.format.encryption.keys import Buffer, Decryption, Key, KeyHolder, quote
from pqexplore.engine.format.encryption.modules import (
    Aad,
    AadPart,
    Module,
    ModuleFrame,
    ModuleType,
    TagMismatchError,
    decrypt_gcm,
    split,
)
from pqexplore.engine.format.thrift import structs

# The encryption algorithm of a file, the file's identifier and its AAD prefix.
#
# The prefix is an identity that people give a file, so that another file cannot replace it. It is stored in the file, or
# supplied by the reader; a prefix that is both stored and supplied is compared.
#
# Specification: https://github.com/apache/parquet-format/blob/master/Encryption.md#4412-aad-prefix


class Algorithm:
    """What an EncryptionAlgorithm struct says: `name` is AES_GCM_V1, AES_GCM_CTR_V1 or "an unknown algorithm".

    `ctr` is true if pages are encrypted with CTR; `file_unique` and `stored_prefix` are empty if the file has none.
    """

    __slots__ = ("ctr", "file_unique", "known", "name", "stored_prefix", "supply_prefix")

    def __init__(self, algorithm: structs.EncryptionAlgorithm) -> None:
        named = structs.union_field(algorithm)
        details = structs.AesGcmV1() if named is None else named[1]
        self.known = named is not None
        self.name = "an unknown algorithm" if named is None else named[0]
        self.ctr = self.name == "AES_GCM_CTR_V1"
        self.file_unique = bytes(details.aad_file_unique or b"")
        self.stored_prefix = bytes(details.aad_prefix or b"")
        self.supply_prefix = bool(details.supply_aad_prefix)

    @property
    def prefix_supplied(self) -> bool:
        """Whether the reader must supply the AAD prefix."""
        return self.supply_prefix and not self.stored_prefix

    @property
    def has_aad(self) -> bool:
        """Whether modules have an AAD that binds them to this file."""
        return bool(self.file_unique or self.stored_prefix or self.supply_prefix)

    def prefix(self, supplied: bytes | None) -> bytes:
        """The AAD prefix to use: the stored one, or the one `supplied` by the reader.

        Raises EncryptedFileError if it must be supplied and is not, and if the supplied one is not the file's.
        """
        if supplied is None:
            if self.prefix_supplied:
                raise EncryptedFileError(
                    "the file does not store its AAD prefix (supply_aad_prefix); "
                    "pass Decryption(aad_prefix=…) with the one it was written with"
                )
            return self.stored_prefix
        if self.stored_prefix and supplied != self.stored_prefix:
            raise EncryptedFileError(
                f"the AAD prefix that was given is not the file's own, {_text(self.stored_prefix)}: "
                "the file is another than expected"
            )
        if supplied and not self.stored_prefix and not self.supply_prefix:
            raise EncryptedFileError(
                "an AAD prefix was given, and the file was written without one: the file is another than expected"
            )
        return supplied

    @property
    def facts(self) -> list[Fact]:
        """What this object says, as facts for people."""
        state = "stored" if self.stored_prefix else "none"
        facts = [
            Fact(
                "encryption algorithm",
                self.name,
                "Pages are encrypted with AES-CTR, without a tag; other modules with AES-GCM."
                if self.ctr
                else "Every module is encrypted with AES-GCM: changed and moved bytes are detected.",
            ),
            Fact("aad_file_unique", self.file_unique.hex(), "Binds every module to this file."),
            Fact(
                "AAD prefix",
                "must be supplied" if self.prefix_supplied else state,
                "The file's identity, chosen by its writer.",
            ),
        ]
        if self.stored_prefix:
            facts.append(Fact("aad_prefix", _text(self.stored_prefix), "As stored in the file."))
        return facts


def _text(prefix: bytes) -> str:
    try:
        return quote(prefix.decode())
    except UnicodeDecodeError:
        return f"0x{prefix[:64].hex()}"


_DIAGNOSIS_BYTES = 1 << 30
"""Bytes that all diagnoses of one file may decrypt."""


class FileCipher(KeyHolder):
    """Decrypts the modules of one file.

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
        """True after a module was decrypted without an AAD, which is how DuckDB writes: then a moved module is not
        detected."""
        self._lock = threading.RLock()
        self._proven: set[Key] = set()
        self._diagnosis_bytes = _DIAGNOSIS_BYTES

    @property
    def aad_prefix(self) -> bytes:
        """The AAD prefix in use; EncryptedFileError as in `Algorithm.prefix`."""
        return self.algorithm.prefix(self.keys.decryption.aad_prefix)

    @property
    def problem(self) -> str:
        """Why no part can be decrypted, even with keys, as a sentence; empty if nothing prevents it."""
        if not self.algorithm.known:
            return "the file is encrypted with an algorithm that is neither AES_GCM_V1 nor AES_GCM_CTR_V1"
        try:
            _ = self.aad_prefix
        except EncryptedFileError as error:
            return error.message
        return ""

    def footer_key(self) -> Key | str:
        """The key of the footer and of the columns that share it; or a sentence that says why there is none."""
        return self.problem or self.keys.footer(self.footer_key_metadata)

    @property
    def footer_reason(self) -> str:
        """Why there is no footer key, as a sentence; empty if there is one."""
        key = self.footer_key()
        return key if isinstance(key, str) else ""

    def decrypt_footer(self, buffer: Buffer, *, plausible: Plausible | None = None) -> bytes:
        """The bytes of the FileMetaData in the footer's module, with which `buffer` begins.

        The module follows the FileCryptoMetaData. Raises EncryptedFileError if the key or the AAD prefix is missing or
        wrong, CorruptFileError if the bytes are damaged.
        """
        key = usable(self.footer_key())
        frame = split(buffer, ctr=False)
        return self.open(key, buffer, frame, Module(ModuleType.FOOTER), plausible)

    def verify_footer_signature(self, footer: Buffer, signature: Buffer) -> bool:
        """True if the 28 bytes after a plaintext footer, nonce and tag, are its signature.

        The tag is that of the footer encrypted with the footer key (specification, "Plaintext footer mode"). Raises
        EncryptedFileError if the key is missing, CorruptFileError if the signature does not fit.
        """
        key = usable(self.footer_key())
        if len(signature) != modules.SIGNATURE_BYTES:
            raise CorruptFileError(
                f"the signature of a plaintext footer has {modules.SIGNATURE_BYTES} bytes, here are {len(signature)}",
                offset=len(footer),
            )
        import hmac

        nonce = bytes(signature[: modules.NONCE_BYTES])
        stored = bytes(signature[modules.NONCE_BYTES :])
        for omitted in self._aad_choices(key):
            aad = b"" if omitted else Module(ModuleType.FOOTER).aad(self.aad_prefix, self.algorithm.file_unique)
            tag = modules.sign(key, footer, aad, lambda: nonce)[modules.NONCE_BYTES :]
            if hmac.compare_digest(tag, stored):
                self._opened(key, omitted)
                return True
        known = key in self._proven
        raise CorruptFileError(
            "the signature of the plaintext footer does not fit: the footer was changed after it was signed"
            + ("" if known else ", or the footer key is not the one that signed it")
            + (", or the AAD prefix that was given is not the file's" if self.algorithm.prefix_supplied else ""),
            offset=len(footer),
        )

    def open(
        self, key: Key, buffer: Buffer, frame: ModuleFrame, module: Module, plausible: Plausible | None = None
    ) -> bytes:
        """The plaintext of the GCM module in `frame`. If its tag does not fit, raises the error that `diagnosis` finds."""
        plain = self.attempt(key, buffer, frame, module)
        if plain is None:
            raise self._diagnose(key, buffer, frame, module, plausible)
        return plain

    def attempt(self, key: Key, buffer: Buffer, frame: ModuleFrame, module: Module) -> bytes | None:
        """The plaintext of the GCM module in `frame`, if it is `module`; None if its tag does not fit."""
        for omitted in self._aad_choices(key):
            aad = b"" if omitted else module.aad(self.aad_prefix, self.algorithm.file_unique)
            try:
                plain = decrypt_gcm(key, buffer, frame, aad)
            except TagMismatchError:
                continue
            self._opened(key, omitted)
            return plain
        return None

    def _aad_choices(self, key: Key) -> tuple[bool, ...]:
        """Whether to omit the AAD, in the order to try. It is omitted only if the file has no identifier and no prefix."""
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
        self, key: Key, buffer: Buffer, frame: ModuleFrame, module: Module, plausible: Plausible | None
    ) -> ParquetError:
        prefixes = {"the AAD prefix stored in the file": self.algorithm.stored_prefix, "no AAD prefix": b""}
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
        result = diagnosis.diagnose(buffer, frame, situation, plausible=plausible, max_bytes=budget)
        with self._lock:
            self._diagnosis_bytes -= result.bytes
        return result.error(frame.start)

    def aad(self, module: Module | None, *, ctr: bool = False) -> Aad:
        """The AAD of a module, or why there is none or it is not known; `module` is None if its place is not known.

        `ctr`: the module is encrypted with AES-CTR. An AAD prefix that the file does not store is given by its length.
        """
        if ctr:
            return Aad(absent="none", why="AES-CTR has no tag, so there is nothing that could vouch for an AAD")
        if self.aad_omitted:
            why = "the writer left it out: nothing ties the module to its place"
            return Aad(absent="none", why=why)
        if not self.algorithm.has_aad and not self._proven:
            why = "the file stores neither an identifier nor an AAD prefix; only a key shows if the writer left the AAD out"
            return Aad(absent="not known", why=why)
        if module is None:
            why = "what the module is, and where it belongs, is not known without the key"
            return Aad(absent="not known", why=why)
        try:
            parts = modules.explain_aad(
                self.algorithm.stored_prefix,
                self.algorithm.file_unique,
                module.type,
                module.row_group_ordinal,
                module.column_ordinal,
                module.page_ordinal,
            )
        except CorruptFileError as error:
            return Aad(absent="none", why=error.message)
        if self.algorithm.prefix_supplied:
            parts = (self._supplied(parts[0]), *parts[1:])
        return Aad(parts)

    def _supplied(self, prefix: AadPart) -> AadPart:
        """The AAD prefix that the reader must supply."""
        try:
            value, size = "supplied by the reader", len(self.aad_prefix)
        except EncryptedFileError:
            return dataclasses.replace(prefix, data=None, value="must be supplied by the reader", size=None)
        return dataclasses.replace(prefix, data=None, value=value, size=size)

    @property
    def facts(self) -> list[Fact]:
        """The file's encryption, as facts for people."""
        facts = self.algorithm.facts
        if self.aad_omitted:
            facts.append(Fact("AAD", "omitted", "Modules were encrypted without AAD: a moved module is not detected."))
        return facts + key_material.describe_key_metadata(self.footer_key_metadata)

    def __repr__(self) -> str:
        return f"<FileCipher {self.algorithm.name}>"
