"""The keys of one file: the caller's, and those that the file holds wrapped.

The caller's keys take precedence. Otherwise the key metadata is unwrapped, once, when the key is first needed. If there
is no key, the result is a sentence that says which key is needed, and what to do.
"""

from __future__ import annotations

import threading

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.format.encryption import key_material
from pqexplore.engine.format.encryption.key_material import KeyMaterial, Sibling
from pqexplore.engine.format.encryption.keys import Decryption, Key, KeyHolder, Path, quote


class KeyRing(KeyHolder):
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
        """The key of the footer and of the columns that share it; or a sentence that says why there is none."""
        return self.decryption.footer_key or self._find(
            key_metadata,
            f"the footer key was not given; the file is encrypted with {self.algorithm} and",
            "pass Decryption(footer_key=…)",
        )

    def column(self, path: Path, key_metadata: bytes) -> Key | str:
        """The key of a column that has its own; or a sentence that says why there is none."""
        given = self.decryption.column_key(path)
        if given is not None:
            return given
        name = quote(".".join(path))
        return self._find(
            key_metadata,
            f"column {name} is encrypted ({self.algorithm}) with a column key that was not given; the file",
            f"pass Decryption(column_keys={{{name}: …}})",
        )

    def others(self) -> dict[str, Key]:
        """All keys, by a name for people."""
        keys = self.decryption.given()
        with self._lock:
            for metadata, key in self._unlocked.items():
                if isinstance(key, Key):
                    keys[key_material.parse(metadata).asks_for] = key
        return keys

    @property
    def beside(self) -> str:
        """The name of the key material file beside the file; "" if its folder is not known."""
        if self._sibling is None or not self._file_name:
            return ""
        return key_material.material_file_name(self._file_name)

    def has_beside(self) -> bool:
        """Whether there is a key material file beside the file."""
        return bool(self.beside) and self._sibling is not None and self._sibling(self.beside) is not None

    def material(self, metadata: bytes) -> KeyMaterial | None:
        """The key material that key metadata holds, or refers to; None if neither.

        EncryptedFileError if the file that it refers to is not there, or does not have it.
        """
        parsed = key_material.parse(metadata)
        if parsed.reference is None:
            return parsed.material
        return key_material.external(parsed.reference, self._file_name, self._sibling)

    def _find(self, metadata: bytes, lacking: str, remedy: str) -> Key | str:
        with self._lock:
            key = self._unlocked.get(metadata)
            if key is None:
                key = self._unlocked[metadata] = self._unwrap(metadata)
        if isinstance(key, Key):
            return key
        asks_for = key_material.parse(metadata).asks_for
        tried = f" ({key})" if key else ""
        return f"{lacking} asks for {asks_for}{tried}; {remedy}"

    def _unwrap(self, metadata: bytes) -> Key | str:
        """The key wrapped in `metadata`; or why it cannot be unwrapped, empty if `metadata` has no wrapped key."""
        try:
            material = self.material(metadata)
            return "" if material is None else key_material.unwrap(material, self.decryption)
        except ParquetError as error:
            return error.message


def usable(key: Key | str) -> Key:
    """The key. Raises EncryptedFileError if there is a sentence in its place, which says why there is none."""
    if isinstance(key, str):
        raise EncryptedFileError(key)
    return key
