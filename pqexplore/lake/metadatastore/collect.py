"""One object: its indexes' values, read from the file, or refused with a reason.

An object whose values cannot be told for certain gets no row, so that every reader of the store reads it: xskipper takes
a MinMax or ValueList that is missing for "no match". Reading goes page by page, for the indexed columns only.

From footers, MinMax values of a column are taken where every row group has a bound on both sides that is to be trusted
and no NaN can hide (floating point columns need `nan_count`); otherwise the column's values are read after all.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine import file as engine
from pqexplore.engine import logical, ordering, statistics
from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.schema import Field, Leaf
from pqexplore.engine.thrift.structs import Type
from pqexplore.lake.metadatastore import indexes, schema, types
from pqexplore.lake.metadatastore.indexes import MinMax, Wanted

VALUES, FOOTERS = "values", "footers"
SOURCES = (VALUES, FOOTERS)

_OLDEST = {
    "date": -141_427,
    "timestamp": -2_208_988_800_000_000,
    "timestamp_ntz": -2_208_988_800_000_000,
}
"""1582-10-15 in days, and 1900-01-01 in microseconds: from here on both calendars, and all time zones, agree."""


@dataclasses.dataclass(frozen=True)
class Gathered:
    """What was made of one file: the value of each index, as an Arrow array of length 1, or why there are none."""

    values: list[pa.Array] | None
    problem: str = ""


def column_types(path: str, columns: Sequence[str]) -> dict[str, str | None] | str:
    """The Spark type of each column in a file, None where the file does not have it; or why the file is not indexed."""
    try:
        with engine.open(path) as opened:
            found: dict[str, str | None] = {}
            for column in columns:
                leaf = find_leaf(opened, column)
                kind = None if leaf is None else types.of_leaf(leaf)
                if leaf is not None and kind is None:
                    return f"column {column} is of a type that is not indexed"
                found[column] = kind
            return found
    except (ParquetError, UsageError) as error:
        return str(error)
    except OSError as error:
        return f"it cannot be read: {error.strerror or type(error).__name__}"


def find_leaf(opened: engine.ParquetFile, column: str) -> Leaf | None:
    """The leaf of a dotted column name, in any case; None where the file has none.

    Raises UsageError for a name that is no single leaf outside lists and maps, or is ambiguous.
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
        raise UsageError(f"column {column} is no column of single values")
    return field


def gather(
    path: str, wanted: Sequence[Wanted], kinds: Mapping[str, str], source: str = VALUES
) -> Gathered:
    """The values of the indexes for one file; `kinds` has the Spark type of each indexed column."""
    try:
        with engine.open(path) as opened:
            made = [indexes.gatherer(one, kinds[one.column]) for one in wanted]
            by_column: dict[str, list[int]] = {}
            for position, one in enumerate(wanted):
                by_column.setdefault(one.column, []).append(position)
            for column, positions in by_column.items():
                leaf = find_leaf(opened, column)
                if leaf is None:
                    continue  # Spark reads NULLs
                kind = kinds[column]
                actual = types.of_leaf(leaf)
                if actual is None or types.widest({actual, kind}) != kind:
                    return Gathered(
                        None, f"column {column} is of type {actual}, the index of type {kind}"
                    )
                hybrid = kind in _OLDEST and _old_calendar(opened, leaf)
                left = [
                    position
                    for position in positions
                    if not (
                        source == FOOTERS
                        and not hybrid
                        and isinstance(wanted[position], MinMax)
                        and _from_footer(opened, leaf, kind, made[position])
                    )
                ]
                if left:
                    for values in _values(opened, leaf, kind):
                        if hybrid and _reaches_back(values, kind):
                            return Gathered(None, f"column {column} has dates of the old calendar")
                        for position in left:
                            made[position].add(values)
            return Gathered([one.result() for one in made])
    except (ParquetError, UsageError, pa.ArrowException) as error:
        return Gathered(None, str(error))
    except OSError as error:
        return Gathered(None, f"it cannot be read: {error.strerror or type(error).__name__}")


def _values(opened: engine.ParquetFile, leaf: Leaf, kind: str) -> Iterator[pa.Array]:
    """The values of a column, page by page, without NULLs, as the index has them."""
    target = types.arrow_type(kind)
    for group in opened.row_groups:
        chunk = opened.chunk(group, leaf.leaf_index)
        seen = 0
        for page in chunk.pages:
            if not page.is_data:
                continue
            seen += page.num_values
            values = page.values
            if pa.types.is_dictionary(values.type):
                values = values.dictionary_decode()
            if pa.types.is_timestamp(values.type):
                values = types.microseconds(values).cast(pa.timestamp("us"))
            yield values.cast(target)
        if seen != chunk.num_values:
            raise CorruptFileError(
                f"the pages have {seen:,} values, the chunk has {chunk.num_values:,}",
                address=chunk.address,
            )


def _old_calendar(opened: engine.ParquetFile, leaf: Leaf) -> bool:
    """Whether Spark takes early dates of a file for those of the hybrid Julian and Gregorian calendar.

    So it does for its own files by versions before 3.0 (INT96: 3.1), and for those marked as legacy.
    """
    notes = opened.key_value_metadata
    version = re.match(r"(\d+)\.(\d+)", notes.get(schema.SPARK_VERSION) or "")
    if version is None:
        return False
    int96 = leaf.physical_type == Type.INT96
    legacy = "org.apache.spark.legacyINT96" if int96 else "org.apache.spark.legacyDateTime"
    return legacy in notes or (int(version[1]), int(version[2])) < (3, 1 if int96 else 0)


def _reaches_back(values: pa.Array, kind: str) -> bool:
    first = pc.min(values).cast(pa.int32() if kind == "date" else pa.int64()).as_py()
    return first is not None and first < _OLDEST[kind]


def _from_footer(opened: engine.ParquetFile, leaf: Leaf, kind: str, into: indexes.Gatherer) -> bool:
    """Give the bounds that the footer has to a gatherer; False where they do not tell for certain."""
    target = types.arrow_type(kind)
    found = []
    try:
        for group in opened.row_groups:
            chunk = opened.chunk(group, leaf.leaf_index)
            bounds = statistics.bounds(leaf, chunk.statistics, opened.created_by)
            if bounds is None:
                return False
            if bounds.null_count == chunk.num_values and bounds.min_raw is None:
                continue  # all NULL, and said so
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
    """Both bounds, as Arrow takes them for the type; timestamps as microseconds."""
    if not kind.startswith("timestamp"):
        return [bounds.min, bounds.max]
    if bounds.min_raw is None or bounds.max_raw is None or len(bounds.min_raw) != 8:
        raise TypeError("no bounds of an INT64 timestamp")
    unit = {"ms": 1_000, "us": 1}[logical.annotation(leaf).unit]
    raw = (bounds.min_raw, bounds.max_raw)
    return [int.from_bytes(one, "little", signed=True) * unit for one in raw]
