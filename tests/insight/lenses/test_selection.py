"""Each lens answers for the node that is selected, not for its neighbours or the whole."""

import pytest
from made import events, parquet
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.span import FILE
from pqexplore.insight.lenses import LENSES, answer_of, finish
from pqexplore.insight.lenses.layout import _own
from pqexplore.insight.lenses.layout.strips import strips_to

CHILDREN = 5
"""Children of a node that are looked at, the first ones."""

COLUMN = "row_groups/1/columns/1"


@pytest.fixture(scope="module")
def file():
    """Two row groups, a page index for each chunk, so that many indexes lie side by side."""
    data = parquet(events(600), row_group_size=300, write_page_index=True)
    with pqexplore.open(data) as opened:
        yield opened


def nodes(node, deep=6):
    yield node
    for child in node.children[:CHILDREN] if deep else ():
        yield from nodes(child, deep - 1)


@ONE_COLUMN_METADATA
def test_the_layout_of_a_node_is_that_of_its_bytes(file):
    lens, seen = LENSES["layout"], set()
    for node in nodes(file.root):
        if not lens.applies(node) or node.span is None or node.span.space != FILE:
            continue
        own = _own(strips_to(file, node.address), node.address)
        if own is not None and own.space == FILE:
            assert (own.start, own.end) == (node.span.start, node.span.end), node.address
            seen.add(node.kind)
        elif own is None:
            sentence = finish(answer_of(file, node, lens)).sentence
            assert sentence.startswith(f"{len(node.span):,} byte"), node.address
    assert seen >= {"file", "row_group", "column_chunk", "column_index", "offset_index", "footer"}


@pytest.mark.parametrize("kind", ["column_index", "offset_index"])
def test_the_layout_of_each_index_lists_its_own_fields(file, kind):
    for column in range(len(file.schema.leaves)):
        address = f"row_groups/0/columns/{column}/{kind}"
        made = finish(answer_of(file, file.node(address), LENSES["layout"]))
        assert "indexes" not in made.sentence
        assert {one for one in made.table.addresses if one != address} == {
            child.address for child in file.node(address).children
        }


def test_two_nodes_of_a_kind_have_different_answers(file):
    """Pages, values, indexes and chunks of one lens differ in sentence or picture."""
    alike = []
    for lens in LENSES.values():
        for kind in ("column_index", "offset_index", "data_page", "value", "page_header"):
            of_kind = [n for n in nodes(file.node(COLUMN)) if n.kind == kind and lens.applies(n)]
            answers = [finish(answer_of(file, one, lens)) for one in of_kind[:2]]
            if len(answers) == 2 and answers[0].picture and answers[0] == answers[1]:
                alike.append((lens.name, kind))
    assert alike == []
