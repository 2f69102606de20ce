"""Point lookups: a condition's values in the Bloom filters of all row groups at once.

A filter says "perhaps" for a value that is there, and for some that are not. How often is known from how full it is; so the
number of row groups that a lookup reads in vain can be expected before a value is read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import clip, printable
from pqexplore.insight.ask.bound import Test, tests
from pqexplore.insight.ask.pruning_result import CLAUSE
from pqexplore.insight.axis import text_of
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.bloom import BloomFilter
    from pqexplore.insight.ask.plan import Plan

VALUES = 100
"""Values of a clause that are looked up one by one."""

BYTES = 256 << 20
"""Bytes of filters that are read to count their bits."""


@dataclasses.dataclass(frozen=True, slots=True)
class Probe:
    """One value in the filter of one row group.

    `passes` is the filter's answer, "perhaps" if True. `fpp` is the probability of that for a value that is not there, by
    the bits that are set.
    """

    row_group: int
    column: str
    clause: str
    value: str
    passes: bool
    fpp: float
    address: str


def probes(plan: Plan) -> list[Probe]:
    """The values of a plan's = and IN in the Bloom filters of all row groups; those without a filter are left out."""
    found: list[Probe] = []
    left = BYTES
    for test in tests(plan.bound):
        if not test.accepts.points or test.accepts.null:
            continue
        for index in range(len(plan.file.row_groups)):
            try:
                chunk = plan.file.row_groups[index].columns[test.leaf.leaf_index]
                bloom = chunk.bloom_filter
                if bloom is None:
                    continue
                left -= bloom.size
                if left < 0:
                    return found
                found += _of_filter(test, chunk, bloom)
            except ParquetError:
                continue
    return found


def _of_filter(test: Test, chunk: ColumnChunk, bloom: BloomFilter) -> Iterator[Probe]:
    fpp = bloom.occupancy().fpp
    at, index = Address.of(chunk.address, "bloom_filter"), chunk.row_group.index
    for plain in (test.accepts.points or ())[:VALUES]:
        value = printable(text_of(test.leaf, plain))
        yield Probe(index, test.column, test.sql, value, bloom.look_up(plain).hit, fpp, at)


def table(found: list[Probe]) -> pa.Table:
    """Probes as a table: row_group, column, clause, value, passes, fpp, address."""
    kinds = {
        "row_group": pa.int32(),
        "column": pa.string(),
        "clause": pa.string(),
        "value": pa.string(),
        "passes": pa.bool_(),
        "fpp": pa.float64(),
        "address": pa.string(),
    }
    return pa.table({name: pa.array([getattr(one, name) for one in found], kind) for name, kind in kinds.items()})


def sentences(found: list[Probe], groups: int) -> Iterator[str]:
    """For each value: how many filters let it pass, and how many would by chance if it were in none of their row groups.

    `groups` is the number of the file's row groups: those without a filter are read whatever the value.
    """
    by_value: dict[tuple[str, str], list[Probe]] = {}
    for one in found:
        by_value.setdefault((one.clause, one.value), []).append(one)
    for (clause, value), asked in list(by_value.items())[:10]:
        passing = sum(one.passes for one in asked)
        expected = sum(one.fpp for one in asked)
        others = groups - len(asked)
        rest = (
            f" The other {plural(others, 'row group')} {'has' if others == 1 else 'have'} no filter that was read."
            if others > 0
            else ""
        )
        yield (
            f"{clip(clause, CLAUSE)}: of {plural(len(asked), 'Bloom filter')}, {passing:,} "
            f"{'says' if passing == 1 else 'say'} perhaps for {value}; for a value that is in none of "
            f"{'their row groups' if others > 0 else 'the row groups'}, {expected:.2g} would.{rest}"
        )
    if len(by_value) > 10:
        yield f"{len(by_value) - 10:,} more values were looked up."
