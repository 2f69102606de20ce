"""The public handles: every name that the design promises, on a file that was just written."""

import functools

import pyarrow as pa
import pytest
from engine.threads import together
from made import CHECKSUMS, events, parquet, rebuilt
from needs import needs_pyarrow

import pqexplore
from pqexplore import CorruptFileError, UnsupportedFeatureError

TABLE = events(1000)
DATA = parquet(TABLE, row_group_size=400, write_page_index=True, **CHECKSUMS, data_page_size=100, write_batch_size=50)


@pytest.fixture
def file():
    with pqexplore.open(DATA) as opened:
        yield opened


def test_footer_properties(file):
    assert (file.size, file.num_rows) == (len(DATA), 1000)
    assert file.created_by.startswith("parquet-cpp-arrow")
    assert "ARROW:schema" in file.key_value_metadata
    assert file.metadata.row_groups[1].num_rows == 400
    assert file.metadata.schema[1].name == "id"
    assert len(file.row_groups) == 3
    assert [group.num_rows for group in file.row_groups] == [400, 400, 200]


def test_columns_by_index_path_or_tuple(file):
    columns = file.row_groups[0].columns
    assert columns[3].leaf is columns["tags.list.element"].leaf is columns["tags", "list", "element"].leaf
    with pytest.raises(KeyError):
        columns["tags"]
    with pytest.raises(IndexError):
        columns[8]


def test_a_dotted_path_that_is_ambiguous_says_so():
    table = pa.table({"a.b": [1], "a": pa.array([{"b": 2}])})
    file = pqexplore.open(parquet(table))
    with pytest.raises(KeyError, match="ambiguous"):
        file.row_groups[0].columns["a.b"]
    assert file.row_groups[0].columns[("a.b",)].index == 0
    assert file.row_groups[0].columns["a", "b"].index == 1


def test_a_chunk_has_statistics_indexes_and_bloom_filter(file):
    chunk = file.row_groups[0].columns["name"]
    assert chunk.metadata.num_values == 400
    assert chunk.statistics.null_count == 0
    assert chunk.column_index.null_pages == [False] * len(chunk.column_index.min_values)
    assert len(chunk.offset_index.page_locations) == len(chunk.pages) - 1
    assert chunk.bloom_filter is None
    assert chunk.dictionary.to_pylist()[:2] == ["name 0", "name 1"]
    bare = pqexplore.open(parquet(TABLE, write_statistics=False, use_dictionary=False))
    plain = bare.row_groups[0].columns["name"]
    assert [plain.statistics, plain.column_index, plain.offset_index, plain.dictionary] == [None] * 4


def test_physical_and_logical_values_differ_where_types_say_so():
    table = pa.table({"d": pa.array([1, 2], pa.date32()), "s": ["a", "b"]})
    group = pqexplore.open(parquet(table, use_dictionary=False)).row_groups[0]
    day, text = group.columns[0].pages[0], group.columns[1].pages[0]
    assert (day.physical.type, day.values.type) == (pa.int32(), pa.date32())
    assert (text.physical.type, text.values.type) == (pa.binary(), pa.string())


def test_read_takes_columns_groups_and_row_groups(file):
    assert file.read(columns=["id", "place.x"]).schema.names == ["id", "place"]
    assert file.read(columns=["place"]).schema.field("place").type.num_fields == 2
    assert file.read(columns=[("place", "y")]).schema.field("place").type.num_fields == 1
    assert file.read(columns=["id"], row_groups=[2])["id"].to_pylist() == list(range(800, 1000))
    assert file.read(columns=["id"], row_groups=[]).num_rows == 0
    assert file.read(columns=[]).num_rows == 1000
    for wrong in ({"columns": ["nothing"]}, {"columns": "id"}, {"row_groups": [3]}):
        with pytest.raises(ValueError):
            file.read(**wrong)


@needs_pyarrow(15, "it writes no page checksums")
def test_damage_stays_where_it_is():
    data = bytearray(DATA)
    with pqexplore.open(DATA) as good:
        page = good.row_groups[1].columns["name"].pages[1]
        data[page.frame.header_end : page.frame.end] = bytes(page.frame.end - page.frame.header_end)
        address = page.address
    with pqexplore.open(bytes(data)) as file:
        damaged = file.row_groups[1].columns["name"]
        assert damaged.pages[1].crc_ok is False
        with pytest.raises(CorruptFileError) as caught:
            damaged.pages[1].values  # noqa: B018
        assert caught.value.address.startswith(address)
        assert len(damaged.pages[2].values) > 0
        assert file.read(row_groups=[0, 2]).num_rows == 600
        with pytest.raises(CorruptFileError):
            file.read()
        rules = {(finding.rule, finding.address) for finding in file.check()}
        assert ("crc-mismatch", address) in rules
        assert file.node(address).state == "corrupt"


def test_a_damaged_header_costs_the_pages_after_it():
    data = bytearray(parquet(TABLE, data_page_size=200, write_batch_size=50, use_dictionary=False))
    with pqexplore.open(bytes(data)) as good:
        frame = good.row_groups[0].columns["id"].pages[2].frame
    data[frame.start : frame.header_end] = b"\xff" * (frame.header_end - frame.start)
    with pqexplore.open(bytes(data)) as file:
        chunk = file.row_groups[0].columns["id"]
        assert len(chunk.pages) == 2
        assert len(chunk.pages[1].values) > 0
        with pytest.raises(CorruptFileError) as caught:
            chunk.pages[2]
        assert caught.value.address == "row_groups/0/columns/0/pages/2/header"
        assert frame.start <= caught.value.offset < frame.header_end
        assert file.row_groups[0].columns["name"].pages[0].values[0].as_py() == "name 0"
        assert [node.kind for node in file.node(chunk.address).children][-1] == "unreadable"
        assert file.layout().filter(pa.compute.field("kind") == "unreadable").num_rows == 1


def test_handles_are_safe_to_share_between_threads(file):
    wrong = []

    def work(path):
        for group in file.row_groups:
            for page in group.columns[path].pages:
                if len(page.values) != len(page.physical):
                    wrong.append(page)

    paths = [".".join(leaf.path) for leaf in file.schema.leaves]
    assert together(*(functools.partial(work, path) for path in paths * 2)) == []
    assert not wrong


def test_repr_and_html_escape_text_of_the_file():
    file = pqexplore.open(parquet(pa.table({"<script>alert(1)</script>": [1]})))
    assert "1 row, 1 row group" in repr(file)
    html = file._repr_html_()
    assert "&lt;script&gt;alert(1)" in html
    assert "<script" not in html


def test_reading_a_closed_file_raises():
    with pqexplore.open(DATA) as file:
        pass
    with pytest.raises(ValueError, match="closed"):
        file.read()


def test_an_unsupported_type_without_rows_raises_with_its_address():
    table = pa.table({"a": pa.array([], pa.int32())})
    data = rebuilt(parquet(table), schema__1__type=10)
    with pqexplore.open(data) as file, pytest.raises(UnsupportedFeatureError) as raised:
        file.read()
    assert raised.value.address == "schema/1"
