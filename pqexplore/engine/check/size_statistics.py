"""Size statistics of a chunk against its values and levels; the levels named by the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import ChunkContents
    from pqexplore.engine.chunk import ColumnChunk


def findings(chunk: ColumnChunk, contents: ChunkContents) -> Iterator[Finding]:
    """The chunk's SizeStatistics."""
    told, leaf = chunk.metadata.size_statistics, chunk.leaf
    if told is None:
        return
    address = join(chunk.address, "metadata/meta_data/size_statistics")
    said = told.unencoded_byte_array_data_bytes
    if said is not None:
        if leaf.physical_type != Type.BYTE_ARRAY:
            yield Finding(
                "unencoded-bytes-unsuited",
                "warning",
                join(address, "unencoded_byte_array_data_bytes"),
                f"unencoded_byte_array_data_bytes is {said:,}, and the column is no BYTE_ARRAY",
                {"said": said},
                "SizeStatistics.unencoded_byte_array_data_bytes: This field should only be set for types that use "
                "BYTE_ARRAY as their physical type",
            )
        elif said != contents.byte_array_bytes:
            yield Finding(
                "unencoded-bytes-disagree",
                "error",
                join(address, "unencoded_byte_array_data_bytes"),
                f"unencoded_byte_array_data_bytes is {said:,}, the values have {contents.byte_array_bytes or 0:,} bytes",
                {"said": said, "values": contents.byte_array_bytes},
                "SizeStatistics.unencoded_byte_array_data_bytes: The number of physical bytes stored for BYTE_ARRAY "
                "data values assuming no encoding",
            )
    definition, repetition = name_levels(leaf)
    for name, names, counted in (
        ("repetition", repetition, contents.repetition_histogram),
        ("definition", definition, contents.definition_histogram),
    ):
        histogram = getattr(told, f"{name}_level_histogram")
        if not histogram:
            continue
        found = [contents.num_values] if counted is None else counted.tolist()
        if list(histogram) == found:
            continue
        if len(histogram) != len(found):
            problem = f"has {len(histogram):,} counts, the levels are {len(found):,}"
        else:
            level = next(
                i for i, pair in enumerate(zip(histogram, found, strict=True)) if pair[0] != pair[1]
            )
            problem = f"counts {histogram[level]:,} for level {level} ({names[level]}), which occurs {found[level]:,} times"
        yield Finding(
            "level-histogram-disagrees",
            "error",
            join(address, f"{name}_level_histogram"),
            f"the {name} level histogram {problem}",
            {"histogram": list(histogram), "levels": found},
            f"SizeStatistics.{name}_level_histogram: When present, there is expected to be one element corresponding to "
            "each level (i.e. size=max level + 1) where each element represents the number of times the level was "
            "observed in the data",
        )
