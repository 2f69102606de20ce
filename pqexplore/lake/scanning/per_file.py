"""Looks at files one by one, where a scan reads them, and yields rows about each. A bad file never stops it."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from pqexplore.engine.errors import within_memory
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.limits import Limits
from pqexplore.insight.trouble import error_code
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.places.opening import explained, open_listed, opened_ahead, words
from pqexplore.lake.store.run_lock import Pulse
from pqexplore.lake.store.table_definition import TableDefinition

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]


class EachFile(abc.ABC):
    """Builds rows of `table` in batches: those of `rows` for each file, or that of `failed`."""

    table: ClassVar[TableDefinition]

    def __init__(self, options: Options, pulse: Pulse) -> None:
        self.options, self.pulse = options, pulse
        self._limits = Limits(**dict(options.limits))
        self._waiting: dict[str, list[Any]] = {one.name: [] for one in self.table.columns}
        self.errors = self.bytes_read = 0

    @abc.abstractmethod
    def rows(self, entry: Entry, file: ParquetFile) -> list[Row]:
        """The rows of an open file. What it raises becomes the row of `failed`."""

    @abc.abstractmethod
    def failed(self, entry: Entry, code: str, message: str) -> Row:
        """The row of a file that could not be looked at; `code` is that of `files.error_code`."""

    def batches(self, entries: Iterable[Entry]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yields (name of the table, record batch) for all files."""
        for entry, opened in opened_ahead(entries, self._open, self.pulse):
            for row in self._file(entry, opened):
                for name, values in self._waiting.items():
                    values.append(row.get(name))
            if len(self._waiting["path"]) >= self.options.batch_rows:
                yield self._flush()
        if self._waiting["path"]:
            yield self._flush()

    def _flush(self) -> tuple[str, pa.RecordBatch]:
        batch = self.table.batch(self._waiting)
        for values in self._waiting.values():
            values.clear()
        return self.table.name, batch

    def _open(self, entry: Entry, enter: Callable[[str], None]) -> ParquetFile | Exception:
        with contextlib.ExitStack() as opened:
            try:
                options = dict(self.options.storage_options)
                source = open_listed(entry, options)
                opened.callback(source.close)
                enter("footer")
                with within_memory("footer", None):
                    file = ParquetFile(source, limits=self._limits)
            except Exception as error:  # any error stays with its file
                return explained(error, entry.path)
            opened.pop_all()
            return file

    def _file(self, entry: Entry, opened: ParquetFile | Exception) -> list[Row]:
        if isinstance(opened, Exception):
            self.errors += 1
            return [self.failed(entry, error_code(opened), words(opened))]
        with opened:
            try:
                if opened.footer.locked is not None:
                    raise opened.footer.locked
                with within_memory("", None):
                    return self.rows(entry, opened)
            except Exception as error:  # any error stays with its file
                self.errors += 1
                return [self.failed(entry, error_code(error), words(error))]
            finally:
                self.bytes_read += opened.bytes_read
