"""Which clauses Spark pushes to parquet-java, and as which predicate.

Spark's `ParquetFilters` turns the filters of a scan into predicates of parquet-java, by the types of the file's columns
and of the literals; its optimizer has removed casts around columns before, and has added IS NOT NULL. What has no
predicate reaches no stage: Spark evaluates it on the rows that it reads.

Source: sql/core/src/main/scala/org/apache/spark/sql/execution/datasources/parquet/ParquetFilters.scala, and
UnwrapCastInBinaryComparison.scala, LikeSimplification and InferFiltersFromConstraints in sql/catalyst.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from typing import TYPE_CHECKING, Any

from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, order_key, type_order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepts import EVERY, Accepts
from pqexplore.insight.ask.bound import Test

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema

IN_THRESHOLD = 10
"""`spark.sql.parquet.pushdown.inFilterThreshold`: longer lists of IN become one `in`, which compares min and max only."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pushed:
    """A predicate of parquet-java about one column.

    `operator` is one of = != < <= > >=, `in` (a long list), `null`, `not null`, `starts`, `ends`, `contains` (and the
    last three after `not `). `keys` are order keys as parquet-java compares values: −0.0 is below +0.0, and NaN is the
    largest. With `=` and `!=`, several keys are joined by OR and AND. `texts` are the bytes of a part of text.
    """

    operator: str
    keys: tuple[bytes, ...] = ()
    points: tuple[bytes, ...] = ()
    text: bytes = b""


def java_key(leaf: Leaf, raw: bytes) -> bytes | None:
    """The order key of PLAIN bytes by parquet-java's comparator: `Float.compare` and `Double.compare` for floats.

    None for a type without an order. Raises CorruptFileError for a wrong number of bytes.
    """
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
        code = "<f" if leaf.physical_type == Type.FLOAT else "<d"
        if len(raw) == struct.calcsize(code) and math.isnan(struct.unpack(code, raw)[0]):
            raw = struct.pack(code, math.nan)
        return order_key(leaf, raw, Order.TOTAL)
    return order_key(leaf, raw, type_order(leaf))


def why_not_pushed(leaf: Leaf, schema: Schema) -> str:
    """Why Spark pushes no filter on a column of this type, not even IS NULL; "" if it pushes some."""
    if leaf.max_repetition_level:
        return "Spark pushes nothing about the elements of lists and maps"
    names = ".".join(leaf.path).lower()
    if sum(".".join(other.path).lower() == names for other in schema.leaves) > 1:
        return "several columns differ only in upper and lower case, and Spark pushes nothing about them"
    logical, physical = meaning(leaf), leaf.physical_type
    if physical == Type.INT96:
        return "Spark pushes nothing about INT96"
    if logical.name == "INTEGER":
        return "" if logical.signed else "Spark pushes nothing about unsigned integers"
    if logical.name == "TIMESTAMP":
        if not logical.utc:
            return "Spark pushes nothing about TIMESTAMP_NTZ (isAdjustedToUTC=false)"
        return "" if logical.unit in ("ms", "us") else "Spark reads no timestamps in nanoseconds"
    if logical.name == "DECIMAL":
        binary = physical == Type.BYTE_ARRAY
        return "Spark pushes nothing about DECIMAL stored as BYTE_ARRAY" if binary else ""
    if logical.name in ("STRING", "DATE"):
        return ""
    if logical.name == "" and physical != Type.FIXED_LEN_BYTE_ARRAY:
        return ""
    return f"Spark pushes nothing about {logical.name or 'FIXED_LEN_BYTE_ARRAY'}"


def pushed(test: Test) -> Pushed | str:
    """The predicate for a clause about a column that filters can be pushed on; or why there is none."""
    clause, leaf = test.clause, test.leaf
    if isinstance(clause, predicate.NullTest):
        return Pushed("not null" if clause.negated else "null")
    if isinstance(clause, predicate.OneOf):
        return _one_of(test, clause)
    if isinstance(clause, predicate.Compare):
        why = _kind_problem(leaf, clause.literal)
        if why:
            return why
        if leaf.physical_type == Type.BOOLEAN:
            return _boolean(clause)
        if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
            return _float(leaf, clause.operator, clause.literal.value)
        if test.accepts.intervals == EVERY:
            return Pushed("not null")
        return _of_accepts(test.accepts, clause.operator)
    return "Spark pushes no such condition"


def adds_not_null(clause: predicate.Clause | None) -> bool:
    """Whether Spark adds IS NOT NULL for the column of a clause that stands by itself or under AND."""
    return isinstance(clause, predicate.Compare) and clause.operator not in ("<=>", "not <=>")


def _kind_problem(leaf: Leaf, literal: predicate.Literal) -> str:
    """Why a literal of this kind keeps a cast around the column, which stops the pushdown; "" if it does not."""
    name, kind = meaning(leaf).name, literal.kind
    numbers = (predicate.INTEGRAL, predicate.DECIMAL, predicate.DOUBLE)
    if name == "STRING" and kind != predicate.TEXT:
        return "the column is cast to the literal's type"
    if name == "DECIMAL" and kind not in numbers[:2]:
        return "the column is cast to double"
    if leaf.physical_type == Type.INT64 and name in ("", "INTEGER") and kind == predicate.DOUBLE:
        return "the column is cast to double, which does not hold every BIGINT"
    return ""


def _boolean(clause: predicate.Compare) -> Pushed | str:
    equal = clause.operator in ("=", "<=>", "is true")
    unequal = clause.operator in ("!=", "not <=>", "is false")
    if not (equal or unequal):
        return "Spark pushes only = about booleans"
    value = bool(clause.literal.value)
    if clause.operator in ("=", "!="):  # the optimizer makes `b = false` a NOT b
        equal, value = equal is value, True
    return Pushed("=" if equal else "!=", (b"\1" if value else b"\0",), (bytes([value]),))


def _float(leaf: Leaf, operator: str, value: Any) -> Pushed | str:
    """A comparison of a float or double; the literal of a FLOAT column is rounded, and the operator with it."""
    number = float(value)
    if leaf.physical_type == Type.FLOAT and not math.isnan(number) and not math.isinf(number):
        try:
            rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
        except OverflowError:
            rounded = math.copysign(math.inf, number)
        if rounded != number:
            if operator in ("=", "<=>"):
                return Pushed("=")
            if operator in ("!=", "not <=>"):
                return Pushed("not null")
            up = rounded > number
            operator = (
                (">=" if up else ">") if operator.startswith(">") else ("<" if up else "<=")
            )
        number = rounded
    raw = struct.pack("<f" if leaf.physical_type == Type.FLOAT else "<d", number)
    key = java_key(leaf, raw)
    assert key is not None
    operator = {"<=>": "=", "not <=>": "!="}.get(operator, operator)
    return Pushed(operator, (key,), (raw,))


def _of_accepts(accepts: Accepts, operator: str) -> Pushed | str:
    """A comparison, from the keys that it accepts: casts around the column are gone there."""
    intervals = accepts.intervals
    if operator in ("=", "<=>"):
        keys = tuple(one.low for one in intervals if one.low is not None)
        return Pushed("=", keys, accepts.points or ())
    if operator in ("!=", "not <=>"):
        key = intervals[0].high
        return Pushed("not null") if key is None else Pushed("!=", (key,))
    if not intervals:
        return Pushed("=")
    one = intervals[0]
    if operator.startswith("<"):
        assert one.high is not None
        return Pushed("<" if one.high_open else "<=", (one.high,))
    assert one.low is not None
    return Pushed(">" if one.low_open else ">=", (one.low,))


def _one_of(test: Test, clause: predicate.OneOf) -> Pushed | str:
    leaf = test.leaf
    for literal in clause.literals:
        why = _kind_problem(leaf, literal)
        if why:
            return why
    keys: list[bytes] = []
    points: list[bytes] = []
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
        for literal in clause.literals:
            made = _float(leaf, "=", literal.value)
            assert isinstance(made, Pushed)
            keys += made.keys
            points += made.points
    elif clause.negated:
        keys = [one.high for one in test.accepts.intervals if one.high is not None]
    else:
        keys = [one.low for one in test.accepts.intervals if one.low is not None]
        points = list(test.accepts.points or ())
    keys = list(dict.fromkeys(keys))
    if clause.negated:
        if len(keys) > IN_THRESHOLD:
            return f"Spark pushes NOT IN only for lists of at most {IN_THRESHOLD} values"
        return Pushed("!=", tuple(keys))
    return Pushed("in" if len(keys) > IN_THRESHOLD else "=", tuple(keys), tuple(points))
