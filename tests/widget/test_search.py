"""Finding a place by what a person types."""

import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.writer.samples import SICK
from pqexplore.widget.operations import CELLS, HITS, search


def hits(file, query):
    return [(hit["address"], hit["why"]) for hit in search(file, query)["hits"]]


def test_thousands_may_be_set_apart(file):
    for query in ("1,234", "1_234", "1 234", "0x4d2"):
        address, why = hits(file, query)[0]
        span = file.node(address).span
        assert why.startswith("byte 1,234 is in this ")
        page = file.node(address.partition("/body")[0]).span
        assert page.start <= 1234 < page.end or span.start <= 1234 < span.end


def test_an_offset_beyond_the_end_is_nowhere(file):
    assert hits(file, str(file.size)) == []
    assert hits(file, "9" * 400) == []


@pytest.mark.parametrize("typed, found", [
    ("row_groups/", ["row_groups/0", "row_groups/1"]),
    ("row_groups/1/col", [f"row_groups/1/columns/{i}" for i in range(5)]),
    ("row_groups/1/columns/3/x", []),
    ("row_groups/7/columns/", []),
    ("foot", ["footer", "footer_length", "footer_magic"]),
    ("/////", []),
])  # fmt: skip
def test_the_beginning_of_an_address_is_completed(file, typed, found):
    addresses = [address for address, _ in hits(file, typed)]
    assert [one for one in addresses if one.startswith(typed)] == found


@pytest.mark.parametrize("query, found", [
    ("city row 3", ["row_groups/0/columns/1/pages/1/values/2"]),
    ("CITY  Row 700", ["row_groups/1/columns/1/pages/1/values/75"]),
    ("row 700 city", ["row_groups/1/columns/1/pages/1/values/75"]),
    ("city 700", ["row_groups/1/columns/1/pages/1/values/75"]),
    ("700 city", ["row_groups/1/columns/1/pages/1/values/75"]),
    ("row city 700", ["row_groups/1/columns/1/pages/1/values/75"]),
    ("700 row city", ["row_groups/1/columns/1/pages/1/values/75"]),
    ("it row 700", ["row_groups/1/columns/1/pages/1/values/75"]),
    ("city row 1,000", []),
    ("nothing row 3", []),
    ("city row", []),
])  # fmt: skip
def test_a_row_of_a_column_leads_to_its_value(file, query, found):
    assert [address for address, why in hits(file, query) if why.startswith("value in")] == found


@pytest.mark.parametrize("query, found", [
    ("row 700", ("row_groups/1", "row 700 is in this row group")),
    ("rows/700", ("row_groups/1", "row 700 is in this row group")),
    ("rows/700/city", ("row_groups/1/columns/1/pages/1/values/75", "address of a value")),
    ("row_groups/0/city", ("row_groups/0/columns/1", "address of a column chunk")),
    ("row 1,000", None),
])  # fmt: skip
def test_an_address_may_have_a_row_or_a_name(file, query, found):
    assert hits(file, query)[:1] == ([found] if found else [])


def test_the_words_of_a_column_may_come_in_any_order():
    with pqexplore.open(parquet(pa.table({"order.ship.city": [1], "order_city": [2], "ship_city": [3]}))) as file:
        assert [one["label"] for one in search(file, "city order")["hits"]][:2] == ["order_city", "order.ship.city"]


def test_a_row_of_many_columns_of_one_name_reads_few_pages():
    table = pa.table([pa.array([1])] * 20, names=["a"] * 20)
    with pqexplore.open(parquet(table)) as file:
        found = [why for _, why in hits(file, "a row 0")]
    assert found.count("value in row 0") == CELLS


def test_keys_and_values(hostile_file):
    [note] = [h for h in search(hostile_file, "note")["hits"] if h["why"].startswith("key of")]
    assert hostile_file.node(note["address"]).kind == "key_value"


def test_many_hits_are_cut_and_it_says_so():

    with pqexplore.open(parquet(pa.table({f"column {i}": [i] for i in range(60)}))) as file:
        found = search(file, "column")
    assert len(found["hits"]) == HITS
    assert found["more"]


def test_lenses_and_rules_are_found_by_words_in_any_order(file):
    def lens(query):
        return [(hit["lens"], hit["address"]) for hit in search(file, query)["hits"] if "lens" in hit]

    assert lens("index page") == [("page_index", "row_groups/0/columns/0")]
    assert ("schema", "") not in lens("schema") and lens("schema")
    assert lens("no such lens") == []
    with pqexplore.open(SICK["sick-checksum"].data()) as sick:
        sick.check()
        rule = sick.findings[0].rule
        words = " ".join(reversed(rule.split("-")))
        assert [hit["label"] for hit in search(sick, words)["hits"]].count(rule) == 1
