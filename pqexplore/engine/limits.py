"""Budgets against hostile files: what a file may make us allocate or do before we ask.

A limit is checked before the allocation it guards. The message names the limit, what was asked, and how to
raise it.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.errors import LimitExceededError


@dataclasses.dataclass(frozen=True)
class Limits:
    """The budgets of one open file. All sizes are in bytes.

    Pass `pqexplore.Limits(page_bytes=…)` to `open` to change one; the others keep their defaults.
    """

    footer_bytes: int = 512 << 20
    """Length of the footer."""
    schema_elements: int = 1_000_000
    """Elements of the schema."""
    schema_depth: int = 1_000
    """Nesting depth of the schema."""
    thrift_depth: int = 64
    """Nesting depth of Thrift structs and lists."""
    page_bytes: int = 256 << 20
    """Decompressed size of one page."""
    page_values: int = 1 << 26
    """Values of one page, nulls included."""
    chunk_pages: int = 10_000_000
    """Pages of one column chunk."""
    read_bytes: int = 4 << 30
    """Decompressed and decoded bytes that one `read()` may come to."""
    list_length: int = (1 << 31) - 1
    """Elements of one list value."""
    index_bytes: int = 256 << 20
    """Size of one column index, offset index or Bloom filter."""
    variant_depth: int = 500
    """Nesting depth of a Variant value."""

    def check(
        self,
        name: str,
        asked: int,
        what: str,
        *,
        offset: int | None = None,
        address: str | None = None,
    ) -> None:
        """Raise `LimitExceededError` when `asked` is more than the limit `name`; `what` is the noun asking."""
        allowed = getattr(self, name)
        if asked > allowed:
            raise LimitExceededError(
                f"{what} asks for {asked:,}, the limit {name} allows {allowed:,}; "
                f"to go on, open the file with limits=pqexplore.Limits({name}={asked})",
                offset=offset,
                address=address,
            )


DEFAULT = Limits()
