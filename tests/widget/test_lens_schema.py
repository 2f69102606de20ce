"""The schema's tree as the view gets it."""

import json

import pyarrow as pa
import pytest
from widget.samples import HOSTILE, parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.widget import lenses
from pqexplore.widget.lenses import schema


def shown(file, address="schema"):
    payload = lenses.finish(lenses.show(file, address, "schema"))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload["picture"]


def test_fields_have_depth_levels_and_a_place(file):
    picture = shown(file)
    assert [(f["name"], f["depth"], f["last"]) for f in picture["fields"]][3:6] == [
        ("tags", 1, False),
        ("list", 2, True),
        ("element", 3, True),
    ]
    assert picture["fields"][5]["definition"] == 3
    start, end, space = picture["fields"][2]["span"]
    assert space == "file" and file.node("footer/schema/2").span.start == start < end


def test_a_field_is_selected_in_the_tree(file):
    assert shown(file, "schema/5")["selected"] == 5
    assert shown(file)["selected"] is None


def test_it_is_the_first_view_of_the_schema(file):
    assert lenses.applying(file.node("schema"))[0]["name"] == "schema"
    assert lenses.applying(file.node("schema/3"))[0]["name"] == "schema"


def test_a_wide_schema_comes_in_parts():
    with pqexplore.open(parquet(pa.table({f"c{i}": [i] for i in range(1200)}))) as file:
        picture = shown(file)
        assert picture["total"] == 1201 and len(picture["fields"]) == 500
        assert schema.fields_from(file, 1000)["fields"][-1]["name"] == "c1199"
        with pytest.raises(UsageError):
            schema.fields_from(file, 7)


def test_names_of_a_hostile_file_are_data(hostile_file):
    assert shown(hostile_file)["fields"][1]["name"] == HOSTILE
