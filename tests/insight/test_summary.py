"""What a file is, what it has and what it lacks."""

import json
import os

import pyarrow as pa
import pytest
from made import parquet, rebuilt
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.format.thrift import encode, fast, structs
from pqexplore.engine.span import Span
from pqexplore.insight import document, file_html, json_values, summary
from pqexplore.insight.features import features


def written(**options) -> bytes:
    table = pa.table({"n": pa.array([3, 1, None, 2], pa.int32()), "s": ["a", "b", "b", None]})
    return parquet(table, row_group_size=2, **options)


@pytest.fixture
def file():
    with pqexplore.open(written(compression="zstd")) as opened:
        yield opened


@pytest.fixture
def locked(corpus):
    """A file with an encrypted footer, and no key."""
    name = "apache__parquet-testing/data/uniform_encryption.parquet.encrypted"
    with pqexplore.open(os.path.join(corpus, name)) as opened:
        yield opened


def test_identity_of_a_locked_file(locked):
    known = summary.identity(locked)
    assert known.locked and known.size > 0
    assert (known.rows, known.row_groups, known.columns, known.created_by) == (None, None, None, None)


def test_columns(file):
    numbers, words = summary.columns(file)
    assert (numbers.path, numbers.type, numbers.num_values, numbers.null_count) == ("n", "INT32", 4, 1)
    assert (words.path, words.type, words.codecs) == ("s", "STRING", ("ZSTD",))
    assert numbers.share + words.share == pytest.approx(1)
    chunks = [group.columns[0].metadata for group in file.row_groups]
    assert numbers.compressed_size == sum(chunk.total_compressed_size for chunk in chunks)
    assert numbers.ratio == numbers.uncompressed_size / numbers.compressed_size


def test_nulls_are_unknown_where_one_chunk_does_not_count_them():
    with pqexplore.open(written(write_statistics=["s"])) as file:
        assert [one.null_count for one in summary.columns(file)] == [None, 1]


def without_metadata(data: bytes, group: int, column: int) -> bytes:
    """The file with a footer in which one ColumnChunk has no meta_data."""
    length = int.from_bytes(data[-8:-4], "little")
    footer = fast.decode(structs.FileMetaData, data, len(data) - 8 - length)[0]
    footer.row_groups[group].columns[column].meta_data = None
    encoded = encode.encode(footer)
    return data[: -8 - length] + encoded + len(encoded).to_bytes(4, "little") + b"PAR1"


def test_a_damaged_chunk_is_counted_and_leaves_the_others_alone():
    with pqexplore.open(without_metadata(written(), 1, 0)) as file:
        numbers, words = summary.columns(file)
        groups = list(summary.row_groups(file))
    assert (numbers.unread, words.unread) == (1, 0)
    assert "meta_data" in numbers.reason
    assert (numbers.num_values, numbers.null_count) == (2, None)
    assert [one.unread for one in groups] == [0, 1]


@ONE_COLUMN_METADATA
def test_row_groups(file):
    first, second = summary.row_groups(file)
    assert (first.rows, second.rows, first.first_byte) == (2, 2, 4)
    assert second.first_byte == first.first_byte + first.compressed_size


def test_a_chunk_of_nulls_alone_has_statistics_though_nothing_bounds_it():
    with pqexplore.open(parquet(pa.table({"n": pa.nulls(3, pa.int32()), "m": [1, 2, 3]}))) as file:
        found = {one.name: one for one in features(file)}["statistics"]
    assert (found.state, found.count) == ("all", 2)


@pytest.mark.parametrize("values, said", [
    # the values of two row groups of 500; whether conditions on them skip none
    (list(range(1_000)), False),
    ([n % 500 for n in range(1_000)], True),
    ([None] * 500 + [n % 500 for n in range(500)], False),
    ([7] * 1_000, True),
], ids=["sorted", "each group has all", "one group has nulls only", "one value"])  # fmt: skip
def test_a_column_whose_row_groups_are_alike_is_named(values, said):
    with pqexplore.open(parquet(pa.table({"n": values}), row_group_size=500)) as file:
        meaning = {one.name: one for one in features(file)}["statistics"].meaning
    assert ("not by `n`: each row group has nearly the same range" in meaning) == said


def test_one_row_and_one_column_are_not_counted_as_several():
    with pqexplore.open(parquet(pa.table({"n": [1]}))) as file:
        assert " bytes, 1 row, 1 row group, 1 column, written by parquet-cpp" in file_html.heading(file)


def test_a_damaged_schema_does_not_keep_the_features_from_being_listed():
    data = rebuilt(parquet(pa.table({"n": range(1_000)}), row_group_size=500), schema__0__num_children=5)
    with pqexplore.open(data) as file:
        assert {one.name: one for one in features(file)}["statistics"].state == "all"


@pytest.mark.parametrize("name, state", [("geometry", "all"), ("geography", "none")])
def test_a_bounding_box_is_a_statistic(name, state):
    """Shapes have no bounds; it said of a file with a box for each that it has no statistics."""
    found = {one.name: one for one in features(getattr(pqexplore.samples, name))}
    assert found["statistics"].state == state


def test_features_of_a_locked_file(locked):
    states = {one.name: one.state for one in features(locked)}
    assert states.pop("encryption") == "all"
    assert set(states.values()) == {"unknown"}


@pytest.mark.parametrize("value, made", [
    (None, None),
    (True, True),
    (2**70, 2**70),
    (float("nan"), "nan"),
    (float("-inf"), "-inf"),
    (b"\x01\xff", {"hex": "01ff"}),
    ("\ud800", "\\ud800"),
    (Span(3, 5), {"start": 3, "end": 5, "space": "file"}),
    (structs.KeyValue(key="k"), {"key": "k"}),
    ([1, (2, b"")], [1, [2, {"hex": ""}]]),
    ({"a": {b"k": 1}}, {"a": {"{'hex': '6b'}": 1}}),
])  # fmt: skip
def test_plain(value, made):
    assert document.plain(value) == made


def test_long_bytes_are_cut_and_counted():
    made = document.plain(bytes(10_000))
    assert made["length"] == 10_000 and len(made["hex"]) == 2 * json_values.HEX_BYTES


def test_the_document_of_a_locked_file_is_json_all_the_same(locked):
    made = json.loads(json.dumps(document.file_document(locked)))
    assert made["columns"]["error"]["type"] == "EncryptedFileError"
    assert made["identity"]["locked"]
