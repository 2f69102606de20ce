"""Nodes for the view: one in detail, children by the page, and the owner of a byte."""

import io

import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import lenses
from pqexplore.widget import tree


def test_a_preferred_lens_is_taken_if_it_applies(file):
    assert lenses.finish(tree.node(file, "", "facts")).lens == "facts"
    assert lenses.finish(tree.node(file, "footer", "rows")).lens == "contents"


@pytest.mark.parametrize(("start", "count"), [(-1, 1), (0, tree.PAGE + 1), (0, -1)])
def test_too_many_children_or_a_negative_start_raise(file, start, count):
    with pytest.raises(UsageError):
        tree.children(file, "", start, count)


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
