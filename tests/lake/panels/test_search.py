"""Finding a file or a column of a lake by a part of its name."""

from pqexplore.lake.panels.search import FILES, search


def test_columns_come_at_their_largest_chunk_then_files(lake, folder):
    found = search(lake, "I")
    assert [hit.label for hit in found.hits] == [*("id", "city"), *(f"day={day}/it's.parquet" for day in range(4))]
    assert found.hits[0].address == f"{folder}/day=3/it's.parquet#row_groups/0/columns/0"
    assert not found.more


def test_what_is_typed_is_text_and_the_folder_of_all_files_is_not_looked_at(lake, folder):
    assert [hit.label for hit in search(lake, "0/it's").hits] == ["day=0/it's.parquet"]
    assert search(lake, "%").hits == search(lake, folder.name).hits == search(lake, " ").hits == []


def test_more_files_than_are_listed(lake, store, monkeypatch):
    assert FILES > 4
    monkeypatch.setattr("pqexplore.lake.panels.search.FILES", 3)
    for subject in (lake, store):
        found = search(subject, "day=")
        assert len(found.hits) == 3 and found.more
