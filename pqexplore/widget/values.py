"""The columns that a value can be in, by what the file says of itself: statistics, Bloom filters, dictionaries."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Generator, Iterator

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.insight import text
from pqexplore.insight.ask.question import LONGEST
from pqexplore.insight.ask.why_not_pruned import rewriting

COLUMNS = 500
"""Columns that are asked."""

SECONDS = 2.0
"""After this time no further column is asked."""

_LITERAL = re.compile(
    r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|true|false|((timestamp|date|time|x)\s*)?'([^']|'')*'", re.IGNORECASE
)
"""What is a literal of SQL as it stands. Everything else is text."""


@dataclasses.dataclass(slots=True)
class Possible:
    """A column that can have the value, and the condition that asks for it; `row_groups` cannot be skipped with it."""

    column: str
    where: str
    row_groups: int


@dataclasses.dataclass(slots=True)
class Values:
    """The columns that can have a value, of the `asked` ones of `columns`; `row_groups` are those of the file."""

    possible: list[Possible]
    asked: int
    columns: int
    row_groups: int


def values(file: ParquetFile, value: str) -> Generator[float, None, Values]:
    """Asks each column whether `value` can be in it. No data page is read.

    A column whose type the value does not fit, or that cannot be asked, is left out. UsageError for a remote file: its
    dictionaries would have to be fetched.
    """
    from pqexplore.insight.ask import planning

    if not file.source.local:
        raise UsageError("values are looked for in local files only")
    leaves = file.schema.leaves
    found = Values([], 0, len(leaves), len(file.row_groups))
    end = 0.0
    for i, leaf in enumerate(leaves[:COLUMNS]):
        if i == 1:  # the first one imports the parser
            end = time.monotonic() + SECONDS
        if i and time.monotonic() > end:
            break
        found.asked += 1
        name = ".".join(leaf.path)
        for literal in _literals(value.strip()[:LONGEST]):
            where = f"{_named(leaf)} = {literal}"
            try:
                plan = yield from planning.steps(file, where, [])
            except UsageError:
                continue  # it does not fit the type
            except ParquetError:
                found.asked -= 1
                break
            if plan.undecided:
                continue  # the comparison is of two types
            if plan.kept:
                found.possible.append(Possible(text.shorten(name, 120), where, len(plan.kept)))
            break
    return found


def _named(leaf: Leaf) -> str:
    """A column in the grammar of conditions; of a list, any element."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in leaf.path)


def _literals(value: str) -> Iterator[str]:
    """What was typed as literals of SQL, the likeliest first."""
    if _LITERAL.fullmatch(value):
        yield value
    if "'" not in value or not _LITERAL.fullmatch(value):
        yield rewriting.text(value)
