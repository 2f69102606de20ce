"""The encryption algorithm of a file, the file's identifier and its AAD prefix.

The prefix is an identity that people give a file, so that another file cannot replace it. It is stored in the file, or
supplied by the reader; a prefix that is both stored and supplied is compared.

Specification: https://github.com/apache/parquet-format/blob/master/Encryption.md#4412-aad-prefix
"""

from __future__ import annotations

from pqexplore.engine.errors import EncryptedFileError
from pqexplore.engine.fact import Fact
from pqexplore.engine.format.encryption.keys import quote
from pqexplore.engine.format.thrift import structs


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
