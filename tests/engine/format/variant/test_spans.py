import pytest
from engine.format.variant.strategies import VALUES
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError
from pqexplore.engine.format.variant import metadata
from pqexplore.engine.format.variant.byte_parts import walk
from pqexplore.engine.format.variant.decode import decode, from_parts
from pqexplore.engine.format.variant.encode import encode
from pqexplore.engine.format.variant.metadata_spans import read_metadata
from pqexplore.engine.format.variant.value_spans import read_value
from pqexplore.engine.limits import Limits
from pqexplore.engine.tree.variant_nodes import to_node

ABC = metadata.encode(["a", "b", "c"])


def outline(part):
    return [(p.kind, p.start, p.end, p.label) for p in walk(part)]


def assert_tiles(part):
    """The children of every part lie one behind the other and cover it."""
    for one in walk(part):
        if one.children:
            at = one.start
            for child in one.children:
                assert child.start == at, (one.label, child.label)
                at = child.end
            assert at == one.end, one.label


def test_an_object_of_two_fields():
    root = read_value(ABC, bytes.fromhex("02 02 00 02 03 00 05 09 78 79 0c 01"))
    assert outline(root) == [
        ("value", 0, 12, "object of 2"),
        ("header", 0, 1, "object"),
        ("num_elements", 1, 2, "2 elements"),
        ("field_ids", 2, 4, "2 field ids"),
        ("field_id", 2, 3, "id 0 = 'a'"),
        ("field_id", 3, 4, "id 2 = 'c'"),
        ("field_offsets", 4, 7, "3 offsets"),
        ("field_offset", 4, 5, "offset 0 = 3"),
        ("field_offset", 5, 6, "offset 1 = 0"),
        ("field_offset", 6, 7, "offset 2 = 5"),
        ("values", 7, 12, "2 values"),
        ("value", 7, 10, "c: string 'xy'"),
        ("header", 7, 8, "short string"),
        ("data", 8, 10, "data"),
        ("value", 10, 12, "a: int8 1"),
        ("header", 10, 11, "int8"),
        ("data", 11, 12, "data"),
    ]
    assert [item.name for item in root.items] == ["a", "c"]  # the order of the names, not of the bytes


@pytest.mark.parametrize(
    "encoded, bits",
    [
        ("0c 01", [("basic_type", 0, 1, 0), ("primitive_header", 2, 7, 3)]),
        ("05 61", [("basic_type", 0, 1, 1), ("short_string_header", 2, 7, 1)]),
        (
            "56 00 00 00 00 00 00",
            [
                ("basic_type", 0, 1, 2),
                ("field_offset_size_minus_one", 2, 3, 1),
                ("field_id_size_minus_one", 4, 5, 1),
                ("is_large", 6, 6, 1),
                ("unused", 7, 7, 0),
            ],
        ),
        (
            "13 00 00 00 00 00",
            [
                ("basic_type", 0, 1, 3),
                ("field_offset_size_minus_one", 2, 3, 0),
                ("is_large", 4, 4, 1),
                ("unused", 5, 7, 0),
            ],
        ),
    ],
)
def test_header_bits(encoded, bits):
    root = read_value(ABC, bytes.fromhex(encoded))
    assert root.error is None
    header = root.children[0]
    assert [(b.name, b.first, b.last, b.value) for b in header.bits] == bits


def test_a_decimal_has_a_scale_and_digits():
    root = read_value(ABC, bytes.fromhex("20 02 96 00 00 00"))
    assert [(p.kind, p.value) for p in root.children[1:]] == [("scale", 2), ("unscaled", 150)]


def test_a_decimal_with_more_digits_than_its_type_is_for_is_noted():
    assert "10 digits" in read_value(ABC, bytes.fromhex("20 00 ff ff ff 7f")).meaning


def test_metadata():
    root = read_metadata(bytes.fromhex("11 02 00 01 03 61 62 63"))
    assert outline(root) == [
        ("metadata", 0, 8, "metadata of 2 names"),
        ("header", 0, 1, "header"),
        ("dictionary_size", 1, 2, "2 strings"),
        ("offsets", 2, 5, "3 offsets"),
        ("offset", 2, 3, "offset 0 = 0"),
        ("offset", 3, 4, "offset 1 = 1"),
        ("offset", 4, 5, "offset 2 = 3"),
        ("strings", 5, 8, "2 strings"),
        ("string", 5, 6, "0 = 'a'"),
        ("string", 6, 8, "1 = 'bc'"),
    ]
    assert [(b.name, b.value) for b in root.children[0].bits] == [
        ("version", 1),
        ("sorted_strings", 1),
        ("unused", 0),
        ("offset_size_minus_one", 0),
    ]


def test_damage_of_one_part_leaves_the_others_readable():
    # {"a": <short string of 9 bytes in 3>, "b": 1}
    root = read_value(ABC, bytes.fromhex("02 02 00 01 00 03 05 25 78 79 0c 01"))
    a, b = root.items
    assert root.error is None
    assert isinstance(a.error, CorruptFileError)
    assert (b.error, b.value) == (None, 1)
    assert_tiles(root)


def test_an_id_beyond_the_metadata_leaves_the_values_readable():
    root = read_value(ABC, bytes.fromhex("02 01 09 00 02 0c 01"))
    assert isinstance(root.error, CorruptFileError)
    assert [(i.name, i.value) for i in root.items] == [(None, 1)]
    assert root.items[0].label == "<field id 9>: int8 1"


def test_broken_metadata_leaves_the_value_readable():
    root = read_value(b"\x01\x05", bytes.fromhex("02 01 00 00 02 0c 01"))
    assert "metadata" in root.error.message
    assert root.items[0].value == 1


def test_an_unknown_primitive_decodes_to_unsupported():
    root = read_value(ABC, bytes.fromhex("03 02 00 03 04") + bytes([21 << 2, 1, 2]) + b"\x04")
    assert isinstance(root.items[0].error, UnsupportedFeatureError)
    assert root.items[0].value.data == b"\x01\x02"
    assert root.items[1].value is True
    assert_tiles(root)


def test_parts_too_deep_are_not_read():
    root = read_value(ABC, bytes.fromhex("03 01 00 05 03 01 00 01 00"), limits=Limits(variant_depth=1))
    assert isinstance(root.items[0].items[0].error, LimitExceededError)
    assert_tiles(root)


def test_parts_of_a_million_elements_are_made_on_access():
    count = 1_000_000
    head = bytes([3 | 2 << 2 | 1 << 4]) + count.to_bytes(4, "little")
    offsets = b"".join(i.to_bytes(3, "little") for i in range(count + 1))
    root = read_value(ABC, head + offsets + bytes(count))
    assert len(root.items) == count
    assert root.items[999_999].label == "[999999]: null None"
    assert root.children[2].children[7].value == 7


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_parts_tile_the_bytes_and_have_the_encoded_values(value):
    found, encoded = encode(value)
    root = read_value(found, encoded)
    assert_tiles(root)
    assert_tiles(read_metadata(found))
    assert not [p for p in walk(root) if p.error]
    assert str(from_parts(root)) == str(decode(found, encoded))


@given(VALUES, st.data())
@settings(max_examples=150, deadline=None)
def test_parts_tile_whatever_is_wrong(value, data):
    found, encoded = encode(value)
    broken = bytearray(encoded)
    for _ in range(data.draw(st.integers(1, 3))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(broken)))
    assert_tiles(read_value(found, bytes(broken)))
    assert_tiles(read_value(found, bytes(broken[:cut])))


def test_nodes_have_addresses_and_lie_in_their_space():
    root = to_node(read_value(ABC, bytes.fromhex("02 02 00 02 03 00 05 09 78 79 0c 01")), "values/0", start=100,
        space="page:decompressed")  # fmt: skip
    assert (root.kind, root.label, len(root.span)) == ("variant_value", "object of 2", 12)
    assert [n.address for n in root.children] == [
        "values/0/header", "values/0/num_elements", "values/0/field_ids", "values/0/field_offsets", "values/0/values",
    ]  # fmt: skip
    first = root.children[4].children[0]
    assert (first.address, first.span.start, first.span.space) == ("values/0/values/0", 107, "page:decompressed")
    assert [(f.name, f.value) for f in first.facts] == [("type", "string"), ("name", "c"), ("value", "xy")]
    assert [f.name for f in root.children[0].facts][0] == "value"
    broken = to_node(read_value(ABC, b"\x0c"), "x")
    assert (broken.state, "needs 2 bytes" in broken.reason) == ("corrupt", True)
