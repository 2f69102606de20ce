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
