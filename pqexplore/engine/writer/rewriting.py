"""Writes a file anew with other choices: the same schema, values, rows and key-value metadata, but for `types`.

Levels and physical values go from one file to the other as they are, a row group at a time. So nothing is lost by a type
of Arrow, and memory is bounded by one row group (of the file, or as the options ask). To sort the rows, each column is read
whole, one after the other (see `sorting`).
"""

from __future__ import annotations

import dataclasses
import functools
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.file.chunk_reader import Spend, unlimited
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.file.source import Cache
from pqexplore.engine.format import schema as parquet_schema
from pqexplore.engine.format.encryption.keys import Path
from pqexplore.engine.format.nesting.levels import slice_records
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.format.thrift.structs import CompressionCodec, enum_name
from pqexplore.engine.output_file import OutputFile, require, source_names
from pqexplore.engine.writer import footer_builder, option_refusals, retype
from pqexplore.engine.writer.column_data import joined, leaf_column
from pqexplore.engine.writer.file import IN_MEMORY, Nowhere, RowGroupData, Sink, destination, write_groups
from pqexplore.engine.writer.old_columns import Changes, file_column, group_column, row_ranges
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions
from pqexplore.engine.writer.plan import Plan
from pqexplore.engine.writer.prepare import Prepared
from pqexplore.engine.writer.retype import Step, retyped
from pqexplore.engine.writer.sorting import Shelf, SortedRows, permutation, reordered, sort_keys

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.format.field import Leaf


Parts = Iterator[tuple[int, LeafColumn]]
"""A column in parts: the number of records of each, and its levels and values."""


def first_difference(one: Parts, two: Parts) -> tuple[int, int] | None:
    """First row and end of the first rows that differ; None if all are the same. The parts need not be equally long."""
    a, b = next(one, None), next(two, None)
    row = 0
    while a is not None and b is not None:
        count = min(a[0], b[0])
        if not _same(slice_records(a[1], 0, count), slice_records(b[1], 0, count)):
            return row, row + count
        row += count
        a = next(one, None) if a[0] == count else (a[0] - count, slice_records(a[1], count, a[0]))
        b = next(two, None) if b[0] == count else (b[0] - count, slice_records(b[1], count, b[0]))
    return None if a is None and b is None else (row, row)


def _same(one: LeafColumn, two: LeafColumn) -> bool:
    """Whether two columns have the same levels and the same bits of values."""
    for a, b in ((one.definition_levels, two.definition_levels), (one.repetition_levels, two.repetition_levels)):
        if a is None or b is None:
            if a is not b:
                return False
        elif not np.array_equal(a, b):
            return False
    return bool(_bits(one.values).equals(_bits(two.values)))


def _bits(values: pa.Array) -> pa.Array:
    """Floats as integers, so that NaN and the sign of zero count; other values as they are."""
    as_integers = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}.get(values.type)
    return values if as_integers is None else values.view(as_integers)


ONCE = 16 << 20
"""Bytes that a file keeps of what it decoded while it is read once from beginning to end."""

Progress = Callable[[float], None]


def verify_copy(
    file: ParquetFile,
    path: str | os.PathLike[str],
    changes: Changes,
    order: Int64s | None,
    decryption: Decryption | None,
    progress: Progress | None,
) -> None:
    """Compares all levels and values. CorruptFileError with the column and the rows of the first difference."""
    with open_file(path, decryption=decryption) as new:
        new.cache = Cache(ONCE)
        for index in range(len(file.schema.leaves)):
            change = changes.get(index)
            comparable = None if change is None else change.comparable
            one = _records(file, index, comparable)
            if order is not None:
                read = functools.partial(_comparable, file, comparable)
                ranges = [(start, stop) for start, stop in row_ranges(new, None) if start < stop]
                one = reordered(read, file.schema.leaves[index], order, ranges)
            rows = first_difference(one, _records(new, index, None if change is None else change.back))
            if rows is not None:
                _differs(file, index, *rows)
            if progress is not None:
                progress((index + 1) / len(file.schema.leaves))


def _records(file: ParquetFile, index: int, comparable: Step | None) -> Iterator[tuple[int, LeafColumn]]:
    for group in file.row_groups:
        if group.num_rows:
            yield group.num_rows, _stepped(leaf_column(group.columns[index]), comparable)


def _comparable(file: ParquetFile, comparable: Step | None, leaf: Leaf) -> LeafColumn:
    return _stepped(file_column(file, leaf), comparable)


def _stepped(column: LeafColumn, step: Step | None) -> LeafColumn:
    return column if step is None else dataclasses.replace(column, values=step(column.values))


def _differs(file: ParquetFile, index: int, start: int, stop: int) -> None:
    path = ".".join(file.schema.leaves[index].path)
    raise CorruptFileError(
        f"the new file differs from {file.name} in column {path}, rows {start:,} to {stop:,}; it was not kept",
        address=f"schema/{file.schema.leaves[index].index}",
    )


OF_THE_SCHEMA = (
    "physical_type",
    "type_length",
    "logical_type",
    "annotations",
    "field_id",
    "list_shape",
    "map_shape",
    "shredding",
)
"""Options that choose the schema. A rewritten file keeps the one that it has."""

ORDER_BYTES = 8
"""Bytes of memory for each row that is sorted."""


def rewrite(
    file: ParquetFile | str | os.PathLike[str],
    target: str | os.PathLike[str] | OutputFile,
    options: WriteOptions | None = None,
    *,
    sort: Sequence[str] = (),
    types: retype.Types = retype.NO_TYPES,
    verify: bool = True,
    decryption: Decryption | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Plan:
    """Write a file anew under another name; returns the sizes of the new file's columns.

    The schema, field ids, key-value metadata, values and, without `sort`, the order of rows are those of `file`, which is not
    changed. `options` chooses the rest; without it, the row groups and the codecs of `file` are kept. Statistics, indexes and
    Bloom filters are made anew. With `verify`, all levels and values of the new file are read and compared before it
    appears under its name; if it is encrypted, that needs its keys. `decryption` has the keys of both files. The new file
    is encrypted only if `options.encryption` says so, even if `file` is. `progress` is called with the share that is done;
    what it raises stops the work, and leaves nothing. A file that exists is replaced only with `overwrite`.

    `sort` orders the rows of the whole file by columns, dotted, a leading "-" for descending: a stable sort in each column's
    order, nulls last, a NaN larger than every number. The row groups of the new file then say so in `sorting_columns`. A key has
    at most one value for each row. Memory is bounded by one column of the file. The sorted columns are held in a temporary file until they are
    written; if `file` or the new one is encrypted, in memory.

    `types` gives columns (dotted) a new type: `date32`, `timestamp[us]`, `timestamp[us, tz=UTC]` (also ms and ns), `int32`,
    `int64`, `float32`, `uuid`. Each value, converted back, must be what it was: text byte for byte, floats bit for bit. A
    DECIMAL stays one, and is stored as INT32 or INT64. `ARROW:schema` and the key-values of pandas and Spark get the new
    type, those of Avro and Iceberg are left out, as is each that describes a nested column.

    Raises UsageError, with the rule, for options that do not fit or that choose the schema, for a key by which rows cannot be
    sorted, if `target` is the file itself or no place for a file, and, with the row and the value, if a value has no equal in its new type;
    FileExistsError if `target` exists; OSError if it cannot be written; LimitExceededError if a column that is sorted is larger than `read_bytes`; ParquetError if the file cannot be read, or the
    new one differs.
    """
    if not isinstance(target, str | os.PathLike | OutputFile):
        raise UsageError(f"target is a path, not {type(target).__name__}: the new file is read again from there")
    if not isinstance(file, ParquetFile):
        if not isinstance(target, OutputFile):
            require(target, overwrite=overwrite, sources=source_names(file))
        with open_file(file, decryption=decryption) as opened:
            opened.cache = Cache(ONCE)
            return rewrite(
                opened,
                target,
                options,
                sort=sort,
                types=types,
                verify=verify,
                decryption=decryption,
                overwrite=overwrite,
                progress=progress,
            )
    if verify and options is not None and options.encryption is not None and decryption is None:
        raise UsageError("an encrypted file is verified with its keys: give decryption, or verify=False")
    share = 0.5 if verify else 1.0
    with destination(target, overwrite=overwrite, sources=source_names(file)) as out:
        prepared, changes = _prepared(file, options, sort, types)
        if sort:
            with sorted_plan(file, options, sort, types=types) as sorted_:
                plan = sorted_.write(out, _part(progress, 0, share))
                order = sorted_.rows.order
        else:
            rows = None if options is None else options.row_group_rows
            groups = _groups(file.row_groups, prepared, rows, changes)
            counted = _counted(groups, file.num_rows, _part(progress, 0, share))
            plan = write_groups(prepared, counted, out)
            order = None
        if verify:
            assert isinstance(out, OutputFile)
            out.flush()
            verify_copy(file, out.name, changes, order, decryption, _part(progress, 0.5, 1))
    return plan


def planned(
    file: ParquetFile,
    options: WriteOptions | None = None,
    row_groups: Sequence[int] | None = None,
    progress: Progress | None = None,
    room: Callable[[], Spend] = lambda: unlimited,
    *,
    sort: Sequence[str] = (),
    types: retype.Types = retype.NO_TYPES,
    out: Sink | None = None,
    full: bool = False,
    before: int = 0,
) -> Plan:
    """The result of `rewrite`, to the byte, without writing; of some row groups, as if the file had only those.

    With `sort`, `row_groups` are those of the sorted file, and each column is still read whole. Without it, `full` leaves out
    the rows at the end that do not fill a row group, and `before` is as in `write_groups`. With encryption it differs by some
    bytes, because checksums of random ciphertext take one byte more or less. `progress` and errors as in `rewrite`. The bytes go to `out`, or nowhere.
    """
    if sort:
        with sorted_plan(file, options, sort, room, types) as sorted_:
            return sorted_.write(out or Nowhere(), progress, row_groups, written=False)
    prepared, changes = _prepared(file, options, sort, types)
    rows = None if options is None else options.row_group_rows
    groups = list(file.row_groups)
    groups = groups if row_groups is None else [groups[at] for at in row_groups]
    total = sum(group.num_rows for group in groups)
    counted = _counted(_groups(groups, prepared, rows, changes, room, full=full), total, progress)
    return write_groups(prepared, counted, out or Nowhere(), written=False, before=before)


@dataclasses.dataclass(frozen=True)
class SortedPlan:
    """A sorted file that is going to be written or planned, a row group or all."""

    prepared: Prepared
    rows: SortedRows

    def write(
        self, out: Sink, progress: Progress | None, row_groups: Sequence[int] | None = None, *, written: bool = True
    ) -> Plan:
        """Read all columns, and write the row groups. `written` says whether a file is made of them."""
        for share in self.rows.fill():
            if progress is not None:
                progress(share / 2)
        return self.encode(out, _part(progress, 0.5, 1), row_groups, written=written)

    def encode(
        self, out: Sink, progress: Progress | None, row_groups: Sequence[int] | None = None, *, written: bool = True
    ) -> Plan:
        """Write row groups, after `rows.fill`."""
        ranges = self.rows.ranges
        chosen = range(len(ranges)) if row_groups is None else row_groups
        total = sum(ranges[at][1] - ranges[at][0] for at in chosen)
        groups = _counted(self.rows.groups(chosen), total, progress)
        return write_groups(self.prepared, groups, out, written=written)


@contextmanager
def sorted_plan(
    file: ParquetFile,
    options: WriteOptions | None,
    sort: Sequence[str],
    room: Callable[[], Spend] = lambda: unlimited,
    types: retype.Types = retype.NO_TYPES,
) -> Iterator[SortedPlan]:
    """Compute the order of the rows. Sorted columns are held in a temporary file until the end; in memory if anything is encrypted."""
    prepared, changes = _prepared(file, options, sort, types)
    read = functools.partial(file_column, file, changes=changes, room=room)
    rows = sum(group.num_rows for group in file.row_groups)
    file.limits.check("read_bytes", ORDER_BYTES * rows, "the order of the rows", address="")
    order = permutation(sort_keys(prepared.schema, sort), rows, read)
    ranges = row_ranges(file, None if options is None else options.row_group_rows)
    secret = file.footer.cipher is not None or prepared.options.encryption is not None
    with tempfile.SpooledTemporaryFile(0 if secret else IN_MEMORY) as spool:
        yield SortedPlan(prepared, SortedRows(read, prepared.schema.leaves, order, ranges, Shelf(spool)))


def _prepared(
    file: ParquetFile, options: WriteOptions | None, sort: Sequence[str], types: retype.Types
) -> tuple[Prepared, Changes]:
    """The schema of the new file with the options of each leaf and the sorting columns of `sort`; the columns whose types change."""
    chosen = options or _own(file)
    _check(chosen)
    if sort and chosen.sorting_columns:
        raise UsageError("sorting_columns: with sort, the sorting columns are its keys")
    metadata = file.footer_metadata
    elements = retype.elements(file.schema, types)
    built = parquet_schema.build(elements)
    changes = retype.changes(file.schema, built, types)
    pairs = {one.key: one.value for one in metadata.key_value_metadata or ()}
    pairs = retyped(pairs, changes.values())
    if chosen.key_value_metadata is not None:
        pairs |= chosen.key_value_metadata
    keys = sort_keys(built, sort)
    chosen = dataclasses.replace(
        chosen,
        key_value_metadata=pairs or None,
        arrow_schema=False,
        sorting_columns=[(key.leaf.path, key.descending, False) for key in keys] or chosen.sorting_columns,
    )
    columns = [chosen.column(leaf.path) for leaf in built.leaves]
    orders = footer_builder.column_orders([one.column_order for one in columns])
    built = parquet_schema.build(elements, column_orders=orders)
    option_refusals.check_paths(built, chosen)
    for leaf, one in zip(built.leaves, columns, strict=True):
        option_refusals.check_column(leaf, one)
    return Prepared(pa.table({}), built, columns, orders, chosen, pa.schema([])), changes


def _check(options: WriteOptions) -> None:
    default = ColumnOptions()
    for name in OF_THE_SCHEMA:
        if getattr(options, name) != getattr(default, name):
            raise UsageError(f"{name}: a rewritten file keeps its schema")
        for path, given in options.columns.items():
            if name in given:
                raise UsageError(f"columns[{path!r}]: {name}: a rewritten file keeps its schema")


def _own(file: ParquetFile) -> WriteOptions:
    """Options that keep the codec of each column, and the version of the format."""
    codecs: dict[str | Path, dict[str, str]] = {}
    for group in list(file.row_groups)[:1]:
        for chunk in group.columns:
            codecs[".".join(chunk.leaf.path)] = {"codec": own_codec(chunk)}
    return WriteOptions(columns=codecs, version=own_version(file))


def own_codec(chunk: ColumnChunk) -> str:
    """The codec of a chunk by name; LZ4_RAW for the deprecated LZ4."""
    codec = enum_name(CompressionCodec, chunk.metadata.codec)
    return "LZ4_RAW" if codec == "LZ4" else codec


def own_version(file: ParquetFile) -> int:
    """The version of the format in a file's footer; 2 if that is not a version."""
    version = file.footer_metadata.version
    return version if version in (1, 2) else 2


def _groups(
    groups: Iterable[RowGroup],
    prepared: Prepared,
    rows: int | None,
    changes: Changes,
    room: Callable[[], Spend] = lambda: unlimited,
    *,
    full: bool = False,
) -> Iterator[RowGroupData]:
    """The row groups to write: those that are given, or of `rows` rows each; with `full`, not a last smaller one."""
    leaves = prepared.schema.leaves
    held: list[LeafColumn] = []
    count = 0
    for group in groups:
        columns = (
            group_column(group, chunk, leaf, room(), changes.get(leaf.leaf_index))
            for chunk, leaf in zip(group.columns, leaves, strict=True)
        )
        if rows is None:
            yield group.num_rows, columns
            continue
        read = list(columns)
        held = [joined(pair) for pair in zip(held, read, strict=True)] if held else read
        count += group.num_rows
        start = 0
        while count - start >= rows:
            yield rows, [slice_records(one, start, start + rows) for one in held]
            start += rows
        if start:
            held = [slice_records(one, start, count) for one in held] if count > start else []
            count -= start
    if count and not full:
        yield count, held


def _part(progress: Progress | None, start: float, stop: float) -> Progress | None:
    """Progress of a part of the work, from `start` to `stop`."""
    if progress is None:
        return None
    whole = progress
    return lambda share: whole(start + (stop - start) * share)


def _counted(groups: Iterator[RowGroupData], total: int, progress: Progress | None) -> Iterator[RowGroupData]:
    done = 0
    for rows, columns in groups:
        yield rows, columns
        done += rows
        if progress is not None:
            progress(done / max(1, total))
