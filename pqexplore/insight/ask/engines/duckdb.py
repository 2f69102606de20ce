"""DuckDB: it skips row groups by the statistics in the footer and by Bloom filters.

DuckDB turns a condition into filters of single columns, and asks the statistics of each column about its filter. An OR
over several columns becomes a filter only as far as each of its branches says something about the same column.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.span import Span
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepts import Accepts, Interval
from pqexplore.insight.ask.bound import (
    Always,
    Both,
    Bound,
    Either,
    Test,
    Undecided,
    columns,
    single,
)
from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.engines.stored import between, fits, is_integer, one_text, stored_claims
from pqexplore.insight.ask.ruling import BLOOM, BOUNDS, Ruling

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.parts import Skippable

_FOOTER_LEAST, _FOOTER_MOST = 16 * 1024, 256 * 1024
_NUMBERS = (predicate.INTEGRAL, predicate.DECIMAL, predicate.DOUBLE, predicate.FLOAT)
_INTEGER_DIGITS = 10
"""The digits that an integer literal has as a decimal."""
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


class DuckDB(Engine):
    """DuckDB's `read_parquet` with its default options."""

    name = "duckdb"
    title = "DuckDB 2.0"
    statements = ()
    stages = (BOUNDS, BLOOM)
    together = False
    nan_largest = True
    gap = 16 * 1024

    def usable(self, bound: Bound, schema: Schema) -> Bound:
        """The condition as filters of single columns; conditions that contradict each other are never TRUE."""
        parts = list(_conjuncts(bound))
        if _contradictory(parts):
            return Always(False, bound.sql, "its parts contradict each other")
        made = [_filters(part) for part in parts]
        return made[0] if len(made) == 1 else Both(tuple(made), bound.sql)

    def folded(self, bound: Bound, file: ParquetFile) -> Bound:
        """Without the branches of an OR that the null counts of the whole file rule out: they hide the Bloom filters."""
        if isinstance(bound, Both):
            parts = tuple(self.folded(part, file) for part in bound.parts)
            return dataclasses.replace(bound, parts=parts)
        if not isinstance(bound, Either):
            return bound
        left = tuple(part for part in bound.parts if not _never_null(part, file))
        if len(left) == len(bound.parts):
            return bound
        if not left:
            return Always(False, bound.sql, "the column has no nulls")
        return left[0] if len(left) == 1 else dataclasses.replace(bound, parts=left)

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

    def by_bounds(self, test: Test, claims: Skippable) -> Ruling:
        """Whether a clause can be TRUE by bounds, null counts and NaN counts; without a count there is no NaN."""
        bounded = claims.low is not None or claims.high is not None
        accepts = between(test)
        if not bounded and not accepts.null and not claims.only_nulls and not claims.error:
            return Ruling(True, "", claims.why or "no bounds", address=claims.address)
        if isinstance(test.clause, predicate.OneOf) and test.clause.negated:
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

    def by_bloom(self, test: Test, chunk: ColumnChunk) -> Ruling:
        """Whether a clause can be TRUE by the chunk's Bloom filter, if DuckDB asks it for this type."""
        why = _hidden(test) or _no_bloom(test.leaf) or _is_range(test) or _cast(test)
        if why and chunk.metadata.bloom_filter_offset is not None:
            return Ruling(True, "", why, address=chunk.address)
        return super().by_bloom(test, chunk)


def _power_of_two(number: int) -> int:
    """The smallest power of two that is not below a number."""
    return 1 << max(0, number - 1).bit_length()


def _never_null(bound: Bound, file: ParquetFile) -> bool:
    """Whether a condition is IS NULL of a column that has no nulls, by the null counts of all row groups."""
    if not isinstance(bound, Test) or not isinstance(bound.clause, predicate.NullTest):
        return False
    if bound.clause.negated or bound.repeated:
        return False
    try:
        for row_group in file.row_groups:
            stored = row_group.columns[bound.leaf.leaf_index].statistics
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


def _cast(test: Test) -> str:
    """Why DuckDB casts the column to compare it with a literal; "" if it does not, or no bounds or filters are lost."""
    clause, logical = test.clause, meaning(test.leaf)
    if isinstance(clause, predicate.Compare):
        literals: tuple[predicate.Literal, ...] = (clause.literal,)
    elif isinstance(clause, predicate.OneOf):
        literals = clause.literals
    else:
        return ""
    for one in literals:
        wider = one.kind in (predicate.DECIMAL, predicate.DOUBLE, predicate.FLOAT)
        wider = wider or (isinstance(clause, predicate.OneOf) and not fits(test.leaf, one))
        if is_integer(test.leaf) and wider:
            return f"DuckDB casts the column to compare it with {one.sql}"
        if logical.name == "DECIMAL" and one.kind in (predicate.DOUBLE, predicate.FLOAT):
            return f"DuckDB casts the column to compare it with {one.sql}"
        if (
            logical.name == "DECIMAL"
            and one.kind == predicate.DECIMAL
            and _digits(one.value) > logical.scale
        ):
            return f"DuckDB casts the column to compare it with {one.sql}"
    return ""


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
        finer = any(
            _digits(one.value) > scale for one in clause.literals if one.kind == predicate.DECIMAL
        )
        integers = predicate.INTEGRAL in kinds and _INTEGER_DIGITS + scale > logical.precision
        casts = finer or integers
    elif logical.name == "DATE":
        casts = bool(
            kinds
            & {predicate.TIMESTAMP, predicate.LOCAL_TIMESTAMP, predicate.ZONELESS, predicate.FINE}
        )
    else:
        casts = predicate.DECIMAL in kinds and test.accepts.order in (Order.SIGNED, Order.UNSIGNED)
    return (
        "DuckDB casts the column to compare it with this list, and makes no filter of it"
        if casts
        else ""
    )


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
    lows = [
        (value, operator == ">") for operator, value in compared if operator in (">", ">=", "=")
    ]
    highs = [
        (value, operator == "<") for operator, value in compared if operator in ("<", "<=", "=")
    ]
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
        same = isinstance(first, Test) and one.leaf is first.leaf and not _cast(one)
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


ENGINE = DuckDB()
