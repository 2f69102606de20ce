"""What stands above the levels and values of a page, and beside a selected one."""

import json

import pytest

from pqexplore.widget import lenses

PAGE = "row_groups/0/columns/2/pages/1"


def shown(file, address):
    payload = lenses.finish(lenses.show(file, address, "page"))
    json.dumps(payload, allow_nan=False)
    return payload


def test_the_parts_of_a_page(file):
    payload = shown(file, PAGE)
    parts = payload["picture"]["parts"]
    assert [one["name"] for one in parts["sections"]] == [
        "repetition levels",
        "definition levels",
        "values",
    ]
    assert sum(one["bytes"] for one in parts["sections"]) == parts["opened"]
    assert (parts["codec"], parts["checksum"]) == ("SNAPPY", "none")
    assert "SNAPPY makes" in payload["answer"]
    assert payload["picture"]["value"] is None


@pytest.mark.parametrize(
    ("address", "entry", "means"),
    [
        (f"{PAGE}/values/0", 0, "a"),
        (f"{PAGE}/values/2", 5, "c"),
        (f"{PAGE}/definition_levels/2", 2, "no value"),
        (f"{PAGE}/repetition_levels/1", 1, "b"),
    ],
)
def test_a_selected_entry_is_told_in_all_forms(file, address, entry, means):
    picture = shown(file, address)["picture"]
    assert picture["selected"] == entry
    assert picture["value"]["forms"][0] == ["means", means]


def test_a_value_leads_to_its_entry_of_the_dictionary(file):
    value = shown(file, f"{PAGE}/values/2")["picture"]["value"]
    assert value["entry"] == ["entry 2", "row_groups/0/columns/2/pages/0/values/2"]
