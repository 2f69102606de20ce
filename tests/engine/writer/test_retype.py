"""Types that change without loss, and the near misses that are refused with their row and value."""

import dataclasses
import datetime
import decimal
import json
import struct
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import ours, parquet

import pqexplore
from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.format.types import arrow_type
from pqexplore.engine.writer import retype

DAYS = [datetime.date(2023, 12, 30) + datetime.timedelta(i) for i in range(100)]
STAMPS = [datetime.datetime(2024, 2, 28, 23, 59, 58, 7) + datetime.timedelta(hours=i) for i in range(100)]  # fmt: skip
IDS = [uuid.UUID(int=i * 0x1234_5678_9ABC_DEF0_1234_5678 + 7) for i in range(100)]
PRICES = [decimal.Decimal(i * 137 - 4_000) / 100 for i in range(100)]


def texts(values):
    return pa.array(values, pa.string())


def stored(values, **options):
    """A DECIMAL(9, 2) as pqexplore writes it with the options."""
    table = pa.table({"a": pa.array(values, pa.decimal128(9, 2))})
    return ours(table, pqexplore.WriteOptions(columns={"a": options}))


# The column, the new type, and the values as the new type has them.
LOSSLESS = {
    "dates": (texts([str(one) for one in DAYS]), "date32", DAYS),
    "leap days": (texts(["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", None]), "date32",
                  [datetime.date(2024, 2, 29), datetime.date(2000, 2, 29), datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None]),
    "timestamps with T": (texts([one.isoformat() for one in STAMPS]), "timestamp[us]", STAMPS),
    "timestamps with a space": (texts([str(one) for one in STAMPS]), "timestamp[us]", STAMPS),
    "timestamps in seconds": (texts(["1969-12-31T23:59:59", "2024-02-29T00:00:00"]), "timestamp[ms]",
                              [datetime.datetime(1969, 12, 31, 23, 59, 59), datetime.datetime(2024, 2, 29)]),
    "timestamps in Z": (texts(["2024-02-29T00:00:00.120Z"]), "timestamp[us, tz=UTC]",
                        [datetime.datetime(2024, 2, 29, 0, 0, 0, 120_000, datetime.UTC)]),
    "timestamps at +00:00": (texts(["2024-02-29 00:00:00+00:00"]), "timestamp[ms, tz=UTC]",
                             [datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC)]),
    "integers": (texts(["0", "-1", None, "9223372036854775807"]), "int64", [0, -1, None, 2**63 - 1]),
    "small integers": (texts(["0", "-2147483648"]), "int32", [0, -(2**31)]),
    "UUIDs": (texts([str(one) for one in IDS]), "uuid", [one.bytes for one in IDS]),
    "INT64": (pa.array([-(2**31), None, 2**31 - 1]), "int32", [-(2**31), None, 2**31 - 1]),
    "DOUBLE that is float": (pa.array([0.5, -0.0, float("inf"), 2.0**-140]), "float32", [0.5, -0.0, float("inf"), 2.0**-140]),
    "DOUBLE of whole numbers": (pa.array([1.0, None, -(2.0**53)]), "int64", [1, None, -(2**53)]),
    "FLOAT of whole numbers": (pa.array([1.0, 3.0], pa.float32()), "int32", [1, 3]),
    "no values": (texts([None, None]), "date32", [None, None]),
    "no rows": (texts([]), "timestamp[us]", []),
    "lists": (pa.array([["2024-01-01", None], [], None, ["2024-01-02"]]), "date32",
              [[datetime.date(2024, 1, 1), None], [], None, [datetime.date(2024, 1, 2)]]),
}  # fmt: skip


def written(column, **options):
    return parquet(pa.table({"a": column, "b": range(len(column))}), **options)


def path_of(data):
    with pqexplore.open(data) as file:
        return ".".join(file.schema.leaves[0].path)


@pytest.mark.parametrize("rows", [1 << 20, 30])
@pytest.mark.parametrize("name", LOSSLESS)
def test_a_column_gets_its_new_type_and_nothing_is_lost(name, rows, tmp_path):
    column, target, expected = LOSSLESS[name]
    data = written(column, row_group_size=33)
    options = pqexplore.WriteOptions(row_group_rows=rows)
    with pqexplore.open(data) as file:
        pqexplore.rewrite(file, tmp_path / "new.parquet", options, types={path_of(data): target})
    with pqexplore.open(tmp_path / "new.parquet") as new:
        found = new.read()
        assert found["a"].to_pylist() == expected
        assert found["b"].to_pylist() == list(range(len(column)))
        assert pq.read_table(tmp_path / "new.parquet").num_rows == len(column)
        assert arrow_type(new.schema.leaves[0]) == retype.TARGETS[target]
        assert [one for one in new.check() if one.severity.level != "note"] == []


@pytest.mark.parametrize("name, options", [
    ("BYTE_ARRAY", {"physical_type": "BYTE_ARRAY"}),
    ("FIXED_LEN_BYTE_ARRAY", {"physical_type": "FIXED_LEN_BYTE_ARRAY", "type_length": 7}),
    ("INT64", {"physical_type": "INT64"}),
])  # fmt: skip
@pytest.mark.parametrize("target", ["int32", "int64"])
def test_a_decimal_stays_one_in_an_integer(name, options, target, tmp_path):
    data = stored(PRICES, **options)
    with pqexplore.open(data) as file:
        if (name, target) == ("INT64", "int64"):
            with pytest.raises(UsageError, match="offered: int32"):
                pqexplore.rewrite(file, tmp_path / "new.parquet", types={"a": target})
            return
        pqexplore.rewrite(file, tmp_path / "new.parquet", types={"a": target})
    assert pq.ParquetFile(tmp_path / "new.parquet").schema.column(0).physical_type == target.upper()
    assert pq.read_table(tmp_path / "new.parquet")["a"].to_pylist() == PRICES


def int96(*values):
    raw = b"".join(struct.pack("<qi", nanos, day) for day, nanos in values)
    array = pa.Array.from_buffers(pa.binary(12), len(values), [None, pa.py_buffer(raw)])
    return ours(pa.table({"a": array}), pqexplore.WriteOptions(columns={"a": {"physical_type": "INT96"}}))


EPOCH = 2_440_588


@pytest.mark.parametrize("target", retype.STAMPS)
def test_int96(target, tmp_path):
    data = int96((EPOCH, 0), (EPOCH - 1, 86_399_999_000_000), (EPOCH + 365, 1_000_000))
    with pqexplore.open(data) as file:
        pqexplore.rewrite(file, tmp_path / "new.parquet", types={"a": target})
    found = pq.read_table(tmp_path / "new.parquet")["a"]
    assert found.type == retype.TARGETS[target]
    assert found.cast(pa.timestamp("ms")).cast(pa.int64()).to_pylist() == [0, -1, 365 * 86_400_000 + 1]  # fmt: skip


NAN = np.array([0x7FF8_0000_0000_0001], np.uint64).view(np.float64)

# The column, or the bytes of a file; the new type; the first row that is lost, and its value.
REFUSED = {
    "a date without zeros": (texts(["2024-01-01"] * 70 + ["2024-1-1", "2024-02-30"]), "date32", 70, "'2024-1-1'"),
    "a day that is none": (texts(["2024-01-01", None, "2023-02-29"]), "date32", 2, "'2023-02-29'"),
    "a space at the end": (texts(["2024-01-01", "2024-01-02 "]), "date32", 1, "'2024-01-02 '"),
    "an empty text": (texts([None, ""]), "date32", 1, "''"),
    "Z and +00:00": (texts(["2024-01-01T00:00:00Z", "2024-01-01T00:00:00+00:00"]), "timestamp[us, tz=UTC]", 1, r"00\+00:00"),
    "a zone as local time": (texts(["2024-01-01T00:00:00Z"]), "timestamp[us]", 0, "00Z"),
    "another zone": (texts(["2024-01-01T00:00:00+02:00"]), "timestamp[us, tz=UTC]", 0, r"\+02:00"),
    "T and a space": (texts(["2024-01-01T00:00:00", "2024-01-01 00:00:00"]), "timestamp[us]", 1, "01 00"),
    "digits that come and go": (texts(["2024-01-01T00:00:00.001", "2024-01-01T00:00:00"]), "timestamp[us]", 1, "00:00'"),
    "nanoseconds as microseconds": (texts(["2024-01-01T00:00:00.000000001"]), "timestamp[us]", 0, "00001'"),
    "a year beyond nanoseconds": (texts(["2024-01-01T00:00:00", "2999-01-01T00:00:00"]), "timestamp[ns]", 1, "2999"),
    "a leading zero": (texts(["1", "07"]), "int64", 1, "'07'"),
    "a plus": (texts(["+1"]), "int64", 0, r"'\+1'"),
    "minus zero": (texts(["0", "-0"]), "int32", 1, "'-0'"),
    "hexadecimal": (texts(["0x10"]), "int64", 0, "'0x10'"),
    "a number beyond INT32": (texts(["1", "2147483648"]), "int32", 1, "'2147483648'"),
    "a UUID in capitals": (texts([str(IDS[1]), str(IDS[2]).upper()]), "uuid", 1, str(IDS[2]).upper()),
    "a UUID in braces": (texts(["{" + str(IDS[1]) + "}"]), "uuid", 0, "{"),
    "dashes elsewhere": (texts([str(IDS[1]), str(IDS[1]).replace("-", "", 1) + "-"]), "uuid", 1, "-"),
    "one INT64 that is large": (pa.array([1] * 99 + [2**31]), "int32", 99, "2147483648"),
    "a DOUBLE with more digits": (pa.array([0.5, None, 0.1]), "float32", 2, "0.1"),
    "a NaN with a payload": (pa.array(np.append([1.0], NAN)), "float32", 1, "nan"),
    "minus zero as an integer": (pa.array([0.0, -0.0]), "int64", 1, "-0.0"),
    "a NaN as an integer": (pa.array([0.0, float("nan")]), "int64", 1, "nan"),
    "an element of a list": (pa.array([["2024-01-01"], [], ["2024-01-01", None, "x"]]), "date32", 2, "'x'"),
    "INT96 nanoseconds": (int96((EPOCH, 0), (EPOCH, 1)), "timestamp[us]", 1, ""),
    "INT96 that is not set": (int96((EPOCH, 0), (0, 0)), "timestamp[us]", 1, ""),
    "INT96 beyond nanoseconds": (int96((EPOCH, 0), (EPOCH + 200_000, 0)), "timestamp[ns]", 1, ""),
}  # fmt: skip


@pytest.mark.parametrize("size", [1_000, 10])
@pytest.mark.parametrize("name", REFUSED)
def test_a_value_that_would_be_lost_is_refused_with_its_row(name, size, tmp_path):
    column, target, row, value = REFUSED[name]
    data = column if isinstance(column, bytes) else written(column, row_group_size=size)
    with (
        pqexplore.open(data) as file,
        pytest.raises(UsageError, match=rf"row {row} holds .*{value}.*, which would be lost") as caught,  # fmt: skip
    ):
        pqexplore.rewrite(file, tmp_path / "new.parquet", types={path_of(data): target})
    assert f"types[{path_of(data)!r}]" in str(caught.value)
    assert not list(tmp_path.iterdir())


WRONG = [
    ({"c": "date32"}, r"types\['c'\]: no column 'c'"),
    ({"b": "date32"}, r"types\['b'\]: INT64 is not changed to 'date32'; offered: int32"),
    ({"a": "datum"}, r"types\['a'\]: STRING is not changed to 'datum'; offered: date32, timestamp"),
]


@pytest.mark.parametrize("types, message", WRONG)
def test_what_is_not_offered_is_refused(types, message, tmp_path):
    with pqexplore.open(written(texts(["2024-01-01"]))) as file, pytest.raises(UsageError, match=message):
        pqexplore.rewrite(file, tmp_path / "new.parquet", types=types)


def test_no_value_of_an_encrypted_column_is_in_the_error(tmp_path):
    keys = pqexplore.Decryption(footer_key=b"k" * 16)
    options = pqexplore.WriteOptions(encryption=pqexplore.Encryption(b"k" * 16))
    pqexplore.write(pa.table({"a": ["secret"]}), tmp_path / "old.parquet", options)
    with pytest.raises(UsageError, match="row 0 has a value that would be lost") as caught:
        pqexplore.rewrite(tmp_path / "old.parquet", tmp_path / "new.parquet", types={"a": "date32"}, decryption=keys)  # fmt: skip
    assert "secret" not in str(caught.value)


def test_the_new_file_is_verified_by_converting_back(tmp_path, monkeypatch):
    def wrong(self, column, chunk):
        values, _ = self.converted(column.values)
        return dataclasses.replace(column, values=values.take([1, 0]))

    monkeypatch.setattr(retype.Change, "column", wrong)
    with (
        pqexplore.open(written(texts(["2024-01-01", "2024-01-02"]))) as file,
        pytest.raises(CorruptFileError, match="differs from .* in column a"),
    ):
        pqexplore.rewrite(file, tmp_path / "new.parquet", types={"a": "date32"})


SPARK_KEY = "org.apache.spark.sql.parquet.row.metadata"


def test_what_other_programs_left_in_the_metadata_does_not_name_the_old_type(tmp_path):
    fields = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in (("day", "string"), ("n", "long"), ("s", "string"))]  # fmt: skip
    schema = pa.schema([
        pa.field("day", pa.dictionary(pa.int32(), pa.string()), metadata={"PARQUET:field_id": "7"}),
        ("n", pa.int64()),
        ("s", pa.large_string()),
    ])  # fmt: skip
    pandas = {"columns": [{"name": "day", "field_name": "day", "pandas_type": "unicode", "numpy_type": "object", "metadata": None}], "index_columns": []}  # fmt: skip
    pairs = {SPARK_KEY: json.dumps({"type": "struct", "fields": fields}), "pandas": json.dumps(pandas),
             "avro.schema": '{"type": "record"}', "note": "kept"}  # fmt: skip
    table = pa.table([texts([str(d) for d in DAYS]).dictionary_encode(), list(range(100)), ["x"] * 100], schema=schema)  # fmt: skip
    pq.write_table(table.replace_schema_metadata(pairs), tmp_path / "old.parquet")
    types = {"day": "date32", "n": "int32"}
    pqexplore.rewrite(tmp_path / "old.parquet", tmp_path / "new.parquet", types=types)
    found = pq.read_table(tmp_path / "new.parquet")
    assert found.schema.types == [pa.date32(), pa.int32(), pa.large_string()]
    metadata = {key.decode(): value.decode() for key, value in found.schema.metadata.items()}
    assert set(metadata) == {SPARK_KEY, "pandas", "note"}
    assert [f["type"] for f in json.loads(metadata[SPARK_KEY])["fields"]] == ["date", "integer", "string"]  # fmt: skip
    assert json.loads(metadata["pandas"])["columns"][0]["pandas_type"] == "date"
    with pqexplore.open(tmp_path / "new.parquet") as new:
        assert new.schema.leaves[0].element.field_id == 7
        found = {one.rule for one in pqexplore.diagnose(new).findings}
        assert not {rule for rule in found if "disagrees" in rule}
    # Without a change of types nothing is touched, and of a nested column all descriptions go.
    pqexplore.rewrite(tmp_path / "old.parquet", tmp_path / "same.parquet")
    with pqexplore.open(tmp_path / "old.parquet") as old, pqexplore.open(tmp_path / "same.parquet") as same:
        assert same.key_value_metadata == old.key_value_metadata


def test_a_description_of_a_nested_column_is_left_out(tmp_path):
    table = pa.table({"s": [{"day": "2024-01-01"}]}).replace_schema_metadata({"note": "kept"})
    pq.write_table(table, tmp_path / "old.parquet")
    pqexplore.rewrite(tmp_path / "old.parquet", tmp_path / "new.parquet", types={"s.day": "date32"})
    with pqexplore.open(tmp_path / "new.parquet") as new:
        assert list(new.key_value_metadata) == ["note"]
    assert pq.read_table(tmp_path / "new.parquet")["s"].to_pylist() == [{"day": datetime.date(2024, 1, 1)}]  # fmt: skip


@pytest.mark.parametrize("sort, step", [(("a",), 1), (("-a",), -1)])
def test_rows_are_sorted_in_the_order_of_the_new_type(sort, step, tmp_path):
    """As text, 10 is smaller than 9."""
    pq.write_table(pa.table({"a": texts(["10", "9", None, "-3"]), "b": [0, 1, 2, 3]}), tmp_path / "f")
    file = pqexplore.open(tmp_path / "f")
    types = {"a": "int32"}
    pqexplore.rewrite(file, tmp_path / "new.parquet", sort=sort, types=types)
    new = pqexplore.open(tmp_path / "new.parquet")
    rows = new.read().to_pylist()
    expected = [(-3, 3), (9, 1), (10, 0)][::step]
    assert [(row["a"], row["b"]) for row in rows] == [*expected, (None, 2)]
    prediction = pqexplore.what_if(file).predict(pqexplore.WriteOptions(), sort=sort, types=types)
    pqexplore.rewrite(file, tmp_path / "as.parquet", pqexplore.WriteOptions(), sort=sort, types=types)
    assert prediction.size == (tmp_path / "as.parquet").stat().st_size and not prediction.sampled
    assert prediction.diagnosis == pqexplore.diagnose(tmp_path / "as.parquet", level="footer").sentence
