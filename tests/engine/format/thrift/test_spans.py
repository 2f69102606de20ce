"""Bytes in, every field with its bytes out."""

import pytest

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError
from pqexplore.engine.format.thrift import c_reader, struct_spans, structs, wire
from pqexplore.engine.format.thrift.encode import encode, encode_fields, encode_list
from pqexplore.engine.format.varint import varint, zigzag
from pqexplore.engine.limits import Limits


def raw(text):
    return bytes.fromhex(text.replace(" ", ""))


def only_field(struct, data):
    span = struct_spans.read(struct, data)
    assert span.error is None
    (field,) = span.fields
    return field


@pytest.mark.parametrize(
    ("struct", "data", "name", "value", "header", "bytes_of_value"),
    [
        (structs.DecimalType, "1504 00", "scale", 2, (0, 1), (1, 2)),
        (structs.DecimalType, "2512 00", "precision", 9, (0, 1), (1, 2)),
        (structs.DecimalType, "0502 d804 00", "scale", 300, (0, 2), (2, 4)),
        (structs.DecimalType, "15 01 00", "scale", -1, (0, 1), (1, 2)),
        (structs.SizeStatistics, "16 ffffffffffffffffff01 00", None, -(2**63), (0, 1), (1, 11)),
        (structs.RowGroup, "7401 00", "ordinal", -1, (0, 1), (1, 2)),
        (structs.IntType, "13ff 00", "bitWidth", -1, (0, 1), (1, 2)),
        (structs.IntType, "21 00", "isSigned", True, (0, 1), (1, 1)),
        (structs.IntType, "22 00", "isSigned", False, (0, 1), (1, 1)),
        (structs.IntType, "0204 00", "isSigned", False, (0, 2), (2, 2)),
        (structs.BoundingBox, "17 000000000000f03f 00", "xmin", 1.0, (0, 1), (1, 9)),
        (structs.KeyValue, "18 02c3a9 00", "key", "é", (0, 1), (1, 4)),
        (structs.KeyValue, "18 00 00", "key", "", (0, 1), (1, 2)),
        (structs.Statistics, "18 02c3a9 00", "max", b"\xc3\xa9", (0, 1), (1, 4)),
    ],
)
def test_a_value(struct, data, name, value, header, bytes_of_value):
    field = only_field(struct, raw(data))
    assert field.name == (name or struct.FIELDS[0].name)
    assert (field.value, field.header) == (value, header)
    assert (field.start, field.end) == bytes_of_value
    assert field.note == ""
    assert type(field.value) is type(value)


def test_the_length_of_bytes_has_bytes_of_its_own():
    assert only_field(structs.Statistics, raw("18 8001") + bytes(128) + b"\0").length == (1, 3)


@pytest.mark.parametrize("element_type", [1, 2])
def test_booleans_in_a_list_are_bytes(element_type):
    """Writers disagree about the element type, and older ones write false as 0."""
    field = only_field(structs.ColumnIndex, bytes([0x19, 0x40 | element_type, 1, 2, 0, 7, 0]))
    assert [element.value for element in field.value] == [True, False, False, False]
    assert [bool(element.note) for element in field.value] == [False, False, False, True]


def test_unknown_fields_are_shown():
    data = encode_fields(
        [
            (1, wire.BINARY, b"\1k"),
            (12, wire.I64, zigzag(-5)),
            (13, wire.UUID, bytes(16)),
            (14, wire.MAP, raw("01 58 02 0161")),
            (15, wire.SET, encode_list(wire.DOUBLE, [bytes(8)])),
            (16, wire.STRUCT, raw("11 00")),
            (17, wire.MAP, b"\0"),
        ]
    )
    span = struct_spans.read(structs.KeyValue, data)
    assert span.error is None
    names = {f.name: f for f in span.fields}
    assert names["unknown 12"].value == -5
    assert names["unknown 13"].value == bytes(16)
    assert [e.value for e in names["unknown 14"].value] == [1, b"a"]
    assert [e.value for e in names["unknown 15"].value] == [0.0]
    assert names["unknown 16"].value.struct_class is None
    assert names["unknown 16"].value.fields[0].value is True
    assert names["unknown 17"].value == []
    assert all(f.field is None and not f.fits for n, f in names.items() if n != "key")
    assert struct_spans.to_object(span) == structs.KeyValue(key="k")


@pytest.mark.parametrize("header", ["08 ffff01", "08 feff03"])
def test_an_extension(header):
    """As the format shows its header, and as Thrift writes the id 32767."""
    span = struct_spans.read(structs.KeyValue, raw("18016b") + raw(header) + raw("03 616263 00"))
    extension = span.field("extension")
    assert (extension.value, extension.length, extension.end) == (b"abc", (7, 8), 11)
    assert struct_spans.to_object(span)._extension == b"abc"


def test_a_wrong_wire_type_is_noted_and_not_used():
    span = struct_spans.read(structs.DecimalType, raw("16 04 15 12 00"))
    scale = span.field("scale")
    assert (scale.value, scale.fits) == (2, False)
    assert scale.note == "stored as i64 and declared as i32: a reader skips it, or refuses the file"
    assert struct_spans.to_object(span) == structs.DecimalType(precision=9)
    assert span.missing == ["scale"]


def test_wrong_element_types_are_noted_and_not_used():
    span = struct_spans.read(structs.SizeStatistics, raw("29 15 04 00"))
    assert span.fields[0].note == "stored with elements of i32 and declared with elements of i64"
    assert span.fields[0].value[0].value == 2
    assert struct_spans.to_object(span) == structs.SizeStatistics()


def test_an_empty_list_may_have_any_element_type():
    span = struct_spans.read(structs.SizeStatistics, raw("29 00 00"))
    assert struct_spans.to_object(span).repetition_level_histogram == []


def test_text_that_is_not_utf8():
    field = only_field(structs.KeyValue, raw("18 03 61ff62 00"))
    assert (field.value, field.raw) == ("a\ufffdb", b"a\xffb")
    assert "not UTF-8" in field.note


def test_unknown_enum_numbers_stay_and_are_noted():
    field = only_field(structs.PageHeader, raw("15 0a 00"))
    assert (field.value, field.note) == (5, "the format knows no PageType 5")
    field = only_field(structs.ColumnMetaData, raw("29 25 00 02 00"))
    assert [e.note for e in field.value] == ["", "the format knows no Encoding 1"]


def test_of_repeated_fields_the_last_counts():
    span = struct_spans.read(structs.DecimalType, raw("15 04 0502 06 0602 08 00"))
    assert [f.value for f in span.fields] == [2, 3, 4]
    assert span.field("scale").value == 3
    assert struct_spans.to_object(span).scale == 3


@pytest.mark.parametrize(
    ("data", "names", "offset", "message"),
    [
        ("15", ["scale"], 1, "the bytes end"),
        ("15 04", ["scale"], 2, "the bytes end"),
        ("15 04 15 ff", ["scale", "precision"], 4, "the bytes end"),
        ("15 04 1f 00", ["scale"], 2, "a field header has wire type 15; Thrift has 1 (true) to 13 (uuid)"),
        ("15 ffffffffffff00 00", ["scale"], 1, "more than 5 bytes"),
        ("15 04 f8 8080808008 00", ["scale", "unknown 16"], 3, "negative length"),
    ],
)
def test_fields_before_damage_are_kept(data, names, offset, message):
    span = struct_spans.read(structs.DecimalType, raw(data))
    assert [f.name for f in span.fields] == names
    assert isinstance(span.error, CorruptFileError)
    assert message in span.error.message
    assert span.error.offset == offset
    assert span.stop is None


def test_damage_deep_inside_keeps_everything_before():
    chunk = encode(structs.ColumnChunk(file_path="f"))
    group = encode(structs.RowGroup(columns=[structs.ColumnChunk(file_path="f")] * 3))
    span = struct_spans.read(structs.RowGroup, group[: 2 + 2 * len(chunk) + 2])
    elements = span.field("columns").value
    assert [e.value.error is None for e in elements] == [True, True, False]
    assert isinstance(span.error, struct_spans.Truncated)
    assert struct_spans.to_object(span).columns[1].file_path == "f"


def test_opaque_structs_get_their_bytes_only():
    group = structs.RowGroup(columns=[structs.ColumnChunk(file_path="f" * i) for i in range(3)])
    data = b"--" + encode(group)
    full = struct_spans.read(structs.RowGroup, data, 2).field("columns").value
    opaque = struct_spans.read(structs.RowGroup, data, 2, opaque={"ColumnChunk"}).field("columns").value
    assert [(e.start, e.end) for e in opaque] == [(e.start, e.end) for e in full]
    assert [(e.value.opaque, e.value.fields) for e in opaque] == [(True, [])] * 3


@pytest.mark.parametrize("works", [True, False])
def test_opaque_structs_can_be_damaged(works, monkeypatch):
    monkeypatch.setattr(c_reader, "WORKS", works and c_reader.WORKS)
    data = encode(structs.RowGroup(columns=[structs.ColumnChunk(file_path="file")] * 2))
    span = struct_spans.read(structs.RowGroup, data[:-4], opaque={"ColumnChunk"})
    assert isinstance(span.error, struct_spans.Truncated)
    assert [e.value.error is None for e in span.field("columns").value] == [True, False]


@pytest.mark.parametrize(
    "data",
    [b"\xfc" * 5000, b"\xf9" + b"\x19" * 5000, b"\xfb" + b"\x01\xbb" * 5000, b"\x19\x1c" * 5000],
    ids=["structs", "lists", "maps", "declared"],
)
@pytest.mark.parametrize("opaque", [(), {"RowGroup"}])
def test_nesting_has_a_limit(data, opaque):
    span = struct_spans.read(structs.FileMetaData, data, opaque=opaque)
    assert isinstance(span.error, LimitExceededError)
    assert "thrift_depth" in span.error.message


def test_nesting_deeper_than_pythons_stack_is_an_error():
    span = struct_spans.read(structs.KeyValue, b"\xfc" * 50_000, limits=Limits(thrift_depth=10**6))
    assert isinstance(span.error, LimitExceededError)


def test_the_number_of_spans_has_a_limit(monkeypatch):
    monkeypatch.setattr(struct_spans, "MAX_SPANS", 100)
    data = encode(structs.SizeStatistics(repetition_level_histogram=[0] * 100))
    span = struct_spans.read(structs.SizeStatistics, data)
    assert isinstance(span.error, LimitExceededError)
    assert span.error.offset == 102
    assert len(span.fields[0].value) == 100
    booleans = struct_spans.read(structs.KeyValue, b"\x11" * 1000)
    assert isinstance(booleans.error, LimitExceededError)
    assert len(booleans.fields) == 101


def test_a_list_longer_than_the_bytes():
    span = struct_spans.read(structs.SizeStatistics, b"\x29\xf6" + varint(2**31 - 1) + b"\x02\x04")
    assert isinstance(span.error, struct_spans.Truncated)
    assert [e.value for e in span.fields[0].value] == [1, 2, None]


def test_an_offset_outside_of_the_bytes():
    assert isinstance(struct_spans.read(structs.KeyValue, b"\0", 2).error, struct_spans.Truncated)
    assert isinstance(struct_spans.read(structs.KeyValue, b"\0", -1).error, struct_spans.Truncated)


def test_an_unknown_struct_has_no_object():
    with pytest.raises(UsageError):
        struct_spans.to_object(struct_spans.StructSpan(None, 0, 1))
