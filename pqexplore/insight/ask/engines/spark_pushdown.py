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
import re
import struct
from typing import TYPE_CHECKING

from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, order_key, type_order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import EVERY, Accepts
from pqexplore.insight.ask.bound import Test

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema

IN_THRESHOLD = 10
"""`spark.sql.parquet.pushdown.inFilterThreshold`: longer lists of IN become one `in`, which compares min and max only."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pushed:
    """A predicate of parquet-java about one column.

    `operator` is one of = != < <= > >=, `in` (a long list), `null`, `not null`, `starts`, `ends`, `contains`, and the last
    three after `not `. What it compares with is `accepts`, or else `keys`: order keys as parquet-java compares floats,
    where −0.0 is below +0.0 and NaN is the largest; several keys of `=` are joined by OR, of `!=` by AND. `points` are the
    PLAIN bytes of the values of `=` and `in`; `text` is the part of a text. `or_null`: it is joined by OR with IS NULL.
    """

    operator: str
    accepts: Accepts | None = None
    keys: tuple[bytes, ...] = ()
    points: tuple[bytes, ...] = ()
    text: bytes = b""
    or_null: bool = False

    def may(self, low: bytes, high: bytes) -> bool:
        """Whether a value from `low` to `high` (keys) can meet it."""
        keys, operator = self.keys, self.operator
        if self.accepts is not None:
            intervals = self.accepts.intervals
            if operator == "in" and intervals:
                first, last = intervals[0].low, intervals[-1].high
                return (last is None or low <= last) and (first is None or high >= first)
            return self.accepts.may(low, high)
        if operator == "=":
            return any(low <= key <= high for key in keys)
        if operator == "in":
            return low <= max(keys) and high >= min(keys)
        if operator == "!=":
            return not any(low == key == high for key in keys)
        key = keys[0]
        return {"<": low < key, "<=": low <= key, ">": high > key, ">=": high >= key}[operator]

    def keeps(self, raw: bytes, key: bytes | None) -> bool:
        """Whether a value meets it: its PLAIN bytes and its key."""
        operator = self.operator.removeprefix("not ")
        if operator in ("starts", "ends", "contains"):
            met = {"starts": raw.startswith(self.text), "ends": raw.endswith(self.text), "contains": self.text in raw}[
                operator
            ]
            return met is not self.operator.startswith("not ")
        if key is None:
            return True
        if operator == "in" and self.accepts is not None:
            return self.accepts.takes(key)
        return key in self.keys if operator == "in" else self.may(key, key)


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
    name = ".".join(leaf.path).lower()
    if sum(other.lower() == name for other in schema.dotted) > 1:
        return "several columns differ only in upper and lower case, and Spark pushes nothing about them"
    logical, physical = meaning(leaf), leaf.physical_type
    if physical == Type.INT96:
        return "Spark pushes nothing about INT96"
    if leaf.element.type_length and physical != Type.FIXED_LEN_BYTE_ARRAY and logical.name != "DECIMAL":
        return "the schema has a type_length for the column, and Spark compares types with it"
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


def pushed(test: Test) -> list[Pushed] | str:
    """The predicates (joined by AND) for a clause about a column that can have some; or why there is none."""
    clause, leaf = test.clause, test.leaf
    if isinstance(clause, predicate.NullTest):
        if not _names(clause.operand, leaf):
            return "Spark pushes IS NULL only for columns, not for structs"
        return [Pushed("not null" if clause.negated else "null")]
    if isinstance(clause, predicate.Like):
        return _like(test, clause)
    if isinstance(clause, predicate.OneOf):
        return _one_of(test, clause)
    if isinstance(clause, predicate.Compare):
        why = _kind_problem(leaf, clause.literal)
        made = why or _compared(test, clause)
        return made if isinstance(made, str) else [made]
    return "Spark pushes no such condition"


def _names(operand: predicate.Operand, leaf: Leaf) -> bool:
    """Whether an operand is the leaf itself, not a struct around it."""
    return ".".join(operand.path).lower() == ".".join(leaf.path).lower()


def adds_not_null(clause: predicate.Clause | None) -> bool:
    """Whether Spark adds IS NOT NULL for the column of a clause that stands by itself or under AND."""
    if isinstance(clause, predicate.Compare):
        return clause.operator not in ("<=>", "not <=>")
    return isinstance(clause, predicate.Like)


def _kind_problem(leaf: Leaf, literal: predicate.Literal) -> str:
    """Why a literal of this kind keeps a cast around the column, which stops the pushdown; "" if it does not."""
    logical, kind = meaning(leaf), literal.kind
    name = logical.name
    if name == "STRING" and kind != predicate.TEXT:
        return "Spark casts the column to the literal's type"
    if name == "DECIMAL":
        if kind not in (predicate.INTEGRAL, predicate.DECIMAL):
            return "Spark casts the column to double"
        if abs(literal.value) >= 10 ** (logical.precision - logical.scale):
            return "Spark casts the column to a larger decimal"
    doubles = (predicate.DOUBLE, predicate.FLOAT)
    if leaf.physical_type == Type.INT64 and name in ("", "INTEGER") and kind in doubles:
        return "Spark casts the column to double, which does not hold every BIGINT"
    return ""


def _compared(test: Test, clause: predicate.Compare) -> Pushed | str:
    leaf, operator, literal = test.leaf, clause.operator, clause.literal
    if leaf.physical_type == Type.BOOLEAN:
        return _boolean(test, clause)
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
        return _float(leaf, operator, literal)
    operator = {"<=>": "=", "not <=>": "!="}.get(operator, operator)
    cut = _milliseconds(leaf, literal)
    if cut is not None:
        return Pushed(operator, keys=(cut[0],), points=(cut[1],) if operator == "=" else ())
    if test.accepts.intervals == EVERY:
        return Pushed("not null")
    points = test.accepts.points or () if operator == "=" else ()
    return Pushed(operator, test.accepts, points=points)


def _milliseconds(leaf: Leaf, literal: predicate.Literal) -> tuple[bytes, bytes] | None:
    """Key and PLAIN bytes of a literal that Spark cuts to milliseconds for the column; None if nothing is cut off."""
    logical = meaning(leaf)
    if logical.name != "TIMESTAMP" or logical.unit != "ms" or literal.moment is None:
        return None
    earliest, latest = literal.moment.instant
    if earliest != latest or not earliest % 1_000_000:
        return None
    raw = struct.pack("<q", earliest // 1_000_000)
    key = java_key(leaf, raw)
    return None if key is None else (key, raw)


def _boolean(test: Test, clause: predicate.Compare) -> Pushed | str:
    equal = clause.operator in ("=", "<=>", "is true")
    unequal = clause.operator in ("!=", "not <=>", "is false")
    if not (equal or unequal):
        return "Spark pushes only = about booleans"
    value = bool(clause.literal.value)
    if clause.operator in ("=", "!="):  # the optimizer makes `b = false` a NOT b
        equal, value = equal is value, True
    key = b"\1" if value else b"\0"
    return Pushed("=" if equal else "!=", keys=(key,), points=(key,) if equal else ())


def _float(leaf: Leaf, operator: str, literal: predicate.Literal) -> Pushed:
    """A comparison of a float or double; the literal of a FLOAT column is rounded, and the operator with it."""
    number = float(literal.value)
    if number == 0 and literal.kind in (predicate.INTEGRAL, predicate.DECIMAL):
        number = 0.0  # `-0.0` is a decimal, which has one zero
    operator = {"<=>": "=", "not <=>": "!="}.get(operator, operator)
    if leaf.physical_type == Type.FLOAT and math.isfinite(number):
        try:
            rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
        except OverflowError:
            rounded = math.copysign(math.inf, number)
        if rounded != number:
            if operator in ("=", "!="):
                return Pushed("=") if operator == "=" else Pushed("not null")
            up = rounded > number
            operator = (">=" if up else ">") if operator[0] == ">" else ("<" if up else "<=")
        number = rounded
    raw = struct.pack("<f" if leaf.physical_type == Type.FLOAT else "<d", number)
    key = java_key(leaf, raw)
    assert key is not None
    return Pushed(operator, keys=(key,), points=(raw,) if operator == "=" else ())


def _list_problem(leaf: Leaf, clause: predicate.OneOf) -> str:
    """Why Spark does not push a list of literals; empty if none of them prevents it."""
    problems = (_kind_problem(leaf, literal) for literal in clause.literals)
    why = next((one for one in problems if one), "")
    if not why and meaning(leaf).name == "DATE" and any(one.kind in _INSTANTS for one in clause.literals):
        return "Spark casts the column to a timestamp"
    return why


def _one_of(test: Test, clause: predicate.OneOf) -> list[Pushed] | str:
    leaf = test.leaf
    why = _list_problem(leaf, clause)
    if why:
        return why
    accepts: Accepts | None = test.accepts
    keys: tuple[bytes, ...] = ()
    points = test.accepts.points
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE, Type.BOOLEAN):
        made = [_listed(leaf, literal) for literal in clause.literals]
        accepts = None
        keys = tuple(dict.fromkeys(key for one in made for key in one.keys))
        points = tuple(dict.fromkeys(point for one in made for point in one.points))
    values = len(keys) or len(points or ()) or len({one.value for one in clause.literals})
    null = _has_null(clause)
    many = values + null > IN_THRESHOLD
    if clause.negated:
        if many:
            return f"Spark pushes NOT IN only for lists of at most {IN_THRESHOLD} values"
        return [Pushed("!=", accepts, keys)]
    return [Pushed("in" if many else "=", accepts, keys, points or (), or_null=null)]


_INSTANTS = (*(predicate.TIMESTAMP, predicate.LOCAL_TIMESTAMP, predicate.ZONELESS, predicate.FINE),)


def _has_null(clause: predicate.OneOf) -> bool:
    """Whether NULL is in the list of an IN: it is no value of the clause, but Spark pushes IS NULL for it."""
    outside = re.sub(r"'(?:[^'\\\\]|\\\\.)*'|`[^`]*`", "", clause.sql)
    return re.search(r"\bNULL\b", outside, re.IGNORECASE) is not None


def _listed(leaf: Leaf, literal: predicate.Literal) -> Pushed:
    if leaf.physical_type == Type.BOOLEAN:
        key = b"\1" if literal.value else b"\0"
        return Pushed("=", keys=(key,), points=(key,))
    return _float(leaf, "=", literal)


def _like(test: Test, clause: predicate.Like) -> list[Pushed] | str:
    """LIKE with one or two texts and %: Spark's optimizer makes it startswith, endswith, contains or =."""
    pattern, negated = clause.pattern, clause.negated
    texts = [part for part in pattern if isinstance(part, str)]
    if any(re.search(r"[%_\\]", text) for text in texts):
        return "Spark pushes no LIKE with escaped characters"
    if (not texts and not pattern) or clause.whole:
        operator = "!=" if negated else "="
        return [Pushed(operator, test.accepts, points=test.accepts.points or ())]
    shape = "".join("a" if isinstance(part, str) else part.value for part in pattern)
    raws = [text.encode() for text in texts]
    word = "not " if negated else ""
    if shape in ("a%", "%a", "%a%"):
        operator = {"a%": "starts", "%a": "ends", "%a%": "contains"}[shape]
        return [Pushed(word + operator, test.accepts, text=raws[0])]
    if shape == "a%a" and not negated:
        prefix, suffix = raws
        return [Pushed("starts", test.accepts, text=prefix), Pushed("ends", text=suffix)]
    return "Spark pushes LIKE only as startswith, endswith and contains"
