"""Variables of a notebook that stand for files and keys in a line of `%pqexplore`; at the terminal there are none."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VARIABLES: ContextVar[Mapping[str, object] | None] = ContextVar("VARIABLES", default=None)
"""The variables by name, while the magic runs a line; None at the terminal."""

MANY = 20_000
"""Files from which the active Spark session reads a folder; with fewer, this machine is as fast (20,000 files: 4 s to 8 s
by processes of two cores, 10 s by Spark on the same cores)."""

MISSING = object()
"""What `variable` returns for a name that no variable has; a variable may hold None."""

_TABLE = re.compile(r"\w+(\.\w+){1,2}")
"""`schema.table` or `catalog.schema.table`."""


class Held(str):
    """Stands in the place of a path: `<name>` of a variable, and in `source` what it holds; `table` is a Spark table's name."""

    source: object
    table: str

    def __new__(cls, name: str, source: object, table: str = "") -> Held:
        """Make one of the variable's name and value."""
        made = super().__new__(cls, f"<{name}>")
        made.source, made.table = source, table
        return made


def variable(name: str) -> object:
    """What the variable of that name holds; MISSING without one."""
    held = VARIABLES.get()
    return MISSING if held is None or not name.isidentifier() else held.get(name, MISSING)


def spread(words: Iterable[str]) -> Iterator[str]:
    """FILEs as they were typed, with what they stand for in the place of a variable, or of a table of Spark.

    A variable stands for its path, or for each item of its list; what else it holds is a `Held`. Raises UsageError for an
    empty list, and for a table that Spark cannot name.
    """
    for word in words:
        held = variable(word)
        frame = _spark_table(word) if held is MISSING else MISSING
        if held is not MISSING:
            yield from _sources(word, held)
        elif frame is not MISSING:
            yield Held(word, frame, word)
        else:
            yield word


def one(word: str) -> str:
    """What one FILE or DIR stands for. UsageError if it is a list of several."""
    from pqexplore.engine.errors import UsageError

    found = list(spread([word]))
    if len(found) > 1:
        raise UsageError(f"one is expected here; {word} has {len(found):,}")
    return found[0]


def each_file(path: str) -> list[str]:
    """The path itself; of a Spark DataFrame that reads several files, those."""
    if isinstance(path, Held):
        from pqexplore.engine.tables import SparkFrame

        if isinstance(path.source, SparkFrame):
            files = sorted(path.source.inputFiles())
            return files if len(files) > 1 else [path]
    return [path]


def _sources(name: str, held: object) -> Iterator[str]:
    from pqexplore.engine.errors import UsageError

    if isinstance(held, str | os.PathLike):
        yield os.fsdecode(held)
    elif isinstance(held, list | tuple):
        if not held:
            raise UsageError(f"the list {name} is empty")
        for number, item in enumerate(held):
            yield from _sources(f"{name}[{number}]", item)
    else:
        yield Held(name, held)


def session() -> SparkSession | None:
    """The active Spark session of a notebook; None at the terminal."""
    spark = sys.modules.get("pyspark.sql")  # without it, there is no session
    if VARIABLES.get() is None or spark is None:
        return None
    active: SparkSession | None = spark.SparkSession.getActiveSession()
    return active


def _spark_table(word: str) -> object:
    """The DataFrame of a table, by the active Spark session; MISSING if the word names none, or a file.

    Raises UsageError for a name in three parts if no session is active, and what Spark says of a name.
    """
    from pqexplore.engine.errors import UsageError

    if VARIABLES.get() is None or not _TABLE.fullmatch(word) or os.path.lexists(word):
        return MISSING
    active = session()
    if active is None:
        if word.count(".") == 1:  # more likely the name of a file
            return MISSING
        raise UsageError(f"there is no file {word}; the name of a table needs an active session")
    from pyspark.errors import PySparkException

    try:
        return active.table(word) if active.catalog.tableExists(word) else MISSING
    except PySparkException as error:
        raise UsageError(f"Spark cannot name the table {word}: {error}") from None
