"""A path for programs that read a file only by its path."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.ending import temporary_folder
from pqexplore.engine.errors import UsageError
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

COPIED = 1 << 30
"""Bytes up to which a file that is not on a local disk is copied to one."""

_PART = 8 << 20


@contextlib.contextmanager
def on_disk(file: ParquetFile) -> Iterator[str]:
    """A local path of the file: its own, or that of a temporary copy of bytes or of a remote file.

    UsageError if a copy would be larger than `COPIED`. Raises ParquetError or OSError if the file cannot be read.
    """
    own = file.source.local and os.path.isfile(file.name)
    if own and os.path.getsize(file.name) == file.size:
        yield os.path.abspath(file.name)
        return
    if file.size > COPIED:
        raise UsageError(f"other programs need a path; {size(file.size)} are too much for a temporary copy")
    with temporary_folder() as folder:
        path = os.path.join(folder, "file.parquet")
        with open(path, "wb") as out:
            for start in range(0, file.size, _PART):
                out.write(file.source.read(start, min(_PART, file.size - start)))
        yield path
