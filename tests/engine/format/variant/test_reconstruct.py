"""The tables of the specification's "Variant Shredding", row by row, and what goes beyond them."""

import datetime
import decimal
import uuid

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError
from pqexplore.engine.format.variant import metadata, variant_types
from pqexplore.engine.format.variant.check import check
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.variant_types import Temporal, Typed
from pqexplore.engine.limits import Limits

EMPTY = bytes.fromhex("010000")


def group(typed, *, value=True):
    """The type of a shredded field or element."""
    fields = [("value", pa.binary())] if value else []
    return pa.struct(fields + ([("typed_value", typed)] if typed is not None else []))


def required(fields):
    return pa.struct([pa.field(name, kind, nullable=False) for name, kind in fields.items()])


def variants(typed, rows, names=()):
    """A shredded column from (value, typed_value) rows; None is a null row; values are given as Python's."""
    known = metadata.encode(names)
    kind = pa.struct(
        [pa.field("metadata", pa.binary(), nullable=False), ("value", pa.binary()), ("typed_value", typed)]
    )
    cells = [
        None if row is None else {"metadata": known, "value": bytes_of(row[0], known), "typed_value": row[1]}
        for row in rows
    ]
    return pa.array(cells, kind)


MISSING = object()


def bytes_of(value, known):
    return None if value is MISSING else encode(value, known)[1]


def broken_rules(column):
    return [(p.rule, p.row, p.path) for p in check(column)]


# ---- "The series of measurements 34, null, "n/a", 100 would be stored as"
def test_measurements():
    column = variants(pa.int64(), [(MISSING, 34), (None, None), ("n/a", None), (MISSING, 100)])
    assert column.field("value").to_pylist() == [None, b"\x00", b"\x0dn/a", None]
    assert decode_array(reconstruct(column)) == [34, None, "n/a", 100]
    assert check(column) == []


def test_the_metadata_of_the_examples_is_two_bytes():
    kind = pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.int64())])
    column = pa.array([{"metadata": b"\x01\x00", "value": None, "typed_value": 34}], kind)
    assert decode_array(reconstruct(column)) == [34]


# ---- the table of value and typed_value
def test_both_null_is_missing_and_reads_as_variant_null():
    column = variants(pa.int64(), [(MISSING, None)])
    assert reconstruct(column).to_pylist() == [{"metadata": EMPTY, "value": b"\x00"}]
    assert broken_rules(column) == [("missing", 0, "$")]


def test_both_there_and_no_object_is_an_error():
    column = variants(pa.int32(), [(1, None), ("str", 34)])
    with pytest.raises(CorruptFileError, match=r"row 1: \$ has both a value and a typed_value"):
        reconstruct(column)
    assert broken_rules(column) == [("value-and-typed-value", 1, "$")]


def test_a_null_row_stays_null():
    column = variants(pa.int64(), [None, (MISSING, 1)])
    found = reconstruct(column)
    assert found.is_valid().to_pylist() == [False, True]
    assert check(column) == []


# ---- "The series of tags arrays"
TAGS = pa.list_(pa.field("element", group(pa.string()), nullable=False))


def tag(value, typed):
    return {"value": value, "typed_value": typed}


def test_tags():
    column = variants(
        TAGS,
        [
            (MISSING, [tag(None, "comedy"), tag(None, "drama")]),
            (MISSING, [tag(None, "horror"), tag(b"\x00", None)]),
            (MISSING, [tag(None, "comedy"), tag(None, "drama"), tag(None, "romance")]),
            (None, None),
        ],
    )
    assert decode_array(reconstruct(column)) == [
        ["comedy", "drama"],
        ["horror", None],
        ["comedy", "drama", "romance"],
        None,
    ]
    assert check(column) == []


def test_an_element_that_is_missing_reads_as_null():
    column = variants(TAGS, [(MISSING, [tag(None, "a"), tag(None, None)])])
    assert decode_array(reconstruct(column)) == [["a", None]]
    assert broken_rules(column) == [("missing-element", 0, "$[*]")]


def test_an_element_with_both_is_an_error():
    column = variants(TAGS, [(MISSING, []), (MISSING, [tag(b"\x0c\x01", "comedy")])])
    with pytest.raises(CorruptFileError, match=r"row 1: \$\[\*\] has both"):
        reconstruct(column)
    assert broken_rules(column) == [("value-and-typed-value", 1, "$[*]")]


def test_an_array_in_value_where_arrays_are_shredded():
    column = variants(TAGS, [(["a"], None)])
    assert decode_array(reconstruct(column)) == [["a"]]
    assert broken_rules(column) == [("array-in-value", 0, "$")]


# ---- "The table below shows how the series of objects in the first column would be stored"
EVENT = required({"event_type": group(pa.string()), "event_ts": group(pa.timestamp("us", "UTC"))})
NAMES = ["event_type", "event_ts", "email", "error_msg", "click"]


def event(event_type=(None, None), event_ts=(None, None)):
    return {
        "event_type": dict(zip(("value", "typed_value"), event_type)),
        "event_ts": dict(zip(("value", "typed_value"), event_ts)),
    }


def at(ticks):
    return datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(microseconds=ticks)


VALID = [
    ("fully shredded object", MISSING, event((None, "noop"), (None, 1729794114937)),
        {"event_type": "noop", "event_ts": at(1729794114937)}),
    ("partially shredded object", {"email": "user@example.com"}, event((None, "login"), (None, 1729794146402)),
        {"event_type": "login", "event_ts": at(1729794146402), "email": "user@example.com"}),
    ("all shredded fields missing", {"error_msg": "malformed: ..."}, event(), {"error_msg": "malformed: ..."}),
    ("not an object", "malformed: not an object", None, "malformed: not an object"),
    ("event_type is missing", {"click": "_button"}, event((None, None), (None, 1729794240241)),
        {"event_ts": at(1729794240241), "click": "_button"}),
    ("event_type is present and null", MISSING, event((b"\x00", None), (None, 1729794954163)),
        {"event_type": None, "event_ts": at(1729794954163)}),
    ("event_ts is not a timestamp", MISSING, event((None, "noop"), (b"\x292024-10-24", None)),
        {"event_type": "noop", "event_ts": "2024-10-24"}),
    ("present but empty", MISSING, event(), {}),
    ("value is null", None, None, None),
]  # fmt: skip


@pytest.mark.parametrize("value, typed, expected", [row[1:] for row in VALID], ids=[r[0] for r in VALID])
def test_events(value, typed, expected):
    column = variants(EVENT, [(value, typed)], NAMES)
    assert decode_array(reconstruct(column)) == [expected]
    assert check(column) == []


def test_events_in_one_column():
    column = variants(EVENT, [row[1:3] for row in VALID] + [None], NAMES)
    assert decode_array(reconstruct(column)) == [row[3] for row in VALID] + [None]
    assert decode_array(reconstruct(column.slice(3, 4))) == [row[3] for row in VALID[3:7]]


INVALID = [
    # typed_value counts:
    ("shredded field is present in value", {"event_type": "other"}, event((None, "login"), (None, 1729795057774)),
        {"event_type": "login", "event_ts": at(1729795057774)}, [("shredded-field-in-value", 0, "$.event_type")]),
    ("shredded field is present in value, while typed_value is null", {"event_type": "login"}, None,
        {"event_type": "login"}, [("object-in-value", 0, "$")]),
    # "Readers must return an object when typed_value is non-null containing the shredded fields"
    ("typed_value is present and value is not an object", "a", event(), {}, [("value-not-object", 0, "$")]),
    ("typed_value is null for object", {}, None, {}, [("object-in-value", 0, "$")]),
    ("missing", MISSING, None, None, [("missing", 0, "$")]),
    ("shredded field is missing, and present in value", {"event_type": "other", "click": 1}, event(), {"click": 1},
        [("shredded-field-in-value", 0, "$.event_type")]),
]  # fmt: skip


@pytest.mark.parametrize("value, typed, expected, rules", [row[1:] for row in INVALID], ids=[r[0] for r in INVALID])
def test_invalid_events(value, typed, expected, rules):
    column = variants(EVENT, [(value, typed)], NAMES)
    assert decode_array(reconstruct(column)) == [expected]
    assert broken_rules(column) == rules


def test_a_field_with_both_is_an_error():
    """When both value and typed_value for a field are non-null, engines should fail."""
    column = variants(EVENT, [(MISSING, event((b"\x00", "login")))], NAMES)
    with pytest.raises(CorruptFileError, match=r"row 0: \$\.event_type has both"):
        reconstruct(column)
    assert broken_rules(column) == [("value-and-typed-value", 0, "$.event_type")]


def test_a_shredded_name_must_be_in_the_metadata():
    column = variants(EVENT, [(MISSING, event()), (MISSING, event((None, "x")))])
    with pytest.raises(CorruptFileError, match=r"row 1: the shredded field \$\.event_type is not in"):
        reconstruct(column)
    assert broken_rules(column) == [("name-in-metadata", 1, "$.event_type")]


def test_optional_field_groups_are_read_and_reported():
    kind = pa.struct([("a", group(pa.int32()))])  # Arrow fields are nullable unless they say so
    column = variants(kind, [(MISSING, {"a": None}), (MISSING, {"a": {"typed_value": 1}})], ["a"])
    assert decode_array(reconstruct(column)) == [{}, {"a": 1}]
    assert broken_rules(column) == [("required-field", None, "$.a")]


# ---- "Nesting"
def test_nesting():
    location = required({"latitude": group(pa.float64()), "longitude": group(pa.float64())})
    kind = required({"event_type": group(pa.string()), "location": group(location), "tags": group(TAGS)})
    names = ["event_type", "location", "latitude", "longitude", "tags", "altitude"]
    known = metadata.encode(names)
    column = variants(
        kind,
        [
            (
                MISSING,
                {
                    "event_type": {"typed_value": "e"},
                    "location": {
                        "value": encode({"altitude": 3}, known)[1],
                        "typed_value": {"latitude": {"typed_value": 1.5}, "longitude": {"value": b"\x00"}},
                    },
                    "tags": {"typed_value": [tag(None, "a"), tag(b"\x0c\x02", None)]},
                },
            ),
            ({"altitude": 1}, {"event_type": {}, "location": {"value": b"\x05?"}, "tags": {"typed_value": []}}),
        ],
        names,
    )
    assert decode_array(reconstruct(column)) == [
        {"event_type": "e", "location": {"altitude": 3, "latitude": 1.5, "longitude": None}, "tags": ["a", 2]},
        {"altitude": 1, "location": "?", "tags": []},
    ]
    assert check(column) == []


# ---- "Shredded Value Types"
PRIMITIVES = [
    (pa.bool_(), True, True, "04"),
    (pa.bool_(), False, False, "08"),
    (pa.int8(), -1, -1, "0c ff"),
    (pa.int16(), 1, 1, "10 01 00"),
    (pa.int32(), 1, 1, "14 01 00 00 00"),
    (pa.int64(), 1, 1, "18 01 00 00 00 00 00 00 00"),
    (pa.float32(), 0.5, np.float32(0.5), "38 00 00 00 3f"),
    (pa.float64(), 0.5, 0.5, "1c 00 00 00 00 00 00 e0 3f"),
    (pa.decimal128(9, 2), decimal.Decimal("1.50"), decimal.Decimal("1.50"), "20 02 96 00 00 00"),
    (pa.decimal128(18, 0), decimal.Decimal(-1), decimal.Decimal(-1), "24 00" + "ff" * 8),
    (pa.decimal128(38, 38), decimal.Decimal("1E-38"), decimal.Decimal("1E-38"), "28 26 01" + "00" * 15),
    (pa.date32(), 1, datetime.date(1970, 1, 2), "2c 01 00 00 00"),
    (pa.time64("us"), 1, datetime.time(0, 0, 0, 1), "44 01" + "00" * 7),
    (pa.timestamp("us", "UTC"), 1, at(1), "30 01" + "00" * 7),
    (pa.timestamp("us"), 1, at(1).replace(tzinfo=None), "34 01" + "00" * 7),
    (pa.timestamp("ns", "UTC"), 1, Temporal(variant_types.TIMESTAMP_NANOS, 1), "48 01" + "00" * 7),
    (pa.timestamp("ns"), 1, Temporal(variant_types.TIMESTAMP_NTZ_NANOS, 1), "4c 01" + "00" * 7),
    (pa.binary(), b"\x01", b"\x01", "3c 01 00 00 00 01"),
    (pa.string(), "é", "é", "09 c3 a9"),
    (pa.large_string(), "a" * 64, "a" * 64, "40 40 00 00 00" + "61" * 64),
    (pa.binary(16), bytes(15) + b"\x01", uuid.UUID(int=1), "50" + "00" * 15 + "01"),
]


@pytest.mark.parametrize("kind, typed, value, encoded", PRIMITIVES, ids=[str(p[0]) for p in PRIMITIVES])
def test_primitive_types(kind, typed, value, encoded):
    column = variants(kind, [(MISSING, typed), ("other", None), (MISSING, typed), None])
    found = reconstruct(column)
    assert found.field("value").to_pylist()[0] == bytes.fromhex(encoded)
    assert decode_array(found) == [value, "other", value, None]
    assert reconstruct(column.slice(2, 1)).field("value").to_pylist() == [bytes.fromhex(encoded)]
    assert check(column) == []


@pytest.mark.parametrize(
    "kind",
    [pa.uint8(), pa.float16(), pa.time32("ms"), pa.timestamp("ms"), pa.decimal256(50, 0), pa.binary(12)],
    ids=str,
)
def test_types_that_nothing_is_shredded_as(kind):
    column = pa.array([None], pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", kind)]))
    with pytest.raises(CorruptFileError, match="none of the shredded value types"):
        reconstruct(column)
    assert broken_rules(column) == [("shredded-type", None, "$")]


def test_fields_are_bound_by_name_and_may_be_absent():
    known = metadata.encode(["a"])
    only_value = pa.array(
        [{"value": b"\x04", "metadata": known}], pa.struct([("value", pa.binary()), ("metadata", pa.binary())])
    )
    assert reconstruct(only_value).to_pylist() == [{"metadata": known, "value": b"\x04"}]
    only_typed = pa.array(
        [{"typed_value": {"a": {"typed_value": 1}}, "metadata": known}],
        pa.struct([("typed_value", required({"a": group(pa.int8(), value=False)})), ("metadata", pa.binary())]),
    )
    assert decode_array(reconstruct(only_typed)) == [{"a": 1}]


def test_a_field_may_have_a_column_and_no_type():
    kind = required({"a": group(None), "b": group(None)})
    column = variants(kind, [(MISSING, {"a": {}, "b": {"value": b"\x0c\x01"}})], ["a", "b"])
    assert decode_array(reconstruct(column)) == [{"b": 1}]


def test_rows_keep_their_own_metadata():
    kind = pa.struct(
        [("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", required({"b": group(pa.int8())}))]
    )
    known = [metadata.encode(["b"]), metadata.encode(["z", "b", "a"], sort=False)]
    column = pa.array(
        [
            {"metadata": known[0], "typed_value": {"b": {"typed_value": 1}}},
            {
                "metadata": known[1],
                "value": encode({"z": 2, "a": 3}, known[1])[1],
                "typed_value": {"b": {"typed_value": 1}},
            },
        ],
        kind,
    )
    found = reconstruct(column)
    assert found.field("metadata").to_pylist() == known
    assert decode_array(found) == [{"b": 1}, {"a": 3, "b": 1, "z": 2}]


@pytest.mark.parametrize(
    "cell, message",
    [(None, "row 1: the metadata of a Variant is null"), (b"\x01\x05", "row 1: .*announces.*byte 1 of the metadata")],
)
def test_broken_metadata_names_the_row(cell, message):
    kind = pa.struct([("metadata", pa.binary()), ("value", pa.binary())])
    column = pa.array([{"metadata": EMPTY, "value": b"\x00"}, {"metadata": cell, "value": b"\x00"}], kind)
    with pytest.raises(CorruptFileError, match=message):
        reconstruct(column)
    assert broken_rules(column) == [("metadata", 1, "$")]


def test_metadata_of_null_rows_is_ignored():
    kind = pa.struct([("metadata", pa.binary()), ("value", pa.binary())])
    column = pa.StructArray.from_arrays(
        [pa.array([b"\x09", EMPTY]), pa.array([b"", b"\x00"])], fields=list(kind), mask=pa.array([True, False])
    )
    assert reconstruct(column).is_valid().to_pylist() == [False, True]


def test_a_value_to_be_merged_must_be_sound():
    column = variants(EVENT, [({"click": 1}, event())], NAMES)
    value = column.field("value")[0].as_py()[:-1]
    broken = pa.StructArray.from_arrays(
        [column.field("metadata"), pa.array([value]), column.field("typed_value")], fields=list(column.type)
    )
    with pytest.raises(CorruptFileError, match=r"row 0: .* of the value of \$"):
        reconstruct(broken)
    assert "value" in {p.rule for p in check(broken)}


def test_no_rows():
    column = variants(EVENT, [], NAMES)
    assert reconstruct(column).type == pa.struct([("metadata", pa.binary()), ("value", pa.binary())])
    assert len(reconstruct(column)) == 0


def test_wide_and_long_containers():
    fields = {f"f{i:03d}": group(pa.int64()) for i in range(300)}  # is_large, 2-byte ids and offsets
    row = {name: {"typed_value": i} for i, name in enumerate(fields)}
    sparse = {name: ({"typed_value": 7} if name == "f299" else {}) for name in fields}
    column = variants(required(fields), [(MISSING, row), (MISSING, sparse)], list(fields))
    whole, one = decode_array(reconstruct(column))
    assert whole == {name: i for i, name in enumerate(fields)}
    assert one == {"f299": 7}
    lengths = [0, 1, 255, 256, 70_000]
    lists = variants(pa.list_(group(pa.int8())), [(MISSING, [{"typed_value": 1}] * n) for n in lengths])
    assert [len(v) for v in decode_array(reconstruct(lists))] == lengths


def test_the_encoding_is_the_smallest():
    """What is put together from columns has the same bytes as what is encoded at once."""
    names = [f"f{i:03d}" for i in range(300)]
    known = metadata.encode(names)
    for size in (0, 1, 40, 300):
        value = {name: Typed("int64", i) for i, name in enumerate(names[:size])}
        typed = {name: {"typed_value": i} if i < size else {} for i, name in enumerate(names)}
        kind = required({name: group(pa.int64()) for name in names})
        found = reconstruct(variants(kind, [(MISSING, typed)], names))
        assert found.field("value")[0].as_py() == encode(value, known)[1]


def test_deep_shredding():
    kind = pa.int64()
    for _ in range(200):
        kind = required({"a": group(kind)})
    row = 1
    for _ in range(200):
        row = {"a": {"typed_value": row}}
    column = variants(kind, [(MISSING, row)], ["a"])
    [value] = decode_array(reconstruct(column))
    for _ in range(200):
        value = value["a"]
    assert value == 1
    with pytest.raises(LimitExceededError, match="variant_depth"):
        reconstruct(column, limits=Limits(variant_depth=100))


def test_arrays_that_are_no_variant_raise():
    with pytest.raises(UsageError, match="struct with metadata"):
        reconstruct(pa.array([{"a": 1}]))


@pytest.mark.parametrize("bad", ["value", "metadata"])
def test_value_and_metadata_are_binary(bad):
    kinds = {"metadata": pa.binary(), "value": pa.binary(), bad: pa.int32()}
    column = pa.array([{n: (1 if n == bad else EMPTY) for n in kinds}], pa.struct(list(kinds.items())))
    with pytest.raises(CorruptFileError, match="must be binary"):
        reconstruct(column)
