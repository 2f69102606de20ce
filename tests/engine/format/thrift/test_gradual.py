"""A large footer, read step by step, gives what one that is read at once gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.format.thrift import fast, gradual, structs
from pqexplore.engine.format.thrift.encode import encode, encode_fields, encode_list
from pqexplore.engine.format.varint import zigzag

ELEMENTS = [structs.SchemaElement(name="r", num_children=1), structs.SchemaElement(name="a", type=1)]


def footer(groups=3, chunks=2, rows=7, **more):
    chunk = structs.ColumnChunk(file_offset=0, meta_data=structs.ColumnMetaData(num_values=rows))
    group = structs.RowGroup(columns=[chunk] * chunks, total_byte_size=9, num_rows=rows)
    return structs.FileMetaData(version=2, schema=ELEMENTS, num_rows=rows, row_groups=[group] * groups, **more)


def offsets(metadata):
    return [list(group.columns or []) for group in metadata.row_groups]


@given(
    groups=st.sampled_from([1, 2, 7, 14, 15, 200]),
    chunks=st.sampled_from([0, 1, 3, 40]),
    rows=st.sampled_from([0, 1, 6, 70, 28 << 7, 1 << 40]),
    window=st.sampled_from([1, 50, 700, 1 << 20]),
    writer=st.text(max_size=3),
)
def test_the_complete_footer_equals_that_of_index(groups, chunks, rows, window, writer):
    data = encode(footer(groups, chunks, rows, created_by=writer))
    begun = gradual.begin(data)
    assert (begun.count, begun.metadata.num_rows, begun.metadata.schema) == (groups, rows, ELEMENTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gradual, "WINDOW", window)
        last = begun.row_group(groups - 1)
        found = begun.complete()
    expected = fast.index(data)
    assert offsets(found) == offsets(expected)
    assert list(last.columns or []) == (expected.row_groups[-1].columns or [])
    for name in ("created_by", "num_rows", "schema", "version", "key_value_metadata"):
        assert getattr(found, name) == getattr(expected, name)
    assert [group.num_rows for group in found.row_groups] == [rows] * groups


def test_row_groups_after_the_requested_one_are_not_read():
    data = encode(footer(3))
    second = fast.index(data).row_groups[1].columns[0]
    begun = gradual.begin(data[: second + 2])  # breaks off in the second row group
    assert len(begun.row_group(0).columns) == 2
    assert begun.row_group(1) is None
    assert begun.complete() is None


def raw(row_groups, **between):
    """A footer of which the list of row groups, and the fields before it, are given as bytes."""
    schema = encode_list(12, [encode(element) for element in ELEMENTS])
    fields = {"1": (5, zigzag(2)), "2": (9, schema), "3": (6, zigzag(7)), "4": (9, row_groups)}
    fields |= between
    return encode_fields([(int(id), wire, value) for id, (wire, value) in fields.items()])


GROUP = encode(footer().row_groups[0])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        encode(structs.FileMetaData(version=1)),
        encode(footer(0)),
        encode(footer())[:9],
        raw(encode_list(5, [zigzag(1)])),  # numbers in place of row groups
        raw(b"\xfc\xff\xff\xff\x7f" + GROUP),  # more of them than there are bytes
        encode_fields([(3, 6, zigzag(7)), (4, 9, encode_list(12, [GROUP]))]),  # no schema
    ],
)
def test_irregular_footers_give_none(data):
    assert gradual.begin(data) is None


def test_a_field_repeated_after_the_row_groups_gives_none():
    schema = encode_list(12, [encode(element) for element in ELEMENTS])
    fields = [(1, 5, zigzag(2)), (2, 9, schema), (3, 6, zigzag(7)), (4, 9, encode_list(12, [GROUP]))]
    data = encode_fields([*fields, (3, 6, zigzag(8))])
    assert fast.index(data).num_rows == 8
    assert gradual.begin(data).complete() is None
