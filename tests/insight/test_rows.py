"""A row's places, and the first rows as values: what the pages hold is what pyarrow reads."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import events, parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.rows import first_rows, place, places, sentence

PAGED = {"row_group_size": 600, "data_page_size": 512, "write_batch_size": 50}


@pytest.fixture(scope="module", params=[True, False], ids=["indexed", "walked"])
def file(request):
    data = parquet(events(), write_page_index=request.param, **PAGED)
    with pqexplore.open(data) as opened:
        yield opened


def expected(column):
    """The entries of a leaf of `events()` as the rows have them."""
    table = events()
    top, *rest = column
    values = table[top].to_pylist()
    if top == "tags":
        return values
    if top == "place":
        return [None if v is None else v[rest[0]] for v in values]
    if top == "counts":
        at = 0 if rest[-1] == "key" else 1
        return [[pair[at] for pair in v] for v in values]
    return values


def test_the_first_rows_are_what_was_written(file):
    table = first_rows(file, file.root)
    assert table.total == 1000 and len(table.rows) == 1000
    assert table.column("row") == list(range(1000))
    for leaf in file.schema.leaves:
        assert table.column(".".join(leaf.path)) == expected(leaf.path), leaf.path


def test_a_row_group_has_its_own_rows(file):
    table = first_rows(file, file.node("row_groups/1"))
    assert table.column("id") == list(range(600, 1000))
    assert set(table.addresses) == {"row_groups/1"}


@pytest.mark.parametrize("row", [0, 1, 599, 600, 999])
def test_a_row_has_a_place_in_every_column(file, row):
    found = places(file, row)
    assert [one.column for one in found] == list(range(8))
    for one in found:
        page = file.node(one.page)
        assert one.span == page.span and page.kind.startswith("data_page")
        assert one.page.startswith(f"row_groups/{row // 600}/columns/{one.column}/")
        file.node(one.address)
    wanted = expected(("id",))[row]
    facts = {fact.name: fact.value for fact in file.node(found[0].address).facts}
    assert facts["value"] == str(wanted)
    tags = expected(("tags",))[row]
    assert found[3].values == len(tags or [])


def test_rows_that_are_not_there(file):
    for row in (-1, 1000):
        with pytest.raises(UsageError):
            places(file, row)
    with pytest.raises(UsageError):
        place(file, 0, 8)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([5], "5 rows in one row group, 1 column"),
        ([600, 400], "1,000 rows in 2 row groups of 600 and 400, 1 column"),
        ([7, 7, 7], "21 rows in 3 row groups of 7 each, 1 column"),
        ([1, 2, 3, 4, 5, 6], "21 rows in 6 row groups of 1 to 6, 1 column"),
    ],
)
def test_sentences(sizes, words):
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, pa.schema([("x", pa.int64())])) as writer:
        for count in sizes:
            writer.write_table(pa.table({"x": pa.array(range(count), pa.int64())}))
    with pqexplore.open(sink.getvalue()) as file:
        assert sentence(file, file.root).startswith(words)


def test_a_row_group_says_which_rows_it_has(file):
    said = sentence(file, file.node("row_groups/1"))
    assert said == "400 rows of 1,000: numbers 600 to 999, in 8 columns."


@pytest.mark.parametrize(
    "rows",
    [
        [None, [], [None], [1], [1, None, 2]],
        [[], [], []],
        [None, None],
    ],
    ids=str,
)
def test_null_empty_and_full_lists_are_told_apart(rows):
    table = pa.table({"x": pa.array(rows, pa.list_(pa.int64()))})
    with pqexplore.open(parquet(table)) as file:
        assert first_rows(file, file.root).column("x.list.element") == rows


def test_a_broken_page_costs_its_column_only(file):
    data = bytearray(parquet(events(), **PAGED))
    with pqexplore.open(bytes(data)) as whole:
        page = next(p for p in whole.row_groups[0].columns[0].pages if p.is_data)
        data[page.frame.header_end : page.frame.end] = b"\xff" * (
            page.frame.end - page.frame.header_end
        )
    with pqexplore.open(bytes(data)) as broken:
        table = first_rows(broken, broken.root)
        assert str(table.column("id")[0]).startswith("not readable: ")
        assert table.column("id")[600:] == list(range(600, 1000))
        assert table.column("name") == expected(("name",))


def test_a_wide_file_shows_its_first_columns():
    with pqexplore.open(parquet(pa.table({f"c{i}": [i] for i in range(300)}))) as wide:
        table = first_rows(wide, wide.root)
        assert len(table.columns) == 201 and len(places(wide, 0)) == 200
