import datetime
import decimal

import pyarrow as pa
import pytest
from engine.format.variant.test_variants_in_columns import element

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import schema
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.get import columns_for_path, parse_path, variant_get
from pqexplore.engine.format.variant.shred import shred

ROWS = [
    {"a": {"b": [1, "x", {"c": True}]}, "n": 1, "d": decimal.Decimal("1.50")},
    {"a": {"b": [2.5]}, "n": "two", "z": None},
    {"a": "text", "n": 3},
    "no object",
    None,
]
SHREDDINGS = [
    None,
    pa.struct([("n", pa.int64())]),
    pa.struct([("a", pa.struct([("b", pa.list_(pa.int64()))])), ("z", pa.null())]),
    pa.struct([("a", pa.struct([("b", pa.list_(pa.struct([("c", pa.bool_())])))])), ("d", pa.string())]),
    pa.string(),
]
WANTED = [
    ("$", None, [*ROWS]),
    ("$.n", None, [1, "two", 3, None, None]),
    ("$.n", pa.int64(), [1, None, 3, None, None]),
    ("$.n", pa.string(), ["1", "two", "3", None, None]),
    ("$.a.b[0]", None, [1, 2.5, None, None, None]),
    ("$.a.b[0]", pa.float64(), [1.0, 2.5, None, None, None]),
    ("$.a.b[2].c", pa.bool_(), [True, None, None, None, None]),
    ("$['a']", pa.string(), ['{"b":[1,"x",{"c":true}]}', '{"b":[2.5]}', "text", None, None]),
    ("$.d", pa.decimal128(5, 1), [decimal.Decimal("1.5"), None, None, None, None]),
    ("$.d", pa.int32(), [None] * 5),
    ("$.missing.x", None, [None] * 5),
    ("$.a", pa.struct([("b", pa.list_(pa.string()))]),
        [{"b": ["1", "x", '{"c":true}']}, {"b": ["2.5"]}, None, None, None]),
]  # fmt: skip


@pytest.mark.parametrize("path, kind, expected", WANTED)
@pytest.mark.parametrize("shredding", SHREDDINGS, ids=["none", "n", "ab", "abc", "string"])
def test_every_shredding_gives_the_same(path, kind, expected, shredding):
    column = encode_array(ROWS)
    if shredding is not None:
        column = shred(column, shredding)
    found = variant_get(column, path, kind)
    if kind is None:
        assert decode_array(found) == expected
    else:
        assert found.type == kind
        assert found.to_pylist() == expected


def test_null_and_missing_are_different():
    column = encode_array([{"z": None}, {}])
    for form in (column, shred(column, pa.struct([("z", pa.int8())]))):
        assert variant_get(form, "$.z").is_valid().to_pylist() == [True, False]


def test_strict_raises_for_values_that_cannot_be_converted():
    with pytest.raises(UsageError, match='row 1: "two" cannot be given as int64'):
        variant_get(encode_array(ROWS), "$.n", pa.int64(), strict=True)


def test_times():
    when = datetime.datetime(2024, 11, 7, 12, tzinfo=datetime.UTC)
    column = encode_array([when, when.replace(tzinfo=None), datetime.date(2024, 11, 7)])
    assert variant_get(column, "$", pa.timestamp("ms", "UTC")).to_pylist() == [when, None, None]
    assert variant_get(column, "$", pa.date32()).to_pylist() == [None, None, datetime.date(2024, 11, 7)]


@pytest.mark.parametrize(
    "text, steps",
    [("$", ()), ("$.a.b[0]", ("a", "b", 0)), ("$['a.b'][\"c d\"].e", ("a.b", "c d", "e")), ("$[12][3]", (12, 3))],
)
def test_paths(text, steps):
    assert parse_path(text) == steps


@pytest.mark.parametrize("text", ["", "a", "$a", "$.", "$[", "$[-1]", "$.a]", "$[a]", "$..a"])
def test_texts_that_are_no_path_raise(text):
    with pytest.raises(UsageError):
        parse_path(text)


SHREDDED = [
    element("root", 1, repetition=None),
    element("v", children=3, logical="VARIANT"),
    element("metadata", type_=6, repetition=0),
    element("value", type_=6),
    element("typed_value", children=2),
    element("a", children=2, repetition=0),
    element("value", type_=6),
    element("typed_value", type_=2),
    element("tags", children=2, repetition=0),
    element("value", type_=6),
    element("typed_value", children=1, logical="LIST"),
    element("list", children=1, repetition=2),
    element("element", children=2, repetition=0),
    element("value", type_=6),
    element("typed_value", type_=6, logical="STRING"),
]
A = ["v.metadata", "v.typed_value.a.value", "v.typed_value.a.typed_value"]
TAG = "v.typed_value.tags.typed_value.list.element."


@pytest.mark.parametrize(
    "path, columns",
    [
        ("$.a", A),
        ("$.a.b", A[:2]),
        ("$.other", ["v.metadata", "v.value"]),
        ("$[0]", ["v.metadata", "v.value"]),
        ("$.tags[3]", ["v.metadata", TAG + "value", TAG + "typed_value"]),
        ("$.tags", ["v.metadata", "v.typed_value.tags.value", TAG + "value", TAG + "typed_value"]),
        ("$", ["v.metadata", "v.value", *A[1:], "v.typed_value.tags.value", TAG + "value", TAG + "typed_value"]),
    ],
)
def test_columns_for_path(path, columns):
    field = schema.build(SHREDDED).root.children[0]
    assert [".".join(leaf.path) for leaf in columns_for_path(field, path)] == columns


def test_only_the_columns_for_the_path_are_needed():
    column = shred(encode_array([{"a": 1, "b": "x"}, {"a": "y"}]), pa.struct([("a", pa.int64())]))
    a = column.field("typed_value").field("a")
    pruned = pa.StructArray.from_arrays(
        [column.field("metadata"), pa.StructArray.from_arrays([a], ["a"])], ["metadata", "typed_value"]
    )
    assert decode_array(variant_get(pruned, "$.a")) == [1, "y"]
