"""Addresses of a file to which a lens applies, for the message that it does not apply to another."""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree.node import Node
from pqexplore.insight.lenses.lens import Lens

PLACES = 3
"""Addresses that are named."""

LOOKED_AT = 200
"""Columns that are looked at, and their pages and values in the first row group."""

_PARTS = ("column_index", "offset_index", "bloom_filter", "pages/0", "pages/1", "pages/0/values/0")


def where_it_applies(file: ParquetFile, lens: Lens, node: Node, over_all: bool) -> list[str]:
    """At most `PLACES` addresses to which a lens applies, those above the node first; empty if none was found.

    `over_all`: the lens has a table over the column chunks of a file.
    """
    found: list[str] = [""] if over_all else []
    for address in _candidates(file, Address(node.address)):
        if len(found) == PLACES:
            break
        try:
            one = file.node(address)
            applies = lens.applies(one) and not (lens.lacking and lens.lacking(file, one))
        except (ParquetError, KeyError, ValueError, IndexError):
            continue
        if applies and address not in found:
            found.append(address)
    return found


def _candidates(file: ParquetFile, address: Address) -> Iterator[str]:
    """Addresses that most lenses apply to one of: above the node, then from the file down to values."""
    while address:
        address = address.parent
        yield address
    columns = range(min(len(file.schema.leaves), LOOKED_AT))
    fields = range(1, min(len(file.schema.fields), LOOKED_AT))
    yield from ("footer", "schema", "row_groups", "row_groups/0")
    yield from (f"row_groups/0/columns/{column}" for column in columns)
    yield from (f"schema/{field}" for field in fields)
    for part in _PARTS:
        yield from (f"row_groups/0/columns/{column}/{part}" for column in columns)
