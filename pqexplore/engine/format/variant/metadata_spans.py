"""Variant metadata as a tree of byte spans: header bits, offsets and strings.

Specification: "Metadata encoding" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant.byte_parts import Bits, VariantPart
from pqexplore.engine.format.variant.metadata import Metadata, unsigned
from pqexplore.engine.lazy_sequence import LazySequence


def read_metadata(buffer: bytes | memoryview) -> VariantPart:
    """The parts of metadata: header, dictionary size, offsets, strings."""
    raw = bytes(buffer)
    error: ParquetError | None = None
    parsed: Metadata | None = None
    try:
        parsed = variant_metadata.read(raw)
        parsed.require_sorted()
    except ParquetError as problem:
        error = problem
    whole = VariantPart("metadata", "metadata", 0, len(raw), error=error)
    if not raw:
        return whole
    size = (raw[0] >> 6) + 1
    header = VariantPart(
        "header",
        "header",
        0,
        1,
        raw[0],
        "Version, order and widths of the dictionary that follows.",
        bits=(
            Bits("version", 0, 3, raw[0] & 15, "Version of the encoding; always 1."),
            Bits("sorted_strings", 4, 4, raw[0] >> 4 & 1, "1: the strings are unique and in the order of their bytes."),
            Bits("unused", 5, 5, raw[0] >> 5 & 1, "No meaning."),
            Bits("offset_size_minus_one", 6, 7, raw[0] >> 6, f"Numbers below take {size} bytes."),
        ),
    )
    whole.children = children = [header]
    if parsed is None:
        if len(raw) > 1:
            children.append(VariantPart("unread", "bytes that cannot be read", 1, len(raw)))
        return whole
    count, base = len(parsed), min(1 + size * (len(parsed) + 2), len(raw))
    offsets = unsigned(raw, 1 + size, (base - 1 - size) // size, size)
    whole.value = parsed.names
    whole.label = f"metadata of {count:,} names"
    children.append(VariantPart("dictionary_size", f"{count:,} strings", 1, 1 + size, count, "How many strings."))
    if base > 1 + size:
        children.append(
            VariantPart(
                "offsets",
                f"{len(offsets):,} offsets",
                1 + size,
                base,
                meaning="Where each string starts, counted from the first string, and where the last one ends.",
                children=LazySequence(
                    len(offsets),
                    lambda i: VariantPart(
                        "offset", f"offset {i} = {offsets[i]}", 1 + size * (1 + i), 1 + size * (2 + i), int(offsets[i])
                    ),
                ),
            )
        )
    if base < len(raw):
        children.append(
            VariantPart(
                "strings",
                f"{count:,} strings",
                base,
                len(raw),
                meaning="The field names, one after the other.",
                children=LazySequence(
                    count,
                    lambda i: VariantPart(
                        "string",
                        f"{i} = {parsed.names[i]!r}",
                        base + int(offsets[i]),
                        base + int(offsets[i + 1]),
                        parsed.names[i],
                        f"The name that field id {i} stands for.",
                    ),
                ),
            )
        )
    return whole
