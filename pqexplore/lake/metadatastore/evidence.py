"""Witnesses: whether an index proves that a clause is TRUE for no row of an object.

Each index is a witness. It rules a clause out only with proof; otherwise it says why it cannot: no value, a literal
that does not compare, a range that overlaps. Values that xskipper may have computed wrongly are not proof:

- If every index of a store is a MinMax on numbers, xskipper takes the values from Parquet footers. Then a row group
  with a NaN is missing from the range, and "no minimum" means "unknown" or "all NULL".
- xskipper orders text differently from Spark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.predicate import Compare, Leaf, Literal, NullTest, OneOf
from pqexplore.lake.metadatastore import comparison, sketch, store_schema, store_types
from pqexplore.lake.metadatastore.comparison import Keys
from pqexplore.lake.metadatastore.dataset import HIVE_NULL
from pqexplore.lake.metadatastore.witness import EQUAL, Clause, Never, Silent, Witness, holds_for_null, literals

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store


FAST_PATH_TYPES = (*store_types.INTEGRAL, *store_types.FRACTIONAL)
"""Types for which xskipper may take MinMax values from Parquet footers."""

_OTHER_FORMAT = re.compile(r"\.(csv|tsv|txt|text|json|jsonl|orc|avro|xml)(\.(gz|bz2|snappy|zst|lz4|deflate))?\Z")
_ABOVE_SURROGATES = re.compile("[\ue000-\uffff]")


def witnesses(store: Store, leaf: Leaf, column_types: Mapping[str, str]) -> list[Witness]:
    """The witnesses of a store for a clause, at least one: `Silent` if the column has no index."""
    if isinstance(leaf, predicate.Constant):
        return [Silent("it is TRUE") if leaf.value else Never()]
    if isinstance(leaf, predicate.Opaque):
        return [Silent(leaf.why)]
    if not isinstance(leaf, Compare | OneOf | NullTest):
        return [Silent(f"no index can decide {type(leaf).__name__.lower()}")]
    found: list[Witness] = [
        PartitionWitness(store, partition, leaf)
        for partition in store.partitions
        if partition.name.lower() == leaf.column and "." not in partition.name
    ]
    for index in store.indexes:
        if tuple(column.lower() for column in index.columns) == (leaf.column,):
            found.append(_of_index(store, index, leaf, column_types))
    return found or [Silent(f"there is no index on {leaf.column or leaf.operand}")]


def _of_index(
    store: Store, index: store_schema.Index, leaf: Compare | OneOf | NullTest, column_types: Mapping[str, str]
) -> Witness:
    if not store.schema.values_readable:
        return Silent(store_schema.STATUSES[store.schema.status], index.column)
    if not index.readable:
        return Silent(f"the index {index.name!r} is not understood here", index.column)
    try:
        if index.name == store_schema.MINMAX:
            return MinMaxWitness(store, index, leaf)
        if index.name == store_schema.VALUE_LIST:
            return ValueListWitness(store, index, leaf)
        return BloomWitness(store, index, leaf, column_types.get(leaf.column))
    except ParquetError as error:
        return Silent(f"the index cannot be read: {error.message}", index.column)


class PartitionWitness(Witness):
    """A partition column: all rows of an object have the same value, so the clause is TRUE for all or for none."""

    by_partition = True

    def __init__(self, store: Store, partition: store_schema.Partition, leaf: Compare | OneOf | NullTest) -> None:
        self.store, self.partition = store, partition
        self.column = partition.column
        self.clause = Clause(leaf, partition.type)
        self.problem = self.clause.problem
        self.values = store.values(partition.column)

    def judge(self, row: int) -> tuple[bool, str]:
        """Ruled out if the object's value makes the clause FALSE or NULL."""
        value, name = self.values[row], self.partition.name
        if self.problem:
            return False, self.problem
        if value is None:
            if f"/{name}={HIVE_NULL}/" not in self.store.object_path(row):
                return False, f"the object's {name} is NULL, and its path does not say so"
            possible = self.clause.holds_for_null
        else:
            possible = self.clause.possible_for(self.clause.key(value))
        return not possible, ""

    def describe(self, row: int) -> str:
        """The object's value."""
        value = store_types.shown(self.values[row], self.partition.type)
        return f"the object's {self.partition.name} is {value}"


class MinMaxWitness(Witness):
    """A MinMax index: the minimum and maximum of the object's values, in Spark's order."""

    def __init__(self, store: Store, index: store_schema.Index, leaf: Compare | OneOf | NullTest) -> None:
        self.store, self.index = store, index
        self.column = index.column
        self.type = index.value_type or ""
        self.doubtful = self.type in store_types.FRACTIONAL or self.type == "string"
        self.clause = Clause(leaf, self.type)
        self.problem = self.clause.problem
        self.values = store.values(index.column)

    def judge(self, row: int) -> tuple[bool, str]:
        """Ruled out if no value from the minimum to the maximum makes the clause TRUE."""
        if self.problem:
            return False, self.problem
        value = self.values[row]
        if value is None:
            return False, "the index has no value for this object"
        low, high = value["min"], value["max"]
        if self.doubtful or low is None:
            doubt = minmax_doubt(self.store, row, self.index, low, high)
            if doubt:
                return False, doubt
        if low is None and high is None:
            return not self.clause.holds_for_null, "all values of the object are NULL"
        if low is None or high is None:
            return False, "the index has only one of minimum and maximum"
        low_key, high_key = self.clause.key(low), self.clause.key(high)
        if low_key > high_key:
            return False, "the minimum is greater than the maximum"
        possible = self.clause.holds_for_null or self.clause.possible_between(low_key, high_key)
        return not possible, ""

    def describe(self, row: int) -> str:
        """The object's range."""
        low, high = (store_types.shown(self.values[row][end], self.type) for end in ("min", "max"))
        return f"the object's values go from {low} to {high}"


def minmax_doubt(store: Store, row: int, index: store_schema.Index, low: Any, high: Any) -> str:
    """Why a MinMax value that xskipper wrote may not bound the object's values; "" if it does."""
    kind = index.value_type
    if kind == "string":
        return _text_doubt(store, row, low, high)
    unknown = low is None and high is None
    if kind not in FAST_PATH_TYPES or not (unknown or kind in store_types.FRACTIONAL):
        return ""
    if not store.footer_path_possible(row):
        return ""
    if unknown:
        return "without minimum and maximum the object may be all NULL, or its footer has no bounds"
    return "the range may come from a footer, and row groups with a NaN are missing from it"


def _text_doubt(store: Store, row: int, low: Any, high: Any) -> str:
    """Why bounds of text may not be bounds in Spark's order; "" if they are.

    xskipper compares Java strings, by UTF-16 code units: surrogates, which encode characters from U+10000 on, come
    before U+E000 to U+FFFF. For all other characters the two orders agree.
    """
    if low is None or high is None or (low.isascii() and high.isascii()):
        return ""
    if store.part_of(row).mark is not None:
        return ""
    if any(character > "\uffff" for character in low) or _ABOVE_SURROGATES.search(high):
        return "the bounds are in the order of UTF-16 code units, but Spark compares text by UTF-8 bytes"
    return ""


def other_format(path: str) -> bool:
    """Whether an object's name is that of another format than Parquet."""
    return _OTHER_FORMAT.search(path.lower()) is not None


class ValueListWitness(Witness):
    """A ValueList index: every distinct value of the object."""

    def __init__(self, store: Store, index: store_schema.Index, leaf: Compare | OneOf | NullTest) -> None:
        self.column = index.column
        self.type = index.value_type or ""
        self.clause = Clause(leaf, self.type)
        self.problem = self.clause.problem
        self.values = store.values(index.column)

    def judge(self, row: int) -> tuple[bool, str]:
        """Ruled out if none of the values makes the clause TRUE."""
        if self.problem:
            return False, self.problem
        values = self.values[row]
        if values is None:
            return False, "the index has no value for this object"
        present = [value for value in values if value is not None]
        clause = self.clause
        possible = clause.holds_for_null or any(clause.possible_for(clause.key(value)) for value in present)
        return not possible, ""

    def describe(self, row: int) -> str:
        """The number of the object's distinct values, and the first three."""
        present = [value for value in self.values[row] if value is not None]
        few = ", ".join(store_types.shown(value, self.type) for value in present[:3])
        count = "no values" if not present else f"{len(present):,} different values: {few}"
        more = ", …" if len(present) > 3 else ""
        return f"the object has {count}{more}"


class BloomWitness(Witness):
    """A Bloom filter: proves that a value is absent, never that it is present."""

    def __init__(
        self, store: Store, index: store_schema.Index, leaf: Compare | OneOf | NullTest, spark_type: str | None
    ) -> None:
        self.store, self.leaf = store, leaf
        self.column = index.column
        self.values = store.values(index.column)
        self.problem = ""
        self.probes: list[int | str] = []
        self.asks_for_values = isinstance(leaf, OneOf) and not leaf.negated
        if isinstance(leaf, Compare):
            self.asks_for_values = leaf.operator in EQUAL
        if self.asks_for_values:
            for literal in literals(leaf):
                found = bloom_probe(literal, spark_type)
                if isinstance(found, Keys):
                    self.probes += [] if found.probe is None else [found.probe]
                elif not self.problem:
                    self.problem = found

    def judge(self, row: int) -> tuple[bool, str]:
        """Ruled out if none of the literals can be in the filter, or if the filter is empty."""
        stream = self.values[row]
        if stream is None:
            return False, "the index has no filter for this object"
        try:
            filter = sketch.from_java(stream)
        except ParquetError as error:
            return False, f"the filter cannot be read: {error.message}"
        if filter is None:
            return False, "the index has no filter for this object"
        if filter.empty and not holds_for_null(self.leaf):
            return True, "the filter is empty: all values of the object are NULL"
        if not self.asks_for_values:
            return False, "a Bloom filter only answers whether a value may be present"
        if self.problem:
            return False, self.problem
        if any(filter.might_contain(probe) for probe in self.probes):
            return False, "the filter may have the value"
        return True, "the filter does not have the value"


def bloom_probe(literal: Literal, spark_type: str | None) -> Keys | str:
    """The keys to look up in a Bloom filter, or text: why there are none.

    A filter does not record the type of its values. Without the column's type, only text that no cast turns into a
    number can be looked up. A number cannot: the column may be text, and Spark would cast it.
    """
    if spark_type in store_types.INTEGRAL or spark_type == "string":
        found = comparison.keys(spark_type, literal)
        if isinstance(found, Keys) and found.probe is None and not found.absent:
            return f"a {literal.kind} cannot be looked up among values of type {spark_type}"
        return found
    if spark_type is not None:
        return f"Bloom filters have whole numbers and text, but the column has type {spark_type}"
    if literal.kind == predicate.TEXT and not re.match(r"[\0-\x20]*[-+.0-9]", literal.value):
        return comparison.keys("string", literal)
    return "the store does not have the column's type; pass it to evaluate as `types`"
