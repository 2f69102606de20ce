"""What differs between two folders of Parquet files, two tables, or two versions of a Delta or Iceberg table.

`state` finds the files of each side: those that the log names, or those that lie in the folder. `files` puts them side
by side and compares their rows, and `comparison` compares the schemas and makes one answer of it. `diff` is the public
function, for two files, too.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.diff.diff import FOOTER, Diff
from pqexplore.insight.diff.diff import diff as diff_files

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import Readable
    from pqexplore.lake.comparing.comparison import LakeDiff
    from pqexplore.lake.comparing.state import TableSource
    from pqexplore.lake.logs.table_log import Version
    from pqexplore.lake.places.opening import OpenOptions


def diff(
    a: Readable | ParquetFile | TableSource,
    b: Readable | ParquetFile | TableSource | None = None,
    level: str | None = None,
    *,
    version: Version | None = None,
    to: Version | None = None,
    columns: Sequence[str] | None = None,
    follow_outside: bool = False,
    **options: Unpack[OpenOptions],
) -> Diff | LakeDiff:
    """What differs between two files, two folders, two tables, or two versions of a table.

    - `a` and `b` are what `pqexplore.open` takes, or open files: then a `Diff` is returned. For folders, patterns, and
      Delta or Iceberg tables it is a `LakeDiff`.
    - `version` and `to` are the versions of a table: those of Delta, the ids of Iceberg's snapshots, the names of
      branches and tags, or times. `version` is of `a`, `to` of `b`, or of `a` if there is no `b`; None for the newest.
    - `level` says what is read: `footer`, `pages` (of files also page headers) or `data` (all values). Of a table, the log
      is read, and footers only for what it does not say. None: the footers, and of two local files of up to 8 MB all values
      if the footers do not explain their sizes.
    - `columns` names the columns of files that are compared: leaves or groups, dotted; None for all.
    - `follow_outside` also opens files outside of a folder or table that links or the log lead to, as in `lake.scan`.
    - The other arguments are those of `pqexplore.open`, for both.

    Raises what `pqexplore.open` raises, CorruptFileError or UnsupportedFeatureError for a log that cannot be read, and
    UsageError for a version that does not exist, an unknown level or column, or a file and a folder.
    """
    if b is None and version is None:
        raise UsageError("diff needs a second file or folder, or a version of a table")
    one = _is_file(a, options)
    two = one if b is None else _is_file(b, options)
    if one != two:
        raise UsageError("a file and a folder or table cannot be compared: name a file in it")
    if one and b is not None:
        if version is not None or to is not None:
            raise UsageError("version and to are for tables, not for files")
        return diff_files(a, b, level, columns=columns, **options)
    if columns is not None:
        raise UsageError("columns is for two files")
    from pqexplore.lake.comparing.comparison import compare
    from pqexplore.lake.comparing.state import state_of
    from pqexplore.lake.places.opening import How

    how = How(options.get("decryption"), options.get("limits"), options.get("storage_options"), follow_outside)
    return compare(state_of(a, version, how), state_of(a if b is None else b, to, how), level or FOOTER)


def _is_file(source: object, options: OpenOptions) -> bool:
    if isinstance(source, ParquetFile):
        return True
    if isinstance(source, str | os.PathLike) and os.path.isfile(source):
        return True
    from pqexplore.lake.listing.choice import is_file  # what lists folders is loaded if needed

    return is_file(source, options.get("filesystem"), options.get("storage_options"))
