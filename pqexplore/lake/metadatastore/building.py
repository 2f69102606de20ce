"""Builds the store of a dataset: lists the files, settles the column types, reads each file, writes the index values.

With a Spark session its executors read the files (DataFrames and `mapInArrow` only, so Spark Connect works too);
without one, this process reads them. Both use this engine, and return one row per file.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.lake.metadatastore import collect, indexes, names, remote, sketch, store_schema, write
from pqexplore.lake.metadatastore import store_types as spark_types
from pqexplore.lake.metadatastore.dataset import DataFile, Dataset, list_dataset
from pqexplore.lake.metadatastore.indexes import BloomFilter, Wanted
from pqexplore.lake.metadatastore.open_store import open as open_store
from pqexplore.lake.metadatastore.store import Store
from pqexplore.lake.metadatastore.store_keys import StoreKeys, check

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES_PER_TASK, BYTES_PER_TASK = 128, 128 << 20
"""At most so many files are a task, and fewer if they are large: starting a task takes as long as many small files."""
FEW_TASKS = 32
"""Up to this number of files, each file is a task."""
WAVE_BYTES = 128 << 20
"""Estimated bytes of the executors' answers that the driver holds at once."""
FEWEST = 16
"""Files whose answers the driver holds at once, however large."""
ANSWER_BYTES = 16 << 10
"""Estimated bytes of an answer without its Bloom filters."""


def build(
    spark: SparkSession | None,
    dataset: str | os.PathLike[str],
    indexes: Sequence[Wanted],
    out: str | os.PathLike[str],
    *,
    source: str = collect.VALUES,
    location: str = write.BASE,
    keys: StoreKeys | None = None,
    storage_options: StorageOptions | None = None,
    follow_outside: bool = False,
) -> Store:
    """Builds a store of version 4 for a dataset of Parquet files, and opens it.

    `spark` is a session whose executors read the files, or None. `dataset` is a directory or a file. `out` is the base
    path, below which xskipper finds the store by the table's identifier; with location `explicit` it is the store's
    own directory. Both may be URLs that fsspec knows, with `storage_options` for both. `source` is `values` or `footers`; with `footers`, MinMax values come from footers with reliable
    bounds. `keys` encrypt the indexes that have a `key`.

    `follow_outside` also opens files to which symbolic links lead outside of the dataset's directory.

    A file that cannot be indexed reliably gets no row, so that it is always read; `Store.omitted` says why. An
    existing store is replaced. Raises UsageError for an index that cannot be built.
    """
    if source not in collect.SOURCES:
        raise UsageError(f"source={source!r}: there are {' and '.join(collect.SOURCES)}")
    remote.require_here(spark, storage_options or {})
    write.directory(out, "", location)  # refused before the dataset is listed
    found = list_dataset(dataset, storage_options, follow_outside)
    target = write.directory(out, found.identifier, location)
    return write_store(found, indexes, target, source, spark, keys, storage_options)


def write_store(
    found: Dataset,
    indexes: Sequence[Wanted],
    target: str,
    source: str = collect.VALUES,
    spark: SparkSession | None = None,
    keys: StoreKeys | None = None,
    options: StorageOptions | None = None,
) -> Store:
    """Writes the store of a dataset that is listed to a directory of its own, and opens it; see `build`."""
    wanted = [_lowered(one) for one in indexes]
    _check(wanted, found)
    run = runner(spark)
    allowed = [one for one in found.files if one.path not in found.refused]
    kinds, omitted = agreed_types(allowed, wanted, {}, run, options)
    of = store_schema.current_schema(
        found.identifier,
        [_index(one, kinds[one.column]) for one in wanted],
        found.partitions,
        None if keys is None else keys.footer_key,
        keys is not None and keys.plaintext_footer,
    )
    check(of, keys)
    with write.staged(target, options or {}, keys) as local, write.StoreWriter(local, of, kinds, keys) as writer:
        files = [one for one in allowed if one.path not in omitted]
        omitted |= index_files(writer, of, files, wanted, kinds, source, run, options)
        writer.finish()
    omitted |= found.refused
    return reopened(target, keys, omitted, trusted=True, options=options)


def reopened(
    target: str,
    keys: StoreKeys | None,
    omitted: Mapping[str, str],
    *,
    trusted: bool,
    options: StorageOptions | None = None,
) -> Store:
    """Opens the store after writing it, and sets `omitted`, the files without a row.

    `trusted`: this session listed all files that the store names, or the caller trusts the store.
    """
    decryption = None if keys is None else keys.decryption()
    store = open_store(target, decryption=decryption, follow_outside=trusted, storage_options=options)
    store.omitted = dict(omitted)
    return store


def _lowered(one: Wanted) -> Wanted:
    return dataclasses.replace(one, column=one.column.lower())


def _check(wanted: Sequence[Wanted], found: Dataset) -> None:
    if not wanted:
        raise UsageError("no indexes: MinMax, ValueList or BloomFilter of a column")
    seen = set()
    partitions = {partition.name.lower() for partition in found.partitions}
    for one in wanted:
        if (one.name, one.column) in seen:
            raise UsageError(f"{one.name} on {one.column} is given twice")
        seen.add((one.name, one.column))
        if one.column in partitions:
            raise UsageError(f"{one.column} is a partition column: the store has its values without an index")


def _index(one: Wanted, kind: str) -> store_schema.Index:
    column = names.index_column(store_schema.CURRENT, [one.column], one.name)
    return store_schema.Index(
        one.name, (one.column,), column, store_schema.spark_type(one.name, kind), one.params, one.key
    )


Run = Callable[[Callable[[str], bytes], Sequence[DataFile], int], Iterator[tuple[DataFile, bytes]]]
"""Applies a function of a path to files, and yields each file with its result. The number is the bytes expected for
each result."""


def agreed_types(
    files: Sequence[DataFile],
    wanted: Sequence[Wanted],
    known: Mapping[str, str],
    run: Run,
    options: StorageOptions | None = None,
) -> tuple[dict[str, str], dict[str, str]]:
    """The Spark type of each indexed column, and why each file without a row is left out, by path.

    `known` has the types that are already settled. Whole numbers of different widths become the widest. Raises
    UsageError if no file has a column, if its types have no common type, or if the index does not support the type.
    """
    columns = list(dict.fromkeys(one.column for one in wanted))
    met: dict[str, set[str]] = {column: set() for column in columns}
    omitted: dict[str, str] = {}
    for file, answer in run(_types_task(columns, options), files, ANSWER_BYTES):
        kinds, problem = _unpacked_types(answer)
        if problem:
            omitted[file.path] = problem
        for column, kind in kinds.items():
            if kind:
                met[column].add(kind)
    settled = {}
    for column in columns:
        kind = known.get(column) or spark_types.widest(met[column])
        if kind is None and not met[column]:
            reasons = "".join(f"; {path}: {why}" for path, why in sorted(omitted.items())[:3])
            raise UsageError(f"no file has a column {column} that can be indexed{reasons}")
        if kind is None:
            raise UsageError(f"column {column} has types without a common type: {', '.join(sorted(met[column]))}")
        settled[column] = kind
    for one in wanted:
        if not indexes.supported(one, settled[one.column]):
            raise UsageError(f"no {one.name} index on {one.column}: its type is {settled[one.column]}")
    return settled, omitted


def index_files(
    writer: write.StoreWriter,
    of: store_schema.StoreSchema,
    files: Sequence[DataFile],
    wanted: Sequence[Wanted],
    kinds: Mapping[str, str],
    source: str,
    run: Run,
    options: StorageOptions | None = None,
) -> dict[str, str]:
    """Adds a row for each file to a writer. Returns why a file got no row, by path."""
    omitted: dict[str, str] = {}
    filters = [one for one in wanted if isinstance(one, BloomFilter)]
    size = ANSWER_BYTES + sum(sketch.size(one.ndv, one.fpp) for one in filters)
    for one, answer in run(_gather_task(list(wanted), dict(kinds), source, options), files, size):
        table, problem = _unpacked_row(answer)
        if table is None:
            omitted[one.path] = problem
            continue
        columns = [pa.array([one.object_name])]
        columns += [
            write.partition_array(partition, [one.partition.get(partition.name)]) for partition in of.partitions
        ]
        columns += [table.column(position) for position in range(table.num_columns)]
        writer.add(pa.table(columns, schema=writer.arrow), marked=True)
    return omitted


# The functions that run on executors. Answers are bytes, so that Spark has one type for all of them.


def _types_task(columns: list[str], options: StorageOptions | None) -> Callable[[str], bytes]:
    def task(path: str) -> bytes:
        found = collect.column_types(path, columns, options)
        kinds = {} if isinstance(found, str) else found
        problem = found if isinstance(found, str) else ""
        return _ipc(
            pa.table(
                {"column": pa.array(list(kinds), pa.string()), "type": pa.array(list(kinds.values()), pa.string())}
            ),
            problem,
        )

    return task


def _unpacked_types(answer: bytes) -> tuple[dict[str, str | None], str]:
    table, problem = _from_ipc(answer)
    return dict(zip(table["column"].to_pylist(), table["type"].to_pylist(), strict=True)), problem


def _gather_task(
    wanted: list[Wanted], kinds: dict[str, str], source: str, options: StorageOptions | None
) -> Callable[[str], bytes]:
    def task(path: str) -> bytes:
        found = collect.gather(path, wanted, kinds, source, options)
        arrays = found.values or []
        labels = [str(position) for position in range(len(arrays))]
        return _ipc(pa.table(arrays, names=labels), found.problem)

    return task


def _unpacked_row(answer: bytes) -> tuple[pa.Table | None, str]:
    table, problem = _from_ipc(answer)
    return (None if problem else table), problem


def _ipc(table: pa.Table, problem: str) -> bytes:
    sink = pa.BufferOutputStream()
    noted = table.replace_schema_metadata({"problem": problem})
    with pa.ipc.new_stream(sink, noted.schema) as stream:
        stream.write_table(noted)
    return bytes(sink.getvalue())


def _from_ipc(answer: bytes) -> tuple[pa.Table, str]:
    with pa.ipc.open_stream(answer) as stream:
        table = stream.read_all()
    return table, (table.schema.metadata or {}).get(b"problem", b"").decode()


def runner(spark: SparkSession | None) -> Run:
    """Returns a `Run` that uses Spark's executors, or this process if `spark` is None."""
    if spark is None:
        return _here
    return lambda task, files, size: _on_spark(spark, task, files, size)


def _here(task: Callable[[str], bytes], files: Sequence[DataFile], size: int) -> Iterator[tuple[DataFile, bytes]]:
    for one in files:
        yield one, task(one.path)


def tasks_of(files: Sequence[DataFile]) -> int:
    """The number of Spark's tasks for some files: no task has many, and none more than it must of large ones."""
    by_bytes = -(-sum(one.size for one in files) // BYTES_PER_TASK)
    return min(len(files), max(FEW_TASKS, -(-len(files) // FILES_PER_TASK), by_bytes))


def _on_spark(
    spark: SparkSession, task: Callable[[str], bytes], files: Sequence[DataFile], size: int
) -> Iterator[tuple[DataFile, bytes]]:
    """Paths → repartition(n) → mapInArrow, in waves whose answers fit into the driver's memory.

    The number of partitions is always given; without it Spark makes one task of all files.
    """

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            positions, paths = (batch.column(number).to_pylist() for number in (0, 1))
            for position, path in zip(positions, paths, strict=True):
                answer = [pa.array([position], pa.int64()), pa.array([task(path)], pa.binary())]
                yield pa.RecordBatch.from_arrays(answer, names=["position", "answer"])

    wave = max(FEWEST, WAVE_BYTES // size)
    for start in range(0, len(files), wave):
        rows = [(at, one.path) for at, one in enumerate(files[start : start + wave], start)]
        frame = spark.createDataFrame(rows, "position long, path string")
        spread = frame.repartition(tasks_of(files[start : start + wave]))
        for row in spread.mapInArrow(work, "position long, answer binary").collect():
            yield files[row["position"]], bytes(row["answer"])
