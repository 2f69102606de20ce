"""The files that `ColumnChunk.file_path` names: opened only when asked, and only below the folder of the file that names them.

See `ColumnChunk.file_path` in https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence

from pqexplore.engine.errors import NotParquetError, ParquetError, UsageError, located
from pqexplore.engine.file.footer import Footer
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.thrift import fast
from pqexplore.engine.span import FILE

MAX_OPEN = 64
"""Files that are kept open."""

ELSEWHERE = "elsewhere:"
"""The beginning of the name of the space that another file's bytes are; its path follows."""


def absolute(path: str) -> str:
    """Why a path is not relative; empty if it is."""
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "it is an absolute path"
    return "it is a URL" if "://" in path or "::" in path else ""


def strays(path: str) -> str:
    """Why a relative path leads, or may lead, out of its folder; empty if it does not."""
    why = absolute(path)
    if why:
        return why
    if "\\" in path or "\0" in path:
        return "it has a character that paths do not have"
    parts = path.split("/")
    if ".." in parts:
        return "it leads out of the folder"
    if "" in parts or "." in parts:
        return "it is not a plain path"
    return ""


class Neighbours:
    """Opens the files below the folder of one file, and keeps the last ones open. Safe to use from several threads."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Source] = OrderedDict()
        self._bytes_read = 0

    def source(self, path: str) -> Source:
        """The source of the file at a relative path. UsageError, with the reason, if it is not followed."""
        with self._lock:
            found = self._open.get(path)
            if found is None:
                found = self._open[path] = self._opened(path)
                if len(self._open) > MAX_OPEN:
                    _, oldest = self._open.popitem(last=False)  # it is closed when its last reader drops it
                    self._bytes_read += oldest.bytes_read
            self._open.move_to_end(path)
            return found

    def _opened(self, path: str) -> Source:
        why = strays(path)
        if why:
            raise UsageError(why)
        try:
            source = self._source.below(path)
            source.close_when_dropped()
            magic = bytes(source.read(0, 4)) if source.size >= 4 else b""
        except (OSError, NotParquetError) as error:
            raise UsageError(f"it cannot be opened: {_words(error)}") from None
        if magic not in (b"PAR1", b"PARE"):
            raise UsageError("it does not begin as a Parquet file does")
        return source

    @property
    def bytes_read(self) -> int:
        """Bytes read from these files so far."""
        with self._lock:
            return self._bytes_read + sum(one.bytes_read for one in self._open.values())

    def close(self) -> None:
        """Closes the files that are open."""
        with self._lock:
            while self._open:
                _, source = self._open.popitem()
                self._bytes_read += source.bytes_read
                source.close()


def other_files(footer: Footer) -> tuple[str, ...]:
    """Every file_path in a footer, each once; empty if the first column chunk has none."""
    metadata = footer.metadata
    groups = () if metadata is None else metadata.row_groups or ()
    if not groups or not groups[0].columns or not groups[0].columns[0].file_path:
        return ()
    assert footer.raw is not None
    with located("footer", footer.raw_start, direct=footer.space == FILE):
        paths = fast.chunk_columns(footer.raw, ["file_path"])["file_path"]
    return tuple(dict.fromkeys(path for path in paths.tolist() if path))


def in_other_files(paths: Sequence[str]) -> str:
    """Where the row groups of a data set's footer lie, as the end of a phrase: " in 3 other files"; empty for no paths."""
    if not paths:
        return ""
    return f" in {len(paths):,} other file{'' if len(paths) == 1 else 's'}"


def _words(error: OSError | ParquetError) -> str:
    if isinstance(error, ParquetError):
        return error.message
    return error.strerror or str(error) or type(error).__name__
