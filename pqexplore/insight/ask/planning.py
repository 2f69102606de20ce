"""Asks one open file what an engine reads for a condition."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.ask import bound as bounds
from pqexplore.insight.ask import engines, pruning, sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.plan import Plan
from pqexplore.insight.ask.read_requests import reading
from pqexplore.insight.ask.wrong_rows import Careful, suspects, wrong_rows
from pqexplore.insight.steps import finish

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Field, Leaf

Steps = Generator[float, None, Plan]


def steps(
    file: ParquetFile,
    where: str,
    columns: Sequence[str | tuple[str, ...]] | None = None,
    engine: str = "format",
    timezone: str | None = None,
) -> Steps:
    """The steps to a plan; see `pqexplore.ask` for the arguments.

    UsageError for a condition that cannot be asked, LimitExceededError if the answer takes more than a question may cost.
    """
    chosen = engines.engine(engine)
    condition = bind(sql.parse(where, timezone), file.schema)
    return (yield from bound_steps(file, where, condition, columns, chosen))


def bound_steps(
    file: ParquetFile,
    where: str,
    condition: bounds.Bound,
    columns: Sequence[str | tuple[str, ...]] | None,
    chosen: engines.Engine,
) -> Steps:
    """The steps to a plan for a condition that is bound to the file's columns; `where` is its text.

    LimitExceededError if the answer takes more than a question may cost.
    """
    work = _steps(file, where, condition, columns, chosen)
    return (yield from file.budget.steps("ask()", work))


def _steps(
    file: ParquetFile,
    where: str,
    condition: bounds.Bound,
    columns: Sequence[str | tuple[str, ...]] | None,
    chosen: engines.Engine,
) -> Steps:
    used = chosen.folded(chosen.usable(condition, file.schema), file)
    leaves = projected(file, columns, condition, chosen)
    groups = yield from pruning.run(file, used, chosen, leaves=leaves)
    careful = yield from pruning.run(file, condition, Careful(chosen), suspects(groups, chosen))
    return Plan(
        file,
        where,
        condition,
        used,
        chosen,
        leaves,
        groups,
        reading(file, used, groups, leaves, chosen),
        wrong_rows(careful, chosen, groups),
    )


def projected(
    file: ParquetFile, columns: Sequence[str | tuple[str, ...]] | None, condition: bounds.Bound, engine: engines.Engine
) -> list[Leaf]:
    """The leaves that a query reads: those below the named columns (None: all), and those of the condition."""
    every = file.schema.leaves
    if columns is None:
        return list(every)
    wanted = {leaf.leaf_index for leaf in bounds.columns(condition)}
    for name in columns:
        found = [leaf for leaf in every if _below(name, leaf)]
        if not found:
            known = ", ".join(child.name for child in file.schema.root.children[:12])
            raise UsageError(f"there is no column {name!r}; the file has {known}")
        wanted.update(leaf.leaf_index for leaf in found)
    if engine.whole_columns:
        tops = {id(_top(every[index])) for index in wanted}
        return [leaf for leaf in every if id(_top(leaf)) in tops]
    return [every[index] for index in sorted(wanted)]


def _below(name: str | tuple[str, ...], leaf: Leaf) -> bool:
    if not isinstance(name, str):
        return leaf.path[: len(name)] == tuple(name)
    dotted = ".".join(leaf.path)
    return dotted == name or dotted.startswith(name + ".")


def _top(leaf: Leaf) -> Field:
    field: Field = leaf
    while field.parent is not None and field.parent.parent is not None:
        field = field.parent
    return field


def plan_of(
    file: ParquetFile,
    where: str,
    columns: Sequence[str] | None = None,
    engine: str = "format",
    timezone: str | None = None,
) -> Plan:
    """What a query reads of an open file; see `pqexplore.ask`. UsageError for a condition that cannot be asked."""
    try:
        return finish(steps(file, where, columns, engine, timezone))
    except UsageError as error:
        raise UsageError(f"{error}{_folder(str(error), file.name)}") from None


def _folder(problem: str, path: str) -> str:
    """That a column which is missing in a file is the name of a folder of its path; "" if it is not."""
    for part in path.replace("\\", "/").split("/")[:-1]:
        key, equals, _ = part.partition("=")
        if equals and f"there is no column {key!r}" in problem:
            return f"; its path has the folder {printable(part)}, which counts if a folder above it is asked"
    return ""
