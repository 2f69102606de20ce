"""Reads a table: a Delta or Iceberg table by its log, or the Parquet files of a folder without one.

By a log, the rows are those of the live files, without deleted ones, under the table's present columns, with the values of
partitions. Files come in the order of their paths.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import describe
from pqexplore.engine.text import clip, plural
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import listing
from pqexplore.lake.rows import constants
from pqexplore.lake.rows.reading import NUMBERS, Reading
from pqexplore.lake.rows.table_files import OnError, TableFiles

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.answer import Answer
    from pqexplore.lake.rows.reading import Reading
    from pqexplore.lake.rows.table_files import Part, TableFiles


STREAM_ROWS = 65_536
"""Rows of a batch."""


class LakeTable(TableFiles):
    """The rows of a Delta or Iceberg table, or of the Parquet files of a folder; made by `pqexplore.lake.open_table`.

    `path` is its folder, as the user wrote it; `format` is delta, iceberg, or empty for a folder without a log; `files` are
    the paths of the live files. Files are opened as they are read. All methods that read raise ParquetError or OSError, with
    the file's name, for what cannot be read, and for a table whose live files are unknown.
    """

    def __repr__(self) -> str:
        return f"<LakeTable {self.path}: {self.sentence}>"

    @property
    def remarks(self) -> list[str]:
        """Of a folder without a log: columns that not all files have, or that have several types."""
        return self.reading().remarks

    @property
    def schema(self) -> pa.Schema:
        """The columns, with the Arrow types of `read`."""
        return self.reading().schema

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def num_rows(self) -> int:
        """How many rows there are, without deleted ones: the footers and deletes of all files say it."""
        return self.reading().count()

    def __len__(self) -> int:
        return self.num_rows

    def __bool__(self) -> bool:
        return True

    def head(self, n: int = 5, columns: Sequence[str] | None = None) -> pa.Table:
        """The first `n` rows as an Arrow table. UsageError for a negative `n`."""
        if n < 0:
            raise UsageError(f"head gives the first rows; {n:,} of them cannot be had")
        return self.reading(columns, most=n).table_at(0, n)

    def read(self, columns: Sequence[str] | None = None, where: str = "") -> pa.Table:
        """The rows as an Arrow table; with `where`, those for which a condition in Spark's SQL is TRUE.

        `columns` are names of columns or of fields in them, dotted. Raises UsageError for a column or a condition that does
        not fit the table.
        """
        return self.reading(columns, where).table_at(0, None)

    def iter_batches(
        self, batch_size: int = STREAM_ROWS, columns: Sequence[str] | None = None, where: str = ""
    ) -> Iterator[pa.RecordBatch]:
        """The rows in batches of at most `batch_size`; one row group is in memory at a time. Arguments as for `read`."""
        if batch_size < 1:
            raise UsageError(f"a batch has at least 1 row, not {batch_size:,}")
        reading = self.reading(columns, where)
        return (batch for rows in reading.rows() for batch in rows.to_batches(max_chunksize=batch_size))

    def to_pandas(self, columns: Sequence[str] | None = None, where: str = "") -> pd.DataFrame:
        """The rows as a pandas DataFrame; arguments as for `read`."""
        return self.read(columns, where).to_pandas()

    def to_polars(self, columns: Sequence[str] | None = None, where: str = "") -> pl.DataFrame:
        """The rows as a polars DataFrame; arguments as for `read`. UsageError if polars is not installed."""
        try:
            import polars
        except ImportError:
            raise UsageError("polars is not installed: `pip install polars`") from None
        frame = polars.from_arrow(self.read(columns, where))
        assert isinstance(frame, polars.DataFrame)  # a Table never gives a Series
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an Arrow stream: pyarrow, polars, DuckDB and pandas read it."""
        reading = self.reading()
        batches = (batch for rows in reading.rows() for batch in rows.to_batches())
        return pa.RecordBatchReader.from_batches(reading.schema, batches).__arrow_c_stream__(requested_schema)

    def statistics(self) -> Answer:
        """What a query can skip: minimum, maximum and nulls of each column over the live files, by footers and log."""
        return statistics(self, self.reading())

    # What reading needs.

    def named(self, select: str, by: Sequence[str]) -> list[str]:
        """The columns of the table in a list of expressions: `file` and `row` are its own, or those of `Reading.numbered`."""
        from pqexplore.insight.ask import expressions

        names = list(dict.fromkeys([*by, *expressions.names_in(select)]))
        own = () if set(NUMBERS).isdisjoint(names) else self.column_names
        return [name for name in names if name not in NUMBERS or name in own]

    def reading(
        self,
        columns: Sequence[str] | None = None,
        where: str = "",
        *,
        texts: bool = False,
        most: int | None = None,
        on_error: OnError | None = None,
    ) -> Reading:
        """How to read columns of rows that meet a condition; `most` rows are wanted, None for all.

        With `texts`, the types are those of `insight.some_rows`. With `on_error`, a damaged file of a folder without a log
        costs its own rows only.
        """
        return Reading(self, columns, where, texts=texts, most=most, on_error=on_error)


# What a query on a table can skip: minimum, maximum and nulls of each column over its live files.
#
# Bounds of files are those of their footers that a reader may use, bounds of partition columns those of the log or the
# folders. Deleted rows still count in both, because the files have them.

_COLUMNS = (
    Column("column", "column", "text", "the name that the table has now"),
    Column("type", "type", "text", "as the files store it"),
    Column("min", "min", "text", "the smallest value, or a bound below it"),
    Column("max", "max", "text", "the largest value, or a bound above it"),
    Column("exact", "exact", "flag", "whether min and max are values; unknown if a writer does not say"),
    Column("values", "values", "number", "values of the live files, nulls included"),
    Column("nulls", "nulls", "number", "of these, nulls; a file without the column has a null in each row"),
    Column(
        "without", "files without bounds", "number", "live files that have values, and no bounds that a reader may use"
    ),
    Column("absent", "files without it", "number", "live files that lack the column"),
)


@dataclasses.dataclass
class _Bounds:
    """A column over the files so far."""

    types: dict[str, None] = dataclasses.field(default_factory=dict)
    low: Any = None
    high: Any = None
    exact: bool | None = True
    values: int = 0
    nulls: int | None = 0
    without: int = 0
    absent: int = 0
    comparable: bool = True

    def take(self, low: Any, high: Any) -> None:
        """Widen the bounds by those of a chunk or of a partition."""
        try:
            self.low = low if self.low is None or low < self.low else self.low
            self.high = high if self.high is None or high > self.high else self.high
        except TypeError:  # of another type than in other files
            self.comparable = False

    def add(self, chunks: list[ColumnChunk]) -> None:
        """Add the chunks of a file."""
        bare = False
        for chunk in chunks:
            self.types[describe(chunk.leaf)] = None
            found = chunk.statistics
            count = chunk.metadata.num_values or 0
            self.values += count
            nulls = None if found is None else found.null_count
            self.nulls = None if nulls is None or self.nulls is None else self.nulls + nulls
            if not count or nulls == count:
                continue
            if found is None or not found.trusted or found.min is None or found.max is None:
                bare = True
                continue
            self.take(found.min, found.max)
            ends = (found.min_is_exact, found.max_is_exact)
            self.exact = False if False in (*ends, self.exact) else None if None in (*ends, self.exact) else True
        self.without += bare


def statistics(table: TableFiles, reading: Reading) -> Answer:
    """See `LakeTable.statistics`."""
    found: dict[str, _Bounds] = {}
    files: list[int] = []
    seen: list[set[str]] = []
    for part in reading.parts:
        with table.opened(part) as file:
            files.append(len(file))
            seen.append(_of_file(reading, part, file, found))
    for name, one in found.items():
        for rows, names in zip(files, seen, strict=True):
            if name not in names:
                one.absent += 1
                one.values += rows
                one.nulls = None if one.nulls is None else one.nulls + rows
    made = Table(_COLUMNS)
    for name, one in sorted(found.items(), key=lambda pair: reading.schema.names.index(_top(pair[0], reading))):
        known = one.comparable and not one.without and one.low is not None
        low, high = (_text(one.low), _text(one.high)) if known else (None, None)
        types = listing(list(one.types), most=3)
        exact = one.exact if known else None
        made.add(clip(name, 200), types, low, high, exact, one.values, one.nulls, one.without, one.absent)
    return Answer(_sentence(table, made, sum(files)), table=made, lens="statistics")


def _of_file(reading: Reading, part: Part, file: ParquetFile, found: dict[str, _Bounds]) -> set[str]:
    """Add the columns of a file. Returns their names in the table."""
    log, names = reading.table.log, set[str]()
    values = reading.values(part)
    for leaf in file.schema.leaves:
        path = leaf.path if log is None or log.schema is None else log.schema.names(leaf)
        if path is None or path[0] not in reading.schema.names or (path[0] in values and reading.values_first):
            continue
        name = ".".join(path)
        names.add(name)
        found.setdefault(name, _Bounds()).add([group.columns[leaf.leaf_index] for group in file.row_groups])
    for name, text in values.items():
        if name in reading.schema.names and name not in names:
            kind = reading.schema.field(name).type
            one = found.setdefault(name, _Bounds())
            one.types[f"partition ({kind})"] = None
            one.values += len(file)
            value = constants.scalar(name, text, kind, reading.table.format).as_py()
            if value is None:
                one.nulls = None if one.nulls is None else one.nulls + len(file)
            elif len(file):
                one.take(value, value)
            names.add(name)
    return names


def _top(name: str, reading: Reading) -> str:
    """The top-level column of a dotted name, which may have dots itself."""
    return str(next(one for one in reading.schema.names if name == one or name.startswith(f"{one}.")))


def _text(value: Any) -> str:
    text: str = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return clip(text, 200)


def _sentence(table: TableFiles, made: Table, rows: int) -> str:
    whole = sum(low is not None for low in made.column("min"))
    said = f"{table.sentence}, {plural(rows, 'stored row')}. Of {plural(made.total, 'column')} {whole:,} "
    said += f"{'has' if whole == 1 else 'have'} bounds in all files."
    deleted = [0 if one.fact is None else one.fact.deleted for one in table.parts]
    unknown = [one for one in deleted if one is None]
    gone = sum(one for one in deleted if one is not None)
    if unknown:
        return f"{said} Rows of {plural(len(unknown), 'file')} may be deleted, and still count here."
    return (
        f"{said} {plural(gone, 'row')} of them {'is' if gone == 1 else 'are'} deleted, and still {'counts' if gone == 1 else 'count'} here."
        if gone
        else said
    )
