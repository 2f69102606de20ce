"""A scan's conditions: whether Spark's plan says that it pushes each, whether parquet-java gets it, and why not."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import engines, predicate
from pqexplore.insight.ask import sql as grammar
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Both, Bound, Either, Test, Undecided, single
from pqexplore.insight.wording import plural
from pqexplore.lake import catalyst
from pqexplore.lake.catalyst import Column, Joined, Node, Not, Other

if TYPE_CHECKING:
    from pqexplore.engine.format.schema import Schema

PARTITION, PUSHED, NOT_PUSHED, UNKNOWN = "partition", "pushed", "not pushed", "unknown"


@dataclasses.dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a scan's rows: see `SparkPlan.conditions`. `reaches` is None if it is not known."""

    text: str
    where: str
    reaches: bool | None
    why: str


def conditions_of(
    found: Sequence[tuple[Node, bool]],
    folders: Sequence[Node],
    agree: bool,
    columns: Mapping[str, Column],
    schemas: Sequence[Schema],
    zone: str | None,
    switched_off: bool,
    calls: Mapping[str, str],
) -> Iterator[Condition]:
    """The conditions of a scan.

    `found` are those of the filters above it, each with whether the plan prints it as pushed; `folders` its partition
    filters; `agree`: whether the text could be read; `columns`: its columns by id; `schemas` of the files that were opened;
    `calls`: the calls of Python functions by the names of their results.
    """
    for node in _stated(list(folders)):
        why = "it chooses folders, before files are read"
        if "dynamicpruning" in asked(node):
            why = "it chooses folders by the other side of a join, when the query runs"
        yield Condition(asked(node), PARTITION, False, why)
    if not agree:
        for node, _ in found:
            why = "the plan prints text without quotes, and this condition can be read in more than one way"
            yield Condition(asked(node), UNKNOWN, None, why)
        return
    printed = {id(node): listed for node, listed in found}
    for node in _stated([node for node, _ in found]):
        if switched_off:  # the plan lists them all the same
            where = PUSHED if printed[id(node)] else NOT_PUSHED
            yield Condition(asked(node), where, False, "spark.sql.parquet.filterPushdown is false")
            continue
        if not printed[id(node)]:
            text = asked(node)
            for result, call in calls.items():
                text = re.sub(rf"\b{result}\b", lambda _, call=call: call, text)  # type: ignore[misc]
            yield Condition(text, NOT_PUSHED, False, why_not(node, columns))
            continue
        reaches, why = _reaches(node, schemas, zone)
        yield Condition(asked(node), PUSHED, reaches, why)


def asked(node: Node) -> str:
    """A condition as text: in SQL, or as the plan has it without the numbers of its columns."""
    text = catalyst.sql(node)
    if text is None:
        return re.sub(r"#\d+L?", "", _text(node))
    return re.sub(r"`([A-Za-z_][A-Za-z_0-9]*)`", r"\1", text)


def _text(node: Node) -> str:
    if isinstance(node, Other):
        return node.text
    if isinstance(node, Not):
        return f"NOT {asked(node.part)}"
    if isinstance(node, Joined):
        return f"({asked(node.left)} {node.word} {asked(node.right)})"
    return f"{node.column.sql} {node.operator} {', '.join(node.values)}"


def _stated(nodes: list[Node]) -> Iterator[Node]:
    """The conditions without the IS NOT NULL that Spark adds to those about the same column."""
    for node in nodes:
        if isinstance(node, catalyst.Test) and node.operator == "not null":
            name = _name(node.column)
            others = [one for one in nodes if one is not node]
            about = {_name(column) for one in others for column in catalyst.columns(one)}
            mentioned = any(re.search(rf"(?i)\b{re.escape(name)}#\d", t.text) for t in _opaque(others))
            if name in about or mentioned:
                continue
        yield node


def _opaque(nodes: Sequence[Node]) -> Iterator[Other]:
    for node in nodes:
        if isinstance(node, Other):
            yield node
        elif isinstance(node, Not):
            yield from _opaque([node.part])
        elif isinstance(node, Joined):
            yield from _opaque([node.left, node.right])


def _name(column: Column) -> str:
    return ".".join(column.path).lower()


def _reaches(node: Node, schemas: Sequence[Schema], zone: str | None) -> tuple[bool | None, str]:
    """Whether parquet-java gets a condition that the plan prints as pushed, and why not."""
    text = catalyst.sql(node)
    if text is None:
        return None, "its values cannot be read from the plan, which prints text without quotes"
    if not schemas:
        return None, "no file could be opened, and the types of its columns decide"
    found = [_reaches_one(text, schema, zone) for schema in schemas]
    misses = [one for one in found if not one[0]]
    if not misses:
        return True, ""
    reaches, why = misses[0]
    if len(misses) < len(found):
        why = f"{why} (in {len(misses):,} of the {plural(len(found), 'file')} that were opened)"
    return reaches, why


def _reaches_one(text: str, schema: Schema, zone: str | None) -> tuple[bool | None, str]:
    try:
        bound = bind(grammar.parse(text, zone), schema)
    except UsageError as error:
        return None, str(error)
    used = engines.engine("spark").usable(bound, schema)
    stated = any(isinstance(one, Test) and _is_null_test(one) for one in single(bound))
    if _gets(used, stated):
        return True, ""
    whys = [one.why for one in single(used) if isinstance(one, Undecided)]
    return False, whys[0] if whys else "parquet-java gets nothing of it"


def _is_null_test(test: Test) -> bool:
    return isinstance(test.clause, predicate.NullTest)


def _gets(used: Bound, stated: bool) -> bool:
    """Whether parquet-java gets a part that says more than an IS NOT NULL that Spark has added."""
    if isinstance(used, Both):
        return any(_gets(part, stated) for part in used.parts)
    if isinstance(used, Either):
        return all(_gets(part, stated) for part in used.parts)
    if isinstance(used, Test):
        return stated or not _is_null_test(used)
    return not isinstance(used, Undecided)


def why_not(node: Node, columns: Mapping[str, Column]) -> str:
    """Why Spark's plan does not push a condition."""
    if isinstance(node, Joined) and node.word == "OR":
        for side in (node.left, node.right):
            inner = next(_opaque([side]), None)
            if inner is not None:
                return f"OR is pushed only if both sides can be, and {asked(side)} cannot: {why_not(inner, columns)}"
    inner = next(_opaque([node]), None)
    if inner is None:
        return "Spark pushes no such condition"
    text = inner.text
    if re.search(r"pythonUDF\d+#", text):
        return "it is the result of a Python function, which runs on rows after the scan"
    if re.search(r"\bUDF\(", text):
        return "it calls a user-defined function"
    if re.search(r"\bsubquery\b", text):
        return "it compares with a subquery, whose value is known only when the query runs"
    numbers = set(re.findall(r"#(\d+)", text))
    if numbers - set(columns):
        return "it is about a computed column"
    if len(numbers) > 1:
        return "it compares two columns"
    cast = re.search(r"\b(?:try_)?cast\((.*?) as (\w+)", text)
    if cast is not None:
        return f"it casts a column to {cast[2]}, and Spark pushes comparisons of columns without casts only"
    call = re.search(r"\b(\w+)\(", text)
    if call is not None:
        return f"it calls {call[1]}, and Spark pushes no functions of columns"
    if re.search(r"#\d+L?\S*\[", text):
        return "it is about an element of a list or map"
    if re.search(r" [-+*/%] ", text):
        return "it has arithmetic, which Spark does not push"
    return "Spark pushes no such condition"
