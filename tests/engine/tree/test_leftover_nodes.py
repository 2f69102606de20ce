"""Bytes of a page that no level and no value needs are nodes after the values."""

import pytest
from engine.check.violations import leftovers as planted

import pqexplore
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE
from pqexplore.widget import tree

ADDRESS = f"{planted.PAGE}/values/leftover_12"
INTEGERS = planted.section(Type.INT32, Encoding.PLAIN)


@pytest.mark.parametrize("codec", [CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY])
def test_the_last_child_of_a_section_is_its_leftover(codec):
    with pqexplore.open(planted.values(INTEGERS + planted.EXTRA, codec=codec)) as file:
        node = file.node(ADDRESS)
        assert (node.kind, node.label, node.address) == (Kind.LEFTOVER, "8 bytes left over", ADDRESS)
        assert file.bytes(node.span) == planted.EXTRA
        assert (node.span.space == FILE) == (codec == CompressionCodec.UNCOMPRESSED)
        assert [child.name for child in file.node(node.address.parent).children] == [*("0", "1", "2", "leftover_12")]
        assert tree.locate(file, node.span.start, node.span.space).address == ADDRESS
        assert tree.locate(file, node.span.start - 1, node.span.space).address == node.address.parent
        assert [one.leaf for one in tree.children(file, node.address.parent).items] == [True] * 4


def test_a_section_without_leftovers_has_only_values():
    with pqexplore.open(planted.values(INTEGERS)) as file:
        assert [one.kind for one in file.node(f"{planted.PAGE}/values").children] == [Kind.VALUE] * 3
        with pytest.raises(KeyError):
            file.node(ADDRESS)


def test_the_leftover_after_many_values_is_found():
    count = 200_000
    page = planted.assembly.page_v1(bytes(count) + b"ab", 8 * count)
    with pqexplore.open(planted.column([page], Type.BOOLEAN)) as file:
        node = file.node(f"{planted.PAGE}/values/leftover_{count}")
        assert file.bytes(node.span) == b"ab"


def test_the_leftovers_of_the_last_run_and_after_it_are_two():
    with pqexplore.open(planted.optional(b"\x05\x03\xaa" + b"xy")) as file:
        names = [one.name for one in file.node(f"{planted.PAGE}/definition_levels").children]
        assert names == ["0", "1", "2", "leftover_6", "leftover_7"]


def test_a_trace_ends_with_the_leftover():
    with pqexplore.open(planted.indexes(b"\x01\x03\x06" + b"xy")) as file:
        steps = list(file.row_groups[0].columns[0].pages[1].trace())
        assert [step.kind for step in steps] == ["bit width", "bit-packed run", "leftover"]
        assert steps[1].values.to_pylist() == [5, 6, 6]
        assert (steps[2].start, steps[2].end, steps[2].values) == (3, 5, None)
