"""What stays binary, over the tables of the specification's "Variant Shredding": sentence and table give the same counts."""

import re

import pyarrow as pa
import pytest
from engine.check.violations.variant import annotated
from engine.format.variant.test_reconstruct import EVENT, INVALID, MISSING, NAMES, TAGS, VALID, event, tag, variants

import pqexplore
from pqexplore.insight.lenses.variant import of_field, open_row
from pqexplore.insight.lenses.variant.stored_bytes import load


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
    "measurements": (
        variants(pa.int64(), MEASUREMENT),
        {"$": (4, 2, 1, 1, 0, 0, 0)},
        "1 value stays binary: 1 beside a typed column.",
    ),
    # The table of value and typed_value
    "null, null": (variants(pa.int64(), [(MISSING, None)]), {"$": NONE}, "No value stays binary."),
    "non-null, null": (
        variants(pa.int64(), [("x", None)]),
        {"$": (1, 0, 1, 0, 0, 0, 0)},
        "1 value stays binary: 1 beside a typed column.",
    ),
    "non-null, null: a Variant null": (
        variants(pa.int64(), [(None, None)]),
        {"$": (1, 0, 0, 1, 0, 0, 0)},
        "No value stays binary. 1 Variant null is in value, as always.",
    ),
    "null, non-null": (variants(pa.int64(), [(MISSING, 1)]), {"$": TYPED}, "No value stays binary."),
    # "The series of tags arrays"
    "tags": (
        variants(TAGS, SERIES),
        {"$": (4, 3, 0, 1, 0, 0, 0), "$[*]": (7, 6, 0, 1, 0, 0, 0)},
        "No value stays binary. 2 Variant nulls are in value, as always.",
    ),
    "an element of another type": (
        variants(TAGS, [(MISSING, [tag(None, "a"), tag(b"\x0c\x01", None)])]),
        {"$": TYPED, "$[*]": (2, 1, 1, 0, 0, 0, 0)},
        "1 value stays binary: 1 beside a typed column.",
    ),
    # "The table below shows how the series of objects in the first column would be stored"
    "fully shredded object": (
        EVENTS["fully shredded object"],
        {WHOLE: TYPED, TYPE: TYPED, TS: TYPED},
        "No value stays binary.",
    ),
    "partially shredded object": (
        EVENTS["partially shredded object"],
        {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: TYPED, TS: TYPED},
        "1 value stays binary: 1 among the other fields of partially shredded objects.",
    ),
    "all shredded fields missing": (
        EVENTS["all shredded fields missing"],
        {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: NONE, TS: NONE},
        "1 value stays binary: 1 among the other fields",
    ),
    "not an object": (
        EVENTS["not an object"],
        {WHOLE: (1, 0, 1, 0, 0, 0, 0), TYPE: NONE, TS: NONE},
        "1 value stays binary: 1 beside a typed column.",
    ),
    "event_type is missing": (
        EVENTS["event_type is missing"],
        {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: NONE, TS: TYPED},
        "1 value stays binary: 1 among the other fields",
    ),
    "event_type is present and null": (
        EVENTS["event_type is present and null"],
        {WHOLE: TYPED, TYPE: (1, 0, 0, 1, 0, 0, 0), TS: TYPED},
        "No value stays binary. 1 Variant null is in value, as always.",
    ),
    "event_ts is not a timestamp": (
        EVENTS["event_ts is not a timestamp"],
        {WHOLE: TYPED, TYPE: TYPED, TS: (1, 0, 1, 0, 0, 0, 0)},
        "1 value stays binary: 1 beside a typed column.",
    ),
    "present but empty": (EVENTS["present but empty"], {WHOLE: TYPED, TYPE: NONE, TS: NONE}, "No value stays binary."),
    "value is null": (
        EVENTS["value is null"],
        {WHOLE: (1, 0, 0, 1, 0, 0, 0), TYPE: NONE, TS: NONE},
        "No value stays binary. 1 Variant null is in value, as always.",
    ),
    "missing": (BAD["missing"], {WHOLE: NONE, TYPE: NONE, TS: NONE}, "No value stays binary."),
    "INVALID: Shredded field is present in value": (
        ({"event_type": "login"}, event((None, "login"), (None, 1729795057774))),
        {WHOLE: (1, 1, 0, 0, 1, 1, 0), TYPE: TYPED, TS: TYPED},
        "1 value stays binary: 1 among the other fields",
    ),
    "INVALID: Shredded field is present in value, while typed_value is null": (
        ({"event_type": "login"}, None),
        {WHOLE: (1, 0, 1, 0, 0, 0, 0), TYPE: NONE, TS: NONE},
        "1 value stays binary: 1 beside a typed column.",
    ),
    "INVALID: typed_value is present and value is not an object": (
        ("a", event()),
        {WHOLE: (1, 1, 0, 0, 1, 0, 0), TYPE: NONE, TS: NONE},
        "No value stays binary.",
    ),
    "INVALID: typed_value is null for object": (
        ({}, None),
        {WHOLE: (1, 0, 1, 0, 0, 0, 0), TYPE: NONE, TS: NONE},
        "1 value stays binary: 1 beside a typed column.",
    ),
    "all valid events, and a row that is null": (
        variants(EVENT, [*EVENTS.values(), None], NAMES),
        {WHOLE: (10, 7, 1, 1, 3, 3, 1), TYPE: (10, 3, 0, 1, 0, 0, 6), TS: (10, 4, 1, 0, 0, 0, 5)},
        "5 values stay binary: 2 beside a typed column, 3 among the other fields of "
        "partially shredded objects. A query that needs them decodes Variant bytes. 2 Variant nulls are",
    ),
}


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


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (variants(pa.int64(), [(None, None)]), "value has the Variant null, which has no typed form"),
        (variants(pa.int64(), [("x", None)]), "typed_value is null: value has it, as Variant bytes."),
        (variants(pa.int64(), [(MISSING, 1)]), "typed_value has it, as a plain column value"),
        (variants(EVENT, [({"click": 1}, event())], NAMES), "value adds the fields that have no column"),
        (variants(EVENT, [("a", event())], NAMES), "value is no object, as it must be, and is ignored"),
        (variants(EVENT, [({"click": 1}, None)], NAMES), "value has it, as Variant bytes."),
    ],
)
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
