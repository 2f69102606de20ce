"""Finds the footer: the magic and the footer length at the end of the file, read with one read of the tail.

Source: https://parquet.apache.org/docs/file-format/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, NotParquetError
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, MAGIC, Footer
from pqexplore.engine.file.source import Source
from pqexplore.engine.limits import Limits

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption


TAIL = 64 << 10
"""Bytes of the first read: most footers fit, and a small file is read whole."""


def load(source: Source, decryption: Decryption | None, limits: Limits) -> Footer:
    """The footer of `source`. NotParquetError, CorruptFileError or LimitExceededError if there is no usable one."""
    footer, body = locate(source, limits)
    if footer.magic == ENCRYPTED_MAGIC:
        footer.open_encrypted(body, decryption)
    else:
        footer.open_plain(body, decryption)
    return footer


def locate(source: Source, limits: Limits) -> tuple[Footer, bytes | memoryview]:
    """A footer whose place is known but which is not read yet, and its bytes."""
    size = source.size
    if size < 12:
        what = "is empty" if size == 0 else f"has {size} bytes"
        raise NotParquetError(
            f"{source.name} {what}; the smallest Parquet file has 12 (magic, footer length, magic)", offset=0
        )
    known = None if source.local else source.kept_tail
    tail = bytes(known or source.read(size - min(TAIL, size), min(TAIL, size)))
    magic = tail[-4:]
    if magic not in (MAGIC, ENCRYPTED_MAGIC):
        raise NotParquetError(_no_magic(source, tail), offset=size - 4, address="footer_magic")
    length = int.from_bytes(tail[-8:-4], "little")
    start = size - 8 - length
    if start < 4:
        raise CorruptFileError(
            f"the footer length says {length:,} bytes, the file has room for {size - 12:,}; the file is cut off or "
            "its last bytes were overwritten",
            offset=size - 8,
            address="footer_length",
        )
    limits.check("footer_bytes", length, "the footer", offset=size - 8, address="footer_length")
    if length == 0:
        raise CorruptFileError(
            "the footer length says 0; a FileMetaData has at least its schema", offset=size - 8, address="footer_length"
        )
    footer = Footer(source, limits, start, magic)
    if length + 8 <= len(tail):
        return footer, tail[-8 - length : -8]
    if source.local:  # one read is cheaper than joining two parts
        return footer, source.read(start, length)
    return footer, bytes(source.read(start, length + 8 - len(tail))) + tail[:-8]


CUT_OFF = "it begins as a Parquet file, so it is cut off or still being written"
"""How the error ends for a file with the first magic and without the last."""


def _no_magic(source: Source, tail: bytes) -> str:
    """Why a file without a closing magic is none; `tail` are its last bytes."""
    begins, ends = bytes(source.read(0, 4)), tail[-4:]
    message = f"{source.name} does not end in PAR1 or PARE but in {ends!r}"
    known = begins in (MAGIC, ENCRYPTED_MAGIC)
    length = int.from_bytes(tail[-8:-4], "little")
    footer = tail[-8 - length : -8] if 0 < length <= len(tail) - 8 else b""
    if known and footer[:1] == b"\x15" and footer[-1:] == b"\x00":
        return f"{message}; the footer before it is there, so only the magic is wrong"
    if ends[:3] == b"PAR":
        return f"{message}, a magic that the format does not have: it is newer, or its last bytes were changed"
    if known:
        return f"{message}; {CUT_OFF}"
    return f"{message}, and does not begin so either: it is not a Parquet file"
