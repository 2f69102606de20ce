"""The schema: depth, levels, rules, and whether the descriptions of Arrow and Spark fit it."""

import json

import pyarrow as pa
import pytest
from made import events, parquet, rebuilt
from widget import samples

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.embedded import SPARK
from pqexplore.insight import lenses
from pqexplore.insight.lenses import schema as lens


def answer(data, address="schema"):
    with pqexplore.open(data) as file:
        return lens.answer(file, file.node(address))


def with_spark(table, columns):
    """The table, described by Spark's row metadata as having other columns."""
    described = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in columns]
    metadata = {SPARK: json.dumps({"type": "struct", "fields": described})}
    return parquet(table.replace_schema_metadata(metadata))


def test_leaves_and_depth():
    sentence = answer(parquet(events())).sentence
    assert sentence == ("8 leaves, up to 3 levels deep (`tags.list.element`); Arrow's own description agrees with it.")


def test_the_table_has_levels_types_and_rules():
    table = answer(parquet(events())).table
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["id"] == (
        "optional", 1, 0, "INT64", "INT64", None, "int64", None, True
    )  # fmt: skip
    assert rows["tags"][5] == "three-level"
    assert rows["tags.list.element"][:5] == ("optional", 3, 1, "STRING", "BYTE_ARRAY")
    assert rows["counts"][3:6] == ("MAP", None, "map")
    assert table.addresses[1] == "schema/1"


def test_each_row_has_the_bytes_of_its_declaration():
    data = parquet(events())
    table = answer(data).table
    for row, span in zip(table.rows, table.spans, strict=True):
        assert row[0].split(".")[-1].encode() in data[span.start : span.end]


@pytest.mark.parametrize(
    ("kind", "sentence", "agrees"),
    [
        ("long", "Arrow's and Spark's own descriptions agree with it.", True),
        ("string", "column 'x' is string there, INT64 in the file", False),
    ],
)
def test_spark_types_that_fit_and_that_do_not(kind, sentence, agrees):
    found = answer(with_spark(pa.table({"x": [1, 2]}), [("x", kind)]))
    assert sentence in found.sentence
    row = found.table.rows[1]
    assert (row[8], row[9]) == (kind, agrees)


def test_a_column_that_arrow_describes_and_the_file_lacks():
    data = parquet(pa.table({"x": [1], "y": [2]}))
    renamed = rebuilt(data, schema__2__name="z")
    assert "describes columns that the file does not have: 'y'" in answer(renamed).sentence


def test_a_legacy_list_names_its_rule():
    """A repeated field without a LIST around it."""
    data = rebuilt(parquet(pa.table({"x": [1]})), schema__1__repetition_type=2)
    found = answer(data)
    assert "1 group read by a legacy rule" in found.sentence
    assert found.picture.rules["unannotated repeated field"].startswith("Without LIST")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("schema/0", "The root `schema` of the schema, with 6 columns."),
        ("schema/1", "level 0 says: id is null."),
        ("schema/4", "`tags` is optional, a list of 1 field. Rule 5"),
        ("schema/6", "a value is there at definition level 3, and level 0 says: tags is null."),
    ],
)
def test_a_field_has_a_sentence(address, sentence):
    assert sentence in answer(parquet(events()), address).sentence


@pytest.mark.parametrize(("zone", "sentence"), [("UTC", "instants (isAdjustedToUTC)"), (None, "not instants")])
def test_timestamps_say_whether_they_are_instants(zone, sentence):
    table = pa.table({"t": pa.array([0], pa.timestamp("us", zone))})
    assert sentence in answer(parquet(table), "schema/1").sentence


def test_a_required_leaf_stores_no_definition_levels():
    table = pa.table([[1]], schema=pa.schema([pa.field("x", pa.int64(), nullable=False)]))
    assert "no definition levels are stored" in answer(parquet(table), "schema/1").sentence


def test_a_broken_schema_raises_its_error():
    data = rebuilt(parquet(pa.table({"x": [1]})), schema__0__num_children=5)
    with pqexplore.open(data) as file, pytest.raises(pqexplore.ParquetError, match="schema"):
        lens.answer(file, file.node("schema"))


@pytest.fixture(scope="module")
def orders():
    """The widget's sample: id, city, tags (a list of texts), when, score."""
    with pqexplore.open(samples.orders_bytes()) as opened:
        yield opened


def picture(file, address="schema"):
    return lens.answer(file, file.node(address)).picture


def test_fields_have_depth_levels_and_a_declaration(orders):
    fields = picture(orders).fields
    assert [(f.name, f.depth, f.last) for f in fields[3:6]] == [
        ("tags", 1, False),
        ("list", 2, True),
        ("element", 3, True),
    ]
    assert [(f.definition_level, f.repetition_level) for f in fields[3:6]] == [(1, 0), (2, 1), (3, 1)]
    assert [f.repetition for f in fields[:4]] == ["the root", *["optional"] * 3]
    assert fields[2].span == orders.node("footer/schema/2").span


def test_a_field_is_selected_in_the_tree(orders):
    assert picture(orders, "schema/5").selected == 5
    assert picture(orders).selected is None


@pytest.mark.parametrize("address", ["schema", "schema/3"])
def test_it_is_the_first_view_of_the_schema(orders, address):
    assert lenses.applying(orders.node(address))[0].name == "schema"


def test_a_wide_schema_comes_in_parts():
    with pqexplore.open(parquet(pa.table({f"c{i}": [i] for i in range(1200)}))) as file:
        first = picture(file)
        assert (first.total, len(first.fields)) == (1201, 500)
        rest = lens.fields_from(file, 1000).fields
        assert (len(rest), rest[-1].name) == (201, "c1199")
        with pytest.raises(UsageError, match="field 7 is not where 500 fields begin"):
            lens.fields_from(file, 7)
