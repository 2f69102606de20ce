"""Which clauses DataFusion compares with bounds and Bloom filters, and what it makes of them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Both, Bound, Either, Test, Undecided
from pqexplore.insight.ask.engines.asked import about_group, between, numeric

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf


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
