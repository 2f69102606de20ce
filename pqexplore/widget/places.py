"""From an address to the handle that it names, and what kind of file it is in."""

from __future__ import annotations

import re
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.footer import ENCRYPTED_MAGIC

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


def is_encrypted(file: Any) -> bool:
    """Whether any of the file may be encrypted: its footer, or columns under a plaintext footer."""
    if file.metadata is None or file.footer.magic == ENCRYPTED_MAGIC:
        return True
    return file.metadata.encryption_algorithm is not None
