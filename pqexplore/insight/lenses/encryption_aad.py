"""The parts of a module's AAD, as they are shown. An AAD prefix that the file does not store is shown by its length only.

See "Additional Authenticated Data" in https://github.com/apache/parquet-format/blob/master/Encryption.md
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.format.encryption.modules import Aad
from pqexplore.engine.format.encryption.modules import AadPart as EngineAadPart
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


def aad_parts(aad: Aad) -> list[AadPart]:
    """The parts of a module's AAD in order; one part that says why, if there is no AAD or it is not known."""
    if not aad.parts:
        if aad.absent == "none":
            return [AadPart("no AAD", "", 0, "", aad.why)]
        return [AadPart("not known", None, None, "", aad.why)]
    return [
        AadPart(
            part.name,
            None if part.data is None else shorten(part.data.hex(" "), TEXT),
            part.size,
            _value(part),
            part.meaning,
        )
        for part in aad.parts
    ]


def _value(part: EngineAadPart) -> str:
    if part.name != "AAD prefix":
        return "" if isinstance(part.value, bytes) else str(part.value)
    if not isinstance(part.value, bytes):
        return str(part.value)
    try:
        return shorten(part.value.decode(), TEXT) or "none"
    except UnicodeDecodeError:
        return ""
