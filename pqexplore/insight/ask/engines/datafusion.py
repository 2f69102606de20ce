"""DataFusion, which reads Parquet with arrow-rs.

It rewrites the condition in terms of min, max and null count, and evaluates that for the whole file, for each row group,
and for each page. Bloom filters are asked for the values that a column must have for the condition to be TRUE.
"""

from __future__ import annotations

import dataclasses
import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, is_float, is_nan, order_key
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.engine.text import clip
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import Interval
from pqexplore.insight.ask.binding.domains import domain
from pqexplore.insight.ask.binding.thresholds import CannotCompare, threshold
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided, tests
from pqexplore.insight.ask.claims import keys_of
from pqexplore.insight.ask.engines.asked import about_group, between, numeric, whole
from pqexplore.insight.ask.engines.engine import Engine, Statement
from pqexplore.insight.ask.engines.untested_bounds import dictionary_type, is_large
from pqexplore.insight.ask.pruning_result import BLOOM, BOUNDS, CLAUSE, FILE, NULLS, PAGE_INDEX, Ruling
from pqexplore.insight.skippable import Skippable, group_part, page_parts

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema


MOST_VALUES = 20
"""The longest IN list that is compared with bounds (`max_in_list_size`)."""

_PRUNING = "https://github.com/apache/datafusion/blob/main/datafusion/pruning/src/pruning_predicate.rs"
_ROW_GROUPS = "https://github.com/apache/datafusion/blob/main/datafusion/datasource-parquet/src/row_group_filter.rs"
_BLOOM = "https://github.com/apache/datafusion/blob/main/datafusion/datasource-parquet/src/bloom_filter.rs"
_PAGES = "https://github.com/apache/datafusion/blob/main/datafusion/datasource-parquet/src/page_filter.rs"
_CONVERTER = "https://github.com/apache/arrow-rs/blob/main/parquet/src/arrow/arrow_reader/statistics.rs"
_CONFIG = "https://datafusion.apache.org/user-guide/configs.html"

STATEMENTS = (
    Statement(
        "It skips row groups by bounds and null counts, then by Bloom filters, then pages by the column index. It uses "
        "no dictionaries.",
        _ROW_GROUPS,
        run=True,
    ),
    Statement(
        "The whole file is skipped first, by the smallest min and the largest max. Row groups without bounds are left "
        "out of these, so their rows can be lost.",
        _ROW_GROUPS,
        run=True,
    ),
    Statement(
        f"IN and NOT IN are compared with bounds if the list has at most {MOST_VALUES} values; Bloom filters are asked "
        "for longer lists, too.",
        _PRUNING,
        run=True,
    ),
    Statement(
        "Bounds are used without a look at column_orders and at the writer; the deprecated min and max, too.",
        _ROW_GROUPS,
        run=True,
    ),
    Statement(
        "Bounds say nothing of NaN, and are used all the same: rows with NaN, which DataFusion orders last, are lost.",
        _PRUNING,
        run=True,
    ),
    Statement("A null count that Statistics lack is taken as 0: IS NULL can lose rows.", _CONVERTER, run=True),
    Statement(
        "A Bloom filter is asked for =, IN, and ORs of them if a column occurs in each part. It is not asked for <=>, and "
        "not for integers of 8 and 16 bits, dates, times, timestamps, booleans, FLOAT and FLOAT16.",
        _BLOOM,
        run=True,
    ),
    Statement(
        "A Bloom filter is asked for one zero: = 0.0 loses row groups that have only the other zero.", _BLOOM, run=True
    ),
    Statement(
        "The column index is used for conditions about one column that are joined by AND. It is not used if a column of "
        "the file has no offset index.",
        _PAGES,
        run=True,
    ),
    Statement("Statistics of fields of structs, lists and maps are not used.", _PRUNING, run=True),
    Statement("Bounds of INT96 are not used.", _CONVERTER, run=True),
    Statement(
        "A column with the same value in the whole file is replaced by the value, before anything is compared.",
        _ROW_GROUPS,
        run=True,
    ),
    Statement("It reads the last 512 KiB of a file first (metadata_size_hint).", _CONFIG),
)


class DataFusion(Engine):
    """The rules by which DataFusion skips row groups and pages."""

    name = "datafusion"
    empty_filters = True
    title = "DataFusion 55 (arrow-rs)"
    statements = STATEMENTS
    stages = (FILE, BOUNDS, BLOOM, PAGE_INDEX)
    together = False
    nan_largest = True
    footer_guess = 512 << 10
    stops_at_all = False

    def usable(self, bound: Bound, schema: Schema) -> Bound:
        """Without conditions about fields of structs, lists, maps and Variants, and isnan."""
        return usable(bound)

    def folded(self, bound: Bound, file: ParquetFile) -> Bound:
        """With tests of columns that have one value in the whole file decided, and without contradictions."""
        if disjoint([points(one) for one in conjuncts(bound)]):
            return Always(False, bound.sql, "a column cannot equal two values")
        return self._folded(bound, file)

    def _folded(self, bound: Bound, file: ParquetFile) -> Bound:
        if isinstance(bound, Both | Either):
            parts = tuple(self._folded(part, file) for part in bound.parts)
            if isinstance(bound, Both) and disjoint([lists(part) for part in parts[:2]]):
                return Always(False, bound.sql, "the lists of values have none in common")
            if isinstance(bound, Either):
                parts = tuple(p for p in parts if not (isinstance(p, Always) and not p.value))
                if not parts:
                    return Always(False, bound.sql)
            return dataclasses.replace(bound, parts=parts)
        if not isinstance(bound, Test):
            return bound
        if _large_dictionary(bound, file):
            why = "ARROW:schema makes it a dictionary of large_string, which DataFusion casts in places"
            return Undecided(why, bound.sql, (bound.leaf,), bound.clause, certain=False)
        try:
            return self._decided(bound, file)
        except ParquetError:
            return bound

    def _decided(self, test: Test, file: ParquetFile) -> Bound:
        claims = _of_file(file, test.leaf)
        clause = test.clause
        if claims is None:
            return test
        if claims.only_nulls:
            if isinstance(clause, predicate.NullTest):
                return Always(not clause.negated, test.sql, "the column has only nulls")
            if isinstance(clause, predicate.Compare) and "<=>" in clause.operator:
                never = clause.operator == "<=>"
                return Always(not never, test.sql, "the column has only nulls")
            why = "DataFusion replaces a column of nulls by NULL, and skips nothing by it"
            return Undecided(why, test.sql, (test.leaf,), clause)
        if claims.low is None or claims.low != claims.high or claims.nulls != 0:
            return test
        low, high = self.keys(test, claims)
        if low is None or high is None or not test.accepts.exact:
            return test
        return Always(test.accepts.may(low, high), test.sql, "the column has one value")

    def otherwise(self, test: Test, file: ParquetFile) -> str:
        """Whole numbers that are compared with a fraction, which is a DOUBLE in DataFusion."""
        clause = test.clause
        if not isinstance(clause, predicate.Compare) or not is_large(test.leaf) or whole(test, clause.literal):
            return ""
        why = "a fraction is a DOUBLE, to which the column is cast"
        return f"DataFusion compares numbers beyond 2^53 only nearly in {clip(test.sql, CLAUSE)}: {why}."

    def condition(self, bound: Bound, stage: str) -> Bound:
        """What a stage uses: of Bloom filters and page indexes, the conjuncts about one column."""
        if stage == BLOOM:
            return asked_of_filters(bound)
        if stage != PAGE_INDEX:
            return bound
        if isinstance(bound, Both):
            parts = tuple(self.condition(part, stage) for part in bound.parts)
            return dataclasses.replace(bound, parts=parts)
        if len({test.leaf.leaf_index for test in tests(bound)}) < 2:
            return bound
        why = "DataFusion compares conditions about one column with the column index"
        return Undecided(why, bound.sql)

    def chunk_claims(self, chunk: ColumnChunk) -> Skippable:
        """The statistics, trusted without further questions; an absent null count is 0."""
        part = group_part(chunk)
        if chunk.metadata.statistics is not None and not part.error and part.nulls is None:
            part.nulls = 0
        return _trusting(part, chunk.leaf)

    def page_claims(self, chunk: ColumnChunk) -> list[Skippable]:
        """The column index, trusted; empty if a column of the first row group has no offset index."""
        if not _indexed(chunk.file):
            return []
        parts = page_parts(chunk)
        for part in parts:
            part.only_nulls = part.nulls is not None and part.nulls == part.values
            _trusting(part, chunk.leaf)
        return parts

    def by_file(self, test: Test, file: ParquetFile) -> Ruling:
        """Whether the clause can be TRUE by the bounds of the whole file."""
        claims = _of_file(file, test.leaf)
        if claims is None:
            return Ruling(True, "", "no row group has statistics")
        ruling = self.by_bounds(test, claims)
        if ruling.by:
            ruling.by = FILE
        ruling.every = False
        return ruling

    def by_bounds(self, test: Test, claims: Skippable) -> Ruling:
        """Whether the clause can be TRUE by bounds and null counts; NaN is not considered."""
        at, clause = claims.address, test.clause
        if claims.error:
            return Ruling(True, "", claims.error, address=at)
        if isinstance(clause, predicate.NullTest):
            return self._by_null_count(test, claims)
        operator = clause.operator if isinstance(clause, predicate.Compare) else ""
        if operator == "not <=>" and claims.nulls != 0:
            return Ruling(True, NULLS, "nulls meet it, and there may be nulls", address=at)
        if claims.only_nulls and not _boolean(test):
            return Ruling(False, NULLS, "there are only nulls", "nulls only", at)
        if isinstance(clause, predicate.OneOf) and len(clause.literals) > MOST_VALUES:
            why = f"DataFusion compares at most {MOST_VALUES} values of IN with bounds"
            return Ruling(True, "", why, address=at)
        if claims.low is None and claims.high is None:
            return Ruling(True, "", claims.why or "no bounds", address=at)
        return self._by_range(test, claims)

    def _by_null_count(self, test: Test, claims: Skippable) -> Ruling:
        at = claims.address
        if claims.nulls is None:
            return Ruling(True, "", "the file does not count nulls here", address=at)
        if test.accepts.null:
            every = claims.only_nulls
            if claims.nulls:
                return Ruling(True, NULLS, "there are nulls", f"null_count {claims.nulls:,}", at, every)
            return Ruling(False, NULLS, "there are no nulls", "null_count 0", at)
        if claims.only_nulls:
            return Ruling(False, NULLS, "there are only nulls", "nulls only", at)
        return Ruling(
            True, NULLS, "not every value is null", f"null_count {claims.nulls:,}", at, every=claims.nulls == 0
        )

    def keys(self, test: Test, claims: Skippable) -> tuple[bytes | None, bytes | None]:
        """The order keys of bounds, where NaN is larger than every number and the zeros are equal."""
        if not is_float(test.leaf):
            return keys_of(test, claims)
        return _float_key(test.leaf, claims.low), _float_key(test.leaf, claims.high)

    def _by_range(self, test: Test, claims: Skippable) -> Ruling:
        clause = test.clause
        if isinstance(clause, predicate.Like):
            return self._by_prefix(test, clause, claims)
        shown = claims.range_text(test.leaf)
        if test.accepts.nan and claims.high is not None and is_nan(test.leaf, claims.high):
            return Ruling(True, BOUNDS, "the max is NaN", shown, claims.address)
        if not test.accepts.nan and claims.low is not None and is_nan(test.leaf, claims.low):
            return Ruling(False, BOUNDS, "the min is NaN, the largest value", shown, claims.address)
        if _unequal(clause):
            low, high = self.keys(test, claims)
            if low is not None and high is not None and low > high:
                return Ruling(True, "", "min is larger than max", shown, claims.address)
        return super()._by_range(test, claims)

    def _by_prefix(self, test: Test, clause: predicate.Like, claims: Skippable) -> Ruling:
        """A ruling about LIKE by the text before the first wildcard, up to the text that follows it in the order."""
        at = claims.address
        if clause.negated:
            bounds = [raw for raw in (claims.low, claims.high) if raw is not None]
            prefix = clause.prefix.encode()
            every = clause.only_prefix and len(bounds) == 2
            if every and prefix and all(raw.startswith(prefix) for raw in bounds):
                why = "min and max begin with the prefix, so every value does"
                return Ruling(False, BOUNDS, why, claims.range_text(test.leaf), at)
            return Ruling(True, "", "NOT LIKE is compared with bounds for one prefix only", address=at)
        last = clause.prefix if clause.whole else next_text(clause.prefix)
        if not clause.prefix or last is None:
            return Ruling(True, "", "LIKE is compared with bounds only if it begins with text", address=at)
        one = Interval(clause.prefix.encode(), last.encode())
        accepts = dataclasses.replace(test.accepts, intervals=(one,), exact=False)
        return super()._by_range(dataclasses.replace(test, accepts=accepts), claims)

    def why_no_bloom(self, test: Test, chunk: ColumnChunk) -> str:
        """Why DataFusion does not ask the chunk's Bloom filter about a clause; "" if it does."""
        if chunk.metadata.bloom_filter_offset is None:
            return super().why_no_bloom(test, chunk)
        literals = _equal_to(test)
        if not literals:
            return "a Bloom filter answers = and IN only"
        if not hashed(test.leaf):
            return "DataFusion does not ask Bloom filters for values of this type"
        if None in [plain_of(test, one) for one in literals]:
            return "a value is not of the column's type"
        return super().why_no_bloom(_as_written(test), chunk)

    def by_bloom(self, test: Test, chunk: ColumnChunk) -> Ruling:
        """Whether the chunk's Bloom filter has one of the values, as they are written in the condition."""
        return super().by_bloom(_as_written(test), chunk)


def _equal_to(test: Test) -> tuple[predicate.Literal, ...]:
    """The literals of = and IN; none for other clauses."""
    clause = test.clause
    if isinstance(clause, predicate.OneOf) and not clause.negated:
        return clause.literals
    if isinstance(clause, predicate.Compare) and clause.operator == "=":
        return (clause.literal,)
    return ()


def _as_written(test: Test) -> Test:
    """A test with the values of its literals, as they are written, as the points that it accepts."""
    points = tuple(plain_of(test, one) for one in _equal_to(test))
    if not points or None in points:
        return test
    known = tuple(raw for raw in points if raw is not None)
    return dataclasses.replace(test, accepts=dataclasses.replace(test.accepts, points=known, nan=False))


def _float_key(leaf: Leaf, raw: bytes | None) -> bytes | None:
    if raw is None:
        return None
    if is_nan(leaf, raw):
        return (b"\0" if raw[-1] >= 0x80 else b"\xff") * len(raw)
    return order_key(leaf, raw, Order.FLOAT)


def _large_dictionary(test: Test, file: ParquetFile) -> bool:
    """Whether a test of null or a pattern is about a dictionary of large_string, as polars writes it."""
    kind = dictionary_type(file, test.leaf)
    large = kind is not None and pa.types.is_large_string(kind)
    return large and isinstance(test.clause, predicate.NullTest | predicate.Like)


def _unequal(clause: predicate.Leaf) -> bool:
    """Whether a clause is != or NOT IN."""
    if isinstance(clause, predicate.OneOf):
        return clause.negated
    return isinstance(clause, predicate.Compare) and clause.operator in ("!=", "not <=>")


def _boolean(test: Test) -> bool:
    """Whether DataFusion asks a boolean column itself, without a look at its null count."""
    clause = test.clause
    return (
        test.leaf.physical_type == Type.BOOLEAN
        and isinstance(clause, predicate.Compare)
        and clause.operator in ("=", "!=", "is true", "is false")
    )


def _trusting(part: Skippable, leaf: Leaf) -> Skippable:
    """The part with its bounds trusted; without those of a type that DataFusion does not use."""
    if leaf.physical_type == Type.INT96:
        part.low = part.high = None
        part.trusted, part.why = False, "DataFusion does not use bounds of INT96"
    elif not part.error:
        part.trusted, part.why, part.elsewhere = True, "", False
    return part


_INDEXED: weakref.WeakKeyDictionary[ParquetFile, bool] = weakref.WeakKeyDictionary()


def _indexed(file: ParquetFile) -> bool:
    """Whether every column of the first row group has an offset index."""
    known = _INDEXED.get(file)
    if known is None:
        columns = file.row_groups[0].columns
        known = all(one.struct.offset_index_offset is not None for one in columns)
        _INDEXED[file] = known
    return known


_WHOLE: weakref.WeakKeyDictionary[ParquetFile, dict[int, Skippable | None]] = weakref.WeakKeyDictionary()


def _of_file(file: ParquetFile, leaf: Leaf) -> Skippable | None:
    """`_merged`, made once for a file."""
    known = _WHOLE.setdefault(file, {})
    if leaf.leaf_index not in known:
        known[leaf.leaf_index] = _merged(file, leaf)
    return known[leaf.leaf_index]


def _merged(file: ParquetFile, leaf: Leaf) -> Skippable | None:
    """The bounds and null counts of a column in the whole file; None if no row group has statistics.

    Row groups without bounds are left out, as DataFusion does. ParquetError if metadata are damaged.
    """
    chunks = [row_group.columns[leaf.leaf_index] for row_group in file.row_groups]
    parts = [ENGINE.chunk_claims(one) for one in chunks if one.statistics is not None]
    if not parts or any(part.error for part in parts):
        return None
    rows = sum(row_group.num_rows for row_group in file.row_groups)
    nulls = None if len(parts) < len(chunks) else sum(part.nulls or 0 for part in parts)
    order = Order.TOTAL if is_float(leaf) else None
    found = dataclasses.replace(parts[0], values=rows, nulls=nulls, address=None)
    found.only_nulls = rows > 0 and nulls == rows
    # of text and bytes, DataFusion has no bounds of the file unless all row groups have them
    least = len(chunks) if leaf.physical_type == Type.BYTE_ARRAY else 1
    found.low = _extreme(min, [part.low for part in parts], leaf, order, least)
    found.high = _extreme(max, [part.high for part in parts], leaf, order, least)
    return found


def _extreme(
    pick: Callable[..., bytes], bounds: Sequence[bytes | None], leaf: Leaf, order: Order | None, least: int
) -> bytes | None:
    """The smallest or largest of bounds; None of fewer than `least`, or if none has a key in the order."""
    raws = [raw for raw in bounds if raw is not None]
    if len(raws) < least:
        return None
    keys = {raw: order_key(leaf, raw, order) for raw in raws}
    ordered = {raw: key for raw, key in keys.items() if key is not None}
    return pick(ordered, key=ordered.__getitem__) if ordered else None


ENGINE = DataFusion()


# Which clauses DataFusion compares with bounds and Bloom filters, and what it makes of them.


def usable(bound: Bound) -> Bound:
    """Without the clauses that DataFusion does not compare with bounds."""
    if isinstance(bound, Both | Either):
        return dataclasses.replace(bound, parts=tuple(usable(part) for part in bound.parts))
    if not isinstance(bound, Test):
        return bound
    if inside(bound.leaf):
        why = "DataFusion does not look into Variants"
    elif about_group(bound) or bound.repeated or len(bound.leaf.path) > 1:
        why = "DataFusion does not use statistics of structs, lists and maps, and of what is in them"
    elif isinstance(bound.clause, predicate.NanTest | predicate.Within):
        why = "DataFusion does not compare this function with bounds"
    else:
        return between(_equal(numeric(bound)))
    return Undecided(why, bound.sql, (bound.leaf,), bound.clause)


def _equal(test: Test) -> Test:
    """LIKE without wildcards as =, which DataFusion makes of it."""
    clause = test.clause
    if not isinstance(clause, predicate.Like) or not clause.whole:
        return test
    literal = predicate.Literal(predicate.TEXT, clause.prefix, clause.sql)
    operator = "!=" if clause.negated else "="
    return dataclasses.replace(test, clause=predicate.Compare(clause.operand, operator, literal, clause.sql))


def hashed(leaf: Leaf) -> bool:
    """Whether DataFusion asks Bloom filters for values of the leaf's type."""
    logical, physical = meaning(leaf), leaf.physical_type
    # FLOAT is cast to DOUBLE, the type of a literal.
    if physical in (Type.BOOLEAN, Type.INT96, Type.FLOAT) or logical.name in ("DATE", "TIME", "TIMESTAMP", "FLOAT16"):
        return False
    if logical.name == "INTEGER":
        return logical.bit_width >= 32
    if logical.name == "DECIMAL":
        most = {int(Type.INT32): 9, int(Type.INT64): 18, int(Type.FIXED_LEN_BYTE_ARRAY): 38}
        return logical.precision <= most.get(physical, 0)
    return True


def next_text(prefix: str) -> str | None:
    """The text after all that begin with the prefix, as DataFusion makes it; None if there is none."""
    for at in range(len(prefix) - 1, -1, -1):
        following = ord(prefix[at]) + 1
        wrong = 0xD800 <= following <= 0xDFFF or 0xFDD0 <= following <= 0xFDEF
        if not wrong and following not in (0xFFFE, 0xFFFF) and following < 0x110000:
            return prefix[:at] + chr(following)
    return None


# The values that a condition asks of columns by = and IN, as DataFusion finds them.
#
# It finds contradictions with them before it reads anything, and asks Bloom filters for them.

Values = dict[int, tuple[Test, dict[bytes, predicate.Literal]]]
"""By column: a test of it, and the values that it must have, by their PLAIN bytes."""


def conjuncts(bound: Bound) -> Iterator[Bound]:
    """Yields the parts that a condition joins by AND, at any depth."""
    if isinstance(bound, Both):
        for part in bound.parts:
            yield from conjuncts(part)
    else:
        yield bound


def points(bound: Bound) -> Values:
    """The value that a test asks of its column by =; empty for other conditions."""
    if not isinstance(bound, Test):
        return {}
    clause = bound.clause
    if not isinstance(clause, predicate.Compare) or clause.operator != "=":
        return {}
    return _of_literals(bound, (clause.literal,))


def lists(bound: Bound) -> Values:
    """The values of an IN, or of an OR of =; empty for one value and for other conditions."""
    return {} if points(bound) else listed(bound)


def listed(bound: Bound) -> Values:
    """The values that a test asks of its column by = or IN, or an OR of such tests of one column; else empty."""
    if isinstance(bound, Either):
        parts = [listed(part) for part in bound.parts]
        if not parts or len({tuple(part) for part in parts}) > 1 or not parts[0]:
            return {}
        return _united(parts, set(parts[0]))
    if isinstance(bound, Test) and isinstance(bound.clause, predicate.OneOf):
        return {} if bound.clause.negated else _of_literals(bound, bound.clause.literals)
    return points(bound)


def _of_literals(test: Test, literals: Sequence[predicate.Literal]) -> Values:
    if test.leaf.physical_type == Type.BOOLEAN:
        return {}
    values = {}
    for literal in literals:
        raw = plain_of(test, literal)
        if raw is None:
            return {}
        values[raw] = literal
    return {test.leaf.leaf_index: (test, values)}


def plain_of(test: Test, literal: predicate.Literal) -> bytes | None:
    """The PLAIN bytes of a literal in the type of its column, with its sign if it is zero; None if it has none."""
    of = domain(test.leaf)
    if of is None:
        return None
    try:
        found = threshold(test.leaf, literal)
    except (CannotCompare, UsageError):
        return None
    if found.raw is not None:
        return found.raw
    if found.nan:
        return of.plain(math.nan) if of.kind == "float" else None
    if of.kind == "float":
        value = float(found.one)
        return of.plain(math.copysign(value, literal.value) if value == 0 else value)
    if not isinstance(found.one, Fraction) or found.one.denominator != 1:
        return None
    number = int(found.one)
    fits = (of.low is None or number >= of.low) and (of.high is None or number <= of.high)
    return of.plain(number) if fits else None


def _united(parts: Sequence[Values], columns: Iterable[int]) -> Values:
    """The values that a column has in one of the parts, for the columns that are in each."""
    made: Values = {}
    for column in columns:
        values = {raw: one for part in parts for raw, one in part[column][1].items()}
        made[column] = parts[0][column][0], values
    return made


def disjoint(parts: Sequence[Values]) -> bool:
    """Whether two of the parts ask different values of one column."""
    met: Values = {}
    for part in parts:
        for column, (test, values) in part.items():
            before = met.setdefault(column, (test, values))[1]
            if not before.keys() & values.keys():
                return True
            met[column] = test, {raw: one for raw, one in before.items() if raw in values}
    return False


def asked_of_filters(bound: Bound) -> Bound:
    """The values that columns must have for a condition to be TRUE, as IN conditions joined by AND.

    A column is left out if two conjuncts ask different values of it, as DataFusion does.
    """
    met: Values = {}
    for conjunct in conjuncts(bound):
        if isinstance(conjunct, Always) and not conjunct.value:
            return conjunct
        for column, (test, values) in _required(conjunct).items():
            before = met.get(column, (test, values))[1]
            met[column] = test, {raw: one for raw, one in before.items() if raw in values}
    made = []
    for test, values in met.values():
        if values and isinstance(test.clause, predicate.OneOf | predicate.Compare):
            clause = predicate.OneOf(test.clause.operand, tuple(values.values()), False, test.sql)
            made.append(dataclasses.replace(test, clause=clause))
    if not made:
        return Undecided("it asks no column for certain values", bound.sql)
    return Both(tuple(made), bound.sql)


def _required(conjunct: Bound) -> Values:
    """The values that columns must have for a conjunct to be TRUE; empty if there are none."""
    direct = listed(conjunct)
    if direct or not isinstance(conjunct, Either):
        return direct
    parts: list[Values] = []
    for part in conjunct.parts:
        found: Values = {}
        for term in part.parts if isinstance(part, Both) else (part,):
            found |= points(term)
        parts.append(found)
    return _united(parts, set(parts[0]).intersection(*parts)) if parts else {}
