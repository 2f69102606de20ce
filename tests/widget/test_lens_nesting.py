"""The stepper's answers for the view: JSON, in blocks, on anything that a file may be."""

import json

import pyarrow as pa
import pytest
from widget.samples import parquet

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.insight.nesting import STEPS
from pqexplore.widget import lenses
from pqexplore.widget.lenses import nesting

TAGS = "row_groups/0/columns/2"


def payload(file, address, **args):
    made = lenses.finish(lenses.payload(file, file.node(address), "nesting", **args))
    json.dumps(made, allow_nan=False)
    return made


@pytest.mark.parametrize(
    ("address", "applies"),
    [
        (f"{TAGS}/pages/1", True),
        (f"{TAGS}/pages/1/definition_levels", True),
        (f"{TAGS}/pages/1/definition_levels/3", True),
        (f"{TAGS}/pages/1/values/0", True),
        (f"{TAGS}/pages/1/header", False),
        (TAGS, True),
        ("schema/5", True),
        ("schema/3", False),
        ("row_groups/0", False),
        ("", False),
    ],
)
def test_where_it_applies(file, address, applies):
    assert nesting.applies(file.node(address)) is applies


def test_a_level_and_a_value_lead_to_their_entry(file):
    entries = payload(file, f"{TAGS}/pages/1")["picture"]
    assert (entries["selected"], entries["entries"], entries["step"]) == (0, 900, STEPS)
    assert payload(file, f"{TAGS}/pages/1/definition_levels/7")["picture"]["selected"] == 7
    # the third value of the page is `c`, behind an empty list, no list, and a null
    assert payload(file, f"{TAGS}/pages/1/values/2")["picture"]["selected"] == 5


def test_steps_come_in_blocks(file):
    reply = nesting.steps(file, f"{TAGS}/pages/1", STEPS)
    assert reply["start"] == STEPS and len(reply["steps"]) == STEPS
    assert reply["steps"][0]["sentence"].startswith("Row ")
    for wrong in (1, -STEPS, 100 * STEPS):
        with pytest.raises(UsageError):
            nesting.steps(file, f"{TAGS}/pages/1", wrong)
    with pytest.raises(UsageError):
        nesting.steps(file, f"{TAGS}/pages/0", 0)  # a dictionary page has none


def test_a_chunk_counts_all_its_pages():
    table = pa.table({"x": pa.array([[i, i] for i in range(1000)])})
    data = parquet(table, use_dictionary=False, data_page_size=1000, write_batch_size=100)
    with pqexplore.open(data) as file:
        made = payload(file, "row_groups/0/columns/0")
        addresses = [page.address for page in file.row_groups[0].columns[0].pages]
    assert made["picture"]["pages"] == addresses and len(addresses) > 3
    assert made["answer"].startswith("Of 2,000 entries 1,000 begin a row and 1,000 go on")


def test_a_leaf_of_the_schema_is_told_by_its_first_row_group(file):
    assert payload(file, "schema/5")["answer"].startswith("In row group 0 of 2: Of ")


def test_a_large_chunk_is_asked_for_first():
    table = pa.table({"x": pa.array([[i] for i in range(10)])})
    with pqexplore.open(parquet(table)) as file:
        node = file.node("row_groups/0/columns/0")
        metadata = file.row_groups[0].columns[0].metadata
        assert nesting.cost(file, node) == metadata.total_uncompressed_size


def test_a_broken_page_says_why(broken_file):
    with pytest.raises(ParquetError):
        payload(broken_file, "row_groups/0/columns/0/pages/1")


def test_a_hostile_name_is_only_text(hostile_file):
    made = payload(hostile_file, "row_groups/0/columns/0")
    assert "<img" in made["picture"]["column"]
