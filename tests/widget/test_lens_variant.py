"""The Variant lens: where it applies, which row a node leads to, and the parts that the tree shows."""

import json

import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.widget import lenses, tree
from pqexplore.widget.lenses import variant

VALUE = "row_groups/0/columns/1/pages/1/values/22"


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    path = tmp_path_factory.mktemp("variant") / "variant.parquet"
    write_sample("variant", path)
    with pqexplore.open(path) as file:
        yield file


def payload(file, address):
    made = lenses.finish(lenses.payload(file, file.node(address), "variant"))
    json.dumps(made, allow_nan=False)
    return made


@pytest.mark.parametrize(
    ("address", "applies"),
    [
        ("schema/1", True),
        ("schema/2", False),
        ("row_groups/0/columns/0", True),
        (VALUE, True),
        (f"{VALUE}/header", True),
        (f"{VALUE}/values/0/data", True),
        ("row_groups/0/columns/1/pages/1", False),
        ("", False),
    ],
)
def test_where_it_applies(opened, address, applies):
    assert variant.applies(opened.node(address)) is applies


def test_it_does_not_apply_to_other_values(file):
    assert not variant.applies(file.node("row_groups/0/columns/1/pages/1/values/0"))
    assert not variant.applies(file.node("row_groups/0/columns/1"))


@pytest.mark.parametrize(
    ("address", "row"),
    [
        ("schema/1", 0),
        ("row_groups/0/columns/1", 0),
        (VALUE, 22),
        (f"{VALUE}/values/0/data", 22),
        ("row_groups/0/columns/0/pages/1/values/5/header", 5),
    ],
)
def test_a_node_leads_to_its_row(opened, address, row):
    assert payload(opened, address)["picture"]["row"]["row"] == row


def test_another_row_is_asked_for(opened):
    assert variant.row(opened, "schema/1", 0, 2)["json"] == "1"
    for wrong in (("schema/0", 0, 0), ("footer", 0, 0), ("schema/1", 0, 99), ("schema/1", 9, 0)):
        with pytest.raises(UsageError):
            variant.row(opened, *wrong)


def test_the_value_of_a_variant_shows_its_parts(opened, file):
    shown = tree.children(opened, VALUE)["items"]
    assert [child["kind"] for child in shown][:2] == ["variant_header", "variant_num_elements"]
    assert lenses.finish(tree.node(opened, VALUE))["children"] == len(shown) == 5
    assert not lenses.finish(tree.node(opened, VALUE))["leaf"]
    assert lenses.finish(tree.node(file, "row_groups/0/columns/1/pages/1/values/0"))["leaf"]


def test_what_would_be_decoded_is_counted(opened):
    node = opened.node("schema/1")
    sizes = [c.metadata.total_uncompressed_size for c in opened.row_groups[0].columns]
    assert variant.cost(opened, node) == sum(sizes)
