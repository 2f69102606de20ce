"""An open file as a table: rows, columns, first rows, batches, and how other libraries read it."""

import base64
import builtins
import datetime
import uuid

import pandas as pd
import pandas.testing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import events, parquet, rebuilt
from needs import needs_pyarrow

import pqexplore
from pqexplore import CorruptFileError, UsageError
from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.format.thrift import structs

TABLE = events(1000)
DATA = parquet(TABLE, row_group_size=400, write_page_index=True, data_page_size=200, write_batch_size=50)
NAMES = [
    *("id", "name", "score", "tags.list.element", "place.x", "place.y"),
    *("counts.key_value.key", "counts.key_value.value"),
]


@pytest.fixture
def file():
    with pqexplore.open(DATA) as opened:
        yield opened


def test_a_file_counts_rows_columns_and_row_groups(file):
    assert (len(file), file.shape, file.num_columns, file.num_row_groups) == (1000, (1000, 8), 8, 3)
    assert list(file) == file.column_names == [str(one) for one in file.columns] == NAMES
    assert "id" in file and "tags" in file and ("place", "x") in file
    assert "place" not in file and "ID" not in file and 0 not in file
    assert file["id"] in file.columns


def test_an_empty_file_is_true():
    file = pqexplore.open(parquet(TABLE[:0]))
    assert len(file) == 0 and bool(file)


@pytest.mark.parametrize("rows", [None, -1, 0, 999])
def test_the_length_is_that_of_the_rows_that_are_read_whatever_the_footer_counts(rows):
    assert len(pqexplore.open(rebuilt(DATA, num_rows=rows))) == len(TABLE)


@pytest.mark.parametrize("rows", [None, -1])
def test_a_wrong_number_of_rows_in_a_row_group_is_damage(rows):
    with pytest.raises(CorruptFileError, match="num_rows"):
        len(pqexplore.open(rebuilt(DATA, row_groups__0__num_rows=rows)))


@pytest.mark.parametrize(
    "key, name", [("id", "id"), ("tags", "tags.list.element"), (("place", "y"), "place.y"), (-1, NAMES[-1])]
)
def test_a_column_by_name_path_or_position(file, key, name):
    column = file[key]
    assert (column.name, str(column), column.path) == (name, name, tuple(name.split(".")))
    assert file[column].index == column.index == NAMES.index(name)
    assert [chunk.address for chunk in column.chunks] == [
        f"row_groups/{group}/columns/{column.index}" for group in range(3)
    ]


@pytest.mark.parametrize(
    "key, error, words",
    [
        ("tagz", KeyError, "no column 'tagz'; columns are id, name, score, tags.list.element, place.x"),
        ("place", KeyError, "no column 'place': it is a group, of columns place.x, place.y"),
        (("place", "z"), KeyError, r"no column \('place', 'z'\); columns are id"),
        (8, IndexError, "column 8 of 8"),
        (["id", "name"], UsageError, r"f.read\(\[…\]\) reads several"),
    ],
)
def test_a_missing_column_says_which_there_are(file, key, error, words):
    with pytest.raises(error, match=words):
        file[key]


def test_an_error_lists_the_first_ten_columns():
    wide = pqexplore.open(parquet(pa.table({f"c{n}\x1b": [n] for n in range(12)})))
    with pytest.raises(KeyError) as raised:
        wide["c12"]
    assert raised.value.args[0].endswith(r"c8\x1b, c9\x1b, … (12 in all)")


@pytest.mark.parametrize("name, top", [("id", "id"), ("score", "score"), ("tags", "tags")])
def test_a_column_is_read_as_a_column_of_the_table(file, name, top):
    assert file[name].read().to_pylist() == TABLE[top].to_pylist()
    assert file[name].read([1]).to_pylist() == TABLE[top][400:800].to_pylist()
    chunk = file[name].chunks[1]
    assert chunk.read().to_pylist() == TABLE[top][400:800].to_pylist()
    pages = [value for page in chunk.pages if page.is_data for value in page.values.to_pylist()]
    assert chunk.values.to_pylist() == pages


def test_statistics_of_a_column_cover_all_row_groups(file):
    ids, scores = file["id"].statistics, file["score"].statistics
    assert (ids.min, ids.max, ids.null_count, ids.num_values, ids.trusted) == (0, 999, 0, 1000, True)
    assert (scores.min, scores.max, scores.null_count) == (1 / 3, 333.0, 200)


@pytest.mark.parametrize("field, value, words", [("max", b"abc", "3 bytes"), ("struct", None, "it has no bounds")])
def test_a_column_without_all_bounds_has_none(field, value, words):
    where = "row_groups__1__columns__0__meta_data__statistics"
    change = {where: None} if field == "struct" else {f"{where}__max_value": value}
    found = pqexplore.open(rebuilt(DATA, **change))["id"].statistics
    assert (found.min, found.max, found.trusted) == (None, None, False)
    assert found.why.startswith("row group 1: ") and words in found.why and words in repr(found)
    assert (found.null_count is None) == (field == "struct")


def test_a_row_group_of_nulls_has_no_say_in_the_bounds():
    table = pa.table({"n": pa.array([None, None, 3, 4], pa.int64())})
    found = pqexplore.open(parquet(table, row_group_size=2))["n"].statistics
    assert (found.min, found.max, found.null_count, found.trusted) == (3, 4, 2, True)


@pytest.mark.parametrize("options", [{}, {"data_page_version": "2.0"}, {"use_dictionary": False}])
@pytest.mark.parametrize("rows", [0, 1, 5, 49, 50, 51, 400, 401, 999, 1000, 2000])
def test_head_is_the_beginning_of_read(rows, options):
    data = parquet(TABLE, row_group_size=400, data_page_size=200, write_batch_size=50, **options)
    file = pqexplore.open(data)
    assert file.head(rows).equals(file.read()[:rows])


def test_head_decodes_only_the_first_pages():
    table = pa.table({"n": range(200_000)})
    options = {"use_dictionary": False, "compression": "none", "write_page_index": True}
    data = parquet(table, data_page_size=10_000, row_group_size=100_000, **options)
    file = pqexplore.open(data)
    before = file.bytes_read
    assert file.head(3, ["n"])["n"].to_pylist() == [0, 1, 2]
    assert file.bytes_read - before < len(data) / 20


def test_head_of_negative_rows(file):
    with pytest.raises(UsageError, match="-1"):
        file.head(-1)


def test_a_damaged_page_after_the_first_rows_does_not_matter():
    broken = bytearray(
        parquet(
            pa.table({"n": range(1000)}),
            use_dictionary=False,
            compression="none",
            data_page_size=800,
            write_batch_size=100,
            write_page_index=True,
        )
    )
    page = pqexplore.open(bytes(broken)).row_groups[0].columns[0].pages[3]
    broken[page.span.start : page.span.start + 8] = bytes(8)
    file = pqexplore.open(bytes(broken))
    assert file.head(5)["n"].to_pylist() == [0, 1, 2, 3, 4]
    with pytest.raises(CorruptFileError):
        file.read()


@pytest.mark.parametrize("size, lengths", [(300, [300, 100, 300, 100, 200]), (10_000, [400, 400, 200])])
def test_batches_end_with_row_groups(file, size, lengths):
    batches = list(file.iter_batches(size))
    assert [batch.num_rows for batch in batches] == lengths
    assert pa.Table.from_batches(batches).equals(file.read())
    chosen = list(file.iter_batches(size, ["name"], [-1]))
    assert [one["name"].to_pylist() for one in chosen] == [TABLE["name"][800:].to_pylist()]


def test_batches_read_a_row_group_when_it_is_reached(file):
    rows, read = file.iter_batches(1000), [file.bytes_read]
    for _ in range(3):
        next(rows)
        read.append(file.bytes_read)
    assert read == sorted(set(read))


@pytest.mark.parametrize("given", [{"batch_size": 0}, {"columns": ["x"]}, {"row_groups": [3]}])
def test_wrong_batches_fail_at_once(file, given):
    with pytest.raises(UsageError):
        file.iter_batches(**given)


def test_a_file_of_rows_without_columns_has_batches():
    bare = pa.table({"n": range(5)}).select([])
    assert [one.num_rows for one in pqexplore.open(parquet(bare)).iter_batches(2)] in ([2, 2, 1], [])


@needs_pyarrow(15, "it has no RecordBatchReader.from_stream")
def test_other_libraries_read_the_stream(file):
    assert pa.RecordBatchReader.from_stream(file).read_all().equals(file.read())
    assert pa.table(file).equals(file.read())
    assert pa.table(pqexplore.open(parquet(TABLE[:0]))).schema.names == TABLE.schema.names


@needs_pyarrow(15, "it has no RecordBatchReader.from_stream")
def test_a_row_group_of_a_wider_type_ends_the_stream():
    old = [pa.scalar(0, pa.timestamp("us")), pa.scalar(-(10**17), pa.timestamp("us"))]
    data = parquet(pa.table({"t": old}), use_deprecated_int96_timestamps=True, row_group_size=1)
    file = pqexplore.open(data)
    assert [one.schema.field("t").type for one in file.iter_batches()] == [pa.timestamp("ns"), pa.timestamp("us")]
    with pytest.raises((UnsupportedFeatureError, pa.ArrowException), match="wider types"):
        pa.RecordBatchReader.from_stream(file).read_all()
    assert file.read()["t"].type == pa.timestamp("us")


def test_pandas_and_polars_frames(file):
    pytest.importorskip("polars")
    assert file.to_pandas(["id", "name"]).shape == (1000, 2)
    assert file.to_polars(["id"], [2]).to_dict(as_series=False) == {"id": list(range(800, 1000))}


def test_without_polars_the_error_says_what_to_install(file, monkeypatch):
    found = builtins.__import__

    def refuse(name, *rest):
        if name == "polars":
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(UsageError, match="pip install polars"):
        file.to_polars()


def test_records_that_cross_pages_are_read_whole():
    table = pa.table({"l": [list(range(n * 40, n * 40 + 40)) for n in range(50)]})
    file = pqexplore.open(
        parquet(table, data_page_size=64, write_batch_size=16, use_dictionary=False, data_page_version="1.0")
    )
    for rows in (1, 7, 49):
        assert file.head(rows)["l"].to_pylist() == table["l"][:rows].to_pylist()


def test_a_file_answers_as_the_functions_do(file):
    assert file.ask("id > 900").sentence == pqexplore.ask(file, "id > 900").sentence
    assert file.ask("id > 900", ["name"], "duckdb").engine.name == "duckdb"
    report = file.diagnose("pages")
    assert (report.level, report.findings) == ("pages", pqexplore.diagnose(file, "pages").findings)
    other = parquet(TABLE.drop_columns(["score"]))
    assert file.diff(other).sentence == pqexplore.diff(file, other).sentence
    assert file.diff(DATA, "data").same
    assert file.view("statistics", "row_groups/0/columns/0").lens == "statistics"


# A data frame has the types that ARROW:schema declares, as pyarrow's has; a wrong ARROW:schema changes nothing.


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
