"""Rows of a file, a row group or a column as values: Variants as JSON, geometries as WKT."""

import json

import made
import pyarrow as pa
import pytest
from made import open_sample

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import across, places


@pytest.mark.parametrize("at, first, total, columns", [
    ("", 0, 1000, 8),
    ("row_groups/1", 600, 400, 8),
    ("columns/name", 0, 1000, 1),
    ("row_groups/1/columns/place.x", 600, 400, 1),
    ("columns/place", 0, 1000, 2),
])  # fmt: skip
def test_rows_of_a_part(at, first, total, columns):
    file = pqexplore.open(made.parquet(made.events(), row_group_size=600))
    table = file.view("rows", at).table
    assert (table.rows[0][0], table.total, len(table.columns)) == (first, total, 1 + columns)
    assert table.addresses[0] == f"rows/{first}"
    assert places.resolve(file, table.addresses[0]).address == f"rows/{first}"


def test_values_are_those_of_pyarrow():
    table = made.events(30)
    rows = pqexplore.open(made.parquet(table)).view("rows").table
    assert rows.column("score") == table["score"].to_pylist()
    assert rows.column("tags.list.element") == table["tags"].to_pylist()


@pytest.mark.parametrize("name", ["variant", "variant-shredded"])
def test_a_variant_is_one_column_of_json(name):
    file = open_sample(name)
    table = file.view("rows").table
    texts = table.column("v")
    assert None in texts and not any(column.name.startswith("v.") for column in table.columns)
    values = [json.loads(text) for text in texts if text is not None]
    assert ({"id": "seven", "user": 7} in values) == (name == "variant-shredded")
    row = across.answer(file, places.resolve(file, "rows/2"), "rows").table
    assert row.column("value")[row.column("column").index("v")] == texts[2]


def test_the_variant_lens_has_json_where_nothing_is_shredded():
    assert open_sample("variant").view("variant").table.column("v")[0] == "true"
    assert "path" in [column.name for column in open_sample("variant-shredded").view("variant").table.columns]


def test_a_damaged_variant_costs_its_own_row(tmp_path):
    path = tmp_path / "v.parquet"
    SAMPLES["variant"].write(path)
    data = bytearray(path.read_bytes())
    whole = pqexplore.open(bytes(data)).view("rows").table.column("v")
    at = data.find(b"short")
    data[at - 1] = 0xFF
    found = pqexplore.open(bytes(data)).view("rows").table.column("v")
    assert len(found) == len(whole) and sum(a != b for a, b in zip(found, whole, strict=True)) >= 1
    assert found[0] == whole[0]


def test_bytes_that_are_no_geometry_stay_bytes():
    table = pa.table({"b": [b"\x01\x01\x00\x00\x00" + b"\0" * 16]})
    assert pqexplore.open(made.parquet(table)).view("rows").table.column("b") == table["b"].to_pylist()
