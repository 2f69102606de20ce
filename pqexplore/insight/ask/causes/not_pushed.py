"""Conditions that an engine does not compare with the file's claims, and the same in words that it does compare.

A rewrite is only named if the engine's own cascade reads less with it: it is asked, not assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Both, Bound, Undecided
from pqexplore.insight.ask.cascade import Group, run
from pqexplore.insight.ask.causes.cause import Cause
from pqexplore.insight.ask.causes.estimate import WORTH
from pqexplore.insight.ask.causes.rewrites import REWRITES, by_case, spellings
from pqexplore.insight.ask.causes.values import MAX_ENTRIES, read
from pqexplore.insight.ask.operands import sql_of
from pqexplore.insight.ask.reading import reading
from pqexplore.insight.axis import order_of
from pqexplore.insight.wording import name, plural

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression

    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.plan import Plan

MOST = 20
"""Clauses for which rewrites are tried at most."""

MOST_GROUPS = 2_000
"""Row groups of a file whose cascade is asked again at most."""


def find(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each clause that skips nothing as it is written, and would in other words."""
    unused = [one for one in _conjuncts(plan.used) if isinstance(one, Undecided)]
    if not unused or not plan.kept or len(plan.groups) > MOST_GROUPS:
        return
    parsed = _parsed(plan.where)
    if parsed is None:
        return
    for one in unused[:MOST]:
        cause = _rewritten(plan, parsed, one)
        if cause is not None:
            yield cause


def _conjuncts(bound: Bound) -> Iterator[Bound]:
    """The parts of a condition that are joined by AND at the top."""
    if isinstance(bound, Both):
        for part in bound.parts:
            yield from _conjuncts(part)
    else:
        yield bound


def _parsed(where: str) -> Expression | None:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        parsed = sqlglot.parse_one(where, read="spark")
    except (SqlglotError, RecursionError):
        return None
    return None if isinstance(parsed, exp.Query) else parsed


def _rewritten(plan: Plan, parsed: Expression, one: Undecided) -> Cause | None:
    """The cause about a clause, with the first rewrite by which the engine reads less; None without one."""
    from sqlglot import exp

    node = next((node for node in parsed.walk() if one.sql in spellings(node)), None)
    if node is None:
        return None
    if isinstance(node, exp.Or):
        return _halves(plan, parsed, one, node)
    column = next(node.find_all(exp.Column), None)
    leaf = None if column is None else _leaf(plan, column)
    if leaf is None:
        return None
    for words in _words(plan, node, leaf):
        where = _replaced(parsed, node, words)
        read_then = None if where is None else _asked(plan, where)
        if where is None or read_then is None:
            continue
        groups, size = read_then
        saves = plan.reading.bytes - size
        if saves <= WORTH * plan.reading.bytes:
            continue
        kept = sum(group.kept for group in groups)
        return Cause(
            "not_pushed",
            ".".join(leaf.path),
            f"{sql_of(node)} skips nothing: {one.why}. The same in other words, {words}, would be compared with what the file says "
            f"about {name(leaf.path)}.",
            f"Ask {where}: {plural(kept, 'row group')} instead of {len(plan.kept):,} would be read.",
            {"SQL": where},
            {"clause": sql_of(node), "where": where, "row_groups": len(plan.kept)},
            (),
            saves,
            kept,
        )
    return None


def _halves(plan: Plan, parsed: Expression, one: Undecided, node: Expression) -> Cause | None:
    """The cause about an OR: each side by itself would skip, and both together read less than now."""
    sides = [sql_of(part) for part in (node.this, node.expression)]
    wheres = [_replaced(parsed, node, side) for side in sides]
    found = [None if where is None else _asked(plan, where) for where in wheres]
    if found[0] is None or found[1] is None:
        return None
    saves = plan.reading.bytes - found[0][1] - found[1][1]
    if saves <= WORTH * plan.reading.bytes:
        return None
    kept = [sum(group.kept for group in groups) for groups, _ in (found[0], found[1])]
    first, second = wheres
    united = f"SELECT * FROM t WHERE {first} UNION ALL SELECT * FROM t WHERE {second} AND ({first}) IS NOT TRUE"
    return Cause(
        "not_pushed",
        "",
        f"{sql_of(node)} skips nothing: {one.why}. Each side by itself would be compared with what the file says.",
        f"Ask for each side by itself, and unite the rows with UNION ALL: {plural(kept[0], 'row group')} and {kept[1]:,} instead "
        f"of {len(plan.kept):,} would be read.",
        {"SQL": united},
        {"clause": sql_of(node), "sides": sides, "row_groups": len(plan.kept)},
        (),
        saves,
        sum(kept),
    )


def _leaf(plan: Plan, column: Expression) -> Leaf | None:
    path = ".".join(part.name for part in getattr(column, "parts", ())).lower()
    return next((leaf for leaf in plan.file.schema.leaves if ".".join(leaf.path).lower() == path), None)


def _words(plan: Plan, node: Expression, leaf: Leaf) -> Iterator[str]:
    """The clause in other words."""
    from sqlglot import exp

    for rewrite in REWRITES:
        words = rewrite(node, leaf)
        if words is not None:
            yield words
    if isinstance(node, exp.EQ) and node.find(exp.Upper, exp.Lower):
        values = read(plan.file, leaf, order_of(leaf))
        if values is not None and values.whole and len(values.distinct) <= MAX_ENTRIES:
            try:
                texts = [values.raw(rank).decode() for rank in range(len(values.distinct))]
            except UnicodeDecodeError:
                return
            words = by_case(node, leaf, texts)
            if words is not None:
                yield words


def _replaced(parsed: Expression, node: Expression, words: str) -> str | None:
    """The whole condition with a clause in other words."""
    new = _parsed(words)
    if new is None:
        return None
    changed = parsed.transform(lambda each: new.copy() if each == node else each)
    return sql_of(changed)


def _asked(plan: Plan, where: str) -> tuple[list[Group], int] | None:
    """The row groups and bytes that the engine reads for another condition; None if it cannot be asked."""
    engine, file = plan.engine, plan.file
    try:
        used = engine.usable(bind(sql.parse(where), file.schema), file.schema)
    except UsageError:
        return None
    steps = run(file, used, engine)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            groups: list[Group] = stop.value
            return groups, reading(file, used, groups, plan.leaves, engine).bytes
