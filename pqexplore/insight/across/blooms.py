"""The Bloom filters of all column chunks below a node: their sizes, and how full they are."""

from __future__ import annotations

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.bloom import occupancy_of, verdict_of
from pqexplore.insight.totals import totals
from pqexplore.insight.wording import plural

COLUMNS = (
    *PLACE,
    Column("bytes", "bytes", "bytes", "of the filter: its header and its bitset", "largest"),
    Column("blocks", "blocks", "number", total="some"),
    Column("bits_set", "bits set", "number", total="some"),
    Column("filled", "filled", "share", "of the bits"),
    Column("distinct", "distinct", "number", "estimated from the bits that are set"),
    Column("lets_through", "lets through", "share", "of the values that are not there, estimated"),
    Column("verdict", "verdict", total="each"),
    Column("offset", "offset", "number", "of the header in the file"),
    Column("remark", "remark"),
)


def over(scope: Scope) -> Answer:
    """A row for each filter; one that cannot be read has the reason."""
    table = Table(COLUMNS, "Bloom filters")
    without = unread = 0
    for group, leaf, chunk in scope.chunks():
        before = group, ".".join(leaf.path)
        address = address_of(group, leaf)
        try:
            if isinstance(chunk, ParquetError):
                raise chunk
            bloom = chunk.bloom_filter
            if bloom is None:
                without += 1
                continue
            found, size = occupancy_of(chunk, bloom), len(bloom.bitset)
            whole = chunk.bloom_filter_span
        except ParquetError as error:
            unread += 1
            table.add(*before, *([None] * 8), error.message, address=address)
            continue
        table.add(
            *before,
            None if whole is None else len(whole),
            bloom.num_blocks,
            found.bits_set,
            found.bits_set / found.bits,
            round(found.ndv),
            found.fpp,
            verdict_of(found, size)[0],
            bloom.offset,
            None,
            address=f"{address}/bloom_filter",
            span=None if chunk.elsewhere else whole,
        )
    filters = len(table.rows) - unread
    said = f"Of {scope.named} {filters:,} {'has' if filters == 1 else 'have'} a Bloom filter"
    said += f"; {plural(unread, 'cannot be read', 'cannot be read')}" if unread else ""
    return Answer(f"{said}.", table=table, totals=totals(table, "filter"))
