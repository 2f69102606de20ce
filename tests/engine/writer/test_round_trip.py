"""What is written is what is read: by this reader, by pyarrow and by DuckDB, for any types, nesting and options.

Values are compared by their text, so that NaN is itself and the zeros are two.
"""

import dataclasses
import io

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine.writer.strategies import PRIMITIVES, known_to_others, options_for, shown, tables
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from made import ours
from needs import needs, needs_pyarrow

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import LIST_SHAPES, MAP_SHAPES, Encryption, WriteOptions
from pqexplore.engine.writer.prepare import prepare

modest = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def written(table, options):
    return ours(table, options)


ENCRYPTED = Encryption(bytes(16), aad_prefix=b"prefix")
SIGNED = Encryption(bytes(16), plaintext_footer=True, algorithm="AES_GCM_CTR_V1")


@modest
@given(data=st.data())
def test_written_file_is_read_back_without_findings(data):
    table = data.draw(tables())
    first = prepare(table, WriteOptions()).schema.leaves[0].path
    own_key = Encryption(bytes(16), {first: b"k" * 24}, plaintext_footer=data.draw(st.booleans()))
    encryption = data.draw(st.sampled_from([None, ENCRYPTED, SIGNED, own_key]))
    options = dataclasses.replace(data.draw(options_for(table)), encryption=encryption)
    keys = pqexplore.Decryption(bytes(16), {first: b"k" * 24}) if encryption else None
    with pqexplore.open(written(table, options), decryption=keys) as file:
        read = file.read()
        assert read.schema.equals(table.schema)
        assert shown(read) == shown(table)
        assert [finding for finding in file.check() if finding.severity.level == "error"] == []


@modest
@given(data=st.data())
def test_bit_packed_levels_are_read_back(data):
    table = data.draw(tables())
    options = WriteOptions(level_encoding="BIT_PACKED", page_rows=data.draw(st.integers(1, 9)))
    assert shown(pqexplore.open(written(table, options)).read()) == shown(table)


NOT_STORABLE = ("is required and the array has", "a field repeats only once", "would repeat a MAP group")
"""Messages for what older shapes of lists cannot store: nulls, lists in lists, maps in lists."""


@needs_pyarrow(17, "it refuses FLOAT16, and it is one of the two readers")
@modest
@given(table=tables(), list_shape=st.sampled_from(LIST_SHAPES), map_shape=st.sampled_from(MAP_SHAPES))
def test_legacy_lists_and_maps_are_read_back_also_by_pyarrow(table, list_shape, map_shape):
    try:
        data = written(table, WriteOptions(list_shape=list_shape, map_shape=map_shape, page_rows=3))
    except UsageError as error:
        assert any(reason in str(error) for reason in NOT_STORABLE)
        reject()
    assert shown(pqexplore.open(data).read()) == shown(table)
    assert shown(pq.read_table(io.BytesIO(data))) == shown(table)


@needs_pyarrow(17, "it reads BYTE_STREAM_SPLIT of floats only, and crashes on some files")
@modest
@given(data=st.data())
def test_pyarrow_reads_what_was_written(data):
    table = data.draw(tables())
    options = data.draw(options_for(table, known_to_others))
    read = pq.read_table(io.BytesIO(written(table, options)), page_checksum_verification=True)
    assert read.schema.equals(table.schema)
    assert shown(read) == shown(table)


def known_to_duckdb(encoding, leaf):
    """Whether DuckDB 2.0 has the encoding for the leaf."""
    split = (encoding, leaf.physical_type) == SPLIT_BYTES
    return known_to_others(encoding, leaf) and not split


SPLIT_BYTES = (Encoding.BYTE_STREAM_SPLIT, Type.FIXED_LEN_BYTE_ARRAY)

WITHOUT_WIDE_DECIMALS = tuple(kind for kind in PRIMITIVES if not pa.types.is_decimal256(kind))
"""DuckDB 2.0 reads decimals of more than 38 digits as DOUBLE, polars 2.1 not at all."""


# It sees lists and maps by their converted type only.
@needs("duckdb", "2.0", "it reads fewer encodings")
@modest
@given(data=st.data())
def test_duckdb_reads_what_was_written(data, tmp_path_factory):
    table = data.draw(tables(WITHOUT_WIDE_DECIMALS))
    options = data.draw(options_for(table, known_to_duckdb, annotations=("both",)))
    path = tmp_path_factory.mktemp("duckdb") / "table.parquet"
    write(table, path, options)
    with duckdb.connect() as connection:
        rows = connection.sql(f"select * from '{path}'").to_arrow_table()
    assert shown(rows) == shown(table)


STRANGE_TO_POLARS = {(Encoding.DELTA_BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY), SPLIT_BYTES}


def known_to_polars(encoding, leaf):
    """Whether polars 2.1 has the encoding for the leaf.

    It forgets the nulls above a required leaf ("validity mask length must match") where the encoding is not one of
    the oldest.
    """
    below_nulls = leaf.repetition == 0 and leaf.max_definition_level
    recent = "DELTA" in encoding.name or encoding == Encoding.BYTE_STREAM_SPLIT
    return (
        known_to_others(encoding, leaf)
        and (encoding, leaf.physical_type) not in STRANGE_TO_POLARS
        and not (below_nulls and recent)
    )


def read_by_polars(data):
    polars = pytest.importorskip("polars")
    return polars.read_parquet(data).to_arrow()


# Without shrinking: what polars gets wrong is told at once and not after the minutes that Hypothesis allows for it.
@pytest.mark.full
@settings(modest, max_examples=150, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(data=st.data())
def test_polars_reads_what_was_written(data):
    table = data.draw(tables(WITHOUT_WIDE_DECIMALS, unique_keys=True))  # it keeps the last of equal keys
    options = data.draw(options_for(table, known_to_polars))
    assert shown(read_by_polars(written(table, options))) == shown(table)


def test_polars_reads_a_table_of_lists_structs_and_maps():
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
    options = WriteOptions(page_rows=1, row_group_rows=4, statistics=("chunk", "page"))
    assert shown(read_by_polars(written(table, options))) == shown(table)


CANNOT_BE_READ_BY_POLARS = {
    "wide decimals": (pa.array([1], pa.decimal256(60, 5)), {}),
    "ALP": (pa.array([0.5]), {"encoding": "ALP"}),
    "dictionaries of BOOLEAN": (pa.array([True]), {"encoding": "RLE_DICTIONARY"}),
    "DELTA_BYTE_ARRAY of fixed length": (pa.array([b"abc"], pa.binary(3)), {"encoding": "DELTA_BYTE_ARRAY"}),
    "BYTE_STREAM_SPLIT of fixed length": (pa.array([b"abc"], pa.binary(3)), {"encoding": "BYTE_STREAM_SPLIT"}),
    "nulls above a required leaf with a recent encoding": (
        pa.array([{"x": 1}, None], pa.struct([pa.field("x", pa.int32(), nullable=False)])),
        {"page_rows": 1, "columns": {"c.x": {"encoding": "DELTA_BINARY_PACKED"}}}),
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("what", CANNOT_BE_READ_BY_POLARS)
def test_polars_still_cannot_read(what):
    array, options = CANNOT_BE_READ_BY_POLARS[what]
    table = pa.table({"c": array})
    data = written(table, WriteOptions(**options))
    assert shown(pqexplore.open(data).read()) == shown(table)
    with pytest.raises(BaseException):  # a panic is no Exception
        read_by_polars(data)


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
