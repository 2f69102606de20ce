"""What footers claim about the values of both files: rows, nulls, bounds. A difference here is one of the data."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.statistics import bounds
from pqexplore.engine.format.thrift.structs import Statistics, Type
from pqexplore.insight.axis import text_of
from pqexplore.insight.diff.chunk_facts import Chunk, Columns
from pqexplore.insight.diff.difference import Difference, Subject
from pqexplore.insight.wording import name, plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.diff.data import Values
    from pqexplore.insight.diff.matching import Pair


def rows(one: int | None, two: int | None, values: Values | None) -> Iterator[Difference]:
    """Another number of rows; if the values were compared, also how many rows only one file has."""
    if one == two or one is None or two is None:
        return
    more = more_or_fewer(one, two)
    only = "" if values is None else _only(values)
    sentence = f"The second file has {plural(two, 'row')}, the first {one:,}: {more}.{only}"
    clause = f"it has {more} rows"
    yield Difference(Subject.DATA, "rows", sentence, first=f"{one:,}", second=f"{two:,}", clause=clause)


def more_or_fewer(one: int, two: int) -> str:
    """How many more or fewer the second number is: "3 more"."""
    return f"{abs(two - one):,} {'more' if two > one else 'fewer'}"


def _only(found: Values) -> str:
    """How many rows only one file has, and up to which row they are the same; "" if that was not worked out."""
    if found.only_first is None or found.only_second is None:
        return ""
    row = min((one.row for one in found.compared if one.row is not None), default=0)
    same = f" They are the same up to row {row:,};" if row else ""
    return (
        f"{same} {plural(found.only_first, 'row')} of the first {'is' if found.only_first == 1 else 'are'} not in the second, "
        f"{found.only_second:,} of the second not in the first."
    )


def values(
    pairs: Sequence[Pair], columns: Columns, same_groups: bool, writers: tuple[str | None, str | None]
) -> Iterator[Difference]:
    """Columns whose null counts or bounds differ, though the number of rows does not.

    Chunk by chunk if both files have the same row groups, else by the sums. Columns whose type changed have other bounds,
    and are left out. `writers` are the `created_by` of the files.
    """
    for pair in pairs:
        one, two = columns[pair.path]
        if not same_groups:
            yield from _sums(pair, one, two)
            continue
        for index, (a, b) in enumerate(zip(one, two, strict=True)):
            if a is None or b is None or _alike(a.metadata.statistics, b.metadata.statistics):
                continue
            found = _chunk(pair, a, b, index, writers)
            if found is not None:
                yield found
                break  # the first row group is evidence enough


def _alike(one: Statistics | None, two: Statistics | None) -> bool:
    """Whether statistics have the same null count and bounds."""
    if one is None or two is None:
        return one is two
    return one.min_value == two.min_value and one.max_value == two.max_value and one.null_count == two.null_count


def _sums(pair: Pair, one: Sequence[Chunk | None], two: Sequence[Chunk | None]) -> Iterator[Difference]:
    counts = [[None if c is None else c.nulls for c in found] for found in (one, two)]
    first, second = (None if None in found else sum(n or 0 for n in found) for found in counts)
    if first is not None and second is not None and first != second:
        yield _nulls(pair, first, second, None)


def _chunk(pair: Pair, a: Chunk, b: Chunk, group: int, writers: tuple[str | None, str | None]) -> Difference | None:
    if a.nulls is not None and b.nulls is not None and a.nulls != b.nulls:
        return _nulls(pair, a.nulls, b.nulls, group)
    if not _same_order(pair) or None in (*a.bounds, *b.bounds):
        return None
    if all(_equal(pair.second, x, y) for x, y in zip(a.bounds, b.bounds, strict=True)):
        return None
    first, second = _range(pair.first, a), _range(pair.second, b)
    exact = _exact(pair.first, a) and _exact(pair.second, b)
    more = "" if exact else " Bounds may be cut off or wide: level data compares the values."
    usable = _usable(pair.first, a, writers[0]) and _usable(pair.second, b, writers[1])
    if not usable:
        more = " One of them cannot be the bounds of values: level data compares the values."
    return Difference(
        Subject.DATA if exact and usable else Subject.STATISTICS,
        "bounds",
        f"The bounds of {name(pair.path)} in row group {group} are {second} in place of {first}.{more}",
        (pair.path,),
        (group,),
        first,
        second,
        addresses=_places(pair, group),
    )


def _usable(leaf: Leaf, chunk: Chunk, created_by: str | None) -> bool:
    """Whether a reader may use the bounds: not with a NaN, and not if the minimum is above the maximum."""
    try:
        found = bounds(leaf, chunk.metadata.statistics, created_by)
    except ParquetError:
        return False
    return found is not None and found.trusted


def _nulls(pair: Pair, first: int, second: int, group: int | None) -> Difference:
    where = "" if group is None else f" in row group {group}"
    nested = any(len(leaf.path) > 1 or leaf.max_repetition_level for leaf in (pair.first, pair.second))  # fmt: skip
    more = " Writers differ in whether they count an absent parent." if nested else ""
    return Difference(
        Subject.STATISTICS if nested else Subject.DATA,
        "null-count",
        f"{name(pair.path)} has {plural(second, 'null')} in place of {first:,}{where}, by the statistics.{more}",
        (pair.path,),
        () if group is None else (group,),
        f"{first:,}",
        f"{second:,}",
        addresses=_places(pair, group or 0),
    )


def _same_order(pair: Pair) -> bool:
    a, b = pair.first, pair.second
    return (a.physical_type, a.type_length, a.logical_type) == (b.physical_type, b.type_length, b.logical_type)


def _range(leaf: Leaf, chunk: Chunk) -> str:
    return " … ".join(text_of(leaf, one) for one in chunk.bounds)


def _exact(leaf: Leaf, chunk: Chunk) -> bool:
    """Whether bounds are values: said so, or not said of a type whose bounds nobody cuts off."""
    cut = leaf.physical_type in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY)
    known = chunk.metadata.statistics
    exact = (known.is_min_value_exact, known.is_max_value_exact) if known else ()
    return all(one is True or (one is None and not cut) for one in exact)


_FORMATS = {2: "<e", 4: "<f", 8: "<d"}


def _equal(leaf: Leaf, one: bytes | None, two: bytes | None) -> bool:
    """Whether bounds are the same; zeros of both signs are, since writers widen them."""
    if one == two or one is None or two is None:
        return one == two
    if not is_float(leaf) or len(one) != len(two) or len(one) not in _FORMATS:
        return False
    a, b = (struct.unpack(_FORMATS[len(raw)], raw)[0] for raw in (one, two))
    return bool(a == b or (math.isnan(a) and math.isnan(b)))


def _places(pair: Pair, group: int) -> tuple[str, str]:
    return (
        Address.of("row_groups", group, "columns", pair.first.leaf_index),
        Address.of("row_groups", group, "columns", pair.second.leaf_index),
    )
