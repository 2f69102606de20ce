"""Record assembly: levels in, nested values out."""

import numpy as np
import pyarrow as pa
import pytest
from engine.format.nesting import by_pyarrow
from engine.format.nesting.schema_text import build, elements, field

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError
from pqexplore.engine.format.nesting import assembly
from pqexplore.engine.format.nesting.assembly import LeafColumn, assemble
from pqexplore.engine.limits import Limits

INT, TEXT = pa.int32(), pa.string()


def column(leaf, entries, values, kind=INT):
    """A leaf column from `rd` pairs: "00 12" is repetition 0, definition 0; repetition 1, definition 2."""
    pairs = entries.split()
    repetition = np.array([int(pair[0]) for pair in pairs], np.uint8)
    definition = np.array([int(pair[1]) for pair in pairs], np.uint8)
    return LeafColumn(leaf, definition if leaf.max_definition_level else None,
        repetition if leaf.max_repetition_level else None, pa.array(values, kind))  # fmt: skip


def records(text, *leaves):
    """Python values of a field from (entries, values) of each leaf."""
    top = field(text)
    kinds = [pa.string() if leaf.physical_type == 6 else INT for leaf in top.leaves()]
    columns = [column(leaf, *said, kind) for leaf, said, kind in zip(top.leaves(), leaves, kinds, strict=True)]
    array = assemble(top, columns)
    array.validate(full=True)
    return array.to_pylist()


def test_the_dremel_papers_records():
    """Figures 2 and 3 of Melnik et al.: two records, and the columns that they are stripped into."""
    name = "repeated group Name { repeated group Language { required binary Code (STRING); optional binary Country (STRING); } optional binary Url (STRING); }"
    assert records(
        name,
        ("02 22 11 12 01", ["en-us", "en", "en-gb"]),
        ("03 22 11 13 01", ["us", "gb"]),
        ("02 12 11 02", ["http://A", "http://B", "http://C"]),
    ) == [
        [
            {"Language": [{"Code": "en-us", "Country": "us"}, {"Code": "en", "Country": None}], "Url": "http://A"},
            {"Language": [], "Url": "http://B"},
            {"Language": [{"Code": "en-gb", "Country": "gb"}], "Url": None},
        ],
        [{"Language": [], "Url": "http://C"}],
    ]
    links = "optional group Links { repeated int32 Backward; repeated int32 Forward; }"
    assert records(links, ("01 02 12", [10, 30]), ("02 12 12 02", [20, 40, 60, 80])) == [
        {"Backward": [], "Forward": [20, 40, 60]},
        {"Backward": [10, 30], "Forward": [80]},
    ]


CASES = {
    "required": ("required int32 a;", "00 00", [1, 2], [1, 2]),
    "optional": ("optional int32 a;", "01 00 01", [1, 2], [1, None, 2]),
    "all null": ("optional int32 a;", "00 00", [], [None, None]),
    "no records": ("optional int32 a;", "", [], []),
    "list": ("optional group a (LIST) { repeated group list { optional int32 element; } }", "00 01 02 03 13 12 03",
        [1, 2, 3], [None, [], [None], [1, 2, None], [3]]),
    "required list of required": ("required group a (LIST) { repeated group list { required int32 element; } }",
        "00 01 11 00", [1, 2], [[], [1, 2], []]),
    "no list at all": ("required group a (LIST) { repeated group list { required int32 element; } }", "", [], []),
    "only empty lists": ("required group a (LIST) { repeated group list { required int32 element; } }", "00 00", [],
        [[], []]),
    "two-level list": ("optional group a (LIST) { repeated int32 array; }", "00 01 02 12", [1, 2], [None, [], [1, 2]]),
    "unannotated": ("repeated int32 a;", "00 01 11", [1, 2], [[], [1, 2]]),
    "list of lists": (
        "optional group a (LIST) { repeated group list { optional group element (LIST) { repeated group list { optional int32 element; } } } }",
        "00 01 02 03 04 05 25 14 25 12 15 02 13", [1, 2, 3, 4],
        [None, [], [None], [[]], [[None]], [[1, 2], [None, 3], None, [4]], [None, []]]),
    "three lists": (
        "repeated group a { repeated group b { repeated int32 c; } }",
        "03 33 23 13 00 02 22 11 01",
        [1, 2, 3, 4],
        [
            [{"b": [{"c": [1, 2]}, {"c": [3]}]}, {"b": [{"c": [4]}]}],
            [],
            [{"b": [{"c": []}, {"c": []}]}, {"b": []}],
            [{"b": []}],
        ],
    ),
    "struct in a list": (
        "optional group a (LIST) { repeated group list { optional group element { optional int32 x; } } }",
        "04 13 12 00", [7], [[{"x": 7}, {"x": None}, None], None]),
    "struct in structs": ("optional group a { required group b { optional group c { required int32 d; } } }",
        "00 01 02", [5], [None, {"b": {"c": None}}, {"b": {"c": {"d": 5}}}]),
    "list in a null struct": ("optional group s { repeated int32 a; }", "00 01 02 12 00", [1, 2],
        [None, {"a": []}, {"a": [1, 2]}, None]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_one_leaf(case):
    text, entries, values, expected = CASES[case]
    assert records(text, (entries, values)) == expected


MAP = "optional group m (MAP) { repeated group key_value { required int32 key; optional binary value (STRING); } }"


def test_map():
    keys, values = ("02 12 00 01 02", [1, 2, 3]), ("03 12 00 01 03", ["a", "c"])
    assert records(MAP, keys, values) == [[(1, "a"), (2, None)], None, [], [(3, "c")]]


def test_map_without_values():
    text = "optional group m (MAP) { repeated group key_value { required int32 key; } }"
    assert records(text, ("02 12 00 01", [1, 2])) == [[1, 2], None, []]


def test_map_with_optional_keys():
    text = MAP.replace("required", "optional")
    assert records(text, ("03 13 00", [1, 2]), ("03 12 00", ["a"])) == [[(1, "a"), (2, None)], None]
    with pytest.raises(CorruptFileError, match="1 null keys") as caught:
        records(text, ("03 12 00", [1]), ("03 12 00", ["a"]))
    assert caught.value.address == "schema/1"


def test_null_keys_of_the_null_type():
    top = field("required group m (MAP) { repeated group kv { optional int32 k; optional int32 v; } }")
    levels = np.array([1, 1], np.uint8), np.array([0, 1], np.uint8)
    key, value = (LeafColumn(leaf, *levels, pa.nulls(0)) for leaf in top.leaves())
    with pytest.raises(CorruptFileError, match="2 null keys"):
        assemble(top, [key, value])


STRUCT = "optional group s { required int32 a; optional group l (LIST) { repeated group list { optional int32 x; } } }"


def test_a_part_of_the_leaves():
    top = field(STRUCT)
    a, x = top.leaves()
    only_a = assemble(top, [column(a, "01 00", [5])])
    assert only_a.to_pylist() == [{"a": 5}, None]
    assert str(only_a.type) == "struct<a: int32 not null>"
    only_x = assemble(top, [column(x, "04 13 00", [7])])
    assert only_x.to_pylist() == [{"l": [7, None]}, None]
    in_any_order = assemble(top, [column(x, "04 13 00", [7]), column(a, "01 00", [5])])
    assert in_any_order.to_pylist() == [{"a": 5, "l": [7, None]}, None]


def test_a_part_of_a_map_is_a_list_of_structs_as_pyarrow_has_it():
    top = field(MAP)
    key, value = top.leaves()
    keys, values = column(key, "02 12 00 01", [1, 2]), column(value, "03 12 00 01", ["a"], TEXT)
    for name, said in (("m.key_value.key", keys), ("m.key_value.value", values)):
        ours = assemble(top, [said])
        theirs = by_pyarrow.table_of(elements(MAP), [keys, values], 3, [name])
        assert ours.type == theirs.schema.field("m").type
        assert ours.to_pylist() == theirs.column("m").to_pylist()


def test_below_a_null_struct_a_required_leaf_has_no_nulls():
    top = field(STRUCT)
    array = assemble(top, [column(top.leaves()[0], "01 00 01", [5, 6])])
    assert array.field(0).null_count == 0
    assert array.field(0).to_pylist() == [5, 0, 6]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.bool_(), [True, False, True]),
        (pa.int8(), [1, -2, 3]),
        (pa.float16(), np.array([1, 2, 3], np.float16)),
        (pa.uint64(), [1, 2**63, 3]),
        (pa.date32(), [1, 2, 3]),
        (pa.timestamp("ns", "UTC"), [1, 2, 3]),
        (pa.decimal128(20, 2), [1, 2, 3]),
        (pa.decimal256(60, 2), [1, 2, 3]),
        (pa.binary(3), [b"abc", b"def", b"ghi"]),
        (pa.binary(0), [b"", b"", b""]),
        (pa.binary(), [b"a", b"", b"ccc"]),
        (pa.large_string(), ["a", "", "ccc"]),
        (pa.dictionary(pa.int8(), pa.string()), ["x", "y", "x"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("before", [0, 3])
def test_values_of_every_type_spread_over_nulls(kind, values, before):
    top = field("optional int32 a;")
    (leaf,) = top.leaves()
    dense = pa.concat_arrays([pa.array(values, kind).slice(0, before), pa.array(values, kind)]).slice(before)
    said = dense.to_pylist()
    definition = np.array([0, 1, 1, 0, 0, 1, 0], np.uint8)
    array = assemble(top, [LeafColumn(leaf, definition, None, dense)])
    array.validate(full=True)
    assert array.type == kind
    assert array.to_pylist() == [None, said[0], said[1], None, None, said[2], None]
    nothing = assemble(top, [LeafColumn(leaf, definition * 0, None, dense.slice(0, 0))])
    nothing.validate(full=True)
    assert nothing.to_pylist() == [None] * 7


def test_the_null_type():
    top = field("required group g { optional int32 a; }")
    column_of_nulls = LeafColumn(top.leaves()[0], np.zeros(3, np.uint8), None, pa.nulls(0))
    assert assemble(top, [column_of_nulls]).to_pylist() == [{"a": None}] * 3


def test_values_without_nulls_are_not_copied():
    top = field("required group g { optional int32 a; }")
    values = pa.array([1, 2, 3], INT)
    array = assemble(top, [LeafColumn(top.leaves()[0], np.ones(3, np.uint8), None, values)])
    assert array.field(0).buffers()[1].address == values.buffers()[1].address


LIST = "optional group a (LIST) { repeated group list { optional int32 element; } }"
PAIR = (
    "optional group a (LIST) { repeated group list { optional group element { optional int32 x; optional int32 y; } } }"
)


LISTS = (
    "optional group a (LIST) { repeated group list { optional group element (LIST) { repeated group list { "
    "optional int32 element; } } } }"
)


@pytest.mark.parametrize(
    ("text", "leaf", "expected"),
    [
        (LIST, ("00 10 10", []), [None]),
        (LIST, ("03 13 00 10 01 02", [1, 2]), [[1, 2], None, [], [None]]),
        (LISTS, ("00 20 10 20", []), [None]),
        (LISTS, ("05 25 12 22 02 22 13", [1, 2]), [[[1, 2], None], [None, []]]),
    ],
)
def test_a_null_list_may_repeat_as_duckdb_writes_its_arrays(text, leaf, expected):
    assert records(text, leaf) == expected


@pytest.mark.parametrize(
    ("text", "leaves", "message"),
    [
        (LIST, [("04", [1])], "definition level 0 is 4, the schema allows at most 3"),
        (LIST, [("03 23", [1, 2])], "repetition level 1 is 2, the schema allows at most 1"),
        (LIST, [("13", [1])], "the first repetition level is 1; a record begins with 0"),
        (LIST, [("03 13", [1])], "1 values, 2 definition levels say"),
        (LIST, [("03 12", [1, 2])], "2 values, 1 definition levels say"),
        (LIST, [("00 13", [1])], "list 0 of 'a' is null or empty and goes on with repetition level 1"),
        (LIST, [("03 01 13", [1, 2])], "list 1 of 'a' is null or empty"),
        (LIST, [("03 11", [1])], "an entry repeats in 'a'"),
        (LIST, [("03 10", [1])], "an entry repeats in 'a'"),
        (LIST, [("01 11", [])], "an entry repeats in 'a'"),
        (LIST, [("00 10 13", [1])], "list 0 of 'a' is null or empty and goes on"),
        ("repeated group a { repeated int32 b; }", [("02 20", [1])], "an entry repeats in 'a'"),
        (PAIR, [("04 14", [1, 2]), ("04", [1])], "list 0 of 'a' has 1 elements, column 'a.list.element.x' has 2"),
        (PAIR, [("04 04", [1, 2]), ("04", [1])], "1 records, column 'a.list.element.x' of the same field 'a' has 2"),
        (PAIR, [("04 04", [1, 2]), ("04 02", [1])], "'element' is null at slot 1, column .* the opposite"),
        (PAIR, [("00 04", [1]), ("04 00", [1])], "'a' is there at slot 0, column .* the opposite"),
        (PAIR, [("00", []), ("01", [])], "'a' is there at slot 0"),
    ],
)
def test_bad_levels(text, leaves, message):
    with pytest.raises(CorruptFileError, match=message) as caught:
        records(text, *leaves)
    assert caught.value.address.startswith("schema/")


def test_levels_that_are_not_there():
    (leaf,) = build(LIST).leaves
    levels = np.array([3, 3], np.uint8)
    values = pa.array([1, 2], INT)
    for said in (
        LeafColumn(leaf, None, levels * 0, values),
        LeafColumn(leaf, levels, None, values),
        LeafColumn(leaf, levels, levels[:1] * 0, values),
    ):
        with pytest.raises(CorruptFileError):
            assemble(leaf.parent.parent, [said])


def test_columns_of_another_field():
    tree = build("required int32 a; required int32 b;")
    a, b = tree.leaves
    with pytest.raises(UsageError, match="not leaves of 'a'"):
        assemble(a, [LeafColumn(b, None, None, pa.array([1], INT))])
    with pytest.raises(UsageError, match="not leaves of 'a'"):
        assemble(a, [])


def test_more_elements_than_an_arrow_list_holds(monkeypatch):
    monkeypatch.setattr(assembly, "OFFSET_MAXIMUM", 2)
    assert records(LIST, ("03 13", [1, 2])) == [[1, 2]]
    with pytest.raises(LimitExceededError, match="3 elements"):
        records(LIST, ("03 13 03", [1, 2, 3]))


def test_wide_values_are_not_spread_beyond_the_limit():
    top = field("optional int32 a;")
    wide = pa.array([b"x" * 1000], pa.binary(1000))
    definition = np.array([1] + [0] * 99, np.uint8)
    said = [LeafColumn(top.leaves()[0], definition, None, wide)]
    assert len(assemble(top, said)) == 100
    with pytest.raises(LimitExceededError, match="read_bytes"):
        assemble(top, said, limits=Limits(read_bytes=99_999))


@pytest.mark.parametrize("depth", [100, 450])
def test_deep_lists(depth):
    """A list takes two levels of the schema: 450 lists are 901 deep."""
    text = "optional group a (LIST) { repeated group list { " * depth
    top = field(text + "optional int32 x;" + "} }" * depth)
    (leaf,) = top.leaves()
    assert leaf.max_definition_level == 2 * depth + 1
    levels = np.uint16
    # a value; the innermost list goes on; the middle list ends in a null; another record, null at the top
    definition = np.array([2 * depth + 1, 2 * depth + 1, depth, 0], levels)
    repetition = np.array([0, depth, depth // 2, 0], levels)
    array = assemble(top, [LeafColumn(leaf, definition, repetition, pa.array([1, 2], INT))])
    assert len(array) == 2
    assert array.is_valid().to_pylist() == [True, False]
    sizes = []
    for _ in range(depth):
        sizes.append(len(array.values))
        array = array.values
    assert sizes == [1] * (depth // 2 - 1) + [2] + [1] * (depth // 2 - 1) + [2]
    assert array.to_pylist() == [1, 2]


@pytest.mark.parametrize("depth", [200, 900])
def test_deep_structs(depth):
    top = field("optional group a {" * depth + "optional int32 x;" + "}" * depth)
    (leaf,) = top.leaves()
    definition = np.array([depth + 1, depth, depth // 2, 0], np.uint16)
    array = assemble(top, [LeafColumn(leaf, definition, None, pa.array([1], INT))])
    nulls = []
    for _ in range(depth):
        nulls.append(array.null_count)
        array = array.field(0)
    assert nulls == [1] * (depth // 2) + [2] * (depth // 2)
    assert array.to_pylist() == [1, None, None, None]
