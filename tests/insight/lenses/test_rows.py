"""The rows: as texts, as values, and their locations. What the pages hold is what pyarrow reads."""

import pyarrow as pa
import pytest
from made import events, one_column, parquet
from widget import samples

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree.at import page_at
from pqexplore.insight.lenses import rows as lens
from pqexplore.insight.lenses.rows import sentence
from pqexplore.insight.row_pages import locate, locations
from pqexplore.insight.row_values import first_rows

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
def test_a_row_has_a_location_in_every_column(file, row):
    found = locations(file, row)
    assert [one.column for one in found] == list(range(8))
    assert [one.name for one in found] == [".".join(leaf.path) for leaf in file.schema.leaves]
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


def test_locations_outside_of_the_rows_raise(file):
    for row in (-1, 1000):
        with pytest.raises(UsageError):
            locations(file, row)
    with pytest.raises(UsageError):
        locate(file, 0, 8)


@pytest.mark.parametrize(("sizes", "words"), [
    ([5], "5 rows in one row group, 1 column"),
    ([600, 400], "1,000 rows in 2 row groups of 600 and 400, 1 column"),
    ([7, 7, 7], "21 rows in 3 row groups of 7 each, 1 column"),
    ([1, 2, 3, 4, 5, 6], "21 rows in 6 row groups of 1 to 6, 1 column"),
])  # fmt: skip
def test_the_sentence_says_how_the_rows_are_divided(sizes, words):
    with pqexplore.open(one_column(pa.int64(), *map(range, sizes))) as file:
        assert sentence(file, file.root).startswith(words)


def test_a_row_group_says_which_rows_it_has(file):
    text = sentence(file, file.node("row_groups/1"))
    assert text == "400 rows of 1,000: numbers 600 to 999, in 8 columns."


@pytest.mark.parametrize("rows", [[None, [], [None], [1], [1, None, 2]], [[], [], []], [None, None]], ids=str)
def test_null_empty_and_full_lists_differ(rows):
    table = pa.table({"x": pa.array(rows, pa.list_(pa.int64()))})
    with pqexplore.open(parquet(table)) as file:
        assert first_rows(file, file.root).column("x.list.element") == rows


def test_values_of_a_damaged_page_are_its_error(file):
    data = bytearray(parquet(events(), **PAGED))
    with pqexplore.open(bytes(data)) as whole:
        page = next(p for p in whole.row_groups[0].columns[0].pages if p.is_data)
        data[page.frame.header_end : page.frame.end] = b"\xff" * (page.frame.end - page.frame.header_end)
    with pqexplore.open(bytes(data)) as broken:
        table = first_rows(broken, broken.root)
        assert str(table.column("id")[0]).startswith("not readable: ")
        assert table.column("id")[600:] == list(range(600, 1000))
        assert table.column("name") == expected(("name",))


def test_a_wide_file_shows_its_first_columns():
    with pqexplore.open(parquet(pa.table({f"c{i}": [i] for i in range(300)}))) as wide:
        table = first_rows(wide, wide.root)
        assert len(table.columns) == 201 and len(locations(wide, 0)) == 200


@pytest.fixture(scope="module")
def orders():
    """The widget's sample: 1,000 rows in row groups of 600 and 400; columns id, city, tags, when, score."""
    with pqexplore.open(samples.orders_bytes()) as opened:
        yield opened


@pytest.mark.parametrize("start", [0, 550, 600, 950])
def test_a_block_goes_on_over_the_end_of_a_row_group(orders, start):
    block = lens.read(orders, start, 0)
    assert (block.start, block.count) == (start, lens.ROWS)
    assert block.columns.by_name["0"] == [str(start + i) for i in range(lens.ROWS)]


@pytest.mark.parametrize(("start", "column"), [(1, 0), (0, 1), (-50, 0), (1050, 0), (0, 16)])
def test_a_block_that_begins_elsewhere_raises(orders, start, column):
    with pytest.raises(UsageError, match="are not where an answer begins"):
        lens.read(orders, start, column)


def test_a_row_group_pages_through_its_own_rows(orders):
    picture = lens.answer(orders, orders.node("row_groups/1")).picture
    assert (picture.first, picture.count, picture.all_columns) == (600, 400, 5)
    assert [(c.name, c.align) for c in picture.columns] == [
        ("id", "right"),
        ("city", "left"),
        ("tags.list.element", "left"),
        ("when", "right"),
        ("score", "right"),
    ]


@pytest.mark.parametrize("column", range(5))
@pytest.mark.parametrize("row", [0, 3, 599, 600, 999])
def test_a_cell_leads_to_its_first_value(orders, row, column):
    address = lens.cell(orders, row, column).address
    assert address.startswith(f"row_groups/{row // 600}/columns/{column}/pages/")
    wanted = orders.read().column(column)[row].as_py()
    if isinstance(wanted, list):
        wanted = next((v for v in wanted if v is not None), None)
    if wanted is None:
        level = int(address.rpartition("/definition_levels/")[2])
        page = page_at(orders, address)
        assert page.definition_levels[level] < page.chunk.leaf.max_definition_level
    else:
        index = int(address.rpartition("/")[2])
        assert page_at(orders, address).values[index].as_py() == wanted


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (1000, 0), (0, 5), (0, -1)])
def test_a_cell_outside_raises(orders, row, column):
    with pytest.raises(UsageError):
        lens.cell(orders, row, column)


def test_a_damaged_page_in_the_middle_costs_its_own_rows():
    """The rows after it in the same reply were lost, too, and its neighbours that are empty texts looked so."""
    texts = ["" if i % 10 == 9 else str(i) for i in range(200)]
    options = {"data_page_size": 16, "write_batch_size": 10, "use_dictionary": False}
    data = bytearray(parquet(pa.table({"a": texts}), compression="snappy", **options))
    with pqexplore.open(bytes(data)) as whole:
        page = [one for one in whole.row_groups[0].columns[0].pages if one.is_data][11]
        assert page.num_values == 10
    data[page.frame.header_end : page.frame.end] = b"\xff" * (page.frame.end - page.frame.header_end)
    with pqexplore.open(bytes(data)) as broken:
        block = lens.read(broken, 100, 0)
    assert set(block.errors) == {"0"}
    assert block.columns.by_name["0"] == texts[100:110] + [""] * 10 + texts[120:150]
    assert block.columns.by_name["0?"].tolist() == [0] * 10 + [1] * 10 + [0] * 30


@pytest.mark.parametrize("damaged", ["body", "header"])
def test_a_damaged_page_costs_the_cells_of_its_column(orders, damaged):
    data = bytearray(samples.orders_bytes())
    frame = next(p for p in orders.row_groups[0].columns["id"].pages if p.is_data).frame
    start, end = (frame.header_end, frame.end) if damaged == "body" else (frame.start, frame.header_end)
    data[start:end] = b"\xff" * (end - start)
    with pqexplore.open(bytes(data)) as broken:
        block = lens.read(broken, 0, 0)
        row = lens.row(broken, 0)
    assert set(block.errors) == {"0"}
    assert block.errors["0"].address.startswith("row_groups/0/columns/0")
    assert block.columns.by_name["0"] == [""] * lens.ROWS
    assert block.columns.by_name["1"][:2] == ["Oslo", "Lima"]
    assert (row.columns, row.locations[0].span) == (5, None)
    assert row.locations[0].trouble and not any(one.trouble for one in row.locations[1:])
