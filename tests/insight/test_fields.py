"""The schema in words: depth, rules, and where the descriptions of Arrow and Spark part from it."""

import json

import pyarrow as pa
import pytest
from made import events, parquet, rebuilt

import pqexplore
from pqexplore.engine.embedded import SPARK
from pqexplore.insight.fields import fields


def told(data, address="schema"):
    with pqexplore.open(data) as file:
        return fields(file, file.node(address))


def with_spark(table, columns):
    """The table, described by Spark's row metadata as having other columns."""
    described = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in columns]
    metadata = {SPARK: json.dumps({"type": "struct", "fields": described})}
    return parquet(table.replace_schema_metadata(metadata))


def test_leaves_and_depth():
    said = told(parquet(events())).sentence
    assert said == (
        "8 leaves, up to 3 levels deep (`tags.list.element`); "
        "Arrow's own description agrees with it."
    )


def test_the_table_has_levels_types_and_rules():
    table = told(parquet(events())).table
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["id"] == (
        "optional", 1, 0, "INT64", "INT64", None, "int64", None, True
    )  # fmt: skip
    assert rows["tags"][5] == "three-level"
    assert rows["tags.list.element"][:5] == ("optional", 3, 1, "STRING", "BYTE_ARRAY")
    assert rows["counts"][3:6] == ("MAP", None, "map")
    assert table.addresses[1] == "schema/1"


def test_each_row_points_at_its_declaration():
    data = parquet(events())
    table = told(data).table
    for row, span in zip(table.rows, table.spans, strict=True):
        assert row[0].split(".")[-1].encode() in data[span.start : span.end]


@pytest.mark.parametrize(
    ("kind", "said", "agrees"),
    [
        ("long", "Arrow's and Spark's own descriptions agree with it.", True),
        ("string", "column 'x' is string there, INT64 in the file", False),
    ],
)
def test_spark_that_agrees_and_spark_that_does_not(kind, said, agrees):
    made = told(with_spark(pa.table({"x": [1, 2]}), [("x", kind)]))
    assert said in made.sentence
    row = made.table.rows[1]
    assert (row[8], row[9]) == (kind, agrees)


def test_a_column_that_arrow_describes_and_the_file_lacks():
    data = parquet(pa.table({"x": [1], "y": [2]}))
    renamed = rebuilt(data, schema__2__name="z")
    assert "describes columns that the file does not have: 'y'" in told(renamed).sentence


def test_a_legacy_list_is_told_by_its_rule():
    """A repeated field without a LIST around it."""
    data = rebuilt(parquet(pa.table({"x": [1]})), schema__1__repetition_type=2)
    made = told(data)
    assert "1 group read by a legacy rule" in made.sentence
    assert made.picture["rules"]["unannotated repeated field"].startswith("Without LIST")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("schema/0", "The root `schema` of the schema, with 6 columns."),
        ("schema/1", "level 0 says: id is null."),
        ("schema/4", "`tags` is optional, a list of 1 field. Rule 5"),
        ("schema/6", "a value is there at definition level 3, and level 0 says: tags is null."),
    ],
)
def test_a_field_is_told(address, said):
    assert said in told(parquet(events()), address).sentence


@pytest.mark.parametrize(
    ("zone", "said"), [("UTC", "instants (isAdjustedToUTC)"), (None, "not instants")]
)
def test_timestamps_say_whether_they_are_instants(zone, said):
    table = pa.table({"t": pa.array([0], pa.timestamp("us", zone))})
    assert said in told(parquet(table), "schema/1").sentence


def test_a_required_leaf_stores_no_definition_levels():
    table = pa.table([[1]], schema=pa.schema([pa.field("x", pa.int64(), nullable=False)]))
    assert "no definition levels are stored" in told(parquet(table), "schema/1").sentence


def test_a_broken_schema_is_its_own_error():
    data = rebuilt(parquet(pa.table({"x": [1]})), schema__0__num_children=5)
    with pqexplore.open(data) as file, pytest.raises(pqexplore.ParquetError, match="schema"):
        fields(file, file.node("schema"))
