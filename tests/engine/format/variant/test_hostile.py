"""Bytes that somebody else wrote: only ParquetError comes out, whatever goes in."""

import pyarrow as pa
import pytest
from engine.format.variant.strategies import VALUES
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.variant import metadata
from pqexplore.engine.format.variant.byte_parts import walk
from pqexplore.engine.format.variant.check import check
from pqexplore.engine.format.variant.decode import decode, from_parts
from pqexplore.engine.format.variant.encode import encode
from pqexplore.engine.format.variant.get import variant_get
from pqexplore.engine.format.variant.metadata_spans import read_metadata
from pqexplore.engine.format.variant.proposal import propose_schema
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.shred import shred
from pqexplore.engine.format.variant.value_spans import read_value

WHOLE = {"a": [1, 2.5, None, "x" * 70, {"b": True}], "b": b"abc", "c": {"a": -1, "long": 2**40}, "d": "short"}


def outcome(call, *args):
    try:
        return call(*args)
    except ParquetError as error:
        assert str(error)
        assert error.offset is not None
        return type(error)


def test_a_value_cut_anywhere_is_an_error():
    found, value = encode(WHOLE)
    for cut in range(len(value)):
        with pytest.raises(ParquetError):
            decode(found, value[:cut])


def test_metadata_cut_anywhere_is_an_error():
    found, value = encode(WHOLE)
    for cut in range(len(found)):
        with pytest.raises(ParquetError):
            decode(found[:cut], value)


def test_every_byte_may_have_every_value():
    found, value = encode({"a": [1, "x", {"b": None}], "b": 2.5})
    for at in range(len(value)):
        for byte in range(256):
            broken = value[:at] + bytes([byte]) + value[at + 1 :]
            quick = outcome(decode, found, broken)
            patient = outcome(lambda: from_parts(read_value(found, broken)))
            assert repr(quick) == repr(patient)
    for at in range(len(found)):
        for byte in range(256):
            broken = found[:at] + bytes([byte]) + found[at + 1 :]
            outcome(decode, broken, value)
            list(walk(read_metadata(broken)))


@given(st.binary(max_size=40), st.binary(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_bytes(found, value):
    for known in (found, b"\x01\x02\x00\x01\x02ab"):
        outcome(decode, known, value)
    for part in walk(read_value(found, value)):
        assert part.start <= part.end
    list(walk(read_metadata(found)))


@given(VALUES, st.data())
@settings(max_examples=100, deadline=None)
def test_columns_of_damaged_values(value, data):
    """Everything that works on columns, on a partially shredded column whose bytes were changed."""
    found, encoded = encode({"a": value, "b": value, "c": 1})
    broken = bytearray(encoded)
    for _ in range(data.draw(st.integers(1, 2))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    inner = pa.struct([("value", pa.binary()), ("typed_value", pa.int32())])
    kind = pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.struct([("c", inner)]))])
    rest = bytes(broken)
    rows = [
        {"metadata": found, "value": rest, "typed_value": None},
        {"metadata": found, "value": rest, "typed_value": {"c": {"value": None, "typed_value": 1}}},
        {"metadata": found, "value": None, "typed_value": {"c": {"value": rest, "typed_value": None}}},
    ]
    column = pa.array(rows, kind)

    def quiet(call):
        try:
            call()
        except ParquetError as error:
            assert str(error)

    quiet(lambda: reconstruct(column))
    quiet(lambda: variant_get(column, "$.a[0]", pa.string()))
    quiet(lambda: variant_get(column, "$.c", pa.int64()))
    check(column)
    plain = pa.array([{"metadata": found, "value": rest}], pa.struct(list(kind)[:2]))
    quiet(lambda: propose_schema(plain))
    quiet(lambda: shred(plain, pa.struct([("a", pa.string()), ("b", pa.list_(pa.int64()))])))


def test_metadata_is_remembered_within_bounds():
    for i in range(3_000):
        metadata.read(metadata.encode([f"name {i}"]))
    assert len(metadata._cache) <= 512
