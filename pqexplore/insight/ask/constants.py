"""Reads literals from sqlglot's expressions; `literals` knows their forms.

A literal is used only if its value is certain: sqlglot and Spark must read it alike, in every session.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from pqexplore.engine.text import clip
from pqexplore.insight.ask import literals
from pqexplore.insight.ask.operands import sql_of, unwrapped
from pqexplore.insight.ask.predicate import BOOLEAN, DECIMAL, DOUBLE, FLOAT, INTEGRAL, NULL, Literal

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression

_FULL_FORM = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclasses.dataclass(frozen=True)
class Constants:
    """Reads literals.

    `zone` is for timestamps without a zone; `certain` is whether sqlglot and Spark read text literals alike,
    `certain_pattern` whether they read the patterns of LIKE alike.
    """

    zone: datetime.tzinfo | None
    certain: bool
    certain_pattern: bool

    def literal(self, node: Expression) -> Literal | None:
        """The literal in an expression; None if it is not a literal, or if its value depends on the session."""
        key = node.key
        if key == "null":
            return Literal(NULL, None, sql_of(node))
        if key == "boolean":
            return Literal(BOOLEAN, bool(node.this), sql_of(node))
        if key == "neg":
            return self._negative(node)
        if key == "literal":
            if node.is_string:
                if not self.certain:
                    return None
                return literals.text(node.this, sql_of(node), self.zone)
            return literals.number(node.this, sql_of(node))
        if key == "hexstring":
            return literals.binary(str(node.this), sql_of(node))
        if key in ("cast", "trycast"):
            return self._cast(node, sql_of(node))
        if key == "tsordstodate" and {k for k, v in node.args.items() if v} <= {"this", "safe"}:
            return literals.date(string(unwrapped(node.this)), sql_of(node), self.zone)
        return None

    def _negative(self, node: Expression) -> Literal | None:
        inner = self.literal(unwrapped(node.this))
        if inner is None or inner.kind not in (INTEGRAL, DECIMAL, DOUBLE, FLOAT):
            return None
        value = inner.value
        # The minus of a Decimal rounds it to 28 digits.
        turned = value.copy_negate() if isinstance(value, Decimal) else -value
        return Literal(inner.kind, turned, sql_of(node))

    def _cast(self, node: Expression, sql: str) -> Literal | None:
        if node.args.get("format") or node.args.get("default"):
            return None
        inner = unwrapped(node.this)
        name = _type_name(node)
        if name == "DATE":
            return literals.date(string(inner), sql, self.zone)
        if name in ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ"):
            return literals.timestamp(string(inner), sql, self.zone)
        if name in ("TIMESTAMPNTZ", "TIMESTAMP_NTZ"):
            return literals.local_timestamp(string(inner), sql, self.zone)
        if name == "TIME":
            return literals.time(string(inner), sql)
        literal = self.literal(inner)
        if literal is None:
            return None
        parameters = [int(each.name) for each in node.args["to"].expressions] if name == "DECIMAL" else []
        return literals.cast_number(literal, name, parameters, sql)

    def error(self, node: Expression) -> str:
        """Why a date, time or timestamp in the usual form has no value, such as the 30th of February; else ""."""
        node = unwrapped(node)
        if node.key not in ("cast", "trycast", "tsordstodate"):
            return ""
        text = string(unwrapped(node.this))
        name = "DATE" if node.key == "tsordstodate" else _type_name(node)
        if text is None or self.literal(node) is not None:
            return ""
        if name == "DATE" and _FULL_FORM.fullmatch(text):
            return f"{clip(text, 60)!r} is no date of the calendar"
        if name.startswith("TIMESTAMP") and _FULL_FORM.match(text):
            return f"{clip(text, 60)!r} is no timestamp; write TIMESTAMP '2026-01-31 12:00:00', with a zone (Z, +01:00) if needed"
        if name == "TIME":
            return f"{clip(text, 60)!r} is no time of day; write TIME '12:34:56'"
        return ""


def _type_name(node: Expression) -> str:
    target = node.args["to"].this
    return str(getattr(target, "name", str(target))).upper()


def string(node: Expression) -> str | None:
    """The text of a text literal; None for other expressions."""
    return str(node.this) if node.key == "literal" and node.is_string else None
