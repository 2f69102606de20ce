"""Refuses options that do not fit a column, with the rule, before a byte is written.

`options` refuses options that are wrong for any schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format import codecs, encodings
from pqexplore.engine.format.bloom import BLOCK_BYTES, MAX_BYTES
from pqexplore.engine.format.encryption.keys import Path
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import annotation, physical_name
from pqexplore.engine.format.ordering import Order, is_float, type_order
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.thrift.structs import Encoding, Type, enum_name
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions, as_path


def check_paths(schema: Schema, options: WriteOptions) -> None:
    """Raise UsageError if an option is for a field that the schema does not have."""
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
        listed = ", ".join(sorted(known - {""})[:20])
        raise UsageError(f"there is no {what} {'.'.join(path)!r}; expected one of {listed}")


def check_column(leaf: Leaf, options: ColumnOptions) -> None:
    """Raise UsageError, with the rule, for the first option that does not fit the leaf."""
    for reason in problems(leaf, options):
        raise UsageError(f"{'.'.join(leaf.path)}: {reason}")


def problems(leaf: Leaf, options: ColumnOptions) -> Iterator[str]:
    """A sentence for each option that does not fit the leaf."""
    problem = annotation(leaf).problem
    if problem is not None:
        yield problem.message
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
        if size is not None and (size % BLOCK_BYTES or size > MAX_BYTES):
            yield (f"bloom_filter_bytes={size:,}: expected a multiple of {BLOCK_BYTES}, at most {MAX_BYTES:,}")
        if not 0 < options.bloom_filter_fpp < 1:
            yield f"bloom_filter_fpp={options.bloom_filter_fpp}: expected a probability between 0 and 1"
    if options.shredding is not None:
        yield "shredding is an option of VARIANT groups; set it in columns, by the path of the group"


def _delta_problems(block_size: int, miniblocks: int) -> Iterator[str]:
    if block_size < 1 or block_size % 128:
        yield f"delta_block_size={block_size}: expected a multiple of 128"
    elif miniblocks < 1 or block_size % miniblocks or block_size // miniblocks % 32:
        yield f"delta_miniblocks={miniblocks}: a miniblock must have a multiple of 32 values"


def _encoding_problems(leaf: Leaf, options: ColumnOptions) -> Iterator[str]:
    asked = options.encoding
    for name, encoding in (("encoding", asked), ("fallback", options.fallback)):
        if encoding is None:
            continue
        number = int(encoding)
        found = encodings.REGISTRY.get(number)
        if found is None or leaf.physical_type not in found.physical_types:
            takes = "" if found is None else found.takes
            what = f"encodes {takes}" if takes else "encodes levels, not values"
            if name == "encoding" or asked is None:
                yield f"{enum_name(Encoding, number)} {what}; the column is {physical_name(leaf)}"
        if name == "fallback" and number in (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY):
            yield "the fallback of a dictionary cannot be a dictionary; PLAIN is the default"
    level = int(options.level_encoding)
    if level not in (Encoding.RLE, Encoding.BIT_PACKED):
        yield f"level_encoding is RLE or BIT_PACKED, not {enum_name(Encoding, level)}"
    if level == Encoding.BIT_PACKED and options.page_version == 2:
        yield "V2 pages have RLE levels; use level_encoding=RLE or page_version=1"
    yield from _delta_problems(options.delta_block_size, options.delta_miniblocks)
    if not 3 <= options.alp_log_vector_size <= 15:
        yield f"alp_log_vector_size={options.alp_log_vector_size}: expected 3 to 15"
    if options.sort_dictionary and _unordered(leaf, options):
        yield f"a dictionary of {physical_name(leaf)} cannot be sorted: the column has no order"


def _unordered(leaf: Leaf, options: ColumnOptions) -> bool:
    return type_order(leaf) is Order.NONE and options.column_order != "INT96_TIMESTAMP_ORDER"
