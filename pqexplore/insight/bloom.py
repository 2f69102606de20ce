"""What a Bloom filter is worth, and how it comes to its answer for a value.

From the bits that are set follows how many values went in, and from that how often a value that is not there is let
through. A filter that is too full lets everything through; one that is too large costs reads for nothing.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pqexplore.engine import types
from pqexplore.engine.bloom import (
    BLOCK_BYTES,
    BloomFilter,
    Derivation,
    Occupancy,
    optimal_bytes,
    probe,
)
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.ordering import is_float, order_key
from pqexplore.engine.statistics import bounds
from pqexplore.engine.tree import LazySequence, Span, join
from pqexplore.engine.values import format_value, physical_value
from pqexplore.insight.answer import Answer, Column
from pqexplore.insight.lazy_table import LazyTable

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk

WANTED = 0.01
"""The false positive probability that filters are commonly sized for."""

TOO_FULL = 0.1
"""A filter that lets through more than this of what is not there is called too small."""

TOO_LARGE = 4
"""A filter so many times larger than what would do is called larger than needed."""

COLUMNS = (
    Column("block", "block"),
    Column("bits_set", "bits set", "number", "of 256"),
    Column("filled", "filled", "share"),
    Column("offset", "offset", "number", "in the bitset"),
)

EMPTY = (
    "This column chunk has no Bloom filter. parquet-java, and so Spark, writes one with "
    "parquet.bloom.filter.enabled#COLUMN=true, arrow-rs with set_bloom_filter_enabled, DuckDB since 1.2 for columns "
    "with a dictionary, pqexplore with bloom_filter=True."
)


@dataclasses.dataclass(frozen=True, slots=True)
class Probe:
    """The answer of a filter for one value, and how it came about.

    `sentence` is the answer in words. `blocks_bits` are (word, bit, whether it is set, the byte of the bitset that has
    it). `outside` says that the chunk's own minimum and maximum rule the value out (None: they do not tell).
    """

    value: str
    derivation: Derivation
    bits: tuple[tuple[int, int, bool, int], ...]
    outside: bool | None
    sentence: str
    note: str


def occupancy_of(chunk: ColumnChunk, bloom: BloomFilter) -> Occupancy:
    """How full the filter is, counted once."""
    found: Occupancy = chunk.file.cache.get(
        (chunk.address, "bloom occupancy"), bloom.occupancy, lambda made: made.per_block.nbytes
    )
    return found


def bitset_span(chunk: ColumnChunk, bloom: BloomFilter) -> Span:
    """Where the bits lie: in the file, or in the decrypted module."""
    if chunk.encrypted:
        space = f"{join(chunk.address, 'bloom_filter/bitset')}:decrypted"
        return Span(0, len(bloom.bitset), space)
    start = bloom.offset + bloom.header_length
    return Span(start, start + len(bloom.bitset))


def of_chunk(chunk: ColumnChunk) -> Answer:
    """The filter of a chunk. ParquetError where it is damaged or locked."""
    code = f"f.row_groups[{chunk.row_group.index}].columns[{chunk.index}].bloom_filter.occupancy()"
    bloom = chunk.bloom_filter
    if bloom is None:
        sentence = "There is no Bloom filter: a search for one value reads this chunk unless its range rules it out."
        if chunk.locked:
            sentence = f"The metadata that can be read names no Bloom filter: {chunk.locked}."
        return Answer(sentence, empty=EMPTY, code=code)
    found = occupancy_of(chunk, bloom)
    size = len(bloom.bitset)
    span = bitset_span(chunk, bloom)
    verdict, sentence = _verdict(chunk, found, size)
    picture = {
        "verdict": verdict,
        "chunk": chunk.address,
        "blocks": bloom.num_blocks,
        "size": size,
        "bits_set": found.bits_set,
        "bits": found.bits,
        "ndv": found.ndv,
        "fpp": found.fpp,
        "saturated": found.saturated,
        "start": span.start,
        "space": span.space,
        "selectable": not chunk.encrypted,
        "type": types.describe(chunk.leaf),
        "facts": _facts(chunk, found, size),
    }
    return Answer(sentence, picture, _table(chunk, found, span), code=code)


def _verdict(chunk: ColumnChunk, found: Occupancy, size: int) -> tuple[str, str]:
    if not found.bits_set:
        return "empty", "The filter is empty: it says of every value that it is not there."
    about = "at least" if found.saturated else "about"
    values = f"{about} {round(found.ndv):,} distinct values in {size:,} bytes"
    lets = f"lets through {_percent(found.fpp)} of the values that are not there"
    would = optimal_bytes(max(1, round(found.ndv)), WANTED)
    if found.fpp > TOO_FULL:
        more = f" For {_percent(WANTED)} it would take {would:,} bytes" + (
            ", or more." if found.saturated else "."
        )
        return "too small", f"Too small: {values}, so it {lets}.{more}"
    if would * TOO_LARGE <= size:
        return (
            "too large",
            f"Larger than needed: {values}; it {lets}, and {would:,} bytes would do for {_percent(WANTED)}.",
        )
    return "suits", f"It suits: {values}, so it {lets}."


def _percent(share: float) -> str:
    if share >= 0.995:
        return "all"
    if share < 1e-6:
        return "less than one in a million"
    return f"{share * 100:.2g} %"


def _facts(chunk: ColumnChunk, found: Occupancy, size: int) -> list[list[str]]:
    made = [
        ["bits set", f"{found.bits_set:,} of {found.bits:,} ({found.bits_set / found.bits:.1%})"],
        ["blocks", f"{size // BLOCK_BYTES:,} of 256 bits"],
        ["values in the chunk", f"{chunk.metadata.num_values:,}"],
    ]
    told = None if chunk.statistics is None else chunk.statistics.distinct_count
    if told is not None:
        made.append(["distinct, by the statistics", f"{told:,}"])
    if found.saturated:
        made.append(["full blocks", f"{found.saturated:,}, which let everything through"])
    return made


def _table(chunk: ColumnChunk, found: Occupancy, span: Span) -> LazyTable:
    count = len(found.per_block)
    address = join(chunk.address, "bloom_filter/bitset")
    per_block = found.per_block

    def row(i: int) -> tuple[Any, ...]:
        bits = int(per_block[i])
        return (f"block {i:,}", bits, bits / 256, BLOCK_BYTES * i)

    def place(i: int) -> Span:
        start = span.start + BLOCK_BYTES * i
        return Span(start, start + BLOCK_BYTES, span.space)

    return LazyTable(
        COLUMNS,
        "Blocks",
        LazySequence(count, row),
        LazySequence(count, lambda i: address if chunk.encrypted else join(address, i)),
        LazySequence(count, place),
    )


def ask(chunk: ColumnChunk, value: Any) -> Probe:
    """Ask the filter of a chunk for a value: a Python object, or text that reads as one of the column's type.

    UsageError where the column cannot hold it, or there is no filter; then it is in no filter either.
    """
    bloom = chunk.bloom_filter
    assert bloom is not None
    leaf = chunk.leaf
    found = probe(bloom.bitset, leaf, value)
    shown = format_value(leaf, physical_value(leaf, found.plain))
    outside = _outside(chunk, found.plain)
    bits = tuple(
        (word, bit, is_set, BLOCK_BYTES * found.block + 4 * word + bit // 8)
        for word, (bit, is_set) in enumerate(zip(found.bits, found.set, strict=True))
    )
    clear = found.set.count(False)
    if found.hit:
        chance = 1.0
        for word in found.words:
            chance *= word.bit_count() / 32
        sentence = (
            f"{shown} may be there: all eight bits of block {found.block:,} are set. In this block, that happens for "
            f"{_percent(chance)} of the values that are not there."
        )
    else:
        bits_are = "one of its eight bits is" if clear == 1 else f"{clear} of its eight bits are"
        sentence = f"{shown} is certainly not there: {bits_are} not set in block {found.block:,}."
    if outside:
        sentence += " The chunk's minimum and maximum rule it out as well."
    note = ""
    if is_float(leaf) and not any(found.plain[:-1]) and found.plain[-1] in (0, 0x80):
        note = "Bits are hashed, not numbers: 0.0 and -0.0 are two values for the filter. Ask for both."
    return Probe(shown, found, bits, outside, sentence, note)


def _outside(chunk: ColumnChunk, plain: bytes) -> bool | None:
    try:
        told = bounds(chunk.leaf, chunk.statistics, chunk.file.created_by)
        if told is None or not told.trusted:
            return None
        key = order_key(chunk.leaf, plain, told.order)
    except ParquetError:
        return None
    if key is None or told.min_key is None or told.max_key is None:
        return None
    return not told.min_key <= key <= told.max_key
