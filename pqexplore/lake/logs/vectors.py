"""Names the files that hold Delta's deletion vectors.

Source: https://github.com/delta-io/delta/blob/master/PROTOCOL.md#deletion-vectors
"""

from __future__ import annotations

import uuid

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_UUID = 20
"""Characters of a UUID in Z85."""


def vector_file(storage: object, where: object) -> str | None:
    """The file of a deletion vector, as the log names files; None if the vector is in the log itself, or is invalid.

    `storage` and `where` are its storageType and pathOrInlineDv: `u` is a UUID after a prefix, which is a folder; `p` a
    path.
    """
    if storage == "p" and isinstance(where, str) and where:
        return where
    if storage != "u" or not isinstance(where, str) or len(where) < _UUID:
        return None
    prefix, text = where[:-_UUID], where[-_UUID:]
    data = bytearray()
    for start in range(0, _UUID, 5):
        number = 0
        for letter in text[start : start + 5]:
            digit = _Z85.find(letter)
            if digit < 0:
                return None
            number = number * 85 + digit
        if number >= 1 << 32:
            return None
        data += number.to_bytes(4, "big")
    name = f"deletion_vector_{uuid.UUID(bytes=bytes(data))}.bin"
    return f"{prefix}/{name}" if prefix else name
