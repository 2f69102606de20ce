"""What the options cannot mean for a column: refused before a byte is written, with the rule.

`options` refuses what is wrong in itself; here is what only the schema shows to be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pqexplore.engine import codecs
from pqexplore.engine.bloom import BLOCK_BYTES, MOST_BYTES
from pqexplore.engine.encodings import byte_stream_split
from pqexplore.engine.encryption.keys import Path
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.logical import annotation, physical_name
from pqexplore.engine.ordering import Order, is_float, type_order
from pqexplore.engine.schema import Leaf, Schema
from pqexplore.engine.thrift.structs import Encoding, Type, enum_name
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions, as_path

_ALL = tuple(Type)
ENCODES: dict[int, Sequence[int]] = {
    Encoding.PLAIN: _ALL,
    Encoding.PLAIN_DICTIONARY: _ALL,
    Encoding.RLE_DICTIONARY: _ALL,
    Encoding.RLE: (Type.BOOLEAN,),
    Encoding.BIT_PACKED: (),
    Encoding.DELTA_BINARY_PACKED: (Type.INT32, Type.INT64),
    Encoding.DELTA_LENGTH_BYTE_ARRAY: (Type.BYTE_ARRAY,),
    Encoding.DELTA_BYTE_ARRAY: (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY),
    Encoding.BYTE_STREAM_SPLIT: byte_stream_split.TYPES,
    Encoding.ALP: (Type.FLOAT, Type.DOUBLE),
}
"""The physical types whose values each encoding takes (specification, "Encodings")."""


def check_paths(schema: Schema, options: WriteOptions) -> None:
    """Raise UsageError where an option is for a field that the schema does not have."""
    known = {".".join(field.path) for field in schema.fields}
    leaves = {".".join(leaf.path) for leaf in schema.leaves}
    for path in (*options.columns, *options.encodings):
        _in(known, "field", as_path(path))
    for path, _, _ in options.sorting_columns:
        _in(leaves, "column", as_path(path))
    if options.encryption is not None:
        for path in options.encryption.columns or ():
            if path:
                _in(leaves, "column", path)


def _in(known: set[str], what: str, path: Path) -> None:
    if ".".join(path) not in known:
        shown = ", ".join(sorted(known - {""})[:20])
        raise UsageError(f"there is no {what} {'.'.join(path)!r}; there are {shown}")


def check_column(leaf: Leaf, options: ColumnOptions) -> None:
    """Raise UsageError, with the rule, for the first thing that the options cannot mean for the leaf."""
    for reason in problems(leaf, options):
        raise UsageError(f"{'.'.join(leaf.path)}: {reason}")


def problems(leaf: Leaf, options: ColumnOptions) -> Iterator[str]:
    """The sentences of all that is wrong."""
    found = annotation(leaf)
    if found.problem is not None:
        yield found.problem.message
        return
    yield from _encoding_problems(leaf, options)
    try:
        codecs.compress(int(options.codec), b"", options.codec_level)
    except (UsageError, ParquetError) as error:
        yield str(error)
    order = options.column_order
    if order == "IEEE_754_TOTAL_ORDER" and not is_float(leaf):
        yield f"IEEE_754_TOTAL_ORDER is an order of floating point numbers, not of {physical_name(leaf)}"
    if order == "INT96_TIMESTAMP_ORDER" and leaf.physical_type != Type.INT96:
        yield f"INT96_TIMESTAMP_ORDER is an order of INT96, not of {physical_name(leaf)}"
    if options.bloom_filter:
        size = options.bloom_filter_bytes
        if size is not None and (size % BLOCK_BYTES or size > MOST_BYTES):
            yield (
                f"bloom_filter_bytes={size:,}: a Bloom filter is whole blocks of {BLOCK_BYTES} bytes, "
                f"at most {MOST_BYTES:,}"
            )
        if not 0 < options.bloom_filter_fpp < 1:
            yield f"bloom_filter_fpp={options.bloom_filter_fpp}: a probability lies between 0 and 1"
    if options.shredding is not None:
        yield "shredding is for VARIANT groups, each by its path in columns"


def _encoding_problems(leaf: Leaf, options: ColumnOptions) -> Iterator[str]:
    asked = options.encoding
    for name, encoding in (("encoding", asked), ("fallback", options.fallback)):
        if encoding is None:
            continue
        number = int(encoding)
        if leaf.physical_type not in ENCODES[number]:
            takes = ", ".join(enum_name(Type, each) for each in ENCODES[number])
            what = f"encodes {takes}" if takes else "encodes levels, not values"
            if name == "encoding" or asked is None:
                yield f"{enum_name(Encoding, number)} {what}; the column is {physical_name(leaf)}"
        if name == "fallback" and number in (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY):
            yield "the fallback of a dictionary cannot be a dictionary"
    level = int(options.level_encoding)
    if level not in (Encoding.RLE, Encoding.BIT_PACKED):
        yield f"levels are encoded with RLE or BIT_PACKED, not {enum_name(Encoding, level)}"
    if level == Encoding.BIT_PACKED and options.page_version == 2:
        yield "the levels of V2 pages are RLE, always"
    if options.delta_block_size < 1 or options.delta_block_size % 128:
        yield f"delta_block_size={options.delta_block_size}: a block has a multiple of 128 values"
    elif (
        options.delta_miniblocks < 1
        or options.delta_block_size % options.delta_miniblocks
        or options.delta_block_size // options.delta_miniblocks % 32
    ):
        yield f"delta_miniblocks={options.delta_miniblocks}: a miniblock has a multiple of 32 values"
    if not 3 <= options.alp_log_vector_size <= 15:
        yield f"alp_log_vector_size={options.alp_log_vector_size}: the format has 3 to 15"
    if options.sort_dictionary and _unordered(leaf, options):
        yield f"a dictionary of {physical_name(leaf)} cannot be sorted: the column has no order"


def _unordered(leaf: Leaf, options: ColumnOptions) -> bool:
    return type_order(leaf) is Order.NONE and options.column_order != "INT96_TIMESTAMP_ORDER"
