"""polars: it skips row groups by the statistics in the footer.

polars turns a condition into an expression over the min, max and null count of each column, and skips a row group if
that expression is TRUE. Each of these three is null if the file does not have it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import declared_order, is_float
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.text import clip
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import Interval
from pqexplore.insight.ask.bound import Both, Bound, Either, Test, Undecided
from pqexplore.insight.ask.engines.asked import between
from pqexplore.insight.ask.engines.engine import Engine, Statement
from pqexplore.insight.ask.engines.untested_bounds import (
    declared_type,
    fits,
    is_dictionary,
    is_integer,
    one_text,
    stored_claims,
    whole_number,
)
from pqexplore.insight.ask.pruning_result import BOUNDS, CLAUSE, Ruling

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.skippable import Skippable

LISTED = 100
"""Values of `is_in` that are compared one by one; of a longer list, only the smallest and the largest are."""

_SKIPS = "https://github.com/pola-rs/polars/blob/main/crates/polars-plan/src/plans/aexpr/predicates/skip_batches.rs"
_STATISTICS = "https://github.com/pola-rs/polars/blob/main/crates/polars-parquet/src/arrow/read/statistics.rs"


STATEMENTS = (
    Statement(
        "It skips row groups by the bounds and null counts in the footer, and uses neither Bloom filters, dictionaries "
        "nor the page index.",
        _SKIPS,
        run=True,
    ),
    Statement(
        "It uses min_value and max_value only if the footer names a column order for the column, each only if it is not "
        "marked inexact, and never the deprecated min and max.",
        _STATISTICS,
        run=True,
    ),
    Statement(
        "NaN is larger than every number, so of the comparisons of floats only <, <= and = skip; IN of floats skips "
        "nothing.",
        "https://github.com/pola-rs/polars/pull/26805",
        run=True,
    ),
    Statement(
        "!=, NOT IN, LIKE, and comparisons for which it casts the column are decided only for row groups in which min "
        "equals max and there are no nulls.",
        _SKIPS,
        run=True,
    ),
    Statement(
        f"is_in compares each of up to {LISTED} values; of a longer list, only the smallest and the largest.",
        "https://github.com/pola-rs/polars/pull/27475",
        run=True,
    ),
    Statement("A row group of nulls is skipped by = and IN, and not by <, <=, > and >=.", _SKIPS, run=True),
    Statement(
        "Bounds of INT96 are not used; null counts are. Statistics of list elements are not used.",
        _STATISTICS,
        run=True,
    ),
    Statement(
        "Statistics of text that ARROW:schema makes a dictionary (Categorical, Enum) are not used, not even null counts.",
        _STATISTICS,
        run=True,
    ),
    Statement(
        "It reads the last 64 KiB of the file first.",
        "https://github.com/pola-rs/polars/blob/main/crates/polars-io/src/parquet/read/async_impl.rs",
    ),
)


class Polars(Engine):
    """polars' `scan_parquet` with `use_statistics=True`, its default."""

    name = "polars"
    title = "polars 2.1"
    statements = STATEMENTS
    stages = (BOUNDS,)
    nan_largest = True
    footer_guess = 64 * 1024

    def usable(self, bound: Bound, schema: Schema) -> Bound:
        """The clauses for which polars makes an expression over statistics."""
        return _usable(bound)

    def folded(self, bound: Bound, file: ParquetFile) -> Bound:
        """Without conditions about text that ARROW:schema makes a dictionary."""
        if isinstance(bound, Both | Either):
            parts = tuple(self.folded(part, file) for part in bound.parts)
            return dataclasses.replace(bound, parts=parts)
        if isinstance(bound, Test) and is_dictionary(file, bound.leaf, binary=False):
            why = "ARROW:schema makes it a dictionary, whose statistics polars does not use"
            return Undecided(why, bound.sql, (bound.leaf,), bound.clause)
        return bound

    def otherwise(self, test: Test, file: ParquetFile) -> str:
        """LIKE of what is no text in polars, and INT96 beside a literal with a time zone."""
        clause = test.clause
        if isinstance(clause, predicate.Compare) and clause.literal.kind == predicate.TIMESTAMP:
            zone = getattr(declared_type(file, test.leaf), "tz", None)
            if test.leaf.physical_type == Type.INT96 and zone is None:
                return f"polars refuses {clip(test.sql, CLAUSE)}: the column has no time zone, and the literal has one."
        if isinstance(test.clause, predicate.Like) and is_dictionary(file, test.leaf, binary=False):
            return (
                f"polars refuses {clip(test.sql, CLAUSE)}: ARROW:schema makes the column Categorical, which is no text."
            )
        return ""

    def chunk_claims(self, chunk: ColumnChunk) -> Skippable:
        """The stored bounds: only min_value and max_value, with column orders, and unless they are marked inexact."""
        part = stored_claims(chunk, legacy=False)
        if declared_order(chunk.leaf) is None:
            part.low = part.high = None
            part.why = "polars uses no bounds of a column without a column order"
        if part.low_exact is False:
            part.low, part.why = None, "polars uses no bounds that are marked inexact"
        if part.high_exact is False:
            part.high, part.why = None, "polars uses no bounds that are marked inexact"
        return part

    def by_bounds(self, test: Test, claims: Skippable) -> Ruling:
        """Whether polars' expression over the statistics lets a row group through."""
        if claims.error:
            return Ruling(True, "", claims.error, address=claims.address)
        clause = test.clause
        if isinstance(clause, predicate.NullTest):
            return super().by_bounds(test, claims)
        if _one_value(test):
            if claims.nulls != 0 or claims.low is None or claims.low != claims.high:
                why = "polars skips by this condition only if min equals max and there are no nulls"
                return Ruling(True, "", why, address=claims.address)
            return one_text(test, claims) or self._by_range(test, claims)
        if not _equals(clause):
            claims = dataclasses.replace(claims, only_nulls=False)
        if not claims.only_nulls and claims.low is None and claims.high is None:
            return Ruling(True, "", claims.why or "no bounds", address=claims.address)
        single = isinstance(clause, predicate.Compare)
        return super().by_bounds(between(test) if single else test, claims)

    def nan_accepted(self, test: Test) -> bool:
        """Never: what NaN could meet is not compared with bounds at all (`usable`)."""
        return False


def _equals(clause: predicate.Leaf) -> bool:
    """Whether polars skips row groups of nulls by a clause: equality, IN, and NOT of a column."""
    if isinstance(clause, predicate.Compare):
        false = clause.operator == "is false" or (clause.operator == "!=" and clause.literal.value is True)
        return false or clause.operator in ("=", "<=>")
    return isinstance(clause, predicate.OneOf) and not clause.negated


def _one_value(test: Test) -> bool:
    """Whether polars decides a clause only for row groups of one value."""
    clause = test.clause
    if isinstance(clause, predicate.OneOf):
        return clause.negated
    if isinstance(clause, predicate.Like):
        return True
    if not isinstance(clause, predicate.Compare):
        return False
    true = clause.literal.value is True
    unequal = clause.operator == "not <=>" or (clause.operator == "!=" and not true)
    alone = clause.operator == "is true" or (clause.operator == "=" and true)
    return unequal or alone or _cast(test.leaf, clause.literal)


def _cast(leaf: Leaf, literal: predicate.Literal) -> bool:
    """Whether polars casts the column, or replaces the comparison, to compare it with a literal."""
    logical = meaning(leaf)
    if logical.name == "DATE":
        return literal.kind in (predicate.TIMESTAMP, predicate.LOCAL_TIMESTAMP)
    if logical.name == "DECIMAL":
        return literal.kind in (predicate.DOUBLE, predicate.FLOAT)
    if whole_number(literal):
        return not fits(leaf, literal)
    return is_integer(leaf) and literal.kind in (predicate.DECIMAL, predicate.DOUBLE, predicate.FLOAT)


def _usable(bound: Bound) -> Bound:
    if isinstance(bound, Both | Either):
        return dataclasses.replace(bound, parts=tuple(_usable(part) for part in bound.parts))
    if isinstance(bound, Undecided):
        why = f"{bound.why}, but polars evaluates some expressions for row groups in which min equals max"
        return dataclasses.replace(bound, why=why, certain=False)
    if not isinstance(bound, Test):
        return bound
    why = _why_not(bound)
    if not why and meaning(bound.leaf).name == "UUID":
        untried = "what polars does with bounds of a UUID was not tried"
        return Undecided(untried, bound.sql, (bound.leaf,), bound.clause, certain=False)
    if not why:
        return _spanned(bound)
    return Undecided(why, bound.sql, (bound.leaf,), bound.clause)


def _spanned(test: Test) -> Test:
    """A test of a long list as one of the range from its smallest to its largest value; other tests as they are."""
    clause, intervals = test.clause, test.accepts.intervals
    if not isinstance(clause, predicate.OneOf) or clause.negated or not intervals:
        return test
    if len(clause.literals) <= LISTED:
        return test
    whole = (Interval(intervals[0].low, intervals[-1].high),)
    accepts = dataclasses.replace(test.accepts, intervals=whole, exact=False)
    return dataclasses.replace(test, accepts=accepts)


def _why_not(test: Test) -> str:
    """Why polars makes no expression over statistics of a clause; "" if it does."""
    clause = test.clause
    if test.leaf.max_repetition_level:
        return "polars has no statistics of list elements"
    if test.leaf.physical_type == Type.INT96 and not isinstance(clause, predicate.NullTest):
        return "polars uses no bounds of INT96"
    compared = isinstance(clause, predicate.Compare) and _of_numbers(clause)
    if is_float(test.leaf) and not isinstance(clause, predicate.NullTest) and not compared:
        return "NaN is larger than every number in polars, so it compares floats only by <, <= and ="
    return ""


def _of_numbers(clause: predicate.Compare) -> bool:
    """Whether polars compares floats with bounds: only where NaN, its largest value, cannot make the clause TRUE."""
    value = clause.literal.value
    if isinstance(value, float) and value != value:
        return clause.operator in ("<", "<=", ">")
    return clause.operator in ("<", "<=", "=", "<=>")


ENGINE = Polars()
