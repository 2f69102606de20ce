"""For any struct: what is encoded is decoded, by both readers, and every byte has an owner."""

import contextlib
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.thrift import fast, slow, struct_spans, structs
from pqexplore.engine.format.thrift.encode import encode, encode_fields
from pqexplore.engine.format.varint import varint


def signed(bits):
    edge = 1 << (bits - 1)
    return st.integers(-edge, edge - 1) | st.sampled_from([-edge, -1, 0, 63, 64, edge - 1])


SCALARS = {
    "bool": st.booleans(),
    "i8": signed(8),
    "i16": signed(16),
    "i32": signed(32),
    "i64": signed(64),
    "double": st.floats(allow_nan=False),
    "string": st.text(max_size=5),
    "binary": st.binary(max_size=5) | st.just(bytes(200)),
}


def values(base, depth):
    if base in SCALARS:
        return SCALARS[base]
    if base in structs.ENUMS:
        return st.sampled_from(list(map(int, structs.ENUMS[base]))) | signed(32)
    return objects(structs.STRUCTS[base], depth - 1)


@st.composite
def objects(draw, struct, depth=5):
    """An object of any fields, with its required fields as likely absent as others: nobody promises anything."""
    made = {}
    for field in struct.FIELDS:
        if field.struct is not None and depth <= 0:
            continue
        if draw(st.booleans()):
            value = values(field.base, depth)
            made[field.name] = draw(st.lists(value, max_size=3) if field.is_list else value)
    return struct(**made)


any_object = st.sampled_from(sorted(structs.STRUCTS)).flatmap(lambda n: objects(structs.STRUCTS[n]))


def tiles(value, start, end):
    """Whether the parts of a value lie one behind the other and cover `[start, end)`."""
    at = start
    if isinstance(value, struct_spans.StructSpan):
        assert (value.start, value.end) == (start, end)
        for field in value.fields:
            assert field.header[0] == at and field.header[1] == field.start
            tiles_value(field)
            at = field.end
        assert value.stop == (at, end)
        return


def tiles_value(span):
    assert span.start <= span.end
    at = span.start
    if span.length is not None:
        assert span.length[0] == at
        at = span.length[1]
    if isinstance(span.value, list):
        for element in span.value:
            assert element.start == at
            tiles_value(element)
            at = element.end
        assert at == span.end
    else:
        tiles(span.value, span.start, span.end)


@settings(max_examples=150, deadline=None)
@given(any_object)
def test_encoded_values_decode_to_themselves(obj):
    data = encode(obj)
    assert fast.decode(type(obj), data) == (obj, len(data))
    assert slow.decode(type(obj), data, 0) == (obj, len(data))


@settings(max_examples=150, deadline=None)
@given(any_object, st.binary(max_size=3))
def test_spans_tile_the_bytes(obj, before):
    data = encode(obj)
    span = struct_spans.read(type(obj), before + data + b"behind", len(before))
    assert span.error is None
    tiles(span, len(before), len(before) + len(data))
    assert struct_spans.to_object(span) == obj


@settings(max_examples=60, deadline=None)
@given(objects(structs.FileMetaData, 6))
def test_offsets_of_the_index_are_those_of_the_spans(metadata):
    data = encode(metadata)
    found = fast.index(data)
    assert slow.index(data) == found
    groups = struct_spans.read(structs.FileMetaData, data).field("row_groups")
    expected = []
    for element in groups.value if groups else []:
        columns = element.value.field("columns")
        expected.append([chunk.start for chunk in columns.value] if columns else None)
    assert [group.columns for group in found.row_groups or []] == expected
    assert fast.decode(structs.FileMetaData, data)[0].schema == fast.head(data).schema


@settings(max_examples=300, deadline=None)
@example("AesGcmCtrV1", b"\x19\x0e\x00")  # an empty list of a wire type that there is not
@given(st.sampled_from(sorted(structs.STRUCTS)), st.binary(max_size=60))
def test_any_bytes_are_a_struct_or_corrupt_and_both_readers_agree(name, data):
    struct = structs.STRUCTS[name]
    try:
        expected = fast.decode(struct, data)
    except CorruptFileError as error:
        assert 0 <= error.offset <= len(data)
        with pytest.raises(CorruptFileError):
            slow.decode(struct, data, 0)
    else:
        found, end = slow.decode(struct, data, 0)
        assert (repr(found), end) == (repr(expected[0]), expected[1])


@settings(max_examples=200, deadline=None)
@given(objects(structs.FileMetaData, 6), st.data())
def test_a_damaged_footer_is_a_footer_or_corrupt(metadata, data):
    raw = bytearray(encode(metadata))
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    for call in (fast.head, fast.index, fast.chunk_columns):
        with contextlib.suppress(CorruptFileError):
            call(bytes(raw))
    span = struct_spans.read(structs.FileMetaData, bytes(raw))
    assert (span.error is None) == (span.stop is not None)
    struct_spans.to_object(span)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.integers(-(1 << 15), (1 << 15) - 1), st.sampled_from([1, 2]), st.just(b"")),
            st.tuples(st.integers(-(1 << 15), (1 << 15) - 1), st.just(3), st.binary(min_size=1, max_size=1)),
            st.tuples(st.integers(1, 20), st.sampled_from([4, 5, 6]), st.integers(0, 1 << 20).map(varint)),
            st.tuples(st.integers(1, 20), st.just(7), st.binary(min_size=8, max_size=8)),
            st.tuples(st.integers(1, 20), st.just(8), st.binary(max_size=9).map(lambda b: varint(len(b)) + b)),
            st.tuples(st.integers(1, 20), st.just(12), st.just(b"\0")),
            st.tuples(st.integers(1, 20), st.just(13), st.binary(min_size=16, max_size=16)),
        ),
        max_size=8,
    )
)
def test_any_fields_are_shown_as_they_are(fields):
    data = encode_fields(fields)
    span = struct_spans.read(structs.ColumnMetaData, data)
    assert span.error is None
    tiles(span, 0, len(data))
    assert [(f.id, f.wire_type, data[f.start : f.end]) for f in span.fields] == fields
    expected = fast.decode(structs.ColumnMetaData, data)[0]
    assert repr(struct_spans.to_object(span)) == repr(expected)


def test_nan_survives():
    box = structs.BoundingBox(xmin=math.nan, xmax=-math.inf)
    for decode in (fast.decode, lambda struct, data: slow.decode(struct, data, 0)):
        found, _ = decode(structs.BoundingBox, encode(box))
        assert math.isnan(found.xmin) and found.xmax == -math.inf
