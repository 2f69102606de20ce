"""From an address to the handle that it names: row group, column chunk, page."""

from __future__ import annotations

import re
from typing import Any

from pqexplore.engine.errors import UsageError

CHUNK = re.compile(r"row_groups/(\d+)/columns/(\d+)(?:/|$)")
PAGE = re.compile(r"row_groups/(\d+)/columns/(\d+)/pages/(\d+)(?:/|$)")


def chunk_at(file: Any, address: str) -> Any:
    """The column chunk that `address` names or lies in. `UsageError` where it is in none."""
    match = CHUNK.match(address)
    if match is None:
        raise UsageError(f"{address or 'the file'} is not in a column chunk")
    group, column = map(int, match.groups())
    try:
        return file.row_groups[group].columns[column]
    except IndexError as error:
        raise UsageError(f"there is no {match[0].rstrip('/')}") from error


def page_at(file: Any, address: str) -> Any:
    """The page that `address` names or lies in. `UsageError` where it is in no page."""
    match = PAGE.match(address)
    if match is None:
        raise UsageError(f"{address or 'the file'} is not in a page")
    try:
        return chunk_at(file, address).pages[int(match[3])]
    except IndexError as error:
        raise UsageError(f"there is no {match[0].rstrip('/')}") from error


def in_page(address: str) -> bool:
    """Whether the address is that of a page, or of something in a page."""
    return PAGE.match(address) is not None
