import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.widget import lenses, tree


def test_a_node_has_its_facts_path_place_and_lens(file):
    page = lenses.finish(tree.node(file, "row_groups/0/columns/1/pages/1"))
    assert page["kind"] == "data_page"
    assert page["place"] == page["span"][:2]
    assert page["path"][0]["address"] == ""
    assert page["path"][-1]["address"] == "row_groups/0/columns/1/pages/1"
    assert {"page", "facts"} <= {lens["name"] for lens in page["lenses"]}
    assert page["lens"] == "page"
    assert page["payload"]["picture"]["column"] == "city"
    assert page["facts"] and all(fact["meaning"] for fact in page["facts"])


def test_a_preferred_lens_is_taken_where_it_applies(file):
    assert lenses.finish(tree.node(file, "", "facts"))["lens"] == "facts"
    assert lenses.finish(tree.node(file, "footer", "rows"))["lens"] == "facts"


def test_what_lies_in_decompressed_bytes_has_its_place_in_the_page(file):
    value = lenses.finish(tree.node(file, "row_groups/0/columns/0/pages/1/values/0"))
    page = file.node("row_groups/0/columns/0/pages/1")
    assert value["span"][2] == "row_groups/0/columns/0/pages/1:decompressed"
    assert value["place"] == [page.span.start, page.span.end]
    assert value["spaces"] == ["file", "row_groups/0/columns/0/pages/1:decompressed"]


def test_a_row_group_has_the_place_of_its_chunks(file):
    first = file.node("row_groups/0/columns/0").span.start
    last = file.node("row_groups/0/columns/4").span.end
    assert lenses.finish(tree.node(file, "row_groups/0"))["place"] == [first, last]


def test_children_come_by_the_page_and_know_their_number(file):
    whole = tree.children(file, "row_groups/0/columns/0/pages/1/values", 0)
    part = tree.children(file, "row_groups/0/columns/0/pages/1/values", 3, 2)
    assert part["total"] == whole["total"]
    assert part["items"] == whole["items"][3:5]
    assert len(whole["items"]) <= tree.PAGE


@pytest.mark.parametrize(("start", "count"), [(-1, 1), (0, tree.PAGE + 1), (0, -1)])
def test_children_cannot_be_asked_for_all_at_once(file, start, count):
    with pytest.raises(UsageError):
        tree.children(file, "", start, count)


@pytest.mark.parametrize(
    ("offset", "address"), [(0, "magic"), (-1, "footer_magic"), (-5, "footer_length")]
)
def test_locate_finds_who_owns_a_byte(file, offset, address):
    assert tree.locate(file, offset % file.size) == {"address": address}


def test_locate_goes_down_to_fields_and_values(file):
    header = file.node("row_groups/0/columns/0/pages/0/header")
    found = tree.locate(file, header.span.start)["address"]
    assert found.startswith("row_groups/0/columns/0/pages/0/header/")
    values = lenses.finish(tree.node(file, "row_groups/0/columns/0/pages/1/values/2"))
    start, _, space = values["span"]
    assert tree.locate(file, start, space)["address"].startswith(
        "row_groups/0/columns/0/pages/1/values"
    )


def test_locate_refuses_bytes_outside(file):
    with pytest.raises(UsageError):
        tree.locate(file, file.size)


def test_a_page_that_cannot_be_read_keeps_its_facts(broken_file):
    pages = list(broken_file.row_groups[0].columns["id"].pages)
    index = next(p.index for p in pages if p.is_data)
    answer = lenses.finish(tree.node(broken_file, f"row_groups/0/columns/0/pages/{index}"))
    assert answer["trouble"]["type"] == "CorruptFileError"
    assert answer["trouble"]["address"].startswith(f"row_groups/0/columns/0/pages/{index}")
    assert answer["facts"]
