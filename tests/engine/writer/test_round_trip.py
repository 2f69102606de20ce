"""What is written is what is read: by this reader, by pyarrow and by DuckDB, for any types, nesting and options.

Values are compared by their text, so that NaN is itself and the zeros are two.
"""

import dataclasses
import datetime
import io
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pqexplore
from pqexplore.engine.ordering import is_float
from pqexplore.engine.thrift.structs import Encoding, Type
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import Encryption, WriteOptions
from pqexplore.engine.writer.prepare import prepare
from pqexplore.engine.writer.rules import ENCODES

modest = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))

moments = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))


def decimals(precision, scale):
    most = 10**precision - 1
    return st.integers(-most, most).map(
        lambda n: Decimal((n < 0, tuple(map(int, str(abs(n)))), -scale))
    )


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
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats() | st.integers(0, 50).map(lambda n: n / 4),
    pa.string(): st.text(max_size=12) | st.sampled_from(["", "a", "ab"]),
    pa.binary(): st.binary(max_size=12),
    pa.binary(3): st.binary(min_size=3, max_size=3),
    pa.date32(): moments.map(lambda moment: moment.date()),
    pa.time64("us"): moments.map(lambda moment: moment.time()),
    pa.timestamp("us"): moments,
    pa.decimal128(9, 2): decimals(9, 2),
    pa.decimal128(18, 0): decimals(18, 0),
    pa.decimal128(38, 10): decimals(38, 10),
}
DUCKDB_TYPES = (pa.bool_(), pa.int32(), pa.int64(), pa.float64(), pa.string(), pa.decimal128(9, 2))


def fields(primitives):
    """Arrow types with a strategy for their values, nested to any depth."""

    def nullable(pair):
        return st.booleans().map(lambda null: (*pair, null))

    def values(kind, strategy, null):
        return st.none() | strategy if null else strategy

    def lists(inner):
        kind, strategy, null = inner
        element = pa.field("element", kind, nullable=null)
        return pa.list_(element), st.lists(values(*inner), max_size=4)

    def structs(inner):
        names = [f"f{index}" for index in range(len(inner))]
        kind = pa.struct(
            [pa.field(name, kind, nullable=null) for name, (kind, _, null) in zip(names, inner)]
        )
        members = dict(zip(names, (values(*each) for each in inner)))
        return kind, st.fixed_dictionaries(members)

    def maps(inner):
        kind, strategy, null = inner
        item = pa.field("value", kind, nullable=null)
        key = pa.field("key", pa.string(), nullable=False)
        pairs = st.lists(st.tuples(st.text(max_size=3), values(*inner)), max_size=3)
        return pa.map_(key, item), pairs

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
def tables(draw, primitives=tuple(PRIMITIVES)):
    chosen = draw(st.lists(fields(primitives), min_size=1, max_size=3))
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


@st.composite
def options_for(draw, table, without=(), annotations=("both", "logical")):
    """Options that suit the table's columns; `without` are encodings that a reader does not have."""
    columns = {}
    for leaf in prepare(table, WriteOptions()).schema.leaves:
        orders = ["TYPE_ORDER", "IEEE_754_TOTAL_ORDER"] if is_float(leaf) else ["TYPE_ORDER"]
        suits = [e for e, types in ENCODES.items() if leaf.physical_type in types]
        suits = [e for e in suits if (e, leaf.physical_type) not in without]
        columns[leaf.path] = {
            "encoding": draw(st.sampled_from([*suits, None])),
            "column_order": draw(st.sampled_from(orders)),
        }
    return WriteOptions(
        codec=draw(st.sampled_from(CODECS)),
        page_version=draw(st.sampled_from([1, 2])),
        page_rows=draw(st.sampled_from([1, 3, 10, 1_000])),
        page_bytes=draw(st.sampled_from([8, 64, 1 << 20])),
        row_group_rows=draw(st.sampled_from([4, 11, 1_000])),
        dictionary_bytes=draw(st.sampled_from([16, 60, None])),
        sort_dictionary=draw(st.booleans()),
        statistics=draw(st.sampled_from([(), ("chunk",), ("chunk", "page")])),
        statistics_bytes=draw(st.sampled_from([1, 4, None])),
        index_bytes=draw(st.sampled_from([1, 4, None])),
        column_index=draw(st.booleans()),
        bloom_filter=draw(st.booleans()),
        checksum=draw(st.booleans()),
        size_statistics=draw(st.booleans()),
        annotations=draw(st.sampled_from(annotations)),
        metadata_copy=draw(st.booleans()),
        padding=draw(st.sampled_from([0, 5])),
        alignment=draw(st.sampled_from([1, 16])),
        columns=columns,
    )


def shown(table):
    return [repr(column.to_pylist()) for column in table.columns]


def written(table, options):
    out = io.BytesIO()
    write(table, out, options)
    return out.getvalue()


ENCRYPTED = Encryption(bytes(16), aad_prefix=b"prefix")
SIGNED = Encryption(bytes(16), plaintext_footer=True, algorithm="AES_GCM_CTR_V1")


@modest
@given(data=st.data())
def test_this_reader_reads_what_was_written_and_finds_nothing_wrong(data):
    table = data.draw(tables())
    encryption = data.draw(st.sampled_from([None, ENCRYPTED, SIGNED]))
    options = dataclasses.replace(data.draw(options_for(table)), encryption=encryption)
    keys = pqexplore.Decryption(bytes(16)) if encryption else None
    with pqexplore.open(written(table, options), decryption=keys) as file:
        read = file.read()
        assert read.schema.equals(table.schema)
        assert shown(read) == shown(table)
        assert [finding for finding in file.check() if finding.severity == "error"] == []


@modest
@given(data=st.data())
def test_bit_packed_levels_are_read_back(data):
    table = data.draw(tables())
    options = WriteOptions(level_encoding="BIT_PACKED", page_rows=data.draw(st.integers(1, 9)))
    assert shown(pqexplore.open(written(table, options)).read()) == shown(table)


PYARROW_CANNOT = {
    (Encoding.ALP, Type.FLOAT),
    (Encoding.ALP, Type.DOUBLE),
    (Encoding.RLE_DICTIONARY, Type.BOOLEAN),
    (Encoding.PLAIN_DICTIONARY, Type.BOOLEAN),
}
"""Encodings that pyarrow 26 has not, by physical type."""


@modest
@given(data=st.data())
def test_pyarrow_reads_what_was_written(data):
    table = data.draw(tables())
    options = data.draw(options_for(table, PYARROW_CANNOT))
    read = pq.read_table(io.BytesIO(written(table, options)), page_checksum_verification=True)
    assert read.schema.equals(table.schema)
    assert shown(read) == shown(table)


DUCKDB_CANNOT = PYARROW_CANNOT
"""Encodings that DuckDB 2.0 has not. It sees lists and maps by their converted type only."""


@modest
@given(data=st.data())
def test_duckdb_reads_what_was_written(data, tmp_path_factory):
    table = data.draw(tables(DUCKDB_TYPES))
    options = data.draw(options_for(table, DUCKDB_CANNOT, annotations=("both",)))
    path = tmp_path_factory.mktemp("duckdb") / "table.parquet"
    write(table, path, options)
    with duckdb.connect() as connection:
        rows = connection.sql(f"select * from '{path}'").to_arrow_table()
    assert shown(rows) == shown(table)


@pytest.mark.parametrize("page_version", [1, 2])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"page_rows": 2, "row_group_rows": 4},
        {"page_rows": 1, "bloom_filter": True, "statistics": ("chunk", "page")},
        {"page_rows": 2, "alignment": 16, "padding": 5, "metadata_copy": True},
        {"page_rows": 1, "dictionary_bytes": 16, "codec": "ZSTD"},
        {"encodings": {"number": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"}},
        {"encodings": {"float": "BYTE_STREAM_SPLIT", "text": "DELTA_LENGTH_BYTE_ARRAY"}},
    ],
)
def test_polars_reads_what_was_written(page_version, options, tmp_path):
    """A fixed table, not any: polars does not come back from some files whose features it lacks."""
    polars = pytest.importorskip("polars")
    table = pa.table(
        {
            "number": [1, 2, None] * 3,
            "float": [0.0, -0.0, float("nan")] * 3,
            "text": ["x", None, "zz"] * 3,
            "list": [[1, None], [], None] * 3,
            "struct": [{"x": 1}, None, {"x": None}] * 3,
            "map": pa.array([[("a", 1)], [], None] * 3, pa.map_(pa.string(), pa.int32())),
        }
    )
    path = tmp_path / "table.parquet"
    write(table, path, WriteOptions(page_version=page_version, **options))
    assert shown(polars.read_parquet(path).to_arrow()) == shown(table)


@modest
@given(data=st.data())
def test_two_writes_are_the_same_bytes(data):
    table = data.draw(tables())
    options = data.draw(options_for(table))
    assert written(table, options) == written(table, options)


@pytest.mark.parametrize("rows", [0, 3])
def test_a_table_without_columns_keeps_its_rows(rows):
    table = pa.table({"a": pa.array(range(rows), pa.int8())}).select([])
    data = written(table, WriteOptions())
    assert pqexplore.open(data).read().num_rows == rows
