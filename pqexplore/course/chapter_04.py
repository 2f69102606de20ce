"""The exercises of chapter 04."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import in_order, inside, same, shortened
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

ARRIVAL, SORTED = "prices-arrival.parquet", "prices-sorted.parquet"

BEGIN = "row_groups/0/columns/1"
"""Where the explorer of exercise 04.3 begins."""


@exercise(
    "04.1",
    "Which row groups have to be read for the prices from 120 to 130?",
    "bounds(chunk) gives the smallest and the largest price of a row group.",
    "Two ranges meet unless one of them ends before the other begins.",
)
def groups_of_a_range(answer: object) -> bool | str:
    import pqexplore

    right = []
    with pqexplore.open(SORTED) as file:
        for group in file.row_groups:
            low, high = _range(group.columns["price"])
            if low <= 130 and high >= 120:
                right.append(group.index)
    if same(answer, len(right)):
        return "Answer with the numbers of the row groups, as a list; not with how many there are."
    return same(in_order(answer), right)


@exercise(
    "04.2",
    "Which row groups have to be read for IS NULL, and which for IS NOT NULL?",
    "print(f.row_groups[0].columns['coupon'].statistics) shows the fields; num_values of the chunk counts its nulls, too.",
    "A row group has to be read for IS NULL unless it has no null. For IS NOT NULL it is the other way round.",
    "Some row groups have both, so they are in both lists.",
)
def groups_of_nulls(answer: object) -> bool | str:
    import pqexplore

    right: tuple[list[int], list[int]] = ([], [])
    with pqexplore.open(ARRIVAL) as file:
        for group in file.row_groups:
            chunk = group.columns["coupon"]
            assert chunk.statistics is not None
            nulls = chunk.statistics.null_count
            assert nulls is not None
            if nulls:
                right[0].append(group.index)
            if nulls < chunk.num_values:
                right[1].append(group.index)
    if not isinstance(answer, Sequence) or len(answer) != 2:
        return "Answer with two lists of row groups."
    given = [in_order(one) for one in answer]
    if same(given, right[::-1]):
        return "The two lists are swapped: IS NULL comes first."
    return same(given, right)


@exercise(
    "04.3",
    "Which page may have the price 300?",
    "must_read(g, 300) names the row group. Select its column price, in the tree or by explorer.selection.",
    "The picture shows the range of each page: the higher a page, the higher its prices.",
)
def page_of_a_price(answer: object) -> bool | str | None:
    import pqexplore

    if answer == BEGIN:
        return None
    with pqexplore.open(SORTED) as file:
        for group in file.row_groups:
            chunk = group.columns["price"]
            if not inside(answer, chunk.address):
                continue
            if answer == chunk.address:
                return "That is a column chunk. Click one of its pages."
            if not inside(answer, f"{chunk.address}/pages"):
                return "That is in the column chunk, but not in one of its pages. Click a page."
            needed = [i for i, (low, high) in enumerate(_pages(chunk)) if low <= 300 <= high]
            if not needed:
                return "No page of this row group can have the price."
            return any(inside(answer, chunk.pages[i].address) for i in needed)
    return "That is no place in the column price."


@exercise(
    "04.4",
    "How many bytes of pages does a query for one price read from a column chunk?",
    "The lists run side by side: min_values and max_values of the column index, page_locations of the offset index.",
    "A price that equals the minimum or the maximum of a page may be in it.",
    "Check your function with a price of each kind: in the middle of a page, at a bound, and outside of all pages.",
)
def cost_of_a_price(answer: object) -> bool | str:
    import pqexplore

    if not callable(answer):
        return "Answer with the function itself, not with what it returns."
    for name in (ARRIVAL, SORTED):
        with pqexplore.open(name) as file:
            for group in file.row_groups:
                chunk = group.columns["price"]
                pages = _pages(chunk)
                for price in (0.5, 99.99, 400.0, *pages[3], *pages[-1]):
                    found = answer(chunk, price)
                    if not same(found, _cost(chunk, price)):
                        return f"For {chunk.address} of {name} and the price {price} it gives {shortened(found)}."
    return True


@exercise(
    "04.5",
    "Which block of a Bloom filter belongs to a hash?",
    "hash >> 32 is the upper half of a number of 64 bits.",
    "The product of two numbers of 32 bits has 64 bits; its upper half is found in the same way.",
)
def block_of_a_hash(answer: object) -> bool | str:
    import pqexplore

    if not callable(answer):
        return "Answer with the function itself, not with what it returns."
    with pqexplore.open("customers.parquet") as file:
        bloom = file.row_groups[0].columns["customer"].bloom_filter
        assert bloom is not None
        probes = [bloom.probe(f"c{number:05}") for number in range(200)]
        return all(same(answer(one.hash, bloom.num_blocks), one.block) for one in probes)


@exercise(
    "04.6",
    "Which customer does the filter take for one who is there?",
    "Try one name after the other: probe(name).hit is True for 'perhaps'.",
    "h.row_groups[0].columns['customer'].dictionary has the customers who are there.",
    "About one name in a hundred gets through although it is not there.",
)
def false_positive(answer: object) -> bool | str:
    import pqexplore

    if not isinstance(answer, str):
        return "Answer with the name of a customer, as text."
    with pqexplore.open("customers.parquet") as file:
        chunk = file.row_groups[0].columns["customer"]
        assert chunk.bloom_filter is not None
        if not chunk.bloom_filter.probe(answer).hit:
            return "The filter says 'certainly not' for this one."
        if answer in chunk.read().to_pylist():
            return "This customer is in the row group: the filter is right."
    if not (len(answer) == 6 and answer[0] == "c" and answer[1:].isdecimal()):
        return "That is not the name of a customer."
    return True


def _range(chunk: ColumnChunk) -> tuple[float, float]:
    """The smallest and the largest value of a chunk of DOUBLE, by its statistics."""
    stored = chunk.statistics
    assert stored is not None and stored.min_value is not None and stored.max_value is not None
    return _double(stored.min_value), _double(stored.max_value)


def _pages(chunk: ColumnChunk) -> list[tuple[float, float]]:
    """The smallest and the largest value of each page of a chunk of DOUBLE, by its column index."""
    index = chunk.column_index
    assert index is not None
    bounds = zip(index.min_values, index.max_values, strict=True)
    return [(_double(low), _double(high)) for low, high in bounds]


def _cost(chunk: ColumnChunk, price: float) -> int:
    """Bytes of the pages that may have a price."""
    index = chunk.offset_index
    assert index is not None
    pages = zip(_pages(chunk), index.page_locations, strict=True)
    return sum(place.compressed_page_size for (low, high), place in pages if low <= price <= high)


def _double(stored: bytes) -> float:
    value: float = struct.unpack("<d", stored)[0]
    return value
