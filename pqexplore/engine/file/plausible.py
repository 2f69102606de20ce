"""Whether a page header is one that a writer may write, for bytes that nothing points at."""

from __future__ import annotations

from pqexplore.engine.file.page_headers import page_struct
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType

HEADER_PARTS = ("data_page_header", "index_page_header", "dictionary_page_header", "data_page_header_v2")
LEVEL_ENCODINGS = (Encoding.RLE, Encoding.BIT_PACKED)


def implausible(header: structs.PageHeader) -> str:
    """Why no writer writes such a header; empty if one may."""
    from pqexplore.engine.format.encodings import REGISTRY

    part = page_struct(header)
    if part is None or isinstance(part, structs.IndexPageHeader):
        return f"there is no page of type {header.type}"
    if sum(getattr(header, name) is not None for name in HEADER_PARTS) != 1:
        return "the header has parts for several types of pages"
    known = REGISTRY.get(part.encoding)
    if known is None or not known.physical_types:
        return f"no page has values in encoding {part.encoding}"
    if isinstance(part, structs.DataPageHeader) and not {
        part.definition_level_encoding,
        part.repetition_level_encoding,
    } <= {*LEVEL_ENCODINGS, Encoding.PLAIN}:
        return "levels are encoded with RLE or BIT_PACKED"
    if isinstance(part, structs.DataPageHeaderV2):
        levels = part.definition_levels_byte_length + part.repetition_levels_byte_length
        if levels > min(header.compressed_page_size, header.uncompressed_page_size):
            return "the levels are longer than the page"
        if part.num_nulls > part.num_values or part.num_rows > part.num_values:
            return "there are more nulls or rows than values"
    if header.uncompressed_page_size and not header.compressed_page_size:
        return "a body of no bytes cannot be decompressed"
    if part.num_values and not header.uncompressed_page_size and header.type == PageType.DICTIONARY_PAGE:
        return "a dictionary has entries and no bytes"
    return ""
