"""The page index lens, on samples whose pages are known."""

import numpy as np
import pyarrow as pa
import pytest
from made import open_sample, ours

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.lenses import finish, page_index


@pytest.fixture
def sample():
    """Ten pages of 100 rows: `up`, `down`, `mixed`, and `gap`, whose fourth page is nulls."""
    with open_sample("page-index") as file:
        yield file.row_groups[0].columns


def answer_of(chunk):
    return finish(page_index.of_chunk(chunk))


def opened(table, **options):
    return pqexplore.open(ours(table, **options)).row_groups[0].columns[0]


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


def test_many_pages_are_kept_out_of_the_picture():
    chunk = opened(pa.table({"n": np.arange(2_000)}), page_rows=5)
    picture = finish(page_index.answer(chunk.file, chunk.file.node(chunk.address))).picture
    assert picture.columns is None and picture.texts is None
    columns = page_index.indexed(chunk.file, chunk.address).columns.by_name
    assert columns["rows"].tolist() == [5] * 400
