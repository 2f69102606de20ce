"""The page index lens, on samples whose pages are known."""

import io

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.lenses import finish, page_index


@pytest.fixture
def sample(tmp_path):
    """Ten pages of 100 rows: `up`, `down`, `mixed`, and `gap`, whose fourth page is nulls."""
    write_sample("page-index", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        yield file.row_groups[0].columns


def answer_of(chunk):
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
def test_the_sentence_says_how_many_pages_are_read_and_why(sample, column, words):
    assert words in answer_of(sample[column])[0].sentence


def test_pages_of_one_value_are_not_called_sorted():
    answer, _ = answer_of(opened(pa.table({"a": [7] * 6}), page_rows=2))
    assert answer.sentence == (
        "A filter on one value reads 3 of 3 pages on average, because each of them has nearly the same range."
    )


def test_pages_have_their_rows_bytes_and_range(sample):
    answer, pages = answer_of(sample["gap"])
    assert pages.first_row.tolist() == list(range(0, 1_000, 100))
    assert pages.rows.tolist() == [100.0] * 10
    span = sample["gap"].span
    assert pages.offset[0] == span.start == answer.picture.start
    assert pages.offset[-1] + pages.size[-1] == span.end
    assert np.flatnonzero(pages.null_page).tolist() == [3]
    assert np.isnan(pages.low[3]) and pages.low[0] == 0.0 and pages.high[9] == 1.0
    assert pages.low[4] == pytest.approx(400 / 999)
    assert answer.picture.boundary_order == "ASCENDING" and answer.picture.ahead == 0


def test_the_table_has_a_row_for_each_page(sample):
    table = answer_of(sample["gap"])[0].table
    frame = table.to_pandas()
    assert frame["min"].tolist()[:3] == [0, 100, 200] and len(frame) == 10
    assert table.rows[3] == ("page 3", 300, 100, 14_886, 36, None, None, 100, None, "nulls only")
    assert table.addresses[3] == "row_groups/0/columns/3/pages/3"


def test_a_dictionary_page_comes_before_those_of_the_index():
    answer, _ = answer_of(opened(pa.table({"a": [1, 2, 2, 1]}), page_rows=2))
    assert answer.picture.ahead == 1
    assert answer.table.addresses[1] == "row_groups/0/columns/0/pages/2"


def test_without_an_index_the_answer_says_who_writes_one():
    answer, pages = answer_of(opened(pa.table({"a": [1]}), column_index=False, offset_index=False))
    assert pages is None and answer.picture is None
    assert "reads all of it" in answer.sentence
    assert "write_page_index=True" in answer.empty and "parquet-java since 1.11" in answer.empty


def test_an_offset_index_alone_has_pages_without_a_range():
    answer, pages = answer_of(opened(pa.table({"a": [1, 2, 3]}), page_rows=1, column_index=False))
    assert "There is no column index" in answer.sentence
    assert answer.picture.has == page_index.Has(column_index=False, offset_index=True)
    assert pages.size.min() > 0 and np.isnan(pages.low).all()


def test_a_column_index_alone_has_pages_without_an_offset():
    answer, pages = answer_of(opened(pa.table({"a": [1, 2, 3]}), page_rows=1, offset_index=False))
    assert "There is no offset index" in answer.sentence
    assert pages.offset.tolist() == [-1, -1, -1]
    assert list(answer.table.addresses) == [None] * 3


def test_texts_come_by_the_block(sample):
    file = sample["up"].file
    texts = page_index.texts(file, sample["up"].address, 0)
    assert (texts.start, len(texts.texts)) == (0, 10)
    assert texts.texts[0] == "0 … 99"
    with pytest.raises(UsageError, match="page 7 is not where 200 pages begin"):
        page_index.texts(file, sample["up"].address, 7)


def test_few_pages_travel_with_the_picture(sample):
    file, address = sample["up"].file, sample["up"].address
    picture = finish(page_index.answer(file, file.node(address))).picture
    assert picture.columns.rows == [100] * 10
    assert picture.columns.null_page == [0] * 10
    assert picture.texts[9] == "900 … 999"


def test_many_pages_are_kept_out_of_the_picture():
    chunk = opened(pa.table({"n": np.arange(2_000)}), page_rows=5)
    picture = finish(page_index.answer(chunk.file, chunk.file.node(chunk.address))).picture
    assert picture.columns is None and picture.texts is None
    columns = page_index.indexed(chunk.file, chunk.address).columns.by_name
    assert columns["rows"].tolist() == [5] * 400
