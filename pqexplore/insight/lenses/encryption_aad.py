"""The parts of a module's AAD, as they are shown. An AAD prefix that the file does not store is shown by its length only.

See "Additional Authenticated Data" in https://github.com/apache/parquet-format/blob/master/Encryption.md
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.modules import AadPart as EngineAadPart
from pqexplore.engine.format.encryption.modules import Module, explain_aad
from pqexplore.insight.text import shorten

TEXT = 300
"""Characters of a shown text."""


@dataclasses.dataclass(slots=True)
class AadPart:
    """A part of an AAD. `hex` and `bytes` (their number) are None if they are not in the file, or not known."""

    name: str
    hex: str | None
    bytes: int | None
    value: str
    meaning: str


def aad_parts(cipher: FileCipher, module: Module | None, ctr: bool = False) -> list[AadPart]:
    """The parts of a module's AAD in order; one part that says why, if there is no AAD or it is not known."""
    if ctr:
        why = "AES-CTR has no tag, so there is nothing that could vouch for an AAD"
        return [AadPart("no AAD", "", 0, "", why)]
    if cipher.aad_omitted or not cipher.algorithm.has_aad:
        why = "the writer left it out: nothing ties the module to its place"
        return [AadPart("no AAD", "", 0, "", why)]
    if module is None:
        why = "what the module is, and where it belongs, is not known without the key"
        return [AadPart("not known", None, None, "", why)]
    algorithm = cipher.algorithm
    try:
        parts = explain_aad(
            algorithm.stored_prefix,
            algorithm.file_unique,
            module.type,
            module.row_group_ordinal,
            module.column_ordinal,
            module.page_ordinal,
        )
    except ParquetError as error:
        return [AadPart("none", None, None, "", error.message)]
    return [
        _prefix(cipher, part)
        if part.name == "AAD prefix"
        else _part(part, "" if isinstance(part.value, bytes) else str(part.value))
        for part in parts
    ]


def _part(part: EngineAadPart, value: str) -> AadPart:
    return AadPart(
        part.name, shorten(part.data.hex(" "), TEXT), len(part.data), value, part.meaning
    )


def _prefix(cipher: FileCipher, part: EngineAadPart) -> AadPart:
    """The AAD prefix: its bytes if the file stores it, its length if the reader supplied it."""
    if not cipher.algorithm.prefix_supplied:
        return _part(part, _text(part.data) if part.data else "none")
    try:
        size, value = len(cipher.aad_prefix), "supplied by the reader"
    except EncryptedFileError:
        return AadPart(part.name, None, None, "must be supplied by the reader", part.meaning)
    return AadPart(part.name, None, size, value, part.meaning)


def _text(data: bytes) -> str:
    try:
        return shorten(data.decode(), TEXT)
    except UnicodeDecodeError:
        return ""
