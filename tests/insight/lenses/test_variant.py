"""The Variant lens: the stored bytes to the bit, the JSON, and the steps that put a shredded one together."""

import json
import re

import pyarrow as pa
import pytest
from engine.check.violations.variant import annotated
from engine.format.variant.test_reconstruct import EVENT, INVALID, MISSING, NAMES, TAGS, VALID, event, tag, variants
from engine.hostile.broken import leaf, variant
from made import open_sample, parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant.encode import encode
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.insight import lenses, wire
from pqexplore.insight.lenses.variant import LENS, of_field, open_row, row
from pqexplore.insight.lenses.variant.stored_bytes import load

SAMPLES = ("variant", "variant-shredded", "variant-large", "variant-offset-sizes")


def top(file):
    return file.schema.root.children[0]


def opened_row(file, row):
    return open_row(load(file, top(file), 0), row)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_row_equals_variant_get(name):
    with open_sample(name) as file:
        whole = file.variant_get("v", "$").combine_chunks()
        for row in range(len(whole)):
            shown = opened_row(file, row)
            json.dumps(wire.encode(shown), allow_nan=False)
            if not whole[row].is_valid:
                assert shown.null and shown.json is None
                continue
            cell = whole[row].as_py()
            text = to_json(cell["metadata"], cell["value"])
            assert shown.json.startswith(text[:4_000])


def test_parts_have_the_spans_of_their_nodes():
    with open_sample("variant") as file:
        shown = opened_row(file, 22)
        seen = 0
        for stored in shown.stored:
            for part in stored.parts:
                if part.address is not None:
                    node = file.node(part.address)
                    span = node.span
                    assert span == part.span
                    assert file.bytes(span).hex(" ").startswith(part.hex.removesuffix(" …"))
                    seen += 1
    assert seen > 25


def test_a_long_list_of_parts_is_cut():
    with open_sample("variant-large") as file:
        shown = opened_row(file, 1)
    labels = [part.label for part in shown.stored[1].parts]
    assert "… 288 more" in labels and len(labels) < 250


def test_a_value_of_another_type_stays_in_value():
    with open_sample("variant-shredded") as file:
        steps = opened_row(file, 7).steps
        assert [(s.path, s.source) for s in steps] == [("$.user", "binary"), ("$.id", "binary"), ("$", "typed")]
        assert steps[1].column == "v.typed_value.id.value"
        # the step leads to the value itself
        facts = {fact.name: fact.value for fact in file.node(steps[1].address).facts}
        assert facts["JSON"] == '"seven"'
        assert "not there: score, tags" in steps[2].sentence
        (only,) = opened_row(file, 8).steps
    assert only.sentence.startswith("typed_value is null: value has it")


def test_rows_are_chosen_within_the_row_group():
    with open_sample("variant") as file:
        assert opened_row(file, 23).sentence.startswith("The row is null")
        for row in (-1, 24):
            with pytest.raises(UsageError):
                opened_row(file, row)


def shape(rows):
    """A struct of metadata and value, not annotated, as Spark 4.0 writes it."""
    known = variant_metadata.encode(["a", "b"])
    pairs = [{"metadata": known, "value": encode(row, known)[1]} for row in rows]
    kind = pa.struct([pa.field(n, pa.binary(), nullable=False) for n in ("metadata", "value")])
    return pa.array(pairs, kind)


def test_a_group_with_the_fields_of_a_variant_is_only_a_possible_one():
    data = parquet(pa.table({"v": shape([{"a": 1}, {"b": "x"}])}))
    with pqexplore.open(data) as file:
        assert top(file).kind == "group"
        found = of_field(file, top(file), 0, 1)
    assert found.picture.possible
    assert "is not annotated as one, so it is read as a struct" in found.sentence
    assert found.picture.row.json == '{"b":"x"}'
    address = found.picture.row.stored[1].parts[1].address
    assert address.endswith("/as_variant/header")


def test_variants_in_lists_are_counted_as_elements():
    """Two of the four lists have no elements: these have entries, and no Variants."""
    lists = pa.ListArray.from_arrays(pa.array([0, 2, None, 2, 3], pa.int32()), shape([{"a": 1}, {"b": 2}, "last"]))
    assert [None if v is None else len(v) for v in lists.to_pylist()] == [2, 0, None, 1]
    with pqexplore.open(parquet(pa.table({"v": lists}))) as file:
        field = next(f for f in file.schema.fields if f.named("metadata"))
        found = of_field(file, field, 0)
        assert (found.picture.rows, found.picture.nested) == (3, True)
        texts = [open_row(load(file, field, 0), row) for row in range(3)]
        assert [shown.json for shown in texts] == ['{"a":1}', '{"b":2}', '"last"']
        # the last one is entry 4 of its column, and value 2 of its page
        value = texts[2].stored[1].address
        assert value.endswith("/values/2")
        node = file.node(f"{value}/as_variant/header")
        assert texts[2].stored[1].parts[1].span.start == node.span.start
        assert of_field(file, field, 0, 4).picture.row.row == 2


def test_broken_rules_are_shown_():
    """`value` and `typed_value` both there, where the latter is no object."""
    known = variant_metadata.encode([])
    rows = [
        {"metadata": known, "value": encode("n/a", known)[1], "typed_value": None},
        {"metadata": known, "value": encode(1, known)[1], "typed_value": 1},
    ]
    kind = pa.struct(
        [pa.field("metadata", pa.binary(), nullable=False), ("value", pa.binary()), ("typed_value", pa.int64())]
    )
    with pqexplore.open(parquet(pa.table({"v": pa.array(rows, kind)}))) as file:
        found = of_field(file, top(file), 0, 1)
    (problem,) = found.picture.problems
    assert (problem.rule, problem.row) == ("value-and-typed-value", 1)
    assert "1 rule of the specification is broken" in found.sentence
    assert "has both a value and a typed_value" in found.picture.row.problem


def test_a_column_without_rows_has_no_variants():
    data = parquet(pa.table({"v": shape([]).slice(0, 0)}))
    with pqexplore.open(data) as file:
        assert "There are no rows" in of_field(file, top(file), 0).empty


VALUE = "row_groups/0/columns/1/pages/1/values/22"


@pytest.mark.parametrize(("address", "expected"), [
    ("schema/1", 0),
    ("row_groups/0/columns/1", 0),
    (VALUE, 22),
    (f"{VALUE}/values/0/data", 22),
    ("row_groups/0/columns/0/pages/1/values/5/header", 5),
])  # fmt: skip
def test_a_node_opens_its_row(address, expected):
    with open_sample("variant") as file:
        found = lenses.finish(lenses.answer_of(file, file.node(address), LENS))
    assert found.picture.row.row == expected


def test_another_row_can_be_asked_for():
    with open_sample("variant") as file:
        assert row(file, "schema/1", 0, 2).json == "1"


@pytest.mark.parametrize("arguments", [("schema/0", 0, 0), ("footer", 0, 0), ("schema/1", 0, 99), ("schema/1", 9, 0)])
def test_a_row_that_does_not_exist_raises(arguments):
    with open_sample("variant") as file, pytest.raises(UsageError):
        row(file, *arguments)


def test_the_cost_is_the_uncompressed_size_of_the_columns():
    with open_sample("variant") as file:
        sizes = [c.metadata.total_uncompressed_size for c in file.row_groups[0].columns]
        assert LENS.cost(file, file.node("schema/1")) == sum(sizes)


@pytest.mark.parametrize(("metadata", "values", "why"), [
    (leaf("metadata", Type.DOUBLE), bytes(8), "is a column of double, not of bytes"),
    (
        leaf("metadata", Type.BYTE_ARRAY, converted_type=0),
        b"\3\0\0\0\x91\0\0",
        "is a column of string, not of bytes",
    ),
    (leaf("metadata", Type.BYTE_ARRAY), b"\3\0\0\0\1\0\0", ""),
], ids=["DOUBLE", "STRING", "BYTE_ARRAY"])  # fmt: skip
def test_metadata_that_is_not_bytes_is_said_to_be_none(metadata, values, why):
    with pqexplore.open(variant(metadata, values)) as f:
        opened = of_field(f, top(f), 0, 0).picture.row
        assert [part.why for part in opened.stored] == [why, ""]
        assert bool(opened.problem) == bool(why)


# What stays binary, over the tables of the specification's "Variant Shredding": sentence and table give the same counts.


def file_of(column):
    """A file of the column `v`, whose metadata is required."""
    fields = [one.with_nullable(one.name != "metadata") for one in column.type]
    mask = column.is_null() if column.null_count else None
    arrays = [column.field(one.name) for one in fields]
    if mask is not None:
        arrays[0] = arrays[0].fill_null(b"\1\0\0")
    return annotated(pa.StructArray.from_arrays(arrays, fields=fields, mask=mask), 1)


def lens(column):
    """The lens's sentence, and its table's counts by place."""
    with pqexplore.open(file_of(column)) as file:
        found = of_field(file, file.schema.root.children[0], 0)
    names = [each.name for each in found.table.columns]
    first, last = names.index("entries"), names.index("missing") + 1
    return found.sentence, {row[0]: row[first:last] for row in found.table.rows}


MEASUREMENT = [(MISSING, 34), (None, None), ("n/a", None), (MISSING, 100)]
SERIES = [
    (MISSING, [tag(None, "comedy"), tag(None, "drama")]),
    (MISSING, [tag(None, "horror"), tag(b"\x00", None)]),
    (MISSING, [tag(None, "comedy"), tag(None, "drama"), tag(None, "romance")]),
    (None, None),
]
EVENTS = {name: (value, typed) for name, value, typed, _ in VALID}
BAD = {name: (value, typed) for name, value, typed, *_ in INVALID}
WHOLE, TYPE, TS = "$", "$.event_type", "$.event_ts"
NONE = (1, 0, 0, 0, 0, 0, 1)
TYPED = (1, 1, 0, 0, 0, 0, 0)

# entries, typed, binary, Variant nulls, both, other fields, not there
TABLES = {
    # "The series of measurements 34, null, "n/a", 100 would be stored as"
    "measurements": (variants(pa.int64(), MEASUREMENT), {"$": (4, 2, 1, 1, 0, 0, 0)},
        "1 value stays binary: 1 beside a typed column."),
    # The table of value and typed_value
    "null, null": (variants(pa.int64(), [(MISSING, None)]), {"$": NONE}, "No value stays binary."),
    "non-null, null": (variants(pa.int64(), [("x", None)]), {"$": (1, 0, 1, 0, 0, 0, 0)},
        "1 value stays binary: 1 beside a typed column."),
    "non-null, null: a Variant null": (variants(pa.int64(), [(None, None)]), {"$": (1, 0, 0, 1, 0, 0, 0)},
        "No value stays binary. 1 Variant null is in value, as always."),
    "null, non-null": (variants(pa.int64(), [(MISSING, 1)]), {"$": TYPED}, "No value stays binary."),
    # "The series of tags arrays"
    "tags": (variants(TAGS, SERIES), {"$": (4, 3, 0, 1, 0, 0, 0), "$[*]": (7, 6, 0, 1, 0, 0, 0)},
        "No value stays binary. 2 Variant nulls are in value, as always."),
    "an element of another type": (variants(TAGS, [(MISSING, [tag(None, "a"), tag(b"\x0c\x01", None)])]),
        {"$": TYPED, "$[*]": (2, 1, 1, 0, 0, 0, 0)}, "1 value stays binary: 1 beside a typed column."),
    # "The table below shows how the series of objects in the first column would be stored"
    "fully shredded object": (EVENTS["fully shredded object"], {WHOLE: TYPED, TYPE: TYPED, TS: TYPED},
        "No value stays binary."),
    "partially shredded object": (EVENTS["partially shredded object"],
        {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: TYPED, TS: TYPED},
        "1 value stays binary: 1 among the other fields of partially shredded objects."),
    "all shredded fields missing": (EVENTS["all shredded fields missing"],
        {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: NONE, TS: NONE}, "1 value stays binary: 1 among the other fields"),
    "not an object": (EVENTS["not an object"], {WHOLE: (1, 0, 1, 0, 0, 0, 0), TYPE: NONE, TS: NONE},
        "1 value stays binary: 1 beside a typed column."),
    "event_type is missing": (EVENTS["event_type is missing"], {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: NONE, TS: TYPED},
        "1 value stays binary: 1 among the other fields"),
    "event_type is present and null": (EVENTS["event_type is present and null"],
        {WHOLE: TYPED, TYPE: (1, 0, 0, 1, 0, 0, 0), TS: TYPED},
        "No value stays binary. 1 Variant null is in value, as always."),
    "event_ts is not a timestamp": (EVENTS["event_ts is not a timestamp"],
        {WHOLE: TYPED, TYPE: TYPED, TS: (1, 0, 1, 0, 0, 0, 0)}, "1 value stays binary: 1 beside a typed column."),
    "present but empty": (EVENTS["present but empty"], {WHOLE: TYPED, TYPE: NONE, TS: NONE}, "No value stays binary."),
    "value is null": (EVENTS["value is null"], {WHOLE: (1, 0, 0, 1, 0, 0, 0), TYPE: NONE, TS: NONE},
        "No value stays binary. 1 Variant null is in value, as always."),
    "missing": (BAD["missing"], {WHOLE: NONE, TYPE: NONE, TS: NONE}, "No value stays binary."),
    "INVALID: Shredded field is present in value": (
        ({"event_type": "login"}, event((None, "login"), (None, 1729795057774))),
        {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: TYPED, TS: TYPED}, "1 value stays binary: 1 among the other fields"
    ),
    "INVALID: Shredded field is present in value, while typed_value is null": (({"event_type": "login"}, None),
        {WHOLE: (1, 0, 1, 0, 0, 0, 0), TYPE: NONE, TS: NONE}, "1 value stays binary: 1 beside a typed column."),
    "INVALID: typed_value is present and value is not an object": (("a", event()),
        {WHOLE: (1, 1, 0, 0, 1, 0, 0), TYPE: NONE, TS: NONE}, "No value stays binary."),
    "INVALID: typed_value is null for object": (({}, None), {WHOLE: (1, 0, 1, 0, 0, 0, 0), TYPE: NONE, TS: NONE},
        "1 value stays binary: 1 beside a typed column."),
    "all valid events, and a row that is null": (
        variants(EVENT, [*EVENTS.values(), None], NAMES),
        {WHOLE: (10, 7, 1, 1, 3, 3, 1), TYPE: (10, 3, 0, 1, 0, 0, 6), TS: (10, 4, 1, 0, 0, 0, 5)},
        "5 values stay binary: 2 beside a typed column, 3 among the other fields of "
        "partially shredded objects. A query that needs them decodes Variant bytes. 2 Variant nulls are",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_counts_of_the_tables_of_the_specification(name):
    made, expected, words = TABLES[name]
    column = made if isinstance(made, pa.Array) else variants(EVENT, [made], NAMES)
    sentence, table = lens(column)
    assert table == expected
    assert words in sentence
    # The sentence's numbers are the sums of the table's columns.
    _, _, binary, nulls, _, fields, _ = (sum(each) for each in zip(*table.values(), strict=True))
    total = re.search(r"(\d+) values? stays? binary", sentence)
    assert int(total[1] if total else 0) == binary + fields
    apart = re.search(r"(\d+) Variant nulls? (?:is|are)", sentence)
    assert int(apart[1] if apart else 0) == nulls
    rows = re.search(r"`v` has (\d+) Variant", sentence)
    assert int(rows[1]) == len(column) - column.null_count


def test_a_field_without_a_typed_column_is_binary_and_no_misfit():
    kind = pa.struct([pa.field("a", pa.struct([("value", pa.binary())]), nullable=False)])
    rows = [(MISSING, {"a": {"value": b"\x0c\x01"}}), (MISSING, {"a": {"value": b"\x00"}})]
    sentence, table = lens(variants(kind, rows, ["a"]))
    assert table["$.a"] == (2, 0, 1, 1, 0, 0, 0)
    assert "1 value stays binary: 1 where there is no typed column." in sentence


@pytest.mark.parametrize("count", [1, 3, 300])
def test_other_fields_of_an_object_are_counted(count):
    names = ["event_type", "event_ts", *(f"n{i:03}" for i in range(count))]
    rest = dict.fromkeys(names[2:], 1)
    sentence, table = lens(variants(EVENT, [(rest, event())], names))
    assert table["$"] == (1, 1, 0, 0, 1, count, 0)
    assert f"{count} among the other fields" in sentence


def test_a_damaged_count_of_fields_is_not_believed():
    column = variants(EVENT, [(b"\x42\xff\xff\xff\xff", event())], NAMES)
    assert lens(column)[1]["$"] == (1, 1, 0, 0, 1, 0, 0)


def test_a_rule_that_is_broken_twice_is_one_rule():
    bad = variants(pa.int64(), [("x", 1), ("y", 2), (MISSING, 3)])
    assert "1 rule of the specification is broken." in lens(bad)[0]
    assert "broken" not in lens(variants(pa.int64(), MEASUREMENT))[0]


def test_a_shredding_that_is_not_allowed_has_no_counts():
    sentence, table = lens(variants(pa.uint8(), [(MISSING, 1)]))
    assert "shredded in a way that the specification does not allow." in sentence
    assert "binary" not in sentence and table == {"$": (0, 0, 0, 0, 0, 0, 0)}


@pytest.mark.parametrize(("column", "words"), [
    (variants(pa.int64(), [(None, None)]), "value has the Variant null, which has no typed form"),
    (variants(pa.int64(), [("x", None)]), "typed_value is null: value has it, as Variant bytes."),
    (variants(pa.int64(), [(MISSING, 1)]), "typed_value has it, as a plain column value"),
    (variants(EVENT, [({"click": 1}, event())], NAMES), "value adds the fields that have no column"),
    (variants(EVENT, [("a", event())], NAMES), "value is no object, as it must be, and is ignored"),
    (variants(EVENT, [({"click": 1}, None)], NAMES), "value has it, as Variant bytes."),
])  # fmt: skip
def test_the_last_step_says_where_the_value_is(column, words):
    with pqexplore.open(file_of(column)) as file:
        shown = open_row(load(file, file.schema.root.children[0], 0), 0)
    assert words in shown.steps[-1].sentence


def test_the_row_says_how_many_bytes_its_topmost_value_has():
    column = variants(pa.int64(), [("x", None), (MISSING, 1)])
    with pqexplore.open(file_of(column)) as file:
        found = load(file, file.schema.root.children[0], 0)
        sentences = [open_row(found, row).sentence for row in (0, 1)]
    assert sentences[0].endswith("the value takes 2, and the topmost value has 2 bytes.")
    assert sentences[1].endswith("the value takes 9, and the topmost value is null.")
