"""How the values differ: row by row, and, where rows differ, as two bags of rows."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import int96
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.engine.format.variant.equivalent import equivalents
from pqexplore.engine.format.variant.variants_in_columns import exchange
from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff.difference import Difference, Effect, Subject
from pqexplore.insight.diff.hashes import hashes, of_rows
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Array, UInt64s
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.diff.matching import Matching, Pair


HASHED = 20_000_000
"""Rows up to which two files are compared as bags: 16 bytes of memory a row."""

NAMED = 4


@dataclasses.dataclass(slots=True)
class ColumnValues:
    """What comparing a column row by row gave: how many rows differ, the first of them, and its values as text.

    A column is a top-level field with its leaves that both files have: `pairs`. `kind` is the type in which the values
    are compared, `names` that of the first file with the names of the second, if its structs are arranged anew. `why`
    says why values were not compared, "" if they were. `shredded` are the leaves of each file's Variants that only this
    file has: other ones if they are shredded in another way. With `variants` there are Variants in the column. `bits`
    counts the rows with the same float of other bits; `bits_row` is the first, and `bits_texts` show it.
    """

    name: str
    pairs: list[Pair]
    kind: pa.DataType = dataclasses.field(default_factory=pa.null)
    names: pa.DataType | None = None
    rows: int = 0
    row: int | None = None
    first: str = ""
    second: str = ""
    why: str = ""
    variants: bool = False
    bits: int = 0
    bits_row: int | None = None
    bits_texts: tuple[str, str] = ("", "")
    shredded: tuple[Sequence[Leaf], Sequence[Leaf]] = ((), ())

    @property
    def paths(self) -> tuple[str, ...]:
        """The dotted paths of its leaves, in the second file."""
        return tuple(pair.path for pair in self.pairs)

    @property
    def addresses(self) -> tuple[str, str]:
        """Its first leaf in the schema of each file."""
        pair = self.pairs[0]
        return Address.of("schema", pair.first.index), Address.of("schema", pair.second.index)

    def leaves(self, side: int) -> list[Leaf]:
        """Its leaves in a file, in the order of that file."""
        found = [pair.second if side else pair.first for pair in self.pairs]
        found += self.shredded[side]
        return sorted(found, key=lambda leaf: leaf.leaf_index)


@dataclasses.dataclass(frozen=True, slots=True)
class Values:
    """The values of both files, compared.

    `equal`: the compared columns have the same values in the same order; `other_count`: the files have not as many rows;
    `permuted`: the same rows in another order, by the columns that could be compared.
    `only_first`, `only_second`: rows that only one file has, None if that was not worked out.
    """

    columns: tuple[ColumnValues, ...]
    equal: bool
    other_count: bool = False
    permuted: bool = False
    only_first: int | None = None
    only_second: int | None = None

    @property
    def compared(self) -> list[ColumnValues]:
        """The columns that could be compared."""
        return [one for one in self.columns if not one.why]


Steps = Generator[float, None, Values]

_NOT_COMPARED = (ParquetError, pa.ArrowException)


def values(a: ParquetFile, b: ParquetFile, found: Matching) -> Steps:
    """Compares the values of columns that both files have; yields how much is done.

    Rows that are equal at the same place are in both bags of rows, so only the others are hashed.
    """
    columns = _columns(a, b, found)
    skipped = sum(one.why != "" for one in columns)
    counts = [_rows(a), _rows(b)]
    bags = _Bags()
    at = 0
    for pieces in aligned(tables(a, columns, 0), tables(b, columns, 1)):
        at += _compare_pieces((a, b), pieces, columns, bags, at)
        yield at / max(1, *counts)
    left = abs(counts[0] - counts[1])
    compared = [one for one in columns if not one.why]
    for column in compared:
        column.rows += left
        if left and column.row is None:
            column.row = min(counts)
    if not any(one.rows for one in compared):
        return Values(tuple(columns), equal=True)
    if bags.full or len(compared) < len(columns) - skipped:
        return Values(tuple(columns), False, left > 0)
    only = bags.differ()
    # Rows that are the same by some columns may be others.
    return Values(tuple(columns), False, left > 0, only == (0, 0), *(() if skipped else only))


class _Bags:
    """The hashes of rows that differ at their place, of each file, while they are not more than `HASHED`."""

    def __init__(self) -> None:
        self._sides: tuple[list[UInt64s], list[UInt64s]] = ([], [])
        self._rows = 0

    @property
    def full(self) -> bool:
        """Whether there are too many rows, so that not all were hashed."""
        return self._rows > HASHED

    def add(self, pieces: Sequence[Piece], names: Sequence[str], rows: int) -> list[dict[str, UInt64s]]:
        """Adds the rows of a piece of each file; gives the hashes of each column, none of those that are too many."""
        self._rows += rows
        keys = [{name: hashes(piece[name]) for name in names} if piece and not self.full else {} for piece in pieces]
        for side, key in zip(self._sides, keys, strict=True):
            if key:
                side.append(of_rows(list(key.values())))
        return keys

    def differ(self) -> tuple[int, int]:
        """How many rows only one file has."""
        joined = (np.concatenate(side) if side else np.zeros(0, np.uint64) for side in self._sides)
        return bags_differ(*(np.sort(side) for side in joined))


def _compare_pieces(
    files: Sequence[ParquetFile], pieces: tuple[Piece, Piece], columns: Sequence[ColumnValues], bags: _Bags, at: int
) -> int:
    """Compares as many rows of both files, from row `at` on; gives their number."""
    one, two = pieces
    differ = _differing(columns, one, two)
    if differ and any(column.variants for column in columns):
        for side, file in enumerate(files):
            _write_variants(file, pieces[side], columns, side)
        differ = _differing(columns, one, two)
    rows = len(next(iter((one or two).values()), ()))
    live = [column for column in columns if not column.why]
    keys = bags.add(pieces, [column.name for column in live], rows) if differ else [{}, {}]
    for column in live if one and two else ():
        name = column.name
        if name in differ:
            _compare(column, one[name], two[name], at, [key.get(name) for key in keys])
        _compare_bits(column, one[name], two[name], at)
    return rows


def _differing(columns: Sequence[ColumnValues], one: Piece, two: Piece) -> set[str]:
    """The columns that are compared, and have not equal values in both pieces."""
    live = [column.name for column in columns if not column.why]
    return {name for name in live if not (one and two and one[name].equals(two[name]))}


def bags_differ(one: UInt64s, two: UInt64s) -> tuple[int, int]:
    """How many elements of sorted arrays only one of them has, equal ones counted as often as they are there."""
    if np.array_equal(one, two):
        return 0, 0
    every = np.concatenate([one, two])
    side = np.repeat(np.array([1, -1]), [len(one), len(two)])
    order = np.argsort(every, kind="stable")
    every, side = every[order], side[order]
    starts = np.flatnonzero(np.concatenate([[True], every[1:] != every[:-1]]))
    gap = np.add.reduceat(side, starts) if len(starts) else side
    return int(gap[gap > 0].sum()), int(-gap[gap < 0].sum())


def _columns(a: ParquetFile, b: ParquetFile, found: Matching) -> list[ColumnValues]:
    """The top-level fields of both files with the leaves that are compared, and the type for it."""
    made: dict[tuple[str, str], ColumnValues] = {}
    for pair in found.pairs:
        key = pair.first.path[0], pair.second.path[0]
        made.setdefault(key, ColumnValues(printable(key[1]), [])).pairs.append(pair)
    twice = Counter(one.name for one in made.values())
    roots = [Counter(field.name for field in file.schema.root.children) for file in (a, b)]
    for key, one in made.items():
        if twice[one.name] > 1 or any(n[name] > 1 for n, name in zip(roots, key, strict=True)):
            one.why = "several columns have this name"
            continue
        _set_variants(one, found)
        try:
            set_kind(one, a, b)
        except _NOT_COMPARED as error:
            one.why = clip(str(error), 160)
    return list(made.values())


def _set_variants(one: ColumnValues, found: Matching) -> None:
    """Adds what only one file has of a column's Variants; sets `variants` if both files annotate them."""
    one.variants = any(inside(pair.first) and inside(pair.second) for pair in one.pairs)
    if one.variants:
        roots = one.pairs[0].first.path[0], one.pairs[0].second.path[0]
        only = (
            [leaf for leaf in leaves if leaf.path[0] == root and inside(leaf)]
            for root, leaves in zip(roots, (found.removed, found.added), strict=True)
        )
        one.shredded = next(only), next(only)


def _write_variants(file: ParquetFile, piece: Piece, columns: Sequence[ColumnValues], side: int) -> None:
    """Replaces the Variants of a piece by texts that are equal if the values are."""
    for one in columns:
        if one.variants and not one.why and piece:
            top = one.leaves(side)[0].path[0]
            [field] = [child for child in file.schema.root.children if child.name == top]
            try:
                piece[one.name] = exchange(piece[one.name], field, lambda found, _: equivalents(found))
            except _NOT_COMPARED as error:
                one.why = clip(str(error), 160)


def set_kind(one: ColumnValues, a: ParquetFile, b: ParquetFile) -> None:
    """Sets the type for the values, and whether structs are arranged anew: where fields have other names or places."""
    kinds = [
        file.read([leaf.path for leaf in one.leaves(side)], row_groups=[]).schema.field(0).type
        for side, file in enumerate((a, b))
    ]
    if kinds[0] != kinds[1] and not any(inside(leaf) for pair in one.pairs for leaf in (pair.first, pair.second)):
        kinds = [arranged(pa.nulls(0, k), _numbers(one, i)).type for i, k in enumerate(kinds)]
        one.names = kinds[0] = renamed(*kinds)
    if kinds[0] == kinds[1]:
        one.kind = kinds[1]
    elif all(map(pa.types.is_timestamp, kinds)) and _has_int96(one):
        one.kind = pa.timestamp("ns")  # INT96 says no zone
    else:
        schemas = [pa.schema([("value", kind)]) for kind in kinds]
        try:
            one.kind = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
        except pa.ArrowTypeError:
            one.why = "no value of the one type is a value of the other"
    if pa.types.is_timestamp(one.kind) and _has_int96(one):
        one.kind = _kind_of_moments(one, a, b)


def _has_int96(one: ColumnValues) -> bool:
    return any(Type.INT96 in (pair.first.physical_type, pair.second.physical_type) for pair in one.pairs)


def _kind_of_moments(one: ColumnValues, a: ParquetFile, b: ParquetFile) -> pa.DataType:
    """The type for timestamps, some of INT96, whose values decide their type: nanoseconds, microseconds, or text."""
    found = {
        file.read([leaf.path for leaf in one.leaves(side)], row_groups=[index]).schema.field(0).type
        for side, file in enumerate((a, b))
        for index in range(len(file.row_groups))
    }
    if pa.binary(12) in found:
        return pa.string()
    return pa.timestamp("us") if pa.timestamp("us") in found else one.kind


def _numbers(one: ColumnValues, side: int) -> list[int]:
    """For each leaf of a file, the number of its pair."""
    pairs = one.pairs
    return sorted(range(len(pairs)), key=lambda at: (pairs[at].second if side else pairs[at].first).leaf_index)  # fmt: skip


def _rows(file: ParquetFile) -> int:
    return sum(group.num_rows for group in file.row_groups)


Piece = dict[str, pa.Array]
"""Columns of equal length, by name."""


def tables(file: ParquetFile, columns: Sequence[ColumnValues], side: int) -> Iterator[Piece]:
    """The columns a row group at a time; one that cannot be read or cast gets its `why`, and nulls."""
    for index, group in enumerate(file.row_groups):
        if not group.num_rows:
            continue
        try:
            yield _read(file, [one for one in columns if not one.why], side, index)
        except _NOT_COMPARED:
            for one in columns:
                if not one.why:
                    try:
                        _read(file, [one], side, index)
                    except _NOT_COMPARED as error:
                        one.why = clip(str(error), 160)
            yield _read(file, [one for one in columns if not one.why], side, index)


def _read(file: ParquetFile, columns: Sequence[ColumnValues], side: int, index: int) -> Piece:
    leaves = [leaf for one in columns for leaf in one.leaves(side)]
    if not leaves:
        return {}
    table = file.read([leaf.path for leaf in leaves], row_groups=[index])
    made: Piece = {}
    for one in columns:
        found = table.column(one.leaves(side)[0].path[0])
        array = found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
        if one.names is not None:
            array = arranged(array, _numbers(one, side))
            array = array if side else with_names(array, renamed(array.type, one.names))
        if array.type != one.kind:
            array = _moments(array, one.kind) if _has_int96(one) else array.cast(one.kind)
        made[one.name] = array
    return made


def _moments(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Timestamps, or INT96 as stored, as the type that `_kind_of_moments` gives."""
    if not pa.types.is_string(kind):
        return array.cast(kind, safe=kind.unit == "ns")
    if pa.types.is_timestamp(array.type):
        return array.cast(pa.timestamp("us"), safe=False).cast(kind)
    texts = int96.to_arrow(array, "us").cast(kind)
    far = pa.array(int96.beyond(array))
    days = [f"INT96 {value.hex()}" for value in array.filter(far).to_pylist()]
    return pc.replace_with_mask(texts, far, pa.array(days, kind))


def aligned(one: Iterator[Piece], two: Iterator[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """Pieces of equal length; after the end of one side, empty ones beside those of the other."""
    a, b = next(one, {}), next(two, {})
    while a or b:
        rows, others = (len(next(iter(piece.values()), ())) for piece in (a, b))
        count = min(rows, others) if a and b else max(rows, others)
        yield _slice(a, 0, count), _slice(b, 0, count)
        a = _slice(a, count, rows) if rows > count else next(one, {})
        b = _slice(b, count, others) if others > count else next(two, {})


def _slice(piece: Piece, start: int, end: int) -> Piece:
    return {key: array[start:end] for key, array in piece.items()}


def _compare(column: ColumnValues, one: pa.Array, two: pa.Array, at: int, known: Sequence[UInt64s | None]) -> None:
    """Counts the rows that differ; `known` are the hashes of both sides, if they were worked out."""
    first, second = (hashes(v) if k is None else k for v, k in zip((one, two), known, strict=True))
    differ = np.flatnonzero(first != second)
    column.rows += len(differ)
    if len(differ) and column.row is None:
        row = int(differ[0])
        column.row = at + row
        column.first, column.second = value_text(one[row]), value_text(two[row])


def _compare_bits(column: ColumnValues, one: pa.Array, two: pa.Array, at: int) -> None:
    """Counts the rows with the same float of other bits."""
    rows = other_bits(one, two)
    if len(rows) and column.bits_row is None:
        row = int(rows[0])
        column.bits_row = at + row
        column.bits_texts = bits_text(one[row]), bits_text(two[row])
    column.bits += len(rows)


def differences(found: Values) -> Iterator[Difference]:
    """The differences of the values, if both files have as many rows; else only the columns that were not compared."""
    skipped = [one for one in found.columns if one.why]
    if skipped:
        some = listing([name(one.name) for one in skipped], most=NAMED)
        yield Difference(
            Subject.DATA,
            "not-compared",
            f"The values of {some} were not compared: {skipped[0].why.rstrip('.')}.",
            tuple(path for one in skipped for path in one.paths),
        )
    if found.permuted:
        rows = f"But for {some}, both" if skipped else "Both"
        yield Difference(
            Subject.DATA,
            "row-order",
            f"{rows} files have the same rows in another order, by hashes of 64 bits.",
            first="one order",
            second="another",
            clause="its rows are in another order",
        )
    elif not found.other_count:
        for one in found.compared:
            if one.rows:
                yield _of_column(one)
            if one.bits:
                yield _of_bits(one)


def _of_bits(one: ColumnValues) -> Difference:
    return Difference(
        Subject.DATA,
        "float-bits",
        f"{name(one.name)} has the same values with other bits in {plural(one.bits, 'row')}; the first is row {one.bits_row:,}: "
        f"{one.bits_texts[1]} in place of {one.bits_texts[0]}.",
        one.paths,
        (),
        *one.bits_texts,
        effect=Effect.LOOKS,
        addresses=one.addresses,
    )


def _of_column(one: ColumnValues) -> Difference:
    more = " (they differ after what is shown)" if one.first == one.second else ""
    return Difference(
        Subject.DATA,
        "values",
        f"{name(one.name)} has other values in {plural(one.rows, 'row')}; the first is row {one.row:,}: {one.second} in place "
        f"of {one.first}{more}.",
        one.paths,
        first=one.first,
        second=one.second,
        clause=f"{name(one.name)} has other values",
        addresses=one.addresses,
    )


# Floats of the same value with other bits: zeros of both signs, and NaNs of other payloads.

_UNSIGNED = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


def other_bits(one: pa.Array, two: pa.Array) -> Array:
    """The rows in which two arrays have the same float with other bits; none for arrays of another type."""
    none = np.zeros(0, np.int64)
    if not pa.types.is_floating(one.type) or one.type != two.type:
        return none
    first, second = (array.view(_UNSIGNED[array.type.bit_width]) for array in (one, two))
    if first.equals(second):
        return none
    raw, raw_two = (bits.fill_null(0).to_numpy(zero_copy_only=False) for bits in (first, second))
    kind = f"f{one.type.bit_width // 8}"
    floats, floats_two = raw.view(kind), raw_two.view(kind)
    same = (floats == floats_two) | (np.isnan(floats) & np.isnan(floats_two))
    return np.flatnonzero((raw != raw_two) & same)


def bits_text(value: pa.Scalar) -> str:
    """A zero with its sign; a NaN with its bits."""
    kind = _UNSIGNED[value.type.bit_width]
    raw = pa.array([value.as_py()], value.type).view(kind)[0].as_py()
    number = float(value.as_py())
    return f"NaN of the bits {raw:#x}" if number != number else repr(number)


# Arrow arrays of two files in one arrangement, and one of their values as text.

_SHOWN = 20
"""Elements of a list and fields of a struct that a text shows."""

_DEPTH = 4
"""Levels of nesting that a text shows."""


def arranged(array: pa.Array, numbers: Sequence[int]) -> pa.Array:
    """The array with the fields of each struct in the order of their leaves' numbers; maps become lists of structs.

    `numbers` has one number for each leaf of the array's type. Raises ArrowInvalid if the type has not as many leaves.
    """
    left = iter(numbers)
    made, _ = _arranged(array, left)
    if next(left, None) is not None:
        raise pa.ArrowInvalid("its type has fewer leaves than the schema")
    return made


def _arranged(array: pa.Array, numbers: Iterator[int]) -> tuple[pa.Array, int]:
    kind = array.type
    if pa.types.is_struct(kind):
        fields = [array.field(i) for i in range(kind.num_fields)]
        return _struct(fields, [field.name for field in kind], numbers, array.is_null())
    if pa.types.is_map(kind):
        values, first = _struct([array.keys, array.items], ["key", "value"], numbers, None)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        values, first = _arranged(array.values, numbers)
    else:
        found = next(numbers, None)
        if found is None:
            raise pa.ArrowInvalid("its type has more leaves than the schema")
        return array, found
    maker = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
    mask = array.is_null() if array.null_count else None
    return maker.from_arrays(array.offsets, values, mask=mask), first


def _struct(
    fields: Sequence[pa.Array], names: Sequence[str], numbers: Iterator[int], mask: pa.Array | None
) -> tuple[pa.Array, int]:
    found = [(*_arranged(field, numbers), name) for field, name in zip(fields, names, strict=True)]
    found.sort(key=lambda one: one[1])
    made = pa.StructArray.from_arrays([one[0] for one in found], names=[one[2] for one in found], mask=mask)
    return made, found[0][1] if found else -1


def renamed(kind: pa.DataType, like: pa.DataType) -> pa.DataType:
    """An arranged type with the names of another one. Raises ArrowInvalid if they nest in different ways."""
    if pa.types.is_nested(kind) or pa.types.is_nested(like):
        if kind.id != like.id or kind.num_fields != like.num_fields:
            raise pa.ArrowInvalid("its fields are nested in another way")
        fields = [kind.field(i) for i in range(kind.num_fields)]
        others = [like.field(i) for i in range(kind.num_fields)]
        made = [pa.field(b.name, renamed(a.type, b.type)) for a, b in zip(fields, others, strict=True)]
        if pa.types.is_struct(kind):
            return pa.struct(made)
        return pa.large_list(made[0]) if pa.types.is_large_list(kind) else pa.list_(made[0])
    return kind


def with_names(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """An arranged array with the names of its `renamed` type."""
    if array.type == kind:
        return array
    if pa.types.is_struct(kind):
        fields = [with_names(array.field(i), kind.field(i).type) for i in range(kind.num_fields)]
        names = [field.name for field in kind]
        return pa.StructArray.from_arrays(fields, names=names, mask=array.is_null())
    maker = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
    mask = array.is_null() if array.null_count else None
    return maker.from_arrays(array.offsets, with_names(array.values, kind.value_type), type=kind, mask=mask)


def value_text(value: pa.Scalar, limit: int = 80) -> str:
    """A value as text of at most `limit` characters, whatever its bytes are."""
    return clip(_value_text(value, _DEPTH), limit)


def _value_text(value: pa.Scalar, depth: int) -> str:
    kind = value.type
    if not value.is_valid:
        return "null"
    if pa.types.is_boolean(kind):
        return "true" if value.as_py() else "false"
    if pa.types.is_nested(kind):
        return _nested_text(value, depth - 1) if depth else "…"
    if pa.types.is_timestamp(kind):
        # Without its zone, which is UTC: Arrow needs a database for zones.
        plain = str(pa.scalar(value.value, pa.timestamp(kind.unit)).cast(pa.string()))
        return plain if kind.tz is None else f"{plain}Z"
    if pa.types.is_duration(kind):
        return f"{value.value:,} {kind.unit}"
    if pa.types.is_temporal(kind):
        return str(value.cast(pa.string()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        raw = value.as_buffer().to_pybytes()
        try:
            return repr(raw.decode())
        except UnicodeDecodeError:
            return repr(raw)
    if pa.types.is_float16(kind):  # older versions of pyarrow give numpy's
        return repr(float(value.as_py()))
    return str(value.as_py()) if pa.types.is_decimal(kind) else repr(value.as_py())


def _nested_text(value: pa.Scalar, depth: int) -> str:
    kind = value.type
    if pa.types.is_struct(kind):
        count = min(kind.num_fields, _SHOWN)
        shown = [f"{kind.field(i).name!r}: {_value_text(value[i], depth)}" for i in range(count)]
        more = kind.num_fields > count
        return f"{{{', '.join(shown)}{', …' if more else ''}}}"
    values = value.values
    shown = [_value_text(one, depth) for one in values[:_SHOWN]]
    return f"[{', '.join(shown)}{', …' if len(values) > _SHOWN else ''}]"
