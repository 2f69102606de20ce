"""Tables in memory as a source: Arrow, pandas, polars, and whatever gives an Arrow stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, TypeGuard, runtime_checkable

import pyarrow as pa

from pqexplore.engine.errors import UsageError


@runtime_checkable
class ArrowStream(Protocol):
    """A table that gives its rows as an Arrow stream: those of pyarrow, polars, pandas, DuckDB, and an open file."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with the stream."""


@runtime_checkable
class SparkFrame(Protocol):
    """A DataFrame of Spark, as far as its files matter."""

    def inputFiles(self) -> Sequence[str]:
        """The files that it reads."""


Rows: TypeAlias = "pa.Table | ArrowStream"
"""What has rows: an Arrow, pandas or polars table, or anything else that gives an Arrow stream."""


def is_table(source: object) -> TypeGuard[Rows]:
    """Whether a source is a table in memory."""
    if isinstance(source, pa.Table | pa.RecordBatch) or _is_pandas(source):
        return True
    return isinstance(source, ArrowStream) and not isinstance(source, SparkFrame)


def as_table(source: Rows) -> pa.Table:
    """The rows as an Arrow table. UsageError if the source is none, or Arrow cannot have its values."""
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if not is_table(source):
        raise UsageError(f"an Arrow, pandas or polars table is expected, not {type(source).__name__}")
    try:
        return pa.Table.from_pandas(source) if _is_pandas(source) else pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(f"{type(source).__name__} is no Arrow table: {error}") from None


def _is_pandas(source: object) -> bool:
    kind = type(source)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas"


def the_file(frame: SparkFrame) -> str:
    """The one file that a Spark DataFrame reads. UsageError if it reads none or several, and says what to do then."""
    files = sorted(frame.inputFiles())
    if len(files) == 1:
        return files[0]
    if not files:
        raise UsageError("the DataFrame reads no files: give its rows, df.toPandas(), if they fit")
    raise UsageError(
        f"the DataFrame reads {len(files):,} files: name one of df.inputFiles(), or look at all of them with "
        "pqexplore.explore_lake(df)"
    )
