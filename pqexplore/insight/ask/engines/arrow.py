"""Arrow C++'s dataset reader, which pyarrow uses: `pyarrow.dataset`, and `pyarrow.parquet.read_table` with filters.

It turns the statistics of a row group into a guarantee, such as `x >= 3 and x <= 9`, and simplifies the condition with
it. A row group is skipped if the condition becomes false or null. Nothing but the statistics in the footer is used.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.format.created_by import parse
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, declared_order, is_float, is_nan, type_order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import clip
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Both, Bound, Either, Test, Undecided
from pqexplore.insight.ask.claims import keys_of
from pqexplore.insight.ask.engines.asked import about_group, between, whole
from pqexplore.insight.ask.engines.engine import Engine, Statement
from pqexplore.insight.ask.engines.untested_bounds import fits, is_dictionary, is_large
from pqexplore.insight.ask.matching import accepted
from pqexplore.insight.ask.pruning_result import BOUNDS, CLAUSE, NULLS, Ruling
from pqexplore.insight.skippable import Skippable, group_part

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema

MOST_VALUES = 50
"""The longest IN list that is compared with bounds (`kIsInSimplificationMaxValueSet`)."""

_FINER = ("DECIMAL", "DATE", "TIME", "TIMESTAMP")
_ORDERED = ("<", "<=", ">", ">=")
_SIGNED = frozenset((Order.BOOLEAN, Order.SIGNED, Order.DECIMAL, Order.FLOAT))
_BYTES = frozenset((int(Type.BYTE_ARRAY), int(Type.FIXED_LEN_BYTE_ARRAY)))
_FIRST_RIGHT = {"parquet-cpp": (1, 3, 0), "parquet-mr": (1, 10, 0)}
"""The versions from which Arrow trusts bounds of types without signed order."""
_PARQUET_251 = (1, 8, 0)
"""The version of parquet-mr from which Arrow trusts the statistics of byte arrays."""

_DATASET = "https://github.com/apache/arrow/blob/main/cpp/src/arrow/dataset/file_parquet.cc"
_EXPRESSION = "https://github.com/apache/arrow/blob/main/cpp/src/arrow/compute/expression.cc"
_METADATA = "https://github.com/apache/arrow/blob/main/cpp/src/parquet/metadata.cc"
_THRIFT = "https://github.com/apache/arrow/blob/main/cpp/src/parquet/thrift_internal.h"

STATEMENTS = (
    Statement(
        "It skips row groups by the bounds and null counts in the footer, and uses neither Bloom filters, "
        "dictionaries nor the page index.",
        _DATASET,
        run=True,
    ),
    Statement(
        "Bounds of a row group that has nulls, or no null count, skip nothing, unless min equals max.",
        _EXPRESSION,
        run=True,
    ),
    Statement(
        "If min equals max and there are no nulls, the condition is evaluated with this value.", _EXPRESSION, run=True
    ),
    Statement(
        f"IN is compared with bounds if the list has at most {MOST_VALUES} values; NOT IN, LIKE and != only if min "
        "equals max.",
        _EXPRESSION,
        run=True,
    ),
    Statement(
        "A decimal number with more digits after the point than the column has, or a date or time in a finer unit, is "
        "compared by a cast of the column: bounds skip nothing, unless min equals max.",
        _EXPRESSION,
        run=True,
    ),
    Statement(
        "NOT IN is written as ~isin, which is TRUE for null: row groups of nulls are read.", _EXPRESSION, run=True
    ),
    Statement(
        "IN distinguishes -0.0 from 0.0, and = does not: a row group of zeros only can be skipped wrongly by IN.",
        _EXPRESSION,
        run=True,
    ),
    Statement(
        "A NaN in a row group does not matter to bounds: != skips a row group of one number and NaNs.",
        _DATASET,
        run=True,
    ),
    Statement("Null counts are used only beside bounds, or if there are nulls only.", _DATASET, run=True),
    Statement(
        "min_value and max_value are used if column_orders has TYPE_ORDER for the column; without column_orders, the "
        "deprecated min and max of types with signed order; with another order, none.",
        _THRIFT,
        run=True,
    ),
    Statement(
        "Statistics of types without signed order are ignored if parquet-mr before 1.10.0 or parquet-cpp before 1.3.0 "
        "wrote the file, unless min equals max.",
        _METADATA,
        run=True,
    ),
    Statement(
        "Bounds of INT96, FLOAT16, lists, maps, and of columns that ARROW:schema makes dictionaries, are not used.",
        _DATASET,
        run=True,
    ),
    Statement(
        "It reads the last 64 KiB first, and a larger footer again, whole. Then it reads the column chunks of all row "
        "groups that are left: ranges with gaps of at most 8 KiB are joined, up to 32 MiB. For one field of a struct "
        "it reads the whole top-level column.",
        "https://github.com/apache/arrow/blob/main/cpp/src/arrow/io/caching.h",
        run=True,
    ),
)


class Arrow(Engine):
    """The rules by which Arrow C++ skips row groups."""

    name = "pyarrow"
    title = "pyarrow 26 (Arrow C++ dataset)"
    statements = STATEMENTS
    stages = (BOUNDS,)
    together = False
    nan_largest = False
    gap = 8192
    longest = 32 << 20
    footer_guess = 64 << 10
    across_groups = True
    whole_columns = True
    counts_bytes = True

    def usable(self, bound: Bound, schema: Schema) -> Bound:
        """Without conditions about values in lists and maps, and inside of Variants."""
        if isinstance(bound, Both | Either):
            parts = tuple(self.usable(part, schema) for part in bound.parts)
            return dataclasses.replace(bound, parts=parts)
        if isinstance(bound, Test):
            if about_group(bound) or bound.repeated or bound.leaf.max_repetition_level:
                why = "pyarrow uses statistics of columns only, not of structs, lists and maps"
            elif inside(bound.leaf):
                why = "pyarrow does not look into Variants"
            else:
                return _as_list(bound)
            return Undecided(why, bound.sql, (bound.leaf,), bound.clause)
        return bound

    def otherwise(self, test: Test, file: ParquetFile) -> str:
        """NOT IN, IN of zeros, and what pyarrow refuses to compare."""
        clause, leaf = _as_list(test).clause, test.leaf
        if isinstance(clause, predicate.Like) and is_dictionary(file, leaf):
            return f"pyarrow refuses {clip(test.sql, CLAUSE)}: it has no LIKE for dictionaries, which ARROW:schema makes of the column."
        if isinstance(clause, predicate.Compare) and is_large(leaf):
            literal = clause.literal
            why = "it casts the column to the type of the literal"
            refuses = f"pyarrow refuses {clip(test.sql, CLAUSE)} if a number does not fit there: {why}."
            return "" if fits(leaf, literal) and whole(test, literal) else refuses
        if not isinstance(clause, predicate.OneOf):
            return ""
        if clause.negated:
            return "In pyarrow, NOT IN (~isin) is TRUE for null, and in SQL it is not."
        if is_float(test.leaf) and _zeros(clause):
            return "In pyarrow, IN (isin) distinguishes -0.0 from 0.0, and in SQL they are equal."
        return ""

    def chunk_claims(self, chunk: ColumnChunk) -> Skippable:
        """The statistics as Arrow takes them. `trusted`: both bounds are there, so that null counts count, too."""
        part = group_part(chunk)
        if part.error or chunk.metadata.statistics is None:
            return part
        leaf, stored = chunk.leaf, chunk.metadata.statistics
        part.trusted, part.why, part.elsewhere = False, "", False
        order = type_order(leaf)
        names, part.why = _which(leaf)
        low, high = (getattr(stored, name) for name in names) if names else (None, None)
        wrong = _writer(leaf, order, chunk.file.created_by, low is not None and low == high)
        if wrong or is_dictionary(chunk.file, leaf):
            part.why = wrong or "ARROW:schema makes it a dictionary, whose bounds pyarrow does not use"
            part.low = part.high = part.nulls = None
            part.only_nulls = part.only_nulls and not wrong
            return part
        part.low, part.high = low, high
        if part.why:
            return part
        if leaf.physical_type == Type.INT96 or meaning(leaf).name == "FLOAT16":
            part.why = "pyarrow does not use the bounds of this type"
        elif low is None or high is None:
            part.why = "no bounds"
        elif is_nan(leaf, low) and is_nan(leaf, high):
            part.why = "the bounds are NaN"
        else:
            part.trusted = True
            part.low = None if is_nan(leaf, low) else low
            part.high = None if is_nan(leaf, high) else high
        return part

    def by_bounds(self, test: Test, claims: Skippable) -> Ruling:
        """Whether the clause, simplified with the guarantee of a row group, is not false."""
        at = claims.address
        if claims.error:
            return Ruling(True, "", claims.error, address=at)
        if claims.only_nulls:
            if _for_null(test):
                return Ruling(True, NULLS, "there are only nulls", "nulls only", at)
            return Ruling(False, NULLS, "there are only nulls", "nulls only", at)
        if not claims.trusted:
            return Ruling(True, "", claims.why or "no bounds", address=at)
        low, high = keys_of(test, claims)
        one = low is not None and low == high
        why = self._unused(test, claims, one)
        if why:
            return Ruling(True, "", why, claims.range_text(test.leaf), at)
        if isinstance(test.clause, predicate.NullTest):
            return self._by_null_count(test, claims)
        if one and claims.nulls == 0:
            missed = self._missed(test, claims)
            if missed:
                kept = isinstance(test.clause, predicate.OneOf) and test.clause.negated
                return Ruling(kept, BOUNDS, missed, claims.range_text(test.leaf), at)
        single = isinstance(test.clause, predicate.Compare)
        return self._by_range(between(test) if single else test, claims)

    def _unused(self, test: Test, claims: Skippable, one: bool) -> str:
        """Why the guarantee does not simplify a clause; "" if it does. `one`: min equals max."""
        clause, certain = test.clause, claims.nulls == 0
        if one and certain:
            return ""
        if isinstance(clause, predicate.NullTest):
            return "" if certain else "there are nulls, or may be"
        half_open = claims.low is None or claims.high is None
        if not certain and not one and not half_open:
            if claims.nulls is None:
                return "without a null count, pyarrow does not use bounds"
            return "pyarrow does not use bounds of row groups with nulls"
        compared = isinstance(clause, predicate.Compare) and meaning(test.leaf).name in _FINER
        if isinstance(clause, predicate.Compare) and compared and not whole(test, clause.literal):
            return "pyarrow casts the column to compare it with a finer literal"
        if isinstance(clause, predicate.OneOf) and not clause.negated:
            if len(clause.literals) > MOST_VALUES:
                return f"pyarrow compares at most {MOST_VALUES} values of IN with bounds"
            return ""
        if not isinstance(clause, predicate.Compare):
            return "pyarrow does not compare this clause with bounds"
        if clause.operator in ("is true", "is false", "not <=>"):
            return "pyarrow does not compare this clause with bounds"
        return ""

    def _by_null_count(self, test: Test, claims: Skippable) -> Ruling:
        """A ruling about IS NULL and IS NOT NULL for a row group with bounds and without nulls."""
        if test.accepts.null:
            return Ruling(False, NULLS, "there are no nulls", "null_count 0", claims.address)
        return Ruling(True, NULLS, "there are no nulls", "null_count 0", claims.address, every=True)

    def _missed(self, test: Test, claims: Skippable) -> str:
        """Why Arrow decides otherwise about the one value of a row group than the bounds say; "" if it does not."""
        clause, raw = test.clause, claims.low
        assert raw is not None
        if isinstance(clause, predicate.Like):
            value = pa.array([raw.decode(errors="replace")])
            return "" if accepted(test, value, False).any() else "the one value does not match"
        if isinstance(clause, predicate.Compare) and clause.operator in _ORDERED:
            nan = isinstance(clause.literal.value, float) and math.isnan(clause.literal.value)
            return "nothing is smaller or larger than NaN" if nan else ""
        if not isinstance(clause, predicate.OneOf) or not is_float(test.leaf):
            return ""
        negative = raw[-1] >= 0x80
        zeros = {math.copysign(1, typed) < 0 for typed in _zeros(clause)}
        other = bool(zeros) and not any(raw[:-1]) and raw[-1] & 0x7F == 0 and negative not in zeros
        return "IN distinguishes the zeros, and the min is the other one" if other else ""

    def requests(self, spans: Iterable[Span]) -> list[Span]:
        """The requests that read these spans: joined over small gaps, up to `longest` bytes; longer spans are whole."""
        made: list[Span] = []
        for span in sorted((s for s in spans if s.space == FILE and len(s)), key=lambda s: s.start):
            near = bool(made) and span.start <= made[-1].end + self.gap
            if near and span.end - made[-1].start <= self.longest:
                made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
            else:
                made.append(span)
        return made

    def footer_requests(self, size: int, footer_start: int) -> list[Span]:
        """The last 64 KiB; the whole footer again if it is larger."""
        guess = max(0, size - self.footer_guess)
        again = [Span(footer_start, size - 8)] if footer_start < guess else []
        return [Span(guess, size), *again]


def _as_list(test: Test) -> Test:
    """NOT IN of one value as it was written, not as `!=`; other tests as they are."""
    clause = test.clause
    if not isinstance(clause, predicate.Compare) or not clause.not_in:
        return test
    listed = predicate.OneOf(clause.operand, (clause.literal,), True, clause.sql)
    return dataclasses.replace(test, clause=listed)


def _for_null(test: Test) -> bool:
    """Whether Arrow's form of a clause is TRUE for null: ~isin is, and NOT isnan is not."""
    clause = test.clause
    if isinstance(clause, predicate.OneOf) and clause.negated:
        return True
    return test.accepts.null and not isinstance(clause, predicate.NanTest)


def _zeros(clause: predicate.OneOf) -> list[float]:
    """The zeros of a list, each with its sign."""
    return [float(one.value) for one in clause.literals if not isinstance(one.value, bytes | str) and one.value == 0]


def _which(leaf: Leaf) -> tuple[tuple[str, str] | None, str]:
    """The names of the fields of Statistics that Arrow takes bounds from, and why it takes none."""
    if leaf.column_order is None:
        if type_order(leaf) in _SIGNED:
            return ("min", "max"), ""
        return None, "without column_orders, pyarrow uses bounds of signed types only"
    if declared_order(leaf) is Order.NONE or leaf.column_order.TYPE_ORDER is None:
        return None, "pyarrow knows no order of the column"
    return ("min_value", "max_value"), ""


def _writer(leaf: Leaf, order: Order, created_by: str | None, equal: bool) -> str:
    """Why Arrow ignores the whole Statistics of a column because of the file's writer; "" if it does not."""
    writer = parse(created_by)
    name, known = writer.application.lower(), writer.version or (0, 0, 0)
    unordered = order not in _SIGNED and not equal
    if unordered and name in _FIRST_RIGHT and known < _FIRST_RIGHT[name]:
        return f"{name} before {'.'.join(map(str, _FIRST_RIGHT[name]))} ordered this type wrongly"
    if leaf.physical_type in _BYTES and name == "parquet-mr" and known < _PARQUET_251:
        return "parquet-mr before 1.8.0 wrote wrong bounds of byte arrays (PARQUET-251)"
    return ""


ENGINE = Arrow()
