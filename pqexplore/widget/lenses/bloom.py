"""A Bloom filter: how full each block is, and the eight bits that decide on a value."""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine.bloom import BLOCK_BYTES
from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.insight import bloom
from pqexplore.insight.answer import Answer
from pqexplore.widget import text
from pqexplore.widget.columns import pack
from pqexplore.widget.places import chunk_at

TITLE = "Bloom filter"
FIRST = frozenset({"bloom_filter", "bloom_filter_bitset", "bloom_filter_block"})

CELLS = 1 << 20
"""Cells of the heat map; of more blocks, several share one."""

INLINE = 2_048
"""Blocks that travel with the picture; more of them are asked for, as columns."""

TYPED = 4_096
"""Characters of a value that is asked for."""


def applies(node: Node) -> bool:
    """Column chunks, their Bloom filter and its parts."""
    return node.kind in FIRST or node.kind in ("column_chunk", "bloom_filter_header")


def answer(file: Any, node: Node) -> Answer:
    """What the filter is worth; the selected block, where one is selected."""
    made = bloom.of_chunk(chunk_at(file, node.address))
    if made.picture is not None:
        selected = node.kind == "bloom_filter_block"
        made.picture["block"] = int(node.name) if selected else None
        made.picture["per_cell"] = -(-made.picture["blocks"] // CELLS)
        made.picture["cells"] = None
        if made.picture["blocks"] <= INLINE:
            chunk, found = _filter(file, node.address)
            made.picture["cells"] = bloom.occupancy_of(chunk, found).per_block.tolist()
    return made


def blocks(file: Any, address: str) -> tuple[dict[str, Any], list[Any]]:
    """How many bits each block has, 0 to 256; the mean of several where there are too many."""
    chunk, found = _filter(file, address)
    per_block = bloom.occupancy_of(chunk, found).per_block
    per_cell = -(-len(per_block) // CELLS)
    if per_cell > 1:
        whole = len(per_block) // per_cell * per_cell
        per_block = per_block[:whole].reshape(-1, per_cell).mean(axis=1)
    header, buffers = pack({"bits": per_block.astype("<u2")})
    return {"columns": header, "per_cell": per_cell}, buffers


def words(file: Any, address: str, block: int) -> dict[str, Any]:
    """The eight words of a block."""
    _, found = _filter(file, address)
    if not 0 <= block < found.num_blocks:
        raise UsageError(f"there is no block {block:,}; the filter has {found.num_blocks:,}")
    stored = found.bitset[BLOCK_BYTES * block : BLOCK_BYTES * (block + 1)]
    return {"block": block, "words": np.frombuffer(stored, "<u4").tolist()}


def ask(file: Any, address: str, value: str) -> dict[str, Any]:
    """The filter's answer for a value that a person typed, with its derivation."""
    chunk, found = _filter(file, address)
    if not isinstance(value, str) or len(value) > TYPED:
        raise UsageError(f"a value of at most {TYPED:,} characters can be asked for")
    made = bloom.ask(chunk, value)
    derived = made.derivation
    span = bloom.bitset_span(chunk, found)
    start = span.start + BLOCK_BYTES * derived.block
    return {
        "value": text.shorten(made.value, 200),
        "hit": derived.hit,
        "verdict": "may be there" if derived.hit else "certainly not there",
        "sentence": text.shorten(made.sentence, 1_000),
        "note": made.note,
        "plain": text.hexadecimal(derived.plain),
        "hash": f"{derived.hash:016x}",
        "block": derived.block,
        "words": list(derived.words),
        "bits": [list(bit) for bit in made.bits],
        "span": [start, start + BLOCK_BYTES, span.space],
    }


OPS = {"bloom_blocks": blocks, "bloom_words": words, "bloom_probe": ask}


def _filter(file: Any, address: str) -> tuple[Any, Any]:
    chunk = chunk_at(file, address)
    found = chunk.bloom_filter
    if found is None:
        raise UsageError(f"{chunk.address} has no Bloom filter")
    return chunk, found
