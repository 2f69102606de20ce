"""Violations in the structure of the schema: the tree, types and repetitions, names, field ids, lists and maps."""

from engine.check import forged
from engine.check.schemas import OPTIONAL, REPEATED, REQUIRED, column, group, leaf, plain, schema
from engine.check.violations import Violation

from pqexplore.engine.format.embedded import SPARK
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.assembly import element

LIST, MAP, FLBA = plain("LIST"), plain("MAP"), Type.FIXED_LEN_BYTE_ARRAY


def tree(*elements):
    """A file with these elements, right or wrong."""
    return assembly.file([*elements], [])


def required(repetition=REQUIRED):
    return forged.one_column([forged.page([1])], leaf=element("a", Type.INT32, repetition))


def listed(*inner, name="a", repetition=OPTIONAL, **changes):
    return group(name, *inner, repetition=repetition, **{"logicalType": LIST} | changes)


def entries(*fields, name="key_value", **changes):
    return group(name, *fields, repetition=REPEATED, **changes)


KEY, VALUE = leaf("key", repetition=REQUIRED), leaf("value")


def mapped(*inner, repetition=OPTIONAL, **changes):
    return group("a", *inner, repetition=repetition, **{"logicalType": MAP} | changes)


RIGHT_LIST = listed(group("list", leaf("element"), repetition=REPEATED))
RIGHT_MAP = mapped(entries(KEY, VALUE))

TREE = [
    Violation("no element at all", "unreadable", lambda: tree(), lambda: tree(forged.root(0)), address="schema"),
    Violation("a child too many", "unreadable", lambda: tree(forged.root(2), *leaf("a")),
        lambda: tree(forged.root(1), *leaf("a")), address="schema/0"),
    Violation("a group that takes its sibling", "unreadable",
        lambda: schema(group("g", leaf("x"), num_children=3), leaf("b")),
        lambda: schema(group("g", leaf("x")), leaf("b")), address="schema/1"),
    Violation("a repetition that does not exist", "unreadable", lambda: schema(leaf("a", repetition=3)),
        lambda: schema(leaf("a", repetition=1)), address="schema/1"),
    Violation("no repetition", "no-repetition", lambda: required(None), lambda: required(), address="schema/1"),
    Violation("a group without repetition", "no-repetition", lambda: schema(group("g", leaf("x"), repetition=None)),
        lambda: schema(group("g", leaf("x"))), address="schema/1"),
    # The near miss: adds no level.
    Violation("an optional root", "root-repetition", lambda: schema(leaf("a"), root={"repetition": OPTIONAL}),
        lambda: schema(leaf("a"), root={"repetition": REQUIRED}), "note", "schema/0"),
    Violation("a repeated root", "root-repetition", lambda: schema(leaf("a"), root={"repetition": REPEATED}),
        lambda: schema(leaf("a")), "note", "schema/0"),
    Violation("a root with a type", "group-with-type", lambda: schema(leaf("a"), root={"type": int(Type.INT32)}),
        address="schema/0"),
    Violation("a group with a type", "group-with-type", lambda: schema(group("g", leaf("x"), type=int(Type.INT32))),
        lambda: schema(group("g", leaf("x"))), address="schema/1"),
    Violation("a leaf with num_children", "leaf-with-children", lambda: column(num_children=0), lambda: column(),
        "note", "schema/1"),
    Violation("neither a type nor children", "leaf-without-type", lambda: schema(leaf("a", None)),
        lambda: schema(leaf("a")), address="schema/1"),
    Violation("a group without fields", "empty-group", lambda: schema(group("g"), leaf("a")), severity="note",
        address="schema/1"),
]  # fmt: skip

TYPES = [
    Violation("a physical type that does not exist", "unsupported", lambda: schema(leaf("a", 8)),
        lambda: schema(leaf("a", Type.BYTE_ARRAY)), "error", "schema/1"),
    Violation("FIXED_LEN_BYTE_ARRAY without a length", "unreadable", lambda: column(FLBA),
        lambda: column(FLBA, type_length=3), address="schema/1"),
    Violation("FIXED_LEN_BYTE_ARRAY of no bytes", "type-length-zero", lambda: column(FLBA, type_length=0),
        lambda: column(FLBA, type_length=1), "warning", "schema/1"),
    Violation("a group with a length", "type-length-unsuited", lambda: schema(group("g", leaf("x"), type_length=4)),
        severity="note", address="schema/1"),
    # The near miss: the maximum bit length of the values.
    Violation("a negative number of bits", "type-length-unsuited", lambda: column(type_length=-1),
        lambda: column(type_length=3), "note", "schema/1"),
]  # fmt: skip

NAMES = [
    Violation("an empty name", "name-empty", lambda: column(name=""), lambda: column(name=" "), "warning", "schema/1"),
    Violation("two columns of one name", "duplicate-names", lambda: schema(leaf("a"), leaf("a")),
        lambda: schema(leaf("a"), leaf("A")), "warning", "schema/1"),
    Violation("a column and a group of one name", "duplicate-names", lambda: schema(leaf("a"), group("a", leaf("x"))),
        lambda: schema(leaf("a"), group("b", leaf("a"))), "warning", "schema/1"),
    Violation("two fields of a group of one name", "duplicate-names", lambda: schema(group("g", leaf("x"), leaf("x"))),
        lambda: schema(group("g", leaf("x")), group("h", leaf("x"))), "warning", "schema/2"),
    Violation("two paths with the same dots", "dotted-path-repeated",
        lambda: schema(group("a", leaf("b")), leaf("a.b")), lambda: schema(group("a", leaf("b")), leaf("a_b")),
        "warning", "schema/3"),
    Violation("a field id twice in a group", "field-id-repeated",
        lambda: schema(leaf("a", field_id=7), leaf("b", field_id=7)),
        lambda: schema(leaf("a", field_id=7), leaf("b", field_id=8)), "note", "schema/2"),
    # The near miss: protobuf counts the fields of each message anew.
    Violation("a field id twice in an inner group", "field-id-repeated",
        lambda: schema(group("g", leaf("a", field_id=1), leaf("b", field_id=1))),
        lambda: schema(group("g", leaf("a", field_id=1), field_id=1), group("h", leaf("a", field_id=1), field_id=2)),
        "note", "schema/3"),
]  # fmt: skip

OF_A_TABLE = [
    Violation(
        f"a field id twice in a file of {table}",
        "field-id-repeated",
        lambda key=key, value=value: schema(
            group("g", leaf("a", field_id=1), field_id=3),
            group("h", leaf("a", field_id=1), field_id=2),
            file={"key_value_metadata": [structs.KeyValue(key=key, value=value)]},
        ),
        lambda key=key, value=value: schema(
            group("g", leaf("a", field_id=1), field_id=3),
            group("h", leaf("a", field_id=4), field_id=2),
            file={"key_value_metadata": [structs.KeyValue(key=key, value=value)]},
        ),
        "warning",
        "schema/4",
        also=also,
    )
    for table, key, value, also in (
        ("Iceberg", "iceberg.schema", '{"type": "struct", "schema-id": 0, "fields": []}', ()),
        ("Delta", SPARK, '{"type": "struct", "fields": [], "metadata": {"delta.columnMapping.id": 1}}',
            ("spark-metadata-disagrees",)),
    )
]  # fmt: skip

LISTS = [
    Violation("a list with two fields", "shape",
        lambda: schema(listed(leaf("x", repetition=REPEATED), leaf("y", repetition=REPEATED))),
        lambda: schema(RIGHT_LIST), address="schema/1"),
    Violation("a list that repeats nothing", "shape", lambda: schema(listed(group("list", leaf("element")))),
        address="schema/1"),
    Violation("a list of a column that is not repeated", "shape", lambda: schema(listed(leaf("element"))),
        lambda: schema(RIGHT_LIST), address="schema/1"),
    Violation("a list without fields", "shape", lambda: schema(listed(), leaf("b")), address="schema/1"),
    Violation("a list of groups without fields", "shape",
        lambda: schema(listed(group("list", repetition=REPEATED)), leaf("b")), address="schema/1"),
    Violation("a list by converted type with two fields", "shape",
        lambda: schema(listed(leaf("x"), leaf("y"), logicalType=None, converted_type=int(ConvertedType.LIST))),
        address="schema/1"),
    Violation("a repeated list", "list-repeated",
        lambda: schema(listed(group("list", leaf("element"), repetition=REPEATED), repetition=REPEATED)),
        lambda: schema(listed(group("list", leaf("element"), repetition=REPEATED), repetition=REQUIRED)),
        address="schema/1"),
    # The near miss: the element of another two-level list.
    Violation("a repeated two-level list", "list-repeated",
        lambda: schema(listed(leaf("array", repetition=REPEATED), repetition=REPEATED)),
        lambda: schema(listed(listed(leaf("array", repetition=REPEATED), name="array", repetition=REPEATED))),
        address="schema/1", also=("legacy-list",)),
    Violation("a two-level list of a column", "legacy-list",
        lambda: schema(listed(leaf("element", repetition=REPEATED))), lambda: schema(RIGHT_LIST), "warning", "schema/1"),
    # The near miss: its element has several fields.
    Violation("a two-level list of several fields", "legacy-list",
        lambda: schema(listed(group("element", leaf("x"), leaf("y"), repetition=REPEATED))),
        lambda: schema(listed(group("list", group("element", leaf("x"), leaf("y")), repetition=REPEATED))), "warning",
        "schema/1"),
    Violation("a two-level list of a tuple", "legacy-list",
        lambda: schema(listed(group("a_tuple", leaf("x"), repetition=REPEATED))),
        lambda: schema(listed(group("b_tuple", leaf("x"), repetition=REPEATED))), "warning", "schema/1"),
    Violation("a two-level list of an array", "legacy-list",
        lambda: schema(listed(group("array", leaf("x"), repetition=REPEATED))), severity="warning", address="schema/1"),
    Violation("a list whose middle has another name", "list-names",
        lambda: schema(listed(group("bag", leaf("element"), repetition=REPEATED))), lambda: schema(RIGHT_LIST), "note",
        "schema/1"),
    Violation("a list whose element has another name", "list-names",
        lambda: schema(listed(group("list", leaf("item"), repetition=REPEATED))), severity="note", address="schema/1"),
    Violation("a repeated field without LIST", "repeated-unannotated", lambda: schema(leaf("a", repetition=REPEATED)),
        lambda: schema(leaf("a")), "note", "schema/1"),
    Violation("a repeated field without LIST beside a list", "repeated-unannotated",
        lambda: schema(RIGHT_LIST, leaf("b", repetition=REPEATED)), lambda: schema(RIGHT_LIST, leaf("b")), "warning",
        "schema/4"),
    Violation("a repeated group without MAP beside a map", "repeated-unannotated",
        lambda: schema(group("b", leaf("x"), repetition=REPEATED), RIGHT_MAP),
        lambda: schema(group("b", leaf("x")), RIGHT_MAP), "warning", "schema/1"),
]  # fmt: skip

MAPS = [
    Violation("a map of three fields", "shape", lambda: schema(mapped(entries(KEY, VALUE, leaf("more")))),
        lambda: schema(RIGHT_MAP), address="schema/1"),
    Violation("a map of entries without fields", "shape", lambda: schema(mapped(entries()), leaf("b")),
        address="schema/1"),
    Violation("a map that repeats nothing", "shape", lambda: schema(mapped(group("key_value", KEY, VALUE))),
        address="schema/1"),
    Violation("a map of a repeated column", "shape", lambda: schema(mapped(leaf("key_value", repetition=REPEATED))),
        address="schema/1"),
    Violation("a map of two groups", "shape",
        lambda: schema(mapped(entries(KEY, VALUE), entries(KEY, VALUE, name="more"))), address="schema/1"),
    Violation("an optional key", "map-key-optional", lambda: schema(mapped(entries(leaf("key"), VALUE))),
        lambda: schema(RIGHT_MAP), address="schema/3", severity="warning"),
    Violation("a repeated key", "map-key-optional",
        lambda: schema(mapped(entries(leaf("key", repetition=REPEATED), VALUE))), address="schema/3",
        severity="warning"),
    Violation("an optional key of a map without values", "map-key-optional",
        lambda: schema(mapped(entries(leaf("key")))), lambda: schema(mapped(entries(KEY))), address="schema/3",
        severity="warning"),
    Violation("an optional key under MAP_KEY_VALUE", "map-key-optional",
        lambda: schema(mapped(entries(leaf("key"), VALUE), logicalType=None,
            converted_type=int(ConvertedType.MAP_KEY_VALUE))), address="schema/3", severity="warning"),
    Violation("a repeated value", "map-value-repeated",
        lambda: schema(mapped(entries(KEY, leaf("value", repetition=REPEATED)))),
        lambda: schema(mapped(entries(KEY, leaf("value", repetition=REQUIRED)))), address="schema/4"),
    Violation("the value before the key", "map-order",
        lambda: schema(mapped(entries(leaf("value", repetition=REQUIRED), leaf("key")))),
        lambda: schema(mapped(entries(leaf("k", repetition=REQUIRED), leaf("v")))), address="schema/2"),
    Violation("a repeated map", "map-repeated", lambda: schema(mapped(entries(KEY, VALUE), repetition=REPEATED)),
        lambda: schema(mapped(entries(KEY, VALUE), repetition=REQUIRED)), address="schema/1"),
    # The near miss: where it belongs.
    Violation("MAP_KEY_VALUE in place of MAP", "legacy-map",
        lambda: schema(mapped(entries(KEY, VALUE), logicalType=None, converted_type=int(ConvertedType.MAP_KEY_VALUE))),
        lambda: schema(mapped(entries(KEY, VALUE, converted_type=int(ConvertedType.MAP_KEY_VALUE)))), "note",
        "schema/1"),
    Violation("entries of another name", "map-names", lambda: schema(mapped(entries(KEY, VALUE, name="map"))),
        lambda: schema(RIGHT_MAP), "note", "schema/2"),
    Violation("a key of another name", "map-names",
        lambda: schema(mapped(entries(leaf("k", repetition=REQUIRED), VALUE))), lambda: schema(mapped(entries(KEY))),
        "note", "schema/2"),
]  # fmt: skip

VIOLATIONS = TREE + TYPES + NAMES + OF_A_TABLE + LISTS + MAPS
