"""What a column chunk says of its values: statistics, sizes, levels, geometries; each fact with its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine import geospatial
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.outline.variant_nodes import variant_around
from pqexplore.engine.statistics import Bounds, bounds
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding, PageType
from pqexplore.engine.tree import Fact, join
from pqexplore.engine.values import format_value, physical_value, plain_length

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.schema import Leaf


def facts(chunk: ColumnChunk) -> Sequence[Fact]:
    """All of them; the chunk's metadata can be read."""
    return [
        *variant_part(chunk),
        *encoding_stats(chunk),
        *statistics(chunk),
        *size_statistics(chunk),
        *geospatial_statistics(chunk),
        *places(chunk),
    ]


def variant_part(chunk: ColumnChunk) -> Sequence[Fact]:
    """Which Variant the column is a part of, where it is, or could be, of one."""
    field = variant_around(chunk.leaf)
    if field is None:
        return []
    meaning = "the values of this column are parts of its Variants"
    if field.kind != "variant":
        meaning = "the group has the fields of a Variant, and does not say that it is one"
    return [
        Fact("part of Variant", ".".join(field.path), meaning, None, join("schema", field.index))
    ]


def statistics(chunk: ColumnChunk) -> Sequence[Fact]:
    """The chunk's bounds and counts, whether they are exact, and whether to believe them."""
    told = chunk.statistics
    if told is None:
        return [Fact("statistics", None, "none: a query cannot skip this chunk by its values")]
    try:
        found = bounds(chunk.leaf, told, chunk.file.created_by)
    except ParquetError as error:
        return [Fact("statistics", error.message, "why the statistics cannot be read")]
    assert found is not None
    return statistics_facts(chunk.leaf, found, join(chunk.address, "metadata/meta_data/statistics"))


def statistics_facts(leaf: Leaf, found: Bounds, address: str) -> Sequence[Fact]:
    """Decoded statistics as facts."""
    result = []
    for words, side, raw, value, exact in (
        ("minimum", "smallest", found.min_raw, found.min, found.min_exact),
        ("maximum", "largest", found.max_raw, found.max, found.max_exact),
    ):
        if raw is None:
            result.append(Fact(words, None, f"the writer left no {words}"))
            continue
        bound = "smaller" if side == "smallest" else "larger"
        meaning = {
            True: f"the {side} value",
            False: f"no value is {bound}; it is shortened, and no value itself",
            None: f"no value is {bound}; whether it is one itself is not said",
        }[exact]
        shown = _shown(leaf, raw) if value is None else value
        result.append(Fact(words, shown, f"{meaning}; nulls and NaNs left out", address=address))
        result.append(Fact(f"{words} is exact", exact, "whether it is a value that occurs"))
    if found.source:
        result += [
            Fact("trusted", found.trusted, found.why or "whether a query may skip by these bounds"),
            Fact("order", found.order.value, "how minimum and maximum were compared"),
            Fact(
                "bounds from",
                "min_value and max_value" if found.source == "min_value" else "min and max",
                "the newer fields follow the column's order, the older ones signed bytes",
            ),
        ]
    elif found.why:
        result.append(Fact("bounds", None, found.why))
    result.append(Fact("nulls", found.null_count, "values that are null"))
    for name, count, meaning in (
        ("distinct values", found.distinct_count, "different values that occur"),
        ("NaNs", found.nan_count, "values that are NaN; bounds never tell of them"),
    ):
        if count is not None:
            result.append(Fact(name, count, meaning))
    return result


def _shown(leaf: Leaf, raw: bytes) -> Any:
    """A bound for which Python has no object, as text."""
    if plain_length(leaf) not in (None, len(raw)):
        return "0x" + raw.hex()
    return format_value(leaf, physical_value(leaf, raw))


def size_statistics(chunk: ColumnChunk) -> Sequence[Fact]:
    """Bytes when decoded, and how often each level occurs, named by the schema."""
    told = chunk.metadata.size_statistics
    if told is None:
        return []
    address = join(chunk.address, "metadata/meta_data/size_statistics")
    result = []
    if told.unencoded_byte_array_data_bytes is not None:
        result.append(
            Fact(
                "decoded bytes",
                told.unencoded_byte_array_data_bytes,
                "bytes of all values when decoded, without their lengths",
                address=address,
            )
        )
    definition, repetition = name_levels(chunk.leaf)
    for words, names, counts in (
        ("definition level", definition, told.definition_level_histogram),
        ("repetition level", repetition, told.repetition_level_histogram),
    ):
        for level, count in enumerate(counts or ()):
            name = names[level] if level < len(names) else "a level that the schema does not have"
            result.append(
                Fact(f"{words} {level}", count, f"how many times: {name}", address=address)
            )
    return result


def geospatial_statistics(chunk: ColumnChunk) -> Sequence[Fact]:
    """The box around the geometries, and their types."""
    told = chunk.metadata.geospatial_statistics
    if told is None:
        return []
    address = join(chunk.address, "metadata/meta_data/geospatial_statistics")
    result = []
    box = geospatial.box_of(told)
    if box is not None:
        for axis in "xyzm":
            low, high = getattr(box, f"{axis}min"), getattr(box, f"{axis}max")
            if low is None and high is None:
                continue
            meaning = f"where the geometries lie, from the smallest to the largest {axis}"
            if axis == "x" and box.wraps:
                meaning += "; it crosses the antimeridian"
            result.append(Fact(f"{axis} range", f"{low} … {high}", meaning, address=address))
    kinds = ", ".join(geospatial.type_name(code) for code in told.geospatial_types or ())
    meaning = "types of the geometries that occur" if kinds else "the types are not told"
    result.append(Fact("geometry types", kinds or None, meaning, address=address))
    return result


def encoding_stats(chunk: ColumnChunk) -> Sequence[Fact]:
    """How many pages use which encoding, as the writer counted."""
    told = chunk.metadata.encoding_stats
    if not told:
        return []
    words = ", ".join(
        f"{one.count} {structs.enum_name(PageType, one.page_type)} {structs.enum_name(Encoding, one.encoding)}"
        for one in told[:100]
    )
    meaning = "how many pages use which encoding: whether all data pages are dictionary-encoded"
    address = join(chunk.address, "metadata/meta_data/encoding_stats")
    return [Fact("pages by encoding", words, meaning, address=address)]


def places(chunk: ColumnChunk) -> Sequence[Fact]:
    """What else belongs to the chunk, and where it lies."""
    struct, metadata = chunk.struct, chunk.metadata
    result = []
    if struct.file_path:
        result.append(
            Fact("file", struct.file_path, "the pages lie in that file; this one summarises it")
        )
    for name, offset, meaning in (
        (
            "column_index",
            struct.column_index_offset,
            "bounds and counts of each page, to skip pages",
        ),
        ("offset_index", struct.offset_index_offset, "place and first row of each page"),
        ("bloom_filter", metadata.bloom_filter_offset, "tells values that are certainly not here"),
    ):
        shown = None if offset is None else f"at byte {offset:,}"
        address = None if offset is None else join(chunk.address, name)
        words = meaning if offset is not None else f"there is none; {meaning}"
        result.append(Fact(name.replace("_", " "), shown, words, address=address))
    pairs = metadata.key_value_metadata
    if pairs:
        address = join(chunk.address, "key_value_metadata")
        meaning = "notes that the writer left for this column"
        result.append(Fact("key-value metadata", len(pairs), meaning, address=address))
    return result
