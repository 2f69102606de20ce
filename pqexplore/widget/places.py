"""From an address to the handle that it names: row group, column chunk, page."""

from __future__ import annotations

import re
from typing import Any

from pqexplore.engine.errors import UsageError

PAGE = re.compile(r"row_groups/(\d+)/columns/(\d+)/pages/(\d+)(?:/|$)")


def page_at(file: Any, address: str) -> Any:
    """The page that `address` names or lies in. `UsageError` where it is in no page."""
    match = PAGE.match(address)
    if match is None:
        raise UsageError(f"{address or 'the file'} is not in a page")
    group, column, page = map(int, match.groups())
    try:
        return file.row_groups[group].columns[column].pages[page]
    except IndexError as error:
        raise UsageError(f"there is no {match[0].rstrip('/')}") from error


def in_page(address: str) -> bool:
    """Whether the address is that of a page, or of something in a page."""
    return PAGE.match(address) is not None
