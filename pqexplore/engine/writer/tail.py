"""The end of a file that is made and not written: enough to open it, and to read what its footer says."""

from __future__ import annotations

from collections import deque

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer_tail import TAIL
from pqexplore.engine.file.source import Source

FOOTER_PIECES = 3
"""What the writer writes last: the footer, its length, the magic."""


class Tail:
    """A sink that keeps the magic and the last bytes: the footer, and as many as are read to find it.

    `missed` says that other bytes of the file were asked for since it was opened.
    """

    def __init__(self) -> None:
        self._magic = b""
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._size = 0
        self.missed = False

    def write(self, data: bytes, /) -> None:
        """Take the bytes, and let go of those that are no longer near the end."""
        self._magic = self._magic or bytes(data)
        self._pieces.append(data)
        self._size += len(data)
        self._held += len(data)
        while len(self._pieces) > FOOTER_PIECES and self._held - len(self._pieces[0]) >= TAIL:
            self._held -= len(self._pieces.popleft())

    def open(self, name: str) -> ParquetFile:
        """The file; only what is kept of it can be read."""
        kept = b"".join(self._pieces)
        begin = self._size - len(kept)

        def fetch(start: int, length: int) -> bytes:
            if start + length <= len(self._magic):
                return self._magic[start : start + length]
            if start < begin:
                self.missed = True
                raise CorruptFileError("the pages of this file were not kept", offset=start)
            return kept[start - begin : start - begin + length]

        return ParquetFile(Source(name, self._size, fetch, local=True))
