"""Nodes for the view: one in detail, children by the page, and the owner of a byte."""

import io
import json

import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import lenses, wire
from pqexplore.widget import tree


def test_a_node_has_its_facts_path_extent_and_lens(file):
    page = lenses.finish(tree.node(file, "row_groups/0/columns/1/pages/1"))
    assert page.kind == "data_page"
    assert page.extent == page.span
    assert page.path[0].address == ""
    assert page.path[-1].address == "row_groups/0/columns/1/pages/1"
    assert {"page", "facts"} <= {lens.name for lens in page.lenses}
    assert page.lens == "page"
    assert page.payload["picture"]["column"] == "city"
    assert page.facts and all(fact.meaning for fact in page.facts)


def test_a_preferred_lens_is_taken_if_it_applies(file):
    assert lenses.finish(tree.node(file, "", "facts")).lens == "facts"
    assert lenses.finish(tree.node(file, "footer", "rows")).lens == "contents"


def test_the_extent_of_decompressed_bytes_is_that_of_the_page(file):
    value = lenses.finish(tree.node(file, "row_groups/0/columns/0/pages/1/values/0"))
    page = file.node("row_groups/0/columns/0/pages/1")
    assert value.span.space == "row_groups/0/columns/0/pages/1:decompressed"
    assert value.extent == page.span
    assert value.spaces == ["file", "row_groups/0/columns/0/pages/1:decompressed"]


def test_the_extent_of_a_row_group_is_that_of_its_chunks(file):
    first = file.node("row_groups/0/columns/0").span.start
    last = file.node("row_groups/0/columns/4").span.end
    assert lenses.finish(tree.node(file, "row_groups/0")).extent == Span(first, last)


def test_children_come_by_the_page_and_know_their_number(file):
    whole = tree.children(file, "row_groups/0/columns/0/pages/1/values", 0)
    part = tree.children(file, "row_groups/0/columns/0/pages/1/values", 3, 2)
    assert (part.total, part.start) == (whole.total, 3)
    assert part.items == whole.items[3:5]
    assert len(whole.items) <= tree.PAGE


@pytest.mark.parametrize(("start", "count"), [(-1, 1), (0, tree.PAGE + 1), (0, -1)])
def test_too_many_children_or_a_negative_start_raise(file, start, count):
    with pytest.raises(UsageError):
        tree.children(file, "", start, count)


@pytest.mark.parametrize(("offset", "address"), [(0, "magic"), (-1, "footer_magic"), (-5, "footer_length")])
def test_locate_finds_the_owner_of_a_byte(file, offset, address):
    assert tree.locate(file, offset % file.size) == tree.Located(address)


def test_locate_goes_down_to_fields_and_values(file):
    header = file.node("row_groups/0/columns/0/pages/0/header")
    found = tree.locate(file, header.span.start).address
    assert found.startswith("row_groups/0/columns/0/pages/0/header/")
    values = lenses.finish(tree.node(file, "row_groups/0/columns/0/pages/1/values/2"))
    start, space = values.span.start, values.span.space
    assert tree.locate(file, start, space).address.startswith("row_groups/0/columns/0/pages/1/values")


def test_locate_outside_of_the_file_raises(file):
    with pytest.raises(UsageError):
        tree.locate(file, file.size)


def test_a_page_that_cannot_be_read_keeps_its_facts(broken_file):
    pages = list(broken_file.row_groups[0].columns["id"].pages)
    index = next(p.index for p in pages if p.is_data)
    answer = lenses.finish(tree.node(broken_file, f"row_groups/0/columns/0/pages/{index}"))
    assert answer.trouble.type == "CorruptFileError"
    assert answer.trouble.address.startswith(f"row_groups/0/columns/0/pages/{index}")
    assert answer.facts


def test_a_fact_travels_with_its_value_as_text_and_its_bytes(file):
    detail = wire.encode(lenses.finish(tree.node(file, "row_groups/0/columns/1/pages/1", "facts")))
    json.dumps(detail, allow_nan=False)
    assert detail["payload"]["picture"] == {}
    values = {fact["name"]: fact["value"] for fact in detail["facts"]}
    assert {"text": "600", "type": "number"} in values.values()
    assert detail["extent"]["space"] == "file"


BARE = "`number` and `payload` have no statistics in any row group"
FLAGS = {
    # address: the first words of its flag, and how many more findings there are; None without a flag
    "": (BARE, 1),
    "row_groups/3": (BARE, 1),
    "row_groups/7": (BARE, 0),  # the last one holds what is left
    "row_groups/3/columns/0": (BARE, 0),
    "row_groups/3/columns/0/pages/0": None,
    "schema/1": (BARE, 0),
    "schema": (BARE, 0),
    "magic": None,
}


@pytest.mark.parametrize("address", FLAGS)
def test_a_node_has_a_flag_for_the_findings_at_it_and_below_it(address):
    out = io.BytesIO()
    write_sample("slow-no-statistics", out)
    with pqexplore.open(out.getvalue()) as opened:
        flag = lenses.finish(tree.node(opened, address)).flag
    if FLAGS[address] is None:
        assert flag is None
    else:
        words, more = FLAGS[address]
        assert flag.severity == "slow" and flag.sentence.startswith(words) and flag.more == more
