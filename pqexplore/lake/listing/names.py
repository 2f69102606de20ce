"""Which files of a folder are taken for Parquet, by their names, and what the other names mean.

Names that say nothing are looked at: Hive names files `000000_0`, Impala `…_data.0.`, Spark `part-00000` where a job
names no format; some write `.pq` or `.PARQUET`. A Parquet file begins and ends with `PAR1`, or `PARE` if its footer is
encrypted. Only files of this machine are opened for that, and only `LOOKED_AT` of a listing: on a store each would cost
a request.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from pqexplore.engine.errors import NotParquetError, UsageError
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.file.local_file import open_regular

PATTERNS = ("*.parquet", "*.parq", "*.pqt")
"""Names of Parquet files in a folder, by default."""

LOOKED_AT = 10_000
"""Max files of a listing whose first and last bytes are read because their names do not say what they are."""

MARKER = "marker"
SUMMARY = "summary"
OTHER = "other"
HIDDEN = "hidden"
NO_DATA = (MARKER, SUMMARY, OTHER, HIDDEN)
"""States of files that are not taken for data, by their names."""

OTHER_NAME = "another name than Parquet files have; pass patterns=[…] to read it"
HIDDEN_NAME = (
    "its name or a folder's begins with _ or a dot, so Spark and Hive do not read it; pass its own path to read it"
)
NOT_PARQUET = "its first and last bytes are not those of a Parquet file"
NOT_LOOKED_AT = (
    "its name does not say whether it is Parquet, and it was not opened to see; pass patterns=[…] to read it"
)

_MEANINGS = (
    ("_SUCCESS", MARKER, "a job that wrote the folder has finished"),
    ("_committed_*", MARKER, "Databricks' list of the files that a transaction wrote and removed"),
    ("_started_*", MARKER, "Databricks' mark of a transaction that has begun"),
    ("*.crc", MARKER, "Hadoop's checksums of the file of that name"),
    ("_metadata", SUMMARY, "the footers of the files of the folder, in one file"),
    ("_common_metadata", SUMMARY, "the schema of the files of the folder"),
)
_BY_PATTERN = re.compile("|".join(fnmatch.translate(one) for one in PATTERNS), re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"[^.]+|.+\.pq|.+_data\.\d+\.?", re.IGNORECASE)


def meaning(name: str) -> tuple[str, str] | None:
    """The state of a file that is no data by its name, `marker` or `summary`, and what it is; None for other names."""
    for pattern, state, words in _MEANINGS:
        if fnmatch.fnmatchcase(name, pattern):
            return state, words
    return None


def is_hidden(name: str) -> bool:
    """Whether Spark hides a name of a file or folder (HadoopFSUtils.shouldFilterOutPathName); `_key=value` is a partition."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def says_nothing(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name may be that of a Parquet file and may not; never if the caller gave patterns."""
    if tuple(patterns) != PATTERNS:
        return False
    return _BY_PATTERN.match(name) is not None or _SAYS_NOTHING.fullmatch(name) is not None


def has_magic(path: str) -> bool:
    """Whether a file of this machine begins and ends as a Parquet file does. False if it cannot be read."""
    try:
        file = open_regular(path)
    except (OSError, NotParquetError, UsageError):
        return False
    try:
        ends = bytes(file.fetch(0, 4)), bytes(file.fetch(max(0, file.size - 4), 4))
    except OSError:
        return False
    finally:
        file.close()
    return file.size >= 12 and ends[0] == ends[1] and ends[0] in (MAGIC, ENCRYPTED_MAGIC)
