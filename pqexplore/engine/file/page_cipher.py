"""Decrypts the pages of an encrypted column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.file.page_headers import PageFrame, part_v2
from pqexplore.engine.format.encryption.modules import LENGTH_BYTES, ModuleType, module_size
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import PageType

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.column_cipher import ColumnCipher


class PageCipher:
    """Decrypts page headers and pages with the keys of their column.

    `bare`: the file's modules have no AAD, as DuckDB writes them. Its page headers do not count the bytes that encryption
    adds to a page.
    """

    def __init__(self, column: ColumnCipher, bare: bool) -> None:
        self.column = column
        self._bare = bare

    def decrypt_header(self, module: memoryview, ordinal: int, first: bool) -> bytes:
        """A page header, decrypted. `ordinal` counts data pages; the `first` page may be a dictionary page."""
        return self.column.decrypt_page_header(module, ordinal, first=first)[1]

    def body_size(self, header: structs.PageHeader, start: memoryview) -> int:
        """How many bytes the page's body takes in the file."""
        return module_size(start) if self._bare else header.compressed_page_size

    def decrypt_page(self, frame: PageFrame, stored: memoryview) -> bytes:
        """A page's body, decrypted and still compressed."""
        kind = ModuleType.DATA_PAGE if frame.is_data else ModuleType.DICTIONARY_PAGE
        open_bytes = levels_in_clear(frame, stored)
        if not open_bytes:
            return self.column.decrypt(kind, stored, frame.ordinal)
        values = self.column.decrypt(kind, stored[open_bytes:], frame.ordinal)
        return bytes(stored[:open_bytes]) + values


def levels_in_clear(frame: PageFrame, stored: memoryview | bytes) -> int:
    """Bytes of plaintext levels before the module of an encrypted page. `stored` is its body, or at least 4 bytes of it.

    The specification encrypts a page as a whole, and so do Arrow's writers. parquet-java encrypts only the values of a V2
    page, and leaves the levels before them as plaintext.
    """
    if frame.header.type != PageType.DATA_PAGE_V2 or len(stored) < LENGTH_BYTES:
        return 0
    size = frame.end - frame.header_end
    if int.from_bytes(stored[:LENGTH_BYTES], "little") + LENGTH_BYTES == size:
        return 0
    header = part_v2(frame.header)
    levels = header.repetition_levels_byte_length + header.definition_levels_byte_length
    return levels if levels <= size - LENGTH_BYTES else 0
