"""A plan is exact: before writing it says what the file will be, after writing what it is."""

import dataclasses
import os

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.writer.file import plan, write
from pqexplore.engine.writer.options import WriteOptions

TABLE = pa.table(
    {
        "id": pa.array(range(500), pa.int64()),
        "name": [f"name {i % 20}" if i % 9 else None for i in range(500)],
        "list": [[i, i + 1] if i % 3 else [] for i in range(500)],
    }
)
OPTIONS = WriteOptions(codec="ZSTD", page_rows=100, row_group_rows=300, bloom_filter=True, statistics=("page", "chunk"))


@pytest.fixture
def both(tmp_path):
    path = tmp_path / "table.parquet"
    before = plan(TABLE, OPTIONS)
    return before, write(TABLE, path, OPTIONS), path


def test_plan_before_and_after_writing_are_equal(both):
    before, after, _ = both
    assert (before.written, after.written) == (False, True)
    assert dataclasses.replace(before, written=True) == after


def test_plan_has_the_numbers_of_the_file(both):
    _, after, path = both
    assert after.size == os.path.getsize(path)
    file = pqexplore.open(path)
    for chunk_plan in after.chunks:
        chunk = file.row_groups[chunk_plan.row_group].columns[chunk_plan.path]
        metadata = chunk.metadata
        assert chunk_plan.compressed == metadata.total_compressed_size
        assert chunk_plan.uncompressed == metadata.total_uncompressed_size
        assert chunk_plan.num_values == metadata.num_values
        assert chunk_plan.null_count == metadata.statistics.null_count
        assert chunk_plan.column_index == chunk.struct.column_index_length
        assert chunk_plan.offset_index == chunk.struct.offset_index_length
        assert chunk_plan.bloom_filter == metadata.bloom_filter_length
        data = [page for page in chunk.pages if page.is_data]
        assert chunk_plan.num_pages == len(data)
        assert chunk_plan.dictionary_entries == len(chunk.dictionary)
        assert chunk_plan.values == sum(len(page.body.section("values").data) for page in data)


def test_sizes_of_a_plan_add_up_to_the_file(both):
    _, after, _ = both
    for chunk in after.chunks:
        sections = chunk.dictionary + chunk.repetition_levels + chunk.definition_levels + chunk.values
        assert chunk.headers + sections == chunk.uncompressed
    parts = sum(c.compressed + c.column_index + c.offset_index + c.bloom_filter for c in after.chunks)
    assert 4 + parts + after.footer_bytes + 8 == after.size


def test_columns_of_a_plan_are_sums_over_row_groups(both):
    _, after, _ = both
    assert [".".join(column.path) for column in after.columns] == ["id", "name", "list.list.element"]
    assert after.columns[0].num_values == 500
    assert after.columns[0].compressed == sum(c.compressed for c in after.chunks if c.path == ("id",))
    assert after.columns[0].encodings == {"RLE_DICTIONARY": 5}


def test_plan_as_text_and_as_table(both):
    before, _, _ = both
    assert "500 rows in 2 row groups" in str(before) and "planned" in str(before)
    table = before.to_table()
    assert table.num_rows == 6
    assert table["path"].to_pylist()[:3] == ["id", "name", "list.list.element"]
