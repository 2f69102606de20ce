"""Addresses lead to nodes, nodes to bytes, bytes to values."""

import pyarrow as pa
import pytest
from made import events, parquet

import pqexplore
from pqexplore.engine.address import Address
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import FILE, Span

TABLE = events(300)
FILES = {
    "uncompressed": parquet(TABLE, compression=None, use_dictionary=False, write_page_index=True),
    "snappy": parquet(TABLE),
    "V2": parquet(TABLE, data_page_version="2.0", compression="zstd"),
}


def test_addresses_join_and_have_parents():
    assert Address.of("row_groups", 0, "", "columns", 4) == "row_groups/0/columns/4"
    chain = ["row_groups/0/columns/4/pages/2/values/17"]
    while chain[-1]:
        chain.append(Address(chain[-1]).parent)
    assert chain[1:] == [
        "row_groups/0/columns/4/pages/2/values",
        "row_groups/0/columns/4/pages/2",
        "row_groups/0/columns/4",
        "row_groups/0",
        "row_groups",
        "",
    ]


def test_a_lazy_sequence_makes_what_is_asked_for():
    made = []
    items = LazySequence(10**12, lambda index: made.append(index) or index)
    assert items[5] == 5
    assert items[-1] == 10**12 - 1
    assert items[7:9] == [7, 8]
    assert made == [5, 10**12 - 1, 7, 8]
    with pytest.raises(IndexError):
        items[10**12]


def walk(node, depth=0):
    yield node
    for child in list(node.children)[:6]:
        yield from walk(child, depth + 1)


@pytest.mark.parametrize("name", FILES)
def test_every_node_is_found_by_its_address_and_lies_in_its_space(name):
    file = pqexplore.open(FILES[name])
    seen = 0
    for node in walk(file.root):
        seen += 1
        again = file.node(node.address)
        assert (again.kind, again.label, again.span) == (node.kind, node.label, node.span)
        assert isinstance(node.kind, Kind) and isinstance(node.address, Address)
        assert all(fact.name and fact.meaning for fact in node.facts), node
        if node.address:
            assert file.node(node.address.parent) is not None
        if node.span is not None:
            assert 0 <= node.span.start <= node.span.end <= file.space_size(node.span.space)
            assert len(file.bytes(node.span)) == len(node.span)
    assert seen > 200


@pytest.mark.parametrize("name", FILES)
def test_file_space_children_of_a_page_tile_it(name):
    file = pqexplore.open(FILES[name])
    for chunk in file.chunks():
        for page in chunk.pages:
            node = file.node(page.address)
            inside = [child.span for child in node.children if child.span.space == FILE]
            body = [child for child in node.children if child.kind == "body"]
            if body:
                inside = [node.children[0].span, body[0].span]
            at = node.span.start
            for span in inside:
                assert span.start == at, node
                at = span.end
            assert at == node.span.end


# column | value number | the bytes that say it, in an uncompressed PLAIN page
PLAIN = [("id", 17, (17).to_bytes(8, "little")), ("name", 8, b"\x06\x00\x00\x00name 1")]


@pytest.mark.parametrize(("column", "index", "expected"), PLAIN)
def test_from_a_value_to_its_bytes(column, index, expected):
    file = pqexplore.open(FILES["uncompressed"])
    chunk = file.row_groups[0].columns[column]
    node = file.node(f"{chunk.pages[0].address}/values/{index}")
    assert node.span.space == FILE
    assert file.bytes(node.span) == expected


def test_a_dictionary_encoded_value_points_at_its_entry():
    file = pqexplore.open(FILES["snappy"])
    page = file.row_groups[0].columns["name"].pages[1]
    facts = {fact.name: fact for fact in file.node(f"{page.address}/values/8").facts}
    assert facts["value"].value == "name 1"
    entry = file.node(facts["dictionary index"].address)
    assert {fact.name: fact.value for fact in entry.facts}["value"] == "name 1"
    assert "bits" in facts


def test_the_footer_has_a_node_for_each_field():
    file = pqexplore.open(FILES["snappy"])
    node = file.node("footer/row_groups/0/columns/1/meta_data/codec")
    assert {fact.name: fact.value for fact in node.facts}["value"] == "SNAPPY"
    assert len(file.bytes(node.span)) == 2
    at_chunk = file.node("row_groups/0/columns/1/metadata/meta_data/codec")
    assert at_chunk.span == node.span


@pytest.mark.parametrize(
    "address",
    ["nothing", "row_groups/7", "row_groups/0/columns/99", "row_groups/0/columns/0/pages/99",
     "row_groups/x", "footer/nothing", "gaps/5", "schema/999", "row_groups/0/columns/0/pages/0/values/-1"],
)  # fmt: skip
def test_an_unknown_address_is_a_key_error(address):
    with pytest.raises(KeyError):
        pqexplore.open(FILES["snappy"]).node(address)


def test_bytes_outside_a_space_raise():
    file = pqexplore.open(FILES["snappy"])
    page = file.row_groups[0].columns[0].pages[0]
    space = f"{page.address}:decompressed"
    size = file.space_size(space)
    assert size == page.header.uncompressed_page_size
    assert len(file.bytes(Span(0, size, space))) == size
    with pytest.raises(ValueError, match="outside"):
        file.bytes(Span(0, size + 1, space))
    with pytest.raises(KeyError):
        file.bytes(Span(0, 1, "row_groups/0/columns/0/pages/0:nothing"))


def test_an_empty_table_has_a_tree():
    file = pqexplore.open(parquet(pa.table({"a": pa.array([], pa.int32())})))
    assert [node.address for node in file.root.children][:3] == ["magic", "schema", "row_groups"]


@pytest.mark.parametrize("section", ["values", "definition_levels"])
def test_a_section_of_a_page_that_cannot_be_opened_says_why(section):
    with pqexplore.open(FILES["snappy"]) as file:
        page = next(p for p in file.row_groups[0].columns["name"].pages if p.is_data)
        start, end = page.frame.header_end, page.frame.end
    damaged = bytearray(FILES["snappy"])
    damaged[start:end] = b"\xff" * (end - start)
    with pqexplore.open(bytes(damaged)) as file:
        with pytest.raises(pqexplore.CorruptFileError) as caught:
            file.node(f"{page.address}/{section}")
        assert caught.value.address == page.address
        with pytest.raises(KeyError):
            file.node(f"{page.address}/nothing")
