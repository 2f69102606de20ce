"""The dictionary lens as the view gets it: with progress, asked before it decodes much, empty with a reason."""

import json

import pytest

from pqexplore.engine.errors import ParquetError
from pqexplore.insight import lenses
from pqexplore.insight.lenses import dictionary
from pqexplore.widget import lens as lens_view


def shown(file, address, sure=False):
    payload = lenses.finish(lens_view.show(file, address, "dictionary", sure))
    json.dumps(payload, allow_nan=False)
    return payload


@pytest.mark.parametrize("address", ["row_groups/0/columns/1", "row_groups/0/columns/1/pages/0"])
def test_the_uses_of_each_entry(file, address):
    picture = shown(file, address)["picture"]
    assert [(one["index"], one["value"], one["uses"]) for one in picture["top"]] == [
        (0, "Oslo", 150),
        (1, "Lima", 150),
        (2, "Bern", 150),
    ]


def test_it_asks_before_it_decodes_much(file, monkeypatch):
    monkeypatch.setattr(lens_view, "ASKS_BEYOND", 10)
    node = file.node("row_groups/0/columns/1")
    assert shown(file, node.address)["ask"]["bytes"] == dictionary.cost(file, node) > 10
    assert shown(file, node.address, sure=True)["picture"]


def test_a_row_group_has_no_dictionary(file):
    assert not dictionary.LENS.applies(file.node("row_groups/0"))


def test_a_chunk_whose_dictionary_is_damaged_raises_only_our_errors(broken_file):
    for chunk in broken_file.row_groups[0].columns:
        try:
            shown(broken_file, chunk.address)
        except ParquetError as error:
            assert error.address
