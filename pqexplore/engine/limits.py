"""Limits against hostile files: what a file may make the engine allocate or do.

A limit is checked before the allocation that it bounds. The message names the limit, the amount, and how to raise it.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.errors import LimitExceededError


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of one open file. All sizes are in bytes.

    Pass `pqexplore.Limits(page_bytes=…)` to `open` to change one; the others keep their defaults.
    """

    footer_bytes: int = 512 << 20
    """Length of the footer."""
    schema_elements: int = 500_000
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
    """Decompressed and decoded bytes of one `read()`."""
    list_length: int = (1 << 31) - 1
    """Elements of one list value."""
    index_bytes: int = 256 << 20
    """Size of one column index, offset index or Bloom filter."""
    variant_depth: int = 500
    """Nesting depth of a Variant value."""
    work_bytes: int = 4 << 30
    """Bytes that one question (`check`, a lens, `layout`, salvage, an export, …) may decode. Each byte of the file's
    pages adds 256 to it."""
    work_nodes: int = 500_000
    """Nodes, rows and findings that one question may make. Each byte of the file's pages adds one."""
    work_seconds: float = 5.0
    """Seconds of the processor that one question may take. Each 16 KiB of the file's pages add one."""

    def check(self, name: str, asked: int, what: str, *, offset: int | None = None, address: str | None = None) -> None:
        """Raises LimitExceededError if `asked` is more than the limit `name`; `what` names what asks for it."""
        allowed = getattr(self, name)
        if asked > allowed:
            raise LimitExceededError(
                f"{what} asks for {asked:,}, the limit {name} allows {allowed:,}; "
                f"to go on, open the file with limits=pqexplore.Limits({name}={asked})",
                offset=offset,
                address=address,
            )


DEFAULT = Limits()
