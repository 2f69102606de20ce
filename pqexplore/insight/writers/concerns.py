"""Whether a file has what a defect is about, by its footer. A defect is not mentioned of other files."""

from __future__ import annotations

from collections.abc import Callable

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, type_order
from pqexplore.engine.format.statistics import legacy_distrust
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, Type
from pqexplore.insight.writers.in_bytes import chunks, in_hybrid_calendar

BYTES = (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY)
DICTIONARIES = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
LARGE = 1 << 26
"""Values of a chunk from which a page of dictionary indexes can be very large."""


def has_dates(file: ParquetFile) -> bool:
    """Whether a column has the type DATE."""
    return any(meaning(leaf).name == "DATE" for leaf in file.schema.leaves)


def of_drill(file: ParquetFile) -> bool:
    """Whether Drill may have written the dates of the file."""
    drill = any(key.startswith("drill") for key in file.key_value_metadata)
    return has_dates(file) and (drill or "drill" in (file.created_by or ""))


def has_legacy_dates(file: ParquetFile) -> bool:
    """Whether Spark's keys say that the file was written with the hybrid calendar."""
    return has_dates(file) and bool(in_hybrid_calendar(file))


def has_filters(file: ParquetFile) -> bool:
    """Whether a chunk has a Bloom filter."""
    return any(chunk.metadata.bloom_filter_offset for chunk in chunks(file))


def has_lz4(file: ParquetFile) -> bool:
    """Whether a chunk has the codec LZ4."""
    return any(chunk.metadata.codec == CompressionCodec.LZ4 for chunk in chunks(file))


def has_byte_bounds(file: ParquetFile) -> bool:
    """Whether a chunk of bytes has bounds."""
    return any(
        known is not None and (known.min is not None or known.min_value is not None)
        for chunk in chunks(file)
        if chunk.leaf.physical_type in BYTES
        for known in (chunk.metadata.statistics,)
    )


def has_old_byte_bounds(file: ParquetFile) -> bool:
    """Whether a chunk of bytes has min and max of the old fields only."""
    return any(
        known is not None and known.min is not None and known.min_value is None
        for chunk in chunks(file)
        if chunk.leaf.physical_type in BYTES
        for known in (chunk.metadata.statistics,)
    )


def has_overwritten_bounds(file: ParquetFile) -> bool:
    """Whether bounds of bytes can come from a buffer that was used again, by the writer's version."""
    return has_old_byte_bounds(file) and any(
        "PARQUET-251" in legacy_distrust(leaf, file.created_by, equal=True) for leaf in file.schema.leaves
    )


def has_decimals(file: ParquetFile) -> bool:
    """Whether a column has decimals that are stored as bytes."""
    leaves = file.schema.leaves
    return any(type_order(one) is Order.DECIMAL and one.physical_type in BYTES for one in leaves)


def has_floats(file: ParquetFile) -> bool:
    """Whether a column has FLOAT or DOUBLE."""
    return any(leaf.physical_type in (Type.FLOAT, Type.DOUBLE) for leaf in file.schema.leaves)


def has_int96(file: ParquetFile) -> bool:
    """Whether a column has INT96."""
    return any(leaf.physical_type == Type.INT96 for leaf in file.schema.leaves)


def has_rle_booleans(file: ParquetFile) -> bool:
    """Whether a BOOLEAN column lists RLE, and no page of it PLAIN."""
    return any(
        chunk.leaf.physical_type == Type.BOOLEAN
        and Encoding.RLE in (encodings := chunk.metadata.encodings or ())
        and Encoding.PLAIN not in encodings
        for chunk in chunks(file)
    )


def has_nested(file: ParquetFile) -> bool:
    """Whether a column is in a list or map."""
    return any(leaf.max_repetition_level for leaf in file.schema.leaves)


def has_variants(file: ParquetFile) -> bool:
    """Whether a field is a VARIANT."""
    elements = file.footer_metadata.schema or ()
    return any(one.logicalType is not None and one.logicalType.VARIANT is not None for one in elements)


def has_encoding(*encodings: Encoding) -> Callable[[ParquetFile], bool]:
    """Whether a chunk lists one of these encodings."""

    def concerns(file: ParquetFile) -> bool:
        return any(set(encodings) & set(chunk.metadata.encodings or ()) for chunk in chunks(file))

    return concerns


has_dictionary = has_encoding(*DICTIONARIES)


def has_nulls_by_dictionary(file: ParquetFile) -> bool:
    """Whether a chunk with a dictionary has nulls by its statistics."""
    return any(
        chunk.metadata.statistics is not None and (chunk.metadata.statistics.null_count or 0) > 0
        for chunk in chunks(file)
        if set(DICTIONARIES) & set(chunk.metadata.encodings or ())
    )


def has_huge_dictionary_pages(file: ParquetFile) -> bool:
    """Whether a chunk with a dictionary has so many values that a page of indexes can be very large."""
    return any(
        chunk.num_values >= LARGE and set(DICTIONARIES) & set(chunk.metadata.encodings or ()) for chunk in chunks(file)
    )


def gave_up_dictionaries(file: ParquetFile) -> bool:
    """Whether chunks of two row groups have data pages with a dictionary and without."""
    groups = set()
    for chunk in chunks(file):
        used = {
            stats.encoding in DICTIONARIES
            for stats in chunk.metadata.encoding_stats or ()
            if stats.page_type in (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)
        }
        if len(used) == 2:
            groups.add(chunk.row_group.index)
    return len(groups) > 1


def has_bit_packed_levels(file: ParquetFile) -> bool:
    """Whether a chunk lists the encoding BIT_PACKED, which only levels have."""
    return any(Encoding.BIT_PACKED in (chunk.metadata.encodings or ()) for chunk in chunks(file))
