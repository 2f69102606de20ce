"""A data frame has the types that ARROW:schema declares, as pyarrow's has; a wrong ARROW:schema changes nothing."""

import base64
import datetime
import uuid

import pandas as pd
import pandas.testing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import parquet, rebuilt

import pqexplore
from pqexplore.engine.format.thrift import structs

if not hasattr(pa, "uuid"):
    pytest.skip("this pyarrow has no type for UUIDs", allow_module_level=True)

DAY = datetime.timedelta(days=1)
NOON = datetime.datetime(2026, 11, 24, 12)
BYTES = [uuid.UUID(int=1).bytes, None, uuid.UUID(int=2).bytes]
UUIDS = pa.ExtensionArray.from_storage(pa.uuid(), pa.array(BYTES, pa.binary(16)))
WORDS = pa.array(["b", None, "a"])
BERLIN = pa.timestamp("ns", "Europe/Berlin")
COLUMNS = {
    "duration": pa.array([DAY, None, 2 * DAY], pa.duration("us")),
    "duration_s": pa.array([1, None, 3], pa.duration("s")),
    "uuid": UUIDS,
    "dictionary": WORDS.dictionary_encode(),
    "category": pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), ["lo", "mid", "hi"], ordered=True),
    "of_numbers": pa.array([7, None, 7]).dictionary_encode(),
    "large_string": WORDS.cast(pa.large_string()),
    "zone": pa.array([NOON, None, NOON], BERLIN),
    "seconds": pa.array([NOON, None, NOON], pa.timestamp("s", "America/New_York")),
    "local": pa.array([NOON, None, NOON], pa.timestamp("us")),
    "time64": pa.array([1000, None, 3000], pa.time64("ns")),
    "list": pa.array([[DAY], None, [None, DAY]], pa.list_(pa.duration("ns"))),
    "large_list": pa.array([[NOON], None, []], pa.large_list(BERLIN)),
    "struct": pa.array([{"d": DAY, "t": NOON, "n": 1}, None, {}], pa.struct({"d": pa.duration("ms"), "t": BERLIN, "n": pa.int8()})),
    "list_of_struct": pa.array([[{"d": DAY}], None, []], pa.list_(pa.struct({"d": pa.duration("us")}))),
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("row_group_size", [None, 2])
def test_a_frame_is_as_pyarrow_has_it(tmp_path, name, row_group_size):
    path = tmp_path / "one.parquet"
    table = pa.table({"id": [1, 2, 3], name: COLUMNS[name]})
    pq.write_table(table, path, row_group_size=row_group_size)
    file = pqexplore.open(path)
    before = file.read().schema
    pandas.testing.assert_frame_equal(file.to_pandas(), pq.read_table(path).to_pandas())
    pandas.testing.assert_frame_equal(
        file.to_pandas([name], [0]), pq.ParquetFile(path).read_row_group(0, [name]).to_pandas()
    )
    assert file.read().schema == before == pqexplore.open(path).read().schema


@pytest.mark.parametrize("name", COLUMNS)
def test_the_first_rows_have_the_declared_types_too(tmp_path, name):
    path = tmp_path / "one.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3], name: COLUMNS[name]}), path)
    first, theirs = pqexplore.open(path).head(2), pq.read_table(path)[:2]
    if pa.types.is_dictionary(theirs.schema.field(name).type):  # only the values of these rows are looked up
        ours, kind = first.schema.field(name).type, theirs.schema.field(name).type
        if pa.types.is_integer(kind.value_type):  # categories of numbers are numbers, as in a frame
            assert ours == kind.value_type
        else:
            assert (ours.value_type, ours.ordered) == (kind.value_type, kind.ordered)
        assert first.to_pylist() == theirs.to_pylist()
    else:
        pandas.testing.assert_frame_equal(first.to_pandas(), theirs.to_pandas())
    assert pqexplore.open(path).head(0).schema.names == ["id", name]


def schema(**types) -> str:
    return base64.b64encode(bytes(pa.schema(types).serialize())).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no base64!",
        base64.b64encode(b"\xff" * 64).decode(),
        schema(other=pa.duration("s")),
        schema(n=pa.timestamp("ns", "UTC"), s=pa.duration("s"), t=pa.uuid()),
        schema(n=pa.dictionary(pa.int32(), pa.int64()), s=pa.struct({"a": pa.int8()})),
        schema(n=pa.list_(pa.duration("s")), s=pa.uuid(), t=pa.timestamp("us", "No/Where")),
        schema(n=pa.string(), s=pa.int64(), t=pa.timestamp("us")),
    ],
)
def test_an_arrow_schema_that_does_not_fit_leaves_the_stored_types(text):
    table = pa.table({"n": [1, 2], "s": ["x", None], "t": pa.array([NOON, None], pa.timestamp("us", "UTC"))})
    data = parquet(table, store_schema=False)

    pairs = [structs.KeyValue(key="ARROW:schema", value=text)]
    file = pqexplore.open(rebuilt(data, key_value_metadata=pairs))
    assert file.key_value_metadata["ARROW:schema"] == text
    pandas.testing.assert_frame_equal(file.to_pandas(), file.read().to_pandas())
    assert file.head(2).schema == file.read().schema
    assert isinstance(file.to_pandas(), pd.DataFrame)


def test_values_that_python_has_not_in_the_declared_type_stay_as_stored():
    """Inside of a struct pandas has Python's datetime, which ends with the year 9999: in Tokyo that is earlier."""
    last = datetime.datetime(9999, 12, 31, 23, tzinfo=datetime.UTC)
    text = schema(t=pa.struct({"at": pa.timestamp("us", "Asia/Tokyo")}))
    data = parquet(pa.table({"t": [{"at": last}]}), store_schema=False)
    pairs = [structs.KeyValue(key="ARROW:schema", value=text)]
    file = pqexplore.open(rebuilt(data, key_value_metadata=pairs))
    assert [one["at"] for one in file.to_pandas()["t"]] == [last]
