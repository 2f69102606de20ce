"""An expression as sqlglot parsed it, with what is needed to read its literals and names."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.insight.ask.predicate import AsWritten

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression

    from pqexplore.insight.ask.constants import Constants
    from pqexplore.insight.ask.operands import Names


@dataclasses.dataclass(frozen=True)
class Parsed(AsWritten):
    """An expression, or (`negated`) its negation. `constants` reads its literals, `names` says what its names mean."""

    node: Expression
    negated: bool
    constants: Constants
    names: Names
