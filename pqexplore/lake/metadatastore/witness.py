"""What a witness is: one index that says whether a clause is TRUE for no row of an object, and why it cannot say."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from pqexplore.insight.ask.predicate import COMPARISONS, Compare, Literal, NullTest, OneOf
from pqexplore.lake.metadatastore import comparison
from pqexplore.lake.metadatastore.comparison import Keys

EQUAL = ("=", "<=>")
_MANY = 8


class Witness:
    """The evidence of an index or partition column about one clause, for each object.

    `column` is the store's column with the values, None if there is none. `by_partition` says that only partition columns
    decide, `problem` why the clause cannot be compared with the values ("" if it can).
    """

    column: str | None = None
    by_partition = False
    problem = ""

    def judge(self, row: int) -> tuple[bool, str]:
        """(whether no row of the object can make the clause TRUE, why); the reason is "" if `describe` has it."""
        raise NotImplementedError

    def describe(self, row: int) -> str:
        """The index's value for the object, in a sentence."""
        return ""

    def finding(self, row: int) -> tuple[bool, str]:
        """(whether the clause is ruled out for the object, why)."""
        ruled_out, why = self.judge(row)
        return ruled_out, why or self.describe(row)

    def rules_out(self, row: int) -> bool:
        """Whether no row of the object can make the clause TRUE."""
        return self.judge(row)[0]


class Silent(Witness):
    """A witness without evidence for any object."""

    def __init__(self, why: str, column: str | None = None) -> None:
        self.why = why
        self.column = column

    def judge(self, row: int) -> tuple[bool, str]:
        """Never ruled out."""
        return False, self.why


class Never(Witness):
    """A clause that no value can make TRUE, such as `x = NULL`."""

    by_partition = True

    def judge(self, row: int) -> tuple[bool, str]:
        """Always ruled out."""
        return True, "it is FALSE or NULL for every row"


class Clause:
    """A clause prepared for comparison with values of one Spark type, once for all objects."""

    def __init__(self, leaf: Compare | OneOf | NullTest, spark_type: str) -> None:
        self.leaf = leaf
        self.holds_for_null = holds_for_null(leaf)
        self.operator = _plain_operator(leaf) if isinstance(leaf, Compare) else ""
        self.problem = ""
        self.literals: list[Keys] = []
        self.key: Callable[[Any], Any] = lambda value: value
        for literal in literals(leaf):
            found = comparison.keys(spark_type, literal)
            if isinstance(found, str):
                self.problem = found
                return
            self.literals.append(found)
        if self.literals:
            self.key = self.literals[0].key
        if len({keys.key for keys in self.literals}) > 1:
            self.problem = "the values of IN do not all compare in the same way"
            return
        self.points = [point for keys in self.literals for point in keys.points]
        self.certain = all(len(keys.points) == 1 for keys in self.literals)
        self.sorted = sorted(self.points) if len(self.points) > _MANY else None
        self.members = set(self.points)

    def possible_between(self, low: Any, high: Any) -> bool:
        """Whether the clause can be TRUE for a value that is not NULL and has a key from `low` to `high`."""
        leaf = self.leaf
        if isinstance(leaf, NullTest):
            return leaf.negated
        if isinstance(leaf, OneOf):
            if leaf.negated:
                return not (self.certain and low == high and low in self.members)
            if self.sorted is not None:
                at = bisect_left(self.sorted, low)
                return at < len(self.sorted) and self.sorted[at] <= high
            return any(low <= point <= high for point in self.points)
        operator = self.operator
        return any(_range_allows(operator, low, high, point) for point in self.points)

    def possible_for(self, key: Any) -> bool:
        """Whether the clause can be TRUE for a value with this key."""
        return self.possible_between(key, key)


def holds_for_null(leaf: Compare | OneOf | NullTest) -> bool:
    """Whether a clause is TRUE for NULL."""
    if isinstance(leaf, NullTest):
        return not leaf.negated
    return isinstance(leaf, Compare) and leaf.operator == "not <=>"


def literals(leaf: Compare | OneOf | NullTest) -> tuple[Literal, ...]:
    """The literals of a clause, which may be none."""
    if isinstance(leaf, NullTest):
        return ()
    return leaf.literals if isinstance(leaf, OneOf) else (leaf.literal,)


def _plain_operator(leaf: Compare) -> str:
    """The operator for values that are not NULL."""
    if leaf.operator in ("is true", "is false"):
        return "=" if leaf.operator == "is true" else "!="
    return {"<=>": "=", "not <=>": "!="}.get(leaf.operator, leaf.operator)


def _range_allows(operator: str, low: Any, high: Any, point: Any) -> bool:
    if operator == "=":
        return bool(low <= point <= high)
    if operator == "!=":
        return not low == high == point
    return COMPARISONS[operator](low if operator in ("<", "<=") else high, point)
