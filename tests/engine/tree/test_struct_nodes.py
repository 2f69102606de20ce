"""Structs as nodes: fields that tile, large structs that open level by level, extensions taken apart."""

import uuid
import zlib

import pytest

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import FileMetaData, KeyValue, RowGroup, SchemaElement
from pqexplore.engine.limits import DEFAULT
from pqexplore.engine.tree import struct_nodes
from pqexplore.engine.tree.struct_nodes import struct_node

FOOTER = FileMetaData(version=2, schema=[SchemaElement(name="schema", num_children=1), SchemaElement(name="a", type=1)],
    num_rows=3, row_groups=[RowGroup(columns=[], total_byte_size=0, num_rows=3)],
    key_value_metadata=[KeyValue(key="who", value="me")])  # fmt: skip


def node_of(struct, **more):
    data = encode(struct)
    return struct_node(type(struct), data, 0, "footer", "footer", DEFAULT, base=100, **more), data


def facts_of(node):
    return {fact.name: fact.value for fact in node.facts}


def test_fields_are_facts_and_children():
    node, data = node_of(FOOTER)
    assert (node.span.start, node.span.end) == (100, 100 + len(data))
    assert facts_of(node) == {
        "version": 2,
        "schema": "2 × SchemaElement",
        "num_rows": 3,
        "row_groups": "1 × RowGroup",
        "key_value_metadata": "1 × KeyValue",
    }
    assert [child.address for child in node.children][:2] == ["footer/version", "footer/schema"]
    # Fields lie side by side; the stop byte is what is left.
    assert [child.span.start for child in node.children[1:]] == [child.span.end for child in node.children[:-1]]
    assert node.children[-1].span.end + 1 == node.span.end


def test_structs_in_lists_are_labelled_by_name_or_key():
    node, _ = node_of(FOOTER)
    by_name = {child.name: child for child in node.children}
    assert [child.label for child in by_name["schema"].children] == ["0 schema", "1 a"]
    assert [child.label for child in by_name["key_value_metadata"].children] == ["0 who"]
    assert [child.label for child in by_name["row_groups"].children] == ["0 RowGroup"]


def flat(node):
    """The node and all below it: kind, label, address, span, facts."""
    yield node.kind, node.label, node.address, node.span, [str(fact) for fact in node.facts]
    for child in node.children:
        yield from flat(child)


def test_a_large_struct_opens_level_by_level_to_the_same_tree(monkeypatch):
    small = list(flat(node_of(FOOTER)[0]))
    monkeypatch.setattr(struct_nodes, "LARGE", 1)
    node, _ = node_of(FOOTER)
    large = list(flat(node))
    assert large == small


IDENTITY = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
FLATBUFFER = b"flat"
SIZE = len(FLATBUFFER).to_bytes(4, "little")


def crc(data):
    return zlib.crc32(data).to_bytes(4, "little")


EXTENSION = b"xx" + FLATBUFFER + crc(FLATBUFFER) + SIZE + crc(SIZE) + IDENTITY.bytes


def test_an_extension_has_nodes_for_its_parts():
    struct = KeyValue(key="a")
    struct._extension = EXTENSION
    node, data = node_of(struct)
    field = node.children[-1]
    assert field.address == "footer/extension"
    assert facts_of(field)["value"] == (f"34 bytes, a flatbuffer of 4 bytes whose crc32 is right, UUID {IDENTITY}")
    parts = {child.name: data[child.span.start - 100 : child.span.end - 100] for child in field.children}
    assert parts == {
        "flatbuffer": FLATBUFFER,
        "crc32": crc(FLATBUFFER),
        "size": SIZE,
        "crc32_of_size": crc(SIZE),
        "uuid": IDENTITY.bytes,
    }


def test_an_undeclared_field_has_a_node():
    data = b"\x05\xc8\x01\x02\x00"  # field 100, an i32
    node = struct_node(KeyValue, data, 0, "x", "x", DEFAULT)
    (field,) = node.children
    assert (field.label, field.address) == ("unknown 100 = 1", "x/unknown_100")
    assert facts_of(field)["type"] == "i32"


def test_a_damaged_struct_keeps_the_fields_before_the_damage():
    data = encode(FOOTER)[:-8]
    node = struct_node(FileMetaData, data, 0, "footer", "footer", DEFAULT)
    assert node.state == "corrupt"
    assert [child.name for child in node.children][:3] == ["version", "schema", "num_rows"]


@pytest.mark.parametrize(
    ("struct", "name", "expected"),
    [
        (structs.ColumnMetaData(codec=1), "codec", "SNAPPY"),
        (structs.ColumnMetaData(codec=99), "codec", "UNKNOWN(99)"),
        (structs.ColumnMetaData(encodings=[0, 3]), "encodings", ["PLAIN", "RLE"]),
        (structs.SchemaElement(logicalType=structs.LogicalType(DATE=structs.DateType())), "logicalType", "DATE"),
        (structs.ColumnChunk(file_offset=None, meta_data=structs.ColumnMetaData(codec=1)), "meta_data",
            "ColumnMetaData of 1 fields"),
    ],
)  # fmt: skip
def test_field_values_are_readable(struct, name, expected):
    node, _ = node_of(struct)
    assert facts_of(node)[name] == expected
