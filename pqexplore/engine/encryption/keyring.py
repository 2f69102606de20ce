"""The keys of one file: those that were given, and those that the file carries wrapped.

What the caller gave goes first. Otherwise the key metadata is unwrapped, once, when the key is first asked for.
Where there is no key the answer is a sentence that says which one is asked for, and what to do.
"""

from __future__ import annotations

import threading

from pqexplore.engine.encryption import key_material
from pqexplore.engine.encryption.key_material import Sibling
from pqexplore.engine.encryption.keys import Decryption, Key, Path, Sealed, quote
from pqexplore.engine.errors import EncryptedFileError, ParquetError


class KeyRing(Sealed):
    """Finds the footer key and column keys of a file encrypted with `algorithm`.

    `sibling` gives the bytes of a file in the same folder, `file_name` is the Parquet file's own name there: both are
    for external key material.
    """

    __slots__ = ("_file_name", "_lock", "_sibling", "_unlocked", "algorithm", "decryption")

    def __init__(
        self,
        algorithm: str,
        decryption: Decryption | None,
        sibling: Sibling | None = None,
        file_name: str | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.decryption = decryption or Decryption()
        self._sibling = sibling
        self._file_name = file_name
        self._lock = threading.RLock()
        self._unlocked: dict[bytes, Key | str] = {}

    def footer(self, key_metadata: bytes) -> Key | str:
        """The key of the footer and of the columns that share it; or why there is none."""
        return self.decryption.footer_key or self._find(
            key_metadata, "the footer key", "pass Decryption(footer_key=…)"
        )

    def column(self, path: Path, key_metadata: bytes) -> Key | str:
        """The key of a column that has its own; or why there is none."""
        given = self.decryption.column_key(path)
        if given is not None:
            return given
        name = quote(".".join(path))
        return self._find(
            key_metadata, f"column {name}", f"pass Decryption(column_keys={{{name}: …}})"
        )

    def others(self) -> dict[str, Key]:
        """All keys at hand, by a name for people."""
        found = self.decryption.given()
        with self._lock:
            for metadata, key in self._unlocked.items():
                if isinstance(key, Key):
                    found[f"{key_material.parse(metadata).asks_for}"] = key
        return found

    def _find(self, metadata: bytes, what: str, remedy: str) -> Key | str:
        with self._lock:
            found = self._unlocked.get(metadata)
            if found is None:
                found = self._unlocked[metadata] = self._unwrap(metadata)
        if isinstance(found, Key):
            return found
        asks_for = key_material.parse(metadata).asks_for
        tried = f" ({found})" if found else ""
        return f"{what} is locked with {self.algorithm} and asks for {asks_for}{tried}; {remedy}"

    def _unwrap(self, metadata: bytes) -> Key | str:
        """The key wrapped in `metadata`; or why not, empty where there was nothing to try."""
        parsed = key_material.parse(metadata)
        material, reference = parsed.material, parsed.reference
        try:
            if reference is not None:
                material = key_material.external(reference, self._file_name, self._sibling)
            return "" if material is None else key_material.unwrap(material, self.decryption)
        except ParquetError as error:
            return error.message


def usable(found: Key | str) -> Key:
    """The key; EncryptedFileError where there is a sentence in its stead, that says why there is none."""
    if isinstance(found, str):
        raise EncryptedFileError(found)
    return found
