"""The indexes that can be built, and how they are computed from the values of a column.

The values of one object arrive in batches, without NULLs. An object with only NULLs has no minimum and maximum, an
empty list, an empty filter.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import UsageError
from pqexplore.lake.metadatastore import sketch, store_schema, store_types


@dataclasses.dataclass(frozen=True)
class _Wanted:
    column: str
    key: str | None = dataclasses.field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not self.column or not isinstance(self.column, str):
            raise UsageError("an index needs the name of a column, dotted if it is nested")

    @property
    def params(self) -> dict[str, str]:
        """The parameters in a store, by key."""
        return {}


@dataclasses.dataclass(frozen=True)
class MinMax(_Wanted):
    """The minimum and maximum of `column`. `key` is the label of the key that encrypts the index."""

    name = store_schema.MINMAX


@dataclasses.dataclass(frozen=True)
class ValueList(_Wanted):
    """All distinct values of `column`. `key` is the label of the key that encrypts the index."""

    name = store_schema.VALUE_LIST


@dataclasses.dataclass(frozen=True)
class BloomFilter(_Wanted):
    """A Bloom filter of the values of `column`, text or whole numbers.

    `fpp` is the false positive probability for `ndv` distinct values per object; it is higher for more values.
    """

    fpp: float = 0.01
    ndv: int = 100_000
    name = store_schema.BLOOM_FILTER

    def __post_init__(self) -> None:
        super().__post_init__()
        sketch.Builder(self.ndv, self.fpp)

    @property
    def params(self) -> dict[str, str]:
        """The parameters in a store, by key; numbers are written as Java does."""
        return {
            store_schema.PREFIX + store_schema.NDV: str(self.ndv),
            store_schema.PREFIX + store_schema.FPP: java_double(self.fpp),
        }


Wanted = MinMax | ValueList | BloomFilter


def java_double(number: float) -> str:
    """Formats a double as Java's `Double.toString` does."""
    if 1e-3 <= abs(number) < 1e7 or number == 0:
        return repr(float(number))
    mantissa, _, exponent = f"{number!r}".partition("e")
    if not exponent:
        digits = np.format_float_scientific(number, trim="0")
        mantissa, _, exponent = digits.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def of_index(index: store_schema.Index) -> Wanted | None:
    """The argument of `build` that builds an index of a store again; None for an unknown kind of index."""
    if not index.readable:
        return None
    column = index.columns[0]
    if index.name == store_schema.MINMAX:
        return MinMax(column, key=index.key_metadata)
    if index.name == store_schema.VALUE_LIST:
        return ValueList(column, key=index.key_metadata)
    fpp, ndv = index.fpp, index.ndv
    return BloomFilter(column, 0.01 if fpp is None else fpp, 100_000 if ndv is None else ndv, key=index.key_metadata)


def supported(wanted: Wanted, spark_type: str) -> bool:
    """Whether an index supports columns of a Spark type."""
    if isinstance(wanted, BloomFilter):
        return spark_type in store_types.INTEGRAL or spark_type == "string"
    return spark_type != "binary" and store_types.arrow_type(spark_type) is not None


class Gatherer(ABC):
    """Computes an index value from the batches of an object's values."""

    @abstractmethod
    def add(self, values: pa.Array) -> None:
        """Adds some of the object's values: an Arrow array of the indexed column's type, without NULLs."""

    @abstractmethod
    def result(self) -> pa.Array:
        """The index value for the store: an array of length 1, of the type that `arrow_type` returns."""


def arrow_type(name: str, spark_type: str) -> pa.DataType:
    """The Arrow type of an index's column in the store, for values of a Spark type."""
    kind = store_types.arrow_type(spark_type)
    if name == store_schema.MINMAX:
        return pa.struct([("min", kind), ("max", kind)])
    return pa.list_(pa.field("element", kind)) if name == store_schema.VALUE_LIST else pa.binary()


def gatherer(wanted: Wanted, spark_type: str) -> Gatherer:
    """Returns a gatherer for one object."""
    if isinstance(wanted, MinMax):
        return _Bounds(spark_type)
    if isinstance(wanted, ValueList):
        return _Values(spark_type)
    return _Filter(wanted, spark_type)


class _Bounds(Gatherer):
    def __init__(self, spark_type: str) -> None:
        self.fractional = spark_type in store_types.FRACTIONAL
        self.type = store_types.arrow_type(spark_type)
        self.ends = pa.array([], self.type)
        self.nan = False

    def add(self, values: pa.Array) -> None:
        if self.fractional:
            nan = pc.is_nan(values)
            self.nan = self.nan or bool(pc.any(nan).as_py())
            values = values.filter(pc.invert(nan))
        both = pa.concat_arrays([self.ends, values])
        if len(both):
            found = pc.min_max(both)
            self.ends = pa.array([found["min"], found["max"]], self.type)

    def result(self) -> pa.Array:
        # Spark orders NaN above all numbers.
        ends = self.ends if len(self.ends) else pa.nulls(2, self.type)
        nan = pa.array([math.nan if self.fractional else None], self.type)
        low, high = ends.slice(0, 1), ends.slice(1, 1)
        if self.nan:
            low, high = (low if len(self.ends) else nan), nan
        return pa.StructArray.from_arrays([low, high], ["min", "max"])


class _Values(Gatherer):
    def __init__(self, spark_type: str) -> None:
        self.type = store_types.arrow_type(spark_type)
        self.spark_type = spark_type
        self.fractional = spark_type in store_types.FRACTIONAL
        self.found = pa.array([], self.type)

    def add(self, values: pa.Array) -> None:
        if self.fractional:
            values = pc.add(values, pa.scalar(0.0, values.type))  # −0.0 becomes 0.0
        self.found = pc.unique(pa.concat_arrays([self.found, values]))

    def result(self) -> pa.Array:
        values = self.found.take(pc.sort_indices(self.found))
        kind = arrow_type(store_schema.VALUE_LIST, self.spark_type)
        return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values, type=kind)


class _Filter(Gatherer):
    def __init__(self, wanted: BloomFilter, spark_type: str) -> None:
        self.builder = sketch.Builder(wanted.ndv, wanted.fpp)
        self.text = spark_type == "string"

    def add(self, values: pa.Array) -> None:
        values = pc.unique(values)
        if self.text:
            self.builder.put_texts(values.cast(pa.binary()).to_pylist())
        else:
            self.builder.put_numbers(values.cast(pa.int64()).to_numpy(zero_copy_only=False))

    def result(self) -> pa.Array:
        return pa.array([sketch.to_java(self.builder.filter())], pa.binary())
