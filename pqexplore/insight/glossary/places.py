"""Where the bytes of each term are in a sample, and how they are read: `bytes_of("footer length")`.

No bytes and no values are kept here. The sample is written, opened and read when a card asks.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from pqexplore.insight.glossary.term import Term

if TYPE_CHECKING:
    from pqexplore.engine.fact import Fact
    from pqexplore.engine.file.file import ParquetFile

SHOWN = 16
"""Bytes that a card shows of a longer part."""

CHUNK = "row_groups/0/columns/0"
META = f"{CHUNK}/metadata/meta_data"
HEADER = f"{CHUNK}/pages/0/header"


@dataclasses.dataclass(frozen=True, slots=True)
class TermBytes:
    """The bytes of a term in a sample file, and what the engine reads there; or why it has none of its own."""

    term: str
    sample: str = ""
    """The sample's name: `pqexplore sample NAME` writes it."""
    address: str = ""
    start: int = 0
    end: int = 0
    """The bytes of the sample are [start, end)."""
    hex: str = ""
    """The first bytes, at most 16."""
    value: str = ""
    """What the engine reads there."""
    why: str = ""
    """Why the term has no bytes of its own; empty if it has."""

    @property
    def sentence(self) -> str:
        """All of it in one sentence."""
        if self.why:
            return self.why
        more = " …" if self.end - self.start > SHOWN else ""
        return (
            f"In the sample {self.sample}, {self.address} is [{self.start:,}, {self.end:,}): {self.hex}{more}, "
            f"which is read as {self.value}."
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """An address in a sample; `facts` are those of its node that say what the bytes mean."""

    sample: str
    address: str
    facts: tuple[str, ...] = ("value",)


PLACES: dict[str, Place | str] = {
    "magic": Place("nested", "magic", ("magic",)),
    "footer": Place("nested", "footer", ("version", "num_rows", "created_by")),
    "footer length": Place("nested", "footer_length", ("footer length",)),
    "row group": Place("nested", "row_groups/0", ("rows", "columns", "compressed size")),
    "column chunk": Place("nested", CHUNK, ("type", "values", "compressed size")),
    "column": Place("nested", f"{META}/path_in_schema"),
    "schema": Place("nested", "footer/schema"),
    "field id": Place("field-ids", "footer/schema/2/field_id"),
    "repetition": Place("nested", "footer/schema/1/repetition_type"),
    "physical type": Place("nested", f"{META}/type"),
    "logical type": Place("nested", "footer/schema/1/logicalType"),
    "converted type": Place("nested", "footer/schema/1/converted_type"),
    "key-value metadata": Place("extensions", "footer/key_value_metadata/0", ("key", "value")),
    "created by": Place("nested", "footer/created_by"),
    "sorting columns": Place(
        "extensions", "footer/row_groups/0/sorting_columns/0", ("column_idx", "descending", "nulls_first")
    ),
    "gap": Place("metadata-copy", "gaps/4", ("size", "reason")),
    "file offset": Place("metadata-copy", f"{CHUNK}/metadata/file_offset"),
    "encoding_stats": Place("nested", f"{META}/encoding_stats/0", ("page_type", "encoding", "count")),
    "page": Place("nested", f"{CHUNK}/pages/0", ("type", "values", "encoding")),
    "page header": Place("nested", HEADER, ("type", "uncompressed_page_size", "compressed_page_size")),
    "data page V2": Place("lz4-v2", f"{HEADER}/data_page_header_v2"),
    "index page": Place("unknown-pages", f"{CHUNK}/pages/2", ("type", "values", "header size")),
    "dictionary page": Place("booleans", f"{CHUNK}/pages/0", ("type", "values", "encoding")),
    "dictionary index": Place("metadata-copy", f"{CHUNK}/pages/1/values/1", ("value", "bits", "derivation")),
    "dictionary fallback": Place("dictionary-fallback", f"{CHUNK}/pages/5", ("type", "values", "encoding")),
    "encoding": Place("nested", f"{HEADER}/data_page_header/encoding"),
    "PLAIN": Place("nested", f"{CHUNK}/pages/0/values/0", ("value", "derivation")),
    "RLE": Place("dictionary-fallback", f"{CHUNK}/pages/1/definition_levels/0", ("level", "derivation")),
    "BIT_PACKED": Place("bit-packed-levels", f"{CHUNK}/pages/1/definition_levels", ("levels", "encoding")),
    "DELTA_BINARY_PACKED": Place("deltas", f"{CHUNK}/pages/0/values/1", ("value", "derivation")),
    "DELTA_LENGTH_BYTE_ARRAY": Place("deltas", "row_groups/0/columns/3/pages/0/values/1", ("value", "derivation")),
    "DELTA_BYTE_ARRAY": Place("deltas", "row_groups/0/columns/2/pages/0/values/1", ("value", "derivation")),
    "BYTE_STREAM_SPLIT": Place("deltas", "row_groups/0/columns/5/pages/0/values", ("values", "encoding")),
    "ALP": Place("alp", f"{CHUNK}/pages/0/values/1", ("value", "derivation")),
    "codec": Place("codecs", "row_groups/0/columns/1/metadata/meta_data/codec"),
    "ratio": "It is computed from the two sizes of a chunk or page, and stored nowhere.",
    "page checksum": Place("nested", f"{HEADER}/crc"),
    "definition level": Place("nested", f"{CHUNK}/pages/0/definition_levels/0", ("level", "bits", "derivation")),
    "repetition level": Place("nested", f"{CHUNK}/pages/0/repetition_levels/0", ("level", "bits", "derivation")),
    "nesting": "It is what the schema and the two kinds of levels say together; each of them has bytes, it has none.",
    "null": "A null takes no bytes among the values: only its definition level has bits.",
    "statistics": Place("nested", f"{META}/statistics"),
    "bounds": Place("truncated-statistics", f"{META}/statistics/max_value"),
    "column order": Place("nested", "footer/column_orders/0/TYPE_ORDER"),
    "page index": "It is the name of two parts, the column index and the offset index, which have the bytes.",
    "column index": Place("nested", f"{CHUNK}/column_index", ("min_values", "max_values", "boundary_order")),
    "offset index": Place(
        "nested", f"{CHUNK}/offset_index/page_locations/0", ("offset", "compressed_page_size", "first_row_index")
    ),
    "boundary order": Place("nested", f"{CHUNK}/column_index/boundary_order"),
    "Bloom filter": Place("bloom-filter", f"{CHUNK}/bloom_filter", ("size", "blocks", "bits set")),
    "size statistics": Place("nested", f"{META}/size_statistics/definition_level_histogram"),
    "NaN count": Place("float-order", f"{META}/statistics/nan_count"),
    "distinct values": Place("field-ids", f"{META}/statistics/distinct_count"),
    "geospatial statistics": Place("geometry", f"{META}/geospatial_statistics/bbox/xmin"),
    "CRS": Place("geometry", "footer/schema/2/logicalType/GEOMETRY/crs"),
    "Thrift": Place("nested", "footer/version", ("value", "field id", "type")),
    "varint": Place("deltas", "footer/num_rows"),
    "Variant": Place("variant", "row_groups/0/columns/1/pages/0/values/1"),
    "shredding": Place("variant-shredded", "footer/schema/4", ("name",)),
    "module": Place("encrypted-columns", "footer/module", ("module", "cipher")),
    "AAD": "It is not stored: reader and writer each build it from the place of the module.",
    "nonce": Place("encrypted-columns", "footer/module/nonce", ("nonce",)),
    "tag": Place("encrypted-columns", "footer/module/tag", ("tag",)),
    "encryption key": "A key is never in the file; the key metadata says only how to get it.",
    "cipher": Place("encrypted-columns", "crypto_metadata/encryption_algorithm"),
}
"""By the name of each term: where it has bytes, or in one sentence why it has none."""


def bytes_of(term: Term) -> TermBytes:
    """The bytes of a term in a sample that is written for it, and what the engine reads there."""
    place = PLACES[term.name]
    if isinstance(place, str):
        return TermBytes(term.name, why=place)
    file = _sample(place.sample)
    node = file.node(place.address)
    span = node.span
    assert span is not None, f"{place.address} of {place.sample} has no bytes"
    found = {fact.name: fact for fact in node.facts}
    read = ", ".join(_said(found[name]) for name in place.facts)
    shown = file.bytes(dataclasses.replace(span, end=min(span.end, span.start + SHOWN)))
    return TermBytes(term.name, place.sample, place.address, span.start, span.end, shown.hex(" "), read)


def _said(fact: Fact) -> str:
    """A fact in words: a field has no other value than its own, so its name is not needed."""
    from pqexplore.insight.short_text import inline

    text = inline(fact.value)
    return text if fact.name == "value" else f"{fact.name} {text}"


@functools.cache
def _sample(name: str) -> ParquetFile:
    from pqexplore.engine.file.file import open as open_file
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.writer.samples import SAMPLES

    sample = SAMPLES[name]
    return open_file(sample.data(), decryption=Decryption(**sample.keys) if sample.keys else None)
