"""Some rows of a file are the same as those of the whole table, and cost only their pages."""

import itertools

import pyarrow as pa
import pytest
from made import open_sample, parquet

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.insight import some_rows
from pqexplore.insight.json_values import json_values
from pqexplore.insight.some_rows import batches, numbered_batches


@pytest.fixture(params=["nested", "legacy-lists", "page-index", "deltas", "dictionary-fallback"])
def file(request):
    with open_sample(request.param) as opened:
        yield opened


def values(table):
    return [json_values(column.combine_chunks()) for column in table.columns]


def values_of(tables):
    return [list(itertools.chain(*parts)) for parts in zip(*map(values, tables), strict=True)]


@pytest.mark.parametrize("batch", [3, 1_000])
def test_rows_are_those_of_the_table(file, batch, monkeypatch):
    monkeypatch.setattr(some_rows, "BATCH", batch)
    whole = file.read().slice(0, 400)
    for start, stop in ((0, 400), (1, 2), (whole.num_rows // 2, whole.num_rows)):
        expected = values(whole.slice(start, stop - start))
        assert values_of(batches(file, start, stop)) == expected


@pytest.mark.parametrize("index", [True, False])
def test_row_numbers_and_pages(tmp_path, index):
    """Two columns of other page sizes: each row has the page that begins at or before it."""
    table = pa.table({"a": range(100), "row": [[i] * (i % 3) for i in range(100)]})
    options = pqexplore.WriteOptions(
        row_group_rows=60,
        page_rows=10,
        offset_index=index,
        column_index=index,
        columns={"row.list.element": {"page_rows": 25}},
    )
    pqexplore.write(table, tmp_path / "two.parquet", options)
    with pqexplore.open(tmp_path / "two.parquet") as file:
        one = pa.concat_tables(numbered_batches(file, 55, 75, ["a"]))
        assert one.column_names == ["row", "row_group", "page", "a"]
        assert one["row"].to_pylist() == one["a"].to_pylist() == list(range(55, 75))
        assert one["row_group"].to_pylist() == [0] * 5 + [1] * 15
        assert one["page"].to_pylist() == [5] * 5 + [0] * 10 + [1] * 5
        both = pa.concat_tables(numbered_batches(file, 0, 100, where="a >= 26 AND a < 28"))
        assert both.column_names == ["_row", "row_group", "page", "a", "row"]
        assert both["_row"].to_pylist() == [26, 27] and both["page"].to_pylist() == [2, 2]
        (each,) = numbered_batches(file, 26, 27)
        assert each["page"].to_pylist() == [{"a": 2, "row.list.element": 1}]


def test_a_row_that_goes_on_in_the_next_page():
    """pyarrow's pages of version 1 end anywhere in a list if there is no index."""
    table = pa.table({"a": [list(range(i, i + 50)) for i in range(200)]})
    with pqexplore.open(parquet(table, use_dictionary=False, data_page_size=64, write_batch_size=7)) as file:
        assert len(file.row_groups[0].columns[0].pages) > 20
        for row in (0, 1, 7, 100, 199):
            (found,) = values_of(batches(file, row, row + 1))
            assert found == table.column(0)[row : row + 1].to_pylist()


def test_an_index_that_disagrees_with_its_pages_is_not_believed(corpus):
    """The offset index of `Map` in this file counts entries as rows."""
    path = corpus / "hangxie__parquet-tools/testdata/all-types.parquet"
    with pqexplore.open(path) as file:
        expected = values(file.read(["Map"]).slice(0, 5))
        assert values_of(batches(file, 0, 5, ["Map"])) == expected


def test_variants_are_json():
    with open_sample("variant-shredded") as file:
        ((first, *_),) = values_of(batches(file, 0, 2))
    assert first == {"extra": {"n": 0}, "id": 0, "score": 0.0, "tags": ["a", 0], "user": "user 0"}


TEXTS = [
    # sample, column, row, value
    ("geometry", "point", 0, "POINT (1 2)"),
    ("everything", "uuid", 1, "00000000-0000-0000-0000-000000000000"),
    ("everything", "enum", 1, "GREEN"),
    ("everything", "interval", 1, "1 months 2 days 3 ms"),
    ("everything", "fixed", 1, {"hex": "00ff80"}),
]


@pytest.mark.parametrize("name, column, row, expected", TEXTS, ids=[row[1] for row in TEXTS])
def test_types_that_arrow_lacks_are_texts(name, column, row, expected):
    with open_sample(name) as file:
        assert values_of(batches(file, row, row + 1, [column])) == [[expected]]


def test_only_the_pages_are_read():
    with open_sample("events") as file:
        before = file.bytes_read
        found = values_of(batches(file, 9_000, 9_002, ["id", "payload.os"]))
        cost = file.bytes_read - before
    assert found == [[1027000, 1027003], [{"os": "Android"}, {"os": "Windows"}]]
    assert cost < 20_000


CONDITIONS = [
    # condition, rows, values of id
    ("id >= 1059994", (0, 20_000), [1059994, 1059997]),
    ("id >= 1059994", (0, 19_999), [1059994]),
    ("id < 0", (0, 20_000), []),
]


@pytest.mark.parametrize("where, rows, expected", CONDITIONS)
def test_rows_that_meet_a_condition(where, rows, expected):
    with open_sample("events") as file:
        found = values_of(batches(file, *rows, ["id"], where))
    assert found == ([expected] if expected else [])


REFUSED = [
    (["nix"], "", UsageError, "no column 'nix'"),
    (None, "nix = 1", UsageError, "nix"),
    (None, "id = ", UsageError, "not a condition"),
]


@pytest.mark.parametrize("columns, where, kind, said", REFUSED)
def test_what_does_not_fit_is_refused(columns, where, kind, said):
    with open_sample("events") as file, pytest.raises(kind, match=said):
        list(batches(file, 0, 10, columns, where))


def test_a_damaged_page_raises():
    with open_sample("sick-page") as file, pytest.raises(ParquetError):
        list(batches(file, 0, file.num_rows))
