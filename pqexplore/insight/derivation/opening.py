"""The derivation of a section of a page: which encoding it has, and what that encoding needs to know.

What is found is kept with the file's other decoded things, so that stepping through a page scans it once.
"""

from __future__ import annotations

from pqexplore.engine.encodings import plain
from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError, located
from pqexplore.engine.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.sections import Section
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding, PageType, Type
from pqexplore.engine.tree import FILE
from pqexplore.insight.derivation import alp, deltas, runs
from pqexplore.insight.derivation import plain as plain_values
from pqexplore.insight.derivation.steps import Derivation

LEVELS = ("repetition_levels", "definition_levels")


def derivation(page: Page, name: str) -> Derivation:
    """The steps of the section `name` (repetition_levels, definition_levels, values).

    Raises ParquetError where not even the first step can be found, or the page is locked.
    """

    def make() -> Derivation:
        section = page.body.section(name)
        direct = section.span.space == FILE
        start = section.span.start if direct else page.frame.header_end
        with located(f"{page.address}/{name}", start, direct=direct):
            return _levels(page, section) if name in LEVELS else _values(page, section)

    found: Derivation = page.chunk.file.cache.get(
        ("derivation", page.address, name), make, lambda made: made.nbytes
    )
    return found


def encoding_of(page: Page, name: str) -> int | None:
    """The Encoding of a section; the values of a dictionary page are PLAIN, whatever its header calls them."""
    if name == "values":
        return page.encoding if page.is_data else Encoding.PLAIN
    if page.header.type == PageType.DATA_PAGE_V2:
        return Encoding.RLE
    encoding: int | None = getattr(page.header.data_page_header, f"{name[:-1]}_encoding", None)
    return encoding


def bit_width_of(page: Page, name: str) -> int:
    """The bits of a level."""
    leaf = page.chunk.leaf
    maximum = (
        leaf.max_repetition_level if name == "repetition_levels" else leaf.max_definition_level
    )
    return maximum.bit_length()


def _levels(page: Page, section: Section) -> Derivation:
    raw, width, count = bytes(section.data), bit_width_of(page, section.name), page.num_values
    if not width or not page.is_data:
        return runs.Runs(b"", 0, 0)
    if encoding_of(page, section.name) == Encoding.BIT_PACKED:
        return runs.Packed(raw, width, count)
    prefix = None if page.header.type == PageType.DATA_PAGE_V2 else runs.LENGTH
    return runs.Runs(raw, width, count, prefix=prefix)


def _values(page: Page, section: Section) -> Derivation:
    raw, encoding, leaf = bytes(section.data), encoding_of(page, "values"), page.chunk.leaf
    count = page.num_present if page.is_data else page.num_values
    kind = leaf.physical_type
    if encoding in DICTIONARY_ENCODINGS:
        if count and not raw:
            raise CorruptFileError(
                "indexes begin with their bit width; there are no bytes", offset=0
            )
        width = raw[0] if raw and count else 0
        if width > 32:
            raise CorruptFileError(f"the bit width of indexes is {width}; at most 32", offset=0)
        return runs.Runs(raw if count else b"", width, count, prefix=runs.WIDTH)
    if encoding == Encoding.PLAIN:
        return plain_values.Plain(raw, count, kind, leaf.type_length)
    if encoding == Encoding.RLE:
        if kind != Type.BOOLEAN:
            raise CorruptFileError("RLE encodes BOOLEAN values only", offset=0)
        return runs.Runs(raw, 1, count, prefix=runs.LENGTH)
    if encoding == Encoding.DELTA_BINARY_PACKED:
        if kind not in (Type.INT32, Type.INT64):
            raise UnsupportedFeatureError("DELTA_BINARY_PACKED is for INT32 and INT64", offset=0)
        return deltas.Deltas(raw, count, 32 if kind == Type.INT32 else 64)
    if encoding in (Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY):
        if kind not in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
            raise UnsupportedFeatureError("the encoding is for byte arrays", offset=0)
        return deltas.Strings(raw, count, prefixed=encoding == Encoding.DELTA_BYTE_ARRAY)
    if encoding == Encoding.BYTE_STREAM_SPLIT:
        if kind in (Type.BOOLEAN, Type.BYTE_ARRAY):
            raise CorruptFileError("BYTE_STREAM_SPLIT is for values of fixed width", offset=0)
        width = plain.value_bytes(kind, leaf.type_length)
        if width * count != len(raw):
            raise CorruptFileError(
                f"{count:,} values of {width} bytes take {width * count:,} bytes, there are {len(raw):,}",
                offset=0,
            )
        return plain_values.Split(raw, count, kind, width)
    if encoding == Encoding.ALP:
        return alp.Vectors(raw, count, kind)
    raise UnsupportedFeatureError(
        f"{structs.enum_name(Encoding, encoding)} is an encoding that cannot be taken apart here",
        offset=0,
    )


def plain_bytes(page: Page) -> int | None:
    """The bytes that a page's values would take in PLAIN; None where they cannot be decoded.

    A dictionary's entries are counted as often as they are used, without making an array of the values.
    """
    leaf = page.chunk.leaf
    try:
        count = page.num_present if page.is_data else page.num_values
        if leaf.physical_type == Type.BOOLEAN:
            return (count + 7) >> 3
        if leaf.physical_type != Type.BYTE_ARRAY:
            return count * plain.value_bytes(leaf.physical_type, leaf.type_length)
        import pyarrow.compute as pc

        ids = page.dictionary_ids
        if ids is not None:
            entries = page.chunk.dictionary_physical
            lengths = pc.binary_length(entries).to_numpy(zero_copy_only=False)
            return int(lengths.astype("i8")[ids].sum()) + 4 * count
        return int(pc.sum(pc.binary_length(page.physical)).as_py() or 0) + 4 * count
    except ParquetError:
        return None
