"""The icicle of the overview: its marks add up, lead somewhere, and are not too many."""

import json

import pyarrow as pa
import pytest
from made import rebuilt
from widget.samples import HOSTILE, orders, parquet

import pqexplore
from pqexplore.widget import lenses


def shown(data):
    with pqexplore.open(data) as f:
        payload = lenses.finish(lenses.show(f, "", "overview"))
        assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
        trace = payload["picture"]["figure"]["data"][0] if payload["picture"] else None
        for goes, _ in trace["customdata"] if trace else ():
            if goes:
                f.node(goes)  # which raises where an address leads nowhere
        return payload, trace


def below(trace, mark):
    return [i for i, above in enumerate(trace["parents"]) if above == trace["ids"][mark]]


def test_marks_add_up_to_the_mark_above(orders_bytes):
    _, trace = shown(orders_bytes)
    assert trace["values"][0] == len(orders_bytes)
    for mark in range(len(trace["ids"])):
        inside = below(trace, mark)
        if inside:
            assert sum(trace["values"][i] for i in inside) == trace["values"][mark]


def test_columns_come_largest_first_then_row_groups_then_kinds(orders_bytes):
    _, trace = shown(orders_bytes)
    columns = below(trace, 0)
    sizes = [trace["values"][i] for i in columns if trace["ids"][i].startswith("c")]
    assert sizes == sorted(sizes, reverse=True)
    first = columns[0]
    assert trace["labels"][first] == "id"
    groups = below(trace, first)
    assert [trace["labels"][i] for i in groups] == ["row group 0", "row group 1"]
    assert trace["customdata"][groups[1]][0] == "row_groups/1/columns/0"
    kinds = [trace["labels"][i] for i in below(trace, groups[0])]
    assert {"data pages", "dictionary", "page headers", "offset index"} <= set(kinds)


def test_one_row_group_is_no_level_of_its_own():
    _, trace = shown(parquet(orders()))
    assert not any("row group" in label for label in trace["labels"])


@pytest.mark.parametrize(("columns", "groups"), [(400, 1), (3, 300), (60, 20)])
def test_a_large_file_has_few_marks(columns, groups):
    table = pa.table({f"c{i}": list(range(groups)) for i in range(columns)})
    _, trace = shown(parquet(table, row_group_size=1))
    assert len(trace["ids"]) <= 1000
    rest = [label for label in trace["labels"] if label.startswith("…")]
    assert rest
    if columns > 24:
        assert f"… {columns - 24:,} other columns" in rest


def test_names_of_a_hostile_file_are_data():
    payload, trace = shown(parquet(pa.table({HOSTILE: [HOSTILE]})))
    assert HOSTILE in trace["labels"]
    assert payload["picture"]["largest"][0]["name"] == HOSTILE


@pytest.mark.parametrize(
    "changes",
    [{"schema__0__num_children": 5}, {"row_groups": []}, {"row_groups__0__columns": []}],
    ids=str,
)
def test_damage_leaves_an_overview(changes):
    payload, trace = shown(rebuilt(parquet(orders()), **changes))
    assert payload["answer"].endswith(".")
    assert trace["values"][0] > 0
