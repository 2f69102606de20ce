"""Asks a file, or many files, what a query reads and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.ask.asking import steps
from pqexplore.insight.lenses.lens import finish

if TYPE_CHECKING:
    from pqexplore.engine.file.outside import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits
    from pqexplore.insight.ask.plan import Plan


def ask(
    source: Readable | ParquetFile,
    where: str,
    columns: Sequence[str] | None = None,
    engine: str = "format",
    *,
    timezone: str | None = None,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
) -> Plan:
    """What a query with the condition `where` reads, what it skips, and why.

    - `source` is what `pqexplore.open` takes, or a file that is open.
    - `where` is a condition in Spark's SQL. `timezone` is the session's, for timestamps without a zone; without it,
      conditions on them skip nothing. `columns` are those that the query reads, None for all.
    - `engine` is a name of `pqexplore.insight.ask.engines.ENGINES`; `format` uses all that the format allows.
    - The other arguments are those of `pqexplore.open`.

    The plan keeps the file open until `plan.close()`. Raises UsageError for a condition that cannot be asked, and the
    errors of `pqexplore.open`.
    """
    if isinstance(source, ParquetFile):
        return finish(steps(source, where, columns, engine, timezone))
    file = open_file(
        source,
        decryption=decryption,
        limits=limits,
        filesystem=filesystem,
        storage_options=storage_options,
    )
    try:
        plan = finish(steps(file, where, columns, engine, timezone))
    except BaseException:
        file.close()
        raise
    plan.owns_file = True
    return plan
