"""Facts of a column chunk: its statistics, sizes, levels, geometries and indexes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.chunk_bounds import known_bounds, statistics_address, statistics_findings
from pqexplore.engine.file.geoparquet import geo_column
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import geospatial
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.statistics import Bounds
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.format.value_text import format_value, physical_value, plain_length
from pqexplore.engine.format.variant.shape import variant_around

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf


_FIELDS = {
    **dict.fromkeys(("min", "min_value"), "minimum"),
    **dict.fromkeys(("max", "max_value"), "maximum"),
    "null_count": "nulls",
    "nan_count": "NaNs",
    "distinct_count": "distinct values",
}
"""The fact of each field of Statistics."""


def facts(chunk: ColumnChunk) -> Sequence[Fact]:
    """All facts of a chunk whose metadata can be read."""
    return [
        *variant_part(chunk),
        *encoding_stats(chunk),
        *statistics(chunk),
        *size_statistics(chunk),
        *geospatial_statistics(chunk),
        *geoparquet_facts(chunk.file, chunk.leaf),
        *locations(chunk),
    ]


def variant_part(chunk: ColumnChunk) -> Sequence[Fact]:
    """The Variant, or possible Variant, that the column is a part of; empty if there is none."""
    field = variant_around(chunk.leaf)
    if field is None:
        return []
    meaning = "the values of this column are parts of its Variants"
    if field.kind != "variant":
        meaning = "the group has the fields of a Variant, and does not say that it is one"
    return [Fact("part of Variant", ".".join(field.path), meaning, None, Address.of("schema", field.index))]


def statistics(chunk: ColumnChunk) -> Sequence[Fact]:
    """The chunk's bounds and counts, whether they are exact, and whether a query may use them."""
    stored = chunk.metadata.statistics
    if stored is None:
        return [Fact("statistics", None, "none: a query cannot skip this chunk by its values")]
    try:
        decoded = known_bounds(chunk)
    except ParquetError as error:
        return [Fact("statistics", error.message, "why the statistics cannot be read")]
    assert decoded is not None
    facts = _statistics_facts(chunk.leaf, decoded, statistics_address(chunk))
    found = {_fact_of(finding): finding.message for finding in statistics_findings(chunk)}
    return [
        dataclasses.replace(fact, meaning=f"{fact.meaning}. Found: {found[fact.name]}") if fact.name in found else fact
        for fact in facts
    ]


def geoparquet_facts(file: ParquetFile, leaf: Leaf) -> Sequence[Fact]:
    """What the key `geo` says of a plain column of geometries; nothing of another column."""
    column = geo_column(file, leaf)
    if column is None:
        return ()
    types = f": {', '.join(column.types)}" if column.types else ""
    return [Fact("GeoParquet", f"{column.encoding}{types}", "geometries, by the key geo of the key-value metadata")]


def _fact_of(finding: Finding) -> str:
    """The name of the fact that a finding about statistics is about."""
    field = Address(finding.address).name
    name = _FIELDS.get(field, field)
    return f"{name} is exact" if finding.rule == "statistics-exactness" else name


def _statistics_facts(leaf: Leaf, decoded: Bounds, address: Address) -> Sequence[Fact]:
    """Decoded statistics as facts: what the file says."""
    result = []
    for words, side, raw, value, exact in (
        ("minimum", "smallest", decoded.min_raw, decoded.min, decoded.min_exact),
        ("maximum", "largest", decoded.max_raw, decoded.max, decoded.max_exact),
    ):
        if raw is None:
            result.append(Fact(words, None, f"the writer left no {words}"))
            continue
        bound = "smaller" if side == "smallest" else "larger"
        meaning = {
            True: f"by the file the {side} value",
            False: f"by the file no value is {bound}, and it may be no value itself",
            None: f"by the file no value is {bound}; whether it is one itself is not said",
        }[exact]
        shown = _shown(leaf, raw) if value is None else value
        result.append(Fact(words, shown, f"{meaning}; nulls and NaNs left out", address=address))
        meaning = "whether the file says that it is a value that occurs"
        result.append(Fact(f"{words} is exact", exact, meaning))
    if decoded.source:
        result += [
            Fact("trusted", decoded.trusted, decoded.why or "whether a query may skip by these bounds"),
            Fact("order", decoded.order.value, "how minimum and maximum were compared"),
            Fact(
                "bounds from",
                "min_value and max_value" if decoded.source == "min_value" else "min and max",
                "the newer fields follow the column's order, the older ones signed bytes",
            ),
        ]
    elif decoded.why:
        result.append(Fact("bounds", None, decoded.why))
    result.append(Fact("nulls", decoded.null_count, "values that are null"))
    for name, count, meaning in (
        ("distinct values", decoded.distinct_count, "different values that occur"),
        ("NaNs", decoded.nan_count, "values that are NaN; bounds never tell of them"),
    ):
        if count is not None:
            result.append(Fact(name, count, meaning))
    return result


def _shown(leaf: Leaf, raw: bytes) -> object:
    """Formats a bound that has no Python object."""
    if plain_length(leaf) not in (None, len(raw)):
        return "0x" + raw.hex()
    return format_value(leaf, physical_value(leaf, raw))


def size_statistics(chunk: ColumnChunk) -> Sequence[Fact]:
    """The decoded size, and how often each level occurs, by its name in the schema."""
    sizes = chunk.metadata.size_statistics
    if sizes is None:
        return []
    address = Address.of(chunk.address, "metadata/meta_data/size_statistics")
    result = []
    if sizes.unencoded_byte_array_data_bytes is not None:
        result.append(
            Fact(
                "decoded bytes",
                sizes.unencoded_byte_array_data_bytes,
                "bytes of all values when decoded, without their lengths",
                address=address,
            )
        )
    definition, repetition = name_levels(chunk.leaf)
    for words, names, counts in (
        ("definition level", definition, sizes.definition_level_histogram),
        ("repetition level", repetition, sizes.repetition_level_histogram),
    ):
        for level, count in enumerate(counts or ()):
            name = names[level] if level < len(names) else "a level that the schema does not have"
            result.append(Fact(f"{words} {level}", count, f"how many times: {name}", address=address))
    return result


def geospatial_statistics(chunk: ColumnChunk) -> Sequence[Fact]:
    """The bounding box and the types of the geometries."""
    extent = chunk.metadata.geospatial_statistics
    if extent is None:
        return []
    address = Address.of(chunk.address, "metadata/meta_data/geospatial_statistics")
    result = []
    box = geospatial.box_of(extent)
    if box is not None:
        for axis in "xyzm":
            low, high = getattr(box, f"{axis}min"), getattr(box, f"{axis}max")
            if low is None and high is None:
                continue
            meaning = f"where the geometries lie, from the smallest to the largest {axis}"
            if axis == "x" and box.wraps:
                meaning += "; it crosses the antimeridian"
            result.append(Fact(f"{axis} range", f"{low} … {high}", meaning, address=address))
    kinds = ", ".join(geospatial.type_name(code) for code in extent.geospatial_types or ())
    meaning = "types of the geometries that occur" if kinds else "the types are not stated"
    result.append(Fact("geometry types", kinds or None, meaning, address=address))
    return result


def encoding_stats(chunk: ColumnChunk) -> Sequence[Fact]:
    """The number of pages by encoding, as the writer counted."""
    counts = chunk.metadata.encoding_stats
    if not counts:
        return []
    words = ", ".join(
        f"{one.count} {structs.enum_name(PageType, one.page_type)} {structs.enum_name(Encoding, one.encoding)}"
        for one in counts[:100]
    )
    meaning = "how many pages use which encoding: whether all data pages are dictionary-encoded"
    address = Address.of(chunk.address, "metadata/meta_data/encoding_stats")
    return [Fact("pages by encoding", words, meaning, address=address)]


def locations(chunk: ColumnChunk) -> Sequence[Fact]:
    """The places of what else belongs to the chunk: other file, indexes, Bloom filter, key-value metadata."""
    struct, metadata = chunk.struct, chunk.metadata
    result = []
    if chunk.elsewhere:
        meaning = "the column chunk lies in that file, with its indexes: open that file to see them"
        result.append(Fact("file", chunk.elsewhere, meaning))
    for name, offset, meaning in (
        ("column_index", struct.column_index_offset, "bounds and counts of each page, to skip pages"),
        ("offset_index", struct.offset_index_offset, "place and first row of each page"),
        ("bloom_filter", metadata.bloom_filter_offset, "tells values that are certainly not here"),
    ):
        shown = None if offset is None else f"at byte {offset:,}"
        address = None if offset is None or chunk.elsewhere else Address.of(chunk.address, name)
        words = meaning if offset is not None else f"there is none; {meaning}"
        result.append(Fact(name.replace("_", " "), shown, words, address=address))
    pairs = metadata.key_value_metadata
    if pairs:
        address = Address.of(chunk.address, "key_value_metadata")
        meaning = "notes that the writer left for this column"
        result.append(Fact("key-value metadata", len(pairs), meaning, address=address))
    return result
