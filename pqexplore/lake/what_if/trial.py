"""Tries other choices on a sample of a lake's files, and makes totals of the columns of all files."""

from __future__ import annotations

import dataclasses
import functools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.schema import build
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import Type, enum_name
from pqexplore.engine.text import clip, plural, printable
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.insight.what_if.choices import Choice, unread_by
from pqexplore.insight.what_if.code import Script, scripts
from pqexplore.insight.what_if.column import ColumnTrial, totals
from pqexplore.insight.what_if.estimate import Estimate
from pqexplore.insight.what_if.measure import Size, Sizes
from pqexplore.insight.what_if.sentence import sentence
from pqexplore.insight.wording import listing, name
from pqexplore.lake.doctor import diagnose, together
from pqexplore.lake.doctor.diagnosing import UNREADABLE
from pqexplore.lake.doctor.together import table_of
from pqexplore.lake.listed_files import Entry, partition_keys
from pqexplore.lake.scanning import rescan, subprocess_isolation
from pqexplore.lake.scanning.progress import Progress, Watch
from pqexplore.lake.store import part_files
from pqexplore.lake.store.temporary_tables import TRIALS
from pqexplore.lake.tables import NAME
from pqexplore.lake.what_if.compaction import Compaction, compaction

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake


NAMED = 3
"""Files without a trial that the sentence names."""


@dataclasses.dataclass(frozen=True)
class LakeColumn:
    """A column of all files of one table, tried on some.

    `column.today` are its bytes in all files that have it, `of` of them; `files` were measured, in `column.row_groups`
    row groups.
    """

    table: str
    column: ColumnTrial
    files: int
    of: int

    @property
    def smallest(self) -> Choice | None:
        """The choice with the fewest bytes, for any reader; None if nothing was tried."""
        sizes = self.column.sizes
        return min(sizes, key=lambda one: sizes[one].bytes.total, default=None)


class Example(NamedTuple):
    """The largest file of a table's sample, the rows of a row group, the table's partition columns and its format."""

    path: str
    rows: int
    keys: tuple[str, ...] = ()
    format: str = ""


@dataclasses.dataclass(frozen=True)
class LakeTrial:
    """Real sizes of other choices for the files of a lake; see `Lake.what_if`.

    - `columns`: the columns of each table, those with the most bytes first; one of several types is several columns.
    - `tried` files of a sample of `sampled`, from `files` that the scan could read. `unread` says by path which files
      could not be tried, or not whole, and why; `errors` are files that the scan could not read, which count nowhere.
    - `compaction`: what fewer, larger files would save.
    """

    name: str
    columns: tuple[LakeColumn, ...]
    files: int
    sampled: int
    tried: int
    errors: int
    unread: Mapping[str, str]
    compaction: Compaction
    examples: Mapping[str, Example] = dataclasses.field(repr=False)
    """By table, what its code is written for."""

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each column.

        - `table`, `column` (dotted), `type` (physical type): strings. `today`, `bytes` (int64): of all chunks in all files
          today, and with the best choice; `ratio` (double) of the two.
        - `encoding`, `dictionary_bytes` (int64; null without a dictionary), `codec`, `level` (int32): the best choice, the
          smallest that pyarrow, DuckDB, polars and Spark read. Null if the column was not tried.
        - `files`, `of` (int64): files that were measured, and that have the column. `sampled`: whether `bytes` is an
          estimate; `error` (int64): twice its standard error in bytes, null if unknown.
        - `smallest` (int64): bytes of the smallest choice of all; `unread_by` (list of strings): engines known not to read
          that one.
        """
        return pa.Table.from_pylist([_row(one) for one in self.columns], schema=_TABLE)

    @functools.cached_property
    def untried(self) -> dict[str, str]:
        """The columns without sizes, by dotted path, and why."""
        columns = [one.column for one in self.columns]
        return {one.path: printable(one.untried) for one in columns if one.untried}

    @functools.cached_property
    def best(self) -> dict[str, WriteOptions]:
        """Options for `pqexplore.rewrite`, by table: the best choice of each column, and row groups as large as today.

        Columns that were not tried get the writer's defaults. Of a column of several types, that with the most bytes counts.
        """
        return {
            table: WriteOptions(
                columns={one.path: one.best.options for one in some if one.best},
                row_group_rows=self.examples[table].rows if table in self.examples else 1 << 20,
            )
            for table, some in self._by_table()
        }

    @functools.cached_property
    def code(self) -> dict[str, dict[str, Script]]:
        """The best options as code, by table and writer: for Spark of the whole table, for the others of one file.

        There is none for Spark of an Iceberg table: its own procedures write it again, with the table's properties.
        """
        made = {}
        for table, some in self._by_table():
            if table in self.examples:
                example = self.examples[table]
                made[table] = scripts(example.path, some, example.rows)
                spark = made[table].pop("Spark")
                if example.format != "iceberg":
                    whole = scripts(table, some, example.rows)["Spark"].code
                    code = _of_table(whole, example)
                    made[table]["Spark"] = dataclasses.replace(spark, code=code)
        return made

    def _by_table(self) -> Iterator[tuple[str, list[ColumnTrial]]]:
        """The columns of each table; of several with one path only that with the most bytes."""
        for table in dict.fromkeys(one.table for one in self.columns):
            own = [one.column for one in self.columns if one.table == table]
            yield table, list({one.path: one for one in reversed(own)}.values())[::-1]

    @functools.cached_property
    def sentence(self) -> str:
        """What the columns take today and with the best choices, from how many files, and what could not be read."""
        said = sentence([one.column for one in self.columns], "files or row group")
        said += f" {self.tried:,} of {plural(self.files, 'file')} were tried."
        if self.unread:
            some = [f"{path} ({why.rstrip('.')})" for path, why in self.unread.items()]
            more = [f"{len(some) - NAMED:,} more"] * (len(some) > NAMED)
            files = plural(len(some), "file")
            said += f" {files} could not be tried, or not whole: {listing([*some[:NAMED], *more], most=NAMED + 1)}."
        if self.errors:
            said += f" The scan could not read {plural(self.errors, 'other file')}."
        return printable(said)

    def __repr__(self) -> str:
        return f"<LakeTrial of {printable(self.name)}: {self.sentence}>"


def _of_table(code: str, example: Example) -> str:
    """Spark's code for a table: with its partition columns, and by its log if it is a Delta table."""
    if example.keys:
        by = f"frame.write.partitionBy({', '.join(map(repr, example.keys))})"
        code = code.replace("frame.write", by, 1)
    if example.format == "delta":
        code = code.replace("spark.read.parquet(", "spark.read.format('delta').load(", 1)
        head, _, target = code.rpartition(".parquet(")
        code = f"{head}.format('delta').save({target}"
    return code


_TABLE = pa.schema(
    [
        ("table", pa.string()),
        ("column", pa.string()),
        ("type", pa.string()),
        ("today", pa.int64()),
        ("bytes", pa.int64()),
        ("ratio", pa.float64()),
        ("encoding", pa.string()),
        ("dictionary_bytes", pa.int64()),
        ("codec", pa.string()),
        ("level", pa.int32()),
        ("files", pa.int64()),
        ("of", pa.int64()),
        ("sampled", pa.bool_()),
        ("error", pa.int64()),
        ("smallest", pa.int64()),
        ("unread_by", pa.list_(pa.string())),
    ]
)


def _row(one: LakeColumn) -> dict[str, object]:
    column, best, smallest = one.column, one.column.best, one.smallest
    row: dict[str, object] = {
        "table": one.table,
        "column": column.path,
        "type": structs.enum_name(structs.Type, column.leaf.physical_type),
        "today": column.today,
        "files": one.files,
        "of": one.of,
    }
    if smallest is not None:
        row["smallest"] = round(column.sizes[smallest].bytes.total)
        row["unread_by"] = unread_by(column.leaf, smallest)
    if best is not None:
        found = column.sizes[best].bytes
        row |= {
            "bytes": round(found.total),
            "ratio": found.total / column.today if column.today else None,
            "encoding": best.encoding_name,
            "dictionary_bytes": best.dictionary_bytes,
            "codec": best.codec_name,
            "level": best.level,
            "sampled": found.sampled,
            "error": None if found.error is None else round(found.error),
        }
    return row


def try_lake(
    lake: Lake,
    sample: float,
    seconds: float,
    seed: int | None,
    processes: int | None,
    tasks: int | None,
    progress: Callable[[Progress], None] | None,
) -> LakeTrial:
    """See `Lake.what_if`."""
    if not seconds > 0:
        raise UsageError(f"seconds is a number above 0, not {seconds!r}")
    rows = rescan.files(lake)
    good = [row for row in rows if row["status"] == "ok"]
    tables = {row["path"]: table_of(row["path"], row["table_path"]) for row in good}
    held = [row for row in good if row["num_row_groups"]]
    chosen = evenly(
        held, count(sample, len(held)), lambda row: (tables[row["path"]], row["size"] or 0, row["path"]), seed
    )
    entries = [rescan.entry(row) for row in chosen]
    lake.reach.require_all(one.path for one in entries)
    run_id = lake._store.begin()
    try:
        limit = max(subprocess_isolation.SECONDS["check"], 2 * seconds)
        how = dataclasses.replace(rescan.options(lake, run_id, limit, trial=seconds), seconds_per_file=limit)
        parts = rescan.read(lake, entries, how, processes, tasks, Watch(progress))
        own = [part for part in parts if f"/{TRIALS.name}/" in part]
        found = part_files.read(lake.path, own, TRIALS.name).sort_by("path").to_pylist()
        died = {row["path"]: row["error"] or row["error_code"] for row in rescan.died(lake, parts)}
    finally:
        lake._store.abandon(run_id)
    gathered = _Gathered(found, tables)
    formats = diagnose.formats(lake)
    unread = died | gathered.unread
    schemas = _schemas(lake, good, tables)
    columns = [
        LakeColumn(key.table, *gathered.column(key, leaf, today, files), files)
        for key, (today, files) in by_column(lake, tables).items()
        if (leaf := schemas.get(key)) is not None
    ]
    columns.sort(key=lambda one: (-one.column.today, one.table, one.column.path, str(one.column.leaf.physical_type)))  # fmt: skip
    return LakeTrial(
        lake.manifest.run["source"],
        tuple(columns),
        len(good),
        len(chosen),
        len({row["path"] for row in found if row["encoding"] is not None}),
        len(rows) - len(good),
        dict(sorted(unread.items())),
        compaction(good, formats, lambda: _job(lake, good, len(rows) > len(good))),
        _examples(good, chosen, tables, formats),
    )


def _job(lake: Lake, good: Sequence[Mapping[str, Any]], damaged: bool) -> Mapping[str, str]:
    """The job of the doctor, which says what stops it: other files that are damaged, columns of several types."""
    facts = [diagnose.fact(row) for row in good]
    drifts = any(one.what == "type" for one in diagnose.drift_of(lake).differences)
    rules = {together.TYPES_DIFFER.name} if drifts else set()
    return diagnose.job(lake, facts, rules | ({UNREADABLE} if damaged else set()))


def _examples(
    good: Iterable[Mapping[str, Any]],
    chosen: Iterable[Mapping[str, Any]],
    tables: Mapping[str, str],
    formats: Mapping[str, str],
) -> dict[str, Example]:
    """By table: the largest file of the sample, with the most rows that a row group has on average in a file."""
    rows: dict[str, int] = {}
    for row in good:
        table = tables[row["path"]]
        mean = -(-(row["num_rows"] or 0) // max(1, row["num_row_groups"] or 1))
        rows[table] = max(rows.get(table, 1), mean)
    largest = sorted(chosen, key=lambda row: (row["size"] or 0, row["path"]))
    found = {tables[row["path"]]: row for row in largest}
    return {
        table: Example(row["path"], rows[table], partition_keys(row["partition_values"] or ""), formats.get(table, ""))
        for table, row in found.items()
    }


def _schemas(lake: Lake, good: Iterable[Mapping[str, Any]], tables: Mapping[str, str]) -> dict[Key, Leaf]:
    """The leaves of each table's columns. Those of schemas that are too large to be stored are missing."""
    by_table: dict[str, dict[str, None]] = {}
    for row in good:
        by_table.setdefault(row["schema_id"] or "", {})[tables[row["path"]]] = None
    found: dict[Key, Leaf] = {}
    stored = lake._store.read(lake.manifest, "schemas").select(["schema_id", "footer"])
    for row in sorted(stored.to_pylist(), key=lambda row: str(row["schema_id"])):
        if row["footer"] is None or row["schema_id"] not in by_table:
            continue
        try:
            whole = fast.decode(structs.FileMetaData, row["footer"])[0]
            leaves = build(whole.schema, column_orders=whole.column_orders).leaves
        except ParquetError:
            continue
        for table in by_table[row["schema_id"]]:
            for leaf in leaves:
                found.setdefault(Key.of(table, leaf), leaf)
    return found


class _Gathered:
    """The rows of `trials`, by column; `unread` says which files could not be tried, or not whole, and why."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], tables: Mapping[str, str]) -> None:
        self.unread: dict[str, str] = {}
        self._untried: dict[Key, str] = {}
        self._measured: dict[Key, dict[str, _Measured]] = {}
        for row in rows:
            path, why = row["path"], row["untried"]
            if row["column_name"] is None:
                self.unread.setdefault(path, why)
                continue
            key = Key(tables[path], row["column_name"], row["physical_type"])
            if why is not None:
                self.unread.setdefault(path, f"column {name(key.column)}: {why}")
                self._untried.setdefault(key, why)
                continue
            in_file = self._measured.setdefault(key, {}).setdefault(path, _Measured())
            in_file.add(row)

    def column(self, key: Key, leaf: Leaf, today: int, files: int) -> tuple[ColumnTrial, int]:
        """What was tried of a column that takes `today` bytes in so many files, and in how many of them."""
        measured = list(self._measured.get(key, {}).values())
        if not measured:
            why = self._untried.get(key, "no file of the sample has it")
            return ColumnTrial(leaf, today, {}, 0, why), 0
        count = max(files, len(measured))  # a scan does not bind the chunks of a damaged row group
        sizes = dict(totals(count, today, [(one.today, one.sizes) for one in measured]))
        groups = sum(one.row_groups for one in measured)
        return ColumnTrial(leaf, today, sizes, groups), len(measured)


class _Measured:
    """A column in one file."""

    def __init__(self) -> None:
        self.today = self.row_groups = 0
        self.sizes: Sizes = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row with a choice. A file's columns of one name are the same in each row, so the last one stands."""
        self.today, self.row_groups = row["today"], row["row_groups"]
        one = Choice(row["encoding"], row["dictionary_bytes"], row["codec"], row["level"])
        self.sizes[one] = Size(Estimate(row["bytes"], row["variance"]), row["seconds"])


# Chooses files that stand for all: evenly by size, the same each time.

T = TypeVar("T")


def count(sample: float, files: int) -> int:
    """How many of so many files a sample has: `sample` is a number from 1 on, or a share up to 1.0. UsageError for others."""
    if isinstance(sample, int) and not isinstance(sample, bool) and sample >= 1:
        return min(sample, files)
    if isinstance(sample, float) and 0 < sample <= 1:
        return math.ceil(sample * files)
    raise UsageError(f"sample is a number of files from 1 on, or a share from 0.0 to 1.0, not {sample!r}")


_Order = tuple[str, int, str]


def evenly(files: Sequence[T], number: int, key: Callable[[T], _Order], seed: int | None) -> list[T]:
    """So many of the files, at equal distances in the order of `key`.

    Systematic sampling (Cochran, Sampling Techniques, chapter 8): the order is cut into equal parts, and each gives the
    file at the same place: the middle one, or with a `seed` a random one.
    """
    ordered = sorted(files, key=key)
    place = 0.5 if seed is None else random.Random(seed).random()
    return [ordered[int((at + place) * len(ordered) / number)] for at in range(number)]


# The bytes that each column takes today, in all live files: from the scan's tables, with Arrow or with Spark.


class Key(NamedTuple):
    """A column of a table, by its dotted path and the name of its physical type."""

    table: str
    column: str
    type: str

    @classmethod
    def of(cls, table: str, leaf: Leaf) -> Key:
        """The key of a leaf."""
        return cls(table, clip(".".join(leaf.path), NAME), enum_name(Type, leaf.physical_type))


_BY = ["table", "column_name", "physical_type"]


def by_column(lake: Lake, tables: Mapping[str, str]) -> dict[Key, tuple[int, int]]:
    """(bytes, files that have it) of each column; `tables` has the table of each file that counts."""
    rows = _by_arrow(lake, tables) if lake.spark is None else _by_spark(lake, tables)
    return {Key(*row[:3]): (row[3] or 0, row[4]) for row in rows}


def _by_arrow(lake: Lake, tables: Mapping[str, str]) -> list[tuple[str, str, str, int, int]]:
    columns = ["path", "column_name", "physical_type", "compressed_bytes"]
    found = lake.dataset("column_chunks").to_table(columns=columns)
    place = pc.index_in(found["path"], value_set=pa.array(list(tables), pa.string()))
    names = pa.array(list(tables.values()), pa.string())
    found = found.append_column("table", names.take(place.combine_chunks()))
    found = found.filter(pc.is_valid(found["table"]))
    made = found.group_by(_BY).aggregate([("compressed_bytes", "sum"), ("path", "count_distinct")])
    names_ = [*_BY, "compressed_bytes_sum", "path_count_distinct"]
    return list(zip(*(made[one].to_pylist() for one in names_), strict=True))


def _by_spark(lake: Lake, tables: Mapping[str, str]) -> list[tuple[str, str, str, int, int]]:
    from pyspark.sql import functions as F

    from pqexplore.lake import query
    from pqexplore.lake.spark import job

    session = lake.spark
    assert session is not None
    entries = [Entry(path, table_path=table) for path, table in tables.items()]
    live = job.paths(session, entries).select("path", F.col("table_path").alias("table"))
    made = (
        query.spark_table(lake, session, "column_chunks")
        .join(live, "path")
        .groupBy(*_BY)
        .agg(F.sum("compressed_bytes").alias("bytes"), F.countDistinct("path").alias("files"))
    )
    return [tuple(row[name] for name in (*_BY, "bytes", "files")) for row in made.collect()]
