"""Addresses with names in place of numbers, rows of the file, and byte offsets."""

from pathlib import Path

import made
import pyarrow as pa
import pytest
from table_files import table_rows

import pqexplore
from pqexplore.engine.errors import NoNodeError, UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import across, places

TABLES = Path(__file__).parent / "tables" / "places.txt"


@pytest.fixture(scope="module")
def file():
    """Eight leaves in two row groups of 600 and 400 rows."""
    return pqexplore.open(made.parquet(made.events(), row_group_size=600, write_page_index=True))


@pytest.mark.parametrize(("address", "found"), table_rows(TABLES, "addresses"))
def test_an_address(file, address, found):
    if found == "an error":
        with pytest.raises(UsageError):
            places.resolve(file, address)
        return
    node = places.resolve(file, address)
    assert file.node(address).address == node.address
    assert (node.address or "the file") == found or (address[:2] == "@1" and node.address.startswith("row_groups"))


@pytest.mark.parametrize(("address", "said"), table_rows(TABLES, "errors"))
def test_an_address_that_names_nothing_says_what_there_is(file, address, said):
    with pytest.raises(UsageError) as raised:
        places.resolve(file, address)
    assert said in str(raised.value)


def test_names_with_slashes_dots_and_digits():
    file = pqexplore.open(made.parquet(pa.table({"a/b": [1], "a.b": [2], "7": [3]})))
    for number, name in enumerate(("a/b", "a.b", "7")):
        at = f"row_groups/0/columns/{number}"
        assert places.resolve(file, f"row_groups/0/columns/{name}" if number < 2 else at).address == at
        assert places.resolve(file, f"columns/{name}").address == f"schema/{number + 1}"


def test_a_row_has_its_row_group_and_its_values(file):
    node = places.resolve(file, "rows/701")
    facts = {fact.name: fact for fact in node.facts}
    assert (facts["row group"].value, facts["row in the row group"].value) == (1, 101)
    assert (facts["id"].value, facts["name"].value) == (701, "name 1")
    assert facts["tags.list.element"].value == ["t0"]
    assert file.node(facts["id"].address).kind == "value"


@pytest.mark.parametrize("lens", ["rows", "value", "page"])
def test_a_row_as_a_table(file, lens):
    found = across.answer(file, places.resolve(file, "rows/605"), lens)
    assert found.sentence == "Row 605 of 1,000 is row 5 of row group 1, in 8 columns."
    table = dict(zip(found.table.column("column"), found.table.rows, strict=True))
    assert table["id"][1] == 605 and table["score"][1] is None
    assert table["id"][2] == "row_groups/1/columns/0/pages/1"
    assert found.table.addresses[0] == "row_groups/1/columns/0/pages/1/values/5"


def test_a_damaged_column_of_a_row_says_why():
    data = bytearray(made.parquet(pa.table({"a": [1, 2], "b": ["x", "y"]}), use_dictionary=False))
    start = pqexplore.open(bytes(data)).row_groups[0].columns[0].span.start
    data[start] = 0xFF
    damaged = pqexplore.open(bytes(data))
    cells = [places.cell_of_row(damaged, 1, leaf) for leaf in damaged.schema.leaves]
    assert cells[0].trouble and cells[0].value is None
    assert (cells[1].value, cells[1].trouble) == ("y", "")


def test_the_last_byte_is_the_magic_at_the_end(file):
    assert places.locate(file, file.size - 1) == "footer_magic"


def test_no_node_of_a_file_that_is_encrypted_is_no_node(tmp_path):
    write_sample("encrypted", tmp_path / "encrypted.parquet")
    with pqexplore.open(tmp_path / "encrypted.parquet") as file:
        for address in ("country", "rows/0", "columns/country"):
            with pytest.raises(NoNodeError):
                file.node(address)
