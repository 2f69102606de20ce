"""A column chunk's Bloom filter: how full it is, how useful that makes it, and how it answers for a value.

The number of set bits gives an estimate of how many distinct values went in, and from that how often the filter lets a
value through that is not there. A filter that is too full lets everything through. One that is too large costs reads
and gains nothing.

https://github.com/apache/parquet-format/blob/master/BloomFilter.md
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.chunk_bounds import known_bounds
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.variant_bounds import chunk_doubt
from pqexplore.engine.format import types
from pqexplore.engine.format.bloom import BLOCK_BYTES, BloomFilter, Occupancy, optimal_bytes, probe
from pqexplore.engine.format.ordering import is_float, order_key
from pqexplore.engine.format.value_text import format_value, physical_value
from pqexplore.engine.format.variant.bounds import UNKNOWN, VALUES
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight import short_text
from pqexplore.insight.answer import Answer, Column, LazyTable
from pqexplore.insight.ask import evidence
from pqexplore.insight.ask.pruning_result import DICTIONARY
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.wire import Chip
from pqexplore.insight.wording import listing, percent

FIRST = frozenset({"bloom_filter", "bloom_filter_bitset", "bloom_filter_block"})

WANTED = 0.01
"""The false positive probability that filters are commonly sized for."""

TOO_FULL = 0.1
"""A filter that lets through more than this share of absent values is called too small."""

TOO_LARGE = 4
"""A filter that is this many times larger than `WANTED` needs is called larger than needed."""

CELLS = 1 << 20
"""Max cells of the heat map; if there are more blocks, several share a cell."""

INLINE = 2_048
"""Max blocks that travel with the picture; more are requested as columns."""

TYPED = 4_096
"""Max characters of a typed value."""

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


@dataclasses.dataclass(slots=True)
class Picture:
    """The filter as a whole.

    `cells` are the set bits of each block, None if there are too many to travel with the picture; `per_cell` blocks
    share a cell. `block` is the selected block. The bitset begins at `start` of the space `space`; `selectable` says
    whether its blocks are nodes. `saturated` counts the full blocks. `type` is the column's type.
    """

    verdict: str
    chunk: str
    blocks: int
    size: int
    bits_set: int
    bits: int
    ndv: float
    fpp: float
    saturated: int
    start: int
    space: str
    selectable: bool
    type: str
    facts: list[Chip]
    block: int | None
    per_cell: int
    cells: list[int] | None


@dataclasses.dataclass(slots=True)
class Blocks:
    """The set bits of each block, 0 to 256, in the column `bits`; the mean of `per_cell` blocks if these share a cell."""

    columns: Columns
    per_cell: int


@dataclasses.dataclass(slots=True)
class Block:
    """The eight words of a block."""

    block: int
    words: list[int]


@dataclasses.dataclass(slots=True)
class Bit:
    """One of the eight bits that decide: its word and place in the word, whether it is set, its byte in the bitset."""

    word: int
    bit: int
    set: bool
    byte: int


@dataclasses.dataclass(slots=True)
class Probe:
    """The answer of a filter for one value, and how it came about.

    `hit` False is certain, True means "perhaps". `plain` are the hashed bytes and `hash` their XXH64, both in hex.
    `block` is the chosen block, with its `words`, and `span` its bytes.
    """

    value: str
    hit: bool
    verdict: str
    sentence: str
    note: str
    plain: str
    hash: str
    block: int
    words: list[int]
    bits: list[Bit]
    span: Span


def answer(file: ParquetFile, node: Node) -> Answer:
    """How useful the filter is, with the selected block. ParquetError if it is damaged or needs a key."""
    chunk = chunk_at(file, node.address)
    code = f"f.row_groups[{chunk.row_group.index}].columns[{chunk.index}].bloom_filter.occupancy()"
    bloom = chunk.bloom_filter
    if bloom is None:
        sentence = (
            "There is no Bloom filter: a search for one value reads this chunk unless its range"
            f"{_or_dictionary(chunk)} rules it out."
        )
        if chunk.locked:
            sentence = f"The metadata that can be read names no Bloom filter: {chunk.locked}."
        return Answer(sentence, empty=EMPTY, code=code)
    occupancy = occupancy_of(chunk, bloom)
    size = len(bloom.bitset)
    span = _bitset_span(chunk, bloom)
    verdict, sentence = verdict_of(occupancy, size)
    block = int(node.name) if node.kind == "bloom_filter_block" else None
    if block is not None:
        bits = int(occupancy.per_block[block])
        sentence = f"Block {block:,} has {bits} of its 256 bits set. The filter: {sentence}"
    picture = Picture(
        verdict=verdict,
        chunk=chunk.address,
        blocks=bloom.num_blocks,
        size=size,
        bits_set=occupancy.bits_set,
        bits=occupancy.bits,
        ndv=occupancy.ndv,
        fpp=occupancy.fpp,
        saturated=occupancy.saturated,
        start=span.start,
        space=span.space,
        selectable=not chunk.encrypted,
        type=types.describe(chunk.leaf),
        facts=_facts(chunk, occupancy, size),
        block=block,
        per_cell=-(-bloom.num_blocks // CELLS),
        cells=occupancy.per_block.tolist() if bloom.num_blocks <= INLINE else None,
    )
    return Answer(sentence, picture, _table(chunk, occupancy, span), code=code)


def _or_dictionary(chunk: ColumnChunk) -> str:
    """Names the engines that ask the chunk's dictionary, as a part of a sentence; "" if none does."""
    try:
        names = [reader for reader, kind in evidence.of_chunk(chunk) if kind == DICTIONARY]
    except ParquetError:
        return ""
    return f", or in {listing(evidence.titles(names))} its dictionary," if names else ""


def blocks(file: ParquetFile, address: str) -> Blocks:
    """How many bits of each block are set. UsageError if there is no filter at the address."""
    chunk, bloom = _filter(file, address)
    per_block = occupancy_of(chunk, bloom).per_block
    per_cell = -(-len(per_block) // CELLS)
    if per_cell > 1:
        whole = len(per_block) // per_cell * per_cell
        per_block = per_block[:whole].reshape(-1, per_cell).mean(axis=1)
    return Blocks(Columns({"bits": per_block.astype("<u2")}), per_cell)


def words(file: ParquetFile, address: str, block: int) -> Block:
    """The eight words of a block. UsageError if there is no such block."""
    _, bloom = _filter(file, address)
    if not 0 <= block < bloom.num_blocks:
        raise UsageError(f"there is no block {block:,}; the filter has {bloom.num_blocks:,}")
    stored = bloom.bitset[BLOCK_BYTES * block : BLOCK_BYTES * (block + 1)]
    return Block(block, np.frombuffer(stored, "<u4").tolist())


def ask(file: ParquetFile, address: str, value: str) -> Probe:
    """The filter's answer for a typed value. UsageError if there is no filter, or the column cannot hold the value."""
    chunk, bloom = _filter(file, address)
    if not isinstance(value, str) or len(value) > TYPED:
        raise UsageError(f"a value of at most {TYPED:,} characters can be asked for")
    return probe_chunk(chunk, bloom, value)


def probe_chunk(chunk: ColumnChunk, bloom: BloomFilter, value: Any) -> Probe:
    """Ask a chunk's filter for a value: a Python object, or text that reads as one of the column's type.

    UsageError if the column cannot hold the value.
    """
    leaf = chunk.leaf
    derived = probe(bloom.bitset, leaf, value)
    shown = format_value(leaf, physical_value(leaf, derived.plain))
    clear = derived.set.count(False)
    if derived.hit:
        chance = 1.0
        for word in derived.words:
            chance *= word.bit_count() / 32
        sentence = (
            f"{shown} may be there: all eight bits of block {derived.block:,} are set. In this block, that happens for "
            f"{_percent(chance)} of the values that are not there."
        )
    else:
        bits_are = "one of its eight bits is" if clear == 1 else f"{clear} of its eight bits are"
        sentence = f"{shown} is certainly not there: {bits_are} not set in block {derived.block:,}."
    if _outside(chunk, derived.plain):
        sentence += " The chunk's minimum and maximum rule it out as well."
    note = ""
    if is_float(leaf) and not any(derived.plain[:-1]) and derived.plain[-1] in (0, 0x80):
        note = "Bits are hashed, not numbers: 0.0 and -0.0 are two values for the filter. Ask for both."
    elif chunk_doubt(chunk) in (VALUES, UNKNOWN):
        note = "Values in the Variant's column 'value' are not in this filter."
    span = _bitset_span(chunk, bloom)
    start = BLOCK_BYTES * derived.block
    return Probe(
        value=short_text.shorten(shown, 200),
        hit=derived.hit,
        verdict="may be there" if derived.hit else "certainly not there",
        sentence=short_text.shorten(sentence, 1_000),
        note=note,
        plain=short_text.hexadecimal(derived.plain),
        hash=f"{derived.hash:016x}",
        block=derived.block,
        words=list(derived.words),
        bits=[
            Bit(word, bit, is_set, start + 4 * word + bit // 8)
            for word, (bit, is_set) in enumerate(zip(derived.bits, derived.set, strict=True))
        ],
        span=Span(span.start + start, span.start + start + BLOCK_BYTES, span.space),
    )


def _filter(file: ParquetFile, address: str) -> tuple[ColumnChunk, BloomFilter]:
    chunk = chunk_at(file, address)
    bloom = chunk.bloom_filter
    if bloom is None:
        raise UsageError(f"{chunk.address} has no Bloom filter")
    return chunk, bloom


def occupancy_of(chunk: ColumnChunk, bloom: BloomFilter) -> Occupancy:
    """How full the filter is, counted once a file."""
    occupancy: Occupancy = chunk.file.cache.get(
        (chunk.address, "bloom occupancy"), bloom.occupancy, lambda one: one.per_block.nbytes
    )
    return occupancy


def _bitset_span(chunk: ColumnChunk, bloom: BloomFilter) -> Span:
    """The bytes of the bitset: in the file, or in the decrypted module."""
    if chunk.encrypted:
        space = f"{Address.of(chunk.address, 'bloom_filter/bitset')}:decrypted"
        return Span(0, len(bloom.bitset), space)
    start = bloom.offset + bloom.header_length
    return Span(start, start + len(bloom.bitset), chunk.space)


def verdict_of(occupancy: Occupancy, size: int) -> tuple[str, str]:
    """The verdict as a word, and as a sentence."""
    if not occupancy.bits_set:
        return "empty", "The filter is empty: it says of every value that it is not there."
    about = "at least" if occupancy.saturated else "about"
    values = f"{about} {round(occupancy.ndv):,} distinct values in {size:,} bytes"
    lets = f"lets through {_percent(occupancy.fpp)} of the values that are not there"
    enough = optimal_bytes(max(1, round(occupancy.ndv)), WANTED)
    if occupancy.fpp > TOO_FULL:
        more = f" For {_percent(WANTED)} it would take {enough:,} bytes" + (
            ", or more." if occupancy.saturated else "."
        )
        return "too small", f"Too small: {values}, so it {lets}.{more}"
    if enough * TOO_LARGE <= size:
        return (
            "too large",
            f"Larger than needed: {values}; it {lets}, and {enough:,} bytes would do for {_percent(WANTED)}.",
        )
    return "suits", f"It suits: {values}, so it {lets}."


def _percent(share: float) -> str:
    if share >= 0.995:
        return "all"
    if share < 1e-6:
        return "less than one in a million"
    return f"{share * 100:.2g} %"


def _facts(chunk: ColumnChunk, occupancy: Occupancy, size: int) -> list[Chip]:
    share = occupancy.bits_set / occupancy.bits
    facts = [
        Chip("bits set", f"{occupancy.bits_set:,} of {occupancy.bits:,} ({percent(share)})"),
        Chip("blocks", f"{size // BLOCK_BYTES:,} of 256 bits"),
        Chip("values in the chunk", f"{chunk.metadata.num_values:,}"),
    ]
    distinct = None if chunk.metadata.statistics is None else chunk.metadata.statistics.distinct_count
    if distinct is not None:
        facts.append(Chip("distinct, by the statistics", f"{distinct:,}"))
    if occupancy.saturated:
        full = f"{occupancy.saturated:,}, which let everything through"
        facts.append(Chip("full blocks", full))
    return facts


def _table(chunk: ColumnChunk, occupancy: Occupancy, span: Span) -> LazyTable:
    """A row a block."""
    count = len(occupancy.per_block)
    address = Address.of(chunk.address, "bloom_filter/bitset")
    per_block = occupancy.per_block

    def row(i: int) -> tuple[Any, ...]:
        bits = int(per_block[i])
        return (f"block {i:,}", bits, bits / 256, BLOCK_BYTES * i)

    def bytes_of(i: int) -> Span:
        start = span.start + BLOCK_BYTES * i
        return Span(start, start + BLOCK_BYTES, span.space)

    return LazyTable(
        COLUMNS,
        "Blocks",
        LazySequence(count, row),
        LazySequence(count, lambda i: address if chunk.encrypted else Address.of(address, i)),
        LazySequence(count, bytes_of),
    )


def _outside(chunk: ColumnChunk, plain: bytes) -> bool:
    """Whether the chunk's own minimum and maximum rule the value out."""
    try:
        limits = known_bounds(chunk)
        if limits is None or not limits.trusted:
            return False
        key = order_key(chunk.leaf, plain, limits.order)
    except ParquetError:
        return False
    if key is None or limits.min_key is None or limits.max_key is None:
        return False
    return not limits.min_key <= key <= limits.max_key


def lacking(file: ParquetFile, node: Node) -> str:
    """Why the lens has nothing to show of a column chunk: it has no filter."""
    chunk = chunk_at(file, node.address)
    without = chunk.metadata.bloom_filter_offset is None and not chunk.locked
    return "this column chunk has no Bloom filter" if without else ""


LENS = Lens(
    "bloom",
    title="Bloom filter",
    answer=answer,
    kinds=FIRST | {"column_chunk", "bloom_filter_header"},
    first=FIRST,
    lacking=lacking,
    picture=Picture,
    operations={"bloom_blocks": blocks, "bloom_words": words, "bloom_probe": ask},
    figure="bloom",
    across="blooms",
    value_free=("block", "bits_set", "filled", "offset"),
    value_free_sentence=True,
)
