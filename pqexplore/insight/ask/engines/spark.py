"""Spark 4.3, whose Parquet files are read by parquet-java 1.17.

`spark_pushdown` says which clauses become predicates of parquet-java. This module does with them what parquet-java does:
`StatisticsFilter`, `DictionaryFilter`, `BloomFilterImpl` and `ColumnIndexFilter`, in this order, each with the whole
condition. The differences from a careful reader are on purpose; each is in `STATEMENTS` or in a comment.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import chunk_indexes
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, column_order, is_nan, type_order
from pqexplore.engine.format.statistics import legacy_distrust
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import stored_bytes
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import EVERY, Accepts
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided
from pqexplore.insight.ask.claims import DICTIONARY_ENCODINGS
from pqexplore.insight.ask.engines.engine import Engine, Statement
from pqexplore.insight.ask.engines.spark_pushdown import Pushed, adds_not_null, java_key, pushed, why_not_pushed
from pqexplore.insight.ask.pruning_result import BLOOM, BOUNDS, DICTIONARY, NULLS, PAGE_INDEX, Ruling
from pqexplore.insight.skippable import PAGE, Skippable, group_part, page_parts
from pqexplore.insight.wording import name

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema


# What is said of Spark 4.3 and parquet-java 1.17, each with its source.
#
# `run` is True where tests/spark/test_ask_spark_profile.py runs both and compares.

_JAVA = "https://github.com/apache/parquet-java/blob/apache-parquet-1.17.0"
_FILTER = f"{_JAVA}/parquet-hadoop/src/main/java/org/apache/parquet/filter2"
_CONVERTER = f"{_JAVA}/parquet-hadoop/src/main/java/org/apache/parquet/format/converter/ParquetMetadataConverter.java"
_INDEX = f"{_JAVA}/parquet-column/src/main/java/org/apache/parquet/internal"
_SPARK = "https://github.com/apache/spark/blob/v4.3.0/sql"
_PUSHDOWN = f"{_SPARK}/core/src/main/scala/org/apache/spark/sql/execution/datasources/parquet/ParquetFilters.scala"
_OPTIMIZER = f"{_SPARK}/catalyst/src/main/scala/org/apache/spark/sql/catalyst/optimizer"


def _run(text: str, source: str, since: str = "") -> Statement:
    return Statement(text, source, since, run=True)


STATEMENTS: tuple[Statement, ...] = (
    _run(
        "A row group is asked for its bounds, then its dictionaries, then its Bloom filters; then its column indexes.",
        f"{_FILTER}/compat/RowGroupFilter.java",
        "parquet-java 1.12.0 has all four",
    ),
    _run(
        "Each of them judges the whole condition: of `a OR b`, one that rules out a and another one that rules out b skip nothing.",
        f"{_FILTER}/compat/RowGroupFilter.java",
    ),
    _run(
        "Nothing is pushed about unsigned integers, TIMESTAMP without time zone, INT96, ENUM, JSON, DECIMAL in BYTE_ARRAY, "
        "and elements of lists and maps; not even IS NULL.",
        _PUSHDOWN,
    ),
    _run(
        "Nothing is pushed about a column whose schema element has a type_length, unless its type is DECIMAL or "
        "FIXED_LEN_BYTE_ARRAY: fastparquet writes one for numbers and booleans.",
        _PUSHDOWN,
    ),
    _run("AND pushes the parts that can be pushed; OR is pushed only if each part is.", _PUSHDOWN),
    _run(
        "IN with more than 10 values compares only its smallest and largest value with bounds. NOT IN with more than 10 values "
        "is not pushed.",
        f"{_FILTER}/statisticslevel/StatisticsFilter.java",
    ),
    _run("IN with NULL in the list also keeps what has nulls, and is not asked of dictionaries.", _PUSHDOWN),
    _run(
        "Spark adds IS NOT NULL for the columns of comparisons and LIKE under AND, and pushes it.",
        f"{_OPTIMIZER}/Optimizer.scala (InferFiltersFromConstraints)",
    ),
    _run(
        "LIKE is pushed as startswith, endswith or contains; bounds answer only startswith, dictionaries all of them.",
        _PUSHDOWN,
    ),
    _run(
        "A cast of an integer, FLOAT, DECIMAL or DATE column to a type that holds its values is turned round to the literal, and "
        "pushed; a cast of BIGINT or DECIMAL to DOUBLE is not.",
        f"{_OPTIMIZER}/UnwrapCastInBinaryComparison.scala",
    ),
    _run("Of functions and arithmetic, at most IS NOT NULL of their columns is pushed.", _PUSHDOWN),
    _run("Of booleans, only = is pushed.", _PUSHDOWN),
    _run(
        "min_value and max_value are used also if the footer has no column_orders; not with an order other than TYPE_ORDER.",
        _CONVERTER,
    ),
    _run(
        "The deprecated min and max are used only if both are the same, or the type is ordered as a signed number; never for DECIMAL.",
        _CONVERTER,
    ),
    _run(
        "Deprecated bounds of BYTE_ARRAY are not used if parquet-mr before 1.8.0 wrote them (PARQUET-251).",
        f"{_JAVA}/parquet-column/src/main/java/org/apache/parquet/CorruptStatistics.java",
    ),
    _run(
        "Bounds are used although they say nothing of NaN: `= NaN` and `> x` lose the rows with NaN if the writer left NaN out "
        "of the bounds. parquet-java's own writer leaves the bounds out instead.",
        f"{_FILTER}/statisticslevel/StatisticsFilter.java",
    ),
    _run(
        "Bounds of zero cover both zeros, but dictionaries and Bloom filters tell −0.0 from 0.0: `= 0.0` loses the rows of the "
        "other sign.",
        f"{_FILTER}/dictionarylevel/DictionaryFilter.java",
    ),
    _run(
        "A literal is cut to milliseconds for a column of milliseconds: `<`, `<>` and `=` with a finer literal ask for another "
        "instant.",
        _PUSHDOWN,
    ),
    _run(
        "Column indexes narrow the rows of a row group only if every column that the query reads has an offset index.",
        f"{_INDEX}/filter2/columnindex/ColumnIndexFilter.java",
        "parquet-java 1.11.0",
    ),
    _run(
        "Row ranges of several columns are intersected for AND, united for OR.",
        f"{_INDEX}/filter2/columnindex/ColumnIndexFilter.java",
    ),
    _run(
        "Bloom filters answer = and IN, the latter also with more than 10 values.",
        f"{_FILTER}/bloomfilterlevel/BloomFilterImpl.java",
        "parquet-java 1.12.0",
    ),
    _run(
        "Without encoding_stats, a dictionary is asked only if the encodings name PLAIN_DICTIONARY.",
        f"{_FILTER}/dictionarylevel/DictionaryFilter.java",
    ),
    _run(
        "Spark's optimizer finds contradictions such as `i = 5 AND i = 6`, and then reads nothing; a plan does not know this.",
        f"{_OPTIMIZER}/expressions.scala (ConstantPropagation)",
    ),
    Statement(
        "The bounds of a column index are taken as they are: zeros are not widened, NaN counts as the largest number.",
        f"{_INDEX}/column/columnindex/DoubleColumnIndexBuilder.java",
    ),
    Statement(
        "The boundary_order of a column index is believed, and searched by halving. The plan looks at each page: it differs only "
        "if the order is wrong.",
        f"{_INDEX}/column/columnindex/BoundaryOrder.java",
    ),
    Statement(
        "Byte ranges are joined if they touch, and read in requests of at most 8 MiB; a file system with vectored reads may join more.",
        f"{_JAVA}/parquet-hadoop/src/main/java/org/apache/parquet/hadoop/ParquetFileReader.java",
        "vectored reads by default since parquet-java 1.16",
    ),
    Statement(
        "parquet-java 1.18 knows IEEE 754 total order and nan_count, and its filters keep what may have NaN.",
        "https://github.com/apache/parquet-java/pull/3393",
        "parquet-java 1.18, which Spark 4.3 does not have",
    ),
)  # fmt: skip


_ZEROS = {4: (b"\0\0\0\0", b"\0\0\0\x80"), 8: (bytes(8), b"\0" * 7 + b"\x80")}
"""+0.0 and −0.0 of FLOAT and DOUBLE."""


class Spark(Engine):
    """Spark's file scan, as it is without settings of one's own."""

    name = "spark"
    title = "Spark 4.3 (parquet-java 1.17)"
    statements = STATEMENTS
    stages = (BOUNDS, DICTIONARY, BLOOM, PAGE_INDEX)
    together = False
    nan_largest = True
    longest = 8 << 20

    def usable(self, bound: Bound, schema: Schema) -> Bound:
        """The condition that reaches parquet-java, with the IS NOT NULL that Spark's optimizer adds."""
        return self._usable(bound, schema, alone=True)

    def _usable(self, bound: Bound, schema: Schema, alone: bool) -> Bound:
        if isinstance(bound, Both):
            return Both(tuple(self._usable(one, schema, alone) for one in bound.parts), bound.sql)
        if isinstance(bound, Either):
            parts = tuple(self._usable(one, schema, alone=False) for one in bound.parts)
            return Either(parts, bound.sql)
        if isinstance(bound, Always) and bound.leaves:
            bound = _asked(bound)
        if isinstance(bound, Undecided) and alone and len(bound.leaves) == 1:
            leaf = bound.leaves[0]
            if adds_not_null(bound.clause) and not why_not_pushed(leaf, schema):
                return Both((_not_null(leaf), bound), bound.sql)
        if not isinstance(bound, Test):
            return bound
        if _equals_nothing(bound):
            return Always(False, bound.sql, "no value of the column's type is equal to the literal")
        why = why_not_pushed(bound.leaf, schema)
        if why:
            return _undecided(bound, why)
        made = pushed(bound)
        used: Bound = _undecided(bound, made) if isinstance(made, str) else bound
        partly = isinstance(made, str) or made[0].operator.startswith(("!=", "not "))
        if alone and partly and adds_not_null(bound.clause):
            return Both((_not_null(bound.leaf), used), bound.sql)
        return used

    def otherwise(self, test: Test, file: ParquetFile) -> str:
        """Timestamps in nanoseconds, which Spark does not read."""
        logical = meaning(test.leaf)
        if logical.name != "TIMESTAMP" or logical.unit != "ns":
            return ""
        column = name(test.leaf.path)
        return f"Spark refuses {column}, a timestamp in nanoseconds, unless spark.sql.legacy.parquet.nanosAsLong makes it a number."

    def chunk_claims(self, chunk: ColumnChunk) -> Skippable:
        """The statistics of a chunk as `ParquetMetadataConverter.fromParquetStatisticsInternal` takes them."""
        part = group_part(chunk)
        statistics = chunk.metadata.statistics
        if part.error or statistics is None:
            return part
        leaf = chunk.leaf
        low, high, why = statistics.min_value, statistics.max_value, ""
        if low is not None and high is not None:
            if low != high and not _type_defined(chunk):
                why = "the footer declares an order that this version does not know"
        else:
            low, high = statistics.min, statistics.max
            if low is None or high is None:
                low = high = None
                why = "no minimum and maximum"
            else:
                why = _legacy_distrust(chunk, low == high)
        if low is not None and high is not None and not why:
            if is_nan(leaf, low) or is_nan(leaf, high):
                why = "a bound is NaN"
            elif leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
                plus, minus = _ZEROS.get(len(low), (low, low))
                low = minus if low == plus else low
                high = plus if high == minus else high
        return dataclasses.replace(part, low=low, high=high, trusted=not why, why=why)

    def page_claims(self, chunk: ColumnChunk) -> list[Skippable]:
        """The column index, with its bounds as they are: neither zeros nor NaN are looked at. Empty if it is not used."""
        if not _type_defined(chunk):
            return []
        index = chunk.column_index
        if index is None:
            return []
        parts = page_parts(chunk)
        if min(len(index.min_values or ()), len(index.max_values or ())) < len(parts):
            return []  # a required list is missing or too short
        for i, part in enumerate(parts):
            part.only_nulls = bool(index.null_pages[i])
            if not part.only_nulls:
                part.low, part.high = index.min_values[i], index.max_values[i]
                part.trusted, part.why = True, ""
        return parts

    def why_no_pages(self, row_group: RowGroup, leaves: Sequence[Leaf]) -> str:
        """One column of the query without an offset index stops the page filtering of the row group."""
        for leaf in leaves:
            try:
                chunk = row_group.columns[leaf.leaf_index]
                if chunk_indexes.place(chunk, structs.OffsetIndex) is None:
                    return f"{'.'.join(leaf.path)} has no offset index"
            except ParquetError as error:
                return error.message
        return ""

    def by_bounds(self, test: Test, claims: Skippable) -> Ruling:
        """What `StatisticsFilter` says of a row group, and the column index of a page."""
        found = [self._bounds(test, asked, claims) for asked in _pushed(test)]
        return _joined(found)

    def _bounds(self, test: Test, asked: Pushed, claims: Skippable) -> Ruling:
        at = claims.address
        if claims.error:
            return Ruling(True, "", claims.error, address=at)
        if asked.operator in ("null", "not null"):
            return _of_nulls(asked.operator, claims)
        if asked.or_null and claims.nulls != 0:
            return Ruling(True, NULLS, "NULL is in the list, and there may be nulls", address=at)
        unequal = asked.operator == "!=" or asked.operator.startswith("not ")
        if claims.only_nulls and not unequal:
            return Ruling(False, NULLS, "there are only nulls", "nulls only", at)
        if unequal and _nulls_keep(asked, claims):
            why = "there may be nulls, which parquet-java takes for unequal"
            return Ruling(True, NULLS, why, address=at)
        if asked.operator.endswith(("ends", "contains")):
            return Ruling(True, "", "bounds say nothing of the ends of texts", address=at)
        if not claims.trusted or claims.low is None or claims.high is None:
            return Ruling(True, "", claims.why or "no bounds", address=at)
        low, high = java_key(test.leaf, claims.low), java_key(test.leaf, claims.high)
        shown = claims.range_text(test.leaf)
        if low is None or high is None:
            return Ruling(True, "", "the bounds have no position in the column's order", shown, at)
        if asked.may(low, high):
            return Ruling(True, BOUNDS, f"the range {shown} overlaps what it asks for", shown, at)
        return Ruling(False, BOUNDS, self._outside(test, claims, low, high), shown, at)

    def why_no_dictionary(self, test: Test, chunk: ColumnChunk) -> str:
        """Why `DictionaryFilter` is not asked about a clause, by the footer alone; "" if it is."""
        wanted = _about_values(test)
        if not wanted:
            return "a dictionary says nothing of nulls"
        if any(one.or_null for one in wanted):
            return "a dictionary says nothing of nulls, and NULL is in the list"
        why = _not_only_dictionary(chunk)
        if not why and chunk.leaf.physical_type == Type.BOOLEAN:
            return "parquet-java does not ask dictionaries of booleans"
        return why

    def by_dictionary(self, test: Test, chunk: ColumnChunk) -> Ruling:
        """What `DictionaryFilter` says: it compares Java objects, so −0.0 and 0.0 differ, and NaN equals NaN."""
        wanted = _about_values(test)
        why = self.why_no_dictionary(test, chunk)
        page = None if why else chunk.dictionary_page
        if page is None:
            return Ruling(True, "", why or "there is no dictionary page", address=chunk.address)
        count = len(page.physical)
        entries = f"{count:,} entr{'y' if count == 1 else 'ies'}"
        found = []
        for asked in wanted:
            if asked.operator == "!=":
                statistics = chunk.metadata.statistics
                no_nulls = statistics is not None and statistics.null_count == 0
                if not no_nulls or count != 1:
                    why = "the dictionary has another value, or there may be nulls"
                    found.append(Ruling(True, "", why, entries, page.address))
                    continue
            met = _met(asked, test, page, alone=len(wanted) == 1)
            many = f"{met:,} of {entries}" if met else f"none of {entries}"
            why = f"{many} of the dictionary meet{'' if met else 's'} it"
            found.append(Ruling(bool(met), DICTIONARY, why, entries, page.address))
        return _joined(found)

    def why_no_bloom(self, test: Test, chunk: ColumnChunk) -> str:
        """Why `BloomFilterImpl` is not asked about a clause, by the footer alone; "" if it is."""
        if chunk.metadata.bloom_filter_offset is None:
            return "there is no Bloom filter"
        asked = _pushed(test)[0]
        if asked.operator not in ("=", "in") or not asked.points or asked.or_null:
            return "a Bloom filter answers = and IN only"
        return ""

    def by_bloom(self, test: Test, chunk: ColumnChunk) -> Ruling:
        """What `BloomFilterImpl` says: = and IN only, and each zero is looked up as it is written."""
        at = Address.of(chunk.address, "bloom_filter")
        asked = _pushed(test)[0]
        why = self.why_no_bloom(test, chunk)
        if why:
            there = chunk.metadata.bloom_filter_offset is not None
            return Ruling(True, "", why, address=at if there else chunk.address)
        bloom = chunk.bloom_filter
        assert bloom is not None
        if any(bloom.look_up(point).hit for point in asked.points):
            return Ruling(True, BLOOM, "the Bloom filter says perhaps", address=at)
        many = len(asked.points)
        what = "the value is not" if many == 1 else f"none of the {many:,} values is"
        return Ruling(False, BLOOM, f"{what} in the Bloom filter", address=at)


def _pushed(test: Test) -> list[Pushed]:
    made = pushed(test)
    assert not isinstance(made, str)  # `usable` left no others
    return made


def _about_values(test: Test) -> list[Pushed]:
    """What is pushed of a clause, without IS NULL and IS NOT NULL."""
    return [one for one in _pushed(test) if one.operator not in ("null", "not null")]


def _met(asked: Pushed, test: Test, page: Page, alone: bool) -> int:
    """How many entries of a dictionary meet a predicate; `alone`: it is all that is pushed of the clause."""
    leaf = test.leaf
    if alone and asked.accepts is not None and asked.operator != "!=":
        from pqexplore.insight.ask.matching import accepted

        return int(accepted(test, page.values, True).sum())
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
        entries = page.physical.to_numpy(zero_copy_only=False)
        wide = entries.dtype.itemsize
        bits = np.where(np.isnan(entries), entries.dtype.type(np.nan), entries).view(f"i{wide}")
        ordered = np.where(bits >= 0, bits, ~(bits & np.iinfo(bits.dtype).max))
        keys = [int.from_bytes(key, "big") - (1 << 8 * wide - 1) for key in asked.keys]
        if asked.operator in ("=", "in", "!="):
            same = np.isin(ordered, np.array(keys, ordered.dtype))
            return int((~same if asked.operator == "!=" else same).sum())
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        return int(compare[asked.operator](ordered, keys[0]).sum())
    raws = (stored_bytes(leaf, value) for value in page.physical.to_pylist())
    return sum(asked.keeps(raw, java_key(leaf, raw)) for raw in raws)


def _joined(rulings: list[Ruling]) -> Ruling:
    """The ruling about predicates that are joined by AND: one that rules out, or else one with evidence."""
    skips = next((one for one in rulings if not one.possible), None)
    return skips or next((one for one in rulings if one.by), rulings[0])


def _asked(bound: Always) -> Test:
    """IS NULL about a required column: Spark asks it all the same."""
    assert isinstance(bound.clause, predicate.NullTest)
    leaf, flag = bound.leaves[0], bound.clause.negated
    accepts = Accepts(column_order(leaf), EVERY if flag else (), not flag, flag, flag)
    return Test(bound.clause, leaf, accepts, bound.sql)


def _equals_nothing(test: Test) -> bool:
    """Whether Spark's optimizer sees that no FLOAT or whole number is equal to a literal: then no file is asked."""
    clause, leaf, logical = test.clause, test.leaf, meaning(test.leaf)
    if not isinstance(clause, predicate.Compare) or leaf.max_repetition_level:
        return False
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
        return pushed(test) == [Pushed("=")]
    signed = logical.name == "" or (logical.name == "INTEGER" and logical.signed)
    whole = leaf.physical_type in (Type.INT32, Type.INT64) and signed
    given = clause.literal.kind in (predicate.INTEGRAL, predicate.DECIMAL)
    return whole and given and clause.operator == "=" and not test.accepts.intervals


def _undecided(test: Test, why: str) -> Undecided:
    return Undecided(why, test.sql, (test.leaf,), test.clause)


def _not_null(leaf: Leaf) -> Test:
    """IS NOT NULL about a column."""
    sql = f"{'.'.join(leaf.path)} IS NOT NULL"
    clause = predicate.NullTest(predicate.Operand(leaf.path), True, sql)
    accepts = Accepts(column_order(leaf), EVERY, nan=True, nan_unordered=True)
    return Test(clause, leaf, accepts, sql)


def _type_defined(chunk: ColumnChunk) -> bool:
    """Whether parquet-java takes the column's bounds for ordered by type: also if the footer says nothing of orders."""
    stated = chunk.leaf.column_order
    if chunk.leaf.physical_type == Type.INT96 or meaning(chunk.leaf).name == "INTERVAL":
        return False
    chosen = structs.union_field(stated)
    return stated is None or (chosen is not None and chosen[0] == "TYPE_ORDER")


def _legacy_distrust(chunk: ColumnChunk, equal: bool) -> str:
    """Why `min` and `max` are not used; "" if they are. Unlike a careful reader's, every DECIMAL is distrusted."""
    leaf = chunk.leaf
    if type_order(leaf) in (Order.DECIMAL, Order.NONE) and not equal:
        return "min and max are used only for types that are ordered as signed numbers"
    return legacy_distrust(leaf, chunk.file.created_by, equal)


def _not_only_dictionary(chunk: ColumnChunk) -> str:
    """Why the dictionary is not asked; "" if it is. RLE_DICTIONARY counts only if there are encoding_stats."""
    metadata = chunk.metadata
    if metadata.encoding_stats is not None:
        data = [one for one in metadata.encoding_stats if one.page_type in (0, 3)]
        others = [one for one in data if one.encoding not in DICTIONARY_ENCODINGS]
        if len(others) == len(data):
            return "there is no dictionary"
        return "not all pages use the dictionary" if others else ""
    encodings = set(metadata.encodings or ())
    if structs.Encoding.PLAIN_DICTIONARY not in encodings:
        return "the footer does not say whether all pages use the dictionary"
    levels = {structs.Encoding.PLAIN_DICTIONARY, structs.Encoding.RLE, structs.Encoding.BIT_PACKED}
    return "not all pages use the dictionary" if encodings - levels else ""


def _of_nulls(operator: str, claims: Skippable) -> Ruling:
    at = claims.address
    if operator == "not null":
        if claims.only_nulls:
            return Ruling(False, NULLS, "there are only nulls", "nulls only", at)
        return Ruling(True, NULLS, "there are values other than null", address=at)
    if claims.nulls is None:
        return Ruling(True, "", "the file does not count nulls here", address=at)
    if not claims.nulls:
        return Ruling(False, NULLS, "there are no nulls", "null_count 0", at)
    text = f"{claims.nulls:,} null{'s' if claims.nulls > 1 else ''}"
    return Ruling(True, NULLS, f"there are {text}", text, at)


def _nulls_keep(asked: Pushed, claims: Skippable) -> bool:
    """Whether nulls keep a row group or page for != and NOT LIKE: a null is unequal to every value for parquet-java."""
    if claims.kind == PAGE:
        return claims.only_nulls or claims.nulls is None or claims.nulls > 0
    return claims.only_nulls or (asked.operator == "!=" and bool(claims.nulls))


ENGINE = Spark()
