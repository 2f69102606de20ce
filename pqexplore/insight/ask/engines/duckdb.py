"""DuckDB: it skips row groups by the statistics in the footer and by Bloom filters.

DuckDB turns a condition into filters of single columns, and asks the statistics of each column about its filter. An OR
over several columns becomes a filter only as far as each of its branches says something about the same column.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterable, Sequence, Set
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, is_float
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.span import Span
from pqexplore.engine.text import clip
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import Accepts, Interval
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided, columns, single
from pqexplore.insight.ask.engines.asked import between
from pqexplore.insight.ask.engines.engine import Engine, Statement
from pqexplore.insight.ask.engines.untested_bounds import fits, is_integer, one_text, stored_claims, whole_number
from pqexplore.insight.ask.pruning_result import BLOOM, BOUNDS, CLAUSE, Ruling
from pqexplore.insight.wording import name

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.ask.piece import Piece
    from pqexplore.insight.skippable import Skippable


_FOOTER_LEAST, _FOOTER_MOST = 16 * 1024, 256 * 1024
_MOST_OF_GROUP = 0.95
"""The share of a row group from which DuckDB reads all of it in one request."""
_PIECE = 1_000_000

_STATISTICS = "https://github.com/duckdb/duckdb/blob/main/extension/parquet/parquet_statistics.cpp"
_READER = "https://github.com/duckdb/duckdb/blob/main/extension/parquet/parquet_reader.cpp"
_PUSHDOWN = "https://github.com/duckdb/duckdb/blob/main/src/optimizer/filter_combiner.cpp"

STATEMENTS = (
    Statement(
        "It skips row groups by the bounds and null counts in the footer, and by Bloom filters; it uses neither "
        "dictionaries nor the page index.",
        _READER,
        run=True,
    ),
    Statement(
        "Bloom filters answer = and IN of integers, floats, text, bytes, dates, timestamps and decimals that are stored "
        "as integers; not of booleans and of other decimals.",
        _STATISTICS,
        since="1.2 for =; 2.0 for IN, dates, timestamps and decimals",
        run=True,
    ),
    Statement(
        "A Bloom filter of FLOAT16 is asked for the value as FLOAT, which the writer did not put into it: rows are lost.",
        _STATISTICS,
        run=True,
    ),
    Statement(
        "A list of neighbouring integers, such as IN (4, 5), becomes a range, and no Bloom filter is asked.",
        _PUSHDOWN,
        run=True,
    ),
    Statement(
        "Bounds of floats are taken for those of all values: rows with NaN are lost, unless the file counts NaNs, or "
        "read_parquet is called with can_have_nan = true.",
        _STATISTICS,
        since="1.3",
        run=True,
    ),
    Statement(
        "A condition that the bounds of all row groups are inside of is taken for TRUE: rows with NaN are returned, too.",
        _STATISTICS,
        since="1.3",
        run=True,
    ),
    Statement(
        "A query that only counts takes the number of rows of a row group without nulls whose exact bounds are inside of the "
        "condition: rows with NaN are counted, too, though a query for the rows does not return them.",
        _STATISTICS,
        since="2.0",
        run=True,
    ),
    Statement(
        "The deprecated min and max stand in for min_value and max_value, whatever the writer, the type and the column "
        "order.",
        _STATISTICS,
        run=True,
    ),
    Statement(
        "A bound of text that is not marked exact may itself be a value: < and > skip as <= and >= do, and != skips "
        "nothing.",
        _STATISTICS,
        since="2.0",
        run=True,
    ),
    Statement(
        "An OR over several columns skips nothing, except by what each of its branches says about the same column.",
        _PUSHDOWN,
        run=True,
    ),
    Statement(
        "Bounds and Bloom filters are not combined under OR: each must rule out every branch.", _STATISTICS, run=True
    ),
    Statement(
        "A struct is one column: an OR over its fields skips, without Bloom filters. If a query reads some of its fields "
        "only, each field is a column; the profile takes the struct to be read whole.",
        _PUSHDOWN,
        run=True,
    ),
    Statement("Comparisons of one column that contradict each other read nothing.", _PUSHDOWN, run=True),
    Statement(
        "It works out the bounds of some casts, of arithmetic and of some functions; the profile does not.",
        "https://github.com/duckdb/duckdb/tree/main/src/optimizer/statistics",
        run=True,
    ),
    Statement(
        "It reads the end of the file first: a thousandth of its size, rounded up to a power of two, from 16 KiB to "
        "256 KiB; then the whole footer, if it is longer.",
        _READER,
        run=True,
    ),
    Statement("Ranges of a row group are joined over gaps of up to 16 KiB.", _READER, since="1.2", run=True),
    Statement(
        "Without the setting parquet_prefetch_column_gap, the gap grows and shrinks with the measured speed of reading, "
        "from 4 KiB to 32 MiB: how many bytes are read differs from run to run.",
        _READER,
        since="2.0",
        run=True,
    ),
    Statement(
        "The columns of the condition are read first, and the others only if a row is left.",
        _READER,
        since="1.4",
        run=True,
    ),
    Statement(
        "Lists, maps and whole structs are read in pieces of 1 MB from where the reader stands, which may reach into "
        "other columns and row groups.",
        _READER,
        run=True,
    ),
    Statement(
        "DuckDB 2.0.1 skips more than this plan says: by the column index if the footer has no statistics, and by IN lists "
        "of decimals for columns of integers. It returns no rows with NaN for conditions such as x < 200.",
        _READER,
        since="2.0.1",
    ),
)


class DuckDB(Engine):
    """DuckDB's `read_parquet` with its default options."""

    name = "duckdb"
    empty_filters = True
    title = "DuckDB 2.0.0"
    statements = STATEMENTS
    stages = (BOUNDS, BLOOM)
    together = False
    nan_largest = True
    gap = 16 * 1024
    counts_bytes = True

    def usable(self, bound: Bound, schema: Schema) -> Bound:
        """The condition as filters of single columns; conditions that contradict each other are never TRUE."""
        return filtered(bound)

    def folded(self, bound: Bound, file: ParquetFile) -> Bound:
        """Without the branches of an OR that the null counts of the whole file rule out: they hide the Bloom filters."""
        if isinstance(bound, Both):
            parts = tuple(self.folded(part, file) for part in bound.parts)
            return dataclasses.replace(bound, parts=parts)
        if isinstance(bound, Test) and (other := _namesake(bound.leaf, file)):
            why = f"DuckDB does not tell upper from lower case, and reads {other} in its place"
            return Undecided(why, bound.sql, (bound.leaf,), bound.clause, certain=False)
        if isinstance(bound, Test) and _bounded_int96(bound, file):
            why = "DuckDB uses bounds of INT96, whose order the format does not define"
            return Undecided(why, bound.sql, (bound.leaf,), bound.clause, certain=False)
        if not isinstance(bound, Either):
            return bound
        bound = dataclasses.replace(bound, parts=tuple(self.folded(p, file) for p in bound.parts))
        left = tuple(part for part in bound.parts if not _never_null(part, file))
        if len(left) == len(bound.parts):
            return bound
        if not left:
            return Always(False, bound.sql, "the column has no nulls")
        return left[0] if len(left) == 1 else dataclasses.replace(bound, parts=left)

    def otherwise(self, test: Test, file: ParquetFile) -> str:
        """Columns whose names differ in upper and lower case only, and conditions that NaN does not meet."""
        other = _namesake(test.leaf, file)
        if other:
            mine = name(test.leaf.path[0])
            return f"DuckDB reads {other} in place of {mine}: it does not tell upper from lower case."
        if is_float(test.leaf) and not test.accepts.nan:
            return self._taken_for_true(test, file)
        return ""

    def _taken_for_true(self, test: Test, file: ParquetFile) -> str:
        """What is said if all numbers of the file, or of a row group, meet a clause by bounds that say nothing of NaN."""
        accepts = dataclasses.replace(test.accepts, exact=True)
        nan_test = isinstance(test.clause, predicate.NanTest)
        every, counted = len(file.row_groups) > 0, False
        try:
            for row_group in file.row_groups:
                claims = self.chunk_claims(row_group.columns[test.leaf.leaf_index])
                low, high = self.keys(test, claims)
                inside = claims.nans is None and low is not None and high is not None and accepts.surely(low, high)
                every = every and inside and (claims.nulls == 0 or not nan_test)
                counted |= inside and claims.nulls == 0 and claims.low_exact is True and claims.high_exact is True
        except ParquetError:
            return ""
        sql = clip(test.sql, CLAUSE)
        if every:
            why = "the bounds of all row groups are inside of what it asks for"
            return f"DuckDB may take {sql} for TRUE, and return rows with NaN, too: {why}."
        if counted and not nan_test:
            why = "the exact bounds of a row group are inside of what it asks for"
            return f"DuckDB may take {sql} for TRUE where it only counts rows, and count those with NaN, too: {why}."
        return ""

    def chunk_claims(self, chunk: ColumnChunk) -> Skippable:
        """The stored bounds, the deprecated ones included; no writer and no column order is distrusted."""
        return stored_claims(chunk, legacy=True)

    def footer_requests(self, size: int, footer_start: int) -> list[Span]:
        """The end of the file, by a guess from its size; then the whole footer, if the guess is too short."""
        guess = min(max(_FOOTER_LEAST, _power_of_two(size // 1000)), _FOOTER_MOST, size)
        found = [Span(size - guess, size)]
        if footer_start < size - guess:
            found.append(Span(footer_start, size - 8))
        return found

    def planning_requests(self, spans: Iterable[Span]) -> list[Span]:
        """One for each Bloom filter."""
        return sorted(spans, key=lambda span: span.start)

    def least_and_most(
        self, file: ParquetFile, data: Sequence[Piece], asked: Set[int], planned: int
    ) -> tuple[int, int]:
        """From the columns of the condition alone, to all columns with every gap and the pieces of 1 MB."""
        leaves = file.schema.leaves
        nested = [piece for piece in data if piece.leaf is not None and len(leaves[piece.leaf].path) > 1]
        first = [piece.span for piece in data if piece.leaf in asked]
        rest = [piece.span for piece in data if piece.leaf not in asked]
        least = sum(len(piece.span) for piece in data if piece.leaf in asked and piece not in nested)
        joined = max(_extent(first) + _extent(rest), _extent([*first, *rest]), _whole_group(file, data))
        return min(least, planned), max(planned, joined + _pieces(file, _of_columns(file, nested)))

    def by_bounds(self, test: Test, claims: Skippable) -> Ruling:
        """Whether a clause can be TRUE by bounds, null counts and NaN counts; without a count there is no NaN."""
        bounded = claims.low is not None or claims.high is not None
        accepts = between(test).accepts
        if not bounded and not accepts.null and not claims.only_nulls and not claims.error:
            return Ruling(True, "", claims.why or "no bounds", address=claims.address)
        not_in = isinstance(test.clause, predicate.OneOf | predicate.Like) and test.clause.negated
        not_in |= isinstance(test.clause, predicate.Compare) and test.clause.not_in
        if not_in:  # DuckDB sees only in comparisons that nulls do not meet them
            claims = dataclasses.replace(claims, only_nulls=False)
        known = one_text(test, claims) if claims.low_exact and claims.high_exact else None
        if known is not None:
            return known
        not_like = isinstance(test.clause, predicate.Like) and test.clause.negated
        if accepts.order is Order.BYTES and not not_like:
            accepts = _loose(accepts, claims)
        if claims.nans is None and bounded:
            claims = dataclasses.replace(claims, nans=0)
        return super().by_bounds(dataclasses.replace(test, accepts=accepts), claims)

    def why_no_bloom(self, test: Test, chunk: ColumnChunk) -> str:
        """Why DuckDB does not ask the chunk's Bloom filter about a clause; "" if it does."""
        if chunk.metadata.bloom_filter_offset is None:
            return super().why_no_bloom(test, chunk)
        why = _hidden(test) or _no_bloom(test.leaf) or _is_range(test) or cast_for(test)
        return why or super().why_no_bloom(test, chunk)

    def by_bloom(self, test: Test, chunk: ColumnChunk) -> Ruling:
        """Whether a clause can be TRUE by the chunk's Bloom filter, if DuckDB asks it for this type."""
        if chunk.metadata.bloom_filter_offset is not None and _equal_to_nan(test):
            why = "DuckDB reads the Bloom filter, which says nothing of NaN"
            return Ruling(True, BLOOM, why, address=Address.of(chunk.address, "bloom_filter"))
        return super().by_bloom(_as_floats(test), chunk)


def _extent(spans: Sequence[Span]) -> int:
    """The bytes from the first span to the end of the last one."""
    return max((span.end for span in spans), default=0) - min((span.start for span in spans), default=0)


def _whole_group(file: ParquetFile, data: Sequence[Piece]) -> int:
    """The bytes of a row group, if a query reads so much of it that DuckDB reads all of it; 0 if not, or not known."""
    if not data or data[0].row_group is None:
        return 0
    try:
        group = _extent([chunk.span for chunk in file.row_groups[data[0].row_group].columns])
    except ParquetError:
        return 0
    return group if sum(len(piece.span) for piece in data) > _MOST_OF_GROUP * group else 0


def _of_columns(file: ParquetFile, nested: Sequence[Piece]) -> list[Span]:
    """The chunks of the columns that have these leaves, in their row groups."""
    leaves = file.schema.leaves
    wanted = {(one.row_group, leaves[one.leaf].path[0]) for one in nested if one.leaf is not None}
    try:
        return [
            chunk.span
            for row_group, name in wanted
            for chunk in (() if row_group is None else file.row_groups[row_group].columns)
            if chunk.leaf.path[0] == name
        ]
    except ParquetError:
        return [one.span for one in nested]


def _pieces(file: ParquetFile, nested: Sequence[Span]) -> int:
    """The bytes at most that are read of lists, maps and structs, in pieces that are not cut at the end of a column."""
    read, covered = 0, 0
    for span in sorted(nested, key=lambda one: one.start):
        if span.end <= covered:
            continue
        # A page that a piece has only in part is read anew, with what follows it.
        times = 1 if len(span) <= _PIECE else 4 * len(span) // _PIECE + 2
        read += times * min(_PIECE, file.size - span.start)
        covered = span.start + _PIECE if times == 1 else span.end
    return read


def _power_of_two(number: int) -> int:
    """The smallest power of two that is not below a number."""
    return 1 << max(0, number - 1).bit_length()


def _namesake(leaf: Leaf, file: ParquetFile) -> str:
    """The column before a leaf's whose name differs in upper and lower case only; "" if there is none."""
    mine = leaf.path[0]
    for field in file.schema.root.children:
        if field.name == mine:
            return ""
        if field.name.lower() == mine.lower():
            return name(field.name)
    return ""


def _bounded_int96(test: Test, file: ParquetFile) -> bool:
    """Whether a comparison is about an INT96 column with bounds, which writers rarely store."""
    if test.leaf.physical_type != Type.INT96 or isinstance(test.clause, predicate.NullTest):
        return False
    try:
        return any(
            stored is not None and (stored.min_value is not None or stored.min is not None)
            for row_group in file.row_groups
            for stored in (row_group.columns[test.leaf.leaf_index].metadata.statistics,)
        )
    except ParquetError:
        return True


def _never_null(bound: Bound, file: ParquetFile) -> bool:
    """Whether a condition is IS NULL of a column that has no nulls, by the null counts of all row groups."""
    if not isinstance(bound, Test) or not isinstance(bound.clause, predicate.NullTest):
        return False
    if bound.clause.negated or bound.repeated:
        return False
    try:
        for row_group in file.row_groups:
            stored = row_group.columns[bound.leaf.leaf_index].metadata.statistics
            if stored is None or stored.null_count != 0:
                return False
    except ParquetError:
        return False
    return True


def _loose(accepts: Accepts, claims: Skippable) -> Accepts:
    """The values without strict comparisons: a bound of text that is not marked exact may itself be a value."""
    intervals = tuple(
        dataclasses.replace(
            one,
            low_open=one.low_open and claims.high_exact is True,
            high_open=one.high_open and claims.low_exact is True,
        )
        for one in accepts.intervals
    )
    return dataclasses.replace(accepts, intervals=intervals)


def _equal_to_nan(test: Test) -> bool:
    """Whether a column itself is compared with NaN by = or IN."""
    clause = test.clause
    listed = isinstance(clause, predicate.OneOf) and not clause.negated
    equal = isinstance(clause, predicate.Compare) and clause.operator == "="
    return (listed or equal) and test.accepts.nan and not _hidden(test)


def _as_floats(test: Test) -> Test:
    """A test of FLOAT16 with the bytes that DuckDB looks up: it reads the column as FLOAT, and the filter has FLOAT16."""
    points = test.accepts.points
    if meaning(test.leaf).name != "FLOAT16" or points is None:
        return test
    wide = tuple(struct.pack("<f", *struct.unpack("<e", point)) for point in points)
    return dataclasses.replace(test, accepts=dataclasses.replace(test.accepts, points=wide))


def _hidden(test: Test) -> str:
    """Why DuckDB asks no Bloom filter for this form of a condition; "" if it may."""
    if len(test.leaf.path) > 1 and test.accepts.points is None:
        return "DuckDB asks Bloom filters of struct fields and list elements for one = or IN only"
    operand = test.clause.operand if isinstance(test.clause, predicate.Compare) else None
    if operand is not None and operand.element == predicate.ANY:
        return "DuckDB asks no Bloom filter for list_contains"
    return ""


def _no_bloom(leaf: Leaf) -> str:
    """Why DuckDB asks no Bloom filter of a column of this type; "" if it does."""
    logical = meaning(leaf).name
    if leaf.physical_type in (Type.BOOLEAN, Type.INT96):
        return "DuckDB asks no Bloom filter of this type"
    if logical == "DECIMAL" and leaf.physical_type not in (Type.INT32, Type.INT64):
        return "DuckDB asks Bloom filters of decimals only if they are stored as integers"
    return ""


def _is_range(test: Test) -> str:
    """Why DuckDB asks no Bloom filter for a list of neighbouring integers; "" for other clauses."""
    clause = test.clause
    if not isinstance(clause, predicate.OneOf) or clause.negated or len(test.leaf.path) > 1:
        return ""
    if not is_integer(test.leaf):
        return ""
    values = sorted(one.value for one in clause.literals if one.kind == predicate.INTEGRAL)
    dense = len(values) == len(clause.literals) and all(b - a == 1 for a, b in pairwise(values))
    if not dense or "NULL" in clause.sql.upper():
        return ""
    return "DuckDB turns a list of neighbouring integers into a range"


ENGINE = DuckDB()


# The filters of single columns that DuckDB makes of a condition when it plans a query.

_NUMBERS = (predicate.INTEGRAL, predicate.DECIMAL, predicate.DOUBLE, predicate.FLOAT)
_INTEGER_DIGITS = ((31, 10), (63, 19))
"""The digits that an integer literal has as a decimal, if it has at most so many bits."""
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def cast_for(test: Test) -> str:
    """Why DuckDB casts the column to compare it with a literal; "" if it does not, or no filters are lost by it."""
    clause = test.clause
    if isinstance(clause, predicate.Compare):
        literals: tuple[predicate.Literal, ...] = (clause.literal,)
    elif isinstance(clause, predicate.OneOf):
        literals = clause.literals
    else:
        return ""
    cast = next((one for one in literals if _wider(test.leaf, one)), None)
    return "" if cast is None else f"DuckDB casts the column to compare it with {clip(cast.sql, 100)}"


def _wider(leaf: Leaf, literal: predicate.Literal) -> bool:
    """Whether the type of a literal is wider than that of a column."""
    logical, kind = meaning(leaf), literal.kind
    if is_integer(leaf):
        fraction = kind in (predicate.DECIMAL, predicate.DOUBLE, predicate.FLOAT)
        if whole_number(literal):
            return literal.kind == predicate.INTEGRAL and not fits(leaf, literal)
        return fraction
    if logical.name == "DECIMAL":
        finer = kind == predicate.DECIMAL and _digits(literal.value) > logical.scale
        return finer or kind in (predicate.DOUBLE, predicate.FLOAT)
    return kind == predicate.DOUBLE and (leaf.physical_type == Type.FLOAT or logical.name == "FLOAT16")


def _digits(value: Decimal) -> int:
    """Digits after the decimal point."""
    return max(0, -int(value.as_tuple().exponent))


def _list_of_casts(test: Test) -> str:
    """Why DuckDB makes no filter of a list whose type is not the column's; "" if it does."""
    clause, logical = test.clause, meaning(test.leaf)
    if not isinstance(clause, predicate.OneOf) or clause.negated:
        return ""
    kinds = {one.kind for one in clause.literals}
    scale = logical.scale if logical.name == "DECIMAL" else 0
    if logical.name == "DECIMAL":
        finer = any(_digits(one.value) > scale for one in clause.literals if one.kind == predicate.DECIMAL)
        numbers = [one for one in clause.literals if whole_number(one)]
        integers = any(_integer_digits(one) + scale > logical.precision for one in numbers)
        casts = finer or integers
    elif logical.name == "DATE":
        casts = bool(kinds & {predicate.TIMESTAMP, predicate.LOCAL_TIMESTAMP, predicate.ZONELESS, predicate.FINE})
    else:
        decimal = any(one.kind == predicate.DECIMAL and not whole_number(one) for one in clause.literals)
        casts = decimal and test.accepts.order in (Order.SIGNED, Order.UNSIGNED)
    return "DuckDB casts the column to compare it with this list, and makes no filter of it" if casts else ""


def _integer_digits(literal: predicate.Literal) -> int:
    """The digits of a decimal that holds every number of the literal's integer type: INTEGER, BIGINT or HUGEINT."""
    bits = int(literal.value).bit_length()
    return next((digits for most, digits in _INTEGER_DIGITS if bits <= most), 39)


def filtered(bound: Bound) -> Bound:
    """The condition as filters of single columns; conditions that contradict each other are never TRUE."""
    parts = list(_conjuncts(bound))
    if _contradictory(parts):
        return Always(False, bound.sql, "its parts contradict each other")
    made = tuple(_filters(part) for part in parts)
    return made[0] if len(made) == 1 else Both(made, bound.sql)


def _conjuncts(bound: Bound) -> Iterable[Bound]:
    if isinstance(bound, Both):
        for part in bound.parts:
            yield from _conjuncts(part)
    else:
        yield bound


def _contradictory(parts: Sequence[Bound]) -> bool:
    """Whether comparisons of one column with literals leave no value, which DuckDB sees when it plans the query.

    It does not know that no integer lies between 50 and 51.
    """
    found: dict[tuple[int, str], list[tuple[str, Any]]] = {}
    for part in parts:
        if isinstance(part, Test) and isinstance(part.clause, predicate.Compare):
            clause = part.clause
            if clause.operator in _COMPARISONS and clause.operand.column:
                kind = "number" if clause.literal.kind in _NUMBERS else clause.literal.kind
                value = clause.literal.value
                if value == value:  # not NaN
                    known = found.setdefault((part.leaf.leaf_index, kind), [])
                    known.append((clause.operator, value))
    return any(not _meet(compared) for compared in found.values())


def _meet(compared: Sequence[tuple[str, Any]]) -> bool:
    """Whether a value of a dense order could meet all of these comparisons."""
    lows = [(value, operator == ">") for operator, value in compared if operator in (">", ">=", "=")]
    highs = [(value, operator == "<") for operator, value in compared if operator in ("<", "<=", "=")]
    if not lows or not highs:
        return True
    low, above = max(lows)
    high = min(value for value, _ in highs)
    below = any(value == high and strict for value, strict in highs)
    if low < high:
        return True
    excluded = any(operator == "!=" and value == low for operator, value in compared)
    return bool(low == high) and not above and not below and not excluded


def _filters(bound: Bound) -> Bound:
    """What DuckDB makes of one condition of an AND: itself if it is about one column, or what its branches share."""
    if isinstance(bound, Test | Undecided):
        return _filter(bound)
    if not isinstance(bound, Either):
        return bound
    bound = dataclasses.replace(bound, parts=tuple(map(_branch, bound.parts)))
    about = columns(bound)
    listed = _listed(bound)
    if listed is not None:
        return listed
    undecided = any(isinstance(one, Undecided) for one in single(bound))
    names = dict.fromkeys(leaf.path[0] for leaf in about)
    if len(names) <= 1 and not undecided:
        return _without_bloom(bound)
    shared = [_without_bloom(made) for name in names if (made := _about(bound, name)) is not None]
    if not shared:
        why = "DuckDB makes no filter of an OR over several columns"
        return Undecided(why, bound.sql, tuple(about))
    return shared[0] if len(shared) == 1 else Both(tuple(shared), bound.sql)


def _branch(bound: Bound) -> Bound:
    if isinstance(bound, Both | Either):
        return dataclasses.replace(bound, parts=tuple(map(_branch, bound.parts)))
    return _filter(bound) if isinstance(bound, Test | Undecided) else bound


def _filter(test: Test | Undecided) -> Test | Undecided:
    """A test as a filter of its column; undecided if DuckDB has no statistics for it."""
    if isinstance(test, Undecided):
        why = f"{test.why}, but DuckDB works out the bounds of some casts and functions"
        return dataclasses.replace(test, why=why, certain=False)
    clause, why = test.clause, _list_of_casts(test)
    if meaning(test.leaf).name == "TIME" and meaning(test.leaf).utc:
        why = "DuckDB has no statistics of times that are adjusted to UTC"
    if isinstance(clause, predicate.NullTest) and len(test.leaf.path) > len(clause.operand.path):
        why = "DuckDB counts no nulls of structs and lists"
    return Undecided(why, test.sql, (test.leaf,), clause) if why else test


def _listed(bound: Either) -> Test | None:
    """`x = 1 OR x = 2` as `x IN (1, 2)`; None for other conditions."""
    literals: list[predicate.Literal] = []
    points: list[bytes] = []
    intervals: dict[bytes | None, Interval] = {}
    first = bound.parts[0]
    if isinstance(first, Test) and len(first.leaf.path) > 1:
        return None
    for one in bound.parts:
        if not isinstance(one, Test) or not isinstance(one.clause, predicate.Compare):
            return None
        same = isinstance(first, Test) and one.leaf is first.leaf and not cast_for(one)
        if one.clause.operator != "=" or one.accepts.points is None or not same:
            return None
        literals.append(one.clause.literal)
        points += one.accepts.points
        intervals.update((interval.low, interval) for interval in one.accepts.intervals)
    assert isinstance(first, Test) and isinstance(first.clause, predicate.Compare)
    clause = predicate.OneOf(first.clause.operand, tuple(literals), False, bound.sql)
    ordered = tuple(intervals[low] for low in sorted(intervals, key=lambda low: low or b""))
    accepts = dataclasses.replace(first.accepts, intervals=ordered, points=tuple(points))
    return dataclasses.replace(first, clause=clause, accepts=accepts, sql=bound.sql)


def _about(bound: Bound, name: str) -> Bound | None:
    """What a condition says about one top-level column; None if it says nothing for sure."""
    if isinstance(bound, Test):
        return bound if bound.leaf.path[0] == name else None
    if isinstance(bound, Both):
        parts = [made for part in bound.parts if (made := _about(part, name)) is not None]
        return Both(tuple(parts), bound.sql) if parts else None
    if isinstance(bound, Either):
        branches = [_about(part, name) for part in bound.parts]
        known = tuple(one for one in branches if one is not None)
        return Either(known, bound.sql) if len(known) == len(branches) else None
    return None


def _without_bloom(bound: Bound) -> Bound:
    """An OR whose tests of struct fields and list elements list no values for Bloom filters."""
    if isinstance(bound, Both | Either):
        return dataclasses.replace(bound, parts=tuple(map(_without_bloom, bound.parts)))
    if not isinstance(bound, Test) or len(bound.leaf.path) == 1:
        return bound
    return dataclasses.replace(bound, accepts=dataclasses.replace(bound.accepts, points=None))
