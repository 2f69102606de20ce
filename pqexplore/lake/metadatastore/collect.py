"""Reads the index values of one object (file), or says why it cannot be indexed.

An object whose values are not certain gets no row, so that every reader of the store reads it: to xskipper a missing
MinMax or ValueList means "no match". Only the indexed columns are read, page by page.

MinMax values come from the footer if every row group has both bounds, the bounds are reliable, and no NaN can be
missing (floating point columns need `nan_count`). Otherwise the column's values are read.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.file import file as engine
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.row_group import RowGroup
from pqexplore.engine.format import logical, ordering, statistics
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.writers.in_bytes import GREGORIAN, in_hybrid_calendar
from pqexplore.lake.metadatastore import indexes, store_types
from pqexplore.lake.metadatastore.indexes import MinMax, Wanted

VALUES, FOOTERS = "values", "footers"
SOURCES = (VALUES, FOOTERS)
ONLY_FOOTERS = "only footers"
"""A source for trials: without reliable bounds in the footer, MinMax is NULL. Such a store is not for xskipper."""

_OLDEST = {"date": GREGORIAN, "timestamp": -2_208_988_800_000_000, "timestamp_ntz": -2_208_988_800_000_000}
"""1582-10-15 in days, 1900-01-01 in microseconds: from then on both calendars agree in all time zones."""


@dataclasses.dataclass(frozen=True)
class Gathered:
    """The value of each index for one file, as Arrow arrays of length 1; or None, and `problem` says why."""

    values: list[pa.Array] | None
    problem: str = ""


def column_types(
    path: str, columns: Sequence[str], options: StorageOptions | None = None
) -> dict[str, str | None] | str:
    """The Spark type of each column in a file, None if the file does not have it; or text: why it is not indexed."""
    try:
        with engine.open(path, storage_options=options) as opened:
            found: dict[str, str | None] = {}
            for column in columns:
                leaf = find_leaf(opened, column)
                kind = None if leaf is None else store_types.of_leaf(leaf)
                if leaf is not None and kind is None:
                    return f"column {column} has a type that cannot be indexed"
                found[column] = kind
            return found
    except (ParquetError, UsageError) as error:
        return str(error)
    except OSError as error:
        return f"it cannot be read: {error.strerror or type(error).__name__}"


def find_leaf(opened: engine.ParquetFile, column: str) -> Leaf | None:
    """The leaf of a dotted column name, whatever its case; None if absent.

    Raises UsageError if the name is ambiguous, is not a leaf, or is inside a list, a map or a Variant.
    """
    field: Field = opened.schema.root
    for part in column.split("."):
        named = [child for child in field.children if child.name.lower() == part.lower()]
        if not named:
            return None
        if len(named) > 1:
            raise UsageError(f"column {column} is ambiguous: names that differ by case")
        field = named[0]
    if not isinstance(field, Leaf) or field.max_repetition_level:
        raise UsageError(f"column {column} is a group, or is inside a list or map")
    if inside(field):
        raise UsageError(f"column {column} is a part of a Variant, whose other values are in other columns")
    return field


def gather(
    path: str,
    wanted: Sequence[Wanted],
    kinds: Mapping[str, str],
    source: str = VALUES,
    options: StorageOptions | None = None,
) -> Gathered:
    """Reads the index values of one file; `kinds` has the Spark type of each indexed column."""
    try:
        with engine.open(path, storage_options=options) as opened:
            made = [indexes.gatherer(one, kinds[one.column]) for one in wanted]
            unknown: set[int] = set()
            for column, positions in _by_column(wanted).items():
                leaf = find_leaf(opened, column)
                if leaf is None:
                    continue  # Spark reads NULLs
                kind = kinds[column]
                _require_type(leaf, column, kind)
                int96 = leaf.physical_type == Type.INT96
                hybrid = kind in _OLDEST and in_hybrid_calendar(opened, int96=int96) != ""
                left = positions
                if source in (FOOTERS, ONLY_FOOTERS) and not hybrid:
                    left = [at for at in positions if not _from_footer(opened, leaf, kind, wanted[at], made[at])]
                if source == ONLY_FOOTERS:
                    unknown.update(left)
                elif left and not _add_values(opened, leaf, kind, hybrid, [made[position] for position in left]):
                    return Gathered(None, f"column {column} has dates of the old calendar")
            results = [one.result() for one in made]
            return Gathered(
                [pa.nulls(1, one.type) if position in unknown else one for position, one in enumerate(results)]
            )
    except (ParquetError, UsageError, pa.ArrowException) as error:
        return Gathered(None, str(error))
    except OSError as error:
        return Gathered(None, f"it cannot be read: {error.strerror or type(error).__name__}")


def _by_column(wanted: Sequence[Wanted]) -> dict[str, list[int]]:
    """The positions of the indexes of each column."""
    positions: dict[str, list[int]] = {}
    for position, one in enumerate(wanted):
        positions.setdefault(one.column, []).append(position)
    return positions


def _require_type(leaf: Leaf, column: str, kind: str) -> None:
    """Raises UsageError if the values of a leaf are not all of an index's Spark type."""
    actual = store_types.of_leaf(leaf)
    if actual is None or store_types.widest({actual, kind}) != kind:
        raise UsageError(f"column {column} has type {actual}, the index has type {kind}")


def _add_values(
    opened: engine.ParquetFile, leaf: Leaf, kind: str, hybrid: bool, into: Sequence[indexes.Gatherer]
) -> bool:
    """Adds a column's values to gatherers; False if some are dates of the old calendar, where the file may be `hybrid`."""
    for values in _values(opened, leaf, kind):
        if hybrid and _reaches_back(values, kind):
            return False
        for one in into:
            one.add(values)
    return True


def not_null(path: str, columns: Sequence[str], options: StorageOptions) -> frozenset[str]:
    """Those of some columns that have no NULL in a file by its footer; none if the file cannot be read."""
    found = set()
    try:
        with engine.open(path, storage_options=options) as opened:
            for column in columns:
                leaf = find_leaf(opened, column)
                if leaf is not None and all(_without_null(opened, leaf, group) for group in opened.row_groups):
                    found.add(column.lower())
    except (ParquetError, UsageError, OSError):
        return frozenset()
    return frozenset(found)


def _without_null(opened: engine.ParquetFile, leaf: Leaf, group: RowGroup) -> bool:
    """Whether a leaf has no NULL in a row group, by the schema or by the footer's count."""
    if leaf.max_definition_level == 0:
        return True
    stored = group.columns[leaf.leaf_index].metadata.statistics
    bounds = statistics.bounds(leaf, stored, opened.created_by)
    return bounds is not None and bounds.null_count == 0


def _values(opened: engine.ParquetFile, leaf: Leaf, kind: str) -> Iterator[pa.Array]:
    """Yields the values of a column page by page, without NULLs, in the index's Arrow type."""
    target = store_types.arrow_type(kind)
    for group in opened.row_groups:
        chunk = group.columns[leaf.leaf_index]
        seen = 0
        for page in chunk.pages:
            if not page.is_data:
                continue
            seen += page.num_values
            values = page.values
            if pa.types.is_dictionary(values.type):
                values = values.dictionary_decode()
            if pa.types.is_timestamp(values.type):
                values = store_types.microseconds(values).cast(pa.timestamp("us"))
            yield values.cast(target)
        if seen != chunk.num_values:
            raise CorruptFileError(
                f"the pages have {seen:,} values, the chunk has {chunk.num_values:,}", address=chunk.address
            )


def _reaches_back(values: pa.Array, kind: str) -> bool:
    first = pc.min(values).cast(pa.int32() if kind == "date" else pa.int64()).as_py()
    return first is not None and first < _OLDEST[kind]


def _from_footer(opened: engine.ParquetFile, leaf: Leaf, kind: str, wanted: Wanted, into: indexes.Gatherer) -> bool:
    """Adds the footer's bounds to the gatherer of an index.

    Returns False, and adds nothing, if the index needs more than bounds, or they are not reliable.
    """
    if not isinstance(wanted, MinMax):
        return False
    target = store_types.arrow_type(kind)
    found = []
    try:
        for group in opened.row_groups:
            chunk = group.columns[leaf.leaf_index]
            bounds = statistics.bounds(leaf, chunk.metadata.statistics, opened.created_by)
            if bounds is None:
                return False
            if bounds.null_count == chunk.num_values and bounds.min_raw is None:
                continue  # the footer says that all values are NULL
            if not bounds.trusted or bounds.min_key is None or bounds.max_key is None:
                return False
            if ordering.is_float(leaf):
                if bounds.nan_count is None:
                    return False
                if bounds.nan_count:
                    found.append(pa.array([math.nan], target))
            found.append(pa.array(_ends(leaf, kind, bounds), target))
    except (ParquetError, pa.ArrowException, UnicodeError, OverflowError, TypeError):
        return False
    for each in found:
        into.add(each)
    return True


def _ends(leaf: Leaf, kind: str, bounds: statistics.Bounds) -> list[Any]:
    """Both bounds, as values of the Arrow type; timestamps as microseconds since 1970."""
    if not kind.startswith("timestamp"):
        return [bounds.min, bounds.max]
    if bounds.min_raw is None or bounds.max_raw is None or len(bounds.min_raw) != 8:
        raise TypeError("no bounds of an INT64 timestamp")
    unit = {"ms": 1_000, "us": 1}[logical.annotation(leaf).unit]
    raw = (bounds.min_raw, bounds.max_raw)
    return [int.from_bytes(one, "little", signed=True) * unit for one in raw]
