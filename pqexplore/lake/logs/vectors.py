"""Deletion vectors: names the files that hold Delta's, and reads those of Delta and Iceberg, which have the same bytes.

Sources: https://github.com/delta-io/delta/blob/master/PROTOCOL.md#deletion-vectors, and
https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type
"""

from __future__ import annotations

import binascii
import uuid
from urllib.parse import unquote

from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.text import clip
from pqexplore.lake.logs.log_paths import Names, require_inside
from pqexplore.lake.logs.roaring import Positions, positions
from pqexplore.lake.logs.table_log import Follow, LogError
from pqexplore.lake.places.allowed_paths import named_outside
from pqexplore.lake.places.place import READ, Place

MAGIC = b"\xd1\xd3\x39\x64"

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
    prefix, data = where[:-_UUID], _decoded(where[-_UUID:])
    if data is None:
        return None
    name = f"deletion_vector_{uuid.UUID(bytes=data)}.bin"
    return f"{prefix}/{name}" if prefix else name


def _decoded(text: str) -> bytes | None:
    """The bytes of a text in Z85; None if it is none."""
    data = bytearray()
    for start in range(0, len(text), 5):
        number = 0
        for letter in text[start : start + 5]:
            digit = _Z85.find(letter)
            if digit < 0:
                return None
            number = number * 85 + digit
        if number >= 1 << 32:
            return None
        data += number.to_bytes(4, "big")
    return bytes(data)


def inline_vector(text: str) -> Positions:
    """The rows of a deletion vector that is in Delta's log itself. CorruptFileError if it is none."""
    data = _decoded(text)
    if data is None:
        raise CorruptFileError("the deletion vector in the log is no Z85 text", address="")
    return _rows(data)


def delta_vector(place: Place, root: str, vector: str, follow: Follow | None) -> Positions:
    """The rows of a deletion vector of the Delta table at `root`, by its unique id. LogError for one outside of the table.

    Raises as `stored_vector` does.
    """
    storage, (where, _, offset) = vector[:1], vector[1:].rpartition("@")
    if storage == "i":
        return inline_vector(where)
    file = vector_file(storage, where)
    if file is None:
        raise CorruptFileError(f"the log names a deletion vector that no one finds: {clip(vector, 100)}", address="")
    names = Names(place, root)
    below = names.resolve(unquote(file))
    if below is None:
        address = names.absolute(unquote(file))
        if follow is None:
            raise LogError("outside", named_outside(address, root))
        place, path = follow(address)
    else:
        path = place.join(root, *below.split("/"))
        require_inside(place, path, root, follow is not None)
    return stored_vector(place, path, int(offset) if offset.isdecimal() else 0)


def stored_vector(place: Place, path: str, offset: int) -> Positions:
    """The rows of a deletion vector at an offset of a file. CorruptFileError if there is none, OSError if it cannot be read."""
    source = place.source(path)
    try:
        size = int.from_bytes(source.read(offset, 4), "big")
        if size > READ:
            raise LimitExceededError(f"{path} has a deletion vector of {size:,} bytes; {READ:,} are read", address="")
        data = bytes(source.read(offset + 4, size))
        if binascii.crc32(data) != int.from_bytes(source.read(offset + 4 + size, 4), "big"):
            raise CorruptFileError(
                f"the deletion vector at byte {offset:,} of {path} has another checksum", offset=offset
            )
    finally:
        source.close()
    return _rows(data)


def require_count(found: Positions, counted: int) -> None:
    """Raise CorruptFileError if a deletion vector does not have as many rows as the log says."""
    if len(found) != counted:
        raise CorruptFileError(
            f"the deletion vector has {len(found):,} rows, and the log says {counted:,}: which rows are live is unknown",
            address="",
        )


def _rows(data: bytes) -> Positions:
    if data[:4] != MAGIC:
        raise CorruptFileError("a deletion vector does not begin with its magic number", address="")
    return positions(data[4:])
