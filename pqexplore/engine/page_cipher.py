"""The pages of an encrypted column: which bytes of each are sealed, and how its key opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.encryption.modules import LENGTH_BYTES, ModuleType, module_size
from pqexplore.engine.pages import Frame
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import PageType

if TYPE_CHECKING:
    from pqexplore.engine.encryption.column_cipher import ColumnCipher


class PageCipher:
    """The key of one encrypted column, turned on its pages.

    `bare` is whether the file's modules have no AAD, as DuckDB writes them: its page headers do not count the
    bytes that encryption adds to a page.
    """

    def __init__(self, column: ColumnCipher, bare: bool) -> None:
        self.column = column
        self._bare = bare

    def decrypt_header(self, module: memoryview, ordinal: int, first: bool) -> bytes:
        """A page header in the clear; `ordinal` counts data pages, the first page may be a dictionary page."""
        return self.column.decrypt_page_header(module, ordinal, first=first)[1]

    def body_size(self, header: structs.PageHeader, start: memoryview) -> int:
        """How many bytes the page's body takes in the file."""
        return module_size(start) if self._bare else header.compressed_page_size

    def decrypt_page(self, frame: Frame, stored: memoryview) -> bytes:
        """A page's body in the clear, still compressed."""
        kind = ModuleType.DATA_PAGE if frame.is_data else ModuleType.DICTIONARY_PAGE
        open_bytes = levels_in_clear(frame, stored)
        if not open_bytes:
            return self.column.decrypt(kind, stored, frame.ordinal)
        values = self.column.decrypt(kind, stored[open_bytes:], frame.ordinal)
        return bytes(stored[:open_bytes]) + values


def levels_in_clear(frame: Frame, stored: memoryview | bytes) -> int:
    """Bytes of levels that lie before the module of an encrypted page; `stored` is its body, four bytes of it at least.

    The specification encrypts a page as a whole, and so do Arrow's writers. parquet-java encrypts of a V2 page the values
    alone, and leaves the levels before them as they are.
    """
    if frame.header.type != PageType.DATA_PAGE_V2 or len(stored) < LENGTH_BYTES:
        return 0
    size = frame.end - frame.header_end
    if int.from_bytes(stored[:LENGTH_BYTES], "little") + LENGTH_BYTES == size:
        return 0
    header = frame.header.data_page_header_v2
    levels: int = header.repetition_levels_byte_length + header.definition_levels_byte_length
    return levels if levels <= size - LENGTH_BYTES else 0
