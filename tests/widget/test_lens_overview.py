"""The picture of the overview travels, whatever the file holds."""

import json

import pyarrow as pa
import pytest
from made import rebuilt
from widget.samples import HOSTILE, orders, parquet

import pqexplore
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view


def shown(data):
    with pqexplore.open(data) as f:
        payload = lenses.finish(lens_view.show(f, "", "overview"))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload


def test_a_file_of_many_columns_and_row_groups_has_a_small_picture():
    table = pa.table({f"c{i}": list(range(20)) for i in range(60)})
    whole = shown(parquet(table, row_group_size=1))["picture"]["tiles"][0]
    assert (whole["address"], whole["above"], whole["start"]) == ("", -1, 0)


def test_hostile_names_are_shown_as_they_are():
    picture = shown(parquet(pa.table({HOSTILE: [HOSTILE]})))["picture"]
    assert HOSTILE in [tile["label"] for tile in picture["tiles"]]
    assert picture["largest"][0]["name"] == HOSTILE


@pytest.mark.parametrize(
    "changes", [{"schema__0__num_children": 5}, {"row_groups": []}, {"row_groups__0__columns": []}], ids=str
)
def test_a_damaged_footer_leaves_an_answer(changes):
    payload = shown(rebuilt(parquet(orders()), **changes))
    assert payload["answer"].endswith(".") and payload["picture"]
