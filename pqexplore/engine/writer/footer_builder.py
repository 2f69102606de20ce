"""Builds the structs of the footer from the encoded chunks."""

from __future__ import annotations

import base64
import copy
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import geospatial
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.engine.writer import statistics
from pqexplore.engine.writer.chunk_encoding import EncodedChunk, encodings_of
from pqexplore.engine.writer.options import WriteOptions


def column_metadata(chunk: EncodedChunk, start: int) -> structs.ColumnMetaData:
    """The ColumnMetaData of a chunk whose first page begins at `start`."""
    leaf, options = chunk.leaf, chunk.options
    counted = encodings_of(chunk)
    levels = [int(options.level_encoding)] if options.page_version == 1 else [int(Encoding.RLE)]
    if not (leaf.max_definition_level or leaf.max_repetition_level):
        levels = []
    has_dictionary = bool(chunk.pages) and not chunk.pages[0].page.is_data
    chunk_statistics = None
    if "chunk" in options.statistics:
        chunk_statistics = statistics.statistics(
            leaf, chunk.bounds, chunk.counts, options.statistics_fields, options.statistics_bytes
        )
    return structs.ColumnMetaData(
        type=leaf.physical_type,
        encodings=list(dict.fromkeys([*(encoding for _, encoding in counted), *levels])),
        path_in_schema=list(leaf.path),
        codec=int(options.codec),
        num_values=chunk.num_values,
        total_uncompressed_size=chunk.uncompressed_size,
        total_compressed_size=chunk.compressed_size,
        key_value_metadata=key_values(options.key_values),
        data_page_offset=start + (chunk.pages[0].size if has_dictionary else 0),
        dictionary_page_offset=start if has_dictionary else None,
        statistics=chunk_statistics,
        encoding_stats=[
            structs.PageEncodingStats(page_type=kind, encoding=encoding, count=count)
            for (kind, encoding), count in counted.items()
        ],
        size_statistics=size_statistics(chunk) if options.size_statistics else None,
        geospatial_statistics=geospatial_statistics(chunk),
    )


def size_statistics(chunk: EncodedChunk) -> structs.SizeStatistics | None:
    """Sums over the pages; histograms only of levels with a maximum above 0. None if all fields are absent."""
    pages, leaf = chunk.data_pages, chunk.leaf
    sizes = [page.byte_array_bytes for page in pages]
    sums = structs.SizeStatistics()
    if sizes and None not in sizes:
        sums.unencoded_byte_array_data_bytes = sum(size or 0 for size in sizes)
    if pages and leaf.max_repetition_level:
        sums.repetition_level_histogram = _sum([page.repetition_histogram or [] for page in pages])
    if pages and leaf.max_definition_level:
        sums.definition_level_histogram = _sum([page.definition_histogram or [] for page in pages])
    return sums if sums != structs.SizeStatistics() else None


def _sum(histograms: list[list[int]]) -> list[int]:
    return [int(count) for count in np.sum(histograms, axis=0)]


def geospatial_statistics(chunk: EncodedChunk) -> structs.GeospatialStatistics | None:
    """Box and types of a GEOMETRY or GEOGRAPHY chunk; for a GEOGRAPHY only the types, because its edges are curved.

    Raises UsageError if a value is not WKB.
    """
    name = annotation(chunk.leaf).name
    if name not in ("GEOMETRY", "GEOGRAPHY"):
        return None
    summary = geospatial.summarise(chunk.present)
    if summary.first_damage is not None:
        index, reason = summary.first_damage
        path = ".".join(chunk.leaf.path)
        raise UsageError(f"{path}: {name} values are WKB; value {index:,} is not: {reason}")
    if not chunk.options.geospatial_statistics:
        return None
    box = None
    if summary.box is not None and name == "GEOMETRY":
        sides = {side: getattr(summary.box, side) for side in summary.box.__dataclass_fields__}
        box = structs.BoundingBox(**sides)
    return structs.GeospatialStatistics(bbox=box, geospatial_types=list(summary.types))


def redacted(metadata: structs.ColumnMetaData) -> structs.ColumnMetaData:
    """The metadata of an encrypted column without what a plaintext footer must hide (specification, "Plaintext
    footer mode").
    """
    public = copy.copy(metadata)
    for name in ("statistics", "size_statistics", "geospatial_statistics", "key_value_metadata"):
        setattr(public, name, None)
    return public


def key_values(given: Mapping[str, str | None] | None) -> list[structs.KeyValue] | None:
    """KeyValues; None stays None."""
    if given is None:
        return None
    return [structs.KeyValue(key=key, value=value) for key, value in given.items()]


def column_orders(orders: Sequence[str | None]) -> list[structs.ColumnOrder] | None:
    """The ColumnOrder of each leaf, by name; None if no leaf has one. Raises UsageError if only some have one."""
    if all(name is None for name in orders):
        return None
    if None in orders:
        raise UsageError("column_orders has one order for each column, or is absent altogether")
    kinds = {field.name: field.struct for field in structs.ColumnOrder.FIELDS}
    result = []
    for name in orders:
        kind = kinds[str(name)]
        assert kind is not None
        result.append(structs.union_of(structs.ColumnOrder, str(name), kind()))
    return result


def sorting_columns(options: WriteOptions, leaves: Sequence[Leaf]) -> list[structs.SortingColumn] | None:
    """The SortingColumns of a row group; `rules.check_paths` checked that their paths exist."""
    by_path = {".".join(leaf.path): leaf.leaf_index for leaf in leaves}
    return [
        structs.SortingColumn(
            column_idx=by_path[path if isinstance(path, str) else ".".join(path)],
            descending=descending,
            nulls_first=nulls_first,
        )
        for path, descending, nulls_first in options.sorting_columns
    ] or None


def file_metadata(
    schema: Schema,
    row_groups: list[structs.RowGroup],
    options: WriteOptions,
    orders: list[structs.ColumnOrder] | None,
    arrow_schema: pa.Schema,
) -> structs.FileMetaData:
    """The FileMetaData, without what encryption adds."""
    pairs = dict(options.key_value_metadata or {})
    if options.arrow_schema:
        pairs["ARROW:schema"] = base64.b64encode(bytes(arrow_schema.serialize())).decode()
    return structs.FileMetaData(
        version=options.version,
        schema=[field.element for field in schema.fields],
        num_rows=sum(group.num_rows for group in row_groups),
        row_groups=row_groups,
        key_value_metadata=key_values(pairs) if pairs else None,
        created_by=options.created_by,
        column_orders=orders,
    )
