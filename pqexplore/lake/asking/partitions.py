"""Compares clauses with the `key=value` folders of paths, as Hive, Spark and DuckDB name them.

A folder's name is text; each reader infers the type of the column in its own way. So a clause is ruled out only if it is
not TRUE for any reading of the text: as text, as a number, as a date.
"""

from __future__ import annotations

import datetime
import decimal
import functools
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.schema import build
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.text import printable
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import Accepts
from pqexplore.insight.ask.bound import Test
from pqexplore.insight.ask.predicate import COMPARISONS, Compare, Like, Literal, NullTest, OneOf
from pqexplore.insight.ask.pruning_result import PARTITION, Ruling
from pqexplore.lake.asking.clauses import path_of, true_for_null
from pqexplore.lake.logs.table_log import HIVE_NULL

_NUMBERS = (predicate.INTEGRAL, predicate.DECIMAL, predicate.DOUBLE)


class Partitions:
    """The partition columns of a lake; `texts` are the distinct values of `files.partition_values`."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.keys = {part.partition("=")[0].lower() for text in texts for part in text.split("/") if part}

    def has(self, path: tuple[str, ...]) -> bool:
        """Whether a lower-cased path is the name of a folder's key."""
        return len(path) == 1 and path[0] in self.keys

    def test(self, clause: predicate.Leaf) -> Test:
        """A clause about a partition column as a test, whose leaf is in no file."""
        leaf = _leaf(".".join(path_of(clause)))
        return Test(clause, leaf, Accepts(Order.NONE, ()), clause.sql)


@functools.lru_cache(256)
def _leaf(name: str) -> Leaf:
    root = structs.SchemaElement(name="folders", num_children=1)
    text = structs.SchemaElement(name=name, type=6, repetition_type=1)
    return build([root, text]).leaves[0]


def value_of(partition_values: str, key: str) -> str | None:
    """The value of a lower-cased key as its folder has it, the last one if there are several; None if absent."""
    found = None
    for part in partition_values.split("/"):
        name, _, value = part.partition("=")
        if name.lower() == key:
            found = value
    return found


def ruling(clause: predicate.Leaf, partition_values: str) -> Ruling:
    """Whether a clause can be TRUE for the rows of a file in these folders."""
    key = ".".join(path_of(clause))
    raw = value_of(partition_values, key)
    if raw is None:
        return Ruling(True, "", f"it has no partition value of {printable(key)}", clause=clause.sql)
    shown = printable(f"{key}={raw}")
    if not isinstance(clause, Compare | OneOf | NullTest | Like):
        return Ruling(True, "", "it is not compared with folders", clause=clause.sql)
    possible = may_be_true(clause, None if raw == HIVE_NULL else unquote(raw))
    words = "its partition is" if possible else "its partition rules it out:"
    return Ruling(possible, PARTITION, f"{words} {shown}", shown, clause=clause.sql)


def may_be_true(clause: predicate.Leaf, value: str | None) -> bool:
    """Whether a clause can be TRUE for a folder's value, in any reading; None is NULL."""
    if value is None:
        return true_for_null(clause) is not False
    if isinstance(clause, NullTest):
        return clause.negated or value == ""
    if isinstance(clause, Like):
        return clause.negated or value.startswith(clause.prefix)
    if isinstance(clause, OneOf):
        if clause.negated:
            return all(_compares(one, value, "!=") for one in clause.literals)
        return any(_compares(one, value, "=") for one in clause.literals)
    if isinstance(clause, Compare):
        return clause.operator not in COMPARISONS or _compares(clause.literal, value, clause.operator)
    return True


def is_true(clause: predicate.Leaf, partition_values: str) -> bool:
    """Whether a clause is certainly TRUE for all rows of a file in these folders, in every reading."""
    raw = value_of(partition_values, ".".join(path_of(clause)))
    if raw is None:
        return False
    if raw == HIVE_NULL:
        return true_for_null(clause) is True
    value = unquote(raw)
    if isinstance(clause, NullTest):
        return clause.negated and value != ""
    if isinstance(clause, OneOf):
        sign, every = ("!=", all) if clause.negated else ("=", any)
        return every(_surely(one, value, sign) for one in clause.literals)
    if isinstance(clause, Compare) and clause.operator in COMPARISONS:
        return _surely(clause.literal, value, clause.operator)
    return False


def _surely(literal: Literal, value: str, sign: str) -> bool:
    pairs = list(_readings(literal, value))
    return bool(pairs) and all(COMPARISONS[sign](ours, theirs) for ours, theirs in pairs)


def _compares(literal: Literal, value: str, sign: str) -> bool:
    """Whether a comparison of a folder's value with a literal can be TRUE."""
    pairs = list(_readings(literal, value))
    return not pairs or any(COMPARISONS[sign](ours, theirs) for ours, theirs in pairs)


def _readings(literal: Literal, value: str) -> Iterable[tuple[Any, Any]]:
    """The pairs of comparable values that a folder's value and a literal may mean; none if that is not certain."""
    if literal.kind in _NUMBERS:
        ours, theirs = _number(value), _number(str(literal.value))
        if ours is not None and theirs is not None:
            yield ours, theirs
            yield float(ours), float(theirs)
    elif literal.kind == predicate.DATE:
        days = predicate.days(value)
        if days is not None:
            yield days, literal.value
    elif literal.kind == predicate.BOOLEAN and value.lower() in ("true", "false"):
        yield value.lower() == "true", literal.value
    elif literal.kind == predicate.TEXT:
        yield from _text_readings(str(literal.value), value)


def _text_readings(text: str, value: str) -> Iterable[tuple[Any, Any]]:
    try:
        yield value.encode(), text.encode()
    except UnicodeEncodeError:
        return
    ours, theirs = _number(value), _number(text)
    if ours is not None and theirs is not None:
        yield ours, theirs
        yield float(ours), float(theirs)
    for read in (predicate.days, _time):
        first, second = read(value), read(text)
        if first is not None and second is not None:
            yield first, second


def _number(text: str) -> decimal.Decimal | None:
    try:
        found = decimal.Decimal(text.strip()) if len(text) <= 60 else None
    except decimal.InvalidOperation:
        return None
    return found if found is not None and found.is_finite() else None


def _time(text: str) -> datetime.datetime | None:
    try:
        found = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found.replace(tzinfo=datetime.UTC) if found.tzinfo is None else found
