"""Checks the size statistics of a chunk against its values and levels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import ChunkContents
    from pqexplore.engine.file.column_chunk import ColumnChunk


def findings(chunk: ColumnChunk, contents: ChunkContents) -> Iterator[Finding]:
    """Findings about the chunk's SizeStatistics. Levels are named after the fields of the schema."""
    sizes, leaf = chunk.metadata.size_statistics, chunk.leaf
    if sizes is None:
        return
    address = Address.of(chunk.address, "metadata/meta_data/size_statistics")
    stated = sizes.unencoded_byte_array_data_bytes
    if stated is not None:
        if leaf.physical_type != Type.BYTE_ARRAY:
            yield Finding(
                "unencoded-bytes-unsuited",
                Address.of(address, "unencoded_byte_array_data_bytes"),
                f"unencoded_byte_array_data_bytes is {stated:,}, but the column is not BYTE_ARRAY",
                {"said": stated},
            )
        elif stated != contents.byte_array_bytes:
            yield Finding(
                "unencoded-bytes-disagree",
                Address.of(address, "unencoded_byte_array_data_bytes"),
                f"unencoded_byte_array_data_bytes is {stated:,}, the values have {contents.byte_array_bytes or 0:,} bytes",
                {"said": stated, "values": contents.byte_array_bytes},
                "SizeStatistics.unencoded_byte_array_data_bytes: The number of physical bytes stored for BYTE_ARRAY "
                "data values assuming no encoding",
            )
    definition, repetition = name_levels(leaf)
    for name, names, counted in (
        ("repetition", repetition, contents.repetition_histogram),
        ("definition", definition, contents.definition_histogram),
    ):
        histogram = getattr(sizes, f"{name}_level_histogram")
        if not histogram:
            continue
        actual = [contents.num_values] if counted is None else counted.tolist()
        if list(histogram) == actual:
            continue
        if len(histogram) != len(actual):
            problem = f"has {len(histogram):,} counts; expected {len(actual):,}, one for each level"
        else:
            level = next(i for i, pair in enumerate(zip(histogram, actual, strict=True)) if pair[0] != pair[1])
            problem = (
                f"counts {histogram[level]:,} for level {level} ({names[level]}), which occurs {actual[level]:,} times"
            )
        yield Finding(
            "level-histogram-disagrees",
            Address.of(address, f"{name}_level_histogram"),
            f"the {name} level histogram {problem}",
            {"histogram": list(histogram), "levels": actual},
            f"SizeStatistics.{name}_level_histogram: When present, there is expected to be one element corresponding to "
            "each level (i.e. size=max level + 1) where each element represents the number of times the level was "
            "observed in the data",
        )
