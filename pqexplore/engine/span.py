"""The place of bytes: a range in a space."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.text import printable

FILE = "file"
"""The space of the file's own bytes. Any other space is named by the address of the page whose decrypted or
decompressed bytes it is, followed by `:decrypted` or `:decompressed`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """The bytes `[start, end)` of a space."""

    start: int
    end: int
    space: str = FILE

    def __len__(self) -> int:
        return self.end - self.start

    def __str__(self) -> str:
        place = "" if self.space == FILE else f" of {printable(self.space)}"
        return f"[{self.start:,}, {self.end:,}){place}"

    def shifted(self, by: int, space: str | None = None) -> Span:
        """The same bytes in a space that begins `by` bytes earlier."""
        return Span(self.start + by, self.end + by, self.space if space is None else space)
