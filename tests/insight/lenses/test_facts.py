"""The facts of a node as a table."""

import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.insight import wire
from pqexplore.insight.lenses import facts


@pytest.fixture(scope="module")
def file():
    with pqexplore.open(parquet(pa.table({"x": [1, 2, 3]}))) as opened:
        yield opened


@pytest.mark.parametrize("address", ["", "row_groups/0", "row_groups/0/columns/0", "footer"])
def test_each_fact_is_a_row_with_its_bytes_and_address(file, address):
    node = file.node(address)
    answer = facts.answer(file, node)
    rows = list(zip(answer.table.rows, answer.table.addresses, answer.table.spans, strict=True))
    assert rows == [((f.name, f.value, f.meaning), f.address, f.span) for f in node.facts]


def test_the_view_has_the_facts_with_the_node_so_the_picture_is_empty(file):
    answer = facts.answer(file, file.root)
    assert answer.picture == facts.Picture()
    assert wire.encode(answer.picture) == {}
    assert (answer.sentence, answer.code) == ("", "f.node('').facts")
