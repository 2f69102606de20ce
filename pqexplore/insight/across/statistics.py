"""The statistics of all column chunks below a node, in one table."""

from __future__ import annotations

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.value_text import physical_value
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.axis import value_of
from pqexplore.insight.lenses.statistics import COLUMNS as OF_ONE
from pqexplore.insight.lenses.statistics import marked
from pqexplore.insight.parts import GROUP, Skippable, failed_part, group_part
from pqexplore.insight.wording import plural

COLUMNS = (
    *PLACE,
    *OF_ONE[1:],
    Column("min_bytes", "min as stored", "code", "the bytes in the file"),
    Column("max_bytes", "max as stored", "code", "the bytes in the file"),
)

UNSCALED = (
    Column("min_unscaled", "min unscaled", "number", "the integer that is stored for a decimal"),
    Column("max_unscaled", "max unscaled", "number", "the integer that is stored for a decimal"),
)
"""More columns, if one of the leaves is a decimal."""


def over(scope: Scope) -> Answer:
    """A row for each column chunk: bounds in the logical type and as stored, counts, and what speaks against them."""
    decimals = any(meaning(leaf).name == "DECIMAL" for leaf in scope.leaves)
    columns = (*COLUMNS, *UNSCALED) if decimals else COLUMNS
    table = Table(columns, "Column chunks, by their statistics", total=scope.size)
    parts: list[Skippable] = []
    for group, leaf, chunk in scope.chunks():
        try:
            if isinstance(chunk, ParquetError):
                raise chunk
            part = group_part(chunk)
        except ParquetError as error:
            part = failed_part(GROUP, group, address_of(group, leaf), error)
        parts.append(part)
        bounded = part.low is not None or part.high is not None
        table.add(
            group,
            ".".join(leaf.path),
            value_of(leaf, part.low),
            value_of(leaf, part.high),
            marked(part),
            part.values,
            part.nulls,
            part.nans,
            part.distinct,
            part.trusted if bounded else None,
            part.remark,
            part.low,
            part.high,
            *([_unscaled(leaf, part.low), _unscaled(leaf, part.high)] if decimals else []),
            address=part.address,
            span=part.span,
        )
    return Answer(_sentence(scope, parts), table=table)


def _unscaled(leaf: Leaf, raw: bytes | None) -> int | None:
    """The stored integer of a decimal; None for other types, and for a bound of the wrong length."""
    if raw is None or meaning(leaf).name != "DECIMAL":
        return None
    try:
        stored = physical_value(leaf, raw)
    except ParquetError:
        return None
    return int.from_bytes(stored, "big", signed=True) if isinstance(stored, bytes) else int(stored)


def _sentence(scope: Scope, parts: list[Skippable]) -> str:
    """How many have bounds that a query may use, and what the others lack."""
    usable = sum(part.bounded for part in parts)
    said = f"Of {scope.named} {usable:,} {'has' if usable == 1 else 'have'} bounds that a query may use"
    others: dict[str, int] = {}
    for part in parts:
        if not part.bounded:
            why = part.remark or "no bounds"
            others[why] = others.get(why, 0) + 1
    ordered = sorted(others.items(), key=lambda one: -one[1])
    said += "".join(f"; {count:,}: {why}" for why, count in ordered[:4])
    more = sum(count for _, count in ordered[4:])
    return said + (f"; {plural(more, 'other')}" if more else "") + "."
