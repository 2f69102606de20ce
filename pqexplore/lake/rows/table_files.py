"""The live files of a table, and how they are opened."""

from __future__ import annotations

import dataclasses
import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.handle import Handle
from pqexplore.engine.limits import DEFAULT
from pqexplore.engine.text import plural
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.logs.table_log import LogError, TableLog
from pqexplore.lake.places.opening import How, open_listed

if TYPE_CHECKING:
    from pqexplore.engine.format.schema import Schema
    from pqexplore.lake.logs.table_log import Fact

OnError = Callable[[str, Exception], None]
"""Is given the name of a file that cannot be read, and the error."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A live file: its entry in the listing, its name in the log and what the log says of it, and its partition's values."""

    entry: Entry
    name: str
    fact: Fact | None
    values: Mapping[str, str | None]


class TableFiles(Handle):
    """The live files of a table, or the Parquet files of a folder without a log; see `LakeTable`.

    `log` is None for a folder, `problem` the error of a table whose live files are unknown, or must not be read.
    """

    INTERNAL = frozenset({"first", "how", "log", "opened", "parts", "reading", "require_readable"})

    def __init__(
        self, path: str, format: str, log: TableLog | None, parts: Sequence[Part], how: How, problem: Exception | None
    ) -> None:
        self.path, self.format, self.log, self.how = path, format, log, how
        self.parts = list(parts)
        self._problem = problem
        self._seen: list[tuple[Part, Schema, int]] = []  # of the first `_next` files of a folder without a log
        self._next = 0

    @property
    def files(self) -> list[str]:
        """The paths of the files that are read, sorted."""
        return [one.entry.path for one in self.parts]

    @property
    def version(self) -> int | None:
        """The version of a Delta table, or the snapshot of an Iceberg table; None for a folder, or a table without any."""
        log = self.log
        return None if log is None else log.snapshot_id if log.version is None else log.version

    @property
    def sentence(self) -> str:
        """What is read: which table, which version, and how many files."""
        if self.log is None:
            return f"{plural(len(self.parts), 'file')} of a folder, read as one table"
        word = "version" if self.log.version is not None else "snapshot"
        at = "without a snapshot" if self.version is None else f"{word} {self.version}"
        return f"{self.format.capitalize()} table, {at}: {plural(len(self.parts), 'live file')}"

    def require_readable(self) -> None:
        """Raise the error of a table whose live files are unknown, or must not be read."""
        if self._problem is not None:
            raise self._problem

    def first(self, most: int | None, on_error: OnError | None) -> list[tuple[Part, Schema]]:
        """The first files that have `most` stored rows, with their schemas; all for None. They are opened once.

        `on_error` is called for each that cannot be opened, and it is left out; without it, the error is raised.
        """
        rows, count = 0, 0
        while most is None or rows < most:
            if count == len(self._seen):
                if self._next == len(self.parts):
                    break
                part = self.parts[self._next]
                try:
                    with self.opened(part) as file:
                        self._seen.append((part, file.schema, len(file)))
                except (ParquetError, OSError) as error:
                    if on_error is None:
                        raise
                    on_error(part.entry.path, error)
                    self._next += 1
                    continue
                self._next += 1
            rows += self._seen[count][2]
            count += 1
        return [(part, schema) for part, schema, _ in self._seen[:count]]

    @contextmanager
    def opened(self, part: Part) -> Iterator[ParquetFile]:
        """The open file of a part. Errors from within have its name."""
        path = part.entry.path
        if part.entry.error is not None:
            raise PermissionError(errno.EPERM, f"{path}: {part.entry.error}", path)
        try:
            source = open_listed(part.entry, self.how.storage_options or {})
            try:
                yield ParquetFile(source, decryption=self.how.decryption, limits=self.how.limits or DEFAULT)
            finally:
                source.close()
        except LogError as error:
            raise error.refusal(path) from None
        except ParquetError as error:
            if not error.message.startswith(path):
                error.message = f"{path}: {error.message}"
            raise
