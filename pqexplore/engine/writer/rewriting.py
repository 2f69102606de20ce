"""Writes a file anew with other choices: the same schema, values, rows and key-value metadata.

Levels and physical values go from one file to the other as they are, a row group at a time. So nothing is lost by a type
of Arrow, and memory is bounded by one row group (of the file, or as the options ask).
"""

from __future__ import annotations

import dataclasses
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.file.chunk_reader import Spend, decode_chunk, unlimited
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.format import schema as parquet_schema
from pqexplore.engine.format.encryption.keys import Path
from pqexplore.engine.format.nesting.column import LeafColumn
from pqexplore.engine.format.nesting.levels import slice_records
from pqexplore.engine.format.thrift.structs import CompressionCodec, enum_name
from pqexplore.engine.writer import footer, rules
from pqexplore.engine.writer.file import Nowhere, RowGroupData, destination, write_groups
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions
from pqexplore.engine.writer.plan import Plan
from pqexplore.engine.writer.prepare import Prepared

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.format.field import Leaf

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

Progress = Callable[[float], None]


def rewrite(
    file: ParquetFile | str | os.PathLike[str],
    target: str | os.PathLike[str],
    options: WriteOptions | None = None,
    *,
    verify: bool = True,
    decryption: Decryption | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Write a file anew under another name; returns the sizes of the new file's columns.

    The schema, field ids, key-value metadata, values and the order of rows are those of `file`, which is not changed.
    `options` chooses the rest; without it, the row groups and the codecs of `file` are kept. Statistics, indexes and
    Bloom filters are made anew. With `verify`, all levels and values of the new file are read and compared before it
    appears under its name; if it is encrypted, that needs its keys. `decryption` has the keys of both files. The new file
    is encrypted only if `options.encryption` says so, even if `file` is. `progress` is called with the share that is done;
    what it raises stops the work, and leaves nothing.

    Raises UsageError, with the rule, for options that do not fit or that choose the schema, and if `target` is the file
    itself; ParquetError if the file cannot be read, or the new one differs.
    """
    if not isinstance(file, ParquetFile):
        with open_file(file, decryption=decryption) as opened:
            return rewrite(
                opened, target, options, verify=verify, decryption=decryption, progress=progress
            )
    if verify and options is not None and options.encryption is not None and decryption is None:
        raise UsageError(
            "an encrypted file is verified with its keys: give decryption, or verify=False"
        )
    if os.path.exists(target) and os.path.exists(file.name) and os.path.samefile(target, file.name):
        raise UsageError("a file is not rewritten in its own place; choose another name")
    prepared = _prepared(file, options)
    rows = None if options is None else options.row_group_rows
    counted = _counted(
        _groups(file.row_groups, prepared, rows), file.num_rows, progress, 0.5 if verify else 1
    )
    with destination(target) as out:
        plan = write_groups(prepared, counted, out)
        if verify:
            assert isinstance(out, io.BufferedWriter)
            out.flush()
            _verify(file, out.name, decryption, progress)
    return plan


def planned(
    file: ParquetFile,
    options: WriteOptions | None = None,
    row_groups: Sequence[int] | None = None,
    progress: Progress | None = None,
    room: Callable[[], Spend] = lambda: unlimited,
    full: bool = False,
    before: int = 0,
) -> Plan:
    """The result of `rewrite`, to the byte, without writing; of some row groups, as if the file had only those.

    With `full`, the rows at the end that do not fill a row group are left out; `before` is as in `write_groups`. With encryption it differs by some bytes, because checksums of random ciphertext take one byte more or less. `progress` and errors as in `rewrite`.
    """
    prepared = _prepared(file, options)
    rows = None if options is None else options.row_group_rows
    groups = file.row_groups if row_groups is None else [file.row_groups[at] for at in row_groups]
    total = sum(group.num_rows for group in groups)
    counted = _counted(_groups(groups, prepared, rows, room, full=full), total, progress, 1)
    return write_groups(prepared, counted, Nowhere(), written=False, before=before)


def _prepared(file: ParquetFile, options: WriteOptions | None) -> Prepared:
    """The schema of the file with the options of each leaf."""
    chosen = options or _own(file)
    _check(chosen)
    metadata = file.footer_metadata
    pairs = {one.key: one.value for one in metadata.key_value_metadata or ()}
    if chosen.key_value_metadata is not None:
        pairs |= chosen.key_value_metadata
    chosen = dataclasses.replace(chosen, key_value_metadata=pairs or None, arrow_schema=False)
    elements = [field.element for field in file.schema.fields]
    built = parquet_schema.build(elements)
    columns = [chosen.column(leaf.path) for leaf in built.leaves]
    orders = footer.column_orders([one.column_order for one in columns])
    built = parquet_schema.build(elements, column_orders=orders)
    rules.check_paths(built, chosen)
    for leaf, one in zip(built.leaves, columns, strict=True):
        rules.check_column(leaf, one)
    return Prepared(pa.table({}), built, columns, orders, chosen, pa.schema([]))


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
            _whole(group, chunk, leaf, room())
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
            yield rows, _slice(held, start, start + rows)
            start += rows
        if start:
            held = _slice(held, start, count) if count > start else []
            count -= start
    if count and not full:
        yield count, held


def _whole(group: RowGroup, chunk: ColumnChunk, leaf: Leaf, spend: Spend) -> LeafColumn:
    """A chunk's levels and values; CorruptFileError if they are not those of the row group's rows."""
    column = leaf_column(chunk, leaf, spend)
    count = records(column)
    if count != group.num_rows:
        raise CorruptFileError(
            f"the row group has {group.num_rows:,} rows, the pages of the chunk have {count:,}",
            address=chunk.address,
        )
    return column


def records(column: LeafColumn) -> int:
    """The rows of a column, counted in its levels or values."""
    if column.repetition_levels is not None:
        return int(np.count_nonzero(column.repetition_levels == 0))
    levels = column.definition_levels
    return len(column.values) if levels is None else len(levels)


def _slice(held: list[LeafColumn], start: int, stop: int) -> list[LeafColumn]:
    return [slice_records(one, start, stop) for one in held]


def joined(parts: Iterable[LeafColumn]) -> LeafColumn:
    """One column of the records of several, in their order."""
    found = list(parts)
    if len(found) == 1:
        return found[0]
    definition = [one.definition_levels for one in found if one.definition_levels is not None]
    repetition = [one.repetition_levels for one in found if one.repetition_levels is not None]
    return LeafColumn(
        found[0].leaf,
        np.concatenate(definition) if definition else None,
        np.concatenate(repetition) if repetition else None,
        pa.concat_arrays([one.values for one in found]),
    )


def leaf_column(
    chunk: ColumnChunk, leaf: Leaf | None = None, spend: Spend = unlimited
) -> LeafColumn:
    """The levels of a chunk and its physical values, as `leaf` (by default the chunk's own). Raises ParquetError."""
    decoded = decode_chunk(chunk, spend)
    own = leaf or chunk.leaf
    definition, values = decoded.definition_levels, decoded.physical
    if decoded.nullable:
        definition = np.asarray(values.is_valid()).astype(np.uint8)
        values = values.drop_null()
    return LeafColumn(own, definition, decoded.repetition_levels, values)


def _counted(
    groups: Iterator[RowGroupData], total: int, progress: Progress | None, share: float
) -> Iterator[RowGroupData]:
    done = 0
    for rows, columns in groups:
        yield rows, columns
        done += rows
        if progress is not None:
            progress(share * done / max(1, total))


def _verify(
    file: ParquetFile,
    path: str | os.PathLike[str],
    decryption: Decryption | None,
    progress: Progress | None,
) -> None:
    """Compares all levels and values. CorruptFileError with the column and the rows of the first difference."""
    with open_file(path, decryption=decryption) as new:
        for index in range(len(file.schema.leaves)):
            one, two = _records(file, index), _records(new, index)
            a, b = next(one, None), next(two, None)
            row = 0
            while a is not None and b is not None:
                count = min(a[0], b[0])
                if not _same(slice_records(a[1], 0, count), slice_records(b[1], 0, count)):
                    _differs(file, index, row, row + count)
                row += count
                a = next(one, None) if a[0] == count else (a[0] - count, slice_records(a[1], count, a[0]))  # fmt: skip
                b = next(two, None) if b[0] == count else (b[0] - count, slice_records(b[1], count, b[0]))  # fmt: skip
            if a is not None or b is not None:
                _differs(file, index, row, row)
            if progress is not None:
                progress(0.5 + 0.5 * (index + 1) / len(file.schema.leaves))


def _records(file: ParquetFile, index: int) -> Iterator[tuple[int, LeafColumn]]:
    for group in file.row_groups:
        if group.num_rows:
            yield group.num_rows, leaf_column(group.columns[index])


def _differs(file: ParquetFile, index: int, start: int, stop: int) -> None:
    path = ".".join(file.schema.leaves[index].path)
    raise CorruptFileError(
        f"the new file differs from {file.name} in column {path}, rows {start:,} to {stop:,}; it was not kept",
        address=f"schema/{file.schema.leaves[index].index}",
    )


def _same(one: LeafColumn, two: LeafColumn) -> bool:
    """Whether two columns have the same levels and the same bits of values."""
    for a, b in (
        (one.definition_levels, two.definition_levels),
        (one.repetition_levels, two.repetition_levels),
    ):
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
