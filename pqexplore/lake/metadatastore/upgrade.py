"""Rewrites a store of version 1, 2 or 3 as version 4: new names, metadata and partition columns, the same values.

Versions 1 and 2 wrap Bloom filters in a Java class that xskipper no longer has; the filter's bytes are copied into the
current class. If the dataset is given, objects that are no longer in it are left out, as xskipper does for partitioned
datasets; otherwise all objects are kept, and the partition columns are read from their paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, UsageError
from pqexplore.lake.metadatastore import dataset as datasets
from pqexplore.lake.metadatastore import names, sketch, store_schema, store_types, write
from pqexplore.lake.metadatastore.building import reopened
from pqexplore.lake.metadatastore.dataset import PartitionValues
from pqexplore.lake.metadatastore.store_keys import StoreKeys, check

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store
from pqexplore.lake.metadatastore.stored_values import IndexPart


def upgrade(
    store: Store,
    out: str | os.PathLike[str],
    *,
    dataset: str | os.PathLike[str] | None = None,
    location: str = write.BASE,
    keys: StoreKeys | None = None,
) -> Store:
    """Writes a store of version 1 to 3 as version 4, and opens it; replaces the old store if it has the same path.

    `out` and `location` are those of `build`; `keys` are needed if the store is encrypted. Raises
    UnsupportedFeatureError for other versions and for unknown indexes, UsageError for a store of version 4.
    """
    if store.status == store_schema.IS_CURRENT:
        raise UsageError(f"the store already has version {store.version}")
    require_values(store)
    identifier = required_identifier(store)
    if dataset is None:
        listing = of_paths(identifier, [names.split_object_name(name)[0] for name in store.rows])
        partition = dict(zip(store.rows, listing.rows, strict=True))
        columns = listing.columns
    else:
        found = datasets.list_dataset(dataset)
        partition = {one.object_name: one.partition for one in found.files}
        columns = found.partitions
    of = current_schema(store, columns, keys)
    target = write.directory(out, identifier, location)
    with write.StoreWriter(target, of, store.column_types, keys) as writer:
        copy_rows(store, writer, of, partition)
        writer.finish()
    return reopened(target, keys, {}, trusted=store.reach.everywhere)


def require_values(store: Store) -> None:
    """Raises UnsupportedFeatureError unless this package can read all values of the store."""
    if not store.schema.values_readable:
        raise UnsupportedFeatureError(
            f"a store of version {store.version} cannot be rewritten: {store_schema.STATUSES[store.status]}",
            address="footer/key_value_metadata",
        )
    unknown = [str(index) for index in store.indexes if not index.readable]
    if unknown or store.schema.others:
        listed = ", ".join((*unknown, *store.schema.others))
        raise UnsupportedFeatureError(
            f"the store has columns that are not understood: {listed}", address="footer/key_value_metadata"
        )


def required_identifier(store: Store) -> str:
    """The table's identifier, as a path if it is one; CorruptFileError if absent."""
    if store.table_identifier is None:
        raise CorruptFileError("the store has no table identifier", address="footer/key_value_metadata")
    return names.table_path(store.table_identifier, store.rows)


def of_paths(identifier: str, paths: list[str]) -> PartitionValues:
    """The partition columns in paths below a table; none if the paths disagree or are not all below it."""
    nothing = PartitionValues((), tuple({} for _ in paths))
    if not all(path.startswith(identifier + "/") for path in paths):
        return nothing
    try:
        return datasets.partition_values(identifier, paths)
    except UsageError:
        return nothing


def current_schema(
    store: Store, columns: tuple[store_schema.Partition, ...], keys: StoreKeys | None
) -> store_schema.StoreSchema:
    """The schema of version 4 with the indexes of a store; UsageError if keys are missing."""
    of = store_schema.current_schema(
        required_identifier(store),
        store.indexes,
        columns,
        None if keys is None else keys.footer_key,
        keys is not None and keys.plaintext_footer,
    )
    check(of, keys)
    return of


def copy_rows(
    store: Store, writer: write.StoreWriter, of: store_schema.StoreSchema, partition: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Copies the rows of the objects in `partition`, without duplicates. Returns the names of the copied objects."""
    copied: dict[str, None] = {}
    for part, table in parts(store):
        keep = []
        for row, name in enumerate(table.column(names.OBJECT).to_pylist()):
            if name in partition and name not in copied:
                copied[name] = None
                keep.append(row)
        table = table.take(pa.array(keep, pa.int64()))
        kept = table.column(names.OBJECT).to_pylist()
        columns = [pa.array(kept, pa.string())]
        for one in of.partitions:
            values = [partition[name].get(one.name) for name in kept]
            columns.append(write.partition_array(one, values))
        for old, new in zip(store.indexes, of.indexes, strict=True):
            kind = writer.arrow.field(new.column).type
            columns.append(stored(table.column(old.column), new, kind))
        writer.add(pa.table(columns, schema=writer.arrow), marked=part.mark is not None)
    return list(copied)


def parts(store: Store) -> Iterator[tuple[IndexPart, pa.Table]]:
    """Yields each file of a store with its rows."""
    for part in store.parts:
        with store.opened(part) as opened:
            yield part, opened.read()


def stored(column: pa.ChunkedArray, index: store_schema.Index, kind: pa.DataType) -> pa.Array:
    """Converts the values of an index to version 4: to Arrow type `kind`, and filters to the current class."""
    array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)
    if index.name == store_schema.BLOOM_FILTER:
        return pa.array([_rewrapped(stream) for stream in array.to_pylist()], kind)
    if index.name == store_schema.MINMAX:
        ends = [_value(child, kind.field(0).type) for child in array.flatten()]
        missing = array.is_null()
        return pa.StructArray.from_arrays(ends, ["min", "max"], mask=missing)
    values = _value(array.values, kind.value_type)
    offsets = array.offsets
    if array.null_count:
        offsets = pa.array(
            [
                None if null else offset
                for offset, null in zip(offsets.to_pylist(), [*array.is_null().to_pylist(), False], strict=True)
            ],
            pa.int32(),
        )
    return pa.ListArray.from_arrays(offsets, values, type=kind)


def _value(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Casts values of an index to the type to write; INT96 timestamps are in nanoseconds before."""
    if pa.types.is_timestamp(kind):
        return store_types.microseconds(array).cast(pa.timestamp("us")).cast(kind)
    return array.cast(kind)


def _rewrapped(stream: bytes | None) -> bytes | None:
    if stream is None:
        return None
    filter = sketch.from_java(stream)
    if filter is None or filter.version == 1:
        return None if filter is None else sketch.to_java(filter)
    return stream  # filters of version 2 have another class in Spark
