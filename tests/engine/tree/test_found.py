"""Nodes that are kept while a file is walked: the same tree, found with less reading."""

import pytest
from widget.samples import orders_bytes

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import spans
from pqexplore.engine.tree.found import Found, found_in, keeping_nodes

CHUNK = "row_groups/0/columns/1"
ADDRESSES = (
    "footer/schema/3/name",
    f"footer/{CHUNK}/meta_data/statistics/max_value",
    f"{CHUNK}/column_index/min_values/0",
    f"{CHUNK}/column_index/min_values",
    f"{CHUNK}/pages/1/header/data_page_header/encoding",
    f"{CHUNK}/pages/1/values/3",
    f"{CHUNK}/metadata/pages/meta_data/codec",  # "pages" has no node of its own
    CHUNK,
    "row_groups",
    "",
)


@pytest.fixture
def file():
    with pqexplore.open(orders_bytes()) as opened:
        yield opened


def seen(node):
    return (
        *(node.kind, node.label, node.address, node.span, node.state, node.reason),
        *([str(fact) for fact in node.facts], len(node.children)),
    )


def test_the_nodes_are_those_that_are_found_without(file):
    alone = [seen(file.node(address)) for address in ADDRESSES]
    with keeping_nodes(file):
        for _ in range(2):
            assert [seen(file.node(address)) for address in ADDRESSES] == alone
        for missing in ("footer/schema/3/nothing", f"{CHUNK}/pages/1/values/9999", "nothing"):
            with pytest.raises(KeyError):
                file.node(missing)


def test_a_struct_is_read_once_for_its_fields(file, monkeypatch):
    reads = []
    read = spans.read
    monkeypatch.setattr(spans, "read", lambda *args, **more: reads.append(1) or read(*args, **more))
    header = f"{CHUNK}/pages/1/header"
    fields = [one.address for one in file.node(header).children]
    with keeping_nodes(file):
        reads.clear()
        for address in fields:
            file.node(address)
        assert len(reads) == 1
    reads.clear()
    for address in fields:
        file.node(address)
    assert len(reads) == len(fields)


def test_after_a_new_finding_the_nodes_are_found_anew(file):
    page = f"{CHUNK}/pages/1"
    with keeping_nodes(file):
        before = file.node(page)
        assert file.node(page) is before and before.state == "ok"
        file.note(Finding("unreadable", page, "it is torn"))
        assert (file.node(page).state, file.node(page).reason) == ("corrupt", "it is torn")


def test_they_are_dropped_at_the_end_and_with_the_file():
    with pqexplore.open(orders_bytes()) as file:
        with pytest.raises(ParquetError), keeping_nodes(file):
            file.node("row_groups/0")
            raise ParquetError("an error")
        assert found_in(file) is None


def test_at_most_so_many_are_kept(file, monkeypatch):
    monkeypatch.setattr("pqexplore.engine.tree.found.MOST", 2)
    kept = Found(file)
    for address in ("schema", "row_groups/0", "row_groups/1"):
        kept.add(file.node(address))
    assert kept.nearest(["schema"]) is None
    assert kept.nearest(["row_groups", "1", "x"])[1] == ["x"]
