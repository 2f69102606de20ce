"""The schema tree: levels, legacy LIST and MAP rules, paths, and lists of elements that are no tree."""

import csv
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine.format.nesting import by_pyarrow
from engine.format.nesting.schema_text import build, elements, field
from needs import has, needs_pyarrow

import pqexplore
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError
from pqexplore.engine.format import schema, types
from pqexplore.engine.format.field import LIST_RULES, walk
from pqexplore.engine.format.nesting.shape import arrow_field
from pqexplore.engine.format.thrift.structs import ListType, LogicalType, MapType, SchemaElement
from pqexplore.engine.limits import Limits

DREMEL = """
required int64 DocId;
optional group Links { repeated int64 Backward; repeated int64 Forward; }
repeated group Name {
  repeated group Language { required binary Code; optional binary Country; }
  optional binary Url;
}
"""
"""The schema of the Dremel paper (Melnik et al., 2010, figure 2)."""


def test_levels_of_the_dremel_paper():
    leaves = build(DREMEL).leaves
    assert [(".".join(leaf.path), leaf.max_repetition_level, leaf.max_definition_level) for leaf in leaves] == [
        ("DocId", 0, 0),
        ("Links.Backward", 1, 2),
        ("Links.Forward", 1, 2),
        ("Name.Language.Code", 2, 2),
        ("Name.Language.Country", 2, 3),
        ("Name.Url", 1, 2),
    ]
    assert [leaf.leaf_index for leaf in leaves] == list(range(6))


def test_fields_are_in_the_order_of_the_elements():
    tree = build(DREMEL)
    assert [f.index for f in tree.fields] == list(range(10))
    assert list(walk(tree.root)) == tree.fields
    assert [f.depth for f in tree.fields] == [0, 1, 1, 2, 2, 1, 2, 3, 3, 2]
    name = tree.fields[5]
    assert name.name == "Name"
    assert [leaf.path[-1] for leaf in name.leaves()] == ["Code", "Country", "Url"]
    assert [child.parent for child in name.children] == [name, name]


LISTS = {
    # the specification's examples of the five rules
    "optional group a (LIST) { repeated int32 element; }": (
        "two-level repeated field",
        "list<element: int32 not null>",
    ),
    "optional group a (LIST) { repeated group element { required int32 x; required int32 y; } }": (
        "two-level group of several fields", "list<element: struct<x: int32 not null, y: int32 not null> not null>"),
    "optional group a (LIST) { repeated group array (LIST) { repeated int32 array; } }": (
        "two-level group with a repeated field", "list<array: list<array: int32 not null> not null>"),
    "optional group a (LIST) { repeated group array { required int32 x; } }": ("two-level group named array",
        "list<array: struct<x: int32 not null> not null>"),
    "optional group a (LIST) { repeated group a_tuple { optional int32 x; } }": ("two-level group named after the list",
        "list<a_tuple: struct<x: int32> not null>"),
    "optional group a (LIST) { repeated group element { optional int32 x; } }": ("three-level", "list<x: int32>"),
    "required group a (LIST) { repeated group list { required int32 element; } }": ("three-level",
        "list<element: int32 not null>"),
    # the name of another list does not count
    "optional group a (LIST) { repeated group b_tuple { required int32 x; } }": ("three-level",
        "list<x: int32 not null>"),
    # rule 3 without an annotation inside: a struct that holds a list
    "optional group a (LIST) { repeated group bag { repeated int32 x; } }": ("two-level group with a repeated field",
        "list<bag: struct<x: list<x: int32 not null> not null> not null>"),
    "optional group a (LIST) { repeated group array (MAP) "
    "{ repeated group kv { required int32 k; optional int32 v; } } }": (
        "two-level group with a repeated field",
        "list<array: map<int32, int32> not null>",
    ),
    # rule 2 goes before the annotation of the repeated group
    "optional group a (LIST) { repeated group x (MAP) { required int32 k; optional int32 v; } }": (
        "two-level group of several fields", "list<x: struct<k: int32 not null, v: int32> not null>"),
    "optional group a (LIST) { repeated group array (LIST) "
    "{ repeated group array (LIST) { repeated int32 array; } } }": (
        "two-level group with a repeated field",
        "list<array: list<array: list<array: int32 not null> not null> not null>",
    ),
    "optional group a (LIST) { repeated group array { optional group k (LIST) { repeated int32 z; } } }": (
        "two-level group named array", "list<array: struct<k: list<z: int32 not null>> not null>"),
    # no annotation
    "repeated int32 a;": ("unannotated repeated field", "list<a: int32 not null>"),
    "repeated group a { optional int32 x; }": ("unannotated repeated field", "list<a: struct<x: int32> not null>"),
    "repeated group a { repeated group b { required int32 c; } }": ("unannotated repeated field",
        "list<a: struct<b: list<b: struct<c: int32 not null> not null> not null> not null>"),
    # maps: by position, not by name
    "optional group a (MAP) { repeated group key_value { required int32 key; optional int32 value; } }": ("map",
        "map<int32, int32>"),
    "optional group a (MAP) { repeated group map (MAP_KEY_VALUE) { required binary str (STRING); required int32 num; } }": (
        "map",
        "map<string, int32>",
    ),
    "optional group a (MAP_KEY_VALUE) { repeated group map { required int32 value; optional int32 key; } }": (
        "MAP_KEY_VALUE in place of MAP", "map<int32, int32>"),
    "optional group a (MAP) { repeated group kv { required int32 k; repeated int32 v; } }": ("map",
        "map<int32, list<v: int32 not null>>"),
    "optional group a (MAP) { repeated group kv { required int32 k; } }": ("map without values",
        "list<k: int32 not null>"),
    "optional group a (MAP) { repeated group array { required int32 k; } }": ("map without values",
        "list<array: struct<k: int32 not null> not null>"),
}  # fmt: skip
"""A field, the rule that reads it, and its Arrow type, which is pyarrow's."""

BY_NEWER = (
    "optional group a (LIST) { repeated group bag { repeated int32 x; } }",
    "optional group a (LIST) { repeated group array (MAP) "
    "{ repeated group kv { required int32 k; optional int32 v; } } }",
    "optional group a (LIST) { repeated group array (LIST) { repeated group array (LIST) { repeated int32 array; } } }",
)
"""Those that pyarrow reads since version 24."""

REFUSED = (
    "must be LIST-annotated",  # until 24
    "cannot be applied to group node",  # VARIANT, until 22
    "LogicalType that is not recognized",  # GEOMETRY and GEOGRAPHY, until 20
)
"""How older versions of pyarrow refuse valid files of the corpus."""

BEYOND_PYARROW = {
    # pyarrow refuses these; the specification's words still give them a meaning
    "optional group a (MAP) { repeated group kv { optional int32 k; optional int32 v; } }": (
        "map",
        "map<int32, int32>",
    ),
    "optional group a (MAP) { repeated group kv { optional int32 k; } }": ("map without values", "list<k: int32>"),
    "repeated group a (MAP) { repeated group kv { required int32 k; optional int32 v; } }": ("map",
        "list<a: map<int32, int32> not null>"),
    "repeated group a (LIST) { repeated group list { required int32 element; } }": ("three-level",
        "list<a: list<element: int32 not null> not null>"),
    "optional group a { repeated group m (MAP_KEY_VALUE) { required int32 k; optional int32 v; } }": (None,
        "struct<m: map<int32, int32> not null>"),
    "optional group a (LIST) { repeated group array (MAP) { repeated group kv { required int32 k; } } }": (
        "two-level group with a repeated field", "list<array: list<k: int32 not null> not null>"),
    # annotated, and not of the form: the group that it is
    "optional group a (LIST) { required int32 x; }": ("LIST ignored", "struct<x: int32 not null>"),
    "optional group a (LIST) { repeated int32 x; repeated int32 y; }": ("LIST ignored",
        "struct<x: list<x: int32 not null> not null, y: list<y: int32 not null> not null>"),
    "optional group a (MAP) { required int32 k; optional int32 v; }": ("MAP ignored",
        "struct<k: int32 not null, v: int32>"),
    "optional group a (MAP) { repeated group kv { required int32 k; optional int32 v; optional int32 w; } }": (
        "MAP ignored", "struct<kv: list<kv: struct<k: int32 not null, v: int32, w: int32> not null> not null>"),
    "optional group a (MAP) { repeated int32 k; }": ("MAP ignored", "struct<k: list<k: int32 not null> not null>"),
}  # fmt: skip


NEWER = needs_pyarrow(24, "it refuses lists of lists and of maps without the middle level")


@pytest.mark.parametrize("text", [*LISTS, *BEYOND_PYARROW])
def test_rules(text):
    rule, arrow = (LISTS | BEYOND_PYARROW)[text]
    assert field(text).list_rule == rule
    assert rule is None or rule in LIST_RULES
    told = str(arrow_field(field(text), types.arrow_type).type)
    assert re.sub(r" \('\w+'\)", "", told) == arrow  # pyarrow tells the names in maps, too


@needs_pyarrow(19, "it reads old two-level lists as structs")
@pytest.mark.parametrize("text", [pytest.param(text, marks=NEWER) if text in BY_NEWER else text for text in LISTS])
def test_types_are_those_of_pyarrow(text):
    (expected,) = by_pyarrow.schema_of(elements(text))
    ours = arrow_field(field(text), types.arrow_type)
    assert (ours.name, ours.type, ours.nullable) == (expected.name, expected.type, expected.nullable)


@needs_pyarrow(19, "it reads old two-level lists as structs")
@pytest.mark.parametrize("text", BEYOND_PYARROW)
def test_pyarrow_refuses_these_schemas(text):
    with pytest.raises(pa.ArrowInvalid):
        by_pyarrow.schema_of(elements(text))


def test_the_logical_type_goes_before_the_converted_type():
    list_of_pairs = elements("optional group a { repeated group kv { required int32 k; required int32 v; } }")
    list_of_pairs[1].converted_type = 1  # MAP
    list_of_pairs[1].logicalType = LogicalType(LIST=ListType())
    assert schema.build(list_of_pairs).root.children[0].kind == "list"
    list_of_pairs[1].logicalType = LogicalType(MAP=MapType())
    assert schema.build(list_of_pairs).root.children[0].kind == "map"
    list_of_pairs[1].logicalType = LogicalType()  # a kind that is not known: the converted type is what is left
    assert schema.build(list_of_pairs).root.children[0].kind == "map"


def test_kinds():
    variant = "optional group v (VARIANT) { required binary metadata; optional binary value; }"
    assert field(variant).kind == "variant"
    assert [child.kind for child in field(variant).children] == ["leaf", "leaf"]
    assert field("optional group g { }").kind == "group"
    listed = field("optional group a (LIST) { repeated group list { optional int32 element; } }")
    assert (listed.kind, listed.children[0].kind) == ("list", "group")
    assert listed.list_element is listed.children[0].children[0]


def test_groups_without_fields():
    tree = build("optional int32 a; optional group g { optional group h { } } required int32 b;")
    assert [leaf.name for leaf in tree.leaves] == ["a", "b"]
    assert arrow_field(tree.root.children[1], types.arrow_type) is None
    assert build("").leaves == []
    assert schema.build([SchemaElement(name="root", type=1)]).leaves == []


def test_leaf_facts():
    (leaf,) = build("optional binary a (STRING);").leaves
    assert leaf.physical_type == 6
    assert leaf.logical_type.STRING is not None
    assert leaf.type_length is None
    assert leaf.column_order is None
    assert leaf.defect is None


def test_column_orders_may_be_fewer_than_columns():
    text = "required int32 a; required int32 b;"
    first, second = schema.build(elements(text), column_orders=["order of a"]).leaves
    assert (first.column_order, second.column_order) == ("order of a", None)


PATHS = (
    "optional group a { optional int32 b; optional int32 c; optional int32 c; } optional int32 a.b; optional int64 d;"
)


@pytest.mark.parametrize(("path", "column"), [(("a", "b"), 0), (("a.b",), 3), ("d", 4), (("d",), 4)])
def test_leaf_by_path(path, column):
    assert build(PATHS).leaf(path).leaf_index == column


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a.b", "ambiguous: columns 0 .'a', 'b'., 3 .'a.b',."),
        ("a.c", "ambiguous"),
        ("a", "no column 'a'"),
        ("", "no column"),
        ((), "no column"),
        ("a.b.c", "no column"),
        ("d.", "no column"),
    ],
)
def test_no_leaf_or_several(path, message):
    with pytest.raises(KeyError, match=message):
        build(PATHS).leaf(path)


def test_fields_at_a_path():
    tree = build(PATHS)
    assert [f.index for f in tree.fields_at("a")] == [1]
    assert [f.index for f in tree.fields_at("a.b")] == [2, 5]
    assert [f.index for f in tree.fields_at(("a", "c"))] == [3, 4]


def E(name="x", **said):
    return SchemaElement(name=name, **said)


NO_TREE = {
    "no elements": ([], "schema", "no elements"),
    "the list ends early": ([E(num_children=2), E(type=1)], "schema/0",
        "has 2 children by its num_children, and 1 element follows"),
    "an inner group ends early": ([E(num_children=2), E("g", num_children=2), E(type=1), E(type=1)], "schema/0",
        "ends early: group `x` has 2 children, 1 are there"),
    "surplus elements": ([E(num_children=1), E(type=1), E(type=1)], "schema/2", "no parent"),
    "surplus after an empty root": ([E(), E(type=1)], "schema/1", "no parent"),
    "negative number of children": ([E(num_children=1), E(num_children=-1)], "schema/1", "has -1 children"),
    "too many children": ([E(num_children=1), E(num_children=1 << 30)], "schema/1", "has 1,073,741,824 children"),
    "no name": ([E(num_children=1), E(None, type=1)], "schema/1", "no name"),
    "no root name": ([E(None, num_children=1), E(type=1)], "schema/0", "no name"),
    "unknown repetition": ([E(num_children=1), E(type=1, repetition_type=3)], "schema/1", "repetition 3"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_TREE)
def test_elements_that_are_no_tree(case):
    said, address, message = NO_TREE[case]
    with pytest.raises(CorruptFileError, match=message) as caught:
        schema.build(said)
    assert caught.value.address == address


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        (E(type=8), UnsupportedFeatureError),
        (E(type=-1), UnsupportedFeatureError),
        (E(type=7), CorruptFileError),
        (E(type=7, type_length=-5), CorruptFileError),
    ],
)
def test_a_bad_leaf_leaves_the_others_readable(element, kind):
    tree = schema.build([E(num_children=2), element, E("good", type=1)])
    bad, good = tree.leaves
    assert isinstance(bad.defect, kind)
    assert bad.defect.address == "schema/1"
    assert good.defect is None


def test_unusual_schemas_are_read():
    """As other readers do: a type on a group, no repetition below the root, any on the root, no children said as 0."""
    tree = schema.build(
        [
            E(num_children=2, repetition_type=2, type=1),
            E("g", num_children=1, type=2),
            E("a", type=1, num_children=0),
            E("b", type=7, type_length=0),
        ]
    )
    assert [(leaf.path, leaf.max_definition_level, leaf.max_repetition_level) for leaf in tree.leaves] == [
        (("g", "a"), 0, 0),
        (("b",), 0, 0),
    ]


def chain(depth):
    """`depth` nested groups, and a leaf in the innermost."""
    groups = [E("g", num_children=1, repetition_type=i % 3) for i in range(depth)]
    return [E("root", num_children=1), *groups, E("leaf", type=1, repetition_type=1)]


def test_depth():
    (leaf,) = schema.build(chain(900)).leaves
    assert leaf.depth == len(leaf.path) == 901
    assert (leaf.max_definition_level, leaf.max_repetition_level) == (601, 300)
    assert arrow_field(schema.build(chain(900)).root.children[0], types.arrow_type).name == "g"


def test_limits():
    with pytest.raises(LimitExceededError, match="schema_depth"):
        schema.build(chain(1000))
    with pytest.raises(LimitExceededError, match="schema_elements"):
        schema.build(chain(5), limits=Limits(schema_elements=6))
    assert schema.build(chain(5), limits=Limits(schema_elements=7)).leaves


@needs_pyarrow(19, "it reads old two-level lists as structs, JSON and old types of time otherwise")
def test_types_of_the_corpus_are_those_of_pyarrow_without_hints(corpus):
    compared = 0
    for row in csv.DictReader((corpus / "catalog.csv").open()):
        if row["magic"] != "PAR1" or (row["klass"], row["pyarrow"]) != ("valid", "ok"):
            continue
        data = (corpus / row["path"]).read_bytes()
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        hidden = data[:footer] + data[footer:].replace(b"ARROW:schema", b"ARROW:ignore")
        try:
            theirs = pq.ParquetFile(pa.BufferReader(hidden)).schema_arrow
        except (pa.ArrowInvalid, OSError) as error:
            assert not has("pyarrow", "24"), row["path"]
            assert any(words in str(error) for words in REFUSED), (row["path"], error)
            continue
        made = [arrow_field(child, types.arrow_type) for child in pqexplore.open(data).schema.root.children]
        assert [shown(one) for one in made if one is not None] == [shown(one) for one in theirs], row["path"]
        compared += 1
    assert compared > (800 if has("pyarrow", "22") else 700)


def shown(one):
    """Name, nullability and stored type of a field, or the fields below it."""
    kind = one.type.storage_type if isinstance(one.type, pa.BaseExtensionType) else one.type
    below = [kind.key_field, kind.item_field] if pa.types.is_map(kind) else map(kind.field, range(kind.num_fields))
    return one.name, one.nullable or pa.types.is_null(kind), [shown(each) for each in below] or kind
