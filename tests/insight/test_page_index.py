"""What the page index says of pages, on samples whose pages are known."""

import io

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import page_index
from pqexplore.widget import sheet
from pqexplore.widget.lenses import finish


@pytest.fixture
def sample(tmp_path):
    """Ten pages of 100 rows: `up`, `down`, `mixed`, and `gap`, whose fourth page is nulls."""
    write_sample("page-index", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        yield file.row_groups[0].columns


def asked(chunk):
    return finish(page_index.of_chunk(chunk))


def opened(table, **options):
    out = io.BytesIO()
    pqexplore.write(table, out, pqexplore.WriteOptions(**options))
    return pqexplore.open(out.getvalue()).row_groups[0].columns[0]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("up", "A filter on one value reads 1 of 10 pages on average, because they are ascending"),
        ("down", "because they are descending: a reader finds the page by halving"),
        ("mixed", "reads 9.9 of 10 pages on average, because each of them has nearly the same"),
        ("gap", "1 of them has nulls only."),
    ],
)
def test_sentences(sample, column, words):
    assert words in asked(sample[column])[0].sentence


def test_pages_of_one_value_are_not_called_sorted():
    answer, _ = asked(opened(pa.table({"a": [7] * 6}), page_rows=2))
    assert answer.sentence == (
        "A filter on one value reads 3 of 3 pages on average, because each of them has nearly the same range."
    )


def test_pages_lie_on_rows_bytes_and_values(sample):
    answer, pages = asked(sample["gap"])
    assert pages.first_row.tolist() == list(range(0, 1_000, 100))
    assert pages.rows.tolist() == [100.0] * 10
    span = sample["gap"].span
    assert pages.offset[0] == span.start == answer.picture["start"]
    assert pages.offset[-1] + pages.size[-1] == span.end
    assert np.flatnonzero(pages.null_page).tolist() == [3]
    assert np.isnan(pages.low[3]) and pages.low[0] == 0.0 and pages.high[9] == 1.0
    assert pages.low[4] == pytest.approx(400 / 999)
    assert answer.picture["boundary_order"] == "ASCENDING" and answer.picture["ahead"] == 0


def test_the_table_has_a_row_for_each_page(sample):
    table = asked(sample["gap"])[0].table
    frame = sheet.to_frame(table)
    assert frame["min"].tolist()[:3] == [0, 100, 200] and len(frame) == 10
    assert table.rows[3] == ("page 3", 300, 100, 14_886, 36, None, None, 100, None, "nulls only")
    assert table.addresses[3] == "row_groups/0/columns/3/pages/3"


def test_a_dictionary_page_comes_before_those_of_the_index():
    answer, _ = asked(opened(pa.table({"a": [1, 2, 2, 1]}), page_rows=2))
    assert answer.picture["ahead"] == 1
    assert answer.table.addresses[1] == "row_groups/0/columns/0/pages/2"


def test_without_an_index_it_says_who_writes_one():
    answer, pages = asked(opened(pa.table({"a": [1]}), column_index=False, offset_index=False))
    assert pages is None and answer.picture is None
    assert "reads all of it" in answer.sentence
    assert "write_page_index=True" in answer.empty and "parquet-java since 1.11" in answer.empty


def test_places_without_bounds():
    answer, pages = asked(opened(pa.table({"a": [1, 2, 3]}), page_rows=1, column_index=False))
    assert "There is no column index" in answer.sentence
    assert answer.picture["has"] == {"bounds": False, "places": True}
    assert pages.size.min() > 0 and np.isnan(pages.low).all()


def test_bounds_without_places():
    answer, pages = asked(opened(pa.table({"a": [1, 2, 3]}), page_rows=1, offset_index=False))
    assert "There is no offset index" in answer.sentence
    assert pages.offset.tolist() == [-1, -1, -1]
    assert list(answer.table.addresses) == [None] * 3
