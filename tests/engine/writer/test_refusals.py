"""What the options, the schema or the values rule out is refused before a byte is written, with the rule."""

import io
from decimal import Decimal

import pyarrow as pa
import pytest
from made import ours

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import Encryption, WriteOptions

INTS = pa.table({"a": pa.array([1, 2, None], pa.int64())})
TEXT = pa.table({"a": ["x", "y", None]})
FLOATS = pa.table({"a": [1.5, 2.5]})
FLAGS = pa.table({"a": [True, False]})
DECIMAL_3 = structs.LogicalType(DECIMAL=structs.DecimalType(precision=3, scale=0))
DATE = structs.LogicalType(DATE=structs.DateType())


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"encoding": "HUFFMAN"}, "encoding='HUFFMAN' is unknown; expected one of PLAIN, PLAIN_DICTIONARY"),
        ({"encoding": 1}, "encoding=1 is unknown; expected one of PLAIN"),
        ({"codec": "zip"}, "codec='zip' is unknown; expected one of UNCOMPRESSED"),
        ({"page_version": 3}, "page_version=3 is unknown; expected one of 1, 2"),
        ({"version": 3}, "version=3 is unknown; expected one of 1, 2"),
        ({"page_rows": 0}, "page_rows=0: expected an integer of at least 1"),
        ({"row_group_rows": 0}, "row_group_rows=0: expected an integer of at least 1"),
        ({"padding": -1}, "padding=-1: expected a number of bytes"),
        ({"statistics": "chunk"}, "a sequence of names, not one string"),
        ({"statistics": ["file"]}, "statistics='file' is unknown; expected one of chunk, page"),
        ({"statistics_fields": ["median"]}, "statistics_fields='median'"),
        ({"column_order": "RANDOM"}, "column_order='RANDOM'"),
        ({"list_shape": "flat"}, "list_shape='flat'"),
        ({"extensions": {"Footer": b""}}, "extensions='Footer'"),
        ({"columns": {"a": {"colour": "red"}}}, r"columns\['a'\]: unknown column option 'colour'"),
        ({"columns": {"a": {"codec": "zip"}}}, "codec='zip'"),
    ],
)
def test_invalid_options_raise(options, rule):
    with pytest.raises(UsageError, match=rule):
        WriteOptions(**options)


@pytest.mark.parametrize(
    ("table", "options", "rule"),
    [
        (TEXT, {"encoding": "DELTA_BINARY_PACKED"}, "encodes INT32, INT64; the column is BYTE_ARRAY"),
        (INTS, {"encoding": "DELTA_BYTE_ARRAY"}, "encodes BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY"),
        (INTS, {"encoding": "DELTA_LENGTH_BYTE_ARRAY"}, "encodes BYTE_ARRAY; the column is INT64"),
        (INTS, {"encoding": "ALP"}, "ALP encodes FLOAT, DOUBLE; the column is INT64"),
        (FLAGS, {"encoding": "BYTE_STREAM_SPLIT"}, "BYTE_STREAM_SPLIT encodes FLOAT, DOUBLE"),
        (INTS, {"encoding": "RLE"}, "RLE encodes BOOLEAN; the column is INT64"),
        (INTS, {"encoding": "BIT_PACKED"}, "BIT_PACKED encodes levels, not values"),
        (INTS, {"fallback": "ALP"}, "ALP encodes FLOAT, DOUBLE"),
        (INTS, {"fallback": "RLE_DICTIONARY"}, "fallback of a dictionary cannot be a dictionary"),
        (INTS, {"level_encoding": "PLAIN"}, "level_encoding is RLE or BIT_PACKED, not PLAIN"),
        (INTS, {"level_encoding": "BIT_PACKED", "page_version": 2}, "V2 pages have RLE levels"),
        (INTS, {"codec": "SNAPPY", "codec_level": 3}, "SNAPPY has no compression levels"),
        (INTS, {"codec": "GZIP", "codec_level": 30}, "GZIP has levels 0 to 9, not 30"),
        (INTS, {"delta_block_size": 100}, "expected a multiple of 128"),
        (INTS, {"delta_miniblocks": 8}, "a miniblock must have a multiple of 32 values"),
        (FLOATS, {"alp_log_vector_size": 2}, "expected 3 to 15"),
        (INTS, {"column_order": "IEEE_754_TOTAL_ORDER"}, "an order of floating point numbers"),
        (INTS, {"column_order": "INT96_TIMESTAMP_ORDER"}, "an order of INT96, not of INT64"),
        (INTS, {"bloom_filter": True, "bloom_filter_bytes": 33}, "expected a multiple of 32"),
        (INTS, {"bloom_filter": True, "bloom_filter_fpp": 1.0}, "expected a probability between 0 and 1"),
        (INTS, {"columns": {"b": {"codec": "ZSTD"}}}, "there is no field 'b'; expected one of a"),
        (INTS, {"encodings": {"a.b": "PLAIN"}}, "there is no field 'a.b'"),
        (INTS, {"sorting_columns": [("b", False, False)]}, "there is no column 'b'"),
        (INTS, {"encryption": Encryption(bytes(16), {"b": None})}, "there is no column 'b'"),
        (INTS, {"columns": {"a": {"logical_type": "STRING"}}}, "STRING annotates BYTE_ARRAY, not INT64"),
        (INTS, {"columns": {"a": {"logical_type": "POEM"}}}, "logical_type='POEM' is unknown; expected STRING"),
        (INTS, {"columns": {"a": {"logical_type": "DECIMAL"}}}, "DECIMAL has parameters"),
        (INTS, {"columns": {"a": {"logical_type": DATE}}}, "DATE annotates INT32, not INT64"),
        (INTS, {"columns": {"a": {"shredding": pa.int64()}}}, "shredding is an option of VARIANT groups"),
        (INTS, {"columns": {"a": {"physical_type": "INT96"}}}, "int64 cannot be stored as INT96"),
        (INTS, {"columns": {"a": {"physical_type": "FIXED_LEN_BYTE_ARRAY"}}}, "needs a type_length"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_a_column_raise(table, options, rule):
    out = io.BytesIO()
    with pytest.raises(UsageError, match=rule):
        write(table, out, WriteOptions(**options))
    assert out.getvalue() == b""


def test_column_orders_of_some_columns_only_raise():
    table = pa.table({"a": [1], "b": [2]})
    with pytest.raises(UsageError, match="one order for each column, or is absent"):
        write(table, io.BytesIO(), WriteOptions(columns={"a": {"column_order": None}}))


LIST = pa.list_(pa.field("element", pa.int32()))
PLAIN_LIST = pa.list_(pa.field("element", pa.int32(), nullable=False))
FILE = pa.struct([("uri", pa.string()), ("offset", pa.int64()), ("size", pa.int64())])


def of(values, kind, **options):
    return pa.table({"a": pa.array(values, kind)}), {"columns": {"a": options}}


def shredded_twice():
    """A row that has both value and typed_value, which only objects may have."""
    kind = pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.int64())])
    row = {"metadata": b"\x01\0\0", "value": b"\x0c\x05", "typed_value": 5}
    return of([row], kind, logical_type="VARIANT")


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        (of([Decimal("1000")], pa.decimal128(10, 0), logical_type=DECIMAL_3), "Decimal value does not fit"),
        (of([1000], pa.int32(), logical_type=DECIMAL_3), "expected at most 3 digits; value 0 is 1000"),
        (of([300], pa.int32(), logical_type=structs.LogicalType(INTEGER=structs.IntType(bitWidth=8, isSigned=True))),
         "expected an integer from -128 to 127; value 0 is 300"),
        (of([b"\xff"], pa.binary(), logical_type="STRING"), "a .STRING.: Invalid UTF8"),
        (of([b"abc"], pa.binary(), physical_type="FIXED_LEN_BYTE_ARRAY", type_length=2), "FIXED_LEN_BYTE_ARRAY.2. stores values of 2 bytes; value 0 has 3"),
        (of([b"no WKB"], pa.binary(), logical_type="GEOMETRY"), "GEOMETRY values are WKB; value 0 is not"),
        (of([[None]], LIST, list_shape="two-level"), "required and the array has 1 nulls"),
        (of([None], PLAIN_LIST, list_shape="repeated"), "required and the array has 1 nulls"),
        (of([{}], pa.struct([])), "a group needs at least one field"),
        (of([{"uri": "x", "offset": 1}], FILE, logical_type="FILE"), "row 0: an offset needs a size"),
        (of([{"size": 1}], FILE, logical_type="FILE"), "a size without uri and offset"),
        (of([{"x": 1}], pa.struct([("x", pa.int8())]), logical_type="FILE"), "x .int8. is not a field of FILE"),
        (of([{"x": 1}], pa.struct([("x", pa.int8())]), logical_type="VARIANT"), "metadata, value and typed_value"),
        (of([{"x": 1}], pa.struct([("x", pa.int8())]), logical_type="LIST"), "LIST cannot annotate a struct"),
        ((pa.table({"a": encode_array([1])}),
          {"columns": {"a": {"logical_type": "VARIANT", "shredding": pa.duration("s")}}}),
         "cannot be shredded as duration"),
        (shredded_twice(), "a, row 0"),
        ((pa.table({"a": [2, 1]}), {"sorting_columns": [("a", False, False)]}), "row 1 should come before row 0"),
        ((pa.table({"a": [1, None]}), {"sorting_columns": [("a", False, True)]}), "row 1 should come before row 0"),
        (of([1], pa.int32(), logical_type="UNKNOWN"), "all values are null; 1 are not"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_the_schema_raise(given, rule):
    table, options = given
    out = io.BytesIO()
    with pytest.raises(UsageError, match=rule):
        write(table, out, WriteOptions(**options))
    assert out.getvalue() == b""


@pytest.mark.parametrize("physical_type", ["INT32", "INT64", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"])
def test_decimal_with_too_many_digits_raises(physical_type):
    thousand = pa.py_buffer((1000).to_bytes(16, "little"))
    values = pa.Array.from_buffers(pa.decimal128(3, 0), 1, [None, thousand])
    options = WriteOptions(columns={"a": {"physical_type": physical_type}})
    with pytest.raises(UsageError, match="a .DECIMAL.3, 0..: .*1000"):
        write(pa.table({"a": values}), io.BytesIO(), options)


def test_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"the old one")
    table = pa.table({"good": [1, 2], "bad": pa.array([b"no WKB", b""], pa.binary())})
    with pytest.raises(UsageError):
        write(table, path, WriteOptions(columns={"bad": {"logical_type": "GEOMETRY"}}), overwrite=True)
    assert [each.name for each in tmp_path.iterdir()] == ["table.parquet"]
    assert path.read_bytes() == b"the old one"


def test_self_reference_in_an_encrypted_file_raises():
    table, options = of([{"offset": 0, "size": 4}], FILE, logical_type="FILE")
    with pytest.raises(UsageError, match="must not be encrypted"):
        write(table, io.BytesIO(), WriteOptions(**options, encryption=Encryption(bytes(16))))


def test_errors_about_encryption_do_not_show_keys():
    with pytest.raises(UsageError) as caught:
        Encryption(b"a secret of 17 b.")
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(WriteOptions(encryption=Encryption(b"a secret of 16 b")))


def test_each_file_of_an_encryption_has_its_own_identifier():
    encryption = Encryption(bytes(16), aad_prefix="täble")
    files = []
    for _ in range(2):
        file = pqexplore.open(
            ours(INTS, WriteOptions(encryption=encryption)), decryption=pqexplore.Decryption(bytes(16))
        )
        assert file.read().equals(INTS)
        files.append(encryption.encryptor())
    assert files[0].file_unique != files[1].file_unique
    assert files[0].aad_prefix == "täble".encode()
