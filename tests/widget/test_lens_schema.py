"""The schema's tree as the view gets it: JSON that fits in a message, names as data."""

import json

import pyarrow as pa
from made import parquet
from widget.samples import HOSTILE

import pqexplore
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS


def schema_shown(file):
    payload = lenses.finish(lens_view.show(file, "schema", "schema"))
    assert len(json.dumps(payload, allow_nan=False)) < rpc.RESULT_BYTES
    return payload["picture"]


def test_spans_travel_as_objects(file):
    span = file.node("footer/schema/2").span
    assert schema_shown(file)["fields"][2]["span"] == {"start": span.start, "end": span.end, "space": "file"}


def test_the_parts_of_a_wide_schema_fit_in_a_message():
    with pqexplore.open(parquet(pa.table({f"c{i}": [i] for i in range(1200)}))) as file:
        assert len(schema_shown(file)["fields"]) == 500
        result, _ = rpc.call(OPERATIONS, file, "schema_fields", {"start": 1000})
        assert result["fields"][-1]["name"] == "c1199"


def test_names_of_a_hostile_file_are_data(hostile_file):
    assert schema_shown(hostile_file)["fields"][1]["name"] == HOSTILE
