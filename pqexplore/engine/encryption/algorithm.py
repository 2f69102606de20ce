"""What a file says of its encryption: the algorithm, the file's identifier and its AAD prefix.

The prefix is the identity that people gave the file, so that one file cannot stand in for another. It is stored in
the file, or kept from it and supplied by the reader; a reader who supplies one where it is stored wants them compared
(specification, "AAD prefix").
"""

from __future__ import annotations

from typing import Any

from pqexplore.engine.encryption.keys import quote
from pqexplore.engine.errors import EncryptedFileError
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Fact


class Algorithm:
    """An EncryptionAlgorithm, read: `name` is AES_GCM_V1, AES_GCM_CTR_V1 or "an unknown algorithm".

    `ctr` says that pages are encrypted with CTR; `file_unique` and `stored_prefix` are empty where the file has none.
    """

    __slots__ = ("ctr", "file_unique", "known", "name", "stored_prefix", "supply_prefix")

    def __init__(self, algorithm: structs.EncryptionAlgorithm) -> None:
        named = structs.union_field(algorithm)
        details: Any = structs.AesGcmV1() if named is None else named[1]
        self.known = named is not None
        self.name = "an unknown algorithm" if named is None else named[0]
        self.ctr = self.name == "AES_GCM_CTR_V1"
        self.file_unique = bytes(details.aad_file_unique or b"")
        self.stored_prefix = bytes(details.aad_prefix or b"")
        self.supply_prefix = bool(details.supply_aad_prefix)

    @property
    def prefix_supplied(self) -> bool:
        """Whether the AAD prefix has to come from the reader."""
        return self.supply_prefix and not self.stored_prefix

    @property
    def has_aad(self) -> bool:
        """Whether there is anything that ties modules to this file."""
        return bool(self.file_unique or self.stored_prefix or self.supply_prefix)

    def prefix(self, supplied: bytes | None) -> bytes:
        """The AAD prefix to use: the stored one, or the one `supplied` by the reader.

        Raises EncryptedFileError where it must be supplied and is not, and where the one supplied is not the file's.
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
                "an AAD prefix was given, and the file was written without one: "
                "the file is another than expected"
            )
        return supplied

    @property
    def facts(self) -> list[Fact]:
        """The same for people."""
        kept = "stored" if self.stored_prefix else "none"
        facts = [
            Fact(
                "encryption algorithm",
                self.name,
                "Pages are encrypted with AES-CTR, without a tag; all else with AES-GCM."
                if self.ctr
                else "Every module is encrypted with AES-GCM: what is changed or moved is noticed.",
            ),
            Fact("aad_file_unique", self.file_unique.hex(), "Ties every module to this file."),
            Fact(
                "AAD prefix",
                "must be supplied" if self.prefix_supplied else kept,
                "The file's identity, as those who wrote it chose it.",
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
