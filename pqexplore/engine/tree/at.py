"""The column chunk and the page that an address lies in: the handles, without the nodes of the tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page

CHUNK = re.compile(r"row_groups/(\d+)/columns/(\d+)(?:/|$)")
PAGE = re.compile(r"row_groups/(\d+)/columns/(\d+)/pages/(\d+)(?:/|$)")


def chunk_at(file: ParquetFile, address: str) -> ColumnChunk:
    """The column chunk that `address` names or lies in. UsageError if it is in none."""
    match = CHUNK.match(address)
    if match is None:
        raise UsageError(f"{address or 'the file'} is not in a column chunk")
    group, column = map(int, match.groups())
    try:
        return file.row_groups[group].columns[column]
    except IndexError as error:
        raise UsageError(f"there is no {match[0].rstrip('/')}") from error


def page_at(file: ParquetFile, address: str) -> Page:
    """The page that `address` names or lies in. UsageError if it is in none."""
    match = PAGE.match(address)
    if match is None:
        raise UsageError(f"{address or 'the file'} is not in a page")
    try:
        return chunk_at(file, address).pages[int(match[3])]
    except IndexError as error:
        raise UsageError(f"there is no {match[0].rstrip('/')}") from error


def in_page(address: str) -> bool:
    """Whether the address is that of a page, or lies in one."""
    return PAGE.match(address) is not None
