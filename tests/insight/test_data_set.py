"""What is said of the footer of a data set (`_metadata`), and not of other files."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.insight import file_html, report, summary
from pqexplore.insight.lenses import LENSES, finish


@pytest.fixture
def folder(tmp_path):
    collected = []
    for name in ("a.parquet", "b.parquet"):
        table = pa.table({"n": range(1000)})
        pq.write_table(table, tmp_path / name, metadata_collector=collected, write_page_index=True)
        collected[-1].set_file_path(name)
    pq.write_metadata(table.schema, tmp_path / "_metadata", collected)
    return tmp_path


def said(file, at=""):
    """The sentences of the lenses of a node, by lens; an error's message if there is no answer."""
    node, found = file.node(at), {}
    for name, lens in LENSES.items():
        if lens.applies(node):
            try:
                answer = lens.answer(file, node)
                found[name] = (answer if hasattr(answer, "sentence") else finish(answer)).sentence
            except pqexplore.ParquetError as error:
                found[name] = error.message
    return found


def test_a_data_set_is_called_one(folder):
    with pqexplore.open(folder / "_metadata") as file:
        assert "2 row groups in 2 other files" in repr(file)
        assert "2 row groups in 2 other files" in file_html.file_html(file)
        assert summary.identity(file).other_files == 2
        assert [(one.first_byte, one.unread) for one in summary.row_groups(file)] == [(None, 0)] * 2
        lines = "\n".join(report.file_report(file, 100))
        assert "the footer of a data set: the column chunks lie in 2 other files" in lines
        overview = said(file)["overview"]
        assert overview.startswith("This is the footer of a data set: its column chunks, ")
        assert "lie in 2 other files" in overview and "% of" not in overview
        picture = finish(LENSES["overview"].answer(file, file.root)).picture
        assert [(one.compressed > 0, one.share) for one in picture.largest] == [(True, None)]
        assert [one.value for one in file.root.facts if one.name == "other files"] == [2]


def test_a_part_of_a_data_set_is_an_ordinary_file(folder):
    with pqexplore.open(folder / "a.parquet") as file:
        lines = "\n".join(report.file_report(file, 100))
        for text in (repr(file), file_html.file_html(file), lines, said(file)["overview"]):
            assert "other file" not in text and "data set" not in text
        assert summary.identity(file).other_files == 0
        assert "other files" not in [one.name for one in file.root.facts]


def test_what_the_lenses_say_of_a_chunk_in_another_file(folder):
    with pqexplore.open(folder / "_metadata") as file:
        of_chunk = said(file, "row_groups/1/columns/0")
        assert of_chunk["layout"].startswith("n lies in another file, 'b.parquet'")
        for name in ("dictionary", "page_index"):
            assert "the column chunk lies in another file, 'b.parquet'" in of_chunk[name]
        assert said(file, "row_groups/1")["layout"].startswith("row group 1 has no bytes of its own")
        for sentence in of_chunk.values():
            assert "corrupt" not in sentence and "said to lie" not in sentence


def test_spans_of_a_followed_chunk_are_those_of_the_other_file(folder):
    with pqexplore.open(folder / "_metadata", follow_file_path=True) as file:
        node = file.node("row_groups/1/columns/0")
        table = LENSES["page_index"].answer(file, node)
        table = (table if hasattr(table, "table") else finish(table)).table
        assert {span.space for span in table.spans if span is not None} == {"elsewhere:b.parquet"}
