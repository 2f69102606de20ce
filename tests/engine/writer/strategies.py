"""Hypothesis strategies: tables of any types, nesting and nulls, and the options that they can be written under.

A reader that lacks a type or an encoding gets tables without: `tables(PRIMITIVES minus …)`, `options_for(…, suits=…)`.
"""

import datetime
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from pqexplore.engine.format.encodings import REGISTRY
from pqexplore.engine.format.ordering import Order, is_float, type_order
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.prepare import prepare

moments = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))
in_utc = moments.map(lambda moment: moment.replace(tzinfo=datetime.UTC))


def decimals(precision, scale):
    most = 10**precision - 1
    return st.integers(-most, most).map(lambda n: Decimal((n < 0, tuple(map(int, str(abs(n)))), -scale)))


def integers(bits, signed):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.integers(low, high)


PRIMITIVES = {
    pa.bool_(): st.booleans(),
    pa.int8(): integers(8, True),
    pa.int16(): integers(16, True),
    pa.int32(): integers(32, True),
    pa.int64(): integers(64, True),
    pa.uint8(): integers(8, False),
    pa.uint16(): integers(16, False),
    pa.uint32(): integers(32, False),
    pa.uint64(): integers(64, False),
    pa.float16(): st.floats(width=16).map(np.float16),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats() | st.integers(0, 50).map(lambda n: n / 4),
    pa.string(): st.text(max_size=12) | st.sampled_from(["", "a", "ab"]),
    pa.binary(): st.binary(max_size=12),
    pa.binary(3): st.binary(min_size=3, max_size=3),
    pa.date32(): moments.map(lambda moment: moment.date()),
    pa.time32("ms"): st.integers(0, 86_399_999),
    pa.time64("us"): moments.map(lambda moment: moment.time()),
    pa.timestamp("ms"): st.integers(-(10**13), 10**13),
    pa.timestamp("us"): moments,
    pa.timestamp("us", "UTC"): in_utc,
    pa.timestamp("ns"): st.integers(-(2**62), 2**62),
    pa.decimal128(9, 2): decimals(9, 2),
    pa.decimal128(18, 0): decimals(18, 0),
    pa.decimal128(38, 10): decimals(38, 10),
    pa.decimal256(60, 5): decimals(60, 5),
    pa.null(): st.none(),
}
"""Arrow types, and a strategy for what `pyarrow.array` takes as their values."""


def fields(primitives, unique_keys):
    """`(type, strategy for its values, whether it may be null)`, nested to any depth."""

    def nullable(pair):
        return st.just((*pair, True)) if pair[0] == pa.null() else st.booleans().map(
            lambda null: (*pair, null)
        )  # fmt: skip

    def values(kind, strategy, null):
        return st.none() | strategy if null else strategy

    def lists(inner):
        kind, _, null = inner
        element = pa.field("element", kind, nullable=null)
        return pa.list_(element), st.lists(values(*inner), max_size=4)

    def structs(inner):
        names = [f"f{index}" for index in range(len(inner))]
        kind = pa.struct([pa.field(name, kind, nullable=null) for name, (kind, _, null) in zip(names, inner)])
        members = dict(zip(names, (values(*each) for each in inner)))
        return kind, st.fixed_dictionaries(members)

    def maps(inner):
        kind, _, null = inner
        item = pa.field("value", kind, nullable=null)
        key = pa.field("key", pa.string(), nullable=False)
        pairs = st.tuples(st.text(max_size=3), values(*inner))
        by = (lambda pair: pair[0]) if unique_keys else None
        return pa.map_(key, item), st.lists(pairs, max_size=3, unique_by=by)

    leaves = st.sampled_from([(kind, PRIMITIVES[kind]) for kind in primitives]).flatmap(nullable)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map(lists).flatmap(nullable),
            st.lists(inner, min_size=1, max_size=3).map(structs).flatmap(nullable),
            inner.map(maps).flatmap(nullable),
        ),
        max_leaves=4,
    )


@st.composite
def tables(draw, primitives=tuple(PRIMITIVES), unique_keys=False):
    """Tables of up to three columns; `unique_keys` for readers whose maps have each key once."""
    chosen = draw(st.lists(fields(primitives, unique_keys), min_size=1, max_size=3))
    rows = draw(st.integers(0, 25))
    arrays, schema = [], []
    for index, (kind, strategy, null) in enumerate(chosen):
        value = st.none() | strategy if null else strategy
        few = draw(st.lists(value, min_size=1, max_size=8))
        cells = [few[(row * 5 + row // 3) % len(few)] for row in range(rows)]
        arrays.append(pa.array(cells, kind))
        schema.append(pa.field(f"c{index}", kind, nullable=null))
    return pa.table(arrays, schema=pa.schema(schema))


CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW")

FOREIGN_ENCODINGS = {
    (Encoding.ALP, Type.FLOAT),
    (Encoding.ALP, Type.DOUBLE),
    (Encoding.RLE_DICTIONARY, Type.BOOLEAN),
    (Encoding.PLAIN_DICTIONARY, Type.BOOLEAN),
}
"""Encodings that no other reader has, by physical type."""


def known_to_others(encoding, leaf):
    """Whether other readers have the encoding for the leaf's type."""
    return (encoding, leaf.physical_type) not in FOREIGN_ENCODINGS


def always(encoding, leaf):
    """This reader has them all."""
    return True


@st.composite
def options_for(draw, table, suits=always, annotations=("both", "logical"), codecs=CODECS):
    """Options for the table's columns; `suits(encoding, leaf)` is whether a reader has the encoding for the leaf."""
    columns = {}
    for leaf in prepare(table, WriteOptions()).schema.leaves:
        orders = ["TYPE_ORDER", "IEEE_754_TOTAL_ORDER"] if is_float(leaf) else ["TYPE_ORDER"]
        takes = [e.number for e in REGISTRY.values() if leaf.physical_type in e.physical_types]
        takes = [e for e in takes if suits(e, leaf)]
        columns[leaf.path] = {
            "encoding": draw(st.sampled_from([*takes, None])),
            "fallback": draw(st.sampled_from([e for e in takes if "DICTIONARY" not in e.name])),
            "column_order": draw(st.sampled_from(orders)),
            "sort_dictionary": draw(st.booleans()) and type_order(leaf) is not Order.NONE,
            "delta_block_size": draw(st.sampled_from([128, 256])),
            "delta_miniblocks": draw(st.sampled_from([1, 4])),
            "alp_log_vector_size": draw(st.sampled_from([3, 10])),
        }
    version = draw(st.sampled_from([1, 2]))
    return WriteOptions(codec=draw(st.sampled_from(codecs)), page_version=version,
        page_rows=draw(st.sampled_from([1, 3, 10, 1_000])), page_bytes=draw(st.sampled_from([8, 64, 1 << 20])),
        row_group_rows=draw(st.sampled_from([4, 11, 1_000])), dictionary_bytes=draw(st.sampled_from([16, 60, None])),
        statistics=draw(st.sampled_from([(), ("chunk",), ("chunk", "page")])),
        statistics_fields=draw(st.lists(st.sampled_from(STATISTICS), unique=True)),
        statistics_bytes=draw(st.sampled_from([1, 4, None])), index_bytes=draw(st.sampled_from([1, 4, None])),
        column_index=draw(st.booleans()), offset_index=draw(st.booleans()), bloom_filter=draw(st.booleans()),
        bloom_filter_bytes=draw(st.sampled_from([None, 32, 256])), checksum=draw(st.booleans()),
        size_statistics=draw(st.booleans()), annotations=draw(st.sampled_from(annotations)),
        metadata_copy=draw(st.booleans()), padding=draw(st.sampled_from([0, 5])),
        alignment=draw(st.sampled_from([1, 16])), version=draw(st.sampled_from([1, 2])),
        arrow_schema=draw(st.booleans()), columns=columns)  # fmt: skip


STATISTICS = ("bounds", "null_count", "distinct_count", "nan_count", "exactness", "legacy")


def shown(table):
    """The text of each column's values, so that NaN is itself and the zeros are two."""
    return [repr(plain(column.to_pylist())) for column in table.columns]


def plain(value):
    """A value in the form that all readers' Arrow types share."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, np.floating):
        value = float(value)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC)
    if isinstance(value, Decimal) and value.as_tuple().exponent == 0:
        value = int(value)  # for readers without unsigned integers
    return "NaN" if isinstance(value, float) and math.isnan(value) else value
