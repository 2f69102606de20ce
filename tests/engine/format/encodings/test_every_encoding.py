"""What holds for every encoding of values: the ways from bytes to values agree, and the way back undoes them.

decode(encode(v)) == v == reference(encode(v)), and the values of all steps, one after another, are v
"""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.encodings import REGISTRY, bit_packed, dictionary, plain, rle
from pqexplore.engine.format.encodings.encoding import ValueEncoding
from pqexplore.engine.format.thrift.structs import Type

LENGTH = 3
"""Of FIXED_LEN_BYTE_ARRAY."""

BYTE = st.integers(0, 255)
FLOATS = st.one_of(st.integers(-5000, 5000).map(lambda n: n / 100), st.floats(width=32))
BYTES = st.binary(max_size=40) | st.tuples(
    st.sampled_from([b"", b"ab", b"\0" * 5, b"ab" * 50]), st.binary(max_size=6)
).map(b"".join)
VALUES = {
    Type.BOOLEAN: st.booleans(),
    Type.INT32: st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(0, 9),
    Type.INT64: st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(0, 9),
    Type.INT96: st.binary(min_size=12, max_size=12),
    Type.FLOAT: FLOATS.map(lambda value: float(np.float32(value))),
    Type.DOUBLE: FLOATS,
    Type.BYTE_ARRAY: BYTES,
    Type.FIXED_LEN_BYTE_ARRAY: st.binary(min_size=LENGTH, max_size=LENGTH),
}
ENCODINGS = [one for one in REGISTRY.values() if isinstance(one, ValueEncoding)]
CASES = [
    pytest.param(one, physical, id=f"{one.name}-{physical.name}")
    for one in ENCODINGS
    for physical in one.physical_types
]


def listed(values):
    """Values as Python objects that compare: NaN as a word."""
    plain_values = values.tolist() if isinstance(values, np.ndarray) else list(values)
    plain_values = [v.as_py() if isinstance(v, pa.Scalar) else v for v in plain_values]
    return ["nan" if isinstance(v, float) and math.isnan(v) else v for v in plain_values]


@pytest.mark.parametrize(("encoding", "physical"), CASES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_all_ways_agree(encoding, physical, data):
    repeat = data.draw(st.sampled_from([1, 1, 40]))
    values = data.draw(st.lists(VALUES[physical], max_size=40)) * repeat
    before = data.draw(st.integers(0, 5))  # the array is a part of a longer one
    array = pa.array([*values[:1] * before, *values], plain.storage_type(physical, LENGTH))[before:]
    section = encoding.encode(array)
    column = (len(values), physical, LENGTH)
    assert listed(encoding.decode(section, *column)) == listed(values)
    if section:
        assert listed(encoding.reference(section, *column)) == listed(values)
    structure = encoding.scan(section, *column)
    assert listed(structure.values) == listed(values)
    assert structure.end == len(section)
    steps = [step.values for step in structure.trace() if step.count]
    assert [value for part in steps for value in listed(part)] == listed(values)


@pytest.mark.parametrize(("encoding", "physical"), CASES)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_damage_is_an_error_or_values(encoding, physical, data):
    values = data.draw(st.lists(VALUES[physical], min_size=1, max_size=40)) * data.draw(st.sampled_from([1, 9]))
    raw = bytearray(encoding.encode(pa.array(values, plain.storage_type(physical, LENGTH))))
    for _ in range(data.draw(st.integers(1, 3)) if raw else 0):  # most often near the beginning, where headers are
        raw[data.draw(st.integers(0, min(len(raw), 60) - 1) | st.integers(0, len(raw) - 1))] = data.draw(BYTE)
    del raw[data.draw(st.just(len(raw)) | st.integers(0, len(raw))) :]
    try:
        decoded = encoding.decode(bytes(raw), len(values), physical, LENGTH)
    except ParquetError:
        return
    decoded.validate(full=True)
    assert len(decoded) == len(values)


@pytest.mark.parametrize(("encoding", "physical"), CASES)
def test_every_value_is_explained_by_its_own_step(encoding, physical):
    some = {
        Type.BOOLEAN: [True] * 20 + [False, True] * 9,
        Type.FLOAT: [1.5, float("nan"), -2.25] * 7,
        Type.DOUBLE: [1.5, float("nan"), -2.25] * 7,
        Type.BYTE_ARRAY: [b"abc", b"abd", b""] * 7,
        Type.FIXED_LEN_BYTE_ARRAY: [b"abc", b"abd"] * 7,
        Type.INT96: [bytes(range(12))] * 5,
    }
    values = some.get(physical, [3, 1 << 20, -7] * 7)
    array = pa.array(values, plain.storage_type(physical, LENGTH))
    section = encoding.encode(array)
    structure = encoding.scan(section, len(values), physical, LENGTH)
    for index in range(len(values)):
        step = structure.steps.of_value(index)
        parts, rows = structure.explain(step, range(index, index + 1))
        assert index in [row.index for row in rows]
        assert parts and all(0 <= part.start <= part.end <= len(section) for part in parts)
        assert structure.label(step)
    assert structure.steps.of_value(len(values)) is None
    assert structure.summary(f"{len(values)} values")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_levels_and_ids_agree_with_the_reference(data):
    width = data.draw(st.integers(0, 20))
    one = st.integers(0, (1 << width) - 1)
    values = data.draw(st.lists(one, max_size=30)) + [data.draw(one)] * data.draw(st.integers(0, 300))
    raw = rle.encode(values, width)
    assert rle.decode(raw, width, len(values)).tolist() == values
    assert rle.reference(raw, width, len(values)) == values
    assert rle.scan(raw, width, len(values)).values.tolist() == values
    packed = bit_packed.encode(np.array(values, np.uint32), width)
    assert bit_packed.decode(packed, width, len(values))[0].tolist() == values
    assert bit_packed.reference(packed, width, len(values)) == values
    if values:
        ids = dictionary.encode(values)
        assert dictionary.reference(ids, len(values)) == values
        assert dictionary.decode_ids(ids, len(values), 1 << 20).tolist() == values
        assert dictionary.scan(ids, len(values)).values.tolist() == values


def test_all_types_are_taken_by_some_encoding_and_all_records_differ():
    assert {kind for one in ENCODINGS for kind in one.physical_types} == set(Type)
    assert [one.number for one in REGISTRY.values()] == list(REGISTRY)
