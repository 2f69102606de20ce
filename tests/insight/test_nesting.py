"""What the levels of a column say in all: the sentence, the histograms, and the reasons why there is nothing."""

import json

import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.insight import nesting

TAGS = [["a", "b"], [], None, [None, "c"], ["d"]] * 20


def finish(steps):
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


@pytest.fixture(scope="module")
def file():
    table = pa.table(
        {
            "tags": pa.array(TAGS, pa.list_(pa.string())),
            "flat": pa.array([None if i % 4 == 0 else i for i in range(100)], pa.int32()),
            "sure": pa.array(range(100), pa.int32()),
        },
        schema=pa.schema(
            [
                ("tags", pa.list_(pa.string())),
                ("flat", pa.int32()),
                pa.field("sure", pa.int32(), nullable=False),
            ]
        ),
    )
    with pqexplore.open(parquet(table, write_page_index=True)) as opened:
        yield opened


def test_a_list_column_in_a_sentence(file):
    said = finish(nesting.of_chunk(file.row_groups[0].columns[0])).sentence
    assert said == (
        "Of 140 entries 100 begin a row and 40 go on with a list; 80 hold a value. Missing: 20 rows have no 'tags', "
        "20 rows have an empty 'tags', 20 times 'tags.list.element' is null. Values a row, on average: 0.8."
    )


def test_a_flat_column_in_a_sentence(file):
    page = next(p for p in file.row_groups[0].columns[1].pages if p.is_data)
    assert nesting.of_page(page).sentence == (
        "100 entries, one a row: 75 hold a value. Missing: 25 rows have no 'flat'."
    )


def test_a_required_column_has_no_levels_and_says_why(file):
    made = finish(nesting.of_chunk(file.row_groups[0].columns[2]))
    assert made.picture is None
    assert made.empty.startswith("Every field on the path to sure is required")


def test_the_histograms_count_what_is_stored(file):
    table = finish(nesting.of_chunk(file.row_groups[0].columns[0])).table
    rows = list(zip(*(table.column(n) for n in ("level_kind", "level", "entries")), strict=True))
    assert rows == [
        ("repetition", 0, 100),
        ("repetition", 1, 40),
        ("definition", 0, 20),
        ("definition", 1, 20),
        ("definition", 2, 20),
        ("definition", 3, 80),
    ]
    assert table.column("means")[2:] == [
        "tags is null",
        "tags is empty",
        "tags.list.element is null",
        "tags.list.element has a value",
    ]
    assert sum(table.column("share")[2:]) == pytest.approx(1)
    assert table.column("told") == table.column("entries")  # pyarrow writes SizeStatistics


def test_a_row_of_the_table_leads_to_the_levels(file):
    page = next(p for p in file.row_groups[0].columns[0].pages if p.is_data)
    table = nesting.of_page(page).table
    assert table.addresses[0] == f"{page.address}/repetition_levels"
    assert file.node(table.addresses[-1]).span == table.spans[-1]


def test_the_ladder_has_the_levels_of_each_field(file):
    picture = finish(nesting.of_chunk(file.row_groups[0].columns[0])).picture
    assert [
        (r["name"], r["repetition"], r["definition_level"], r["repetition_level"])
        for r in picture["ladder"]
    ] == [("tags", "optional", 1, 0), ("list", "repeated", 2, 1), ("element", "optional", 3, 1)]
    json.dumps(picture, allow_nan=False)


def test_a_dictionary_page_has_no_levels(file):
    page = file.row_groups[0].columns[0].pages[0]
    assert page.kind == "dictionary_page"
    assert "no levels" in nesting.of_page(page).empty


@pytest.mark.parametrize("groups", [0, 1])
def test_a_file_without_entries_says_so(groups):
    empty = pa.table({"x": pa.array([], pa.list_(pa.int32()))})
    import io

    import pyarrow.parquet as pq

    sink = io.BytesIO()
    with pq.ParquetWriter(sink, empty.schema) as writer:
        for _ in range(groups):
            writer.write_table(empty)
    with pqexplore.open(sink.getvalue()) as file:
        made = finish(nesting.of_leaf(file, file.schema.leaves[0]))
    assert "so there are no levels to walk" in made.empty
    assert made.picture["ladder"][0]["name"] == "x"


def test_a_damaged_page_costs_itself(file):
    data = parquet(
        pa.table({"x": pa.array([[i] for i in range(3000)])}),
        use_dictionary=False,
        compression=None,
        data_page_size=1000,
        write_batch_size=100,
    )
    with pqexplore.open(data) as opened:
        first = opened.row_groups[0].columns[0].pages[0]
        whole = finish(nesting.of_chunk(opened.row_groups[0].columns[0])).table
    damaged = bytearray(data)
    damaged[first.frame.header_end : first.frame.end] = b"\xff" * (
        first.frame.end - first.frame.header_end
    )
    with pqexplore.open(bytes(damaged)) as opened:
        made = finish(nesting.of_chunk(opened.row_groups[0].columns[0]))
    assert "Not all pages could be read: " in made.sentence
    assert made.table.column("entries")[0] == whole.column("entries")[0] - first.num_values


def test_where_the_pages_cannot_be_followed_those_before_are_told():
    data = parquet(
        pa.table({"x": pa.array([[i] for i in range(3000)])}),
        use_dictionary=False,
        compression=None,
        data_page_size=1000,
        write_batch_size=100,
    )
    with pqexplore.open(data) as opened:
        pages = opened.row_groups[0].columns[0].pages
        before = sum(page.num_values for page in pages[:5])
        frame = pages[5].frame
    damaged = bytearray(data)
    damaged[frame.start : frame.header_end] = b"\xff" * (frame.header_end - frame.start)
    with pqexplore.open(bytes(damaged)) as opened:
        made = finish(nesting.of_chunk(opened.row_groups[0].columns[0]))
    assert made.sentence.startswith(f"Of {before:,} entries")
    assert "Not all pages could be read: " in made.sentence
    assert len(made.picture["pages"]) == 5
