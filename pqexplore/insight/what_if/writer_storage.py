"""How pyarrow, DuckDB, polars and Spark store a column: its type, when they use a dictionary, and what is beside the pages.

With the options that the code has and otherwise their defaults: pyarrow 26, DuckDB 2.0, polars 2.1. Their files are held
against this by `tests/insight/what_if/test_predictions.py`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import bloom
from pqexplore.engine.format.decimal import MAX_DIGITS
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import max_digits, meaning
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Type, enum_name
from pqexplore.insight.what_if.measure import Measured

ARROW_SCHEMA = "ARROW:schema"


def retyped(leaf: Leaf, writer: str, *, integers: bool = True) -> str:
    """The type that a writer gives to a column in place of the file's, as "INT64"; "" if it keeps that.

    `integers` says whether pyarrow is asked to store short decimals as integers.
    """
    logical = meaning(leaf)
    own = enum_name(Type, leaf.physical_type)
    if own == "INT96":
        return "" if writer == "Spark" else "INT64"
    if logical.name == "DECIMAL":
        target = _decimal(logical.precision, writer, integers=integers)
        fixed = own == "FIXED_LEN_BYTE_ARRAY"
        return "" if target == (f"{own}({leaf.type_length})" if fixed else own) else target
    if writer in ("DuckDB", "polars") and logical.name == "TIME":
        # DuckDB has nanoseconds in times without a zone only
        unit = "ns" if writer == "polars" or (logical.unit == "ns" and not logical.utc) else "us"
        return "" if unit == logical.unit else f"INT64, {_UNITS[unit]}"
    if writer == "DuckDB" and (logical.name, logical.unit) == ("TIMESTAMP", "ms"):
        return f"INT64, {_UNITS['us']}"
    if own == "FIXED_LEN_BYTE_ARRAY" and logical.name not in _FIXED.get(writer, (logical.name,)):
        return "FLOAT" if logical.name == "FLOAT16" else "BYTE_ARRAY"
    return ""


_UNITS = {"us": "microseconds", "ns": "nanoseconds"}

_FIXED = {"DuckDB": ("UUID", "INTERVAL"), "polars": ("FLOAT16",)}
"""The logical types that a writer stores with a fixed length."""


_MOST_DIGITS = {"DuckDB": 38, "polars": 38, "Spark": 38}
"""The digits of their decimals; Arrow's have more."""


def _decimal(precision: int, writer: str, *, integers: bool) -> str:
    if precision <= 18 and (integers or writer != "pyarrow"):
        return "INT32" if precision <= 9 else "INT64"
    if precision > _MOST_DIGITS.get(writer, MAX_DIGITS):
        return "another type"
    shortest = next(length for length in range(1, 64) if max_digits(length) >= precision)
    return f"FIXED_LEN_BYTE_ARRAY({16 if writer == 'DuckDB' else shortest})"


def has_dictionary(leaf: Leaf, writer: str, found: Measured) -> bool:
    """Whether DuckDB or polars gives a chunk a dictionary.

    DuckDB: for at most a fifth as many distinct values as rows (its option `DICTIONARY_SIZE_LIMIT`). polars: for at most
    three quarters as many as values, in columns that are neither nested nor decimals, floats or booleans; also for few
    integers that lie near each other.
    """
    if found.distinct is None or leaf.physical_type == Type.BOOLEAN:
        return False
    if writer == "DuckDB":
        return found.distinct <= found.rows / 5
    kinds = (Type.INT32, Type.INT64, Type.BYTE_ARRAY)
    plain = leaf.physical_type not in kinds or meaning(leaf).name == "DECIMAL" or len(leaf.path) > 1
    few = _FEW.get(leaf.physical_type, 0)
    near = found.distinct <= few and _spread(found) < 1 << 16
    return not plain and (near or found.distinct <= found.num_values * 0.75)


_FEW: dict[int, int] = {Type.INT32: 512, Type.INT64: 2048}
"""Distinct integers that polars gives a dictionary even if each occurs once."""


def _spread(found: Measured) -> int:
    """The largest integer less the smallest."""
    if found.bounds is None:
        return 0
    low, high = (int.from_bytes(bound, "little", signed=True) for bound in (found.bounds.min, found.bounds.max))
    return abs(high - low)


@dataclasses.dataclass(frozen=True)
class Footer:
    """What the size of a file's footer follows from, in bytes.

    `schema` are the schema's elements, `fields` their number, `key_values` those without ARROW:schema. `bounds` has the
    bytes of minimum and maximum of each leaf, in the first row group.
    """

    schema: int
    fields: int
    key_values: int
    bounds: Sequence[int]


def footer_of(file: ParquetFile) -> Footer:
    """The footer's parts. Raises ParquetError."""
    metadata = file.footer_metadata
    pairs = [len(encode(one)) for one in metadata.key_value_metadata or () if one.key != ARROW_SCHEMA]
    elements = [field.element for field in file.schema.fields]
    bounds = [_bounds(file, leaf) for leaf in file.schema.leaves]
    return Footer(sum(len(encode(one)) for one in elements), len(elements), sum(pairs), bounds)


_WIDTHS: dict[int, int] = {Type.BOOLEAN: 1, Type.INT32: 4, Type.FLOAT: 4, Type.INT64: 8, Type.DOUBLE: 8}


def _bounds(file: ParquetFile, leaf: Leaf) -> int:
    try:
        group = next(iter(file.row_groups), None)
        found = None if group is None else group.columns[leaf.leaf_index].metadata.statistics
    except ParquetError:
        found = None
    if found is not None and found.min_value is not None and found.max_value is not None:
        return len(found.min_value) + len(found.max_value)
    return 2 * _WIDTHS.get(leaf.physical_type, leaf.type_length or 12)


def beside_pages(footer: Footer, leaves: Sequence[Leaf], writer: str, row_groups: int) -> int:
    """Bytes of a file without its pages and Bloom filters: footer, page indexes, magic numbers."""
    fixed, per_field = 110, 0
    if writer != "DuckDB":
        fixed, per_field = fixed + 120, 66  # ARROW:schema, in base64
    if writer == "pyarrow":
        fixed += footer.key_values * 7 // 3  # also in ARROW:schema
    chunks = sum(
        _beside_chunk(leaf, footer.bounds[leaf.leaf_index], writer) for leaf in leaves
    )  # fmt: skip
    return fixed + footer.schema + per_field * footer.fields + row_groups * (30 + chunks)


def _beside_chunk(leaf: Leaf, bounds: int, writer: str) -> int:
    """Bytes of a chunk's metadata and, for polars, of its page index, as those three write them."""
    path = sum(len(name.encode()) + 1 for name in leaf.path)
    if writer == "polars":
        copy = 33 + path + bounds  # ColumnMetaData once more after each chunk
        return 18 + 2 * copy + (27 + bounds)
    # The deprecated min and max, too; pyarrow leaves them out where they would be in another order.
    unordered = leaf.physical_type in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY)
    pairs = 1 if writer == "pyarrow" and unordered else 2
    statistics = pairs * (bounds + 4)
    if writer == "pyarrow":  # in the page's header, too
        return 58 + path + 2 * statistics
    return 50 + path + statistics


def bloom_filter_bytes(found: Measured) -> int:
    """Bytes of the Bloom filter that DuckDB writes for a chunk with a dictionary, header included."""
    size = bloom.optimal_bytes(max(1, found.distinct or 0), 0.01)
    return 16 + (1 << (size - 1).bit_length())
